/* docs/theory/p-matrix.md: cheap sufficient conditions, then the recursion of Tsatsomeros and Li
 * with running error bounds, in doubles and, where those do not tell, in twice the precision. */
#include "carom/certify.h"

#include "carom/need.h"
#include "carom/tolerance.h"
#include "certify/exact.h"
#include "linalg/cholesky.h"
#include "linalg/doubled.h"
#include "linalg/lu.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

enum {
    RECURSION_LIMIT = 30, /* rows; more would take hours */
    MINORS_LIMIT = 14     /* rows for minors one by one */
};

typedef struct job {
    int n;
    const double *A;           /* scaled to unit diagonal */
    const double *uncertainty; /* scaled, or NULL */
    const double *unscaled;    /* A as given, for exact minors */
    const carom_watch *watch;
    double **level;     /* level[k]: values, k x k */
    double **low;       /* their low parts (twice the precision), or NULL */
    double **doubt;     /* error bounds */
    int *set;           /* the minor so far */
    double nodes, done; /* for the watch */
    bool precise;       /* twice the precision */
    bool ambiguous;     /* some sign is not known */
    bool stopped;
    int minor_count; /* of the violating minor, when found */
} job;

static bool watched(job *w)
{
    w->nodes++;
    if (w->watch && fmod(w->nodes, 16384) == 0 &&
        !w->watch->go_on(w->watch->self, "P-matrix", w->done))
        w->stopped = true;
    return !w->stopped;
}

/* Rows and columns 1 ... k-1 of level k, unchanged, to level k-1. */
static void drop(job *w, int k)
{
    int r = k - 1;
    for (int j = 0; j < r; j++) {
        memcpy(w->level[r] + j * r, w->level[k] + (j + 1) * k + 1, sizeof(double) * r);
        memcpy(w->doubt[r] + j * r, w->doubt[k] + (j + 1) * k + 1, sizeof(double) * r);
        if (w->precise)
            memcpy(w->low[r] + j * r, w->low[k] + (j + 1) * k + 1, sizeof(double) * r);
    }
}

/* Bound of the error of a - b c / p, all with error bounds, computed with unit rounding u. */
static double bound(double da, double b, double db, double c, double dc, double p, double dp,
                    double result, double u)
{
    double least = p - dp;
    double product = fabs(b) * dc + fabs(c) * db + db * dc;
    double quotient = fabs(b * c);
    double e = da + product / least + quotient * dp / (p * least);
    return (e + u * (2 * quotient / p + fabs(result))) * (1 + CAROM_TOLERANCE_SUM) + DBL_MIN;
}

/* The Schur complement of entry (0, 0) of level k, to level k-1. */
static void complement(job *w, int k)
{
    int r = k - 1;
    const double *a = w->level[k], *d = w->doubt[k], *l = w->low[k];
    double p = a[0], dp = d[0];
    for (int j = 1; j < k; j++)
        for (int i = 1; i < k; i++) {
            double b = a[i], c = a[(size_t)j * k], aij = a[i + (size_t)j * k];
            size_t to = (i - 1) + (size_t)(j - 1) * r, from = i + (size_t)j * k;
            double value;
            if (b == 0 && d[i] == 0) {
                value = aij;
                w->doubt[r][to] = d[from];
                if (w->precise)
                    w->low[r][to] = l[from];
            } else if (!w->precise) {
                value = aij - b * c / p;
                w->doubt[r][to] =
                    bound(d[from], b, d[i], c, d[(size_t)j * k], p, dp, value, 2 * DBL_EPSILON);
            } else {
                doubled t = doubled_divide(
                    doubled_multiply((doubled){b, l[i]}, (doubled){c, l[(size_t)j * k]}),
                    (doubled){p, l[0]});
                t = doubled_add((doubled){aij, l[from]}, doubled_negate(t));
                value = t.hi;
                w->low[r][to] = t.lo;
                w->doubt[r][to] =
                    bound(d[from], b, d[i], c, d[(size_t)j * k], p, dp, value, 8 * DOUBLED_UNIT);
            }
            w->level[r][to] = value;
        }
}

/* The sign of entry (0, 0) of level k; the minor is set[0 ... count-1]. 0: not known. */
static int pivot_sign(job *w, int k, int count, bool *zero)
{
    double p = w->level[k][0], doubt = w->doubt[k][0];
    *zero = false;
    if (p > doubt)
        return 1;
    if (p < -doubt || (p == 0 && doubt == 0)) {
        *zero = p == 0;
        return -1;
    }
    int sign;
    if (w->precise && !w->uncertainty &&
        carom_exact_minor(w->n, w->unscaled, count, w->set, &sign)) {
        *zero = sign == 0;
        return sign > 0 ? 1 : -1;
    }
    return 0;
}

