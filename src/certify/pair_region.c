/* Two contacts, diagonal E: (1 - e1^2)(1 - e2^2) >= a^2 (1 - e1 e2)^2 solved for e2 (the
 * discriminant is a square): e2 = (a^2 e1 +- s sqrt(1 - a^2)) / (s + a^2 e1^2), s = 1 - e1^2. */
#include "carom/certify.h"
#include "carom/need.h"

#include <math.h>

bool carom_pair_region_holds(double a, double e1, double e2, bool approaching)
{
    if (!(fabs(e1) <= 1 && fabs(e2) <= 1))
        return false;
    if (approaching && a <= 0)
        return true;
    double t = a * (1 - e1 * e2);
    return (1 - e1) * (1 + e1) * (1 - e2) * (1 + e2) >= t * t;
}

carom_status carom_pair_region_make(double a, int count, carom_arena *arena,
                                    carom_pair_region *region, carom_error *error)
{
    CAROM_NEED(error, arena, region);
    if (count < 2 || !(fabs(a) < 1))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "region of two contacts: G_12 = %g must be inside (-1, 1), and %d "
                               "points at least 2",
                               a, count);
    carom_pair_region r = {.a = a, .count = count, .square = a <= 0};
    r.e1 = carom_arena_array(arena, 3 * (size_t)count, sizeof(double));
    if (!r.e1)
        return carom_error_memory(error);
    r.lower = r.e1 + count;
    r.upper = r.lower + count;
    for (int i = 0; i < count; i++) {
        /* finer towards the corners, where the curves are steep */
        double e = i == 0 ? -1 : i == count - 1 ? 1 : -cos(CAROM_PI * i / (count - 1));
        double s = (1 - e) * (1 + e), root = s * sqrt((1 - a) * (1 + a));
        double below = s + a * a * e * e;
        r.e1[i] = e;
        r.lower[i] = below > 0 ? (a * a * e - root) / below : -1;
        r.upper[i] = below > 0 ? (a * a * e + root) / below : 1;
    }
    r.half_width = sqrt((1 - fabs(a)) / (1 + fabs(a)));
    r.radius = sqrt((1 - a * a) / (2 * (1 + a * a)));
    *region = r;
    return CAROM_OK;
}
