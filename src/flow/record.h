/* What a run tells on its way and leaves behind: rows, impacts, accumulations, warnings, ledger. */
#ifndef CAROM_SRC_FLOW_RECORD_H
#define CAROM_SRC_FLOW_RECORD_H

#include "carom/flow.h"

typedef struct carom_record_block carom_record_block;
typedef struct carom_event_follow carom_event_follow; /* flow/event_follow.h */

typedef struct carom_record {
    const carom_system *system;
    const carom_system_shape *shape;
    const carom_flow_options *options;
    const carom_flow_observer *observer; /* never NULL */
    const carom_event_follow *follow;    /* NULL: nobody */
    carom_arena *arena;                  /* the caller's, for what stays */
    carom_flow_result *result;
    carom_record_block *blocks; /* impacts kept, newest block first */
    carom_flow_accumulation *accumulations;
    int accumulation_room;
    long rows;    /* told */
    double row_t; /* when the last of them was; NaN: there is none */
    carom_flow_instant *instants;
    long instant_room;
} carom_record;

carom_status carom_record_create(const carom_system *system, const carom_flow_options *options,
                                 const carom_flow_observer *observer, carom_arena *arena,
                                 carom_flow_result *result, carom_record *record,
                                 carom_error *error);

/* 1/2 u'Mu and 1/2 u'Mu + V of a state with mass and energy evaluated. */
double carom_record_kinetic(const carom_system_shape *shape, const carom_state *state);
double carom_record_energy(const carom_system_shape *shape, const carom_state *state);

/* Bring the ledger up to date with its kinetic and potential energy. */
void carom_record_settle(carom_record *record);

/* The same with the energy of the state, and what there is beside it. */
void carom_record_balance(carom_record *record, const carom_state *state);
void carom_record_balance_with(carom_record *record, const carom_state *state, double kinetic,
                               double potential);

carom_status carom_record_row(carom_record *record, const carom_flow_row *row, carom_error *error);
carom_status carom_record_impact(carom_record *record, const carom_flow_impact *impact,
                                 carom_error *error);
carom_status carom_record_accumulation(carom_record *record, const carom_flow_accumulation *a,
                                       carom_error *error);

/* Tell of the contacts whose mode is no longer the one in `was` (p), and bring that up to date. */
carom_status carom_record_changes(carom_record *record, double t, unsigned char *was,
                                  const unsigned char *mode, carom_error *error);

/* Is the row of the end still to be told? A motion that was stopped has one, too, where it was
 * stopped. */
bool carom_record_lacks_end(const carom_record *record, carom_status status, double t);

carom_status carom_record_instant(carom_record *record, const carom_flow_instant *instant,
                                  carom_error *error);
carom_status carom_record_warn(carom_record *record, double t, carom_error *error,
                               const char *format, ...) CAROM_PRINTF(4, 5);
carom_status carom_record_progress(carom_record *record, double t, carom_error *error);

/* Set how the run ends; returns CAROM_STOPPED. */
carom_status carom_record_stop(carom_record *record, carom_flow_end end, const char *format, ...)
    CAROM_PRINTF(3, 4);

/* The name of a contact for messages: its own or its number. buffer: 32 characters. */
const char *carom_record_contact(const carom_record *record, int contact, char *buffer);

/* Fill the arrays of the result. */
carom_status carom_record_finish(carom_record *record, const carom_state *state,
                                 carom_error *error);

#endif
