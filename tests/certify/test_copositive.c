/* Copositivity: known matrices, random ones against the partition of the simplex. */
#include "carom/certify.h"
#include "check.h"
#include "check_memory.h"
#include "linalg/spectrum.h"

#include <stdlib.h>
#include <time.h>

CHECK_ARENA(arena);

static carom_copositive test(int n, const double *A)
{
    carom_copositive answer;
    carom_error error = {0};
    check_ok(carom_copositive_test(n, A, NULL, NULL, arena, &answer, &error), &error);
    return answer;
}

static double form(int n, const double *A, const double *x)
{
    long double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += (long double)A[i + j * n] * x[i] * x[j];
    return (double)sum;
}

/* A counter-example must be one. */
static void check_witness(int n, const double *A, const carom_copositive *a)
{
    if (a->copositive != CAROM_FALSE)
        return;
    assert_non_null(a->x);
    for (int i = 0; i < n; i++)
        assert_true(a->x[i] >= 0);
    assert_true(form(n, A, a->x) < 0);
}

/* Gaussian elimination, k <= 8; false when singular. */
static bool solve(int k, double T[8][9], double *x)
{
    for (int c = 0; c < k; c++) {
        int row = c;
        for (int i = c; i < k; i++)
            if (fabs(T[i][c]) > fabs(T[row][c]))
                row = i;
        if (fabs(T[row][c]) < 1e-13)
            return false;
        for (int j = 0; j <= k; j++) {
            double t = T[c][j];
            T[c][j] = T[row][j];
            T[row][j] = t;
        }
        for (int i = 0; i < k; i++)
            if (i != c) {
                double f = T[i][c] / T[c][c];
                for (int j = c; j <= k; j++)
                    T[i][j] -= f * T[c][j];
            }
    }
    for (int i = 0; i < k; i++)
        x[i] = T[i][k] / T[i][i];
    return true;
}

/* Independent formulation: the least value of x'Ax on the simplex from the stationary points of all
 * its faces (Lagrange conditions), n <= 7. */
static double least_on_simplex(int n, const double *A)
{
    double least = 1e300;
    for (int mask = 1; mask < 1 << n; mask++) {
        int set[8], k = 0;
        for (int i = 0; i < n; i++)
            if (mask >> i & 1)
                set[k++] = i;
        double T[8][9] = {{0}}, x[8];
        for (int i = 0; i < k; i++) {
            for (int j = 0; j < k; j++)
                T[i][j] = A[set[i] + set[j] * n];
            T[i][k] = -1;
            T[k][i] = 1;
        }
        T[k][k + 1] = 1;
        if (!solve(k + 1, T, x))
            continue;
        bool inside = true;
        for (int i = 0; i < k; i++)
            inside = inside && x[i] >= -1e-13;
        if (inside && x[k] < least)
            least = x[k]; /* A x = value 1 */
    }
    return least;
}

static void random_symmetric(check_random *r, int n, double *A, int kind)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double a = check_random_in(r, -1, 1);
            if (kind == 1)
                a = check_random_int(r, 5) - 2;
            if (kind == 2)
                a = fabs(a) * (check_random_int(r, 2) ? 1 : -0.4);
            A[i + j * n] = A[j + i * n] = i == j ? (kind == 1 ? fabs(a) : fabs(a) + 0.3) : a;
        }
}

static void test_agrees_with_brute_force(void **state)
{
    (void)state;
    check_random r = {1};
    int count[3] = {0}, near = 0;
    for (int round = 0; round < 10000; round++) {
        carom_arena_reset(arena);
        int n = 1 + check_random_int(&r, 6), kind = round % 3;
        double A[36];
        random_symmetric(&r, n, A, kind);
        double least = least_on_simplex(n, A);
        if (round % 4 == 3 && kind != 1) {
            /* Move close to the boundary: A + s ee' has the least value s + least. */
            double offset = check_random_in(&r, -1, 1);
            double s = -least + ldexp(offset, -check_random_int(&r, 30));
            for (int k = 0; k < n * n; k++)
                A[k] += s;
            least += s;
        }
        carom_copositive a = test(n, A);
        check_witness(n, A, &a);
        count[a.copositive]++;
        if (least > 1e-9)
            assert_int_equal(a.strictly, CAROM_TRUE);
        if (least > 1e-9)
            assert_int_equal(a.copositive, CAROM_TRUE);
        else if (least < -1e-9)
            assert_int_equal(a.copositive, CAROM_FALSE);
        else if (kind == 1) {
            /* small integers: the least value is 0 exactly, and exact arithmetic says so */
            assert_int_equal(a.copositive, CAROM_TRUE);
            assert_int_equal(a.strictly, CAROM_FALSE);
        }
        near += kind != 1 && fabs(least) < 1e-6;
        assert_true(a.lower <= a.upper);
    }
    assert_true(count[CAROM_TRUE] > 2000 && count[CAROM_FALSE] > 2000);
    assert_true(near > 100); /* the neighbourhood of the boundary was really visited */
}

