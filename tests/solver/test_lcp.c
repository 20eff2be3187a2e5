/* The LCP solver as callers see it: answers, residuals, scaling, statuses. */
#include "carom/lcp.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct problem {
    int n;
    double M[MOST * MOST], q[MOST];
} problem;

CHECK_ARENA(arena);

static carom_lcp_info solve(const problem *p, bool symmetric, carom_lcp_algorithm algorithm,
                            double *z)
{
    carom_lcp lcp = {.n = p->n, .M = p->M, .q = p->q, .symmetric = symmetric};
    carom_lcp_options options = {.algorithm = algorithm};
    carom_lcp_info info;
    carom_error error = {0};
    double w[MOST];
    check_ok(carom_lcp_solve(&lcp, &options, arena, z, w, &info, &error), &error);
    return info;
}

/* M = B'B/rank with B rank x n. */
static void random_semidefinite(check_random *r, int n, int rank, problem *p)
{
    double B[MOST * MOST];
    for (int i = 0; i < rank * n; i++)
        B[i] = check_random_in(r, -1, 1);
    p->n = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += B[k + i * rank] * B[k + j * rank];
            p->M[i + j * n] = sum;
        }
}

static void test_murty(void **state)
{
    (void)state;
    problem p = {.n = 8};
    for (int j = 0; j < 8; j++) {
        p.q[j] = -1;
        for (int i = 0; i <= j; i++)
            p.M[i + 8 * j] = i == j ? 1 : 2;
    }
    double z[8], expected[8] = {0, 0, 0, 0, 0, 0, 0, 1};
    carom_lcp_info info = solve(&p, false, CAROM_LCP_LEMKE, z);
    assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
    check_vector(z, expected, 8, 1e-14);
}

static void test_cps3_ends_on_ray(void **state)
{
    (void)state;
    problem p = {4, {0, 0, 10, 30, 0, 0, 20, 15, 10, 30, 0, 0, 20, 15, 0, 0}, {-1, -1, -1, -1}};
    double z[4];
    carom_lcp_info info = solve(&p, false, CAROM_LCP_LEMKE, z);
    assert_int_equal(info.outcome, CAROM_LCP_RAY);
    assert_int_equal(info.iterations, 1);
}

/* What rounding left of a zero says nothing about units, whatever the units are. */
static void test_rounded_zero(void **state)
{
    (void)state;
    const double expected[3] = {7.5, 0.75, 0};
    for (int units = 0; units < 3; units++) {
        double r[3] = {1, units == 1 ? 1e9 : 1, 1}, c[3] = {1, 1, units == 2 ? 1e-12 : 1};
        problem p = {3, {4, -0.1, 0.2, 6.5e-29, 1, -1, 0, 1, 0}, {-30, 2.15e-12, 0}};
        for (int i = 0; i < 3; i++) {
            p.q[i] *= r[i];
            for (int j = 0; j < 3; j++)
                p.M[i + 3 * j] *= r[i] * c[j];
        }
        for (int algorithm = 0; algorithm < 2; algorithm++) {
            double z[3];
            carom_lcp_info info =
                solve(&p, false, algorithm == 0 ? CAROM_LCP_AUTO : CAROM_LCP_LEMKE, z);
            assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
            check_vector(z, expected, 3, 1e-11);
        }
    }
}

/* A rod that lies on two points with friction, tilted by 1e-15, with slip accelerations of 1e-10
 * that do not fit each other: one of the points slips. */
static void test_faint_tilt(void **state)
{
    (void)state;
    const double tilt = 3.4921003194797218e-15, b = 9.3529510148908512e-11, mu = 0.5;
    const double n = 3.9999999999999982, m = -1.9999999999999982, f = -0.4999999999999965,
                 g = -0.50000000000000344;
    const double M[36] = {n,     m,     f, g, 2 * mu, 0,  m, n, g, f, 0, 2 * mu, /* normal forces */
                          tilt,  -tilt, 1, 1, -1,     0,                         /* friction */
                          -tilt, tilt,  1, 1, 0,      -1,                        /* friction */
                          0,     0,     1, 0, 0,      0,  0, 0, 0, 1, 0, 0};
    problem p = {.n = 6, .q = {-9.81, -9.81, -b, b, 0, 0}};
    memcpy(p.M, M, sizeof M);
    double z[6];
    assert_int_equal(solve(&p, false, CAROM_LCP_LEMKE, z).outcome, CAROM_LCP_SOLVED);
    check_close(z[0], 4.905, 1e-12);
    check_close(z[1], 4.905, 1e-12);
}

