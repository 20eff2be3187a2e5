/* All solutions of a small LCP (docs/theory/lcp-enumerate.md).
 *
 * The solution set is the union over the subsets a of {1..n} of the polyhedra
 *     P_a = { z : z_i >= 0, w_i = 0 for i in a;  z_i = 0, w_i >= 0 for i not in a }.
 * A nonsingular M_aa gives at most a point; otherwise P_a is described by its vertices and extreme
 * rays, found in the homogeneous variables (z_a, t) with t > 0 for vertices and t = 0 for rays. A
 * polyhedron inside another is dropped; two that remain cannot form one convex set together. */
#include "carom/need.h"
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/rays.h"
#include "solver/lcp_algorithms.h"
#include "solver/lcp_scale.h"

#include <math.h>
#include <string.h>

enum { MOST = CAROM_LCP_ENUMERATE_LIMIT };

/* A sum below this part of its terms is zero, in cuts. */
static const double ZERO = CAROM_TOLERANCE_SOLVED;
/* The same for the signs of a point that was found. */
static const double TINY = CAROM_TOLERANCE_SIGN;
/* A pivot below this part of its column is zero. */
static const double PIVOT = CAROM_TOLERANCE_SOLVED;

typedef struct piece {
    struct piece *next;
    carom_lcp_piece found;
    unsigned z, w; /* bit i: z_i, w_i is positive somewhere on the piece */
} piece;

typedef struct search {
    int n;
    double M[MOST * MOST], q[MOST]; /* equilibrated, |q| at most 1 */
    double c[MOST];                 /* z_i = c_i * scaled z_i */
    carom_arena *arena, *scratch;
    piece *first;
    int count;
} search;

static void fill(search *s, const carom_lcp *lcp)
{
    int n = s->n = lcp->n;
    int work[MOST * MOST + 2 * MOST];
    double r[MOST], top = 0;
    carom_lcp_scale_equilibrate(lcp, work, r, s->c);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            s->M[i + j * n] = r[i] * lcp->M[i + j * n] * s->c[j];
        s->q[j] = r[j] * lcp->q[j];
        top = fmax(top, fabs(s->q[j]));
    }
    for (int j = 0; top > 0 && j < n; j++) {
        s->q[j] /= top;
        s->c[j] *= top;
    }
}

/* Solve M_aa z = -q_a by elimination with complete pivoting. False when singular. */
static bool solve_point(const search *s, const int *a, int k, double *z)
{
    double A[MOST * MOST], b[MOST], x[MOST];
    int order[MOST];
    for (int j = 0; j < k; j++) {
        order[j] = j;
        b[j] = -s->q[a[j]];
        for (int i = 0; i < k; i++)
            A[i + j * k] = s->M[a[i] + a[j] * s->n];
    }
    double largest = 0;
    for (int p = 0; p < k; p++) {
        int row = p, column = p;
        for (int j = p; j < k; j++)
            for (int i = p; i < k; i++)
                if (fabs(A[i + j * k]) > fabs(A[row + column * k])) {
                    row = i;
                    column = j;
                }
        double pivot = A[row + column * k];
        largest = fmax(largest, fabs(pivot));
        if (fabs(pivot) <= PIVOT * largest)
            return false;
        for (int j = 0; j < k; j++) {
            double t = A[row + j * k];
            A[row + j * k] = A[p + j * k];
            A[p + j * k] = t;
        }
        for (int i = 0; i < k; i++) {
            double t = A[i + column * k];
            A[i + column * k] = A[i + p * k];
            A[i + p * k] = t;
        }
        double t = b[row];
        b[row] = b[p];
        b[p] = t;
        int o = order[column];
        order[column] = order[p];
        order[p] = o;
        for (int i = p + 1; i < k; i++) {
            double f = A[i + p * k] / pivot;
            b[i] -= f * b[p];
            for (int j = p + 1; j < k; j++)
                A[i + j * k] -= f * A[p + j * k];
        }
    }
    for (int p = k - 1; p >= 0; p--) {
        double sum = b[p];
        for (int j = p + 1; j < k; j++)
            sum -= A[p + j * k] * x[j];
        x[p] = sum / A[p + p * k];
    }
    for (int p = 0; p < k; p++)
        z[order[p]] = x[p];
    return true;
}

/* Is the piece with these supports outside all that are known? Drops the known ones inside it. A
 * point where z_i and w_i never both vanish belongs to one subset only: nothing to compare. */
