/* Problems with known answers: textbook matrices and the open instances of Siconos. */
#include "solver/lcp_problems.h"

#include <stdlib.h>

CHECK_ARENA(arena);

/* L4: a P-matrix on which least-index pivoting is slow; its symmetric part is not definite. */
static void test_cyclic_p_matrix(void **state)
{
    (void)state;
    problem p = {.n = 3, .M = {1, 0, 2, 2, 1, 0, 0, 2, 1}};
    const double q[4][3] = {{-1, -1, -1}, {-1, -2, -3}, {-3, -2, -1}, {-1, -1.1, -1.2}};
    const double known[4][3] = {
        {1. / 3, 1. / 3, 1. / 3}, {1, 0, 1}, {1. / 3, 4. / 3, 1. / 3}, {.4, .3, .4}};
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 2; a++) {
            double z[3], w[3];
            memcpy(p.q, q[k], sizeof q[k]);
            problem_solve(&p, a ? CAROM_LCP_LEMKE : CAROM_LCP_ENUMERATE, arena, z, w);
            check_vector(z, known[k], 3, 1e-14);
        }
}

/* L1 and L3: Murty's and Fathi's matrices, where simple pivoting rules take 2^n steps. */
static void test_murty_and_fathi(void **state)
{
    (void)state;
    for (int n = 1; n <= 32; n++) {
        problem murty = {.n = n}, fathi = {.n = n, .symmetric = true};
        for (int j = 0; j < n; j++) {
            murty.q[j] = fathi.q[j] = -1;
            for (int i = 0; i < n; i++) {
                int low = i < j ? i : j;
                murty.M[i + j * n] = i == j ? 1 : i < j ? 2 : 0;
                fathi.M[i + j * n] = 4 * low + (i == j ? 1 : 2);
            }
        }
        double z[MOST], w[MOST], last[MOST] = {0}, first[MOST] = {1};
        last[n - 1] = 1;
        carom_lcp_info info = problem_solve(&murty, CAROM_LCP_LEMKE, arena, z, w);
        assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
        check_vector(z, last, n, 1e-13);
        static const carom_lcp_algorithm all[] = {CAROM_LCP_AUTO, CAROM_LCP_PIVOT, CAROM_LCP_BLOCK,
                                                  CAROM_LCP_LEMKE};
        for (int a = 0; a < (n <= 6 ? 4 : 3); a++) { /* exponential for Lemke's method */
            info = problem_solve(&fathi, all[a], arena, z, w);
            assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
            check_vector(z, first, n, 1e-9);
            if (info.iterations > 12 * n)
                print_error("n %d: algorithm %d takes %d\n", n, (int)info.algorithm,
                            info.iterations);
            assert_in_range(info.iterations, 0, 12 * n);
        }
    }
}

/* L9: skew, rows of zeros, dependent rows. */
static void test_traps(void **state)
{
    (void)state;
    double z[2], w[2], known[] = {2, 1};
    problem skew = {2, false, {0, -1, 1, 0}, {-1, 2}, {0}};
    problem_solve(&skew, CAROM_LCP_AUTO, arena, z, w);
    check_vector(z, known, 2, 1e-15);
    problem zero = {2, true, {0, 0, 0, 0}, {-1, 0}, {0}};
    static const carom_lcp_algorithm all[] = {CAROM_LCP_AUTO,         CAROM_LCP_PIVOT,
                                              CAROM_LCP_BLOCK,        CAROM_LCP_LEMKE,
                                              CAROM_LCP_GAUSS_SEIDEL, CAROM_LCP_ENUMERATE};
    for (int a = 0; a < 6; a++)
        assert_int_equal(problem_solve(&zero, all[a], arena, z, w).outcome, CAROM_LCP_INFEASIBLE);
    problem ones = {2, true, {1, 1, 1, 1}, {-1, -1}, {0}};
    carom_lcp_info info = problem_solve(&ones, CAROM_LCP_AUTO, arena, z, w);
    check_close(z[0], .5, 1e-15);
    check_close(z[1], .5, 1e-15);
    assert_false(info.unique_z);
    assert_true(info.unique_w);
    /* a mass between two walls, one elastic and one not: no solution */
    problem walls = {2, true, {1, -1, -1, 1}, {-2, 1}, {0}};
    for (int a = 0; a < 6; a++)
        assert_int_equal(problem_solve(&walls, all[a], arena, z, w).outcome, CAROM_LCP_INFEASIBLE);
    /* the caller's word "symmetric semidefinite" is wrong: the automatic choice notices */
    problem wrong = {2, true, {1, 2, 2, 1}, {-1, -1}, {0}};
    info = problem_solve(&wrong, CAROM_LCP_AUTO, arena, z, w);
    assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
    check_close(info.residual, 0, 1e-15);
}

