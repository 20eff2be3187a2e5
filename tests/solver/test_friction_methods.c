/* Every method of the friction solver alone on fixed hard sets, with the number solved counted at
 * 1e-8 and at 1e-12: a drop fails. What is solved is judged by the residual of the statement. */
#include "carom/fclib.h"
#include "check.h"
#include "friction_files.h"
#include "friction_piles.h"
#include "friction_random.h"

CHECK_ARENA(arena);

/* Solve and measure again from r alone. */
static double residual_of(const carom_friction_problem *p, carom_friction_method method, int limit,
                          carom_arena *work)
{
    size_t n = (size_t)carom_friction_problem_rows(p);
    double *r = calloc(n + 1, sizeof *r), residual = NAN;
    carom_friction_options options = {.method = method, .max_iterations = limit};
    carom_friction_info info = {0};
    carom_error error = {0};
    check_ok(carom_friction_problem_solve(p, &options, work, r, NULL, NULL, &info, &error), &error);
    check_ok(carom_friction_problem_residual(p, r, work, NULL, &residual, &error), &error);
    check_close(info.residual, residual, 1e-12 * residual);
    free(r);
    return residual;
}

typedef struct tally {
    int total, loose, fine; /* solved at 1e-8, 1e-12 */
} tally;

static void count(tally *t, double residual)
{
    t->total++;
    t->loose += residual <= 1e-8;
    t->fine += residual <= 1e-12;
}

static void check_tally(const char *set, carom_friction_method method, tally t, int loose, int fine)
{
    print_message("%s, %s: %d of %d at 1e-8, %d at 1e-12\n", set,
                  carom_friction_method_name(method), t.loose, t.total, t.fine);
    assert_true(t.loose >= loose);
    assert_true(t.fine >= fine);
}

static void real_problems(void **state)
{
    (void)state;
    static friction_files files;
    static const struct {
        carom_friction_method method;
        int limit, loose, fine;
    } expected[] = {{CAROM_FRICTION_AUTO, 0, 33, 33},     {CAROM_FRICTION_SWEEPS, 1000, 26, 25},
                    {CAROM_FRICTION_INTERIOR, 0, 32, 30}, {CAROM_FRICTION_NEWTON, 0, 22, 22},
                    {CAROM_FRICTION_PROXIMAL, 0, 33, 33}, {CAROM_FRICTION_PATH, 0, 32, 32}};
    friction_files_list(&files, CAROM_SOURCE_DIR);
    if (files.count == 0) {
        print_message("skipped: no files in ../shared/data\n");
        return;
    }
    for (size_t m = 0; m < sizeof expected / sizeof *expected; m++) {
        tally t = {0};
        for (int k = 0; k < files.count; k++) {
            carom_fclib file;
            carom_arena_reset(arena);
            if (carom_fclib_read(files.path[k], arena, &file, NULL) != CAROM_OK)
                continue; /* rolling friction: refused by name */
            count(&t, residual_of(&file.problem, expected[m].method, expected[m].limit, arena));
        }
        bool usual = t.total == 33; /* other files have other counts */
        check_tally("files", expected[m].method, t, usual ? expected[m].loose : 0,
                    usual ? expected[m].fine : 0);
    }
}

/* Random problems that have a solution: full rank and half, friction from 0 to 10, masses 1e6
 * apart, one to three rows mixed, bilateral rows. */
static void random_problems(void **state)
{
    (void)state;
    static random_problem p;
    static const random_family families[] = {
        {2, 3, 1, 0.5, 1, 0, true},      {8, 3, 1, 1, 1, 0, true},
        {8, 3, 0.5, 1, 1, 0, true},      {16, 3, 0.3, 0.5, 1, 0, true},
        {24, 3, 0.5, 10, 1, 0, true},    {24, 2, 0.5, 1, 1, 0, true},
        {12, 1, 0.7, 0, 1, 0, true},     {12, 0, 0.6, 1, 1e6, 0, true},
        {12, 0, 0.7, 0.7, 1, 0.2, true}, {16, 3, 0.6, 0.8, 1e6, 0, true},
        {24, 0, 1, 3, 1e3, 0.1, true}};
    enum { FAMILIES = sizeof families / sizeof *families, EACH = 12 };
    static const struct {
        carom_friction_method method;
        int loose, fine;
    } expected[] = {{CAROM_FRICTION_AUTO, 132, 132},     {CAROM_FRICTION_SWEEPS, 127, 124},
                    {CAROM_FRICTION_INTERIOR, 129, 129}, {CAROM_FRICTION_NEWTON, 73, 73},
                    {CAROM_FRICTION_PROXIMAL, 132, 132}, {CAROM_FRICTION_PATH, 131, 131}};
    for (size_t m = 0; m < sizeof expected / sizeof *expected; m++) {
        tally t = {0};
        for (int f = 0; f < FAMILIES; f++) {
            check_random random = {(uint64_t)(100 + f)};
            for (int k = 0; k < EACH; k++) {
                random_make(&p, &families[f], &random);
                carom_arena_reset(arena);
                double residual = residual_of(&p.problem, expected[m].method, 0, arena);
                count(&t, residual);
                if (expected[m].method == CAROM_FRICTION_AUTO && residual > 1e-12)
                    print_message("family %d, problem %d: %g\n", f, k, residual);
            }
        }
        check_tally("random", expected[m].method, t, expected[m].loose, expected[m].fine);
    }
}

