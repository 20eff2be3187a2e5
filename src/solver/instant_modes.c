/* One combination of modes of contacts at one instant (docs/theory/instant.md, "One combination").
 */
#include "solver/instant_equations.h"
#include "solver/instant_wide.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/kernel.h"
#include "solver/instant_nearest.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/short_loops.h"

double carom_instant_modes_slope(const carom_instant_modes *s, int i)
{
    return s->mode[i] == CAROM_MODE_SLIP_PLUS    ? s->f->mu_d[i]
           : s->mode[i] == CAROM_MODE_SLIP_MINUS ? -s->f->mu_d[i]
                                                 : 0;
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
            own[1] = -carom_instant_modes_slope(s, i) * own[0];
    }
}

int carom_instant_modes_conditions(const carom_instant_modes *s, int i, const double *r,
                                   const double *u, double c[CAROM_INSTANT_CONDITIONS])
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
        double unit = 1 / (1 + f->mu_s[i]); /* narrow cones say little of the normal force */
        c[1] = (f->mu_s[i] * r[k] - r[k + 1]) * unit;
        c[2] = (f->mu_s[i] * r[k] + r[k + 1]) * unit;
        return 3;
    }
    default: /* a pull comes with its friction, which moves light bodies more */
        c[0] = r[k] * (1 + f->mu_d[i]);
        c[1] = s->mode[i] == CAROM_MODE_SLIP_PLUS ? u[k + 1] : -u[k + 1];
        return 2;
    }
}

/* Signs of velocities are relative to q: forces that all but cancel may be as large as they like.
 * Where they are so large that the rounding of W r is more, that is what velocities are known to.
 */
static double velocity_tolerance(const carom_instant *f, double size)
{
    const double sign = CAROM_TOLERANCE_SIGN * carom_instant_size(f, NULL);
    const double rounding = CAROM_TOLERANCE_SUM * size;
    return (sign > rounding ? sign : rounding) + f->floor;
}

double carom_instant_modes_zero(const carom_instant_modes *s, int i, int k, double tol,
                                bool *velocity)
{
    const bool slips = s->mode[i] == CAROM_MODE_SLIP_PLUS || s->mode[i] == CAROM_MODE_SLIP_MINUS;
    *velocity = s->mode[i] == CAROM_MODE_OPEN || (k == 1 && slips);
    return *velocity ? s->near[s->f->row[i] + k] : tol;
}

/* All conditions of the combination hold. *covers: and the velocities alone tell open contacts from
 * closed ones and slip from stick, so that all forces with this motion are of this combination. */
static bool holds(carom_instant_modes *s, const double *r, const double *u, double tol,
                  bool *covers)
{
    *covers = true;
    s->violation = 0;
    for (int i = 0; i < s->f->p; i++) {
        double c[CAROM_INSTANT_CONDITIONS];
        int count = carom_instant_modes_conditions(s, i, r, u, c);
        for (int k = 0; k < count; k++) {
            bool velocity;
            const double zero = carom_instant_modes_zero(s, i, k, tol, &velocity);
            if (!(c[k] >= -zero))
                return false;
            s->violation = -c[k] > s->violation ? -c[k] : s->violation;
            if (velocity)
                *covers = *covers && c[k] > 1e3 * (s->y ? zero : tol);
        }
        /* infinite friction carries a tangential force only with a normal one */
        int k = s->f->row[i];
        if (s->mode[i] == CAROM_MODE_STICK && isinf(s->f->mu_s[i]) && r[k] <= tol &&
            fabs(r[k + 1]) > tol)
            return false;
    }
    return true;
}

/* r, u of z, and what they are worth. Returns the tolerance of forces. Where rows are known this is
 * a first look, which forgives the rounding of R in r and u. */
