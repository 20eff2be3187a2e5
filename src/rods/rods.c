/* The exact motion of colliding rods, event by event (docs/theory/rods.md). */
#include "carom/rods.h"
#include "carom/need.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "rods/rods_motion.h"

carom_rod carom_rod_default(void)
{
    return (carom_rod){.length = 1, .modulus = 1, .density = 1, .area = 1};
}

static carom_status check(const carom_rods *rods, carom_error *error)
{
    if (rods->count < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "rods: %d rods, need at least 1",
                               rods->count);
    if (!rods->rods)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "rods: %d rods, but no list of them",
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
        if ((unsigned)rods->joints[k].kind > CAROM_RODS_FREE)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT, "joint %d: there is no kind %d", k,
                                   (int)rods->joints[k].kind);
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

/* sqrt(x y) for factors whose product may leave the range. */
static double mean_of(double x, double y)
{
    const double product = x * y;
    return product > DBL_MIN && product < DBL_MAX ? sqrt(product) : sqrt(x) * sqrt(y);
}

/* Travel times, impedances, masses. Impedances that are equal on paper are made equal. */
static carom_status measure(carom_rods_way *way, carom_error *error)
{
    for (int i = 0; i < way->count; i++) {
        const carom_rod *r = &way->rods->rods[i];
        way->travel[i] = r->length / (sqrt(r->modulus) / sqrt(r->density));
        if (r->modulus / r->density > DBL_MIN && r->modulus / r->density < DBL_MAX)
            way->travel[i] = r->length / sqrt(r->modulus / r->density);
        way->Z[i] = r->area * mean_of(r->modulus, r->density);
        way->mass[i] = way->Z[i] * way->travel[i];
        if (!(way->Z[i] >= DBL_MIN) || !isfinite(way->Z[i]) || !(way->travel[i] >= DBL_MIN) ||
            !isfinite(way->travel[i]) || !(way->mass[i] >= DBL_MIN) || !isfinite(way->mass[i]))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "rod %d: travel time %g, impedance %g and mass %g must be "
                                   "within the range of numbers",
                                   i + 1, way->travel[i], way->Z[i], way->mass[i]);
        for (int j = 0; j < i; j++)
            if (fabs(way->Z[i] - way->Z[j]) <= 4 * DBL_EPSILON * way->Z[j])
                way->Z[i] = way->Z[j];
    }
    return CAROM_OK;
}

/* Range of the velocities, and the bits that guard the last ones: as many as events and the square
 * root of the largest ratio of impedances, in which waves keep their energy, can spoil. */
static void choose_bits(carom_rods_way *way, int limbs)
{
    double least = INFINITY, most = -INFINITY, Z_least = INFINITY, Z_most = 0, size = 0;
    bool wall = false;
    for (int i = 0; i < way->count; i++) {
        const double v = way->rods->rods[i].velocity;
        least = fmin(least, v);
        most = fmax(most, v);
        size = fmax(size, fabs(v));
        Z_least = fmin(Z_least, way->Z[i]);
        Z_most = fmax(Z_most, way->Z[i]);
    }
    for (int k = 0; k <= way->count; k += way->count)
        wall = wall || (way->rods->joints && way->rods->joints[k].kind != CAROM_RODS_FREE);
    way->speed = wall ? fmax(most, 0) - fmin(least, 0) : most - least;
    const double spread = 0.5 * (log2(Z_most) - log2(Z_least));
    const int guard = 64 + (int)ceil(spread);
    /* a velocity may grow by that ratio too */
    way->format = (carom_rods_format){limbs, (size > 0 ? ilogb(size) : 0) + (int)ceil(spread) + 4};
    way->ratio = (carom_rods_format){limbs, 0};
    way->bits = 64 * (limbs - 1) - guard;
}

