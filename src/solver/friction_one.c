/* One contact alone, exactly.
 *
 * Open: rho_0 >= 0, x = 0. Otherwise the normal velocity vanishes, x_0 = -(rho_0 + A_0T x_T) /
 * A_00, and what is left is S x_T + c = xi_T with c = rho_T - A_T0 rho_0 / A_00. A sliding contact
 * has xi_T = -alpha x_T with alpha >= 0, a sticking one alpha = 0, so
 *
 *     x_T(alpha) = -(S + alpha I)^-1 c,     phi(alpha) = x_0 / |x_T| - 1.
 *
 * phi(0) >= 0: it sticks. Otherwise phi grows without bound (x_T goes to zero, x_0 to -rho_0/A_00 >
 * 0), so there is a root, and it is a solution: |x_T| = x_0, xi_T against x_T. If S is a multiple
 * of I phi is linear in alpha; in general it is nearly so, and Newton's method inside a bracket
 * takes two to four steps. */
#include "solver/friction_one.h"
#include "carom/tolerance.h"

#include <float.h>
#include <math.h>

/* A difference that is so small against its terms is zero. */
#define ROUNDING (CAROM_TOLERANCE_SUM)

enum { STEPS = 60 }; /* two to four are usual, a bisection takes 53 */

/* Is the number x, made of terms of this size, nothing but rounding? */
static bool vanishes(double x, double size)
{
    return fabs(x) <= ROUNDING * size;
}

/* Inlined for two and three rows. */
static inline void eliminate(carom_friction_one *one, int rows, const double *A)
{
    const int t = rows - 1;
    double size[4] = {0}, *S = one->S;
    one->a = 1 / A[0];
    for (int i = 0; i < t; i++) {
        one->l[i] = A[1 + i] * one->a;
        one->u[i] = A[(1 + i) * rows] * one->a;
    }
    for (int j = 0; j < t; j++)
        for (int i = 0; i < t; i++) {
            double term = A[1 + i + (1 + j) * rows], other = A[1 + i] * one->u[j];
            size[i + 2 * j] = fabs(term) + fabs(other);
            S[i + 2 * j] = vanishes(term - other, size[i + 2 * j]) ? 0 : term - other;
        }
    if (t == 2)
        one->noise = ROUNDING * (size[0] * fabs(S[3]) + fabs(S[0]) * size[3] +
                                 size[1] * fabs(S[2]) + fabs(S[1]) * size[2]);
}

void carom_friction_one_make(carom_friction_one *one, int rows, bool free, const double *A)
{
    *one = (carom_friction_one){.rows = rows, .free = free};
    if (!A || !(A[0] > 0))
        return;
    if (rows == 2)
        eliminate(one, 2, A);
    else if (rows == 3)
        eliminate(one, 3, A);
    else
        one->a = 1 / A[0];
}

/* y = -(S + alpha I)^-1 c; false when that is singular. */
static bool solve_two(const carom_friction_one *one, double alpha, const double *c, double *y)
{
    const double *S = one->S;
    double a = S[0] + alpha, d = S[3] + alpha, det = a * d - S[1] * S[2];
    if (!(fabs(det) > one->noise))
        return false;
    y[0] = (S[2] * c[1] - d * c[0]) / det;
    y[1] = (S[1] * c[0] - a * c[1]) / det;
    return true;
}

/* The same for alpha = 0 and S of rank one or zero, if there is a solution. Of all y + t n with S n
 * = 0 the one that is deepest in the cone: x_0 - |x_T| = const - t u'n - sqrt(|y|^2 + t^2) has its
 * maximum at t = -u'n |y| / sqrt(1 - (u'n)^2). size: of what c is made of. */
static bool solve_singular(const carom_friction_one *one, const double *c, double size, double *y)
{
    const double *S = one->S;
    double square = S[0] * S[0] + S[1] * S[1] + S[2] * S[2] + S[3] * S[3];
    y[0] = square > 0 ? -(S[0] * c[0] + S[1] * c[1]) / square : 0;
    y[1] = square > 0 ? -(S[2] * c[0] + S[3] * c[1]) / square : 0;
    if (!vanishes(S[0] * y[0] + S[2] * y[1] + c[0], size) ||
        !vanishes(S[1] * y[0] + S[3] * y[1] + c[1], size))
        return false;
    bool upper = S[0] * S[0] + S[2] * S[2] >= S[1] * S[1] + S[3] * S[3];
    double n[2] = {upper ? -S[2] : -S[3], upper ? S[0] : S[1]},
           norm = sqrt(n[0] * n[0] + n[1] * n[1]);
    double along = norm > 0 ? (one->u[0] * n[0] + one->u[1] * n[1]) / norm : 0;
    if (fabs(along) < 1 && norm > 0) {
        double t = -along * sqrt((y[0] * y[0] + y[1] * y[1]) / (1 - along * along));
        y[0] += t * n[0] / norm;
        y[1] += t * n[1] / norm;
    }
    return true;
}

