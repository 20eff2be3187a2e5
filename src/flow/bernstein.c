/* Roots of polynomials of degree 7 by their Bernstein coefficients: none is missed, the first comes
 * first. */
#include "flow/bernstein.h"

#include "solver/root.h"

#include <float.h>

/* (1 - cos(pi k/7))/2 */
const double carom_bernstein_node[CAROM_BERNSTEIN_NODES] = {0.0,
                                                            0.049515566048790434,
                                                            0.18825509907063323,
                                                            0.3887395330218428,
                                                            0.6112604669781572,
                                                            0.8117449009293668,
                                                            0.9504844339512095,
                                                            1.0};

/* Inverse of the matrix of Bernstein polynomials at the nodes (computed in rationals); its second
 * half is the first, turned round. */
static const double to_bernstein[3][8] = {
    {-3.7142857142857144, 5.770191245168349, -1.517697460120779, 0.7349761509803321,
     -0.4674182302787387, 0.3519754609941761, -0.3005985953147676, 0.1428571428571428},
    {6.80952380952381, -13.087429699728103, 10.971970630553772, -5.9845637592281475,
     3.9518709701789225, -3.023244636281845, 2.5999679230768287, -1.2380952380952381},
    {-7.004081632653063, 14.294285653884248, -15.019852624912941, 15.374181735761217,
     -11.860213244220276, 9.645818324640253, -8.51585249821372, 4.0857142857142857},
};

void carom_bernstein_interpolate(const double *v, double *b)
{
    /* Differences to the mean of the ends, so that a constant is reproduced exactly. */
    double base = 0.5 * (v[0] + v[7]), d[8];
    for (int k = 0; k < 8; k++)
        d[k] = v[k] - base;
    for (int r = 0; r < 3; r++) {
        double left = 0, right = 0;
        for (int k = 0; k < 8; k++) {
            left += to_bernstein[r][k] * d[k];
            right += to_bernstein[r][k] * d[7 - k];
        }
        b[r + 1] = base + left;
        b[6 - r] = base + right;
    }
    b[0] = v[0];
    b[7] = v[7];
}

/* z^d sum C_i b_i (x/z)^i by Horner's rule, from the nearer end: all factors are positive, so
 * nothing cancels but the coefficients themselves. */
double carom_bernstein_value(const double *b, int degree, double x)
{
    static const double binomial[CAROM_BERNSTEIN_NODES][CAROM_BERNSTEIN_NODES] = {
        {1},
        {1, 1},
        {1, 2, 1},
        {1, 3, 3, 1},
        {1, 4, 6, 4, 1},
        {1, 5, 10, 10, 5, 1},
        {1, 6, 15, 20, 15, 6, 1},
        {1, 7, 21, 35, 35, 21, 7, 1},
    };
    const double *C = binomial[degree], z = 1 - x;
    double sum, power = 1;
    if (x <= 0.5) {
        const double r = x / z;
        sum = b[degree];
        for (int k = degree - 1; k >= 0; k--) {
            sum = sum * r + C[k] * b[k];
            power *= z;
        }
    } else {
        const double r = z / x;
        sum = b[0];
        for (int k = 1; k <= degree; k++) {
            sum = sum * r + C[k] * b[k];
            power *= x;
        }
    }
    return sum * power;
}

void carom_bernstein_deflate(int degree, const double *b, double *r)
{
    for (int k = 0; k < degree; k++)
        r[k] = b[k + 1] * degree / (k + 1);
}

typedef struct curve {
    const double *b;
    double difference[CAROM_BERNSTEIN_NODES];
    int degree;
} curve;

static double value_and_slope(void *self, double x, double *slope)
{
    const curve *c = self;
    *slope = carom_bernstein_value(c->difference, c->degree - 1, x);
    return carom_bernstein_value(c->b, c->degree, x);
}

/* The only root on [0, 1] with value >= 0 at 0 and < 0 at 1. */
static double only_root(const double *b, int degree)
{
    curve c = {.b = b, .degree = degree};
    for (int k = 0; k < degree; k++)
        c.difference[k] = degree * (b[k + 1] - b[k]);
    return carom_root_newton(value_and_slope, &c, 0, 1, 1, b[0] / (b[0] - b[degree]));
}

static double first(const double *b, int degree, double start, double length)
{
    if (b[0] < 0)
        return start;
    int changes = 0, negative = 0;
    for (int k = 0; k < degree; k++)
        changes += (b[k] < 0) != (b[k + 1] < 0);
    negative = b[degree] < 0;
    if (changes == 0)
        return -1;
    if (changes == 1 && negative)
        return start + length * only_root(b, degree);
    if (length < 4 * DBL_EPSILON) /* touches from above within rounding */
        return negative ? start + length : -1;
    double left[CAROM_BERNSTEIN_NODES], right[CAROM_BERNSTEIN_NODES];
    for (int k = 0; k <= degree; k++)
        right[k] = b[k];
    for (int level = degree; level >= 0; level--) {
        left[degree - level] = right[0];
        for (int k = 0; k < level; k++)
            right[k] = 0.5 * (right[k] + right[k + 1]);
    }
    double x = first(left, degree, start, 0.5 * length);
    return x >= 0 ? x : first(right, degree, start + 0.5 * length, 0.5 * length);
}

double carom_bernstein_first_negative(const double *b, int degree)
{
    return first(b, degree, 0, 1);
}
