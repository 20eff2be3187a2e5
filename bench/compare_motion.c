/* Tasks motion, error, zeno: balls on a line through time.
 *   motion: seconds per run at equal step, ours Moreau-Jean like Siconos'
 *   error:  time to reach the same error at the end, every engine with the largest step that does
 *   zeno:   event-driven bouncing ball to just before, and through, its accumulation point */
#include "balls.h"

enum { MOST = 128 };

typedef struct entry {
    balls_scene scene;
    peer_balls *peer; /* NULL: ours by `method` */
    carom_flow_method method;
    const double *exact; /* n positions */
    double x[MOST], u[MOST];
    char variant[40];
} entry;

static double run(void *self)
{
    entry *e = self;
    return e->peer ? e->peer(&e->scene, e->x, e->u)
                   : balls_run(&e->scene, e->method, e->x, e->u, NULL);
}

static double error(void *self)
{
    entry *e = self;
    double worst = 0;
    for (int i = 0; i < e->scene.n; i++)
        worst = isfinite(e->x[i]) ? fmax(worst, fabs(e->x[i] - e->exact[i])) : HUGE_VAL;
    return worst;
}

static contestant enter(entry *e, const char *engine, peer_balls *peer, carom_flow_method method,
                        balls_scene scene, const double *exact, const char *variant)
{
    *e = (entry){.scene = scene, .peer = peer, .method = method, .exact = exact};
    snprintf(e->variant, sizeof e->variant, "%s h=%g", variant, scene.step);
    return (contestant){
        .engine = engine, .variant = e->variant, .timed = run, .error = error, .self = e};
}

/* All engines at the same step. */
static void same_step(const char *name, balls_scene scene, const double *exact)
{
    static entry entries[CONTEST_MOST];
    contestant list[CONTEST_MOST];
    contest c = {"motion", name, HUGE_VAL, 10, 1.5};
    int count = 0;
    list[count] = enter(&entries[count], "carom", NULL, CAROM_FLOW_TIME_STEPPING, scene, exact,
                        "moreau-jean");
    count++;
    for (const balls_engine *g = balls_engines; g->name; g++, count++)
        list[count] = enter(&entries[count], g->name, g->run, 0, scene, exact, "step");
    contest_run(&c, list, count);
}

/* Every engine with the step that suffices; ours event-driven too. */
static void same_error(const char *name, balls_scene scene, const double *exact, double required)
{
    static entry entries[CONTEST_MOST];
    contestant list[CONTEST_MOST];
    contest c = {"error", name, required, 4, 1};
    int count = 0;
    double end = scene.step * (double)scene.steps;
    list[count] = enter(&entries[count], "carom", NULL, CAROM_FLOW_EVENT_DRIVEN, scene, exact,
                        "event-driven");
    count++;
    static const balls_engine ours[] = {{"carom", NULL}, {NULL, NULL}};
    for (int who = 0; who < 2; who++)
        for (const balls_engine *g = who == 0 ? ours : balls_engines; g->name; g++)
            for (int power = 3; power <= 5; power++, count++) {
                scene.steps = lround(end * pow(10, power));
                scene.step = end / (double)scene.steps;
                list[count] = enter(&entries[count], g->name, g->run, CAROM_FLOW_TIME_STEPPING,
                                    scene, exact, who == 0 ? "moreau-jean" : "step");
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

static void zeno(void)
{
    static entry entries[3];
    contestant list[3];
    double x[1] = {1.125}, u[1] = {0}, exact[1];
    double g = 9.81, e = 0.8, flight = sqrt(2 / g), limit = flight * (1 + e) / (1 - e);
    balls_scene scene = {1, 0.125, 1, g, e, 1, x, u, 0, 1};
    /* 25 impacts, then half way into the next flight: what is left is e^25 of the whole */
    scene.step = limit - 2 * flight * pow(e, 25) / (1 - e) * (1 - (1 - e) / 2);
    exact[0] = 0.125 + bounce(1, g, e, scene.step);
    contest c = {"zeno", "25 impacts", 1e-9, 10, 1};
    int count = 0;
    list[count] = enter(&entries[count], "carom", NULL, CAROM_FLOW_EVENT_DRIVEN, scene, exact,
                        "event-driven");
    count++;
#ifdef WITH_SICONOS
    list[count] =
        enter(&entries[count], "siconos", siconos_event_driven, 0, scene, exact, "event-driven");
    count++;
#endif
    contest_run(&c, list, count);
    scene.step = 2 * limit;
    exact[0] = 0.125;
    contest through = {"zeno", "through the accumulation", 1e-9, 10, 1};
    list[0] =
        enter(&entries[0], "carom", NULL, CAROM_FLOW_EVENT_DRIVEN, scene, exact, "event-driven");
#ifdef WITH_SICONOS
    list[1] = enter(&entries[1], "siconos", siconos_event_driven, 0, scene, exact, "event-driven");
#endif
    contest_run(&through, list, count);
}

int main(int argc, char **argv)
{
    double x[MOST], u[MOST] = {0}, exact[MOST], r = 0.125;
    const char *task = argc > 1 ? argv[1] : "motion";
    if (strcmp(task, "zeno") == 0) {
        zeno();
        return 0;
    }
    bool steps = strcmp(task, "motion") == 0;
    x[0] = 1 + r;
    balls_scene ball = {1, r, 1, 9.81, 0.9, 1, x, u, 1e-3, 1000};
    exact[0] = r + bounce(1, 9.81, 0.9, 1);
    if (steps)
        same_step("bouncing ball", ball, exact);
    else
        same_error("bouncing ball to 1e-4", ball, exact, 1e-4);
    for (int n = 10; n <= 100; n *= 10) {
        /* beads a little apart fall, and lie on each other at the end */
        for (int i = 0; i < n; i++) {
            x[i] = r + 2 * r * i + 0.01 * (i + 1);
            exact[i] = r + 2 * r * i;
        }
        balls_scene column = {n, r, 1, 9.81, 0.3, 1, x, u, 1e-3, 2000};
        char name[40];
        snprintf(name, sizeof name, "column of %d beads%s", n, steps ? "" : " at rest to 1e-4");
        if (steps)
            same_step(name, column, exact);
        else if (n == 10)
            same_error(name, column, exact, 1e-4);
    }
    for (int i = 0; i < 5; i++) { /* balls 0.1 apart, the first one runs into the others */
        x[i] = 2 * r * i + 0.1 * i;
        exact[i] = x[i] + (i < 4 ? 0.1 : 0);
    }
    exact[4] += 1 - 4 * 0.1;
    u[0] = 1;
    balls_scene cradle = {5, r, 1, 0, 1, 0, x, u, 1e-3, 1000};
    if (steps)
        same_step("cradle of 5", cradle, exact);
    else
        same_error("cradle of 5 to 1e-4", cradle, exact, 1e-4);
    return 0;
}
