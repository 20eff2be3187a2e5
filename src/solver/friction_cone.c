/* Algebra of small Lorentz cones. */
#include "solver/friction_cone.h"

#include <math.h>

static double tangent_norm(int d, const double *x)
{
    return d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : d == 2 ? fabs(x[1]) : 0;
}

/* x_0^2 - |x_T|^2 without cancellation of large terms. */
static double determinant(int d, const double *x)
{
    double t = tangent_norm(d, x);
    return (x[0] - t) * (x[0] + t);
}

bool carom_friction_cone_scale(int d, const double *x, const double *s, carom_friction_scaling *w)
{
    double dx = determinant(d, x), ds = determinant(d, s);
    if (!(dx > 0 && ds > 0 && x[0] > 0 && s[0] > 0))
        return false;
    double rx = sqrt(dx), rs = sqrt(ds), dot = 0;
    for (int k = 0; k < d; k++)
        dot += x[k] * s[k];
    double gamma = sqrt((1 + dot / (rx * rs)) / 2);
    w->eta = sqrt(rs / rx);
    w->w[0] = (s[0] / rs + x[0] / rx) / (2 * gamma);
    for (int k = 1; k < d; k++)
        w->w[k] = (s[k] / rs - x[k] / rx) / (2 * gamma);
    carom_friction_cone_apply(d, w, x, w->lambda);
    return true;
}

/* [w0 sign w'; sign w I + w w'/(1 + w0)] x times factor */
static void apply(int d, double factor, double sign, const double *w, const double *x, double *y)
{
    double dot = 0;
    for (int k = 1; k < d; k++)
        dot += w[k] * x[k];
    double along = sign * x[0] + dot / (1 + w[0]), first = w[0] * x[0] + sign * dot;
    for (int k = 1; k < d; k++)
        y[k] = factor * (x[k] + along * w[k]);
    y[0] = factor * first;
}

void carom_friction_cone_apply(int d, const carom_friction_scaling *w, const double *x, double *y)
{
    apply(d, w->eta, 1, w->w, x, y);
}

void carom_friction_cone_unapply(int d, const carom_friction_scaling *w, const double *x, double *y)
{
    apply(d, 1 / w->eta, -1, w->w, x, y);
}

void carom_friction_cone_square(int d, const carom_friction_scaling *w, double *P)
{
    double square = w->eta * w->eta; /* eta^2 (2 w w' - J) */
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            P[i + j * d] = square * (2 * w->w[i] * w->w[j] + (i != j ? 0 : i == 0 ? -1 : 1));
}

void carom_friction_cone_product(int d, const double *x, const double *y, double *z)
{
    double dot = x[0] * y[0], x0 = x[0], y0 = y[0];
    for (int k = 1; k < d; k++)
        dot += x[k] * y[k];
    for (int k = 1; k < d; k++)
        z[k] = x0 * y[k] + y0 * x[k];
    z[0] = dot;
}

void carom_friction_cone_divide(int d, const double *x, const double *y, double *z)
{
    double det = determinant(d, x), dot = 0, y0 = y[0];
    for (int k = 1; k < d; k++)
        dot += x[k] * y[k];
    double first = (x[0] * y0 - dot) / det;
    for (int k = 1; k < d; k++)
        z[k] = (y[k] - first * x[k]) / x[0];
    z[0] = first;
}

double carom_friction_cone_step(int d, const double *x, const double *dx)
{
    /* rho = dx seen from x as the centre: x + a dx is in the cone while e + a rho is */
    double root = sqrt(determinant(d, x)), first = x[0] / root * dx[0], square = 0;
    for (int k = 1; k < d; k++)
        first -= x[k] / root * dx[k];
    double along = (first + dx[0]) / (x[0] / root + 1);
    for (int k = 1; k < d; k++) {
        double rho = dx[k] - along * x[k] / root;
        square += rho * rho;
    }
    double least = (first - sqrt(square)) / root; /* the least eigenvalue of rho */
    return least < 0 ? -1 / least : INFINITY;
}
