/* The table of a sweep, written as CSV or handed to the table in HDF5. */
#include "sweep.h"

#include "trace/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cli_sweep_output_labels(const cli_sweep_plan *plan, long cell, const char *labels[2])
{
    int count = 0;
    labels[0] = labels[1] = NULL;
    if (plan->law_count > 1)
        labels[count++] = plan->laws[cli_sweep_plan_law(plan, cell)];
    if (plan->follow == CLI_FOLLOW_BOTH)
        labels[count++] = cli_sweep_plan_turn(plan, cell) < 0 ? "down" : "up";
}

cli_sweep_output cli_sweep_output_columns(const cli_sweep_plan *plan)
{
    cli_sweep_output o = {.varied = plan->varied,
                          .names = plan->names,
                          .columns = plan->columns,
                          .results = (const char *const *)plan->results,
                          .status_last = !cli_sweep_keep_is_one(plan->keep)};
    if (plan->law_count > 1)
        o.label_names[o.labels++] = "law";
    if (plan->follow == CLI_FOLLOW_BOTH)
        o.label_names[o.labels++] = "follow";
    return o;
}

void cli_sweep_output_header(cli_sweep_output *o)
{
    const char *before = "";
    if (!o->out)
        return;
    for (int k = 0; k < o->varied + o->labels; k++, before = ",") {
        fputs(before, o->out);
        carom_csv_text(o->out, k < o->varied ? o->names[k] : o->label_names[k - o->varied]);
    }
    if (!o->status_last)
        fprintf(o->out, "%sstatus", before);
    for (int k = 0; k < o->columns; k++, before = ",") {
        fputs(o->status_last ? before : ",", o->out);
        carom_csv_text(o->out, o->results[k]);
    }
    fputs(o->status_last ? ",status\n" : "\n", o->out);
}

static void write_csv(FILE *out, const cli_sweep_output *o, const double *varied,
                      const char *const *labels, const char *status, const double *results)
{
    const char *before = "";
    for (int k = 0; k < o->varied + o->labels; k++, before = ",") {
        fputs(before, out);
        if (k < o->varied)
            carom_csv_number(out, varied[k]);
        else
            carom_csv_text(out, labels[k - o->varied]);
    }
    if (!o->status_last) {
        fputs(before, out);
        carom_csv_text(out, status);
    }
    for (int k = 0; k < o->columns; k++, before = ",") {
        fputs(o->status_last ? before : ",", out);
        carom_csv_number(out, results[k]);
    }
    if (o->status_last) {
        fputc(',', out);
        carom_csv_text(out, status);
    }
    fputc('\n', out);
}

void cli_sweep_output_spell(const cli_sweep_plan *plan, long task, cli_sweep_rows *rows)
{
    const cli_sweep_output o = cli_sweep_output_columns(plan);
    double *varied = malloc(((size_t)plan->varied + 1) * sizeof *varied);
    FILE *out = varied ? open_memstream(&rows->text, &rows->length) : NULL;
    for (long k = 0; k < rows->count && out; k++) {
        const char *labels[2];
        const long cell = task * plan->chain + rows->cell[k];
        for (int j = 0; j < plan->varied; j++)
            varied[j] = cli_sweep_plan_value(plan, cell, j);
        cli_sweep_output_labels(plan, cell, labels);
        write_csv(out, &o, varied, labels, rows->status[rows->cell[k]],
                  rows->values + k * rows->width);
    }
    free(varied);
    if (out && fclose(out) == 0)
        return;
    free(out ? rows->text : NULL);
    rows->text = NULL;
}

void cli_sweep_output_lines(cli_sweep_output *o, const cli_sweep_rows *rows)
{
    if (fwrite(rows->text, 1, rows->length, o->out) < rows->length)
        o->problem = errno;
}

int cli_sweep_output_row(cli_sweep_output *o, const double *varied, const char *const *labels,
                         const char *status, const double *results)
{
    if (o->out) {
        write_csv(o->out, o, varied, labels, status, results);
        return CLI_ANSWERED;
    }
    memcpy(o->line, varied, (size_t)o->varied * sizeof *varied);
    memcpy(o->line + o->varied, results, (size_t)o->columns * sizeof *results);
    return cli_sweep_table_add(&o->table, o->line, status, labels);
}

static int cannot_write(int problem)
{
    cli_message_output("table", problem);
    return CLI_MACHINE;
}

int cli_sweep_output_flush(cli_sweep_output *o)
{
    if (!o->out)
        return cli_sweep_table_save(&o->table, false);
    if (fflush(o->out) != 0)
        o->problem = errno;
    else if (!ferror(o->out))
        return CLI_ANSWERED;
    if (o->out == stdout && cli_output_reader_left())
        return CLI_ANSWERED;
    return cannot_write(o->problem);
}

static int open_table(const cli_arguments *arguments, const char *path, cli_sweep_output *o)
{
    const int columns = o->varied + o->columns;
    o->all = calloc((size_t)columns + 1, sizeof *o->all);
    o->line = calloc((size_t)columns + 1, sizeof *o->line);
    if (!o->all || !o->line)
        return cli_message_memory();
    for (int k = 0; k < columns; k++)
        o->all[k] = k < o->varied ? o->names[k] : o->results[k - o->varied];
    o->table = (cli_sweep_table){.path = path,
                                 .columns = columns,
                                 .names = o->all,
                                 .labels = o->labels,
                                 .label_names = o->label_names};
    return cli_sweep_table_open(&o->table, cli_option_given(arguments, "resume"),
                                cli_option_given(arguments, "force"));
}

int cli_sweep_output_open(const cli_arguments *arguments, const char *path, cli_sweep_output *o)
{
    carom_error error = {0};
    if (cli_sweep_table_named(path))
        return open_table(arguments, path, o);
    if (!path) {
        o->out = stdout;
        return CLI_ANSWERED;
    }
    if (cli_option_given(arguments, "resume") && (o->out = fopen(path, "r+")))
        return CLI_ANSWERED;
    if (carom_output_open_growing(path, cli_option_given(arguments, "force"), &o->output, &error))
        return cli_message_error(NULL, &error);
    o->out = o->output.stream;
    return CLI_ANSWERED;
}

static int close_csv(cli_sweep_output *o)
{
    carom_error error = {0};
    FILE *out = o->out;
    o->out = NULL;
    if (!out || out == stdout)
        return CLI_ANSWERED;
    if (o->output.stream)
        return carom_output_finish(&o->output, &error) ? cli_message_error(NULL, &error)
                                                       : CLI_ANSWERED;
    return fclose(out) == 0 ? CLI_ANSWERED : cannot_write(errno);
}

int cli_sweep_output_close(cli_sweep_output *o)
{
    int status = close_csv(o);
    if (!status && o->table.path && o->table.rows > o->table.saved)
        status = cli_sweep_table_save(&o->table, true);
    cli_sweep_table_free(&o->table);
    free(o->all);
    free(o->line);
    *o = (cli_sweep_output){0};
    return status;
}
