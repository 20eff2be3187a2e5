/* The statement of a friction problem: what is refused, the same problem in three forms, the
 * residual against its definition, warm starts, the same bits twice, no memory after the first
 * solution. */
#include "check.h"
#include "check_memory.h"
#include "friction_piles.h"
#include "friction_random.h"

CHECK_ARENA(arena);

static void statements_are_checked(void **state)
{
    (void)state;
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, mu[1] = {0.5}, r[3];
    carom_error error;
    carom_friction_problem good = {.contacts = 1, .dimension = 3, .mu = mu, .W = W, .q = q};
    check_ok(carom_friction_problem_check(&good, &error), &error);
    carom_friction_problem bad = good;
    bad.dimension = 4;
    assert_int_equal(carom_friction_problem_check(&bad, &error), CAROM_ERROR_ARGUMENT);
    bad = good;
    bad.contacts = -1;
    assert_int_equal(carom_friction_problem_check(&bad, &error), CAROM_ERROR_ARGUMENT);
    mu[0] = -0.1;
    assert_int_equal(carom_friction_problem_check(&good, &error), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "contact 0"));
    mu[0] = NAN;
    assert_int_equal(carom_friction_problem_check(&good, &error), CAROM_ERROR_ARGUMENT);
    mu[0] = 0.5;
    q[2] = INFINITY;
    assert_int_equal(carom_friction_problem_solve(&good, NULL, arena, r, NULL, NULL, NULL, &error),
                     CAROM_ERROR_ARGUMENT);
    q[2] = 0;
    W[4] = NAN;
    assert_int_equal(carom_friction_problem_check(&good, &error), CAROM_ERROR_ARGUMENT);
    int start[2] = {0, 1}, column[1] = {1};
    bad = good;
    bad.form = CAROM_FRICTION_BLOCKS;
    bad.blocks = (carom_friction_blocks){start, column, W};
    assert_int_equal(carom_friction_problem_check(&bad, &error), CAROM_ERROR_ARGUMENT);
    carom_friction_options options = {.method = (carom_friction_method)77};
    W[4] = 1;
    assert_int_equal(
        carom_friction_problem_solve(&good, &options, arena, r, NULL, NULL, NULL, &error),
        CAROM_ERROR_ARGUMENT);
}

/* A mass that is singular, a pair of contacts given twice. */
static void broken_matrices_are_refused(void **state)
{
    (void)state;
    double W[8] = {1, 0, 0, 1, 2, 0, 0, 2}, q[2] = {-1, 0}, mu[1] = {0.5}, r[2],
           M[4] = {1, 1, 1, 1};
    int start[2] = {0, 2}, twice[2] = {0, 0}, one[2] = {0, 1}, body[1] = {0}, dof[1] = {2};
    carom_error error;
    carom_friction_problem p = {.contacts = 1,
                                .dimension = 2,
                                .mu = mu,
                                .q = q,
                                .form = CAROM_FRICTION_BLOCKS,
                                .blocks = {start, twice, W}};
    assert_int_equal(carom_friction_problem_solve(&p, NULL, arena, r, NULL, NULL, NULL, &error),
                     CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "two blocks"));
    p.form = CAROM_FRICTION_BODIES;
    p.bodies =
        (carom_friction_bodies){.count = 1, .dof = dof, .M = M, .start = one, .body = body, .H = W};
    assert_int_equal(carom_friction_problem_solve(&p, NULL, arena, r, NULL, NULL, NULL, &error),
                     CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "singular"));
}

