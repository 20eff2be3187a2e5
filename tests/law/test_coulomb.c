/* The frictional impact problem: against exact arithmetic, and its solvers against each other. */
#include "law/coulomb.h"
#include "law/impact_case.h"
#include "solver/instant.h"

#include <stdlib.h>

CHECK_ARENA(arena);

static double number(FILE *file)
{
    char text[128];
    assert_int_equal(fscanf(file, "%127s", text), 1);
    return strtod(text, NULL);
}

static void numbers(FILE *file, int count, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = number(file);
}

/* One outcome of the list (the outcome itself and its alternatives). */
static const carom_outcome *outcome_at(const carom_outcome *o, int k)
{
    return k == 0 ? o : &o->alternatives[k - 1];
}

static int outcome_count(const carom_outcome *o)
{
    if (o->answer == CAROM_ANSWER_NONE)
        return 0;
    return o->answer == CAROM_ANSWER_SEVERAL ? 1 + o->alternative_count : 1;
}

/* The solution with these impulses must be among the outcomes, to 1e-11. */
static void find_solution(const impact_case *c, const carom_outcome *o, const double *x)
{
    double best = INFINITY;
    for (int k = 0; k < outcome_count(o); k++) {
        const carom_outcome *a = outcome_at(o, k);
        double off = 0, size = 1;
        for (int i = 0; i < c->p; i++) {
            off = fmax(off, fabs(a->impulse[i] - x[i]));
            off = fmax(off, fabs(a->tangential_impulse[i] - x[c->p + i]));
            size = fmax(size, fmax(fabs(x[i]), fabs(x[c->p + i])));
        }
        for (int i = 0; i < c->n; i++)
            off = fmax(off, fabs(a->u[i] - x[2 * c->p + i]));
        best = fmin(best, off / size);
    }
    check_close(best, 0, 1e-11);
}

static void test_exact_reference(void **state)
{
    (void)state;
    FILE *file = fopen(CAROM_SOURCE_DIR "/tests/law/coulomb_reference.txt", "r");
    assert_non_null(file);
    int n, p, problems = 0, several = 0, none = 0;
    while (fscanf(file, "%d %d", &n, &p) == 2) {
        impact_case c;
        double mass[CASE_N];
        case_start(&c, n, p);
        numbers(file, n, mass);
        case_diagonal(&c, mass);
        numbers(file, n, c.u);
        for (int i = 0; i < p; i++) {
            numbers(file, n, c.W + i * n);
            numbers(file, n, c.H + i * n);
            c.contacts[i].slip_count = 1;
            c.contacts[i].restitution = number(file);
            case_friction(&c, i, number(file));
            c.contacts[i].tangential_restitution = number(file);
        }
        for (int form = 0; form < 2; form++) {
            carom_outcome o;
            carom_value choice = case_choice("form", form ? "complementarity" : "equality");
            case_apply(&c, "coulomb", &choice, 1, arena, &o);
            int expected = (int)number(file);
            assert_int_equal(outcome_count(&o), expected);
            several += expected > 1;
            none += expected == 0;
            for (int k = 0; k < expected; k++) {
                double x[3 * CASE_N];
                numbers(file, 2 * p + n, x);
                find_solution(&c, &o, x);
                const carom_outcome *a = outcome_at(&o, k);
                assert_true(a->verdict.kinetic);
                check_close(a->verdict.momentum_error, 0, 1e-12);
            }
        }
        problems++;
        carom_arena_reset(arena);
    }
    fclose(file);
    assert_int_equal(problems, 196);
    assert_true(several > 50 && none > 50);
}

/* Random impact: kind 0 planar, 1 spatial, 2 mixed with frictionless contacts. */
static void random_case(impact_case *c, check_random *r, int n, int p, int kind)
{
    case_start(c, n, p);
    case_random_mass(c, r);
    for (int i = 0; i < n; i++)
        c->u[i] = check_random_in(r, -1, 1);
    int s = 0;
    for (int i = 0; i < p; i++) {
        for (int k = 0; k < n; k++)
            c->W[k + i * n] = check_random_in(r, -1, 1);
        int slips = kind == 0 ? 1 : kind == 1 ? 2 : check_random_int(r, 3);
        for (int k = 0; k < slips * n; k++)
            c->H[k + s * n] = check_random_in(r, -1, 1);
        s += slips;
        c->contacts[i].slip_count = slips;
        c->contacts[i].restitution = check_random_in(r, 0, 1);
        c->contacts[i].tangential_restitution = check_random_in(r, 0, 1);
        case_friction(c, i, check_random_in(r, 0.05, 0.6));
    }
}

