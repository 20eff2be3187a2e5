/* One planar contact in closed form (docs/theory/coulomb.md, "One planar contact"). */
#include "law/coulomb.h"

#include <math.h>

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* Below this a determinant or divisor is left to the enumeration, which can tell a singular mode
 * from an ill-conditioned one. */
static const double regular = 1e-6;

/* Of conditions, relative to the size of b and x, as in the enumeration. */
static const double sign_tolerance = 1e-10;

typedef struct planar {
    const carom_coulomb *f;
    carom_arena *arena;
    carom_coulomb_solutions *solutions;
    carom_error *error;
    double size; /* of b */
    carom_status status;
} planar;

/* Keep x when both conditions hold. */
static void keep(planar *w, double normal, double tangent, double first, double second,
                 unsigned char code)
{
    double x[2] = {normal, tangent}, size = w->size;
    size = fabs(normal) > size ? fabs(normal) : size;
    size = fabs(tangent) > size ? fabs(tangent) : size;
    double tol = sign_tolerance * size + w->f->floor;
    if (first >= -tol && second >= -tol && !w->status)
        w->status = carom_coulomb_solutions_add(w->f, x, &code, true, false, w->arena, w->solutions,
                                                w->error);
}

bool carom_coulomb_planar_regular(const carom_coulomb *f)
{
    if (f->p != 1 || f->N != 2 || f->equality[0] || !isfinite(f->mu_s[0]))
        return false;
    double nn = f->A[0], a = f->A[1], tt = f->A[3], mu = f->mu_d[0];
    return nn * tt - a * a > regular && fabs(nn - mu * a) > regular * (1 + mu) &&
           fabs(nn + mu * a) > regular * (1 + mu);
}

carom_status carom_coulomb_planar(const carom_coulomb *problem, carom_arena *arena,
                                  carom_coulomb_solutions *solutions, carom_error *error)
{
    const carom_coulomb *f = problem;
    planar w = {f, arena, solutions, error, carom_coulomb_size(f, NULL), CAROM_OK};
    double nn = f->A[0], a = f->A[1], tt = f->A[3], bn = f->b[0], bt = f->b[1];
    double mu_s = f->mu_s[0], mu = f->mu_d[0];
    keep(&w, 0, 0, bn, bn, CAROM_MODE_OPEN);
    double inverse = 1 / (nn * tt - a * a), unit = 1 / (1 + mu_s);
    double normal = (a * bt - tt * bn) * inverse, tangent = (a * bn - nn * bt) * inverse;
    keep(&w, normal, tangent, (mu_s * normal - tangent) * unit, (mu_s * normal + tangent) * unit,
         CAROM_MODE_STICK);
    double plus = -bn / (nn - mu * a), minus = -bn / (nn + mu * a);
    keep(&w, plus, -mu * plus, plus, bt + (a - mu * tt) * plus, CAROM_MODE_SLIP_PLUS);
    keep(&w, minus, mu * minus, minus, -bt - (a + mu * tt) * minus, CAROM_MODE_SLIP_MINUS);
    solutions->complete = true;
    return w.status;
}
