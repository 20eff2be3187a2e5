/* The exact motion of colliding rods, event by event (docs/theory/rods.md). */
#include "carom/rods.h"

#include <math.h>
#include <string.h>

/* Fronts that meet within this part of the elapsed time are one event: sums of travel times that
 * are equal on paper differ by rounding only. */
static const double same_time = 1e-12;
/* Forces below this part of the largest possible force are zero: a stress-free closed contact must
 * not be opened by rounding. Jumps below `same_value` start no front. */
static const double no_force = 1e-12;
static const double same_value = 1e-15;

/* A history that grows in the arena. */
typedef struct track {
    carom_rods_step *steps;
    int count, room;
} track;

typedef struct joint {
    carom_rods_joint_kind kind;
    bool closed;
    double gap, rate, force;
    double impulse, contact_time, open_time;
    int closings;
    track forces, rates;
} joint;

typedef struct motion {
    const carom_rods *rods;
    carom_arena *arena;
    int count;
    double *travel, *Z, *mass;
    track *right, *left;             /* departures: r from left ends, s from right ends */
    int *at_right_end, *at_left_end; /* which departure is arriving at the other end */
    joint *joints;
    double t, force_scale;
    bool touched; /* a contact opened, closed or changed its force */
    bool no_memory;
} motion;

carom_rod carom_rod_default(void)
{
    return (carom_rod){.length = 1, .modulus = 1, .density = 1, .area = 1};
}

static void append(motion *m, track *track_, double t, double value)
{
    if (track_->count == track_->room) {
        int room = track_->room ? 2 * track_->room : 16;
        carom_rods_step *steps = carom_arena_array(m->arena, (size_t)room, sizeof *steps);
        if (!steps) {
            m->no_memory = true;
            return;
        }
        if (track_->count)
            memcpy(steps, track_->steps, (size_t)track_->count * sizeof *steps);
        track_->steps = steps;
        track_->room = room;
    }
    track_->steps[track_->count++] = (carom_rods_step){t, value};
}

/* Append where the value changes by more than `tolerance`; a change at the same time replaces. */
static void record(motion *m, track *track_, double t, double value, double tolerance)
{
    if (track_->count) {
        carom_rods_step *last = &track_->steps[track_->count - 1];
        if (fabs(last->value - value) <= tolerance)
            return;
        if (last->t == t) {
            last->value = value;
            return;
        }
    }
    append(m, track_, t, value);
}

/* The invariants that arrive at joint k now: a from the rod on its left, b from the right. */
static double arriving_from_left(const motion *m, int k)
{
    return m->right[k - 1].steps[m->at_right_end[k - 1]].value;
}

static double arriving_from_right(const motion *m, int k)
{
    return m->left[k].steps[m->at_left_end[k]].value;
}

/* Force and end velocities of a joint that is closed (or bonded). A rigid wall is the limit of an
 * infinite impedance at rest. */
static void solve_closed(const motion *m, int k, double *F, double *u)
{
    if (k == 0) {
        *F = arriving_from_right(m, k);
        *u = 0;
    } else if (k == m->count) {
        *F = arriving_from_left(m, k);
        *u = 0;
    } else {
        double a = arriving_from_left(m, k), b = arriving_from_right(m, k);
        double Z1 = m->Z[k - 1], Z2 = m->Z[k];
        *F = (Z2 * a + Z1 * b) / (Z1 + Z2);
        *u = (a - b) / (Z1 + Z2);
    }
}

/* Solve joint k for what arrives there now and send out the reflected and transmitted waves. */
static void resolve(motion *m, int k)
{
    joint *j = &m->joints[k];
    double zero = no_force * m->force_scale;
    bool was_closed = j->closed;
    double F = 0, u = 0;
    if (j->kind == CAROM_RODS_BONDED) {
        solve_closed(m, k, &F, &u);
    } else if (j->kind == CAROM_RODS_CONTACT && j->gap <= 0) {
        solve_closed(m, k, &F, &u);
        j->closed = F >= -zero;
        if (fabs(F) <= zero)
            F = 0;
    }
    double u1 = u, u2 = u;
    if (!j->closed) {
        F = 0;
        u1 = k > 0 ? arriving_from_left(m, k) / m->Z[k - 1] : 0;
        u2 = k < m->count ? -arriving_from_right(m, k) / m->Z[k] : 0;
    }
    j->rate = j->closed ? 0 : u2 - u1;
    if (j->closed && !was_closed)
        j->closings++;
    if (j->kind == CAROM_RODS_CONTACT) {
        m->touched |= F != j->force || j->closed != was_closed;
        if (j->force > 0 && F <= 0)
            j->contact_time = m->t;
        else if (F > 0)
            j->contact_time = NAN;
        if (was_closed && !j->closed)
            j->open_time = m->t;
        else if (j->closed)
            j->open_time = NAN;
    }
    j->force = F;
    record(m, &j->forces, m->t, F, same_value * m->force_scale);
    record(m, &j->rates, m->t, j->rate, 0);
    double jump = same_value * m->force_scale;
    if (k > 0)
        record(m, &m->left[k - 1], m->t, F - m->Z[k - 1] * u1, jump);
    if (k < m->count)
        record(m, &m->right[k], m->t, F + m->Z[k] * u2, jump);
}

