/* Time to evaluate trees of 30 revolute joints: a chain, and one with branches. */
#include "carom/bodies.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>

enum { LINKS = 30 };

typedef struct task {
    carom_system *system;
    carom_state state;
    unsigned want;
} task;

static void run(void *self)
{
    task *t = self;
    carom_system_evaluate(t->system, t->want, &t->state, NULL);
}

static void report(const char *name, const char *what, task *t, unsigned want)
{
    t->want = want;
    measure_result r = measure(run, t);
    printf("%-10s %-28s %7.2f us best, %7.2f us median\n", name, what, 1e6 * r.best,
           1e6 * r.median);
}

static void measure_tree(const char *name, int branching)
{
    carom_body_def bodies[LINKS];
    carom_joint_def joints[LINKS];
    task t;
    carom_arena *arena;
    for (int k = 0; k < LINKS; k++) {
        bodies[k] = carom_body_def_default(NULL);
        bodies[k].position[0] = k;
        bodies[k].mass = (carom_mass){1, {0.5, 0, 0}, {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.2}};
        joints[k] = carom_joint_def_default(NULL, CAROM_JOINT_REVOLUTE);
        joints[k].child = k;
        joints[k].parent = k == 0 ? CAROM_WORLD : branching > 1 ? (k - 1) / branching : k - 1;
        joints[k].at[0] = k;
        joints[k].axis[k % 3] = 1;
        joints[k].initial[0] = 0.1 * sin(k);
    }
    carom_world_def world = carom_world_def_default(3);
    world.gravity[2] = -9.81;
    world.body_count = world.joint_count = LINKS;
    world.bodies = bodies;
    world.joints = joints;
    carom_system_bodies(&world, NULL, &t.system, NULL, NULL);
    carom_arena_create(NULL, &arena, NULL);
    carom_state_create(t.system, arena, &t.state, NULL);
    carom_bodies_start(carom_bodies_of(t.system), t.state.q, t.state.u);
    report(name, "places and M", &t, CAROM_WANT_MASS);
    report(name, "places, velocities and h", &t, CAROM_WANT_FORCES);
    report(name, "M and h", &t, CAROM_WANT_MASS | CAROM_WANT_FORCES);
    carom_arena_destroy(arena);
    carom_system_destroy(t.system);
}

int main(void)
{
    measure_tree("chain", 1);
    measure_tree("branches", 2);
    return 0;
}
