/* Motion through a boundary layer: closed in the inner region, integrated where the force sets in.
 */
#include "carom/layer.h"

#include "carom/need.h"
#include "carom/tolerance.h"
#include "solver/ode_events.h"

#include <math.h>
#include <string.h>

double carom_layer_cutoff(double a, double b, double x)
{
    if (x <= a)
        return 1;
    if (x >= b)
        return 0;
    /* 1 - f(y)/(f(y) + f(1 - y)) with f = exp(-1/y): a logistic function of 1/y - 1/(1 - y) */
    double y = (x - a) / (b - a), z = (b - x) / (b - a);
    return 1 / (1 + exp(1 / z - 1 / y));
}

double carom_layer_cutoff_slope(double a, double b, double x)
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

/* (q - log(1 + q))/q^2 without cancellation: with s = q/(2 + q) the numerator is
 * s q - 2 s^3 (1/3 + s^2/5 + ...). */
static double log_remainder(double q)
{
    if (fabs(q) > 0.5)
        return (q - log1p(q)) / q / q;
    double s = q / (2 + q), s2 = s * s, sum = 0, power = 1;
    for (int n = 3; n < 45; n += 2) {
        sum += power / n;
        power *= s2;
    }
    return (1 - 2 * s / (2 + q) * sum) / (2 + q);
}

/* With 1 - d = e^-z the equation is e^-z - 1 + z = H, convex and increasing: Newton's method from
 * the right falls monotonically on the root. */
