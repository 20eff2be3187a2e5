/* Every method for complementarity problems alone on fixed hard sets, with the number solved
 * counted: a drop fails. The sets are chosen by what makes problems hard, not by who solves them;
 * what is solved is judged by a residual written out here. */
#include "solver/lcp_problems.h"
#include "solver/lcp_small.h"

CHECK_ARENA(arena);

enum { EACH = 40 };

/* Rows and columns by factors up to `ratio` apart: bodies of very different mass. */
static void spread_masses(problem *p, check_random *r, double ratio)
{
    double d[MOST];
    for (int i = 0; i < p->n; i++)
        d[i] = pow(ratio, check_random_in(r, -0.5, 0.5));
    problem copy = *p;
    problem_rescale(&copy, d, d, 1, p);
}

static void make_definite(problem *p, check_random *r)
{
    problem_semidefinite(p, r, 30, 40);
    spread_masses(p, r, 1e9);
}

static void make_dependent(problem *p, check_random *r)
{
    problem_semidefinite(p, r, 24, 12);
    problem_make_solvable(p, r);
}

/* The same, and light bodies between heavy ones. */
static void make_dependent_light(problem *p, check_random *r)
{
    make_dependent(p, r);
    spread_masses(p, r, 1e6);
}

/* Balls in a row, every second one light, struck at one end: ties of all other velocities. */
static void make_balls(problem *p, check_random *r, int n)
{
    double inverse[MOST + 1], light = pow(10, check_random_in(r, 0, 9));
    *p = (problem){.n = n, .symmetric = true};
    for (int k = 0; k <= p->n; k++)
        inverse[k] = k % 2 ? light : 1;
    for (int i = 0; i < p->n; i++) {
        p->M[i + i * p->n] = inverse[i] + inverse[i + 1];
        if (i + 1 < p->n)
            p->M[i + (i + 1) * p->n] = p->M[i + 1 + i * p->n] = -inverse[i + 1];
        p->q[i] = i == 0 ? -1 : 0;
    }
}

static void make_chain(problem *p, check_random *r)
{
    make_balls(p, r, 30);
}

static void make_short_chain(problem *p, check_random *r)
{
    make_balls(p, r, 14);
}

static void make_p_matrix(problem *p, check_random *r)
{
    problem_p_matrix(p, r, 14);
}

/* Semidefinite plus skew, with a solution: monotone without symmetry. */
static void make_monotone(problem *p, check_random *r)
{
    problem_semidefinite(p, r, 14, 7);
    p->symmetric = false;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < i; j++) {
            double s = check_random_in(r, -1, 1);
            p->M[i + j * p->n] += s;
            p->M[j + i * p->n] -= s;
        }
    problem_make_solvable(p, r);
}

/* Few contacts that all depend on each other. */
static void make_few(problem *p, check_random *r)
{
    problem_semidefinite(p, r, 8, 3);
    problem_make_solvable(p, r);
    spread_masses(p, r, 1e6);
}

/* The largest of -w, -z and min(z, w), relative to the terms of w and to z's part in its rows. */
static double residual_of(const problem *p, const double *z)
{
    double size[MOST], w[MOST], worst = 0;
    for (int i = 0; i < p->n; i++) {
        w[i] = p->q[i];
        size[i] = fmax(fabs(p->q[i]), p->q_size[i]);
        for (int j = 0; j < p->n; j++) {
            w[i] += p->M[i + j * p->n] * z[j];
            size[i] += fabs(p->M[i + j * p->n] * z[j]);
        }
    }
    for (int i = 0; i < p->n; i++) {
        double part = 0, above = size[i] > 0 ? w[i] / size[i] : 0;
        for (int j = 0; j < p->n; j++)
            if (size[j] > 0)
                part = fmax(part, fabs(p->M[j + i * p->n] * z[i]) / size[j]);
        worst = fmax(worst, fmax(-above, z[i] < 0 ? part : fmin(part, above)));
    }
    return worst;
}

enum { AUTO, PIVOT, BLOCK, LEMKE, SWEEPS, ENUMERATE, SMALL, METHODS };

static const struct {
    carom_lcp_algorithm algorithm;
    const char *name;
    bool symmetric; /* only for symmetric problems */
} methods[METHODS] = {
    {CAROM_LCP_AUTO, "auto", false},          {CAROM_LCP_PIVOT, "pivot", true},
    {CAROM_LCP_BLOCK, "block", true},         {CAROM_LCP_LEMKE, "lemke", false},
    {CAROM_LCP_GAUSS_SEIDEL, "sweeps", true}, {CAROM_LCP_ENUMERATE, "enumerate", false},
    {CAROM_LCP_AUTO, "small", false}};

static const struct {
    const char *name;
    void (*make)(problem *p, check_random *r);
    int expected[METHODS]; /* solved to 1e-12 of EACH; -1: not for this method */
} sets[] = {{"definite, masses 1e9 apart", make_definite, {40, 40, 40, 40, 40, -1, -1}},
            {"half of the rows dependent", make_dependent, {40, 40, 40, 40, 40, -1, -1}},
            {"dependent, masses 1e6 apart", make_dependent_light, {40, 40, 40, 40, 40, -1, -1}},
            {"chains with light balls", make_chain, {40, 40, 35, 29, 40, -1, -1}},
            {"short chains with light balls", make_short_chain, {40, 40, 39, 25, 40, 40, 25}},
            {"P-matrices", make_p_matrix, {40, -1, -1, 40, -1, -1, 40}},
            {"monotone, not symmetric", make_monotone, {40, -1, -1, 40, -1, -1, 40}},
            {"few, all dependent", make_few, {40, 40, 40, 40, 40, 40, 40}}};

/* Method m alone. False: it hands the problem on. */
static bool solve_by(int m, const problem *p, double *z, double *w)
{
    if (m == SMALL) {
        const carom_lcp lcp = problem_lcp(p);
        return carom_lcp_small_solve(&lcp, 1e-12, false, z, w, NULL);
    }
    problem_solve(p, methods[m].algorithm, arena, z, w);
    return true;
}

static void test_counts(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (int m = 0; m < METHODS; m++) {
            if (sets[s].expected[m] < 0)
                continue;
            check_random random = {7 + s};
            int solved = 0;
            for (int k = 0; k < EACH; k++) {
                problem p;
                double z[MOST], w[MOST];
                sets[s].make(&p, &random);
                assert_true(p.symmetric || !methods[m].symmetric);
                carom_arena_reset(arena);
                const bool done = solve_by(m, &p, z, w);
                assert_true(m != SMALL || !done || residual_of(&p, z) <= 1e-12);
                solved += done && residual_of(&p, z) <= 1e-12;
            }
            print_message("%s, %s: %d of %d\n", sets[s].name, methods[m].name, solved, EACH);
            assert_true(solved >= sets[s].expected[m]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