static void test_partition_agrees(void **state)
{
    (void)state;
    check_random r = {2};
    int decided = 0;
    for (int round = 0; round < 300; round++) {
        carom_arena_reset(arena);
        int n = 2 + check_random_int(&r, 6);
        double A[64];
        random_symmetric(&r, n, A, round % 2 * 2);
        carom_copositive a = test(n, A), b;
        check_ok(carom_copositive_partition(n, A, 5000, NULL, arena, &b, NULL), NULL);
        check_witness(n, A, &b);
        if (b.copositive != CAROM_UNDECIDED) {
            assert_int_equal(a.copositive, b.copositive);
            decided++;
        }
    }
    assert_true(decided > 280);
}

static void horn(double *H)
{
    const double row[5] = {1, -1, 1, 1, -1};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            H[i + 5 * j] = row[(j - i + 5) % 5];
}

static void test_horn(void **state)
{
    (void)state;
    double H[25], A[25];
    horn(H);
    carom_copositive a = test(5, H);
    assert_int_equal(a.copositive, CAROM_TRUE);
    assert_int_equal(a.strictly, CAROM_FALSE);
    check_close(form(5, H, a.x), 0, 0);
    for (int kind = 0; kind < 4; kind++)
        for (int e = 1; e <= 9; e++) {
            double s = (kind & 1 ? 1 : -1) * pow(10, -e);
            for (int k = 0; k < 25; k++)
                A[k] = H[k] + (kind & 2 ? s : k % 6 == 0 ? s : 0);
            if (e == 9) /* within reach of rounding; only a wrong answer would be wrong */
                assert_int_not_equal(test(5, A).copositive, s > 0 ? CAROM_FALSE : CAROM_TRUE);
            else {
                a = test(5, A);
                assert_int_equal(a.copositive, s > 0 ? CAROM_TRUE : CAROM_FALSE);
                assert_int_equal(a.strictly, s > 0 ? CAROM_TRUE : CAROM_FALSE);
                check_witness(5, A, &a);
            }
        }
}

static void test_scaling_changes_nothing(void **state)
{
    (void)state;
    check_random r = {3};
    for (int round = 0; round < 500; round++) {
        carom_arena_reset(arena);
        int n = 2 + check_random_int(&r, 6);
        double A[64], B[64], s[8];
        if (round < 100) {
            n = 5;
            horn(A);
            for (int i = 0; i < 5; i++)
                A[i * 6] += round % 2 ? 1e-7 : -1e-7;
        } else
            random_symmetric(&r, n, A, 0);
        for (int i = 0; i < n; i++)
            s[i] = pow(10, check_random_in(&r, -6, 6));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                B[i + j * n] = A[i + j * n] * (s[i] * s[j]) * 1e-30;
        carom_copositive a = test(n, A), b = test(n, B);
        assert_int_equal(a.copositive, b.copositive);
        check_witness(n, B, &b);
        assert_int_equal(a.copositive == CAROM_UNDECIDED, false);
    }
}

/* Motzkin and Straus: lambda (ee' - Adj) - ee' is copositive iff lambda >= clique number. */
static void test_clique_numbers(void **state)
{
    (void)state;
    check_random r = {4};
    for (int round = 0; round < 60; round++) {
        carom_arena_reset(arena);
        int n = 3 + check_random_int(&r, round < 50 ? 8 : 14), clique = 0;
        bool edge[17][17] = {{false}};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                edge[i][j] = edge[j][i] = check_random_int(&r, 3) > 0;
        for (int mask = 1; mask < 1 << n; mask++) {
            bool is = true;
            for (int i = 0; i < n && is; i++)
                for (int j = 0; j < i && is; j++)
                    is = !(mask >> i & 1) || !(mask >> j & 1) || edge[i][j];
            if (is && __builtin_popcount(mask) > clique)
                clique = __builtin_popcount(mask);
        }
        for (int lambda = clique - 1; lambda <= clique + 1; lambda++)
            for (int near = -1; near <= 1; near++) {
                double A[17 * 17], l = lambda + near * 1e-6;
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        A[i + j * n] = l * !edge[i][j] - 1;
                carom_copositive a = test(n, A);
                assert_int_equal(a.copositive, l >= clique ? CAROM_TRUE : CAROM_FALSE);
                assert_int_equal(a.strictly, l > clique ? CAROM_TRUE : CAROM_FALSE);
                check_witness(n, A, &a);
            }
    }
}

