/* Every mode of every contact of a planar frictional impact: one small linear system each. */
#include "base/arena.h"
#include "carom/lcp.h"
#include "law/friction.h"
#include "linalg/kernel.h"

#include <math.h>
#include <string.h>

enum { OPEN, CLOSED, STICK, SLIP_PLUS, SLIP_MINUS };

static const double sign_tolerance = 1e-10; /* of conditions, relative to the size of b and x */
static const double rank_tolerance = 1e-11; /* A has entries up to 1 */

/* One combination of modes: its unknowns z with x = P z, and its equations. */
typedef struct mode_system {
    const carom_friction *f;
    const unsigned char *code; /* p */
    int m;
    int *equation;  /* m rows of A */
    double *R, *z;  /* m x m, m */
    double *weight; /* m, norm of the column of P */
    int *pivot;     /* m */
} mode_system;

static int modes_allowed(const carom_friction *f, int i, unsigned char *codes)
{
    int count = 0;
    if (!f->equality[i])
        codes[count++] = OPEN;
    if (f->row[i + 1] - f->row[i] == 1) {
        codes[count++] = CLOSED;
        return count;
    }
    codes[count++] = STICK;
    if (isfinite(f->mu_d[i])) {
        codes[count++] = SLIP_PLUS;
        codes[count++] = SLIP_MINUS;
    }
    return count;
}

bool carom_friction_enumerable(const carom_friction *problem)
{
    double combinations = 1;
    for (int i = 0; i < problem->p; i++) {
        unsigned char codes[4];
        if (problem->row[i + 1] - problem->row[i] > 2)
            return false;
        combinations *= modes_allowed(problem, i, codes);
        if (combinations > CAROM_FRICTION_ENUMERATE)
            return false;
    }
    return true;
}

/* Slip: x_T = -slope x_N. */
static double slope(const mode_system *s, int i)
{
    return s->code[i] == SLIP_PLUS ? s->f->mu_d[i] : s->code[i] == SLIP_MINUS ? -s->f->mu_d[i] : 0;
}

static void system_rows(mode_system *s)
{
    s->m = 0;
    for (int i = 0; i < s->f->p; i++) {
        int r = s->f->row[i];
        if (s->code[i] == OPEN)
            continue;
        s->equation[s->m++] = r;
        if (s->code[i] == STICK)
            s->equation[s->m++] = r + 1;
    }
}

static void system_matrix(mode_system *s)
{
    const carom_friction *f = s->f;
    int N = f->N, m = s->m, c = 0;
    for (int i = 0; i < f->p; i++) {
        if (s->code[i] == OPEN)
            continue;
        const double *normal = f->A + (size_t)f->row[i] * N, *slip = normal + N;
        double k = slope(s, i);
        double *R = s->R + (size_t)c * m;
        s->weight[c++] = sqrt(1 + k * k);
        for (int e = 0; e < m; e++)
            R[e] = normal[s->equation[e]] - (k != 0 ? k * slip[s->equation[e]] : 0);
        if (s->code[i] == STICK) {
            s->weight[c++] = 1;
            for (int e = 0; e < m; e++)
                R[m + e] = slip[s->equation[e]];
        }
    }
    for (int e = 0; e < m; e++)
        s->z[e] = -f->b[s->equation[e]];
}

