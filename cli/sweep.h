/* The grid of `carom sweep`: parameters that vary, cells in order, one line of results per cell. */
#ifndef CAROM_CLI_SWEEP_H
#define CAROM_CLI_SWEEP_H

#include "cli.h"

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

#endif
