/* The factorisations against their definitions, on random matrices. */
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/pivoted_cholesky.h"
#include "linalg/qr.h"

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

static void test_cholesky_and_updates(void **state)
{
    (void)state;
    check_random r = {1};
    for (int round = 0; round < 400; round++) {
        int n = 1 + check_random_int(&r, round % 8 ? 12 : MOST - 1);
        double A[MOST * MOST], L[MOST * MOST], x[2 * MOST], y[MOST], work[2 * MOST];
        semidefinite(&r, n, n, 0.1, A);
        memcpy(L, A, sizeof L);
        assert_int_equal(carom_cholesky_factor(n, L, n), 0);
        check_close(factor_error(n, L, n, A, n), 0, 1e-13 * n);
        fill(&r, n, x);
        memcpy(y, x, sizeof y);
        carom_cholesky_solve(n, L, n, y);
        for (int i = 0; i < n; i++)
            check_close(carom_dense_dot(n, A + i * n, y), x[i], 1e-10);
        /* A + x x', then back */
        double B[MOST * MOST];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                B[i + j * n] = A[i + j * n] + x[i] * x[j];
        memcpy(y, x, sizeof y);
        carom_cholesky_update(n, L, n, y);
        check_close(factor_error(n, L, n, B, n), 0, 1e-13 * n);
        memcpy(y, x, sizeof y);
        assert_int_equal(carom_cholesky_downdate(n, L, n, y, work), 0);
        check_close(factor_error(n, L, n, A, n), 0, 1e-12 * n);
        for (int i = 0; i < n; i++)
            y[i] = 100;
        assert_int_equal(carom_cholesky_downdate(n, L, n, y, work), 1);
        /* without row and column k, then appended at the end */
        int k = check_random_int(&r, n), order[MOST], m = 0;
        for (int i = 0; i < n; i++)
            if (i != k)
                order[m++] = i;
        order[m] = k;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                B[i + j * n] = A[order[i] + order[j] * n];
        carom_cholesky_delete(n, L, n, k);
        check_close(factor_error(n - 1, L, n, B, n), 0, 1e-12 * n);
        assert_true(carom_cholesky_append(n - 1, L, n, B + (n - 1) * n, x) > 0);
        check_close(factor_error(n, L, n, B, n), 0, 1e-12 * n);
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
        double A[MOST * MOST], F[MOST * MOST], x[MOST], b[MOST] = {0}, c[MOST] = {0};
        fill(&r, n * n, A);
        fill(&r, n, x);
        carom_dense_gemv(n, n, 1, A, n, x, b);
        carom_dense_gemv_t(n, n, 1, A, n, x, c);
        memcpy(F, A, sizeof F);
        assert_int_equal(carom_lu_factor(n, F, n, pivot, 0), 0);
        carom_lu_solve(n, F, n, pivot, b);
        carom_lu_solve_t(n, F, n, pivot, c);
        check_vector(b, x, n, 1e-8);
        check_vector(c, x, n, 1e-8);
    }
}

static void test_qr(void **state)
{
    (void)state;
    check_random r = {5};
    for (int round = 0; round < 400; round++) {
        int m = 1 + check_random_int(&r, 14), n = 1 + check_random_int(&r, 14);
        int least = m < n ? m : n, rank = 1 + check_random_int(&r, least);
        double B[MOST * MOST], C[MOST * MOST], A[MOST * MOST] = {0}, b[MOST], x[MOST],
                                                        N[MOST * MOST];
        fill(&r, m * rank, B);
        fill(&r, rank * n, C);
        for (int j = 0; j < n; j++)
            carom_dense_gemv(m, rank, 1, B, m, C + j * rank, A + j * m);
        fill(&r, m, b);
        carom_arena_reset(arena);
        carom_qr qr;
        check_ok(carom_qr_factor(m, n, A, m, 0, arena, &qr, NULL), NULL);
        assert_int_equal(qr.rank, rank);
        check_ok(carom_qr_solve(&qr, b, arena, x, NULL), NULL);
        check_ok(carom_qr_null_space(&qr, arena, N, NULL), NULL);
        /* least squares: A'(A x - b) = 0; least norm: x is orthogonal to the null space */
        double residual[MOST], gradient[MOST] = {0}, size = 1 + carom_dense_norm(n, x);
        for (int i = 0; i < m; i++)
            residual[i] = -b[i];
        carom_dense_gemv(m, n, 1, A, m, x, residual);
        carom_dense_gemv_t(m, n, 1, A, m, residual, gradient);
        check_close(carom_dense_max(n, gradient), 0, 1e-11 * size);
        for (int j = 0; j < n - rank; j++) {
            double image[MOST] = {0};
            carom_dense_gemv(m, n, 1, A, m, N + j * n, image);
            check_close(carom_dense_max(m, image), 0, 1e-12);
            check_close(carom_dense_norm(n, N + j * n), 1, 1e-13);
            check_close(carom_dense_dot(n, N + j * n, x), 0, 1e-12 * size);
        }
        /* columns in other units: the same rank */
        for (int j = 0; j < n; j++)
            carom_dense_scale(m, pow(10, check_random_in(&r, -9, 9)), A + j * m);
        check_ok(carom_qr_factor(m, n, A, m, 0, arena, &qr, NULL), NULL);
        assert_int_equal(qr.rank, rank);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky_and_updates),
        cmocka_unit_test(test_cholesky_refuses_indefinite),
        cmocka_unit_test(test_pivoted_cholesky_rank),
        cmocka_unit_test(test_band),
        cmocka_unit_test(test_lu),
        cmocka_unit_test(test_qr),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
