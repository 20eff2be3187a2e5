/* Task bodies: boxes and balls in space at equal step, ours and the peers. Every engine tells where
 * things are after every few steps, and what is wrong with that is measured here, alike for all:
 * how far something drifts that should rest, or stops from where it should; how deep shapes go into
 * each other; how much energy comes from nowhere. One row an engine: seconds per step, the error of
 * the case, and drift|penetration|energy as the outcome. */
#include "heap.h"

typedef struct heap_engine {
    const char *name, *variant;
    peer_heap *run;
    int most;   /* bodies; 0: any number */
    bool plane; /* only what stays in a plane */
} heap_engine;

static const heap_engine heap_engines[] = {
    {"carom", "moreau-jean", heap_run, 0, false},
#ifdef WITH_SICONOS_MECHANICS
    {"siconos", "nsgs", siconos_heap, 0, false},
#endif
#ifdef WITH_BULLET
    {"bullet", "step", bullet_heap, 0, false},
#endif
#ifdef WITH_ODE
    {"ode", "step", ode_heap, 200, false},         {"ode", "quickstep", ode_heap_quick, 0, false},
#endif
#ifdef WITH_BOX2D
    {"box2d", "step", box2d_heap, 0, true},
#endif
#ifdef WITH_MUJOCO
    {"mujoco", "newton", mujoco_heap, 500, false}, {"mujoco", "cg", mujoco_heap_cg, 0, false},
#endif
};

/* What a case is about. */
typedef enum heap_error { HEAP_DRIFT, HEAP_SLIDE, HEAP_DEPTH } heap_error;

typedef struct heap_case {
    const char *name;
    heap_error error;
    double slide; /* x of the first body at the end */
    double limit; /* processor seconds of an engine */
} heap_case;

typedef struct heap_trial {
    const heap_scene *scene;
    const heap_case *what;
    peer_heap *run;
    heap_measure *measure; /* shared with the process that runs */
    bool failed;
} heap_trial;

static double trial_timed(void *self)
{
    heap_trial *t = self;
    struct rlimit most = {(rlim_t)4 << 30, (rlim_t)4 << 30}; /* one of them asks for everything */
    setrlimit(RLIMIT_AS, &most);
    heap_measure_start(t->measure);
    double spent = t->run(t->scene);
    t->failed = spent < 0;
    return spent;
}

static double trial_error(void *self)
{
    heap_trial *t = self;
    const heap_measure *m = t->measure;
    if (t->failed)
        return NAN;
    switch (t->what->error) {
    case HEAP_DRIFT:
        return m->drift;
    case HEAP_SLIDE:
        return fabs(m->first - t->what->slide);
    case HEAP_DEPTH:
        break;
    }
    return m->depth;
}

/* One engine on one case; ours: seconds per step, of the first row. */
static void try_engine(const heap_case *what, heap_scene *scene, const heap_engine *engine,
                       double *ours)
{
    if (engine->run == heap_run)
        *ours = NAN;
    if (engine->most > 0 && scene->n > engine->most)
        return;
    heap_measure *m =
        mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return;
    if (heap_measure_create(scene, m)) {
        heap_trial trial = {scene, what, engine->run, m, false};
        contest c = {"bodies", what->name, HUGE_VAL, what->limit, 0, 0};
        contestant who = {.engine = engine->name,
                          .variant = engine->variant,
                          .timed = trial_timed,
                          .error = trial_error,
                          .self = &trial,
                          .parts = (int)scene->steps};
        scene->look = heap_measure_look;
        scene->self = m;
        contest_try(&c, what->limit, &who);
        if (engine->run == heap_run)
            *ours = who.best;
        printf("bodies,%s,%s,%s,%s,%.4g,%.4g,%.4g,%.2g,,%.1f,%s,%.1e|%.1e|%.1e\n", what->name,
               engine->name, contest_version(engine->name), engine->variant, who.best, who.median,
               who.best / *ours, who.accuracy, who.memory, who.status, m->drift, m->depth, m->gain);
        fflush(stdout);
    }
    heap_measure_drop(m);
    munmap(m, sizeof *m);
}

static void contend(const heap_case *what, heap_scene *scene)
{
    double ours = NAN;
    scene->q = calloc(7 * (size_t)scene->n, sizeof *scene->q);
    scene->u = calloc(6 * (size_t)scene->n, sizeof *scene->u);
    for (size_t k = 0; k < sizeof heap_engines / sizeof *heap_engines; k++)
        if (!heap_engines[k].plane || scene->planar)
            try_engine(what, scene, &heap_engines[k], &ours);
    free(scene->q);
    free(scene->u);
}

/* ---- the cases ---- */

static heap_body box(double x, double y, double z, double px, double py, double pz)
{
    return (heap_body){.size = {x, y, z}, .at = {px, py, pz}, .turn = {1}};
}

