/* Frame velocities: b with W'b = -w_hat (and zero slip), of least kinetic norm. */
#ifndef CAROM_SRC_IMPACT_FRAME_H
#define CAROM_SRC_IMPACT_FRAME_H

#include "carom/impact.h"

/* Are so many motions none? NULL: they are. */
static inline bool carom_frame_rests(const double *motion, int count)
{
    for (int k = 0; motion && k < count; k++)
        if (motion[k] != 0)
            return false;
    return true;
}

/* Fill b and b_slip where something moves. Inconsistent motions of dependent normals are an error.
 */
carom_status carom_frame_make(carom_geometry *geometry, carom_arena *arena, carom_error *error);

#endif
