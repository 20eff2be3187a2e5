/* A system stated in formulas, between the text and the tape (docs/theory/lagrange.md). */
#ifndef CAROM_SRC_SYSTEM_FORMULAS_H
#define CAROM_SRC_SYSTEM_FORMULAS_H

#include "carom/formulas.h"
#include "expr/derivative.h"
#include "expr/scope.h"
#include "expr/tape.h"

/* The arrays of a state that are filled. */
typedef enum carom_formulas_field {
    CAROM_FIELD_M,
    CAROM_FIELD_H_FORCE,
    CAROM_FIELD_G,
    CAROM_FIELD_W,
    CAROM_FIELD_W_HAT,
    CAROM_FIELD_G_BIAS,
    CAROM_FIELD_H_SLIP,
    CAROM_FIELD_SLIP_MOTION,
    CAROM_FIELD_SLIP_BIAS,
    CAROM_FIELD_F,
    CAROM_FIELD_B,
    CAROM_FIELD_B_HAT,
    CAROM_FIELD_B_BIAS,
    CAROM_FIELD_A,
    CAROM_FIELD_A_HAT,
    CAROM_FIELD_A_BIAS,
    CAROM_FIELD_KINETIC,
    CAROM_FIELD_POTENTIAL,
    CAROM_FIELD_POWER,
    CAROM_FIELD_SPREAD,
    CAROM_FIELD_SPREAD_MOTION,
    CAROM_FIELD_SPREAD_BIAS,
    CAROM_FIELD_SPREAD_VALUE,
    CAROM_FIELD_APEX,
    CAROM_FIELD_GUARD,
    CAROM_FIELD_EVENT,
    CAROM_FIELD_EVENT_IF,
    CAROM_FIELD_RESET,  /* entry: number of the assignment */
    CAROM_FIELD_SWITCH, /* functions at whose zeros the equations of motion are not smooth */
    CAROM_FIELD_COUNT
} carom_formulas_field;

/* What a field is to the equations of motion. */
typedef enum carom_formulas_kind {
    CAROM_KIND_ROW, /* rows and their motions */
    CAROM_KIND_MASS,
    CAROM_KIND_FORCE,
    CAROM_KIND_BIAS,  /* of rows */
    CAROM_KIND_POWER, /* of forces and moving constraints */
    CAROM_KIND_VALUE  /* enters no acceleration */
} carom_formulas_kind;

carom_formulas_kind carom_formulas_kind_of(carom_formulas_field field);

/* What events set, and where formulas switch, is computed apart from everything else. */
enum {
    CAROM_FORMULAS_EVENTS_BIT = 10,
    CAROM_FORMULAS_RESETS_BIT = 11,
    CAROM_FORMULAS_SWITCHES_BIT = 12,
    CAROM_FORMULAS_WANT_BITS = 13,
    CAROM_FORMULAS_WANT_RESETS = 1 << CAROM_FORMULAS_RESETS_BIT,
    CAROM_FORMULAS_WANT_SWITCHES = 1 << CAROM_FORMULAS_SWITCHES_BIT
};

/* Entry `index` of a field is this node, wanted with this CAROM_WANT_ bit. */
typedef struct carom_formulas_entry {
    carom_node node;
    uint16_t want, field;
    size_t index;
} carom_formulas_entry;

/* Where things were stated, for messages. */
typedef struct carom_formulas_places {
    carom_place kinetic, potential;
    carom_place *forces;                             /* n: of the force, else of the potential */
    carom_place *gaps, *slips, *joints, *rollings;   /* p, s, m, a */
    carom_place *guards, *events, *event_ifs, *sets; /* of each */
} carom_formulas_places;

/* What an event sets: coordinate i is target i, its velocity n + i. */
typedef struct carom_formulas_set {
    int target;
    carom_node node;
} carom_formulas_set;

/* All formulas, parsed. In the scope's arena. */
typedef struct carom_formulas_read {
    carom_scope *scope;
    const carom_source *names; /* n coordinates, borrowed */
    int n, p, s, m, a, spread;
    carom_node T, V;         /* sums */
    carom_node *Q;           /* n, forces */
    carom_node *gaps;        /* p */
    carom_node *spreads;     /* spread: rows applied to velocities, or functions of position */
    carom_node *apexes;      /* p: |s|, zero without spread of position */
    carom_node *slips;       /* s */
    carom_node *joints;      /* m */
    carom_node *rollings;    /* a */
    carom_contact *contacts; /* p, slip_count set */
    int guard_count;
    int *guard_of;      /* p, -1: none */
    carom_node *guards; /* guard_count */
    int event_count;
    carom_system_event *events;
    carom_node *event_at, *event_if; /* event_count; without a guard 1 */
    int *set_start;                  /* event_count + 1, into sets */
    carom_formulas_set *sets;
    carom_formulas_places places;
} carom_formulas_read;

/* Parse and check the statement; arrays from `arena`. values: the parameters' values, which then
 * stay variables, and the statement was checked before; NULL: they are read from their formulas. */
carom_status carom_formulas_parse(const carom_formulas *statement, const double *values,
                                  carom_scope *scope, carom_arena *arena, carom_formulas_read *read,
                                  carom_error *error);

/* The values of the parameters, from their formulas, in the arena. */
carom_status carom_formulas_values(const carom_formulas *statement, carom_arena *arena,
                                   double **values, carom_error *error);

/* The part of it that reads events and guards of contacts. */
carom_status carom_formulas_events(const carom_formulas *statement, carom_scope *scope,
                                   carom_formulas_read *read, carom_error *error);

/* The derived system. */
typedef struct carom_formulas_derived {
    carom_allocator allocator;
    carom_formulas_entry *entries; /* from the allocator */
    size_t count, capacity;
    bool failed; /* no memory */
    bool mass_is_diagonal, mass_is_constant;
    bool forces_are_constant, power_is_zero, rows_are_constant, rows_are_timeless;
    int switch_count;
} carom_formulas_derived;

/* Derive all entries. derived->entries is to be freed also after an error. */
carom_status carom_formulas_derive(const carom_formulas_read *read, carom_formulas_derived *derived,
                                   carom_error *error);

/* Where the equations of motion among the derived entries are not smooth: at the zeros of `count`
 * functions, in the scope's arena. */
carom_status carom_formulas_switches(const carom_formulas_read *read,
                                     const carom_formulas_derived *derived, carom_node **nodes,
                                     int *count, carom_error *error);

/* Both, in a scope of their own. */
typedef struct carom_formulas_opened {
    carom_formulas_read read;
    carom_formulas_derived derived;
} carom_formulas_opened;

/* Parse and derive the statement; `values` as for carom_formulas_parse. */
carom_status carom_formulas_open(const carom_formulas *statement, const double *values,
                                 carom_arena *arena, carom_formulas_opened *opened,
                                 carom_error *error);

/* Give back the scope and the derived entries; what is in the arena stays. */
void carom_formulas_close(carom_formulas_opened *opened);

#endif