static void test_random_definite(void **state)
{
    (void)state;
    check_random r = {7};
    for (int round = 0; round < 3000; round++) {
        problem p;
        int n = 1 + check_random_int(&r, 12);
        random_semidefinite(&r, n, n + 2, &p);
        for (int i = 0; i < n; i++)
            p.q[i] = check_random_in(&r, -1, 1);
        double z[MOST], y[MOST];
        carom_lcp_info a = solve(&p, true, CAROM_LCP_PIVOT, z);
        carom_lcp_info b = solve(&p, true, CAROM_LCP_LEMKE, y);
        assert_int_equal(a.outcome, CAROM_LCP_SOLVED);
        assert_int_equal(b.outcome, CAROM_LCP_SOLVED);
        check_close(a.residual, 0, 1e-12);
        check_close(b.residual, 0, 1e-10);
        double size = 0;
        for (int i = 0; i < n; i++)
            size = fmax(size, z[i]);
        check_vector(y, z, n, 1e-7 * fmax(size, 1));
    }
}

static void test_random_singular(void **state)
{
    (void)state;
    check_random r = {8};
    int infeasible = 0;
    for (int round = 0; round < 3000; round++) {
        problem p;
        int n = 2 + check_random_int(&r, 12), rank = 1 + check_random_int(&r, n - 1);
        random_semidefinite(&r, n, rank, &p);
        bool in_range = round % 2;
        double x[MOST];
        for (int i = 0; i < n; i++)
            x[i] = check_random_in(&r, -1, 1);
        for (int i = 0; i < n; i++) {
            p.q[i] = in_range ? 0 : x[i];
            for (int j = 0; in_range && j < n; j++)
                p.q[i] += p.M[i + j * n] * x[j];
        }
        double z[MOST];
        carom_lcp_info a = solve(&p, true, CAROM_LCP_PIVOT, z);
        if (in_range)
            assert_int_equal(a.outcome, CAROM_LCP_SOLVED);
        infeasible += a.outcome == CAROM_LCP_INFEASIBLE;
        if (a.outcome == CAROM_LCP_SOLVED)
            check_close(a.residual, 0, 1e-12);
    }
    assert_in_range(infeasible, 100, 1500);
}

/* Touching balls, the first one moving: z_i = (n - i)/(n + 1). Longer than a Gauss-Seidel sweep
 * carries before it underflows; with and without a declared band, whose outside must not be read.
 */
static void test_long_chain(void **state)
{
    (void)state;
    int n = 1600;
    double *M = calloc((size_t)n * (size_t)n, sizeof *M), *q = calloc((size_t)n, sizeof *q);
    double *z = calloc((size_t)n, sizeof *z);
    assert_true(M && q && z);
    q[0] = -1;
    for (int i = 0; i < n; i++) {
        M[i + (size_t)i * n] = 2;
        if (i > 0)
            M[i + (size_t)(i - 1) * n] = M[i - 1 + (size_t)i * n] = -1;
    }
    for (int declared = 0; declared < 2; declared++) {
        carom_lcp lcp = {.n = n, .M = M, .q = q, .symmetric = true, .bandwidth = declared};
        carom_lcp_info info;
        assert_int_equal(carom_lcp_solve(&lcp, NULL, arena, z, NULL, &info, NULL), CAROM_OK);
        assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
        assert_int_equal(info.algorithm, CAROM_LCP_BLOCK);
        assert_in_range(info.iterations, 1, 10);
        for (int i = 0; i < n; i++)
            check_close(z[i], (double)(n - i) / (n + 1), 1e-9);
        M[n - 1] = M[(size_t)(n - 1) * (size_t)n] = NAN; /* outside the band of the next round */
    }
    free(M);
    free(q);
    free(z);
}

/* Small problems take a short cut: it must agree with Lemke, honour the band, and give the residual
 * of the public measure. */
