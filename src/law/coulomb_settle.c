/* A frictional impact settled on the rows of its bodies, in doubled precision
 * (docs/theory/coulomb.md, "Accuracy").
 *
 * A = J'M_c^-1 J squares the condition of the rows J, and beside light bodies it has lost what
 * tells a solution from its neighbours. Here velocities come from the motion of the bodies,
 * Newton's method on the modes is solved with matrices of twice the digits, and modes whose
 * conditions fail beyond rounding are exchanged. Unknowns are all impulses x of the contacts that
 * are not open; the equations of slip are polynomials in them, x_T x xi_T = 0,   |x_T|^2 = mu^2
 * x_N^2. */
#include "law/coulomb.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/wide.h"
#include "solver/instant_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/short_loops.h"

enum {
    LARGEST = CAROM_COULOMB_SETTLED,
    PASSES = 40,
    EXCHANGES = 8
}; /* a double root gains two bits a pass */

static const double UNITS = 16; /* of rounding, that a velocity which is zero may keep */

/* Units of rounding that the unknowns may be off: what is left of the equations over the least
 * pivot. They are 2^-36 of the largest terms. */
static const double KNOWN = 0x1p16;

/* A pivot beside the first that twice the digits still tell from rounding. */
static const double DEEPEST = 1024 * DOUBLED_UNIT;

typedef struct settling {
    const carom_coulomb *f;
    carom_instant instant;
    struct carom_instant_rows rows;
    carom_mode *mode;                 /* p */
    int m, *unknown, *column, *pivot; /* m: the row of an unknown; N: its inverse; m: elimination */
    doubled *force, *y;               /* N, S^-1 x; n, the motion of the bodies */
    doubled *A, *K;                   /* N x N; m x (m + 1), the last column the right-hand side */
    double *x, *xi, *size;            /* N */
    bool filled;                      /* A is known */
    double regular;                   /* least pivot of the equations, beside the first */
} settling;

static bool make_room(const carom_coulomb *f, carom_arena *arena, settling *w)
{
    const size_t N = (size_t)f->N, n = (size_t)f->n;
    w->f = f;
    w->instant = carom_coulomb_instant(f, &w->rows);
    w->mode = carom_arena_array(arena, (size_t)f->p, sizeof *w->mode);
    w->unknown = carom_arena_array(arena, 3 * N, sizeof *w->unknown);
    w->force = carom_arena_array(arena, N + n + N * N + N * (N + 1), sizeof *w->force);
    w->x = carom_arena_doubles(arena, 3 * N);
    if (!w->mode || !w->unknown || !w->force || !w->x)
        return false;
    w->column = w->unknown + N;
    w->pivot = w->column + N;
    w->y = w->force + N;
    w->A = w->y + n;
    w->K = w->A + N * N;
    w->xi = w->x + N;
    w->size = w->xi + N;
    w->filled = false;
    return true;
}

/* A = S^-1 J'Y S^-1, where it is needed: most impacts are settled as they come. */
static void fill_matrix(settling *w)
{
    if (!w->filled)
        carom_instant_rows_gram(&w->rows, w->f->N, w->A);
    w->filled = true;
}

static bool is_slip(carom_mode mode)
{
    return mode >= CAROM_MODE_SLIP_PLUS;
}

/* |x_T| of contact i. */
static double friction(const settling *w, int i)
{
    const double *t = w->x + w->f->row[i] + 1;
    const int s = w->f->row[i + 1] - w->f->row[i] - 1;
    return s == 2 ? hypot(t[0], t[1]) : s == 1 ? fabs(t[0]) : 0;
}

/* What rounding leaves of a velocity of row k that is zero. */
static double rounding(const settling *w, int k)
{
    return DBL_EPSILON * w->size[k] + w->f->dust[k];
}

/* The slip of contact i across its friction, and along it. */
static void split_slip(const settling *w, int i, double *across, double *along)
{
    const int r = w->f->row[i] + 1;
    const double *x = w->x + r, *xi = w->xi + r, force = friction(w, i);
    *across = force > 0 ? (x[0] * xi[1] - x[1] * xi[0]) / force : hypot(xi[0], xi[1]);
    *along = force > 0 ? (x[0] * xi[0] + x[1] * xi[1]) / force : 0;
}

/* How far the friction force of contact i is outside its cone, mu given as it is: in units of x. */
static double cone_excess(const settling *w, int i)
{
    const carom_coulomb *f = w->f;
    const int r = f->row[i];
    const doubled *F = w->force + r, limit = doubled_scale(F[0], f->mu[i]);
    doubled squares = doubled_negate(doubled_multiply(limit, limit));
    for (int k = 1; k < f->row[i + 1] - r; k++)
        squares = doubled_add(squares, doubled_multiply(F[k], F[k]));
    const double force = friction(w, i) / f->scale[r + 1];
    return force > 0 ? squares.hi / (2 * force) * f->scale[r + 1] : 0;
}