static bool is_new(search *s, unsigned z, unsigned w, bool point)
{
    if (point && (z | w) == (1u << s->n) - 1)
        return true;
    for (piece **link = &s->first; *link;) {
        piece *p = *link;
        if (!(z & ~p->z) && !(w & ~p->w))
            return false;
        if (!(p->z & ~z) && !(p->w & ~w)) {
            *link = p->next;
            s->count--;
        } else {
            link = &p->next;
        }
    }
    return true;
}

static carom_status keep(search *s, const carom_rays *rays, const int *a, int k, unsigned z,
                         unsigned w, carom_error *error)
{
    if (!is_new(s, z, w, rays->count == 1))
        return CAROM_OK;
    int n = s->n, vertices = 0;
    for (int r = 0; r < rays->count; r++)
        vertices += rays->x[k + (size_t)r * (size_t)rays->m] > 0;
    piece *p = carom_arena_array(s->arena, 1, sizeof *p);
    double *x = carom_arena_zeros(s->arena, (size_t)rays->count * (size_t)n, sizeof *x);
    if (!p || !x)
        return carom_error_memory(error);
    double *vertex = x, *direction = x + (size_t)vertices * (size_t)n;
    for (int r = 0; r < rays->count; r++) {
        const double *g = rays->x + (size_t)r * (size_t)rays->m;
        double *out = g[k] > 0 ? vertex : direction, top = 0;
        for (int i = 0; i < k; i++)
            top = fmax(top, out[a[i]] = g[i] * s->c[a[i]]);
        carom_dense_scale(n, 1 / (g[k] > 0 ? g[k] : top), out);
        if (g[k] > 0)
            vertex += n;
        else
            direction += n;
    }
    *p = (piece){
        s->first, {vertices, rays->count - vertices, x, x + (size_t)vertices * (size_t)n}, z, w};
    s->first = p;
    s->count++;
    return CAROM_OK;
}

/* w_i at the homogeneous point x = (z_a, t), exactly 0 when it is rounding. */
static double row_value(const search *s, int i, const int *a, int k, const double *x)
{
    double w = s->q[i] * x[k], size = fabs(w);
    for (int j = 0; j < k; j++) {
        w += s->M[i + a[j] * s->n] * x[j];
        size += fabs(s->M[i + a[j] * s->n] * x[j]);
    }
    return fabs(w) <= TINY * size ? 0 : w;
}

/* M_aa nonsingular: the point z_a, if it is feasible. */
static carom_status try_point(search *s, const int *a, int k, double *z, carom_error *error)
{
    int n = s->n;
    unsigned zs = 0, ws = 0, in = 0;
    double top = carom_dense_max(k, z);
    for (int j = 0; j < k; j++) {
        in |= 1u << a[j];
        if (z[j] < -TINY * top)
            return CAROM_OK;
        if (z[j] > TINY * top)
            zs |= 1u << a[j];
        else
            z[j] = 0;
    }
    double x[MOST + 1];
    carom_dense_copy(k, z, x);
    x[k] = 1;
    for (int i = 0; i < n; i++) {
        if (in >> i & 1)
            continue;
        double w = row_value(s, i, a, k, x);
        if (w < 0)
            return CAROM_OK;
        ws |= w > 0 ? 1u << i : 0;
    }
    carom_rays point = {.m = k + 1, .count = 1, .x = x};
    return keep(s, &point, a, k, zs, ws, error);
}

/* M_aa singular: vertices and rays of P_a. */
static carom_status try_polyhedron(search *s, const int *a, int k, carom_error *error)
{
    int n = s->n;
    unsigned in = 0;
    for (int j = 0; j < k; j++)
        in |= 1u << a[j];
    carom_rays rays;
    carom_status status = carom_rays_start(&rays, k + 1, s->scratch, error);
    for (int pass = 0; pass < 2; pass++) /* the equalities first: they cut most */
        for (int i = 0; i < n && status == CAROM_OK; i++) {
            if ((in >> i & 1) != (pass == 0))
                continue;
            double row[MOST + 1];
            for (int j = 0; j < k; j++)
                row[j] = s->M[i + a[j] * n];
            row[k] = s->q[i];
            status = carom_rays_cut(&rays, row, pass == 0, ZERO, s->scratch, error);
            bool point = false;
            for (int r = 0; r < rays.count; r++)
                point = point || rays.x[k + (size_t)r * (size_t)rays.m] > 0;
            if (!point)
                return status;
        }
    if (status != CAROM_OK)
        return status;
    /* where z and w are positive, from the rays themselves: more reliable than their history */
    unsigned zs = 0, ws = 0;
    for (int r = 0; r < rays.count; r++) {
        const double *x = rays.x + (size_t)r * (size_t)rays.m;
        for (int j = 0; j < k; j++)
            zs |= x[j] > TINY ? 1u << a[j] : 0;
        for (int i = 0; i < n; i++)
            ws |= !(in >> i & 1) && row_value(s, i, a, k, x) > 0 ? 1u << i : 0;
    }
    return keep(s, &rays, a, k, zs, ws, error);
}