static void state_problem(impact_case *c, carom_coulomb *f)
{
    double target[CASE_P], mu_s[CASE_P], mu_d[CASE_P], e_t[CASE_P];
    carom_error error = {0};
    case_derive(c, arena);
    for (int i = 0; i < c->p; i++) {
        target[i] = c->contacts[i].restitution * c->geometry.gamma[i];
        mu_s[i] = c->contacts[i].friction_static;
        mu_d[i] = c->contacts[i].friction_dynamic;
        e_t[i] = c->contacts[i].tangential_restitution;
    }
    carom_coulomb_data data = {target, mu_s, mu_d, e_t, false};
    check_ok(carom_coulomb_state(&c->geometry, &data, arena, f, &error), &error);
}

/* Distance of x to the nearest of the solutions, relative. */
static double distance_to(const carom_coulomb *f, const carom_coulomb_solutions *s, const double *x)
{
    double best = INFINITY;
    for (int k = 0; k < s->count; k++) {
        double off = 0;
        for (int i = 0; i < f->N; i++)
            off = fmax(off, fabs(x[i] - s->list[k].x[i]));
        best = fmin(best, off / carom_coulomb_size(f, x));
    }
    return best;
}

/* The planar problem by Lemke's method. */
static carom_status lemke(const carom_coulomb *f, double *x, bool *found, carom_error *error)
{
    const carom_instant instant = {.p = f->p,
                                   .N = f->N,
                                   .row = f->row,
                                   .W = f->A,
                                   .q = f->b,
                                   .mu_s = f->mu_d, /* one coefficient for all */
                                   .mu_d = f->mu_d,
                                   .equality = f->equality,
                                   .floor = f->floor};
    return carom_instant_lcp(&instant, arena, x, found, error);
}

static void test_enumeration_lemke_solver(void **state)
{
    (void)state;
    check_random r = {17};
    int solved = 0, iterated = 0, several = 0, trials = 1500;
    for (int trial = 0; trial < trials; trial++) {
        impact_case c;
        carom_coulomb f;
        carom_coulomb_solutions s;
        carom_error error = {0};
        int p = 1 + check_random_int(&r, 4);
        random_case(&c, &r, 2 * p + check_random_int(&r, 3), p, 0);
        for (int i = 0; i < p && trial % 2; i++)
            case_friction(&c, i, check_random_in(&r, 0.5, 3));
        state_problem(&c, &f);
        check_ok(carom_coulomb_solve(&f, arena, &s, &error), &error);
        assert_true(s.complete && s.count > 0); /* independent rows: a solution exists */
        check_close(s.residual, 0, 1e-12);
        several += s.count > 1;
        double *x = calloc((size_t)f.N, sizeof *x), residual;
        bool found, none;
        check_ok(lemke(&f, x, &found, &error), &error);
        assert_true(found);
        check_close(distance_to(&f, &s, x), 0, 1e-9);
        solved++;
        memset(x, 0, sizeof *x * (size_t)f.N);
        check_ok(carom_coulomb_find(&f, arena, x, &residual, &none, &error), &error);
        if (residual < 1e-12) {
            iterated++;
            check_close(distance_to(&f, &s, x), 0, 1e-8);
        }
        free(x);
        carom_arena_reset(arena);
    }
    print_message("several %d, iterated %d of %d\n", several, iterated, trials);
    assert_int_equal(solved, trials);
    assert_true(several > 20 && iterated == trials);
}

/* Spatial problems: residual, verdicts. */
static void test_spatial(void **state)
{
    (void)state;
    check_random r = {23};
    int failed = 0, trials = 1000;
    for (int trial = 0; trial < trials; trial++) {
        impact_case c;
        carom_outcome o;
        int p = 1 + check_random_int(&r, 4);
        random_case(&c, &r, 3 * p + check_random_int(&r, 2), p, 1 + trial % 2);
        case_apply(&c, "coulomb", NULL, 0, arena, &o);
        if (o.answer == CAROM_ANSWER_FAILED) {
            failed++;
        } else {
            assert_true(o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL);
            check_close(o.details[1].value, 0, 1e-12);
            assert_true(o.verdict.kinetic);
        }
        carom_arena_reset(arena);
    }
    print_message("spatial: %d of %d failed\n", failed, trials);
    assert_true(failed == 0);
}

