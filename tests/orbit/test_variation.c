/* Derivatives of motions through impacts, friction, events and accumulations: closed forms, and
 * Richardson differences of neighbouring motions on random scenes. */
#include "carom/io.h"
#include "check.h"

#include <stdlib.h>

enum { MOST = 8 };

/* A motion with its derivatives. */
typedef struct motion {
    carom_scene *scene;
    const carom_scene_content *content;
    const carom_system_shape *shape;
    carom_arena *arena;
    carom_law law;
    carom_flow_options options;
    carom_flow_result result;
    carom_orbit_tangents tangents;
    carom_status status;
} motion;

static void open_motion(motion *m, const char *text, int count, const char *const *sets)
{
    carom_error error = {0};
    const carom_scene_options options = {.sets = sets, .set_count = count, .derivatives = true};
    *m = (motion){0};
    if (carom_scene_read_text(text, strlen(text), &options, &m->scene, &error))
        print_error("%s\n%d:%d\n", text, error.line, error.column);
    check_ok(error.status, &error);
    m->content = carom_scene_get(m->scene);
    m->shape = carom_system_get_shape(m->content->system);
    m->options = *m->content->run;
    check_ok(carom_scene_choose_law(m->scene, NULL, &m->law, NULL, &error), &error);
    check_ok(carom_arena_create(NULL, &m->arena, &error), &error);
}

static void close_motion(motion *m)
{
    carom_scene_destroy(m->scene);
    carom_arena_destroy(m->arena);
}

static void run_plain(motion *m)
{
    carom_error error = {0};
    m->status = carom_flow_run(m->content->system, &m->law, &m->content->initial, &m->options, NULL,
                               m->arena, &m->result, &error);
    if (m->status < 0)
        print_error("%s\n", error.text);
    assert_true(m->status >= 0);
}

static void run_varied(motion *m, int count, const char *const *names)
{
    static double t[MOST], until[MOST], q[MOST * MOST], u[MOST * MOST], parameters[64 * MOST];
    static const carom_contact *contacts[MOST];
    carom_error error = {0};
    const int n = m->shape->n, p = m->content->parameter_count;
    for (int j = 0; j < count; j++) {
        carom_scene_direction d;
        check_ok(carom_scene_direction_create(m->scene, names[j], m->arena, &d, &error), &error);
        t[j] = d.t;
        until[j] = d.until;
        memcpy(q + j * n, d.q, sizeof(double) * (size_t)n);
        memcpy(u + j * n, d.u, sizeof(double) * (size_t)n);
        memcpy(parameters + j * p, d.parameters, sizeof(double) * (size_t)p);
        contacts[j] = d.contacts;
    }
    const carom_orbit_directions along = {count, t, q, u, parameters, contacts, until};
    m->status = carom_orbit_run(m->content->system, &m->law, &m->content->initial, &m->options,
                                &along, NULL, m->arena, &m->result, &m->tangents, &error);
    if (m->status < 0)
        print_error("%s\n", error.text);
    assert_true(m->status >= 0);
}

static void run_file(motion *m, const char *name, int sets_count, const char *const *sets,
                     int count, const char *const *names)
{
    static char text[20000], path[500];
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", CAROM_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    open_motion(m, text, sets_count, sets);
    run_varied(m, count, names);
}

/* Two equal elastic balls: the second leaves with the velocity of the first. */
static void test_two_balls(void **unused)
{
    (void)unused;
    const char *scene = "carom: 1\nsystem:\n  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n"
                        "  contacts: {c: {gap: y - x, restitution: 1}}\n"
                        "initial: {x: 0, y: 1, x': 2, y': 0}\nlaw: newton\nrun: {until: 1}\n";
    const char *names[] = {"initial.x", "initial.y", "initial.x'", "initial.y'"};
    const double expected[] = {1, 0, 1, 0};
    motion m;
    open_motion(&m, scene, 0, NULL);
    run_varied(&m, 4, names);
    assert_true(m.tangents.exists);
    for (int j = 0; j < 4; j++)
        check_close(m.tangents.q[1 + 2 * j], expected[j], 1e-13);
    close_motion(&m);
}

