/* All solutions of the frictional impact problem of one contact, planar or spatial. */
#include "carom/tolerance.h"
#include "law/coulomb.h"
#include "solver/root.h"

#include <math.h>

static const double two_pi = 6.283185307179586476925;

/* One contact: xi = A x + b with A of order 1 + s. */
typedef struct local {
    int s;
    double nn, a[2], t[2][2]; /* A: normal, coupling, tangential */
    double bn, bt[2];
    double mu_s, mu_d, tol;
    bool equality;
    double *xs;
    int count;
} local;

static void keep(local *l, double normal, double t0, double t1)
{
    if (l->count == CAROM_COULOMB_LOCAL)
        return;
    double *x = l->xs + 3 * l->count++;
    x[0] = fmax(normal, 0);
    x[1] = t0;
    x[2] = t1;
}

/* x with xi = 0 in all rows. */
static void try_stick(local *l)
{
    double scale = 1e-11, x0, x1 = 0, x2 = 0;
    if (l->s == 0) {
        if (!(l->nn > scale))
            return;
        x0 = -l->bn / l->nn;
    } else if (l->s == 1 || !(l->t[1][1] > scale) || !(l->t[0][0] > scale)) {
        int k = l->s == 1 || l->t[0][0] > scale ? 0 : 1; /* the direction that can move */
        if (l->s == 2 && fabs(l->bt[1 - k]) > l->tol)
            return;
        double det = l->nn * l->t[k][k] - l->a[k] * l->a[k];
        if (!(det > scale))
            return;
        x0 = (-l->bn * l->t[k][k] + l->a[k] * l->bt[k]) / det;
        double xt = (-l->bt[k] * l->nn + l->a[k] * l->bn) / det;
        x1 = k == 0 ? xt : 0;
        x2 = k == 1 ? xt : 0;
    } else {
        /* eliminate the tangents: Schur complement of the 2 x 2 block */
        double det = l->t[0][0] * l->t[1][1] - l->t[0][1] * l->t[0][1];
        if (!(det > scale))
            return;
        double c0 = (l->t[1][1] * l->a[0] - l->t[0][1] * l->a[1]) / det;
        double c1 = (l->t[0][0] * l->a[1] - l->t[0][1] * l->a[0]) / det;
        double schur = l->nn - c0 * l->a[0] - c1 * l->a[1];
        if (!(schur > scale))
            return;
        x0 = -(l->bn - c0 * l->bt[0] - c1 * l->bt[1]) / schur;
        double r0 = -l->bt[0] - l->a[0] * x0, r1 = -l->bt[1] - l->a[1] * x0;
        x1 = (l->t[1][1] * r0 - l->t[0][1] * r1) / det;
        x2 = (l->t[0][0] * r1 - l->t[0][1] * r0) / det;
    }
    double force = hypot(x1, x2), tol = fmax(l->tol, 1e-10 * fmax(fabs(x0), force));
    if (x0 < -tol)
        return;
    if (isinf(l->mu_s) ? (x0 > tol || force <= tol)
                       : force - l->mu_s * fmax(x0, 0) <= tol * (1 + l->mu_s))
        keep(l, x0, x1, x2);
}

/* Slip in the unit direction d: x_T = -mu_d x_N d, xi_N = 0, d'xi_T > 0. */
static void try_slip(local *l, double d0, double d1)
{
    double mu = l->mu_d, den = l->nn - mu * (l->a[0] * d0 + l->a[1] * d1);
    if (fabs(den) < 1e-12 * (1 + mu))
        return;
    double x0 = -l->bn / den;
    double v0 = l->bt[0] + x0 * (l->a[0] - mu * (l->t[0][0] * d0 + l->t[0][1] * d1));
    double v1 = l->bt[1] + x0 * (l->a[1] - mu * (l->t[0][1] * d0 + l->t[1][1] * d1));
    if (x0 >= -l->tol && d0 * v0 + d1 * v1 > l->tol)
        keep(l, x0, -mu * fmax(x0, 0) * d0, -mu * fmax(x0, 0) * d1);
}

/* c[0] + c[1] cos + c[2] sin + c[3] cos 2. + c[4] sin 2., and its derivative. */
static double trigonometric(const double c[5], double angle, double *slope)
{
    double u = cos(angle), v = sin(angle), u2 = u * u - v * v, v2 = 2 * u * v;
    *slope = -c[1] * v + c[2] * u - 2 * c[3] * v2 + 2 * c[4] * u2;
    return c[0] + c[1] * u + c[2] * v + c[3] * u2 + c[4] * v2;
}

static double curve(void *self, double angle, double *slope)
{
    return trigonometric(self, angle, slope);
}

/* The root between low and high, where f or its derivative changes sign. */
static double bracketed(const double c[5], double low, double high, bool derivative)
{
    double f[5] = {c[0], c[1], c[2], c[3], c[4]}, slope;
    const double dc[5] = {0, c[2], -c[1], 2 * c[4], -2 * c[3]};
    for (int k = 0; k < 5 && derivative; k++)
        f[k] = dc[k];
    const double sign = trigonometric(f, low, &slope) < 0 ? -1 : 1;
    return carom_root_newton(curve, f, low, high, sign, 0.5 * (low + high));
}

