/* Task scaling: our own cost against the size, in families: time of one solution, one step or one
 * run, and the peak of memory that the library holds (its allocator is counted). Every size is made
 * and measured in a process of its own; the exponents are least squares of the logarithms, over all
 * sizes. */
#include "balls.h"
#include "lcp_problems.h"

#include <malloc.h>

enum { SIZES = 7 };

typedef struct entry {
    problem p;         /* complementarity */
    balls_scene scene; /* motion */
    double every;      /* motion: times are divided by this */
    carom_flow_method method;
    carom_impact impact; /* one impact */
    carom_law law;
    carom_arena *arena;
    double *z, *x, *u;
} entry;

/* Bytes held now, and at most. */
typedef struct tally {
    size_t now, peak;
} tally;

static void *count(void *self, void *memory, size_t size)
{
    tally *t = self;
    size_t before = memory ? malloc_usable_size(memory) : 0;
    if (size == 0) {
        free(memory);
        t->now -= before;
        return NULL;
    }
    void *new = realloc(memory, size);
    if (!new)
        return NULL;
    t->now += malloc_usable_size(new) - before;
    t->peak = t->now > t->peak ? t->now : t->peak;
    return new;
}

static void *take(size_t count, size_t size)
{
    void *new = calloc(count, size);
    if (!new)
        exit(1);
    return new;
}

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

