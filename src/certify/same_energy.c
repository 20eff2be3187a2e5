/* Outcomes of two contacts with the same energy: the arc of the ellipse v'G^-1 v = const where
 * v >= 0 and G^-1 (v - v-) >= 0. */
#include "carom/need.h"
#include "carom/tolerance.h"
#include "certify/normal.h"

#include <math.h>

static bool admissible(const carom_normal *m, const double *before, const double *v)
{
    for (int i = 0; i < 2; i++) {
        double impulse = m->K[i] * (v[0] - before[0]) + m->K[i + 2] * (v[1] - before[1]);
        double size = fabs(m->K[i]) * (fabs(v[0]) + fabs(before[0])) +
                      fabs(m->K[i + 2]) * (fabs(v[1]) + fabs(before[1]));
        if (v[i] < -CAROM_TOLERANCE_CARRIED * (fabs(v[0]) + fabs(v[1])) ||
            impulse < -CAROM_TOLERANCE_CARRIED * size)
            return false;
    }
    return true;
}

/* The point of the ellipse at an angle: v = L (cos, sin) r. */
static void point(const carom_normal *m, double radius, double angle, double *v)
{
    double c = radius * cos(angle), s = radius * sin(angle);
    v[0] = m->L[0] * c;
    v[1] = m->L[1] * c + m->L[3] * s;
}

/* The end of the arc between an angle inside and one outside. */
static double end_of(const carom_normal *m, const double *before, double radius, double inside,
                     double outside)
{
    double v[2];
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (inside + outside);
        point(m, radius, middle, v);
        if (admissible(m, before, v))
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

carom_status carom_same_energy_find(const carom_geometry *geometry, double energy, int count,
                                    carom_arena *arena, carom_same_energy *curve,
                                    carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, curve);
    int p = geometry->impact->p;
    carom_normal m;
    carom_status status = carom_normal_make(geometry, arena, &m, error);
    if (status)
        return status;
    if (p != 2 || !m.regular || count < 2 || !(energy >= 0))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "outcomes of equal energy: two independent contacts are needed, not "
                               "%d%s",
                               p, m.regular ? "" : " (dependent)");
    carom_same_energy made = {.matrix_freedoms = p * (p - 1), .unique_diagonal = m.identity};
    made.v = carom_arena_doubles(arena, 2 * (size_t)count);
    if (!made.v)
        return carom_error_memory(error);
    double before[2] = {geometry->gamma[0] / geometry->norm[0],
                        geometry->gamma[1] / geometry->norm[1]},
           v[2];
    double squared = before[0] * (m.K[0] * before[0] + m.K[2] * before[1]) +
                     before[1] * (m.K[1] * before[0] + m.K[3] * before[1]);
    double radius = sqrt(fmax(0, energy * squared));
    enum { STEPS = 2000 };
    const double turn = 2 * CAROM_PI;
    int first = -1, last = -1;
    /* find an angle outside, then the admissible ones after it: they are in one piece */
    int start = 0;
    for (; start < STEPS; start++) {
        point(&m, radius, turn * start / STEPS, v);
        if (!admissible(&m, before, v))
            break;
    }
    for (int k = start; k < start + STEPS && radius > 0; k++) {
        point(&m, radius, turn * k / STEPS, v);
        if (admissible(&m, before, v)) {
            first = first < 0 ? k : first;
            last = k;
        }
    }
    if (first >= 0) {
        double low = end_of(&m, before, radius, turn * first / STEPS, turn * (first - 1) / STEPS);
        double high = end_of(&m, before, radius, turn * last / STEPS, turn * (last + 1) / STEPS);
        made.count = count;
        for (int k = 0; k < count; k++)
            point(&m, radius, low + (high - low) * k / (count - 1), made.v + 2 * k);
    }
    *curve = made;
    return CAROM_OK;
}
