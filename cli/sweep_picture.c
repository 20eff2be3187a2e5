/* --plot: what was asked for over what varies, as a diagram. */
#include "sweep.h"

#include "picture.h"
#include "pictures/diagram.h"

#include <stdlib.h>
#include <string.h>

/* The name across: that along which the sweep follows, else the first. */
static int across(const cli_sweep_plan *plan)
{
    return plan->follow ? plan->axis_count - 1 : 0;
}

static int series_of(const cli_sweep_plan *plan, long cell)
{
    const int turns = plan->follow == CLI_FOLLOW_BOTH ? 2 : 1;
    return cli_sweep_plan_law(plan, cell) * turns +
           (turns == 2 && cli_sweep_plan_turn(plan, cell) < 0);
}

static bool make_room(cli_sweep_picture *p, long more)
{
    if (p->count + more <= p->room)
        return true;
    const long room = 2 * p->room + more + 1024;
    double *xy = realloc(p->xy, 2 * (size_t)room * sizeof *xy);
    p->xy = xy ? xy : p->xy;
    int *series = xy ? realloc(p->series, (size_t)room * sizeof *series) : NULL;
    p->series = series ? series : p->series;
    p->room = series ? room : p->room;
    return series != NULL;
}

int cli_sweep_picture_add(const cli_sweep_plan *plan, long task, const cli_sweep_rows *rows,
                          cli_sweep_picture *p)
{
    if (!make_room(p, rows->count))
        return cli_message_memory();
    for (long k = 0; k < rows->count; k++) {
        const long cell = task * plan->chain + rows->cell[k];
        p->xy[2 * p->count] = plan->varied ? cli_sweep_plan_value(plan, cell, across(plan)) : 0;
        p->xy[2 * p->count + 1] = rows->values[k * rows->width + plan->columns];
        p->series[p->count++] = series_of(plan, cell);
    }
    return CLI_ANSWERED;
}

/* "newton up": what tells a series from the others. */
static int name_series(const cli_sweep_plan *plan, char (*names)[96], const char **list)
{
    const int turns = plan->follow == CLI_FOLLOW_BOTH ? 2 : 1;
    for (int k = 0; k < plan->law_count * turns; k++) {
        const char *turn = turns == 1 ? "" : k % 2 ? "down" : "up";
        const char *law = plan->law_count > 1 ? plan->laws[k / turns] : "";
        snprintf(names[k], sizeof *names, "%.80s%s%s", law, *law && *turn ? " " : "", turn);
        list[k] = names[k];
    }
    return plan->law_count * turns;
}

static int draw(const cli_sweep_plan *plan, carom_diagram *d, const char *path)
{
    carom_error error = {0};
    char *text, unit[4];
    size_t size;
    int status = cli_picture_width(plan->arguments, &d->width, unit);
    if (status)
        return status;
    d->unit = unit;
    if (carom_diagram_draw(d, NULL, &text, &size, &error))
        return error.status == CAROM_ERROR_ARGUMENT ? cli_message_usage("sweep: %s", error.text)
                                                    : cli_message_error(NULL, &error);
    status = cli_picture_write(plan->arguments, path, text, size);
    free(text);
    return status;
}

int cli_sweep_picture_write(const cli_sweep_plan *plan, const cli_sweep_picture *p,
                            const char *path)
{
    const carom_scene_content *content = carom_scene_get(plan->scene);
    char(*names)[96] = calloc((size_t)plan->law_count * 2, sizeof *names);
    const char **list = calloc((size_t)plan->law_count * 2, sizeof *list);
    int status = CLI_MACHINE;
    if (names && list) {
        carom_diagram d = {.title = content->title ? content->title : "Sweep",
                           .x = plan->varied ? plan->names[across(plan)] : "",
                           .y = plan->plotted,
                           .series_count = name_series(plan, names, list),
                           .series = list,
                           .count = p->count,
                           .xy = p->xy,
                           .of = p->series,
                           .bare = cli_option_given(plan->arguments, "bare")};
        status = draw(plan, &d, path);
    } else {
        status = cli_message_memory();
    }
    free(names);
    free((void *)list);
    return status;
}

void cli_sweep_picture_free(cli_sweep_picture *p)
{
    free(p->xy);
    free(p->series);
}
