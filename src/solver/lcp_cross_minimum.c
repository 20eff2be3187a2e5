/* All solutions are z + N t >= 0 with the columns  N_c = e_j + T_Fj  for the c-th dependent j, and
 * the norm is that of D = diag(M_ii). Without signs the least one has  H t = -N'D z, H = N'D N;
 * H - D_jj is semidefinite, so this is well conditioned. Where that has negative entries, the
 * answer is the "w" of the LCP with the matrix P = N H^{-1} N' and that point for q
 * (docs/theory/lcp-small.md). */
#include "solver/lcp_cross_minimum.h"

#include <float.h>
#include <math.h>

enum { N = CAROM_LCP_SMALL };

static const double ROUNDING = 16 * DBL_EPSILON;

typedef struct space {
    int n, r;
    double basis[N * N]; /* n x r: N, then N L^{-T} */
    double H[N * N];     /* r x r: L below and on the diagonal, H = L L' */
    double t[N];
} space;

static void fill(space *u, const carom_lcp_cross *t, const int *dependent, const double *z)
{
    int n = u->n;
    for (int c = 0; c < u->r; c++) {
        double *Nc = u->basis + c * n, sum = 0;
        const double *Tj = t->T + dependent[c] * t->rows;
        for (int i = 0; i < n; i++) {
            Nc[i] = t->in[i] ? Tj[i] : i == dependent[c];
            sum += t->unit[i] * Nc[i] * z[i];
        }
        u->t[c] = -sum;
        for (int a = 0; a <= c; a++) {
            const double *Na = u->basis + a * n;
            double h = 0;
            for (int i = 0; i < n; i++)
                h += t->unit[i] * Na[i] * Nc[i];
            u->H[c + a * u->r] = h;
        }
    }
}

/* L in place of H; basis = N L^{-T}, t = L^{-1} t. */
static bool orthonormalise(space *u)
{
    int n = u->n, r = u->r;
    for (int c = 0; c < r; c++) {
        double *Hc = u->H + c * r, *Nc = u->basis + c * n;
        if (!(Hc[c] > 0))
            return false;
        double inverse = 1 / sqrt(Hc[c]);
        for (int a = c; a < r; a++)
            Hc[a] *= inverse;
        u->t[c] *= inverse;
        for (int i = 0; i < n; i++)
            Nc[i] *= inverse;
        for (int a = c + 1; a < r; a++) {
            double *Na = u->basis + a * n;
            for (int b = a; b < r; b++)
                u->H[b + a * r] -= Hc[a] * Hc[b];
            u->t[a] -= Hc[a] * u->t[c];
            for (int i = 0; i < n; i++)
                Na[i] -= Hc[a] * Nc[i];
        }
    }
    return true;
}

/* y becomes y + P m >= 0, m >= 0, complementary. */
static bool make_nonnegative(const space *u, const double *unit, double *y)
{
    int n = u->n;
    double P[N * N];
    carom_lcp_cross t;
    for (int j = 0; j < n; j++) {
        double *Pj = P + j * n;
        for (int i = 0; i < n; i++)
            Pj[i] = 0;
        for (int c = 0; c < u->r; c++) {
            const double *Nc = u->basis + c * n;
            for (int i = 0; i < n; i++)
                Pj[i] += Nc[i] * Nc[j];
        }
        if (Pj[j] * unit[j] < 1e-20) /* a row of rounding is a row of zeros */
            Pj[j] = 0;
    }
    carom_lcp_cross_fill(&t, &(carom_lcp){.n = n, .M = P, .q = y});
    if (!carom_lcp_cross_run(&t, true))
        return false;
    for (int i = 0; i < n; i++)
        y[i] = t.in[i] ? 0 : carom_lcp_cross_value(&t, i);
    return true;
}

bool carom_lcp_cross_minimum(const carom_lcp_cross *t, int r, const int *dependent, double *z)
{
    int n = t->n;
    double y[N], top = 0, worst = 0;
    space u;
    u.n = n;
    u.r = r;
    fill(&u, t, dependent, z);
    if (!orthonormalise(&u))
        return false;
    for (int i = 0; i < n; i++)
        y[i] = z[i];
    for (int c = 0; c < r; c++)
        for (int i = 0; i < n; i++)
            y[i] += u.basis[i + c * n] * u.t[c];
    for (int i = 0; i < n; i++) {
        double square = y[i] * y[i] * t->unit[i];
        top = fmax(top, square);
        worst = y[i] < 0 ? fmax(worst, square) : worst;
    }
    if (worst > ROUNDING * ROUNDING * top && !make_nonnegative(&u, t->unit, y))
        return false;
    for (int i = 0; i < n; i++)
        z[i] = y[i] > 0 ? y[i] : 0;
    return true;
}
