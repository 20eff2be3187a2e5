/* Light bodies between heavy ones, mass ratios to 1e9, in the laws that iterate: their velocities
 * are judged by the statements of the laws, in units of the terms of each. */
#include "family.h"
#include "impacts.h"

#include <float.h>

CHECK_ARENA(arena);

static double mass_of(check_random *r)
{
    return check_random_int(r, 2) ? 1 : ldexp(1, -check_random_int(r, 31));
}

/* Rows of small whole numbers, none zero. */
static void draw_row(check_random *r, int n, double *row)
{
    double size = 0;
    while (size == 0)
        for (int k = 0; k < n; k++) {
            row[k] = check_random_int(r, 7) - 3;
            size += fabs(row[k]);
        }
}

static void draw(check_random *r, impacts_case *c, int n, int p)
{
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n; k++) {
        c->M[k] = mass_of(r);
        c->u[k] = (check_random_int(r, 17) - 8) / 4.;
    }
    for (int i = 0; i < p; i++)
        draw_row(r, n, c->W + n * i);
}

/* w'u and the size of its terms. */
static double product(int n, const double *w, const double *u, double *size)
{
    double sum = 0;
    for (int k = 0; k < n; k++) {
        sum += w[k] * u[k];
        *size += fabs(w[k] * u[k]);
    }
    return sum;
}

/* What the rounding of the impulses makes of the momentum, in the unit of momentum_error. */
static double momentum_rounding(const impacts_case *c, const carom_geometry *g,
                                const carom_outcome *o)
{
    const int n = c->impact.n;
    double squared = 0;
    for (int k = 0; k < n; k++) {
        double gross = 0;
        for (int i = 0; i < c->impact.p; i++)
            gross += fabs(c->W[k + n * i] * o->impulse[i]);
        for (int j = 0; j < g->s; j++)
            gross += fabs(c->H[k + n * j] * o->tangential_impulse[j]);
        for (int j = 0; j < c->impact.m; j++)
            gross += fabs(c->B[k + n * j] * o->joint_impulse[j]);
        squared += gross * gross / c->M[k];
    }
    return squared > 0 ? 8 * DBL_EPSILON * sqrt(squared) / g->speed : 0;
}

/* gamma+ = -e gamma- at every contact, with a joint and with friction. */
static void test_equality(void **state)
{
    (void)state;
    family f = family_start("coulomb by equalities, light bodies", 51, 600);
    carom_value form = {.name = "form", .kind = CAROM_PARAMETER_CHOICE, .text = "equality"};
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        const int n = 2 + check_random_int(r, 3), p = 1 + check_random_int(r, n - 1);
        carom_arena_reset(arena);
        draw(r, &c, n, p);
        for (int i = 0; i < p; i++) {
            c.contacts[i].restitution = check_random_int(r, 5) / 4.;
            c.contacts[i].slip_count = check_random_int(r, 2);
            c.contacts[i].friction_static = c.contacts[i].friction_dynamic =
                check_random_int(r, 4) / 4.;
        }
        for (int i = 0, s = 0; i < p; i++)
            if (c.contacts[i].slip_count)
                draw_row(r, n, c.H + n * s++);
        if (check_random_int(r, 2)) {
            c.impact.m = 1;
            draw_row(r, n, c.B);
        }
        carom_outcome o = impacts_apply(&c.impact, "coulomb", &form, 1, arena, &g);
        if (o.answer != CAROM_ANSWER_OK && o.answer != CAROM_ANSWER_SEVERAL)
            continue;
        for (int i = 0; i < p; i++) {
            double size = 0, before = product(n, c.W + n * i, g.u, &size);
            double after = product(n, c.W + n * i, o.u, &size);
            const double off = after + c.contacts[i].restitution * before;
            family_check(&f, fabs(off) <= 1e-9 * size + 1e-13 * g.fastest, "contact %d off by %g",
                         i, off);
        }
        family_check(&f, o.verdict.momentum_error <= 1e-9 + momentum_rounding(&c, &g, &o),
                     "momentum off by %g", o.verdict.momentum_error);
    }
    family_end(&f);
}

/* The projection on second-order cones and half-spaces: in all of them, reactions in their polar
 * cones, and no work of reactions on the velocity after. */
