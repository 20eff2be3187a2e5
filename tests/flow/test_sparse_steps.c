/* Time-stepping of many bodies: chains, trees, piles, heaps, bricks. */
#include "sparse_case.h"

/* Balls of random masses and restitutions in a column. */
static void test_chains(void **state)
{
    (void)state;
    check_random r = {3};
    for (int round = 0; round < 12; round++) {
        const int n = 2 + check_random_int(&r, 40);
        begin();
        double height = 0.1;
        for (int i = 0; i < n; i++) {
            double m = pow(10, check_random_in(&r, -4.5, 4.5));
            made.kinetic[i] = say("%.17g/2*x%d'^2", m, i);
            made.potential[i] = say("%.17g*9.81*x%d", m, i);
            add_coordinate(say("x%d", i), height, check_random_in(&r, -0.3, 0.3));
            add_contact(i ? say("x%d - x%d - 0.2", i, i - 1) : say("x0 - 0.1"), (carom_source){0},
                        check_random_in(&r, 0, 0.8), 0);
            height += 0.2 + (check_random_int(&r, 2) ? check_random_in(&r, 0, 0.02) : 0);
        }
        made.statement.kinetic_count = made.statement.potential_count = n;
        assert_true(run("newton", 1e-3, 300) > 0);
    }
}

/* Bodies on a line that rest on each other like the branches of a tree, numbered at random. */
static void test_trees(void **state)
{
    (void)state;
    check_random r = {5};
    for (int round = 0; round < 12; round++) {
        const int n = 3 + check_random_int(&r, 40);
        int name[MOST];
        begin();
        for (int i = 0; i < n; i++)
            name[i] = i;
        for (int i = n - 1; i > 0; i--) {
            int j = check_random_int(&r, i + 1), keep = name[i];
            name[i] = name[j];
            name[j] = keep;
        }
        for (int i = 0; i < n; i++)
            add_coordinate(say("x%d", i), 0, 0);
        for (int i = 0; i < n; i++) {
            int below = i ? check_random_int(&r, i) : -1;
            made.q[name[i]] = (i ? made.q[name[below]] + 0.2 : 0.1) + check_random_in(&r, 0, 0.005);
            made.kinetic[i] = say("(1 + 0.1*%d)/2*x%d'^2", i, name[i]);
            made.potential[i] = say("(1 + 0.1*%d)*9.81*x%d", i, name[i]);
            add_contact(i ? say("x%d - x%d - 0.2", name[i], name[below])
                          : say("x%d - 0.1", name[0]),
                        (carom_source){0}, 0.3, 0);
        }
        made.statement.kinetic_count = made.statement.potential_count = n;
        assert_true(run("newton", 1e-3, 300) > 0);
    }
}

/* Discs in a pyramid between two walls, with and without friction against the floor and each
 * other. */
static void pile_discs(int base, double mu)
{
    int column[MOST], line[MOST], n = 0;
    begin();
    for (int k = 0; k < base; k++)
        for (int i = 0; i < base - k; i++, n++) {
            column[n] = i;
            line[n] = k;
            add_coordinate(say("x%d", n), 0.205 * (i + 0.5 * k) + 0.002 * sin(7 * n),
                           0.1 * sin(3 * n));
            add_coordinate(say("y%d", n), 0.101 + 0.175 * k, 0);
            made.kinetic[n] = say("1/2*(x%d'^2 + y%d'^2)", n, n);
            made.potential[n] = say("9.81*y%d", n);
        }
    made.statement.kinetic_count = made.statement.potential_count = n;
    for (int a = 0; a < n; a++) {
        if (line[a] == 0)
            add_contact(say("y%d - 0.1", a), mu > 0 ? say("x%d'", a) : (carom_source){0}, 0.2, mu);
        for (int b = 0; b < a; b++) {
            bool near = line[a] == line[b] ? column[a] == column[b] + 1
                                           : line[a] == line[b] + 1 && (column[b] == column[a] ||
                                                                        column[b] == column[a] + 1);
            if (near)
                add_contact(say("sqrt((x%d - x%d)^2 + (y%d - y%d)^2) - 0.2", a, b, a, b),
                            (carom_source){0}, 0.1, 0);
        }
    }
    add_contact(say("x0 + 0.03"), (carom_source){0}, 0, 0);
    add_contact(say("%g - x%d", 0.205 * (base - 1) + 0.03, base - 1), (carom_source){0}, 0, 0);
}

static void test_walls(void **state)
{
    (void)state;
    for (int base = 2; base <= 6; base++) {
        pile_discs(base, 0);
        assert_true(run("newton", 1e-3, 120) > 0);
    }
    for (int base = 2; base <= 4; base++) {
        pile_discs(base, 0.4);
        assert_true(run("coulomb", 1e-3, 120) > 0);
    }
}

