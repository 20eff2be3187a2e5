/* Singular square systems: shortest solution and kernel against the singular value decomposition.
 */
#include "check.h"
#include "linalg/kernel.h"
#include "linalg/min_norm.h"

static void test_against_decomposition(void **state)
{
    (void)state;
    check_random r = {9};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    for (int trial = 0; trial < 2000; trial++) {
        enum { N = 8 };
        int n = 1 + check_random_int(&r, N), rank = check_random_int(&r, n + 1), order[N];
        double A[N * N] = {0}, copy[N * N], b[N] = {0}, rhs[N], x[N], y[N], kernel[N * N];
        for (int k = 0; k < rank; k++) { /* a sum of `rank` dyads; b in its range */
            double left[N], right[N], weight = check_random_in(&r, -1, 1);
            for (int i = 0; i < n; i++) {
                left[i] = check_random_in(&r, -1, 1);
                right[i] = check_random_in(&r, -1, 1);
            }
            for (int i = 0; i < n; i++) {
                b[i] += weight * left[i];
                for (int j = 0; j < n; j++)
                    A[i + j * n] += left[i] * right[j];
            }
        }
        bool off = trial % 4 == 3 && rank < n; /* out of the range */
        for (int i = 0; i < n && off; i++)
            b[i] += check_random_in(&r, -1, 1);
        memcpy(copy, A, sizeof A);
        memcpy(rhs, b, sizeof b);
        carom_min_norm info;
        check_ok(carom_min_norm_solve(n, n, A, b, 1e-9, arena, y, &info, NULL), NULL);
        bool consistent;
        int found = carom_kernel_solve(n, copy, rhs, 1e-9, 1e-9, order, x, kernel, &consistent);
        assert_int_equal(info.rank, found);
        assert_int_equal(consistent, info.residual < 1e-7);
        if (consistent) {
            double size = 1;
            for (int i = 0; i < n; i++)
                size = fmax(size, fabs(y[i]));
            check_vector(x, y, n, 1e-5 * size); /* some of these are badly conditioned */
            for (int k = 0; k < n - found; k++)
                for (int i = 0; i < n; i++) {
                    double sum = 0;
                    for (int j = 0; j < n; j++)
                        sum += A[i + j * n] * kernel[j + k * n];
                    check_close(sum, 0, 1e-8);
                }
        }
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_decomposition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
