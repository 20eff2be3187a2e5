/* --vary: parameters and their values. */
#include "sweep_plan.h"

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

/* One --vary into the axis k. */
static int read_axis(cli_sweep_plan *plan, int k)
{
    const char *text = cli_option_value(plan->arguments, "vary", k), *equals = strchr(text, '=');
    cli_axis *axis = &plan->axes[k];
    if (!equals || equals == text)
        return bad(text, "there is no name");
    axis->name = strndup(text, (size_t)(equals - text));
    if (!axis->name)
        return cli_message_memory();
    return strchr(equals, ':') ? read_range(text, equals + 1, axis)
                               : read_list(text, equals + 1, axis);
}

int cli_sweep_vary_read(cli_sweep_plan *plan)
{
    int status = CLI_ANSWERED;
    while (cli_option_value(plan->arguments, "vary", plan->axis_count))
        plan->axis_count++;
    plan->axes = calloc((size_t)plan->axis_count + 1, sizeof *plan->axes);
    if (!plan->axes)
        return cli_message_memory();
    for (int k = 0; k < plan->axis_count && !status; k++)
        status = read_axis(plan, k);
    return status;
}
