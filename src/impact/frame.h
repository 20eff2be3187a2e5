/* Frame velocities: b with W'b = -w_hat (and zero slip), of least kinetic norm. */
#ifndef CAROM_SRC_IMPACT_FRAME_H
#define CAROM_SRC_IMPACT_FRAME_H

#include "carom/impact.h"

/* Fill b and b_slip. Inconsistent motions of dependent normals are an error. */
carom_status carom_frame_make(carom_geometry *geometry, carom_arena *arena, carom_error *error);

#endif