static carom_status visit(search *s, unsigned subset, carom_error *error)
{
    int a[MOST], k = 0;
    for (int i = 0; i < s->n; i++)
        if (subset >> i & 1)
            a[k++] = i;
    double z[MOST];
    if (solve_point(s, a, k, z))
        return try_point(s, a, k, z, error);
    carom_status status = try_polyhedron(s, a, k, error);
    carom_arena_reset(s->scratch);
    return status;
}

static carom_status collect(const search *s, carom_lcp_solutions *solutions, carom_error *error)
{
    carom_lcp_piece *pieces = carom_arena_array(s->arena, (size_t)s->count, sizeof *pieces);
    if (!pieces)
        return carom_error_memory(error);
    int count = s->count;
    for (const piece *p = s->first; p; p = p->next)
        pieces[--count] = p->found;
    *solutions = (carom_lcp_solutions){s->count, pieces};
    return CAROM_OK;
}

carom_status carom_lcp_enumerate(const carom_lcp *lcp, carom_arena *arena,
                                 carom_lcp_solutions *solutions, carom_error *error)
{
    CAROM_NEED(error, lcp, arena, solutions);
    carom_status status = carom_lcp_check(lcp, error);
    if (status != CAROM_OK)
        return status;
    if (lcp->n > MOST)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "lcp: enumeration is for n <= %d, not %d; use another algorithm",
                               MOST, lcp->n);
    carom_mark mark = carom_arena_mark(arena);
    search s = {.arena = arena};
    status = carom_arena_create(carom_arena_allocator(arena), &s.scratch, error);
    if (status != CAROM_OK)
        return status;
    fill(&s, lcp);
    for (unsigned subset = 0; subset < 1u << lcp->n && status == CAROM_OK; subset++)
        status = visit(&s, subset, error);
    carom_arena_destroy(s.scratch);
    if (status == CAROM_OK)
        status = collect(&s, solutions, error);
    if (status != CAROM_OK)
        carom_arena_rewind(arena, mark);
    return status;
}

static carom_status solve(const carom_lcp *lcp, const carom_lcp_options *options,
                          carom_arena *arena, double *z, carom_lcp_info *info, carom_error *error)
{
    (void)options;
    carom_lcp_solutions all;
    carom_status status = carom_lcp_enumerate(lcp, arena, &all, error);
    if (status != CAROM_OK)
        return status;
    int n = lcp->n;
    double least = HUGE_VAL;
    memset(z, 0, (size_t)n * sizeof *z);
    for (int p = 0; p < all.count; p++)
        for (int v = 0; v < all.pieces[p].vertex_count; v++) {
            const double *x = all.pieces[p].vertices + (size_t)v * (size_t)n;
            double size = carom_dense_norm(n, x);
            if (size < least) {
                least = size;
                carom_dense_copy(n, x, z);
            }
        }
    info->iterations = 1 << n;
    info->outcome = all.count > 0 ? CAROM_LCP_SOLVED : CAROM_LCP_INFEASIBLE;
    info->unique_z =
        all.count == 1 && all.pieces[0].vertex_count == 1 && all.pieces[0].ray_count == 0;
    info->unique_w = info->unique_z || (lcp->symmetric && all.count > 0);
    return CAROM_OK;
}

const carom_lcp_solver carom_lcp_enumerate_table = {
    {CAROM_LCP_ENUMERATE, "enumerate",
     "every complementary basis; any M with n <= 16; all solutions, or the proof that there is "
     "none",
     "Motzkin, Raiffa, Thompson, Thrall, The double description method, 1953 (singular bases)"},
    solve,
    false,
    MOST};
