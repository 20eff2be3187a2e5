/* Following the path of smooth problems: their derivatives against differences, and packings of
 * balls at rest, where forces have many ways to go and the path turns, with the number solved by
 * each method counted. */
#include "check.h"
#include "friction_piles.h"
#include "friction_random.h"
#include "solver/friction_layout.h"
#include "solver/friction_newton_matrix.h"
#include "solver/friction_smooth.h"

CHECK_ARENA(arena);

enum { ROWS = RANDOM_ROWS, NINES = 9 * RANDOM_CONTACTS };

typedef struct point {
    double y[ROWS], x[ROWS], s[ROWS], xi[ROWS], G[ROWS], g[ROWS], e[ROWS], rho[ROWS];
    double C[NINES], B[NINES], away[ROWS], work[ROWS];
    carom_friction_smooth smooth;
} point;

static const double NU_0 = 0.8;

static void evaluate(const carom_friction_island *o, point *p, double nu)
{
    p->smooth = (carom_friction_smooth){.nu = nu,
                                        .tau = 1 - nu / NU_0,
                                        .away = p->away,
                                        .y = p->y,
                                        .x = p->x,
                                        .s = p->s,
                                        .xi = p->xi,
                                        .G = p->G,
                                        .g = p->g,
                                        .e = p->e,
                                        .rho = p->rho,
                                        .C = p->C,
                                        .B = p->B};
    carom_friction_smooth_evaluate(o, NU_0, &p->smooth, p->work);
}

/* x and s are inside the cones and x o s = nu^2 e. */
static void check_complementary(const carom_friction_island *o, const point *p, double nu)
{
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        const double *x = p->x + row, *s = p->s + row;
        double dot = 0, xt = 0, st = 0;
        for (int k = 0; k < d; k++)
            dot += x[k] * s[k];
        if (o->free[i])
            continue;
        for (int k = 1; k < d; k++) {
            xt += x[k] * x[k];
            st += s[k] * s[k];
            check_close(x[0] * s[k] + s[0] * x[k], 0, 1e-13);
        }
        check_close(dot, nu * nu, 1e-13);
        assert_true(x[0] > sqrt(xt) && s[0] > sqrt(st));
    }
}

/* dG along a random change of y and of nu by central differences, and by (C A + B) dx = C (dG):
 * with dx = X'dy and ds = dx - dy that is dG = A dx - E^-1 ds. */
static void derivatives(void **state)
{
    (void)state;
    static random_problem problem;
    static point at, up, down;
    const random_family f = {12, 0, 0.7, 1, 1, 0.2, true};
    check_random random = {9};
    for (int trial = 0; trial < 40; trial++) {
        random_make(&problem, &f, &random);
        carom_friction_layout layout;
        carom_arena_reset(arena);
        check_ok(carom_friction_layout_make(&problem.problem, arena, &layout, NULL), NULL);
        const carom_friction_island *o = &layout.island[0];
        double dy[ROWS], nu = check_random_in(&random, 0.1, 0.7), step = 1e-6, A_dx[ROWS];
        for (int k = 0; k < o->n; k++) {
            at.y[k] = check_random_in(&random, -1, 1);
            at.away[k] = up.away[k] = down.away[k] = check_random_in(&random, -1, 1);
            dy[k] = check_random_in(&random, -1, 1);
            up.y[k] = at.y[k] + step * dy[k];
            down.y[k] = at.y[k] - step * dy[k];
        }
        evaluate(o, &at, nu);
        evaluate(o, &up, nu);
        evaluate(o, &down, nu);
        check_complementary(o, &at, nu);
        double dx[ROWS], ds[ROWS], dG[ROWS];
        for (int k = 0; k < o->n; k++) {
            dx[k] = (up.x[k] - down.x[k]) / (2 * step);
            ds[k] = (up.s[k] - down.s[k]) / (2 * step);
            dG[k] = (up.G[k] - down.G[k]) / (2 * step);
        }
        carom_friction_island_product(o, dx, A_dx);
        for (int i = 0; i < o->contacts; i++) {
            int d = carom_friction_island_rows(o, i), row = o->row[i];
            if (o->free[i])
                continue;
            for (int k = 0; k < d; k++) {
                double left = 0, right = 0, by_s = A_dx[row + k] - ds[row + k];
                for (int j = 0; j < d; j++) {
                    left += at.C[9 * i + k + j * d] * A_dx[row + j] +
                            at.B[9 * i + k + j * d] * dx[row + j];
                    right += at.C[9 * i + k + j * d] * dG[row + j];
                    by_s += k == 0 ? at.e[row + j] * ds[row + j] : 0;
                }
                check_close(left, right, 1e-7);
                check_close(dG[row + k], by_s, 1e-7);
            }
        }
        memcpy(up.y, at.y, sizeof up.y);
        memcpy(down.y, at.y, sizeof down.y);
        evaluate(o, &up, nu + step);
        evaluate(o, &down, nu - step);
        for (int k = 0; k < o->n; k++)
            check_close(at.g[k], (up.G[k] - down.G[k]) / (2 * step), 1e-7);
    }
}

static void packings(void **state)
{
    (void)state;
    static const struct {
        carom_friction_method method;
        int limit, solved;
    } expected[] = {{CAROM_FRICTION_AUTO, 0, 8},     {CAROM_FRICTION_SWEEPS, 1000, 0},
                    {CAROM_FRICTION_INTERIOR, 0, 3}, {CAROM_FRICTION_NEWTON, 0, 0},
                    {CAROM_FRICTION_PROXIMAL, 0, 8}, {CAROM_FRICTION_PATH, 0, 8}};
    for (size_t m = 0; m < sizeof expected / sizeof *expected; m++) {
        int solved = 0;
        for (uint64_t seed = 1; seed <= 8; seed++) {
            pile *p = pile_balls(3, 4, 0.7, 0, seed);
            double *r = calloc(3 * (size_t)p->contacts, sizeof *r), residual;
            carom_friction_options options = {.method = expected[m].method,
                                              .tolerance = 1e-10,
                                              .max_iterations = expected[m].limit};
            carom_error error = {0};
            carom_arena_reset(arena);
            check_ok(carom_friction_problem_solve(pile_state(p), &options, arena, r, NULL, NULL,
                                                  NULL, &error),
                     &error);
            check_ok(
                carom_friction_problem_residual(pile_state(p), r, arena, NULL, &residual, &error),
                &error);
            solved += residual <= 1e-8;
            free(r);
            pile_free(p);
        }
        print_message("packings, %s: %d of 8\n", carom_friction_method_name(expected[m].method),
                      solved);
        assert_true(solved >= expected[m].solved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(packings)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
