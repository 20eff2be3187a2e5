/* Worlds of bodies made into systems, for the tests of both. */
#ifndef CAROM_TESTS_BODIES_SYSTEM_CASE_H
#define CAROM_TESTS_BODIES_SYSTEM_CASE_H

#include "bodies/bodies.h"
#include "system/formula_case.h"

static inline made make_bodies(const carom_world_def *world)
{
    made m;
    carom_error error = {0};
    check_ok(carom_system_bodies(world, NULL, &m.system, NULL, &error), &error);
    check_ok(carom_arena_create(NULL, &m.arena, &error), &error);
    check_ok(carom_state_create(m.system, m.arena, &m.state, &error), &error);
    carom_bodies_start(carom_bodies_of(m.system), m.state.q, m.state.u);
    return m;
}

static inline carom_body_def body(const char *name, double mass, double moment, double x, double y)
{
    carom_body_def b = carom_body_def_default(name);
    b.mass.mass = mass;
    for (int k = 0; k < 3; k++)
        b.mass.inertia[4 * k] = moment;
    b.position[0] = x;
    b.position[1] = y;
    b.turn[0] = 0;
    return b;
}

static inline carom_body_def spatial(const char *name, double x, double y, double z)
{
    carom_body_def b = body(name, 1.5, 0.3, x, y);
    b.position[2] = z;
    b.turn[0] = 1;
    b.mass.inertia[4] = 0.25;
    b.mass.inertia[1] = b.mass.inertia[3] = 0.05;
    b.mass.centre[0] = 0.1;
    return b;
}

#endif
