/* Problems without a solution, by construction, are proved to have none, and the proof is verified
 * here with the statement alone; belts that satisfy no sufficient condition but have a solution are
 * solved. */
#include "check.h"
#include "friction_piles.h"
#include "friction_random.h"
#include "linalg/dense.h"
#include "solver/friction_layout.h"
#include "solver/friction_proof.h"

CHECK_ARENA(arena);

/* u_N >= 0 is impossible: y'u < 0 for the reactions tried and for u = q, whatever they are. */
static void verify_ray(const carom_friction_problem *p, const double *y)
{
    int n = carom_friction_problem_rows(p);
    double *r = calloc((size_t)n, sizeof *r), *u = calloc((size_t)n, sizeof *u),
           *q = calloc((size_t)n, sizeof *q);
    carom_error error = {0};
    check_random random = {77};
    check_ok(carom_friction_problem_velocity(p, r, arena, q, NULL, &error), &error);
    double product = 0, top = 0;
    for (int i = 0, row = 0; i < p->contacts; row += carom_friction_problem_rows_at(p, i++)) {
        bool bilateral = p->bilateral && p->bilateral[i];
        for (int k = 0; k < carom_friction_problem_rows_at(p, i); k++) {
            if (!bilateral) {
                assert_true(y[row + k] >= 0);
                assert_true(k == 0 || y[row + k] == 0);
            }
            product += y[row + k] * q[row + k];
            top = fmax(top, fabs(y[row + k]));
        }
    }
    check_close(top, 1, 1e-15);
    assert_true(product < 0);
    for (int trial = 0; trial < 20; trial++) { /* no reactions change y'u */
        double sum = 0, size = 0;
        for (int k = 0; k < n; k++)
            r[k] = check_random_in(&random, -1, 1);
        check_ok(carom_friction_problem_velocity(p, r, arena, u, NULL, &error), &error);
        for (int k = 0; k < n; k++) {
            sum += y[k] * (u[k] - q[k]);
            size += fabs(y[k]) * (fabs(u[k]) + fabs(q[k]));
        }
        check_close(sum / size, 0, 1e-6);
    }
    free(r);
    free(u);
    free(q);
}

static carom_friction_info solve(const carom_friction_problem *p, double *ray)
{
    int n = carom_friction_problem_rows(p);
    double *r = calloc((size_t)n, sizeof *r);
    carom_friction_info info;
    carom_error error = {0};
    check_ok(carom_friction_problem_solve(p, NULL, arena, r, NULL, ray, &info, &error), &error);
    free(r);
    return info;
}

enum { ROWS = 6, SHUT = 11 };

static double whole(check_random *random, int from, int to)
{
    return floor(check_random_in(random, from, to + 1));
}

/* Contacts in the plane with small integers for H (ROWS x 2 contacts): the last normal is such that
 * the normals times y sum to zero, and w'y < 0. W, q, mu are exact. */
static void shut(check_random *random, int contacts, double *W, double *q, double *mu)
{
    double H[2 * SHUT][ROWS] = {{0}}, w[2 * SHUT], v[ROWS], product = 0;
    const int n = 2 * contacts, last = n - 2;
    for (int k = 0; k < ROWS; k++)
        v[k] = whole(random, -2, 2);
    for (int j = 0; j < n; j++) {
        double y = j % 2 ? 0 : j == last ? 1 : whole(random, 1, 3);
        w[j] = whole(random, -3, 3);
        product += w[j] * y;
        for (int k = 0; k < ROWS && j != last; k++) {
            H[j][k] = whole(random, -2, 2);
            H[last][k] -= y * H[j][k];
        }
    }
    w[last] -= product + whole(random, 1, 3);
    for (int i = 0; i < contacts; i++)
        mu[i] = (double[]){0, 0.3, 1, 10}[(int)whole(random, 0, 3)];
    for (int j = 0; j < n; j++) {
        q[j] = w[j] + carom_dense_dot(ROWS, H[j], v);
        for (int i = 0; i < n; i++)
            W[i + j * n] = carom_dense_dot(ROWS, H[i], H[j]);
    }
}

/* Rays of integers, many of each problem: all are proved. The convex search for them passes points
 * where no step of Newton's lowers |F|. */
static void integer_rays(void **state)
{
    (void)state;
    check_random random = {5};
    for (int trial = 0; trial < 300; trial++) {
        double W[4 * SHUT * SHUT], q[2 * SHUT], mu[SHUT], ray[2 * SHUT];
        const int contacts = 7 + trial % 5;
        shut(&random, contacts, W, q, mu);
        const carom_friction_problem p = {
            .contacts = contacts, .dimension = 2, .mu = mu, .W = W, .q = q};
        assert_int_equal(solve(&p, ray).outcome, CAROM_FRICTION_INFEASIBLE);
        verify_ray(&p, ray);
    }
}

