/* Lemke's method with the lexicographic ratio test (docs/theory/lcp-lemke.md).
 *
 * The system  w - M z - d z0 = q  in a compact tableau: one row per basic variable, one column per
 * nonbasic one. Variables are numbered w_i: i, z_i: n + i, z0: 2n. Rows and columns are
 * equilibrated first by powers of two, which changes no rounding and makes the pivots comparable.
 */
#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/wide.h"
#include "solver/lcp_algorithms.h"
#include "solver/lcp_scale.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct tableau {
    int n, m;           /* problem size; m = n + 1 nonbasic columns */
    double *T;          /* n x (m + 1): x_B = q - T x_N with the values q in the last column */
    int *basic, *other; /* n and m: which variable a row, a column belongs to */
    int *column;        /* 2n + 1: column of a nonbasic variable, -1 - row of a basic one */
    double *r, *c;      /* n: scaled w_i = r_i w_i, z_i = c_i * scaled z_i */
    double *size;       /* n: the values are rounded at eps * size */
    double growth;      /* largest product formed so far: entries are rounded at eps * growth */
} tableau;

static double *entry(tableau *t, int row, int column)
{
    return t->T + row + (size_t)column * t->n;
}

/* What the ratios of rows a and b differ by when they are equal but for rounding. A value that has
 * cancelled to zero keeps the rounding of what it was, so its own size says nothing. */
static double ratio_noise(tableau *t, int a, int b, int column)
{
    double x = t->size[a] / *entry(t, a, column), y = t->size[b] / *entry(t, b, column);
    return 16 * DBL_EPSILON * (x > y ? x : y);
}

/* Is row a lexicographically smaller than row b, both divided by their entry in the column? The
 * rows are (value, row of the inverse of the basis); the latter stands in the columns of the w. */
static bool lex_less(tableau *t, int a, int b, int column)
{
    double pa = *entry(t, a, column), pb = *entry(t, b, column);
    double x = *entry(t, a, t->m) / pa, y = *entry(t, b, t->m) / pb;
    if (fabs(x - y) > ratio_noise(t, a, b, column))
        return x < y;
    double ia = 1 / pa, ib = 1 / pb, zero = 16 * DBL_EPSILON * t->growth * (ia > ib ? ia : ib);
    for (int i = 0; i < t->n; i++) {
        int where = t->column[i];
        double u = where >= 0 ? *entry(t, a, where) : (where == -1 - a), /* basic: unit column */
            v = where >= 0 ? *entry(t, b, where) : (where == -1 - b);
        u *= ia;
        v *= ib;
        if (fabs(u - v) > zero)
            return u < v;
    }
    return false;
}

/* The row that blocks the growth of the variable of this column, or -1 on a ray. z0 leaves whenever
 * it is among the smallest ratios. */
static int ratio_test(tableau *t, int column, double smallest)
{
    double top = 0;
    for (int i = 0; i < t->n; i++) {
        double size = fabs(*entry(t, i, column));
        top = size > top ? size : top;
    }
    double least_pivot = fmax(smallest * top, CAROM_TOLERANCE_SUM * t->growth);
    int best = -1, z0 = -1 - t->column[2 * t->n];
    for (int i = 0; i < t->n; i++) {
        if (*entry(t, i, column) <= least_pivot)
            continue;
        if (best < 0 || lex_less(t, i, best, column))
            best = i;
    }
    if (best >= 0 && z0 >= 0 && *entry(t, z0, column) > least_pivot) {
        double mine = *entry(t, z0, t->m) / *entry(t, z0, column),
               least = *entry(t, best, t->m) / *entry(t, best, column);
        if (mine <= least + ratio_noise(t, z0, best, column))
            best = z0;
    }
    return best;
}

/* The numbers of an exchange; rows x columns of T. Returns the largest product formed. */
CAROM_WIDE static double eliminate(int n, int m, double *restrict T, int row, int column)
{
    double *C = T + (size_t)column * n, pivot = 1 / C[row], top = carom_dense_max(n, C), most = 0;
    for (int j = 0; j <= m; j++) {
        double *restrict Tj = T + (size_t)j * n;
        if (j == column || Tj[row] == 0)
            continue;
        double f = Tj[row] * pivot, product = top * fabs(f);
        for (int i = 0; i < n; i++)
            Tj[i] -= C[i] * f;
        Tj[row] = f;
        most = j < m && product > most ? product : most;
    }
    for (int i = 0; i < n; i++)
        C[i] *= -pivot;
    C[row] = pivot;
    return most;
}