/* A wall as bodies, as blocks and as a full matrix has the same velocities and is solved in all. */
static void three_forms_agree(void **state)
{
    (void)state;
    enum { N = 3 * 8 * 12 };
    static double W[N * N], r[N], u[3][N], value[N * N], e[N];
    static int start[N / 3 + 1], column[N / 3 * N / 3];
    carom_error error = {0};
    pile *p = pile_wall(4, 3, 0.6, 1, 11);
    const carom_friction_problem *bodies = pile_state(p);
    int contacts = p->contacts, n = 3 * contacts;
    check_random random = {8};
    double free[N], zero[N] = {0};
    check_ok(carom_friction_problem_velocity(bodies, zero, arena, free, NULL, &error), &error);
    for (int j = 0; j < n; j++) {
        memset(e, 0, sizeof e);
        e[j] = 1;
        check_ok(carom_friction_problem_velocity(bodies, e, arena, W + j * n, NULL, &error),
                 &error);
        for (int i = 0; i < n; i++)
            W[i + j * n] -= free[i];
    }
    int k = 0;
    for (int i = 0; i < contacts; i++) { /* every block, zeros too, in an order of its own */
        start[i] = k;
        for (int l = 0; l < contacts; l++) {
            int j = (l * 7 + i) % contacts;
            if (contacts % 7 == 0)
                j = l;
            column[k] = j;
            for (int b = 0; b < 3; b++)
                for (int a = 0; a < 3; a++)
                    value[9 * k + a + 3 * b] = W[3 * i + a + (3 * j + b) * n];
            k++;
        }
    }
    start[contacts] = k;
    carom_friction_problem forms[3] = {*bodies, *bodies, *bodies};
    forms[1].form = CAROM_FRICTION_DENSE;
    forms[2].form = CAROM_FRICTION_BLOCKS;
    forms[1].q = forms[2].q = free;
    forms[1].W = W;
    forms[2].blocks = (carom_friction_blocks){start, column, value};
    for (int i = 0; i < n; i++)
        r[i] = check_random_in(&random, -1, 1);
    for (int f = 0; f < 3; f++) {
        check_ok(carom_friction_problem_velocity(&forms[f], r, arena, u[f], NULL, &error), &error);
        check_vector(u[f], u[0], n, 1e-11);
    }
    for (int f = 0; f < 3; f++) {
        carom_friction_info info;
        double solution[N];
        check_ok(carom_friction_problem_solve(&forms[f], NULL, arena, solution, NULL, NULL, &info,
                                              &error),
                 &error);
        assert_int_equal(info.outcome, CAROM_FRICTION_SOLVED);
        assert_true(info.residual <= 1e-12);
        for (int g = 0; g < 3; g++) { /* the answer of one form is an answer of the others */
            double residual;
            check_ok(carom_friction_problem_residual(&forms[g], solution, arena, NULL, &residual,
                                                     &error),
                     &error);
            assert_true(residual <= 1e-11);
        }
    }
    pile_free(p);
}

/* The residual of one contact by its definition, in long double, with the projection found by
 * search. */
static void residual_is_the_distance(void **state)
{
    (void)state;
    check_random random = {12};
    for (int trial = 0; trial < 300; trial++) {
        double W[9], q[3], mu = check_random_in(&random, 0, 2), r[3], u[3], residual;
        for (int k = 0; k < 9; k++)
            W[k] = check_random_in(&random, -1, 1);
        for (int k = 0; k < 3; k++) {
            q[k] = check_random_in(&random, -1, 1);
            r[k] = check_random_in(&random, -1, 1);
        }
        carom_friction_problem p = {.contacts = 1, .dimension = 3, .mu = &mu, .W = W, .q = q};
        check_ok(carom_friction_problem_residual(&p, r, arena, u, &residual, NULL), NULL);
        double z[3] = {r[0] - u[0] - mu * hypot(u[1], u[2]), r[1] - u[1], r[2] - u[2]};
        /* the nearest point of the cone lies in the plane of z and the axis: search by angle */
        double t = hypot(z[1], z[2]), best = t * t + z[0] * z[0], at[2] = {0, 0};
        for (int k = 0; k <= 200000; k++) { /* all rays of the half plane in the cone */
            double share = mu * k / 200000, length = (z[0] + share * t) / (1 + share * share);
            double off = length <= 0 ? best : pow(z[0] - length, 2) + pow(t - share * length, 2);
            if (off < best) {
                best = off;
                at[0] = length;
                at[1] = share * length;
            }
        }
        double x[3] = {at[0], t > 0 ? z[1] / t * at[1] : 0, t > 0 ? z[2] / t * at[1] : 0}, sum = 0;
        double size = 0, sizes[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            sum += (r[k] - x[k]) * (r[k] - x[k]);
            sizes[0] += q[k] * q[k];
            sizes[1] += r[k] * r[k];
            sizes[2] += u[k] * u[k];
        }
        for (int k = 0; k < 3; k++)
            size = fmax(size, sqrt(sizes[k]));
        check_close(residual, sqrt(sum) / size, 2e-5);
    }
}

