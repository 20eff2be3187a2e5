/* Dependent equations of a combination of modes, in doubled precision (docs/theory/instant.md, "On
 * rows").
 *
 * W is a Gram matrix: beside a light body what tells dependent equations from regular ones is below
 * its rounding. Here it is made of the rows with twice the digits, and whether a pivot is more than
 * rounding is asked of the motion of the bodies that it stands for, each beside its own terms. */
#include "solver/instant_wide.h"

#include "carom/tolerance.h"
#include "linalg/wide.h"
#include "solver/instant_nearest.h"

#include <math.h>
#include <string.h>

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* The part of the terms of forces that velocities are known to: of twice the digits, a condition of
 * 2^20 leaves this. */
static const double HAZE = 0x1p20 * DOUBLED_UNIT;

/* The part of what counts as zero that is rounding: a condition with more than that to spare has
 * room for forces to move in. */
static const double SURE = CAROM_TOLERANCE_SUM / CAROM_TOLERANCE_SIGN;

struct carom_instant_wide {
    bool filled;
    doubled *W, *q;      /* N x N, N */
    doubled *mu;         /* p, of slip in units of r */
    doubled *R;          /* m x (m + 1): equations, the last column their right-hand sides */
    doubled *z, *kernel; /* m; m x (m - rank) */
    doubled *force, *y;  /* N, n of a direction */
    doubled *x;          /* m, work space */
    int *unknown, *line; /* m: which unknown a column is of, which equation a line */
    double *u, *r;       /* N each, of a direction */
    double *weight;      /* m, of unknowns in the order of columns */
    double *rounding;    /* n + N, what rounding of a direction's forces makes of its motion */
    int rank;
};

carom_status carom_instant_wide_make(carom_instant_modes *s, carom_arena *arena, carom_error *error)
{
    const size_t N = (size_t)s->f->N, p = (size_t)s->f->p, n = (size_t)s->f->rows->n;
    struct carom_instant_wide *w = carom_arena_zeros(arena, 1, sizeof *w);
    doubled *numbers = carom_arena_array(arena, N * (3 * N + 5) + p + n, sizeof *numbers);
    int *order = carom_arena_array(arena, 2 * N + 1, sizeof *order);
    double *u = carom_arena_doubles(arena, 4 * N + n);
    if (!w || !numbers || !order || !u)
        return carom_error_memory(error);
    *w = (struct carom_instant_wide){.W = numbers,
                                     .q = numbers + N * N,
                                     .R = numbers + N * (N + 1),
                                     .kernel = numbers + N * (2 * N + 2),
                                     .z = numbers + N * (3 * N + 2),
                                     .force = numbers + N * (3 * N + 3),
                                     .x = numbers + N * (3 * N + 4),
                                     .mu = numbers + N * (3 * N + 5),
                                     .y = numbers + N * (3 * N + 5) + p,
                                     .unknown = order,
                                     .line = order + N,
                                     .u = u,
                                     .r = u + N,
                                     .weight = u + 2 * N,
                                     .rounding = u + 3 * N};
    s->wide = w;
    return CAROM_OK;
}

/* W = S^-1 J'Y S^-1, q and mu, where they are needed. */
CAROM_FUSED static void fill(const carom_instant_modes *s)
{
    struct carom_instant_wide *w = s->wide;
    const carom_instant *f = s->f;
    const struct carom_instant_rows *rows = f->rows;
    if (w->filled)
        return;
    w->filled = true;
    carom_instant_rows_gram(rows, f->N, w->W);
    for (int k = 0; k < f->N; k++)
        w->q[k] = doubled_add_double((doubled){f->q[k], 0},
                                     rows->rest ? rows->rest[k] / rows->scale[k] : 0);
    for (int i = 0; i < f->p; i++) {
        const int k = f->row[i];
        if (f->row[i + 1] > k + 1 && isfinite(rows->mu_d[i]))
            w->mu[i] = doubled_divide_double(doubled_product(rows->mu_d[i], rows->scale[k + 1]),
                                             rows->scale[k]);
    }
}

