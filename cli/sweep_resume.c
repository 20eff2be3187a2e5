/* Going on with a table that was begun: which tasks are whole in it. */
#include "sweep.h"

#include "trace/csv.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* How far the rows that were looked at go. */
typedef struct progress {
    const cli_sweep_plan *plan;
    long cell; /* of the last row, -1: none yet */
} progress;

/* Is this row the first of its cell? A cell has one, or points that are numbered. */
static bool begins(const cli_sweep_plan *plan, double point)
{
    return cli_sweep_keep_is_one(plan->keep) || isnan(point) || point == (double)(plan->skip + 1);
}

/* Do the values and words of a row belong to the cell? */
static bool is_of_cell(const cli_sweep_plan *plan, long cell, const double *varied,
                       const char *const *labels)
{
    const char *wanted[2];
    bool same = cell >= 0 && cell < plan->cells;
    for (int k = 0; k < plan->varied && same; k++)
        same = varied[k] == cli_sweep_plan_value(plan, cell, k);
    if (!same)
        return false;
    cli_sweep_output_labels(plan, cell, wanted);
    for (int k = 0; k < 2 && wanted[k] && same; k++)
        same = strcmp(labels[k], wanted[k]) == 0;
    return same;
}

/* The next row; false: it does not belong to this table. *whole: the tasks that are complete before
 * this row, *after: with it; -1: it says nothing about that. */
static bool step(progress *p, const double *varied, const char *const *labels, double point,
                 long *whole, long *after)
{
    const cli_sweep_plan *plan = p->plan;
    *whole = *after = -1;
    if (begins(plan, point)) {
        p->cell++;
        if (p->cell % plan->chain == 0)
            *whole = p->cell / plan->chain;
    }
    if (cli_sweep_keep_is_one(plan->keep) && (p->cell + 1) % plan->chain == 0)
        *after = (p->cell + 1) / plan->chain;
    return is_of_cell(plan, p->cell, varied, labels);
}

/* The columns of a record in CSV: numbers, words, results. */
static bool is_header(const cli_sweep_output *o, const carom_csv *csv)
{
    const int first = o->varied + o->labels, count = first + o->columns + 1;
    bool same = csv->count == count;
    for (int k = 0; k < count && same; k++) {
        const int result = k - first - !o->status_last;
        const char *name = k < o->varied ? o->names[k]
                           : k < first   ? o->label_names[k - o->varied]
                           : k == (o->status_last ? count - 1 : first) ? "status"
                                                                       : o->results[result];
        same = strcmp(carom_csv_cell(csv, k), name) == 0;
    }
    return same;
}

static bool read_number(const char *text, double *number)
{
    *number = NAN;
    return !*text || carom_number_parse(text, number);
}

/* A record as a row; false: it is none of this table. */
static bool take_record(progress *p, const cli_sweep_output *o, const carom_csv *csv,
                        double *varied, long *whole, long *after)
{
    const char *labels[2] = {"", ""};
    double point = NAN;
    bool good = csv->count == o->varied + o->labels + o->columns + 1;
    for (int k = 0; k < o->varied && good; k++)
        good = read_number(carom_csv_cell(csv, k), &varied[k]);
    for (int k = 0; k < o->labels && good; k++)
        labels[k] = carom_csv_cell(csv, o->varied + k);
    if (good && o->status_last) /* the number of the point stands before the status */
        good = read_number(carom_csv_cell(csv, csv->count - 2), &point);
    return good && step(p, varied, labels, point, whole, after);
}

/* Where the whole tasks of a table end: *end bytes; -1: it is another table, -2: no memory. */
static long count_csv(const cli_sweep_plan *plan, const cli_sweep_output *o, double *varied,
                      long *end)
{
    carom_csv csv = {.in = o->out};
    progress p = {.plan = plan, .cell = -1};
    long done = -1, position = 0;
    bool any = false, good = true;
    while (good && carom_csv_next(&csv) && (any = true) && csv.whole) {
        long whole = -1, after = -1;
        if (done < 0) {
            good = is_header(o, &csv);
            after = 0;
        } else {
            good = take_record(&p, o, &csv, varied, &whole, &after);
        }
        if (good && whole >= 0) {
            done = whole;
            *end = position;
        }
        position = ftell(o->out);
        if (good && after >= 0) {
            done = after;
            *end = position;
        }
    }
    if (!any)
        done = 0; /* not even the header was written */
    if (!good)
        done = -1;
    if (csv.memory)
        done = -2;
    carom_csv_end(&csv);
    return done;
}

static long count_table(const cli_sweep_plan *plan, const cli_sweep_table *t, long *rows)
{
    progress p = {.plan = plan, .cell = -1};
    long done = 0;
    *rows = 0;
    for (long k = 0; k < t->rows; k++) {
        const double *row = t->values + k * t->columns;
        long whole, after;
        if (!step(&p, row, (const char *const *)(t->label + k * t->labels), row[t->columns - 1],
                  &whole, &after))
            return -1;
        if (whole >= 0) {
            done = whole;
            *rows = k;
        }
        if (after >= 0) {
            done = after;
            *rows = k + 1;
        }
    }
    return done;
}

int cli_sweep_resume_open(const cli_sweep_plan *plan, const char *path, cli_sweep_output *o,
                          long *done)
{
    double varied[64];
    long end = 0;
    int status = cli_sweep_output_open(plan->arguments, path, o);
    *done = 0;
    if (status || !cli_option_given(plan->arguments, "resume"))
        return status;
    if (!path)
        return cli_message_usage("sweep: --resume needs -o FILE");
    if (plan->varied > (int)(sizeof varied / sizeof *varied))
        return cli_message_usage("sweep: --resume goes on with up to 64 names that vary");
    if (!o->out) {
        *done = count_table(plan, &o->table, &end);
        if (*done >= 0)
            cli_sweep_table_cut(&o->table, end);
    } else if (!o->output.stream) {
        *done = count_csv(plan, o, varied, &end);
        if (*done >= 0 &&
            (ftruncate(fileno(o->out), end) != 0 || fseek(o->out, end, SEEK_SET) != 0))
            *done = -1;
    }
    if (*done == -2)
        return cli_message_memory();
    return *done < 0 ? cli_message_usage("sweep: %s is not the beginning of this table", path)
                     : CLI_ANSWERED;
}
