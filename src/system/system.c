/* The core of a system: an owned copy of its shape, which is checked first. */
#include "system/system.h"
#include "base/parts.h"
#include "carom/need.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shape: check and copy. */

static carom_status check_pattern(const carom_pattern *p, int rows, int columns, const char *name,
                                  carom_error *error)
{
    if (!p->start)
        return CAROM_OK;
    bool good = p->start[0] == 0 && (columns == 0 || p->start[columns] == 0 || p->row);
    for (int j = 0; good && j < columns; j++) {
        good = p->start[j + 1] >= p->start[j];
        for (int k = p->start[j]; good && k < p->start[j + 1]; k++)
            good = p->row[k] < rows && p->row[k] > (k > p->start[j] ? p->row[k - 1] : -1);
    }
    return good ? CAROM_OK
                : carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                  "the pattern of the %s is not a list of ascending rows of %d by "
                                  "column",
                                  name, rows);
}

static carom_status check_patterns(const carom_system_shape *s, carom_error *error)
{
    carom_status status = check_pattern(&s->normal_pattern, s->n, s->p, "normals", error);
    if (!status)
        status = check_pattern(&s->slip_pattern, s->n, s->s, "slips", error);
    if (!status)
        status = check_pattern(&s->joint_pattern, s->n, s->m, "joints", error);
    if (!status)
        status = check_pattern(&s->rolling_pattern, s->n, s->a, "kinetic constraints", error);
    return status ? status : check_pattern(&s->mass_pattern, s->n, s->n, "mass", error);
}

static carom_status check_events(const carom_system_ops *ops, const carom_system_shape *s,
                                 carom_error *error)
{
    if (s->guard_count < 0 || s->event_count < 0 || (s->event_count > 0 && !s->events))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "invalid counts: %d guards, %d events",
                               s->guard_count, s->event_count);
    for (int i = 0; s->guard && i < s->p; i++)
        if (s->guard[i] < -1 || s->guard[i] >= s->guard_count)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "contact %d has guard %d; there are %d, and -1 for none", i + 1,
                                   s->guard[i], s->guard_count);
    for (int k = 0; k < s->event_count; k++)
        if (s->events[k].resets && !ops->reset)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "event %d sets values, but the system has no reset function",
                                   k + 1);
    return CAROM_OK;
}

static carom_status check_region(const carom_system_shape *s, carom_error *error)
{
    int spreads = 0;
    for (int i = 0; i < s->p; i++)
        spreads += s->contacts[i].spread_count;
    if (spreads != s->spread)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "spread is %d, the contacts have %d columns", s->spread, spreads);
    for (int k = 0; s->region && k < s->region->group_start[s->region->group_count]; k++)
        if (s->region->group_contact[k] < 0 || s->region->group_contact[k] >= s->p)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "region: there is no contact %d of %d",
                                   s->region->group_contact[k], s->p);
    return CAROM_OK;
}

static carom_status check_shape(const carom_system_ops *ops, const carom_system_shape *s,
                                carom_error *error)
{
    if (!ops || !ops->evaluate)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "a system needs an evaluate function");
    if (s->n < 1 || s->nq < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "a system has %d coordinates and %d velocities; at least 1 each",
                               s->nq, s->n);
    if (s->kinematics_is_identity && s->nq != s->n)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "%d coordinates and %d velocities cannot be related by the identity",
                               s->nq, s->n);
    if (s->p < 0 || s->m < 0 || s->a < 0 || (s->p > 0 && !s->contacts))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "invalid counts: %d contacts, %d joints, %d kinetic constraints",
                               s->p, s->m, s->a);
    int slips = 0;
    for (int i = 0; i < s->p; i++) {
        int count = s->contacts[i].slip_count;
        if (count < 0 || count > 2)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "contact %d has %d slip directions; 0, 1 or 2 are allowed",
                                   i + 1, count);
        if (s->slip_start && s->slip_start[i] != slips)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "slip_start[%d] is %d, the contacts before it have %d", i,
                                   s->slip_start[i], slips);
        slips += count;
    }
    if (slips != s->s)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "s is %d, the contacts have %d slip directions", s->s, slips);
    carom_status status = check_events(ops, s, error);
    if (!status)
        status = check_region(s, error);
    return status ? status : check_patterns(s, error);
}

/* Copies of count names; missing ones are made from the pattern and their number. NULL: no memory.
 */
static const char **copy_names(carom_arena *arena, const char *const *names, int count,
                               const char *pattern)
{
    const char **copy = carom_arena_array(arena, (size_t)count, sizeof *copy);
    for (int i = 0; copy && i < count; i++) {
        char made[32];
        const char *name = names ? names[i] : NULL;
        if (!name) {
            snprintf(made, sizeof made, "%s%d", pattern, i + 1);
            name = made;
        }
        copy[i] = carom_arena_text(arena, name, strlen(name));
        if (!copy[i])
            return NULL;
    }
    return copy;
}

static bool copy_contacts(carom_arena *arena, carom_system_shape *s)
{
    carom_contact *contacts = carom_arena_array(arena, (size_t)s->p, sizeof *contacts);
    int *slip_start = carom_arena_array(arena, (size_t)s->p + 1, sizeof *slip_start);
    int *spread_start = carom_arena_array(arena, (size_t)s->p + 1, sizeof *spread_start);
    const char **names = carom_arena_array(arena, (size_t)s->p, sizeof *names);
    if (!contacts || !slip_start || !spread_start || !names)
        return false;
    slip_start[0] = spread_start[0] = 0;
    for (int i = 0; i < s->p; i++) {
        contacts[i] = s->contacts[i];
        slip_start[i + 1] = slip_start[i] + contacts[i].slip_count;
        spread_start[i + 1] = spread_start[i] + contacts[i].spread_count;
        names[i] = contacts[i].name;
    }
    names = copy_names(arena, names, s->p, "");
    for (int i = 0; names && i < s->p; i++)
        contacts[i].name = names[i];
    s->contacts = contacts;
    s->slip_start = slip_start;
    s->spread_start = spread_start;
    return names != NULL;
}

