/* Derivatives from one side (docs/theory/sensitivities.md, "From one side"): where a motion has a
 * kink in its data, its neighbours on either side have exact derivatives, and these have a limit.
 */
#include <float.h>
#include <math.h>

#include "carom/orbit.h"

/* Neighbours at h, h/2, h/4 ...; where these do not agree, others nearer by the same factor. */
enum { LEVELS = 5, TRIES = 4 };
static const double first_step = 1e-3, nearer = 1.0 / 16;

/* What extrapolations may differ by, as parts: of derivatives that the variations give, and of
 * quotients of differences, which lose half the digits. A limit of the values that is off by more
 * than the second part is a jump. */
static const double exact = 1e-9, quotient = 1e-4, jump = 1e-6;

/* Values and derivatives of the neighbours on one side, by level. */
typedef struct side {
    int count;
    double step[LEVELS];
    double *value, *slope; /* count x LEVELS */
    bool exact;            /* all neighbours have derivatives */
} side;

/* The limit of numbers x at steps h 2^-k (Neville); *doubt: what the last correction was. */
static double limit_of(const double *x, int stride, double *doubt)
{
    double row[LEVELS];
    for (int k = 0; k < LEVELS; k++)
        row[k] = x[(size_t)k * (size_t)stride];
    *doubt = 0;
    for (int k = 1; k < LEVELS; k++)
        for (int l = LEVELS - 1; l >= k; l--) {
            const double change = (row[l] - row[l - 1]) / ((double)(1 << k) - 1);
            row[l] += change;
            *doubt = fabs(change);
        }
    return row[LEVELS - 1];
}

/* Derivatives that grow like h^(-1/2): those of a contact that is grazed. */
static bool grows(const double *x, int stride)
{
    bool all = true;
    for (int k = 1; k < LEVELS; k++) {
        const double ratio = x[(size_t)k * (size_t)stride] / x[(size_t)(k - 1) * (size_t)stride];
        all = all && ratio > 1.3 && ratio < 1.5;
    }
    return all;
}

/* The derivative of quantity i from this side. NaN: none that these neighbours tell. */
static double conclude(const side *s, int i, double here)
{
    double doubt, quotients[LEVELS], largest = fabs(here);
    for (int k = 0; k < LEVELS; k++) {
        const double value = s->value[(size_t)k * (size_t)s->count + (size_t)i];
        quotients[k] = (value - here) / s->step[k];
        largest = fmax(largest, fabs(value));
    }
    if (grows(quotients, 1))
        return copysign(INFINITY, quotients[LEVELS - 1]);
    const double found = limit_of(s->value + i, s->count, &doubt);
    if (!(fabs(found - here) <= jump * largest))
        return NAN;
    const double *slope = s->slope + i;
    const double by_values = limit_of(quotients, 1, &doubt);
    if (!s->exact)
        return doubt <= quotient * fmax(fabs(by_values), quotient) ? by_values : NAN;
    const double by_slopes = limit_of(slope, s->count, &doubt);
    const double size = fmax(fabs(by_slopes), largest * exact);
    return doubt <= exact * size ? by_slopes : NAN;
}

/* Neighbours from offset h on; CAROM_STOPPED: one has no values. */
static carom_status look(const carom_orbit_neighbours *n, double h, side *s, carom_error *error)
{
    carom_status status = CAROM_OK;
    s->exact = true;
    for (int k = 0; k < LEVELS && status == CAROM_OK; k++, h /= 2) {
        const size_t at = (size_t)k * (size_t)s->count;
        bool exists = false;
        s->step[k] = h;
        status = n->at(n->self, h, s->value + at, s->slope + at, &exists, error);
        s->exact = s->exact && exists;
    }
    return status;
}

static carom_status derive(const carom_orbit_neighbours *n, double sign, side *s, double *out,
                           carom_error *error)
{
    double h = sign * first_step * n->scale;
    bool open = true;
    for (int i = 0; i < n->count; i++)
        out[i] = NAN;
    for (int try = 0; try < TRIES && open; try++, h *= nearer) {
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

carom_status carom_orbit_one_sided(const carom_orbit_neighbours *neighbours, carom_arena *arena,
                                   double *left, double *right, bool *same, carom_error *error)
{
    *same = false;
    const size_t size = (size_t)neighbours->count * LEVELS;
    double *work = carom_arena_zeros(arena, 2 * size, sizeof(double));
    side s = {.count = neighbours->count, .value = work, .slope = work + size};
    if (!work)
        return carom_error_memory(error);
    carom_status status = derive(neighbours, -1, &s, left, error);
    bool known = s.exact;
    if (status == CAROM_OK)
        status = derive(neighbours, 1, &s, right, error);
    *same = status == CAROM_OK && known && s.exact;
    for (int i = 0; i < neighbours->count; i++) {
        const double top = fmax(fabs(right[i]), fabs(neighbours->here[i]) * exact);
        *same = *same && isfinite(top) && fabs(right[i] - left[i]) <= 2 * exact * top;
    }
    return status;
}
