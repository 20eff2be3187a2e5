/* The engines that are there, and what they can run. */
#ifndef CAROM_BENCH_ENGINES_H
#define CAROM_BENCH_ENGINES_H

#include "peers/peers.h"

#include <stddef.h>

typedef struct engine {
    const char *name;
    peer_balls *balls;
    peer_box *box;
} engine;

static const engine engines[] = {
#ifdef WITH_SICONOS
    {"siconos", siconos_balls, siconos_box},
#endif
#ifdef WITH_BULLET
    {"bullet", bullet_balls, bullet_box},
#endif
#ifdef WITH_ODE
    {"ode", ode_balls, ode_box},
#endif
#ifdef WITH_BOX2D
    {"box2d", box2d_balls, box2d_box},
#endif
#ifdef WITH_CHIPMUNK
    {"chipmunk", chipmunk_balls, chipmunk_box},
#endif
#ifdef WITH_MUJOCO
    {"mujoco", mujoco_balls, mujoco_box},
#endif
#ifdef WITH_SIMBODY
    {"simbody", simbody_balls, simbody_box},
#endif
    {NULL, NULL, NULL}};

#endif