static void test_cones(void **state)
{
    (void)state;
    family f = family_start("inelastic on cones, light bodies", 52, 600);
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        double spread[4 * 2 * 4];
        const int n = 2 + check_random_int(r, 3), p = 1 + check_random_int(r, 4);
        carom_arena_reset(arena);
        draw(r, &c, n, p);
        int columns = 0;
        for (int i = 0; i < p; i++) {
            c.contacts[i].spread_count =
                i == 0 ? 1 + check_random_int(r, 2) : check_random_int(r, 2);
            for (int k = 0; k < c.contacts[i].spread_count; k++, columns++)
                for (int j = 0; j < n; j++)
                    spread[j + columns * n] = check_random_in(r, -0.5, 0.5);
        }
        c.impact.spread = spread;
        carom_outcome o = impacts_apply(&c.impact, "inelastic", NULL, 0, arena, &g);
        if (!o.impulse_exists)
            continue;
        family_check(&f, o.answer == CAROM_ANSWER_OK, "%s: %s", carom_answer_text(o.answer),
                     o.message);
        for (int i = 0; i < p; i++) {
            double size = 0, squared = 0, pull = 0;
            const double gamma = product(n, c.W + n * i, o.u, &size);
            double work = o.impulse[i] * gamma;
            for (int j = g.spread_start[i]; j < g.spread_start[i + 1]; j++) {
                const double t = product(n, spread + n * j, o.u, &size);
                squared += t * t;
                work += o.spread_impulse[j] * t;
                pull = hypot(pull, o.spread_impulse[j]);
            }
            const double slack = gamma - sqrt(squared);
            family_check(&f, slack >= -1e-9 * size - 1e-13 * g.fastest, "contact %d: %g of %g", i,
                         slack, size);
            family_check(&f, pull <= o.impulse[i] * (1 + 1e-9) + 1e-12, "reaction %d: %g > %g", i,
                         pull, o.impulse[i]);
            family_check(&f, fabs(work) <= 1e-9 * (o.impulse[i] * size + g.energy),
                         "contact %d works %g", i, work);
        }
        family_check(&f, o.verdict.momentum_error <= 1e-9, "momentum off by %g",
                     o.verdict.momentum_error);
    }
    family_end(&f);
}

/* A cone with one direction of spread is two half-spaces. Here the velocity after lies on one of
 * them at 1e-6 of its own size from the edge, and only the reaction tells on which. */
static void test_near_edge(void **state)
{
    (void)state;
    const double s[3] = {0.50580238901229679, -0.025485724955621868, -0.65524252354056345};
    impacts_case c;
    carom_geometry g;
    double D = 0, speed = 0;
    impacts_init(&c, 3, 1);
    c.impact.mass_is_diagonal = true;
    c.M[0] = ldexp(1e9, -30);
    c.M[1] = c.M[2] = ldexp(1, -30);
    c.u[1] = -0.5;
    c.u[2] = -1.5;
    c.W[0] = 3;
    c.contacts[0].spread_count = 1;
    c.impact.spread = s;
    for (int k = 0; k < 3; k++) { /* (w - s)'u >= 0 */
        D += (c.W[k] - s[k]) * (c.W[k] - s[k]) / c.M[k];
        speed += (c.W[k] - s[k]) * c.u[k];
    }
    carom_arena_reset(arena);
    const carom_outcome o = impacts_apply(&c.impact, "inelastic", NULL, 0, arena, &g);
    const double L = -speed / D;
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    assert_true(o.verdict.kinematic && o.verdict.kinetic && o.verdict.energetic);
    check_close(o.impulse[0] / L, 1, 1e-9);
    check_close(o.spread_impulse[0] / L, -1, 1e-9);
    check_close(o.u[0] / ((3 - s[0]) * L / c.M[0]), 1, 1e-9);
}

/* Three contacts of which the last body's are all but parallel: the equations of the modes hold,
 * but in fractions the first contact would have to pull, by 6e-10 of the impulses. */