static carom_status reserve(carom_rods_way *way, carom_error *error)
{
    const size_t n = (size_t)way->count, words = carom_rods_number_words(&way->format);
    way->travel = carom_arena_doubles(way->arena, n);
    way->Z = carom_arena_doubles(way->arena, n);
    way->mass = carom_arena_doubles(way->arena, n);
    way->right = carom_arena_zeros(way->arena, n, sizeof *way->right);
    way->left = carom_arena_zeros(way->arena, n, sizeof *way->left);
    way->at_right_end = carom_arena_zeros(way->arena, n, sizeof(int));
    way->at_left_end = carom_arena_zeros(way->arena, n, sizeof(int));
    way->joints = carom_arena_zeros(way->arena, n + 1, sizeof *way->joints);
    way->changed = carom_arena_zeros(way->arena, n + 1, sizeof(bool));
    carom_rods_word *numbers =
        carom_arena_zeros(way->arena, (n + 1 + 4 + 2) * words, sizeof *numbers);
    if (!way->travel || !way->Z || !way->mass || !way->right || !way->left || !way->at_right_end ||
        !way->at_left_end || !way->joints || !way->changed || !numbers)
        return carom_error_memory(error);
    for (size_t k = 0; k <= n; k++, numbers += words)
        way->joints[k].contrast = numbers;
    way->zero = numbers;
    way->delta = numbers + words;
    way->wave = numbers + 2 * words;
    way->other = numbers + 3 * words;
    way->work = numbers + 4 * words;
    return CAROM_OK;
}

/* Joint k with its rods; a wall is one of infinite impedance. */
static void set_joint(carom_rods_way *way, int k)
{
    const bool end = k == 0 || k == way->count;
    const carom_rods_joint *given = way->rods->joints ? &way->rods->joints[k] : NULL;
    carom_rods_meeting *j = &way->joints[k];
    j->kind = given ? given->kind : end ? CAROM_RODS_FREE : CAROM_RODS_CONTACT;
    j->gap = given && j->kind == CAROM_RODS_CONTACT ? given->gap : 0;
    j->closed = j->kind == CAROM_RODS_BONDED;
    j->contact_time = j->open_time = NAN;
    if (end) {
        carom_rods_number_set(&way->ratio, k == 0 ? -1 : 1, j->contrast);
        j->load = way->Z[k == 0 ? 0 : k - 1];
        return;
    }
    const double Z1 = way->Z[k - 1], Z2 = way->Z[k];
    carom_rods_number_contrast(&way->ratio, Z1, Z2, j->contrast);
    j->load = fmin(Z1, Z2) / (1 + fmin(Z1, Z2) / fmax(Z1, Z2));
}

static carom_status set_up(carom_rods_way *way, const carom_rods *rods, carom_arena *arena,
                           int limbs, bool last, carom_error *error)
{
    *way = (carom_rods_way){
        .rods = rods, .arena = arena, .count = rods->count, .touched = true, .last = last};
    way->format.limbs = limbs;
    carom_status status = reserve(way, error);
    if (status == CAROM_OK)
        status = measure(way, error);
    if (status != CAROM_OK)
        return status;
    choose_bits(way, limbs);
    for (int i = 0; i < way->count; i++) {
        const double v = rods->rods[i].velocity;
        carom_rods_number_set(&way->format, v, way->other);
        carom_rods_track_add(way, &way->right[i], -way->travel[i], v, way->other);
        carom_rods_number_subtract(&way->format, way->zero, way->other, way->other);
        carom_rods_track_add(way, &way->left[i], -way->travel[i], -v, way->other);
    }
    for (int k = 0; k <= way->count; k++)
        set_joint(way, k);
    return way->no_memory ? carom_error_memory(error) : CAROM_OK;
}

/* Waves in units of force, as they are handed out. */
static carom_rods_history history_of(carom_rods_track *track, double Z)
{
    for (int n = 0; n < track->count; n++)
        track->steps[n].value *= Z;
    return (carom_rods_history){track->count, track->steps};
}

