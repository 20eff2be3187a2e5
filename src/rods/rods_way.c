/* From event to event: fronts that arrive, gaps that close, joints that answer. */
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "rods/rods_motion.h"

/* Fronts that meet within this part of the elapsed time are one event: sums of travel times that
 * are equal on paper differ by rounding only. */
static const double same_time = CAROM_TOLERANCE_CARRIED;

static size_t words(const carom_rods_way *way)
{
    return carom_rods_number_words(&way->format);
}

static bool grow(carom_rods_way *way, carom_rods_track *track, bool numbers)
{
    const int room = track->room ? 2 * track->room : 16;
    const size_t old = (size_t)track->count;
    carom_rods_step *steps = carom_arena_array(way->arena, (size_t)room, sizeof *steps);
    carom_rods_word *number =
        numbers ? carom_arena_array(way->arena, (size_t)room * words(way), sizeof *number) : NULL;
    if (!steps || (numbers && !number))
        return false;
    if (old) {
        memcpy(steps, track->steps, old * sizeof *steps);
        if (numbers)
            memcpy(number, track->number, old * words(way) * sizeof *number);
    }
    track->steps = steps;
    track->number = number;
    track->room = room;
    return true;
}

/* Is the number that a track has now this one? */
static bool is_same(carom_rods_way *way, const carom_rods_track *track, double value,
                    const carom_rods_word *number)
{
    if (!number)
        return track->steps[track->count - 1].value == value;
    const carom_rods_word *now = track->number + (size_t)(track->count - 1) * words(way);
    carom_rods_number_subtract(&way->format, number, now, way->work);
    return carom_rods_number_sign(&way->format, way->work, way->bits) == 0;
}

void carom_rods_track_add(carom_rods_way *way, carom_rods_track *track, double t, double value,
                          const carom_rods_word *number)
{
    if (track->count > 0 && is_same(way, track, value, number))
        return;
    if (track->count == 0 || track->steps[track->count - 1].t != t) {
        if (track->count == track->room && !grow(way, track, number != NULL)) {
            way->no_memory = true;
            return;
        }
        track->count++;
    } /* else: a change at the same time replaces */
    track->steps[track->count - 1] = (carom_rods_step){t, value};
    if (number)
        memcpy(track->number + (size_t)(track->count - 1) * words(way), number,
               words(way) * sizeof *number);
}

static const carom_rods_word *at(const carom_rods_way *way, const carom_rods_track *track, int k)
{
    return track->number + (size_t)k * words(way);
}

/* What happens to force and gap of a contact. */
static void tell(carom_rods_way *way, carom_rods_meeting *j, bool was_closed, double force)
{
    way->touched = way->touched || force != j->force || j->closed != was_closed;
    if (j->force > 0 && !(force > 0))
        j->contact_time = way->t;
    else if (force > 0)
        j->contact_time = NAN;
    if (was_closed && !j->closed)
        j->open_time = way->t;
    else if (j->closed)
        j->open_time = NAN;
    j->closings += j->closed && !was_closed;
}

/* A force that is there but below the range of doubles: the least they have. */
static double force_of(const carom_rods_meeting *j, int sign, double closing)
{
    const double force = j->load * closing;
    return sign > 0 && !(force > 0) ? nextafter(0, 1) : sign == 0 ? 0 : force;
}

/* With a from the left, b from the right and delta = a + b, the speed at which the ends would close
 * if they were free: a closed joint answers S = b + contrast delta to the left and
 * R = a - contrast delta to the right; free ends S = -a, R = -b. */
