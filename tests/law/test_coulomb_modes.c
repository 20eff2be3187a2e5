/* All modes of planar friction: closed form, tree and proof of uniqueness against a search through
 * all modes that shares nothing with them. */
#include "contact_space.h"
#include "solver/instant_tree.h"

#include <math.h>
#include <string.h>

CHECK_ARENA(arena);

enum { P = 5, N = 2 * P, MODES = 1024, DIMENSIONS = 14 };

typedef contact_space problem;

static void make_problem(problem *c, check_random *r, int p, int dimensions, double mu)
{
    double J[N * DIMENSIONS];
    int n = 2 * p;
    *c = (problem){.row = {0}};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < dimensions; i++)
            J[i + k * dimensions] = check_random_in(r, -1, 1);
    contact_space_set(c, p, 2, dimensions, J);
    for (int i = 0; i < n; i++)
        c->b[i] = check_random_in(r, -1, 1);
    for (int i = 0; i < p; i++) {
        c->mu[i] = c->mu_d[i] = check_random_in(r, 0.1, 1) * mu;
        c->b[2 * i] -= 0.5; /* mostly approaching */
    }
}

/* x of a mode by elimination; digit 0 open, 1 stick, 2 slip+, 3 slip-. False: nearly singular. */
static bool solve_mode(const problem *c, int mode, double *x)
{
    int n = c->f.N;
    double E[N * (N + 1)] = {0}; /* rows of n coefficients and the right side */
    for (int i = 0; i < c->f.p; i++, mode /= 4) {
        double *normal = E + 2 * i * (n + 1), *slip = normal + n + 1;
        int digit = mode % 4;
        for (int j = 0; digit && j < n; j++)
            normal[j] = c->A[2 * i + j * n];
        normal[n] = digit ? -c->b[2 * i] : 0;
        if (!digit)
            normal[2 * i] = 1;
        for (int j = 0; digit == 1 && j < n; j++)
            slip[j] = c->A[2 * i + 1 + j * n];
        slip[n] = digit == 1 ? -c->b[2 * i + 1] : 0;
        if (digit != 1)
            slip[2 * i + 1] = 1;
        if (digit > 1)
            slip[2 * i] = digit == 2 ? c->mu[i] : -c->mu[i];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(E[i * (n + 1) + k]) > fabs(E[best * (n + 1) + k]))
                best = i;
        for (int j = 0; j <= n; j++) {
            double t = E[k * (n + 1) + j];
            E[k * (n + 1) + j] = E[best * (n + 1) + j];
            E[best * (n + 1) + j] = t;
        }
        if (fabs(E[k * (n + 1) + k]) < 1e-5)
            return false;
        for (int i = 0; i < n; i++) {
            double l = i == k ? 0 : E[i * (n + 1) + k] / E[k * (n + 1) + k];
            for (int j = k; j <= n && l != 0; j++)
                E[i * (n + 1) + j] -= l * E[k * (n + 1) + j];
        }
    }
    for (int k = 0; k < n; k++)
        x[k] = E[k * (n + 1) + n] / E[k * (n + 1) + k];
    return true;
}

/* The least slack of the mode's conditions. */
static double slack(const problem *c, int mode, const double *x)
{
    int n = c->f.N;
    double least = INFINITY, xi[N];
    for (int i = 0; i < n; i++) {
        xi[i] = c->b[i];
        for (int j = 0; j < n; j++)
            xi[i] += c->A[i + j * n] * x[j];
    }
    for (int i = 0; i < c->f.p; i++, mode /= 4) {
        const double *y = x + 2 * i, *v = xi + 2 * i;
        switch (mode % 4) {
        case 0:
            least = fmin(least, v[0]);
            break;
        case 1:
            least = fmin(least, c->mu[i] * y[0] - fabs(y[1]));
            break;
        case 2:
            least = fmin(least, fmin(y[0], v[1]));
            break;
        default:
            least = fmin(least, fmin(y[0], -v[1]));
        }
    }
    return least;
}

/* All solutions; -1 when a case is too close to a border to be judged by signs. */
static int search(const problem *c, double (*xs)[N])
{
    int count = 0, modes = 1;
    for (int i = 0; i < c->f.p; i++)
        modes *= 4;
    for (int mode = 0; mode < modes; mode++) {
        double x[N], least;
        if (!solve_mode(c, mode, x))
            return -1;
        least = slack(c, mode, x);
        if (fabs(least) < 1e-6)
            return -1;
        if (least > 0)
            memcpy(xs[count++], x, sizeof x);
    }
    return count;
}