/* R z = -q on the rows chosen, columns of unit weight: |z| is |r|. */
CAROM_FUSED static void state(const carom_instant_modes *s)
{
    struct carom_instant_wide *w = s->wide;
    const carom_instant *f = s->f;
    const int m = s->m, N = f->N;
    int c = 0;
    for (int i = 0; i < f->p; i++) {
        if (s->mode[i] == CAROM_MODE_OPEN)
            continue;
        const doubled *normal = w->W + (size_t)f->row[i] * (size_t)N, *slip = normal + N;
        const double k = carom_instant_modes_slope(s, i);
        const doubled slope = k > 0 ? doubled_negate(w->mu[i]) : w->mu[i];
        w->weight[c] = sqrt(1 + k * k);
        for (int e = 0; e < m; e++) {
            const int row = s->equation[e];
            doubled a = normal[row];
            if (k != 0)
                a = doubled_add(a, doubled_multiply(slope, slip[row]));
            w->R[e + (size_t)c * (size_t)m] = doubled_divide_double(a, w->weight[c]);
            if (s->mode[i] == CAROM_MODE_STICK)
                w->R[e + (size_t)(c + 1) * (size_t)m] = slip[row];
        }
        c++;
        if (s->mode[i] == CAROM_MODE_STICK)
            w->weight[c++] = 1;
    }
    for (int e = 0; e < m; e++) {
        w->R[e + (size_t)m * (size_t)m] = doubled_negate(w->q[s->equation[e]]);
        w->unknown[e] = w->line[e] = e;
    }
}

static doubled *entry(const carom_instant_modes *s, int e, int c)
{
    return s->wide->R + (size_t)e + (size_t)c * (size_t)s->m;
}

/* The unknowns of the columns eliminated, where column c is `one` and the others not eliminated are
 * zero, with the right-hand side (its column last) or without: into z, in the order of unknowns. */
CAROM_FUSED static void substitute(const carom_instant_modes *s, int rank, int column, bool aim,
                                   doubled *z)
{
    const struct carom_instant_wide *w = s->wide;
    const int m = s->m;
    doubled *x = w->x;
    for (int c = 0; c < m; c++)
        z[c] = (doubled){0, 0};
    for (int r = rank - 1; r >= 0; r--) {
        doubled sum = aim ? *entry(s, r, m) : doubled_negate(*entry(s, r, column));
        for (int c = r + 1; c < rank; c++)
            sum = doubled_add(sum, doubled_negate(doubled_multiply(*entry(s, r, c), x[c])));
        x[r] = doubled_divide(sum, *entry(s, r, r));
        z[w->unknown[r]] = x[r];
    }
    if (!aim)
        z[w->unknown[column]] = (doubled){1, 0};
}

/* The motion y of unknowns z (of unit weight), zero where it is rounding of its terms; true: some
 * body moves. */
CAROM_FUSED static bool move(const carom_instant_modes *s, const doubled *z)
{
    struct carom_instant_wide *w = s->wide;
    const struct carom_instant_rows *rows = s->f->rows;
    bool moves = false;
    for (int c = 0; c < s->m; c++)
        w->x[c] = doubled_divide_double(z[c], w->weight[c]);
    carom_instant_rows_forces(s, w->x, w->force);
    double top = 0;
    for (int k = 0; k < s->f->N; k++)
        top = fmax(top, fabs(w->force[k].hi) * rows->scale[k]);
    for (int k = 0; k < s->f->N; k++)
        if (fabs(w->force[k].hi) * rows->scale[k] <= HAZE * top)
            w->force[k] = (doubled){0, 0};
    for (int j = 0; j < rows->n; j++) {
        doubled sum = {0, 0};
        double terms = 0;
        for (int k = 0; k < s->f->N; k++) {
            if (w->force[k].hi == 0 || rows->Y[k][j] == 0)
                continue;
            const doubled column = carom_instant_rows_entry(rows, k, j);
            sum = column.lo == 0 ? doubled_add_scaled(sum, w->force[k], column.hi)
                                 : doubled_add(sum, doubled_multiply(w->force[k], column));
            terms += fabs(rows->Y[k][j] * w->force[k].hi);
        }
        w->y[j] = fabs(sum.hi) > CAROM_TOLERANCE_RANK * terms ? sum : (doubled){0, 0};
        moves = moves || w->y[j].hi != 0;
    }
    return moves;
}

