/* carom basins FILE --vary x=a:b:n --vary x'=a:b:n: attractors, and which start goes to which. */
#include "basins.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The coordinate or velocity that an axis names, with or without `initial.` */
static int find_name(const cli_orbit *o, cli_basins_axis *axis)
{
    const char *name = axis->name;
    if (strncmp(name, "initial.", 8) == 0)
        name += 8;
    const char *names[128];
    int count = 0;
    for (int i = 0; i < o->shape->n && count < 126; i++) {
        names[count++] = o->shape->coordinates[i];
        names[count++] = o->shape->velocities[i];
    }
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) {
            axis->index = i / 2 + (i % 2) * o->shape->n;
            return CLI_ANSWERED;
        }
    return cli_message_unknown(name, names, count, "",
                               "basins: --vary %s: the scene has no such coordinate or velocity",
                               axis->name);
}

/* NAME=FROM:TO:COUNT */
static int read_axis(const char *text, cli_basins_axis *axis)
{
    const char *equals = strchr(text, '=');
    char range[200], *parts[3] = {range, NULL, NULL};
    double count;
    if (!equals || (size_t)(equals - text) >= sizeof axis->name)
        return cli_message_usage("basins: --vary %s: it must be NAME=FROM:TO:COUNT", text);
    snprintf(axis->name, sizeof axis->name, "%.*s", (int)(equals - text), text);
    snprintf(range, sizeof range, "%.190s", equals + 1);
    for (int k = 1; k < 3; k++) {
        parts[k] = parts[k - 1] ? strchr(parts[k - 1], ':') : NULL;
        if (parts[k])
            *parts[k]++ = '\0';
    }
    if (!parts[2] || !carom_number_parse(parts[0], &axis->from) ||
        !carom_number_parse(parts[1], &axis->to) || !carom_number_parse(parts[2], &count) ||
        !isfinite(axis->from) || !isfinite(axis->to) || !(axis->from < axis->to))
        return cli_message_usage("basins: --vary %s: it must be NAME=FROM:TO:COUNT, FROM < TO",
                                 text);
    if (count != floor(count) || count < 1 || count > 4000)
        return cli_message_usage("basins: --vary %s: COUNT must be from 1 to 4000", text);
    axis->count = (int)count;
    return CLI_ANSWERED;
}

static int read_numbers(const cli_arguments *arguments, cli_basins *b)
{
    b->skip = 200;
    b->tolerance = 1e-6;
    int status = cli_orbit_skip(arguments, &b->skip);
    return status ? status : cli_option_positive(arguments, "same", &b->tolerance);
}

static int open_basins(const cli_arguments *arguments, cli_basins *b)
{
    carom_orbit_problem problem;
    if (!cli_option_value(arguments, "vary", 1) || cli_option_value(arguments, "vary", 2))
        return cli_message_usage("basins: two values of `initial` vary: --vary x=FROM:TO:COUNT "
                                 "--vary x'=FROM:TO:COUNT");
    int status = cli_picture_check(arguments, cli_option_value(arguments, "output", 0));
    for (int k = 0; k < 2 && !status; k++)
        status = read_axis(cli_option_value(arguments, "vary", k), &b->axes[k]);
    if (!status)
        status = cli_orbit_open(arguments, &b->orbit);
    if (!status)
        status = cli_orbit_problem(arguments, &b->orbit, &problem);
    for (int k = 0; k < 2 && !status; k++)
        status = find_name(&b->orbit, &b->axes[k]);
    if (!status && b->axes[0].index == b->axes[1].index)
        status = cli_message_usage("basins: %s varies twice", b->axes[0].name);
    if (!status)
        status = read_numbers(arguments, b);
    if (status)
        return status;
    b->cells = b->axes[0].count * b->axes[1].count;
    b->fates = calloc((size_t)b->cells, sizeof *b->fates);
    b->ready = calloc((size_t)b->cells, 1);
    b->index = calloc((size_t)b->cells, sizeof *b->index);
    return b->fates && b->ready && b->index ? CLI_ANSWERED : cli_message_memory();
}

static void close_basins(cli_basins *b)
{
    free(b->fates);
    free(b->ready);
    free(b->index);
    cli_orbit_free(&b->orbit);
    free(b);
}

static int run(const cli_arguments *arguments)
{
    cli_basins *b = calloc(1, sizeof *b); /* it outlives this call when a thread does */
    if (!b)
        return cli_message_memory();
    b->arguments = arguments;
    const char *path = cli_option_value(arguments, "output", 0);
    int status = open_basins(arguments, b);
    if (!status)
        status =
            cli_option_given(arguments, "device") ? cli_basins_device(b) : cli_basins_compute(b);
    if (!status)
        status = cli_basins_classify(b);
    const bool stopped = !status && b->classified < b->cells;
    if (!status && path)
        status = cli_basins_picture(b, path);
    if (!status)
        status = cli_option_given(arguments, "json") ? cli_basins_json(b) : cli_basins_table(b);
    status = status ? status : stopped ? CLI_NO_ANSWER : CLI_ANSWERED;
    if (b->course.abandoned) { /* a thread is still at work with all this */
        status = cli_message_finish(status);
        _exit(status);
    }
    close_basins(b);
    return status;
}

static int help(const cli_arguments *arguments)
{
    cli_basins *b = calloc(1, sizeof *b);
    if (!b)
        return cli_message_memory();
    b->arguments = arguments;
    int status = open_basins(arguments, b);
    if (!status) {
        const cli_sweep_job job = cli_basins_job(b);
        status = cli_sweep_work_help(&job);
    }
    close_basins(b);
    return status;
}

static bool goes_on(const cli_arguments *arguments, const char *path)
{
    const char *journal = cli_option_value(arguments, "journal", 0);
    return cli_option_given(arguments, "resume") && journal && strcmp(journal, path) == 0;
}

static const cli_option options[] = {
    {"vary", "NAME=FROM:TO:COUNT", "a coordinate or velocity of `initial`; two of them", 0},
    {"skip", "N", "section points of the transient (200)", 0},
    {"same", "R", "points that differ by less of their size repeat (1e-6)", 0},
    {"device", "NAME", "run all cells on an accelerator: a part of its name, or any", 0},
    {"output", "FILE.svg|.pdf|.png", "draw the basins", 'o'},
    {"force", NULL, "write over an existing file", 0},
    {"journal", "FILE.cells", "keep the cells that are finished in this file", 0},
    {"resume", NULL, "go on with what the journal holds", 0},
    CLI_PICTURE_WIDTH,
    CLI_ORBIT_OPTIONS,
    {0},
};

const cli_command cli_basins_command = {
    .name = "basins",
    .arguments = "FILE",
    .summary = "attractors of a scene and their basins on a plane of initial values",
    .text =
        "Every cell of the grid is run over a transient of section points; attractors are told\n"
        "apart by the points after it. Fractions have Wilson's 95 % intervals.",
    .least_files = 1,
    .most_files = 1,
    .options = options,
    .outputs = (const char *const[]){"output", "journal", NULL},
    .replaces = goes_on,
    .kept = "--resume goes on with a journal, --force writes over it",
    .run = run,
    .help = help,
};
