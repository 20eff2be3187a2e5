/* Factors L D L' inside the envelope of a symmetric matrix, and solves with them. */
#include "linalg/envelope.h"

#include "linalg/dense.h"

size_t carom_envelope_lay_out(int n, const int *first, ptrdiff_t *start)
{
    ptrdiff_t used = 0;
    for (int i = 0; i < n; i++) {
        start[i] = used - first[i];
        used += i - first[i] + 1;
    }
    return (size_t)used;
}

int carom_envelope_factor(const carom_envelope *A, double threshold)
{
    const int *first = A->first;
    for (int i = 0; i < A->n; i++) {
        double *Li = A->value + A->start[i], d = Li[i];
        const double least = threshold * d;
        /* L_ij D_j = A_ij - sum_k (L_ik D_k) L_jk, from left to right */
        for (int j = first[i] + 1; j < i; j++) {
            const int from = first[i] > first[j] ? first[i] : first[j];
            if (from < j)
                Li[j] -= carom_dense_dot(j - from, Li + from, A->value + A->start[j] + from);
        }
        for (int j = first[i]; j < i; j++) { /* L_ij, and D_i = A_ii - sum_j L_ij^2 D_j */
            const double LD = Li[j], L = LD * A->value[A->start[j] + j];
            d -= L * LD;
            Li[j] = L;
        }
        if (!(d > least && d > 0))
            return i + 1;
        Li[i] = 1 / d;
    }
    return 0;
}

/* In chains a row has one entry beside its diagonal: no loop for that one. */
void carom_envelope_solve(const carom_envelope *L, double *x)
{
    const int *first = L->first;
    for (int i = 0; i < L->n; i++) {
        const double *Li = L->value + L->start[i];
        if (first[i] == i - 1)
            x[i] -= Li[i - 1] * x[i - 1];
        else if (first[i] < i)
            x[i] -= carom_dense_dot(i - first[i], Li + first[i], x + first[i]);
    }
    for (int i = 0; i < L->n; i++)
        x[i] *= L->value[L->start[i] + i];
    for (int i = L->n - 1; i > 0; i--) {
        const double *Li = L->value + L->start[i];
        if (first[i] == i - 1)
            x[i - 1] -= Li[i - 1] * x[i];
        else if (first[i] < i)
            carom_dense_axpy(i - first[i], -x[i], Li + first[i], x + first[i]);
    }
}

void carom_envelope_multiply(const carom_envelope *A, const double *x, double *y)
{
    for (int i = 0; i < A->n; i++) {
        const int count = i - A->first[i];
        const double *Ai = A->value + A->start[i] + A->first[i];
        y[i] += carom_dense_dot(count + 1, Ai, x + A->first[i]);
        if (x[i] != 0)
            carom_dense_axpy(count, x[i], Ai, y + A->first[i]);
    }
}

int carom_envelope_lu_factor(const carom_envelope *lower, double *upper, double threshold)
{
    const int *first = lower->first;
    for (int i = 0; i < lower->n; i++) {
        double *L = lower->value + lower->start[i], *U = upper + lower->start[i];
        double d = U[i], top = fabs(d);
        for (int j = first[i]; j < i; j++) {
            const double *Lj = lower->value + lower->start[j], *Uj = upper + lower->start[j];
            const int from = first[i] > first[j] ? first[i] : first[j];
            if (from < j) {
                L[j] -= carom_dense_dot(j - from, L + from, Uj + from);
                U[j] -= carom_dense_dot(j - from, U + from, Lj + from);
            }
            L[j] *= Uj[j];
            const double term = L[j] * U[j];
            d -= term;
            top = fabs(term) > top ? fabs(term) : top;
        }
        if (!(fabs(d) > threshold * top))
            return i + 1;
        U[i] = 1 / d;
    }
    return 0;
}

void carom_envelope_lu_solve(const carom_envelope *lower, const double *upper, double *x)
{
    const int *first = lower->first;
    for (int i = 0; i < lower->n; i++)
        if (first[i] < i)
            x[i] -= carom_dense_dot(i - first[i], lower->value + lower->start[i] + first[i],
                                    x + first[i]);
    for (int i = lower->n - 1; i >= 0; i--) {
        const double *U = upper + lower->start[i];
        x[i] *= U[i];
        if (first[i] < i)
            carom_dense_axpy(i - first[i], -x[i], U + first[i], x + first[i]);
    }
}