/* All roots in [0, 2 pi): sign changes on a grid, and between them the extrema that touch or
 * cross zero. A polynomial of degree two has at most four roots and four extrema. */
static int trigonometric_roots(const double c[5], double *roots)
{
    enum { GRID = 24 };
    double f[GRID + 2], size = 0, slope;
    int count = 0;
    for (int k = 0; k < 5; k++)
        size = fmax(size, fabs(c[k]));
    if (size == 0)
        return 0;
    for (int k = 0; k <= GRID + 1; k++)
        f[k] = trigonometric(c, (k % GRID) * two_pi / GRID, &slope);
    for (int k = 0; k < GRID; k++) {
        double h = two_pi / GRID, t = k * h;
        if (f[k] == 0 && count < 8)
            roots[count++] = t;
        if (f[k] * f[k + 1] < 0 && count < 8)
            roots[count++] = bracketed(c, t, t + h, false);
        bool dip = f[k] * f[k + 1] > 0 && f[k + 1] * f[k + 2] > 0 && fabs(f[k + 1]) <= fabs(f[k]) &&
                   fabs(f[k + 1]) <= fabs(f[k + 2]);
        if (!dip)
            continue;
        double e = bracketed(c, t, t + 2 * h, true), value = trigonometric(c, e, &slope);
        if (value * f[k] < 0 && count < 7) {
            roots[count++] = bracketed(c, t, e, false);
            roots[count++] = bracketed(c, e, t + 2 * h, false);
        } else if (fabs(value) <= 1e-14 * size && count < 8) {
            roots[count++] = e;
        }
    }
    return count;
}

/* Sliding directions in space: d_perp'xi_T(d) = 0 times the denominator of x_N(d). */
static void try_spatial(local *l)
{
    double mu = l->mu_d, ax = l->a[0], ay = l->a[1], bx = l->bt[0], by = l->bt[1];
    double c[5] = {
        -0.5 * mu * (ax * by - ay * bx),
        l->nn * by - l->bn * ay,
        -l->nn * bx + l->bn * ax,
        -0.5 * mu * (ax * by + ay * bx) + mu * l->bn * l->t[0][1],
        -0.5 * mu * (ay * by - ax * bx) + 0.5 * mu * l->bn * (l->t[1][1] - l->t[0][0]),
    };
    double roots[8];
    int count = trigonometric_roots(c, roots);
    for (int k = 0; k < count; k++)
        try_slip(l, cos(roots[k]), sin(roots[k]));
}

double carom_coulomb_local_pivot(const carom_coulomb *problem, int i)
{
    const int r = problem->row[i], rows = problem->row[i + 1] - r, N = problem->N;
    double pivot[3] = {0}, L[3][3] = {{0}}, least = INFINITY;
    for (int j = 0; j < rows; j++) /* the tangents first */
        for (int k = j; k < rows; k++) {
            const int a = (j + 1) % rows, c = (k + 1) % rows;
            double sum = problem->A[r + c + (size_t)(r + a) * N];
            for (int m = 0; m < j; m++)
                sum -= L[k][m] * L[j][m] * pivot[m];
            if (k == j)
                pivot[j] = sum;
            if (!(pivot[j] > CAROM_TOLERANCE_RANK))
                return 0;
            least = fmin(least, pivot[j]);
            L[k][j] = sum / pivot[j];
        }
    return least;
}

int carom_coulomb_local(const carom_coulomb *problem, int i, const double *b, double floor,
                        double *xs)
{
    int r = problem->row[i], s = problem->row[i + 1] - r - 1, N = problem->N;
    const double *A = problem->A + r + (size_t)r * N;
    local l = {.s = s,
               .nn = A[0],
               .bn = b[r],
               .mu_s = problem->mu_s[i],
               .mu_d = problem->mu_d[i],
               .equality = problem->equality[i],
               .xs = xs};
    double size = fabs(l.bn);
    for (int k = 0; k < s; k++) {
        l.a[k] = A[k + 1];
        l.bt[k] = b[r + 1 + k];
        size = fmax(size, fabs(l.bt[k]));
        for (int j = 0; j < s; j++)
            l.t[k][j] = A[1 + k + (size_t)(1 + j) * N];
    }
    l.tol = fmax(floor, 1e-12 * size);
    if (l.equality ? fabs(l.bn) <= l.tol : l.bn >= -l.tol)
        keep(&l, 0, 0, 0);
    if (s == 0 && l.bn < 0)
        try_stick(&l);
    if (s == 0)
        return l.count;
    try_stick(&l);
    if (isinf(l.mu_d))
        return l.count;
    if (s == 1) {
        try_slip(&l, 1, 0);
        try_slip(&l, -1, 0);
    } else {
        try_spatial(&l);
    }
    return l.count;
}
