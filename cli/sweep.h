/* `carom sweep`: parameters that vary, cells in order, one line of results per cell. */
#ifndef CAROM_CLI_SWEEP_H
#define CAROM_CLI_SWEEP_H

#include "cli.h"
#include "file/output.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* One --vary: a name and its values. */
typedef struct cli_axis {
    char *name;
    int count;
    double *values;
} cli_axis;

typedef struct cli_grid {
    int axis_count;
    cli_axis *axes;
    long cells; /* product of the counts; the last axis varies fastest */
} cli_grid;

/* Read all --vary options: `name=a:b:n` (n values from a to b) or `name=a,b,c`. */
int cli_grid_make(const cli_arguments *arguments, cli_grid *grid);
void cli_grid_free(cli_grid *grid);

/* The value of an axis in a cell. */
double cli_grid_value(const cli_grid *grid, long cell, int axis);

/* A table in HDF5 while it is computed (sweep_table.c). path, columns and names are borrowed. */
typedef struct cli_sweep_table {
    const char *path;
    int columns;
    const char *const *names;
    long rows, room, saved;
    double *values;
    char **status;
} cli_sweep_table;

/* Does the name of the file ask for HDF5? */
bool cli_sweep_table_named(const char *path);
/* Begin the file, or take over the rows of the one that is there (resume). */
int cli_sweep_table_open(cli_sweep_table *table, bool resume, bool force);
int cli_sweep_table_add(cli_sweep_table *table, const double *values, const char *status);
/* Save if it is time, or at last. */
int cli_sweep_table_save(cli_sweep_table *table, bool last);
void cli_sweep_table_free(cli_sweep_table *table);

enum { CLI_SWEEP_STATUS = 160 };

/* One cell's results: numbers in the order of the columns, NaN where there is none. */
typedef struct cli_sweep_row {
    bool ready;  /* computed, to be written when those before it are */
    bool memory; /* there was none: the sweep cannot go on */
    bool good;
    char status[CLI_SWEEP_STATUS]; /* "ok", or why there is no result */
} cli_sweep_row;

typedef struct cli_sweep_job {
    const cli_arguments *arguments;
    cli_grid grid;
    carom_scene *scene; /* as it stands, with its --set options */
    const char *law;    /* as after --law, NULL: the scene's */
    bool moves;         /* a system with `run` */
    double closed;      /* else: contacts with gaps up to this are closed */
    int columns;        /* of results */
    char **names;
    /* the block being computed */
    long first, count;
    atomic_long next;
    cli_sweep_row *rows;  /* BLOCK */
    double *values;       /* BLOCK x columns */
    pthread_mutex_t lock; /* of `ready` and of what follows */
    pthread_cond_t ended; /* a worker has */
    int working;          /* threads */
    bool abandoned;       /* one did not end in time: nothing may be freed */
    long written;         /* rows of the block */
    long failures;
    atomic_int status; /* CLI_ANSWERED, or why nothing more can be written */
    /* where they go */
    FILE *out;             /* CSV, NULL: into the table */
    carom_output output;   /* where `out` goes, when it is a new file */
    cli_sweep_table table; /* HDF5 */
    const char **all;      /* names of its columns: those that vary, then the results */
    double *line;
} cli_sweep_job;

/* The scene with its --set options and the values of a cell (sweep_cell.c). */
carom_status cli_sweep_cell_read(const cli_sweep_job *sweep, long cell, carom_scene **scene,
                                 carom_error *error);
/* The results of cell k of the block; out: columns. */
void cli_sweep_cell_compute(const cli_sweep_job *sweep, long k, cli_sweep_row *row, double *out);

/* Open where the table goes; *done: cells that are in it already (sweep_output.c). */
int cli_sweep_output_open(const cli_arguments *arguments, cli_sweep_job *sweep, long *done);
/* Put what was written in its place. */
int cli_sweep_output_close(cli_sweep_job *sweep);
void cli_sweep_output_header(FILE *out, const cli_sweep_job *sweep);
/* Row k of the block to where it goes. */
int cli_sweep_output_put(cli_sweep_job *sweep, long k);

#endif
