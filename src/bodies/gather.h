/* Contacts of a state, one after the other, in an arena. */
#ifndef CAROM_SRC_BODIES_GATHER_H
#define CAROM_SRC_BODIES_GATHER_H

#include "bodies/bodies.h"

typedef struct carom_gather {
    carom_bodies *bodies;
    carom_arena *arena;
    carom_bodies_contact *contact;
    int count, room;
    double *row; /* n, zero between uses */
} carom_gather;

/* Nothing yet. The links are where carom_bodies_move put them, and stay there. */
carom_gather carom_gather_begin(carom_bodies *bodies, carom_arena *arena);

/* Where a part is in space. */
void carom_gather_place(const carom_bodies *bodies, carom_part *part);

/* Add the contact of parts one and two at the points that touch. False: no memory. */
bool carom_gather_add(carom_gather *g, int one, int two, const carom_touch *touch);

/* Rates and biases of all that were added, when that is complete. Afterwards the links move with u.
 */
void carom_gather_motion(carom_gather *g, const double *u);

#endif
