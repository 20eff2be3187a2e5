/* One task of a sweep: scenes with the values of their cells, run or decided by their law. */
#include "sweep_task.h"

#include "answer.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

long cli_sweep_task_count(const cli_sweep_plan *plan)
{
    return plan->cells / plan->chain;
}

int cli_sweep_task_width(const cli_sweep_plan *plan)
{
    return plan->columns + (plan->plotted != NULL);
}

static void compute(const void *self, long task, cli_sweep_rows *rows)
{
    cli_sweep_task_compute(self, task, rows);
}

cli_sweep_job cli_sweep_task_job(const cli_sweep_plan *plan)
{
    return (cli_sweep_job){.self = plan,
                           .tasks = cli_sweep_task_count(plan),
                           .width = cli_sweep_task_width(plan),
                           .cells = plan->cells,
                           .chain = plan->chain,
                           .compute = compute};
}

void cli_sweep_task_free(cli_sweep_rows *rows)
{
    free(rows->values);
    free(rows->cell);
    free(rows->status);
    free(rows->text);
    *rows = (cli_sweep_rows){0};
}

double *cli_sweep_task_row(cli_sweep_rows *rows, int cell)
{
    if (rows->count == rows->room) {
        const long room = 2 * rows->room + 4;
        double *values = realloc(rows->values, (size_t)room * (size_t)rows->width * sizeof *values);
        rows->values = values ? values : rows->values;
        int *cells = values ? realloc(rows->cell, (size_t)room * sizeof *cells) : NULL;
        rows->cell = cells ? cells : rows->cell;
        rows->memory = rows->memory || !cells;
        if (rows->memory)
            return NULL;
        rows->room = room;
    }
    double *row = rows->values + rows->count * rows->width;
    rows->cell[rows->count++] = cell;
    for (int k = 0; k < rows->width; k++)
        row[k] = NAN;
    return row;
}

carom_status cli_sweep_task_scene(const cli_sweep_plan *plan, long cell, carom_scene **scene,
                                  carom_error *error)
{
    int fixed = 0;
    while (cli_option_value(plan->arguments, "set", fixed))
        fixed++;
    const char **sets = calloc((size_t)(fixed + plan->varied) + 1, sizeof *sets);
    char(*texts)[160] = calloc((size_t)plan->varied + 1, sizeof *texts);
    carom_status status = carom_error_memory(error);
    if (sets && texts) {
        for (int k = 0; k < fixed; k++)
            sets[k] = cli_option_value(plan->arguments, "set", k);
        for (int k = 0; k < plan->varied; k++) {
            int length = snprintf(texts[k], sizeof *texts, "%.120s=", plan->names[k]);
            carom_number_print(cli_sweep_plan_value(plan, cell, k), texts[k] + length);
            sets[fixed + k] = texts[k];
        }
        carom_scene_options options = {.allocator = cli_memory(),
                                       .sets = sets,
                                       .set_count = fixed + plan->varied,
                                       .derivatives = plan->keep == CLI_KEEP_ORBIT,
                                       .any_restitution =
                                           cli_option_given(plan->arguments, "any-restitution")};
        const char *text = carom_scene_get(plan->scene)->text;
        status = carom_scene_read_text(text, strlen(text), &options, scene, error);
    }
    free(texts);
    free((void *)sets);
    return status;
}

/* The impact of the contacts closed at `initial`, or that in numbers. */
static carom_status find_impact(const cli_sweep_plan *plan, carom_scene *scene, carom_arena *arena,
                                carom_impact *impact, const int **numbers, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(scene);
    if (content->impact) {
        *impact = *content->impact;
        *numbers = NULL;
        return CAROM_OK;
    }
    const size_t p = (size_t)carom_system_get_shape(content->system)->p;
    int *closed = carom_arena_take(arena, (p + 1) * sizeof *closed);
    carom_state *state = carom_arena_take(arena, sizeof *state);
    if (!closed || !state)
        return carom_error_memory(error);
    carom_status status =
        cli_answer_evaluate(content, &content->initial, plan->closed, arena, state, error);
    if (!status)
        status = carom_impact_from_system(content->system, state, plan->closed, arena, impact,
                                          closed, error);
    impact->flags =
        cli_option_given(plan->arguments, "any-restitution") ? CAROM_IMPACT_ANY_RESTITUTION : 0;
    *numbers = closed;
    return status;
}

carom_status cli_sweep_task_decide(const cli_sweep_plan *plan, carom_scene *scene, const char *text,
                                   carom_arena *arena, cli_sweep_decision *d, carom_error *error)
{
    carom_impact *impact = carom_arena_take(arena, sizeof *impact);
    carom_geometry *geometry = carom_arena_take(arena, sizeof *geometry);
    carom_law law;
    if (!impact || !geometry)
        return carom_error_memory(error);
    *impact = (carom_impact){0};
    carom_status status = carom_scene_choose_law(scene, text, &law, NULL, error);
    if (!status)
        status = find_impact(plan, scene, arena, impact, &d->closed, error);
    if (!status && impact->p == 0)
        status = carom_error_set(error, CAROM_ERROR_INPUT, "no contact is closed");
    if (!status)
        status = carom_impact_derive(impact, arena, geometry, error);
    d->contacts = impact->p;
    return status ? status : carom_law_apply(&law, geometry, arena, &d->outcome, error);
}

