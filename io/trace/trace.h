/* Traces from inside: the columns of a row, and where they go: two kinds of file, or memory. */
#ifndef CAROM_SRC_SCENE_TRACE_H
#define CAROM_SRC_SCENE_TRACE_H

#include "carom/trace.h"

#include <stdint.h>

/* The tables of a trace, in the order they are written. */
typedef enum carom_trace_part {
    CAROM_TRACE_T,
    CAROM_TRACE_POSITION,
    CAROM_TRACE_VELOCITY,
    CAROM_TRACE_GAP,
    CAROM_TRACE_FORCE,
    CAROM_TRACE_FRICTION,
    CAROM_TRACE_MODE,
    CAROM_TRACE_ENERGY,
    CAROM_TRACE_DRAW,
    CAROM_TRACE_AT,
    CAROM_TRACE_POSE,
    CAROM_TRACE_ROW_PARTS, /* the parts above make a row, those below an impact */
    CAROM_TRACE_IMPACT_T = CAROM_TRACE_ROW_PARTS,
    CAROM_TRACE_IMPACT_ENERGY,
    CAROM_TRACE_IMPACT_POSITION,
    CAROM_TRACE_IMPACT_BEFORE,
    CAROM_TRACE_IMPACT_AFTER,
    CAROM_TRACE_IMPULSE,
    CAROM_TRACE_IMPACT_DRAW,
    CAROM_TRACE_IMPACT_KICK,
    CAROM_TRACE_IMPACT_AT,
    CAROM_TRACE_IMPACT_POSE,
    CAROM_TRACE_INSTANT_T, /* ... these an event of the system, */
    CAROM_TRACE_INSTANT_EVENT,
    CAROM_TRACE_INSTANT_POSITION_BEFORE,
    CAROM_TRACE_INSTANT_BEFORE,
    CAROM_TRACE_INSTANT_POSITION,
    CAROM_TRACE_INSTANT_AFTER,
    CAROM_TRACE_INSTANT_DRAW_BEFORE,
    CAROM_TRACE_INSTANT_DRAW,
    CAROM_TRACE_ACCUMULATION, /* this an accumulation, */
    CAROM_TRACE_CHANGE,       /* and this a change of mode */
    CAROM_TRACE_PARTS
} carom_trace_part;

/* What is added to a trace at once: the parts from `first` up to `end`. */
typedef enum carom_trace_kind {
    CAROM_TRACE_KIND_ROW,
    CAROM_TRACE_KIND_IMPACT,
    CAROM_TRACE_KIND_INSTANT,
    CAROM_TRACE_KIND_ACCUMULATION,
    CAROM_TRACE_KIND_CHANGE,
    CAROM_TRACE_KINDS
} carom_trace_kind;

extern const struct carom_trace_span {
    carom_trace_part first, end;
} carom_trace_spans[CAROM_TRACE_KINDS];

enum { CAROM_TRACE_ENERGIES = 9, CAROM_TRACE_ACCUMULATIONS = 6, CAROM_TRACE_CHANGES = 4 };
extern const char *const carom_trace_accumulations[CAROM_TRACE_ACCUMULATIONS];
extern const char *const carom_trace_changes[CAROM_TRACE_CHANGES];
extern const char *const carom_trace_paths[CAROM_TRACE_PARTS]; /* in an HDF5 file */

struct carom_trace_writer {
    carom_arena *arena;
    carom_trace_header header;
    const carom_system_shape *shape;
    const char *path;
    int width[CAROM_TRACE_PARTS];                /* columns of each part */
    const char *const *names[CAROM_TRACE_PARTS]; /* of the columns */
    const char *energy_names[CAROM_TRACE_ENERGIES];
    double *values[CAROM_TRACE_PARTS];      /* the row or impact being written */
    double *moved;                          /* coordinates beside those of an impact */
    const char *shapes, *contacts, *bodies; /* JSON */
    const char *const *events;              /* names of the events of the system */
    uint64_t hash;
    const struct carom_trace_file *file; /* NULL: none */
    void *self;                          /* the open file */
    carom_trace *kept;                   /* where a trace in memory goes */
    long most;                           /* rows and impacts it may have, 0: all */
};

/* A kind of file. */
typedef struct carom_trace_file {
    carom_status (*create)(carom_trace_writer *writer, bool force, carom_error *error);
    /* Write the values of the row, the impact and so on. */
    carom_status (*add)(carom_trace_writer *writer, carom_trace_kind kind, carom_error *error);
    carom_status (*finish)(carom_trace_writer *writer, const carom_flow_result *result,
                           carom_error *error);
    carom_status (*read)(const char *path, carom_trace *trace, carom_error *error);
} carom_trace_file;

extern const carom_trace_file carom_trace_hdf5;
extern const carom_trace_file carom_trace_csv;
extern const carom_trace_file carom_trace_memory; /* no file: it cannot be read */

/* What is in the writer's values goes to the hash and the file. */
carom_status carom_trace_add(carom_trace_writer *writer, carom_trace_kind kind, carom_error *error);

/* trace_describe.c. Texts and widths of the parts that follow from the scene: shapes, contacts that
 * say where they are; and the numbers of those places at one moment. */
carom_status carom_trace_describe_shapes(carom_trace_writer *writer, carom_error *error);
carom_status carom_trace_describe_contacts(carom_trace_writer *writer, carom_error *error);
carom_status carom_trace_describe_bodies(carom_trace_writer *writer, carom_error *error);
void carom_trace_describe_places(carom_trace_writer *writer, double t, const double *q,
                                 const double *u, double *values);

/* The table of a part in a trace that was read, NULL for those that are plain lists. */
carom_trace_table *carom_trace_find_table(carom_trace *trace, carom_trace_part part);

#endif