/* Hildebrand's extreme matrices T(psi): unit diagonal, -cos psi_i beside it, cos(psi_i + psi_j)
 * beyond; copositive and not positive semidefinite for psi > 0, sum psi < pi. */
static void test_hildebrand(void **state)
{
    (void)state;
    check_random r = {5};
    for (int round = 0; round < 200; round++) {
        carom_arena_reset(arena);
        double psi[5], sum = 0, A[25], B[25];
        for (int i = 0; i < 5; i++)
            sum += psi[i] = check_random_in(&r, 0.05, 1);
        double total = check_random_in(&r, 0.3, 3.0);
        for (int i = 0; i < 5; i++)
            psi[i] *= total / sum;
        for (int i = 0; i < 5; i++) {
            int j = (i + 1) % 5, k = (i + 2) % 5;
            A[i * 6] = 1;
            A[i + 5 * j] = A[j + 5 * i] = -cos(psi[i]);
            A[i + 5 * k] = A[k + 5 * i] = cos(psi[i] + psi[j]);
        }
        /* rounding of the entries may move it off the boundary, by no more than rounding */
        carom_copositive rounded = test(5, A);
        check_witness(5, A, &rounded);
        assert_true(rounded.upper > -1e-14);
        for (int side = -1; side <= 1; side += 2) {
            for (int k = 0; k < 25; k++)
                B[k] = A[k] + (k % 6 == 0) * side * 1e-8;
            carom_copositive a = test(5, B);
            assert_int_equal(a.copositive, side > 0 ? CAROM_TRUE : CAROM_FALSE);
            check_witness(5, B, &a);
        }
    }
}

/* Hoffman and Pereira: copositive of order 7 with entries -1, 0, 1. */
static void test_hoffman_pereira(void **state)
{
    (void)state;
    const double row[7] = {1, -1, 1, 0, 0, 1, -1};
    double A[49];
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            A[i + 7 * j] = row[(j - i + 7) % 7];
    carom_copositive a = test(7, A);
    assert_int_equal(a.copositive, CAROM_TRUE);
    assert_int_equal(a.strictly, CAROM_FALSE);
    A[3 * 7] = A[3] = -1e-7;
    assert_int_equal(test(7, A).copositive, CAROM_FALSE);
}

static void test_degenerate(void **state)
{
    (void)state;
    double zero[9] = {0}, one = 1, minus = -1e-300;
    carom_copositive a = test(3, zero);
    assert_int_equal(a.copositive, CAROM_TRUE);
    assert_int_equal(a.strictly, CAROM_FALSE);
    assert_int_equal(test(0, zero).copositive, CAROM_TRUE);
    assert_int_equal(test(1, &one).strictly, CAROM_TRUE);
    assert_int_equal(test(1, &minus).copositive, CAROM_FALSE);
    /* zero on the diagonal: the off-diagonal sign decides */
    double z[4] = {0, -1e-12, -1e-12, 1};
    a = test(2, z);
    assert_int_equal(a.copositive, CAROM_FALSE);
    check_witness(2, z, &a);
    z[1] = z[2] = 1e-12;
    assert_int_equal(test(2, z).copositive, CAROM_TRUE);
    /* rank one, (1, -1, 2)(1, -1, 2)': touches zero at (1, 1, 0) */
    double v[3] = {1, -1, 2}, A[9];
    for (int i = 0; i < 9; i++)
        A[i] = v[i % 3] * v[i / 3];
    a = test(3, A);
    assert_int_equal(a.copositive, CAROM_TRUE);
    assert_int_equal(a.strictly, CAROM_FALSE);
    check_close(form(3, A, a.x), 0, 0);
    /* pairs are decided exactly, to the last bit */
    double root = sqrt(2.0), pair[4] = {1, -root, -root, 2};
    assert_int_not_equal(test(2, pair).copositive, CAROM_UNDECIDED);
    pair[1] = pair[2] = -nextafter(root, 2);
    assert_int_equal(test(2, pair).copositive, CAROM_FALSE);
    pair[1] = pair[2] = -nextafter(root, 0);
    assert_int_equal(test(2, pair).copositive, CAROM_TRUE);
    carom_copositive kept = a;
    double bad[1] = {NAN};
    assert_int_equal(carom_copositive_test(1, bad, NULL, NULL, arena, &kept, NULL),
                     CAROM_ERROR_ARGUMENT);
    assert_ptr_equal(kept.x, a.x);
}