/* All minors that contain set[0 ... count-1] and any rows of the last k. True: violation found. */
static bool recurse(job *w, int k, int count, double share)
{
    if (k == 0) {
        w->done += share;
        return false;
    }
    if (!watched(w))
        return false;
    w->set[count] = w->n - k;
    bool zero;
    int sign = pivot_sign(w, k, count + 1, &zero);
    if (sign < 0) {
        w->minor_count = count + 1;
        return true;
    }
    if (sign == 0)
        w->ambiguous = true;
    else {
        complement(w, k);
        if (recurse(w, k - 1, count + 1, share / 2))
            return true;
    }
    /* Level k is intact: the recursion works on smaller ones only. */
    drop(w, k);
    return recurse(w, k - 1, count, share / 2);
}

static carom_status search(job *w, carom_arena *arena, bool *found, carom_error *error)
{
    int n = w->n;
    w->level = carom_arena_array(arena, n + 1, sizeof(double *));
    w->low = carom_arena_array(arena, n + 1, sizeof(double *));
    w->doubt = carom_arena_array(arena, n + 1, sizeof(double *));
    if (!w->level || !w->low || !w->doubt)
        return carom_error_memory(error);
    for (int k = 0; k <= n; k++) {
        w->level[k] = carom_arena_doubles(arena, (size_t)k * k);
        w->doubt[k] = carom_arena_doubles(arena, (size_t)k * k);
        w->low[k] = carom_arena_zeros(arena, (size_t)k * k, sizeof(double));
        if (!w->level[k] || !w->doubt[k] || !w->low[k])
            return carom_error_memory(error);
    }
    for (int round = 0; round < 2; round++) {
        w->precise = round == 1;
        w->ambiguous = false;
        w->done = 0;
        memcpy(w->level[n], w->A, sizeof(double) * n * n);
        for (int k = 0; k < n * n; k++)
            w->doubt[n][k] = w->uncertainty ? w->uncertainty[k] : 0;
        *found = recurse(w, n, 0, 1);
        if (*found || !w->ambiguous || w->stopped)
            break;
    }
    return CAROM_OK;
}

/* Is the symmetric part positive definite, beyond the errors of the entries? */
static bool is_definite(int n, const double *A, const double *uncertainty, double *work)
{
    double largest = 0, doubt = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t ij = i + (size_t)j * n, ji = j + (size_t)i * n;
            work[ij] = 0.5 * (A[ij] + A[ji]);
            largest = fmax(largest, fabs(work[ij]));
            if (uncertainty)
                doubt = fmax(doubt, fmax(uncertainty[ij], uncertainty[ji]));
        }
    double shift = n * (doubt + 4.0 * n * DBL_EPSILON * largest);
    for (int i = 0; i < n; i++)
        work[i + (size_t)i * n] -= shift;
    return carom_cholesky_factor(n, work, n) == 0;
}

/* Is the comparison matrix (|a_ii|, -|a_ij|) an M-matrix, so that A is one with its signs changed
 * at most (an H-matrix with positive diagonal)? x > 0 with (comparison) x > 0 proves it; x is found
 * by Jacobi sweeps on the unit right-hand side. Strict diagonal dominance is x = 1. */
static const char *is_dominant(int n, const double *A, const double *uncertainty, double *x,
                               double *next)
{
    bool signs = true;
    for (int i = 0; i < n; i++)
        x[i] = 1;
    for (int round = 0; round < 60; round++) {
        bool proved = true;
        for (int i = 0; i < n; i++) {
            double sum = 0, doubt = uncertainty ? uncertainty[i + (size_t)i * n] : 0;
            for (int j = 0; j < n; j++) {
                if (j == i)
                    continue;
                size_t ij = i + (size_t)j * n;
                signs = signs && A[ij] <= 0;
                sum += (fabs(A[ij]) + (uncertainty ? uncertainty[ij] : 0)) * x[j];
            }
            double diagonal = A[i + (size_t)i * n] - doubt;
            proved = proved && diagonal > 0 &&
                     diagonal * x[i] > sum * (1 + 4.0 * n * DBL_EPSILON) + DBL_MIN;
            next[i] = (1 + sum) / fmax(diagonal, DBL_MIN);
        }
        if (proved)
            return signs ? "M-matrix" : round == 0 ? "diagonally dominant" : "H-matrix";
        double largest = 0;
        for (int i = 0; i < n; i++)
            largest = fmax(largest, next[i]);
        if (!(largest < 1e12))
            return NULL;
        memcpy(x, next, sizeof(double) * n);
    }
    return NULL;
}

/* x = (-A[s,s]^-1 A[s,i], 1) on the minor s + {i}: then A x vanishes on s and is the Schur
 * complement, <= 0, in row i. i is the last row of the minor, or, where A[s,s] then is singular or
 * not positive, another one. *made: there is such a vector. */
