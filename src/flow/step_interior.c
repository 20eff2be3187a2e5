/* A primal-dual interior-point method. The planes of the friction wedges, G P >= 0, are
 * mu N - T >= 0 and mu N + T >= 0, or N >= 0 without friction, with multipliers lambda >= 0:
 *
 *   w = D P + b,   w_T = lambda_2 - lambda_1,   w_N = mu (lambda_1 + lambda_2 - |w_T|),
 *   (G P)_i lambda_i = tau -> 0
 *
 * is Coulomb's law: the projection on the wedge with its dual cone shifted by s_N = mu |w_T| (de
 * Saxce, Feng, The bipotential method, 1998; |w_T| is rounded off with tau). Newton's steps with a
 * common length, with the derivative of the shift (coupled) or without. Dependent rows do no harm:
 * P tends to the inside of the set of solutions, where contacts that can stick are away from the
 * limit of friction. */
#include "flow/step_interior.h"

#include <math.h>
#include <string.h>

#include "flow/step_solve.h"

enum { ROUNDS = 80 };

static const double NEAR = 1e-16; /* tau where it ends, in units of the first one */

/* Planes, two numbers a contact; the second is not used without a slip. */
typedef struct planes {
    double *gap;    /* G P */
    double *lambda; /* multipliers */
    double *move;   /* G dP */
} planes;

/* G x for contact k. */
static void across(const carom_step_contact *c, int k, const double *x, double *out)
{
    const int r = c->base[k];
    out[0] = carom_step_contact_width(c, k) ? c->mu[k] * x[r] - x[r + 1] : x[r];
    out[1] = carom_step_contact_width(c, k) ? c->mu[k] * x[r] + x[r + 1] : 0;
}

/* |x| rounded off, and its slope. */
static double rounded(double x, double width, double *slope)
{
    const double y = hypot(x, width);
    *slope = y > 0 ? x / y : 0;
    return y;
}

/* The block of contact k: J += C (lambda/GP) G in the factors' place, x = -E + C (tau/GP - lambda),
 * with E the errors of the equations and C their derivatives by lambda. */
static void add_block(carom_step_contact *c, int k, const planes *g, double tau, bool coupled,
                      double *U)
{
    const double *gap = g->gap + 2 * k, *lambda = g->lambda + 2 * k, mu = c->mu[k];
    const int N = c->base[k], T = N + 1;
    const double r1 = lambda[0] / gap[0], t1 = tau / gap[0] - lambda[0];
    if (carom_step_contact_width(c, k) == 0) {
        U[c->start[N] + N] += r1;
        c->x[N] = -(c->w[N] - lambda[0]) + t1;
        return;
    }
    const double r2 = lambda[1] / gap[1], t2 = tau / gap[1] - lambda[1];
    double slope, slip = lambda[1] - lambda[0];
    double speed = rounded(slip, sqrt(tau * c->D.value[c->start[T] + T]), &slope);
    slope = coupled ? slope : 0;
    const double c1 = mu * (1 + slope), c2 = mu * (1 - slope);
    U[c->start[N] + N] += mu * (c1 * r1 + c2 * r2);
    U[c->start[T] + N] += c2 * r2 - c1 * r1;
    c->L[c->start[T] + N] += mu * (r2 - r1);
    U[c->start[T] + T] += r1 + r2;
    c->x[N] = -(c->w[N] - mu * (lambda[0] + lambda[1] - speed)) + c1 * t1 + c2 * t2;
    c->x[T] = -(c->w[T] - slip) + t2 - t1;
}

/* The step of P into x. */
static bool find_step(carom_step_contact *c, const planes *g, double tau, bool coupled, double *U)
{
    const carom_envelope lower = {c->total, c->first, c->start, c->L};
    const int last = c->total - 1;
    const size_t size = sizeof(double) * (size_t)(c->start[last] + last + 1);
    memcpy(c->L, c->D.value, size);
    memcpy(U, c->D.value, size);
    for (int k = 0; k < c->count; k++)
        add_block(c, k, g, tau, coupled, U);
    if (carom_envelope_lu_factor(&lower, U, 1e-14) != 0)
        return false;
    carom_envelope_lu_solve(&lower, U, c->x);
    return true;
}

