/* --rows: combinations of values from a table, one a line, names in its first line. */
#include "sweep_plan.h"

#include "trace/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong with a cell of the table: its line, and its number in it. */
static int bad(const char *path, const carom_csv *csv, int cell, const char *what)
{
    carom_error error = {.status = CAROM_ERROR_INPUT, .line = csv->line, .column = cell + 1};
    snprintf(error.text, sizeof error.text, "%s", what);
    return cli_message_error(path, &error);
}

static int take_names(const char *path, const carom_csv *csv, cli_list *list)
{
    list->name = calloc((size_t)csv->count + 1, sizeof *list->name);
    if (!list->name)
        return cli_message_memory();
    for (; list->names < csv->count; list->names++) {
        const char *name = carom_csv_cell(csv, list->names);
        if (!*name)
            return bad(path, csv, list->names, "a column without a name");
        if (!(list->name[list->names] = strdup(name)))
            return cli_message_memory();
    }
    return CLI_ANSWERED;
}

static int take_row(const char *path, const carom_csv *csv, cli_list *list, long *room)
{
    char text[200];
    if (csv->count != list->names) {
        snprintf(text, sizeof text, "%d values under %d names", csv->count, list->names);
        return bad(path, csv, 0, text);
    }
    if (list->count == *room) {
        *room = 2 * *room + 256;
        double *more = realloc(list->values, (size_t)*room * (size_t)list->names * sizeof *more);
        if (!more)
            return cli_message_memory();
        list->values = more;
    }
    for (int k = 0; k < list->names; k++) {
        const char *cell = carom_csv_cell(csv, k);
        double *value = &list->values[list->count * list->names + k];
        if (carom_number_parse(cell, value) && isfinite(*value))
            continue;
        snprintf(text, sizeof text, "'%.60s' under `%.60s` is not a finite number", cell,
                 list->name[k]);
        return bad(path, csv, k, text);
    }
    list->count++;
    return CLI_ANSWERED;
}

int cli_sweep_rows_read(cli_sweep_plan *plan)
{
    const char *path = cli_option_value(plan->arguments, "rows", 0);
    if (!path)
        return CLI_ANSWERED;
    carom_csv csv = {.in = fopen(path, "r")};
    long room = 0;
    int status = CLI_ANSWERED;
    if (!csv.in) {
        carom_error error = {0};
        carom_error_set(&error, CAROM_ERROR_FILE, "%s: cannot read: %s", path, strerror(errno));
        return cli_message_error(NULL, &error);
    }
    while (!status && carom_csv_next(&csv))
        status = plan->rows.names == 0 ? take_names(path, &csv, &plan->rows)
                                       : take_row(path, &csv, &plan->rows, &room);
    if (!status && csv.memory)
        status = cli_message_memory();
    if (!status && plan->rows.count == 0)
        status = bad(path, &csv, 0, "the table has no rows under its names");
    carom_csv_end(&csv);
    fclose(csv.in);
    return status;
}
