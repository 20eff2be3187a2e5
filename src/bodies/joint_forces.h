/* Forces of joints on their own coordinates. */
#ifndef CAROM_SRC_BODIES_JOINT_FORCES_H
#define CAROM_SRC_BODIES_JOINT_FORCES_H

#include "bodies/bodies.h"

/* Add springs, dampers and motors to h (n), and dampers and motors alone to applied (n, or NULL).
 * Returns their power. */
double carom_joint_forces(const carom_bodies *bodies, double t, const double *q, const double *u,
                          double *h, double *applied);

/* The energy of the springs. */
double carom_joint_springs(const carom_bodies *bodies, const double *q);

#endif
