/* The work of a sweep, in pieces that need nothing but the plan: task k -> its rows. A task is one
 * cell, or with --follow a chain of cells, each of which starts where the one before it ended. */
#ifndef CAROM_CLI_SWEEP_TASK_H
#define CAROM_CLI_SWEEP_TASK_H

#include "sweep_plan.h"

enum { CLI_SWEEP_STATUS = 160 };

/* The rows of one task. A cell has one at least. */
typedef struct cli_sweep_rows {
    int width; /* numbers a row: the plan's columns, then what is plotted; NaN where there is none
                */
    long count, room;
    double *values; /* count x width */
    int *cell;      /* count: number of the row's cell in the task, ascending */
    int cells;
    char (*status)[CLI_SWEEP_STATUS]; /* cells: "ok", or why there is no result */
    long failures;                    /* cells without a good result */
    char *text;    /* the rows as lines of a table in CSV; NULL: not written yet */
    size_t length; /* of it */
    bool memory;   /* there was none: the sweep cannot go on */
    bool stopped;  /* by Ctrl-C: the rows are not whole */
} cli_sweep_rows;

/* Work in pieces, for whoever distributes them (sweep_work.c): task -> its rows. What computes
 * them may be called by several threads at once. */
typedef struct cli_sweep_job {
    const void *self;
    long tasks;
    int width;  /* numbers of a row */
    long cells; /* of all tasks */
    long chain; /* cells of a task */
    void (*compute)(const void *self, long task, cli_sweep_rows *rows);
} cli_sweep_job;

/* The number of tasks, and of numbers in a row; all of it. */
long cli_sweep_task_count(const cli_sweep_plan *plan);
int cli_sweep_task_width(const cli_sweep_plan *plan);
cli_sweep_job cli_sweep_task_job(const cli_sweep_plan *plan);

/* Compute a task (from 0); free the rows with cli_sweep_task_free, whatever they say. */
void cli_sweep_task_compute(const cli_sweep_plan *plan, long task, cli_sweep_rows *rows);
void cli_sweep_task_free(cli_sweep_rows *rows);

/* The scene of a cell: with its --set options, then its values. */
carom_status cli_sweep_task_scene(const cli_sweep_plan *plan, long cell, carom_scene **scene,
                                  carom_error *error);

/* A new row of cell `cell` of the task, all NaN; NULL: no memory, and the rows say so. */
double *cli_sweep_task_row(cli_sweep_rows *rows, int cell);

/* The scene's impact by a law. */
typedef struct cli_sweep_decision {
    carom_outcome outcome;
    int contacts;      /* of the impact */
    const int *closed; /* their numbers in the system; NULL: an impact in numbers */
} cli_sweep_decision;

/* law: as after --law, NULL: the scene's. */
carom_status cli_sweep_task_decide(const cli_sweep_plan *plan, carom_scene *scene, const char *law,
                                   carom_arena *arena, cli_sweep_decision *decision,
                                   carom_error *error);

/* What is written of moments of a motion (sweep_points.c). */
typedef struct cli_sweep_points {
    const cli_sweep_plan *plan;
    carom_scene *scene;
    carom_expr *plotted; /* NULL: none, or a column */
    int column;          /* the column that is plotted, -1: none is */
    double *kept;        /* all that the section keeps, before what repeats is left out */
} cli_sweep_points;

/* The scene is the cell's, where formulas are written; else any of the sweep. Close it also after
 * an error. */
carom_status cli_sweep_points_open(const cli_sweep_plan *plan, carom_scene *scene,
                                   cli_sweep_points *points, carom_error *error);
void cli_sweep_points_close(cli_sweep_points *points);
bool cli_sweep_points_has_formulas(const cli_sweep_plan *plan);

/* Fill a row with a point (number from 1), or the number that is plotted of a row that is filled.
 */
void cli_sweep_points_write(const cli_sweep_points *points, double t, const double *q,
                            const double *u, long number, double *row);
void cli_sweep_points_plot(const cli_sweep_points *points, double t, const double *q,
                           const double *u, double *row);

/* The periodic motion of a cell (sweep_orbit.c); the plan's options for it, once. */
carom_status cli_sweep_orbit_find(const cli_sweep_plan *plan, carom_scene *scene,
                                  const carom_law *law, carom_arena *arena, int cell,
                                  cli_sweep_rows *rows, carom_error *error);
int cli_sweep_orbit_check(const cli_sweep_plan *plan);

/* Is a time a multiple of the period, as far as sums of steps can be? */
bool cli_sweep_points_is_multiple(double t, double period);

/* A motion under way, and where the next one of the chain starts (sweep_motion.c). */
typedef struct cli_sweep_state {
    bool known;    /* there is one */
    double t;      /* of its end */
    double period; /* of the scene, 0: none */
    double *q, *u;
} cli_sweep_state;

/* Run the scene of a cell, from `before` where that is known, and leave its end there. */
carom_status cli_sweep_motion_run(const cli_sweep_plan *plan, carom_scene *scene,
                                  const carom_law *law, carom_arena *arena, int cell,
                                  cli_sweep_state *before, cli_sweep_rows *rows,
                                  carom_error *error);

#endif
