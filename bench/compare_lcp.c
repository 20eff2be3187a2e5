/* Tasks lcp and instances: frictionless impacts, and the peer's own instances, as LCPs, ours
 * against every LCP solver of Siconos numerics. Required of all: carom_lcp_residual <= 1e-10,
 * recomputed from z alone. Where a singular matrix leaves several solutions the peer returns any of
 * them, and ours is asked for any; that of least norm, which ours returns unasked, has its own row
 * while that makes a difference. Random families are several matrices solved one after the other,
 * for single ones may be lucky. */
#include "carom/lcp.h"
#include "contest.h"
#include "lcp_problems.h"
#include "peers/peers.h"

static const double REQUIRED = 1e-10;
enum { SET = 3 };

/* Problems of the same size and kind. */
typedef struct problems {
    int count;
    problem p[SET];
} problems;

typedef struct entry {
    const problems *set;
    carom_arena *arena;
    double *z[SET], *w;
    carom_lcp_options options;
#ifdef WITH_SICONOS
    siconos_lcp *peer[SET];
#endif
} entry;

static carom_lcp statement(const problem *p)
{
    return (carom_lcp){
        .n = p->n, .M = p->M, .q = p->q, .symmetric = p->symmetric, .bandwidth = p->bandwidth};
}

static int solve_ours(void *self)
{
    entry *e = self;
    int failed = 0;
    for (int k = 0; k < e->set->count; k++) {
        carom_lcp lcp = statement(&e->set->p[k]);
        carom_lcp_info info = {0};
        failed |= carom_lcp_solve(&lcp, &e->options, e->arena, e->z[k], e->w, &info, NULL) ||
                  info.outcome != CAROM_LCP_SOLVED;
    }
    return failed;
}

static double residual(void *self)
{
    entry *e = self;
    double worst = 0;
    for (int k = 0; k < e->set->count; k++) {
        carom_lcp lcp = statement(&e->set->p[k]);
        for (int i = 0; i < lcp.n; i++)
            if (!isfinite(e->z[k][i]))
                return HUGE_VAL;
        worst = fmax(worst, carom_lcp_residual(&lcp, e->z[k]));
    }
    return worst;
}

#ifdef WITH_SICONOS
/* Those that would take hours: all subsets of a large set, blocks of one entry of a large full
 * matrix. */
static bool hopeless(const char *solver, const problem *p)
{
    size_t entries = 0, n = (size_t)p->n;
    for (size_t i = 0; i < n * n; i++)
        entries += p->M[i] != 0;
    return (strcmp(solver, "enum") == 0 && n > 16) ||
           (strcmp(solver, "nsgs_sbm") == 0 && n > 200 && entries > 20 * n);
}

static int solve_siconos(void *self)
{
    entry *e = self;
    int failed = 0;
    for (int k = 0; k < e->set->count; k++)
        failed |= siconos_lcp_solve(e->peer[k], e->z[k], e->w);
    return failed;
}
#endif

static entry make(const problems *set)
{
    entry e = {.set = set, .w = calloc((size_t)set->p[0].n, sizeof *e.w)};
    if (!e.w || carom_arena_create(NULL, &e.arena, NULL))
        abort();
    for (int k = 0; k < set->count; k++)
        if (!(e.z[k] = calloc((size_t)set->p[k].n, sizeof *e.z[k])))
            abort();
    return e;
}

static void drop(entry *e)
{
    carom_arena_destroy(e->arena);
    for (int k = 0; k < e->set->count; k++) {
#ifdef WITH_SICONOS
        if (e->peer[k])
            siconos_lcp_destroy(e->peer[k]);
#endif
        free(e->z[k]);
    }
    free(e->w);
}

static contestant enter(const char *engine, const char *variant, int (*call)(void *), entry *e)
{
    return (contestant){.engine = engine,
                        .variant = variant,
                        .call = call,
                        .error = residual,
                        .self = e,
                        .parts = e->set->count};
}