double carom_layer_lambert(double q)
{
    if (q < 1e-100)
        return q; /* d = q - 2 q^2/3 + ... = q in rounding */
    double H = q * log_remainder(q) * q;
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

double carom_layer_restitution(double q)
{
    return q > 0 ? carom_layer_lambert(q) / q : 1;
}

/* The layer in units of b (length) and v (velocity): stiffness K = k b^2/(g v^2), damping
 * C = c b/(g v^2), transition from alpha = a/b to 1. */
typedef struct unit_layer {
    double K, C, alpha;
    carom_layer_metric metric;
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

/* The passage, in y = log x and p = sqrt(mu) x': with r = x sqrt(mu)
 *   y' = p/r,  p' = s (K - C p)/r,
 * r = 1 in the metric of the source. Neither the derivative of mu nor that of the cut-off enters,
 * and p dp/(K - C p) = s dy whatever r is. */
typedef struct passage {
    const unit_layer *u;
    bool turned;
    double turn, log_least; /* when and where x' = 0 */
} passage;

static double root_of_inertia(const unit_layer *u, double x, double s)
{
    return u->metric == CAROM_LAYER_SMOOTH ? sqrt(x * x * (1 - s) + s) : 1;
}

static carom_status slope(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)t;
    (void)error;
    const unit_layer *u = ((const passage *)self)->u;
    const double x = exp(y[0]), s = carom_layer_cutoff(u->alpha, 1, x);
    const double r = root_of_inertia(u, x, s);
    dy[0] = y[1] / r;
    dy[1] = s * (u->K - u->C * y[1]) / r;
    return CAROM_OK;
}

/* Where the transition is left or turned: inwards at alpha, turning at p = 0, outwards at 1. */
enum { INWARDS, TURN, OUTWARDS, EVENTS };

static double event_at(void *self, int k, double t, const double *y)
{
    const passage *w = self;
    (void)t;
    if (k == OUTWARDS)
        return w->turned ? y[0] : -1;
    return w->turned ? -1 : k == TURN ? y[1] : log(w->u->alpha) - y[0];
}

/* Samples that have come due, on the step just made. */
static void put_due(const carom_ode_events *e, const unit_layer *u, samples *s)
{
    while (sample_time(s) <= e->t) {
        double y[2];
        carom_ode_events_at(e, sample_time(s), 2, y);
        const double x = exp(y[0]);
        put(s, x, x * y[1] / root_of_inertia(u, x, carom_layer_cutoff(u->alpha, 1, x)));
    }
}

/* Follow the transition until it is left inwards or outwards; false when the step limit comes
 * first.
 */
static carom_status cross(passage *w, carom_ode_events *e, samples *s, int *left,
                          carom_error *error)
{
    enum { MOST = 2000000 };
    const double scale[2] = {CAROM_TOLERANCE_SUM, CAROM_TOLERANCE_SUM}, width = 1 - w->u->alpha;
    e->h = 0.001 * width + CAROM_TOLERANCE_CARRIED;
    *left = -1;
    carom_status status = carom_ode_events_start(e, error);
    while (status == CAROM_OK && *left < 0 && e->steps < MOST && e->h > 0) {
        /* the cut-off is flat to all orders at its ends: do not step over it unseen */
        const double longest = 0.1 * width / fmax(fabs(e->ode.y[1]), 0.001);
        int event;
        status = carom_ode_events_step(e, longest, scale, &event, error);
        if (status != CAROM_OK)
            break;
        put_due(e, w->u, s);
        if (event == TURN) {
            w->turned = true;
            w->turn = e->t;
            w->log_least = e->ode.y[0];
            status = carom_ode_events_start(e, error);
        } else {
            *left = event;
        }
    }
    return status;
}

/* The inner region from entry to exit, in closed form; p is its speed at entry and at exit. */
static void pass_inner(passage *w, double *t, double *p, samples *s)
{
    const unit_layer *u = w->u;
    inner n = enter_inner(u, fabs(*p) * u->alpha);
    const double e = carom_layer_restitution(n.q), start = *t;
    w->turn = start + n.T * (n.q > 0 ? log1p(n.q) / n.q : 1);
    w->log_least = log(u->alpha) - n.A * log_remainder(n.q);
    w->turned = true;
    *t = start + n.T * (1 + e);
    *p = fabs(*p) * e;
    while (sample_time(s) <= *t) {
        double x, velocity;
        inner_at(&n, sample_time(s) - start, &x, &velocity);
        put(s, x, velocity);
    }
}

/* The layer with a transition: through it, through the inner region or not, and back. */
static carom_status pass(passage *w, samples *s, carom_arena *arena, double *t, double *p,
                         carom_layer_result *r, carom_error *error)
{
    enum { PARTS = 4 };
    carom_ode_events e;
    int left = -1;
    carom_status status =
        carom_ode_events_create(arena, 2, 2, slope, event_at, EVENTS, PARTS, w, &e, error);
    if (status != CAROM_OK)
        return status;
    e.ode.y[0] = 0;
    e.ode.y[1] = *p;
    status = cross(w, &e, s, &left, error);
    if (status == CAROM_OK && left == INWARDS) {
        pass_inner(w, &e.t, &e.ode.y[1], s);
        e.ode.y[0] = log(w->u->alpha);
        status = cross(w, &e, s, &left, error);
    }
    *t = e.t;
    *p = e.ode.y[1];
    r->steps = e.steps;
    r->ended = left == OUTWARDS;
    return status;
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

carom_status carom_layer_follow(const carom_layer *layer, carom_arena *arena, int count,
                                const double *t, double *x, double *velocity,
                                carom_layer_result *result, carom_error *error)
{
    CAROM_NEED(error, layer, arena, result);
    if (count > 0)
        CAROM_NEED(error, t, x, velocity);
    carom_status status = check(layer, error);
    if (status)
        return status;
    const double energy = layer->inertia * layer->speed * layer->speed;
    const unit_layer u = {layer->k * layer->b / energy * layer->b, layer->c / energy * layer->b,
                          layer->a / layer->b, layer->metric};
    samples s = {count, 0, t, x, velocity, layer->b, layer->speed};
    passage w = {.u = &u};
    carom_layer_result r = {.ended = true};
    double now = 0, p = -1;
    while (sample_time(&s) <= 0)
        put(&s, 1 - sample_time(&s), -1);
    if (layer->a == layer->b) {
        pass_inner(&w, &now, &p, &s);
    } else {
        carom_mark mark = carom_arena_mark(arena);
        status = pass(&w, &s, arena, &now, &p, &r, error);
        carom_arena_rewind(arena, mark);
        if (status)
            return status;
    }
    while (s.next < s.count)
        put(&s, 1 + p * (sample_time(&s) - now), p);
    const double unit = layer->b / layer->speed;
    r.duration = now * unit;
    r.turn = w.turn * unit;
    /* p dp/(K - C p) = s dy: what the way in and the way out have in common cancels, and the speed
     * of exit is that of the sharp layer. The reaction g_11 (x'' - free x'') turns g_11 v into
     * zero, then zero into g_11 e_N v. */
    r.restitution = r.impulse_ratio = carom_layer_restitution(layer->c / layer->b / layer->k);
    r.log_least = w.log_least;
    r.least = exp(w.log_least) * layer->b;
    *result = r;
    return CAROM_OK;
}
