/* Task friction: frictional contact, one setting of ours against every solver of Siconos numerics,
 * on all problem files of a folder and on piles of bricks and balls. All are asked for 1e-8, and
 * judged by carom_friction_problem_residual, recomputed from the reactions alone. Every variant
 * may take PATIENCE times as long as the fastest, so that a performance profile can be drawn. */
#include "../tests/solver/friction_piles.h"
#include "carom/fclib.h"
#include "contest.h"
#include "friction_problems.h"
#include "peers/peers.h"

#include <dirent.h>

static const double REQUIRED = 1e-8, LIMIT = 1.5, PATIENCE = 20;

typedef struct entry {
    const carom_friction_problem *problem;
    carom_arena *arena;
    double *r;
    double tolerance; /* ours */
#ifdef WITH_SICONOS
    siconos_contact *peer;
#endif
} entry;

static int solve_ours(void *self)
{
    entry *e = self;
    carom_friction_options options = {.tolerance = e->tolerance};
    carom_friction_info info = {0};
    return carom_friction_problem_solve(e->problem, &options, e->arena, e->r, NULL, NULL, &info,
                                        NULL) ||
           info.outcome != CAROM_FRICTION_SOLVED;
}

static double residual(void *self)
{
    entry *e = self;
    double value = HUGE_VAL;
    if (carom_friction_problem_residual(e->problem, e->r, e->arena, NULL, &value, NULL))
        return HUGE_VAL;
    return value;
}

static contestant enter(entry *e, const char *engine, const char *variant, int (*call)(void *),
                        const carom_friction_problem *p)
{
    *e = (entry){.problem = p,
                 .r = calloc((size_t)carom_friction_problem_rows(p) + 1, sizeof(double))};
    if (!e->r || carom_arena_create(NULL, &e->arena, NULL))
        abort();
    return (contestant){
        .engine = engine, .variant = variant, .call = call, .error = residual, .self = e};
}

static void drop(entry *e)
{
#ifdef WITH_SICONOS
    if (e->peer)
        siconos_contact_destroy(e->peer);
#endif
    carom_arena_destroy(e->arena);
    free(e->r);
}

#ifdef WITH_SICONOS
static int solve_siconos(void *self)
{
    entry *e = self;
    return siconos_contact_solve(e->peer, e->r);
}

/* Its solvers for a statement of this form. */
static int enter_siconos(const carom_friction_problem *p, contestant *list, entry *entries,
                         int count)
{
    for (int s = 0; s < siconos_contact_solver_count() && count < CONTEST_MOST; s++) {
        if (!siconos_contact_can(s, p))
            continue;
        list[count] =
            enter(&entries[count], "siconos", siconos_contact_solver_name(s), solve_siconos, p);
        entries[count].peer = siconos_contact_create(p, s, REQUIRED);
        count++;
    }
    return count;
}
#endif

/* Ours and those solvers of the peer that take the statement in the form it has. */
static void run_form(const char *name, const carom_friction_problem *p)
{
    contest c = {"friction", name, REQUIRED, LIMIT, 1, PATIENCE};
    contestant list[CONTEST_MOST];
    entry entries[CONTEST_MOST];
    int count = 2;
    list[0] = enter(&entries[0], "carom", "auto", solve_ours, p);
    list[1] = enter(&entries[1], "carom to 1e-12", "auto", solve_ours, p);
    entries[0].tolerance = REQUIRED;
#ifdef WITH_SICONOS
    count = enter_siconos(p, list, entries, count);
#endif
    contest_run(&c, list, count);
    for (int k = 0; k < count; k++)
        drop(&entries[k]);
}

/* A problem by bodies is two: as it is given, and with W assembled for all. */
static void run(const char *name, const carom_friction_problem *p)
{
    char longer[120];
    if (p->form != CAROM_FRICTION_BODIES) {
        run_form(name, p);
        return;
    }
    carom_friction_problem local = problem_local(p);
    snprintf(longer, sizeof longer, "%s; by bodies", name);
    run_form(longer, p);
    snprintf(longer, sizeof longer, "%s; W assembled", name);
    run_form(longer, &local);
    problem_free_local(&local);
}

/* A file; what is not a problem we know (rolling friction) is a line. */
static void run_file(const char *folder, const char *file)
{
    char path[2000], name[100];
    carom_arena *arena;
    carom_fclib read;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (carom_arena_create(NULL, &arena, NULL))
        abort();
    if (carom_fclib_read(path, arena, &read, NULL) == CAROM_OK) {
        snprintf(name, sizeof name, "%.*s; %d contacts", (int)strcspn(file, "."), file,
                 read.problem.contacts);
        run(name, &read.problem);
    }
    carom_arena_destroy(arena);
}

static void run_folder(const char *data, const char *folder)
{
    char path[1000];
    struct dirent **list;
    snprintf(path, sizeof path, "%s/%s", data, folder);
    int count = scandir(path, &list, NULL, alphasort);
    if (count < 0)
        contest_skip("friction", folder, "siconos", "folder not there");
    for (int k = 0; k < count; k++) {
        if (list[k]->d_name[0] != '.')
            run_file(path, list[k]->d_name);
        free(list[k]);
    }
    if (count >= 0)
        free(list);
}

static void run_pile(const char *what, pile *p, double mu, double slip)
{
    char name[100];
    snprintf(name, sizeof name, "%s; friction %g%s; %d contacts", what, mu,
             slip > 0 ? "; violent slip" : "", p->contacts);
    run(name, pile_state(p));
    pile_free(p);
}

int main(int argc, char **argv)
{
    const char *data = argc > 1 ? argv[1] : "../shared/data";
    run_folder(data, "fc3d");
    run_folder(data, "gfc3d");
    run_folder(data, "fc2d");
    for (int slip = 0; slip < 2; slip++) {
        run_pile("towers", pile_towers(12, 10, 0.3, slip, 1), 0.3, slip);
        run_pile("balls", pile_balls(4, 4, 0.3, slip, 1), 0.3, slip);
        run_pile("wall", pile_wall(8, 8, 0.7, slip, 1), 0.7, slip);
        run_pile("wall", pile_wall(16, 16, 0.3, slip, 1), 0.3, slip);
    }
    return 0;
}
