/* The largest ratio of the normal kinetic energies after and before an impact v_n+ = -E v_n-, over
 * approaching velocities: max x'E'G^-1E x/x'G^-1 x, x = -v_n- >= 0 (docs/theory/certificates.md).
 */
#ifndef CAROM_SRC_CERTIFY_RATIO_H
#define CAROM_SRC_CERTIFY_RATIO_H

#include "certify/normal.h"

typedef struct carom_ratio {
    double attained; /* at x */
    double proved;   /* no approaching velocity has more; INFINITY: the work was stopped */
    double *x;       /* p, >= 0 */
} carom_ratio;

/* The two agree to 1e-9 of their value, 1e-6 where that cannot be told. start: p numbers to begin
 * with, or NULL. */
carom_status carom_ratio_find(const carom_normal *normal, const double *E, const double *start,
                              const carom_watch *watch, carom_arena *arena, carom_ratio *ratio,
                              carom_error *error);

#endif
