/* Follows compliant contacts in time: loading, unloading, opening and closing. */
#include "law/lzb_motion.h"

#include "carom/tolerance.h"
#include "solver/ode_events.h"

#include <math.h>
#include <string.h>

/* A contact is open (delta = 0), loading (gamma <= 0) or unloading (gamma >= 0). The right-hand
 * side is smooth within a mode; a change of mode is an event that the steps land on. */
typedef enum mode { OPEN, LOADING, UNLOADING } mode;

enum { SAMPLES = 4 };

/* State of the equation: delta (p), gamma (p), then P (p). gamma = gamma- + D P could be had from
 * P, but not to the digits of light bodies, whose velocities are small differences of large terms.
 */
typedef struct motion {
    const carom_lzb_problem *problem;
    mode *modes;
    double *slowness; /* p, 1/eps^2, of unloading */
    double *noise;    /* p, gamma below this is rounding */
    double *depth;    /* p, scale of delta */
    double *shallow;  /* p, delta at which delta^eta is below the tolerance */
    double *since;    /* p, when the contact closed */
    double *stored;   /* p, energy of the spring when the mode began */
    double speed;
    double *scale; /* 3p, error that counts as 1 */
    carom_ode_events events;
    carom_lzb_result result;
} motion;

/* A whole exponent continues smoothly below delta = 0, which a step tried across the release may
 * see; others are cut off. */
static double force(const carom_lzb_problem *q, int i, double delta)
{
    double eta = q->exponent[i];
    if (eta == 1)
        return q->stiffness[i] * delta;
    if (eta == 1.5)
        return delta > 0 ? q->stiffness[i] * delta * sqrt(delta) : 0;
    if (!(delta > 0) && eta != floor(eta))
        return 0;
    return q->stiffness[i] * pow(delta, eta);
}

/* D_i F, the rate of gamma_i. */
static double rate_of(const carom_lzb_problem *q, int i, const double *F)
{
    int first = i - q->bandwidth > 0 ? i - q->bandwidth : 0;
    int last = i + q->bandwidth < q->p - 1 ? i + q->bandwidth : q->p - 1;
    double sum = 0;
    for (int j = first; j <= last; j++)
        sum += q->D[j + (size_t)i * q->p] * F[j];
    return sum;
}

static carom_status slope(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)t;
    (void)error;
    const motion *m = self;
    const carom_lzb_problem *q = m->problem;
    int p = q->p;
    const double *gamma = y + p;
    double *F = dy + 2 * p;
    for (int i = 0; i < p; i++) {
        bool open = m->modes[i] == OPEN;
        dy[i] = open ? 0 : m->modes[i] == UNLOADING ? -gamma[i] * m->slowness[i] : -gamma[i];
        F[i] = open ? 0 : force(q, i, y[i]);
    }
    for (int i = 0; i < p; i++)
        dy[p + i] = rate_of(q, i, F);
    return CAROM_OK;
}

/* Negative while contact i stays in its mode, in units of its noise. */
static double leaving(void *self, int i, double t, const double *y)
{
    const motion *m = self;
    const carom_lzb_problem *q = m->problem;
    (void)t;
    double gamma = y[q->p + i] / m->noise[i];
    if (m->modes[i] == LOADING)
        return gamma;
    if (m->modes[i] == OPEN)
        return -gamma;
    return fmax(-gamma, -y[i] / (4 * DBL_EPSILON * m->depth[i]));
}

/* The mode of contact i ends: the work F gamma dt is -dU of the spring while loading, -eps^2 dU
 * while unloading. */
static void book(motion *m, int i, double delta)
{
    const carom_lzb_problem *q = m->problem;
    const double U = force(q, i, delta) * delta / (q->exponent[i] + 1), eps = q->epsilon[i];
    if (m->modes[i] != OPEN)
        m->result.work -= (m->modes[i] == UNLOADING ? eps * eps : 1) * (U - m->stored[i]);
    m->stored[i] = U;
}

