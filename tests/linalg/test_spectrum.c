/* Eigenvalues and singular values against their definitions, on random, graded and degenerate
 * matrices, below and above the size at which LAPACK takes over. */
#include "linalg/dense.h"
#include "linalg/householder.h"
#include "linalg/min_norm.h"
#include "linalg/spectrum.h"

#include "check.h"

#include <complex.h>

enum { MOST = 64 };

CHECK_ARENA(arena);

static void fill(check_random *r, int count, double *A)
{
    for (int i = 0; i < count; i++)
        A[i] = check_random_in(r, -1, 1);
}

/* A random orthonormal Q, n x n. */
static void orthonormal(check_random *r, int n, double *Q)
{
    double tau[MOST];
    fill(r, n * n, Q);
    carom_householder_factor(n, n, Q, n, tau);
    carom_householder_form(n, n, n, Q, n, tau);
}

/* max |Q'Q - I| of n columns of length m */
static double skewness(int m, int n, const double *Q)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            worst = fmax(worst, fabs(carom_dense_dot(m, Q + i * m, Q + j * m) - (i == j)));
    return worst;
}

static int size_of(check_random *r, int round)
{
    return 1 + check_random_int(r, round % 10 ? 12 : MOST - 1);
}

static void test_symmetric(void **state)
{
    (void)state;
    check_random r = {61};
    for (int round = 0; round < 500; round++) {
        int n = size_of(&r, round);
        double Q[MOST * MOST], A[MOST * MOST] = {0}, known[MOST], values[MOST], alone[MOST];
        orthonormal(&r, n, Q);
        check_close(skewness(n, n, Q), 0, 1e-14);
        /* known eigenvalues: several equal ones, zeros, several scales */
        for (int k = 0; k < n; k++)
            known[k] = round % 3 == 0   ? check_random_int(&r, 4) - 2
                       : round % 3 == 1 ? pow(10, check_random_in(&r, -8, 0))
                                        : check_random_in(&r, -1, 1);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                carom_dense_axpy(n, known[k] * Q[j + k * n], Q + k * n, A + j * n);
        double Z[MOST * MOST], top = carom_dense_max(n, known);
        memcpy(Z, A, sizeof Z);
        check_ok(carom_spectrum_symmetric(n, Z, true, arena, values, NULL), NULL);
        check_close(skewness(n, n, Z), 0, 1e-13);
        for (int k = 0; k < n; k++) {
            double y[MOST] = {0};
            carom_dense_gemv(n, n, 1, A, n, Z + k * n, y);
            carom_dense_axpy(n, -values[k], Z + k * n, y);
            check_close(carom_dense_max(n, y), 0, 1e-13 * (top + 1e-300));
            assert_true(k == 0 || values[k] >= values[k - 1]);
        }
        memcpy(Z, A, sizeof Z);
        check_ok(carom_spectrum_symmetric(n, Z, false, arena, alone, NULL), NULL);
        check_vector(alone, values, n, 1e-13 * top);
    }
    double bad[] = {1, NAN, NAN, 1}, values[2];
    assert_int_equal(carom_spectrum_symmetric(2, bad, false, arena, values, NULL),
                     CAROM_ERROR_NUMERIC);
}

static void test_product(void **state)
{
    (void)state;
    check_random r = {62};
    for (int round = 0; round < 200; round++) {
        int n = 1 + check_random_int(&r, 8);
        double A[MOST], B[MOST], C[MOST], re[8], im[8], work[8], largest, AB[MOST] = {0};
        fill(&r, n * n, A);
        fill(&r, n * n, C);
        carom_dense_gram(n, n, C, n, B);
        for (int i = 0; i < n; i++) {
            B[i + i * n] += 0.1;
            for (int j = 0; j < i; j++)
                A[j + i * n] = A[i + j * n];
        }
        for (int j = 0; j < n; j++)
            carom_dense_gemv(n, n, 1, A, n, B + j * n, AB + j * n);
        assert_true(carom_spectrum_general(n, AB, work, re, im));
        double expected = re[0];
        for (int k = 0; k < n; k++) {
            expected = fmax(expected, re[k]);
            check_close(im[k], 0, 1e-6); /* the product of such matrices has real eigenvalues */
        }
        check_ok(carom_spectrum_product(n, A, B, arena, &largest, NULL), NULL);
        check_close(largest, expected, 1e-10);
    }
}

