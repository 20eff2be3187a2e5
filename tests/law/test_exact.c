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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
