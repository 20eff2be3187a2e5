/* Follows one frictionless contact through its boundary layer. */
#include "law/layer_motion.h"

#include "solver/ode_events.h"

#include <float.h>
#include <math.h>
#include <string.h>

double carom_layer_motion_cutoff(double a, double b, double x)
{
    if (x <= a)
        return 1;
    if (x >= b)
        return 0;
    /* 1 - f(y)/(f(y) + f(1 - y)) with f = exp(-1/y): a logistic function of 1/y - 1/(1 - y) */
    double y = (x - a) / (b - a), z = (b - x) / (b - a);
    return 1 / (1 + exp(1 / z - 1 / y));
}

double carom_layer_motion_cutoff_slope(double a, double b, double x)
{
    double y = (x - a) / (b - a), z = (b - x) / (b - a);
    if (!(y > 0.0014) || !(z > 0.0014))
        return 0; /* exp(-1/0.0014) is below the range of numbers */
    double e = exp(1 / z - 1 / y), s = 1 / (1 + e);
    return e > 1e300 ? 0 : -s * s * e * (1 / (z * z) + 1 / (y * y)) / (b - a);
}

/* e^-z - 1 + z and (e^-z - 1 + z)/z^2 without cancellation. */
static double second_remainder(double z)
{
    if (fabs(z) > 0.5)
        return (expm1(-z) + z) / (z * z);
    double sum = 0, term = 0.5;
    for (int n = 3; n < 22; n++) {
        sum += term;
        term *= -z / n;
    }
    return sum + term;
}

static double first_remainder(double z) /* (1 - e^-z)/z */
{
    return z == 0 ? 1 : -expm1(-z) / z;
}

/* q - log(1 + q) without cancellation: with s = q/(2 + q) it is s q - 2 s^3 (1/3 + s^2/5 + ...). */
static double log_remainder(double q)
{
    if (fabs(q) > 0.5)
        return q - log1p(q);
    double s = q / (2 + q), s2 = s * s, sum = 0, power = 1;
    for (int n = 3; n < 45; n += 2) {
        sum += power / n;
        power *= s2;
    }
    return s * q - 2 * s * s2 * sum;
}

/* With 1 - d = e^-z the equation is e^-z - 1 + z = H, convex and increasing: Newton's method from
 * the right falls monotonically on the root. */
double carom_layer_motion_lambert(double q)
{
    double H = log_remainder(q);
    if (!(H > 0))
        return q; /* d = q - 2 q^2/3 + ... = q in rounding */
    if (H > 40)
        return 1; /* 1 - d < e^-40 */
    double z = fmin(H + 1, sqrt(2 * H) + H);
    for (int i = 0; i < 100; i++) {
        double next = z - (z * z * second_remainder(z) - H) / -expm1(-z);
        if (!(next < z) && i > 0)
            break;
        z = next;
    }
    return -expm1(-z);
}

double carom_layer_motion_restitution(double q)
{
    return q > 0 ? carom_layer_motion_lambert(q) / q : 1;
}

/* The layer in units of b (length) and v (velocity): stiffness K = k b^2/(g v^2), damping
 * C = c b/(g v^2), transition from alpha = a/b to 1. */
typedef struct unit_layer {
    double K, C, alpha;
} unit_layer;

/* The inner region x <= alpha, entered at speed w: y = log x obeys y'' = K - C y'. In units of time
 * T = w/(alpha K), with q = C w/(alpha K) and A = w^2/(alpha^2 K):
 *   log(x/alpha) = A (s^2 phi_2 - s phi_1),  y' = (w/alpha)(s phi_1 - e^(-q s)). */
typedef struct inner {
    double q, T, A, w, alpha;
} inner;

static inner enter_inner(const unit_layer *u, double w)
{
    return (inner){u->C * w / (u->alpha * u->K), w / (u->alpha * u->K),
                   w * w / (u->alpha * u->alpha * u->K), w, u->alpha};
}

static void inner_at(const inner *n, double t, double *x, double *velocity)
{
    double s = t / n->T, z = n->q * s, phi_1 = first_remainder(z);
    *x = n->alpha * exp(n->A * s * (s * second_remainder(z) - phi_1));
    *velocity = *x * (n->w / n->alpha) * (s * phi_1 - exp(-z));
}

