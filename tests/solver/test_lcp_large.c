/* Large symmetric problems of every kind: what the ways to solve them return is a solution by the
 * independent measure, and they agree on w, on uniqueness, on z where it is unique and on the least
 * norm where it is not. */
#include "carom/lcp.h"
#include "check.h"

#include "../../bench/lcp_problems.h"

CHECK_ARENA(arena);

typedef struct answer {
    double *z, *w;
    carom_lcp_info info;
} answer;

/* The ways: automatic; block pivoting without its short cut in single precision, which a limit on
 * iterations turns off; single pivots; sweeps. */
static const carom_lcp_options ways[] = {{.algorithm = CAROM_LCP_AUTO},
                                         {.algorithm = CAROM_LCP_BLOCK, .max_iterations = 400},
                                         {.algorithm = CAROM_LCP_PIVOT, .tolerance = 1e-11},
                                         {.algorithm = CAROM_LCP_GAUSS_SEIDEL}};

enum { AUTO, BLOCK, PIVOT, SWEEPS };

static answer solve(const problem *p, carom_lcp_options options)
{
    answer a = {.z = malloc((size_t)p->n * sizeof *a.z), .w = malloc((size_t)p->n * sizeof *a.w)};
    carom_lcp lcp = {.n = p->n, .M = p->M, .q = p->q, .symmetric = true};
    carom_error error = {0};
    assert_true(a.z && a.w);
    check_ok(carom_lcp_solve(&lcp, &options, arena, a.z, a.w, &a.info, &error), &error);
    if (a.info.outcome == CAROM_LCP_SOLVED)
        check_close(carom_lcp_residual(&lcp, a.z), 0,
                    options.tolerance > 0 ? options.tolerance : 1e-12);
    return a;
}

static void drop(answer *a)
{
    free(a->z);
    free(a->w);
}

/* sqrt(M_ii) z_i: the scaled variables. */
static double scaled(const problem *p, const answer *a, int i)
{
    return a->z[i] * sqrt(p->M[i + (size_t)i * (size_t)p->n]);
}

static double norm(const problem *p, const answer *a)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += scaled(p, a, i) * scaled(p, a, i);
    return sqrt(sum);
}

/* Two answers to one solvable problem. */
static void agree(const problem *p, const answer *a, const answer *b)
{
    double top = 0;
    for (int i = 0; i < p->n; i++) {
        double terms = fabs(p->q[i]);
        for (int j = 0; j < p->n; j++)
            terms += fabs(p->M[i + (size_t)j * (size_t)p->n] * a->z[j]);
        check_close(a->w[i], b->w[i], 1e-8 * terms);
        top = fmax(top, scaled(p, a, i));
    }
    assert_int_equal(a->info.unique_z, b->info.unique_z);
    for (int i = 0; a->info.unique_z && i < p->n; i++)
        check_close(scaled(p, a, i), scaled(p, b, i), 1e-5 * top);
    /* a is the one of least norm; single pivots do not always get there */
    assert_true(norm(p, a) <= (1 + 1e-4) * norm(p, b));
    if (b->info.algorithm != CAROM_LCP_PIVOT)
        check_close(norm(p, a), norm(p, b), 1e-4 * norm(p, a));
}

/* The automatic choice must solve it; frees the problem. Returns how many ways agreed. */
static int compare(problem p, int count)
{
    answer first = solve(&p, ways[AUTO]);
    int agreed = 0;
    if (first.info.outcome != CAROM_LCP_SOLVED)
        print_error("%s: outcome %d, residual %g\n", p.name, (int)first.info.outcome,
                    first.info.residual);
    assert_int_equal(first.info.outcome, CAROM_LCP_SOLVED);
    assert_true(first.info.unique_w);
    for (int k = BLOCK; k < count; k++) {
        answer other = solve(&p, ways[k]);
        if (k == BLOCK)
            assert_int_equal(other.info.outcome, CAROM_LCP_SOLVED);
        assert_int_not_equal(other.info.outcome, CAROM_LCP_INFEASIBLE);
        /* sweeps prove nothing about z; single pivots may lose the last digits */
        if (k == SWEEPS)
            other.info.unique_z = first.info.unique_z;
        if (other.info.outcome == CAROM_LCP_SOLVED) {
            agree(&p, &first, &other);
            agreed++;
        }
        drop(&other);
    }
    drop(&first);
    problem_free(&p);
    return agreed;
}

static void test_definite(void **state)
{
    (void)state;
    static const int sizes[] = {33, 60, 200, 600};
    for (int k = 0; k < 4; k++)
        for (int more = 0; more < 2; more++) { /* well conditioned, and badly */
            problem p = problem_gram("definite", sizes[k], more ? sizes[k] : 2 * sizes[k]);
            answer a = solve(&p, ways[AUTO]);
            assert_true(a.info.unique_z);
            check_close(a.info.residual, 0, 1e-14);
            drop(&a);
            assert_int_equal(compare(p, sizes[k] <= 200 && !more ? 4 : 3),
                             sizes[k] <= 200 && !more ? 3 : 2);
        }
}

/* Fewer rows of B than columns, down to a few and around one half, where the set of the solution is
 * about to become dependent. */
static void test_dependent(void **state)
{
    (void)state;
    int agreed = 0, count = 0;
    for (int n = 40; n <= 240; n += 25)
        for (int tenths = 1; tenths <= 9; tenths += 2, count++)
            agreed += compare(problem_gram("dependent", n, n * tenths / 10), 3) == 2;
    assert_in_range(agreed, count - 4, count);
    compare(problem_gram("dependent", 600, 300), 2);
    compare(problem_gram("dependent", 600, 420), 2);
}

