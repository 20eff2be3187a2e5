/* Tasks lcp and instances: frictionless impacts, and the peer's own instances, as LCPs, ours
 * against every LCP solver of Siconos numerics. Required of all: carom_lcp_residual <= 1e-10,
 * recomputed from z alone. Where a singular matrix leaves several solutions the peer returns any of
 * them, and ours is asked for any; that of least norm, which ours returns unasked, has its own row
 * while that makes a difference. */
#include "carom/lcp.h"
#include "contest.h"
#include "lcp_problems.h"
#include "peers/peers.h"

static const double REQUIRED = 1e-10;

typedef struct entry {
    const problem *p;
    carom_arena *arena;
    double *z, *w;
    carom_lcp_options options;
#ifdef WITH_SICONOS
    siconos_lcp *peer;
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
    carom_lcp lcp = statement(e->p);
    carom_lcp_info info = {0};
    carom_status status = carom_lcp_solve(&lcp, &e->options, e->arena, e->z, e->w, &info, NULL);
    return status != CAROM_OK || info.outcome != CAROM_LCP_SOLVED;
}

static double residual(void *self)
{
    entry *e = self;
    carom_lcp lcp = statement(e->p);
    for (int i = 0; i < e->p->n; i++)
        if (!isfinite(e->z[i]))
            return HUGE_VAL;
    return carom_lcp_residual(&lcp, e->z);
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
    return siconos_lcp_solve(e->peer, e->z, e->w);
}
#endif

static entry make(const problem *p)
{
    entry e = {.p = p, .z = calloc((size_t)p->n, sizeof *e.z), .w = calloc((size_t)p->n, 8)};
    if (!e.z || !e.w || carom_arena_create(NULL, &e.arena, NULL))
        abort();
    return e;
}

static void drop(entry *e)
{
    carom_arena_destroy(e->arena);
    free(e->z);
    free(e->w);
}

static void run(const char *task, problem p, double limit, double budget)
{
    contest c = {task, p.name, REQUIRED, limit, budget};
    contestant list[CONTEST_MOST];
    entry entries[CONTEST_MOST];
    int count = 0;
    bool choice = p.singular && p.n <= 16; /* above, the least norm comes with the method */
    for (int least = 0; least <= choice; least++, count++) {
        bool any = choice && !least;
        entries[count] = make(&p);
        entries[count].options.any_solution = any;
        list[count] = (contestant){.engine = least ? "carom least norm" : "carom",
                                   .variant = any ? "auto any" : "auto",
                                   .call = solve_ours,
                                   .error = residual,
                                   .self = &entries[count]};
    }
#ifdef WITH_SICONOS
    for (int s = 0; s < siconos_lcp_solver_count() && count < CONTEST_MOST; s++) {
        const char *solver = siconos_lcp_solver_name(s);
        if (hopeless(solver, &p))
            continue;
        entries[count] = make(&p);
        entries[count].peer = siconos_lcp_create(p.n, p.M, p.q, s, 1e-12);
        list[count] = (contestant){.engine = "siconos",
                                   .variant = solver,
                                   .call = solve_siconos,
                                   .error = residual,
                                   .self = &entries[count]};
        count++;
    }
#endif
    contest_run(&c, list, count);
    for (int k = 0; k < count; k++) {
#ifdef WITH_SICONOS
        if (entries[k].peer)
            siconos_lcp_destroy(entries[k].peer);
#endif
        drop(&entries[k]);
    }
    problem_free(&p);
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
            run("instances", p, 3, 0.5);
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
        run("lcp", problem_chain(chains[k], true), 4, 1);
        run("lcp", problem_chain(chains[k], false), 4, 1);
    }
    for (int k = 0; k < 6; k++)
        run("lcp", problem_dense(definite[k]), 4, 1);
    for (int k = 0; k < 5; k++)
        run("lcp", problem_dependent(dependent[k]), 4, 1);
    for (int k = 0; k < 5; k++) {
        run("lcp", problem_wall(rows[k], rows[k], 0), 2.5, 1);
        if (rows[k] <= 12)
            run("lcp", problem_wall(rows[k], rows[k], 0.1), 2.5, 1);
    }
    return 0;
}
