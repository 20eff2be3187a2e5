/* Balls on a line as a system of ours. */
#ifndef CAROM_BENCH_BALLS_H
#define CAROM_BENCH_BALLS_H

#include "engines.h"
#include "ours.h"

enum { BALLS_MOST = 2000 };

static inline carom_status balls_evaluate(void *self, unsigned want, carom_state *state,
                                          carom_error *error)
{
    const balls_scene *s = self;
    int n = s->n, first = s->floor ? 1 : 0;
    (void)error;
    if (want & CAROM_WANT_GAPS) {
        if (s->floor)
            state->g[0] = state->q[0] - s->radius;
        for (int i = 1; i < n; i++)
            state->g[i - 1 + first] = state->q[i] - state->q[i - 1] - 2 * s->radius;
    }
    if (want & CAROM_WANT_NORMALS) {
        if (s->floor)
            state->W[0] = 1;
        for (int i = 1; i < n; i++) {
            state->W[i - 1 + (i - 1 + first) * n] = -1;
            state->W[i + (i - 1 + first) * n] = 1;
        }
    }
    for (int i = 0; i < n && want & CAROM_WANT_MASS; i++)
        state->M[i] = s->mass;
    for (int i = 0; i < n && want & CAROM_WANT_FORCES; i++)
        state->h[i] = -s->mass * s->gravity;
    if (want & CAROM_WANT_ENERGY) {
        state->potential = 0;
        for (int i = 0; i < n; i++)
            state->potential += s->mass * s->gravity * state->q[i];
    }
    return CAROM_OK;
}

/* Run ours to the time step * steps; x, u at the end. Returns its seconds, < 0: failed. */
static inline double balls_run(const balls_scene *s, carom_flow_method method, double *x, double *u)
{
    static carom_contact contacts[BALLS_MOST];
    int slips[BALLS_MOST + 1] = {0}, p = s->n - 1 + (s->floor ? 1 : 0);
    int first[BALLS_MOST + 1], row[2 * BALLS_MOST];
    for (int i = 0, filled = first[0] = 0; i < p; i++) { /* each ball and the one below it */
        const int ball = i + (s->floor ? 0 : 1);
        if (ball > 0)
            row[filled++] = ball - 1;
        row[filled++] = ball;
        first[i + 1] = filled;
        contacts[i] = carom_contact_default();
        contacts[i].restitution = s->restitution;
    }
    ours o = {.ops = {.name = "balls", .evaluate = balls_evaluate},
              .self = (void *)s,
              .shape = {.nq = s->n,
                        .n = s->n,
                        .p = p,
                        .mass_is_diagonal = true,
                        .mass_is_constant = true,
                        .forces_are_constant = true,
                        .power_is_zero = true,
                        .rows_are_constant = true,
                        .kinematics_is_identity = true,
                        .contacts = contacts,
                        .slip_start = slips,
                        .normal_pattern = {first, row}},
              .law = "newton",
              .method = method,
              .q = s->x,
              .u = s->u,
              .step = s->step,
              .steps = s->steps};
    return ours_run(&o, x, u);
}

#endif