/* Slip that ends in rolling: x(1) = 2v/3 + v^2/(18 mu g). */
static void test_rolling(void **unused)
{
    (void)unused;
    const char *names[] = {"mu", "v"};
    motion m;
    run_file(&m, "disc_on_plane", 0, NULL, 2, names);
    assert_true(m.tangents.exists);
    check_close(m.tangents.q[0], -4 / (18 * 0.04 * 9.81), 1e-10);
    check_close(m.tangents.q[3], 2.0 / 3 + 4 / (18 * 0.2 * 9.81), 1e-10);
    close_motion(&m);
}

/* The limit of the impacts of a ball: sqrt(2 q0/g) (1 + e)/(1 - e). */
static void test_accumulation(void **unused)
{
    (void)unused;
    const char *names[] = {"q0", "e"};
    const double t1 = sqrt(2 / 9.81);
    motion m;
    run_file(&m, "bouncing_ball", 0, NULL, 2, names);
    assert_true(m.tangents.exists && m.tangents.limit);
    check_close(m.tangents.limit[0], 0.5 * t1 * 19, 1e-10);
    check_close(m.tangents.limit[1], 2 * t1 / 0.01, 1e-7);
    check_close(m.tangents.q[0], 0, 1e-12);
    close_motion(&m);
}

/* A ball that slides while it bounces to rest, x' = v - mu g (T - s): friction acts from s = 0 on
 * in the mean where impacts have it, and from the limit of the impacts on where they have none.
 * What the flights that are left out would have changed is not seen in any digit. */
static void test_sliding_to_rest(void **unused)
{
    (void)unused;
    const char *scene =
        "carom: 1\nparameters: {e: 0.5, mu: 0.1}\nsystem:\n  coordinates: [x, y]\n"
        "  kinetic: x'^2/2 + y'^2/2\n  potential: 9.81*y\n  contacts: {floor: {gap: y,"
        " slip: x', friction: mu, restitution: e}}\n"
        "initial: {y: 1, x': 5}\nlaw: %s\nrun: {until: 3}\n";
    static const char *const laws[] = {"coulomb", "newton"};
    const char *names[] = {"e", "mu", "initial.x'"};
    const double t1 = sqrt(2 / 9.81), limit = t1 * 1.5 / 0.5, slope = 2 * t1 / 0.25;
    for (int l = 0; l < 2; l++) {
        const double s = l * limit;
        char text[1000];
        motion m;
        snprintf(text, sizeof text, scene, laws[l]);
        open_motion(&m, text, 0, NULL);
        run_varied(&m, 3, names);
        assert_true(m.tangents.exists);
        check_close(m.result.u[0], 5 - 0.981 * (3 - s), 1e-12);
        check_close(m.tangents.u[0], 0.981 * l * slope, 1e-9);
        check_close(m.tangents.u[2], -9.81 * (3 - s), 1e-9);
        check_close(m.tangents.u[4], 1, 1e-9);
        close_motion(&m);
    }
}

/* The variations change no bit of the motion. */
static void test_bits(void **unused)
{
    (void)unused;
    static const char *const files[] = {"woodpecker", "compass_walker", "simplest_walker",
                                        "vibrating_table", "frictional_oscillator"};
    const char *names[] = {"initial.t"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        motion a, b;
        run_file(&a, files[k], 0, NULL, 1, names);
        const carom_flow_result varied = a.result;
        open_motion(&b, a.content->text, 0, NULL);
        run_plain(&b);
        assert_int_equal(b.result.steps, varied.steps);
        assert_int_equal(b.result.events, varied.events);
        assert_memory_equal(b.result.q, varied.q, sizeof(double) * (size_t)b.shape->nq);
        assert_memory_equal(b.result.u, varied.u, sizeof(double) * (size_t)b.shape->n);
        close_motion(&a);
        close_motion(&b);
    }
}

/* An impact beside a contact at rest, by a law that asks which contacts approach: a body that
 * slides on one corner falls on the other. */
