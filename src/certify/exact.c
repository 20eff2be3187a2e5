/* Signs of minors by fraction-free elimination in integers of 128 bits. */
#include "certify/exact.h"

#include <math.h>
#include <stdint.h>

__extension__ typedef __int128 wide;

/* The exponents of the lowest and the highest bit set in a number. */
static void include(double a, int *low, int *high)
{
    if (a == 0)
        return;
    int exponent, trailing = 0;
    double fraction = frexp(fabs(a), &exponent);
    for (uint64_t bits = (uint64_t)ldexp(fraction, 53); !(bits & 1); bits >>= 1)
        trailing++;
    *low = exponent - 53 + trailing < *low ? exponent - 53 + trailing : *low;
    *high = exponent > *high ? exponent : *high;
}

static bool fits(int low, int high)
{
    return high <= low || high - low <= 62;
}

const long long *carom_exact_integers(int n, const double *A, carom_arena *arena)
{
    int low = INT32_MAX, high = INT32_MIN;
    for (int k = 0; k < n * n; k++)
        include(A[k], &low, &high);
    if (!fits(low, high))
        return NULL;
    long long *integers = carom_arena_array(arena, (size_t)n * n, sizeof *integers);
    if (integers)
        for (int k = 0; k < n * n; k++)
            integers[k] = A[k] == 0 ? 0 : (long long)ldexp(A[k], -low);
    return integers;
}

/* t = (a b - c d) / e exactly; false on overflow. */
static bool cross(wide a, wide b, wide c, wide d, wide e, wide *t)
{
    wide ab, cd, difference;
    if (__builtin_mul_overflow(a, b, &ab) || __builtin_mul_overflow(c, d, &cd) ||
        __builtin_sub_overflow(ab, cd, &difference))
        return false;
    *t = difference / e;
    return true;
}

static int sign_of(wide a)
{
    return (a > 0) - (a < 0);
}

/* Eliminate the k x (k + 1) matrix [A 1] (rows of T). *sign: of the determinant. *rank counts the
 * pivots found; row exchanges are tracked in the sign. */
static bool eliminate(int k, wide (*T)[CAROM_EXACT_LIMIT + 1], int columns, int *sign, int *rank)
{
    wide previous = 1;
    int s = 1;
    *rank = 0;
    for (int c = 0; c < k; c++) {
        int row = c;
        while (row < k && T[row][c] == 0)
            row++;
        if (row == k) {
            *sign = 0;
            return true;
        }
        if (row != c) {
            s = -s;
            for (int j = 0; j < columns; j++) {
                wide t = T[c][j];
                T[c][j] = T[row][j];
                T[row][j] = t;
            }
        }
        for (int i = c + 1; i < k; i++) {
            for (int j = c + 1; j < columns; j++)
                if (!cross(T[c][c], T[i][j], T[i][c], T[c][j], previous, &T[i][j]))
                    return false;
            T[i][c] = 0;
        }
        previous = T[c][c];
        *rank = c + 1;
    }
    *sign = s * sign_of(previous);
    return true;
}

bool carom_exact_sign(int n, const long long *integers, int count, const int *set, int *sign)
{
    wide T[CAROM_EXACT_LIMIT][CAROM_EXACT_LIMIT + 1];
    if (count > CAROM_EXACT_LIMIT)
        return false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            T[i][j] = integers[set[i] + (size_t)set[j] * n];
    int rank;
    return eliminate(count, T, count, sign, &rank);
}

bool carom_exact_minor(int n, const double *A, int count, const int *set, int *sign)
{
    wide T[CAROM_EXACT_LIMIT][CAROM_EXACT_LIMIT + 1];
    int low = INT32_MAX, high = INT32_MIN, rank;
    if (count > CAROM_EXACT_LIMIT)
        return false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            include(A[set[i] + (size_t)set[j] * n], &low, &high);
    if (!fits(low, high))
        return false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double a = A[set[i] + (size_t)set[j] * n];
            T[i][j] = a == 0 ? 0 : (long long)ldexp(a, -low);
        }
    return eliminate(count, T, count, sign, &rank);
}

/* After elimination: unknowns 0 ... k-1 of U y = r * pivot(k-1), where the last column holds r. By
 * Cramer's rule every y is an integer. */
static bool substitute(int k, wide (*T)[CAROM_EXACT_LIMIT + 1], int column, wide scale, wide *y)
{
    for (int i = k - 1; i >= 0; i--) {
        wide sum;
        if (__builtin_mul_overflow(T[i][column], scale, &sum))
            return false;
        for (int j = i + 1; j < k; j++) {
            wide t;
            if (__builtin_mul_overflow(T[i][j], y[j], &t) || __builtin_sub_overflow(sum, t, &sum))
                return false;
        }
        y[i] = sum / T[i][i];
    }
    return true;
}

bool carom_exact_solve(int n, const long long *integers, int count, const int *set, int *sign,
                       double *y)
{
    wide T[CAROM_EXACT_LIMIT][CAROM_EXACT_LIMIT + 1], unknown[CAROM_EXACT_LIMIT];
    if (count > CAROM_EXACT_LIMIT)
        return false;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            T[i][j] = integers[set[i] + (size_t)set[j] * n];
        T[i][count] = 1;
    }
    int rank;
    if (!eliminate(count, T, count + 1, sign, &rank))
        return false;
    if (*sign != 0) {
        /* A y = det 1; row exchanges change the sign of the last pivot, not the solution. */
        wide scale = T[count - 1][count - 1];
        if (!substitute(count, T, count, scale, unknown))
            return false;
        int flip = sign_of(scale) == *sign ? 1 : -1;
        for (int i = 0; i < count; i++)
            y[i] = flip * (double)unknown[i];
        return true;
    }
    if (rank != count - 1)
        return false;
    /* Kernel: y_last = pivot, the others solve U y = -column. */
    int last = count - 1;
    wide scale = last > 0 ? T[last - 1][last - 1] : 1;
    if (!substitute(last, T, last, scale, unknown))
        return false;
    for (int i = 0; i < last; i++)
        y[i] = -(double)unknown[i];
    y[last] = (double)scale;
    return true;
}
