/* Motion from rest beside bodies up to a billion times heavier: accelerations are constant, and
 * they are the point of the contacts nearest to the free ones (Gauss's principle), here in
 * fractions. */
#include "exact_impact.h"
#include "family.h"
#include "scenes.h"

/* Forces M u of the case, u its accelerations without contacts; all gaps W'q are closed at q = 0.
 */
typedef struct heavy {
    scene s;
    impacts_case c;
} heavy;

static carom_status evaluate(void *self, unsigned want, carom_state *state, carom_error *error)
{
    const heavy *t = self;
    const int n = t->s.shape.n;
    (void)want;
    (void)error;
    state->potential = state->power = state->kinetic = 0;
    for (int i = 0; i < n; i++) {
        state->M[i] = t->c.M[i];
        state->h[i] = t->c.M[i] * t->c.u[i];
        state->potential -= state->h[i] * state->q[i];
        state->kinetic += 0.5 * t->c.M[i] * state->u[i] * state->u[i];
    }
    memcpy(state->W, t->c.W, sizeof *state->W * (size_t)(n * t->s.shape.p));
    for (int k = 0; k < t->s.shape.p; k++) {
        state->g[k] = 0;
        for (int i = 0; i < n; i++)
            state->g[k] += t->c.W[i + k * n] * state->q[i];
    }
    return CAROM_OK;
}

/* Told that the coefficients are constant, and not: the parabola, and steps. */
static void run_from_rest(family *f, heavy *t, bool told, const fraction *exact)
{
    carom_flow_result r;
    scene_open(&t->s, evaluate, t->c.impact.n, t->c.impact.p, 0);
    t->s.shape.forces_are_constant = t->s.shape.rows_are_constant = told;
    scene_ready(&t->s);
    t->s.options.until = 1;
    const carom_status status = scene_run(&t->s, NULL, &r);
    family_check(f, status == CAROM_OK, "told %d: %s\n%s", told, r.message, exact_text(&t->c));
    if (status == CAROM_OK) {
        const double off = exact_distance(&t->c, r.u, exact);
        family_check(f, off <= 1e-9, "told %d: off by %g\n%s", told, off, exact_text(&t->c));
    }
    scene_close(&t->s);
}

/* What `check` lists: one motion, the same. */
static void check_at_rest(family *f, heavy *t, const fraction *exact)
{
    double none[IMPACTS_N] = {0};
    int closed[EXACT_ROWS];
    carom_state at;
    carom_geometry g;
    carom_painleve all;
    carom_error error = {0};
    carom_impact impact = t->c.impact;
    impact.u = none;
    for (int i = 0; i < impact.p; i++)
        closed[i] = i;
    scene_open(&t->s, evaluate, impact.n, impact.p, 0);
    scene_ready(&t->s);
    check_ok(carom_state_create(t->s.system, t->s.arena, &at, &error), &error);
    check_ok(carom_system_evaluate(t->s.system, CAROM_WANT_ALL, &at, &error), &error);
    check_ok(carom_impact_derive(&impact, t->s.arena, &g, &error), &error);
    check_ok(carom_painleve_solve(t->s.system, &at, &g, closed, t->s.arena, &all, &error), &error);
    const double off = all.count ? exact_distance(&t->c, all.solutions[0].du, exact) : INFINITY;
    family_check(f, all.count == 1 && off <= 1e-9, "check: %d motions, off by %g\n%s", all.count,
                 off, exact_text(&t->c));
    scene_close(&t->s);
}

static void test_from_rest(void **state)
{
    (void)state;
    static heavy t;
    static fraction x[EXACT_ROWS], u[EXACT_ROWS], lambda[EXACT_ROWS], target[EXACT_ROWS];
    family f = family_start("from rest beside heavy bodies", 31, 600);
    while (family_next(&f)) {
        const int n = 2 + check_random_int(&f.random, 3), p = 1 + check_random_int(&f.random, 5);
        exact_scene(&t.c, &f.random, n, p, true);
        for (int k = 0; k < n; k++)
            x[k] = fraction_of(t.c.u[k]);
        for (int i = 0; i < p; i++)
            target[i] = fraction_int(0);
        assert_true(exact_nearest(&t.c, x, target, u, lambda));
        run_from_rest(&f, &t, true, u);
        run_from_rest(&f, &t, false, u);
        check_at_rest(&f, &t, u);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_from_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
