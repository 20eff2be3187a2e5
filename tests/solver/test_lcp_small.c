/* The short cuts for n <= 16 against the general algorithms and against enumeration, on tens of
 * thousands of small problems of every kind. A limit on iterations, however high, leaves the short
 * cuts out. */
#include "solver/lcp_problems.h"

#include <float.h>

CHECK_ARENA(arena);

enum { LARGEST = 16, LISTED = 7 }; /* n; n of problems all of whose solutions are listed */

static carom_lcp_info solve(const carom_lcp *lcp, carom_lcp_options options, double *z, double *w)
{
    carom_lcp_info info;
    carom_error error = {0};
    carom_arena_reset(arena);
    check_ok(carom_lcp_solve(lcp, &options, arena, z, w, &info, &error), &error);
    return info;
}

static const carom_lcp_options plain = {0}, any = {.any_solution = true},
                               general = {.max_iterations = 100000};

/* Written out again, apart from carom_lcp_residual. */
static void check_solution(const carom_lcp *p, const double *z, const double *w)
{
    for (int i = 0; i < p->n; i++) {
        double sum = p->q[i], size = fabs(p->q[i]);
        if (p->q_size)
            size = fmax(size, p->q_size[i]);
        for (int j = 0; j < p->n; j++) {
            sum += p->M[i + j * p->n] * z[j];
            size += fabs(p->M[i + j * p->n] * z[j]);
        }
        assert_true(z[i] >= 0 && w[i] >= 0);
        assert_true(z[i] == 0 || w[i] == 0);
        size = fmax(size, DBL_MIN);
        check_close(w[i] / size, sum / size, 1e-12);
    }
}

/* The norm that is least: sum of M_ii z_i^2. */
static double square(const carom_lcp *p, const double *z)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += p->M[i + i * p->n] * z[i] * z[i];
    return sum;
}

static bool is_single(const carom_lcp_solutions *all)
{
    return all->count == 1 && all->pieces[0].vertex_count == 1 && all->pieces[0].ray_count == 0;
}

typedef struct tally {
    int solved, several, none, apart;
} tally;

/* Same w; the same z of least norm, or a shorter one; what is called unique is. */
static void check_symmetric(const carom_lcp *lcp, const double *z, const double *w, bool unique,
                            int round, tally *count)
{
    double y[LARGEST], v[LARGEST], norm = square(lcp, z), top = 0, off = 0;
    carom_lcp_info info = solve(lcp, general, y, v);
    if (info.outcome != CAROM_LCP_SOLVED || unique != info.unique_z) {
        count->apart++;
        return;
    }
    double other = square(lcp, y);
    for (int i = 0; i < lcp->n; i++) {
        double unit = sqrt(lcp->M[i + i * lcp->n]);
        top = fmax(top, unit * fmax(z[i], y[i]));
        off = fmax(off, unit * fabs(z[i] - y[i]));
    }
    if (!(norm <= other * (1 + 1e-9)) || (norm >= other * (1 - 1e-9) && off > 1e-6 * top))
        print_error("round %d: n %d, squares %.17g %.17g, off by %g of %g\n", round, lcp->n, norm,
                    other, off, top);
    assert_true(norm <= other * (1 + 1e-9));
    if (norm >= other * (1 - 1e-9))
        assert_true(off <= 1e-6 * top);
    else
        count->apart++;
    info = solve(lcp, any, y, v);
    assert_int_equal(info.outcome, CAROM_LCP_SOLVED);
    check_solution(lcp, y, v);
    assert_true(norm <= square(lcp, y) * (1 + 1e-7));
    for (int i = 0; i < lcp->n; i++) {
        double unit = sqrt(lcp->M[i + i * lcp->n]);
        if (unit > 0)
            check_close(v[i] / unit, w[i] / unit, 1e-9 * (top + fabs(lcp->q[i]) / unit));
    }
}

/* One problem: what is returned is a solution, whether there is one is what enumeration says, if it
 * is small enough for that. */
