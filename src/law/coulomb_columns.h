/* The columns Y = M_c^-1 J of a frictional impact within joints, with twice the digits. */
#ifndef CAROM_SRC_LAW_COULOMB_COLUMNS_H
#define CAROM_SRC_LAW_COULOMB_COLUMNS_H

#include "law/coulomb.h"

/* Replace Y by its first part and fill in the second, `low`; J and Y of the problem are known. */
carom_status carom_coulomb_columns(const carom_geometry *geometry, carom_arena *arena,
                                   carom_coulomb *problem, carom_error *error);

#endif
