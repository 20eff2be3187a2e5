/* The engines that are there, and what they can run; one with a choice of solvers has several
 * lines, its default first. */
#ifndef CAROM_BENCH_ENGINES_H
#define CAROM_BENCH_ENGINES_H

#include "peers/peers.h"

#include <stddef.h>

typedef struct peer_engine {
    const char *name;
    const char *balls_variant, *box_variant; /* which of its solvers */
    peer_balls *balls;
    peer_box *box;
} peer_engine;

static const peer_engine engines[] = {
#ifdef WITH_SICONOS
    {"siconos", "lemke", "lemke", siconos_balls, siconos_box},
    {"siconos", "newton", "nsgs", siconos_balls_newton, siconos_box_nsgs},
#endif
#ifdef WITH_BULLET
    {"bullet", "step", "step", bullet_balls, bullet_box},
#endif
#ifdef WITH_ODE
    {"ode", "step", "step", ode_balls, ode_box},
#endif
#ifdef WITH_BOX2D
    {"box2d", "step", "step", box2d_balls, box2d_box},
#endif
#ifdef WITH_CHIPMUNK
    {"chipmunk", "step", "step", chipmunk_balls, chipmunk_box},
#endif
#ifdef WITH_MUJOCO
    {"mujoco", "step", "step", mujoco_balls, mujoco_box},
#endif
#ifdef WITH_SIMBODY
    {"simbody", "step", "step", simbody_balls, simbody_box},
#endif
    {.name = NULL}};

#endif
