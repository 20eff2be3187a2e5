/* A block slides on a floor, and an event gives it a velocity w upwards or into the floor, from 1
 * down to next to nothing or nothing at all: it hops, for a time 2 |w|/(g (1 - e)). Where impacts
 * have the friction of sliding the floor gives it mu m g t - mu m w until it is at rest again, or
 * dx'/dw = mu; where they have none, friction is missing for as long as it flies. */
#include "family.h"
#include "varied.h"

#include <math.h>
#include <stdio.h>

typedef struct law {
    const char *name;
    bool rough, returns; /* impacts have friction; and restitution */
} law;

static const law laws[] = {{"coulomb", true, true},   {"newton", false, true},
                           {"moreau", false, true},   {"poisson", false, true},
                           {"implicit", false, true}, {"inelastic", false, false},
                           {"matrix", false, true},   {"lzb", false, true}};

/* dx'/dw behind the hop. */
static double slope_of(const law *l, double mu, double e, double w)
{
    const double r = l->returns ? e : 0;
    return l->rough ? mu : w > 0 ? 2 * mu / (1 - r) : -2 * mu * r / (1 - r);
}

static void test_hop(void **unused)
{
    (void)unused;
    static const char *const names[] = {"w"};
    family f = family_start("hops of a sliding block", 31, 1200);
    int told = 0;
    while (family_next(&f)) {
        const law *l = &laws[check_random_int(&f.random, sizeof laws / sizeof *laws)];
        const double mu = check_random_in(&f.random, 0.05, 0.3);
        const double e = check_random_int(&f.random, 3) ? check_random_in(&f.random, 0.1, 0.7) : 0;
        const double g = check_random_in(&f.random, 4, 12),
                     T = check_random_in(&f.random, 0.1, 0.4);
        const double sign = check_random_int(&f.random, 2) ? 1 : -1;
        const double w = check_random_int(&f.random, 4)
                             ? sign * pow(10, -check_random_in(&f.random, 1.5, 13))
                             : 0;
        char text[700];
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {w: %.17g}\nsystem:\n  coordinates: [x, y]\n"
                 "  kinetic: (x'^2 + y'^2)/2\n  potential: %.17g*y\n"
                 "  contacts: {f: {gap: y, slip: x', friction: %.17g, restitution: %.17g}}\n"
                 "  events: {k: {at: t - %.17g, direction: up, set: {y': w}}}\n"
                 "initial: {x': 9}\nlaw: %s\nrun: {until: 1}\n",
                 w, g, mu, e, T, l->name);
        motion m;
        open_motion(&m, text, 0, NULL);
        m.options.accumulation = 1e-10;
        run_varied(&m, 1, names);
        const double should = slope_of(l, mu, e, w);
        const bool exists = m.tangents.exists;
        family_check(&f, !exists || fabs(m.tangents.u[0] - should) <= 1e-6,
                     "law %s, w = %g: dx'/dw = %.12g, should be %.12g", l->name, w, m.tangents.u[0],
                     should);
        family_check(&f, exists || !l->rough, "law %s, w = %g: %s", l->name, w, m.tangents.reason);
        family_check(&f, exists || fabs(w) < 1e-4, "law %s, w = %g: %s", l->name, w,
                     m.tangents.reason);
        told += exists;
        close_motion(&m);
    }
    assert_true(told > 300);
    family_end(&f);
}

/* With a restitution of one neighbours hop for ever, and their velocities have no limit. */
static void test_elastic(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\nparameters: {w: 0}\nsystem:\n  coordinates: [x, y]\n"
        "  kinetic: (x'^2 + y'^2)/2\n  potential: 4*y\n"
        "  contacts: {f: {gap: y, restitution: 1}}\ninitial: {y': w}\nrun: {until: 1}\n";
    static const char *const names[] = {"w"};
    motion m;
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, names);
    assert_false(m.tangents.exists);
    close_motion(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hop),
        cmocka_unit_test(test_elastic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
