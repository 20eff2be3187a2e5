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

#endif