static void warm_start_is_used(void **state)
{
    (void)state;
    carom_error error = {0};
    pile *p = pile_wall(6, 6, 0.7, 2, 3);
    int n = 3 * p->contacts;
    double *r = calloc((size_t)n, sizeof *r), *again = calloc((size_t)n, sizeof *r);
    carom_friction_info cold, warm;
    check_ok(carom_friction_problem_solve(pile_state(p), NULL, arena, r, NULL, NULL, &cold, &error),
             &error);
    carom_friction_options options = {.start = r};
    check_ok(carom_friction_problem_solve(pile_state(p), &options, arena, again, NULL, NULL, &warm,
                                          &error),
             &error);
    assert_true(cold.iterations > 10);
    assert_int_equal(warm.iterations, 0);
    check_vector(again, r, n, 1e-13);
    free(r);
    free(again);
    pile_free(p);
}

static bool stop_at_five(void *self, int iterations, double residual)
{
    (void)residual;
    ++*(int *)self;
    return iterations < 5;
}

static void watch_can_stop(void **state)
{
    (void)state;
    carom_error error = {0};
    pile *p = pile_wall(6, 6, 0.7, 2, 3);
    double *r = calloc(3 * (size_t)p->contacts, sizeof *r);
    int calls = 0;
    carom_friction_options options = {.watch = stop_at_five, .self = &calls};
    carom_friction_info info;
    check_ok(
        carom_friction_problem_solve(pile_state(p), &options, arena, r, NULL, NULL, &info, &error),
        &error);
    assert_int_equal(info.outcome, CAROM_FRICTION_CANCELLED);
    assert_int_equal(calls, 5);
    free(r);
    pile_free(p);
}

/* Nothing to solve, nothing that pushes, everything flying apart. */
static void empty_and_idle(void **state)
{
    (void)state;
    double W[9] = {2, 1, 0, 1, 2, 0, 0, 0, 2}, q[3] = {0, 0, 0}, mu[1] = {0.3}, r[3] = {9, 9, 9};
    carom_friction_info info;
    carom_friction_problem p = {.contacts = 1, .dimension = 3, .mu = mu, .W = W, .q = q};
    for (int k = 0; k < 2; k++) {
        check_ok(carom_friction_problem_solve(&p, NULL, arena, r, NULL, NULL, &info, NULL), NULL);
        assert_int_equal(info.outcome, CAROM_FRICTION_SOLVED);
        assert_true(r[0] == 0 && r[1] == 0 && r[2] == 0 && info.residual == 0);
        q[0] = 1;
        q[1] = -5;
    }
    p.contacts = 0;
    check_ok(carom_friction_problem_solve(&p, NULL, arena, r, NULL, NULL, &info, NULL), NULL);
    assert_int_equal(info.outcome, CAROM_FRICTION_SOLVED);
    assert_true(info.residual == 0);
}

/* No memory at any request: an error, and nothing lost; enough memory: none after the first. */
static void memory_runs_out(void **state)
{
    (void)state;
    pile *p = pile_wall(6, 5, 0.5, 1, 4);
    double *r = calloc(3 * (size_t)p->contacts, sizeof *r),
           *same = calloc(3 * (size_t)p->contacts, sizeof *r);
    carom_error error;
    bool whole = false;
    for (int k = 0; !whole && k < 100; k++) {
        check_memory memory = {.fail_at = k, .onwards = true};
        carom_allocator allocator = {check_memory_resize, &memory};
        carom_arena *small = NULL;
        if (carom_arena_create(&allocator, &small, &error) != CAROM_OK)
            continue;
        carom_status status =
            carom_friction_problem_solve(pile_state(p), NULL, small, r, NULL, NULL, NULL, &error);
        whole = status == CAROM_OK;
        if (whole) {
            int calls = memory.calls;
            check_ok(carom_friction_problem_solve(pile_state(p), NULL, small, same, NULL, NULL,
                                                  NULL, &error),
                     &error);
            assert_int_equal(memory.calls, calls);
            assert_memory_equal(r, same, 3 * (size_t)p->contacts * sizeof *r); /* same bits */
        } else {
            assert_int_equal(status, CAROM_ERROR_MEMORY);
        }
        carom_arena_destroy(small);
        assert_int_equal(memory.live, 0);
    }
    assert_true(whole);
    free(r);
    free(same);
    pile_free(p);
}

/* A second solution allocates nothing and has the same bits: W dense, in blocks, by bodies, every
 * method, cold and from a start. */