static void pushed_cube(void)
{
    heap_body cube = box(0.1, 0.1, 0.1, 0, 0, 0.05);
    cube.velocity[0] = 6;
    heap_scene scene = {.n = 1,
                        .bodies = &cube,
                        .gravity = 9.81,
                        .friction = 0.5,
                        .planar = 1,
                        .step = 1e-3,
                        .steps = 1400,
                        .every = 10};
    contend(&(heap_case){"a cube pushed at 6 m/s: error of the distance", HEAP_SLIDE,
                         36 / (2 * 0.5 * 9.81), 5},
            &scene);
}

/* A cube on a bigger one, for a minute. */
static void cube_on_cube(void)
{
    heap_body two[] = {box(2, 2, 1, 0, 0, 0.5), box(0.5, 0.5, 0.5, 0.3, 0, 1.25)};
    heap_scene scene = {.n = 2,
                        .bodies = two,
                        .gravity = 9.81,
                        .friction = 0.5,
                        .planar = 1,
                        .step = 1e-2,
                        .steps = 6000,
                        .every = 100};
    contend(&(heap_case){"a cube on a bigger one for a minute: drift", HEAP_DRIFT, 0, 5}, &scene);
}

static void stack(int n)
{
    heap_body *list = calloc((size_t)n, sizeof *list);
    char name[64];
    for (int i = 0; list && i < n; i++)
        list[i] = box(0.1, 0.1, 0.1, 0, 0, 0.1 * i + 0.05);
    heap_scene scene = {.n = n,
                        .bodies = list,
                        .gravity = 9.81,
                        .friction = 0.5,
                        .planar = 1,
                        .step = 5e-3,
                        .steps = 1000,
                        .every = 20};
    snprintf(name, sizeof name, "a stack of %d boxes for 5 s: drift", n);
    if (list)
        contend(&(heap_case){name, HEAP_DRIFT, 0, 5}, &scene);
    free(list);
}

static void dominoes(int n)
{
    heap_body *list = calloc((size_t)n, sizeof *list);
    char name[64];
    for (int i = 0; list && i < n; i++)
        list[i] = box(0.02, 0.1, 0.2, 0.1 * i, 0, 0.1);
    heap_scene scene = {.n = n,
                        .bodies = list,
                        .gravity = 9.81,
                        .friction = 0.4,
                        .planar = 1,
                        .step = 2e-3,
                        .steps = 1000,
                        .every = 10};
    snprintf(name, sizeof name, "a row of %d dominoes: penetration", n);
    if (list) {
        /* the first leans to the next, about its lower edge */
        const double a = 0.2, c = cos(a), s = sin(a);
        list[0].turn[0] = cos(a / 2), list[0].turn[2] = sin(a / 2);
        list[0].at[0] = 0.01 - 0.01 * c + 0.1 * s, list[0].at[2] = 0.01 * s + 0.1 * c;
        contend(&(heap_case){name, HEAP_DEPTH, 0, 8}, &scene);
    }
    free(list);
}

/* across x across x layers, a little out of order so that nothing balances. */
static void pile(const char *what, int across, int layers, double size, int balls, long steps,
                 double limit)
{
    int n = across * across * layers;
    heap_body *list = calloc((size_t)n, sizeof *list);
    char name[80];
    for (int i = 0; list && i < n; i++) {
        int x = i % across, y = i / across % across, z = i / (across * across);
        double angle = balls ? 0 : 0.2 * sin(3 * z + 5 * x + 7 * y), near = balls ? 0.02 : 0;
        list[i] = box(size, balls ? 0 : size, balls ? 0 : size,
                      1.1 * size * (balls ? 2 : 1.25) * (x - 0.5 * (across - 1)) +
                          near * size * sin(7 * z + 3 * x + y),
                      1.1 * size * (balls ? 2 : 1.25) * (y - 0.5 * (across - 1)) +
                          near * size * cos(5 * z + 2 * x + y),
                      (balls ? 2.02 : 1.5) * size * (z + 0.55));
        list[i].turn[0] = cos(angle / 2);
        list[i].turn[1] = list[i].turn[2] = sin(angle / 2) / 1.5;
        list[i].turn[3] = list[i].turn[1] / 2;
    }
    heap_scene scene = {.n = n,
                        .bodies = list,
                        .gravity = 9.81,
                        .friction = 0.4,
                        .wall = 1.1 * size * (balls ? 1 : 0.75) * across,
                        .step = 5e-3,
                        .steps = steps,
                        .every = steps / 10};
    snprintf(name, sizeof name, "%s %d: penetration", what, n);
    if (list)
        contend(&(heap_case){name, HEAP_DEPTH, 0, limit}, &scene);
    free(list);
}

int main(void)
{
    pushed_cube();
    cube_on_cube();
    stack(10);
    stack(100);
    dominoes(20);
    pile("a pile of boxes", 5, 5, 0.08, 0, 160, 20);
    pile("a pile of balls", 5, 4, 0.05, 1, 160, 10);
    pile("a heap of balls", 10, 10, 0.05, 1, 40, 20);
    pile("a heap of balls", 20, 25, 0.05, 1, 20, 40);
    return 0;
}
