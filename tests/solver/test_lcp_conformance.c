/* One suite for every algorithm: what it returns as solved is a solution by the independent
 * measure, w belongs to z, outcomes agree with the others, units do not matter, bad input is
 * refused. */
#include "solver/lcp_problems.h"

CHECK_ARENA(arena);

static const carom_lcp_algorithm general[] = {CAROM_LCP_AUTO, CAROM_LCP_LEMKE, CAROM_LCP_ENUMERATE};
static const carom_lcp_algorithm symmetric[] = {CAROM_LCP_AUTO,  CAROM_LCP_PIVOT,
                                                CAROM_LCP_BLOCK, CAROM_LCP_GAUSS_SEIDEL,
                                                CAROM_LCP_LEMKE, CAROM_LCP_ENUMERATE};

/* Written out again, apart from carom_lcp_residual. */
static void check_solution(const problem *p, const double *z, const double *w, double tolerance)
{
    for (int i = 0; i < p->n; i++) {
        double sum = p->q[i], size = fmax(fabs(p->q[i]), p->q_size[i]);
        for (int j = 0; j < p->n; j++) {
            sum += p->M[i + j * p->n] * z[j];
            size += fabs(p->M[i + j * p->n] * z[j]);
        }
        assert_true(z[i] >= 0 && w[i] >= 0);
        assert_true(z[i] == 0 || w[i] == 0);
        check_close(w[i], sum, tolerance * size);
    }
}

static double largest(int n, const double *x)
{
    double top = 0;
    for (int i = 0; i < n; i++)
        top = fmax(top, fabs(x[i]));
    return top;
}

static bool usable(carom_lcp_algorithm algorithm, int n)
{
    return algorithm != CAROM_LCP_ENUMERATE || n <= 8;
}

static const char *at(carom_lcp_algorithm algorithm)
{
    for (int i = 0; i < carom_lcp_solver_count(); i++)
        if (carom_lcp_solver_at(i)->algorithm == algorithm)
            return carom_lcp_solver_at(i)->name;
    return "auto";
}

/* All algorithms of the list on one problem with a unique solution. */
static void agree(const problem *p, const carom_lcp_algorithm *list, int count, int round)
{
    double z[MOST], w[MOST], first[MOST];
    for (int k = 0; k < count; k++) {
        if (!usable(list[k], p->n))
            continue;
        carom_lcp_info info = problem_solve(p, list[k], arena, z, w);
        if (info.outcome != CAROM_LCP_SOLVED || !(info.residual <= 1e-12))
            print_error("round %d: %s: outcome %d, residual %g\n", round, at(list[k]),
                        (int)info.outcome, info.residual);
        assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
        check_close(info.residual, 0, 1e-12);
        check_solution(p, z, w, 1e-12);
        if (k == 0)
            memcpy(first, z, sizeof first);
        check_vector(z, first, p->n, 1e-7 * largest(p->n, first));
    }
}

static void test_definite(void **state)
{
    (void)state;
    check_random r = {11};
    for (int round = 0; round < 2000; round++) {
        problem p;
        int n = 1 + check_random_int(&r, round % 50 ? 10 : MOST);
        problem_semidefinite(&p, &r, n, n + 2);
        agree(&p, symmetric, 6, round);
    }
}

static void test_p_matrix(void **state)
{
    (void)state;
    check_random r = {12};
    for (int round = 0; round < 3000; round++) {
        problem p;
        problem_p_matrix(&p, &r, 1 + check_random_int(&r, round % 50 ? 9 : MOST));
        agree(&p, general, 3, round);
    }
}

