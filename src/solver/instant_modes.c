/* One combination of modes of contacts at one instant (docs/theory/instant.md, "One combination").
 */
#include "solver/instant_modes.h"

#include "carom/lcp.h"
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/kernel.h"

#include <math.h>
#include <string.h>

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* Slip: r_T = -slope r_N. */
static double slope(const carom_instant_modes *s, int i)
{
    return s->mode[i] == CAROM_MODE_SLIP_PLUS    ? s->f->mu_d[i]
           : s->mode[i] == CAROM_MODE_SLIP_MINUS ? -s->f->mu_d[i]
                                                 : 0;
}

static void choose_rows(carom_instant_modes *s)
{
    s->m = 0;
    for (int i = 0; i < s->f->p; i++) {
        int r = s->f->row[i];
        if (s->mode[i] == CAROM_MODE_OPEN)
            continue;
        s->equation[s->m++] = r;
        if (s->mode[i] == CAROM_MODE_STICK)
            s->equation[s->m++] = r + 1;
    }
}

/* R z = -q on the rows chosen. */
static void fill_system(carom_instant_modes *s)
{
    const carom_instant *f = s->f;
    int N = f->N, m = s->m, c = 0;
    for (int i = 0; i < f->p; i++) {
        if (s->mode[i] == CAROM_MODE_OPEN)
            continue;
        const double *normal = f->W + (size_t)f->row[i] * N, *slip = normal + N;
        double k = slope(s, i);
        double *R = s->R + (size_t)c * m;
        s->weight[c++] = sqrt(1 + k * k);
        for (int e = 0; e < m; e++)
            R[e] = normal[s->equation[e]] - (k != 0 ? k * slip[s->equation[e]] : 0);
        if (s->mode[i] == CAROM_MODE_STICK) {
            s->weight[c++] = 1;
            for (int e = 0; e < m; e++)
                R[m + e] = slip[s->equation[e]];
        }
    }
    for (int e = 0; e < m; e++)
        s->z[e] = -f->q[s->equation[e]];
}

/* Gaussian elimination with row pivoting; false when a pivot is small: in the order of the contacts
 * what follows it is as uncertain as rounding over its square, and a row that is dependent may look
 * as if it were not. */
static bool solve_regular(carom_instant_modes *s)
{
    int m = s->m;
    double *R = s->R, *z = s->z;
    for (int j = 0; j < m; j++) {
        int best = j;
        for (int i = j + 1; i < m; i++)
            if (fabs(R[i + j * m]) > fabs(R[best + j * m]))
                best = i;
        if (!(fabs(R[best + j * m]) > CAROM_TOLERANCE_REGULAR * fmax(1, s->weight[j])))
            return false;
        if (best != j) {
            for (int k = j; k < m; k++) {
                double t = R[j + k * m];
                R[j + k * m] = R[best + k * m];
                R[best + k * m] = t;
            }
            double t = z[j];
            z[j] = z[best];
            z[best] = t;
        }
        for (int i = j + 1; i < m; i++) {
            double l = R[i + j * m] / R[j + j * m];
            if (l == 0)
                continue;
            for (int k = j + 1; k < m; k++)
                R[i + k * m] -= l * R[j + k * m];
            z[i] -= l * z[j];
        }
    }
    for (int j = m - 1; j >= 0; j--) {
        z[j] /= R[j + j * m];
        for (int i = 0; i < j; i++)
            z[i] -= R[i + j * m] * z[j];
    }
    return true;
}

/* r = P z. */
static void expand(const carom_instant_modes *s, const double *z, double *r)
{
    const carom_instant *f = s->f;
    memset(r, 0, sizeof *r * (size_t)f->N);
    for (int i = 0, c = 0; i < f->p; i++) {
        if (s->mode[i] == CAROM_MODE_OPEN)
            continue;
        double *own = r + f->row[i];
        own[0] = z[c++];
        if (s->mode[i] == CAROM_MODE_STICK)
            own[1] = z[c++];
        else if (s->mode[i] != CAROM_MODE_CLOSED)
            own[1] = -slope(s, i) * own[0];
    }
}

