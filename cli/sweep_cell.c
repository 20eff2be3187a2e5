/* One cell of a sweep: the scene with its values, run or decided by its law. */
#include "answer.h"
#include "memory.h"
#include "sweep.h"
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --set options, then the values of the cell. */
carom_status cli_sweep_cell_read(const cli_sweep_job *s, long cell, carom_scene **scene,
                                 carom_error *error)
{
    int fixed = 0;
    while (cli_option_value(s->arguments, "set", fixed))
        fixed++;
    int count = fixed + s->grid.axis_count;
    const char **sets = calloc((size_t)count + 1, sizeof *sets);
    char(*texts)[160] = calloc((size_t)s->grid.axis_count + 1, sizeof *texts);
    carom_status status = carom_error_memory(error);
    if (sets && texts) {
        for (int k = 0; k < fixed; k++)
            sets[k] = cli_option_value(s->arguments, "set", k);
        for (int k = 0; k < count - fixed; k++) {
            int length = snprintf(texts[k], sizeof *texts, "%.120s=", s->grid.axes[k].name);
            carom_number_print(cli_grid_value(&s->grid, cell, k), texts[k] + length);
            sets[fixed + k] = texts[k];
        }
        carom_scene_options options = {.allocator = cli_memory(),
                                       .sets = sets,
                                       .set_count = count,
                                       .any_restitution =
                                           cli_option_given(s->arguments, "any-restitution")};
        const char *text = carom_scene_get(s->scene)->text;
        status = carom_scene_read_text(text, strlen(text), &options, scene, error);
    }
    free(texts);
    free((void *)sets);
    return status;
}

static carom_status look_at_signal(void *self, double t, long steps, carom_error *error)
{
    (void)self;
    (void)t;
    (void)steps;
    (void)error;
    return cli_watch_stopped() ? CAROM_STOPPED : CAROM_OK;
}

static carom_status run_system(const cli_sweep_job *s, carom_scene *scene, carom_arena *arena,
                               double *out, cli_sweep_row *r, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    carom_law law;
    carom_flow_result result;
    const carom_flow_observer observer = {.progress = look_at_signal};
    carom_status status = carom_scene_choose_law(scene, s->law, &law, NULL, error);
    if (!status)
        status = carom_flow_run(content->system, &law, &content->initial, content->run, &observer,
                                arena, &result, error);
    if (status < 0)
        return status;
    const carom_flow_ledger *l = &result.ledger;
    *out++ = result.t;
    for (int i = 0; i < shape->nq; i++)
        *out++ = result.q[i];
    for (int i = 0; i < shape->n; i++)
        *out++ = result.u[i];
    const double rest[] = {(double)result.impact_count,
                           (double)result.accumulation_count,
                           l->initial,
                           l->final,
                           l->impacts,
                           l->friction,
                           l->forces,
                           l->balance_error,
                           result.max_penetration};
    memcpy(out, rest, sizeof rest);
    r->good = status == CAROM_OK;
    r->ready = result.end != CAROM_FLOW_STOPPED;
    if (!r->good)
        snprintf(r->status, sizeof r->status, "%s", carom_flow_end_text(result.end));
    return CAROM_OK;
}

/* The impact of the contacts closed at `initial`. */
static carom_status impact_of_system(const carom_scene_content *content, double tolerance,
                                     carom_arena *arena, carom_impact *impact, carom_error *error)
{
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    int *closed = carom_arena_take(arena, ((size_t)shape->p + 1) * sizeof(int));
    carom_state state;
    if (!closed)
        return carom_error_memory(error);
    carom_status status = cli_answer_evaluate(content, tolerance, arena, &state, error);
    return status ? status
                  : carom_impact_from_system(content->system, &state, tolerance, arena, impact,
                                             closed, error);
}

static carom_status run_impact(const cli_sweep_job *s, carom_scene *scene, carom_arena *arena,
                               double *out, cli_sweep_row *r, carom_error *error)
{
    const carom_impact *impact = carom_scene_get(scene)->impact;
    carom_impact made = {0};
    carom_law law;
    carom_geometry geometry;
    carom_outcome outcome;
    carom_status status = carom_scene_choose_law(scene, s->law, &law, NULL, error);
    if (!status && !impact) {
        status = impact_of_system(carom_scene_get(scene), s->closed, arena, &made, error);
        made.flags =
            cli_option_given(s->arguments, "any-restitution") ? CAROM_IMPACT_ANY_RESTITUTION : 0;
        impact = &made;
    }
    if (!status && impact->p == 0)
        return carom_error_set(error, CAROM_ERROR_INPUT, "no contact is closed");
    if (!status)
        status = carom_impact_derive(impact, arena, &geometry, error);
    if (!status)
        status = carom_law_apply(&law, &geometry, arena, &outcome, error);
    if (status)
        return status;
    snprintf(r->status, sizeof r->status, "%s", carom_answer_text(outcome.answer));
    r->good = outcome.answer == CAROM_ANSWER_OK;
    if (!cli_answer_exists(&outcome))
        return CAROM_OK;
    for (int i = 0; i < impact->n; i++)
        *out++ = outcome.u[i];
    *out++ = outcome.energy_change;
    *out++ = outcome.verdict.kinematic;
    *out++ = outcome.verdict.kinetic;
    *out++ = outcome.verdict.energetic;
    return CAROM_OK;
}

void cli_sweep_cell_compute(const cli_sweep_job *s, long k, cli_sweep_row *r, double *out)
{
    carom_scene *scene = NULL;
    carom_arena *arena = NULL;
    carom_error error = {0};
    *r = (cli_sweep_row){.ready = true, .status = "ok"};
    for (int i = 0; i < s->columns; i++)
        out[i] = NAN;
    carom_status status = cli_sweep_cell_read(s, s->first + k, &scene, &error);
    if (!status)
        status = carom_arena_create(cli_memory(), &arena, &error);
    if (!status)
        status = s->moves ? run_system(s, scene, arena, out, r, &error)
                          : run_impact(s, scene, arena, out, r, &error);
    if (status == CAROM_ERROR_MEMORY) {
        r->memory = true;
        r->ready = false;
    } else if (status) {
        r->good = false;
        snprintf(r->status, sizeof r->status, "%.150s",
                 error.text[0] ? error.text : carom_status_text(status));
    }
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}