static double judge(carom_instant_modes *s, const double *z)
{
    const carom_instant *f = s->f;
    expand(s, z, s->r);
    carom_instant_velocity(f, s->r, s->u);
    const double size = carom_instant_size(f, s->r);
    const double off = f->rows ? CAROM_TOLERANCE_SUM * size / s->pivot : 0;
    const double tol = CAROM_TOLERANCE_SIGN * size + f->floor + off;
    const double slow = velocity_tolerance(f, size) + off;
    for (int k = 0; k < f->N + f->extra; k++) {
        s->size[k] = size;
        s->near[k] = slow;
    }
    s->valid = holds(s, s->r, s->u, tol, &s->covers);
    s->covers = s->covers && s->valid;
    return tol;
}

/* The sizes of the terms that each velocity is the sum of, with those of the forces: |S^-1
 * J|'|Y||f|, N numbers. What the motion y of a body is the difference of is not in y. Forces are
 * known beside the largest, to the part `haze` of it. */
static void sum_terms(carom_instant_modes *s, double haze, double *terms)
{
    const struct carom_instant_rows *rows = s->f->rows;
    const doubled *force = s->exact + s->f->N;
    const double least = haze / CAROM_TOLERANCE_SAME * carom_dense_max(s->f->N, s->r);
    memset(s->terms, 0, sizeof *s->terms * (size_t)rows->n);
    for (int k = 0; k < s->f->N; k++) {
        const double size = fabs(force[k].hi) + (force[k].hi != 0 ? least / rows->scale[k] : 0);
        for (int j = 0; j < rows->n && size > 0; j++)
            s->terms[j] += fabs(rows->Y[k][j]) * size;
    }
    for (int k = 0; k < s->f->N; k++) {
        terms[k] = 0;
        for (int j = 0; j < rows->n; j++)
            terms[k] += fabs(rows->J[k][j]) * s->terms[j];
        terms[k] /= rows->scale[k];
    }
}

/* A force is known to `haze`, and no better than the rounding of rows and masses, of the largest
 * velocity that an equation is made of (W has ones on its diagonal): one that is zero is found to
 * be that much, and moves its bodies. */
static void sum_unknown(carom_instant_modes *s, double haze)
{
    double largest = carom_dense_max(s->f->N, s->r);
    for (int e = 0; e < s->m; e++)
        largest = fmax(largest, s->size[s->equation[e]]);
    carom_instant_rows_unknown(s->f, s->r, fmax(haze, CAROM_TOLERANCE_SUM) * largest, s->unknown);
}

double carom_instant_modes_judge(carom_instant_modes *s, double haze)
{
    const carom_instant *f = s->f;
    const double tol = CAROM_TOLERANCE_SIGN * carom_instant_size(f, s->r);
    sum_unknown(s, haze);
    sum_terms(s, haze, s->near);
    for (int k = 0; k < f->N; k++) {
        const double unknown = haze * s->near[k];
        s->near[k] = CAROM_TOLERANCE_SIGN * s->size[k] + f->rows->dust[k] + unknown;
        s->size[k] += unknown / CAROM_TOLERANCE_SAME;
    }
    double missed = 0; /* equations may be, too: dependent ones that are all but consistent */
    s->solved = true;
    for (int e = 0; e < s->m; e++) {
        const int k = s->equation[e];
        const double off = fabs(s->u[k]), dust = f->rows->dust[k];
        s->solved = s->solved && off <= CAROM_TOLERANCE_SAME * s->size[k] + dust;
        if (off > DBL_EPSILON * s->size[k] + dust)
            missed = fmax(missed, off);
    }
    s->valid = s->solved && holds(s, s->r, s->u, tol, &s->covers);
    s->violation = fmax(s->violation, missed);
    s->covers = s->covers && s->valid;
    return tol;
}

/* The conditions as affine functions of changes dz: c0 + C dz; c0 of r, u at hand, zero where it
 * may be. C by evaluation at unit vectors. */