/* The inequalities of contact i for forces r and velocities u, each >= 0: at most two. */
static int conditions(const carom_instant_modes *s, int i, const double *r, const double *u,
                      double c[2])
{
    const carom_instant *f = s->f;
    int k = f->row[i];
    c[0] = r[k];
    switch (s->mode[i]) {
    case CAROM_MODE_OPEN:
        c[0] = u[k];
        return 1;
    case CAROM_MODE_CLOSED:
        return 1;
    case CAROM_MODE_STICK: {
        if (isinf(f->mu_s[i]))
            return 1;
        double unit = 1 / (1 + f->mu_s[i]);
        c[0] = (f->mu_s[i] * r[k] - r[k + 1]) * unit;
        c[1] = (f->mu_s[i] * r[k] + r[k + 1]) * unit;
        return 2;
    }
    default:
        c[1] = s->mode[i] == CAROM_MODE_SLIP_PLUS ? u[k + 1] : -u[k + 1];
        return 2;
    }
}

/* Signs of velocities are relative to q: forces that all but cancel may be as large as they like.
 * Where they are so large that the rounding of W r is more, that is what velocities are known to.
 */
static double velocity_tolerance(const carom_instant *f, const double *r)
{
    return fmax(CAROM_TOLERANCE_SIGN * carom_instant_size(f, NULL),
                CAROM_TOLERANCE_SUM * carom_instant_size(f, r)) +
           f->floor;
}

/* All conditions of the combination hold. *covers: and the velocities alone tell open contacts from
 * closed ones and slip from stick, so that all forces with this motion are of this combination. */
static bool holds(carom_instant_modes *s, const double *r, const double *u, double tol,
                  bool *covers)
{
    const double slow = velocity_tolerance(s->f, r);
    *covers = true;
    s->violation = 0;
    for (int i = 0; i < s->f->p; i++) {
        double c[2];
        int count = conditions(s, i, r, u, c);
        for (int k = 0; k < count; k++) {
            bool velocity =
                s->mode[i] == CAROM_MODE_OPEN || (k == 1 && s->mode[i] != CAROM_MODE_STICK);
            if (!(c[k] >= (velocity ? -slow : -tol)))
                return false;
            s->violation = -c[k] > s->violation ? -c[k] : s->violation;
            if (velocity)
                *covers = *covers && c[k] > 1e3 * tol;
        }
        /* infinite friction carries a tangential force only with a normal one */
        int k = s->f->row[i];
        if (s->mode[i] == CAROM_MODE_STICK && isinf(s->f->mu_s[i]) && r[k] <= tol &&
            fabs(r[k + 1]) > tol)
            return false;
    }
    return true;
}

/* r, u of z, and what they are worth. Returns the tolerance of the conditions. */
static double judge(carom_instant_modes *s, const double *z)
{
    expand(s, z, s->r);
    carom_instant_velocity(s->f, s->r, s->u);
    double tol = CAROM_TOLERANCE_SIGN * carom_instant_size(s->f, s->r) + s->f->floor;
    s->valid = holds(s, s->r, s->u, tol, &s->covers);
    s->covers = s->covers && s->valid;
    return tol;
}

/* The conditions as affine functions of z: c(z) = c0 + C z, by evaluation at unit vectors. */
static int condition_matrix(const carom_instant_modes *s, const double *z0, double *C, double *c0,
                            double *r, double *u, double *z)
{
    const carom_instant *f = s->f;
    int rows = 0, m = s->m;
    for (int column = -1; column < m; column++) {
        for (int k = 0; k < m; k++)
            z[k] = column < 0 ? z0[k] : 0;
        if (column >= 0)
            z[column] = 1;
        expand(s, z, r);
        carom_instant_velocity(f, r, u);
        if (column >= 0)
            for (int k = 0; k < f->N; k++)
                u[k] -= f->q[k];
        rows = 0;
        for (int i = 0; i < f->p; i++) {
            double c[2];
            int count = conditions(s, i, r, u, c);
            for (int k = 0; k < count; k++, rows++)
                *(column < 0 ? c0 + rows : C + rows + (size_t)column * 2 * f->p) = c[k];
        }
    }
    return rows;
}

