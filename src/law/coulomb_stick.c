/* Whether one spatial contact with dependent rows can stick (docs/theory/coulomb.md, "One spatial
 * contact"): impulses with A x = -b are a line or a plane, and its shortest point in the friction
 * cone has a closed form. */
#include "carom/tolerance.h"
#include "law/coulomb.h"

#include <math.h>

#include "base/short_loops.h"

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The entry of a diagonal that is the largest from k on. */
static int largest(const double *d, int k)
{
    int best = k;
    for (int i = k + 1; i < 3; i++)
        if (d[i] > d[best])
            best = i;
    return best;
}

/* A = sum of v_k v_k', `rank` columns v by pivoted elimination. */
static int factor(const double A[9], double v[3][3])
{
    double S[9], top = 0;
    for (int k = 0; k < 9; k++)
        S[k] = A[k];
    for (int rank = 0; rank < 3; rank++) {
        const double d[3] = {S[0], S[4], S[8]};
        const int p = largest(d, 0);
        top = fmax(top, d[p]);
        if (!(d[p] > CAROM_TOLERANCE_RANK * top))
            return rank;
        for (int i = 0; i < 3; i++)
            v[rank][i] = S[i + 3 * p] / sqrt(d[p]);
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                S[i + 3 * j] -= v[rank][i] * v[rank][j];
        for (int i = 0; i < 3; i++)
            S[i + 3 * p] = S[p + 3 * i] = 0;
    }
    return 3;
}

/* The shortest x of the cone with v'x = c: along the point of the cone nearest to +-v. */
static bool cut_plane(const double v[3], double c, double mu, double *x)
{
    const double sign = c < 0 ? -1 : 1, n = sign * v[0], t = hypot(v[1], v[2]);
    double near[3] = {n, sign * v[1], sign * v[2]};
    if (t > mu * n) { /* outside: on the edge, or the tip alone is nearest */
        const double along = (n + mu * t) / (1 + mu * mu);
        if (!(along > CAROM_TOLERANCE_RANK * (t + fabs(n))))
            return false;
        near[0] = along;
        near[1] *= mu * along / t;
        near[2] *= mu * along / t;
    }
    const double length = fabs(c) / dot(near, near); /* v'near = |near|^2 */
    for (int k = 0; k < 3; k++)
        x[k] = length * near[k];
    return true;
}

/* The part [t_0, t_1] of the line x + t k that is in the cone, from (mu x_N)^2 - |x_T|^2 = a t^2 +
 * 2 b t + c >= 0; false: none. */
static bool cut_line(const double *x, const double *k, double mu, double t[2])
{
    const double a = mu * mu * k[0] * k[0] - k[1] * k[1] - k[2] * k[2];
    const double b = mu * mu * x[0] * k[0] - x[1] * k[1] - x[2] * k[2];
    const double c = mu * mu * x[0] * x[0] - x[1] * x[1] - x[2] * x[2];
    const double square = b * b - a * c;
    t[0] = -INFINITY;
    t[1] = INFINITY;
    if (fabs(a) <= CAROM_TOLERANCE_RANK * (1 + mu * mu)) { /* along an edge */
        t[b < 0] = -c / (2 * b);
        return b * k[0] > 0;
    }
    const double root = sqrt(fmax(square, 0)), half = b > 0 ? -b - root : -b + root;
    const double one = half / a, two = half != 0 ? c / half : 0;
    if (a < 0) { /* between both, where the normal pushes; it never comes inside without them */
        t[0] = fmin(one, two);
        t[1] = fmax(one, two);
        return square >= 0 && x[0] + 0.5 * (one + two) * k[0] >= 0;
    }
    t[k[0] < 0] = k[0] < 0 ? fmin(one, two) : fmax(one, two);
    return true;
}

/* The shortest x of the cone with v_0'x = c_0, v_1'x = c_1. */
static bool cut_both(const double v[2][3], const double c[2], double mu, double *x)
{
    double k[3] = {v[0][1] * v[1][2] - v[0][2] * v[1][1], v[0][2] * v[1][0] - v[0][0] * v[1][2],
                   v[0][0] * v[1][1] - v[0][1] * v[1][0]};
    const double p = dot(v[0], v[0]), q = dot(v[0], v[1]), r = dot(v[1], v[1]);
    const double det = p * r - q * q, f = (r * c[0] - q * c[1]) / det,
                 g = (p * c[1] - q * c[0]) / det, unit = 1 / sqrt(dot(k, k));
    double t[2];
    for (int i = 0; i < 3; i++) {
        x[i] = f * v[0][i] + g * v[1][i]; /* the point of the line nearest to zero */
        k[i] *= unit;
    }
    if (!cut_line(x, k, mu, t))
        return false;
    const double nearest = fmin(fmax(0, t[0]), t[1]);
    for (int i = 0; i < 3; i++)
        x[i] += nearest * k[i];
    return true;
}

bool carom_coulomb_stick(const double A[9], const double b[3], double mu, double x[3])
{
    double v[3][3], c[3];
    const int rank = isfinite(mu) ? factor(A, v) : 3;
    if (rank == 0 || rank == 3)
        return false;
    for (int k = 0; k < rank; k++) { /* A x = -b: v_k'x = c_k, by the pivots in their order */
        double sum = 0;
        int p = 0;
        for (int i = 0; i < 3; i++)
            p = fabs(v[k][i]) > fabs(v[k][p]) ? i : p;
        for (int j = 0; j < k; j++)
            sum += v[j][p] * c[j];
        c[k] = -(b[p] + sum) / v[k][p];
    }
    return rank == 1 ? cut_plane(v[0], c[0], mu, x) : cut_both((const double(*)[3])v, c, mu, x);
}