/* Exchange the basic variable of the row with the nonbasic one of the column. */
static void exchange(tableau *t, int row, int column)
{
    const double *C = entry(t, 0, column);
    double size = t->size[row] * fabs(1 / C[row]);
    for (int i = 0; i < t->n; i++) {
        double term = fabs(C[i]) * size;
        t->size[i] = t->size[i] > term ? t->size[i] : term;
    }
    t->size[row] = size;
    double product = eliminate(t->n, t->m, t->T, row, column);
    t->growth = t->growth > product ? t->growth : product;
    int in = t->other[column], out = t->basic[row];
    t->basic[row] = in;
    t->other[column] = out;
    t->column[in] = -1 - row;
    t->column[out] = column;
}

static bool tableau_take(tableau *t, int n, carom_arena *arena)
{
    t->n = n;
    t->m = n + 1;
    t->T = carom_arena_doubles(arena, (size_t)n * ((size_t)n + 2) + 3 * (size_t)n);
    t->basic = carom_arena_array(arena, 4 * (size_t)n + 2, sizeof *t->basic);
    if (!t->T || !t->basic)
        return false;
    t->other = t->basic + n;
    t->column = t->other + n + 1;
    t->r = t->T + (size_t)n * ((size_t)n + 2);
    t->c = t->r + n;
    t->size = t->c + n;
    return true;
}

/* d_j > 0 in scaled rows. Cover 0: ones in the caller's units; 1: ones in scaled units; further
 * ones: numbers between 1/2 and 3/2 that look random. */
static double covering(const tableau *t, int cover, int j)
{
    if (cover < 2)
        return cover == 0 ? t->r[j] : 1;
    double x = (j + 1) * 0.6180339887498949 * cover;
    return 0.5 + (x - floor(x));
}

static void tableau_fill(tableau *t, const carom_lcp *lcp, int cover)
{
    int n = t->n;
    double top = 0; /* the units of z0 are free: the largest d_j is 1 */
    for (int j = 0; j < n; j++)
        top = fmax(top, covering(t, cover, j));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            *entry(t, i, j) = -t->r[i] * lcp->M[i + (size_t)j * n] * t->c[j];
        *entry(t, j, n) = -covering(t, cover, j) / top;
        *entry(t, j, n + 1) = t->r[j] * lcp->q[j];
        t->size[j] = fabs(t->r[j] * lcp->q[j]);
        t->basic[j] = j;
        t->other[j] = n + j;
        t->column[j] = -1 - j;
        t->column[n + j] = j;
    }
    t->growth = 1;
    t->other[n] = 2 * n;
    t->column[2 * n] = n;
}

/* The row of the lexicographically least q_i / d_i: where z0 enters. */
static int first_row(tableau *t)
{
    int best = 0;
    for (int i = 1; i < t->n; i++) {
        double x = *entry(t, i, t->m) / -*entry(t, i, t->n),
               y = *entry(t, best, t->m) / -*entry(t, best, t->n);
        if (x <= y) /* equal: the later row, as the unit columns order them */
            best = i;
    }
    return best;
}

static carom_lcp_outcome run(tableau *t, double smallest, int limit, int *pivots, int *ray)
{
    int n = t->n, negative = 0;
    for (int i = 0; i < n; i++)
        negative += *entry(t, i, t->m) < 0;
    if (negative == 0)
        return CAROM_LCP_SOLVED;
    int row = first_row(t), column = n;
    for (;;) {
        int leaving = t->basic[row];
        exchange(t, row, column);
        ++*pivots;
        if (leaving == 2 * n)
            return CAROM_LCP_SOLVED;
        if (*pivots >= limit)
            return CAROM_LCP_LIMIT;
        column = t->column[leaving < n ? n + leaving : leaving - n];
        row = ratio_test(t, column, smallest);
        if (row < 0) {
            *ray = column;
            return CAROM_LCP_RAY;
        }
    }
}

/* The values of the basic z. */
static void read_point(tableau *t, double *z)
{
    int n = t->n;
    memset(z, 0, (size_t)n * sizeof *z);
    for (int i = 0; i < n; i++)
        if (t->basic[i] >= n && t->basic[i] < 2 * n)
            z[t->basic[i] - n] = fmax(0, t->c[t->basic[i] - n] * *entry(t, i, t->m));
}

typedef struct polish_work {
    double *A, *x, *r, *best; /* n x n, n, n, n */
    int *order, *F;           /* n each */
} polish_work;

static bool polish_take(polish_work *p, int n, carom_arena *arena)
{
    size_t m = (size_t)n;
    p->A = carom_arena_doubles(arena, m * m + 3 * m);
    p->order = carom_arena_array(arena, 2 * m, sizeof *p->order);
    if (!p->A || !p->order)
        return false;
    p->x = p->A + m * m;
    p->r = p->x + m;
    p->best = p->r + m;
    p->F = p->order + n;
    return true;
}

