#include "linalg/cholesky.h"

#include <math.h>

int carom_cholesky_factor(int n, double *A, int ld)
{
    for (int j = 0; j < n; j++) {
        double *Aj = A + (size_t)j * ld;
        for (int k = 0; k < j; k++) {
            const double *Ak = A + (size_t)k * ld;
            double a = Ak[j];
            if (a != 0)
                for (int i = j; i < n; i++)
                    Aj[i] -= a * Ak[i];
        }
        if (!(Aj[j] > 0))
            return j + 1;
        double root = sqrt(Aj[j]);
        Aj[j] = root;
        for (int i = j + 1; i < n; i++)
            Aj[i] /= root;
    }
    return 0;
}

void carom_cholesky_forward(int n, const double *L, int ld, double *x)
{
    for (int j = 0; j < n; j++) {
        const double *Lj = L + (size_t)j * ld;
        double xj = x[j] /= Lj[j];
        for (int i = j + 1; i < n; i++)
            x[i] -= Lj[i] * xj;
    }
}

void carom_cholesky_backward(int n, const double *L, int ld, double *x)
{
    for (int j = n - 1; j >= 0; j--) {
        const double *Lj = L + (size_t)j * ld;
        double sum = x[j];
        for (int i = j + 1; i < n; i++)
            sum -= Lj[i] * x[i];
        x[j] = sum / Lj[j];
    }
}

void carom_cholesky_solve(int n, const double *L, int ld, double *x)
{
    carom_cholesky_forward(n, L, ld, x);
    carom_cholesky_backward(n, L, ld, x);
}

void carom_cholesky_delete(int n, double *L, int ld, int k)
{
    /* Rows below k move up; their part right of column k-1 loses the shape of a triangle by one
     * diagonal, which rotations of neighbouring columns put back. */
    for (int j = 0; j < k; j++) {
        double *Lj = L + (size_t)j * ld;
        for (int i = k; i + 1 < n; i++)
            Lj[i] = Lj[i + 1];
    }
    for (int j = k; j < n; j++) {
        double *Lj = L + (size_t)j * ld;
        for (int i = j > k ? j - 1 : k; i + 1 < n; i++)
            Lj[i] = Lj[i + 1];
    }
    for (int j = k; j + 1 < n; j++) {
        double *Lj = L + (size_t)j * ld, *Lk = Lj + ld;
        double h = hypot(Lj[j], Lk[j]), c = Lj[j] / h, s = Lk[j] / h;
        Lj[j] = h;
        for (int i = j + 1; i + 1 < n; i++) {
            double a = Lj[i], b = Lk[i];
            Lj[i] = c * a + s * b;
            Lk[i] = c * b - s * a;
        }
    }
}
