/* Tasks motion, error, zeno: balls on a line, and a block that rocks, through time.
 *   motion: seconds per run at equal step, ours Moreau-Jean like Siconos'
 *   error:  time to reach the same error at the end, every engine with the largest step that does
 *   zeno:   event-driven bouncing ball to just before, and through, its accumulation point */
#include "balls.h"
#include "box.h"

enum { MOST = 128 };

/* Either balls on a line or a box. */
typedef struct scene {
    const char *name;
    bool is_box;
    balls_scene balls;
    box_scene box;
    const double *exact; /* positions at the end */
    int grids; /* > 1: the error is the mean over as many slightly finer steps, for where in a step
                  an impact falls is chance */
} scene;

static int scene_size(const scene *s)
{
    return s->is_box ? 3 : s->balls.n;
}

static double scene_step(const scene *s)
{
    return s->is_box ? s->box.step : s->balls.step;
}

/* The same motion in other steps. */
static void scene_divide(scene *s, double step)
{
    double end = scene_step(s) * (double)(s->is_box ? s->box.steps : s->balls.steps);
    s->box.steps = s->balls.steps = lround(end / step);
    s->box.step = s->balls.step = end / (double)s->balls.steps;
}

typedef struct entry {
    scene scene;
    peer_engine peer; /* name NULL: ours by `method` */
    carom_flow_method method;
    double x[MOST], u[MOST];
    char variant[40];
} entry;

static double run(void *self)
{
    entry *e = self;
    const scene *s = &e->scene;
    if (s->is_box)
        return e->peer.name ? e->peer.box(&s->box, e->x, e->u)
                            : box_run(&s->box, e->method, e->x, e->u);
    return e->peer.name ? e->peer.balls(&s->balls, e->x, e->u)
                        : balls_run(&s->balls, e->method, e->x, e->u);
}

static double error_here(const entry *e)
{
    double worst = 0;
    for (int i = 0; i < scene_size(&e->scene); i++)
        worst = isfinite(e->x[i]) ? fmax(worst, fabs(e->x[i] - e->scene.exact[i])) : HUGE_VAL;
    return worst;
}

static double error(void *self)
{
    entry *e = self, other = *e;
    double sum = error_here(e), step = scene_step(&e->scene);
    for (int k = 1; k < e->scene.grids; k++) {
        other.scene = e->scene;
        scene_divide(&other.scene, step / (1 + 0.007 * k));
        if (run(&other) < 0)
            return HUGE_VAL;
        sum += error_here(&other);
    }
    return sum / fmax(1, e->scene.grids);
}

static contestant enter(entry *e, const peer_engine *peer, carom_flow_method method, scene s,
                        const char *variant)
{
    *e = (entry){.scene = s, .method = method};
    if (peer)
        e->peer = *peer;
    if (method == CAROM_FLOW_EVENT_DRIVEN)
        snprintf(e->variant, sizeof e->variant, "%s", variant);
    else
        snprintf(e->variant, sizeof e->variant, "%s h=%g", variant, scene_step(&s));
    return (contestant){.engine = peer ? peer->name : "carom",
                        .variant = e->variant,
                        .timed = run,
                        .error = error,
                        .self = e};
}

static const char *variant(const peer_engine *g, const scene *s)
{
    return s->is_box ? g->box_variant : g->balls_variant;
}

/* All engines at the same step. */
static void same_step(scene s)
{
    static entry entries[CONTEST_MOST];
    contestant list[CONTEST_MOST];
    contest c = {"motion", s.name, HUGE_VAL, 6, 1.5, 0};
    int count = 0;
    list[count] = enter(&entries[count], NULL, CAROM_FLOW_TIME_STEPPING, s, "moreau-jean");
    count++;
    for (const peer_engine *g = engines; g->name; g++, count++)
        list[count] = enter(&entries[count], g, CAROM_FLOW_TIME_STEPPING, s, variant(g, &s));
    contest_run(&c, list, count);
}

/* Every engine with the step that suffices; ours event-driven too. */
static void same_error(scene s, double required)
{
    static entry entries[CONTEST_MOST];
    contestant list[CONTEST_MOST];
    char name[60];
    snprintf(name, sizeof name, "%s to %g", s.name, required);
    contest c = {"error", name, required, 4, 1, 0};
    int count = 0;
    list[count] = enter(&entries[count], NULL, CAROM_FLOW_EVENT_DRIVEN, s, "event-driven");
    count++;
    for (const peer_engine *g = NULL; g == NULL || g->name; g = g ? g + 1 : engines)
        for (int power = 3; power <= 5; power++, count++) {
            scene_divide(&s, pow(10, -power));
            list[count] = enter(&entries[count], g, CAROM_FLOW_TIME_STEPPING, s,
                                g ? variant(g, &s) : "moreau-jean");
        }
    contest_run(&c, list, count);
}

