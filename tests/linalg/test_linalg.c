/* The factorisations against their definitions, on random matrices. */
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/pivoted_cholesky.h"

#include "check.h"

enum { MOST = 60 };

CHECK_ARENA(arena);

static void fill(check_random *r, int count, double *A)
{
    for (int i = 0; i < count; i++)
        A[i] = check_random_in(r, -1, 1);
}

/* A = B'B + shift I with B rank x n. */
static void semidefinite(check_random *r, int n, int rank, double shift, double *A)
{
    double B[MOST * MOST];
    fill(r, rank * n, B);
    carom_dense_gram(rank, n, B, rank, A);
    for (int i = 0; i < n; i++)
        A[i + i * n] += shift;
}

/* max |(L L')_ij - A_ij| */
static double factor_error(int n, const double *L, int ld, const double *A, int lda)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k <= j; k++)
                sum += L[i + k * ld] * L[j + k * ld];
            worst = fmax(worst, fabs(sum - A[i + j * lda]));
        }
    return worst;
}

static void test_cholesky(void **state)
{
    (void)state;
    check_random r = {1};
    for (int round = 0; round < 400; round++) {
        int n = 1 + check_random_int(&r, round % 8 ? 12 : MOST - 1);
        double A[MOST * MOST], B[MOST * MOST], L[MOST * MOST], x[MOST], y[MOST];
        semidefinite(&r, n, n, 0.1, A);
        memcpy(L, A, sizeof L);
        assert_int_equal(carom_cholesky_factor(n, L, n), 0);
        check_close(factor_error(n, L, n, A, n), 0, 1e-13 * n);
        fill(&r, n, x);
        memcpy(y, x, sizeof y);
        carom_cholesky_solve(n, L, n, y);
        for (int i = 0; i < n; i++)
            check_close(carom_dense_dot(n, A + i * n, y), x[i], 1e-10);
        /* without row and column k */
        int k = check_random_int(&r, n), order[MOST], m = 0;
        for (int i = 0; i < n; i++)
            if (i != k)
                order[m++] = i;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                B[i + j * n] = A[order[i] + order[j] * n];
        carom_cholesky_delete(n, L, n, k);
        check_close(factor_error(n - 1, L, n, B, n), 0, 1e-12 * n);
    }
}

static void test_cholesky_refuses_indefinite(void **state)
{
    (void)state;
    double A[MOST * MOST] = {0};
    for (int n = 3; n < MOST; n += 28) {
        for (int i = 0; i < n; i++)
            A[i + i * n] = i == 2 ? -1 : 1;
        assert_int_equal(carom_cholesky_factor(n, A, n), 3);
    }
}

static void test_pivoted_cholesky_rank(void **state)
{
    (void)state;
    check_random r = {2};
    for (int round = 0; round < 400; round++) {
        int n = 2 + check_random_int(&r, 15), rank = 1 + check_random_int(&r, n - 1), order[MOST];
        double A[MOST * MOST], L[MOST * MOST], work[MOST], d[MOST];
        semidefinite(&r, n, rank, 0, A);
        for (int i = 0; i < n; i++) /* units over nine powers of ten do not matter */
            d[i] = pow(10, check_random_in(&r, -4.5, 4.5));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A[i + j * n] *= d[i] * d[j];
        memcpy(L, A, sizeof L);
        assert_int_equal(carom_pivoted_cholesky_factor(n, L, n, 1e-12, order, work), rank);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0;
                for (int k = 0; k < rank && k <= j; k++)
                    sum += L[i + k * n] * L[j + k * n];
                check_close(sum, A[order[i] + order[j] * n], 1e-10 * d[order[i]] * d[order[j]]);
            }
    }
}

static void test_band(void **state)
{
    (void)state;
    check_random r = {3};
    for (int round = 0; round < 200; round++) {
        int n = 1 + check_random_int(&r, 30), band = check_random_int(&r, 4);
        double A[MOST * MOST] = {0}, L[MOST * 4] = {0}, x[MOST], b[MOST] = {0};
        for (int j = 0; j < n; j++)
            for (int i = j; i < n && i <= j + band; i++) {
                double a = i == j ? 8 : check_random_in(&r, -1, 1);
                A[i + j * n] = A[j + i * n] = L[i - j + j * (band + 1)] = a;
            }
        fill(&r, n, x);
        carom_dense_gemv(n, n, 1, A, n, x, b);
        assert_int_equal(carom_cholesky_band_factor(n, band, L), 0);
        carom_cholesky_band_solve(n, band, L, b);
        check_vector(b, x, n, 1e-14);
    }
}

static void test_lu(void **state)
{
    (void)state;
    check_random r = {4};
    for (int round = 0; round < 400; round++) {
        int n = 1 + check_random_int(&r, round % 8 ? 10 : MOST - 1), pivot[MOST];
        double A[MOST * MOST], F[MOST * MOST], x[MOST], b[MOST] = {0};
        fill(&r, n * n, A);
        fill(&r, n, x);
        carom_dense_gemv(n, n, 1, A, n, x, b);
        memcpy(F, A, sizeof F);
        assert_int_equal(carom_lu_factor(n, F, n, pivot, 0), 0);
        carom_lu_solve(n, F, n, pivot, b);
        check_vector(b, x, n, 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_cholesky_refuses_indefinite),
        cmocka_unit_test(test_pivoted_cholesky_rank),
        cmocka_unit_test(test_band),
        cmocka_unit_test(test_lu),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