/* A brick between floor and ceiling that come nearer; a wall on top of it. */
static void pressed_brick(void **state)
{
    (void)state;
    int proved = 0;
    for (int trial = 0; trial < 12; trial++) {
        pile *p = pile_wall(1 + trial % 4, 2, 0.1 * (trial % 6), trial % 3, (uint64_t)trial + 1);
        int pressed = p->contacts - 4, n;
        const double down[3] = {0, 0, -1};
        double *place = p->place + 3 * (p->bodies - 1);
        p->contacts = pressed; /* the last face goes, a press on top of the last brick comes */
        p->ends = p->start[p->contacts];
        p->used = 18 * (size_t)p->ends;
        for (int k = 0; k < 4; k++)
            pile_contact(p, -1, p->bodies - 1,
                         (double[]){place[0] + (k & 1 ? 0.05 : -0.05),
                                    place[1] + (k & 2 ? 0.05 : -0.05), place[2] + 0.03},
                         down, 0.4);
        n = 3 * p->contacts;
        for (int k = n - 12; k < n; k += 3)
            p->w[k] = -2; /* the press comes down at a speed that the rows must not exceed */
        const carom_friction_problem *problem = pile_state(p);
        double *ray = calloc((size_t)n, sizeof *ray);
        carom_friction_info info = solve(problem, ray);
        if (info.outcome == CAROM_FRICTION_INFEASIBLE) {
            verify_ray(problem, ray);
            assert_true(info.certificate < 0);
            proved++;
        } else { /* the brick can tip out of the press */
            assert_int_equal(info.outcome, CAROM_FRICTION_SOLVED);
        }
        free(ray);
        pile_free(p);
    }
    print_message("pressed: %d of 12 proved infeasible\n", proved);
    assert_true(proved >= 6);
}

/* W = G'G and q with q'y < 0 for a ray y of W, strong or weak: random, with friction and bilateral
 * rows. */
static void random_rays(void **state)
{
    (void)state;
    static random_problem p;
    static const random_family families[] = {{6, 3, 1, 0.8, 1, 0, true},
                                             {12, 3, 1, 0.5, 1, 0.2, true},
                                             {10, 2, 1, 2, 1e3, 0, true},
                                             {20, 0, 1, 0.3, 1, 0.1, true}};
    check_random random = {21};
    for (int trial = 0; trial < 40; trial++) {
        const random_family *f = &families[trial % 4];
        double y[RANDOM_ROWS] = {0}, ray[RANDOM_ROWS], norm = 0, dot = 0;
        random_make(&p, f, &random);
        for (int i = 0, row = 0; i < f->contacts; row += p.rows[i++])
            if (trial % 2 == 0 || check_random_int(&random, 2))
                for (int k = 0; k < (p.bilateral[i] ? p.rows[i] : 1); k++)
                    y[row + k] = check_random_in(&random, p.bilateral[i] ? -1 : 0.1, 1);
        for (int k = 0; k < p.n; k++)
            norm += y[k] * y[k];
        if (norm == 0)
            continue;
        /* W := Q W Q with Q = I - y y'/|y|^2, so that W y = 0 */
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < p.n; j++) {
                dot = 0;
                for (int i = 0; i < p.n; i++)
                    dot += y[i] * p.W[side ? j + i * p.n : i + j * p.n];
                for (int i = 0; i < p.n; i++)
                    p.W[side ? j + i * p.n : i + j * p.n] -= y[i] * dot / norm;
            }
        dot = 0;
        for (int k = 0; k < p.n; k++)
            dot += y[k] * p.q[k];
        double strength = 0.1 * pow(10, -2 * (trial / 10));
        for (int k = 0; k < p.n; k++) /* now q'y = -strength |y|^2 */
            p.q[k] -= y[k] * (dot / norm + strength);
        carom_friction_info info = solve(&p.problem, ray);
        assert_int_equal(info.outcome, CAROM_FRICTION_INFEASIBLE);
        verify_ray(&p.problem, ray);
    }
}

/* A plate between two belts that run in opposite directions, w_N = 0: y in K with H y = 0 and w'y <
 * 0 exists, and r = 0 is a solution. With weight the lower belt carries it. */
static void belts(void **state)
{
    (void)state;
    const double side[3] = {1, 1, 0.1};
    for (int weight = 0; weight < 2; weight++) {
        pile *p = pile_create(1, 8, 1);
        int b = pile_body(p, (double[]){0, 0, 0.05}, side, 1, 0);
        for (int k = 0; k < 8; k++)
            pile_contact(p, -1, b,
                         (double[]){k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k < 4 ? 0 : 0.1},
                         (double[]){0, 0, k < 4 ? 1 : -1}, 0.5);
        for (int k = 0; k < 8; k++)
            p->w[3 * k + 1] = k < 4 ? 1 : -1;
        pile_push(p, weight * 0.05, 0);
        double ray[24];
        carom_friction_info info = solve(pile_state(p), ray);
        assert_int_equal(info.outcome, CAROM_FRICTION_SOLVED);
        assert_true(info.residual <= 1e-12);
        for (int k = 0; k < 24; k++)
            assert_true(ray[k] == 0);
        pile_free(p);
    }
}