static void run(const char *task, problems set, double limit, double budget)
{
    const problem *p = &set.p[0];
    contest c = {task, p->name, REQUIRED, limit * set.count, budget, 0};
    contestant list[CONTEST_MOST];
    entry entries[CONTEST_MOST];
    int count = 0;
    bool choice = p->singular && p->n <= 16; /* above, the least norm comes with the method */
    for (int least = 0; least <= choice; least++, count++) {
        bool any = choice && !least;
        entries[count] = make(&set);
        entries[count].options.any_solution = any;
        list[count] = enter(least ? "carom least norm" : "carom", any ? "auto any" : "auto",
                            solve_ours, &entries[count]);
    }
#ifdef WITH_SICONOS
    for (int s = 0; s < siconos_lcp_solver_count() && count < CONTEST_MOST; s++) {
        if (hopeless(siconos_lcp_solver_name(s), p))
            continue;
        entries[count] = make(&set);
        for (int k = 0; k < set.count; k++)
            entries[count].peer[k] = siconos_lcp_create(p->n, set.p[k].M, set.p[k].q, s, 1e-12);
        list[count] = enter("siconos", siconos_lcp_solver_name(s), solve_siconos, &entries[count]);
        count++;
    }
#endif
    contest_run(&c, list, count);
    for (int k = 0; k < count; k++)
        drop(&entries[k]);
    for (int k = 0; k < set.count; k++)
        problem_free(&set.p[k]);
}

static void run_one(const char *task, problem p, double limit, double budget)
{
    run(task, (problems){1, {p}}, limit, budget);
}

/* Several of a random family; the largest alone, to end in time. */
static void run_random(problem make_one(int n), int n)
{
    problems set = {.count = n >= 1000 ? 1 : SET};
    for (int k = 0; k < set.count; k++)
        set.p[k] = make_one(n);
    run("lcp", set, 4, 1);
}

/* The peer's own instances, read by its own reader. */
static void run_files(const char *folder)
{
    static const char *const names[] = {
        "CPS_1",       "CPS_3",   "CPS_5",  "Pang_isolated_sol_perturbed", "deudeu", "exp_murty",
        "ortiz_block", "tobenna", "trivial"};
    for (int k = 0; k < 9; k++) {
        char path[1000], name[50];
        snprintf(path, sizeof path, "%s/lcp_%s.dat", folder, names[k]);
        snprintf(name, sizeof name, "file %.40s", names[k]);
#ifdef WITH_SICONOS
        problem p = {0};
        if (siconos_lcp_read(path, &p.n, &p.M, &p.q) == 0) {
            snprintf(p.name, sizeof p.name, "%.45s n=%d", name, p.n);
            run_one("instances", p, 3, 0.5);
            continue;
        }
        contest_skip("instances", name, "siconos", "file not there");
#else
        contest_skip("instances", name, "siconos", "not installed");
#endif
    }
}

int main(int argc, char **argv)
{
    static const int chains[] = {2, 4, 10, 50, 200, 1000};
    static const int definite[] = {50, 100, 200, 500, 1000, 2000};
    static const int dependent[] = {10, 50, 200, 500, 1000};
    static const int rows[] = {2, 4, 8, 12, 16};
    if (argc > 1 && strcmp(argv[1], "instances") == 0) {
        run_files(argc > 2 ? argv[2] : "../shared/data/lcp");
        return 0;
    }
    for (int k = 0; k < 6; k++) {
        run_one("lcp", problem_chain(chains[k], true), 4, 1);
        run_one("lcp", problem_chain(chains[k], false), 4, 1);
    }
    for (int k = 0; k < 6; k++)
        run_random(problem_dense, definite[k]);
    for (int k = 0; k < 5; k++)
        run_random(problem_dependent, dependent[k]);
    for (int k = 0; k < 5; k++) {
        run_one("lcp", problem_wall(rows[k], rows[k], 0), 2.5, 1);
        if (rows[k] <= 12)
            run_one("lcp", problem_wall(rows[k], rows[k], 0.1), 2.5, 1);
    }
    return 0;
}