static void check_problem(const problem *p, int round, tally *count)
{
    carom_lcp lcp = problem_lcp(p);
    double z[LARGEST], w[LARGEST];
    carom_lcp_info info = solve(&lcp, plain, z, w);
    bool solved = info.outcome == CAROM_LCP_SOLVED;
    count->solved += solved;
    count->none += !solved;
    count->several += solved && !info.unique_z;
    if (solved) {
        check_solution(&lcp, z, w);
        check_close(info.residual, carom_lcp_residual(&lcp, z), 1e-15);
        assert_true(info.unique_w || !p->symmetric);
    }
    if (p->n <= LISTED) {
        carom_lcp_solutions all;
        carom_arena_reset(arena);
        check_ok(carom_lcp_enumerate(&lcp, arena, &all, NULL), NULL);
        if (solved != (all.count > 0))
            print_error("round %d: n %d, outcome %d by %d, residual %g, %d pieces\n", round, p->n,
                        (int)info.outcome, (int)info.algorithm, info.residual, all.count);
        assert_int_equal(solved, all.count > 0);
        if (info.unique_z)
            assert_true(is_single(&all));
    }
    if (solved && p->symmetric)
        check_symmetric(&lcp, z, w, info.unique_z, round, count);
}

/* Masses over 2 * span powers of ten, contacts between few bodies, so that many depend. */
static void problem_bodies(problem *p, check_random *r, int n, int bodies, double span)
{
    double inverse[MOST], J[MOST * MOST] = {0}, u[MOST];
    for (int k = 0; k < bodies; k++) {
        inverse[k] = pow(10, check_random_in(r, -span, span));
        u[k] = check_random_in(r, -1, 1);
    }
    memset(p, 0, sizeof *p);
    p->n = n;
    p->symmetric = true;
    for (int i = 0; i < n; i++) {
        int a = check_random_int(r, bodies), b = check_random_int(r, bodies);
        J[b + i * bodies] = -1;
        J[a + i * bodies] = 1; /* a = b: against the ground */
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < bodies; k++) {
            p->q[i] += J[k + i * bodies] * u[k];
            p->q_size[i] += fabs(J[k + i * bodies] * u[k]);
            for (int j = 0; j < n; j++)
                p->M[i + j * n] += J[k + i * bodies] * inverse[k] * J[k + j * bodies];
        }
}

/* Small integers: exact ties and zeros everywhere. */
static void problem_integers(problem *p, check_random *r, int n, int rank)
{
    int B[MOST * MOST];
    memset(p, 0, sizeof *p);
    p->n = n;
    p->symmetric = rank > 0;
    for (int i = 0; i < rank * n; i++)
        B[i] = check_random_int(r, 3) - 1;
    for (int i = 0; i < n; i++) {
        p->q[i] = check_random_int(r, 3) - 1;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < rank; k++)
                p->M[i + j * n] += B[k + i * rank] * B[k + j * rank];
    }
    for (int i = 0; i < n * n && rank == 0; i++)
        p->M[i] = check_random_int(r, 4) - 1;
}

/* Entries >= 0: copositive; without a diagonal block, a game of two. */
static void problem_copositive(problem *p, check_random *r, int n, bool game)
{
    memset(p, 0, sizeof *p);
    p->n = n;
    for (int j = 0; j < n; j++) {
        p->q[j] = game ? -1 : check_random_in(r, -1, 1);
        for (int i = 0; i < n; i++)
            p->M[i + j * n] = game && (i < n / 2) == (j < n / 2) ? 0 : check_random_in(r, 0, 1);
    }
}

static void rescale(problem *p, check_random *r, double span)
{
    problem q;
    double d[MOST], e[MOST], size = pow(10, check_random_in(r, -span, span));
    for (int i = 0; i < p->n; i++)
        d[i] = e[i] = pow(10, check_random_in(r, -span, span));
    for (int i = 0; i < p->n && !p->symmetric; i++)
        e[i] = pow(10, check_random_in(r, -span, span));
    problem_rescale(p, d, e, size, &q);
    *p = q;
}

