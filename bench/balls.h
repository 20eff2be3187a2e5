/* Balls on a line as a system of ours, and ours run by the three methods. */
#ifndef CAROM_BENCH_BALLS_H
#define CAROM_BENCH_BALLS_H

#include "carom/carom.h"
#include "contest.h"
#include "peers/peers.h"

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
    state->potential = 0;
    for (int i = 0; i < n; i++) {
        state->M[i] = s->mass;
        state->h[i] = -s->mass * s->gravity;
        state->potential += s->mass * s->gravity * state->q[i];
    }
    return CAROM_OK;
}

/* Run ours to the time step * steps; x, u at the end. Returns its processor seconds, < 0: failed.
 */
static inline double balls_run(const balls_scene *s, carom_flow_method method, double *x, double *u,
                               carom_flow_result *result)
{
    carom_contact contacts[1000];
    int slips[1001] = {0}, p = s->n - 1 + (s->floor ? 1 : 0);
    for (int i = 0; i < p; i++) {
        contacts[i] = carom_contact_default();
        contacts[i].restitution = s->restitution;
    }
    carom_system_shape shape = {.nq = s->n,
                                .n = s->n,
                                .p = p,
                                .mass_is_diagonal = true,
                                .mass_is_constant = true,
                                .forces_are_constant = true,
                                .power_is_zero = true,
                                .rows_are_constant = true,
                                .kinematics_is_identity = true,
                                .contacts = contacts,
                                .slip_start = slips};
    static const carom_system_ops ops = {.name = "balls", .evaluate = balls_evaluate};
    carom_system *system = NULL;
    carom_arena *arena = NULL;
    carom_flow_result r = {0};
    carom_flow_start start = {0, s->x, s->u};
    carom_flow_options o = carom_flow_options_default();
    o.method = method;
    o.step = s->step;
    o.until = s->step * (double)s->steps;
    o.keep_impacts = 0;
    double spent = -1;
    if (carom_system_create(&ops, (void *)s, &shape, NULL, &system, NULL) == CAROM_OK &&
        carom_arena_create(NULL, &arena, NULL) == CAROM_OK) {
        double begin = contest_now();
        if (carom_flow_run(system, NULL, &start, &o, NULL, arena, &r, NULL) == CAROM_OK) {
            spent = contest_now() - begin;
            memcpy(x, r.q, (size_t)s->n * sizeof *x);
            memcpy(u, r.u, (size_t)s->n * sizeof *u);
        }
    }
    if (result)
        *result = r;
    carom_system_destroy(system);
    carom_arena_destroy(arena);
    return spent;
}

typedef struct balls_engine {
    const char *name;
    peer_balls *run;
} balls_engine;

/* The peers that are there. */
static const balls_engine balls_engines[] = {
#ifdef WITH_SICONOS
    {"siconos", siconos_balls},
#endif
#ifdef WITH_BULLET
    {"bullet", bullet_balls},
#endif
#ifdef WITH_ODE
    {"ode", ode_balls},
#endif
#ifdef WITH_BOX2D
    {"box2d", box2d_balls},
#endif
#ifdef WITH_CHIPMUNK
    {"chipmunk", chipmunk_balls},
#endif
#ifdef WITH_MUJOCO
    {"mujoco", mujoco_balls},
#endif
    {NULL, NULL}};

#endif
