/* A system made of formulas, compiled. */
#ifndef CAROM_SRC_SYSTEM_FORMULAS_MODEL_H
#define CAROM_SRC_SYSTEM_FORMULAS_MODEL_H

#include "expr/tape_range.h"
#include "system/formulas.h"

/* Entry `index` of array `field` is the number in this slot of the tape. */
typedef struct carom_formulas_value {
    uint32_t slot;
    uint16_t field;
    bool constant;        /* it has no derivatives */
    uint32_t row, column; /* of a matrix of n rows */
    size_t index;
} carom_formulas_value;

/* A tape, and where its numbers go: sorted by the CAROM_WANT_ bit they belong to. */
typedef struct carom_formulas_tape {
    carom_tape *tape;
    carom_formulas_value *values;
    size_t start[CAROM_FORMULAS_WANT_BITS + 1];
    bool mass_is_diagonal; /* M's entries are numbered 0 ... n - 1 */
} carom_formulas_tape;

typedef struct carom_formulas_model {
    carom_arena *arena;
    int n, p, s, m, a, guard_count, event_count, parameter_count;
    carom_formulas_tape plain; /* parameters are numbers: every value comes from here */
    carom_formulas_tape open;  /* parameters are variables: derivatives come from here; without
                                  them its tape is that of `plain` */
    bool keeps_parameters;
    int switch_count;              /* of `open` where it keeps parameters, else of `plain` */
    int *set_start;                /* event_count + 1 */
    int *targets;                  /* of each assignment: a coordinate, or n + a velocity */
    double *assigned;              /* their values */
    const carom_formulas_tape *on; /* of the last differentiation */
    double *tangents;              /* of its slots */
    size_t tangent_room;           /* doubles there */
    double *sharp;                 /* the same, NaN at kinks, for events and what they set */
    size_t sharp_room;
    int k;               /* directions of the last differentiation */
    carom_range *ranges; /* of the slots of `plain`, then n of q and n of u; NULL: flights are no
                            parabolas, or gaps are */
    carom_formulas_places places;
} carom_formulas_model;

/* The functions of the table of systems that have to do with derivatives. */
carom_status carom_formulas_model_differentiate(void *self, unsigned want, const carom_state *state,
                                                const carom_directions *directions,
                                                carom_error *error);
void carom_formulas_model_tangents(void *self, carom_tangents *tangents);
void carom_formulas_model_reset_tangents(void *self, int event, double *q, double *u);

/* Where formulas switch, and how these functions change. */
carom_status carom_formulas_model_switching(void *self, const carom_state *state,
                                            const carom_directions *directions, double *value,
                                            double *change, carom_error *error);

/* What the wanted parts are formulas of. */
void carom_formulas_model_depends(void *self, unsigned want, unsigned char *q, unsigned char *u,
                                  unsigned char *t);

/* Bounds of the second derivatives of gaps on a flight, by intervals. */
bool carom_formulas_model_curvature(void *self, const carom_flight *flight, double *low);

#endif
