/* Derivatives of motions through impacts, friction, events and accumulations: closed forms, and
 * reasons where there are none. */
#include "orbit/varied.h"

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

/* One bounce, y = e v s - g s^2/2 after it: no coefficient is special. */
static void test_coefficients(void **unused)
{
    (void)unused;
    const char *laws[] = {"newton", "moreau", "coulomb"}, *names[] = {"e"};
    const double v = sqrt(20), s = 0.6 - sqrt(0.2);
    for (int k = 0; k < 3 * 65; k++) {
        char scene[400];
        const double e = 0.1875 + (double)(k / 3) / 80;
        snprintf(scene, sizeof scene,
                 "carom: 1\nparameters: {e: %.17g}\nsystem:\n  coordinates: [y]\n"
                 "  kinetic: y'^2/2\n  potential: 10*y\n  contacts: {f: {gap: y, restitution: e}}\n"
                 "initial: {y: 1}\nlaw: %s\nrun: {until: 0.6}\n",
                 e, laws[k % 3]);
        motion m;
        open_motion(&m, scene, 0, NULL);
        run_varied(&m, 1, names);
        assert_true(m.tangents.exists);
        check_close(m.result.q[0], e * v * s - 5 * s * s, 1e-12);
        check_close(m.tangents.q[0], v * s, 1e-12);
        close_motion(&m);
    }
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

/* The same in space: friction along d = v/|v| has acted from s = 0 on in the mean, but for the fall
 * from h: x = (|v|T - mu (gT^2/2 - h)) d, whatever e is. Impacts are known to ten digits. */
static void test_sliding_to_rest_in_space(void **unused)
{
    (void)unused;
    const char *scene =
        "carom: 1\nparameters: {e: 0.6, h: 0.5, g: 4, mu: 0.1, u: 2, w: 1}\nsystem:\n"
        "  coordinates: [x, y, z]\n  kinetic: (x'^2 + y'^2 + z'^2)/2\n  potential: g*z\n"
        "  contacts: {f: {gap: z, slip: [x', y'], friction: mu, restitution: e}}\n"
        "initial: {z: h, x': u, y': w}\nlaw: coulomb\nrun: {until: 3}\n";
    const char *names[] = {"e", "h", "g", "mu", "u", "w"};
    const double v = sqrt(5), d = 2 / v, lost = 0.1 * 17.5;
    const double exact[] = {
        0, 0.1 * d, -0.45 * d, -17.5 * d, 3 - lost * (1 - d * d) / v, lost * d / (v * v)};
    motion m;
    open_motion(&m, scene, 0, NULL);
    run_varied(&m, 6, names);
    assert_true(m.tangents.exists);
    for (int j = 0; j < 6; j++)
        check_close(m.tangents.q[3 * j], exact[j], 1e-9 * fmax(1, fabs(exact[j])));
    close_motion(&m);
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
        /* two contacts that close together whatever p is; and only for this p */
        {"  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n  contacts:\n    a: {gap: 2*p - x}\n  "
         "  b: {gap: 2*p - x - y/3}\ninitial: {x': 1, y': 0}\n",
         NULL},
        {"  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n  contacts:\n    a: {gap: 2*p - x}\n  "
         "  b: {gap: 2 - x - y/3}\ninitial: {x': 1, y': 0}\n",
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_balls),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_accumulation),
        cmocka_unit_test(test_coefficients),
        cmocka_unit_test(test_sliding_to_rest),
        cmocka_unit_test(test_sliding_to_rest_in_space),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_two_corners),
        cmocka_unit_test(test_two_methods),
        cmocka_unit_test(test_beside_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