/* Hand the motion out. */
static carom_status answer(carom_rods_way *way, bool settled, carom_rods_motion *out,
                           carom_error *error)
{
    const size_t n = (size_t)way->count;
    carom_rods_contact *joints = carom_arena_zeros(way->arena, n + 1, sizeof *joints);
    carom_rods_history *right = carom_arena_array(way->arena, n, sizeof *right);
    carom_rods_history *left = carom_arena_array(way->arena, n, sizeof *left);
    double *velocity = carom_arena_doubles(way->arena, n);
    double *length = carom_arena_doubles(way->arena, n);
    double energy = 0, waves = 0;
    if (!joints || !right || !left || !velocity || !length)
        return carom_error_memory(error);
    for (int k = 0; k <= way->count; k++) {
        const carom_rods_meeting *j = &way->joints[k];
        joints[k] = (carom_rods_contact){.force = {j->forces.count, j->forces.steps},
                                         .rate = {j->rates.count, j->rates.steps},
                                         .gap = way->rods->joints ? way->rods->joints[k].gap : 0,
                                         .impulse = j->impulse,
                                         .contact_time = j->contact_time,
                                         .open_time = j->open_time,
                                         .closings = j->closings};
    }
    for (int i = 0; i < way->count; i++) {
        const double v = way->rods->rods[i].velocity;
        velocity[i] = carom_rods_way_velocity(way, i);
        length[i] = way->rods->rods[i].length;
        energy += 0.5 * way->mass[i] * v * v;
        waves += carom_rods_way_waves(way, i, velocity[i]);
    }
    for (int i = 0; i < way->count; i++) {
        right[i] = history_of(&way->right[i], way->Z[i]);
        left[i] = history_of(&way->left[i], way->Z[i]);
    }
    *out = (carom_rods_motion){.count = way->count,
                               .end = way->t,
                               .settled = settled,
                               .exact = !way->blunt,
                               .events = way->events,
                               .joints = joints,
                               .travel = way->travel,
                               .impedance = way->Z,
                               .length = length,
                               .mass = way->mass,
                               .velocity = velocity,
                               .right = right,
                               .left = left,
                               .energy = energy,
                               .energy_in_waves = waves};
    return CAROM_OK;
}

/* All the way: to the end, to the limit of events, or to where the bits do not suffice. */
static bool follow(carom_rods_way *way)
{
    const int limit = way->rods->event_limit > 0 ? way->rods->event_limit : 200000;
    double horizon = INFINITY;
    for (int k = 0; k <= way->count; k++)
        carom_rods_way_meet(way, k);
    while (!way->no_memory && !way->unsure) {
        /* a horizon stays valid until some contact closes or takes up force again */
        if (way->touched)
            horizon = carom_rods_way_settles(way);
        way->touched = false;
        const double goal = fmax(horizon, way->rods->until), t = carom_rods_way_next(way);
        if (way->events == limit && t <= goal)
            return false;
        if (t > goal || t == INFINITY) {
            carom_rods_way_coast(way, goal < INFINITY ? goal : way->t);
            return horizon < INFINITY;
        }
        carom_rods_way_go(way, t);
    }
    return false;
}

/* Products of limbs that may be spent on deciding signs: a few seconds. */
static const double most_work = 4e9;

carom_status carom_rods_solve(const carom_rods *rods, carom_arena *arena, carom_rods_motion *motion,
                              carom_error *error)
{
    CAROM_NEED(error, rods, arena, motion);
    carom_status status = check(rods, error);
    bool last = false;
    for (int limbs = 4; status == CAROM_OK;) {
        carom_rods_way way;
        const carom_mark mark = carom_arena_mark(arena);
        status = set_up(&way, rods, arena, limbs, last, error);
        if (status != CAROM_OK)
            return status;
        const bool settled = follow(&way);
        if (way.no_memory)
            return carom_error_memory(error);
        if (!way.unsure)
            return answer(&way, settled, motion, error);
        carom_arena_rewind(arena, mark);
        /* four times the bits reach about four times as many events */
        const double next = 4.0 * limbs, events = 4.0 * (way.events + 64.0);
        if (events * (rods->count + 1) * next * next <= most_work)
            limbs *= 4;
        else
            last = true;
    }
    return status;
}

double carom_rods_restitution(const carom_rods *rods, const carom_rods_motion *m, int joint_)
{
    CAROM_NEED_OR(NAN, rods, rods->rods, m, m->velocity);
    if (joint_ < 1 || joint_ >= m->count)
        return NAN;
    double approach = rods->rods[joint_ - 1].velocity - rods->rods[joint_].velocity;
    return approach > 0 ? (m->velocity[joint_] - m->velocity[joint_ - 1]) / approach : NAN;
}
