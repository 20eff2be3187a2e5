/* P-matrices: known ones, random ones against all minors. */
#include "carom/certify.h"
#include "check.h"
#include "check_memory.h"

#include <time.h>

CHECK_ARENA(arena);

static carom_p_matrix test(int n, const double *A)
{
    carom_p_matrix answer;
    carom_error error = {0};
    check_ok(carom_p_matrix_test(n, A, NULL, NULL, arena, &answer, &error), &error);
    return answer;
}

/* Determinant of a principal submatrix by elimination in long doubles. */
static long double minor_of(int n, const double *A, int count, const int *set)
{
    long double T[20][20], det = 1;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            T[i][j] = A[set[i] + set[j] * n];
    for (int c = 0; c < count; c++) {
        int row = c;
        for (int i = c; i < count; i++)
            if (fabsl(T[i][c]) > fabsl(T[row][c]))
                row = i;
        if (T[row][c] == 0)
            return 0;
        for (int j = 0; j < count && row != c; j++) {
            long double t = T[c][j];
            T[c][j] = T[row][j];
            T[row][j] = t;
        }
        det *= row == c ? T[c][c] : -T[c][c];
        for (int i = c + 1; i < count; i++)
            for (int j = count - 1; j >= c; j--)
                T[i][j] -= T[i][c] / T[c][c] * T[c][j];
    }
    return det;
}

static long double least_minor(int n, const double *A)
{
    long double least = 1e300L;
    for (int mask = 1; mask < 1 << n; mask++) {
        int set[20], k = 0;
        for (int i = 0; i < n; i++)
            if (mask >> i & 1)
                set[k++] = i;
        long double m = minor_of(n, A, k, set);
        least = m < least ? m : least;
    }
    return least;
}

static void check_witness(int n, const double *A, const carom_p_matrix *a)
{
    if (a->p_matrix != CAROM_FALSE)
        return;
    assert_true(a->minor_count > 0);
    double size = 1;
    for (int i = 0; i < a->minor_count; i++)
        for (int j = 0; j < a->minor_count; j++)
            size = fmax(size, fabs(A[a->minor[i] + a->minor[j] * n]));
    assert_true(minor_of(n, A, a->minor_count, a->minor) <= 1e-12L * powl(size, a->minor_count));
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a->x[i]));
    assert_true(largest > 0);
    for (int i = 0; i < n; i++) {
        double sum = 0, scale = 0;
        for (int j = 0; j < n; j++) {
            sum += A[i + j * n] * a->x[j];
            scale += fabs(A[i + j * n] * a->x[j]);
        }
        assert_true(a->x[i] * sum <= 1e-11 * fabs(a->x[i]) * scale);
    }
}

static void test_agrees_with_all_minors(void **state)
{
    (void)state;
    check_random r = {11};
    int count[3] = {0};
    for (int round = 0; round < 10000; round++) {
        carom_arena_reset(arena);
        int n = 1 + check_random_int(&r, 6), kind = round % 3;
        double A[36];
        for (int k = 0; k < n * n; k++) {
            A[k] = check_random_in(&r, -1, 1);
            if (kind == 1)
                A[k] = check_random_int(&r, 5) - 2;
            if (k % (n + 1) == 0)
                A[k] = fabs(A[k]) + (kind == 1 ? 1 : 0.5 * (round % 5));
        }
        long double least = least_minor(n, A);
        carom_p_matrix a = test(n, A);
        check_witness(n, A, &a);
        count[a.p_matrix]++;
        if (kind == 1) /* integers: exact */
            assert_int_equal(a.p_matrix, least > 0.5L ? CAROM_TRUE : CAROM_FALSE);
        else if (fabsl(least) > 1e-12L)
            assert_int_equal(a.p_matrix, least > 0 ? CAROM_TRUE : CAROM_FALSE);
    }
    assert_true(count[CAROM_TRUE] > 2000 && count[CAROM_FALSE] > 2000);
}

/* Matrices with one minor moved to eps: the sign of eps decides down to 1e-9 and far below. */
static void test_near_the_boundary(void **state)
{
    (void)state;
    check_random r = {12};
    int tried = 0;
    for (int round = 0; round < 3000; round++) {
        carom_arena_reset(arena);
        int n = 2 + check_random_int(&r, 6);
        double A[49];
        for (int k = 0; k < n * n; k++)
            A[k] = check_random_in(&r, -1, 1) + (k % (n + 1) == 0) * n * 0.7;
        if (least_minor(n, A) <= 0)
            continue;
        /* det is affine in the last diagonal entry */
        int set[8];
        for (int i = 0; i < n; i++)
            set[i] = i;
        long double det = minor_of(n, A, n, set), cofactor = minor_of(n, A, n - 1, set);
        double eps = ldexp(1, -check_random_int(&r, 34)) * (round % 2 ? 1 : -1);
        A[n * n - 1] -= (double)(det / cofactor) - eps;
        long double least = least_minor(n, A);
        if (fabsl(least) < 1e-13L)
            continue;
        tried++;
        carom_p_matrix a = test(n, A);
        assert_int_equal(a.p_matrix, least > 0 ? CAROM_TRUE : CAROM_FALSE);
        check_witness(n, A, &a);
    }
    assert_true(tried > 1000);
}