/* Samples asked for and written as the motion passes them; times in units of b/v. */
typedef struct samples {
    int count, next;
    const double *t;
    double *x, *velocity;
    double length, speed; /* b, v */
} samples;

static double sample_time(const samples *s)
{
    return s->next < s->count ? s->t[s->next] * s->speed / s->length : INFINITY;
}

static void put(samples *s, double x, double velocity)
{
    s->x[s->next] = x * s->length;
    s->velocity[s->next++] = velocity * s->speed;
}

/* The transition: state (x, p) with p = sqrt(mu) x', mu = 1 + s(1/x^2 - 1):
 *   x' = p/sqrt(mu),  p' = s (K/x - C x'/x^2)/sqrt(mu).
 * The derivative of mu, and of the cut-off, does not enter. */
static double inertia(const unit_layer *u, double x)
{
    double s = carom_layer_motion_cutoff(u->alpha, 1, x);
    return 1 + s * (1 / (x * x) - 1);
}

static carom_status slope(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)t;
    (void)error;
    const unit_layer *u = self;
    double x = y[0], s = carom_layer_motion_cutoff(u->alpha, 1, x);
    double root = sqrt(1 + s * (1 / (x * x) - 1));
    dy[0] = y[1] / root;
    dy[1] = s * (u->K / x - u->C * dy[0] / (x * x)) / root;
    return CAROM_OK;
}

/* Where the transition is left or turned: inwards at alpha, turning at p = 0, outwards at 1. */
typedef enum event { NOTHING, TURNED, INWARDS, OUTWARDS } event;

static event event_of(const unit_layer *u, const double *y, bool turned)
{
    if (!turned)
        return y[0] <= u->alpha ? INWARDS : y[1] >= 0 ? TURNED : NOTHING;
    return y[0] >= 1 ? OUTWARDS : NOTHING;
}

typedef struct watch {
    const unit_layer *layer;
    bool turned;
} watch;

static bool is_event(void *self, const double *y)
{
    const watch *w = self;
    return event_of(w->layer, y, w->turned) != NOTHING;
}

/* The part of the step after which the first event has happened, 2 when none does. */
static double find_event(const unit_layer *u, const carom_ode_dop853 *ode, bool turned, event *what)
{
    watch w = {u, turned};
    double y[2], theta = carom_ode_events_first(ode, 2, 4, is_event, &w, y);
    if (theta <= 1)
        *what = event_of(u, y, turned);
    return theta;
}

typedef struct crossing {
    double t, x, p; /* state, moved along */
    bool turned;
    double turn, least; /* when and where x' = 0, if it was here */
} crossing;

/* Follow the transition until it is left; NOTHING when the step limit is reached. */
static carom_status cross(unit_layer *u, carom_ode_dop853 *ode, crossing *c, samples *s,
                          long *steps, event *left, carom_error *error)
{
    const double scale[2] = {1e-14, 1e-14};
    double h = 1e-3 * (1 - u->alpha) + 1e-12, y[2];
    ode->y[0] = c->x, ode->y[1] = c->p;
    *left = NOTHING;
    while (*steps < 2000000) {
        ++*steps;
        carom_status status = slope(u, c->t, ode->y, ode->k[0], error);
        if (!status)
            status = carom_ode_dop853_try(ode, c->t, h, error);
        double err = status ? 0 : carom_ode_dop853_error(ode, scale);
        double tried = h;
        h *= carom_ode_dop853_factor(err);
        /* the cut-off is flat to all orders at its ends: do not step over it unseen */
        h = fmin(h, fmax(0.1 * (1 - u->alpha) / fmax(fabs(ode->next[1]), 1e-3), DBL_MIN));
        if (status || !(err <= 1)) {
            if (status)
                return status;
            continue;
        }
        status = carom_ode_dop853_dense(ode, error);
        if (status)
            return status;
        event what = NOTHING;
        double theta = find_event(u, ode, c->turned, &what);
        double part = theta <= 1 ? theta * tried : tried;
        while (sample_time(s) <= c->t + part) {
            carom_ode_dop853_at(ode, (sample_time(s) - c->t) / tried, 2, y);
            put(s, y[0], y[1] / sqrt(inertia(u, y[0])));
        }
        if (theta <= 1)
            status = carom_ode_dop853_try(ode, c->t, part, error);
        if (status)
            return status;
        memcpy(ode->y, ode->next, 2 * sizeof(double));
        c->t += part;
        c->x = ode->y[0], c->p = ode->y[1];
        if (what == TURNED) {
            c->turned = true;
            c->turn = c->t;
            c->least = c->x;
        } else if (what != NOTHING) {
            *left = what;
            return CAROM_OK;
        }
    }
    return CAROM_OK;
}

