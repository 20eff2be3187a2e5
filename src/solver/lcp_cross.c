/* Principal pivots in a tableau, the index of most energy first; in pairs, as in the criss-cross
 * method of den Hertog, Roos and Terlaky, where the diagonal entry is zero. No proof of an end is
 * needed: the number of pivots is limited, and the caller verifies the point. */
#include "solver/lcp_cross.h"

#include "carom/tolerance.h"
#include "linalg/wide.h"
#include "solver/lcp_measure.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { N = CAROM_LCP_SMALL };

typedef carom_lcp_cross tableau;

static const double FAINT = CAROM_TOLERANCE_HALF; /* entries and determinants below this are zero */
/* Sums below this part of their terms are rounding. */
static const double SUMMED = CAROM_TOLERANCE_SUM;
/* Negative values below this part of the first are rounding. */
static const double NOISE = CAROM_TOLERANCE_SUM;

#define INLINE CAROM_LCP_INLINE

/* f(..., rows) with a number of rows the compiler knows. */
#define BY_ROWS(rows, f, ...)                                                                      \
    do {                                                                                           \
        switch (rows) {                                                                            \
        case 2:                                                                                    \
            f(__VA_ARGS__, 2);                                                                     \
            break;                                                                                 \
        case 4:                                                                                    \
            f(__VA_ARGS__, 4);                                                                     \
            break;                                                                                 \
        case 6:                                                                                    \
            f(__VA_ARGS__, 6);                                                                     \
            break;                                                                                 \
        case 8:                                                                                    \
            f(__VA_ARGS__, 8);                                                                     \
            break;                                                                                 \
        case 10:                                                                                   \
            f(__VA_ARGS__, 10);                                                                    \
            break;                                                                                 \
        case 12:                                                                                   \
            f(__VA_ARGS__, 12);                                                                    \
            break;                                                                                 \
        case 14:                                                                                   \
            f(__VA_ARGS__, 14);                                                                    \
            break;                                                                                 \
        default:                                                                                   \
            f(__VA_ARGS__, 16);                                                                    \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

/* M with an empty row below each column if n is odd, and zeros outside the band. */
static void pad(tableau *t, const double *M, int reach)
{
    int n = t->n, rows = t->rows;
    for (int j = 0; j < n; j++) {
        double *Aj = t->copy + j * rows;
        Aj[rows - 1] = 0;
        for (int i = 0; i < n; i++)
            Aj[i] = i - j <= reach && j - i <= reach ? M[i + j * n] : 0;
    }
    t->M = t->copy;
}

INLINE void fill(tableau *t, int rows)
{
    int n = t->n;
    double *restrict v = t->T + n * rows;
    memcpy(t->T, t->M, (size_t)(n * rows) * sizeof *t->T);
    t->unit[rows - 1] = 1;
    t->positive = true;
    for (int i = 0; i < n; i++) {
        double d = t->M[i + i * rows];
        t->positive = t->positive && d > 0;
        t->unit[i] = d != 0 ? fabs(d) : 1;
    }
    for (int i = 0; i < rows; i++) {
        v[i] = t->q[i];
        t->in[i] = false;
        t->weight[i] = 1 / t->unit[i];
        t->other[i] = t->unit[i];
    }
}

static void fill_any(tableau *t)
{
    BY_ROWS(t->rows, fill, t);
}

void carom_lcp_cross_fill(tableau *t, const carom_lcp *lcp)
{
    int n = lcp->n, reach = lcp->bandwidth > 0 ? lcp->bandwidth : n;
    t->n = n;
    t->rows = (n + 1) & ~1;
    t->pivots = 0;
    t->M = lcp->M;
    t->q[t->rows - 1] = t->size[t->rows - 1] = 0;
    for (int i = 0; i < n; i++) {
        t->q[i] = lcp->q[i];
        t->size[i] = fabs(lcp->q[i]);
    }
    for (int i = 0; lcp->q_size && i < n; i++)
        t->size[i] = lcp->q_size[i] > t->size[i] ? lcp->q_size[i] : t->size[i]; /* stays NaN */
    if (t->rows > n || reach < n - 1)
        pad(t, lcp->M, reach);
    fill_any(t);
}

INLINE void evaluate(const tableau *t, const double *z, double *w, double *s, int rows)
{
    double W[N], S[N];
    for (int i = 0; i < rows; i++) {
        W[i] = t->q[i];
        S[i] = t->size[i];
    }
    for (int j = 0; j < t->n; j++) {
        const double *Mj = t->M + j * rows, x = z[j];
        for (int i = 0; i < rows; i++) {
            double term = Mj[i] * x;
            W[i] += term;
            S[i] += fabs(term);
        }
    }
    for (int i = 0; i < rows; i++) {
        w[i] = W[i];
        s[i] = S[i];
    }
}

CAROM_WIDE_SHORT static void evaluate_any(const tableau *t, const double *z, double *w, double *s)
{
    BY_ROWS(t->rows, evaluate, t, z, w, s);
}

void carom_lcp_cross_evaluate(const tableau *t, const double *z, double *w, double *s)
{
    evaluate_any(t, z, w, s);
}

INLINE void change_side(tableau *t, int k)
{
    double weight = t->weight[k];
    t->weight[k] = t->other[k];
    t->other[k] = weight;
    t->in[k] = !t->in[k];
    t->pivots++;
}

/* The exchange. What is read first afterwards, weights and values, is written first: a vector
 * cannot be read at once where a single number of it has just been written. */
INLINE void exchange(tableau *t, int k, int rows)
{
    double C[N], *restrict T = t->T, inverse = 1 / T[k + k * rows];
    change_side(t, k);
    for (int i = 0; i < rows; i++)
        C[i] = T[i + k * rows];
    for (int j = t->n; j >= 0; j--) {
        double *Tj = T + j * rows, f = -Tj[k] * inverse;
        if (f == 0)
            continue;
        for (int i = 0; i < rows; i++)
            Tj[i] += C[i] * f;
        Tj[k] = f;
    }
    for (int i = 0; i < rows; i++)
        T[i + k * rows] = C[i] * inverse;
    T[k + k * rows] = inverse;
}

void carom_lcp_cross_pivot(tableau *t, int k)
{
    exchange(t, k, t->rows);
}

/* The index whose exchange would lower the energy most, were all others left alone, of equal ones
 * the last; -1: no v_i is negative beyond rounding. The first choice sets the scale of energies. */
INLINE int choose(tableau *t, int rows)
{
    const double *v = t->T + t->n * rows;
    double change[N], least = 0;
    int k = -1;
    for (int i = 0; i < rows; i++)
        change[i] = v[i] * fabs(v[i]) * t->weight[i];
    for (int i = 0; i < rows; i++)
        if (change[i] <= least) {
            least = change[i];
            k = i;
        }
    if (t->pivots == 0)
        t->least = -NOISE * NOISE * least;
    return -least > t->least ? k : -1;
}

/* The inverse of the principal block of two pairs. */
typedef struct block {
    double kk, kl, lk, ll;
    bool regular;
} block;

INLINE block invert_block(const tableau *t, int k, int l, int rows)
{
    const double *Tk = t->T + k * rows, *Tl = t->T + l * rows;
    double a = Tk[k] * Tl[l], b = Tl[k] * Tk[l], inverse = 1 / (a - b);
    return (block){Tl[l] * inverse, -Tl[k] * inverse, -Tk[l] * inverse, Tk[k] * inverse,
                   fabs(a - b) > CAROM_TOLERANCE_REGULAR * (fabs(a) + fabs(b)) &&
                       fabs(a - b) * t->weight[k] * t->weight[l] > FAINT};
}

/* Exchange w_k, z_k and w_l, z_l together. */
INLINE void exchange_pair(tableau *t, int k, int l, int rows)
{
    double C[N], D[N], *restrict T = t->T;
    block B = invert_block(t, k, l, rows);
    change_side(t, k);
    change_side(t, l);
    for (int i = 0; i < rows; i++) {
        C[i] = T[i + k * rows];
        D[i] = T[i + l * rows];
    }
    for (int j = t->n; j >= 0; j--) {
        double *Tj = T + j * rows;
        double f = -(B.kk * Tj[k] + B.kl * Tj[l]), g = -(B.lk * Tj[k] + B.ll * Tj[l]);
        for (int i = 0; i < rows; i++)
            Tj[i] += C[i] * f + D[i] * g;
        Tj[k] = f;
        Tj[l] = g;
    }
    for (int i = 0; i < rows; i++) {
        T[i + k * rows] = C[i] * B.kk + D[i] * B.lk;
        T[i + l * rows] = C[i] * B.kl + D[i] * B.ll;
    }
    T[k + k * rows] = B.kk;
    T[k + l * rows] = B.kl;
    T[l + k * rows] = B.lk;
    T[l + l * rows] = B.ll;
}

/* The number of negative values after that; more than n when it cannot be done. */
INLINE int negatives_after(const tableau *t, int k, int l, int rows)
{
    const double *Tk = t->T + k * rows, *Tl = t->T + l * rows, *v = t->T + t->n * rows;
    block B = invert_block(t, k, l, rows);
    double x[N], xk = -(B.kk * v[k] + B.kl * v[l]), xl = -(B.lk * v[k] + B.ll * v[l]);
    int count = 0;
    for (int i = 0; i < rows; i++)
        x[i] = v[i] + Tk[i] * xk + Tl[i] * xl;
    x[k] = xk;
    x[l] = xl;
    for (int i = 0; i < rows; i++)
        count += x[i] * fabs(x[i]) * t->weight[i] < -t->least;
    return B.regular ? count : rows + 1;
}

/* v_k < 0 and T_kk is zero: another pair must take part, one that raises v_k. The best is the one
 * after which the fewest values are negative. False when there is none. */
INLINE bool find_pair(tableau *t, int k, int rows)
{
    int best = -1, least = rows + 1;
    for (int l = 0; l < t->n; l++) {
        double a = t->T[k + l * rows];
        if (l == k || a <= 0 || !(a * a * t->weight[l] * t->weight[k] > FAINT * FAINT))
            continue;
        int count = negatives_after(t, k, l, rows);
        if (count < least) {
            least = count;
            best = l;
        }
    }
    if (best < 0)
        return false;
    exchange_pair(t, k, best, rows);
    return true;
}

/* Rare, so unrolled for the smallest tableaus only. */
static bool pivot_pair(tableau *t, int k)
{
    return t->rows == 4 ? find_pair(t, k, 4) : find_pair(t, k, t->rows);
}

carom_lcp_cross_kind carom_lcp_cross_classify(const tableau *t, int k)
{
    const double *Tk = t->T + k * t->rows;
    double unit = t->unit[k], size = unit;
    if (Tk[k] > CAROM_TOLERANCE_REGULAR * unit)
        return CAROM_LCP_CROSS_FREE;
    if (fabs(Tk[k]) <= CAROM_TOLERANCE_SUM * unit)
        return CAROM_LCP_CROSS_DEPENDENT;
    for (int i = 0; i < t->n; i++)
        if (t->in[i])
            size += Tk[i] * Tk[i] * t->unit[i];
    return fabs(Tk[k]) <= CAROM_TOLERANCE_SUM * size ? CAROM_LCP_CROSS_DEPENDENT
                                                     : CAROM_LCP_CROSS_UNCLEAR;
}

/* For a dependent k, v_k is the sum of the terms of w_k and, by way of T_kF, of those of w_F. Is it
 * zero but for their rounding? */
static bool is_rounding(const tableau *t, int k)
{
    const double *v = t->T + t->n * t->rows;
    double sum = 0;
    for (int i = 0; i < t->n; i++) {
        double part = i == k ? 1 : t->in[i] ? fabs(t->T[k + i * t->rows]) : 0, size = t->size[i];
        for (int j = 0; part > 0 && j < t->n; j++)
            size += t->in[j] ? fabs(t->M[i + j * t->rows] * v[j]) : 0;
        sum += part * size;
    }
    return fabs(v[k]) <= SUMMED * sum;
}

/* Is the pivot T_kk large enough against M_kk, or its inverse against 1 / M_kk? */
INLINE bool is_trusted(const tableau *t, int k, int rows)
{
    double d = t->T[k + k * rows];
    return d * t->weight[k] > CAROM_TOLERANCE_REGULAR;
}

INLINE bool run(tableau *t, bool symmetric, int rows)
{
    for (int limit = 4 * t->n + 10; t->pivots < limit;) {
        int k = choose(t, rows);
        if (k < 0)
            return true;
        if (is_trusted(t, k, rows)) {
            exchange(t, k, rows);
            continue;
        }
        if (symmetric && (t->in[k] || carom_lcp_cross_classify(t, k) != CAROM_LCP_CROSS_DEPENDENT))
            return false;
        if (symmetric && is_rounding(t, k))
            t->weight[k] = 0; /* it is not chosen again */
        else if (!pivot_pair(t, k))
            return false;
    }
    return false;
}

CAROM_WIDE_SHORT static bool run_any(tableau *t, bool symmetric)
{
    bool done;
    BY_ROWS(t->rows, done = run, t, symmetric);
    return done;
}

bool carom_lcp_cross_run(tableau *t, bool symmetric)
{
    return run_any(t, symmetric);
}
