/* An impact in fixed arrays, for tests of laws: fill the fields, then run a law by name. */
#ifndef CAROM_TESTS_LAW_IMPACT_CASE_H
#define CAROM_TESTS_LAW_IMPACT_CASE_H

#include "carom/law.h"
#include "check.h"

enum { CASE_N = 16, CASE_P = 12 };

typedef struct impact_case {
    int n, p, m;
    double M[CASE_N * CASE_N]; /* n x n */
    double u[CASE_N];
    double W[CASE_N * CASE_P];
    double w_hat[CASE_P];
    double H[CASE_N * 2 * CASE_P];
    double slip_motion[2 * CASE_P];
    double B[CASE_N * CASE_P];
    carom_contact contacts[CASE_P];
    carom_impact impact;
    carom_geometry geometry;
} impact_case;

static inline void case_start(impact_case *c, int n, int p)
{
    *c = (impact_case){.n = n, .p = p};
    for (int i = 0; i < p; i++)
        c->contacts[i] = carom_contact_default();
}

static inline void case_diagonal(impact_case *c, const double *mass)
{
    for (int i = 0; i < c->n; i++)
        c->M[i + i * c->n] = mass[i];
}

/* Random symmetric positive definite mass, condition number moderate. */
static inline void case_random_mass(impact_case *c, check_random *r)
{
    double L[CASE_N * CASE_N] = {0};
    for (int j = 0; j < c->n; j++)
        for (int i = j; i < c->n; i++)
            L[i + j * c->n] = check_random_in(r, -0.5, 0.5) + (i == j ? 1 : 0);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) {
            double sum = 0;
            for (int k = 0; k < c->n; k++)
                sum += L[i + k * c->n] * L[j + k * c->n];
            c->M[i + j * c->n] = sum;
        }
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < i; j++)
            c->M[j + i * c->n] = c->M[i + j * c->n];
}

/* Random mass, velocity and directions; the contacts are left as case_start makes them. */
static inline void case_random_directions(impact_case *c, check_random *r, int n, int p)
{
    case_start(c, n, p);
    case_random_mass(c, r);
    for (int i = 0; i < n; i++)
        c->u[i] = check_random_in(r, -1, 1);
    for (int i = 0; i < n * p; i++) {
        c->W[i] = check_random_in(r, -1, 1);
        c->H[i] = check_random_in(r, -1, 1);
    }
}

/* And random coefficients of restitution. */
static inline void case_random(impact_case *c, check_random *r, int n, int p, int slips)
{
    case_random_directions(c, r, n, p);
    for (int i = 0; i < p; i++) {
        c->contacts[i].slip_count = slips;
        c->contacts[i].restitution = check_random_in(r, 0, 1);
    }
}

static inline void case_friction(impact_case *c, int i, double mu)
{
    c->contacts[i].friction_static = c->contacts[i].friction_dynamic = mu;
}

static inline void case_derive(impact_case *c, carom_arena *arena)
{
    carom_error error = {0};
    c->impact = (carom_impact){.n = c->n,
                               .p = c->p,
                               .m = c->m,
                               .M = c->M,
                               .u = c->u,
                               .W = c->W,
                               .w_hat = c->w_hat,
                               .contacts = c->contacts,
                               .H = c->H,
                               .slip_motion = c->slip_motion,
                               .B = c->B,
                               .flags = CAROM_IMPACT_ANY_RESTITUTION};
    check_ok(carom_impact_derive(&c->impact, arena, &c->geometry, &error), &error);
}

static inline void case_apply(impact_case *c, const char *name, const carom_value *values,
                              int count, carom_arena *arena, carom_outcome *outcome)
{
    carom_error error = {0};
    carom_law law = {carom_law_find(name), values, count};
    assert_non_null(law.ops);
    case_derive(c, arena);
    check_ok(carom_law_apply(&law, &c->geometry, arena, outcome, &error), &error);
}

static inline carom_value case_choice(const char *name, const char *word)
{
    return (carom_value){.name = name, .kind = CAROM_PARAMETER_CHOICE, .text = word};
}

static inline carom_value case_matrix(const char *name, int rows, int columns, const double *x)
{
    return (carom_value){.name = name,
                         .kind = CAROM_PARAMETER_MATRIX,
                         .rows = rows,
                         .columns = columns,
                         .numbers = x};
}

#endif