/* When does the next departure arrive at the other end? */
static double next_arrival(const track *track_, int at, double travel)
{
    return at + 1 < track_->count ? track_->steps[at + 1].t + travel : INFINITY;
}

static double next_event(const motion *m)
{
    double t = INFINITY;
    for (int i = 0; i < m->count; i++) {
        t = fmin(t, next_arrival(&m->right[i], m->at_right_end[i], m->travel[i]));
        t = fmin(t, next_arrival(&m->left[i], m->at_left_end[i], m->travel[i]));
    }
    for (int k = 0; k <= m->count; k++) {
        const joint *j = &m->joints[k];
        if (j->kind == CAROM_RODS_CONTACT && !j->closed && j->rate < 0)
            t = fmin(t, m->t + j->gap / -j->rate);
    }
    return t;
}

/* Go to time t, where something happens: integrate gaps and impulses, move the arrivals on, solve
 * the joints that see a change. */
static void advance(motion *m, double t, bool *changed)
{
    double h = t - m->t;
    double slack = same_time * t;
    for (int k = 0; k <= m->count; k++) {
        joint *j = &m->joints[k];
        changed[k] = false;
        j->impulse += j->force * h;
        if (j->kind != CAROM_RODS_CONTACT || j->closed)
            continue;
        if (j->rate < 0 && m->t + j->gap / -j->rate <= t + slack) {
            j->gap = 0;
            changed[k] = true;
        } else {
            j->gap += j->rate * h;
        }
    }
    for (int i = 0; i < m->count; i++) {
        while (next_arrival(&m->right[i], m->at_right_end[i], m->travel[i]) <= t + slack) {
            m->at_right_end[i]++;
            changed[i + 1] = true;
        }
        while (next_arrival(&m->left[i], m->at_left_end[i], m->travel[i]) <= t + slack) {
            m->at_left_end[i]++;
            changed[i] = true;
        }
    }
    m->t = t;
    for (int k = 0; k <= m->count; k++)
        if (changed[k])
            resolve(m, k);
}

/* The integral of value^2 over the last travel time: what a history holds inside its rod. */
static double square_in_flight(const track *track_, double t, double travel)
{
    double sum = 0, upper = t;
    for (int n = track_->count - 1; n >= 0 && upper > t - travel; n--) {
        double lower = fmax(track_->steps[n].t, t - travel);
        double v = track_->steps[n].value;
        if (upper > lower)
            sum += v * v * (upper - lower);
        upper = fmin(upper, track_->steps[n].t);
    }
    return sum;
}

static double impulse_on(const motion *m, int rod)
{
    return m->joints[rod].impulse - m->joints[rod + 1].impulse;
}

/* The rods welded together from `first` on: mean velocity, energy in waves, compliance sum l/(EA).
 * Returns the first rod after them. Clamped groups have mean velocity 0. */
static int group(const motion *m, int first, double *velocity, double *waves, double *compliance)
{
    double mass = 0, momentum = 0, energy = 0;
    bool clamped = first == 0 && m->joints[0].kind == CAROM_RODS_BONDED;
    int i = first;
    *compliance = 0;
    do {
        mass += m->mass[i];
        momentum += m->mass[i] * m->rods->rods[i].velocity + impulse_on(m, i);
        energy += (square_in_flight(&m->right[i], m->t, m->travel[i]) +
                   square_in_flight(&m->left[i], m->t, m->travel[i])) /
                  (4 * m->Z[i]);
        *compliance += m->travel[i] / m->Z[i];
        i++;
    } while (i < m->count && m->joints[i].kind == CAROM_RODS_BONDED);
    clamped = clamped || (i == m->count && m->joints[i].kind == CAROM_RODS_BONDED);
    *velocity = clamped ? 0 : momentum / mass;
    *waves = fmax(0, clamped ? energy : energy - 0.5 * momentum * momentum / mass);
    return i;
}

/* The time after which no contact can close again, INFINITY when that is not known. The end of a
 * group strays from its mean motion by at most sqrt(2 E_w sum l/(EA)) (Cauchy-Schwarz on the
 * strain), so a gap that grows on average cannot return after a known time. */
