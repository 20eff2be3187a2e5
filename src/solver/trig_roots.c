/* Zeros by halving intervals: by Taylor's theorem |p| >= |p(m)| - |p'(m)| w - B w^2/2 within w of
 * the middle, B a bound of |p''|. Where that is positive there is none; where |p'(m)| > B w the
 * polynomial is monotone and has at most one. */
#include "solver/trig_roots.h"

#include "carom/base.h"
#include "solver/root.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

void carom_trig_fit(const double value[16], carom_trig *p)
{
    for (int k = 0; k <= CAROM_TRIG_DEGREE; k++) {
        p->c[k] = p->s[k] = 0;
        for (int j = 0; j < 16; j++) {
            p->c[k] += value[j] * cos(2 * CAROM_PI * ((j * k) % 16) / 16) * (k ? 2 : 1) / 16;
            p->s[k] += value[j] * sin(2 * CAROM_PI * ((j * k) % 16) / 16) * 2 / 16;
        }
    }
}

static double value_at(const carom_trig *p, double x, double *slope)
{
    double sum = p->c[0], ck = 1, sk = 0, c = cos(x), s = sin(x);
    *slope = 0;
    for (int k = 1; k <= CAROM_TRIG_DEGREE; k++) {
        double next = ck * c - sk * s;
        sk = sk * c + ck * s;
        ck = next;
        sum += p->c[k] * ck + p->s[k] * sk;
        *slope += k * (p->s[k] * ck - p->c[k] * sk);
    }
    return sum;
}

static double curve(void *self, double x, double *slope)
{
    return value_at(self, x, slope);
}

/* The zero between two ends of different sign. */
static double refine(const carom_trig *p, double low, double high, double at_low)
{
    carom_trig own = *p;
    return carom_root_newton(curve, &own, low, high, at_low > 0 ? 1 : -1, (low + high) / 2);
}

/* Add a zero that is known to `off`, unless the last, or the first behind it, is the same. */
static int add_root(double *roots, int count, double root, double off)
{
    const double near = 4 * off + 8 * DBL_EPSILON * CAROM_PI;
    if (count > 0 && (root - roots[count - 1] <= near || roots[0] + 2 * CAROM_PI - root <= near))
        return count;
    roots[count] = root;
    return count + 1;
}

int carom_trig_roots(const carom_trig *p, double *roots)
{
    enum { DEPTH = 64 };
    double bend = 0, size = 0, stack[DEPTH][2], slope;
    int count = 0, depth = 0;
    for (int k = 0; k <= CAROM_TRIG_DEGREE; k++) {
        double amplitude = hypot(p->c[k], p->s[k]);
        bend += k * k * amplitude;
        size += amplitude;
    }
    if (!(size > 0))
        return 0;
    double rounding = 32 * DBL_EPSILON * size;
    stack[depth][0] = 0;
    stack[depth++][1] = 2 * CAROM_PI;
    while (depth && count < CAROM_TRIG_ROOTS) {
        double low = stack[--depth][0], high = stack[depth][1], m = (low + high) / 2,
               w = (high - low) / 2;
        double f = value_at(p, m, &slope);
        if (fabs(f) - fabs(slope) * w - bend * w * w / 2 > rounding)
            continue;
        if (fabs(slope) > bend * w) {
            const double steepness = fabs(slope);
            double at_low = value_at(p, low, &slope), at_high = value_at(p, high, &slope);
            if (at_low * at_high < 0)
                count = add_root(roots, count, refine(p, low, high, at_low), rounding / steepness);
            else if (fabs(at_low) <= rounding) /* a zero at an end may be just outside of both */
                count = add_root(roots, count, low, rounding / steepness);
            else if (fabs(at_high) <= rounding)
                count = add_root(roots, count, high, rounding / steepness);
            continue;
        }
        /* A double zero is known to the root of the rounding; its neighbours are the same one. */
        if (bend * w * w <= rounding || depth + 2 > DEPTH) {
            if (count == 0 || m - roots[count - 1] > 8 * w)
                roots[count++] = m;
            continue;
        }
        stack[depth][0] = m;
        stack[depth++][1] = high;
        stack[depth][0] = low;
        stack[depth++][1] = m;
    }
    return count;
}
