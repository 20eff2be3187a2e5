/* Proofs that a cell of the search for solutions is empty.
 *
 * What least squares leave, y = c - B s, separates c from the cone of the columns: y'c > 0 >= y'B,
 * while c = B s would make y'c a sum of products that are none of them positive. A product that is
 * positive by rounding would need impulses of y'c over it. Where the working precision leaves these
 * within reach, y is made again in doubled precision, from the rows: the part of c that the columns
 * in use do not span. */
#include "law/coulomb_separate.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/wide.h"
#include "solver/instant_rows.h"

#include <float.h>
#include <math.h>

#include "base/short_loops.h"

enum { LARGEST = CAROM_COULOMB_SETTLED };

/* Impulses beyond this many times those that stop the velocities given are none. */
static const double OUT_OF_REACH = 0x1p40;

/* What is left of a column that the others span, times what was left of the shortest of these. */
static const double DEPENDENT = 0x1p20 * DOUBLED_UNIT;

carom_status carom_coulomb_separate_make(const carom_coulomb *f, int most, carom_arena *arena,
                                         carom_coulomb_separate *made, carom_error *error)
{
    const size_t N = (size_t)f->N;
    *made = (carom_coulomb_separate){.f = f, .known = f->n > 0 && f->N <= LARGEST};
    if (!made->known)
        return CAROM_OK;
    made->A = carom_arena_array(arena, 2 * N * N + N * (size_t)most + 2 * N, sizeof *made->A);
    if (!made->A)
        return carom_error_memory(error);
    made->Q = made->A + N * N;
    made->b = made->Q + N * N;
    made->y = made->b + N;
    made->B = made->y + N;
    return CAROM_OK;
}

CAROM_FUSED static void fill(carom_coulomb_separate *w)
{
    const carom_coulomb *f = w->f;
    w->filled = true;
    struct carom_instant_rows rows;
    carom_coulomb_instant(f, &rows);
    carom_instant_rows_gram(&rows, f->N, w->A);
    for (int c = 0; c < f->N; c++)
        w->b[c] = doubled_add_double((doubled){f->b[c], 0}, f->rest ? f->rest[c] / f->scale[c] : 0);
}

/* The impulse that a column has at row k of contact i: friction -+mu times the normal impulse as
 * given, before it was scaled and rounded. */
static doubled share(const carom_coulomb *f, int i, int k, const double *g)
{
    const int r = f->row[i];
    if (k == r + 1 && f->row[i + 1] == r + 2 && fabs(g[k]) == f->mu_d[i] && g[r] == 1) {
        const doubled mu =
            doubled_divide_double(doubled_product(f->mu[i], f->scale[k]), f->scale[r]);
        return g[k] < 0 ? doubled_negate(mu) : mu;
    }
    return (doubled){g[k], 0};
}

/* The size of column j: of its impulse, or of its velocity. In kinetic units a column is no longer
 * than its impulse, and dependent ones are shorter. */
static double impulse_of(const carom_coulomb_separate *w, const carom_coulomb_cell *cell, int j)
{
    const double size = carom_dense_norm(w->f->N, cell->G + (size_t)j * (size_t)w->f->N);
    return size > 0 ? size : carom_dense_norm(cell->rows, cell->B + (size_t)j * (size_t)cell->rows);
}

/* The columns of the cell, in units of their impulses: their signs are all that counts. */
CAROM_FUSED static void fill_columns(carom_coulomb_separate *w, const carom_coulomb_cell *cell)
{
    const carom_coulomb *f = w->f;
    const size_t m = (size_t)cell->rows, N = (size_t)f->N;
    for (int j = 0; j < cell->columns; j++) {
        const double *g = cell->G + (size_t)j * N, *plain = cell->B + (size_t)j * m;
        doubled *own = w->B + (size_t)j * m;
        const double unit = 1 / impulse_of(w, cell, j);
        const bool impulse = carom_dense_max(f->N, g) > 0;
        for (size_t e = 0; e < m; e++)
            own[e] = (doubled){impulse ? 0 : unit * plain[e], 0};
        for (int i = 0; i < f->p && impulse; i++)
            for (int k = f->row[i]; k < f->row[i + 1]; k++) {
                const doubled x = share(f, i, k, g);
                for (size_t e = 0; e < N && g[k] != 0; e++)
                    if (cell->at[e] >= 0)
                        own[cell->at[e]] = doubled_add(
                            own[cell->at[e]],
                            doubled_multiply(doubled_scale(w->A[e + (size_t)k * N], unit), x));
            }
    }
}

CAROM_FUSED static doubled product(int m, const doubled *a, const doubled *b)
{
    doubled sum = {0, 0};
    for (int k = 0; k < m; k++)
        sum = doubled_add(sum, doubled_multiply(a[k], b[k]));
    return sum;
}

/* a -= (a'q) q, for q of unit length. */
CAROM_FUSED static void take_away(int m, doubled *a, const doubled *q)
{
    const doubled t = doubled_negate(product(m, a, q));
    for (int k = 0; k < m; k++)
        a[k] = doubled_add(a[k], doubled_multiply(t, q[k]));
}

