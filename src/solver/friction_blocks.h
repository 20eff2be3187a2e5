/* W given as a dense matrix or in blocks: the blocks that are not zero, and islands' A from them.
 */
#ifndef CAROM_SRC_SOLVER_FRICTION_BLOCKS_H
#define CAROM_SRC_SOLVER_FRICTION_BLOCKS_H

#include "solver/friction_contacts.h"
#include "solver/friction_layout.h"

/* W by rows of blocks where they are in the statement. */
typedef struct carom_friction_blocks_view {
    int *start;           /* contacts + 1 */
    int *column;          /* contact of each block */
    const double **value; /* block k is value[k] with leading dimension ld[i] of its row i */
    int *ld;              /* contacts */
} carom_friction_blocks_view;

/* List the blocks, join the contacts they connect, copy the diagonal blocks. Two blocks of one pair
 * are CAROM_ERROR_ARGUMENT. */
carom_status carom_friction_blocks_read(carom_friction_contacts *contacts, carom_arena *arena,
                                        carom_friction_blocks_view *view, carom_error *error);

/* A of every island, scaled. */
carom_status carom_friction_blocks_fill(const carom_friction_contacts *contacts,
                                        const carom_friction_blocks_view *view, carom_arena *arena,
                                        carom_friction_layout *layout, carom_error *error);

#endif