static bool copy_events(carom_arena *arena, carom_system_shape *s)
{
    carom_system_event *events = carom_arena_array(arena, (size_t)s->event_count, sizeof *events);
    const char **names = carom_arena_array(arena, (size_t)s->event_count, sizeof *names);
    int *guard = carom_arena_array(arena, (size_t)s->p, sizeof *guard);
    if (!events || !names || !guard)
        return false;
    for (int k = 0; k < s->event_count; k++) {
        events[k] = s->events[k];
        names[k] = events[k].name;
    }
    names = copy_names(arena, names, s->event_count, "");
    for (int k = 0; names && k < s->event_count; k++)
        events[k].name = names[k];
    for (int i = 0; s->guard && i < s->p; i++)
        guard[i] = s->guard[i];
    s->events = events;
    s->guard = s->guard ? guard : NULL;
    return names != NULL;
}

static bool copy_region(carom_arena *arena, carom_system_shape *s)
{
    if (!s->region)
        return true;
    const int groups = s->region->group_count, members = s->region->group_start[groups];
    carom_region *region = carom_arena_array(arena, 1, sizeof *region);
    int *start = carom_arena_array(arena, (size_t)groups + 1, sizeof *start);
    int *contact = carom_arena_array(arena, (size_t)members, sizeof *contact);
    if (!region || !start || !contact)
        return false;
    memcpy(start, s->region->group_start, ((size_t)groups + 1) * sizeof *start);
    memcpy(contact, s->region->group_contact, (size_t)members * sizeof *contact);
    *region = (carom_region){groups, start, contact};
    s->region = region;
    return true;
}

static bool copy_pattern(carom_arena *arena, int columns, carom_pattern *p)
{
    if (!p->start)
        return true;
    const size_t starts = (size_t)columns + 1, rows = (size_t)p->start[columns];
    int *start = carom_arena_array(arena, starts, sizeof *start);
    int *row = carom_arena_array(arena, rows, sizeof *row);
    if (!start || !row)
        return false;
    memcpy(start, p->start, starts * sizeof *start);
    if (rows > 0)
        memcpy(row, p->row, rows * sizeof *row);
    *p = (carom_pattern){start, row};
    return true;
}

static bool copy_patterns(carom_arena *arena, carom_system_shape *s)
{
    return copy_pattern(arena, s->p, &s->normal_pattern) &&
           copy_pattern(arena, s->s, &s->slip_pattern) &&
           copy_pattern(arena, s->m, &s->joint_pattern) &&
           copy_pattern(arena, s->a, &s->rolling_pattern) &&
           copy_pattern(arena, s->n, &s->mass_pattern);
}

static bool copy_shape(carom_arena *arena, carom_system_shape *s)
{
    s->coordinates = copy_names(arena, s->coordinates, s->nq, "q");
    s->velocities = copy_names(arena, s->velocities, s->n, "u");
    s->joints = copy_names(arena, s->joints, s->m, "");
    s->rollings = copy_names(arena, s->rollings, s->a, "");
    s->parameters = copy_names(arena, s->parameters, s->parameter_count, "p");
    return s->coordinates && s->velocities && s->joints && s->rollings && s->parameters &&
           copy_contacts(arena, s) && copy_events(arena, s) && copy_region(arena, s) &&
           copy_patterns(arena, s);
}

carom_status carom_system_create(const carom_system_ops *ops, void *self,
                                 const carom_system_shape *shape, const carom_allocator *allocator,
                                 carom_system **system, carom_error *error)
{
    CAROM_NEED(error, ops, shape, system);
    carom_system *made;
    carom_status status = check_shape(ops, shape, error);
    if (!status)
        status = carom_arena_object(allocator, sizeof *made, &made, error);
    if (status)
        return status;
    *made = (carom_system){made->arena, ops, self, *shape};
    if (!copy_shape(made->arena, &made->shape)) {
        carom_arena_destroy(made->arena);
        return carom_error_memory(error);
    }
    *system = made;
    return CAROM_OK;
}

carom_status carom_system_share(const carom_system *system, const carom_allocator *allocator,
                                carom_system **shared, carom_error *error)
{
    CAROM_NEED(error, system, shared);
    carom_system *made;
    if (!system->ops->share)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "systems of kind %s cannot be shared",
                               system->ops->name);
    carom_status status = carom_arena_object(allocator, sizeof *made, &made, error);
    if (status)
        return status;
    *made = (carom_system){made->arena, system->ops, NULL, system->shape};
    status = system->ops->share(system->self, allocator, &made->self, error);
    if (status)
        carom_arena_destroy(made->arena);
    else
        *shared = made;
    return status;
}

void carom_system_destroy(carom_system *system)
{
    if (!system)
        return;
    if (system->ops->destroy)
        system->ops->destroy(system->self);
    carom_arena_destroy(system->arena);
}

const carom_system_shape *carom_system_get_shape(const carom_system *system)
{
    return &system->shape;
}

bool carom_system_curvature(const carom_system *system, const carom_flight *flight, double *low)
{
    CAROM_NEED_OR(false, system, flight, low);
    return system->ops->curvature && system->ops->curvature(system->self, flight, low);
}
