/* Impacts for tests: chains of balls, random problems, one call from statement to outcome. */
#ifndef CAROM_TESTS_IMPACTS_H
#define CAROM_TESTS_IMPACTS_H

#include "carom/carom.h"
#include "check.h"

#include <stdlib.h>

enum { IMPACTS_N = 16, IMPACTS_P = 16 };

/* A statement with its own memory. */
typedef struct impacts_case {
    carom_impact impact;
    double M[IMPACTS_N * IMPACTS_N], u[IMPACTS_N], W[IMPACTS_N * IMPACTS_P], w_hat[IMPACTS_P];
    double H[IMPACTS_N * 2 * IMPACTS_P], slip_motion[2 * IMPACTS_P];
    double B[IMPACTS_N * 4], b_hat[4];
    carom_contact contacts[IMPACTS_P];
} impacts_case;

static inline void impacts_init(impacts_case *c, int n, int p)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < IMPACTS_P; i++) {
        c->contacts[i].stiffness = 1;
        c->contacts[i].exponent = 1.5;
    }
    c->impact = (carom_impact){.n = n,
                               .p = p,
                               .M = c->M,
                               .u = c->u,
                               .W = c->W,
                               .w_hat = c->w_hat,
                               .contacts = c->contacts,
                               .H = c->H,
                               .slip_motion = c->slip_motion,
                               .B = c->B,
                               .b_hat = c->b_hat};
}

/* n balls in a row, contact i between balls i and i + 1. */
static inline void impacts_chain(impacts_case *c, int n, const double *mass, const double *u,
                                 double restitution)
{
    impacts_init(c, n, n - 1);
    c->impact.mass_is_diagonal = true;
    for (int i = 0; i < n; i++) {
        c->M[i] = mass ? mass[i] : 1;
        c->u[i] = u[i];
    }
    for (int i = 0; i + 1 < n; i++) {
        c->W[i + i * n] = -1;
        c->W[i + 1 + i * n] = 1;
        c->contacts[i].restitution = restitution;
    }
}

/* A random symmetric positive definite mass matrix with ratios up to `ratio`, random normals (some
 * dependent when asked), random velocity. */
static inline void impacts_random(impacts_case *c, check_random *r, int n, int p, bool dependent,
                                  double ratio)
{
    impacts_init(c, n, p);
    double scale[IMPACTS_N], A[IMPACTS_N * IMPACTS_N];
    for (int i = 0; i < n; i++)
        scale[i] = pow(ratio, check_random_in(r, -0.25, 0.25));
    for (int k = 0; k < n * n; k++)
        A[k] = check_random_in(r, -1, 1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double sum = i == j ? 0.3 : 0;
            for (int k = 0; k < n; k++)
                sum += A[k + i * n] * A[k + j * n] / n;
            c->M[i + j * n] = c->M[j + i * n] = sum * scale[i] * scale[j];
        }
    for (int k = 0; k < n * p; k++)
        c->W[k] = check_random_in(r, -1, 1) * scale[k % n];
    for (int i = 0; i < n; i++)
        c->u[i] = check_random_in(r, -1, 1) / scale[i];
    if (dependent && p >= 3)
        for (int k = 0; k < n; k++)
            c->W[k + (p - 1) * n] = 0.5 * c->W[k] + 2 * c->W[k + n];
    if (dependent && p >= 4)
        for (int k = 0; k < n; k++)
            c->W[k + (p - 2) * n] = 3 * c->W[k];
}

/* Flip normals so that all contacts approach. */
static inline void impacts_approach(impacts_case *c)
{
    int n = c->impact.n;
    for (int i = 0; i < c->impact.p; i++) {
        double gamma = c->w_hat[i];
        for (int k = 0; k < n; k++)
            gamma += c->W[k + i * n] * c->u[k];
        for (int k = 0; k < n && gamma > 0; k++)
            c->W[k + i * n] = -c->W[k + i * n];
        if (gamma > 0)
            c->w_hat[i] = -c->w_hat[i];
    }
}

/* Derive and apply a law by name with the given values. */
static inline carom_outcome impacts_apply(const carom_impact *impact, const char *law,
                                          const carom_value *values, int count, carom_arena *arena,
                                          carom_geometry *geometry)
{
    carom_error error = {0};
    carom_outcome outcome;
    check_ok(carom_impact_derive(impact, arena, geometry, &error), &error);
    carom_law spec = {carom_law_find(law), values, count};
    assert_non_null(spec.ops);
    check_ok(carom_law_apply(&spec, geometry, arena, &outcome, &error), &error);
    return outcome;
}

/* A number among the details of an outcome, NAN when it is not there. */
static inline double impacts_detail(const carom_outcome *o, const char *name)
{
    for (int k = 0; k < o->detail_count; k++)
        if (strcmp(o->details[k].name, name) == 0)
            return o->details[k].value;
    return NAN;
}

static inline double impacts_kinetic_distance(const carom_geometry *g, const double *u,
                                              const double *v)
{
    double x[IMPACTS_N];
    for (int i = 0; i < g->impact->n; i++)
        x[i] = u[i] - v[i];
    return sqrt(fmax(0, carom_geometry_dot(g, x, x)));
}

#endif