static void test_singular(void **state)
{
    (void)state;
    check_random r = {63};
    for (int round = 0; round < 500; round++) {
        int m = size_of(&r, round), n = size_of(&r, round), k = m < n ? m : n;
        int rank = round % 2 ? k : 1 + check_random_int(&r, k);
        double P[MOST * MOST], Q[MOST * MOST], A[MOST * MOST] = {0}, B[MOST * MOST];
        double U[MOST * MOST], Vt[MOST * MOST], V[MOST * MOST], s[MOST];
        fill(&r, m * rank, P);
        fill(&r, rank * n, Q);
        for (int j = 0; j < n; j++)
            carom_dense_gemv(m, rank, 1, P, m, Q + j * rank, A + j * m);
        memcpy(B, A, sizeof B);
        check_ok(carom_spectrum_singular(m, n, B, arena, s, U, Vt, NULL), NULL);
        for (int i = 0; i < n; i++)
            for (int l = 0; l < k; l++)
                V[i + l * n] = Vt[l + i * k];
        check_close(skewness(m, k, U), 0, 2e-13);
        check_close(skewness(n, k, V), 0, 2e-13);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int l = 0; l < k; l++)
                    sum += U[i + l * m] * s[l] * Vt[l + j * k];
                check_close(sum, A[i + j * m], 1e-13 * (1 + s[0]));
            }
        for (int l = 1; l < k; l++)
            assert_true(s[l] <= s[l - 1] && s[l] >= 0);
        for (int l = rank; l < k; l++)
            check_close(s[l], 0, 1e-13 * s[0]);
    }
}

/* The shortest of the least-squares solutions: A'(A x - b) = 0, x orthogonal to the kernel, the
 * kernel orthonormal and of the right size. */
static void test_min_norm(void **state)
{
    (void)state;
    check_random r = {64};
    for (int round = 0; round < 300; round++) {
        int m = 1 + check_random_int(&r, 10), n = 1 + check_random_int(&r, 10);
        int rank = check_random_int(&r, (m < n ? m : n) + 1);
        double P[MOST * 2], Q[MOST * 2], A[MOST * 2] = {0}, b[MOST], x[MOST];
        fill(&r, m * rank, P);
        fill(&r, rank * n, Q);
        for (int j = 0; j < n; j++)
            carom_dense_gemv(m, rank, 1, P, m, Q + j * rank, A + j * m);
        fill(&r, m, b);
        carom_min_norm info;
        carom_arena_reset(arena);
        check_ok(carom_min_norm_solve(m, n, A, b, 1e-11, arena, x, &info, NULL), NULL);
        assert_int_equal(info.rank, rank);
        check_close(skewness(n, n - rank, info.kernel), 0, 1e-13);
        double residual[MOST], gradient[MOST] = {0}, size = 1 + carom_dense_norm(n, x);
        for (int i = 0; i < m; i++)
            residual[i] = -b[i];
        carom_dense_gemv(m, n, 1, A, m, x, residual);
        carom_dense_gemv_t(m, n, 1, A, m, residual, gradient);
        check_close(carom_dense_max(n, gradient), 0, 1e-11 * size);
        for (int j = 0; j < n - rank; j++) {
            double image[MOST] = {0};
            carom_dense_gemv(m, n, 1, A, m, info.kernel + j * n, image);
            check_close(carom_dense_max(m, image), 0, 1e-12);
            check_close(carom_dense_dot(n, info.kernel + j * n, x), 0, 1e-11 * size);
        }
    }
}