/* Rank-deficient combination: the shortest r among z0 + kernel that meets the conditions,
 * min |y|^2 with C K y + c0 >= 0, by its dual LCP (C K K'C') l + c0 >= 0, l >= 0. */
static carom_status nearest_in_kernel(carom_instant_modes *s, const double *K, int k, double *z0,
                                      double tol, carom_arena *arena, carom_error *error)
{
    const carom_instant *f = s->f;
    const size_t m = (size_t)s->m, room = 2 * (size_t)f->p, N = (size_t)f->N;
    double *C = carom_arena_doubles(arena, room * (m + (size_t)k + room + 2) + 2 * N + m +
                                               (size_t)f->extra);
    if (!C)
        return carom_error_memory(error);
    double *CK = C + room * m, *Q = CK + room * (size_t)k, *c0 = Q + room * room, *l = c0 + room;
    double *r = l + room, *z = r + N, *u = z + m;
    const int rows = condition_matrix(s, z0, C, c0, r, u, z);
    for (int i = 0; i < rows; i++)
        if (fabs(c0[i]) <= tol)
            c0[i] = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (size_t a = 0; a < m; a++)
                sum += C[(size_t)i + a * room] * K[a + (size_t)j * m];
            CK[(size_t)i + (size_t)j * room] = fabs(sum) > CAROM_TOLERANCE_SOLVED ? sum : 0;
        }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int a = 0; a < k; a++)
                sum += CK[(size_t)i + (size_t)a * room] * CK[(size_t)j + (size_t)a * room];
            Q[i + (size_t)j * (size_t)rows] = sum;
        }
    carom_lcp lcp = {.n = rows, .M = Q, .q = c0, .symmetric = true};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, NULL, arena, l, NULL, &info, error);
    if (status < 0 || info.outcome != CAROM_LCP_SOLVED)
        return status < 0 ? status : CAROM_OK;
    for (int j = 0; j < k; j++) {
        double y = 0;
        for (int i = 0; i < rows; i++)
            y += CK[(size_t)i + (size_t)j * room] * l[i];
        for (size_t a = 0; a < m; a++)
            z0[a] += K[a + (size_t)j * m] * y;
    }
    s->solved = true;
    return CAROM_OK;
}

/* Whether a direction in the kernel changes velocities: W P K != 0. */
static bool kernel_moves(const carom_instant_modes *s, const double *K, int k, double *r, double *u)
{
    for (int j = 0; j < k; j++) {
        expand(s, K + (size_t)j * s->m, r);
        carom_instant_velocity(s->f, r, u);
        for (int i = 0; i < s->f->N + s->f->extra; i++)
            if (fabs(u[i] - (i < s->f->N ? s->f->q[i] : 0)) >
                CAROM_TOLERANCE_HALF * (1 + carom_instant_size(s->f, NULL)))
                return true;
    }
    return false;
}

/* Whether the forces that this combination allows differ in motion. */
static carom_status find_continuum(carom_instant_modes *s, carom_arena *arena, carom_error *error)
{
    const carom_instant *f = s->f;
    const int N = f->N, known = N + f->extra;
    carom_instant_family all;
    carom_status status = carom_instant_forces(f, s->mode, NULL, arena, &all, error);
    double *u = carom_arena_doubles(arena, (size_t)known);
    if (status || !u)
        return status ? status : carom_error_memory(error);
    s->continuum = false;
    for (int k = 0; k < all.corner_count && !s->continuum; k++) {
        const double *r = all.corners + (size_t)k * N;
        carom_instant_velocity(f, r, u);
        carom_dense_axpy(known, -1, s->u, u);
        s->continuum = carom_dense_max(known, u) > CAROM_TOLERANCE_HALF * carom_instant_size(f, r);
    }
    for (int k = 0; k < all.ray_count && !s->continuum; k++) {
        carom_instant_velocity(f, all.rays + (size_t)k * N, u);
        carom_dense_axpy(N, -1, f->q, u);
        s->continuum =
            carom_dense_max(known, u) > CAROM_TOLERANCE_HALF * (1 + carom_instant_size(f, NULL));
    }
    return CAROM_OK;
}

