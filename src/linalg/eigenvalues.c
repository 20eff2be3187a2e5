/* Eigenvalues of general real matrices: balancing, Hessenberg form, Francis' double QR steps. */
#include "linalg/dense.h"
#include "linalg/householder.h"
#include "linalg/spectrum.h"

#include <float.h>

enum {
    STEPS = 80,       /* QR steps for one eigenvalue, */
    EXCEPTIONAL = 10, /* an unusual shift after ten and twenty, */
    PATIENCE = 30     /* so many before the norm decides what is zero */
};

#define H(i, j) H[(i) + (size_t)(j)*n]

/* Scale rows and columns by powers of two (exactly) until their norms are alike: the error of the
 * iteration is that of the norm of the balanced matrix. */
static void balance(int n, double *H)
{
    bool changed = true;
    for (int round = 0; changed && round < 100; round++) {
        changed = false;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, f = 1;
            for (int j = 0; j < n; j++) {
                row += j == i ? 0 : fabs(H(i, j));
                column += j == i ? 0 : fabs(H(j, i));
            }
            if (row == 0 || column == 0)
                continue;
            double before = row + column;
            for (; column < row / 2; column *= 4)
                f *= 2;
            for (; column >= row * 2; column /= 4)
                f /= 2;
            if ((column + row) / f >= 0.95 * before || !isfinite(f))
                continue;
            changed = true;
            for (int j = 0; j < n; j++) {
                H(i, j) /= f;
                H(j, i) *= f;
            }
        }
    }
}

/* Q'HQ with zeros below the first subdiagonal. v: n, work. */
static void reduce(int n, double *H, double *v)
{
    for (int k = 0; k + 2 < n; k++) {
        int m = n - k - 1;
        double *x = &H(k + 1, k), tau = carom_householder_make(m, x);
        if (tau == 0)
            continue;
        carom_dense_copy(m, x, v);
        v[0] = 1;
        for (int i = 1; i < m; i++)
            x[i] = 0;
        carom_householder_apply(m, v, tau, m, &H(k + 1, k + 1), n);
        for (int i = 0; i < n; i++) { /* from the right */
            double part = 0;
            for (int j = 0; j < m; j++)
                part += H(i, k + 1 + j) * v[j];
            for (int j = 0; j < m; j++)
                H(i, k + 1 + j) -= tau * part * v[j];
        }
    }
}

/* The reflection of x (count <= 3) applied to rows and columns k ... of the block l ... m. */
static void reflect(int n, double *H, int l, int m, int k, int count, const double *x)
{
    double v[3] = {x[0], x[1], x[2]}, tau = carom_householder_make(count, v);
    int left = k > l ? k - 1 : l, reach = k + 3 < m ? k + 3 : m;
    carom_householder_apply(count, v, tau, m - left + 1, &H(k, left), n);
    for (int i = l; i <= reach; i++) {
        double part = H(i, k);
        for (int j = 1; j < count; j++)
            part += H(i, k + j) * v[j];
        H(i, k) -= tau * part;
        for (int j = 1; j < count; j++)
            H(i, k + j) -= tau * part * v[j];
    }
}

/* One double step on the block l ... m, its shifts the eigenvalues of the last 2 x 2 block (sum s,
 * product t): the first column of H^2 - s H + t I starts a bulge that is chased down. */
static void step(int n, double *H, int l, int m, int count)
{
    double s = H(m - 1, m - 1) + H(m, m);
    double t = H(m - 1, m - 1) * H(m, m) - H(m - 1, m) * H(m, m - 1);
    if (count == EXCEPTIONAL || count == 2 * EXCEPTIONAL) {
        double size = fabs(H(m, m - 1)) + fabs(H(m - 1, m - 2));
        s = 1.5 * size;
        t = size * size;
    }
    double x[3] = {H(l, l) * H(l, l) + H(l, l + 1) * H(l + 1, l) - s * H(l, l) + t,
                   H(l + 1, l) * (H(l, l) + H(l + 1, l + 1) - s), H(l + 1, l) * H(l + 2, l + 1)};
    for (int k = l; k < m; k++) {
        reflect(n, H, l, m, k, k + 2 <= m ? 3 : 2, x);
        x[0] = H(k + 1, k);
        x[1] = k + 2 <= m ? H(k + 2, k) : 0;
        x[2] = k + 3 <= m ? H(k + 3, k) : 0;
    }
    for (int j = l; j + 2 <= m; j++) /* what the reflections left of the bulge is zero */
        for (int i = j + 2; i <= j + 3 && i <= m; i++)
            H(i, j) = 0;
}

/* Both eigenvalues of [a b; c d], real ones without cancellation. */
static void pair(double a, double b, double c, double d, double *re, double *im)
{
    double p = (a - d) / 2, q = p * p + b * c;
    if (q < 0) {
        re[0] = re[1] = d + p;
        im[0] = sqrt(-q);
        im[1] = -im[0];
        return;
    }
    double z = p + (p < 0 ? -sqrt(q) : sqrt(q));
    re[0] = d + z;
    re[1] = z != 0 ? d - b * c / z : d;
    im[0] = im[1] = 0;
}

/* The first row of the block that ends at m: above it the subdiagonal is zero to rounding of its
 * neighbours on the diagonal, or, where many steps did not bring that about (eigenvalues that
 * vanish several times over), of the norm. */
static int block_start(int n, double *H, int m, int count, double norm)
{
    for (int l = m; l > 0; l--) {
        double size = fabs(H(l - 1, l - 1)) + fabs(H(l, l));
        if (fabs(H(l, l - 1)) <= DBL_EPSILON * (size > 0 && count < PATIENCE ? size : n * norm)) {
            H(l, l - 1) = 0;
            return l;
        }
    }
    return 0;
}

static bool iterate(int n, double *H, double *re, double *im)
{
    double norm = carom_dense_max(n * n, H);
    int count = 0;
    for (int m = n - 1; m >= 0;) {
        int l = block_start(n, H, m, count, norm);
        if (m - l <= 1) {
            if (m == l) {
                re[m] = H(m, m);
                im[m] = 0;
            } else {
                pair(H(l, l), H(l, m), H(m, l), H(m, m), re + l, im + l);
            }
            m = l - 1;
            count = 0;
        } else if (count == STEPS) {
            return false;
        } else {
            step(n, H, l, m, count++);
        }
    }
    return true;
}

bool carom_spectrum_general(int n, double *A, double *work, double *re, double *im)
{
    for (size_t i = 0; i < (size_t)n * n; i++)
        if (!isfinite(A[i]))
            return false;
    balance(n, A);
    reduce(n, A, work);
    return iterate(n, A, re, im);
}
