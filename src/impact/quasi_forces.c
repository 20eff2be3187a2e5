/* The quasi-forces of a system at a state (docs/theory/quasi-velocities.md, "Quasi-forces"):
 * F = Xi(-h) - (Xi M)'u, with the rate of Xi M along the motion q' = u. */
#include "carom/need.h"
#include "carom/quasi.h"
#include "impact/joints.h"
#include "linalg/dense.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct work {
    const carom_quasi *quasi;
    const carom_system *system;
    const carom_system_shape *shape;
    carom_state *state;
    const int *closed;
    const double *q, *u, *rate; /* nq, n, nq: of the state as given; q' */
    double t;
    carom_arena *arena;
    carom_error *error;
} work;

/* Put the state a time s along the motion, velocities unchanged. */
static carom_status move(const work *w, double s)
{
    for (int k = 0; k < w->shape->nq; k++)
        w->state->q[k] = w->q[k] + s * w->rate[k];
    w->state->t = w->t + s;
    return carom_system_evaluate(w->system, CAROM_WANT_ALL, w->state, w->error);
}

/* The impact of the same contacts at the present state, and its quasi-velocities. */
static carom_status look(const work *w, carom_impact *impact, carom_geometry *geometry,
                         carom_quasi *quasi)
{
    int *closed = carom_arena_array(w->arena, (size_t)w->shape->p + 1, sizeof *closed);
    if (!closed)
        return carom_error_memory(w->error);
    for (int i = 0; i < w->shape->p; i++)
        w->state->g[i] = 1;
    for (int i = 0; i < w->quasi->p; i++)
        w->state->g[w->closed[i]] = 0;
    carom_status status =
        carom_impact_from_system(w->system, w->state, 0, w->arena, impact, closed, w->error);
    if (!status)
        status = carom_impact_derive(impact, w->arena, geometry, w->error);
    return status ? status : carom_quasi_make(geometry, w->arena, quasi, w->error);
}

/* The rotation R that brings tangents `there` nearest to those of now: t'M there = U S V', R = V
 * U'. out := R' out for the quasi-velocities out of `there`. */
static carom_status align(const work *w, const carom_quasi *there, double *out)
{
    const int m = w->quasi->tangents, n = w->quasi->n;
    const size_t size = (size_t)m;
    double *C = carom_arena_doubles(w->arena, 3 * size * size + 3 * size + (size_t)n);
    if (!C)
        return carom_error_memory(w->error);
    double *U = C + size * size, *Vt = U + size * size, *values = Vt + size * size;
    double *x = values + size, *y = x + size, *Mt = y + size;
    for (int j = 0; j < m; j++) {
        carom_geometry_mass(w->quasi->geometry, there->t_q + (size_t)j * n, Mt);
        for (int i = 0; i < m; i++)
            C[i + (size_t)j * size] = carom_dense_dot(n, w->quasi->t_q + (size_t)i * n, Mt);
    }
    carom_status status = carom_spectrum_singular(m, m, C, w->arena, values, U, Vt, w->error);
    if (status)
        return status;
    for (int i = 0; i < m; i++) { /* x = Vt out, y = U x */
        x[i] = 0;
        for (int j = 0; j < m; j++)
            x[i] += Vt[i + (size_t)j * size] * out[j];
    }
    memset(y, 0, sizeof *y * size);
    carom_dense_gemv(m, m, 1, U, m, x, y);
    carom_dense_copy(m, y, out);
    return CAROM_OK;
}

/* Xi M u at a time s along the motion, u as now: |w_i| in norm (p), t'Mu in tangent (tangents). */
static carom_status sample(const work *w, double s, double *norm, double *tangent)
{
    carom_mark mark = carom_arena_mark(w->arena);
    carom_impact impact;
    carom_geometry geometry;
    carom_quasi quasi;
    carom_status status = move(w, s);
    if (!status)
        status = look(w, &impact, &geometry, &quasi);
    if (!status && quasi.tangents != w->quasi->tangents)
        status = carom_error_set(w->error, CAROM_ERROR_NUMERIC,
                                 "quasi-forces: the contacts become dependent along the motion");
    if (!status) {
        double *Mu = carom_arena_doubles(w->arena, (size_t)quasi.n);
        if (!Mu)
            return carom_error_memory(w->error);
        carom_dense_copy(quasi.p, geometry.norm, norm);
        carom_geometry_mass(&geometry, w->u, Mu);
        for (int j = 0; j < quasi.tangents; j++)
            tangent[j] = carom_dense_dot(quasi.n, quasi.t_q + (size_t)j * quasi.n, Mu);
        status = align(w, &quasi, tangent);
    }
    carom_arena_rewind(w->arena, mark);
    return status;
}

/* Rates at s = 0 of the k numbers that sample gives, by central differences with falling steps and
 * extrapolation (Ridders): the entry of the table that its neighbours confirm best. */
