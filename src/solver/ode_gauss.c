/* Nodes and weights of Gauss's collocation, and what it misses. */
#include "solver/ode_gauss.h"

#include <math.h>

enum { S = CAROM_ODE_GAUSS_NODES };

/* Legendre's polynomials 0 ... S + 1 at x. */
static void legendre(double x, double *P)
{
    P[0] = 1;
    P[1] = x;
    for (int l = 1; l <= S; l++)
        P[l + 1] = ((2 * l + 1) * x * P[l] - l * P[l - 1]) / (l + 1);
}

/* The zeros of P_S by Newton's method from the usual guess, and their weights. */
static void find_nodes(carom_ode_gauss *g)
{
    for (int i = 0; i < S; i++) {
        double x = -cos(CAROM_PI * (i + 0.75) / (S + 0.5)), P[S + 2], slope = 1;
        for (int round = 0; round < 6; round++) {
            legendre(x, P);
            slope = S * (x * P[S] - P[S - 1]) / (x * x - 1);
            x -= P[S] / slope;
        }
        g->c[i] = 0.5 * (1 + x);
        g->b[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

void carom_ode_gauss_create(carom_ode_gauss *g)
{
    double integral[S][S]; /* of P_l(2s - 1) from 0 to c_i */
    find_nodes(g);
    for (int i = 0; i < S; i++) {
        double P[S + 2];
        legendre(2 * g->c[i] - 1, P);
        for (int l = 0; l < S; l++) {
            g->p[l][i] = (2 * l + 1) * g->b[i] * P[l];
            integral[l][i] = l == 0 ? g->c[i] : (P[l + 1] - P[l - 1]) / (2 * (2 * l + 1));
        }
    }
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            g->a[i][j] = 0;
            for (int l = 0; l < S; l++)
                g->a[i][j] += integral[l][i] * g->p[l][j];
        }
    for (int i = 0; i < S; i++) {
        g->bb[i] = g->b[i] * (1 - g->c[i]);
        for (int j = 0; j < S; j++) {
            g->aa[i][j] = 0;
            for (int l = 0; l < S; l++)
                g->aa[i][j] += g->a[i][l] * g->a[l][j];
        }
    }
}

double carom_ode_gauss_error(const double *size)
{
    double top = 0;
    for (int l = 0; l < S; l++)
        top = fmax(top, size[l]);
    if (!(top > 0))
        return top;
    /* how fast they fall, by the last two: one may be small by accident */
    const double r =
        fmax(pow(size[S - 1] / top, 1.0 / (S - 1)), pow(size[S - 2] / top, 1.0 / (S - 2)));
    return top * pow(r, 2 * S); /* coefficient 2S is the first that is taken for another */
}