static int condition_matrix(const carom_instant_modes *s, double tol, double *C, double *c0,
                            double *r, double *u, double *z)
{
    const carom_instant *f = s->f;
    int rows = 0, m = s->m;
    for (int column = -1; column < m; column++) {
        memset(z, 0, sizeof *z * (size_t)m);
        if (column >= 0) {
            z[column] = 1;
            expand(s, z, r);
            carom_instant_velocity(f, r, u);
            carom_dense_axpy(f->N, -1, f->q, u);
        }
        rows = 0;
        for (int i = 0; i < f->p; i++) {
            double c[CAROM_INSTANT_CONDITIONS];
            const bool first = column < 0;
            int count = carom_instant_modes_conditions(s, i, first ? s->r : r, first ? s->u : u, c);
            for (int k = 0; k < count; k++, rows++) {
                bool velocity;
                if (!first)
                    C[rows + (size_t)column * CAROM_INSTANT_CONDITIONS * (size_t)f->p] = c[k];
                else
                    c0[rows] =
                        fabs(c[k]) <= carom_instant_modes_zero(s, i, k, tol, &velocity) ? 0 : c[k];
            }
        }
    }
    return rows;
}

/* Rank-deficient combination: the shortest r among z0 + kernel that meets the conditions; z0 is
 * moved there and judged. */
static carom_status nearest_in_kernel(carom_instant_modes *s, const double *K, int k, double *z0,
                                      double tol, carom_arena *arena, carom_error *error)
{
    const carom_instant *f = s->f;
    const size_t m = (size_t)s->m, room = CAROM_INSTANT_CONDITIONS * (size_t)f->p, N = (size_t)f->N;
    double *C = carom_arena_doubles(arena, room * (m + (size_t)k + 1) + 2 * N + m +
                                               (size_t)f->extra + 2 * (size_t)k);
    if (!C)
        return carom_error_memory(error);
    double *CK = C + room * m, *c0 = CK + room * (size_t)k, *y = c0 + room;
    double *r = y + k, *z = r + N, *u = z + m;
    const int rows = condition_matrix(s, tol, C, c0, r, u, z);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (size_t a = 0; a < m; a++)
                sum += C[(size_t)i + a * room] * K[a + (size_t)j * m];
            CK[(size_t)i + (size_t)j * room] = fabs(sum) > CAROM_TOLERANCE_SOLVED ? sum : 0;
        }
    double *taken = u + f->N + f->extra;
    carom_status status = CAROM_OK;
    memset(taken, 0, sizeof *taken * (size_t)k);
    const double size = carom_instant_size(f, s->r);
    bool more = true;
    for (double lift = 0; more && !s->valid && !status; lift = lift > 0 ? lift / 4 : size) {
        more = carom_instant_nearest_lift(s, lift, c0) && (lift == 0 || lift > tol);
        status = carom_instant_nearest_find(rows, k, CK, room, c0, arena, y, &s->solved, error);
        carom_instant_nearest_lift(s, -lift, c0);
        for (int j = 0; j < k && s->solved; j++)
            for (size_t a = 0; a < m; a++)
                z0[a] += K[a + (size_t)j * m] * (y[j] - taken[j]);
        if (s->solved) {
            carom_dense_copy(k, y, taken);
            judge(s, z0);
        }
    }
    s->solved = s->valid;
    return status;
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

int carom_instant_modes_shortest(carom_instant_modes *s, const double *u, double slack, double *z,
                                 bool *consistent)
{
    const double zero = s->f->rows ? CAROM_TOLERANCE_RANK : CAROM_TOLERANCE_SOLVED;
    const int m = s->m;
    carom_instant_equations_fill(s, u);
    for (int c = 0; c < m; c++) /* columns of unit norm: |z| is |r| */
        for (int e = 0; e < m; e++) {
            double *R = &s->R[e + (size_t)c * m];
            *R /= s->weight[c];
            if (fabs(*R) <= zero) /* a system of rounding alone has rank 0 */
                *R = 0;
        }
    const int rank =
        carom_kernel_solve(m, s->R, s->z, zero, slack, s->order, z, s->kernel, consistent);
    for (int c = 0; c < m && *consistent; c++) {
        z[c] /= s->weight[c];
        for (int j = 0; j < m - rank; j++)
            s->kernel[c + (size_t)j * m] /= s->weight[c];
    }
    return rank;
}

