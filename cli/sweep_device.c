/* A sweep on a device: its cells in batches of motions, their rows in order. */
#include "device.h"
#include "run.h"
#include "sweep.h"
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sweep under way. */
struct cli_sweep_device {
    const cli_sweep_plan *plan;
    const cli_sweep_taker *taker;
    cli_sweep_course *course;
    cli_device *device;
    cli_progress progress;
    long first, count; /* cells of the batch */
    char (
        *refused)[CLI_SWEEP_STATUS]; /* by cell of the batch: what is wrong with it, "": nothing */
    double *values;                  /* of parameters */
    carom_scene *scene;              /* with the program of the device */
};

/* What the command line asks for that a device does not do. */
static int check(const cli_sweep_plan *plan)
{
    if (!plan->moves)
        return cli_message_usage("sweep: --device runs motions; this scene has no `run`");
    if (plan->follow)
        return cli_message_usage("sweep: --device cannot --follow: cells run side by side");
    if (plan->keep == CLI_KEEP_ORBIT)
        return cli_message_usage("sweep: --device cannot --keep orbit");
    const carom_scene_section *section = carom_scene_get(plan->scene)->section;
    if (plan->keep == CLI_KEEP_SECTION && section && section->kind == CAROM_SCENE_SECTION_EVENT)
        return cli_message_usage("sweep: --device cannot --keep section at a formula or an event");
    if (plan->law_count > 1)
        return cli_message_usage("sweep: --device takes one law at a time");
    if (plan->modes > 0)
        return cli_message_usage("sweep: --device cannot tell --with modes");
    return CLI_ANSWERED;
}

static int make_task(const cli_sweep_plan *plan, const carom_scene *scene, cli_device_task *task)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    const carom_scene_section *section = content->section;
    carom_law law;
    carom_error error = {0};
    int status = check(plan);
    *task = (cli_device_task){.device = cli_option_value(plan->arguments, "device", 0),
                              .kernel = content->kernel,
                              .n = shape->n,
                              .p = shape->p,
                              .parameters = content->parameter_count,
                              .most = plan->cells,
                              .skip = plan->skip};
    if (!status && carom_scene_choose_law(plan->scene, plan->laws[0], &law, NULL, &error))
        status = cli_message_law(&error);
    if (!status)
        status =
            cli_motion_options(plan->arguments, plan->arguments->files[0], scene, &task->options);
    if (!status)
        status = cli_device_law(plan->arguments, &law, task);
    if (!status && task->options.method != CAROM_FLOW_EVENT_DRIVEN)
        status = cli_message_usage("sweep: --device runs event-driven motions only");
    if (plan->keep == CLI_KEEP_IMPACTS)
        task->keep = CLI_DEVICE_IMPACTS;
    else if (plan->keep == CLI_KEEP_SECTION)
        task->keep = section ? CLI_DEVICE_CONTACT : CLI_DEVICE_PERIOD;
    task->section = section ? section->index : 0;
    return status;
}

int cli_sweep_device_print(const cli_sweep_plan *plan)
{
    carom_scene *scene = NULL;
    cli_device_task task;
    int status = cli_device_scene(plan->arguments, plan->scene, &scene);
    if (!status)
        status = make_task(plan, scene, &task);
    if (!status)
        cli_device_print(&task);
    carom_scene_destroy(scene);
    return status;
}

/* A cell must be the same system as the one that was compiled. */
static carom_status check_cell(const cli_sweep_device *s, const carom_scene_content *content,
                               carom_error *error)
{
    const carom_system_shape *own = carom_system_get_shape(content->system);
    const carom_system_shape *all = carom_system_get_shape(carom_scene_get(s->plan->scene)->system);
    if (own->n != all->n || own->p != all->p)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "another number of coordinates or contacts: not on a device");
    const char *reason = cli_device_friction(own);
    return reason ? carom_error_set(error, CAROM_ERROR_UNSUPPORTED, "%s", reason) : CAROM_OK;
}

