/* Contacts struck one after the other: which approach, and in which order they can be visited. */
#ifndef CAROM_SRC_LAW_TURN_H
#define CAROM_SRC_LAW_TURN_H

#include "carom/impact.h"

/* The normal velocity of contact i at u; 0 when it does not approach in units of its terms.
 * Contacts that joints block cannot collide. */
double carom_turn_approach(const carom_geometry *geometry, const double *u, int i);

enum {
    CAROM_TURN_ALL = 5,     /* up to so many contacts every order is tried */
    CAROM_TURN_ORDERS = 120 /* 5! */
};

/* The trial-th order (from 0) of p contacts: all permutations of up to five, else rotations and
 * their reversals. False: there are no more. */
bool carom_turn_order(int p, int trial, int *order);

#endif