/* Gaussian elimination with row pivoting; false when a pivot is negligible. */
static bool system_solve(mode_system *s)
{
    int m = s->m;
    double *R = s->R, *z = s->z;
    for (int j = 0; j < m; j++) {
        int best = j;
        for (int i = j + 1; i < m; i++)
            if (fabs(R[i + j * m]) > fabs(R[best + j * m]))
                best = i;
        if (!(fabs(R[best + j * m]) > rank_tolerance * fmax(1, s->weight[j])))
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

/* x = P z. */
static void system_expand(const mode_system *s, const double *z, double *x)
{
    const carom_friction *f = s->f;
    memset(x, 0, sizeof *x * (size_t)f->N);
    for (int i = 0, c = 0; i < f->p; i++) {
        if (s->code[i] == OPEN)
            continue;
        double *xi = x + f->row[i];
        xi[0] = z[c++];
        if (s->code[i] == STICK)
            xi[1] = z[c++];
        else if (s->code[i] != CLOSED)
            xi[1] = -slope(s, i) * xi[0];
    }
}

/* The inequalities of contact i for a point x with velocities xi, each >= 0: at most two. */
static int conditions(const mode_system *s, int i, const double *x, const double *xi, double c[2])
{
    const carom_friction *f = s->f;
    int r = f->row[i];
    c[0] = x[r];
    switch (s->code[i]) {
    case OPEN:
        c[0] = xi[r];
        return 1;
    case CLOSED:
        return 1;
    case STICK: {
        if (isinf(f->mu_s[i]))
            return 1;
        double unit = 1 / (1 + f->mu_s[i]);
        c[0] = (f->mu_s[i] * x[r] - x[r + 1]) * unit;
        c[1] = (f->mu_s[i] * x[r] + x[r + 1]) * unit;
        return 2;
    }
    default:
        c[1] = s->code[i] == SLIP_PLUS ? xi[r + 1] : -xi[r + 1];
        return 2;
    }
}

/* All conditions of the mode hold. Otherwise *fault is the contact that fails most, *pull its
 * normal impulse when that is negative. */
static bool valid(const mode_system *s, const double *x, const double *xi, double tol)
{
    for (int i = 0; i < s->f->p; i++) {
        double c[2];
        int count = conditions(s, i, x, xi, c);
        for (int k = 0; k < count; k++)
            if (!(c[k] >= -tol))
                return false;
        /* infinite friction carries a tangential impulse only with a normal one */
        int r = s->f->row[i];
        if (s->code[i] == STICK && isinf(s->f->mu_s[i]) && x[r] <= tol && fabs(x[r + 1]) > tol)
            return false;
    }
    return true;
}

/* Equality form: remember the candidate whose only fault is that a contact would have to pull. */
static void note_pull(const mode_system *s, const double *x, carom_friction_solutions *solutions)
{
    int worst = -1;
    for (int i = 0; i < s->f->p; i++)
        if (s->f->equality[i] && (worst < 0 || x[s->f->row[i]] < x[s->f->row[worst]]))
            worst = i;
    if (worst < 0 || x[s->f->row[worst]] >= 0)
        return;
    double pull = x[s->f->row[worst]] / s->f->scale[s->f->row[worst]];
    if (solutions->near_contact < 0 || pull > solutions->near_miss) {
        solutions->near_miss = pull;
        solutions->near_contact = s->f->contact[worst];
    }
}

/* The conditions as affine functions of z: c(z) = c0 + C z, by evaluation at unit vectors. */
static int condition_matrix(const mode_system *s, const double *z0, double *C, double *c0,
                            double *x, double *xi, double *z)
{
    const carom_friction *f = s->f;
    int rows = 0, m = s->m;
    for (int column = -1; column < m; column++) {
        for (int k = 0; k < m; k++)
            z[k] = column < 0 ? z0[k] : 0;
        if (column >= 0)
            z[column] = 1;
        system_expand(s, z, x);
        carom_friction_velocity(f, x, xi);
        if (column >= 0)
            for (int k = 0; k < f->N; k++)
                xi[k] -= f->b[k];
        rows = 0;
        for (int i = 0; i < f->p; i++) {
            double c[2];
            int count = conditions(s, i, x, xi, c);
            for (int k = 0; k < count; k++, rows++)
                *(column < 0 ? c0 + rows : C + rows + (size_t)column * 2 * f->p) = c[k];
        }
    }
    return rows;
}

/* Rank-deficient mode: the shortest x among z0 + kernel that meets the conditions,
 * min |y|^2 with C K y + c0 >= 0, by its dual LCP (C K K'C') l + c0 >= 0, l >= 0. */
static carom_status nearest_in_kernel(mode_system *s, const double *K, int k, double *z0,
                                      double tol, carom_arena *arena, bool *feasible,
                                      carom_error *error)
{
    const carom_friction *f = s->f;
    int m = s->m, room = 2 * f->p;
    double *C = carom_arena_doubles(arena, (size_t)room * m),
           *c0 = carom_arena_doubles(arena, room);
    double *CK = carom_arena_doubles(arena, (size_t)room * k);
    double *Q = carom_arena_doubles(arena, (size_t)room * room);
    double *l = carom_arena_doubles(arena, room);
    double *x = carom_arena_doubles(arena, f->N), *xi = carom_arena_doubles(arena, f->N);
    double *z = carom_arena_doubles(arena, m);
    if (!C || !c0 || !CK || !Q || !l || !x || !xi || !z)
        return carom_error_memory(error);
    int rows = condition_matrix(s, z0, C, c0, x, xi, z);
    bool good = true;
    for (int i = 0; i < rows; i++) {
        if (fabs(c0[i]) <= tol)
            c0[i] = 0;
        good = good && c0[i] >= 0;
    }
    *feasible = good;
    if (good)
        return CAROM_OK; /* z0 itself, the shortest of all */
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int a = 0; a < m; a++)
                sum += C[i + (size_t)a * room] * K[a + (size_t)j * m];
            CK[i + (size_t)j * room] = fabs(sum) > rank_tolerance ? sum : 0;
        }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int a = 0; a < k; a++)
                sum += CK[i + (size_t)a * room] * CK[j + (size_t)a * room];
            Q[i + (size_t)j * rows] = sum;
        }
    carom_lcp lcp = {.n = rows, .M = Q, .q = c0, .symmetric = true};
    carom_lcp_info info;
    carom_status status = carom_lcp_solve(&lcp, NULL, arena, l, NULL, &info, error);
    if (status < 0 || info.outcome != CAROM_LCP_SOLVED)
        return status < 0 ? status : CAROM_OK;
    for (int j = 0; j < k; j++) {
        double y = 0;
        for (int i = 0; i < rows; i++)
            y += CK[i + (size_t)j * room] * l[i];
        for (int a = 0; a < m; a++)
            z0[a] += K[a + (size_t)j * m] * y;
    }
    *feasible = true;
    return CAROM_OK;
}

