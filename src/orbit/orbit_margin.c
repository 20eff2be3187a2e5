/* Margins of a periodic motion: what its map and its gaps say of how near it is to another kind of
 * motion. */
#include "orbit/orbit_margin.h"

#include <math.h>
#include <stdio.h>

#include "carom/tolerance.h"

/* A gap is located on cubics between rows, to this part. An impact of speed v is located to
 * rounding/v, and a parabola from there errs by v^3: together least at eps^(1/4). */
static const double touches = CAROM_TOLERANCE_SAME, slowest = 0x1p-13;

/* Impacts, and events that set something: the state jumps there, so that they cannot pass the
 * section without a jump of the section point. */
static bool jumps(const carom_orbit_path_step *s, const carom_system_shape *shape)
{
    return s->kind == CAROM_ORBIT_PATH_IMPACT || s->kind == CAROM_ORBIT_PATH_REST ||
           (s->kind == CAROM_ORBIT_PATH_EVENT && shape->events[s->index].resets);
}

static void lower(carom_orbit_margin *m, double value, double zero, carom_orbit_path_step of)
{
    if (value < m->value)
        *m = (carom_orbit_margin){value, zero, of};
}

static void look_at_path(const carom_orbit_map *m, double speed, carom_orbit_margin *margins)
{
    const carom_orbit_path *path = m->path;
    const double period = m->t1 - m->t0, instant = carom_orbit_map_instant(m);
    const double soon = 4 * instant / period;
    for (int i = 0; i < path->count && i < CAROM_ORBIT_PATH_ROOM; i++) {
        const carom_orbit_path_step s = path->steps[i];
        if (s.kind == CAROM_ORBIT_PATH_IMPACT && speed > 0)
            lower(&margins[CAROM_ORBIT_MARGIN_SPEED], s.speed / speed, slowest, s);
        if (!jumps(&s, m->shape) || s.t - m->t0 <= instant || m->t1 - s.t <= instant)
            continue;
        lower(&margins[CAROM_ORBIT_MARGIN_AFTER], (s.t - m->t0) / period, soon, s);
        lower(&margins[CAROM_ORBIT_MARGIN_BEFORE], (m->t1 - s.t) / period, soon, s);
    }
}

carom_status carom_orbit_margin_find(carom_orbit_newton *w, carom_orbit_margin *margins,
                                     carom_error *error)
{
    const carom_orbit_map *m = &w->map;
    const double period = m->t1 - m->t0;
    carom_orbit_clearance c;
    for (int k = 0; k < CAROM_ORBIT_MARGINS; k++)
        margins[k] = (carom_orbit_margin){.value = INFINITY};
    carom_status status = carom_orbit_clearance_find(w, &c, error);
    if (status != CAROM_OK || !(period > 0))
        return status;
    if (c.contact >= 0)
        lower(&margins[CAROM_ORBIT_MARGIN_GAP], c.gap / c.size, touches,
              (carom_orbit_path_step){.kind = CAROM_ORBIT_PATH_IMPACT, .index = c.contact});
    look_at_path(m, c.size / period, margins);
    return CAROM_OK;
}

double carom_orbit_margin_ahead(const carom_orbit_margin *before, const carom_orbit_margin *now,
                                double length, int *which)
{
    double nearest = INFINITY;
    for (int k = 0; k < CAROM_ORBIT_MARGINS; k++) {
        const double a = before[k].value, b = now[k].value;
        if (!(a < INFINITY) || !(b < a) || before[k].of.kind != now[k].of.kind ||
            before[k].of.index != now[k].of.index)
            continue;
        const double ahead = length * b / (a - b);
        if (ahead < nearest) {
            nearest = ahead;
            *which = k;
        }
    }
    return nearest;
}

carom_orbit_event_kind carom_orbit_margin_explain(const carom_orbit_margin *margins, int which,
                                                  const carom_system_shape *shape, char *text,
                                                  size_t size)
{
    const carom_orbit_path_step *of = &margins[which].of;
    char name[120], number[16];
    if (which > CAROM_ORBIT_MARGIN_SPEED) {
        carom_orbit_path_describe(of, shape, name, sizeof name);
        snprintf(text, size,
                 "%s and the section come to happen at once: section points jump there, a section "
                 "elsewhere goes on",
                 name);
        return CAROM_ORBIT_COINCIDENCE;
    }
    snprintf(text, size,
             which == CAROM_ORBIT_MARGIN_GAP ? "contact %s is grazed"
                                             : "an impact of contact %s loses its velocity",
             carom_contact_name(shape->contacts, of->index, number));
    return CAROM_ORBIT_GRAZING;
}
