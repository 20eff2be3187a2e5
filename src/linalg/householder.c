/* Householder reflections: the one way here to QR factors and to orthonormal bases. */
#include "linalg/householder.h"

#include "linalg/dense.h"

/* v = x - beta e with beta = -sign(x_0)|x|: the two terms of v_0 have the same sign, so nothing
 * cancels. tau = 2/(v'v) for v scaled to v_0 = 1 is (beta - x_0)/beta. */
double carom_householder_make(int n, double *x)
{
    double rest = carom_dense_norm(n - 1, x + 1);
    if (rest == 0)
        return 0;
    double norm = hypot(x[0], rest), beta = x[0] > 0 ? -norm : norm;
    double tau = (beta - x[0]) / beta, head = x[0] - beta;
    for (int i = 1; i < n; i++)
        x[i] /= head;
    x[0] = beta;
    return tau;
}

void carom_householder_apply(int n, const double *v, double tau, int columns, double *C, int ld)
{
    for (int j = 0; tau != 0 && j < columns; j++) {
        double *Cj = C + (size_t)j * ld;
        double part = tau * (Cj[0] + carom_dense_dot(n - 1, v + 1, Cj + 1));
        Cj[0] -= part;
        carom_dense_axpy(n - 1, -part, v + 1, Cj + 1);
    }
}

void carom_householder_factor(int m, int n, double *A, int ld, double *tau)
{
    for (int k = 0; k < m && k < n; k++) {
        double *v = A + k + (size_t)k * ld;
        tau[k] = carom_householder_make(m - k, v);
        carom_householder_apply(m - k, v, tau[k], n - k - 1, v + ld, ld);
    }
}

/* Backwards, so that every reflection meets columns that are zero above it. */
void carom_householder_form(int m, int n, int columns, double *A, int ld, const double *tau)
{
    int count = m < n ? m : n;
    for (int j = count; j < columns; j++)
        for (int i = 0; i < m; i++)
            A[i + (size_t)j * ld] = i == j;
    for (int k = (count < columns ? count : columns) - 1; k >= 0; k--) {
        double *v = A + k + (size_t)k * ld;
        carom_householder_apply(m - k, v, tau[k], columns - k - 1, v + ld, ld);
        for (int i = 1; i < m - k; i++)
            v[i] *= -tau[k];
        v[0] = 1 - tau[k];
        for (int i = 0; i < k; i++)
            A[i + (size_t)k * ld] = 0;
    }
}
