/* Solves with the root of a metric that is whole or diagonal. */
#include "linalg/metric.h"

#include "linalg/cholesky.h"

static void divide(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] /= L[i];
}

void carom_metric_row(int n, bool diagonal, const double *L, double *w)
{
    if (diagonal)
        divide(n, L, w);
    else
        carom_cholesky_forward(n, L, n, w);
}

void carom_metric_vector_back(int n, bool diagonal, const double *L, double *y)
{
    if (diagonal)
        divide(n, L, y);
    else
        carom_cholesky_backward(n, L, n, y);
}
