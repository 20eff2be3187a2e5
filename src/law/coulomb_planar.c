/* One planar contact in closed form (docs/theory/coulomb.md, "One planar contact"). */
#include "carom/tolerance.h"
#include "law/coulomb.h"

#include <math.h>

#include "base/short_loops.h"

/* Below this a determinant or divisor is left to the enumeration, which can tell a singular mode
 * from an ill-conditioned one. */
static const double regular = 1e-6;

/* Above this they cost two bits at most: twice the digits would bring no more. */
static const double plain = 0.25;

typedef struct planar {
    const carom_coulomb *f;
    carom_arena *arena;
    carom_coulomb_solutions *solutions;
    carom_error *error;
    double forgiven;     /* the part of the terms that a condition may be missed by */
    double normal, slip; /* sizes of the terms of b, with what rounding leaves of zero */
    carom_status status;
} planar;

/* A condition with the size of its terms. */
typedef struct condition {
    double value, size;
} condition;

/* Keep x when both conditions hold, each beside its own terms. */
static void keep(planar *w, double normal, double tangent, condition first, condition second,
                 unsigned char code)
{
    const double x[2] = {normal, tangent};
    if (first.value >= -w->forgiven * first.size && second.value >= -w->forgiven * second.size &&
        !w->status)
        w->status = carom_coulomb_solutions_add(w->f, x, &code, true, false, w->arena, w->solutions,
                                                w->error);
}

/* The size of the terms of row k of b. */
static double size_of(const carom_coulomb *f, int k, double forgiven)
{
    return f->n ? f->size[k] + f->dust[k] / forgiven
                : carom_coulomb_size(f, NULL) + f->floor / forgiven;
}

/* Do the determinant and all divisors of one planar contact exceed `least`, in units of their
 * terms? */
static bool divides(const carom_coulomb *f, double least)
{
    if (f->p != 1 || f->N != 2 || f->equality[0] || !isfinite(f->mu_s[0]))
        return false;
    double nn = f->A[0], a = f->A[1], tt = f->A[3], mu = f->mu_d[0];
    return nn * tt - a * a > least && fabs(nn - mu * a) > least * (1 + mu) &&
           fabs(nn + mu * a) > least * (1 + mu);
}

bool carom_coulomb_planar_regular(const carom_coulomb *f)
{
    return divides(f, regular);
}

bool carom_coulomb_planar_plain(const carom_coulomb *f)
{
    return divides(f, plain);
}

/* All modes, whose conditions may be missed by w->forgiven. */
static void try_modes(planar *w)
{
    const carom_coulomb *f = w->f;
    double nn = f->A[0], a = f->A[1], tt = f->A[3], bn = f->b[0], bt = f->b[1];
    double mu_s = f->mu_s[0], mu = f->mu_d[0];
    w->normal = size_of(f, 0, w->forgiven);
    w->slip = size_of(f, 1, w->forgiven);
    keep(w, 0, 0, (condition){bn, w->normal}, (condition){bn, w->normal}, CAROM_MODE_OPEN);
    const double inverse = 1 / (nn * tt - a * a);
    const double normal = (a * bt - tt * bn) * inverse, tangent = (a * bn - nn * bt) * inverse;
    const double size =
        (mu_s * (fabs(a) * w->slip + tt * w->normal) + fabs(a) * w->normal + nn * w->slip) *
        inverse;
    keep(w, normal, tangent, (condition){mu_s * normal - tangent, size},
         (condition){mu_s * normal + tangent, size}, CAROM_MODE_STICK);
    for (int side = 1; side >= -1; side -= 2) {
        const double k = side * mu, inverse_k = 1 / (nn - k * a), x = -bn * inverse_k;
        const double through = (a - k * tt) * x; /* the part of the slip that x causes */
        keep(w, x, -k * x, (condition){x, w->normal * fabs(inverse_k)},
             (condition){side * (bt + through), w->slip + fabs(through)},
             side > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS);
    }
}

/* Signs are as good as the determinant and the divisors: where these are far from zero no more than
 * rounding is forgiven, for a slip of a light body is little beside its terms and yet a motion of
 * heavier ones. A has a solution, being definite: one mode holds as far as it is known. */
carom_status carom_coulomb_planar(const carom_coulomb *problem, carom_arena *arena,
                                  carom_coulomb_solutions *solutions, carom_error *error)
{
    planar w = {.f = problem, .arena = arena, .solutions = solutions, .error = error};
    w.forgiven = carom_coulomb_planar_plain(problem) ? CAROM_TOLERANCE_SUM : CAROM_TOLERANCE_SIGN;
    try_modes(&w);
    if (solutions->count == 0 && !w.status) {
        w.forgiven = CAROM_TOLERANCE_SIGN;
        try_modes(&w);
    }
    solutions->complete = true;
    return w.status;
}