static void test_beside_rest(void **unused)
{
    (void)unused;
    const char *text =
        "carom: 1\nparameters: {w: 0.79}\n"
        "system:\n  coordinates: [x, y, a]\n  kinetic: x'^2/2 + y'^2/2 + 0.21*a'^2\n"
        "  potential: 9.81*y\n  contacts:\n"
        "    l: {gap: y - 0.5*cos(a) + w*sin(a), slip: x' + (0.5*cos(a) - w*sin(a))*a', friction: "
        "0.19, restitution: 0.16}\n"
        "    r: {gap: y - 0.5*cos(a) - w*sin(a), slip: x' + (0.5*cos(a) + w*sin(a))*a', friction: "
        "0.19, restitution: 0.16}\n"
        "initial: {a: 0.1, y: 0.5*cos(0.1) + w*sin(0.1), x': 1}\nlaw: breakable\n"
        "run: {until: 0.17}\n";
    const char *names[] = {"w"};
    double ends[4], quotient;
    for (int i = 0; i < 4; i++) {
        char set[40];
        const char *sets[] = {set};
        motion m;
        snprintf(set, sizeof set, "w=%.17g", 0.79 + 1e-3 * (i < 2 ? i - 2 : i - 1));
        open_motion(&m, text, 1, sets);
        run_plain(&m);
        ends[i] = m.result.u[2];
        close_motion(&m);
    }
    quotient = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / 12e-3;
    motion m;
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, names);
    assert_true(m.tangents.exists && m.result.events > 1);
    check_close(m.tangents.u[2], quotient, 1e-6);
    close_motion(&m);
}

/* A chain of masses on hard springs that strikes a wall: one direction goes by the explicit method,
 * eight together by collocation, and they agree. */
static void test_two_methods(void **unused)
{
    (void)unused;
    const char *text = "carom: 1\nparameters: {k: 2}\nsystem:\n"
                       "  coordinates: [x1, x2, x3, x4, x5, x6, x7, x8]\n"
                       "  kinetic: x1'^2/2\n  potential: x1^2/2\n"
                       "  repeat:\n    - index: i\n      from: 1\n      to: 7\n"
                       "      kinetic: x$(i+1)'^2/2\n"
                       "      potential: k*((x$(i+1) - x$i)^2/2 + (x$(i+1) - x$i)^4/4)\n"
                       "      forces: {x$i: -0.1*x$i'*(1 + x$(i+1)^2)}\n"
                       "  contacts: {wall: {gap: 0.5 - x8, restitution: 0.7}}\n"
                       "initial: {x1': 1, x3': 1.5, x8': 0.8}\nlaw: newton\nrun: {until: 4}\n";
    static const char *const names[] = {"k",           "initial.x1", "initial.x2'", "initial.x3",
                                        "initial.x4'", "initial.x6", "initial.x7'", "initial.x8"};
    motion all;
    open_motion(&all, text, 0, NULL);
    run_varied(&all, 8, names);
    assert_true(all.tangents.exists && all.result.events > 1);
    for (int j = 0; j < 8; j++) {
        motion one;
        open_motion(&one, text, 0, NULL);
        run_varied(&one, 1, &names[j]);
        for (int i = 0; i < 8; i++) {
            check_close(all.tangents.q[i + 8 * j], one.tangents.q[i], 1e-9);
            check_close(all.tangents.u[i + 8 * j], one.tangents.u[i], 1e-9);
        }
        close_motion(&one);
    }
    close_motion(&all);
}

/* Where there is none the reason names the cause. */
static void test_reasons(void **unused)
{
    (void)unused;
    static const struct {
        const char *system, *word;
    } cases[] = {
        {"  coordinates: [x]\n  kinetic: x'^2/2\n  contacts: {c: {gap: 1 + (x - p)^2, restitution: "
         "1}}\ninitial: {x': 1}\n",
         NULL},
        {"  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n  contacts:\n    a: {gap: 2*p - x}\n  "
         "  b: {gap: 2*p - x - y/3}\ninitial: {x': 1, y': 0}\n",
         "at one instant"},
        /* a ball that just reaches the ceiling; and one that just fails to */
        {"  coordinates: [y]\n  kinetic: y'^2/2\n  potential: y\n"
         "  contacts: {top: {gap: 0.5 - y}}\ninitial: {y': p}\n",
         "contact top is grazed"},
        {"  coordinates: [y]\n  kinetic: y'^2/2\n  potential: y\n"
         "  contacts: {top: {gap: 0.50000000001 - y}}\ninitial: {y': p}\n",
         NULL},
        /* the same on a path that is integrated */
        {"  coordinates: [y]\n  kinetic: y'^2/2\n  potential: y^2/2\n"
         "  contacts: {top: {gap: 1 - y}}\ninitial: {y': p}\n",
         "contact top is grazed"},
        /* pushed with all that friction holds; and with less */
        {"  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n  potential: y\n  forces: {x: p/2}\n"
         "  contacts: {f: {gap: y, slip: x', friction: 0.5}}\ninitial: {x: 0}\n",
         "sticks at the limit of its friction"},
        {"  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n  potential: y\n  forces: {x: p/3}\n"
         "  contacts: {f: {gap: y, slip: x', friction: 0.5}}\ninitial: {x: 0}\n",
         NULL},
        /* resting on a floor that carries nothing */
        {"  coordinates: [y]\n  kinetic: y'^2/2\n  potential: y*(p - 1)\n"
         "  contacts: {f: {gap: y}}\ninitial: {y: 0}\n",
         "closed without a force"},
    };
    const char *names[] = {"p"};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        motion m;
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {p: 1}\nsystem:\n%slaw: newton\n"
                 "run: {until: 3}\n",
                 cases[k].system);
        open_motion(&m, text, 0, NULL);
        run_varied(&m, 1, names);
        assert_int_equal(m.tangents.exists, cases[k].word == NULL);
        if (cases[k].word && !strstr(m.tangents.reason, cases[k].word))
            fail_msg("%s", m.tangents.reason);
        close_motion(&m);
    }
}

