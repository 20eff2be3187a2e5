/* A branch of periodic motions as a table: rows kept for pictures and JSON, written as they come.
 */
#ifndef CAROM_CLI_BRANCH_H
#define CAROM_CLI_BRANCH_H

#include "orbit.h"

/* One row: a point, or an event. */
typedef struct cli_branch_row {
    bool is_event;
    carom_orbit_event_kind kind;
    double parameter, period, t;
    double *q, *u; /* n each */
    int multiplier_count;
    double *re, *im;
    bool stable;
    const char *message; /* of an event; NULL: none */
    double plotted;      /* the quantity of the picture */
} cli_branch_row;

typedef struct cli_branch {
    const cli_orbit *orbit;
    const char *parameter;
    carom_arena *arena;
    int count, room;
    cli_branch_row *rows;
    FILE *out; /* lines go here as they come; NULL: nowhere */
} cli_branch;

/* Add a row; false: no memory. */
bool cli_branch_add(cli_branch *branch, const carom_orbit_event_kind *event, double parameter,
                    const carom_orbit *orbit, const char *message);

/* The heading and one row as CSV. */
void cli_branch_heading(const cli_branch *branch, FILE *out);
void cli_branch_line(const cli_branch *branch, const cli_branch_row *row, FILE *out);

/* The whole as JSON. */
int cli_branch_json(const cli_branch *branch);

/* Read a table that was written before: its last point becomes *start at *parameter. *all: rows
 * with the events behind that point, which are found again where the branch goes on. */
int cli_branch_read(cli_branch *branch, const char *path, carom_orbit *start, double *parameter,
                    int *all);

#endif
