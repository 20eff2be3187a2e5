/* Blocks on flat feet: all feet of a base have one slip row, to the last bit, and its force is
 * shared by them. With the slips of some feet in other units (rows times a power of two, friction
 * divided by it) nothing changes but the bits, and the dependent equations are told in doubled
 * precision. */
#include "family.h"
#include "impacts.h"

#include <math.h>

CHECK_ARENA(arena);

/* A stack of blocks, the last up to a billion times lighter, each on some feet of one height. */
static int draw(check_random *r, impacts_case *c)
{
    const int blocks = 1 + check_random_int(r, 2), n = 3 * blocks;
    int p = 0;
    impacts_init(c, n, 0);
    c->impact.mass_is_diagonal = true;
    for (int b = 0; b < blocks; b++) {
        const double mass = check_random_in(r, 0.5, 2) * ldexp(1, -15 * b * check_random_int(r, 3));
        const double foot = -check_random_in(r, 0.1, 1), below = check_random_in(r, 0.1, 1);
        const int feet = 2 + check_random_int(r, b ? 1 : 2);
        c->M[3 * b] = c->M[3 * b + 1] = mass;
        c->M[3 * b + 2] = mass * check_random_in(r, 0.1, 2);
        for (int k = 0; k < 3; k++)
            c->u[3 * b + k] = check_random_in(r, -1, 1);
        for (int i = 0; i < feet; i++, p++) {
            const double x = check_random_in(r, -1, 1);
            double *w = c->W + n * p, *h = c->H + n * p;
            w[3 * b + 1] = h[3 * b] = 1;
            w[3 * b + 2] = x;
            h[3 * b + 2] = -foot;
            if (b) {
                w[3 * b - 2] = h[3 * b - 3] = -1;
                w[3 * b - 1] = -x;
                h[3 * b - 1] = below;
            }
            c->contacts[p].slip_count = 1;
            c->contacts[p].restitution = check_random_in(r, 0, 1);
            c->contacts[p].friction_static = c->contacts[p].friction_dynamic =
                check_random_in(r, 0, 1.5);
        }
    }
    c->impact.p = p;
    return n;
}

/* The slip of every second contact in other units. */
static void change_units(impacts_case *c)
{
    const int n = c->impact.n;
    for (int i = 1; i < c->impact.p; i += 2) {
        for (int k = 0; k < n; k++)
            c->H[k + n * i] *= 4;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic /= 4;
    }
}

static void test_units(void **state)
{
    (void)state;
    family f = family_start("flat feet in other units", 241, 1500);
    while (family_next(&f)) {
        static impacts_case c;
        carom_geometry g;
        const int n = draw(&f.random, &c);
        carom_arena_reset(arena);
        const carom_outcome a = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        change_units(&c);
        const carom_outcome b = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        family_check(&f, a.answer == b.answer && a.alternative_count == b.alternative_count,
                     "answers %d and %d, %d and %d alternatives", a.answer, b.answer,
                     a.alternative_count, b.alternative_count);
        for (int k = 0; k < n; k++) {
            const double size = fabs(c.u[k]) + fabs(a.u[k]);
            family_check(&f, fabs(a.u[k] - b.u[k]) <= CHECK_ROUNDING(1024) * size,
                         "u+[%d] is %.17g and %.17g", k, a.u[k], b.u[k]);
        }
        for (int i = 0; i < c.impact.p; i++) {
            const double unit = i % 2 ? 4 : 1, size = a.impulse[i] + b.impulse[i];
            family_check(&f, a.mode[i] == b.mode[i], "modes of contact %d are %d and %d", i,
                         a.mode[i], b.mode[i]);
            family_check(&f,
                         fabs(a.tangential_impulse[i] - unit * b.tangential_impulse[i]) <=
                             CHECK_ROUNDING(1024) * size,
                         "friction of contact %d is %.17g and %.17g", i, a.tangential_impulse[i],
                         unit * b.tangential_impulse[i]);
        }
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
