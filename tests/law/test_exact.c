/* Frictionless laws against exact fractions: mass ratios to 1e9, dependent contacts, ties. */
#include "exact_impact.h"
#include "family.h"

CHECK_ARENA(arena);

/* Digits that every law keeps, in units of the quantities compared (docs/theory/impact.md). */
static const double DIGITS = 1e-9;

static void newton(void **state)
{
    (void)state;
    family f = family_start("newton in fractions", 11, 500);
    while (family_next(&f)) {
        impacts_case c;
        fraction u[IMPACTS_N], target[IMPACTS_P], x[IMPACTS_N], lambda[IMPACTS_P];
        int n = 1 + check_random_int(&f.random, 3), p = 1 + check_random_int(&f.random, 4);
        exact_scene(&c, &f.random, n, p, f.member % 3 > 0);
        exact_velocity(&c, x);
        for (int i = 0; i < p; i++)
            target[i] =
                fraction_multiply(fraction_of(-c.contacts[i].restitution), exact_gamma(&c, i, x));
        bool exists = exact_nearest(&c, x, target, u, lambda);
        carom_geometry g;
        carom_outcome o = impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
        family_check(&f, (o.answer == CAROM_ANSWER_OK) == exists, "%s: %s, exactly %s",
                     exact_text(&c), carom_answer_text(o.answer), exists ? "ok" : "none");
        double off = exists && o.answer == CAROM_ANSWER_OK ? exact_distance(&c, o.u, u) : 0;
        family_check(&f, off <= DIGITS, "%s: u+ off by %.2g", exact_text(&c), off);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

/* All outcomes of Poisson's law that come from extreme points of the compression impulses. Returns
 * their number. */
enum { MOST = 32 };

static int poisson_outcomes(const impacts_case *c, fraction outcome[MOST][IMPACTS_N])
{
    int n = c->impact.n, p = c->impact.p, count = 0;
    fraction x[IMPACTS_N], zero[IMPACTS_P], v[IMPACTS_N], u[IMPACTS_N], lambda[IMPACTS_P];
    exact_velocity(c, x);
    for (int i = 0; i < p; i++)
        zero[i] = fraction_int(0);
    assert_true(exact_nearest(c, x, zero, v, lambda));
    for (unsigned set = 0; set < 1u << p && count < MOST; set++) {
        fraction w[IMPACTS_N], none[IMPACTS_P];
        bool good = exact_meet(c, x, set, zero, u, lambda) && exact_same(n, u, v);
        for (int i = 0; i < p && good; i++)
            good = fraction_sign(&lambda[i]) >= 0;
        if (!good)
            continue;
        for (int i = 0; i < p; i++)
            lambda[i] = fraction_multiply(lambda[i], fraction_of(c->contacts[i].restitution));
        memcpy(w, v, sizeof w);
        exact_push(c, lambda, w);
        assert_true(exact_nearest(c, w, zero, outcome[count], none));
        bool known = false;
        for (int k = 0; k < count; k++)
            known = known || exact_same(n, outcome[k], outcome[count]);
        count += !known;
    }
    return count;
}

static void poisson(void **state)
{
    (void)state;
    static fraction exact[MOST][IMPACTS_N];
    family f = family_start("poisson in fractions", 12, 500);
    while (family_next(&f)) {
        impacts_case c;
        int n = 1 + check_random_int(&f.random, 3), p = 1 + check_random_int(&f.random, 4);
        exact_scene(&c, &f.random, n, p, f.member % 3 > 0);
        int count = poisson_outcomes(&c, exact);
        double apart = 0; /* what differs by less than the digits kept is one outcome or several */
        for (int k = 1; k < count; k++) {
            double u[IMPACTS_N];
            for (int j = 0; j < n; j++)
                u[j] = fraction_double(&exact[k][j]);
            apart = fmax(apart, exact_distance(&c, u, exact[0]));
        }
        carom_geometry g;
        carom_outcome o = impacts_apply(&c.impact, "poisson", NULL, 0, arena, &g);
        bool either = count > 1 && apart < 10 * DIGITS;
        family_check(&f, either || o.answer == (count > 1 ? CAROM_ANSWER_SEVERAL : CAROM_ANSWER_OK),
                     "%s: %s with %d others, exactly %d outcomes", exact_text(&c),
                     carom_answer_text(o.answer), o.alternative_count, count);
        for (int k = 0; k < count; k++) {
            double off = exact_distance(&c, o.u, exact[k]);
            for (int j = 0; j < o.alternative_count; j++)
                off = fmin(off, exact_distance(&c, o.alternatives[j].u, exact[k]));
            family_check(&f, off <= DIGITS, "%s: outcome %d off by %.2g", exact_text(&c), k, off);
        }
        for (int j = 0; j < o.alternative_count; j++) {
            double off = INFINITY;
            for (int k = 0; k < count; k++)
                off = fmin(off, exact_distance(&c, o.alternatives[j].u, exact[k]));
            family_check(&f, off <= DIGITS, "%s: alternative %d is none", exact_text(&c), j);
        }
        family_check(&f, o.verdict.misfit <= 1 && o.verdict.kinematic && o.verdict.kinetic,
                     "%s: verdicts %d %d, misfit %g", exact_text(&c), o.verdict.kinematic,
                     o.verdict.kinetic, o.verdict.misfit);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton),
        cmocka_unit_test(poisson),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