/* Modes by the numbers of contacts in the system, details by their names. */
static void write_more(const cli_sweep_plan *plan, const cli_sweep_decision *d, double *row)
{
    const carom_outcome *outcome = &d->outcome;
    const int first = plan->columns - plan->modes - plan->details;
    for (int i = 0; i < d->contacts && plan->modes > 0; i++)
        row[first + (d->closed ? d->closed[i] : i)] = (double)outcome->mode[i];
    for (int k = plan->columns - plan->details; k < plan->columns; k++)
        for (int j = 0; j < outcome->detail_count; j++)
            if (strcmp(plan->results[k] + strlen("details."), outcome->details[j].name) == 0 &&
                !outcome->details[j].text)
                row[k] = outcome->details[j].value;
}

/* What --plot asks for after an impact: a column, else a formula of the velocities after it. */
static carom_status plot_impact(const cli_sweep_plan *plan, carom_scene *scene, const double *u,
                                double *row, carom_error *error)
{
    const carom_flow_start *initial = &carom_scene_get(scene)->initial;
    carom_expr *expr = NULL;
    for (int k = 0; plan->plotted && k < plan->columns; k++)
        if (strcmp(plan->results[k], plan->plotted) == 0) {
            row[plan->columns] = row[k];
            return CAROM_OK;
        }
    if (!plan->plotted)
        return CAROM_OK;
    carom_status status = carom_scene_formula_create(scene, plan->plotted, 0, &expr, error);
    if (!status)
        row[plan->columns] = carom_expr_evaluate(expr, initial->t, initial->q, u, NULL, NULL);
    carom_expr_destroy(expr);
    return status;
}

static carom_status decide(const cli_sweep_plan *plan, carom_scene *scene, const char *law,
                           carom_arena *arena, int cell, cli_sweep_rows *rows, carom_error *error)
{
    const carom_scene_content *content = carom_scene_get(scene);
    cli_sweep_decision d;
    const carom_outcome *outcome = &d.outcome;
    carom_status status = cli_sweep_task_decide(plan, scene, law, arena, &d, error);
    double *row = status ? NULL : cli_sweep_task_row(rows, cell), *out = row;
    if (!row)
        return status ? status : carom_error_memory(error);
    snprintf(rows->status[cell], CLI_SWEEP_STATUS, "%s", carom_answer_text(outcome->answer));
    rows->failures += outcome->answer != CAROM_ANSWER_OK;
    if (!cli_answer_exists(outcome))
        return CAROM_OK;
    const int n = content->impact ? content->impact->n : carom_system_get_shape(content->system)->n;
    for (int i = 0; i < n; i++)
        *out++ = outcome->u[i];
    *out++ = outcome->energy_change;
    *out++ = outcome->verdict.kinematic;
    *out++ = outcome->verdict.kinetic;
    *out++ = outcome->verdict.energetic;
    write_more(plan, &d, row);
    return plot_impact(plan, scene, outcome->u, row, error);
}

/* One cell; what is wrong with it becomes its status. */
static void compute_cell(const cli_sweep_plan *plan, long number, int cell, cli_sweep_state *before,
                         cli_sweep_rows *rows)
{
    carom_scene *scene = NULL;
    carom_arena *arena = NULL;
    carom_error error = {0};
    carom_law law;
    const long first = rows->count;
    snprintf(rows->status[cell], CLI_SWEEP_STATUS, "ok");
    carom_status status = cli_sweep_task_scene(plan, number, &scene, &error);
    if (!status)
        status = carom_arena_create(cli_memory(), &arena, &error);
    const char *text = plan->laws[cli_sweep_plan_law(plan, number)];
    if (!status && plan->moves)
        status = carom_scene_choose_law(scene, text, &law, NULL, &error);
    if (!status)
        status = !plan->moves ? decide(plan, scene, text, arena, cell, rows, &error)
                 : plan->keep == CLI_KEEP_ORBIT
                     ? cli_sweep_orbit_find(plan, scene, &law, arena, cell, rows, &error)
                     : cli_sweep_motion_run(plan, scene, &law, arena, cell, before, rows, &error);
    if (status == CAROM_ERROR_MEMORY)
        rows->memory = true;
    if (status) {
        rows->failures++;
        before->known = false;
        snprintf(rows->status[cell], CLI_SWEEP_STATUS, "%.150s",
                 error.text[0] ? error.text : carom_status_text(status));
    }
    if (rows->count == first && !rows->memory) /* every cell has a row, if only to say why */
        cli_sweep_task_row(rows, cell);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

void cli_sweep_task_compute(const cli_sweep_plan *plan, long task, cli_sweep_rows *rows)
{
    const carom_scene_content *content = carom_scene_get(plan->scene);
    const carom_system_shape *shape =
        content->system ? carom_system_get_shape(content->system) : NULL;
    const size_t n = shape ? (size_t)(shape->nq + shape->n) : 0;
    *rows = (cli_sweep_rows){.width = cli_sweep_task_width(plan), .cells = (int)plan->chain};
    rows->status = calloc((size_t)plan->chain, sizeof *rows->status);
    double *state = calloc(n + 1, sizeof *state);
    rows->memory = !rows->status || !state;
    cli_sweep_state before = {.q = state, .u = state ? state + (shape ? shape->nq : 0) : NULL};
    for (int k = 0; k < rows->cells && !rows->memory && !rows->stopped; k++)
        compute_cell(plan, task * plan->chain + k, k, &before, rows);
    free(state);
}
