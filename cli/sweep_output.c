/* The table of a sweep as CSV, or handed to the table in HDF5; going on with one that was begun. */
#include "sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_row(FILE *out, const cli_sweep_job *s, long k)
{
    for (int j = 0; j < s->grid.axis_count; j++)
        fprintf(out, "%.17g,", cli_grid_value(&s->grid, s->first + k, j));
    const char *status = s->rows[k].status;
    if (status[strcspn(status, ",\"\n")]) {
        fputc('"', out);
        for (; *status; status++)
            fprintf(out, *status == '"' ? "\"\"" : "%c", *status);
        fputc('"', out);
    } else {
        fputs(status, out);
    }
    for (int j = 0; j < s->columns; j++) {
        double value = s->values[k * s->columns + j];
        if (isfinite(value))
            fprintf(out, ",%.17g", value == 0 ? 0.0 : value);
        else
            fputc(',', out);
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
    for (int k = 0; k < s->grid.axis_count; k++)
        fprintf(out, "%s,", s->grid.axes[k].name);
    fputs("status", out);
    for (int k = 0; k < s->columns; k++)
        fprintf(out, ",%s", s->names[k]);
    fputc('\n', out);
}

/* Does a line of a table begin with the values of this cell? */
static bool is_cell(const cli_sweep_job *s, const char *line, long cell)
{
    for (int k = 0; k < s->grid.axis_count; k++) {
        char *end;
        if (cell >= s->grid.cells || strtod(line, &end) != cli_grid_value(&s->grid, cell, k) ||
            *end != ',')
            return false;
        line = end + 1;
    }
    return true;
}

/* Where a table that was begun ends: whole lines after the header; -1: it is another table. */
static long count_done(FILE *file, const cli_sweep_job *s, long *end)
{
    char *line = NULL, *expected = NULL;
    size_t room = 0, size = 0;
    long lines = -1;
    FILE *memory = open_memstream(&expected, &size);
    if (memory) {
        cli_sweep_output_header(memory, s);
        fclose(memory);
        if (getc(file) == EOF)
            lines = 0; /* not even the header was written */
        rewind(file);
        while (getline(&line, &room, file) > 0 && strchr(line, '\n')) {
            if (lines < 0 ? strcmp(line, expected) != 0 : !is_cell(s, line, lines)) {
                lines = -1;
                break;
            }
            lines++;
            *end = ftell(file);
        }
    }
    free(expected);
    free(line);
    return lines;
}

static int open_csv(const cli_arguments *arguments, cli_sweep_job *s, const char *path, long *done)
{
    long end = 0;
    if (cli_option_given(arguments, "resume") && (s->out = fopen(path, "r+"))) {
        *done = count_done(s->out, s, &end);
        if (*done >= 0 && ftruncate(fileno(s->out), end) == 0 && fseek(s->out, end, SEEK_SET) == 0)
            return CLI_ANSWERED;
        return cli_message_usage("sweep: %s is not the beginning of this table", path);
    }
    struct stat found; /* a device or pipe holds nothing that could be lost */
    bool special = stat(path, &found) == 0 && !S_ISREG(found.st_mode);
    s->out = fopen(path, special || cli_option_given(arguments, "force") ? "w" : "wx");
    if (s->out)
        return CLI_ANSWERED;
    if (errno == EEXIST)
        return cli_message_usage("sweep: %s exists; --resume goes on, --force writes over it",
                                 path);
    fprintf(stderr, "carom: %s: %s\n", path, strerror(errno));
    return CLI_MACHINE;
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
