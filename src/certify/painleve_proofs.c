/* What can be proved of the contact problem without enumerating its modes. */
#include "certify/painleve_proofs.h"

#include "carom/lcp.h"
#include "carom/tolerance.h"
#include "cone/cone_interior.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"
#include "solver/instant_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const carom_contact *contact(const carom_painleve_state *w, int c)
{
    return &w->g->impact->contacts[w->part[c]];
}

static bool rests(const carom_painleve_state *w, int c)
{
    return w->resting[w->part[c]];
}

/* ---- Existence ------------------------------------------------------------------------------ */

/* The cones of all contacts, as blocks of the columns of K. */
static void fill_cones(const carom_painleve_state *w, int *size, double *mu)
{
    const carom_instant *f = &w->problem;
    for (int c = 0; c < f->p; c++) {
        size[c] = f->row[c + 1] - f->row[c];
        mu[c] = fmin(f->mu_s[c], 1e6);
    }
}

carom_status carom_painleve_proofs_hold(const carom_painleve_state *w, double *x, bool *held)
{
    const carom_instant *f = &w->problem;
    const size_t N = (size_t)f->N, p = (size_t)f->p;
    carom_mark mark = carom_arena_mark(w->arena);
    int *size = carom_arena_array(w->arena, p + 2 * N, sizeof *size);
    double *K =
        carom_arena_doubles(w->arena, 2 * N * N + 3 * N + p + carom_cone_interior_work(0, f->N));
    if (!size || !K)
        return carom_error_memory(w->error);
    int *pivot = size + p, rows = 0;
    double *S = K + N * N, *b = S + N * N, *mu = b + N, *unit = mu + p, *scale = unit + N;
    /* independent rows of the Gram matrix of the row vectors, those of largest pivots */
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            S[i + j * N] = carom_dense_dot(w->g->impact->n, w->row[i], w->row[j]);
    rows = carom_pivoted_cholesky_factor(f->N, S, f->N, CAROM_TOLERANCE_SOLVED, pivot, scale);
    for (int k = 0; k < rows; k++) {
        b[k] = -f->q[pivot[k]];
        for (size_t j = 0; j < N; j++)
            K[k + j * (size_t)rows] = f->W[pivot[k] + j * N];
    }
    fill_cones(w, size, mu);
    carom_cone_interior cones = {.rows = rows,
                                 .columns = f->N,
                                 .K = K,
                                 .b = b,
                                 .blocks = f->p,
                                 .size = size,
                                 .mu = mu,
                                 .unit = unit,
                                 .tolerance = CAROM_TOLERANCE_SOLVED};
    *held = carom_cone_interior_find(&cones, x, scale + N);
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

carom_status carom_painleve_proofs_infeasible(const carom_painleve_state *w, bool *proved)
{
    const carom_instant *f = &w->problem;
    const int k = f->p, columns = f->N + k;
    int *size = carom_arena_array(w->arena, 2 * (size_t)k, sizeof *size);
    const size_t numbers = (size_t)k * columns + 3 * (size_t)k + 2 * (size_t)columns;
    double *K =
        carom_arena_zeros(w->arena, numbers + carom_cone_interior_work(k, columns), sizeof *K);
    if (!size || !K)
        return carom_error_memory(w->error);
    double *b = K + (size_t)k * columns, *mu = b + k, *unit = mu + 2 * k, *x = unit + columns;
    fill_cones(w, size, mu);
    for (int c = 0; c < k; c++) { /* W_N r - slack = -q_N */
        size[k + c] = 1;
        b[c] = -f->q[f->row[c]];
        for (int j = 0; j < f->N; j++)
            K[c + (size_t)j * k] = f->W[f->row[c] + (size_t)j * f->N];
        K[c + (size_t)(f->N + c) * k] = -1;
    }
    carom_cone_interior cones = {.rows = k,
                                 .columns = columns,
                                 .K = K,
                                 .b = b,
                                 .blocks = 2 * k,
                                 .size = size,
                                 .mu = mu,
                                 .unit = unit,
                                 .tolerance = CAROM_TOLERANCE_SAME};
    *proved = !carom_cone_interior_find(&cones, x, K + numbers) && cones.largest > 0;
    return CAROM_OK;
}

/* ---- Uniqueness ----------------------------------------------------------------------------- */

/* Rows of the contacts of one part in their own metric: normals, slips of those at rest,
 * directions of those that slide. */
typedef struct rows {
    int N;
    const double **v, **y; /* vectors, M_c^-1 times them */
    int *normal, *end;     /* by contact of the part: number of its normal, and behind its last */
    double *turned;        /* n x 2 by contact, direction of slip and M_c^-1 times it */
} rows;

static carom_status gather(const carom_painleve_state *w, const carom_instant_part *part, rows *r)
{
    const carom_geometry *g = w->g;
    const int n = g->impact->n;
    const size_t p = (size_t)part->problem.p, most = p + (size_t)g->s;
    *r = (rows){0};
    r->v = carom_arena_array(w->arena, 2 * most, sizeof *r->v);
    r->normal = carom_arena_zeros(w->arena, 2 * p, sizeof *r->normal);
    r->turned = carom_arena_zeros(w->arena, 2 * (size_t)n * p, sizeof *r->turned);
    if (!r->v || !r->normal || !r->turned)
        return carom_error_memory(w->error);
    r->y = r->v + most;
    r->end = r->normal + p;
    for (int a = 0; a < part->problem.p; a++) {
        const int c = part->contact[a], i = w->part[c], first = w->problem.row[c];
        r->normal[a] = r->N;
        r->v[r->N] = w->row[first];
        r->y[r->N++] = g->Y + (size_t)i * n;
        for (int l = first + 1; l < w->problem.row[c + 1]; l++) {
            r->v[r->N] = w->row[l];
            r->y[r->N++] = w->column[l];
        }
        if (w->sliding[i] >= CAROM_MODE_SLIP_PLUS && contact(w, c)->friction_dynamic > 0) {
            double *h = r->turned + 2 * (size_t)a * n, *z = h + n;
            for (int j = g->slip_start[i]; j < g->slip_start[i + 1]; j++) {
                carom_dense_axpy(n, w->direction[j], g->impact->H + (size_t)j * n, h);
                carom_dense_axpy(n, w->direction[j], g->Z + (size_t)j * n, z);
            }
            r->v[r->N] = h;
            r->y[r->N++] = z;
        }
        r->end[a] = r->N;
    }
    return CAROM_OK;
}

/* Do slips and normals not see each other? Then normal forces do not depend on friction. A: the
 * Gram matrix of the rows. */
static bool is_decoupled(const carom_instant_part *part, int n, const rows *r, const double *A)
{
    for (int a = 0; a < part->problem.p; a++)
        for (int l = r->normal[a] + 1; l < r->end[a]; l++)
            for (int b = 0; b < part->problem.p; b++) {
                const int i = r->normal[b];
                const double sizes = sqrt(A[i + (size_t)i * r->N] * A[l + (size_t)l * r->N]);
                if (fabs(A[i + (size_t)l * r->N]) > 64 * n * DBL_EPSILON * sizes)
                    return false;
            }
    return true;
}

/* At most one solution of a part: for the difference of two,
 *   |du|^2 = dx'A dx <= sum mu |dl_i| |da_T,i|,   |dl_i| <= sqrt((A^-1)_ii) |du|,
 *   |da_T,i| <= |h_i| |du|.
 * One coefficient for contacts at rest: the jump from static to dynamic friction is not monotone.
 */
static carom_status prove_part(const carom_painleve_state *w, const carom_instant_part *part,
                               bool *unique)
{
    const int n = w->g->impact->n, k = part->problem.p;
    rows r;
    *unique = false;
    for (int a = 0; a < k; a++)
        if (rests(w, part->contact[a]) && part->problem.mu_d[a] < part->problem.mu_s[a])
            return CAROM_OK;
    carom_status status = gather(w, part, &r);
    if (status)
        return status;
    const int N = r.N;
    double *A = carom_arena_doubles(w->arena, (size_t)N * N + 2 * (size_t)N + (size_t)k), sum = 0;
    if (!A)
        return carom_error_memory(w->error);
    double *e = A + (size_t)N * N, *square = e + N, *rough = square + N;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            A[i + (size_t)j * N] = carom_dense_dot(n, r.v[i], r.y[j]);
    const bool apart = is_decoupled(part, n, &r, A);
    for (int a = 0; a < k; a++) {
        rough[a] = 0;
        for (int l = r.normal[a] + 1; l < r.end[a]; l++) {
            rough[a] += A[l + (size_t)l * N]; /* the trace: at least the square of the norm */
            for (int i = 0; i < N && apart; i++)
                A[i + (size_t)l * N] = A[l + (size_t)i * N] = i == l;
        }
        rough[a] = contact(w, part->contact[a])->friction_static * sqrt(rough[a]);
    }
    for (int j = 0; j < N; j++)
        square[j] = A[j + (size_t)j * N];
    if (carom_cholesky_factor(N, A, N) != 0)
        return CAROM_OK;
    for (int j = 0; j < N; j++) /* independent beyond rounding */
        if (!(A[j + (size_t)j * N] * A[j + (size_t)j * N] > CAROM_TOLERANCE_SIGN * square[j]))
            return CAROM_OK;
    for (int a = 0; a < k && !apart; a++) {
        memset(e, 0, sizeof *e * (size_t)N);
        e[r.normal[a]] = 1;
        carom_cholesky_solve(N, A, N, e);
        sum += rough[a] * sqrt(fmax(e[r.normal[a]], 0));
    }
    *unique = sum < 1 - CAROM_TOLERANCE_SAME;
    return CAROM_OK;
}

/* Normal forces of contacts without friction, r (N) with nothing along the slips. */
static carom_status solve_smooth(const carom_painleve_state *w, double *r, bool *solved)
{
    const carom_instant *f = &w->problem;
    const size_t p = (size_t)f->p;
    double *D = carom_arena_doubles(w->arena, p * (p + 2));
    if (!D)
        return carom_error_memory(w->error);
    double *q = D + p * p, *l = q + p;
    for (int b = 0; b < f->p; b++) {
        q[b] = f->q[f->row[b]];
        for (int a = 0; a < f->p; a++)
            D[a + (size_t)b * p] = f->W[f->row[a] + (size_t)f->row[b] * (size_t)f->N];
    }
    const carom_lcp lcp = {.n = f->p, .M = D, .q = q, .symmetric = true};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, NULL, w->arena, l, NULL, &info, w->error);
    *solved = status >= 0 && info.outcome == CAROM_LCP_SOLVED;
    memset(r, 0, sizeof *r * (size_t)f->N);
    for (int a = 0; a < f->p && *solved; a++)
        r[f->row[a]] = l[a];
    return status < 0 ? status : CAROM_OK;
}