/* The mode that contact i goes to from the state y; delta is made exact. */
static void change_mode(motion *m, int i, double *y)
{
    const carom_lzb_problem *q = m->problem;
    mode old = m->modes[i];
    bool released = old == UNLOADING && y[i] <= 4 * DBL_EPSILON * m->depth[i];
    book(m, i, released || !(y[i] > 0) ? 0 : y[i]);
    if (old == OPEN) {
        m->modes[i] = LOADING;
        m->since[i] = m->events.t;
    } else if (old == LOADING) {
        m->result.peak_force = fmax(m->result.peak_force, force(q, i, y[i]));
        m->modes[i] = UNLOADING;
        if (!(y[i] > 0) || q->epsilon[i] == 0)
            m->modes[i] = OPEN;
    } else {
        bool shut = y[q->p + i] <= 0;
        m->modes[i] = !released || shut ? LOADING : OPEN;
        if (released)
            m->since[i] = m->events.t;
    }
    if (m->modes[i] == OPEN || !(y[i] > 0))
        y[i] = m->stored[i] = 0;
}

/* The end: all delta = 0 and gamma >= 0. Contacts that clatter to relative rest come there in
 * geometrically falling steps; what can no longer change a velocity by the tolerance is over. */
static bool over(const motion *m)
{
    const carom_lzb_problem *q = m->problem;
    double rest = fmax(q->tolerance, CAROM_TOLERANCE_REFINED) * m->speed;
    for (int i = 0; i < q->p; i++) {
        double delta = m->events.ode.y[i], norm = sqrt(q->D[(size_t)i * (size_t)(q->p + 1)]);
        if (norm == 0)
            continue;
        double gamma = m->events.ode.y[q->p + i] / norm;
        if (gamma < -rest || (delta > 0 && gamma > rest))
            return false;
        if (delta > 0 && force(q, i, delta) * delta / (q->exponent[i] + 1) > 0.5 * rest * rest)
            return false;
    }
    return true;
}

/* The largest relative speed, in the kinetic norm, of a contact that is not over. */
static double unrest(const motion *m)
{
    const carom_lzb_problem *q = m->problem;
    double most = 0;
    for (int i = 0; i < q->p; i++) {
        double gamma = m->events.ode.y[q->p + i];
        double norm = sqrt(q->D[(size_t)i * (size_t)(q->p + 1)]);
        if (norm > 0 && (gamma < 0 || m->events.ode.y[i] > 0))
            most = fmax(most, fabs(gamma) / norm);
    }
    return most;
}

/* The longest step that the error estimate can judge: delta^eta is singular where a contact closes
 * and where it opens, so steps grow and shrink geometrically away from and towards these times. */
static double longest_step(const motion *m)
{
    const carom_lzb_problem *q = m->problem;
    double h = INFINITY;
    for (int i = 0; i < q->p; i++) {
        if (m->modes[i] == OPEN || q->exponent[i] == floor(q->exponent[i]))
            continue;
        double rate = m->events.ode.k[0][i], norm = sqrt(q->D[(size_t)i * (size_t)(q->p + 1)]);
        double first = m->shallow[i] / (norm * m->speed);
        h = fmin(h, 2 * (m->events.t - m->since[i]) + first);
        if (rate < 0 && m->events.ode.y[i] > m->shallow[i])
            h = fmin(h, 0.7 * m->events.ode.y[i] / -rate);
    }
    return h;
}