/* A body that chatters to rest on two corners at once. The limit and its derivative were computed
 * with 130 digits, flight by flight down to 1e-45 s. What positions leave of the last gap, some
 * 1e-3 of it, is 1e-10 s here. */
static void test_two_corners(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\nparameters: {p: 0.16297303438186644, b: 1.05204482078552248}\nsystem:\n"
        "  coordinates: [x, y, a]\n  kinetic: x'^2/2 + y'^2/2 + (0.2 + 0.3*p)*a'^2/2\n"
        "  potential: 9.81*y\n  contacts:\n"
        "    l: {gap: y - 0.5*cos(a) + b*sin(a), slip: x' + (0.5*cos(a) - b*sin(a))*a', "
        "friction: 0.4385999751091, restitution: 0.4046396225690842}\n"
        "    r: {gap: y - 0.5*cos(a) - b*sin(a), slip: x' + (0.5*cos(a) + b*sin(a))*a', "
        "friction: 0.4385999751091, restitution: 0.4046396225690842}\n"
        "initial: {y: 1.8092792451381684, a: 0.08394998133182526, x': 2*p - 1, "
        "a': 0.75204482078552248}\nlaw: newton\nrun: {until: 0.9}\n";
    const char *names[] = {"p"};
    const double limit = 0.342006536284780, pull = 0.4385999751091 * 9.81;
    motion m;
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, names);
    assert_true(m.tangents.exists && m.tangents.limit);
    check_close(m.tangents.limit[0], limit, 1e-8);
    check_close(m.tangents.u[0], 2 - pull * limit, 1e-8 * pull);
    check_close(m.result.u[0], 2 * 0.16297303438186644 - 1 + pull * (0.9 - 0.87861423094745164),
                1e-9 * pull);
    close_motion(&m);
}

/* A family of scenes with numbers p1 ... p4 in (0, 1), and the laws that decide its impacts. */
typedef struct family {
    const char *name, *text;
    const char *laws[14];
} family;

/* Laws of one contact at a time, of several, and those that know no friction. */
#define EVERY_LAW                                                                                  \
    {                                                                                              \
        "coulomb", "newton", "moreau", "poisson", "inelastic", "sequential", "bend", "implicit",   \
            "breakable", "path", "lzb", "layer"                                                    \
    }
#define ONE_LAW                                                                                    \
    {                                                                                              \
        ""                                                                                         \
    }

