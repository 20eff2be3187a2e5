/* Forces between events where sliding contacts have dependent columns
 * (docs/theory/event-driven.md, "Between events"). */
#ifndef CAROM_SRC_FLOW_MOTION_SINGULAR_H
#define CAROM_SRC_FLOW_MOTION_SINGULAR_H

#include "flow/motion.h"

/* Solve K x = b, b given in motion->x, by the forces nearest to the reference in kinetic units; K
 * is destroyed. False where b is not in the range of K. */
bool carom_motion_singular_solve(carom_motion *motion);

#endif
