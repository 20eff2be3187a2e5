/* Task orbit: what derivatives, branches and diagrams cost. A motion of the compass walker with
 * derivatives in k directions against the motion alone (goal: at most 1 + k/2), a branch of 200 of
 * its gaits (goal: a second), and the diagram of a ball on a table, 500 values and 100 samples each
 * (goal: two seconds on two cores). Processor time, the least of several rounds. */
#include "contest.h"

#include "carom/io.h"

enum { ROUNDS = 20, BRANCHES = 3, MOST = 16 };

/* What was measured, as contests tell it: seconds, or a ratio; `required` is the goal. */
static void tell(const char *name, double best, double measured, double goal)
{
    printf("orbit,%s,carom,%s,,%.4g,%.4g,1,%.4g,%.4g,,%s,\n", name, getenv("VERSION_carom"), best,
           best, measured, goal, measured <= goal ? "ok" : "missed");
    fflush(stdout);
}

/* A scene at a value of its slope. */
typedef struct family {
    char text[20000];
    carom_scene *scene;
    carom_arena *arena;
    carom_law law;
    carom_scene_direction direction;
    int points;
} family;

static carom_status at(void *self, double slope, carom_orbit_problem *problem, carom_error *error)
{
    family *f = self;
    char set[64];
    const char *sets[] = {set};
    const carom_scene_options options = {.sets = sets, .set_count = 1, .derivatives = true};
    snprintf(set, sizeof set, "slope=%.17g", slope);
    carom_scene_destroy(f->scene);
    f->scene = NULL;
    carom_arena_reset(f->arena);
    carom_status status =
        carom_scene_read_text(f->text, strlen(f->text), &options, &f->scene, error);
    if (status == CAROM_OK)
        status = carom_scene_choose_law(f->scene, NULL, &f->law, NULL, error);
    if (status == CAROM_OK)
        status = carom_scene_direction_create(f->scene, "slope", f->arena, &f->direction, error);
    if (status != CAROM_OK)
        return status;
    const carom_scene_content *c = carom_scene_get(f->scene);
    *problem = (carom_orbit_problem){.system = c->system,
                                     .law = &f->law,
                                     .options = *c->run,
                                     .contact = c->section->index,
                                     .event = -1,
                                     .symmetry = c->symmetry,
                                     .ignore = c->ignore,
                                     .periods = 1,
                                     .horizon = c->run->until,
                                     .parameters = f->direction.parameters,
                                     .contacts = f->direction.contacts};
    return CAROM_OK;
}

static carom_status on_point(void *self, double slope, const carom_orbit *orbit, carom_error *error)
{
    family *f = self;
    (void)slope, (void)orbit, (void)error;
    f->points++;
    return CAROM_OK;
}

static int measure_branch(family *f, double slope)
{
    carom_orbit_problem problem;
    carom_orbit start;
    carom_arena *arena;
    carom_error error = {0};
    const carom_orbit_family all = {.self = f, .at = at};
    const carom_orbit_branch branch = {
        .from = slope, .to = 0.0785, .most = 200, .step = 0.005, .self = f, .point = on_point};
    if (carom_arena_create(NULL, &arena, &error) || at(f, slope, &problem, &error) ||
        carom_orbit_guess(&problem, &carom_scene_get(f->scene)->initial, arena, &start, &error) ||
        carom_orbit_solve(&problem, arena, &start, &error))
        return printf("%s\n", error.text), 1;
    double best = INFINITY;
    for (int round = 0; round < BRANCHES; round++) {
        const double begin = contest_now();
        if (carom_orbit_follow(&all, &start, &branch, arena, &error))
            return printf("%s\n", error.text), 1;
        best = fmin(best, contest_now() - begin);
    }
    tell("compass walker: a branch of 200 points", best, best, 1);
    carom_arena_destroy(arena);
    return 0;
}

/* By the program, in processor time of all its threads over the two cores of the goal. */
static int measure_diagram(void)
{
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    if (system(
            "build/carom sweep scenes/ball_on_table.yaml --vary Gamma=1.2:1.8:500 --keep section "
            "--skip 100 --until 1262 >/dev/null"))
        return 1;
    getrusage(RUSAGE_CHILDREN, &after);
    const double spent = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                         1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
    tell("ball on a table: a diagram of 500 values and 100 samples", spent / 2, spent / 2, 2);
    return 0;
}

/* The motion of three steps, alone (k = 0) or with k directions. */
static double measure_motion(family *f, int k)
{
    const carom_scene_content *c = carom_scene_get(f->scene);
    const int n = carom_system_get_shape(c->system)->n;
    double *q = calloc((size_t)(2 * n * MOST), sizeof *q), best = INFINITY;
    for (int j = 0; j < k; j++)
        q[j % n + j * n] = 1;
    const carom_orbit_directions along = {.k = k, .q = q, .u = q + n * MOST};
    for (int round = 0; round < ROUNDS; round++) {
        carom_arena *arena;
        carom_flow_result result;
        carom_orbit_tangents tangents;
        if (carom_arena_create(NULL, &arena, NULL))
            exit(1);
        const double begin = contest_now();
        if (k == 0 ? carom_flow_run(c->system, &f->law, &c->initial, c->run, NULL, arena, &result,
                                    NULL)
                   : carom_orbit_run(c->system, &f->law, &c->initial, c->run, &along, NULL, arena,
                                     &result, &tangents, NULL))
            exit(1);
        best = fmin(best, contest_now() - begin);
        carom_arena_destroy(arena);
    }
    free(q);
    return best;
}

int main(void)
{
    family *f = calloc(1, sizeof *f);
    carom_orbit_problem problem;
    const double slope = 3 * CAROM_PI / 180;
    FILE *file = fopen("scenes/compass_walker.yaml", "r");
    if (!f || !file || carom_arena_create(NULL, &f->arena, NULL))
        return printf("run it in the source folder\n"), 1;
    f->text[fread(f->text, 1, sizeof f->text - 1, file)] = '\0';
    fclose(file);
    if (at(f, slope, &problem, NULL))
        return 1;
    const double plain = measure_motion(f, 0);
    for (int k = 1; k <= 8; k *= 2) {
        const double varied = measure_motion(f, k);
        char name[80];
        snprintf(name, sizeof name, "compass walker: derivatives in %d direction%s", k,
                 k == 1 ? "" : "s");
        tell(name, varied, varied / plain, 1 + k / 2.0);
    }
    return measure_branch(f, slope) || measure_diagram();
}
