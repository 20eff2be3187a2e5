/* Traces: a motion in a file, HDF5 or CSV, written while it happens and read back for pictures.
 *
 * An HDF5 trace (docs/guide/traces.md) is self-describing and append-safe: its tables grow by
 * doubling with rows that are not there yet filled with NaN, so that a run that was killed leaves a
 * file that opens without repair. The same scene gives the same bytes. */
#ifndef CAROM_TRACE_H
#define CAROM_TRACE_H

#include "carom/flow.h"
#include "carom/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is written at the head of a trace. Pointers are borrowed until finish. */
typedef struct carom_trace_header {
    const char *title;  /* NULL: none */
    const char *law;    /* name */
    const char *method; /* name */
    const carom_system *system;
    const carom_scene *scene; /* its text, parameters and overrides are kept in the trace, its
                                 shapes are evaluated for every row; NULL: none */
} carom_trace_header;

typedef struct carom_trace_writer carom_trace_writer;
struct carom_trace;

/* Start a trace. path: NULL (only the hash is computed), *.csv, anything else HDF5. An existing
 * file is refused unless force. */
CAROM_API carom_status carom_trace_create(const char *path, bool force,
                                          const carom_trace_header *header,
                                          const carom_allocator *allocator,
                                          carom_trace_writer **writer, carom_error *error);

/* The same without a file: carom_trace_finish fills *trace, which is to be destroyed then; it is
 * left alone when that fails. most: rows and impacts to keep, evenly thinned while they come, the
 * first and the last among them; 0: all. */
CAROM_API carom_status carom_trace_keep(const carom_trace_header *header, long most,
                                        const carom_allocator *allocator, struct carom_trace *trace,
                                        carom_trace_writer **writer, carom_error *error);

/* For the observer of carom_flow_run, with self = the writer. */
CAROM_API carom_status carom_trace_row(void *writer, const carom_flow_row *row, carom_error *error);
CAROM_API carom_status carom_trace_impact(void *writer, const carom_flow_impact *impact,
                                          carom_error *error);
CAROM_API carom_status carom_trace_accumulation(void *writer,
                                                const carom_flow_accumulation *accumulation,
                                                carom_error *error);
CAROM_API carom_status carom_trace_instant(void *writer, const carom_flow_instant *instant,
                                           carom_error *error);
CAROM_API carom_status carom_trace_change(void *writer, const carom_flow_change *change,
                                          carom_error *error);

/* Complete the file and let go of everything, on failure too. result: how the run ended (NULL: it
 * failed, and the trace does not say that it ended). hash (may be NULL): of all rows and impacts,
 * the same for the same motion. */
CAROM_API carom_status carom_trace_finish(carom_trace_writer *writer,
                                          const carom_flow_result *result, unsigned long long *hash,
                                          carom_error *error);

/* One kind of number along the motion: rows x columns, row after row. */
typedef struct carom_trace_table {
    int columns;
    const char *const *names; /* columns; NULL where the file does not say */
    double *values;
} carom_trace_table;

/* A trace in memory. Texts are NULL where the file does not say. */
typedef struct carom_trace {
    const char *title, *law, *method;
    const char *program; /* version that wrote it */
    const char *scene;   /* text of the scene */
    int set_count;
    const char *const *sets; /* overrides, "name=value" */
    int parameter_count;
    const char *const *parameter_names;
    const double *parameters;
    double period;             /* of the scene, 0: none */
    const char *end, *message; /* as in carom_flow_result; NULL: the run was cut off */
    long rows, all_rows;       /* all: as many as there were before thinning */
    double *t;                 /* rows */
    carom_trace_table position, velocity, gap, force, friction, mode, energy;
    carom_trace_table draw; /* numbers of all shapes, one after the other */
    const char *shapes;     /* JSON: what to draw, NULL: nothing */
    carom_trace_table at;   /* of each contact that says where it is: place, then direction */
    const char *contacts;   /* JSON: which they are, NULL: none */
    carom_trace_table pose; /* of each body in space: position, quaternion w x y z */
    const char *bodies;     /* JSON: their shapes, NULL: none */
    long impacts, all_impacts;
    double *impact_t;      /* impacts */
    double *impact_energy; /* impacts, energy change */
    carom_trace_table impact_position, impact_before, impact_after;
    carom_trace_table impulse;     /* contacts, NaN: not involved */
    carom_trace_table impact_draw; /* as draw, at the instant of the impact */
    carom_trace_table impact_kick; /* the jump of the rates of those numbers */
    carom_trace_table impact_at;   /* as at, at the instant of the impact */
    carom_trace_table impact_pose; /* as pose, likewise */
    long instants;                 /* events of the system that happened */
    double *instant_t;             /* instants */
    double *instant_event;         /* instants, numbers in event_names */
    int event_count;
    const char *const *event_names;
    carom_trace_table instant_position_before, instant_before; /* coordinates, velocities */
    carom_trace_table instant_position, instant_after;         /* after what the event sets */
    carom_trace_table instant_draw_before, instant_draw;
    long accumulations;
    carom_trace_table accumulation; /* contact (from 0), t_first, t_last, t_limit, ratio, impacts */
    long changes;                   /* of what contacts do, besides impacts */
    carom_trace_table change;       /* t, contact (from 0), from, to (carom_mode) */
    carom_arena *arena;             /* private */
} carom_trace;

/* Read a trace; rows that a killed run left unwritten are dropped. A file is read with as little
 * trust as libhdf5 allows (docs/guide/traces.md). Destroy the trace in the end. */
CAROM_API carom_status carom_trace_read(const char *path, const carom_allocator *allocator,
                                        carom_trace *trace, carom_error *error);
CAROM_API void carom_trace_destroy(carom_trace *trace); /* NULL is allowed */

/* Write a trace that is in memory to a file, in the order of time; it reads back the same as one
 * that was written while the motion happened. The header is that of the motion. */
CAROM_API carom_status carom_trace_save(const carom_trace *trace, const char *path, bool force,
                                        const carom_trace_header *header,
                                        const carom_allocator *allocator, carom_error *error);

/* Write the browser page for some traces, which are called `names` in it; an existing file is
 * replaced. page: the HTML of viewer/dist/index.html, which has a place for data. Long traces are
 * thinned; rows (count, may be NULL) receives how many of each are in the page. */
CAROM_API carom_status carom_trace_page(const char *path, const char *page, int count,
                                        const carom_trace *traces, const char *const *names,
                                        long *rows, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