/* A second slip row that nothing moves along: the spatial problem is the planar one. */
static void test_spatial_is_planar(void **state)
{
    (void)state;
    check_random r = {29};
    for (int trial = 0; trial < 1000; trial++) {
        impact_case c, d;
        carom_outcome planar, spatial;
        int p = 1 + check_random_int(&r, 3), n = 2 * p + 1;
        random_case(&c, &r, n, p, 0);
        /* one more degree of freedom, at rest, which only the second rows see */
        case_start(&d, n + 1, p);
        for (int i = 0; i < n; i++) {
            d.u[i] = c.u[i];
            for (int j = 0; j < n; j++)
                d.M[i + j * (n + 1)] = c.M[i + j * n];
        }
        d.M[n + n * (n + 1)] = 1.7;
        for (int i = 0; i < p; i++) {
            d.contacts[i] = c.contacts[i];
            d.contacts[i].slip_count = 2;
            memcpy(d.W + i * (n + 1), c.W + i * n, sizeof(double) * (size_t)n);
            double angle = check_random_in(&r, 0, 6.28);
            double *h0 = d.H + (size_t)(2 * i) * (size_t)(n + 1), *h1 = h0 + n + 1;
            for (int k = 0; k < n; k++) { /* turned in the tangent plane */
                h0[k] = cos(angle) * c.H[k + i * n];
                h1[k] = sin(angle) * c.H[k + i * n];
            }
            h0[n] = -sin(angle);
            h1[n] = cos(angle);
        }
        case_apply(&c, "coulomb", NULL, 0, arena, &planar);
        case_apply(&d, "coulomb", NULL, 0, arena, &spatial);
        double best = INFINITY;
        for (int k = 0; k < outcome_count(&planar); k++) {
            double off = 0;
            for (int i = 0; i < n; i++)
                off = fmax(off, fabs(outcome_at(&planar, k)->u[i] - spatial.u[i]));
            best = fmin(best, off);
        }
        check_close(best, 0, 1e-10);
        check_close(spatial.u[n], 0, 1e-10);
        carom_arena_reset(arena);
    }
}

/* A single spatial contact: every direction of slip found, checked on a fine grid of angles. */
static void test_single_spatial_complete(void **state)
{
    (void)state;
    check_random r = {31};
    int several = 0;
    for (int trial = 0; trial < 2000; trial++) {
        impact_case c;
        carom_coulomb f;
        carom_coulomb_solutions s;
        carom_error error = {0};
        random_case(&c, &r, 3, 1, 1);
        case_friction(&c, 0, check_random_in(&r, 0.2, 5));
        state_problem(&c, &f);
        check_ok(carom_coulomb_solve(&f, arena, &s, &error), &error);
        assert_true(s.complete && s.count > 0);
        check_close(s.residual, 0, 1e-12);
        several += s.count > 1;
        /* independent: count sign changes of the sideways velocity along the sliding circle where
         * the slide is otherwise valid */
        int slides = 0, listed = 0, grid = 3000;
        double last = 0;
        bool usable = false;
        for (int k = 0; k <= grid; k++) {
            double a = 2 * CAROM_PI * k / grid, d[2] = {cos(a), sin(a)}, mu = f.mu_d[0];
            double den = f.A[0] - mu * (f.A[1] * d[0] + f.A[2] * d[1]), x = -f.b[0] / den;
            double v[2];
            for (int j = 0; j < 2; j++)
                v[j] = f.b[1 + j] +
                       x * (f.A[1 + j] - mu * (f.A[1 + j + 3] * d[0] + f.A[1 + j + 6] * d[1]));
            double side = d[0] * v[1] - d[1] * v[0];
            bool now = x > 0 && d[0] * v[0] + d[1] * v[1] > 0;
            slides += k > 0 && now && usable && side * last < 0;
            last = side;
            usable = now;
        }
        for (int k = 0; k < s.count; k++) {
            carom_mode mode;
            carom_coulomb_modes(&f, s.list[k].x, &mode);
            listed += mode == CAROM_MODE_SLIP;
        }
        assert_true(listed >= slides);
        assert_true(listed <= slides + 2); /* the grid may miss close pairs */
        carom_arena_reset(arena);
    }
    assert_true(several > 20);
}