static void second_solutions_take_no_memory(void **state)
{
    (void)state;
    static random_problem dense;
    const random_family f = {20, 3, 0.6, 0.8, 1, 0, true};
    check_random random = {12};
    pile *p = pile_wall(6, 5, 0.5, 1, 4);
    random_make(&dense, &f, &random);
    int start[RANDOM_CONTACTS + 1], column[RANDOM_CONTACTS * RANDOM_CONTACTS], count = 0;
    static double value[RANDOM_ROWS * RANDOM_ROWS];
    for (int i = 0; i < f.contacts; i++) {
        start[i] = count;
        for (int j = 0; j < f.contacts; j++, count++) {
            column[count] = j;
            for (int k = 0; k < 9; k++)
                value[9 * count + k] = dense.W[3 * i + k % 3 + (3 * j + k / 3) * dense.n];
        }
    }
    start[f.contacts] = count;
    carom_friction_problem blocks = dense.problem;
    blocks.form = CAROM_FRICTION_BLOCKS;
    blocks.blocks = (carom_friction_blocks){start, column, value};
    const carom_friction_problem *forms[] = {&dense.problem, &blocks, pile_state(p)};
    for (int k = 0; k < 3; k++) {
        size_t n = (size_t)carom_friction_problem_rows(forms[k]);
        double *r = calloc(n, sizeof *r), *same = calloc(n, sizeof *r),
               *from = calloc(n, sizeof *r);
        for (int method = CAROM_FRICTION_AUTO; method < CAROM_FRICTION_CLOSED; method++)
            for (int warm = 0; warm < 2; warm++) {
                check_memory memory = {.fail_at = -1};
                carom_allocator allocator = {check_memory_resize, &memory};
                carom_arena *own = NULL;
                carom_friction_options options = {.method = (carom_friction_method)method,
                                                  .max_iterations = method ? 50 : 0,
                                                  .start = warm ? from : NULL};
                check_ok(carom_arena_create(&allocator, &own, NULL), NULL);
                check_ok(carom_friction_problem_solve(forms[k], &options, own, r, NULL, NULL, NULL,
                                                      NULL),
                         NULL);
                int calls = memory.calls;
                check_ok(carom_friction_problem_solve(forms[k], &options, own, same, NULL, NULL,
                                                      NULL, NULL),
                         NULL);
                assert_int_equal(memory.calls, calls);
                assert_memory_equal(r, same, n * sizeof *r);
                for (size_t i = 0; i < n; i++) /* near the solution, not at it */
                    from[i] = 0.99 * r[i];
                carom_arena_destroy(own);
            }
        free(r);
        free(same);
        free(from);
    }
    pile_free(p);
}

/* The same problem in any unit has the same solution in that unit, down to the smallest and up to
 * the largest numbers. */
static void units_do_not_matter(void **state)
{
    (void)state;
    static random_problem p, q;
    const random_family f = {8, 3, 0.7, 0.8, 1, 0, true};
    check_random random = {31};
    for (int trial = 0; trial < 10; trial++) {
        double r[RANDOM_ROWS], s[RANDOM_ROWS];
        carom_friction_info info;
        random_make(&p, &f, &random);
        check_ok(carom_friction_problem_solve(&p.problem, NULL, arena, r, NULL, NULL, &info, NULL),
                 NULL);
        assert_true(info.residual <= 1e-12);
        for (int power = -280; power <= 280; power += 70) {
            q = p;
            q.problem.q = q.q;
            for (int k = 0; k < p.n; k++)
                q.q[k] *= pow(10, power);
            check_ok(
                carom_friction_problem_solve(&q.problem, NULL, arena, s, NULL, NULL, &info, NULL),
                NULL);
            assert_int_equal(info.outcome, CAROM_FRICTION_SOLVED);
            assert_true(info.residual <= 1e-12);
            for (int k = 0; k < p.n; k += 3)
                assert_true(s[k] >= 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(statements_are_checked),
                                       cmocka_unit_test(broken_matrices_are_refused),
                                       cmocka_unit_test(three_forms_agree),
                                       cmocka_unit_test(residual_is_the_distance),
                                       cmocka_unit_test(warm_start_is_used),
                                       cmocka_unit_test(watch_can_stop),
                                       cmocka_unit_test(empty_and_idle),
                                       cmocka_unit_test(units_do_not_matter),
                                       cmocka_unit_test(memory_runs_out),
                                       cmocka_unit_test(second_solutions_take_no_memory)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
