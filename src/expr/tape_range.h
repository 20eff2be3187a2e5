/* Ranges of the values of a tape over a box: interval arithmetic, rounded outwards
 * (docs/theory/event-driven.md, "Flights"). */
#ifndef CAROM_SRC_EXPR_TAPE_RANGE_H
#define CAROM_SRC_EXPR_TAPE_RANGE_H

#include "expr/tape.h"

typedef struct carom_range {
    double low, high;
} carom_range;

/* Where t, q and u are. */
typedef struct carom_tape_box {
    carom_range t;
    const carom_range *q, *u;
} carom_tape_box;

/* Room that carom_tape_ranges needs, in ranges. */
size_t carom_tape_ranges_room(const carom_tape *tape);

/* A range for every slot of the groups. False: somewhere in the box a formula may have a corner or
 * a jump (`abs`, `min`, `sign`, comparisons), or no bound, and the ranges mean nothing. */
bool carom_tape_ranges(carom_tape *tape, unsigned groups, const carom_tape_box *box,
                       carom_range *ranges);

#endif
