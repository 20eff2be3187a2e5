/* The equation of periodic motions, P(z) - z = 0, and its derivative. */
#ifndef CAROM_SRC_ORBIT_ORBIT_NEWTON_H
#define CAROM_SRC_ORBIT_ORBIT_NEWTON_H

#include "orbit/orbit_map.h"

typedef struct carom_orbit_newton {
    carom_orbit_problem problem; /* with the tolerance that orbits need */
    carom_orbit_map map;
    carom_arena *work;
    int size;
    int *image;        /* 2n + 1: component of the start that component i of the end is compared
                          with */
    double *r;         /* size: residual */
    double *A;         /* size x size: derivative of the return map */
    double *slope;     /* size: of the residual with the parameter */
    double *LU, *move; /* size x size, size */
    double *best;      /* 2n + 1: the last good start */
    int *pivot;
    double norm;
} carom_orbit_newton;

/* The struct must stay where it is while it is used. End with carom_arena_destroy(w->work), also
 * after an error. */
carom_status carom_orbit_newton_create(carom_orbit_newton *w, const carom_orbit_problem *problem,
                                       carom_arena *arena, carom_error *error);

/* Without a period the equations must not depend on time. */
carom_status carom_orbit_newton_check(carom_orbit_newton *w, carom_error *error);

/* Once the number of section points is known: how the end is compared with the start. */
void carom_orbit_newton_compose(carom_orbit_newton *w);

/* Residual and derivatives from the image just computed by the map. */
void carom_orbit_newton_assemble(carom_orbit_newton *w);

/* Newton's step into w->move; false: singular. */
bool carom_orbit_newton_step(carom_orbit_newton *w);

/* Into the answer: multipliers; state, period, segments, z, jacobian, slope. */
carom_status carom_orbit_newton_multipliers(carom_orbit_newton *w, carom_orbit *orbit,
                                            carom_arena *arena, carom_error *error);
carom_status carom_orbit_newton_fill(carom_orbit_newton *w, carom_orbit *orbit, carom_arena *arena,
                                     carom_error *error);

#endif
