/* Statistics of a sweep instead of its rows: over the rows of a table, over samples, over the
 * points of a motion; one line for each combination of --vary and law. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATISTICS = 32 };

typedef enum kind { MEAN, DEVIATION, LEAST, MOST, QUANTILE } kind;

typedef struct statistic {
    kind kind;
    double part; /* of a quantile */
    char name[32];
} statistic;

/* The numbers of one group, row after row. */
typedef struct group {
    long count, room, failed;
    double *values; /* count x columns */
} group;

struct cli_sweep_summary {
    const cli_sweep_plan *plan;
    int count;
    statistic statistics[MOST_STATISTICS];
    long groups;
    group *group;
    long *cell; /* groups: one of its cells, -1: none yet */
};

static bool read_statistic(const char *text, statistic *s)
{
    static const char *const words[] = {"mean", "sd", "min", "max"};
    snprintf(s->name, sizeof s->name, "%.30s", text);
    for (int k = 0; k < 4; k++)
        if (strcmp(text, words[k]) == 0) {
            s->kind = (kind)k;
            return true;
        }
    s->kind = QUANTILE;
    snprintf(s->name, sizeof s->name, "q%.29s", text);
    return carom_number_parse(text, &s->part) && s->part >= 0 && s->part <= 1;
}

static int read_statistics(const char *text, cli_sweep_summary *summary)
{
    while (*text) {
        char word[31];
        size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 30 ? length : 30), text);
        if (summary->count == MOST_STATISTICS || length > 30 ||
            !read_statistic(word, &summary->statistics[summary->count++]))
            return cli_message_usage("sweep: --summary '%s': there are mean, sd, min, max and "
                                     "quantiles from 0 to 1, as in mean,0.05,0.5,0.95",
                                     word);
        text += length + (text[length] == ',');
    }
    return summary->count ? CLI_ANSWERED
                          : cli_message_usage("sweep: --summary: name a statistic, as in mean,sd");
}

int cli_sweep_summary_make(const cli_sweep_plan *plan, cli_sweep_summary **summary)
{
    cli_sweep_summary *s = *summary = calloc(1, sizeof *s);
    if (!s)
        return cli_message_memory();
    s->plan = plan;
    s->groups = cli_sweep_plan_groups(plan);
    s->group = calloc((size_t)s->groups, sizeof *s->group);
    s->cell = calloc((size_t)s->groups, sizeof *s->cell);
    if (!s->group || !s->cell)
        return cli_message_memory();
    for (long k = 0; k < s->groups; k++)
        s->cell[k] = -1;
    return read_statistics(cli_option_value(plan->arguments, "summary", 0), s);
}

static bool keep_row(group *g, const double *values, int columns)
{
    if (g->count == g->room) {
        const long room = 2 * g->room + 16;
        double *more = realloc(g->values, (size_t)room * (size_t)columns * sizeof *more);
        if (!more)
            return false;
        g->values = more;
        g->room = room;
    }
    memcpy(g->values + g->count++ * columns, values, (size_t)columns * sizeof *values);
    return true;
}

