/* One contact in closed form: random blocks, also singular and unsymmetric, judged by Signorini's
 * condition and Coulomb's law themselves. */
#include "check.h"
#include "solver/friction_one.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_contacts),
                                       cmocka_unit_test(singular_contacts),
                                       cmocka_unit_test(nothing_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