/* Column j joins those that y is orthogonal to; Q holds an orthonormal basis of them. */
CAROM_FUSED static void join(carom_coulomb_separate *w, int m, int j)
{
    doubled *own = w->Q + (size_t)w->basis * (size_t)m;
    for (int k = 0; k < m; k++)
        own[k] = w->B[(size_t)k + (size_t)j * (size_t)m];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < w->basis; i++)
            take_away(m, own, w->Q + (size_t)i * (size_t)m);
        const double length = sqrt(product(m, own, own).hi), unit = 1 / length;
        if (pass == 0 && !(length * w->shortest > DEPENDENT))
            return;
        w->shortest = pass == 0 ? fmin(w->shortest, length) : w->shortest;
        for (int k = 0; k < m; k++)
            own[k] = doubled_scale(own[k], unit);
    }
    take_away(m, w->y, own);
    take_away(m, w->y, own);
    w->basis++;
}

/* The column that has most of y for its impulse, *ahead. */
static int find_ahead(const carom_coulomb_separate *w, const carom_coulomb_cell *cell,
                      double *ahead)
{
    int first = -1;
    *ahead = 0;
    for (int j = 0; j < cell->columns; j++) {
        const double own = product(cell->rows, w->B + (size_t)j * (size_t)cell->rows, w->y).hi;
        if (own > *ahead) {
            *ahead = own;
            first = j;
        }
    }
    return first;
}

/* Is what separates more than rounding: long enough, and no column before it within reach? ahead:
 * the most of y that a column has for its impulse, with its rounding. */
static bool is_proof(const carom_coulomb_cell *cell, double length, double least, double ahead)
{
    return length > least * cell->size && length * length > OUT_OF_REACH * ahead * cell->size;
}

static void start(carom_coulomb_separate *w, const carom_coulomb_cell *cell)
{
    w->basis = 0;
    w->shortest = 1;
    for (int e = 0; e < w->f->N; e++)
        if (cell->at[e] >= 0)
            w->y[cell->at[e]] = doubled_negate(w->b[e]);
}

/* The same with y of twice the digits: the part of c that the columns in use do not span, all but
 * the column `without`. What is before y by more than rounding joins them. */
static bool separates_wide(carom_coulomb_separate *w, const carom_coulomb_cell *cell,
                           double rounding, int without)
{
    const int m = cell->rows;
    start(w, cell);
    for (int j = 0; j < cell->columns && w->basis < m; j++)
        if (cell->s[j] > 0 && j != without)
            join(w, m, j);
    for (;;) {
        double ahead;
        const int j = find_ahead(w, cell, &ahead), before = w->basis;
        const double left = sqrt(product(m, w->y, w->y).hi);
        if (is_proof(cell, left, cell->least, ahead + rounding * DOUBLED_UNIT * left))
            return true;
        if (j < 0 || before == m)
            return false;
        join(w, m, j);
        if (w->basis == before)
            return false;
    }
}

/* As many columns as equations, and independent: B s = c has one solution, and y, the part of c
 * without the others' span, is s_j times what column j has beyond them. Does some s_j pull? */
static bool has_pull(carom_coulomb_separate *w, const carom_coulomb_cell *cell)
{
    const int m = cell->rows;
    bool pulls = false;
    for (int j = 0; j < m && !pulls && cell->columns == m; j++) {
        start(w, cell);
        for (int i = 0; i < m; i++)
            if (i != j)
                join(w, m, i);
        const double left = sqrt(product(m, w->y, w->y).hi);
        const double along = product(m, w->B + (size_t)j * (size_t)m, w->y).hi;
        const double rounding = DEPENDENT / w->shortest;
        if (w->basis < m - 1)
            return false;
        pulls = along < 0 && left > rounding * cell->size && -along > rounding * left;
    }
    return pulls;
}

bool carom_coulomb_separates(carom_coulomb_separate *w, const carom_coulomb_cell *cell)
{
    const int m = cell->rows;
    const double length = carom_dense_norm(m, cell->y), rounding = 2 * (m + w->f->n);
    double ahead = 0;
    for (int j = 0; j < cell->columns; j++) {
        const double *column = cell->B + (size_t)j * (size_t)m;
        ahead = fmax(ahead, carom_dense_dot(m, column, cell->y) / impulse_of(w, cell, j));
    }
    if (is_proof(cell, length, CAROM_TOLERANCE_HALF, ahead + rounding * DBL_EPSILON * length))
        return true;
    if (!w->known || !(length >= cell->least * cell->size))
        return false;
    if (!w->filled)
        fill(w);
    fill_columns(w, cell);
    bool proved = separates_wide(w, cell, rounding, -1);
    /* a column in use by rounding alone would have to pull: y, without it, is behind it */
    for (int j = 0; j < cell->columns && !proved && cell->least == 0; j++)
        proved = cell->s[j] > 0 && separates_wide(w, cell, rounding, j);
    return proved || (cell->least == 0 && has_pull(w, cell));
}
