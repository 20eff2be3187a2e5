/* w = M z + q together with the size of its terms, for every form of M. */
#include "solver/lcp_product.h"

#include "linalg/wide.h"

#include <math.h>
#include <stddef.h>

/* Four columns at a time: w and s are read and written less often. */
CAROM_WIDE static void add_four(int n, const double *M, const int *F, const double *z,
                                double *restrict w, double *restrict s)
{
    const double *restrict M0 = M + (size_t)F[0] * (size_t)n;
    const double *restrict M1 = M + (size_t)F[1] * (size_t)n;
    const double *restrict M2 = M + (size_t)F[2] * (size_t)n;
    const double *restrict M3 = M + (size_t)F[3] * (size_t)n;
    double z0 = z[F[0]], z1 = z[F[1]], z2 = z[F[2]], z3 = z[F[3]];
    for (int i = 0; i < n; i++) {
        double t0 = M0[i] * z0, t1 = M1[i] * z1, t2 = M2[i] * z2, t3 = M3[i] * z3;
        w[i] += (t0 + t1) + (t2 + t3);
        s[i] += (fabs(t0) + fabs(t1)) + (fabs(t2) + fabs(t3));
    }
}

static void add_one(int n, const double *restrict M, double z, double *restrict w,
                    double *restrict s)
{
    for (int i = 0; i < n; i++) {
        w[i] += M[i] * z;
        s[i] += fabs(M[i] * z);
    }
}

void carom_lcp_product_add(int n, const double *M, const double *z, double *w, double *s)
{
    int F[4], k = 0;
    for (int j = 0; j < n; j++) {
        if (z[j] != 0)
            F[k++] = j;
        if (k == 4) {
            add_four(n, M, F, z, w, s);
            k = 0;
        }
    }
    for (int a = 0; a < k; a++)
        add_one(n, M + (size_t)F[a] * (size_t)n, z[F[a]], w, s);
}
