/* The motion of one cell: its end, or points on the way (impacts, the section, multiples of the
 * period). */
#include "sweep_task.h"

#include "run.h"
#include "watch.h"

#include <math.h>
#include <string.h>

/* A motion being watched. */
typedef struct course {
    const cli_sweep_plan *plan;
    carom_scene *scene;
    const carom_scene_content *content;
    const carom_system_shape *shape;
    cli_sweep_rows *rows;
    int cell;
    long points; /* so far, those that are skipped too */
    cli_sweep_points written;
    double from;         /* period: rows up to this time are no points */
    unsigned char *mode; /* of the contacts in the last row; NULL: not asked for */
} course;

static carom_status add_point(course *c, double t, const double *q, const double *u,
                              carom_error *error)
{
    if (++c->points <= c->plan->skip)
        return CAROM_OK;
    double *row = cli_sweep_task_row(c->rows, c->cell);
    if (!row)
        return carom_error_memory(error);
    cli_sweep_points_write(&c->written, t, q, u, c->points, row);
    return CAROM_OK;
}

static bool takes(const course *c, carom_scene_section_kind kind)
{
    return c->plan->keep == CLI_KEEP_SECTION && c->content->section &&
           c->content->section->kind == kind;
}

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    course *c = self;
    bool kept = c->plan->keep == CLI_KEEP_IMPACTS;
    if (takes(c, CAROM_SCENE_SECTION_CONTACT))
        for (int k = 0; k < impact->contact_count && !kept; k++)
            kept = impact->contacts[k] == c->content->section->index && impact->impulse[k] > 0;
    return kept ? add_point(c, impact->t, impact->q, impact->after, error) : CAROM_OK;
}

static carom_status on_instant(void *self, const carom_flow_instant *instant, carom_error *error)
{
    course *c = self;
    if (!takes(c, CAROM_SCENE_SECTION_EVENT) || instant->event != c->content->section->index)
        return CAROM_OK;
    return add_point(c, instant->t, instant->q, instant->u, error);
}

static carom_status on_row(void *self, const carom_flow_row *row, carom_error *error)
{
    course *c = self;
    const double period = c->content->period;
    if (!(row->t > c->from) || !cli_sweep_points_is_multiple(row->t, period))
        return CAROM_OK; /* the start, or the end of a motion that is no multiple */
    return add_point(c, row->t, row->q, row->u, error);
}

/* What contacts do; the last row is the end. */
static carom_status on_mode(void *self, const carom_flow_row *row, carom_error *error)
{
    course *c = self;
    (void)error;
    memcpy(c->mode, row->mode, (size_t)c->shape->p);
    return CAROM_OK;
}

static carom_status look_at_signal(void *self, double t, long steps, carom_error *error)
{
    (void)self;
    (void)t;
    (void)steps;
    (void)error;
    return cli_watch_stopped() ? CAROM_STOPPED : CAROM_OK;
}

/* The final state and the ledger. */
static carom_status add_end(course *c, const carom_flow_result *result, carom_error *error)
{
    double *row = cli_sweep_task_row(c->rows, c->cell), *out = row;
    const carom_flow_ledger *l = &result->ledger;
    if (!row)
        return carom_error_memory(error);
    *out++ = result->t;
    memcpy(out, result->q, (size_t)c->shape->nq * sizeof *out);
    memcpy(out + c->shape->nq, result->u, (size_t)c->shape->n * sizeof *out);
    out += c->shape->nq + c->shape->n;
    *out++ = (double)result->impact_count;
    *out++ = (double)result->accumulation_count;
    for (int k = 0; k < CLI_SWEEP_ENERGIES; k++)
        *out++ = carom_flow_entries_value(l, cli_sweep_columns_energies[k]);
    *out++ = l->balance_error;
    *out++ = result->max_penetration;
    if (c->shape->event_count > 0)
        *out++ = l->events;
    for (int i = 0; i < c->plan->modes; i++)
        out[i] = c->mode[i];
    cli_sweep_points_plot(&c->written, result->t, result->q, result->u, row);
    return CAROM_OK;
}

/* Run, in two pieces where points are taken at multiples of a period at which it does not start:
 * rows are counted from the start of a run. */
