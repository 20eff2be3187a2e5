/* The derivative of a motion at its end, at an impact or at the limit of an accumulation. */
#include "gradient.h"

#include <math.h>
#include <stdlib.h>

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    cli_place *at = self;
    (void)error;
    at->impacts++;
    at->t = impact->t;
    at->reached = at->impact > 0 && at->impacts == at->impact;
    return at->reached ? CAROM_STOPPED : CAROM_OK;
}

static carom_status on_accumulation(void *self, const carom_flow_accumulation *a,
                                    carom_error *error)
{
    cli_place *at = self;
    (void)error;
    if (!at->accumulation)
        return CAROM_OK;
    at->t = a->t_limit;
    at->reached = true;
    return CAROM_STOPPED;
}

static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    cli_place *at = self;
    (void)error;
    if (cli_watch_stopped())
        return CAROM_STOPPED;
    if (cli_progress_due(at->progress))
        fprintf(stderr, "\rt = %-10.6g %ld steps ", t, steps);
    return CAROM_OK;
}

carom_status cli_gradient_read(cli_orbit *o, cli_gradient_answer *a, int *bad, carom_error *error)
{
    *bad = 0;
    a->formulas = calloc((size_t)a->of_count, sizeof *a->formulas);
    if (!a->formulas)
        return carom_error_memory(error);
    for (int i = 0; i < a->of_count; i++) {
        *bad = i;
        const carom_status status =
            carom_scene_formula_create(o->scene, a->of[i], 0, &a->formulas[i], error);
        if (status)
            return status;
    }
    return CAROM_OK;
}

void cli_gradient_forget(cli_gradient_answer *a)
{
    for (int i = 0; a->formulas && i < a->of_count; i++)
        carom_expr_destroy(a->formulas[i]);
    free(a->formulas);
    a->formulas = NULL;
}

/* The motion has a derivative, the formula has none. */
static void refuse(cli_gradient_answer *a, const char *of, double value, double t)
{
    carom_orbit_tangents *x = &a->tangents;
    if (!x->exists)
        return;
    x->exists = false;
    x->refused_at = t;
    if (!isfinite(value))
        snprintf(x->reason, sizeof x->reason, "%.200s is not a finite number at t = %.12g", of, t);
    else
        snprintf(x->reason, sizeof x->reason,
                 "%.200s has a kink or a jump at t = %.12g (abs, min, max, sign, if), and the "
                 "direction crosses it",
                 of, t);
}

/* Formulas at the place reached, differentiated along the variations. */
static carom_status evaluate(cli_orbit *o, const carom_orbit_directions *along,
                             cli_gradient_answer *a, carom_error *error)
{
    const carom_orbit_tangents *x = &a->tangents;
    const size_t k = (size_t)a->wrt_count, rows = (size_t)a->of_count;
    const double t = a->at.accumulation ? a->at.t : a->result.t;
    const carom_directions directions = {.k = a->wrt_count,
                                         .t = a->at.accumulation ? x->limit : x->t,
                                         .q = x->q,
                                         .u = x->u,
                                         .parameters = along->parameters};
    double *row = carom_arena_doubles(o->arena, k);
    a->value = carom_arena_zeros(o->arena, rows, sizeof(double));
    a->gradient = carom_arena_zeros(o->arena, rows * k, sizeof(double));
    if (!row || !a->value || !a->gradient)
        return carom_error_memory(error);
    for (size_t i = 0; i < rows; i++) {
        const carom_status status =
            carom_expr_tangent(a->formulas[i], t, a->result.q, a->result.u, &directions, o->arena,
                               &a->value[i], row, error);
        if (status)
            return status;
        for (size_t j = 0; j < k; j++) {
            a->gradient[i + j * rows] = row[j];
            if (!isfinite(row[j]) || !isfinite(a->value[i]))
                refuse(a, a->of[i], a->value[i], t);
        }
    }
    return CAROM_OK;
}

carom_status cli_gradient_compute(cli_orbit *o, const carom_orbit_directions *along,
                                  cli_gradient_answer *a, carom_error *error)
{
    const carom_flow_observer observer = {.self = &a->at,
                                          .impact = on_impact,
                                          .accumulation = on_accumulation,
                                          .progress = on_progress};
    const carom_status status =
        carom_orbit_run(o->content->system, &o->law, &o->content->initial, &o->options, along,
                        &observer, o->arena, &a->result, &a->tangents, error);
    const bool meant = a->at.impact > 0 || a->at.accumulation;
    if (status < 0)
        return status;
    if (meant ? !a->at.reached : status != CAROM_OK)
        return CAROM_STOPPED;
    if (a->at.accumulation && !a->tangents.limit && a->tangents.exists)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the accumulation has too few impacts to tell its limit");
    return evaluate(o, along, a, error);
}
