/* A motion between the rows of its trace.
 *
 * From (t_a, q_a, v_a) to (t_b, q_b, v_b), with h = t_b - t_a and s = (t - t_a)/h, the cubic with
 * these ends and slopes is q_a + s (q_b - q_a) + s (1 - s) ((1 - s) (h v_a - d) - s (h v_b - d)),
 * d = q_b - q_a. Jumps stand twice among the moments, so that v_a is after one, v_b before the
 * next; velocities in between are the cubic's own, but for time-stepping, which turns at once
 * within a step. Coordinates that no velocity is the rate of (quaternions) go along chords, and so
 * does everything where jumps were left out. */
#include "pictures/course_path.h"

#include <math.h>
#include <string.h>

/* Steps of the whole motion, at least. Moments, which fall with the numbers that each of them
 * takes: NUMBERS at most for all of them. */
enum { STEPS = 600, FEWEST = 2000, MOST = 200000, NUMBERS = 1 << 22 };

static const double UNSEEN = 1e-4; /* part of a picture's width that an eye does not see */

/* Is `velocity` the rate of `coordinate`: x', b.vx of b.x, b.w of b.th? */
static bool is_rate(const char *coordinate, const char *velocity)
{
    const size_t length = strlen(coordinate), other = strlen(velocity);
    if (other == length + 1 && velocity[length] == '\'')
        return strncmp(coordinate, velocity, length) == 0;
    const char *dot = strrchr(coordinate, '.');
    if (!dot || strncmp(coordinate, velocity, (size_t)(dot + 1 - coordinate)) != 0)
        return false;
    const char *own = dot + 1, *its = velocity + (own - coordinate);
    return strcmp(own, "th") == 0 ? strcmp(its, "w") == 0
                                  : its[0] == 'v' && strcmp(its + 1, own) == 0;
}

static void find_rates(carom_course_path *p)
{
    const carom_trace *trace = p->course->trace;
    int next = 0; /* rates come in the order of their coordinates */
    for (int i = 0; i < p->nq; i++) {
        p->rate[i] = -1;
        for (int k = 0; k < p->n && p->rate[i] < 0; k++) {
            const int j = (next + k) % p->n;
            if (is_rate(carom_course_name(&trace->position, i),
                        carom_course_name(&trace->velocity, j)))
                p->rate[i] = j;
        }
        if (p->rate[i] >= 0)
            next = p->rate[i] + 1;
    }
}

/* q and u between two moments that follow each other: s = 0 is moment k, 1 the next. */
static void between(const carom_course_path *p, int k, double s, double *q, double *u)
{
    const carom_course_moments *m = &p->moments;
    const int b = k + 1 < m->count ? k + 1 : k;
    const double h = m->t[b] - m->t[k], *u_a = m->u[k], *u_b = m->u[b];
    for (int i = 0; i < p->nq; i++) {
        const double q_a = m->q[k][i], d = m->q[b][i] - q_a;
        const int j = m->jumps_left_out ? -1 : p->rate[i];
        q[i] = q_a + s * d;
        if (j >= 0)
            q[i] += s * (1 - s) * ((1 - s) * (h * u_a[j] - d) - s * (h * u_b[j] - d));
    }
    for (int j = 0; j < p->n; j++)
        u[j] = u_a[j] + s * (u_b[j] - u_a[j]);
    for (int i = 0; i < p->nq; i++) {
        const int j = m->jumps_left_out || p->stepped || !(h > 0) ? -1 : p->rate[i];
        if (j >= 0)
            u[j] += 3 * s * (1 - s) * (2 * (m->q[b][i] - m->q[k][i]) / h - u_a[j] - u_b[j]);
    }
}

/* A number of moments that falls with what each of them takes. */
static int within_reason(const carom_course_path *p)
{
    const int room = NUMBERS / p->numbers;
    return room < FEWEST ? FEWEST : room < MOST ? room : MOST;
}

/* How far the values of each column go. */
static void find_ranges(const carom_trace_table *table, long rows, double *range)
{
    for (int j = 0; j < table->columns; j++) {
        double least = INFINITY, most = -INFINITY;
        for (long k = 0; k < rows; k++) {
            const double value = table->values[(size_t)k * (size_t)table->columns + (size_t)j];
            least = fmin(least, value);
            most = fmax(most, value);
        }
        range[j] = most - least;
    }
}

/* How far the way from moment k to the next is from a straight line, in parts of the ranges of its
 * coordinates and velocities: a cubic with q' - d/h = a, b at its ends is h max(|a|, |b|)/4 from
 * its chord at most, its velocity 3/4 |a + b|. */
