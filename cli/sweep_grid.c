/* The grid of a sweep: parameters and their values. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int bad(const char *text, const char *why)
{
    return cli_message_usage("sweep: --vary '%s': %s; write name=from:to:count or name=a,b,c", text,
                             why);
}

/* A number that ends at a colon, a comma or the end of the text; *text goes on behind that. */
static bool take_number(const char **text, char end, double *number)
{
    char copy[64];
    size_t length = strcspn(*text, ":,");
    if (length == 0 || length >= sizeof copy || (*text)[length] != end)
        return false;
    snprintf(copy, sizeof copy, "%.*s", (int)length, *text);
    *text += length + (end != '\0');
    return carom_number_parse(copy, number) && isfinite(*number);
}

/* a:b:n */
static int read_range(const char *text, const char *rest, cli_axis *axis)
{
    double from, to, count;
    if (!take_number(&rest, ':', &from))
        return bad(text, "the start of the range is not a number");
    if (!strchr(rest, ':'))
        return bad(text, "the count is missing");
    if (!take_number(&rest, ':', &to))
        return bad(text, "the end of the range is not a number");
    if (!take_number(&rest, '\0', &count) || !(count >= 1 && count <= 1e8) || count != floor(count))
        return bad(text, "the count is not a whole number from 1 to 100000000");
    axis->count = (int)count;
    axis->values = malloc((size_t)axis->count * sizeof(double));
    if (!axis->values)
        return cli_message_memory();
    for (int k = 0; k < axis->count; k++) /* both ends exactly */
        axis->values[k] = axis->count == 1       ? from
                          : k == axis->count - 1 ? to
                                                 : from + (to - from) * k / (axis->count - 1);
    return CLI_ANSWERED;
}

/* a,b,c */
static int read_list(const char *text, const char *rest, cli_axis *axis)
{
    int count = 1;
    for (const char *c = rest; *c; c++)
        count += *c == ',';
    axis->values = malloc((size_t)count * sizeof(double));
    if (!axis->values)
        return cli_message_memory();
    for (int k = 0; k < count; k++)
        if (!take_number(&rest, k == count - 1 ? '\0' : ',', &axis->values[k]))
            return bad(text, "a value is not a finite number");
    axis->count = count;
    return CLI_ANSWERED;
}

int cli_grid_make(const cli_arguments *arguments, cli_grid *grid)
{
    *grid = (cli_grid){.cells = 1};
    while (cli_option_value(arguments, "vary", grid->axis_count))
        grid->axis_count++;
    grid->axes = calloc((size_t)grid->axis_count + 1, sizeof *grid->axes);
    if (!grid->axes)
        return cli_message_memory();
    if (grid->axis_count == 0)
        return cli_message_usage("sweep: nothing varies; give --vary name=from:to:count");
    for (int k = 0; k < grid->axis_count; k++) {
        const char *text = cli_option_value(arguments, "vary", k), *equals = strchr(text, '=');
        if (!equals || equals == text)
            return bad(text, "there is no name");
        grid->axes[k].name = strndup(text, (size_t)(equals - text));
        if (!grid->axes[k].name)
            return cli_message_memory();
        for (int j = 0; j < k; j++)
            if (strcmp(grid->axes[j].name, grid->axes[k].name) == 0)
                return bad(text, "this parameter varies already");
        int status = strchr(equals, ':') ? read_range(text, equals + 1, &grid->axes[k])
                                         : read_list(text, equals + 1, &grid->axes[k]);
        if (status)
            return status;
        grid->cells *= grid->axes[k].count;
        if (grid->cells > 1000000000)
            return cli_message_usage("sweep: more than 1e9 cells");
    }
    return CLI_ANSWERED;
}

double cli_grid_value(const cli_grid *grid, long cell, int axis)
{
    for (int k = grid->axis_count - 1; k > axis; k--)
        cell /= grid->axes[k].count;
    return grid->axes[axis].values[cell % grid->axes[axis].count];
}

void cli_grid_free(cli_grid *grid)
{
    for (int k = 0; k < grid->axis_count && grid->axes; k++) {
        free(grid->axes[k].name);
        free(grid->axes[k].values);
    }
    free(grid->axes);
}
