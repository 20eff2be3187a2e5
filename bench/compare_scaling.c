/* Task scaling: our own cost against the number of contacts, and its peak of memory. The exponent
 * is that of the last doubling; variant says of what. */
#include "balls.h"
#include "lcp_problems.h"

typedef struct entry {
    problem p;
    balls_scene scene;
    carom_arena *arena;
    double z[4000], x[1000], u[1000];
} entry;

static int solve(void *self)
{
    entry *e = self;
    carom_lcp lcp = {
        .n = e->p.n, .M = e->p.M, .q = e->p.q, .symmetric = true, .bandwidth = e->p.bandwidth};
    return carom_lcp_solve(&lcp, NULL, e->arena, e->z, NULL, NULL, NULL) != CAROM_OK;
}

static double residual(void *self)
{
    entry *e = self;
    carom_lcp lcp = {.n = e->p.n, .M = e->p.M, .q = e->p.q, .symmetric = true};
    return carom_lcp_residual(&lcp, e->z);
}

static double step(void *self)
{
    entry *e = self;
    double took = balls_run(&e->scene, CAROM_FLOW_TIME_STEPPING, e->x, e->u, NULL);
    return took / (double)e->scene.steps;
}

/* Largest penetration at the end. */
static double depth(void *self)
{
    entry *e = self;
    double worst = fmax(0, e->scene.radius - e->x[0]);
    for (int i = 1; i < e->scene.n; i++)
        worst = fmax(worst, 2 * e->scene.radius - (e->x[i] - e->x[i - 1]));
    return worst;
}

/* Sizes, times; the exponent of the last doubling is a row of its own. */
static void series(const char *what, const int *sizes, int count, void make(entry *e, int size))
{
    static entry e;
    double times[16];
    char name[80];
    for (int k = 0; k < count; k++) {
        make(&e, sizes[k]);
        snprintf(name, sizeof name, "%s %d", what, e.p.n ? e.p.n : sizes[k]);
        contest c = {"scaling", name, e.p.n ? 1e-10 : 1, 20, 0.5};
        contestant us = {.engine = "carom", .variant = what, .self = &e};
        if (e.p.n) {
            us.call = solve;
            us.error = residual;
        } else {
            us.timed = step;
            us.error = depth;
        }
        contest_run(&c, &us, 1);
        times[k] = us.best;
        sizes[k] > 0 && k > 0
            ? printf("scaling,%s exponent %d to %d,carom,%s,%s,,,,,,,ok,%.2f\n", what, sizes[k - 1],
                     sizes[k], contest_version("carom"), what,
                     log(times[k] / times[k - 1]) / log((double)sizes[k] / sizes[k - 1]))
            : 0;
        problem_free(&e.p);
        carom_arena_destroy(e.arena);
        memset(&e, 0, sizeof e);
    }
}

static void start(entry *e)
{
    if (carom_arena_create(NULL, &e->arena, NULL))
        abort();
}

static void make_chain(entry *e, int size)
{
    start(e);
    e->p = problem_chain(size, true);
}

static void make_definite(entry *e, int size)
{
    start(e);
    e->p = problem_dense(size);
}

static void make_column(entry *e, int size)
{
    static double x[1000], u[1000];
    start(e);
    for (int i = 0; i < size; i++)
        x[i] = 0.125 + 0.25 * i;
    e->scene = (balls_scene){size, 0.125, 1, 9.81, 0, 1, x, u, 1e-3, 100};
}

int main(void)
{
    static const int chains[] = {125, 250, 500, 1000, 2000, 4000};
    static const int definite[] = {125, 250, 500, 1000, 2000};
    static const int beads[] = {25, 50, 100, 200, 400};
    series("chain", chains, 6, make_chain);
    series("random definite", definite, 5, make_definite);
    series("resting column of beads a step", beads, 5, make_column);
    return 0;
}