/* Modes of the start, scales and the first step. */
static carom_status set_up(motion *m, const carom_lzb_problem *q, carom_arena *arena,
                           carom_error *error)
{
    size_t p = (size_t)q->p;
    double h = INFINITY;
    *m = (motion){.problem = q};
    m->modes = carom_arena_array(arena, p, sizeof *m->modes);
    double *block = carom_arena_doubles(arena, 9 * p);
    if (!m->modes || !block)
        return carom_error_memory(error);
    m->slowness = block;
    m->noise = block + p;
    m->depth = block + 2 * p;
    m->shallow = block + 3 * p;
    m->since = block + 4 * p;
    m->scale = block + 5 * p;
    m->stored = block + 8 * p;
    /* the largest speed of approach in the kinetic norm sets the scale */
    double speed = 0;
    for (size_t i = 0; i < p; i++)
        if (q->D[i * (p + 1)] > 0)
            speed = fmax(speed, -q->gamma[i] / sqrt(q->D[i * (p + 1)]));
    m->speed = speed;
    for (size_t i = 0; i < p; i++) {
        double norm = sqrt(q->D[i * (p + 1)]), eta = q->exponent[i], eps = q->epsilon[i];
        double inverse = norm > 0 ? 1 / norm : 0;
        m->slowness[i] = eps > 0 ? 1 / (eps * eps) : 0;
        m->noise[i] = norm > 0 ? CAROM_TOLERANCE_SUM * norm * speed : INFINITY;
        m->depth[i] = pow(0.5 * (eta + 1) * speed * speed / q->stiffness[i], 1 / (eta + 1));
        m->shallow[i] = m->depth[i] * pow(q->tolerance, 1 / (eta + 1));
        m->since[i] = m->stored[i] = 0;
        m->modes[i] = q->gamma[i] > m->noise[i] || norm == 0 ? OPEN : LOADING;
        m->scale[i] = q->tolerance * m->depth[i];
        m->scale[p + i] = norm > 0 ? q->tolerance * speed * norm : INFINITY;
        m->scale[2 * p + i] = q->tolerance * speed * inverse;
        if (norm > 0)
            h = fmin(h, 0.001 * m->depth[i] * inverse / speed);
    }
    carom_status status = carom_ode_events_create(arena, 3 * q->p, 3 * q->p, slope, leaving, q->p,
                                                  SAMPLES, m, &m->events, error);
    if (!status)
        memcpy(m->events.ode.y + p, q->gamma, p * sizeof(double));
    m->events.h = h;
    m->events.noise = 1;
    return status;
}

/* Just landed on an event of contact i: move by the last bit to where its function is zero. */
static carom_status polish(motion *m, int i, carom_error *error)
{
    const carom_lzb_problem *q = m->problem;
    double *y = m->events.ode.y, *dy = m->events.ode.k[0];
    carom_status status = carom_ode_events_start(&m->events, error);
    if (status)
        return status;
    double h = -y[q->p + i] / dy[q->p + i];
    if (m->modes[i] == UNLOADING && y[i] < 0.001 * m->shallow[i])
        h = -y[i] / dy[i];
    if (fabs(h) < 1e-6 * m->events.length) {
        for (int k = 0; k < 3 * q->p; k++)
            y[k] += h * dy[k];
        m->events.t += h;
    }
    return CAROM_OK;
}

/* One step or, if it meets an event, the part up to it. A mode found wrong at the very start of a
 * step is corrected once; what is wrong either way is rounding. */
static carom_status advance(motion *m, carom_error *error)
{
    carom_ode_events *e = &m->events;
    const double before = e->t;
    int which;
    carom_status status = carom_ode_events_step(e, longest_step(m), m->scale, &which, error);
    if (status)
        return status;
    if (e->t > before)
        memset(e->settled, 0, (size_t)e->count);
    if (which < 0)
        return CAROM_OK;
    if (e->t > before)
        status = polish(m, which, error);
    else
        e->settled[which] = 1;
    if (status)
        return status;
    change_mode(m, which, e->ode.y);
    return carom_ode_events_start(e, error);
}

carom_status carom_lzb_motion_follow(const carom_lzb_problem *problem, carom_arena *arena,
                                     double *impulse, double *gamma, carom_lzb_result *result,
                                     carom_error *error)
{
    /* about a second of work: enough for an elastic wave through a thousand balls, and for the
     * clattering to rest of two dozen inelastic ones */
    long most_steps = 20L * problem->p + 4000000L / (problem->p + 20L);
    motion m;
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = set_up(&m, problem, arena, error);
    if (!status && m.events.h < INFINITY) {
        status = carom_ode_events_start(&m.events, error);
        while (!status && !over(&m) && m.result.steps < most_steps && m.events.h > 0) {
            status = advance(&m, error);
            m.result.steps++;
        }
    }
    if (!status) {
        const double *y = m.events.ode.y;
        memcpy(gamma, y + problem->p, (size_t)problem->p * sizeof(double));
        memcpy(impulse, y + 2 * problem->p, (size_t)problem->p * sizeof(double));
        for (int i = 0; i < problem->p; i++)
            book(&m, i, y[i] > 0 ? y[i] : 0);
        m.result.ended = over(&m);
        m.result.unrest = unrest(&m);
        m.result.duration = m.events.t;
        m.result.evaluations = m.events.ode.evaluations;
        *result = m.result;
    }
    carom_arena_rewind(arena, mark);
    return status;
}