static carom_status reversed_vector(int n, const double *A, int count, const int *minor,
                                    carom_arena *arena, double *x, bool *made, carom_error *error)
{
    const int s = count - 1;
    carom_mark mark = carom_arena_mark(arena);
    double *LU = carom_arena_doubles(arena, (size_t)s * (size_t)(s + 1) + 1);
    int *pivot = carom_arena_array(arena, 2 * (size_t)count, sizeof *pivot), *rows = pivot + count;
    if (!LU || !pivot)
        return carom_error_memory(error);
    double *y = LU + (size_t)s * s;
    *made = false;
    for (int last = count - 1; last >= 0 && !*made; last--) {
        int sign = 1, k = 0;
        for (int i = 0; i < count; i++)
            if (i != last)
                rows[k++] = minor[i];
        for (int j = 0; j < s; j++) {
            y[j] = -A[rows[j] + (size_t)minor[last] * n];
            for (int i = 0; i < s; i++)
                LU[i + (size_t)j * s] = A[rows[i] + (size_t)rows[j] * n];
        }
        if (s > 0 && carom_lu_factor(s, LU, s, pivot, 64.0 * n * DBL_EPSILON) != 0)
            continue;
        for (int i = 0; i < s; i++)
            sign *= (LU[i * (size_t)(s + 1)] < 0 ? -1 : 1) * (pivot[i] != i ? -1 : 1);
        if (sign < 0)
            continue;
        carom_lu_solve(s, LU, s, pivot, y);
        memset(x, 0, sizeof *x * (size_t)n);
        x[minor[last]] = 1;
        for (int i = 0; i < s; i++)
            x[rows[i]] = y[i];
        *made = true;
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* Scale to unit diagonal with powers of two (exact): B = S A R, S R = 2^-e. */
static void equilibrate(int n, const double *A, const double *uncertainty, double *B, double *U)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int ei, ej;
            frexp(A[i + (size_t)i * n], &ei);
            frexp(A[j + (size_t)j * n], &ej);
            int e = -(ei >> 1) - (ej - (ej >> 1));
            B[i + (size_t)j * n] = ldexp(A[i + (size_t)j * n], e);
            if (uncertainty)
                U[i + (size_t)j * n] = ldexp(fabs(uncertainty[i + (size_t)j * n]), e);
        }
}

/* The sign of det A[set, set] beyond doubt, or 0: by elimination with row pivoting. The determinant
 * changes by less than itself while sum |A^-1|_ji (uncertainty + rounding of the factors)_ij < 1/2.
 * work: 3 count^2. */
static int sure_sign(int n, const double *A, const double *uncertainty, int count, const int *set,
                     double *work, int *pivot)
{
    double *LU = work, *inverse = LU + (size_t)count * count;
    const size_t k = (size_t)count;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++) {
            LU[i + j * k] = A[set[i] + (size_t)set[j] * n];
            inverse[i + j * k] = i == j;
        }
    if (carom_lu_factor(count, LU, count, pivot, 0) != 0)
        return 0;
    for (size_t j = 0; j < k; j++)
        carom_lu_solve(count, LU, count, pivot, inverse + j * k);
    double off = 0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            double size = 0; /* row i of the permuted matrix: |L||U| bounds the rounding */
            for (size_t l = 0; l <= (i < j ? i : j); l++)
                size += (l == i ? 1 : fabs(LU[i + l * k])) * fabs(LU[l + j * k]);
            double most = 0, doubt = 0; /* over all rows: the permutation need not be undone */
            for (size_t r = 0; r < k; r++) {
                most = fmax(most, fabs(inverse[j + r * k]));
                if (uncertainty)
                    doubt = fmax(doubt, fabs(uncertainty[set[r] + (size_t)set[j] * n]));
            }
            off += most * (doubt + 4.0 * count * DBL_EPSILON * size);
        }
    int sign = 1;
    for (size_t i = 0; i < k; i++)
        sign *= (LU[i * (k + 1)] < 0 ? -1 : 1) * (pivot[i] != (int)i ? -1 : 1);
    return off < 0.5 ? sign : 0;
}

/* Every principal minor by itself, smallest sets first: one that is negative beyond doubt? The
 * recursion cannot pass a minor that may vanish. The set is left in w->set. */