/* A combination whose equations are dependent, or nearly so: with full pivoting the small pivots
 * come last and tell which. Solvable or not, the shortest admissible forces. */
static carom_status solve_singular(carom_instant_modes *s, carom_arena *arena, carom_error *error)
{
    const carom_instant *f = s->f;
    const int m = s->m;
    s->solved = false;
    double *z = carom_arena_doubles(arena, (size_t)m * (size_t)(m + 1) + 2 * (size_t)f->N +
                                               (size_t)f->extra);
    if (!z)
        return carom_error_memory(error);
    double *kernel = z + m, *work = kernel + (size_t)m * m;
    double slack = CAROM_TOLERANCE_SAME * carom_instant_size(f, NULL) + f->floor;
    bool consistent;
    const int k = m - carom_instant_modes_shortest(s, f->q, slack, z, &consistent);
    if (!consistent)
        return CAROM_OK;
    carom_dense_copy(m * k, s->kernel, kernel);
    s->unique = k == 0;
    carom_status status = CAROM_OK;
    double tol = judge(s, z); /* mostly the shortest of all will do */
    s->solved = s->valid;
    if (!s->valid)
        status = nearest_in_kernel(s, kernel, k, z, tol, arena, error);
    if (!status && s->solved && s->valid && kernel_moves(s, kernel, k, work, work + f->N))
        status = find_continuum(s, arena, error);
    return status;
}

carom_status carom_instant_modes_try(carom_instant_modes *s, carom_arena *arena, carom_error *error)
{
    s->solved = true;
    s->valid = s->covers = s->continuum = false;
    carom_instant_equations_choose(s);
    const bool shared = carom_instant_equations_share(s); /* regular they are not */
    if (!shared)
        carom_instant_equations_fill(s, s->f->q);
    s->unique = !shared && carom_instant_equations_solve(s, s->m);
    if (s->unique || (shared && carom_instant_equations_solve_shared(s, s->f->q))) {
        judge(s, s->z);
        if (s->valid && s->f->rows && (s->covers || !s->guessed))
            carom_instant_modes_judge(s, carom_instant_rows_settle(s, s->z));
        if (s->unique || s->valid)
            return CAROM_OK;
    }
    carom_mark mark = carom_arena_mark(arena);
    carom_status status =
        s->f->rows ? carom_instant_wide_solve(s, arena, error) : solve_singular(s, arena, error);
    carom_arena_rewind(arena, mark);
    return status;
}

carom_status carom_instant_modes_make(const carom_instant *problem, carom_arena *arena,
                                      carom_instant_modes *modes, carom_error *error)
{
    const struct carom_instant_rows *rows = problem->rows;
    const size_t N = (size_t)problem->N, known = N + (size_t)problem->extra;
    const size_t n = rows ? (size_t)rows->n : 0;
    *modes = (carom_instant_modes){.f = problem};
    modes->R = carom_arena_doubles(arena, N * (2 * N + 4) + 3 * known + 3 * n);
    modes->equation = carom_arena_array(arena, 3 * N, sizeof *modes->equation);
    modes->exact = rows ? carom_arena_array(arena, 2 * N + n, sizeof *modes->exact) : NULL;
    if (!modes->R || !modes->equation || (rows && !modes->exact))
        return carom_error_memory(error);
    modes->order = modes->equation + N;
    modes->kernel = modes->R + N * N;
    modes->z = modes->kernel + N * N;
    modes->weight = modes->z + N;
    modes->r = modes->weight + N;
    modes->u = modes->r + N;
    modes->size = modes->u + known;
    modes->near = modes->size + known;
    modes->y = rows ? modes->near + known : NULL;
    modes->terms = rows ? modes->y + n : NULL;
    modes->unknown = rows ? modes->terms + n : NULL;
    modes->twin = rows ? carom_instant_equations_twins(problem, modes->order + N) : NULL;
    return rows ? carom_instant_wide_make(modes, arena, error) : CAROM_OK;
}
