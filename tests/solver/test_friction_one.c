/* One contact in closed form: random blocks, also singular and unsymmetric, judged by Signorini's
 * condition and Coulomb's law themselves. */
#include "carom/friction.h"
#include "check.h"
#include "solver/friction_alone.h"
#include "solver/friction_one.h"

CHECK_ARENA(arena);

/* Violation of the laws of a contact of cone L at x, xi, relative to their sizes. */
static double violation(int d, bool free, const double *x, const double *xi)
{
    double tx = 0, tu = 0, dot = 0, worst = 0;
    for (int k = 1; k < d; k++) {
        tx += x[k] * x[k];
        tu += xi[k] * xi[k];
        dot += x[k] * xi[k];
    }
    tx = sqrt(tx);
    tu = sqrt(tu);
    if (free)
        return fmax(fabs(xi[0]), tu);
    worst = fmax(-x[0], -xi[0]);
    worst = fmax(worst, fmin(x[0], fabs(xi[0])));         /* x_0 xi_0 = 0 */
    worst = fmax(worst, d > 1 ? tx - x[0] : 0);           /* in the cone */
    worst = fmax(worst, d > 1 ? fmin(tu, x[0] - tx) : 0); /* slip only on its boundary */
    if (d > 1 && tu > 0 && tx > 0)
        worst = fmax(worst, fmin(tu, tx) * (1 + dot / (tu * tx))); /* and against x_T */
    return worst;
}

static void check_one(int d, bool free, const double *A, const double *rho, double tolerance)
{
    double x[3], xi[3], size = 0;
    carom_friction_one one;
    carom_friction_one_make(&one, d, free, A);
    carom_friction_one_solve(&one, rho, x);
    for (int i = 0; i < d; i++) {
        xi[i] = rho[i];
        for (int j = 0; j < d; j++)
            xi[i] += A[i + j * d] * x[j];
        size = fmax(size, fmax(fabs(x[i]), fabs(rho[i])));
    }
    check_close(violation(d, free, x, xi) / size, 0, tolerance);
}

/* A = G'G, rank: rows of G; skew > 0 makes it unsymmetric. */
static void random_block(int d, int rank, double skew, check_random *random, double *A)
{
    double G[9];
    for (int k = 0; k < 9; k++)
        G[k] = check_random_in(random, -1, 1);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            A[i + j * d] = i == j ? 0 : skew * check_random_in(random, -1, 1);
            for (int k = 0; k < rank; k++)
                A[i + j * d] += G[i + 3 * k] * G[j + 3 * k];
        }
}

static void random_contacts(void **state)
{
    (void)state;
    check_random random = {3};
    for (int trial = 0; trial < 30000; trial++) {
        int d = 1 + trial % 3;
        double A[9], rho[3];
        random_block(d, d, trial % 7 == 0 ? 1e-3 : 0, &random, A);
        for (int k = 0; k < d; k++) {
            A[k + k * d] += 0.01;
            rho[k] = check_random_in(&random, -1, 1) * pow(10, check_random_int(&random, 7) - 3);
        }
        check_one(d, trial % 11 == 0, A, rho, 1e-11);
    }
}

/* Singular blocks with rho in their range: a body that cannot move along some direction. */
static void singular_contacts(void **state)
{
    (void)state;
    check_random random = {4};
    for (int trial = 0; trial < 3000; trial++) {
        int d = 2 + trial % 2;
        double A[9], rho[3] = {0}, y[3];
        random_block(d, d - 1, 0, &random, A);
        for (int k = 0; k < d; k++)
            y[k] = check_random_in(&random, -1, 1);
        for (int i = 0; i < d; i++)
            for (int j = 0; j < d; j++)
                rho[i] += A[i + j * d] * y[j];
        check_one(d, false, A, rho, 1e-6);
    }
}

/* No block at all: nothing can be done, and nothing is invented. */
static void nothing_moves(void **state)
{
    (void)state;
    double A[9] = {0}, rho[3] = {-1, 2, 3}, x[3] = {9, 9, 9};
    carom_friction_one one;
    carom_friction_one_make(&one, 3, false, A);
    carom_friction_one_solve(&one, rho, x);
    assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
}

/* The statement of one contact, in any unit: the closed form reaches the aim wherever the block is
 * regular, is the answer of the solver, and says nothing of what it cannot do. */
static void statements(void **state)
{
    (void)state;
    check_random random = {5};
    carom_error error;
    for (int trial = 0; trial < 6000; trial++) {
        int d = 1 + trial % 3;
        double A[9], q[3], r[3], u[3], same[3], residual;
        double mu = pow(10, check_random_in(&random, -2, 1));
        double unit = pow(10, check_random_in(&random, -30, 30));
        bool free = trial % 11 == 0;
        random_block(d, d, trial % 7 == 0 ? 1e-3 : 0, &random, A);
        for (int k = 0; k < d; k++) {
            A[k + k * d] += 0.1;
            q[k] = unit * check_random_in(&random, -1, 1);
        }
        carom_friction_problem p = {.contacts = 1,
                                    .dimension = d,
                                    .mu = &mu,
                                    .bilateral = &free,
                                    .form = CAROM_FRICTION_DENSE,
                                    .W = A,
                                    .q = q};
        carom_friction_info info;
        assert_true(carom_friction_alone_solve(&p, 1e-12, 1e-8, r, u, &info));
        assert_int_equal(info.method, CAROM_FRICTION_CLOSED);
        check_ok(carom_friction_problem_residual(&p, r, arena, NULL, &residual, &error), &error);
        check_close(residual, 0, 1e-12);
        check_ok(carom_friction_problem_solve(&p, NULL, arena, same, u, NULL, &info, &error),
                 &error);
        assert_memory_equal(same, r, (size_t)d * sizeof *r);
    }
}

/* What is not a regular contact of ordinary numbers goes the general way. */
static void statements_left(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, 1e200, 1e-200};
    double A[4] = {1, 0, 0, 1}, r[2] = {7, 7}, mu = 0.5;
    carom_friction_info info;
    for (int k = 0; k < 4; k++) {
        double q[2] = {-bad[k], bad[k]};
        carom_friction_problem p = {
            .contacts = 1, .dimension = 2, .mu = &mu, .form = CAROM_FRICTION_DENSE, .W = A, .q = q};
        assert_false(carom_friction_alone_solve(&p, 1e-12, 1e-8, r, NULL, &info));
        assert_true(r[0] == 7 && r[1] == 7);
    }
    double q[2] = {-1, 1}, none = 0;
    carom_friction_problem p = {
        .contacts = 1, .dimension = 2, .mu = &none, .form = CAROM_FRICTION_DENSE, .W = A, .q = q};
    assert_false(carom_friction_alone_solve(&p, 1e-12, 1e-8, r, NULL, &info));
    check_ok(carom_friction_problem_solve(&p, NULL, arena, r, NULL, NULL, &info, NULL), NULL);
    assert_true(r[0] == 1 && r[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_contacts), cmocka_unit_test(singular_contacts),
        cmocka_unit_test(nothing_moves), cmocka_unit_test(statements),
        cmocka_unit_test(statements_left)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
