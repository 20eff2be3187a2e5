/* The table of a sweep as CSV, or handed to the table in HDF5; going on with one that was begun. */
#include "sweep.h"

#include "trace/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_row(FILE *out, const cli_sweep_job *s, long k)
{
    for (int j = 0; j < s->grid.axis_count; j++) {
        carom_csv_number(out, cli_grid_value(&s->grid, s->first + k, j));
        fputc(',', out);
    }
    carom_csv_text(out, s->rows[k].status);
    for (int j = 0; j < s->columns; j++) {
        fputc(',', out);
        carom_csv_number(out, s->values[k * s->columns + j]);
    }
    fputc('\n', out);
}

/* Row k of the block to where it goes. */
int cli_sweep_output_put(cli_sweep_job *s, long k)
{
    if (s->out) {
        write_row(s->out, s, k);
        return CLI_ANSWERED;
    }
    for (int j = 0; j < s->grid.axis_count; j++)
        s->line[j] = cli_grid_value(&s->grid, s->first + k, j);
    memcpy(s->line + s->grid.axis_count, s->values + k * s->columns,
           (size_t)s->columns * sizeof(double));
    return cli_sweep_table_add(&s->table, s->line, s->rows[k].status);
}

void cli_sweep_output_header(FILE *out, const cli_sweep_job *s)
{
    for (int k = 0; k < s->grid.axis_count; k++) {
        carom_csv_text(out, s->grid.axes[k].name);
        fputc(',', out);
    }
    fputs("status", out);
    for (int k = 0; k < s->columns; k++) {
        fputc(',', out);
        carom_csv_text(out, s->names[k]);
    }
    fputc('\n', out);
}

/* Is a record the row of this cell? */
static bool is_cell(const cli_sweep_job *s, const carom_csv *csv, long cell)
{
    bool same = cell < s->grid.cells && csv->count == s->grid.axis_count + 1 + s->columns;
    for (int k = 0; k < s->grid.axis_count && same; k++) {
        double value;
        same = carom_number_parse(carom_csv_cell(csv, k), &value) &&
               value == cli_grid_value(&s->grid, cell, k);
    }
    return same;
}

/* Is a record the header of this table? */
static bool is_header(const cli_sweep_job *s, const carom_csv *csv)
{
    int varied = s->grid.axis_count;
    bool same = csv->count == varied + 1 + s->columns;
    for (int k = 0; k < csv->count && same; k++) {
        const char *name = k < varied    ? s->grid.axes[k].name
                           : k == varied ? "status"
                                         : s->names[k - varied - 1];
        same = strcmp(carom_csv_cell(csv, k), name) == 0;
    }
    return same;
}

/* Where a table that was begun ends: whole lines after the header, *end bytes; -1: it is another
 * table, -2: no memory. */
static long count_done(FILE *file, const cli_sweep_job *s, long *end)
{
    carom_csv csv = {.in = file};
    long lines = -1;
    bool any = false;
    while (carom_csv_next(&csv)) {
        any = true;
        if (!csv.whole)
            break;
        if (lines < 0 ? !is_header(s, &csv) : !is_cell(s, &csv, lines)) {
            lines = -1;
            break;
        }
        lines++;
        *end = ftell(file);
    }
    if (!any)
        lines = 0; /* not even the header was written */
    if (csv.memory)
        lines = -2;
    carom_csv_end(&csv);
    return lines;
}

/* Go on with the table that is there. */
static int resume_csv(cli_sweep_job *s, const char *path, long *done)
{
    long end = 0;
    *done = count_done(s->out, s, &end);
    if (*done == -2)
        return cli_message_memory();
    if (*done >= 0 && ftruncate(fileno(s->out), end) == 0 && fseek(s->out, end, SEEK_SET) == 0)
        return CLI_ANSWERED;
    return cli_message_usage("sweep: %s is not the beginning of this table", path);
}

static int open_csv(const cli_arguments *arguments, cli_sweep_job *s, const char *path, long *done)
{
    carom_error error = {0};
    if (cli_option_given(arguments, "resume") && (s->out = fopen(path, "r+")))
        return resume_csv(s, path, done);
    if (carom_output_open_growing(path, cli_option_given(arguments, "force"), &s->output, &error))
        return cli_message_error(NULL, &error);
    s->out = s->output.stream;
    return CLI_ANSWERED;
}

int cli_sweep_output_close(cli_sweep_job *s)
{
    carom_error error = {0};
    FILE *out = s->out;
    s->out = NULL;
    if (!out || out == stdout)
        return CLI_ANSWERED;
    if (s->output.stream)
        return carom_output_finish(&s->output, &error) ? cli_message_error(NULL, &error)
                                                       : CLI_ANSWERED;
    if (fclose(out) == 0)
        return CLI_ANSWERED;
    carom_error_set(&error, CAROM_ERROR_OUTPUT, "cannot write the table: %s", strerror(errno));
    return cli_message_error(NULL, &error);
}

static int open_table(const cli_arguments *arguments, cli_sweep_job *s, const char *path,
                      long *done)
{
    const int varied = s->grid.axis_count, columns = varied + s->columns;
    s->all = calloc((size_t)columns + 1, sizeof *s->all);
    s->line = calloc((size_t)columns + 1, sizeof *s->line);
    if (!s->all || !s->line)
        return cli_message_memory();
    for (int k = 0; k < columns; k++)
        s->all[k] = k < varied ? s->grid.axes[k].name : s->names[k - varied];
    s->table = (cli_sweep_table){.path = path, .columns = columns, .names = s->all};
    int status = cli_sweep_table_open(&s->table, cli_option_given(arguments, "resume"),
                                      cli_option_given(arguments, "force"));
    *done = s->table.rows;
    for (long line = 0; line < *done && !status; line++)
        for (int k = 0; k < varied && !status; k++)
            if (line >= s->grid.cells ||
                s->table.values[line * columns + k] != cli_grid_value(&s->grid, line, k))
                status = cli_message_usage("sweep: %s is not the beginning of this table", path);
    return status;
}

int cli_sweep_output_open(const cli_arguments *arguments, cli_sweep_job *s, long *done)
{
    const char *path = cli_option_value(arguments, "output", 0);
    *done = 0;
    if (cli_sweep_table_named(path))
        return open_table(arguments, s, path, done);
    if (path)
        return open_csv(arguments, s, path, done);
    s->out = stdout;
    return cli_option_given(arguments, "resume")
               ? cli_message_usage("sweep: --resume needs -o FILE")
               : CLI_ANSWERED;
}