static void test_uncertainty(void **state)
{
    (void)state;
    double H[25], U[25];
    horn(H);
    for (int k = 0; k < 25; k++)
        U[k] = 1e-13;
    carom_copositive a;
    check_ok(carom_copositive_test(5, H, U, NULL, arena, &a, NULL), NULL);
    assert_int_equal(a.copositive, CAROM_UNDECIDED);
    for (int k = 0; k < 25; k++)
        H[k] += 1e-6;
    check_ok(carom_copositive_test(5, H, U, NULL, arena, &a, NULL), NULL);
    assert_int_equal(a.strictly, CAROM_TRUE);
    for (int k = 0; k < 25; k++)
        H[k] -= 2e-6;
    check_ok(carom_copositive_test(5, H, U, NULL, arena, &a, NULL), NULL);
    assert_int_equal(a.copositive, CAROM_FALSE);
    double zero[4] = {0}, some[4] = {1e-16, 0, 0, 1e-16};
    check_ok(carom_copositive_test(2, zero, some, NULL, arena, &a, NULL), NULL);
    assert_int_equal(a.copositive, CAROM_UNDECIDED);
}

static bool stop_at_once(void *self, const char *what, double done)
{
    assert_non_null(what);
    assert_true(done >= 0 && done <= 1.000001);
    ++*(int *)self;
    return false;
}

/* Random, shifted until the least eigenvalue is slightly negative: nearly every face is positive
 * definite, and the tree has few short cuts. */
static void hard(int n, double *A)
{
    check_random r = {7};
    double work[400], eigenvalue[20];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i + j * n] = A[j + i * n] = check_random_in(&r, -1, 1);
    memcpy(work, A, sizeof(double) * n * n);
    check_ok(carom_spectrum_symmetric(n, work, false, arena, eigenvalue, NULL), NULL);
    for (int i = 0; i < n; i++)
        A[i * (n + 1)] -= eigenvalue[0] + 1e-3;
}

static void test_speed_and_stop(void **state)
{
    (void)state;
    check_random r = {6};
    clock_t start = clock();
    for (int round = 0; round < 40; round++) {
        carom_arena_reset(arena);
        double A[400];
        int n = round < 30 ? 15 : 20;
        random_symmetric(&r, n, A, 2);
        for (int i = 0; i < n; i++)
            A[i * (n + 1)] = 1 + 0.25 * (round % 8);
        assert_int_not_equal(test(n, A).copositive, CAROM_UNDECIDED);
    }
    double A[400];
    hard(18, A);
    carom_copositive a = test(18, A);
    assert_int_equal(a.strictly, CAROM_TRUE);
    assert_true(a.nodes > 1e5);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
}

static void test_stopping(void **state)
{
    (void)state;
    /* clique number 4 of a dense multipartite graph, on the boundary side that needs the tree */
    enum { N = 24 };
    double A[N * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            A[i + j * N] = 12.0001 * (i % 12 == j % 12) - 1;
    int calls = 0;
    carom_watch watch = {stop_at_once, &calls};
    carom_copositive a;
    check_ok(carom_copositive_test(N, A, NULL, &watch, arena, &a, NULL), NULL);
    if (calls > 0) {
        assert_true(a.stopped);
        assert_int_equal(a.copositive, CAROM_UNDECIDED);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    enum { N = 60 };
    static double A[N * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            A[i + j * N] = i == j ? 1 : abs(i - j) == 1 ? -0.4 : 0.9 * ((i + j) % 2);
    for (int fail_at = 2;; fail_at++) {
        check_memory c = {.fail_at = fail_at, .onwards = true};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_arena *small;
        check_ok(carom_arena_create(&allocator, &small, NULL), NULL);
        carom_copositive a = {.nodes = -1};
        carom_error error = {0};
        carom_status status = carom_copositive_test(N, A, NULL, NULL, small, &a, &error);
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

static bool count_calls(void *self, const char *what, double done)
{
    int *calls = self;
    (void)what;
    (void)done;
    return ++*calls < 3;
}

/* A large matrix that is neither definite nor refuted by a descent: attempts at a counter-example
 * take time, and the watch ends them. */
static void test_large(void **state)
{
    (void)state;
    enum { N = 501 };
    double *A = carom_arena_zeros(arena, N * N, sizeof *A);
    int calls = 0;
    const carom_watch watch = {count_calls, &calls};
    carom_copositive a;
    for (int k = 0; k < N * N; k++) /* the square of the sum of (-1)^i x_i */
        A[k] = (k % N + k / N) % 2 ? -1 : 1;
    check_ok(carom_copositive_test(N, A, NULL, &watch, arena, &a, NULL), NULL);
    assert_true(a.copositive == CAROM_UNDECIDED && a.stopped);
    assert_int_equal(calls, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_brute_force),
        cmocka_unit_test(test_partition_agrees),
        cmocka_unit_test(test_horn),
        cmocka_unit_test(test_scaling_changes_nothing),
        cmocka_unit_test(test_clique_numbers),
        cmocka_unit_test(test_hildebrand),
        cmocka_unit_test(test_hoffman_pereira),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_uncertainty),
        cmocka_unit_test(test_speed_and_stop),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
