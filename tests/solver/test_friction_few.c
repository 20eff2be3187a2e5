/* One to three planar contacts, by every mode: problems of whole numbers whose reactions and
 * velocities are drawn first, of any rank. Where the contacts depend on each other the reactions of
 * a mode are many, and other ones may grow without bound; a solution is found nevertheless. */
#include "carom/friction.h"
#include "family.h"

#include <math.h>

CHECK_ARENA(arena);

enum { FEW = 3, ROWS = 2 * FEW };

typedef struct few {
    double W[ROWS * ROWS], q[ROWS], mu[FEW];
    bool bilateral[FEW];
    carom_friction_problem problem;
} few;

static int whole(check_random *random, int from, int to)
{
    return from + check_random_int(random, to - from + 1);
}

/* A contact that is open, sticks inside its cone or on an edge of it, or slips. */
static void draw_contact(check_random *random, double mu, double *r, double *u)
{
    const int mode = check_random_int(random, 4), side = check_random_int(random, 2) ? 1 : -1;
    r[0] = mode ? whole(random, 0, 4) : 0;
    r[1] = mode == 1 ? mu * r[0] * whole(random, -3, 3) / 4 : side * mu * r[0];
    u[0] = mode ? 0 : whole(random, 0, 9);
    u[1] = mode == 0 ? whole(random, -9, 9) : mode == 3 ? -side * whole(random, 1, 6) : 0;
}

static void draw(few *p, check_random *random)
{
    static const double frictions[] = {0, 0.25, 0.5, 0.75, 1, 2, 10};
    const int contacts = whole(random, 1, FEW), n = 2 * contacts, rank = whole(random, 1, n);
    double G[ROWS][ROWS], r[ROWS], u[ROWS];
    for (int i = 0; i < contacts; i++) {
        p->mu[i] = frictions[check_random_int(random, 7)];
        p->bilateral[i] = false;
        draw_contact(random, p->mu[i], r + 2 * i, u + 2 * i);
    }
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < n; j++)
            G[k][j] = whole(random, -3, 3);
    for (int i = 0; i < n; i++) {
        p->q[i] = u[i];
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += G[k][i] * G[k][j];
            p->W[i + j * n] = sum;
            p->q[i] -= sum * r[j];
        }
    }
    p->problem =
        (carom_friction_problem){.contacts = contacts,
                                 .dimension = 2,
                                 .mu = p->mu,
                                 .bilateral = check_random_int(random, 2) ? p->bilateral : NULL,
                                 .form = CAROM_FRICTION_DENSE,
                                 .W = p->W,
                                 .q = p->q};
}

static void known_solutions(void **state)
{
    (void)state;
    family f = family_start("friction, few planar contacts", 1, 4000);
    while (family_next(&f)) {
        few p;
        double r[ROWS], residual;
        carom_friction_info info;
        carom_error error = {0};
        draw(&p, &f.random);
        check_ok(
            carom_friction_problem_solve(&p.problem, NULL, arena, r, NULL, NULL, &info, &error),
            &error);
        check_ok(carom_friction_problem_residual(&p.problem, r, arena, NULL, &residual, &error),
                 &error);
        family_check(&f, info.outcome == CAROM_FRICTION_SOLVED && residual <= 1e-12,
                     "outcome %d, residual %g", info.outcome, residual);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_solutions)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
