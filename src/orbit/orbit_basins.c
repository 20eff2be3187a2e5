/* Basins: starts sorted by the attractors they go to, with fractions (docs/theory/orbits.md,
 * "Basins"). */
#include <math.h>
#include <string.h>

#include "carom/need.h"
#include "carom/orbit.h"

/* Points of an attractor that was reached from different starts agree to this part of its size: the
 * repetition of points after a transient is sharper, but not what is left of the transient. */
static const double alike = 0.001;

const char *carom_orbit_fate_text(carom_orbit_fate fate)
{
    static const char *const texts[] = {"periodic", "aperiodic", "none", "unknown"};
    return (unsigned)fate < sizeof texts / sizeof *texts ? texts[fate] : "unknown";
}

static double size_of(const carom_orbit_attractor *a)
{
    double size = 0;
    for (int i = 0; i < a->size * a->count; i++)
        size = fmax(size, fabs(a->points[i]));
    return size;
}

/* Do the points of b, from its first on, agree with those of a from number `shift` on? */
static bool same_points(const carom_orbit_attractor *a, const carom_orbit_attractor *b, int shift,
                        double tolerance)
{
    for (int j = 0; j < a->count; j++)
        for (int i = 0; i < a->size; i++) {
            double off = fabs(a->points[i + ((j + shift) % a->count) * a->size] -
                              b->points[i + j * b->size]);
            if (a->modulus > 0 && i == a->size - 1)
                off = fmin(off, a->modulus - off);
            if (!(off <= tolerance))
                return false;
        }
    return true;
}

static bool same_attractor(const carom_orbit_attractor *a, const carom_orbit_attractor *b)
{
    if (a->fate != b->fate || a->fate != CAROM_ORBIT_PERIODIC)
        return a->fate == b->fate;
    if (a->count != b->count || a->size != b->size)
        return false;
    const double tolerance = alike * size_of(a);
    for (int shift = 0; shift < a->count; shift++)
        if (same_points(a, b, shift, tolerance))
            return true;
    return false;
}

static void find_fraction(carom_orbit_basin *b, long total)
{
    const double z = 1.959963984540054, n = (double)total, p = (double)b->cells / n;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    b->fraction = p;
    b->interval[0] = fmax(0, centre - half);
    b->interval[1] = fmin(1, centre + half);
}

/* Room for twice as many. */
static carom_orbit_basin *grow(carom_arena *arena, const carom_orbit_basin *old, int count,
                               int room)
{
    carom_orbit_basin *more = carom_arena_array(arena, (size_t)room, sizeof *more);
    if (more && count > 0)
        memcpy(more, old, (size_t)count * sizeof *more);
    return more;
}

carom_status carom_orbit_basins(const carom_orbit_attractor *starts, long start_count,
                                carom_arena *arena, int *index, carom_orbit_basin **basins,
                                int *count, carom_error *error)
{
    CAROM_NEED(error, starts, arena, index, basins, count);
    carom_orbit_basin *list = NULL;
    int room = 0;
    long total = 0;
    *count = 0;
    for (long i = 0; i < start_count; i++) {
        int k = 0;
        index[i] = -1;
        if (starts[i].fate == CAROM_ORBIT_UNKNOWN)
            continue;
        while (k < *count && !same_attractor(list[k].attractor, &starts[i]))
            k++;
        if (k == room) {
            room = 2 * room + 16;
            list = grow(arena, list, *count, room);
            if (!list)
                return carom_error_memory(error);
        }
        if (k == *count)
            list[(*count)++] = (carom_orbit_basin){.attractor = &starts[i]};
        index[i] = k;
        list[k].cells++;
        total++;
    }
    for (int k = 0; k < *count; k++)
        find_fraction(&list[k], total);
    *basins = list;
    return CAROM_OK;
}
