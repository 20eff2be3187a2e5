/* A box over a floor as a system of ours: gaps and slips of its two lower corners. */
#ifndef CAROM_BENCH_BOX_H
#define CAROM_BENCH_BOX_H

#include "engines.h"
#include "ours.h"

/* Corner at (a, b) from the centre: height y + a sin + b cos, slip along the floor. */
static inline carom_status box_evaluate(void *self, unsigned want, carom_state *state,
                                        carom_error *error)
{
    const box_scene *s = self;
    double c = cos(state->q[2]), sine = sin(state->q[2]), b = -s->height / 2;
    double turn = state->u[2] * state->u[2];
    (void)error;
    for (int i = 0; i < 2; i++) {
        double a = i == 0 ? -s->width / 2 : s->width / 2;
        double along = a * c - b * sine, up = a * sine + b * c;
        state->g[i] = state->q[1] + up;
        if (want & CAROM_WANT_NORMALS) {
            state->W[1 + 3 * i] = 1;
            state->W[2 + 3 * i] = along;
        }
        if (want & CAROM_WANT_SLIPS) {
            state->H[0 + 3 * i] = 1;
            state->H[2 + 3 * i] = -up;
        }
        if (want & CAROM_WANT_BIASES) {
            state->g_bias[i] = -up * turn;
            state->slip_bias[i] = -along * turn;
        }
    }
    state->M[0] = state->M[1] = s->mass;
    state->M[2] = s->inertia;
    state->h[1] = -s->mass * s->gravity;
    state->potential = s->mass * s->gravity * state->q[1];
    return CAROM_OK;
}

static inline double box_run(const box_scene *s, carom_flow_method method, double *q, double *u)
{
    carom_contact contacts[2];
    for (int i = 0; i < 2; i++) {
        contacts[i] = carom_contact_default();
        contacts[i].restitution = s->restitution;
        contacts[i].friction_static = contacts[i].friction_dynamic = s->friction;
        contacts[i].slip_count = 1;
    }
    ours o = {.ops = {.name = "box", .evaluate = box_evaluate},
              .self = (void *)s,
              .shape = {.nq = 3,
                        .n = 3,
                        .p = 2,
                        .s = 2,
                        .mass_is_diagonal = true,
                        .mass_is_constant = true,
                        .rows_are_timeless = true,
                        .forces_are_constant = true,
                        .power_is_zero = true,
                        .kinematics_is_identity = true,
                        .contacts = contacts},
              .law = "coulomb",
              .method = method,
              .q = s->q,
              .u = s->u,
              .step = s->step,
              .steps = s->steps};
    return ours_run(&o, q, u);
}

/* Where a box that rocks on corners that stick and do not bounce is at time t: the pendulum about
 * the corner (classical Runge-Kutta, error far below 1e-12), and at each impact the angular
 * momentum about the new corner (Housner's ratio). Starts at rest, tilted by q[2] > 0. */
typedef struct box_rocking {
    const box_scene *scene;
    double tilt, rate; /* |angle| and its derivative */
    int impacts;
} box_rocking;

static inline double box_acceleration(const box_scene *s, double tilt)
{
    double about = s->inertia + s->mass * (s->width * s->width + s->height * s->height) / 4;
    return -s->mass * s->gravity / about * (s->width * cos(tilt) - s->height * sin(tilt)) / 2;
}

static inline box_rocking box_advance(box_rocking r, double h)
{
    const box_scene *s = r.scene;
    double v1 = r.rate, a1 = box_acceleration(s, r.tilt);
    double v2 = r.rate + h / 2 * a1, a2 = box_acceleration(s, r.tilt + h / 2 * v1);
    double v3 = r.rate + h / 2 * a2, a3 = box_acceleration(s, r.tilt + h / 2 * v2);
    double v4 = r.rate + h * a3, a4 = box_acceleration(s, r.tilt + h * v3);
    r.tilt += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    r.rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    return r;
}

/* The same at the instant tilt = 0 within the next h; *h becomes the time it takes. */
static inline box_rocking box_hit(box_rocking r, double *h)
{
    const box_scene *s = r.scene;
    double low = 0, high = *h, m = s->mass / 4;
    double upright = s->inertia + m * (s->height * s->height - s->width * s->width);
    double about = s->inertia + m * (s->height * s->height + s->width * s->width);
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        *(box_advance(r, middle).tilt < 0 ? &high : &low) = middle;
    }
    *h = high;
    r = box_advance(r, high);
    r.tilt = 0;
    r.rate *= -upright / about;
    r.impacts++;
    return r;
}

/* q: position at time t; returns the number of impacts before. */
static inline int box_rock(const box_scene *s, double t, double *q)
{
    box_rocking r = {s, s->q[2], 0, 0};
    double left = s->q[0] - s->width / 2 * cos(s->q[2]) + s->height / 2 * sin(s->q[2]);
    while (t > 0) {
        double h = fmin(1e-4, t);
        box_rocking next = box_advance(r, h);
        r = next.tilt < 0 ? box_hit(r, &h) : next;
        t -= h;
    }
    int side = r.impacts % 2 ? -1 : 1; /* 1: on the left corner */
    double pivot = side > 0 ? left : left + s->width;
    q[0] = pivot + side * (s->width / 2 * cos(r.tilt) - s->height / 2 * sin(r.tilt));
    q[1] = s->width / 2 * sin(r.tilt) + s->height / 2 * cos(r.tilt);
    q[2] = side * r.tilt;
    return r.impacts;
}

#endif
