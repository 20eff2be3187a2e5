/* What the two sides of a zero at which formulas switch differ by (docs/theory/sensitivities.md,
 * "Formulas that switch"): accelerations, their derivatives, modes that hold. */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "orbit/variation.h"

typedef carom_variation_condition condition;

static double apart(int n, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

bool carom_variation_contrast_differ(int n, double size, const double *a, const double *b)
{
    size = fmax(size, fmax(carom_dense_max(n, a), carom_dense_max(n, b)));
    return apart(n, a, b) > CAROM_TOLERANCE_REGULAR * size;
}

/* x' at x + s g in v->slope, and the derivatives of the accelerations along D in v->work. */
static carom_status slope_at(carom_variation *v, double t, const double *x, double s,
                             const double *g, carom_error *error)
{
    const size_t n = (size_t)v->n;
    const carom_directions along = carom_variation_directions(v);
    for (size_t i = 0; i < 2 * n; i++)
        v->slope[i] = x[i] + s * g[i];
    carom_status status =
        carom_variation_point_evaluate(&v->point, t + s * g[2 * n], v->slope, v->slope + n, error);
    memmove(v->slope, v->slope + n, n * sizeof(double));
    memcpy(v->slope + n, v->point.a, n * sizeof(double));
    if (status == CAROM_OK)
        status = carom_variation_point_tangent(&v->point, &along, v->dmu, v->work, error);
    return status;
}

/* What the accelerations, and their derivatives along D, differ by on the two sides of a function
 * with gradient g, s g away from it. */
typedef struct contrast {
    double *a, *da, *ahead; /* n, n x k, n: work */
    const double *forward;  /* 2n: x' at the zero */
    double jump, kink, bend;
    bool jumps, kinks, bends; /* more than rounding; bends: of the derivatives along the motion */
    bool breaks;              /* the mode does not hold on one of the sides */
} contrast;

/* Do the forces at the point evaluated last leave their cones? */
static bool breaks(const carom_variation *v, const carom_event_driven *e)
{
    const carom_variation_point *p = &v->point;
    for (int i = 0; i < v->shape->p && p->r > 0; i++) {
        const double mu = v->shape->contacts[i].friction_static;
        double tangential = 0;
        for (int l = v->shape->slip_start[i]; l < v->shape->slip_start[i + 1]; l++)
            tangential = hypot(tangential, p->lambda_T[l]);
        if (v->mode[i] != CAROM_MODE_OPEN &&
            (p->lambda[i] < -e->weak[i] ||
             (v->mode[i] == CAROM_MODE_STICK &&
              tangential > mu * p->lambda[i] + fmax(1, mu) * e->weak[i])))
            return true;
    }
    return false;
}

/* The derivative of the accelerations along the motion, at the point evaluated last. */
static carom_status look_ahead(carom_variation *v, const contrast *c, double *to,
                               carom_error *error)
{
    const double one = 1;
    const carom_directions forward = {.k = 1, .t = &one, .q = c->forward, .u = c->forward + v->n};
    return carom_variation_point_tangent(&v->point, &forward, NULL, to, error);
}

static carom_status compare_sides(carom_variation *v, const carom_event_driven *e, double t,
                                  const double *x, double s, const double *g, contrast *c,
                                  carom_error *error)
{
    const size_t n = (size_t)v->n, nk = n * (size_t)v->k;
    carom_status status = slope_at(v, t, x, -s, g, error);
    memcpy(c->a, v->slope + n, n * sizeof(double));
    memcpy(c->da, v->work, nk * sizeof(double));
    c->breaks = breaks(v, e);
    if (status == CAROM_OK)
        status = look_ahead(v, c, c->ahead, error);
    if (status == CAROM_OK)
        status = slope_at(v, t, x, s, g, error);
    c->breaks = c->breaks || breaks(v, e);
    c->jump = apart(v->n, c->a, v->slope + n);
    c->jumps = carom_variation_contrast_differ(v->n, carom_variation_point_size(&v->point), c->a,
                                               v->slope + n);
    c->kink = 0;
    c->kinks = false;
    for (size_t j = 0; j < nk; j += n) {
        const double size = carom_dense_max(v->n, v->point.unheld + j);
        c->kink = fmax(c->kink, apart(v->n, c->da + j, v->work + j));
        c->kinks = c->kinks || carom_variation_contrast_differ(v->n, size, c->da + j, v->work + j);
    }
    if (status == CAROM_OK)
        status = look_ahead(v, c, v->work, error);
    c->bend = apart(v->n, c->ahead, v->work);
    c->bends = carom_variation_contrast_differ(v->n, carom_dense_max(v->n, v->point.unheld),
                                               c->ahead, v->work);
    return status;
}

/* Is the rate of a function nothing but rounding? Then a neighbour at a distance delta is on the
 * other side for a time of sqrt(delta), and a kink there has an effect of first order. */
static bool is_touched(const carom_variation *v, const condition *c, const double *forward)
{
    return fabs(c->rate) <=
           CAROM_TOLERANCE_SAME * c->steep * fmax(1, carom_dense_max(2 * v->n, forward));
}

/* Function s is zero at t, and directions move it: neighbours on either side have other branches.
 * That matters if the accelerations jump there, or, where it stays zero, have a kink: then the
 * difference does not fall with the distance. */
carom_status carom_variation_contrast_zero(carom_variation *v, const carom_event_driven *e, int s,
                                           double t, const double *at, bool stays,
                                           const double *late, carom_error *error)
{
    const size_t n = (size_t)v->n, all = 2 * n + 1;
    carom_mark mark = carom_arena_mark(v->scratch);
    double *g = carom_arena_zeros(v->scratch, 2 * all + 4 * n + n * (size_t)v->k, sizeof(double));
    if (!g)
        return carom_error_memory(error);
    double *x = g + all;
    double *forward = x + all, *work = forward + 2 * n;
    contrast far = {.a = work, .ahead = work + n, .da = work + 2 * n, .forward = forward};
    contrast near = far;
    condition c = {.kind = CAROM_VARIATION_SWITCH, .index = s, .gradient = g, .late = late};
    memcpy(x, at, 2 * n * sizeof(double));
    carom_status status = carom_variation_switch_look(v, t, x, error);
    if (status == CAROM_OK)
        status = carom_variation_point_evaluate(&v->point, t, x, x + n, error);
    memcpy(forward, x + n, n * sizeof(double));
    memcpy(forward + n, v->point.a, n * sizeof(double));
    memcpy(v->slope, forward, 2 * n * sizeof(double));
    if (status == CAROM_OK)
        status = carom_variation_condition_read(v, e, &c, error);
    const bool touched = is_touched(v, &c, forward);
    bool matters = c.open && !(c.steep > 0); /* a condition of parameters alone */
    if (status == CAROM_OK && c.open && c.steep > 0) {
        const double size = c.terms > 0 ? c.terms / c.steep : 1;
        const double step = CAROM_TOLERANCE_HALF * size / c.steep;
        status = compare_sides(v, e, t, x, step, g, &far, error);
        if (status == CAROM_OK)
            status = compare_sides(v, e, t, x, step / 16, g, &near, error);
        matters = (near.jumps && near.jump > 0.5 * far.jump) ||
                  (stays && near.kinks && near.kink > 0.5 * far.kink) ||
                  (touched && near.bends && near.bend > 0.5 * far.bend) || near.breaks;
    }
    if (status == CAROM_OK && matters)
        carom_variation_refuse(v, t,
                               "a formula switches (if, sign, abs, min or max) at t = %.12g where "
                               "its condition is %s: a neighbouring motion has other forces",
                               t, stays ? "zero for a while" : "zero just then");
    carom_arena_rewind(v->scratch, mark);
    return status;
}