static double settle_time(const motion *m)
{
    double horizon = m->t, scale = m->force_scale * m->force_scale;
    double previous_velocity = 0, previous_reach = 0;
    for (int k = 0; k <= m->count;) {
        double velocity = 0, waves = 0, compliance = 0;
        int next = k < m->count ? group(m, k, &velocity, &waves, &compliance) : m->count + 1;
        /* energy below rounding of the energy that was put in is none */
        if (waves <= 1e-24 * scale * compliance)
            waves = 0;
        double reach = sqrt(2 * waves * compliance);
        const joint *j = &m->joints[k];
        if (j->kind == CAROM_RODS_CONTACT) {
            double apart = velocity - previous_velocity, sway = reach + previous_reach;
            double still = 1e-12 * m->force_scale / m->Z[k < m->count ? k : k - 1];
            if (j->force > 0 || (sway > 0 && apart <= still) || apart < -still)
                return INFINITY;
            if (sway > 0)
                horizon = fmax(horizon, m->t + 2 * sway / apart);
        }
        previous_velocity = velocity;
        previous_reach = reach;
        k = next;
    }
    return horizon;
}

static carom_status check(const carom_rods *rods, carom_error *error)
{
    if (rods->count < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "rods: %d rods, need at least 1",
                               rods->count);
    for (int i = 0; i < rods->count; i++) {
        const carom_rod *r = &rods->rods[i];
        const struct {
            const char *name;
            double value;
        } positive[] = {{"length", r->length},
                        {"modulus", r->modulus},
                        {"density", r->density},
                        {"area", r->area}};
        for (int f = 0; f < 4; f++)
            if (!(positive[f].value > 0) || !isfinite(positive[f].value))
                return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                       "rod %d: %s is %g, must be positive and finite", i + 1,
                                       positive[f].name, positive[f].value);
        if (!isfinite(r->velocity))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "rod %d: velocity is %g, must be finite", i + 1, r->velocity);
    }
    for (int k = 0; rods->joints && k <= rods->count; k++) {
        bool inner = k > 0 && k < rods->count;
        if (inner && rods->joints[k].kind == CAROM_RODS_FREE)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "joint %d: free, only the ends of the line may be", k);
        if (!(rods->joints[k].gap >= 0) || !isfinite(rods->joints[k].gap))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "joint %d: gap is %g, must be finite and not negative", k,
                                   rods->joints[k].gap);
    }
    if (!(rods->until >= 0) || !isfinite(rods->until))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "until is %g, must be finite and not negative", rods->until);
    return CAROM_OK;
}

static carom_status set_up(motion *m, const carom_rods *rods, carom_arena *arena, bool **changed,
                           carom_error *error)
{
    size_t n = (size_t)rods->count;
    *m = (motion){.rods = rods, .arena = arena, .count = rods->count, .touched = true};
    m->travel = carom_arena_doubles(arena, n);
    m->Z = carom_arena_doubles(arena, n);
    m->mass = carom_arena_doubles(arena, n);
    m->right = carom_arena_zeros(arena, n, sizeof *m->right);
    m->left = carom_arena_zeros(arena, n, sizeof *m->left);
    m->at_right_end = carom_arena_zeros(arena, n, sizeof(int));
    m->at_left_end = carom_arena_zeros(arena, n, sizeof(int));
    m->joints = carom_arena_zeros(arena, n + 1, sizeof *m->joints);
    *changed = carom_arena_zeros(arena, n + 1, sizeof(bool));
    if (!m->travel || !m->Z || !m->mass || !m->right || !m->left || !m->at_right_end ||
        !m->at_left_end || !m->joints || !*changed)
        return carom_error_memory(error);
    double least = INFINITY, most = -INFINITY, largest_Z = 0;
    bool wall = false;
    for (int i = 0; i < m->count; i++) {
        const carom_rod *r = &rods->rods[i];
        double c = sqrt(r->modulus / r->density);
        m->travel[i] = r->length / c;
        m->Z[i] = r->area * sqrt(r->modulus * r->density);
        m->mass[i] = r->density * r->area * r->length;
        append(m, &m->right[i], -m->travel[i], m->Z[i] * r->velocity);
        append(m, &m->left[i], -m->travel[i], -m->Z[i] * r->velocity);
        least = fmin(least, r->velocity);
        most = fmax(most, r->velocity);
        largest_Z = fmax(largest_Z, m->Z[i]);
    }
    for (int k = 0; k <= m->count; k++) {
        joint *j = &m->joints[k];
        bool end = k == 0 || k == m->count;
        j->kind = rods->joints ? rods->joints[k].kind : end ? CAROM_RODS_FREE : CAROM_RODS_CONTACT;
        j->gap = rods->joints && j->kind == CAROM_RODS_CONTACT ? rods->joints[k].gap : 0;
        j->closed = j->kind == CAROM_RODS_BONDED;
        j->contact_time = j->open_time = NAN;
        wall = wall || (end && j->kind != CAROM_RODS_FREE);
    }
    if (wall) {
        least = fmin(least, 0);
        most = fmax(most, 0);
    }
    m->force_scale = largest_Z * (most - least);
    return m->no_memory ? carom_error_memory(error) : CAROM_OK;
}