/* Is a ray a proof for the one island of a problem? */
static bool proves(const carom_friction_problem *problem, const double *ray)
{
    carom_friction_layout layout;
    double y[4], product;
    carom_arena_reset(arena);
    check_ok(carom_friction_layout_make(problem, arena, &layout, NULL), NULL);
    assert_int_equal(layout.islands, 1);
    for (int k = 0; k < layout.island[0].n; k++)
        y[k] = ray[layout.island[0].outer[k]];
    return carom_friction_proof_holds(&layout.island[0], arena, y, &product);
}

/* A block of 1000 t on a cube of 1 mg: equal impulses on both faces leave the cube at rest and lift
 * the block, by next to nothing. That is no proof that the block cannot be carried. */
static void heavy_on_light(void **state)
{
    (void)state;
    const double M[] = {1e-6, 1e6}, f[] = {-1e-8, -1e4}, H[] = {1, 1, -1, 1, -1, 1}, w[4] = {0};
    const int dof[] = {1, 1}, start[] = {0, 1, 2, 4, 6}, body[] = {0, 0, 0, 1, 0, 1};
    const carom_friction_problem problem = {.contacts = 4,
                                            .dimension = 1,
                                            .form = CAROM_FRICTION_BODIES,
                                            .bodies = {2, dof, M, f, start, body, H},
                                            .q = w};
    assert_false(proves(&problem, (double[]){1, 1, 1, 1}));
}

/* The same from W alone, a hundred million to a million million times heavier: W y = (0, 1/m) is
 * all that tells that the block can be carried. It cannot through a floor and a ceiling. */
static void heavy_on_light_in_contact_space(void **state)
{
    (void)state;
    for (double m = 1e8; m < 1e13; m *= 10) {
        const double W[] = {1, -1, -1, 1 + 1 / m}, q[] = {0, -1}, shut[] = {1, -1, -1, 1};
        carom_friction_problem problem = {
            .contacts = 2, .dimension = 1, .form = CAROM_FRICTION_DENSE, .W = W, .q = q};
        assert_false(proves(&problem, (double[]){1, 1}));
        assert_true(solve(&problem, (double[2]){0}).outcome == CAROM_FRICTION_SOLVED);
        problem.W = shut;
        assert_true(proves(&problem, (double[]){1, 1}));
        assert_true(solve(&problem, (double[2]){0}).outcome == CAROM_FRICTION_INFEASIBLE);
    }
}

/* u_N = 44 r_T - 1: a velocity u_N >= 0 exists, whatever else W's entries are. */
static void unsymmetric(void **state)
{
    (void)state;
    const double W[] = {0, 0, 44, 4e9}, q[] = {-1, 1}, mu = 3;
    const carom_friction_problem problem = {
        .contacts = 1, .dimension = 2, .form = CAROM_FRICTION_DENSE, .W = W, .q = q, .mu = &mu};
    assert_false(proves(&problem, (double[]){1, 0}));
}

/* One contact of a body that can only slide along a line, W = g g': with u_N = 0 the one slip that
 * friction allows has r_N = -q_N / (g_N (g_N -+ mu g_T)), and where that is negative it jams: there
 * is no solution, and no ray. Reactions run to infinity, with a residual as small as one likes. */
static void jammed(void **state)
{
    (void)state;
    check_random random = {5};
    int jams = 0;
    for (int trial = 0; trial < 300; trial++) {
        const double g[] = {check_random_in(&random, 0.1, 1), check_random_in(&random, -3, 3)};
        const double q[] = {check_random_in(&random, -1, -0.1), check_random_in(&random, -1, 1)};
        const double mu = check_random_in(&random, 0.1, 2), slide = q[1] - g[1] * q[0] / g[0];
        const double W[] = {g[0] * g[0], g[0] * g[1], g[0] * g[1], g[1] * g[1]};
        const carom_friction_problem problem = {
            .contacts = 1, .dimension = 2, .form = CAROM_FRICTION_DENSE, .W = W, .q = q, .mu = &mu};
        const double lever = g[0] - (slide > 0 ? mu : -mu) * g[1];
        if (fabs(lever) < 1e-3)
            continue;
        carom_friction_info info = solve(&problem, (double[2]){0});
        assert_int_equal(info.outcome, lever > 0 ? CAROM_FRICTION_SOLVED : CAROM_FRICTION_LIMIT);
        jams += lever < 0;
    }
    assert_true(jams > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressed_brick),  cmocka_unit_test(random_rays),
        cmocka_unit_test(integer_rays),   cmocka_unit_test(belts),
        cmocka_unit_test(heavy_on_light), cmocka_unit_test(heavy_on_light_in_contact_space),
        cmocka_unit_test(unsymmetric),    cmocka_unit_test(jammed)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