static double nearest(const problem *c, const carom_coulomb_solutions *s, const double *x)
{
    double best = INFINITY;
    for (int k = 0; k < s->count; k++) {
        double off = 0, size = 1;
        for (int i = 0; i < c->f.N; i++) {
            off = fmax(off, fabs(s->list[k].x[i] - x[i]));
            size = fmax(size, fabs(x[i]));
        }
        best = fmin(best, off / size);
    }
    return best;
}

static void compare(const problem *c, const carom_coulomb_solutions *s, int count, double (*xs)[N])
{
    assert_true(s->complete);
    assert_int_equal(s->count, count);
    for (int k = 0; k < count; k++)
        check_close(nearest(c, s, xs[k]), 0, 1e-9);
}

/* One contact: closed form, enumeration and search agree, from one to three solutions. */
static void test_one_contact(void **state)
{
    (void)state;
    check_random r = {71};
    int seen[4] = {0};
    for (int trial = 0; trial < 20000; trial++) {
        problem c;
        double xs[MODES][N];
        carom_error error = {0};
        carom_coulomb_solutions closed = {.near_contact = -1}, all = {.near_contact = -1};
        make_problem(&c, &r, 1, 2 + trial % 3, trial % 2 ? 6 : 1);
        int count = search(&c, xs);
        if (count < 0 || !carom_coulomb_planar_regular(&c.f))
            continue;
        check_ok(carom_coulomb_planar(&c.f, arena, &closed, &error), &error);
        check_ok(carom_coulomb_enumerate(&c.f, arena, &all, &error), &error);
        compare(&c, &closed, count, xs);
        compare(&c, &all, count, xs);
        seen[count < 3 ? count : 3]++;
        carom_arena_reset(arena);
    }
    assert_int_equal(seen[0], 0);                 /* A is definite: there is always one */
    assert_true(seen[1] > 5000 && seen[3] > 300); /* and with much friction three, as Painleve's */
}

/* Several contacts: the tree leaves out no solution, the proof of uniqueness no second one. */
static void test_several_contacts(void **state)
{
    (void)state;
    check_random r = {72};
    int proved = 0, several = 0, compared = 0;
    for (int trial = 0; trial < 4000; trial++) {
        static double xs[MODES][N];
        problem c;
        carom_error error = {0};
        carom_coulomb_solutions all = {.near_contact = -1};
        int p = trial % 40 == 0 ? P : 2 + trial % 3;
        bool unique;
        make_problem(&c, &r, p, 2 * p + trial % 5, trial % 3 == 0 ? 8 : 0.5);
        int count = search(&c, xs);
        if (count < 0)
            continue;
        check_ok(carom_coulomb_enumerate(&c.f, arena, &all, &error), &error);
        check_ok(carom_coulomb_unique(&c.f, arena, &unique, &error), &error);
        compare(&c, &all, count, xs);
        if (unique)
            assert_int_equal(count, 1);
        proved += unique;
        several += count > 1;
        compared++;
        carom_arena_reset(arena);
    }
    assert_true(compared > 1000 && proved > 50 && several > 50);
}

/* As much friction as the proof of uniqueness allows, and any velocities: still one outcome. */
static void test_uniqueness_limit(void **state)
{
    (void)state;
    check_random r = {75};
    int compared = 0;
    for (int trial = 0; trial < 300; trial++) {
        static double xs[MODES][N];
        problem c;
        carom_error error = {0};
        int p = 1 + trial % 3;
        double low = 0, high = 50;
        make_problem(&c, &r, p, 2 * p + trial % 2, 1);
        for (int step = 0; step < 40; step++) {
            double mu = 0.5 * (low + high);
            bool unique;
            for (int i = 0; i < p; i++)
                c.mu[i] = c.mu_d[i] = mu;
            check_ok(carom_coulomb_unique(&c.f, arena, &unique, &error), &error);
            *(unique ? &low : &high) = mu;
        }
        assert_true(low > 0 && high < 50);
        if (p == 1) { /* 4 (1 - a^2) is the square of the limit */
            check_close(0.25 * low * low, 1 - c.A[1] * c.A[1], 1e-7);
            assert_true(low * fabs(c.A[1]) < 1 + 1e-9); /* within the exact one */
        }
        for (int i = 0; i < p; i++)
            c.mu[i] = c.mu_d[i] = 0.999 * low;
        for (int k = 0; k < 20; k++) {
            for (int i = 0; i < 2 * p; i++)
                c.b[i] = check_random_in(&r, -1, 1);
            int count = search(&c, xs);
            assert_true(count == 1 || count == -1);
            compared += count == 1;
        }
        carom_arena_reset(arena);
    }
    assert_true(compared > 3000);
}