/* Height of a ball dropped from rest at gap H, by the closed form. */
static double bounce(double gap, double g, double e, double t)
{
    double flight = sqrt(2 * gap / g), speed = g * flight;
    if (t < flight)
        return gap - g * t * t / 2;
    t -= flight;
    for (int k = 0; k < 100000; k++) {
        speed *= e;
        double hop = 2 * speed / g;
        if (t < hop)
            return speed * t - g * t * t / 2;
        t -= hop;
        if (!(hop > 1e-300))
            break;
    }
    return 0;
}

static void zeno_case(const char *name, balls_scene ball, double exact)
{
    static entry entries[2];
    contestant list[2];
    contest c = {"zeno", name, 1e-9, 10, 1, 0};
    scene s = {.name = name, .balls = ball, .exact = &exact};
    int count = 0;
    list[count] = enter(&entries[count], NULL, CAROM_FLOW_EVENT_DRIVEN, s, "event-driven");
    count++;
#ifdef WITH_SICONOS
    static const peer_engine siconos = {.name = "siconos", .balls = siconos_event_driven};
    list[count] = enter(&entries[count], &siconos, CAROM_FLOW_EVENT_DRIVEN, s, "event-driven");
    count++;
#else
    contest_skip("zeno", name, "siconos", "not installed");
#endif
    contest_run(&c, list, count);
}

static void zeno(void)
{
    double x[1] = {1.125}, u[1] = {0};
    double g = 9.81, e = 0.8, flight = sqrt(2 / g), limit = flight * (1 + e) / (1 - e);
    balls_scene ball = {1, 0.125, 1, g, e, 1, x, u, 0, 1};
    /* 25 impacts, then half way into the next flight: what is left is e^25 of the whole */
    ball.step = limit - 2 * flight * pow(e, 25) / (1 - e) * (1 - (1 - e) / 2);
    zeno_case("25 impacts", ball, 0.125 + bounce(1, g, e, ball.step));
    ball.step = 2 * limit;
    zeno_case("through the accumulation", ball, 0.125);
}

static void measure(bool steps, scene s, double required)
{
    if (steps)
        same_step(s);
    else if (required > 0)
        same_error(s, required);
}

/* Beads a little apart fall, and lie on each other at the end. */
static void column(bool steps, int n)
{
    double x[MOST], u[MOST] = {0}, exact[MOST], r = 0.125;
    char name[40];
    for (int i = 0; i < n; i++) {
        x[i] = r + 2 * r * i + 0.01 * (i + 1);
        exact[i] = r + 2 * r * i;
    }
    snprintf(name, sizeof name, "column of %d beads%s", n, steps ? "" : " at rest");
    scene s = {.name = name, .balls = {n, r, 1, 9.81, 0.3, 1, x, u, 1e-3, 2000}, .exact = exact};
    measure(steps, s, n <= 10 ? 1e-4 : 0);
}

/* Balls 0.1 apart, the first one runs into the others. */
static void cradle(bool steps)
{
    double x[5], u[5] = {1}, exact[5], r = 0.125;
    for (int i = 0; i < 5; i++) {
        x[i] = 2 * r * i + 0.1 * i;
        exact[i] = x[i] + (i < 4 ? 0.1 : 1 - 4 * 0.1);
    }
    scene s = {
        .name = "cradle of 5", .balls = {5, r, 1, 0, 1, 0, x, u, 1e-3, 1000}, .exact = exact};
    measure(steps, s, 1e-4);
}

/* A block twice as high as wide, let go at a tilt of 0.2, restitution 0 and enough friction to
 * stick. Until its first impact (0.45 s) it is a pendulum about its corner, whatever the law;
 * then Housner's ratio 0.7 at every impact. */
static void rocking(bool steps, const char *name, double until)
{
    double exact[3], w = 1, h = 2, tilt = 0.2;
    box_scene box = {.width = w,
                     .height = h,
                     .mass = 1,
                     .inertia = (w * w + h * h) / 12,
                     .gravity = 9.81,
                     .friction = 1,
                     .q = {0, h / 2 * cos(tilt) + w / 2 * sin(tilt), tilt},
                     .step = 1e-3,
                     .steps = lround(until * 1e3)};
    box_rock(&box, until, exact);
    scene s = {.name = name, .is_box = true, .box = box, .exact = exact, .grids = steps ? 10 : 1};
    measure(steps, s, 1e-4);
}

int main(int argc, char **argv)
{
    double x[1] = {1.125}, u[1] = {0}, exact[1] = {0.125 + bounce(1, 9.81, 0.9, 1)};
    const char *task = argc > 1 ? argv[1] : "motion";
    if (strcmp(task, "zeno") == 0) {
        zeno();
        return 0;
    }
    bool steps = strcmp(task, "motion") == 0;
    scene ball = {.name = "bouncing ball",
                  .balls = {1, 0.125, 1, 9.81, 0.9, 1, x, u, 1e-3, 1000},
                  .exact = exact};
    measure(steps, ball, 1e-4);
    column(steps, 10);
    column(steps, 100);
    cradle(steps);
    rocking(steps, "rocking block before impact", 0.4);
    rocking(steps, "rocking block through 2 impacts", 1);
    return 0;
}