/* Go along the step, not all the way to a plane. Returns the mean of GP lambda; *went: how far. */
static double go(carom_step_contact *c, const planes *g, double tau, double *went)
{
    double length = 1, sum = 0; /* one for P and lambda: D ties them together */
    int count = 0;
    for (int k = 0; k < c->count; k++) {
        across(c, k, c->x, g->move + 2 * k);
        for (int l = 2 * k; l <= 2 * k + carom_step_contact_width(c, k); l++) {
            const double d = (tau - g->lambda[l] * (g->gap[l] + g->move[l])) / g->gap[l];
            if (g->move[l] < 0)
                length = fmin(length, -0.99 * g->gap[l] / g->move[l]);
            if (d < 0)
                length = fmin(length, -0.99 * g->lambda[l] / d);
        }
    }
    for (int k = 0; k < c->count; k++) {
        for (int l = 2 * k; l <= 2 * k + carom_step_contact_width(c, k); l++, count++)
            g->lambda[l] += length * (tau - g->lambda[l] * (g->gap[l] + g->move[l])) / g->gap[l];
        for (int r = c->base[k]; r < c->base[k + 1]; r++)
            c->P[r] += length * c->x[r];
        across(c, k, c->P, g->gap + 2 * k);
        for (int l = 2 * k; l <= 2 * k + carom_step_contact_width(c, k); l++)
            sum += g->gap[l] * g->lambda[l];
    }
    *went = length;
    return count > 0 ? sum / count : 0;
}

/* Inside all wedges: normal impulses, times size, that would stop the fastest row. */
static double start(carom_step_contact *c, double size, const planes *g)
{
    double speed = 0, tau = 0;
    for (int r = 0; r < c->total; r++)
        speed = fmax(speed, fabs(c->b[r]));
    for (int k = 0; k < c->count; k++) {
        const int r = c->base[k];
        c->P[r] = size * speed / c->D.value[c->start[r] + r];
        for (int f = r + 1; f < c->base[k + 1]; f++)
            c->P[f] = 0;
        across(c, k, c->P, g->gap + 2 * k);
        tau = fmax(tau, speed * c->P[r]);
    }
    for (int k = 0; k < c->count; k++)
        for (int l = 2 * k; l <= 2 * k + carom_step_contact_width(c, k); l++)
            g->lambda[l] = tau / g->gap[l];
    return tau;
}

carom_status carom_step_interior_approach(carom_step_contact *c, bool coupled, double size,
                                          carom_arena *scratch, carom_error *error)
{
    const size_t planes_most = 2 * (size_t)c->count;
    for (int k = 0; k < c->count; k++)
        if (carom_step_contact_width(c, k) > 0 && !(c->mu[k] > 0))
            return CAROM_OK; /* no inside */
    carom_mark mark = carom_arena_mark(scratch);
    const int last = c->total - 1;
    double *d = carom_arena_zeros(scratch, 3 * planes_most, sizeof(double));
    double *U = carom_arena_doubles(scratch, (size_t)(c->start[last] + last + 1));
    if (!d || !U)
        return carom_error_memory(error);
    const planes g = {d, d + planes_most, d + 2 * planes_most};
    double tau = start(c, size, &g);
    const double least = NEAR * tau;
    double target = tau, went = 1;
    for (int k = 0; k < ROUNDS && went > 1e-3 && (tau > least || went < 0.9); k++) {
        carom_step_solve_rates(c);
        target = fmin(target, tau) * (went > 0.9 ? 0.1 : went > 0.3 ? 0.5 : 1);
        if (!find_step(c, &g, target, coupled, U))
            break;
        tau = go(c, &g, target, &went);
    }
    carom_arena_rewind(scratch, mark);
    return CAROM_OK;
}
