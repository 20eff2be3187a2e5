/* A cell of `sweep --keep orbit`: the periodic motion that is found from its start. */
#include "orbit.h"
#include "run.h"
#include "sweep_task.h"

#include <math.h>
#include <string.h>

/* The search as `carom orbit` has it, of one scene of the sweep. */
static int state_problem(const cli_sweep_plan *plan, carom_scene *scene, const carom_law *law,
                         cli_orbit *o, carom_orbit_problem *problem)
{
    const carom_scene_content *content = carom_scene_get(scene);
    *o = (cli_orbit){.file = plan->arguments->files[0],
                     .scene = scene,
                     .content = content,
                     .shape = carom_system_get_shape(content->system),
                     .law = *law};
    int status = cli_motion_options(plan->arguments, o->file, scene, &o->options);
    o->options.output = 0;
    if (!status && o->options.method != CAROM_FLOW_EVENT_DRIVEN)
        status = cli_message_usage("sweep: --keep orbit: only event-driven motions have "
                                   "derivatives");
    if (!status)
        status = cli_orbit_problem(plan->arguments, o, problem);
    problem->skip = (int)plan->skip;
    return status;
}

int cli_sweep_orbit_check(const cli_sweep_plan *plan)
{
    cli_orbit o;
    carom_orbit_problem problem;
    const carom_law law = {0};
    return state_problem(plan, plan->scene, &law, &o, &problem);
}

static carom_status look_at_signal(void *self, carom_error *error)
{
    (void)self;
    (void)error;
    return cli_watch_stopped() ? CAROM_STOPPED : CAROM_OK;
}

static void write(const cli_orbit *o, const carom_orbit *x, double *row)
{
    const double multiplier = x->multiplier_count > 0 ? hypot(x->re[0], x->im[0]) : 0;
    const double rest[] = {x->t, x->period, multiplier, x->stable, x->residual};
    const size_t nq = (size_t)o->shape->nq, n = (size_t)o->shape->n;
    memcpy(row, x->q, nq * sizeof *row);
    memcpy(row + nq, x->u, n * sizeof *row);
    memcpy(row + nq + n, rest, sizeof rest);
}

carom_status cli_sweep_orbit_find(const cli_sweep_plan *plan, carom_scene *scene,
                                  const carom_law *law, carom_arena *arena, int cell,
                                  cli_sweep_rows *rows, carom_error *error)
{
    cli_orbit o;
    carom_orbit_problem problem;
    carom_orbit x = {0};
    cli_sweep_points points;
    if (state_problem(plan, scene, law, &o, &problem))
        return carom_error_set(error, CAROM_ERROR_INPUT, "the options do not fit the scene");
    problem.progress = look_at_signal;
    carom_status status = carom_orbit_guess(&problem, &o.content->initial, arena, &x, error);
    if (status == CAROM_OK)
        status = carom_orbit_solve(&problem, arena, &x, error);
    rows->stopped = cli_watch_stopped();
    if (status < 0 || !x.found) {
        rows->failures += status >= 0;
        if (status >= 0)
            snprintf(rows->status[cell], CLI_SWEEP_STATUS, "none: %.150s", x.message);
        return status < 0 ? status : CAROM_OK;
    }
    status = cli_sweep_points_open(plan, scene, &points, error);
    double *row = status ? NULL : cli_sweep_task_row(rows, cell);
    if (row) {
        write(&o, &x, row);
        cli_sweep_points_plot(&points, x.t, x.q, x.u, row);
    }
    cli_sweep_points_close(&points);
    return status;
}
