/* One contact beside joints whose rows cancel: coordinates that only the joints move, or that
 * nothing moves (C'M^-1 w = 0), carry rounding alone, and every law still explains its velocity by
 * its impulses. The velocity after the impact is that of the equations, in fractions. */
#include "exact_impact.h"
#include "family.h"

CHECK_ARENA(arena);

static double whole(check_random *r, int size)
{
    return check_random_int(r, 2 * size + 1) - size;
}

/* A normal, joints in force that move as u- does; every other one is turned so that the contact
 * does not move it. */
static void draw(check_random *r, impacts_case *c)
{
    static const double masses[] = {1, 1, 1, 2, 4, 3, 0.25, 0x1p20};
    const int n = 3 + check_random_int(r, 2), kinds = check_random_int(r, 2) ? 3 : 8;
    impacts_init(c, n, 1);
    c->impact.mass_is_diagonal = true;
    c->impact.m = 1 + check_random_int(r, n - 2);
    for (int k = 0; k < n; k++) {
        c->M[k] = masses[check_random_int(r, kinds)];
        c->u[k] = whole(r, 1);
        c->W[k] = k < 2 ? whole(r, 3) : 0;
    }
    c->contacts[0].restitution = 0.25 * check_random_int(r, 5);
    for (int j = 0; j < c->impact.m; j++) {
        double *row = c->B + n * j;
        for (int k = 0; k < n; k++)
            row[k] = whole(r, 3);
        if (check_random_int(r, 2)) {
            row[0] = c->M[0] * c->W[1];
            row[1] = -c->M[1] * c->W[0];
        }
        for (int k = 0; k < n; k++)
            c->b_hat[j] -= row[k] * c->u[k];
    }
}

/* gamma+ = -e gamma- with the joints held. False: it does not approach, or rows depend. */
static bool solve(const impacts_case *c, double e, double *u)
{
    fraction x[IMPACTS_N], y[IMPACTS_N], lambda[IMPACTS_P];
    exact_velocity(c, x);
    const fraction gamma = exact_gamma(c, 0, x);
    const fraction target = fraction_multiply(fraction_of(-e), gamma);
    if (fraction_sign(&gamma) >= 0 || !exact_meet(c, x, 1, &target, y, lambda))
        return false;
    for (int k = 0; k < c->impact.n; k++)
        u[k] = fraction_double(&y[k]);
    return true;
}

static void joined(const char *name, const char *law, bool elastic)
{
    family f = family_start(name, 17, 1500);
    while (family_next(&f)) {
        impacts_case c;
        carom_geometry g;
        double u[IMPACTS_N], off = 0;
        carom_arena_reset(arena);
        draw(&f.random, &c);
        if (!solve(&c, elastic ? c.contacts[0].restitution : 0, u))
            continue;
        carom_outcome o = impacts_apply(&c.impact, law, NULL, 0, arena, &g);
        for (int k = 0; k < c.impact.n; k++)
            off = fmax(off, fabs(o.u[k] - u[k]));
        family_check(&f, o.answer == CAROM_ANSWER_OK && off <= 1e-9, "answer %d, off by %g: %s",
                     (int)o.answer, off, o.message);
        family_check(&f, o.verdict.kinematic && o.verdict.kinetic && o.verdict.energetic,
                     "verdicts: gamma %g, impulse %g, gain %g", o.verdict.least_velocity,
                     o.verdict.least_impulse, o.verdict.energy_gain);
    }
    family_end(&f);
}

static void test_joined(void **state)
{
    (void)state;
    joined("a contact beside joints, newton", "newton", true);
    joined("a contact beside joints, poisson", "poisson", true);
    joined("a contact beside joints, moreau", "moreau", true);
    joined("a contact beside joints, inelastic", "inelastic", false);
    joined("a contact beside joints, coulomb", "coulomb", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_joined)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
