/* Systems for the tests of motion, written out in C: no formula is between the test and the engine.
 */
#ifndef CAROM_TESTS_FLOW_SCENES_H
#define CAROM_TESTS_FLOW_SCENES_H

#include <stdlib.h>

#include "carom/io.h"
#include "check.h"

/* A system with its arena and the options of a run. */
typedef struct scene {
    carom_system *system;
    carom_arena *arena;
    carom_flow_options options;
    carom_law law;
    double t, q[64], u[64];
    double data[16];
    carom_contact contact[64];
    int slip_start[65];
    carom_system_shape shape;
    carom_system_ops ops;
} scene;

typedef carom_status scene_evaluate(void *self, unsigned want, carom_state *state,
                                    carom_error *error);

/* n degrees of freedom, p contacts with `slips` slip columns each, diagonal constant mass. */
static inline void scene_open(scene *s, scene_evaluate *evaluate, int n, int p, int slips)
{
    memset(s, 0, sizeof *s);
    s->options = carom_flow_options_default();
    s->law.ops = carom_law_find("newton");
    s->ops = (carom_system_ops){.name = "test", .evaluate = evaluate};
    for (int i = 0; i < p; i++) {
        s->contact[i] = carom_contact_default();
        s->contact[i].slip_count = slips;
        s->slip_start[i + 1] = s->slip_start[i] + slips;
    }
    s->shape = (carom_system_shape){.nq = n,
                                    .n = n,
                                    .p = p,
                                    .s = p * slips,
                                    .mass_is_diagonal = true,
                                    .mass_is_constant = true,
                                    .kinematics_is_identity = true,
                                    .contacts = s->contact,
                                    .slip_start = s->slip_start};
}

/* After the shape is complete. */
static inline void scene_ready(scene *s)
{
    carom_error error = {0};
    check_ok(carom_system_create(&s->ops, s, &s->shape, NULL, &s->system, &error), &error);
    check_ok(carom_arena_create(NULL, &s->arena, &error), &error);
}

static inline carom_status scene_run(scene *s, const carom_flow_observer *observer,
                                     carom_flow_result *result)
{
    carom_error error = {0};
    carom_flow_start start = {s->t, s->q, s->u};
    carom_status status =
        carom_flow_run(s->system, &s->law, &start, &s->options, observer, s->arena, result, &error);
    if (status < 0)
        print_message("run: %s\n", error.text);
    if (status > 0)
        print_message("run ends: %s\n", result->message);
    return status;
}

static inline void scene_close(scene *s)
{
    carom_system_destroy(s->system);
    carom_arena_destroy(s->arena);
}

/* A ball over a floor at data[1]; data[0] = g; data[2]: ceiling when p = 2; mass data[3]. */
static inline carom_status scene_ball(void *self, unsigned want, carom_state *state,
                                      carom_error *error)
{
    const scene *s = self;
    (void)want;
    (void)error;
    state->M[0] = s->data[3];
    state->h[0] = -s->data[3] * s->data[0];
    state->g[0] = state->q[0] - s->data[1];
    state->W[0] = 1;
    if (s->shape.p == 2) {
        state->g[1] = s->data[2] - state->q[0];
        state->W[1] = -1;
    }
    state->kinetic = 0.5 * s->data[3] * state->u[0] * state->u[0];
    state->potential = s->data[3] * s->data[0] * state->q[0];
    return CAROM_OK;
}

/* A ball on a table A sin(w t): gap y - A sin(w t). data: g, A, w. */
static inline carom_status scene_table(void *self, unsigned want, carom_state *state,
                                       carom_error *error)
{
    const scene *s = self;
    const double A = s->data[1], w = s->data[2];
    (void)want;
    (void)error;
    state->M[0] = 1;
    state->h[0] = -s->data[0];
    state->g[0] = state->q[0] - A * sin(w * state->t);
    state->W[0] = 1;
    state->w_hat[0] = -A * w * cos(w * state->t);
    state->g_bias[0] = A * w * w * sin(w * state->t);
    state->potential = s->data[0] * state->q[0];
    return CAROM_OK;
}

/* x'' + 2 z x' + x = F cos(w t), stop at x = s. data: z, w, F, s. */
static inline carom_status scene_oscillator(void *self, unsigned want, carom_state *state,
                                            carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    double push = d[2] * cos(d[1] * state->t) - 2 * d[0] * state->u[0];
    state->M[0] = 1;
    state->h[0] = push - state->q[0];
    state->g[0] = d[3] - state->q[0];
    state->W[0] = -1;
    state->potential = 0.5 * state->q[0] * state->q[0];
    state->power = push * state->u[0];
    return CAROM_OK;
}

/* A block on a floor: x, y; forces -k x in x, weight in y. data: k, g, force along x. */
static inline carom_status scene_block(void *self, unsigned want, carom_state *state,
                                       carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    state->M[0] = state->M[1] = 1;
    state->h[0] = -d[0] * state->q[0] + d[2];
    state->h[1] = -d[1];
    state->g[0] = state->q[1];
    state->W[1] = 1;
    state->H[0] = 1;
    state->potential =
        0.5 * d[0] * state->q[0] * state->q[0] - d[2] * state->q[0] + d[1] * state->q[1];
    return CAROM_OK;
}

/* Rolling round body: x, y, th; slip x' + R th'. data: g, R, inertia J (mass 1). */
static inline carom_status scene_wheel(void *self, unsigned want, carom_state *state,
                                       carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    state->M[0] = state->M[1] = 1;
    state->M[2] = d[2];
    state->h[1] = -d[0];
    state->g[0] = state->q[1] - d[1];
    state->W[1] = 1;
    state->H[0] = 1;
    state->H[2] = d[1];
    state->potential = d[0] * state->q[1];
    return CAROM_OK;
}

/* n balls of radius R above a floor: floor, then neighbours. data: g, R. */
static inline carom_status scene_column(void *self, unsigned want, carom_state *state,
                                        carom_error *error)
{
    const scene *s = self;
    const int n = s->shape.n;
    const double g = s->data[0], R = s->data[1];
    (void)want;
    (void)error;
    state->g[0] = state->q[0] - R;
    state->W[0] = 1;
    state->potential = 0;
    for (int i = 0; i < n; i++) {
        state->M[i] = 1;
        state->h[i] = -g;
        state->potential += g * state->q[i];
        if (i > 0) {
            state->g[i] = state->q[i] - state->q[i - 1] - 2 * R;
            state->W[i - 1 + i * n] = -1;
            state->W[i + i * n] = 1;
        }
    }
    return CAROM_OK;
}

/* A rod with half-length l whose lower end slides: x, y (centre), th from the floor; slip of the
 * end. data: g, l (mass 1, inertia l^2/3). */
static inline carom_status scene_rod(void *self, unsigned want, carom_state *state,
                                     carom_error *error)
{
    const double *d = ((const scene *)self)->data, l = d[1];
    (void)want;
    (void)error;
    double sn = sin(state->q[2]), cs = cos(state->q[2]), w = state->u[2];
    state->M[0] = state->M[1] = 1;
    state->M[2] = l * l / 3;
    state->h[1] = -d[0];
    state->g[0] = state->q[1] - l * sn;
    state->W[1] = 1;
    state->W[2] = -l * cs;
    state->g_bias[0] = l * sn * w * w;
    state->H[0] = 1;
    state->H[2] = l * sn; /* x_end = x - l cos th */
    state->slip_bias[0] = l * cs * w * w;
    state->potential = d[0] * state->q[1];
    return CAROM_OK;
}

#endif