/* Rough discs that turn, in a heap a little out of order: more rows of friction than degrees of
 * freedom, and more contacts than a general solver takes. */
static void heap_rough_discs(check_random *r, int base, double mu)
{
    int column[MOST], line[MOST], n = 0;
    begin();
    for (int k = 0; k < base; k++)
        for (int i = 0; i < base - k; i++, n++) {
            column[n] = i;
            line[n] = k;
            add_coordinate(say("x%d", n), 0.203 * (i + 0.5 * k) + check_random_in(r, 0, 0.001), 0);
            add_coordinate(say("y%d", n), 0.1005 + 0.175 * k + check_random_in(r, 0, 0.001), 0);
            add_coordinate(say("p%d", n), 0, 0);
            made.kinetic[n] = say("(x%d'^2 + y%d'^2)/2 + 0.005/2*p%d'^2", n, n, n);
            made.potential[n] = say("9.81*y%d", n);
        }
    made.statement.kinetic_count = made.statement.potential_count = n;
    for (int a = 0; a < n; a++) {
        if (line[a] == 0)
            add_contact(say("y%d - 0.1", a), say("x%d' + 0.1*p%d'", a, a), 0, mu);
        for (int b = 0; b < a; b++) {
            bool side = line[a] == line[b] && column[a] == column[b] + 1;
            bool above =
                line[a] == line[b] + 1 && (column[b] == column[a] || column[b] == column[a] + 1);
            if (side || above)
                add_contact(say("sqrt((x%d - x%d)^2 + (y%d - y%d)^2) - 0.2", a, b, a, b),
                            say("(-(x%d' - x%d')*(y%d - y%d) + (y%d' - y%d')*(x%d - x%d))"
                                "/sqrt((x%d - x%d)^2 + (y%d - y%d)^2) - 0.1*(p%d' + p%d')",
                                a, b, a, b, a, b, a, b, a, b, a, b, a, b),
                            0, mu);
        }
    }
}

static void test_rough_heaps(void **state)
{
    (void)state;
    check_random r = {9};
    for (int base = 2; base <= 5; base++) {
        heap_rough_discs(&r, base, 0.5);
        assert_true(run_any("coulomb", 1e-3, 150, false) > 0);
    }
}

/* Bricks in running bond, four corners of contact each: more contacts than they need to rest. */
static void lay_bricks(int lines, int columns, double mu)
{
    int number[MOST], n = 0;
    begin();
    for (int k = 0; k < lines; k++)
        for (int i = 0; i < columns - k % 2; i++, n++) {
            number[k * columns + i] = n;
            add_coordinate(say("x%d", n), i + 0.5 * (k % 2), 0);
            add_coordinate(say("y%d", n), 0.25 + 0.5 * k + 5e-4 * (k + 1), 0);
            add_coordinate(say("p%d", n), 0, 0);
            made.kinetic[n] = say("(x%d'^2 + y%d'^2)/2 + 1.25/24*p%d'^2", n, n, n);
            made.potential[n] = say("9.81*y%d", n);
            const char *bottom = say("y%d - 0.25*cos(p%d)", n, n).text;
            const char *slip = say("x%d' + 0.25*p%d'", n, n).text;
            for (int c = 0; c < 2 && k == 0; c++)
                add_contact(say("%s + %g*sin(p%d)", bottom, c - 0.5, n),
                            mu > 0 ? say("%s", slip) : (carom_source){0}, 0, mu);
            for (int c = 0; c < 4 && k > 0; c++) { /* left and right half, on the brick below */
                int column = i + c / 2 - (k % 2 ? 0 : 1);
                if (column < 0 || column >= columns - (k - 1) % 2)
                    continue;
                int b = number[(k - 1) * columns + column];
                double at = c < 2 ? -0.5 + 0.5 * (c % 2) : 0.5 * (c % 2);
                add_contact(say("%s + %g*sin(p%d) - y%d - 0.25*cos(p%d) - %g*sin(p%d)", bottom, at,
                                n, b, b, at + (c < 2 ? 0.5 : -0.5), b),
                            mu > 0 ? say("%s - x%d' + 0.25*p%d'", slip, b, b) : (carom_source){0},
                            0, mu);
            }
        }
    made.statement.kinetic_count = made.statement.potential_count = n;
}

static void test_bricks(void **state)
{
    (void)state;
    for (int lines = 1; lines <= 5; lines += 2) {
        lay_bricks(lines, 4, 0);
        assert_true(run_any("newton", 1e-3, 60, false) > 0);
        lay_bricks(lines, 4, 0.5);
        assert_true(run_any("coulomb", 1e-3, 60, false) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains), cmocka_unit_test(test_trees),
        cmocka_unit_test(test_walls),  cmocka_unit_test(test_rough_heaps),
        cmocka_unit_test(test_bricks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
