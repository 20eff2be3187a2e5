/* Corners of gaps under time steps: a step knows the side of the gap that it begins on. */
#ifndef CAROM_SRC_FLOW_STEP_CORNER_H
#define CAROM_SRC_FLOW_STEP_CORNER_H

#include "flow/time_stepping.h"

/* The gaps of contacts that carry an impulse as they will be at the end of the step if the normals
 * stay: g + h w'v, v the velocity that positions move with. */
void carom_step_corner_expect(carom_time_stepping *s, const double *v);

/* A contact whose gap is below that, time after time, by a part of the way itself rests in a corner
 * of its gap: a warning. A smooth gap misses it by the square of the way. */
carom_status carom_step_corner_look(carom_time_stepping *s, carom_error *error);

#endif
