/* The contacts of a statement on the way to its islands: rows that take part, scaling, islands. */
#ifndef CAROM_SRC_SOLVER_FRICTION_CONTACTS_H
#define CAROM_SRC_SOLVER_FRICTION_CONTACTS_H

#include "carom/friction.h"

typedef struct carom_friction_contacts {
    const carom_friction_problem *problem;
    int count, islands;
    int *row;        /* count + 1: rows of the statement */
    int *active;     /* count: rows that take part: one without friction */
    int *group;      /* count: island */
    int *order;      /* count: contacts sorted by island */
    int *local;      /* count: number in its island */
    int *first;      /* islands + 1: where an island begins in order */
    double *scale;   /* rows: S */
    double *own;     /* 9 for each: W_ii, active rows and columns, column-major */
    const double *q; /* rows */
    double *terms;   /* count, by bodies: the largest term of what a contact's q are sums of */
} carom_friction_contacts;

bool carom_friction_contacts_take(const carom_friction_problem *problem, carom_arena *arena,
                                  carom_friction_contacts *contacts);

bool carom_friction_contacts_bilateral(const carom_friction_problem *problem, int i);

/* The coefficient that counts: 0 for a bilateral contact and for one with a normal only. */
double carom_friction_contacts_friction(const carom_friction_problem *problem, int i);

/* Contacts i and j are of one island: called before the islands are listed. */
void carom_friction_contacts_join(carom_friction_contacts *contacts, int i, int j);

/* Number the islands by their first contacts; fill group, order, local, first. */
void carom_friction_contacts_sort(carom_friction_contacts *contacts);

/* Scales from `own`, which becomes that of A. */
void carom_friction_contacts_scale(carom_friction_contacts *contacts);

#endif