/* det(A - z I) by elimination, and the product of the pivots' sizes it would have at random. */
static double complex determinant(int n, const double *A, double complex z)
{
    double complex F[MOST * MOST], det = 1;
    for (int i = 0; i < n * n; i++)
        F[i] = A[i];
    for (int i = 0; i < n; i++)
        F[i + i * n] -= z;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(F[i + k * n]) > cabs(F[best + k * n]))
                best = i;
        for (int j = 0; best != k && j < n; j++) {
            double complex x = F[k + j * n];
            F[k + j * n] = F[best + j * n];
            F[best + j * n] = x;
        }
        det *= best != k ? -F[k + k * n] : F[k + k * n];
        for (int i = k + 1; i < n && F[k + k * n] != 0; i++) {
            double complex f = F[i + k * n] / F[k + k * n];
            for (int j = k; j < n; j++)
                F[i + j * n] -= f * F[k + j * n];
        }
    }
    return det;
}

static void test_general(void **state)
{
    (void)state;
    check_random r = {65};
    for (int round = 0; round < 400; round++) {
        int n = 1 + check_random_int(&r, round % 20 ? 8 : 40);
        double A[MOST * MOST], B[MOST * MOST], re[MOST], im[MOST], work[MOST], trace = 0;
        double scale[MOST];
        fill(&r, n * n, A);
        for (int i = 0; i < n; i++) /* badly scaled ones too, and ones with zeros */
            scale[i] = round % 3 ? 1 : pow(10, check_random_in(&r, -6, 6));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                A[i + j * n] *=
                    (round % 4 == 1 && check_random_int(&r, 2) ? 0 : 1) * scale[i] / scale[j];
        memcpy(B, A, sizeof B);
        assert_true(carom_spectrum_general(n, B, work, re, im));
        double complex sum = 0;
        for (int k = 0; k < n; k++) {
            sum += re[k] + I * im[k];
            trace += A[k + k * n];
            if (im[k] > 0) {
                assert_true(k + 1 < n && re[k + 1] == re[k] && im[k + 1] == -im[k]);
            }
        }
        check_close(creal(sum), trace, 1e-11 * n);
        check_close(cimag(sum), 0, 0);
        if (n > 8)
            continue;
        /* each is a root: Newton's correction det/det' is small (well separated ones) */
        for (int k = 0; k < n; k++) {
            double complex z = re[k] + I * im[k], slope = 1;
            double nearest = HUGE_VAL;
            for (int l = 0; l < n; l++)
                if (l != k) {
                    slope *= re[l] + I * im[l] - z;
                    nearest = fmin(nearest, cabs(re[l] + I * im[l] - z));
                }
            if (nearest > 1e-2)
                check_close(cabs(determinant(n, A, z) / slope), 0, 1e-8);
        }
    }
    /* a companion matrix with known roots 1 ... 6, and a cyclic permutation: roots of unity */
    double C[36] = {0}, re[6], im[6], work[6];
    const double c[] = {-720, 1764, -1624, 735, -175, 21};
    for (int i = 0; i < 6; i++) {
        C[i + 5 * 6] = c[i];
        if (i > 0)
            C[i + (i - 1) * 6] = 1;
    }
    assert_true(carom_spectrum_general(6, C, work, re, im));
    double product = 1;
    for (int k = 0; k < 6; k++) {
        check_close(re[k], round(re[k]), 1e-8);
        product *= re[k];
    }
    check_close(product, 720, 1e-8);
    double S[25] = {0};
    for (int i = 0; i < 5; i++)
        S[(i + 1) % 5 + i * 5] = 1;
    assert_true(carom_spectrum_general(5, S, work, re, im));
    for (int k = 0; k < 5; k++)
        check_close(hypot(re[k], im[k]), 1, 1e-14);
    double bad[] = {INFINITY};
    assert_false(carom_spectrum_general(1, bad, work, re, im));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric), cmocka_unit_test(test_product),
        cmocka_unit_test(test_singular),  cmocka_unit_test(test_min_norm),
        cmocka_unit_test(test_general),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
