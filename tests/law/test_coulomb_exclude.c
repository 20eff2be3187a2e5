/* Whether a spatial frictional impact has a solution: problems made from one, planar problems posed
 * in space against their enumeration, and how often the question stays open. */
#include "contact_space.h"
#include "family.h"

#include <math.h>

CHECK_ARENA(arena);

enum { P = 4, N = 3 * P, DIMENSIONS = 5 };

typedef contact_space problem;

/* p contacts over a space of few dimensions, so that they, and the rows of one, depend on each
 * other; a third row that nothing moves where `flat`; sometimes normals that are opposed within
 * 1e-6. */
static void draw(check_random *r, problem *c, int p, bool flat)
{
    double J[DIMENSIONS * N] = {0};
    const int d = 2 + check_random_int(r, 3), n = 3 * p;
    const bool opposed = !flat && p > 1 && check_random_int(r, 4) == 0;
    *c = (problem){.row = {0}};
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < d; i++) {
            J[i + k * d] = flat && k % 3 == 2 ? 0 : check_random_in(r, -1, 1);
            if (opposed && k == 3)
                J[i + k * d] = 1e-6 * J[i + k * d] - J[i];
        }
        c->b[k] = flat && k % 3 == 2 ? 0 : check_random_in(r, -1, 1);
    }
    contact_space_set(c, p, 3, d, J);
    for (int i = 0; i < p; i++)
        c->mu[i] = c->mu_d[i] = check_random_in(r, 0.1, 1.5);
}

/* b such that impulses and velocities in modes drawn at random solve the problem. */
static void plant(check_random *r, problem *c)
{
    const int n = c->f.N;
    double x[N] = {0}, xi[N];
    for (int i = 0; i < c->f.p; i++) {
        const int mode = check_random_int(r, 3);
        const double push = mode ? check_random_in(r, 0.1, 2) : 0, a = check_random_in(r, -4, 4);
        const double drag = c->mu[i] * push * (mode == 1 ? check_random_in(r, 0, 1) : 1);
        const double slip = mode == 1 ? 0 : check_random_in(r, 0, 1);
        x[3 * i] = push;
        x[3 * i + 1] = -drag * cos(a);
        x[3 * i + 2] = -drag * sin(a);
        xi[3 * i] = mode ? 0 : check_random_in(r, 0, 1);
        xi[3 * i + 1] = slip * cos(a);
        xi[3 * i + 2] = slip * sin(a);
    }
    for (int i = 0; i < n; i++) {
        c->b[i] = xi[i];
        for (int j = 0; j < n; j++)
            c->b[i] -= c->A[i + j * n] * x[j];
    }
}

static carom_coulomb_solutions solve(const carom_coulomb *f)
{
    carom_coulomb_solutions all;
    carom_error error;
    assert_int_equal(carom_coulomb_solve(f, arena, &all, &error), CAROM_OK);
    return all;
}

static void test_planted(void **state)
{
    (void)state;
    family f = family_start("spatial friction made from a solution", 81, 500);
    while (family_next(&f)) {
        problem c;
        carom_arena_reset(arena);
        draw(&f.random, &c, 1 + check_random_int(&f.random, 3), false);
        plant(&f.random, &c);
        const carom_coulomb_solutions all = solve(&c.f);
        family_check(&f, all.count > 0, "%s (residual %g)",
                     all.complete ? "said to have none" : "nothing found", all.residual);
    }
    family_end(&f);
}

/* The same problem without the rows that nothing moves. */
static void flatten(const problem *from, problem *to)
{
    const int p = from->f.p;
    *to = *from;
    for (int i = 0; i < 2 * p; i++) {
        to->b[i] = from->b[i / 2 * 3 + i % 2];
        for (int j = 0; j < 2 * p; j++)
            to->A[i + j * 2 * p] = from->A[i / 2 * 3 + i % 2 + (j / 2 * 3 + j % 2) * 3 * p];
    }
    for (int i = 0; i <= p; i++)
        to->row[i] = 2 * i;
    to->f.N = 2 * p;
    to->f.row = to->row;
    to->f.A = to->A;
    to->f.b = to->b;
}

static void test_flat(void **state)
{
    (void)state;
    family f = family_start("planar friction posed in space", 82, 500);
    int open = 0;
    while (family_next(&f)) {
        problem c, planar;
        carom_arena_reset(arena);
        draw(&f.random, &c, 1 + check_random_int(&f.random, 3), true);
        flatten(&c, &planar);
        const carom_coulomb_solutions few = solve(&planar.f), all = solve(&c.f);
        open += all.count == 0 && !all.complete;
        family_check(&f, (all.count > 0) == (few.count > 0) && 100 * open <= f.members,
                     "%d solutions, found %d, complete %d (residual %g), %d open", few.count,
                     all.count, all.complete, all.residual, open);
    }
    family_end(&f);
}

/* Anything: how often is it neither solved nor excluded? */
static void test_random(void **state)
{
    (void)state;
    family f = family_start("spatial friction is decided", 83, 300);
    int open = 0;
    while (family_next(&f)) {
        problem c;
        carom_arena_reset(arena);
        draw(&f.random, &c, 1 + check_random_int(&f.random, 3), false);
        const carom_coulomb_solutions all = solve(&c.f);
        open += all.count == 0 && !all.complete;
        family_check(&f, 100 * open <= f.members, "%d are open (residual %g)", open, all.residual);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