enum { SPINNING_BALL = 5 };
static const family families[] = {
    {"forced oscillator at a stop",
     "system:\n  coordinates: [x]\n  kinetic: x'^2/2\n  potential: x^2/2\n"
     "  forces: {x: cos((0.6 + p1)*t) - 0.2*p2*x'}\n"
     "  contacts: {stop: {gap: 0.4 + p3 - x, restitution: 0.3 + 0.6*p4}}\n"
     "initial: {x: p2 - 0.6, x': p4}\nlaw: newton\nrun: {until: 12}\n",
     ONE_LAW},
    {"body with two rough corners",
     "system:\n  coordinates: [x, y, a]\n  kinetic: x'^2/2 + y'^2/2 + (0.2 + 0.3*p3)*a'^2/2\n"
     "  potential: 9.81*y\n  contacts:\n"
     "    l: {gap: y - 0.5*cos(a) + (0.3 + p4)*sin(a), slip: x' + (0.5*cos(a) - (0.3 + p4)*sin(a))*"
     "a', friction: 0.1 + 0.4*p1, restitution: 0.5*p2}\n"
     "    r: {gap: y - 0.5*cos(a) - (0.3 + p4)*sin(a), slip: x' + (0.5*cos(a) + (0.3 + p4)*sin(a))*"
     "a', friction: 0.1 + 0.4*p1, restitution: 0.5*p2}\n"
     "initial: {y: 1 + p2, a: 0.3*p1 - 0.17, x': 2*p3 - 1, a': p4}\nlaw: LAW\n"
     "run: {until: 0.9}\n",
     EVERY_LAW},
    {"dragged block",
     "system:\n  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n"
     "  potential: 9.81*y + (2 + 4*p1)*(x - (0.3 + p2)*t)^2\n"
     "  forces: {y: (2 + 3*p3)*sin(2*t)}\n"
     "  contacts: {floor: {gap: y, slip: x', friction_static: 0.2 + 0.3*p4, friction_dynamic: 0.1 +"
     " 0.2*p4}}\n"
     "initial: {x': p3}\nlaw: coulomb\nrun: {until: 4}\n",
     ONE_LAW},
    {"three balls on a line",
     "system:\n  coordinates: [x, y, z]\n"
     "  kinetic: (0.5 + p1)*x'^2/2 + (0.5 + p2)*y'^2/2 + (0.5 + p3)*z'^2/2\n"
     "  contacts: {a: {gap: y - x, restitution: p4}, b: {gap: z - y, restitution: 0.9}, w: {gap: 3 "
     "-"
     " z, restitution: 0.8}}\n"
     "initial: {x: 0, y: 0.5 + p4/2, z: 1.5 + p1, x': 1 + p2, z': p3 - 0.5}\nlaw: LAW\nrun: "
     "{until: "
     "3}\n",
     EVERY_LAW},
    {"pendulum with kicks and a floor",
     "system:\n  coordinates: [th]\n  kinetic: th'^2/2\n  potential: -(5 + p1)*cos(th)\n"
     "  events:\n    kick: {at: th - 0.2 - 0.1*p2, direction: up, set: {th': th' + 0.3*p3 + "
     "0.1*sin(t)}}\n"
     "  contacts: {wall: {gap: th + 0.9 - 0.3*p4, restitution: 0.6}}\n"
     "initial: {th: 0.1*p1, th': 1 + p3}\nlaw: newton\nrun: {until: 5}\n",
     ONE_LAW},
    [SPINNING_BALL] =
        {"ball with spin in space",
         "system:\n  coordinates: [x, y, z, a, b]\n"
         "  kinetic: (x'^2 + y'^2 + z'^2)/2 + (0.2 + 0.4*p3)*(a'^2 + b'^2)/2\n"
         "  potential: 9.81*z + (1 + p1)*x^2/2 + p4*y^2\n"
         "  contacts: {floor: {gap: z, slip: [x' - b', y' + a'], friction: 0.1 + 0.3*p2, "
         "restitution: "
         "0.7*p1}}\n"
         "initial: {z: 0.1 + 0.2*p4, x': 1 + p3, y': p2 - 0.5, a': 2*p1 - 1, b': p4}\nlaw: LAW\n"
         "run: {until: 0.8}\n",
         EVERY_LAW},
    {"dragged round in space",
     "system:\n  coordinates: [x, y, z]\n  kinetic: (x'^2 + y'^2 + z'^2)/2\n"
     "  potential: 9.81*z + p1*x*y\n"
     "  forces: {x: (3 + p2)*t*cos((1 + p3)*t), y: (3 + p2)*t*sin((1 + p3)*t) + 0.3*p4}\n"
     "  contacts: {floor: {gap: z, slip: [x', y'], friction_static: 0.25 + 0.2*p1, "
     "friction_dynamic: 0.2 + 0.2*p1}}\n"
     "law: coulomb\nrun: {until: 3}\n",
     ONE_LAW},
    {"pulled round and held in space",
     "system:\n  coordinates: [x, y, z, a, b]\n"
     "  kinetic: (x'^2 + y'^2 + z'^2)/2 + (0.2 + 0.4*p3)*(a'^2 + b'^2)/2\n"
     "  potential: 9.81*z + (2 + p4)*((x - t*cos((1 + p2)*t))^2 + (y - 0.4*sin(2*t))^2)\n"
     "  forces: {a: -3*p3*a, b: 2*t}\n"
     "  contacts: {floor: {gap: z, slip: [x' - b', y' + a'], friction: 0.1 + 0.3*p1}}\n"
     "law: coulomb\nrun: {until: 2}\n",
     ONE_LAW},
    {"body on three legs",
     "system:\n  coordinates: [x, y, z, a, b]\n"
     "  kinetic: (x'^2 + y'^2 + z'^2)/2 + (0.2 + 0.4*p3)*(a'^2 + b'^2)/2\n  potential: 9.81*z\n"
     "  contacts:\n"
     "    i: {gap: z + a, slip: [x' - 0.3*b', y' + 0.3*a'], friction: 0.1 + 0.3*p2, restitution: "
     "0.6*p1}\n"
     "    j: {gap: z - 0.5*a + b, slip: [x' - 0.3*b', y' + 0.3*a'], friction: 0.1 + 0.3*p2, "
     "restitution: 0.6*p1}\n"
     "    k: {gap: z - 0.5*a - b, slip: [x' - 0.3*b', y' + 0.3*a'], friction: 0.1 + 0.3*p2, "
     "restitution: 0.6*p1}\n"
     "initial: {z: 0.5 + p4, x': 1 + p3, y': p2 - 0.5, a: 0.3*p1 - 0.15, b: 0.3*p2 - 0.14}\nlaw: "
     "LAW\nrun: {until: 0.7}\n",
     EVERY_LAW},
};

