/* The common case of principal pivoting for n <= 4, in arrays of fixed size that the compiler
 * unrolls: regular A_FF, strict signs, few exchanges. Everything else is left to lcp_pivot.c. The
 * problem is padded with rows of the unit matrix and b = 0; indices outside F are masked the same
 * way. */
#include "solver/lcp_small.h"

#include <float.h>
#include <math.h>

enum { N = CAROM_LCP_SMALL };

typedef struct small {
    double A[N][N], b[N], d[N]; /* scaled as in lcp_pivot.h */
    double y[N], w[N], s[N];
    bool in[N];
} small;

static bool scale(small *p, const carom_lcp *lcp)
{
    int n = lcp->n;
    for (int i = 0; i < N; i++) {
        p->d[i] = p->b[i] = 0;
        for (int j = 0; j < N; j++)
            p->A[i][j] = 0;
    }
    for (int i = 0; i < n; i++) {
        double m = lcp->M[i + i * n];
        if (!(m > 0))
            return false;
        p->d[i] = 1 / sqrt(m);
        p->b[i] = p->d[i] * lcp->q[i];
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            p->A[j][i] = p->d[i] * lcp->M[i + j * n] * p->d[j];
    for (int i = 0; i < N; i++)
        p->A[i][i] = 1;
    return true;
}

/* The set of one Gauss-Seidel sweep. */
static void guess(small *p)
{
    for (int i = 0; i < N; i++) {
        double w = p->b[i];
        for (int j = 0; j < i; j++)
            w += p->A[i][j] * p->y[j];
        p->in[i] = w < 0;
        p->y[i] = w < 0 ? -w : 0;
    }
}

/* y on the set, by L D L'. False when a pivot is small. */
static bool solve_set(small *p)
{
    double L[N][N], D[N], x[N];
    bool regular = true;
    for (int j = 0; j < N; j++) {
        double v[N];
        for (int i = j; i < N; i++) {
            v[i] = p->in[i] && p->in[j] ? p->A[j][i] : i == j;
            for (int k = 0; k < j; k++)
                v[i] -= L[k][i] * L[k][j] * D[k];
        }
        regular = regular && v[j] > 1e-6;
        D[j] = v[j];
        for (int i = j + 1; i < N; i++)
            L[j][i] = v[i] / v[j];
        x[j] = p->in[j] ? -p->b[j] : 0;
    }
    for (int j = 0; j < N; j++)
        for (int i = j + 1; i < N; i++)
            x[i] -= L[j][i] * x[j];
    for (int j = N - 1; j >= 0; j--) {
        x[j] /= D[j];
        for (int i = j + 1; i < N; i++)
            x[j] -= L[j][i] * x[i];
    }
    for (int j = 0; j < N; j++)
        p->y[j] = x[j];
    return regular;
}

static void evaluate(small *p)
{
    for (int i = 0; i < N; i++) {
        p->w[i] = p->b[i];
        p->s[i] = fabs(p->b[i]);
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double term = p->A[j][i] * p->y[j];
            p->w[i] += term;
            p->s[i] += fabs(term);
        }
}

bool carom_lcp_small_solve(const carom_lcp *lcp, double tolerance, double *z, carom_lcp_info *info)
{
    small p;
    if (lcp->n > N || !scale(&p, lcp))
        return false;
    guess(&p);
    for (int exchange = 0; exchange < N; exchange++) {
        if (!solve_set(&p))
            return false;
        evaluate(&p);
        bool right = true;
        for (int i = 0; i < lcp->n; i++) {
            bool wrong = p.in[i] ? p.y[i] < 0 : p.w[i] < -8 * DBL_EPSILON * p.s[i];
            right = right && !wrong;
            p.in[i] = p.in[i] != wrong;
        }
        if (!right)
            continue;
        for (int i = 0; i < lcp->n; i++) {
            if (!p.in[i] && p.w[i] <= tolerance * p.s[i])
                return false; /* perhaps not unique */
            z[i] = p.d[i] * p.y[i];
        }
        *info = (carom_lcp_info){.algorithm = CAROM_LCP_PIVOT,
                                 .iterations = exchange + 1,
                                 .unique_w = true,
                                 .unique_z = true};
        return true;
    }
    return false;
}
