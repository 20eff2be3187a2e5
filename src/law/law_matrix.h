/* What the law `matrix` shares with `implicit`. */
#ifndef CAROM_SRC_LAW_LAW_MATRIX_H
#define CAROM_SRC_LAW_LAW_MATRIX_H

#include "carom/law.h"

/* Modes from velocities: open without impulse, else stick or slip by the slip velocity after. */
carom_status carom_law_matrix_modes(const carom_geometry *geometry, carom_arena *arena,
                                    carom_outcome *outcome, carom_error *error);

/* What v_n+ = -E v_n- promises: `E`, `epsilon` or the contacts' coefficients. */
carom_status carom_law_matrix_promise(const carom_law *law, const carom_geometry *geometry,
                                      carom_arena *arena, carom_promise *promise,
                                      carom_error *error);

#endif
