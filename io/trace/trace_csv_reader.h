/* What reads a trace in CSV: the state, and the steps that its parts share. */
#ifndef CAROM_IO_TRACE_TRACE_CSV_READER_H
#define CAROM_IO_TRACE_TRACE_CSV_READER_H

#include "trace/csv.h"
#include "trace/trace_csv.h"

/* Which group and which column of it a cell belongs to. */
typedef struct carom_trace_csv_place {
    int group; /* -1: not a number of a table */
    int column;
} carom_trace_csv_place;

typedef struct carom_trace_csv_reader {
    carom_csv csv;
    const char *path;
    carom_trace *trace;
    carom_arena *arena;
    carom_error *error;
    int count;                     /* cells of every record */
    carom_trace_csv_place *places; /* count */
    int plain;                     /* coordinates and velocities together */
    int change, text;              /* cells of energy_change and text, -1: none */
    const char **names;            /* count, prefixes taken off */
    long rows_room, impacts_room, accumulations_room, changes_room, instants_room;
    int events_room;
    bool before;       /* the line `before` of an impact was read, */
    bool event_before; /* `event-before` of an event */
    int sets_room, parameters_room;
    char *scene;
    size_t scene_size, scene_room;
} carom_trace_csv_reader;

/* The error of a line that is not what a trace holds. */
carom_status carom_trace_csv_read_wrong(carom_trace_csv_reader *r, const char *what,
                                        const char *value);

/* The first `coordinates` of the plain columns are coordinates, the others velocities. */
carom_status carom_trace_csv_read_divide(carom_trace_csv_reader *r, int coordinates);

/* A copy of a text at the end of a list that grows. */
carom_status carom_trace_csv_read_text(carom_trace_csv_reader *r, const char *const **list,
                                       int count, int *room, const char *text, size_t length);

/* More room for a list of things; the old one stays in the arena. */
void *carom_trace_csv_read_enlarge(carom_arena *arena, const void *old, long used, long room,
                                   size_t size);

/* Lines about the run: `about` ("key: value"), `scene` (one of its lines), `end` (how, and why). */
carom_status carom_trace_csv_about_run(carom_trace_csv_reader *r, const char *text);
carom_status carom_trace_csv_about_scene(carom_trace_csv_reader *r, const char *text);
carom_status carom_trace_csv_about_end(carom_trace_csv_reader *r, const char *text);

#endif