/* A motion x that needs no friction is the only one (docs/theory/painleve.md): for the difference d
 * of forces from those of another, d'W d = sum of d_N (change of u_N) <= 0 and of x_T (change of
 * u_T), which is x_T u_T <= 0 where the slip of x is none, and no more than the normal part where a
 * contact opens faster than mu times its slip. */
static carom_status needs_no_friction(const carom_painleve_state *w, bool *proved)
{
    const carom_instant *f = &w->problem;
    *proved = false;
    if (!f->symmetric)
        return CAROM_OK;
    double *r = carom_arena_doubles(w->arena, 2 * (size_t)f->N + (size_t)f->extra), *u = r + f->N;
    if (!r)
        return carom_error_memory(w->error);
    bool solved = false;
    carom_status status = solve_smooth(w, r, &solved);
    if (status || !solved)
        return status;
    carom_instant_velocity(f, r, u);
    const double zero = CAROM_TOLERANCE_SIGN * carom_instant_size(f, r) + f->floor;
    for (int c = 0; c < f->p; c++) {
        double slip = 0;
        for (int k = f->row[c] + 1; k < f->row[c + 1]; k++)
            slip = hypot(slip, u[k]);
        if (u[f->row[c]] < -zero ||
            (slip > zero && !(u[f->row[c]] >= f->mu_s[c] * slip * (1 + CAROM_TOLERANCE_SAME))))
            return CAROM_OK;
    }
    *proved = true;
    return CAROM_OK;
}

