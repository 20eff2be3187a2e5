/* Memory: every allocation may fail; after a first solve there are none; the same in every arena.
 * Large and banded problems, warm starts. */
#include "check_memory.h"
#include "solver/lcp_problems.h"

#include <stdlib.h>

static const carom_lcp_algorithm algorithms[] = {CAROM_LCP_AUTO,  CAROM_LCP_PIVOT,
                                                 CAROM_LCP_BLOCK, CAROM_LCP_GAUSS_SEIDEL,
                                                 CAROM_LCP_LEMKE, CAROM_LCP_ENUMERATE};

enum { LARGE = 160 };

/* A chain of balls, p contacts. Entries outside the band are NAN when it is declared. */
static void chain(int n, bool banded, double *M, double *q)
{
    for (int j = 0; j < n; j++) {
        q[j] = j == 0 ? -1 : 0;
        for (int i = 0; i < n; i++)
            M[i + (size_t)j * n] = i == j ? 2 : abs(i - j) == 1 ? -1 : banded ? NAN : 0;
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    static double M[LARGE * LARGE], q[LARGE], z[LARGE], w[LARGE];
    for (int k = 0; k < 6; k++) {
        int n = algorithms[k] == CAROM_LCP_ENUMERATE ? 5 : LARGE;
        chain(n, false, M, q);
        if (n == 5) /* singular, for the polyhedra */
            memset(M, 0, 9 * sizeof *M);
        carom_lcp lcp = {.n = n, .M = M, .q = q, .symmetric = n != 5};
        carom_lcp_options options = {.algorithm = algorithms[k]};
        for (int fail_at = 0;; fail_at++) {
            assert_in_range(fail_at, 0, 100);
            check_memory c = {.fail_at = fail_at};
            carom_allocator allocator = {check_memory_resize, &c};
            carom_arena *arena = NULL;
            carom_error error = {0};
            carom_status status = carom_arena_create(&allocator, &arena, &error);
            z[0] = 7;
            if (status == CAROM_OK)
                status = carom_lcp_solve(&lcp, &options, arena, z, w, NULL, &error);
            carom_arena_destroy(arena);
            assert_int_equal(c.live, 0);
            if (status == CAROM_OK)
                break;
            assert_int_equal(status, CAROM_ERROR_MEMORY);
            check_close(z[0], 7, 0);
        }
    }
}

static void test_no_allocation_after_the_first(void **state)
{
    (void)state;
    static double M[LARGE * LARGE], q[LARGE], z[LARGE], w[LARGE];
    for (int k = 0; k < 5; k++)
        for (int n = 1; n <= LARGE; n += 53) {
            check_memory c = {.fail_at = -1};
            carom_allocator allocator = {check_memory_resize, &c};
            carom_arena *arena;
            check_ok(carom_arena_create(&allocator, &arena, NULL), NULL);
            chain(n, false, M, q);
            carom_lcp lcp = {.n = n, .M = M, .q = q, .symmetric = true};
            carom_lcp_options options = {.algorithm = algorithms[k]};
            for (int round = 0, before = 0; round < 4; round++) {
                check_ok(carom_lcp_solve(&lcp, &options, arena, z, w, NULL, NULL), NULL);
                if (round > 0)
                    assert_int_equal(c.calls, before);
                before = c.calls;
            }
            carom_arena_destroy(arena);
        }
}

/* The band is enough: nothing outside it is read. z_i = (n - i) / (n + 1) for a chain of n + 1. */
static void test_thousand_balls(void **state)
{
    (void)state;
    enum { P = 999 };
    double *M = malloc((size_t)P * P * sizeof *M), *q = malloc(4 * P * sizeof *q);
    assert_true(M && q);
    double *z = q + P, *w = z + P, *start = w + P;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    for (int banded = 0; banded < 2; banded++) {
        chain(P, banded, M, q);
        carom_lcp lcp = {.n = P, .M = M, .q = q, .symmetric = true, .bandwidth = banded};
        carom_lcp_options options = {0};
        carom_lcp_info info;
        check_ok(carom_lcp_solve(&lcp, &options, arena, z, w, &info, NULL), NULL);
        assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
        assert_true(info.unique_z);
        for (int i = 0; i < P; i++)
            check_close(z[i], (P - i) / (P + 1.0), 1e-10);
        /* from the answer: one factorisation */
        memcpy(start, z, P * sizeof *z);
        options.start = start;
        check_ok(carom_lcp_solve(&lcp, &options, arena, z, w, &info, NULL), NULL);
        assert_int_equal(info.iterations, 1);
        assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
    }
    carom_arena_destroy(arena);
    free(M);
    free(q);
}

/* Large random problems, definite and singular: the automatic choice against principal pivoting. */
static void test_large(void **state)
{
    (void)state;
    static double M[LARGE * LARGE], B[LARGE * LARGE], q[LARGE], q_size[LARGE], z[LARGE],
        w[2][LARGE];
    check_random r = {21};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    for (int round = 0; round < 12; round++) {
        int n = LARGE - round, rank = round % 3 ? n / 2 : n;
        for (int i = 0; i < rank * n; i++)
            B[i] = check_random_in(&r, -1, 1);
        for (int i = 0; i < n; i++) {
            q[i] = q_size[i] = 0;
            for (int k = 0; k < rank; k++) { /* in the range of M: solvable */
                double term = B[k + i * rank] * cos(1.7 * k + round);
                q[i] += term;
                q_size[i] += fabs(term);
            }
            for (int j = 0; j < n; j++) {
                M[i + j * n] = 0;
                for (int k = 0; k < rank; k++)
                    M[i + j * n] += B[k + i * rank] * B[k + j * rank];
            }
        }
        carom_lcp lcp = {.n = n, .M = M, .q = q, .symmetric = true, .q_size = q_size};
        for (int a = 0; a < 2; a++) {
            /* half of the columns depend on the others, and A_FF on a random F is nearly singular:
             * single pivots need a wider tolerance, the automatic choice does not */
            carom_lcp_options options = {a ? CAROM_LCP_AUTO : CAROM_LCP_PIVOT,
                                         a || rank == n ? 1e-12 : 1e-11, 0, NULL, false};
            carom_lcp_info info;
            check_ok(carom_lcp_solve(&lcp, &options, arena, z, w[a], &info, NULL), NULL);
            if (info.outcome != CAROM_LCP_SOLVED)
                print_error("round %d, algorithm %d: residual %g after %d\n", round,
                            (int)info.algorithm, info.residual, info.iterations);
            assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
            check_close(info.residual, 0, options.tolerance);
        }
        for (int i = 0; i < n; i++) { /* relative to the terms that w is summed from */
            double terms = q_size[i];
            for (int j = 0; j < n; j++)
                terms += fabs(M[i + j * n] * z[j]);
            check_close(w[0][i], w[1][i], 1e-10 * terms);
        }
    }
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_no_allocation_after_the_first),
        cmocka_unit_test(test_thousand_balls),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