/* Semidefinite and singular: solvable or not, all algorithms say the same, w is the same. */
static void test_singular(void **state)
{
    (void)state;
    check_random r = {13};
    int infeasible = 0;
    for (int round = 0; round < 3000; round++) {
        problem p;
        int n = 2 + check_random_int(&r, round % 50 ? 7 : MOST - 2);
        problem_semidefinite(&p, &r, n, 1 + check_random_int(&r, n - 1));
        if (round % 2)
            problem_make_solvable(&p, &r);
        double z[MOST], w[MOST], first[MOST];
        carom_lcp_outcome outcome = CAROM_LCP_SOLVED;
        for (int k = 0; k < 6; k++) {
            if (!usable(symmetric[k], n))
                continue;
            carom_lcp_info info = problem_solve(&p, symmetric[k], arena, z, w);
            if (k == 0)
                outcome = info.outcome;
            /* it has no exact way to tell that there is no solution */
            if (symmetric[k] == CAROM_LCP_GAUSS_SEIDEL && outcome == CAROM_LCP_INFEASIBLE &&
                info.outcome == CAROM_LCP_LIMIT)
                continue;
            if (outcome != info.outcome ||
                (outcome == CAROM_LCP_SOLVED && !(info.residual <= 1e-12)))
                print_error("round %d: %s: outcome %d, residual %g, n %d, first %d\n", round,
                            at(symmetric[k]), (int)info.outcome, info.residual, n, (int)outcome);
            assert_int_equal(info.outcome, outcome);
            if (outcome != CAROM_LCP_SOLVED)
                continue;
            check_solution(&p, z, w, 1e-12);
            if (k == 0)
                memcpy(first, w, sizeof first);
            /* relative to the terms that make up w: z can be large where columns nearly depend */
            double terms = largest(n, p.q) + largest(n * n, p.M) * largest(n, z);
            check_vector(w, first, n, 1e-10 * terms);
        }
        assert_true(outcome == CAROM_LCP_SOLVED ||
                    (outcome == CAROM_LCP_INFEASIBLE && !(round % 2)));
        infeasible += outcome == CAROM_LCP_INFEASIBLE;
    }
    assert_in_range(infeasible, 200, 1500);
}

/* Other units: same outcome, z and w only rescaled. */
static void test_units(void **state)
{
    (void)state;
    check_random r = {14};
    for (int round = 0; round < 2000; round++) {
        problem p, scaled;
        int n = 1 + check_random_int(&r, 8);
        bool sym = round % 2;
        if (sym)
            problem_semidefinite(&p, &r, n, n + 2);
        else
            problem_p_matrix(&p, &r, n);
        double row[MOST], column[MOST], size = pow(10, check_random_in(&r, -6, 6)),
                                        whole = pow(10, check_random_in(&r, -9, 9));
        for (int i = 0; i < n; i++) {
            row[i] = column[i] = pow(10, check_random_in(&r, -4.5, 4.5));
            if (!sym)
                column[i] = pow(10, check_random_in(&r, -4.5, 4.5));
        }
        problem_rescale(&p, row, column, size, &scaled);
        for (int i = 0; i < n * n; i++)
            scaled.M[i] *= whole;
        const carom_lcp_algorithm *list = sym ? symmetric : general;
        for (int k = 0; k < (sym ? 6 : 3); k++) {
            double z[MOST], w[MOST], y[MOST];
            carom_lcp_info a = problem_solve(&p, list[k], arena, z, w);
            carom_lcp_info b = problem_solve(&scaled, list[k], arena, y, w);
            if (b.outcome != CAROM_LCP_SOLVED || !(b.residual <= 1e-12))
                print_error("round %d: %s: outcome %d, residual %g\n", round, at(list[k]),
                            (int)b.outcome, b.residual);
            assert_int_equal(a.outcome, CAROM_LCP_SOLVED);
            assert_int_equal(b.outcome, CAROM_LCP_SOLVED);
            check_close(b.residual, 0, 1e-12);
            double top = largest(n, z);
            for (int i = 0; i < n; i++)
                check_close(y[i] * column[i] * whole / size, z[i], 1e-7 * top);
        }
    }
}

static void test_least_norm(void **state)
{
    (void)state;
    check_random r = {15};
    int several = 0;
    for (int round = 0; round < 2000; round++) {
        problem p;
        int n = 3 + check_random_int(&r, 6);
        problem_semidefinite(&p, &r, n, 1 + check_random_int(&r, n - 2));
        problem_make_solvable(&p, &r);
        carom_lcp lcp = problem_lcp(&p);
        double z[MOST], w[MOST];
        carom_lcp_info info = problem_solve(&p, CAROM_LCP_PIVOT, arena, z, w);
        several += !info.unique_z;
        carom_lcp_solutions all;
        carom_arena_reset(arena);
        check_ok(carom_lcp_enumerate(&lcp, arena, &all, NULL), NULL);
        assert_int_equal(all.count, 1);
        const carom_lcp_piece *piece = all.pieces;
        assert_int_equal(info.unique_z, piece->vertex_count == 1 && piece->ray_count == 0);
        /* the point of least norm makes an angle of at most 90 degrees with every direction into
         * the set, in the metric of the scaled variables */
        double norm = 0;
        for (int i = 0; i < n; i++)
            norm += p.M[i + i * n] * z[i] * z[i];
        for (int v = 0; v < piece->vertex_count + piece->ray_count; v++) {
            bool ray = v >= piece->vertex_count;
            const double *x =
                ray ? piece->rays + (v - piece->vertex_count) * n : piece->vertices + v * n;
            double product = 0, size = 0;
            for (int i = 0; i < n; i++) {
                product += p.M[i + i * n] * z[i] * (x[i] - (ray ? 0 : z[i]));
                size += p.M[i + i * n] * x[i] * x[i];
            }
            if (!(product >= -1e-8 * (norm + size)))
                print_error("round %d: n %d, %s %d: %g of %g, %g; residual %g\n", round, n,
                            ray ? "ray" : "vertex", v, product, norm, size, info.residual);
            assert_true(product >= -1e-8 * (norm + size));
        }
    }
    assert_in_range(several, 300, 2000);
}