/* Motion and velocities of the forces; returns the largest equation of the modes in units of its
 * rounding. */
static double evaluate(settling *w)
{
    const carom_coulomb *f = w->f;
    double worst = 0;
    carom_instant_rows_motion(&w->instant, w->force, w->y, w->xi, w->size);
    for (int k = 0; k < f->N; k++)
        w->x[k] = w->force[k].hi * f->scale[k];
    for (int i = 0; i < f->p; i++) {
        const int r = f->row[i], end = is_slip(w->mode[i]) ? r + 1 : f->row[i + 1];
        for (int k = r; k < end && w->mode[i] != CAROM_MODE_OPEN; k++)
            worst = fmax(worst, fabs(w->xi[k]) / rounding(w, k));
        if (!is_slip(w->mode[i]))
            continue;
        worst = fmax(worst, fabs(cone_excess(w, i)) / (DBL_EPSILON * friction(w, i)));
        double across, along;
        if (w->mode[i] == CAROM_MODE_SLIP) {
            split_slip(w, i, &across, &along);
            worst = fmax(worst, fabs(across) / (rounding(w, r + 1) + rounding(w, r + 2)));
        }
    }
    return worst;
}

/* Entry of K: equation e, unknown u. */
static doubled *entry(settling *w, int e, int u)
{
    return w->K + (size_t)e + (size_t)u * (size_t)w->m;
}

/* Equation e: weight times the velocity of row k, to become zero. */
static void add_velocity(settling *w, int e, int k, double weight)
{
    for (int u = 0; u < w->m; u++)
        *entry(w, e, u) = doubled_add(
            *entry(w, e, u), doubled_scale(w->A[k + (size_t)w->unknown[u] * w->f->N], weight));
    *entry(w, e, w->m) = doubled_add(*entry(w, e, w->m), doubled_product(-weight, w->xi[k]));
}

/* The equations of slip of contact i, from e on: the edge of the cone, and in space the direction.
 * Both in units in which their entries are of size one. */
static void add_slip(settling *w, int e, int i)
{
    const carom_coulomb *f = w->f;
    const int r = f->row[i], at = w->column[r];
    const double force = friction(w, i), *x = w->x + r, *xi = w->xi + r;
    const double mu = f->mu[i] * f->scale[r + 1] / f->scale[r], unit = 1 / (1 + mu);
    *entry(w, e, at) = (doubled){-unit * mu * mu * x[0] / force, 0};
    for (int k = 1; k < f->row[i + 1] - r; k++)
        *entry(w, e, at + k) = (doubled){unit * x[k] / force, 0};
    *entry(w, e, w->m) = (doubled){-unit * cone_excess(w, i), 0};
    if (w->mode[i] != CAROM_MODE_SLIP)
        return;
    const double turn = force / (force + hypot(xi[1], xi[2]));
    add_velocity(w, e + 1, r + 2, turn * x[1] / force);
    add_velocity(w, e + 1, r + 1, -turn * x[2] / force);
    *entry(w, e + 1, at + 1) = doubled_add_double(*entry(w, e + 1, at + 1), turn * xi[2] / force);
    *entry(w, e + 1, at + 2) = doubled_add_double(*entry(w, e + 1, at + 2), -turn * xi[1] / force);
}

CAROM_FUSED static void state_equations(settling *w)
{
    const carom_coulomb *f = w->f;
    w->m = 0;
    for (int i = 0; i < f->p; i++)
        for (int k = f->row[i]; k < f->row[i + 1] && w->mode[i] != CAROM_MODE_OPEN; k++) {
            w->column[k] = w->m;
            w->unknown[w->m++] = k;
        }
    memset(w->K, 0, sizeof *w->K * (size_t)w->m * ((size_t)w->m + 1));
    for (int i = 0, e = 0; i < f->p; i++) {
        if (w->mode[i] == CAROM_MODE_OPEN)
            continue;
        const int r = f->row[i], rows = f->row[i + 1] - r, end = is_slip(w->mode[i]) ? 1 : rows;
        for (int k = 0; k < end; k++)
            add_velocity(w, e + k, r + k, 1);
        if (is_slip(w->mode[i]))
            add_slip(w, e + 1, i);
        e += rows;
    }
}

/* The largest entry from equation and unknown k on. */
static double choose_pivot(const settling *w, int k, int *e, int *u)
{
    double top = 0;
    for (int c = k; c < w->m; c++)
        for (int r = k; r < w->m; r++) {
            const double a = fabs(w->K[r + (size_t)c * w->m].hi);
            if (a > top) {
                top = a;
                *e = r;
                *u = c;
            }
        }
    return top;
}