/* Problems with a solution that is known, of any rank, friction up to 4: reactions may be able to
 * grow without bound all the same, and what follows them is not called solved. */
static void known_solutions(void **state)
{
    (void)state;
    static random_problem p;
    enum { COUNT = 1000, SOLVED = 999 };
    check_random random = {9};
    int solved = 0;
    for (int k = 0; k < COUNT; k++) {
        double r[RANDOM_ROWS];
        carom_friction_info info = {0};
        random_known(&p, &random);
        carom_arena_reset(arena);
        check_ok(carom_friction_problem_solve(&p.problem, NULL, arena, r, NULL, NULL, &info, NULL),
                 NULL);
        assert_int_not_equal(info.outcome, CAROM_FRICTION_INFEASIBLE);
        solved += info.outcome == CAROM_FRICTION_SOLVED;
    }
    print_message("known solutions: %d of %d\n", solved, COUNT);
    assert_true(solved >= SOLVED);
}

/* Walls and towers of bricks, at rest and hit. */
static void bricks(void **state)
{
    (void)state;
    for (int violent = 0; violent < 2; violent++)
        for (int rough = 0; rough < 2; rough++)
            for (int tower = 0; tower < 2; tower++) {
                double mu = rough ? 0.7 : 0.3, slip = violent ? 3 : 0;
                pile *p = tower ? pile_towers(3, 20, mu, slip, 5) : pile_wall(8, 8, mu, slip, 5);
                carom_arena_reset(arena);
                double residual = residual_of(pile_state(p), CAROM_FRICTION_AUTO, 0, arena);
                print_message("%s, mu %g, slip %g: %d contacts, %g\n", tower ? "towers" : "wall",
                              mu, slip, p->contacts, residual);
                assert_true(residual <= 1e-8);
                pile_free(p);
            }
}

/* Columns of one to five flat bricks that slide and turn, four corners a face: three would carry
 * it, and velocities that differ by 0.1 to 1e-10 from a plane's decide which. Factorisations are
 * few whatever that difference is. */
static void faces(void **state)
{
    (void)state;
    enum { EACH = 10, MOST = 60 };
    int problems = 0, factorisations = 0, central = 0;
    for (int high = 1; high <= 5; high++)
        for (int digits = 1; digits <= 10; digits++)
            for (int k = 0; k < EACH; k++) {
                pile *p =
                    pile_towers(1, high, 0.4, k % 2, (uint64_t)(1000 * high + 10 * digits + k));
                for (int i = 0; i < p->contacts; i++)
                    p->w[3 * i] += pow(10, -digits) * pile_random(p);
                carom_arena_reset(arena);
                carom_friction_info info = {0};
                double *r = calloc(3 * (size_t)p->contacts, sizeof *r);
                check_ok(carom_friction_problem_solve(pile_state(p), NULL, arena, r, NULL, NULL,
                                                      &info, NULL),
                         NULL);
                assert_true(info.residual <= 1e-8);
                central += residual_of(pile_state(p), CAROM_FRICTION_INTERIOR, 0, arena) <= 1e-8;
                factorisations += info.factorisations;
                problems++;
                free(r);
                pile_free(p);
            }
    print_message("faces: %d problems, %d factorisations, interior alone %d\n", problems,
                  factorisations, central);
    assert_true(factorisations <= MOST * problems);
}

/* Sweeps that are extrapolated carry the weight of a wall down; without that they leave 4e-4
 * after so many. */
static void accelerated_sweeps(void **state)
{
    (void)state;
    pile *p = pile_wall(16, 16, 0.7, 0, 5);
    const carom_friction_options options = {.method = CAROM_FRICTION_SWEEPS, .max_iterations = 400};
    carom_friction_info info = {0};
    double *r = calloc(3 * (size_t)p->contacts, sizeof *r);
    carom_arena_reset(arena);
    check_ok(
        carom_friction_problem_solve(pile_state(p), &options, arena, r, NULL, NULL, &info, NULL),
        NULL);
    print_message("wall, 400 sweeps: %g\n", info.residual);
    assert_true(info.residual <= 5e-5);
    free(r);
    pile_free(p);
}

/* Six thousand contacts, cold. */
static void large_wall(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        pile *p = pile_wall(27, 28, rough ? 0.7 : 0.3, 0, 5);
        carom_arena_reset(arena);
        double residual = residual_of(pile_state(p), CAROM_FRICTION_AUTO, 0, arena);
        print_message("wall, mu %g: %d contacts, %g\n", rough ? 0.7 : 0.3, p->contacts, residual);
        assert_true(residual <= 1e-8);
        pile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems), cmocka_unit_test(known_solutions),
        cmocka_unit_test(bricks),          cmocka_unit_test(faces),
        cmocka_unit_test(large_wall),      cmocka_unit_test(accelerated_sweeps),
        cmocka_unit_test(real_problems)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