void carom_rods_way_meet(carom_rods_way *way, int k)
{
    const carom_rods_format *f = &way->format;
    carom_rods_meeting *j = &way->joints[k];
    const carom_rods_word *a =
        k > 0 ? at(way, &way->right[k - 1], way->at_right_end[k - 1]) : way->zero;
    const carom_rods_word *b =
        k < way->count ? at(way, &way->left[k], way->at_left_end[k]) : way->zero;
    carom_rods_number_add(f, a, b, way->delta);
    int sign = carom_rods_number_sign(f, way->delta, way->bits);
    if (sign == 2) {
        way->unsure = way->unsure || !way->last;
        way->blunt = true;
        sign = 0;
    }
    const bool was_closed = j->closed;
    if (j->kind == CAROM_RODS_CONTACT)
        j->closed = j->gap <= 0 && sign >= 0;
    const double closing = sign == 0 ? 0 : carom_rods_number_get(f, way->delta);
    const double force = j->closed ? force_of(j, sign, closing) : 0;
    if (j->closed && sign != 0)
        carom_rods_number_multiply(f, j->contrast, way->delta, way->wave, way->work);
    else
        memcpy(way->wave, way->zero, words(way) * sizeof *way->wave);
    j->rate = j->closed ? 0 : -closing;
    if (j->kind == CAROM_RODS_CONTACT)
        tell(way, j, was_closed, force);
    j->force = force;
    carom_rods_track_add(way, &j->forces, way->t, force, NULL);
    carom_rods_track_add(way, &j->rates, way->t, j->rate, NULL);
    if (k > 0) {
        if (j->closed)
            carom_rods_number_add(f, b, way->wave, way->other);
        else
            carom_rods_number_subtract(f, way->zero, a, way->other);
        carom_rods_track_add(way, &way->left[k - 1], way->t, carom_rods_number_get(f, way->other),
                             way->other);
    }
    if (k < way->count) {
        carom_rods_number_subtract(f, j->closed ? a : way->zero, j->closed ? way->wave : b,
                                   way->other);
        carom_rods_track_add(way, &way->right[k], way->t, carom_rods_number_get(f, way->other),
                             way->other);
    }
}

/* When does the next departure arrive at the other end? */
static double arrival(const carom_rods_track *track, int at, double travel)
{
    return at + 1 < track->count ? track->steps[at + 1].t + travel : INFINITY;
}

double carom_rods_way_next(const carom_rods_way *way)
{
    double t = INFINITY;
    for (int i = 0; i < way->count; i++) {
        t = fmin(t, arrival(&way->right[i], way->at_right_end[i], way->travel[i]));
        t = fmin(t, arrival(&way->left[i], way->at_left_end[i], way->travel[i]));
    }
    for (int k = 0; k <= way->count; k++) {
        const carom_rods_meeting *j = &way->joints[k];
        if (j->kind == CAROM_RODS_CONTACT && !j->closed && j->rate < 0)
            t = fmin(t, way->t + j->gap / -j->rate);
    }
    return t;
}

void carom_rods_way_go(carom_rods_way *way, double t)
{
    const double h = t - way->t, slack = same_time * t;
    for (int k = 0; k <= way->count; k++) {
        carom_rods_meeting *j = &way->joints[k];
        way->changed[k] = false;
        j->impulse += j->force * h;
        if (j->kind != CAROM_RODS_CONTACT || j->closed)
            continue;
        if (j->rate < 0 && way->t + j->gap / -j->rate <= t + slack) {
            j->gap = 0;
            way->changed[k] = true;
        } else {
            j->gap += j->rate * h;
        }
    }
    for (int i = 0; i < way->count; i++) {
        while (arrival(&way->right[i], way->at_right_end[i], way->travel[i]) <= t + slack) {
            way->at_right_end[i]++;
            way->changed[i + 1] = true;
        }
        while (arrival(&way->left[i], way->at_left_end[i], way->travel[i]) <= t + slack) {
            way->at_left_end[i]++;
            way->changed[i] = true;
        }
    }
    way->t = t;
    way->events++;
    for (int k = 0; k <= way->count; k++)
        if (way->changed[k])
            carom_rods_way_meet(way, k);
}

void carom_rods_way_coast(carom_rods_way *way, double t)
{
    for (int k = 0; k <= way->count; k++) {
        way->joints[k].impulse += way->joints[k].force * (t - way->t);
        way->joints[k].gap += way->joints[k].rate * (t - way->t);
    }
    way->t = t;
}