static void exchange(settling *w, int k, int e, int u)
{
    for (int c = 0; c <= w->m; c++) {
        const doubled kept = *entry(w, k, c);
        *entry(w, k, c) = *entry(w, e, c);
        *entry(w, e, c) = kept;
    }
    for (int r = 0; r < w->m; r++) {
        const doubled kept = *entry(w, r, k);
        *entry(w, r, k) = *entry(w, r, u);
        *entry(w, r, u) = kept;
    }
    const int kept = w->unknown[k];
    w->unknown[k] = w->unknown[u];
    w->unknown[u] = kept;
}

/* Does unknown u with those taken before, `rank` of them, that keep their equations as they are,
 * move any body by more than rounding? If not it depends on them; a small pivot alone may be a
 * heavy body beside light ones. */
CAROM_FUSED static bool moves(settling *w, int rank, int u)
{
    const carom_coulomb *f = w->f;
    doubled z[LARGEST];
    for (int r = rank - 1; r >= 0; r--) {
        doubled sum = *entry(w, r, u);
        for (int c = r + 1; c < rank; c++)
            sum = doubled_add(sum, doubled_multiply(*entry(w, r, c), z[c]));
        z[r] = doubled_negate(doubled_divide(sum, *entry(w, r, r)));
    }
    for (int j = 0; j < f->n; j++) {
        const int own = w->unknown[u];
        doubled motion =
            doubled_divide_double(carom_instant_rows_entry(&w->rows, own, j), f->scale[own]);
        double size = fabs(motion.hi);
        for (int c = 0; c < rank; c++) {
            const int k = w->unknown[c];
            const doubled part = doubled_divide_double(
                doubled_multiply(z[c], carom_instant_rows_entry(&w->rows, k, j)), f->scale[k]);
            motion = doubled_add(motion, part);
            size += fabs(part.hi);
        }
        if (fabs(motion.hi) > CAROM_TOLERANCE_SUM * size)
            return true;
    }
    return false;
}

/* Solve the equations by elimination with complete pivoting and add the change to the forces;
 * unknowns that depend on others stay. */
CAROM_FUSED static void solve_equations(settling *w)
{
    const int m = w->m;
    double first = 0;
    int rank = 0;
    for (int e = 0, u = 0; rank < m; rank++) {
        const double top = choose_pivot(w, rank, &e, &u);
        first = rank ? first : top;
        if (!(top > DEEPEST * first) ||
            (!(top > CAROM_TOLERANCE_SUM * first) && !moves(w, rank, u)))
            break;
        w->regular = top / first;
        exchange(w, rank, e, u);
        for (int r = rank + 1; r < m; r++) {
            if (entry(w, r, rank)->hi == 0)
                continue;
            const doubled factor =
                doubled_negate(doubled_divide(*entry(w, r, rank), *entry(w, rank, rank)));
            for (int c = rank + 1; c <= m; c++)
                *entry(w, r, c) =
                    doubled_add(*entry(w, r, c), doubled_multiply(factor, *entry(w, rank, c)));
        }
    }
    for (int r = rank - 1; r >= 0; r--) {
        doubled sum = *entry(w, r, m);
        for (int c = r + 1; c < rank; c++)
            sum = doubled_add(sum,
                              doubled_negate(doubled_multiply(*entry(w, r, c), *entry(w, c, m))));
        *entry(w, r, m) = doubled_divide(sum, *entry(w, r, r));
        const int k = w->unknown[r];
        w->force[k] =
            doubled_add(w->force[k], doubled_divide_double(*entry(w, r, m), w->f->scale[k]));
    }
}

/* Newton's method on the modes; true: their equations hold to rounding. */
static bool solve_modes(settling *w)
{
    double now = evaluate(w);
    /* until a pass tells; the equations of slip may be singular where the rows are not */
    w->regular = w->f->p == 1 && !is_slip(w->mode[0]) ? carom_coulomb_local_pivot(w->f, 0) : 0;
    for (int pass = 0; pass < PASSES && now > fmin(1, KNOWN * w->regular); pass++) {
        fill_matrix(w);
        state_equations(w);
        solve_equations(w);
        const double after = evaluate(w);
        if (!isfinite(after) || (pass > 2 && !(after < 0.5 * now)))
            return now <= UNITS;
        now = after;
    }
    return now <= UNITS;
}