/* The velocity of row k of the motion y, zero where it is rounding. */
CAROM_FUSED static double velocity_of(const carom_instant_modes *s, int k)
{
    const struct carom_instant_rows *rows = s->f->rows;
    const doubled sum = doubled_dot(rows->n, rows->J[k], s->wide->y, (doubled){0, 0});
    double terms = 0;
    for (int j = 0; j < rows->n; j++)
        terms += fabs(rows->J[k][j] * s->wide->y[j].hi);
    return fabs(sum.hi) > CAROM_TOLERANCE_RANK * terms ? sum.hi / rows->scale[k] : 0;
}

/* The largest entry that is not eliminated. */
static double choose_pivot(const carom_instant_modes *s, int rank, int *e, int *c)
{
    double top = 0;
    for (int b = rank; b < s->m; b++)
        for (int a = rank; a < s->m; a++)
            if (fabs(entry(s, a, b)->hi) > top) {
                top = fabs(entry(s, a, b)->hi);
                *e = a;
                *c = b;
            }
    return top;
}

/* Entries that are no velocities, but what rounding of the rows has left of none, become zero. */
static void purge(const carom_instant_modes *s, int rank)
{
    struct carom_instant_wide *w = s->wide;
    for (int c = rank; c < s->m; c++) {
        substitute(s, rank, c, false, w->z);
        const bool moves = move(s, w->z);
        for (int e = rank; e < s->m; e++)
            if (!moves || velocity_of(s, s->equation[w->line[e]]) == 0)
                *entry(s, e, c) = (doubled){0, 0};
    }
}

CAROM_FUSED static void eliminate(const carom_instant_modes *s, int k, int e, int c)
{
    struct carom_instant_wide *w = s->wide;
    const int m = s->m, unknown = w->unknown[k], line = w->line[k];
    for (int b = 0; b <= m; b++) {
        const doubled kept = *entry(s, k, b);
        *entry(s, k, b) = *entry(s, e, b);
        *entry(s, e, b) = kept;
    }
    for (int a = 0; a < m; a++) {
        const doubled kept = *entry(s, a, k);
        *entry(s, a, k) = *entry(s, a, c);
        *entry(s, a, c) = kept;
    }
    w->unknown[k] = w->unknown[c];
    w->unknown[c] = unknown;
    w->line[k] = w->line[e];
    w->line[e] = line;
    for (int a = k + 1; a < m; a++) {
        if (entry(s, a, k)->hi == 0)
            continue;
        const doubled factor = doubled_negate(doubled_divide(*entry(s, a, k), *entry(s, k, k)));
        for (int b = k + 1; b <= m; b++)
            *entry(s, a, b) =
                doubled_add(*entry(s, a, b), doubled_multiply(factor, *entry(s, k, b)));
        *entry(s, a, k) = (doubled){0, 0};
    }
}

/* Elimination with complete pivoting; entries that are no velocities are zero. */
static void factor(carom_instant_modes *s)
{
    struct carom_instant_wide *w = s->wide;
    for (w->rank = 0; w->rank < s->m; w->rank++) {
        int e = 0, c = 0;
        double top = choose_pivot(s, w->rank, &e, &c);
        if (top > 0 && !(top > CAROM_TOLERANCE_REGULAR)) {
            purge(s, w->rank);
            top = choose_pivot(s, w->rank, &e, &c);
        }
        if (!(top > 0))
            return;
        eliminate(s, w->rank, e, c);
    }
}

/* a'b, and a += t b: any multiple of a direction of the kernel is one, to its last digit. */
static double dot(int m, const doubled *a, const doubled *b)
{
    double sum = 0;
    for (int k = 0; k < m; k++)
        sum += a[k].hi * b[k].hi;
    return sum;
}

CAROM_FUSED static void add(int m, doubled *a, double t, const doubled *b)
{
    for (int k = 0; k < m; k++)
        a[k] = doubled_add(a[k], doubled_scale(b[k], t));
}

/* Orthonormal directions of the kernel. */
CAROM_FUSED static void make_kernel(carom_instant_modes *s)
{
    struct carom_instant_wide *w = s->wide;
    const int m = s->m;
    for (int j = 0; j < m - w->rank; j++) {
        doubled *own = w->kernel + (size_t)j * (size_t)m;
        substitute(s, w->rank, w->rank + j, false, own);
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < j; i++) {
                const doubled *other = w->kernel + (size_t)i * (size_t)m;
                add(m, own, -dot(m, own, other), other);
            }
            const double unit = 1 / sqrt(dot(m, own, own));
            for (int k = 0; k < m; k++)
                own[k] = doubled_scale(own[k], unit);
        }
    }
}