/* What is left of an accumulation when it is crossed; motions and differences are as sharp as it.
 */
static const double sharp = 1e-10;

/* Motions and parameters are of size 1. */
static const double least = 0.1;

/* Of the differences compared with. A flight that is as low as positions can tell, eps^(1/2), ends
 * at an instant that is known to eps^(1/2), and with it what friction does from then on:
 * differences have that noise over their step. Those with a quarter of the step have four times of
 * it, and tell how much. */
static const double coarse_step = 4e-4;

typedef struct numbers {
    double p[4];
} numbers;

/* The end of the motion with parameter j moved by h; false: it ended early. */
static bool end_at(const char *text, const numbers *at, int j, double h, double *x, int *n,
                   long *events)
{
    char words[4][40];
    const char *sets[4];
    motion m;
    for (int i = 0; i < 4; i++) {
        snprintf(words[i], sizeof words[i], "p%d=%.17g", i + 1, at->p[i] + (i == j ? h : 0));
        sets[i] = words[i];
    }
    open_motion(&m, text, 4, sets);
    m.options.accumulation = sharp;
    run_plain(&m);
    *n = m.shape->n;
    *events = m.result.events;
    memcpy(x, m.result.q, sizeof(double) * (size_t)*n);
    memcpy(x + *n, m.result.u, sizeof(double) * (size_t)*n);
    const bool good = m.status == CAROM_OK;
    close_motion(&m);
    return good;
}

/* Richardson's difference; false: the motions have different events, and the difference is of two
 * branches. *scale: the largest entry. */
static bool difference(const char *text, const numbers *at, int j, double h, double *d,
                       double *scale)
{
    double x[4][2 * MOST];
    const double steps[] = {h, -h, 2 * h, -2 * h};
    long events[4];
    int n = 0;
    for (int i = 0; i < 4; i++)
        if (!end_at(text, at, j, steps[i], x[i], &n, &events[i]) || events[i] != events[0])
            return false;
    *scale = 0;
    for (int i = 0; i < 2 * n; i++) {
        d[i] = (8 * (x[0][i] - x[1][i]) - (x[2][i] - x[3][i])) / (12 * h);
        *scale = fmax(*scale, fabs(d[i]));
    }
    return true;
}

/* Compare one scene in all four parameters; counts. */
typedef struct counts {
    int compared, none, branches, noisy, above;
    double worst;
} counts;

