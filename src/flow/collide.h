/* One impact in motion: the touching contacts of an evaluated state, put to the law. */
#ifndef CAROM_SRC_FLOW_COLLIDE_H
#define CAROM_SRC_FLOW_COLLIDE_H

#include "flow/motion.h"
#include "flow/record.h"

typedef struct carom_collide {
    const carom_law *law;
    bool calm; /* given: the next impacts are without rebound, whatever the law */
    carom_arena *scratch;
    /* answer */
    int count;
    int *contacts;              /* p, those that took part */
    double *before;             /* n */
    double *impulse;            /* p */
    double *tangent;            /* s, tangential impulses by slip column of those contacts */
    double *loss;               /* p, energy change by contact taking part */
    const char *name;           /* of the law */
    double change;              /* of the energy, as the law has it */
    double gain;                /* the same as seen from the contacts */
    int *group;                 /* n, of velocities coupled by mass, joints and touching contacts */
    unsigned char *struck;      /* n, by group: a contact in it approaches */
    const unsigned char *apex;  /* given: p, contacts with spread that are in their apex */
    const unsigned char *holds; /* given: groups of the region that hold; NULL: there is none */
    /* statement */
    double *W, *w_hat, *H, *slip_motion, *spread;
    carom_contact *properties;
} carom_collide;

/* How a contact touches: it may have struck a moment ago and leave already, its gap still below
 * what positions resolve. Then it is no part of an impact of others until it approaches again. */
enum { CAROM_COLLIDE_TOUCHES = 1, CAROM_COLLIDE_PARTS = 2 };

carom_status carom_collide_create(const carom_law *law, const carom_system_shape *shape,
                                  carom_arena *arena, carom_arena *scratch, carom_collide *collide,
                                  carom_error *error);

/* Replace state.u by the velocity after the impact of the contacts flagged in `touching`: of those
 * that are coupled, by a body, a joint or further touching contacts, with one that approaches
 * faster than slow[i]. The others are no part of it. Returns CAROM_STOPPED when the law has no
 * outcome, and says so in the record. */
carom_status carom_collide_apply(carom_collide *collide, carom_motion *motion,
                                 const unsigned char *touching, const double *slow,
                                 carom_record *record, carom_error *error);

#endif