/* z becomes the point of the solution p->x on F, entries up to `smallest` being zero, if its
 * residual is less than `before`. Basic variables of a degenerate solution are zero up to rounding,
 * and a row in which nothing else stands takes that rounding for a number. */
static double keep_better(const tableau *t, const carom_lcp *lcp, polish_work *p, int k,
                          double smallest, double before, double *z)
{
    memset(p->best, 0, (size_t)t->n * sizeof *p->best);
    for (int a = 0; a < k; a++)
        if (p->x[a] > smallest)
            p->best[p->F[a]] = t->c[p->F[a]] * p->x[a];
    double after = carom_lcp_residual(lcp, p->best);
    if (!(after < before))
        return before;
    carom_dense_copy(t->n, p->best, z);
    return after;
}

/* Solve M_FF z_F = -q_F on the set of basic z from the statement itself: the tableau has gathered
 * rounding. z becomes the better of the two points; returns its residual. */
static double polish(tableau *t, const carom_lcp *lcp, polish_work *p, double *z)
{
    int n = t->n, k = 0;
    double before = carom_lcp_residual(lcp, z);
    for (int i = 0; i < n; i++)
        if (t->column[n + i] < 0)
            p->F[k++] = i;
    for (int a = 0; a < k; a++) {
        p->x[a] = 0;
        for (int c = 0; c < k; c++)
            p->A[a + (size_t)c * k] =
                t->r[p->F[a]] * lcp->M[p->F[a] + (size_t)p->F[c] * n] * t->c[p->F[c]];
    }
    if (carom_lu_factor(k, p->A, k, p->order, 0) != 0)
        return before;
    for (int pass = 0; pass < 3; pass++) {
        for (int a = 0; a < k; a++) {
            int i = p->F[a];
            double sum = -lcp->q[i];
            for (int c = 0; c < k; c++)
                sum -= lcp->M[i + (size_t)p->F[c] * n] * (t->c[p->F[c]] * p->x[c]);
            p->r[a] = t->r[i] * sum;
        }
        carom_lu_solve(k, p->A, k, p->order, p->r);
        carom_dense_axpy(k, 1, p->r, p->x);
    }
    before = keep_better(t, lcp, p, k, 0, before, z);
    return keep_better(t, lcp, p, k, CAROM_TOLERANCE_SUM * carom_dense_max(k, p->x), before, z);
}

/* Does u >= 0 (scaled, small entries are rounding) prove that there is no solution? If M'u <= 0 and
 * q'u < 0, then u'w < 0 for every z >= 0. */
static bool proves_infeasible(const tableau *t, const carom_lcp *lcp, double *u)
{
    int n = t->n;
    double top = carom_dense_max(n, u), fall = 0, size = 0;
    for (int i = 0; i < n; i++) {
        u[i] = u[i] > CAROM_TOLERANCE_REFINED * top ? u[i] / top * t->c[i] : 0;
        fall += lcp->q[i] * u[i];
        size += fabs(lcp->q[i] * u[i]);
    }
    if (!(fall < -CAROM_TOLERANCE_SIGN * size))
        return false;
    for (int j = 0; j < n; j++) {
        double sum = 0, terms = 0;
        for (int i = 0; i < n; i++) {
            double term = lcp->M[i + (size_t)j * n] * u[i];
            sum += term;
            terms += fabs(term);
        }
        if (sum > CAROM_TOLERANCE_SOLVED * terms)
            return false;
    }
    return true;
}

/* u: the z-part of the ray on which the tableau ended. */
static void read_ray(tableau *t, int column, double *u)
{
    int n = t->n, in = t->other[column];
    memset(u, 0, (size_t)n * sizeof *u);
    for (int i = 0; i < n; i++)
        if (t->basic[i] >= n && t->basic[i] < 2 * n)
            u[t->basic[i] - n] = fmax(0, -*entry(t, i, column));
    if (in >= n && in < 2 * n)
        u[in - n] = 1;
}

/* How far z has run away: the least and the largest |q_i| / s_i of the rows with q_i < 0, which
 * called for it. Where all are lost in the terms of their rows, z proves nothing. */