static void test_small_bands(void **state)
{
    (void)state;
    check_random r = {9};
    for (int round = 0; round < 5000; round++) {
        problem p;
        int n = 2 + check_random_int(&r, 11), band = 1 + check_random_int(&r, n - 1);
        random_semidefinite(&r, n, n + 2, &p);
        for (int j = 0; j < n; j++) {
            p.q[j] = check_random_in(&r, -1, 1);
            for (int i = 0; i < n; i++)
                p.M[i + j * n] = abs(i - j) > band ? 0 : p.M[i + j * n] + (i == j ? n : 0);
        }
        double z[MOST], y[MOST], w[MOST];
        solve(&p, true, CAROM_LCP_LEMKE, y);
        carom_lcp lcp = {.n = n, .M = p.M, .q = p.q, .symmetric = true};
        for (int declared = 0; declared < 2; declared++) {
            carom_lcp_info info;
            assert_int_equal(carom_lcp_solve(&lcp, NULL, arena, z, w, &info, NULL), CAROM_OK);
            assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
            assert_true(info.residual == carom_lcp_residual(&lcp, z) || info.residual < 1e-15);
            check_vector(z, y, n, 1e-12);
            for (int i = 0; i < n; i++)
                assert_true(z[i] >= 0 && w[i] >= 0 && (z[i] == 0 || w[i] == 0));
            lcp.bandwidth = band;
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++)
                    if (abs(i - j) > band)
                        p.M[i + j * n] = NAN;
        }
    }
}

/* Planar friction at p contacts with independent directions as an LCP of 3p rows: normal impulses,
 * tangential ones counted from -mu times them, slips to the left. Many rows have q = 0. */
static void friction_problem(problem *f, check_random *r, int p, double mu)
{
    int n = 2 * p + (int)check_random_in(r, 0, 2);
    double J[2 * 3 * 8], inverse[8], G[6 * 6] = {0};
    for (int k = 0; k < n; k++)
        inverse[k] = pow(10, check_random_in(r, -2, 2));
    for (int k = 0; k < 2 * p * n; k++)
        J[k] = check_random_in(r, -1, 1);
    for (int i = 0; i < 2 * p; i++)
        for (int j = 0; j < 2 * p; j++)
            for (int k = 0; k < n; k++)
                G[i + 6 * j] += J[k + n * i] * inverse[k] * J[k + n * j];
    memset(f, 0, sizeof *f);
    f->n = 3 * p;
    for (int i = 0; i < 2 * p; i++) {
        f->q[i] = check_random_in(r, -1, 1);
        for (int j = 0; j < p; j++) {
            f->M[i + f->n * j] = G[i + 6 * j] - mu * G[i + 6 * (p + j)];
            f->M[i + f->n * (p + j)] = G[i + 6 * (p + j)];
        }
    }
    for (int i = 0; i < p; i++) {
        f->M[p + i + f->n * (2 * p + i)] = 1;
        f->M[2 * p + i + f->n * i] = 2 * mu;
        f->M[2 * p + i + f->n * (p + i)] = -1;
    }
}

/* Degenerate values that cancel to rounding must not steer Lemke's method: without friction these
 * problems are monotone, and it solves all of them; and it never leaves a solution unnamed. */
static void test_lemke_on_friction(void **state)
{
    (void)state;
    check_random r = {23};
    int rays = 0;
    for (int trial = 0; trial < 4000; trial++) {
        problem f;
        double z[MOST];
        double mu = trial % 2 ? check_random_in(&r, 0, 2) : 0;
        friction_problem(&f, &r, 1 + trial / 2 % 3, mu);
        carom_arena_reset(arena);
        carom_lcp_info info = solve(&f, false, CAROM_LCP_LEMKE, z);
        assert_true(info.outcome == CAROM_LCP_SOLVED || info.outcome == CAROM_LCP_RAY);
        assert_true((info.outcome == CAROM_LCP_SOLVED) == (info.residual <= 1e-12));
        assert_true(mu > 0 || info.outcome == CAROM_LCP_SOLVED);
        rays += info.outcome == CAROM_LCP_RAY;
    }
    assert_true(rays < 20); /* exact arithmetic ends on rays too, where friction wedges */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_murty),
        cmocka_unit_test(test_cps3_ends_on_ray),
        cmocka_unit_test(test_rounded_zero),
        cmocka_unit_test(test_faint_tilt),
        cmocka_unit_test(test_random_definite),
        cmocka_unit_test(test_random_singular),
        cmocka_unit_test(test_lemke_on_friction),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_small_bands),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