/* Sliding in space: the root of phi above 0, where phi is negative. */
static void slide(carom_friction_one *one, const double *rho, const double *c, double *x)
{
    const double *S = one->S;
    double low = 0, high = INFINITY, alpha = one->alpha, y[2] = {0, 0}, z[2] = {0, 0};
    double size = fabs(S[0]) + fabs(S[3]),
           least = size > 0 ? ROUNDING * size : fabs(c[0]) + fabs(c[1]);
    for (int step = 0; step < STEPS; step++) {
        while (!solve_two(one, alpha, c, y) && alpha < size + least)
            alpha = 2 * alpha + least;
        solve_two(one, alpha, y, z); /* the derivative of y */
        double norm = sqrt(y[0] * y[0] + y[1] * y[1]);
        x[0] = -rho[0] * one->a - one->u[0] * y[0] - one->u[1] * y[1];
        x[1] = y[0] * (x[0] / norm);
        x[2] = y[1] * (x[0] / norm);
        double phi = x[0] / norm - 1;
        double slope = (-(one->u[0] * z[0] + one->u[1] * z[1]) -
                        x[0] * (y[0] * z[0] + y[1] * z[1]) / (norm * norm)) /
                       norm;
        one->alpha = alpha;
        if (fabs(phi) <= 4 * DBL_EPSILON)
            return;
        if (phi < 0)
            low = alpha;
        else
            high = alpha;
        double next = slope > 0 ? alpha - phi / slope : -1;
        if (!(next > low && next < high)) /* the middle, or further out */
            next = high < INFINITY ? low + (high - low) / 2 : 4 * low + least;
        if (next == alpha || next <= low || next >= high)
            return;
        alpha = next;
    }
}

static void planar(const carom_friction_one *one, const double *rho, double *x)
{
    double c = rho[1] - one->l[0] * rho[0], S = one->S[0];
    double stick = S > 0 ? -c / S : 0, normal = -rho[0] * one->a - one->u[0] * stick;
    bool can = S > 0 || vanishes(c, fabs(rho[1]) + fabs(one->l[0] * rho[0]));
    if (can && fabs(stick) <= normal) {
        x[0] = normal;
        x[1] = stick;
        return;
    }
    double side = c < 0 ? 1 : -1; /* x_T = side x_0 */
    double divisor = 1 + one->u[0] * side;
    x[0] = divisor > 0 ? -rho[0] * one->a / divisor : 0;
    x[1] = side * x[0];
}

static void spatial(carom_friction_one *one, const double *rho, double *x)
{
    double c[2] = {rho[1] - one->l[0] * rho[0], rho[2] - one->l[1] * rho[0]};
    double size = fabs(rho[1]) + fabs(rho[2]) + (fabs(one->l[0]) + fabs(one->l[1])) * fabs(rho[0]);
    if (solve_two(one, 0, c, x + 1) || solve_singular(one, c, size, x + 1)) {
        x[0] = -rho[0] * one->a - one->u[0] * x[1] - one->u[1] * x[2];
        if (x[0] >= 0 && x[1] * x[1] + x[2] * x[2] <= x[0] * x[0])
            return;
    }
    slide(one, rho, c, x);
}

void carom_friction_one_solve(carom_friction_one *one, const double *rho, double *x)
{
    for (int k = 0; k < one->rows; k++)
        x[k] = 0;
    if (!(one->a > 0) || (!one->free && rho[0] >= 0))
        return;
    if (one->free) {
        double c[2] = {0, 0}, y[2] = {0, 0};
        for (int k = 1; k < one->rows; k++)
            c[k - 1] = rho[k] - one->l[k - 1] * rho[0];
        if (one->rows == 3 && !solve_two(one, 0, c, y))
            solve_singular(one, c, INFINITY, y);
        else if (one->rows == 2 && one->S[0] > 0)
            y[0] = -c[0] / one->S[0];
        x[0] = -rho[0] * one->a - one->u[0] * y[0] - one->u[1] * y[1];
        for (int k = 1; k < one->rows; k++)
            x[k] = y[k - 1];
    } else if (one->rows == 1) {
        x[0] = -rho[0] * one->a;
    } else if (one->rows == 2) {
        planar(one, rho, x);
    } else {
        spatial(one, rho, x);
    }
}
