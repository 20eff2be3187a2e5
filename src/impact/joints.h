/* Joints and permanent constraints, rows C = [B A]: the kinetic projection on C'u + c_hat = 0. */
#ifndef CAROM_SRC_IMPACT_JOINTS_H
#define CAROM_SRC_IMPACT_JOINTS_H

#include "carom/impact.h"

/* Fill C, c_hat, MC, S, S_pivot, S_rank. Dependent rows must agree about their motion. */
carom_status carom_joints_make(carom_geometry *geometry, carom_arena *arena, carom_error *error);

/* x -= M^-1 C (C'M^-1 C)^+ (C'x + shift); shift NULL: 0. */
void carom_joints_project(const carom_geometry *geometry, const double *shift, double *x);

/* x = M^-1 x, without joints. */
void carom_joints_inverse_mass(const carom_geometry *geometry, double *x);

/* Relative size below which a pivot is rounding: a few units in the last place per row. */
double carom_joints_rank_tolerance(int rows);

#endif
