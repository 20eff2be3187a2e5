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
