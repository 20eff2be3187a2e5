/* A guess at the modes of contacts at one instant. */
#ifndef CAROM_SRC_SOLVER_INSTANT_GUESS_H
#define CAROM_SRC_SOLVER_INSTANT_GUESS_H

#include "solver/instant.h"

/* Probable modes (p); u: N numbers of work space. */
void carom_instant_guess(const carom_instant *problem, double *u, unsigned char *mode);

/* Again: those that the forces and velocities of the last modes point to; false when they are the
 * same. */
bool carom_instant_guess_again(const carom_instant *problem, const double *r, const double *u,
                               unsigned char *mode);

#endif