static carom_status differentiate(const work *w, double span, int k, double *rate, double *off)
{
    enum { STEPS = 6 };
    const size_t size = (size_t)k;
    double *table = carom_arena_doubles(w->arena, size * (STEPS * STEPS + 2));
    if (!table)
        return carom_error_memory(w->error);
    double *ahead = table + size * STEPS * STEPS, *behind = ahead + size, h = span;
    *off = INFINITY;
    for (int i = 0; i < STEPS; i++, h /= 2) {
        carom_status status = sample(w, h, ahead, ahead + w->quasi->p);
        if (!status)
            status = sample(w, -h, behind, behind + w->quasi->p);
        if (status)
            return status;
        double factor = 4, worst = 0;
        for (size_t c = 0; c < size; c++)
            table[c + size * (size_t)i * STEPS] = (ahead[c] - behind[c]) / (2 * h);
        for (int j = 1; j <= i; j++, factor *= 4) {
            double *here = table + size * (size_t)(i * STEPS + j);
            const double *left = here - size, *above = left - size * STEPS;
            worst = 0;
            for (size_t c = 0; c < size; c++) {
                here[c] = (factor * left[c] - above[c]) / (factor - 1);
                worst = fmax(worst, fmax(fabs(here[c] - left[c]), fabs(here[c] - above[c])));
            }
            if (worst < *off) {
                *off = worst;
                carom_dense_copy(k, here, rate);
            }
        }
    }
    return CAROM_OK;
}

/* Do mass and rows stay as they are? */
static bool is_constant(const work *w)
{
    return w->shape->mass_is_constant && w->shape->rows_are_constant;
}

/* F_n and F_t from the accelerations without contact forces and the rates of |w| and t'M. */
static carom_status fill(const work *w, const double *rate, carom_quasi_forces *made)
{
    const carom_quasi *q = w->quasi;
    const carom_geometry *g = q->geometry;
    const int n = q->n;
    double *free = carom_arena_doubles(w->arena, (size_t)n + carom_joints_free_work(g));
    if (!free)
        return carom_error_memory(w->error);
    carom_joints_free(g, w->state, free, NULL, free + n);
    for (int i = 0; i < q->p; i++) {
        const double bias = w->state->g_bias[w->closed[i]];
        const double gain = carom_dense_dot(n, g->impact->W + (size_t)i * n, free) + bias;
        const double norm = g->norm[i] > 0 ? g->norm[i] : 1;
        made->c[i] = gain / norm - g->gamma[i] * rate[i] / (norm * norm);
        made->F_n[i] = -made->c[i];
    }
    for (int j = 0; j < q->tangents; j++)
        made->F_t[j] = -carom_dense_dot(n, q->t_q + (size_t)j * n, w->state->h) - rate[q->p + j];
    return CAROM_OK;
}

carom_status carom_quasi_forces_find(const carom_quasi *quasi, const carom_system *system,
                                     carom_state *state, const int *closed, carom_arena *arena,
                                     carom_quasi_forces *forces, carom_error *error)
{
    CAROM_NEED(error, quasi, quasi->geometry, system, state, state->q, closed, arena, forces);
    const carom_system_shape *shape = carom_system_get_shape(system);
    const int k = quasi->p + quasi->tangents, nq = shape->nq, n = shape->n;
    carom_quasi_forces made = {0};
    made.F_n = carom_arena_zeros(arena, 2 * (size_t)quasi->p + (size_t)quasi->tangents + 1,
                                 sizeof(double));
    double *rate =
        carom_arena_zeros(arena, (size_t)k + 2 * (size_t)nq + (size_t)n + 1, sizeof *rate);
    if (!made.F_n || !rate)
        return carom_error_memory(error);
    made.F_t = made.F_n + quasi->p;
    made.c = made.F_t + quasi->tangents;
    double *q = rate + k, *speed = q + nq, *u = speed + nq, off = 0;
    carom_dense_copy(nq, state->q, q);
    carom_dense_copy(n, state->u, u);
    if (shape->kinematics_is_identity)
        carom_dense_copy(n, u, speed);
    else
        carom_dense_gemv(nq, n, 1, state->N, nq, u, speed);
    work w = {quasi, system, shape, state, closed, q, u, speed, state->t, arena, error};
    carom_status status = CAROM_OK;
    const double size = carom_dense_max(nq, speed);
    if (!is_constant(&w) && (size > 0 || !shape->rows_are_constant))
        status = differentiate(&w, size > 0 ? 0.05 * (1 + carom_dense_max(nq, q)) / size : 0.01, k,
                               rate, &off);
    carom_dense_copy(nq, q, state->q);
    carom_dense_copy(n, u, state->u);
    state->t = w.t;
    carom_status back = carom_system_evaluate(system, CAROM_WANT_ALL, state, error);
    status = status ? status : back;
    if (!status)
        status = fill(&w, rate, &made);
    made.error = off / fmax(carom_dense_max(k, rate), DBL_MIN);
    made.error = off == 0 ? 0 : made.error;
    if (!status)
        *forces = made;
    return status;
}
