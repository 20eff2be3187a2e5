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

/* How the forces of joints answer a change of their own velocity over a step h: what they lose of
 * its impulse, -h (dF/du + h/2 dF/dq)/2, is written to `give` (n), zero where they gain. q, u: the
 * middle of the step; they are moved to ask the motors, and put back. */
void carom_joint_give(const carom_bodies *b, double t, double h, double *q, double *u,
                      double *give);

#endif
