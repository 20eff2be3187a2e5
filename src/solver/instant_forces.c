/* All forces that a combination of modes allows: a polyhedron, by its corners and rays
 * (docs/theory/instant.md, "Families of forces").
 *
 * Forces are r = V a with a >= 0, V the edges of the friction cones that the modes leave: none of
 * an open contact, the normal of a smooth one, both edges of one that sticks, the edge against the
 * slip. With a further number s >= 0 for q the equations and conditions W V a + q s = 0 or >= 0 cut
 * a cone out of the orthant; its extreme rays with s > 0 are corners, those with s = 0 rays. */
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/rays.h"
#include "solver/instant.h"

#include <math.h>
#include <string.h>

/* What counts as zero, relative to the sum of its terms. */
static const double tight = CAROM_TOLERANCE_SIGN;
/* Entries of W that are rounding; W has entries up to 1. */
static const double clean = CAROM_TOLERANCE_REFINED;

/* Append the edge (1, slope)/(1 + |slope|) of contact i. */
static void add_edge(const carom_instant *f, int i, double slope, double *V, int *count)
{
    double *v = V + (size_t)(*count)++ * f->N;
    v[f->row[i]] = 1 / (1 + fabs(slope));
    if (slope != 0)
        v[f->row[i] + 1] = slope / (1 + fabs(slope));
}

/* The edges V (N x count) of the combination, room for 3 p. Returns their count. */
static int find_edges(const carom_instant *f, const unsigned char *mode, double *V)
{
    int count = 0;
    for (int i = 0; i < f->p; i++)
        switch (mode[i]) {
        case CAROM_MODE_OPEN:
            break;
        case CAROM_MODE_CLOSED:
            add_edge(f, i, 0, V, &count);
            break;
        case CAROM_MODE_STICK:
            if (isfinite(f->mu_s[i])) {
                add_edge(f, i, f->mu_s[i], V, &count);
                add_edge(f, i, -f->mu_s[i], V, &count);
                break;
            }
            add_edge(f, i, 0, V, &count); /* the half-plane */
            V[f->row[i] + 1 + (size_t)count++ * f->N] = 1;
            V[f->row[i] + 1 + (size_t)count++ * f->N] = -1;
            break;
        default:
            add_edge(f, i, mode[i] == CAROM_MODE_SLIP_PLUS ? -f->mu_d[i] : f->mu_d[i], V, &count);
        }
    return count;
}

/* The work of one search. */
typedef struct cut {
    const carom_instant *f;
    carom_rays rays;
    int edges;
    const double *WV; /* (N + extra) x edges */
    double size;      /* of q, so that s is of the size of a */
    double *coefficients;
    carom_arena *arena;
    carom_error *error;
} cut;

/* Cut by sign (u_row - aim) = 0 or >= 0. */
static carom_status cut_row(cut *c, int row, double aim, double sign, bool equality)
{
    const int N = c->f->N;
    for (int j = 0; j < c->edges; j++) {
        double a = c->WV[row + (size_t)j * (N + c->f->extra)];
        c->coefficients[j] = fabs(a) > clean ? sign * a : 0;
    }
    double q = ((row < N ? c->f->q[row] : 0) - aim) / c->size;
    c->coefficients[c->edges] = fabs(q) > clean ? sign * q : 0;
    return carom_rays_cut(&c->rays, c->coefficients, equality, tight, c->arena, c->error);
}

/* Equations first: they leave fewer rays to cut. */
static carom_status cut_modes(cut *c, const unsigned char *mode, const double *u)
{
    const carom_instant *f = c->f;
    carom_status status = CAROM_OK;
    for (int pass = 0; pass < 2 && !status; pass++)
        for (int i = 0; i < f->p && !status; i++)
            for (int k = f->row[i]; k < f->row[i + 1] && !status; k++) {
                const bool slip = k > f->row[i];
                const bool slips = mode[i] >= CAROM_MODE_SLIP_PLUS,
                           open = mode[i] == CAROM_MODE_OPEN;
                const bool equality = u || (!open && !(slip && slips));
                if (equality != (pass == 0) || (open && slip && !u))
                    continue;
                double sign = slip && mode[i] == CAROM_MODE_SLIP_MINUS ? -1 : 1;
                status = cut_row(c, k, u ? u[k] : 0, sign, equality);
            }
    for (int k = f->N; k < f->N + f->extra && u && !status; k++)
        status = cut_row(c, k, u[k], 1, true);
    return status;
}

/* Forces r = V a of the rays, those with s > 0 divided by it. */
static carom_status collect(const cut *c, const double *V, carom_instant_family *family)
{
    const int N = c->f->N, m = c->edges + 1;
    carom_instant_family made = {0};
    made.corners = carom_arena_zeros(c->arena, (size_t)c->rays.count * N + 1, sizeof(double));
    made.rays = carom_arena_zeros(c->arena, (size_t)c->rays.count * N + 1, sizeof(double));
    if (!made.corners || !made.rays)
        return carom_error_memory(c->error);
    for (int k = 0; k < c->rays.count; k++) {
        const double *a = c->rays.x + (size_t)k * m, s = a[c->edges] / c->size;
        double *r = s > 0 ? made.corners + (size_t)made.corner_count++ * N
                          : made.rays + (size_t)made.ray_count++ * N;
        carom_dense_gemv(N, c->edges, s > 0 ? 1 / s : 1, V, N, a, r);
        if (!(s > 0) && carom_dense_max(N, r) == 0)
            made.ray_count--; /* both ways along the slip of infinite friction */
    }
    *family = made;
    return CAROM_OK;
}

carom_status carom_instant_forces(const carom_instant *problem, const unsigned char *mode,
                                  const double *u, carom_arena *arena, carom_instant_family *family,
                                  carom_error *error)
{
    const carom_instant *f = problem;
    const size_t N = (size_t)f->N, rows = N + (size_t)f->extra, room = 3 * (size_t)f->p;
    double *V = carom_arena_zeros(arena, (N + rows) * room + room + 1, sizeof *V);
    if (!V)
        return carom_error_memory(error);
    cut c = {.f = f, .arena = arena, .error = error};
    double *WV = V + N * room;
    c.coefficients = WV + rows * room;
    c.edges = find_edges(f, mode, V);
    for (int j = 0; j < c.edges; j++) {
        carom_dense_gemv(f->N, f->N, 1, f->W, f->N, V + (size_t)j * N, WV + (size_t)j * rows);
        carom_dense_gemv(f->extra, f->N, 1, f->X, f->extra, V + (size_t)j * N,
                         WV + (size_t)j * rows + N);
    }
    c.WV = WV;
    c.size = carom_instant_size(f, NULL);
    c.size = c.size > 0 ? c.size : 1;
    carom_status status = carom_rays_start(&c.rays, c.edges + 1, arena, error);
    if (!status)
        status = cut_modes(&c, mode, u);
    return status ? status : collect(&c, V, family);
}