/* The first point by time, and the time between them (cli/sweep_motion.c has the same). */
static void find_period(const cli_sweep_device *s, const carom_scene_content *content,
                        cli_device_start *start)
{
    start->next = INFINITY;
    start->period = content->period;
    if (s->plan->keep != CLI_KEEP_SECTION || content->section || !(content->period > 0))
        return;
    const double turns = start->t / content->period;
    start->next = cli_sweep_points_is_multiple(start->t, content->period)
                      ? start->t + content->period
                      : content->period * ceil(turns);
}

/* The values of a scene go to the device as motion k. */
static void set_scene(const cli_sweep_device *s, long k, const carom_scene_content *content,
                      double until)
{
    cli_device_start start = {.t = content->initial.t,
                              .until = until,
                              .q = content->initial.q,
                              .u = content->initial.u,
                              .parameters = s->values,
                              .contacts = carom_system_get_shape(content->system)->contacts};
    for (int j = 0; j < content->parameter_count; j++)
        s->values[j] = content->parameters[j].value;
    find_period(s, content, &start);
    cli_device_set(s->device, k, &start);
}

/* One cell; what is wrong with it is its status, and its motion ends where it starts. */
static void set_cell(cli_sweep_device *s, long k)
{
    carom_scene *scene = NULL;
    carom_flow_options options;
    carom_error error = {0};
    const carom_scene_content *all = carom_scene_get(s->plan->scene);
    carom_status status = cli_sweep_task_scene(s->plan, s->first + k, &scene, &error);
    if (!status)
        status = check_cell(s, carom_scene_get(scene), &error);
    if (!status &&
        cli_motion_options(s->plan->arguments, s->plan->arguments->files[0], scene, &options))
        status = carom_error_set(&error, CAROM_ERROR_INPUT, "the options do not fit the scene");
    s->refused[k][0] = '\0';
    if (status)
        snprintf(s->refused[k], sizeof *s->refused, "%.150s",
                 error.text[0] ? error.text : carom_status_text(status));
    set_scene(s, k, status ? all : carom_scene_get(scene), status ? all->initial.t : options.until);
    carom_scene_destroy(scene);
}

/* events: events of the system have a column, and they set nothing. */
static void write_end(const cli_device_motion *m, int n, bool events, double *out)
{
    *out++ = m->t;
    memcpy(out, m->q, (size_t)n * sizeof *out);
    memcpy(out + n, m->u, (size_t)n * sizeof *out);
    const double rest[] = {(double)m->impacts,
                           (double)m->accumulations,
                           m->energy_initial,
                           m->energy_final,
                           m->energy_impacts,
                           m->energy_friction,
                           m->energy_forces,
                           m->energy_final - m->energy_initial -
                               (m->energy_impacts + m->energy_friction + m->energy_forces),
                           m->penetration};
    memcpy(out + 2 * n, rest, sizeof rest);
    if (events)
        out[2 * n + (int)(sizeof rest / sizeof *rest)] = 0;
}

/* The rows of a motion that was run. */
static carom_status write_motion(const cli_sweep_device *s, long k, const cli_device_motion *m,
                                 cli_sweep_rows *rows, carom_error *error)
{
    const carom_system_shape *shape =
        carom_system_get_shape(carom_scene_get(s->plan->scene)->system);
    const int n = shape->n;
    const bool formulas = cli_sweep_points_has_formulas(s->plan);
    carom_scene *scene = s->plan->scene, *own = NULL;
    cli_sweep_points points = {0};
    carom_status status =
        formulas ? cli_sweep_task_scene(s->plan, s->first + k, &own, error) : CAROM_OK;
    if (!status)
        status = cli_sweep_points_open(s->plan, own ? own : scene, &points, error);
    double *row = !status && s->plan->keep == CLI_KEEP_FINAL ? cli_sweep_task_row(rows, 0) : NULL;
    if (row) {
        write_end(m, n, shape->event_count > 0, row);
        cli_sweep_points_plot(&points, m->t, m->q, m->u, row);
    }
    for (long j = 0; !status && j < m->count && !rows->memory; j++) {
        const double *x = m->points + j * (1 + 2 * n);
        if ((row = cli_sweep_task_row(rows, 0)))
            cli_sweep_points_write(&points, x[0], x + 1, x + 1 + n, s->plan->skip + j + 1, row);
    }
    cli_sweep_points_close(&points);
    carom_scene_destroy(own);
    return status;
}

