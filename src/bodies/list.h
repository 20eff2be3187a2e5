/* The contacts of a system of bodies that have a name from the start (docs/theory/bodies.md). */
#ifndef CAROM_SRC_BODIES_LIST_H
#define CAROM_SRC_BODIES_LIST_H

#include "carom/bodies.h"

struct carom_bodies;

/* How the contacts of two shapes are found. */
typedef enum carom_listing {
    CAROM_LISTING_VERTICES, /* a half-space and the vertices of the other, each a contact */
    CAROM_LISTING_NEAREST,  /* a ball and something convex: one contact, the nearest points */
    CAROM_LISTING_MANIFOLD  /* whatever the features make: places are taken and left */
} carom_listing;

/* A pair of parts with its places in the list. */
typedef struct carom_listed {
    int one, two;
    carom_listing how;
    int first, count; /* places */
} carom_listed;

typedef struct carom_list {
    carom_listed *pair;
    int pair_count, count; /* pairs, places */
    bool whole;            /* all pairs that may touch are in it */
    bool cut;              /* more touch at the start than can be listed */
    uint64_t *name;        /* of places: features that have it */
    unsigned char *taken;  /* of places: at the state looked at last */
    int *contact;          /* of places: number of the contact there, -1: none */
    double *away;          /* of places: a bound of the gap where there is no contact */
    carom_touch *touch;    /* work */
    int *place;            /* work */
    carom_arena *arena;    /* contacts of the state looked at last */
    const carom_bodies_contact *found;
    double *seen; /* nq: the coordinates looked at last */
    double seen_at;
    bool known; /* `seen` and `seen_at` are those of `found` */
} carom_list;

/* Which contacts are listed: all that the pairs of shapes can have, when these are few; else those
 * of pairs that are near each other at the start, when those are; else those of pairs that touch
 * there; else none. */
carom_status carom_list_make(struct carom_bodies *bodies, carom_error *error);
void carom_list_drop(struct carom_bodies *bodies);

/* Properties and name of the contact at a place. */
carom_status carom_list_describe(const struct carom_bodies *bodies, int place, carom_arena *arena,
                                 carom_contact *contact, carom_error *error);

/* All contacts of the list at the state to which the links were moved. Afterwards they move with u.
 * claim: features that are new have their place from now on, as in a motion; false: this is only a
 * look, after which the motion goes on as it would without. */
carom_status carom_list_look(struct carom_bodies *bodies, const double *u, bool claim,
                             carom_error *error);

/* A motion begins: places are free again, so that its names do not depend on what was run before.
 */
void carom_list_forget(struct carom_bodies *bodies);

/* The places of contacts that were found at a state, in their order; -1: not listed. Features that
 * are new have theirs from now on. */
void carom_list_places(struct carom_bodies *bodies, const carom_bodies_contacts *found, int *place);

#endif