static void test_known(void **state)
{
    (void)state;
    /* validation L4: [[1,2,0],[0,1,2],[2,0,1]], P although its symmetric part is only semidefinite
     */
    double cyclic[9] = {1, 0, 2, 2, 1, 0, 0, 2, 1};
    assert_int_equal(test(3, cyclic).p_matrix, CAROM_TRUE);
    /* L9 */
    double skew[4] = {0, -1, 1, 0}, wide[4] = {1, 0, -3, 1}, ones[4] = {1, 1, 1, 1};
    carom_p_matrix a = test(2, skew);
    assert_int_equal(a.p_matrix, CAROM_FALSE);
    assert_int_equal(a.minor_count, 1);
    assert_int_equal(test(2, wide).p_matrix, CAROM_TRUE);
    a = test(2, ones);
    assert_int_equal(a.p_matrix, CAROM_FALSE);
    assert_int_equal(a.minor_count, 2);
    /* a singular minor among numbers that are no integers: exact all the same */
    double third[9] = {1.0 / 3, 1.0 / 3, 0.1, 1.0 / 3, 1.0 / 3, 7e5, sqrt(2.0), 1e-3, 1};
    a = test(3, third);
    assert_int_equal(a.p_matrix, CAROM_FALSE);
    double zero[9] = {0};
    assert_int_equal(test(3, zero).p_matrix, CAROM_FALSE);
    assert_int_equal(test(0, zero).p_matrix, CAROM_TRUE);
    /* L1: Murty's triangular matrices */
    for (int n = 1; n <= 20; n++) {
        double A[400] = {0};
        for (int i = 0; i < n; i++)
            for (int j = i; j < n; j++)
                A[i + j * n] = i == j ? 1 : 2;
        assert_int_equal(test(n, A).p_matrix, CAROM_TRUE);
    }
}

static void test_scaling_changes_nothing(void **state)
{
    (void)state;
    check_random r = {13};
    for (int round = 0; round < 1000; round++) {
        carom_arena_reset(arena);
        int n = 2 + check_random_int(&r, 5);
        double A[36], B[36], s[6], t[6];
        for (int k = 0; k < n * n; k++)
            A[k] = check_random_in(&r, -1, 1) + (k % (n + 1) == 0) * 1.2;
        for (int i = 0; i < n; i++) {
            s[i] = pow(10, check_random_in(&r, -9, 9));
            t[i] = pow(10, check_random_in(&r, -9, 9));
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                B[i + j * n] = A[i + j * n] * s[i] * t[j];
        if (fabsl(least_minor(n, A)) < 1e-10L)
            continue;
        assert_int_equal(test(n, A).p_matrix, test(n, B).p_matrix);
    }
}

static void test_uncertainty(void **state)
{
    (void)state;
    double A[4] = {1, 1, 1, 1 + 1e-12}, U[4] = {1e-11, 1e-11, 1e-11, 1e-11};
    carom_p_matrix a;
    assert_int_equal(test(2, A).p_matrix, CAROM_TRUE);
    check_ok(carom_p_matrix_test(2, A, U, NULL, arena, &a, NULL), NULL);
    assert_int_equal(a.p_matrix, CAROM_UNDECIDED);
    A[3] = 1 - 1e-9;
    check_ok(carom_p_matrix_test(2, A, U, NULL, arena, &a, NULL), NULL);
    assert_int_equal(a.p_matrix, CAROM_FALSE);
    A[3] = 1 + 1e-9;
    check_ok(carom_p_matrix_test(2, A, U, NULL, arena, &a, NULL), NULL);
    assert_int_equal(a.p_matrix, CAROM_TRUE);
}

static bool count_calls(void *self, const char *what, double done)
{
    assert_non_null(what);
    assert_true(done >= 0 && done <= 1);
    return ++*(int *)self < 3;
}

/* A P-matrix of order n that no cheap test recognises: L4 blocks with a coupling above them. */
static void hard(int n, double *A)
{
    memset(A, 0, sizeof(double) * n * n);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            A[i + j * n] = i == j ? 1 : 2.5 * cos(7.0 * i + 3.0 * j);
}

static void test_speed_and_stop(void **state)
{
    (void)state;
    static double A[400];
    hard(20, A);
    A[19] = 1e-9; /* no longer triangular */
    clock_t start = clock();
    carom_p_matrix a = test(20, A);
    assert_int_equal(a.p_matrix, CAROM_TRUE);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
    int calls = 0;
    carom_watch watch = {count_calls, &calls};
    check_ok(carom_p_matrix_test(20, A, NULL, &watch, arena, &a, NULL), NULL);
    assert_int_equal(calls, 3);
    assert_int_equal(a.p_matrix, CAROM_UNDECIDED);
    assert_true(a.stopped);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    static double A[144], U[144];
    hard(12, A);
    A[11] = 1e-9;
    for (int fail_at = 2;; fail_at++) {
        check_memory c = {.fail_at = fail_at, .onwards = true};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_arena *small;
        check_ok(carom_arena_create(&allocator, &small, NULL), NULL);
        assert_non_null(carom_arena_take(small, 1 << 15)); /* so that a second chunk is needed */
        carom_p_matrix a = {.nodes = -1};
        carom_status status = carom_p_matrix_test(12, A, U, NULL, small, &a, NULL);
        if (status != CAROM_OK) {
            assert_int_equal(status, CAROM_ERROR_MEMORY);
            assert_true(a.nodes == -1);
        }
        carom_arena_destroy(small);
        assert_int_equal(c.live, 0);
        if (status == CAROM_OK)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_all_minors),
        cmocka_unit_test(test_near_the_boundary),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_scaling_changes_nothing),
        cmocka_unit_test(test_uncertainty),
        cmocka_unit_test(test_speed_and_stop),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