/* The rows of a cell, one at least. */
static void write_rows(const cli_sweep_device *s, long k, const cli_device_motion *m,
                       cli_sweep_rows *rows)
{
    carom_error error = {0};
    const bool good = m->end == CLI_DEVICE_REACHED || m->end == CLI_DEVICE_ENOUGH;
    const char *said = cli_device_end_text(m->end);
    carom_status status = CAROM_OK;
    if (s->refused[k][0])
        said = s->refused[k];
    else if ((status = write_motion(s, k, m, rows, &error)))
        said = error.text;
    else if (good && s->plan->keep != CLI_KEEP_FINAL && rows->count == 0)
        said = "no points";
    snprintf(rows->status[0], CLI_SWEEP_STATUS, "%.150s", said);
    rows->failures = !good || s->refused[k][0] || status;
    if (rows->count == 0 && !rows->memory)
        cli_sweep_task_row(rows, 0);
}

/* Hand on what is complete from the start of the batch. */
static int take_batch(cli_sweep_device *s)
{
    int status = CLI_ANSWERED;
    for (long k = 0; k < s->count && !status; k++) {
        cli_device_motion m;
        cli_sweep_rows rows = {.width = cli_sweep_task_width(s->plan), .cells = 1};
        cli_device_get(s->device, k, &m);
        if (m.end == CLI_DEVICE_RUNNING)
            break;
        rows.status = calloc(1, sizeof *rows.status);
        rows.memory = !rows.status;
        if (rows.status)
            write_rows(s, k, &m, &rows);
        status = rows.memory ? cli_message_memory()
                             : s->taker->take(s->taker->self, s->first + k, &rows);
        s->course->failures += rows.failures;
        s->course->done += !status;
        cli_sweep_task_free(&rows);
    }
    return status ? status : s->taker->flush(s->taker->self);
}

static void show(void *self, long ended)
{
    cli_sweep_device *s = self;
    if (cli_progress_due(&s->progress))
        fprintf(stderr, "\r%ld of %ld cells ", s->first + ended, s->plan->cells);
}

static int run_batches(cli_sweep_device *s, long first)
{
    const long cells = s->plan->cells, room = cli_device_room(s->device);
    int status = CLI_ANSWERED;
    s->course->done = first;
    cli_progress_begin(&s->progress);
    for (s->first = first; s->first < cells && !status && !cli_watch_stopped();
         s->first += s->count) {
        s->count = cells - s->first < room ? cells - s->first : room;
        for (long k = 0; k < s->count; k++)
            set_cell(s, k);
        status = cli_device_run(s->device, s->count, show, s);
        if (!status)
            status = take_batch(s);
    }
    cli_progress_end(&s->progress);
    return status;
}

int cli_sweep_device_open(const cli_sweep_plan *plan, cli_sweep_device **device)
{
    cli_sweep_device *s = *device = calloc(1, sizeof *s);
    cli_device_task task;
    if (!s)
        return cli_message_memory();
    s->plan = plan;
    int status = check(plan);
    if (!status)
        status = cli_device_scene(plan->arguments, plan->scene, &s->scene);
    if (!status)
        status = make_task(plan, s->scene, &task);
    if (!status)
        status = cli_device_open(&task, &s->device);
    if (!status) {
        s->refused = calloc((size_t)cli_device_room(s->device), sizeof *s->refused);
        s->values = calloc((size_t)task.parameters + 1, sizeof *s->values);
        status = s->refused && s->values ? CLI_ANSWERED : cli_message_memory();
    }
    return status;
}

int cli_sweep_device_run(cli_sweep_device *s, long first, const cli_sweep_taker *taker,
                         cli_sweep_course *course)
{
    s->taker = taker;
    s->course = course;
    return run_batches(s, first);
}

void cli_sweep_device_close(cli_sweep_device *s)
{
    if (!s)
        return;
    free(s->refused);
    free(s->values);
    cli_device_close(s->device);
    carom_scene_destroy(s->scene);
    free(s);
}