/* Whether a direction in the kernel changes velocities: A P K != 0. */
static bool kernel_moves(const mode_system *s, const double *K, int k, double *x, double *xi)
{
    for (int j = 0; j < k; j++) {
        system_expand(s, K + (size_t)j * s->m, x);
        carom_friction_velocity(s->f, x, xi);
        for (int i = 0; i < s->f->N; i++)
            if (fabs(xi[i] - s->f->b[i]) > 1e-8 * (1 + carom_friction_size(s->f, NULL)))
                return true;
    }
    return false;
}

/* A mode whose equations are dependent: solvable or not, the shortest admissible impulse. */
static carom_status solve_singular(mode_system *s, carom_arena *arena, double *x, double *xi,
                                   bool *found, bool *continuum, carom_error *error)
{
    *found = false;
    system_matrix(s);
    int m = s->m;
    for (int c = 0; c < m; c++) /* columns of unit norm: |z| is |x| */
        for (int e = 0; e < m; e++)
            s->R[e + (size_t)c * m] /= s->weight[c];
    double *z = carom_arena_doubles(arena, m), *kernel = carom_arena_doubles(arena, (size_t)m * m);
    int *order = carom_arena_array(arena, (size_t)m, sizeof *order);
    if (!z || !kernel || !order)
        return carom_error_memory(error);
    double slack = 1e-9 * carom_friction_size(s->f, NULL) + s->f->floor;
    bool consistent;
    int rank =
        carom_kernel_solve(m, s->R, s->z, rank_tolerance, slack, order, z, kernel, &consistent);
    if (!consistent)
        return CAROM_OK;
    int k = m - rank;
    for (int c = 0; c < m; c++) {
        z[c] /= s->weight[c];
        for (int j = 0; j < k; j++)
            kernel[c + (size_t)j * m] /= s->weight[c];
    }
    system_expand(s, z, x);
    double tol = sign_tolerance * carom_friction_size(s->f, x) + s->f->floor;
    carom_status status = nearest_in_kernel(s, kernel, k, z, tol, arena, found, error);
    if (status || !*found)
        return status;
    *continuum = kernel_moves(s, kernel, k, x, xi);
    system_expand(s, z, x);
    return CAROM_OK;
}

/* Solve one combination of modes and keep it when it is valid. */
static carom_status try_mode(mode_system *s, double *x, double *xi, carom_arena *arena,
                             carom_friction_solutions *solutions, carom_error *error)
{
    const carom_friction *f = s->f;
    bool unique = true, continuum = false;
    system_rows(s);
    system_matrix(s);
    if (system_solve(s)) {
        system_expand(s, s->z, x);
    } else {
        carom_mark mark = carom_arena_mark(arena);
        carom_status status = solve_singular(s, arena, x, xi, &unique, &continuum, error);
        carom_arena_rewind(arena, mark);
        if (status || !unique)
            return status;
        unique = false;
    }
    carom_friction_velocity(f, x, xi);
    double tol = sign_tolerance * carom_friction_size(f, x) + f->floor;
    if (valid(s, x, xi, tol))
        return carom_friction_solutions_add(f, x, s->code, unique, continuum, arena, solutions,
                                            error);
    note_pull(s, x, solutions);
    return CAROM_OK;
}

/* Next combination; false after the last. */
static bool advance(int p, const unsigned char (*allowed)[4], const int *count, int *digit,
                    unsigned char *code)
{
    for (int i = p - 1; i >= 0; i--) {
        if (++digit[i] < count[i]) {
            code[i] = allowed[i][digit[i]];
            return true;
        }
        digit[i] = 0;
        code[i] = allowed[i][0];
    }
    return false;
}

carom_status carom_friction_enumerate(const carom_friction *problem, carom_arena *arena,
                                      carom_friction_solutions *solutions, carom_error *error)
{
    int p = problem->p, N = problem->N;
    unsigned char(*allowed)[4] = carom_arena_array(arena, p, sizeof *allowed);
    int *count = carom_arena_array(arena, p, sizeof *count);
    int *digit = carom_arena_zeros(arena, p, sizeof *digit);
    unsigned char *code = carom_arena_array(arena, p, 1);
    double *x = carom_arena_doubles(arena, N), *xi = carom_arena_doubles(arena, N);
    mode_system s = {.f = problem, .code = code};
    s.equation = carom_arena_array(arena, N, sizeof *s.equation);
    s.R = carom_arena_doubles(arena, (size_t)N * N);
    s.z = carom_arena_doubles(arena, N);
    s.weight = carom_arena_doubles(arena, N);
    if (!allowed || !count || !digit || !code || !x || !xi || !s.equation || !s.R || !s.z ||
        !s.weight)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++) {
        count[i] = modes_allowed(problem, i, allowed[i]);
        code[i] = allowed[i][0];
    }
    do {
        carom_status status = try_mode(&s, x, xi, arena, solutions, error);
        if (status)
            return status;
    } while (advance(p, (const unsigned char(*)[4])allowed, count, digit, code));
    solutions->complete = true;
    return CAROM_OK;
}
