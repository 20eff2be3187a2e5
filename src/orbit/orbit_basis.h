/* Closed contacts take directions away from a start: those that are left, V = Q C with as many
 * columns Q as are independent, so that fewer are followed along the motion. */
#ifndef CAROM_SRC_ORBIT_ORBIT_BASIS_H
#define CAROM_SRC_ORBIT_ORBIT_BASIS_H

#include "orbit/orbit_map.h"

/* Q (orthonormal) and C from the directions V of the unknowns, time included; returns the rank.
 * Where all are independent Q is V itself. */
int carom_orbit_basis_find(carom_orbit_map *map);

/* Derivatives of the end along all unknowns from those along Q: q and u (n x rank), t (rank). */
void carom_orbit_basis_expand(carom_orbit_map *map, const double *q, const double *u,
                              const double *t);

#endif