static void test_symmetric(void **state)
{
    (void)state;
    check_random r = {31};
    tally count[6] = {0};
    for (int round = 0; round < 18000; round++) {
        problem p;
        int kind = round % 6, n = 1 + check_random_int(&r, round % 5 ? 6 : LARGEST);
        int rank = 1 + check_random_int(&r, n);
        if (kind == 3)
            problem_bodies(&p, &r, n, rank, round % 4 ? 3 : 4.5);
        else if (kind == 4)
            problem_integers(&p, &r, n, rank);
        else
            problem_semidefinite(&p, &r, n, kind == 0 ? n + 1 : rank);
        if (kind == 1 || kind == 5)
            problem_make_solvable(&p, &r);
        if (kind == 5)
            rescale(&p, &r, round % 4 ? 4.5 : 50);
        check_problem(&p, round, &count[kind]);
    }
    for (int k = 0; k < 6; k++) {
        if (k != 2 && k != 4)
            assert_int_equal(count[k].none, 0);
        assert_in_range(count[k].apart, 0, k == 3 ? 15 : 0); /* the general way loses a few */
    }
    assert_int_equal(count[0].several, 0);
    assert_in_range(count[1].several, 1000, 1400);
    assert_in_range(count[2].none, 500, 1000);
    assert_in_range(count[3].several, 1200, 1900);
    assert_in_range(count[4].several, 400, 700);
    assert_in_range(count[4].none, 600, 1000);
}

static void test_general(void **state)
{
    (void)state;
    check_random r = {32};
    tally count[6] = {0};
    for (int round = 0; round < 18000; round++) {
        problem p;
        int kind = round % 6, n = 1 + check_random_int(&r, LISTED);
        if (kind < 2)
            problem_p_matrix(&p, &r, round % 5 ? n : 1 + check_random_int(&r, LARGEST));
        else if (kind == 2)
            problem_copositive(&p, &r, n, false);
        else if (kind == 3)
            problem_copositive(&p, &r, 2 * (1 + check_random_int(&r, LISTED / 2)), true);
        else
            problem_integers(&p, &r, n, 0);
        if (kind == 1)
            rescale(&p, &r, round % 4 ? 4.5 : 50);
        if (kind == 5)
            for (int i = 0; i < n * n; i++)
                p.M[i] = check_random_in(&r, -1, 1);
        check_problem(&p, round, &count[kind]);
    }
    for (int k = 0; k < 4; k++)
        assert_int_equal(count[k].none, 0);
    assert_in_range(count[4].none, 500, 1000);
    assert_in_range(count[5].none, 1000, 1600);
}

/* A matrix of integers in which a determinant of rounding would be a pivot: it has no solution. */
static void test_faint_pair(void **state)
{
    (void)state;
    const double M[49] = {0, 1, 0, 1, 0, 1, 1, 0, 0, 2,  2, -1, -1, 2,  2,  2, 0,
                          1, 0, 0, 2, 1, 1, 0, 1, 2, -1, 0, 1,  0,  -1, -1, 2, 2,
                          2, 0, 1, 1, 0, 0, 2, 1, 1, 0,  0, 0,  -1, 0,  1};
    const double q[7] = {1, -1, 1, 0, 0, 0, 0};
    carom_lcp lcp = {.n = 7, .M = M, .q = q};
    double z[7], w[7];
    assert_int_not_equal(solve(&lcp, plain, z, w).outcome, CAROM_LCP_SOLVED);
}

/* A number that is not finite is refused wherever it stands, and nothing is written. */
static void test_not_finite(void **state)
{
    (void)state;
    check_random r = {33};
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int round = 0; round < 6000; round++) {
        problem p;
        int n = 1 + check_random_int(&r, LARGEST), kind = round % 4;
        if (kind == 0)
            problem_semidefinite(&p, &r, n, n);
        else if (kind == 1)
            problem_p_matrix(&p, &r, n);
        else
            problem_integers(&p, &r, n, kind == 2 ? n : 0);
        for (int i = 0; i < n * n && round % 5 == 0; i++) /* diagonal */
            p.M[i] = i % (n + 1) ? 0 : 1;
        for (int i = 0; i < n && round % 3 == 0; i++) /* z = 0 */
            p.q[i] = fabs(p.q[i]);
        int where = check_random_int(&r, n * n + 2 * n), i = where - n * n;
        double *number = i < 0 ? p.M + where : i < n ? p.q + i : p.q_size + (i - n);
        *number = i >= n && round % 2 ? -1 : bad[check_random_int(&r, 3)];
        carom_lcp lcp = problem_lcp(&p);
        double z[LARGEST] = {7}, w[LARGEST] = {7};
        carom_lcp_info info = {.iterations = 7};
        assert_int_equal(carom_lcp_solve(&lcp, NULL, arena, z, w, &info, NULL),
                         CAROM_ERROR_ARGUMENT);
        assert_true(z[0] == 7 && w[0] == 7 && info.iterations == 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_general),
        cmocka_unit_test(test_faint_pair),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
