/* Derivatives from one side (docs/theory/sensitivities.md, "From one side"): where a motion has a
 * kink in its data, its neighbours on either side have exact derivatives, and these have a limit.
 */
#include <math.h>

#include "carom/need.h"
#include "carom/orbit.h"
#include "carom/tolerance.h"

/* Neighbours at parts of a distance h: the first of them make a polynomial, the others, nearer,
 * must lie on it. The parts follow no ratio: a quantity that comes back with every halving, as the
 * velocity of a ball does whose bounces have not ended, has no limit. Where neighbours do not agree
 * others are asked, nearer by the same factor. */
enum { NODES = 5, LEVELS = 7, TRIES = 4 };
static const double part[LEVELS] = {1, 0.43, 0.17, 0.073, 0.029, 0.011, 0.0013};
static const double first_step = 1e-3, nearer = 1.0 / 16;

/* What extrapolations may differ by, as parts: of derivatives that the variations give, and of
 * quotients of differences, which lose half the digits. A limit of the values that is off by more
 * than the second part is a jump. */
static const double exact = CAROM_TOLERANCE_SAME, quotient = CAROM_TOLERANCE_REGULAR;

/* Limits that differ by more than so many times their doubt are of two branches. */
static const double branches = 16;

/* Values and derivatives of the neighbours on one side, by level. */
typedef struct side {
    int count;
    double scale;
    double step[LEVELS];
    double *value, *slope; /* count x LEVELS */
    bool known[LEVELS];    /* it has derivatives */
    bool exact;            /* all nodes have */
    bool some;             /* a neighbour has, on this side, however far */
    int tries;             /* before these neighbours */
    double *far, *doubt;   /* count x TRIES: limits that farther neighbours did not agree on, and
                              by how much; NaN: they had none */
} side;

/* The polynomial through points x, y at `at` (Neville). */
static double polynomial(int count, const double *x, const double *y, double at)
{
    double row[NODES];
    for (int k = 0; k < count; k++)
        row[k] = y[k];
    for (int k = 1; k < count; k++)
        for (int l = count - 1; l >= k; l--)
            row[l] += (at - x[l]) * (row[l] - row[l - 1]) / (x[l] - x[l - k]);
    return row[count - 1];
}

/* The limit of numbers y at the steps, in powers of the step or of its root. Returns by how much
 * the last correction, or a witness that is known, is off. */
static double fit(const side *s, const double *y, const bool *known, bool root, double *limit)
{
    double x[LEVELS];
    for (int k = 0; k < LEVELS; k++)
        x[k] = root ? sqrt(fabs(s->step[k])) : s->step[k];
    *limit = polynomial(NODES, x, y, 0);
    double doubt = fabs(*limit - polynomial(NODES - 1, x + 1, y + 1, 0));
    for (int k = NODES; k < LEVELS; k++)
        if (!known || known[k])
            doubt = fmax(doubt, fabs(y[k] - polynomial(NODES, x, y, x[k])));
    return doubt;
}

static double largest_of(int count, const double *y)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, fabs(y[k]));
    return most;
}

/* Do nearer neighbours tell of the branch that farther ones were on? Those may have disagreed
 * because there is another branch in between, but then by about as much as the branches do. Where
 * they nearly agreed on something else, what is nearer is below what the motion resolves: hops that
 * it takes as rest. */
static bool is_same_branch(const side *s, int i, double limit)
{
    bool same = true;
    for (int k = 0; k < s->tries; k++) {
        const size_t at = (size_t)k * (size_t)s->count + (size_t)i;
        same = same && !(fabs(limit - s->far[at]) > branches * s->doubt[at]);
    }
    return same;
}

/* The limit of quantity i in whichever powers agree; NaN: in none. What is not told from zero is
 * zero. */
static double limit_of(side *s, int i, const double *y, const bool *known, double allowed)
{
    double limit, doubt = INFINITY, best = INFINITY, found = NAN;
    for (int root = 0; root < 2 && doubt > allowed; root++) {
        doubt = fit(s, y, known, root, &limit);
        found = doubt < best ? limit : found;
        best = fmin(doubt, best);
    }
    if (doubt <= allowed)
        return !is_same_branch(s, i, limit) ? NAN : fabs(limit) <= doubt ? 0 : limit;
    s->far[(size_t)s->tries * (size_t)s->count + (size_t)i] = found;
    s->doubt[(size_t)s->tries * (size_t)s->count + (size_t)i] = best;
    return NAN;
}

/* Quotients that grow like h^(-1/2): those of a contact that is grazed. */
static bool grows(const side *s, const double *quotients)
{
    double y[LEVELS], limit;
    for (int k = 0; k < LEVELS; k++)
        y[k] = quotients[k] * sqrt(fabs(s->step[k]));
    const double doubt = fit(s, y, NULL, true, &limit);
    return doubt <= fabs(limit) / 16 && fabs(limit) > 0.5 * largest_of(LEVELS, y);
}