/* The inner region from entry at speed c->p alpha to exit, in closed form. */
static void pass_inner(const unit_layer *u, crossing *c, samples *s, double *log_least)
{
    inner n = enter_inner(u, fabs(c->p) * u->alpha);
    double e = carom_layer_motion_restitution(n.q), start = c->t;
    double remainder = n.q > 0 ? log_remainder(n.q) / (n.q * n.q) : 0.5;
    c->turn = start + n.T * (n.q > 0 ? log1p(n.q) / n.q : 1);
    *log_least = log(u->alpha) - n.A * remainder;
    c->least = exp(*log_least);
    c->t = start + n.T * (1 + e);
    c->p = fabs(c->p) * e;
    c->turned = true;
    while (sample_time(s) <= c->t) {
        double x, velocity;
        inner_at(&n, sample_time(s) - start, &x, &velocity);
        put(s, x, velocity);
    }
}

static carom_status check(const carom_layer *l, carom_error *error)
{
    if (!(l->k > 0) || !isfinite(l->k))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "layer: k is %g, must be positive and finite", l->k);
    if (!(l->c >= 0) || !isfinite(l->c))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "layer: c is %g, must be finite and not negative", l->c);
    if (!(l->a > 0) || !(l->b >= l->a) || !isfinite(l->b))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "layer: a is %g and b is %g, must satisfy 0 < a <= b", l->a, l->b);
    if (!(l->inertia > 0) || !(l->speed > 0) || !isfinite(l->inertia) || !isfinite(l->speed))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "layer: inertia %g and speed %g must be positive and finite",
                               l->inertia, l->speed);
    return CAROM_OK;
}

carom_status carom_layer_motion_follow(const carom_layer *layer, carom_arena *arena, int count,
                                       const double *t, double *x, double *velocity,
                                       carom_layer_result *result, carom_error *error)
{
    carom_status status = check(layer, error);
    if (status)
        return status;
    double energy = layer->inertia * layer->speed * layer->speed;
    unit_layer u = {layer->k * layer->b / energy * layer->b, layer->c / energy * layer->b,
                    layer->a / layer->b};
    samples s = {count, 0, t, x, velocity, layer->b, layer->speed};
    crossing c = {.t = 0, .x = 1, .p = -1};
    bool sharp = layer->a == layer->b;
    carom_mark mark = carom_arena_mark(arena);
    carom_ode_dop853 ode;
    carom_layer_result r = {0};
    event left = INWARDS;
    double log_least = NAN;
    if (!sharp)
        status = carom_ode_dop853_create(arena, 2, 2, slope, &u, &ode, error);
    while (!status && sample_time(&s) <= 0)
        put(&s, 1 - sample_time(&s), -1);
    if (!status && !sharp)
        status = cross(&u, &ode, &c, &s, &r.steps, &left, error);
    if (!status && left == INWARDS) {
        pass_inner(&u, &c, &s, &log_least);
        c.x = u.alpha;
        left = OUTWARDS;
        if (!sharp)
            status = cross(&u, &ode, &c, &s, &r.steps, &left, error);
    }
    carom_arena_rewind(arena, mark);
    if (status)
        return status;
    while (s.next < s.count)
        put(&s, 1 + c.p * (sample_time(&s) - c.t), c.p);
    double unit = layer->b / layer->speed;
    r.ended = left == OUTWARDS;
    r.duration = c.t * unit;
    r.turn = c.turn * unit;
    /* the reaction g_11 (x'' - free x'') turns g_11 v into zero, then zero into g_11 e_N v */
    r.restitution = r.impulse_ratio = c.p;
    r.least = c.least * layer->b;
    r.log_least = isnan(log_least) ? log(c.least) : log_least;
    *result = r;
    return CAROM_OK;
}
