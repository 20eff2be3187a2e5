#include "carom/lcp.h"
#include "check.h"

enum { MOST = 64 };

typedef struct problem {
    int n;
    double M[MOST * MOST], q[MOST];
} problem;

static carom_arena *arena;

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

static int set_up(void **state)
{
    (void)state;
    return carom_arena_create(NULL, &arena, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    carom_arena_destroy(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_murty),
        cmocka_unit_test(test_cps3_ends_on_ray),
        cmocka_unit_test(test_random_definite),
        cmocka_unit_test(test_random_singular),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