/* Hand the motion out. */
static carom_status answer(motion *m, bool settled, int events, carom_rods_motion *out,
                           carom_error *error)
{
    size_t n = (size_t)m->count;
    carom_rods_contact *joints = carom_arena_zeros(m->arena, n + 1, sizeof *joints);
    carom_rods_history *right = carom_arena_array(m->arena, n, sizeof *right);
    carom_rods_history *left = carom_arena_array(m->arena, n, sizeof *left);
    double *velocity = carom_arena_doubles(m->arena, n);
    double *length = carom_arena_doubles(m->arena, n);
    if (!joints || !right || !left || !velocity || !length)
        return carom_error_memory(error);
    double energy = 0, means = 0;
    for (int k = 0; k <= m->count; k++) {
        const joint *j = &m->joints[k];
        joints[k] = (carom_rods_contact){.force = {j->forces.count, j->forces.steps},
                                         .rate = {j->rates.count, j->rates.steps},
                                         .gap = m->rods->joints ? m->rods->joints[k].gap : 0,
                                         .impulse = j->impulse,
                                         .contact_time = j->contact_time,
                                         .open_time = j->open_time,
                                         .closings = j->closings};
    }
    for (int i = 0; i < m->count; i++) {
        right[i] = (carom_rods_history){m->right[i].count, m->right[i].steps};
        left[i] = (carom_rods_history){m->left[i].count, m->left[i].steps};
        length[i] = m->rods->rods[i].length;
        double v = m->rods->rods[i].velocity;
        velocity[i] = v + impulse_on(m, i) / m->mass[i];
        energy += 0.5 * m->mass[i] * v * v;
        means += 0.5 * m->mass[i] * velocity[i] * velocity[i];
    }
    *out = (carom_rods_motion){.count = m->count,
                               .end = m->t,
                               .settled = settled,
                               .events = events,
                               .joints = joints,
                               .travel = m->travel,
                               .impedance = m->Z,
                               .length = length,
                               .mass = m->mass,
                               .velocity = velocity,
                               .right = right,
                               .left = left,
                               .energy = energy,
                               .energy_in_waves = energy - means};
    return CAROM_OK;
}

/* Nothing happens any more up to time t: only gaps and impulses go on. */
static void coast(motion *m, double t)
{
    for (int k = 0; k <= m->count; k++) {
        m->joints[k].impulse += m->joints[k].force * (t - m->t);
        m->joints[k].gap += m->joints[k].rate * (t - m->t);
    }
    m->t = t;
}

carom_status carom_rods_solve(const carom_rods *rods, carom_arena *arena, carom_rods_motion *out,
                              carom_error *error)
{
    carom_status status = check(rods, error);
    motion m;
    bool *changed;
    if (status == CAROM_OK)
        status = set_up(&m, rods, arena, &changed, error);
    if (status != CAROM_OK)
        return status;
    for (int k = 0; k <= m.count; k++)
        resolve(&m, k);
    int limit = rods->event_limit > 0 ? rods->event_limit : 200000, events = 0;
    double horizon = INFINITY;
    while (!m.no_memory) {
        /* a horizon stays valid until some contact closes or takes up force again */
        if (m.touched)
            horizon = settle_time(&m);
        m.touched = false;
        double goal = fmax(horizon, rods->until), t = next_event(&m);
        if (events == limit && t <= goal)
            return answer(&m, false, events, out, error);
        if (t > goal || t == INFINITY) {
            coast(&m, goal < INFINITY ? goal : m.t);
            return answer(&m, horizon < INFINITY, events, out, error);
        }
        advance(&m, t, changed);
        events++;
    }
    return carom_error_memory(error);
}

double carom_rods_restitution(const carom_rods *rods, const carom_rods_motion *m, int joint_)
{
    if (joint_ < 1 || joint_ >= m->count)
        return NAN;
    double approach = rods->rods[joint_ - 1].velocity - rods->rods[joint_].velocity;
    return approach > 0 ? (m->velocity[joint_] - m->velocity[joint_ - 1]) / approach : NAN;
}
