/* The grid of starts of `carom basins` on a device: points at the period, judged here. */
#include "basins.h"
#include "device.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A grid under way. */
typedef struct device_grid {
    cli_basins *basins;
    cli_device *device;
    const carom_orbit_problem *problem;
    int first, count; /* cells of the batch */
    double *x, *values;
} device_grid;

static int make_task(cli_basins *b, const carom_scene *scene, cli_device_task *task)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    *task = (cli_device_task){.device = cli_option_value(b->arguments, "device", 0),
                              .kernel = content->kernel,
                              .n = shape->n,
                              .p = shape->p,
                              .parameters = content->parameter_count,
                              .most = b->cells,
                              .keep = CLI_DEVICE_PERIOD,
                              .skip = b->skip,
                              .limit = (long)b->skip + CAROM_ORBIT_SETTLE_POINTS,
                              .options = b->orbit.options};
    const char *reason = cli_device_friction(shape);
    return reason ? cli_message_usage("basins: --device: %s", reason)
                  : cli_device_law(b->arguments, &b->orbit.law, task);
}

static void set_cell(device_grid *g, int k)
{
    const cli_orbit *o = &g->basins->orbit;
    const double t = o->content->initial.t, period = o->content->period;
    cli_basins_start(g->basins, g->first + k, o, g->x);
    const cli_device_start start = {
        .t = t,
        .until = t + period * (g->basins->skip + CAROM_ORBIT_SETTLE_POINTS + 2),
        .next = t + period,
        .period = period,
        .q = g->x,
        .u = g->x + o->shape->n,
        .parameters = g->values,
        .contacts = o->shape->contacts};
    cli_device_set(g->device, k, &start);
}

static void show(void *self, long ended)
{
    device_grid *g = self;
    if (cli_progress_due(&g->basins->orbit.progress))
        fprintf(stderr, "\r%ld of %d cells ", g->first + ended, g->basins->cells);
}

/* The fates of the motions that have ended. */
static int judge(device_grid *g)
{
    cli_basins *b = g->basins;
    carom_error error = {0};
    for (int k = 0; k < g->count; k++) {
        cli_device_motion m;
        cli_device_get(g->device, k, &m);
        if (m.end == CLI_DEVICE_RUNNING)
            continue;
        carom_orbit_attractor *fate = &b->fates[g->first + k];
        if (carom_orbit_settle_points(g->problem, (int)m.count, m.points, b->tolerance,
                                      b->orbit.arena, fate, &error) == CAROM_ERROR_MEMORY)
            return cli_message_memory();
        b->ready[g->first + k] = 1;
    }
    return CLI_ANSWERED;
}

static int run_batches(device_grid *g)
{
    cli_basins *b = g->basins;
    const long room = cli_device_room(g->device);
    int status = CLI_ANSWERED;
    cli_progress_begin(&b->orbit.progress);
    for (g->first = 0; g->first < b->cells && !status && !cli_watch_stopped();
         g->first += g->count) {
        g->count = b->cells - g->first < room ? b->cells - g->first : (int)room;
        for (int k = 0; k < g->count; k++)
            set_cell(g, k);
        status = cli_device_run(g->device, g->count, show, g);
        if (!status)
            status = judge(g);
    }
    cli_progress_end(&b->orbit.progress);
    return status;
}

int cli_basins_device(cli_basins *b)
{
    device_grid g = {.basins = b};
    carom_scene *scene = NULL;
    cli_device_task task;
    carom_orbit_problem problem;
    const carom_scene_content *content = b->orbit.content;
    if (content->section)
        return cli_message_usage("basins: --device samples motions at the scene's `period`; this "
                                 "scene has a `section`");
    if (cli_option_given(b->arguments, "journal"))
        return cli_message_usage("basins: a device computes all cells at once: no --journal");
    int status = cli_device_scene(b->arguments, b->orbit.scene, &scene);
    if (!status)
        status = make_task(b, scene, &task);
    if (!status)
        status = cli_orbit_problem(b->arguments, &b->orbit, &problem);
    if (!status)
        status = cli_device_open(&task, &g.device);
    g.problem = &problem;
    g.x = calloc(2 * (size_t)b->orbit.shape->n, sizeof *g.x);
    g.values = calloc((size_t)content->parameter_count + 1, sizeof *g.values);
    if (!status && (!g.x || !g.values))
        status = cli_message_memory();
    for (int k = 0; !status && k < content->parameter_count; k++)
        g.values[k] = content->parameters[k].value;
    if (!status)
        status = run_batches(&g);
    free(g.x);
    free(g.values);
    cli_device_close(g.device);
    carom_scene_destroy(scene);
    return status;
}