static double bend(const carom_course_path *p, int k)
{
    const carom_course_moments *m = &p->moments;
    const double h = k + 1 < m->count ? m->t[k + 1] - m->t[k] : 0;
    double most = 0;
    for (int i = 0; i < p->nq && h > 0 && !m->jumps_left_out; i++) {
        const int j = p->rate[i];
        if (j < 0)
            continue;
        const double mean = (m->q[k + 1][i] - m->q[k][i]) / h;
        const double a = m->u[k][j] - mean, b = m->u[k + 1][j] - mean;
        if (p->q_range[i] > 0)
            most = fmax(most, h * fmax(fabs(a), fabs(b)) / 4 / p->q_range[i]);
        if (p->u_range[j] > 0 && !p->stepped)
            most = fmax(most, 0.75 * fabs(a + b) / p->u_range[j]);
    }
    return isfinite(most) ? most : 0;
}

/* In how many steps to go from moment k to the next: a chord of one of s misses the curve by 1/s^2
 * of what the whole misses. */
static int steps_of(const carom_course_path *p, int k)
{
    const carom_course_moments *m = &p->moments;
    const double whole = m->t[m->count - 1] - m->t[0];
    const double h = k + 1 < m->count ? m->t[k + 1] - m->t[k] : 0;
    const double by_time = whole > 0 && h > 0 ? ceil(h / whole * STEPS) : 1;
    const double by_bend = fmin(ceil(sqrt(bend(p, k) / UNSEEN)), p->most_steps);
    return (int)fmax(fmax(by_time, by_bend), 1);
}

/* More moments where they are far apart, or the way between them bends. */
static carom_status refine(carom_course_path *p, carom_arena *arena, carom_error *error)
{
    const carom_course_moments given = p->moments;
    carom_course_moments m;
    size_t room = 1;
    for (int k = 0; k < given.count; k++)
        room += (size_t)steps_of(p, k);
    carom_status status = carom_course_moments_room(room, arena, &m, error);
    for (int k = 0; k < given.count && !status; k++) {
        const int steps = steps_of(p, k);
        for (int i = 0; i < steps; i++) {
            const double s = (double)i / steps;
            m.t[m.count] = i ? given.t[k] + s * (given.t[k + 1] - given.t[k]) : given.t[k];
            m.q[m.count] = given.q[k];
            m.u[m.count] = given.u[k];
            m.row[m.count] = given.row[k];
            if (i > 0) {
                double *q = carom_arena_doubles(arena, (size_t)p->nq + 1);
                double *u = carom_arena_doubles(arena, (size_t)p->n + 1);
                if (!q || !u)
                    return carom_error_memory(error);
                between(p, k, s, q, u);
                m.q[m.count] = q;
                m.u[m.count] = u;
            }
            m.count++;
        }
    }
    m.thinned = given.thinned;
    m.jumps_left_out = given.jumps_left_out;
    p->moments = m;
    return status;
}

carom_status carom_course_path_make(const carom_course *course, int beside, carom_arena *arena,
                                    carom_course_path *p, carom_error *error)
{
    const carom_trace *trace = course->trace;
    *p = (carom_course_path){.course = course,
                             .nq = trace->position.columns,
                             .n = trace->velocity.columns,
                             .stepped =
                                 trace->method && strcmp(trace->method, "time-stepping") == 0};
    p->rate = carom_arena_array(arena, (size_t)p->nq + 1, sizeof *p->rate);
    p->q = carom_arena_doubles(arena, (size_t)p->nq + 1);
    p->u = carom_arena_doubles(arena, (size_t)p->n + 1);
    p->q_range = carom_arena_doubles(arena, (size_t)p->nq + 1);
    p->u_range = carom_arena_doubles(arena, (size_t)p->n + 1);
    if (!p->rate || !p->q || !p->u || !p->q_range || !p->u_range)
        return carom_error_memory(error);
    p->numbers = p->nq + p->n + beside + 1;
    find_rates(p);
    find_ranges(&trace->position, trace->rows, p->q_range);
    find_ranges(&trace->velocity, trace->rows, p->u_range);
    carom_status status =
        carom_course_moments_make(trace, within_reason(p), arena, &p->moments, error);
    if (status)
        return status;
    p->most_steps = within_reason(p) / (p->moments.count + 1) + 1;
    return refine(p, arena, error);
}

void carom_course_path_at(const carom_course_path *p, double t)
{
    const carom_course_moments *m = &p->moments;
    int low = 0, high = m->count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (m->t[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    const double h = high < m->count ? m->t[high] - m->t[low] : 0;
    between(p, low, h > 0 ? fmin(fmax((t - m->t[low]) / h, 0), 1) : 0, p->q, p->u);
}
