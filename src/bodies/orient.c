/* Orientation of four points, exactly: first in doubles with a bound on the error, then, where that
 * does not decide, as a sum of numbers whose sum is exact (an expansion after Dekker and Priest).
 *
 * The determinant of the four points is the sum over ordered triples (i, j, k) of distinct points
 * of +- x_i y_j z_k: 24 products of three numbers, each an expansion of four terms. */
#include "bodies/orient.h"

#include <float.h>

/* s + e = a + b exactly. */
static double two_sum(double a, double b, double *e)
{
    double s = a + b, v = s - a;
    *e = (a - (s - v)) + (b - v);
    return s;
}

/* p + e = a b exactly. */
static double two_product(double a, double b, double *e)
{
    double p = a * b;
    *e = fma(a, b, -p);
    return p;
}

/* A sum of doubles that do not overlap, smallest first. */
typedef struct expansion {
    int count;
    double term[128];
} expansion;

static void add(expansion *x, double b)
{
    int kept = 0;
    for (int k = 0; k < x->count; k++) {
        double error;
        b = two_sum(b, x->term[k], &error);
        if (error != 0)
            x->term[kept++] = error;
    }
    if (b != 0)
        x->term[kept++] = b;
    x->count = kept;
}

/* x += sign a b c */
static void add_product(expansion *x, double sign, double a, double b, double c)
{
    double low, tail, high = two_product(a, b, &low);
    double top = two_product(high, sign * c, &tail);
    add(x, top);
    add(x, tail);
    top = two_product(low, sign * c, &tail);
    add(x, top);
    add(x, tail);
}

static int sign_of(const expansion *x)
{
    double top = x->count ? x->term[x->count - 1] : 0;
    return (top > 0) - (top < 0);
}

/* x += sign det(a, b, c) */
static void add_determinant(expansion *x, double sign, v3 a, v3 b, v3 c)
{
    add_product(x, sign, a.x, b.y, c.z);
    add_product(x, sign, b.x, c.y, a.z);
    add_product(x, sign, c.x, a.y, b.z);
    add_product(x, -sign, a.x, c.y, b.z);
    add_product(x, -sign, b.x, a.y, c.z);
    add_product(x, -sign, c.x, b.y, a.z);
}

int carom_orient(v3 a, v3 b, v3 c, v3 d)
{
    v3 p = v3_sub(b, a), q = v3_sub(c, a), r = v3_sub(d, a);
    double xy = p.x * q.y, yx = p.y * q.x, yz = p.y * q.z, zy = p.z * q.y, zx = p.z * q.x,
           xz = p.x * q.z;
    double value = (yz - zy) * r.x + (zx - xz) * r.y + (xy - yx) * r.z;
    double size = (fabs(yz) + fabs(zy)) * fabs(r.x) + (fabs(zx) + fabs(xz)) * fabs(r.y) +
                  (fabs(xy) + fabs(yx)) * fabs(r.z);
    /* Each factor is rounded once, each product and sum too: at most eight roundings a term. */
    double bound = 8 * DBL_EPSILON * size;
    if (value > bound || value < -bound)
        return value > 0 ? 1 : -1;
    expansion x = {0};
    add_determinant(&x, 1, b, c, d);
    add_determinant(&x, -1, a, c, d);
    add_determinant(&x, 1, a, b, d);
    add_determinant(&x, -1, a, b, c);
    return sign_of(&x);
}

int carom_orient_plane(v3 a, v3 b, v3 c)
{
    double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x);
    double value = left - right, bound = 4 * DBL_EPSILON * (fabs(left) + fabs(right));
    if (value > bound || value < -bound)
        return value > 0 ? 1 : -1;
    expansion x = {0};
    add_product(&x, 1, a.x, b.y, 1);
    add_product(&x, -1, a.y, b.x, 1);
    add_product(&x, 1, b.x, c.y, 1);
    add_product(&x, -1, b.y, c.x, 1);
    add_product(&x, 1, c.x, a.y, 1);
    add_product(&x, -1, c.y, a.x, 1);
    return sign_of(&x);
}