/* Columns that are almost parallel: condition 1e9 after scaling. */
static problem problem_parallel(int n, double angle)
{
    problem p = problem_take("parallel", n);
    int m = n + 5;
    double *B = malloc((size_t)n * (size_t)m * sizeof *B);
    assert_non_null(B);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++)
            B[k + (size_t)j * (size_t)m] = sin(k + 1.0) + angle * problem_random(-1, 1);
    problem_square(m, n, B, p.M);
    for (int j = 0; j < n; j++)
        p.q[j] = problem_random(-1, 1);
    free(B);
    return p;
}

static void test_ill_conditioned(void **state)
{
    (void)state;
    static const double angles[] = {1e-1, 1e-2, 1e-3, 3e-5};
    for (int k = 0; k < 4; k++)
        for (int n = 50; n <= 350; n += 100)
            assert_int_equal(compare(problem_parallel(n, angles[k]), 3), 2);
}

/* Other units for every row: over nine powers of ten. */
static void rescale(problem *p)
{
    int n = p->n;
    for (int i = 0; i < n; i++) {
        double unit = pow(10, problem_random(-4.5, 4.5));
        p->q[i] *= unit;
        for (int j = 0; j < n; j++) {
            p->M[i + (size_t)j * (size_t)n] *= unit;
            p->M[j + (size_t)i * (size_t)n] *= unit;
        }
    }
}

static void test_units(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        problem p = problem_gram("rescaled", 150, k % 2 ? 200 : 100);
        rescale(&p);
        for (int i = 0; i < p.n; i++) /* the unit of w: far from the range of floats */
            p.q[i] *= k < 2 ? 1 : k < 4 ? 1e60 : 1e-60;
        assert_int_equal(compare(p, 3), 2);
    }
}

/* Hyperstatic: more contacts than degrees of freedom. */
static void test_walls(void **state)
{
    (void)state;
    for (int rows = 3; rows <= 8; rows++)
        for (int noise = 0; noise < 2; noise++)
            assert_int_equal(compare(problem_wall(rows, rows + 1, 0.1 * noise), 3), 2);
    compare(problem_wall(12, 12, 0.1), 2);
}

/* No solution: A g = 0, g >= 0, q'g < 0 exists, and both say so. */
static void test_infeasible(void **state)
{
    (void)state;
    int infeasible = 0;
    for (int round = 0; round < 30; round++) {
        problem p = problem_gram("loose", 100, 20 + 2 * round);
        for (int i = 0; i < p.n; i++)
            p.q[i] = problem_random(-1, 1.5);
        answer a = solve(&p, ways[AUTO]), b = solve(&p, ways[BLOCK]), c = solve(&p, ways[PIVOT]);
        assert_int_equal(a.info.outcome, c.info.outcome);
        assert_int_equal(b.info.outcome, c.info.outcome);
        assert_true(a.info.outcome == CAROM_LCP_SOLVED || a.info.outcome == CAROM_LCP_INFEASIBLE);
        infeasible += a.info.outcome == CAROM_LCP_INFEASIBLE;
        drop(&a);
        drop(&b);
        drop(&c);
        problem_free(&p);
    }
    assert_in_range(infeasible, 5, 25);
}

/* From the answer, or from nonsense: the same answer. */
static void test_start(void **state)
{
    (void)state;
    for (int singular = 0; singular < 2; singular++) {
        problem p = problem_gram("start", 200, singular ? 140 : 260);
        answer first = solve(&p, ways[AUTO]);
        double *start = malloc((size_t)p.n * sizeof *start);
        assert_non_null(start);
        for (int kind = 0; kind < 4; kind++) {
            for (int i = 0; i < p.n; i++)
                start[i] = kind == 0   ? first.z[i]
                           : kind == 1 ? (first.z[i] == 0) * 1e30
                           : kind == 2 ? (i % 7 ? -1 : 1e-30)
                                       : (i % 5 ? INFINITY : NAN);
            answer again = solve(&p, (carom_lcp_options){.start = start});
            assert_int_equal(again.info.outcome, CAROM_LCP_SOLVED);
            agree(&p, &first, &again);
            if (kind == 0)
                assert_int_equal(again.info.iterations, 1);
            drop(&again);
        }
        free(start);
        drop(&first);
        problem_free(&p);
    }
}

/* A band that is declared but too wide to pay: entries outside it are not read. Rows without a
 * diagonal entry have w = q. */
static void test_wide_band(void **state)
{
    (void)state;
    enum { N = 90, BAND = 40 };
    problem p = problem_gram("band", N, 2 * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            p.M[i + j * N] = i == j ? 30 : abs(i - j) <= BAND ? p.M[i + j * N] : 0;
    for (int i = 0; i < N; i++)
        p.M[5 + i * N] = p.M[i + 5 * N] = 0;
    p.q[5] = 1;
    answer full = solve(&p, ways[AUTO]);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            p.M[i + j * N] = abs(i - j) <= BAND ? p.M[i + j * N] : NAN;
    carom_lcp lcp = {.n = N, .M = p.M, .q = p.q, .symmetric = true, .bandwidth = BAND};
    double z[N], w[N];
    carom_lcp_info info;
    check_ok(carom_lcp_solve(&lcp, NULL, arena, z, w, &info, NULL), NULL);
    assert_int_equal(full.info.outcome, CAROM_LCP_SOLVED);
    assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
    check_vector(z, full.z, N, 1e-13);
    check_vector(w, full.w, N, 1e-13);
    check_close(w[5], 1, 0);
    drop(&full);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definite),        cmocka_unit_test(test_dependent),
        cmocka_unit_test(test_ill_conditioned), cmocka_unit_test(test_units),
        cmocka_unit_test(test_walls),           cmocka_unit_test(test_infeasible),
        cmocka_unit_test(test_start),           cmocka_unit_test(test_wide_band),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
