/* All solutions are y_F = z_F + X t >= 0, y_j = t_j >= 0 for the dependent j, X = T_Fj. The least
 * of  y'D y / 2, D = diag(M_ii), has the conditions of optimality
 *     u   = H t - X'l + X'D_F z_F,    0 <= t, 0 <= u, t'u = 0,
 *     y_F = X t + z_F,                0 <= l, 0 <= y_F, l'y_F = 0,      H = D_j + X'D_F X:
 * again an LCP for the tableau (docs/theory/lcp-small.md). */
#include "solver/lcp_cross_minimum.h"

#include <float.h>
#include <math.h>

enum { N = CAROM_LCP_SMALL };

typedef struct space {
    int r, k; /* dependent ones, F */
    int F[N];
    double X[N * N]; /* k x r */
    double H[N * N]; /* r x r */
    double D[N];     /* k: those of F */
    double c[N];     /* r: X'D z_F */
    double y[N];     /* k: z_F, then y_F */
    double t[N];     /* r */
} space;

static void fill(space *s, const carom_lcp_cross *t, const int *dependent, const double *z)
{
    s->k = 0;
    for (int i = 0; i < t->n; i++)
        if (t->in[i]) {
            s->D[s->k] = t->unit[i];
            s->y[s->k] = z[i];
            s->F[s->k++] = i;
        }
    for (int c = 0; c < s->r; c++) {
        const double *Tj = t->T + dependent[c] * t->rows;
        double *X = s->X + c * s->k, DX[N], sum = 0;
        for (int a = 0; a < s->k; a++) {
            X[a] = Tj[s->F[a]];
            DX[a] = s->D[a] * X[a];
            sum += DX[a] * s->y[a];
        }
        s->c[c] = sum;
        for (int b = 0; b <= c; b++) {
            double h = b == c ? t->unit[dependent[c]] : 0;
            for (int a = 0; a < s->k; a++)
                h += DX[a] * s->X[a + b * s->k];
            s->H[b + c * s->r] = s->H[c + b * s->r] = h;
        }
    }
}

/* Without l. False when y_F has negative entries then. */
static bool solve_free(space *s)
{
    carom_lcp_cross u;
    carom_lcp_cross_fill(&u, &(carom_lcp){.n = s->r, .M = s->H, .q = s->c});
    if (!carom_lcp_cross_run(&u, true))
        return false;
    double y[N], size[N];
    bool right = true;
    for (int a = 0; a < s->k; a++)
        y[a] = size[a] = s->y[a];
    for (int c = 0; c < s->r; c++) {
        s->t[c] = u.in[c] ? carom_lcp_cross_value(&u, c) : 0;
        for (int a = 0; a < s->k; a++) {
            double term = s->X[a + c * s->k] * s->t[c];
            y[a] += term;
            size[a] += fabs(term);
        }
    }
    for (int a = 0; a < s->k; a++)
        right = right && y[a] >= -16 * DBL_EPSILON * size[a];
    for (int a = 0; right && a < s->k; a++)
        s->y[a] = y[a];
    return right;
}

/* All conditions. */
static bool solve_all(space *s)
{
    int r = s->r, k = s->k, m = r + k;
    double M[N * N], q[N];
    carom_lcp_cross u;
    for (int c = 0; c < r; c++) {
        q[c] = s->c[c];
        for (int b = 0; b < r; b++)
            M[b + c * m] = s->H[b + c * r];
        for (int a = 0; a < k; a++) {
            M[r + a + c * m] = s->X[a + c * k];
            M[c + (r + a) * m] = -s->X[a + c * k];
        }
    }
    for (int b = 0; b < k; b++) {
        q[r + b] = s->y[b];
        for (int a = 0; a < k; a++)
            M[r + a + (r + b) * m] = 0;
    }
    carom_lcp_cross_fill(&u, &(carom_lcp){.n = m, .M = M, .q = q});
    for (int a = 0; a < k; a++) /* D y_F^2 is an energy */
        carom_lcp_cross_weigh(&u, r + a, s->D[a]);
    if (!carom_lcp_cross_run(&u, false))
        return false;
    for (int c = 0; c < r; c++)
        s->t[c] = u.in[c] ? carom_lcp_cross_value(&u, c) : 0;
    for (int a = 0; a < k; a++)
        s->y[a] = u.in[r + a] ? 0 : carom_lcp_cross_value(&u, r + a);
    return true;
}

bool carom_lcp_cross_minimum(const carom_lcp_cross *t, int r, const int *dependent, double *z)
{
    space s;
    s.r = r;
    fill(&s, t, dependent, z);
    if (!(2 * r <= s.k && solve_free(&s)) && !solve_all(&s))
        return false;
    for (int c = 0; c < r; c++)
        z[dependent[c]] = s.t[c] > 0 ? s.t[c] : 0;
    for (int a = 0; a < s.k; a++)
        z[s.F[a]] = s.y[a] > 0 ? s.y[a] : 0;
    return true;
}