int cli_sweep_summary_add(cli_sweep_summary *s, long task, const cli_sweep_rows *rows)
{
    const cli_sweep_plan *plan = s->plan;
    int failed = -1;
    for (long k = 0; k < rows->count; k++) {
        const long cell = task * plan->chain + rows->cell[k];
        const long number = cli_sweep_plan_group(plan, cell);
        group *g = &s->group[number];
        s->cell[number] = cell;
        const bool good = strncmp(rows->status[rows->cell[k]], "ok", 2) == 0;
        if (!good && rows->cell[k] != failed) {
            failed = rows->cell[k];
            g->failed++;
        }
        if (good && !keep_row(g, rows->values + k * rows->width, plan->columns))
            return cli_message_memory();
    }
    return CLI_ANSWERED;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One statistic of ascending numbers. Quantiles lie between the two that are next to them, linearly
 * (the part p at place p (n - 1)). */
static double evaluate(const statistic *s, const double *x, long n)
{
    double mean = 0, squares = 0;
    if (n == 0)
        return NAN;
    if (s->kind == QUANTILE) {
        const double place = s->part * (double)(n - 1);
        const long below = (long)floor(place);
        return below + 1 < n ? x[below] + (place - (double)below) * (x[below + 1] - x[below])
                             : x[n - 1];
    }
    if (s->kind == LEAST || s->kind == MOST)
        return s->kind == LEAST ? x[0] : x[n - 1];
    for (long k = 0; k < n; k++)
        mean += (x[k] - mean) / (double)(k + 1);
    for (long k = 0; k < n; k++)
        squares += (x[k] - mean) * (x[k] - mean);
    return s->kind == MEAN ? mean : n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

/* count, failed, then every statistic of every column. */
static bool evaluate_group(const cli_sweep_summary *s, const group *g, double *out)
{
    const int columns = s->plan->columns;
    double *x = malloc(((size_t)g->count + 1) * sizeof *x);
    if (!x)
        return false;
    *out++ = (double)g->count;
    *out++ = (double)g->failed;
    for (int j = 0; j < columns; j++) {
        long n = 0;
        for (long k = 0; k < g->count; k++)
            if (isfinite(g->values[k * columns + j]))
                x[n++] = g->values[k * columns + j];
        qsort(x, (size_t)n, sizeof *x, compare);
        for (int i = 0; i < s->count; i++)
            *out++ = evaluate(&s->statistics[i], x, n);
    }
    free(x);
    return true;
}

static char **make_names(const cli_sweep_summary *s, int count)
{
    char **names = calloc((size_t)count + 1, sizeof *names);
    int made = 0;
    if (!names)
        return NULL;
    names[made++] = strdup("count");
    names[made++] = strdup("failed");
    for (int j = 0; j < s->plan->columns; j++)
        for (int i = 0; i < s->count; i++) {
            char name[256];
            snprintf(name, sizeof name, "%.200s:%s", s->plan->results[j], s->statistics[i].name);
            names[made++] = strdup(name);
        }
    return names;
}

static int write_groups(const cli_sweep_summary *s, cli_sweep_output *o, double *values)
{
    int status = CLI_ANSWERED;
    for (long k = 0; k < s->groups && !status; k++) {
        const char *labels[2];
        if (s->cell[k] < 0)
            continue; /* interrupted before it */
        for (int j = 0; j < o->varied; j++)
            values[o->columns + j] = cli_sweep_plan_value(s->plan, s->cell[k], j);
        cli_sweep_output_labels(s->plan, s->cell[k], labels);
        status = evaluate_group(s, &s->group[k], values)
                     ? cli_sweep_output_row(o, values + o->columns, labels,
                                            s->group[k].failed ? "some failed" : "ok", values)
                     : cli_message_memory();
    }
    return status;
}

int cli_sweep_summary_write(cli_sweep_summary *s, const char *path)
{
    const cli_sweep_plan *plan = s->plan;
    const int columns = 2 + plan->columns * s->count;
    char **names = make_names(s, columns);
    double *values = calloc((size_t)(columns + plan->axis_count) + 1, sizeof *values);
    cli_sweep_output o = cli_sweep_output_columns(plan);
    o.varied = plan->axis_count;
    o.columns = columns;
    o.results = (const char *const *)names;
    o.status_last = false;
    bool good = names && values;
    for (int k = 0; k < columns && good; k++)
        good = names[k] != NULL;
    int status = good ? cli_sweep_output_open(plan->arguments, path, &o) : cli_message_memory();
    if (!status) {
        cli_sweep_output_header(&o);
        status = write_groups(s, &o, values);
    }
    int closed = cli_sweep_output_close(&o);
    for (int k = 0; k < columns && names; k++)
        free(names[k]);
    free(names);
    free(values);
    return status ? status : closed;
}

void cli_sweep_summary_free(cli_sweep_summary *s)
{
    for (long k = 0; s && k < s->groups && s->group; k++)
        free(s->group[k].values);
    if (s) {
        free(s->group);
        free(s->cell);
    }
    free(s);
}