static carom_status run_pieces(course *c, const carom_law *law, const carom_flow_start *start,
                               carom_flow_options *options, carom_arena *arena,
                               carom_flow_result *result, carom_error *error)
{
    const double period = c->content->period, until = options->until;
    const bool periods = c->plan->keep == CLI_KEEP_SECTION && !c->content->section && period > 0;
    carom_flow_observer observer = {
        .self = c, .impact = on_impact, .instant = on_instant, .progress = look_at_signal};
    carom_flow_start from = *start;
    if (c->mode)
        observer.row = on_mode;
    options->output = 0;
    options->keep_impacts = 0;
    if (periods && !cli_sweep_points_is_multiple(start->t, period)) {
        options->until = fmin(until, period * ceil(start->t / period));
        carom_status status = carom_flow_run(c->content->system, law, &from, options, &observer,
                                             arena, result, error);
        if (status || !(options->until < until))
            return status;
        from = (carom_flow_start){result->t, result->q, result->u};
        options->until = until;
        status = add_point(c, result->t, result->q, result->u, error);
        if (status)
            return status;
    }
    c->from = from.t;
    if (periods) {
        observer.row = on_row;
        options->output = period;
    }
    return carom_flow_run(c->content->system, law, &from, options, &observer, arena, result, error);
}

/* Where the motion goes on: the last state of the one before, at the same phase of the period; time
 * goes on where there is none. */
static carom_flow_start choose_start(const course *c, const cli_sweep_state *before,
                                     carom_flow_options *options)
{
    const carom_flow_start initial = c->content->initial;
    const double span = options->until - initial.t, period = c->content->period;
    carom_flow_start start = {before->t, before->q, before->u};
    if (!before->known)
        return initial;
    if (before->period > 0 && period > 0) {
        const double turns = before->t / before->period;
        start.t = cli_sweep_points_is_multiple(before->t, before->period)
                      ? 0
                      : period * (turns - floor(turns));
    }
    options->until = start.t + span;
    return start;
}

static void leave_state(const course *c, const carom_flow_result *result, cli_sweep_state *before)
{
    before->known = true;
    before->t = result->t;
    before->period = c->content->period;
    memcpy(before->q, result->q, (size_t)c->shape->nq * sizeof(double));
    memcpy(before->u, result->u, (size_t)c->shape->n * sizeof(double));
}

/* From where the last cell ended; where that is no place to start from (a wall has moved over it),
 * from `initial`. */
static carom_status run_from(course *c, const carom_law *law, const cli_sweep_state *before,
                             carom_arena *arena, carom_flow_result *result, carom_error *error)
{
    carom_flow_options options;
    if (cli_motion_options(c->plan->arguments, c->plan->arguments->files[0], c->scene, &options))
        return carom_error_set(error, CAROM_ERROR_INPUT, "the options do not fit the scene");
    carom_flow_options own = options;
    carom_flow_start start = choose_start(c, before, &own);
    carom_status status = run_pieces(c, law, &start, &own, arena, result, error);
    if (status != CAROM_ERROR_INPUT || !before->known)
        return status;
    *error = (carom_error){0};
    snprintf(c->rows->status[c->cell], CLI_SWEEP_STATUS, "ok, from initial");
    return run_pieces(c, law, &c->content->initial, &options, arena, result, error);
}

carom_status cli_sweep_motion_run(const cli_sweep_plan *plan, carom_scene *scene,
                                  const carom_law *law, carom_arena *arena, int cell,
                                  cli_sweep_state *before, cli_sweep_rows *rows, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(scene);
    course c = {.plan = plan,
                .scene = scene,
                .content = content,
                .shape = carom_system_get_shape(content->system),
                .rows = rows,
                .cell = cell};
    carom_flow_result result;
    const long first = rows->count;
    if (plan->modes > 0 && !(c.mode = carom_arena_take(arena, (size_t)plan->modes + 1)))
        return carom_error_memory(error);
    carom_status status = cli_sweep_points_open(plan, scene, &c.written, error);
    if (!status)
        status = run_from(&c, law, before, arena, &result, error);
    if (status >= 0) {
        rows->stopped = result.end == CAROM_FLOW_STOPPED;
        rows->failures += status != CAROM_OK;
        if (status)
            snprintf(rows->status[cell], CLI_SWEEP_STATUS, "%s", carom_flow_end_text(result.end));
        else if (plan->keep != CLI_KEEP_FINAL && rows->count == first && c.points > 0)
            snprintf(rows->status[cell], CLI_SWEEP_STATUS,
                     "no points: the motion has %ld and --skip leaves out the first %ld", c.points,
                     plan->skip);
        else if (plan->keep != CLI_KEEP_FINAL && rows->count == first)
            snprintf(rows->status[cell], CLI_SWEEP_STATUS, "no points");
        if (status == CAROM_OK && plan->follow)
            leave_state(&c, &result, before);
        else
            before->known = false;
        status = plan->keep == CLI_KEEP_FINAL ? add_end(&c, &result, error) : CAROM_OK;
    }
    cli_sweep_points_close(&c.written);
    return status;
}