/* General matrices, singular, skew or sparse, where z can run away: what is called solved has a
 * solution in the list of all, what is called infeasible has none, and the automatic choice
 * decides.
 */
static void test_runaway(void **state)
{
    (void)state;
    check_random r = {16};
    int none[3] = {0};
    for (int round = 0; round < 9000; round++) {
        problem p = {.n = 2 + check_random_int(&r, 5)};
        int n = p.n, kind = round % 3, rank = 1 + check_random_int(&r, n - 1);
        double B[2 * MOST];
        for (int i = 0; i < 2 * rank * n; i++)
            B[i] = check_random_in(&r, -1, 1);
        for (int i = 0; i < n; i++) {
            p.q[i] = check_random_in(&r, -1, 1);
            for (int j = 0; j < n; j++) {
                double x = check_random_in(&r, -1, 1);
                if (kind == 0)
                    for (int k = 0; k < rank; k++)
                        p.M[i + j * n] += B[k + i * rank] * B[k + j * rank + n * rank];
                else if (kind == 1)
                    p.M[i + j * n] = i == j ? 0 : j < i ? -p.M[j + i * n] : x;
                else
                    p.M[i + j * n] = check_random_int(&r, 2) ? x : 0;
            }
        }
        carom_lcp lcp = problem_lcp(&p);
        carom_lcp_solutions all;
        carom_arena_reset(arena);
        check_ok(carom_lcp_enumerate(&lcp, arena, &all, NULL), NULL);
        bool solvable = all.count > 0;
        none[kind] += !solvable;
        for (int k = 0; k < 2; k++) {
            double z[MOST], w[MOST];
            carom_lcp_info info =
                problem_solve(&p, k ? CAROM_LCP_LEMKE : CAROM_LCP_AUTO, arena, z, w);
            if (info.outcome == CAROM_LCP_SOLVED ? !solvable : solvable && k == 0)
                print_error("round %d: outcome %d, residual %g, z up to %g\n", round,
                            (int)info.outcome, info.residual, largest(n, z));
            if (info.outcome == CAROM_LCP_SOLVED)
                check_solution(&p, z, w, 1e-12);
            if (k == 0 || info.outcome == CAROM_LCP_SOLVED)
                assert_int_equal(info.outcome == CAROM_LCP_SOLVED, solvable);
            if (info.outcome == CAROM_LCP_INFEASIBLE)
                assert_false(solvable);
        }
    }
    for (int kind = 0; kind < 3; kind++)
        assert_in_range(none[kind], 1000, 2500);
}

static void test_bad_input(void **state)
{
    (void)state;
    double M[4] = {1, 0, 0, 1}, q[2] = {-1, NAN}, z[2] = {7, 7};
    carom_lcp lcp = {.n = 2, .M = M, .q = q, .symmetric = true};
    carom_error error = {0};
    assert_int_equal(carom_lcp_solve(&lcp, NULL, arena, z, NULL, NULL, &error),
                     CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "q[1]"));
    check_close(z[0], 7, 0);
    q[1] = -1;
    M[2] = INFINITY;
    assert_int_equal(carom_lcp_solve(&lcp, NULL, arena, z, NULL, NULL, &error),
                     CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "M[0,1]"));
    M[2] = 0;
    M[3] = -1;
    carom_lcp_options options = {.algorithm = CAROM_LCP_PIVOT};
    assert_int_equal(carom_lcp_solve(&lcp, &options, arena, z, NULL, NULL, &error),
                     CAROM_ERROR_ARGUMENT);
    lcp.symmetric = false;
    M[3] = 1;
    assert_int_equal(carom_lcp_solve(&lcp, &options, arena, z, NULL, NULL, &error),
                     CAROM_ERROR_ARGUMENT);
    lcp.n = 0;
    for (int k = 0; k < 6; k++) {
        options.algorithm = symmetric[k];
        carom_lcp empty = {.symmetric = true};
        check_ok(carom_lcp_solve(&empty, &options, arena, z, NULL, NULL, &error), &error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definite),   cmocka_unit_test(test_p_matrix),
        cmocka_unit_test(test_singular),   cmocka_unit_test(test_units),
        cmocka_unit_test(test_least_norm), cmocka_unit_test(test_runaway),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