static carom_status look_for_negative(int n, const double *A, const double *uncertainty, job *w,
                                      carom_arena *arena, bool *found, carom_error *error)
{
    carom_mark mark = carom_arena_mark(arena);
    double *work = carom_arena_doubles(arena, 3 * (size_t)n * n);
    int *pivot = carom_arena_array(arena, 2 * (size_t)n, sizeof *pivot), *set = pivot + n;
    if (!work || !pivot)
        return carom_error_memory(error);
    *found = false;
    for (int size = 2; size <= n && !*found && !w->stopped; size++)
        for (unsigned mask = 1; mask < 1u << n && !*found; mask++) {
            int count = 0;
            for (int i = 0; i < n; i++)
                if (mask >> i & 1)
                    set[count++] = i;
            if (count != size || !watched(w))
                continue;
            *found = sure_sign(n, A, uncertainty, count, set, work, pivot) < 0;
            if (*found) {
                memcpy(w->set, set, sizeof *set * (size_t)count);
                w->minor_count = count;
            }
        }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

static carom_status decide(int n, const double *A, const double *uncertainty, job *w,
                           carom_arena *arena, carom_p_matrix *answer, carom_error *error)
{
    double *B = carom_arena_doubles(arena, (size_t)n * n);
    double *U = uncertainty ? carom_arena_doubles(arena, (size_t)n * n) : NULL;
    double *work = carom_arena_doubles(arena, (size_t)n * n + 2 * (size_t)n);
    if (!B || !work || (uncertainty && !U))
        return carom_error_memory(error);
    /* Rows of order one first: nothing can be scaled by a diagonal that is not positive. */
    for (int i = 0; i < n; i++) {
        double a = A[i + (size_t)i * n], d = uncertainty ? fabs(uncertainty[i + (size_t)i * n]) : 0;
        if (a <= -d) {
            w->set[0] = i;
            w->minor_count = 1;
            answer->p_matrix = CAROM_FALSE;
            answer->method = "diagonal";
            return CAROM_OK;
        }
        if (a <= d) {
            answer->p_matrix = CAROM_UNDECIDED;
            answer->method = "diagonal";
        }
    }
    if (answer->p_matrix == CAROM_UNDECIDED)
        return CAROM_OK;
    equilibrate(n, A, uncertainty, B, U);
    const char *dominant = NULL;
    if (is_definite(n, B, U, work))
        answer->method = "positive definite";
    else if ((dominant = is_dominant(n, B, U, work, work + n)))
        answer->method = dominant;
    else if (n > RECURSION_LIMIT) {
        answer->p_matrix = CAROM_UNDECIDED;
        answer->stopped = true;
        answer->method = "none: too large for the recursion";
    } else {
        w->A = B;
        w->uncertainty = U;
        w->unscaled = A;
        bool found;
        carom_status status = search(w, arena, &found, error);
        answer->method = w->precise ? "recursion, in doubled precision" : "recursion";
        if (status == CAROM_OK && !found && w->ambiguous && !w->stopped && n <= MINORS_LIMIT) {
            status = look_for_negative(n, B, U, w, arena, &found, error);
            answer->method = found ? "minors one by one" : answer->method;
        }
        if (status != CAROM_OK)
            return status;
        answer->nodes = w->nodes;
        answer->stopped = w->stopped;
        answer->p_matrix = found                        ? CAROM_FALSE
                           : w->ambiguous || w->stopped ? CAROM_UNDECIDED
                                                        : CAROM_TRUE;
    }
    return CAROM_OK;
}

carom_status carom_p_matrix_test(int n, const double *A, const double *uncertainty,
                                 const carom_watch *watch, carom_arena *arena,
                                 carom_p_matrix *answer, carom_error *error)
{
    CAROM_NEED(error, A, arena, answer);
    if (n < 0 || (n && !A))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "P-matrix test: %d rows%s", n,
                               n < 0 ? "" : ", but no matrix");
    for (size_t k = 0; k < (size_t)n * n; k++)
        if (!isfinite(A[k]) || (uncertainty && !isfinite(uncertainty[k])))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "P-matrix test: entry (%d, %d) is not a finite number",
                                   (int)(k % n) + 1, (int)(k / n) + 1);
    int *minor = carom_arena_array(arena, n + 1, sizeof(int));
    double *x = carom_arena_doubles(arena, n);
    if (!minor || !x)
        return carom_error_memory(error);
    carom_mark mark = carom_arena_mark(arena);
    carom_p_matrix made = {.p_matrix = CAROM_TRUE, .method = "empty"};
    job w = {.n = n, .watch = watch, .set = minor};
    carom_status status = n > 0 ? decide(n, A, uncertainty, &w, arena, &made, error) : CAROM_OK;
    carom_arena_rewind(arena, mark);
    if (status == CAROM_OK && made.p_matrix == CAROM_FALSE) {
        bool reversed = false;
        status = reversed_vector(n, A, w.minor_count, minor, arena, x, &reversed, error);
        made.minor_count = w.minor_count;
        made.minor = minor;
        made.x = reversed ? x : NULL;
    }
    if (status == CAROM_OK)
        *answer = made;
    return status;
}