/* Velocities and conditions of z. */
CAROM_FUSED static double judge(carom_instant_modes *s)
{
    const struct carom_instant_wide *w = s->wide;
    for (int c = 0; c < s->m; c++)
        s->exact[c] = doubled_divide_double(w->z[c], w->weight[c]);
    carom_instant_rows_take(s);
    return carom_instant_modes_judge(s, HAZE);
}

/* What directions of the kernel do: to the conditions (C, room x k, rows of unit length) and to the
 * bodies (B, n x k). Conditions that nothing changes are left out. c0: their values, zero where
 * they may be. */
static int state_kernel(carom_instant_modes *s, double tol, double *C, double *c0, double *B)
{
    struct carom_instant_wide *w = s->wide;
    const carom_instant *f = s->f;
    const int k = s->m - w->rank, n = f->rows->n, room = CAROM_INSTANT_CONDITIONS * f->p;
    int rows = 0;
    for (int j = 0; j < k; j++) {
        move(s, w->kernel + (size_t)j * (size_t)s->m);
        double top = 0;
        for (int a = 0; a < f->N; a++) {
            w->u[a] = velocity_of(s, a);
            w->r[a] = w->force[a].hi * f->rows->scale[a];
            top = fmax(top, fabs(w->r[a]));
        }
        /* columns that were rounded once have a kernel that is known to their rounding */
        const double known = f->rows->low ? HAZE : CAROM_TOLERANCE_SUM;
        carom_instant_rows_unknown(f, w->r, known * top, w->rounding);
        for (int a = 0; a < n; a++)
            B[a + (size_t)j * (size_t)n] = fabs(w->y[a].hi) > w->rounding[a] ? w->y[a].hi : 0;
        rows = 0;
        for (int i = 0; i < f->p; i++) {
            double c[CAROM_INSTANT_CONDITIONS];
            const int count = carom_instant_modes_conditions(s, i, w->r, w->u, c);
            for (int a = 0; a < count; a++) {
                bool velocity;
                carom_instant_modes_zero(s, i, a, tol, &velocity);
                if (!velocity && fabs(c[a]) <= CAROM_TOLERANCE_RANK) /* |r| is 1 */
                    c[a] = 0;
                C[rows++ + (size_t)j * (size_t)room] = c[a];
            }
        }
    }
    rows = 0;
    for (int i = 0; i < f->p; i++) {
        double c[CAROM_INSTANT_CONDITIONS];
        bool velocity;
        const int count = carom_instant_modes_conditions(s, i, s->r, s->u, c);
        for (int a = 0; a < count; a++, rows++) {
            const double zero = carom_instant_modes_zero(s, i, a, tol, &velocity);
            const double unknown = velocity ? s->unknown[n + f->row[i] + a] : 0;
            c0[rows] = c[a] > SURE * zero + unknown || c[a] < -zero ? c[a] : 0;
            double length = 0;
            for (int j = 0; j < k; j++)
                length = hypot(length, C[rows + (size_t)j * (size_t)room]);
            for (int j = 0; j < k && length > 0; j++)
                C[rows + (size_t)j * (size_t)room] /= length;
            c0[rows] = length > 0 ? c0[rows] / length : c0[rows];
        }
    }
    return rows;
}

/* Does some direction of the kernel that the conditions with value zero allow move body a? Those
 * conditions leave the cone C d >= 0; b d = 0 on all of it where b and -b are sums of rows of C
 * with factors >= 0. If b is none, what is left of it beside the nearest such sum moves. */
