/* `carom sweep`: where rows are computed and where they go. What they are is in sweep_plan.h, how
 * one is computed in sweep_task.h. */
#ifndef CAROM_CLI_SWEEP_H
#define CAROM_CLI_SWEEP_H

#include "file/output.h"
#include "sweep_task.h"

#include <stdio.h>

/* Who takes the rows of tasks, in their order, one call at a time. A status other than CLI_ANSWERED
 * ends the sweep. */
typedef struct cli_sweep_taker {
    void *self;
    int (*take)(void *self, long task, const cli_sweep_rows *rows);
    int (*flush)(void *self); /* some have been taken: what is whole should be safe */
} cli_sweep_taker;

/* What became of a sweep. */
typedef struct cli_sweep_course {
    long done;      /* tasks taken, with those of before */
    long failures;  /* cells without a good result */
    bool abandoned; /* a thread did not end in time: nothing may be freed */
} cli_sweep_course;

/* Compute all tasks from `first` on, on all cores (sweep_work.c). CLI_ANSWERED also when it was
 * interrupted: then course->done tells. */
int cli_sweep_work_run(const cli_sweep_job *job, long first, const cli_sweep_taker *taker,
                       cli_sweep_course *course);

/* The same on a device (sweep_device.c): --device, opened before anything is written; always end
 * with close, NULL is allowed. --print-kernel only shows its program. */
typedef struct cli_sweep_device cli_sweep_device;
int cli_sweep_device_open(const cli_sweep_plan *plan, cli_sweep_device **device);
int cli_sweep_device_run(cli_sweep_device *device, long first, const cli_sweep_taker *taker,
                         cli_sweep_course *course);
void cli_sweep_device_close(cli_sweep_device *device);
int cli_sweep_device_print(const cli_sweep_plan *plan);

/* Compute what another process hands out (carom-mpi), until there is no more. An exit status. */
int cli_sweep_work_help(const cli_sweep_job *job);

/* A table in HDF5 while it is computed (sweep_table.c). path, columns and names are borrowed. */
typedef struct cli_sweep_table {
    const char *path;
    int columns;
    const char *const *names;
    int labels; /* columns of words */
    const char *const *label_names;
    long rows, room, saved;
    double *values;
    char **status;
    char **label; /* rows x labels */
} cli_sweep_table;

/* Does the name of the file ask for HDF5? */
bool cli_sweep_table_named(const char *path);
/* Begin the file, or take over the rows of the one that is there (resume). */
int cli_sweep_table_open(cli_sweep_table *table, bool resume, bool force);
int cli_sweep_table_add(cli_sweep_table *table, const double *values, const char *status,
                        const char *const *labels);
/* Forget the rows from this one on. */
void cli_sweep_table_cut(cli_sweep_table *table, long rows);
/* Save if it is time, or at last. */
int cli_sweep_table_save(cli_sweep_table *table, bool last);
void cli_sweep_table_free(cli_sweep_table *table);

/* A table being written: CSV, or HDF5 (sweep_output.c). Columns: numbers that vary, words (law,
 * direction), results, the status before or after them. */
typedef struct cli_sweep_output {
    int varied, columns, labels;
    const char *const *names, *const *results;
    const char *label_names[2];
    bool status_last;
    FILE *out;           /* CSV, NULL: into the table */
    int problem;         /* errno of what could not be written */
    carom_output output; /* where `out` goes, when it is a new file */
    cli_sweep_table table;
    const char **all; /* names of its columns of numbers */
    double *line;
} cli_sweep_output;

/* Open a table whose columns are set; path NULL: CSV on stdout. */
int cli_sweep_output_open(const cli_arguments *arguments, const char *path, cli_sweep_output *o);
void cli_sweep_output_header(cli_sweep_output *o);
int cli_sweep_output_row(cli_sweep_output *o, const double *varied, const char *const *labels,
                         const char *status, const double *results);
int cli_sweep_output_flush(cli_sweep_output *o);

/* The columns of a plan, before anything is opened. And the rows of a task written out as lines, by
 * whoever has computed them: digits cost more than short motions do, and one who takes the rows of
 * many would make them wait. Without memory for that the rows stay as they are. */
cli_sweep_output cli_sweep_output_columns(const cli_sweep_plan *plan);
void cli_sweep_output_spell(const cli_sweep_plan *plan, long task, cli_sweep_rows *rows);

/* Rows that are written out, as they are. */
void cli_sweep_output_lines(cli_sweep_output *o, const cli_sweep_rows *rows);
/* Put what was written in its place, and free. */
int cli_sweep_output_close(cli_sweep_output *o);

/* Open a table that may be there already (--resume); *done: tasks that are whole in it
 * (sweep_resume.c). */
int cli_sweep_resume_open(const cli_sweep_plan *plan, const char *path, cli_sweep_output *o,
                          long *done);

/* The columns of words of an output (law, direction: where there are several), and those of a cell.
 */
void cli_sweep_output_labels(const cli_sweep_plan *plan, long cell, const char *labels[2]);

/* Statistics instead of rows (sweep_summary.c): --summary mean,sd,0.05 ... */
typedef struct cli_sweep_summary cli_sweep_summary;
int cli_sweep_summary_make(const cli_sweep_plan *plan, cli_sweep_summary **summary);
int cli_sweep_summary_add(cli_sweep_summary *summary, long task, const cli_sweep_rows *rows);
int cli_sweep_summary_write(cli_sweep_summary *summary, const char *path);
void cli_sweep_summary_free(cli_sweep_summary *summary);

/* --plot (sweep_picture.c): points gathered, drawn at the end. */
typedef struct cli_sweep_picture {
    long count, room;
    double *xy;
    int *series;
} cli_sweep_picture;
int cli_sweep_picture_add(const cli_sweep_plan *plan, long task, const cli_sweep_rows *rows,
                          cli_sweep_picture *picture);
int cli_sweep_picture_write(const cli_sweep_plan *plan, const cli_sweep_picture *picture,
                            const char *path);
void cli_sweep_picture_free(cli_sweep_picture *picture);

#endif