/* The derivative of quantity i from this side. NaN: none that these neighbours tell. */
static double conclude(side *s, int i, double here)
{
    double value[LEVELS], slope[LEVELS], quotients[LEVELS], found;
    for (int k = 0; k < LEVELS; k++) {
        const size_t at = (size_t)k * (size_t)s->count + (size_t)i;
        value[k] = s->value[at];
        slope[k] = s->slope[at];
        quotients[k] = (value[k] - here) / s->step[k];
    }
    const double largest = fmax(fabs(here), largest_of(LEVELS, value));
    const double rounding = CAROM_TOLERANCE_CARRIED * largest;
    if (!isfinite(largest))
        return NAN;
    bool constant = true;
    for (int k = 0; k < LEVELS; k++)
        constant = constant && value[k] == here;
    if (constant && (s->exact || !s->some))
        return 0;
    if (grows(s, quotients) && !(fabs(value[0] - here) <= rounding))
        return copysign(INFINITY, quotients[LEVELS - 1]);
    fit(s, value, NULL, true, &found);
    if (!(fabs(found - here) <= quotient * largest))
        return NAN;
    if (s->exact)
        return limit_of(s, i, slope, s->known,
                        exact * largest_of(NODES, slope) + rounding / s->scale);
    if (s->some) /* the others are nearer than the motion is exact, and tell nothing */
        return NAN;
    static const bool none[LEVELS] = {false}; /* the nearest quotients are rounding */
    return limit_of(s, i, quotients, none,
                    quotient * largest_of(NODES, quotients) + rounding / fabs(s->step[NODES - 1]));
}

/* Neighbours from offset h on; CAROM_STOPPED: one has no values. */
static carom_status look(const carom_orbit_neighbours *n, double h, side *s, carom_error *error)
{
    carom_status status = CAROM_OK;
    s->exact = true;
    for (int k = 0; k < LEVELS && status == CAROM_OK; k++) {
        const size_t at = (size_t)k * (size_t)s->count;
        s->step[k] = h * part[k];
        s->known[k] = false;
        status = n->at(n->self, s->step[k], s->value + at, s->slope + at, &s->known[k], error);
        s->exact = s->exact && (s->known[k] || k >= NODES);
        s->some = s->some || s->known[k];
    }
    return status;
}

static carom_status derive(const carom_orbit_neighbours *n, double sign, side *s, double *out,
                           carom_error *error)
{
    double h = sign * first_step * n->scale;
    bool open = true;
    s->some = false;
    for (int i = 0; i < n->count; i++)
        out[i] = NAN;
    for (int k = 0; k < TRIES * n->count; k++)
        s->far[k] = NAN;
    for (int try = 0; try < TRIES && open; try++, h *= nearer) {
        s->tries = try;
        const carom_status status = look(n, h, s, error);
        if (status < 0)
            return status;
        if (status > 0)
            continue;
        open = false;
        for (int i = 0; i < n->count; i++) {
            out[i] = isnan(out[i]) ? conclude(s, i, n->here[i]) : out[i];
            open = open || isnan(out[i]);
        }
    }
    return CAROM_OK;
}

/* Bounces that end, in the last part of 1e-7, are no more than this up to a restitution of 0.998;
 * and what happens in neighbours where nothing does in the motion may happen at each of its events.
 */
long carom_orbit_neighbour_events(long events)
{
    static const long bounces = 10000, times = 10;
    return bounces + times * events;
}

carom_status carom_orbit_one_sided(const carom_orbit_neighbours *neighbours, carom_arena *arena,
                                   double *left, double *right, bool *same, carom_error *error)
{
    CAROM_NEED(error, neighbours, neighbours->at, arena, left, right, same);
    *same = false;
    const size_t count = (size_t)neighbours->count, size = count * LEVELS;
    double *work = carom_arena_zeros(arena, 2 * (size + TRIES * count), sizeof(double));
    side s = {.count = neighbours->count,
              .scale = neighbours->scale,
              .value = work,
              .slope = work + size,
              .far = work + 2 * size,
              .doubt = work + 2 * size + TRIES * count};
    if (!work)
        return carom_error_memory(error);
    carom_status status = derive(neighbours, -1, &s, left, error);
    bool known = s.exact;
    if (status == CAROM_OK)
        status = derive(neighbours, 1, &s, right, error);
    *same = status == CAROM_OK && known && s.exact;
    for (int i = 0; i < neighbours->count; i++) {
        const double top = fmax(fabs(right[i]), fabs(left[i]));
        const double least = fabs(neighbours->here[i]) / neighbours->scale;
        *same = *same && isfinite(top) && fabs(right[i] - left[i]) <= 2 * exact * (top + least);
    }
    return status;
}