/* How many combinations the tree keeps, and that it keeps every one that holds. */
static void test_tree(void **state)
{
    (void)state;
    check_random r = {73};
    long kept = 0, all = 0;
    for (int trial = 0; trial < 2000; trial++) {
        problem c;
        carom_instant_tree tree;
        carom_error error = {0};
        int p = 1 + trial % 4, modes = 1;
        bool keeps[256] = {false};
        make_problem(&c, &r, p, trial % 2 ? 2 * p : 2 * p - 1, 1.5); /* half of them dependent */
        const carom_instant instant = {.p = c.f.p,
                                       .N = c.f.N,
                                       .row = c.f.row,
                                       .W = c.f.A,
                                       .q = c.f.b,
                                       .mu_s = c.f.mu_s,
                                       .mu_d = c.f.mu_d,
                                       .floor = c.f.floor,
                                       .symmetric = true};
        check_ok(carom_instant_tree_make(&instant, arena, &tree, &error), &error);
        while (carom_instant_tree_next(&tree)) {
            int mode = 0;
            for (int i = p - 1; i >= 0; i--) {
                int code = tree.mode[i];
                mode = 4 * mode + (code == CAROM_MODE_OPEN ? 0 : code - 1);
            }
            assert_false(keeps[mode]);
            keeps[mode] = true;
            kept++;
        }
        for (int i = 0; i < p; i++)
            modes *= 4;
        for (int mode = 0; mode < modes; mode++) {
            double x[N];
            bool holds = solve_mode(&c, mode, x) && slack(&c, mode, x) >= -1e-12;
            if (holds)
                assert_true(keeps[mode]);
        }
        all += modes;
        carom_arena_reset(arena);
    }
    assert_true(kept * 5 < all);
}

/* The same problem in another order of contacts, and with rows doubled: a foot cut in two parts
 * that move alike shares its impulse, and nothing else changes. */
static void test_doubled_contact(void **state)
{
    (void)state;
    check_random r = {74};
    for (int trial = 0; trial < 2000; trial++) {
        problem one, two;
        carom_error error = {0};
        carom_coulomb_solutions a = {.near_contact = -1}, b = {.near_contact = -1};
        double x[N] = {0};
        make_problem(&one, &r, 1, 2, trial % 2 ? 4 : 0.6);
        make_problem(&two, &r, 2, 4, 1);
        for (int i = 0; i < 4; i++) {
            two.b[i] = one.b[i % 2];
            two.mu[i / 2] = two.mu_d[i / 2] = one.mu[0];
            for (int j = 0; j < 4; j++)
                two.A[i + j * 4] = one.A[i % 2 + (j % 2) * 2];
        }
        if (search(&one, (double[16][N]){{0}}) < 0)
            continue;
        check_ok(carom_coulomb_solve(&one.f, arena, &a, &error), &error);
        check_ok(carom_coulomb_solve(&two.f, arena, &b, &error), &error);
        assert_true(b.complete);
        assert_int_equal(a.count, b.count);
        for (int k = 0; k < a.count; k++) { /* the shortest: equal halves */
            for (int i = 0; i < 4; i++)
                x[i] = 0.5 * a.list[k].x[i % 2];
            check_close(nearest(&two, &b, x), 0, 1e-8);
        }
        for (int k = 0; k < b.count; k++) {
            bool pushes = b.list[k].x[0] > 1e-9;
            assert_true(!pushes || !b.list[k].unique);
            check_close(carom_coulomb_residual(&two.f, b.list[k].x), 0, 1e-11);
        }
        carom_arena_reset(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_contact),      cmocka_unit_test(test_several_contacts),
        cmocka_unit_test(test_uniqueness_limit), cmocka_unit_test(test_tree),
        cmocka_unit_test(test_doubled_contact),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