carom_status carom_painleve_proofs_unique(const carom_painleve_state *w, bool *proved)
{
    carom_status smooth = needs_no_friction(w, proved);
    if (smooth || *proved)
        return smooth;
    int count;
    carom_instant_part *parts;
    carom_status status =
        carom_instant_parts_split(&w->problem, w->arena, &count, &parts, w->error);
    *proved = !status;
    for (int k = 0; k < count && *proved && !status; k++)
        status = prove_part(w, &parts[k], proved);
    return status;
}

carom_status carom_painleve_proofs_determined(const carom_painleve_state *w,
                                              const carom_painleve_solution *x, bool *proved)
{
    const carom_instant *f = &w->problem;
    const int n = w->g->impact->n;
    const size_t N = (size_t)f->N;
    double *F = carom_arena_zeros(w->arena, N * (size_t)n + N * N + N, sizeof *F);
    int *pivot = carom_arena_array(w->arena, N, sizeof *pivot), m = 0;
    if (!F || !pivot)
        return carom_error_memory(w->error);
    double *Q = F + N * (size_t)n, *space = Q + N * N;
    for (int c = 0; c < f->p; c++) {
        const int i = w->part[c], k = f->row[c];
        const bool slips = x->mode[i] >= CAROM_MODE_SLIP_PLUS && w->resting[i];
        if (x->acceleration[i] > 0)
            continue;
        double *own = F + (size_t)m++ * n;
        carom_dense_copy(n, w->column[k], own);
        for (int l = k + 1; l < f->row[c + 1]; l++) {
            const double share = x->tangential_force[w->g->slip_start[i] + l - k - 1];
            if (slips)
                carom_dense_axpy(n, share / x->force[i], w->column[l], own);
            else
                carom_dense_copy(n, w->column[l], F + (size_t)m++ * n);
        }
    }
    for (int b = 0; b < m; b++)
        for (int a = 0; a < m; a++)
            Q[a + (size_t)b * m] = carom_geometry_dot(w->g, F + (size_t)a * n, F + (size_t)b * n);
    *proved = carom_pivoted_cholesky_factor(m, Q, m, CAROM_TOLERANCE_SOLVED, pivot, space) == m;
    return CAROM_OK;
}
