/* Scenes that are run to their end, for tests of what comes out. */
#ifndef CAROM_TESTS_BODY_MOTION_H
#define CAROM_TESTS_BODY_MOTION_H

#include "scene_check.h"

#include <math.h>

/* A scene that has been run. */
typedef struct motion {
    carom_scene *scene;
    carom_arena *arena;
    carom_flow_result result;
    double highest; /* energy of all rows, less that of the first */
    double first;
    double pushed; /* normal forces of all contacts and rows */
    long rows;
} motion;

static inline carom_status see(void *self, const carom_flow_row *row, carom_error *error)
{
    motion *m = self;
    (void)error;
    double energy = row->ledger->kinetic + row->ledger->potential;
    m->first = m->rows++ ? m->first : energy;
    m->highest = fmax(m->highest, energy - m->first);
    const int p = carom_system_get_shape(carom_scene_get(m->scene)->system)->p;
    for (int i = 0; i < p; i++)
        m->pushed += row->force[i];
    return CAROM_OK;
}

/* As far as it goes: the result says how it ended. */
static inline motion run_on(const char *text)
{
    motion m = {.scene = check_scene(text)};
    const carom_scene_content *c = carom_scene_get(m.scene);
    carom_flow_options options = *c->run;
    carom_flow_observer observer = {.self = &m, .row = see};
    carom_error error = {0};
    carom_law law;
    check_ok(carom_arena_create(NULL, &m.arena, NULL), NULL);
    check_ok(carom_scene_choose_law(m.scene, NULL, &law, NULL, &error), &error);
    const carom_status status = carom_flow_run(c->system, &law, &c->initial, &options, &observer,
                                               m.arena, &m.result, &error);
    if (status != CAROM_STOPPED)
        check_ok(status, &error);
    return m;
}

static inline motion run(const char *text)
{
    motion m = run_on(text);
    assert_int_equal(m.result.end, CAROM_FLOW_REACHED);
    return m;
}

static inline double at(const motion *m, const char *name)
{
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(m->scene)->system);
    for (int i = 0; i < shape->nq; i++)
        if (strcmp(shape->coordinates[i], name) == 0)
            return m->result.q[i];
    for (int i = 0; i < shape->n; i++)
        if (strcmp(shape->velocities[i], name) == 0)
            return m->result.u[i];
    fail_msg("no %s", name);
    return NAN;
}

/* The largest change of any coordinate since the start. */
static inline double drift(const motion *m)
{
    const carom_scene_content *c = carom_scene_get(m->scene);
    const int nq = carom_system_get_shape(c->system)->nq;
    double most = 0;
    for (int i = 0; i < nq; i++)
        most = fmax(most, fabs(m->result.q[i] - c->initial.q[i]));
    return most;
}

static inline void end(motion *m)
{
    carom_scene_destroy(m->scene);
    carom_arena_destroy(m->arena);
}

#endif