/* Reads the number at *text and moves on. */
static double number(char **text)
{
    char *end;
    double x = strtod(*text, &end);
    assert_ptr_not_equal(*text, end);
    *text = end;
    return x;
}

static void read_blocks(char **text, problem *p)
{
    int count = (int)number(text), rows = (int)number(text), columns = (int)number(text);
    int row_end[MOST], column_end[MOST], start[MOST], column[MOST];
    for (int i = 0; i < rows; i++)
        row_end[i] = (int)number(text);
    for (int i = 0; i < columns; i++)
        column_end[i] = (int)number(text);
    int starts = (int)number(text), filled = (int)number(text);
    for (int i = 0; i < starts; i++)
        start[i] = (int)number(text);
    for (int i = 0; i < filled; i++)
        column[i] = (int)number(text);
    for (int b = 0; b < count; b++) {
        number(text); /* its number */
        int r = 0;
        while (r + 1 < starts - 1 && b >= start[r + 1])
            r++;
        int i0 = r ? row_end[r - 1] : 0, j0 = column[b] ? column_end[column[b] - 1] : 0;
        for (int j = j0; j < column_end[column[b]]; j++)
            for (int i = i0; i < row_end[r]; i++)
                p->M[i + j * p->n] = number(text);
    }
}

static void read_instance(const char *name, problem *p)
{
    static char text[1 << 16];
    char path[512];
    snprintf(path, sizeof path, CAROM_SOURCE_DIR "/../shared/data/lcp/lcp_%s.dat", name);
    FILE *file = fopen(path, "r");
    if (!file) {
        print_message("%s is not there\n", path);
        skip();
        return;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    char *at = text;
    memset(p, 0, sizeof *p);
    p->n = (int)number(&at);
    int storage = (int)number(&at);
    number(&at);
    number(&at);
    if (storage == 1) {
        read_blocks(&at, p);
    } else {
        number(&at);
        number(&at);
        for (int i = 0; i < p->n * p->n; i++)
            p->M[i] = number(&at);
    }
    for (int i = 0; i < p->n; i++)
        p->q[i] = number(&at);
}

static void test_siconos_instances(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int n;
        double z[9];
    } known[] = {
        {"deudeu", 2, {4. / 3, 7. / 3}},
        {"trivial", 9, {1, 1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8, 1. / 9}},
        {"exp_murty", 6, {0, 0, 0, 0, 0, 1}}};
    problem p;
    double z[MOST], w[MOST];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        read_instance(known[k].name, &p);
        assert_int_equal(p.n, known[k].n);
        assert_int_equal(problem_solve(&p, CAROM_LCP_LEMKE, arena, z, w).outcome, CAROM_LCP_SOLVED);
        check_vector(z, known[k].z, p.n, 1e-13);
        p.symmetric = k < 2;
        assert_int_equal(problem_solve(&p, CAROM_LCP_AUTO, arena, z, w).outcome, CAROM_LCP_SOLVED);
        check_vector(z, known[k].z, p.n, 1e-13);
    }
    read_instance("CPS_1", &p);
    assert_int_equal(problem_solve(&p, CAROM_LCP_AUTO, arena, z, w).outcome, CAROM_LCP_SOLVED);
    check_close(z[0] + z[1], 1, 1e-15);
    read_instance("CPS_3", &p);
    assert_int_equal(problem_solve(&p, CAROM_LCP_LEMKE, arena, z, w).outcome, CAROM_LCP_RAY);
    static const char *const others[] = {"CPS_3", "CPS_5", "ortiz_block", "tobenna"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        read_instance(others[k], &p);
        carom_lcp_info info = problem_solve(&p, CAROM_LCP_AUTO, arena, z, w);
        if (info.outcome == CAROM_LCP_SOLVED)
            check_close(info.residual, 0, 1e-12);
        else
            print_error("%s: outcome %d by algorithm %d\n", others[k], (int)info.outcome,
                        (int)info.algorithm);
        assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
    }
    read_instance("Pang_isolated_sol_perturbed", &p); /* w_1 = -z_2 - z_3 - 1e-4 < 0 */
    assert_int_equal(problem_solve(&p, CAROM_LCP_AUTO, arena, z, w).outcome, CAROM_LCP_INFEASIBLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cyclic_p_matrix),
        cmocka_unit_test(test_murty_and_fathi),
        cmocka_unit_test(test_traps),
        cmocka_unit_test(test_siconos_instances),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