/* A combination whose equations are dependent, or nearly so: with full pivoting the small pivots
 * come last and tell which. Solvable or not, the shortest admissible forces. */
static carom_status solve_singular(carom_instant_modes *s, carom_arena *arena, carom_error *error)
{
    s->solved = false;
    fill_system(s);
    int m = s->m;
    for (int c = 0; c < m; c++) /* columns of unit norm: |z| is |r| */
        for (int e = 0; e < m; e++) {
            double *R = &s->R[e + (size_t)c * m];
            *R /= s->weight[c];
            if (fabs(*R) <= CAROM_TOLERANCE_SOLVED) /* a system of rounding alone has rank 0 */
                *R = 0;
        }
    double *z = carom_arena_doubles(arena, (size_t)m * (size_t)(m + 1) + 2 * (size_t)s->f->N +
                                               (size_t)s->f->extra);
    int *order = carom_arena_array(arena, (size_t)m, sizeof *order);
    if (!z || !order)
        return carom_error_memory(error);
    double *kernel = z + m, *work = kernel + (size_t)m * m;
    double slack = CAROM_TOLERANCE_SAME * carom_instant_size(s->f, NULL) + s->f->floor;
    bool consistent;
    int rank = carom_kernel_solve(m, s->R, s->z, CAROM_TOLERANCE_SOLVED, slack, order, z, kernel,
                                  &consistent);
    if (!consistent)
        return CAROM_OK;
    int k = m - rank;
    s->unique = k == 0;
    for (int c = 0; c < m; c++) {
        z[c] /= s->weight[c];
        for (int j = 0; j < k; j++)
            kernel[c + (size_t)j * m] /= s->weight[c];
    }
    carom_status status = CAROM_OK;
    double tol = judge(s, z); /* mostly the shortest of all will do */
    s->solved = s->valid;
    if (!s->valid) {
        status = nearest_in_kernel(s, kernel, k, z, tol, arena, error);
        if (!status && s->solved)
            judge(s, z);
    }
    if (!status && s->solved && s->valid && kernel_moves(s, kernel, k, work, work + s->f->N))
        status = find_continuum(s, arena, error);
    return status;
}

carom_status carom_instant_modes_try(carom_instant_modes *s, carom_arena *arena, carom_error *error)
{
    s->solved = s->unique = true;
    s->valid = s->covers = s->continuum = false;
    choose_rows(s);
    fill_system(s);
    if (solve_regular(s)) {
        judge(s, s->z);
        return CAROM_OK;
    }
    s->unique = false;
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = solve_singular(s, arena, error);
    carom_arena_rewind(arena, mark);
    return status;
}

carom_status carom_instant_modes_make(const carom_instant *problem, carom_arena *arena,
                                      carom_instant_modes *modes, carom_error *error)
{
    size_t N = (size_t)problem->N;
    *modes = (carom_instant_modes){.f = problem};
    modes->R = carom_arena_doubles(arena, N * (N + 4) + (size_t)problem->extra);
    modes->equation = carom_arena_array(arena, N, sizeof *modes->equation);
    if (!modes->R || !modes->equation)
        return carom_error_memory(error);
    modes->z = modes->R + N * N;
    modes->weight = modes->z + N;
    modes->r = modes->weight + N;
    modes->u = modes->r + N;
    return CAROM_OK;
}
