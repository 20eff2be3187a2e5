/* The list of what happens on a periodic motion, and how two of them differ. */
#include "orbit/orbit_path.h"

#include <stdio.h>
#include <string.h>

void carom_orbit_path_add(carom_orbit_path *path, carom_orbit_path_step step)
{
    if (path->count < CAROM_ORBIT_PATH_ROOM)
        path->steps[path->count] = step;
    path->count++;
}

void carom_orbit_path_rest(carom_orbit_path *path, double t, int contact, carom_mode mode)
{
    const int kept = path->count < CAROM_ORBIT_PATH_ROOM ? path->count : CAROM_ORBIT_PATH_ROOM;
    double slowest = 0;
    bool ends = false;
    int to = kept;
    for (int i = kept - 1; i >= 0; i--) {
        const carom_orbit_path_step s = path->steps[i];
        const bool own = s.kind == CAROM_ORBIT_PATH_IMPACT && s.index == contact;
        ends = ends || (s.index == contact && !own && s.kind != CAROM_ORBIT_PATH_EVENT) ||
               (own && s.speed < slowest);
        if (own && !ends)
            slowest = s.speed;
        else
            path->steps[--to] = s; /* what stays is moved to the end, and back */
    }
    memmove(path->steps, path->steps + to, sizeof *path->steps * (size_t)(kept - to));
    path->count -= to;
    carom_orbit_path_add(
        path, (carom_orbit_path_step){
                  .kind = CAROM_ORBIT_PATH_REST, .index = contact, .mode = mode, .t = t});
}

static bool same_step(const carom_orbit_path_step *a, const carom_orbit_path_step *b)
{
    return a->kind == b->kind && a->index == b->index && a->mode == b->mode;
}

static int kept_steps(const carom_orbit_path *path)
{
    return path->count < CAROM_ORBIT_PATH_ROOM ? path->count : CAROM_ORBIT_PATH_ROOM;
}

/* Where they differ first. */
static int first_difference(const carom_orbit_path *a, const carom_orbit_path *b)
{
    int i = 0;
    while (i < kept_steps(a) && i < kept_steps(b) && same_step(&a->steps[i], &b->steps[i]))
        i++;
    return i;
}

bool carom_orbit_path_same(const carom_orbit_path *a, const carom_orbit_path *b)
{
    return a->count == b->count && first_difference(a, b) == kept_steps(a);
}

void carom_orbit_path_describe(const carom_orbit_path_step *step, const carom_system_shape *shape,
                               char *text, size_t size)
{
    char number[16];
    const char *name = step->kind == CAROM_ORBIT_PATH_EVENT
                           ? shape->events[step->index].name
                           : carom_contact_name(shape->contacts, step->index, number);
    switch (step->kind) {
    case CAROM_ORBIT_PATH_IMPACT:
        snprintf(text, size, "impact of contact %s", name);
        return;
    case CAROM_ORBIT_PATH_EVENT:
        snprintf(text, size, "event %s", name);
        return;
    case CAROM_ORBIT_PATH_REST:
        snprintf(text, size, "rest of contact %s (%s)", name, carom_mode_text(step->mode));
        return;
    case CAROM_ORBIT_PATH_CHANGE:
        break;
    }
    snprintf(text, size, "change of contact %s to %s", name, carom_mode_text(step->mode));
}

/* How many steps of a kind (of all: same as `like`) a path has. */
static int count_kind(const carom_orbit_path *path, carom_orbit_path_kind kind)
{
    int count = 0;
    for (int i = 0; i < kept_steps(path); i++)
        count += path->steps[i].kind == kind;
    return count;
}

static int count_like(const carom_orbit_path *path, const carom_orbit_path_step *like)
{
    int count = 0;
    for (int i = 0; i < kept_steps(path); i++)
        count += same_step(&path->steps[i], like);
    return count;
}

/* The same things, in another order? */
static bool reordered(const carom_orbit_path *a, const carom_orbit_path *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < kept_steps(a); i++)
        if (count_like(a, &a->steps[i]) != count_like(b, &a->steps[i]))
            return false;
    return true;
}

carom_orbit_event_kind carom_orbit_path_compare(const carom_orbit_path *a,
                                                const carom_orbit_path *b,
                                                const carom_system_shape *shape, char *text,
                                                size_t size)
{
    const int i = first_difference(a, b);
    char was[120] = "", is[120] = "";
    if (i < kept_steps(a))
        carom_orbit_path_describe(&a->steps[i], shape, was, sizeof was);
    if (i < kept_steps(b))
        carom_orbit_path_describe(&b->steps[i], shape, is, sizeof is);
    if (reordered(a, b)) {
        snprintf(text, size, "%s and %s change their order", was, is);
        return CAROM_ORBIT_COINCIDENCE;
    }
    if (was[0] && count_like(a, &a->steps[i]) > count_like(b, &a->steps[i]))
        snprintf(text, size, "beyond it there is no %s", was);
    else
        snprintf(text, size, "beyond it there is one more %s", is[0] ? is : was);
    return count_kind(a, CAROM_ORBIT_PATH_IMPACT) != count_kind(b, CAROM_ORBIT_PATH_IMPACT)
               ? CAROM_ORBIT_GRAZING
               : CAROM_ORBIT_MODE;
}