/* The mode of contact i where the condition of its present one fails beyond rounding. */
static carom_mode better_mode(const settling *w, int i)
{
    const carom_coulomb *f = w->f;
    const int r = f->row[i], s = f->row[i + 1] - r - 1;
    const double force = friction(w, i);
    const double dust = CAROM_TOLERANCE_SUM * carom_dense_max(f->N, w->x);
    const carom_mode mode = w->mode[i];
    if (mode == CAROM_MODE_OPEN)
        return w->xi[r] >= -UNITS * rounding(w, r) ? mode
               : s                                 ? CAROM_MODE_STICK
                                                   : CAROM_MODE_CLOSED;
    if (!f->equality[i] && w->x[r] < -dust)
        return CAROM_MODE_OPEN;
    if (mode == CAROM_MODE_STICK && isfinite(f->mu_s[i]) && force > f->mu_s[i] * w->x[r] + dust)
        return s == 2            ? CAROM_MODE_SLIP
               : w->x[r + 1] < 0 ? CAROM_MODE_SLIP_PLUS
                                 : CAROM_MODE_SLIP_MINUS;
    double across, along = 0;
    if (mode == CAROM_MODE_SLIP)
        split_slip(w, i, &across, &along);
    else if (is_slip(mode))
        along = mode == CAROM_MODE_SLIP_PLUS ? -w->xi[r + 1] : w->xi[r + 1];
    return is_slip(mode) && along > UNITS * (rounding(w, r + 1) + rounding(w, r + s))
               ? CAROM_MODE_STICK
               : mode;
}

/* Forces of a contact whose mode changes start where the new one can hold. */
static void change_mode(settling *w, int i, carom_mode mode)
{
    const int r = w->f->row[i];
    const double force = friction(w, i), edge = w->f->mu_d[i] * fmax(w->x[r], 0);
    for (int k = r; k < w->f->row[i + 1] && mode == CAROM_MODE_OPEN; k++)
        w->force[k] = (doubled){0, 0};
    for (int k = r + 1; k < w->f->row[i + 1] && is_slip(mode); k++)
        w->force[k] = doubled_scale(w->force[k], edge / force);
    w->mode[i] = mode;
}

/* Exchange modes until all conditions hold; false: they do not come to rest. */
static bool solve_all(settling *w)
{
    for (int round = 0; round < EXCHANGES; round++) {
        if (!solve_modes(w))
            return false;
        bool changed = false;
        for (int i = 0; i < w->f->p; i++) {
            const carom_mode mode = better_mode(w, i);
            changed = changed || mode != w->mode[i];
            if (mode != w->mode[i])
                change_mode(w, i, mode);
        }
        if (!changed)
            return true;
    }
    return false;
}

/* The modes as told: a slip that is rounding is none. Of light bodies it may move heavy ones. */
static void write(const settling *w, carom_coulomb_solution *solution)
{
    const carom_coulomb *f = w->f;
    solution->creeps = false;
    for (int i = 0; i < f->p; i++) {
        bool rests = is_slip(w->mode[i]);
        for (int k = f->row[i] + 1; k < f->row[i + 1] && rests; k++)
            rests = fabs(w->xi[k]) <= UNITS * rounding(w, k);
        solution->code[i] = (unsigned char)(rests ? CAROM_MODE_STICK : w->mode[i]);
        solution->creeps = solution->creeps || rests;
    }
    for (int k = 0; k < f->N; k++) {
        solution->x[k] = w->x[k];
        solution->xi[k] = w->xi[k];
    }
    for (int i = 0; i < f->p; i++)
        solution->x[f->row[i]] = fmax(solution->x[f->row[i]], 0);
    for (int j = 0; j < f->n; j++)
        solution->change[j] = w->y[j].hi;
    solution->norm = carom_dense_norm(f->N, solution->x);
    solution->settled = true;
}

/* The modes to begin with. */
static void begin(const carom_coulomb *f, const carom_coulomb_solution *solution, carom_mode *mode)
{
    bool given = false;
    for (int i = 0; i < f->p; i++)
        given = given || solution->code[i] != CAROM_MODE_OPEN;
    if (!given)
        carom_coulomb_modes(f, solution->x, mode);
    for (int i = 0; i < f->p && given; i++)
        mode[i] = (carom_mode)solution->code[i];
}

bool carom_coulomb_settles(const carom_coulomb *problem)
{
    return problem->n > 0 && problem->N <= LARGEST && !problem->sided &&
           !carom_coulomb_planar_plain(problem);
}

carom_status carom_coulomb_settle(const carom_coulomb *problem, carom_arena *arena,
                                  carom_coulomb_solution *solution, carom_error *error)
{
    const carom_coulomb *f = problem;
    settling w;
    if (!carom_coulomb_settles(f))
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    if (!make_room(f, arena, &w))
        return carom_error_memory(error);
    begin(f, solution, w.mode);
    for (int i = 0; i < f->p; i++)
        for (int k = f->row[i]; k < f->row[i + 1]; k++)
            w.force[k] = w.mode[i] == CAROM_MODE_OPEN
                             ? (doubled){0, 0}
                             : doubled_divide_double((doubled){solution->x[k], 0}, f->scale[k]);
    if (solve_all(&w))
        write(&w, solution);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