static carom_status moves_body(int rows, int k, const double *C, size_t room, const double *c0,
                               const double *b, carom_arena *arena, bool *moves, carom_error *error)
{
    double *own = carom_arena_doubles(arena, (size_t)(rows + 1) * (size_t)(k + 1)), *q, *d;
    carom_status status = CAROM_OK;
    if (!own)
        return carom_error_memory(error);
    q = own + (size_t)rows * (size_t)k;
    d = q + rows;
    for (double sign = 1; sign >= -1 && !status && !*moves; sign -= 2) {
        int active = 0;
        double left = 0, whole = 0;
        bool found;
        for (int i = 0; i < rows; i++) {
            if (c0[i] != 0)
                continue;
            q[active] = 0;
            for (int j = 0; j < k; j++) {
                own[active + (size_t)j * (size_t)rows] = C[(size_t)i + (size_t)j * room];
                q[active] += sign * C[(size_t)i + (size_t)j * room] * b[j];
            }
            active++;
        }
        memset(d, 0, sizeof *d * (size_t)k);
        found = active == 0;
        if (active)
            status = carom_instant_nearest_find(active, k, own, (size_t)rows, q, arena, d, &found,
                                                error);
        for (int j = 0; j < k; j++) {
            left += (d[j] + sign * b[j]) * (d[j] + sign * b[j]);
            whole += b[j] * b[j];
        }
        *moves = found && sqrt(left) > CAROM_TOLERANCE_HALF * sqrt(whole);
    }
    return status;
}

/* Whether the motion varies among the forces that the conditions allow. */
static carom_status find_continuum(carom_instant_modes *s, int rows, const double *C,
                                   const double *c0, const double *B, carom_arena *arena,
                                   carom_error *error)
{
    const int k = s->m - s->wide->rank, n = s->f->rows->n;
    double *b = carom_arena_doubles(arena, (size_t)k);
    carom_status status = b ? CAROM_OK : carom_error_memory(error);
    for (int a = 0; a < n && !status && !s->continuum; a++) {
        double size = 0;
        for (int j = 0; j < k; j++) {
            b[j] = B[a + (size_t)j * (size_t)n];
            size += b[j] * b[j];
        }
        if (size > 0)
            status = moves_body(rows, k, C, CAROM_INSTANT_CONDITIONS * (size_t)s->f->p, c0, b,
                                arena, &s->continuum, error);
    }
    return status;
}

/* The shortest of z + K y that meets the conditions, and whether others move differently. */
static carom_status search_kernel(carom_instant_modes *s, double tol, carom_arena *arena,
                                  carom_error *error)
{
    struct carom_instant_wide *w = s->wide;
    const int m = s->m, k = m - w->rank;
    const size_t room = CAROM_INSTANT_CONDITIONS * (size_t)s->f->p, n = (size_t)s->f->rows->n;
    double *C = carom_arena_zeros(arena, room * ((size_t)k + 1) + (n + 2) * (size_t)k, sizeof *C);
    if (!C)
        return carom_error_memory(error);
    double *c0 = C + room * (size_t)k, *taken = c0 + room, *y = taken + k, *B = y + k;
    carom_status status = CAROM_OK;
    int rows = state_kernel(s, tol, C, c0, B);
    const double size = carom_instant_size(s->f, s->r);
    bool more = true, moved = false;
    for (double lift = 0; more && !s->valid && !status; lift = lift > 0 ? lift / 4 : size) {
        bool found;
        more = carom_instant_nearest_lift(s, lift, c0) && (lift == 0 || lift > tol);
        status = carom_instant_nearest_find(rows, k, C, room, c0, arena, y, &found, error);
        carom_instant_nearest_lift(s, -lift, c0);
        for (int j = 0; j < k && found; j++) {
            add(m, w->z, y[j] - taken[j], w->kernel + (size_t)j * (size_t)m);
            taken[j] = y[j];
        }
        if (found)
            tol = judge(s);
        s->valid = s->valid && found;
        moved = true;
    }
    s->solved = s->valid;
    if (status || !s->solved)
        return status;
    if (moved)
        rows = state_kernel(s, tol, C, c0, B);
    return find_continuum(s, rows, C, c0, B, arena, error);
}

carom_status carom_instant_wide_solve(carom_instant_modes *s, carom_arena *arena,
                                      carom_error *error)
{
    struct carom_instant_wide *w = s->wide;
    fill(s);
    state(s);
    factor(s);
    const int m = s->m, k = m - w->rank;
    make_kernel(s);
    substitute(s, w->rank, 0, true, w->z);
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < k; j++) {
            const doubled *own = w->kernel + (size_t)j * (size_t)m;
            add(m, w->z, -dot(m, w->z, own), own);
        }
    s->unique = k == 0;
    const double tol = judge(s);
    return s->solved && k > 0 ? search_kernel(s, tol, arena, error) : CAROM_OK;
}
