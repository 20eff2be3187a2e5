/* The answer of `carom basins`: a grid of starts, where each goes, and the attractors found. */
#ifndef CAROM_CLI_BASINS_H
#define CAROM_CLI_BASINS_H

#include "orbit.h"
#include "sweep.h"

/* A coordinate or velocity of the start that varies. */
typedef struct cli_basins_axis {
    char name[64];
    int index; /* in (q, u) */
    double from, to;
    int count;
} cli_basins_axis;

typedef struct cli_basins {
    const cli_arguments *arguments;
    cli_orbit orbit;
    cli_basins_axis axes[2];
    int skip;
    double tolerance;
    int cells;                    /* of the grid */
    carom_orbit_attractor *fates; /* cells: as computed */
    unsigned char *ready;         /* cells */
    cli_sweep_course course;
    FILE *journal; /* NULL: none is kept */
    int *index;    /* cells: number of the attractor, -1: not computed */
    int basin_count;
    carom_orbit_basin *basins;
    long classified;
} cli_basins;

/* basins_grid.c: compute all cells, on all cores or processes. CLI_ANSWERED, or a status after a
 * message. The tasks of it, for who helps. */
int cli_basins_compute(cli_basins *basins);
cli_sweep_job cli_basins_job(const cli_basins *basins);

/* basins_journal.c: --journal, --resume. Cells that were finished before are handed to the taker,
 * *first is the task to go on with. */
int cli_basins_journal_open(cli_basins *basins, const cli_sweep_taker *taker, long *first);
void cli_basins_journal_add(const cli_basins *basins, long task, const cli_sweep_rows *rows);
int cli_basins_journal_flush(const cli_basins *basins);

/* The same on a device (basins_device.c). */
int cli_basins_device(cli_basins *basins);

/* The start of a cell: q and u. */
void cli_basins_start(const cli_basins *basins, int cell, const cli_orbit *orbit, double *x);

/* Sort the cells into attractors, in the order of the grid. */
int cli_basins_classify(cli_basins *basins);

/* basins_show.c */
int cli_basins_json(const cli_basins *basins);
int cli_basins_table(const cli_basins *basins);
int cli_basins_picture(const cli_basins *basins, const char *path);

#endif
