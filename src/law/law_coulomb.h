/* The Coulomb law with data of the caller's choice: one common problem for contacts of mixed laws.
 */
#ifndef CAROM_SRC_LAW_LAW_COULOMB_H
#define CAROM_SRC_LAW_LAW_COULOMB_H

#include "law/coulomb.h"

/* State, solve, and write all solutions to the outcome. */
carom_status carom_law_coulomb_solve(const carom_geometry *geometry, const carom_coulomb_data *data,
                                     carom_arena *arena, carom_outcome *outcome,
                                     carom_error *error);

#endif
