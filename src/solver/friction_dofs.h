/* Coordinates of the bodies of a friction problem, which may say nothing of them: then each has
 * six. */
#ifndef CAROM_SRC_SOLVER_FRICTION_DOFS_H
#define CAROM_SRC_SOLVER_FRICTION_DOFS_H

#include "carom/friction.h"

static inline int carom_friction_dofs(const carom_friction_bodies *bodies, int j)
{
    return bodies->dof ? bodies->dof[j] : 6;
}

/* Where the coordinates of each body begin (count + 1). Returns the most that a body has. */
static inline int carom_friction_dofs_start(const carom_friction_bodies *bodies, int *first)
{
    int most = 0;
    first[0] = 0;
    for (int j = 0; j < bodies->count; j++) {
        const int dof = carom_friction_dofs(bodies, j);
        first[j + 1] = first[j] + dof;
        most = dof > most ? dof : most;
    }
    return most;
}

#endif