static void test_small_pull(void **state)
{
    (void)state;
    const double W[] = {0, -3, -3, -3, 0, -2, -1, 2, 0, 2, -2, -2}, H[] = {-1, -1, -3, 3};
    const double e[] = {0.5, 0.75, 0.5}, u[] = {2, 2, -1, -1};
    carom_value form = {.name = "form", .kind = CAROM_PARAMETER_CHOICE, .text = "equality"};
    impacts_case c;
    carom_geometry g;
    impacts_init(&c, 4, 3);
    c.impact.mass_is_diagonal = true;
    memcpy(c.W, W, sizeof W);
    memcpy(c.H, H, sizeof H);
    memcpy(c.u, u, sizeof u);
    c.M[0] = c.M[1] = 1;
    c.M[2] = ldexp(1, -15);
    c.M[3] = ldexp(1, -28);
    for (int i = 0; i < 3; i++)
        c.contacts[i].restitution = e[i];
    c.contacts[1].slip_count = 1;
    c.contacts[1].friction_static = c.contacts[1].friction_dynamic = 0.75;
    carom_arena_reset(arena);
    const carom_outcome o = impacts_apply(&c.impact, "coulomb", &form, 1, arena, &g);
    assert_int_equal(o.answer, CAROM_ANSWER_NONE);
}

/* Slip of one contact in space: where the law answers, normal velocity and direction of slip keep
 * their digits beside impulses that are 1e5 times as large. */
static void test_turning(void **state)
{
    (void)state;
    family f = family_start("one contact in space, light bodies", 54, 600);
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        const int n = 2 + check_random_int(r, 3);
        carom_arena_reset(arena);
        draw(r, &c, n, 1);
        draw_row(r, n, c.H);
        draw_row(r, n, c.H + n);
        c.contacts[0].slip_count = 2;
        c.contacts[0].restitution = check_random_int(r, 5) / 4.;
        c.contacts[0].friction_static = c.contacts[0].friction_dynamic =
            (1 + check_random_int(r, 8)) / 4.;
        const carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        if (o.answer != CAROM_ANSWER_OK || !(o.impulse[0] > 0))
            continue;
        double size = 0, across = 0, *T = o.tangential_impulse;
        const double before = product(n, c.W, c.u, &size);
        const double off = product(n, c.W, o.u, &size) + c.contacts[0].restitution * before;
        const double s = product(n, c.H, o.u, &across), t = product(n, c.H + n, o.u, &across);
        const double turned = (s * T[1] - t * T[0]) / fmax(hypot(T[0], T[1]), DBL_MIN);
        product(n, c.H, c.u, &across);
        product(n, c.H + n, c.u, &across);
        family_check(&f, fabs(off) <= 1e-9 * size, "contact off by %g of %g", off, size);
        family_check(&f, fabs(turned) <= 1e-8 * across, "slip turned by %g of %g", turned, across);
    }
    family_end(&f);
}

/* Elastic chains: the work of the contacts, half the sum of L (gamma- + gamma+), is nothing. */
static void test_springs(void **state)
{
    (void)state;
    family f = family_start("lzb, elastic chains of light balls", 53, 500);
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        double mass[4], u[4];
        const int n = 2 + check_random_int(r, 3);
        carom_arena_reset(arena);
        for (int k = 0; k < n; k++) {
            mass[k] = mass_of(r);
            u[k] = check_random_in(r, -1, 1);
        }
        impacts_chain(&c, n, mass, u, 1);
        carom_outcome o = impacts_apply(&c.impact, "lzb", NULL, 0, arena, &g);
        if (o.answer != CAROM_ANSWER_OK)
            continue;
        double work = 0, size = 0;
        for (int i = 0; i < n - 1; i++) {
            const double jump = u[i + 1] - u[i] + o.u[i + 1] - o.u[i];
            work += 0.5 * o.impulse[i] * jump;
            size += 0.5 * o.impulse[i] * (fabs(u[i + 1] - u[i]) + fabs(o.u[i + 1] - o.u[i]));
        }
        family_check(&f, fabs(work) <= 1e-9 * size, "works %g of %g", work, size);
        family_check(&f, o.verdict.energetic, "gains %g", o.verdict.energy_gain);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equality),  cmocka_unit_test(test_cones),
        cmocka_unit_test(test_near_edge), cmocka_unit_test(test_small_pull),
        cmocka_unit_test(test_springs),   cmocka_unit_test(test_turning),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
