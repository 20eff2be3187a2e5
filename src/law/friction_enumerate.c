/* Every mode of every contact of a planar frictional impact that friction_tree.c does not rule out:
 * one small linear system each. */
#include "carom/lcp.h"
#include "law/friction.h"
#include "law/friction_tree.h"
#include "linalg/kernel.h"

#include <math.h>
#include <string.h>

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

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
} mode_system;

bool carom_friction_enumerable(const carom_friction *problem)
{
    double combinations = 1;
    for (int i = 0; i < problem->p; i++) {
        unsigned char codes[4];
        if (problem->row[i + 1] - problem->row[i] > 2)
            return false;
        combinations *= carom_friction_tree_modes(problem, i, codes);
        if (combinations > CAROM_FRICTION_ENUMERATE)
            return false;
    }
    return true;
}

/* Slip: x_T = -slope x_N. */
static double slope(const mode_system *s, int i)
{
    return s->code[i] == CAROM_FRICTION_SLIP_PLUS    ? s->f->mu_d[i]
           : s->code[i] == CAROM_FRICTION_SLIP_MINUS ? -s->f->mu_d[i]
                                                     : 0;
}

static void system_rows(mode_system *s)
{
    s->m = 0;
    for (int i = 0; i < s->f->p; i++) {
        int r = s->f->row[i];
        if (s->code[i] == CAROM_FRICTION_OPEN)
            continue;
        s->equation[s->m++] = r;
        if (s->code[i] == CAROM_FRICTION_STICK)
            s->equation[s->m++] = r + 1;
    }
}

