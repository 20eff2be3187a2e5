/* Names of coordinates, velocities, stops and loops. */
#ifndef CAROM_SRC_BODIES_BODIES_NAMES_H
#define CAROM_SRC_BODIES_BODIES_NAMES_H

#include "bodies/bodies.h"

typedef struct carom_bodies_names {
    const char **coordinates, **velocities, **loops; /* nq, n, loop_rows */
    carom_contact *stops; /* those of joints and ropes, then the listed ones, with names */
} carom_bodies_names;

carom_status carom_bodies_names_make(const carom_bodies *bodies, const carom_world_def *world,
                                     carom_arena *arena, carom_bodies_names *names,
                                     carom_error *error);

#endif
