/* The shortest forces among dependent ones that meet conditions c0 + C y >= 0. */
#ifndef CAROM_SRC_SOLVER_INSTANT_NEAREST_H
#define CAROM_SRC_SOLVER_INSTANT_NEAREST_H

#include "solver/instant_modes.h"

/* The shortest y with C y + c0 >= 0, C rows x k with leading dimension `room`; *found: there is
 * one. */
carom_status carom_instant_nearest_find(int rows, int k, const double *C, size_t room,
                                        const double *c0, carom_arena *arena, double *y,
                                        bool *found, carom_error *error);

/* Friction without bound carries a tangential force only with a normal one, and where dependent
 * contacts leave that free the shortest forces have none: its conditions, among the c0 of all, are
 * to hold by `lift`. False: there is no such contact. */
bool carom_instant_nearest_lift(const carom_instant_modes *modes, double lift, double *c0);

#endif