static double move(void *self)
{
    entry *e = self;
    return balls_run(&e->scene, e->method, e->x, e->u) / e->every;
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

static int hit(void *self)
{
    entry *e = self;
    carom_geometry geometry;
    carom_outcome outcome;
    carom_arena_reset(e->arena);
    if (carom_impact_derive(&e->impact, e->arena, &geometry, NULL) ||
        carom_law_apply(&e->law, &geometry, e->arena, &outcome, NULL) ||
        outcome.answer == CAROM_ANSWER_FAILED)
        return 1;
    memcpy(e->u, outcome.u, (size_t)e->impact.n * sizeof *e->u);
    return 0;
}

/* Largest approach speed left; the law's own conditions are verified by the tests. */
static double approach(void *self)
{
    entry *e = self;
    double worst = 0;
    for (int i = 0; i < e->impact.p; i++) {
        double gamma = 0;
        for (int k = 0; k < e->impact.n; k++)
            gamma += e->impact.W[k + (size_t)i * (size_t)e->impact.n] * e->u[k];
        worst = fmax(worst, -gamma);
    }
    return worst;
}

static double fit(const double *x, const double *y, int count)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < count; k++) {
        sx += log(x[k]);
        sy += log(y[k]);
        sxx += log(x[k]) * log(x[k]);
        sxy += log(x[k]) * log(y[k]);
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

/* What a process has to say about a size. */
typedef struct point {
    double size, seconds, memory;
} point;

static point measure(const char *what, int size, void make(entry *e, int size))
{
    entry e = {.every = 1};
    char name[80];
    tally bytes = {0};
    carom_allocator allocator = {count, &bytes};
    ours_allocator = &allocator;
    if (carom_arena_create(&allocator, &e.arena, NULL))
        exit(1);
    make(&e, size);
    int n = e.p.n ? e.p.n : size;
    snprintf(name, sizeof name, "%s %d", what, n);
    contest c = {"scaling", name, e.p.n ? 1e-10 : 1, 20, 0.3, 0};
    contestant us = {.engine = "carom", .variant = what, .self = &e};
    if (e.p.n) {
        us.call = solve;
        us.error = residual;
    } else if (e.impact.n) {
        us.call = hit;
        us.error = approach;
    } else {
        us.timed = move;
        us.error = depth;
    }
    contest_run(&c, &us, 1);
    return (point){n, us.best, 1e-6 * (double)bytes.peak};
}

static void series(const char *what, const int *sizes, void make(entry *e, int size))
{
    double size[SIZES], seconds[SIZES], memory[SIZES];
    int points = 0;
    for (int k = 0; k < SIZES && sizes[k]; k++) {
        int ends[2];
        point here;
        fflush(stdout);
        if (pipe(ends))
            return;
        pid_t child = fork();
        if (child == 0) {
            here = measure(what, sizes[k], make);
            fflush(stdout);
            _exit(write(ends[1], &here, sizeof here) != sizeof here);
        }
        close(ends[1]);
        if (read(ends[0], &here, sizeof here) == sizeof here && here.seconds > 0) {
            size[points] = here.size;
            seconds[points] = here.seconds;
            memory[points++] = here.memory;
        }
        close(ends[0]);
        waitpid(child, NULL, 0);
    }
    if (points >= 2)
        printf("scaling,%s,carom,%s,fit,,,,,,,ok,%g|%g|%.4g|%.4g|%.2f|%.3g|%.3g|%.2f\n", what,
               contest_version("carom"), size[0], size[points - 1], seconds[0], seconds[points - 1],
               fit(size, seconds, points), memory[0], memory[points - 1],
               fit(size, memory, points));
}

static void make_lcp(entry *e, problem p)
{
    e->p = p;
    e->z = take((size_t)p.n, sizeof *e->z);
}

static void make_chain(entry *e, int size)
{
    make_lcp(e, problem_chain(size, true));
}

static void make_definite(entry *e, int size)
{
    make_lcp(e, problem_dense(size));
}

static void make_wall(entry *e, int rows)
{
    make_lcp(e, problem_wall(rows, rows, 0));
}

static void make_beads(entry *e, int size, double gap)
{
    double *x = take((size_t)size, sizeof *x), *u = take((size_t)size, sizeof *u);
    for (int i = 0; i < size; i++)
        x[i] = 0.125 + (0.25 + gap) * i + gap;
    e->scene = (balls_scene){size, 0.125, 1, gap > 0 ? 0 : 9.81, 0, 1, x, u, 1e-3, 50};
    e->every = 50;
    e->method = CAROM_FLOW_TIME_STEPPING;
    e->x = take((size_t)size, sizeof *x);
    e->u = take((size_t)size, sizeof *u);
}

static void make_column(entry *e, int size)
{
    make_beads(e, size, 0);
}

static void make_apart(entry *e, int size)
{
    make_beads(e, size, 1);
}

/* A ball that bounces with restitution 0.99 as often. */
static void make_bounces(entry *e, int impacts)
{
    static const double restitution = 0.99;
    make_beads(e, 1, 1);
    double flight = sqrt(2 / 9.81), end = flight;
    for (int k = 1; k < impacts; k++)
        end += 2 * flight * pow(restitution, k);
    e->scene.gravity = 9.81;
    e->scene.restitution = restitution;
    e->scene.step = end + flight * pow(restitution, impacts);
    e->scene.steps = 1;
    e->every = 1;
    e->method = CAROM_FLOW_EVENT_DRIVEN;
}

/* Balls that touch; the first arrives. */
static void make_balls(entry *e, int p)
{
    size_t n = (size_t)p + 1;
    double *M = take(n, sizeof *M), *u = take(n, sizeof *u), *W = take(n * (size_t)p, sizeof *W);
    carom_contact *contacts = take((size_t)p, sizeof *contacts);
    u[0] = 1;
    for (size_t i = 0; i < n; i++)
        M[i] = 1;
    for (size_t i = 0; i + 1 < n; i++) {
        W[i + i * n] = -1;
        W[i + 1 + i * n] = 1;
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 0.8;
    }
    e->impact = (carom_impact){.n = (int)n,
                               .p = p,
                               .mass_is_diagonal = true,
                               .M = M,
                               .u = u,
                               .W = W,
                               .contacts = contacts};
    e->law.ops = carom_law_find("newton");
    e->u = take(n, sizeof *u);
}

/* Discs of radius 1 on top of each other that fall on the floor and slide to and fro: coordinates
 * x, y, angle of each; friction 0.3. */
static void make_discs(entry *e, int p)
{
    size_t n = 3 * (size_t)p;
    double *M = take(n, sizeof *M), *u = take(n, sizeof *u), *W = take(n * (size_t)p, sizeof *W);
    double *H = take(n * (size_t)p, sizeof *H);
    carom_contact *contacts = take((size_t)p, sizeof *contacts);
    for (size_t i = 0; i < (size_t)p; i++) {
        M[3 * i] = M[3 * i + 1] = 1;
        M[3 * i + 2] = 0.5;
        u[3 * i] = 0.4 * sin(1.0 + (double)i);
        u[3 * i + 1] = -1;
        W[3 * i + 1 + i * n] = 1;
        H[3 * i + i * n] = H[3 * i + 2 + i * n] = 1;
        if (i > 0) {
            W[3 * i - 2 + i * n] = -1;
            H[3 * i - 3 + i * n] = -1;
            H[3 * i - 1 + i * n] = 1;
        }
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 0.5;
        contacts[i].friction_static = contacts[i].friction_dynamic = 0.3;
        contacts[i].slip_count = 1;
    }
    e->impact = (carom_impact){.n = (int)n,
                               .p = p,
                               .mass_is_diagonal = true,
                               .M = M,
                               .u = u,
                               .W = W,
                               .H = H,
                               .contacts = contacts};
    e->law.ops = carom_law_find("coulomb");
    e->u = take(n, sizeof *u);
}

int main(void)
{
    series("LCP: chain (banded); contacts", (int[SIZES]){125, 250, 500, 1000, 2000, 4000},
           make_chain);
    series("LCP: random definite; contacts", (int[SIZES]){125, 250, 500, 1000, 2000},
           make_definite);
    series("LCP: wall of bricks; contacts", (int[SIZES]){4, 8, 16, 24}, make_wall);
    series("impact: touching balls; contacts", (int[SIZES]){4, 16, 64, 256, 1024}, make_balls);
    series("impact: column of discs with friction; contacts", (int[SIZES]){2, 4, 8, 16, 32, 64},
           make_discs);
    series("motion: a step of a resting column; bodies and contacts",
           (int[SIZES]){25, 50, 100, 200, 400, 800, 1600}, make_column);
    series("motion: a step of beads apart; bodies", (int[SIZES]){25, 50, 100, 200, 400, 800, 1600},
           make_apart);
    series("motion: event-driven bouncing ball; impacts", (int[SIZES]){10, 20, 40, 80, 160},
           make_bounces);
    return 0;
}