static void system_matrix(mode_system *s)
{
    const carom_friction *f = s->f;
    int N = f->N, m = s->m, c = 0;
    for (int i = 0; i < f->p; i++) {
        if (s->code[i] == CAROM_FRICTION_OPEN)
            continue;
        const double *normal = f->A + (size_t)f->row[i] * N, *slip = normal + N;
        double k = slope(s, i);
        double *R = s->R + (size_t)c * m;
        s->weight[c++] = sqrt(1 + k * k);
        for (int e = 0; e < m; e++)
            R[e] = normal[s->equation[e]] - (k != 0 ? k * slip[s->equation[e]] : 0);
        if (s->code[i] == CAROM_FRICTION_STICK) {
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
        if (s->code[i] == CAROM_FRICTION_OPEN)
            continue;
        double *xi = x + f->row[i];
        xi[0] = z[c++];
        if (s->code[i] == CAROM_FRICTION_STICK)
            xi[1] = z[c++];
        else if (s->code[i] != CAROM_FRICTION_CLOSED)
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
    case CAROM_FRICTION_OPEN:
        c[0] = xi[r];
        return 1;
    case CAROM_FRICTION_CLOSED:
        return 1;
    case CAROM_FRICTION_STICK: {
        if (isinf(f->mu_s[i]))
            return 1;
        double unit = 1 / (1 + f->mu_s[i]);
        c[0] = (f->mu_s[i] * x[r] - x[r + 1]) * unit;
        c[1] = (f->mu_s[i] * x[r] + x[r + 1]) * unit;
        return 2;
    }
    default:
        c[1] = s->code[i] == CAROM_FRICTION_SLIP_PLUS ? xi[r + 1] : -xi[r + 1];
        return 2;
    }
}

/* All conditions of the mode hold. *covers: and the velocities alone tell open contacts from closed
 * ones and slip from stick, so that all impulses with these velocities are of this mode. */
static bool valid(const mode_system *s, const double *x, const double *xi, double tol, bool *covers)
{
    *covers = true;
    for (int i = 0; i < s->f->p; i++) {
        double c[2];
        int count = conditions(s, i, x, xi, c);
        for (int k = 0; k < count; k++) {
            if (!(c[k] >= -tol))
                return false;
            bool velocity = k == 1 || s->code[i] == CAROM_FRICTION_OPEN;
            if (velocity && s->code[i] != CAROM_FRICTION_STICK)
                *covers = *covers && c[k] > 1e3 * tol;
        }
        /* infinite friction carries a tangential impulse only with a normal one */
        int r = s->f->row[i];
        if (s->code[i] == CAROM_FRICTION_STICK && isinf(s->f->mu_s[i]) && x[r] <= tol &&
            fabs(x[r + 1]) > tol)
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

/* What became of one combination of modes. */
typedef struct trial {
    double *x, *xi;      /* N */
    bool solved;         /* x, xi satisfy its equations */
    bool valid;          /* and its conditions */
    bool covers;         /* and no other combination has anything to add to these velocities */
    bool unique;         /* its equations are regular */
    bool continuum;      /* they are not, and the velocities vary */
    unsigned char *code; /* p, modes guessed */
} trial;

/* x, xi of z, and what they are worth. Returns the tolerance of the conditions. */
static double judge(const mode_system *s, const double *z, trial *t)
{
    system_expand(s, z, t->x);
    carom_friction_velocity(s->f, t->x, t->xi);
    double tol = sign_tolerance * carom_friction_size(s->f, t->x) + s->f->floor;
    t->valid = valid(s, t->x, t->xi, tol, &t->covers);
    t->covers = t->covers && t->valid;
    return tol;
}

/* A mode whose equations are dependent: solvable or not, the shortest admissible impulse. */
static carom_status solve_singular(mode_system *s, carom_arena *arena, trial *t, carom_error *error)
{
    t->solved = false;
    system_matrix(s);
    int m = s->m;
    for (int c = 0; c < m; c++) /* columns of unit norm: |z| is |x| */
        for (int e = 0; e < m && s->weight[c] != 1; e++)
            s->R[e + (size_t)c * m] /= s->weight[c];
    double *z = carom_arena_doubles(arena, (size_t)m * (size_t)(m + 1) + 2 * (size_t)s->f->N);
    int *order = carom_arena_array(arena, (size_t)m, sizeof *order);
    if (!z || !order)
        return carom_error_memory(error);
    double *kernel = z + m, *work = kernel + (size_t)m * m;
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
    carom_status status = CAROM_OK;
    double tol = judge(s, z, t); /* mostly the shortest of all will do */
    t->solved = t->valid;
    if (!t->valid)
        status = nearest_in_kernel(s, kernel, k, z, tol, arena, &t->solved, error);
    if (status || !t->solved)
        return status;
    if (!t->valid)
        judge(s, z, t);
    t->continuum = kernel_moves(s, kernel, k, work, work + s->f->N);
    return CAROM_OK;
}

static carom_status try_mode(mode_system *s, carom_arena *arena, trial *t, carom_error *error)
{
    t->solved = t->unique = true;
    t->valid = t->covers = t->continuum = false;
    system_rows(s);
    system_matrix(s);
    if (system_solve(s)) {
        judge(s, s->z, t);
        return CAROM_OK;
    }
    t->unique = false;
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = solve_singular(s, arena, t, error);
    carom_arena_rewind(arena, mark);
    return status;
}

static carom_status system_room(const carom_friction *f, carom_arena *arena, mode_system *s,
                                trial *t, carom_error *error)
{
    size_t N = (size_t)f->N;
    s->f = f;
    s->R = carom_arena_doubles(arena, N * (N + 4));
    s->equation = carom_arena_take(arena, N * sizeof *s->equation + (size_t)f->p);
    if (!s->R || !s->equation)
        return carom_error_memory(error);
    t->code = (unsigned char *)(s->equation + N);
    s->z = s->R + N * N;
    s->weight = s->z + N;
    t->x = s->weight + N;
    t->xi = t->x + N;
    return CAROM_OK;
}

/* Guesses are for the complementarity form with one coefficient of friction a contact. */
static bool may_guess(const carom_friction *f)
{
    for (int i = 0; i < f->p; i++)
        if (f->equality[i] || (f->row[i + 1] > f->row[i] + 1 && f->mu_d[i] != f->mu_s[i]))
            return false;
    return true;
}

/* Guess, look where the outcome points to, guess again. *found: an outcome that is proved to be the
 * only one; it is in the list. */
static carom_status pursue(mode_system *s, trial *t, carom_arena *arena,
                           carom_friction_solutions *solutions, bool *found, carom_error *error)
{
    enum { GUESSES = 6 };
    unsigned char *code = t->code;
    *found = false;
    s->code = code;
    carom_friction_guess(s->f, t->xi, code);
    for (int k = 0; k < GUESSES; k++) {
        carom_status status = try_mode(s, arena, t, error);
        if (!status && t->covers) {
            status = carom_friction_unique(s->f, arena, found, error);
            if (!status && *found)
                status = carom_friction_solutions_add(s->f, t->x, code, t->unique, t->continuum,
                                                      arena, solutions, error);
            return status;
        }
        if (status || !t->solved || !carom_friction_guess_again(s->f, t->x, t->xi, code))
            return status;
    }
    return CAROM_OK;
}

carom_status carom_friction_enumerate(const carom_friction *problem, carom_arena *arena,
                                      carom_friction_solutions *solutions, carom_error *error)
{
    const carom_friction *f = problem;
    carom_friction_tree tree = {.code = NULL};
    mode_system s;
    trial t;
    bool found = false;
    carom_status status = system_room(f, arena, &s, &t, error);
    if (!status && may_guess(f))
        status = pursue(&s, &t, arena, solutions, &found, error);
    if (!status && !found)
        status = carom_friction_tree_make(f, arena, &tree, error);
    s.code = tree.code;
    while (!status && !found && carom_friction_tree_next(&tree)) {
        status = try_mode(&s, arena, &t, error);
        if (status || !t.solved)
            continue;
        if (t.valid)
            status = carom_friction_solutions_add(f, t.x, s.code, t.unique, t.continuum, arena,
                                                  solutions, error);
        else
            note_pull(&s, t.x, solutions);
    }
    solutions->complete = !status;
    return status;
}