static void measure_flight(const carom_lcp *lcp, const double *z, double *least, double *most)
{
    *least = 1;
    *most = 0;
    for (int i = 0; i < lcp->n; i++) {
        double s = fabs(lcp->q[i]);
        for (int j = 0; lcp->q[i] < 0 && j < lcp->n; j++)
            s += fabs(lcp->M[i + (size_t)j * lcp->n] * z[j]);
        if (lcp->q[i] < 0) {
            *least = fmin(*least, -lcp->q[i] / s);
            *most = fmax(*most, -lcp->q[i] / s);
        }
    }
}

/* A point that fits: is it a solution, or does it only fit because q drowns in its terms? Then it
 * is nearly a ray. */
static carom_lcp_outcome judge(const tableau *t, const carom_lcp *lcp, const double *z, double *u)
{
    double least, most;
    measure_flight(lcp, z, &least, &most);
    if (least > CAROM_TOLERANCE_HALF)
        return CAROM_LCP_SOLVED;
    for (int i = 0; i < t->n; i++)
        u[i] = z[i] / t->c[i];
    if (proves_infeasible(t, lcp, u))
        return CAROM_LCP_INFEASIBLE;
    return most > CAROM_TOLERANCE_CARRIED || most == 0 ? CAROM_LCP_SOLVED : CAROM_LCP_RAY;
}

/* One way to run the method. */
typedef struct attempt {
    int cover;
    double smallest; /* pivots below this part of their column are zero */
} attempt;

static carom_lcp_outcome try_once(tableau *t, const carom_lcp *lcp, attempt a, double tolerance,
                                  int limit, polish_work *p, double *z, int *pivots)
{
    tableau_fill(t, lcp, a.cover);
    int column = t->n;
    carom_lcp_outcome outcome = run(t, a.smallest, limit, pivots, &column);
    read_point(t, z);
    bool good = polish(t, lcp, p, z) <= tolerance;
    if (good) /* even on a ray: then z0 is zero by rounding */
        return judge(t, lcp, z, p->x);
    if (outcome != CAROM_LCP_RAY)
        return CAROM_LCP_LIMIT;
    read_ray(t, column, p->x);
    return proves_infeasible(t, lcp, p->x) ? CAROM_LCP_INFEASIBLE : CAROM_LCP_RAY;
}

/* Ones in the caller's units, unless his rows differ in size by more than a thousand. */
static int natural_cover(const tableau *t)
{
    double low = HUGE_VAL, high = 0;
    for (int i = 0; i < t->n; i++) {
        low = fmin(low, t->r[i]);
        high = fmax(high, t->r[i]);
    }
    return high <= 1024 * low ? 0 : 1;
}

static carom_status solve(const carom_lcp *lcp, const carom_lcp_options *options,
                          carom_arena *arena, double *z, carom_lcp_info *info, carom_error *error)
{
    int n = lcp->n;
    tableau t;
    polish_work p;
    int *work = carom_arena_array(arena, (size_t)n * (size_t)n + 2 * (size_t)n, sizeof *work);
    if (!work || !tableau_take(&t, n, arena) || !polish_take(&p, n, arena))
        return carom_error_memory(error);
    carom_lcp_scale_equilibrate(lcp, work, t.r, t.c);
    int limit = options->max_iterations > 0 ? options->max_iterations : 100 * n + 1000;
    int first = natural_cover(&t);
    const attempt attempts[] = {{first, CAROM_TOLERANCE_SOLVED}, {first, CAROM_TOLERANCE_HALF},
                                {first, CAROM_TOLERANCE_SUM},    {1, CAROM_TOLERANCE_SOLVED},
                                {2, CAROM_TOLERANCE_SOLVED},     {3, CAROM_TOLERANCE_SOLVED}};
    /* asked for by name, a ray is the answer; the automatic choice tries other coverings */
    int count = options->algorithm == CAROM_LCP_LEMKE ? 3 : 6;
    for (int k = 0; k < count; k++) {
        int pivots = 0;
        carom_lcp_outcome outcome =
            try_once(&t, lcp, attempts[k], options->tolerance, limit, &p, z, &pivots);
        if (k > 0 && (outcome == CAROM_LCP_RAY || outcome == CAROM_LCP_LIMIT))
            continue;
        info->outcome = outcome;
        info->iterations = pivots;
        if (outcome == CAROM_LCP_SOLVED || outcome == CAROM_LCP_INFEASIBLE)
            break;
    }
    return CAROM_OK;
}

const carom_lcp_solver carom_lcp_lemke_table = {
    {CAROM_LCP_LEMKE, "lemke",
     "Lemke's method, lexicographic; any M; ends with a solution or on a ray",
     "Lemke, Bimatrix equilibrium points and mathematical programming, 1965; Cottle, Pang, Stone, "
     "The Linear Complementarity Problem, 1992, section 4.4"},
    solve,
    false,
    0};