static void compare(const family *f, const char *law, const numbers *at, counts *c)
{
    static const char *const names[] = {"p1", "p2", "p3", "p4"};
    char text[3000], words[4][40];
    const char *sets[4], *place = strstr(f->text, "LAW");
    const char *head = "carom: 1\nparameters: {p1: 0, p2: 0, p3: 0, p4: 0}\n";
    if (place)
        snprintf(text, sizeof text, "%s%.*s%s%s", head, (int)(place - f->text), f->text, law,
                 place + 3);
    else
        snprintf(text, sizeof text, "%s%s", head, f->text);
    motion m;
    for (int i = 0; i < 4; i++) {
        snprintf(words[i], sizeof words[i], "p%d=%.17g", i + 1, at->p[i]);
        sets[i] = words[i];
    }
    open_motion(&m, text, 4, sets);
    m.options.accumulation = sharp;
    run_varied(&m, 4, names);
    const int n = m.shape->n;
    for (int j = 0; j < 4; j++) {
        double fine[2 * MOST], coarse[2 * MOST], scale, other, off = 0, doubt = 0;
        if (!m.tangents.exists || m.status != CAROM_OK) {
            c->none++;
            continue;
        }
        if (!difference(text, at, j, coarse_step, coarse, &scale) ||
            !difference(text, at, j, coarse_step / 4, fine, &other)) {
            c->branches++;
            continue;
        }
        for (int i = 0; i < 2 * n; i++) {
            const double x = i < n ? m.tangents.q[i + j * n] : m.tangents.u[i - n + j * n];
            off = fmax(off, fabs(x - coarse[i]));
            doubt = fmax(doubt, fabs(fine[i] - coarse[i]));
        }
        scale = fmax(scale, least);
        if (doubt > 1e-6 * scale) { /* differences of neighbouring motions are no reference here */
            c->noisy++;
            continue;
        }
        c->compared++;
        c->worst = fmax(c->worst, (off - doubt) / scale);
        if (off > 1e-6 * scale + doubt) {
            print_error("%s, law %s: d/dp%d off by %g of %g (differences by %g)\n", f->name, law,
                        j + 1, off, scale, doubt);
            for (int i = 0; i < 4; i++)
                print_error(" %s", words[i]);
            for (int i = 0; i < 2 * n; i++)
                print_error("\n %.12g %.12g",
                            i < n ? m.tangents.q[i + j * n] : m.tangents.u[i - n + j * n],
                            coarse[i]);
            c->above++;
        }
    }
    close_motion(&m);
}

/* The random scenes of one family and law. */
static void sample(const family *f, const char *law, int scenes, uint32_t seed, counts *c)
{
    uint32_t state = seed;
    for (int k = 0; k < scenes; k++) {
        numbers at;
        for (int i = 0; i < 4; i++) {
            state = state * 1664525u + 1013904223u;
            at.p[i] = 0.05 + 0.9 * (state >> 8) / (double)(1 << 24);
        }
        compare(f, law, &at, c);
    }
}

static void test_random(void **unused)
{
    (void)unused;
    const char *scale = getenv("CAROM_TEST_SCENES");
    counts all = {0};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t l = 0; families[f].laws[l]; l++) {
            counts c = {0};
            sample(&families[f], families[f].laws[l], scale ? atoi(scale) : 2,
                   12345u + (uint32_t)(100 * f + l), &c);
            if (scale)
                print_message("%s, %s: %d compared, %d without derivative, %d with other branches, "
                              "%d noisy, %d above 1e-6, worst %g\n",
                              families[f].name, families[f].laws[l], c.compared, c.none, c.branches,
                              c.noisy, c.above, c.worst);
            all.compared += c.compared;
            all.none += c.none;
            all.branches += c.branches;
            all.noisy += c.noisy;
            all.above += c.above;
        }
    if (scale)
        print_message("%d compared, %d without, %d other branches, %d noisy, %d above\n",
                      all.compared, all.none, all.branches, all.noisy, all.above);
    assert_int_equal(all.above, 0);
    assert_true(all.compared > all.none + all.branches + all.noisy);
}

/* A ball that comes to rest by a law whose friction is no multiple of mu: the ratio of its impulses
 * moves with everything, and so does what the flights that are left out take. */
static void test_friction_of_flights(void **unused)
{
    (void)unused;
    const numbers at = {
        {0.89912106990814211, 0.19366614222526551, 0.77958917617797863, 0.27453329563140871}};
    counts c = {0};
    compare(&families[SPINNING_BALL], "breakable", &at, &c);
    assert_int_equal(c.above, 0);
    assert_true(c.compared > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_balls),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_accumulation),
        cmocka_unit_test(test_sliding_to_rest),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_two_corners),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_two_methods),
        cmocka_unit_test(test_beside_rest),
        cmocka_unit_test(test_friction_of_flights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
