/* The smoothed equations of an island and their derivatives. */
#include "solver/friction_smooth.h"

#include <math.h>
#include <string.h>

/* How much faster than nu the data come to their own values: paths whose data still change while
 * friction grows are longer. */
enum { FADE = 4 };

/* Bilateral rows have no cone that regularises them: a delta about the point does. */
#define BILATERAL 1e-12

/* y of one contact by its eigenvalues y_0 -+ |y_T| along (1, -+w) / 2. */
typedef struct spectrum {
    double w[3];
    double root[2];      /* sqrt(l^2 + 4 nu^2) */
    double x[2], s[2];   /* phi(l), phi(-l) */
    double mean[2];      /* (phi(l_2) - phi(l_1)) / (l_2 - l_1), and the same of phi(-l) */
    double dx[2], ds[2]; /* phi'(l), phi'(-l) */
    double by_nu[2];     /* of both phi */
} spectrum;

/* Nothing is the difference of near numbers: of l > 0 and nu -> 0, phi(-l) is nu^2 / phi(l). */
static spectrum decompose(int d, double nu, const double *y)
{
    spectrum z = {.w = {0, 1, 0}};
    double norm = d == 3 ? sqrt(y[1] * y[1] + y[2] * y[2]) : d == 2 ? fabs(y[1]) : 0;
    for (int k = 1; k < d && norm > 0; k++)
        z.w[k] = y[k] / norm;
    for (int k = 0; k < 2; k++) {
        double l = k ? y[0] + norm : y[0] - norm;
        z.root[k] = sqrt(l * l + 4 * nu * nu);
        double large = (fabs(l) + z.root[k]) / 2, small = nu * nu / large;
        z.x[k] = l > 0 ? large : small;
        z.s[k] = l > 0 ? small : large;
        z.dx[k] = z.x[k] / z.root[k];
        z.ds[k] = z.s[k] / z.root[k];
        z.by_nu[k] = 2 * nu / z.root[k];
    }
    double sum = z.root[0] + z.root[1];
    z.mean[0] = (z.x[0] + z.x[1]) / sum;
    z.mean[1] = (z.s[0] + z.s[1]) / sum;
    return z;
}

/* The vector with these values on the two eigenvectors. */
static void compose(int d, const double *w, const double *value, double *to)
{
    to[0] = (value[0] + value[1]) / 2;
    for (int k = 1; k < d; k++)
        to[k] = (value[1] - value[0]) / 2 * w[k];
}

/* The derivative of a spectral function: its own derivatives along the eigenvectors, its mean slope
 * across them. */
static void derivative(int d, const double *w, const double *slope, double mean, double *X)
{
    double a = (slope[0] + slope[1]) / 2, b = (slope[1] - slope[0]) / 2;
    X[0] = a;
    for (int j = 1; j < d; j++) {
        X[j] = X[j * d] = b * w[j];
        for (int k = 1; k < d; k++)
            X[k + j * d] = (a - mean) * w[j] * w[k] + (j == k ? mean : 0);
    }
}

static void one_cone(int d, carom_friction_smooth *p, int row, double *C, double *B)
{
    double nu = p->nu, *e = p->e + row, *s = p->s + row, square = nu * nu, X[9];
    spectrum z = decompose(d, nu, p->y + row);
    compose(d, z.w, z.x, p->x + row);
    compose(d, z.w, z.s, s);
    compose(d, z.w, z.by_nu, p->g + row);
    derivative(d, z.w, z.dx, z.mean[0], X);
    derivative(d, z.w, z.ds, z.mean[1], B);
    for (int k = 1; k < d; k++)
        square += s[k] * s[k];
    double root = sqrt(square), least = fmin(z.root[0], z.root[1]);
    e[0] = 0;
    for (int k = 1; k < d; k++)
        e[k] = p->tau * s[k] / root;
    for (int j = 0; j < d; j++)
        for (int k = 0; k < d; k++)
            C[k + j * d] = X[k + j * d] + X[k] * e[j];
    for (int k = 0; k < d; k++) /* e turns where s_T does */
        p->rho[row + k] = d > 1 ? fmin(least, root / z.mean[1]) : least;
}

static void one_bilateral(int d, double nu_0, carom_friction_smooth *p, int row, double *C,
                          double *B)
{
    for (int k = 0; k < d; k++) {
        C[k + k * d] = 1;
        B[k + k * d] = BILATERAL;
        p->x[row + k] = p->y[row + k];
        p->s[row + k] = p->g[row + k] = p->e[row + k] = 0;
        p->rho[row + k] = fmax(fabs(p->y[row + k]), nu_0);
    }
}

/* G and g of a contact, where g is x_nu = s_nu so far and Ag = A g. */
static void equations(int d, bool free, double nu_0, const carom_friction_smooth *p, int row,
                      const double *Ag)
{
    double nu = p->nu, *s = p->s + row, *g = p->g + row, along = 0, square = nu * nu;
    for (int k = 1; k < d; k++) {
        along += s[k] * g[k];
        square += s[k] * s[k];
    }
    double root = sqrt(square), fade = pow(nu / nu_0, FADE);
    for (int k = 0; k < d; k++) {
        double away = p->away[row + k];
        p->G[row + k] = p->xi[row + k] - s[k] + fade * away;
        g[k] = Ag[row + k] - g[k] + FADE * fade / p->nu * away;
    }
    if (d > 1 && !free) {
        p->G[row] += p->tau * (root - nu);
        g[0] += p->tau * ((along + nu) / root - 1) - (root - nu) / nu_0;
    }
}

void carom_friction_smooth_evaluate(const carom_friction_island *island, double nu_0,
                                    carom_friction_smooth *point, double *work)
{
    memset(point->C, 0, 9 * (size_t)island->contacts * sizeof *point->C);
    memset(point->B, 0, 9 * (size_t)island->contacts * sizeof *point->B);
    for (int i = 0; i < island->contacts; i++) {
        int d = carom_friction_island_rows(island, i), row = island->row[i];
        if (island->free[i])
            one_bilateral(d, nu_0, point, row, point->C + 9 * i, point->B + 9 * i);
        else
            one_cone(d, point, row, point->C + 9 * i, point->B + 9 * i);
    }
    carom_friction_island_velocity(island, point->x, point->xi);
    carom_friction_island_product(island, point->g, work);
    for (int i = 0; i < island->contacts; i++)
        equations(carom_friction_island_rows(island, i), island->free[i], nu_0, point,
                  island->row[i], work);
}