/* Masses times 10^k and velocities times 10^j change nothing but scale. */
static void test_scale(void **state)
{
    (void)state;
    check_random r = {37};
    for (int trial = 0; trial < 400; trial++) {
        impact_case c;
        carom_outcome a, b;
        int p = 1 + check_random_int(&r, 3);
        random_case(&c, &r, 3 * p, p, trial % 3);
        case_apply(&c, "coulomb", NULL, 0, arena, &a);
        double mass = pow(10, check_random_in(&r, -9, 9));
        double speed = pow(10, check_random_in(&r, -6, 6));
        for (int i = 0; i < c.n * c.n; i++)
            c.M[i] *= mass;
        for (int i = 0; i < c.n; i++)
            c.u[i] *= speed;
        case_apply(&c, "coulomb", NULL, 0, arena, &b);
        assert_int_equal(a.answer, b.answer);
        assert_int_equal(a.alternative_count, b.alternative_count);
        for (int i = 0; i < c.n; i++)
            check_close(b.u[i] / speed, a.u[i], 1e-9);
        for (int i = 0; i < p; i++)
            assert_int_equal(a.mode[i], b.mode[i]);
        carom_arena_reset(arena);
    }
}

/* Dependent contacts (a table on four legs, in the plane more legs than degrees of freedom). */
static void test_dependent(void **state)
{
    (void)state;
    check_random r = {41};
    for (int trial = 0; trial < 300; trial++) {
        impact_case c;
        carom_outcome o;
        case_start(&c, 3, 4);
        case_diagonal(&c, (double[]){2, 2, 0.5});
        for (int i = 0; i < 4; i++) {
            double x = i - 1.5, h = 0.5;
            memcpy(c.W + 3 * i, (double[]){0, 1, x}, sizeof(double) * 3);
            memcpy(c.H + 3 * i, (double[]){1, 0, h}, sizeof(double) * 3);
            c.contacts[i].slip_count = 1;
            c.contacts[i].restitution = 0.5;
            case_friction(&c, i, 0.3);
        }
        for (int i = 0; i < 3; i++)
            c.u[i] = check_random_in(&r, -1, 1) - (i == 1);
        case_apply(&c, "coulomb", NULL, 0, arena, &o);
        assert_true(o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL);
        check_close(o.details[1].value, 0, 1e-12);
        assert_true(o.verdict.kinetic);
        carom_arena_reset(arena);
    }
}

/* Contacts that work against each other, rough and in space: proved to have no outcome, as without
 * friction; with equal coefficients there is one. */
static void test_spatial_none(void **state)
{
    (void)state;
    check_random r = {81};
    int none = 0;
    for (int trial = 0; trial < 200; trial++) {
        impact_case c;
        carom_outcome o, smooth;
        int p = 2 + trial % 2, equal = trial % 4 == 0;
        random_case(&c, &r, 6, p, 1);
        double push = check_random_in(&r, 0.2, 2), other = check_random_in(&r, 0.2, 2);
        for (int k = 0; k < 6; k++) /* the last normal is against the others */
            c.W[k + (p - 1) * 6] = -push * c.W[k] - (p == 3 ? other * c.W[k + 6] : 0);
        for (int i = 0; i < p; i++)
            c.contacts[i].restitution = equal ? 0.5 : check_random_in(&r, 0, 1);
        case_apply(&c, "newton", NULL, 0, arena, &smooth);
        case_apply(&c, "coulomb", NULL, 0, arena, &o);
        if (smooth.answer == CAROM_ANSWER_NONE) {
            none++;
            assert_false(equal);
            assert_int_equal(o.answer, CAROM_ANSWER_NONE);
        }
        if (equal)
            assert_int_equal(smooth.answer, CAROM_ANSWER_OK);
        carom_arena_reset(arena);
    }
    assert_true(none > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_reference),
        cmocka_unit_test(test_enumeration_lemke_solver),
        cmocka_unit_test(test_spatial),
        cmocka_unit_test(test_spatial_is_planar),
        cmocka_unit_test(test_single_spatial_complete),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_dependent),
        cmocka_unit_test(test_spatial_none),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
