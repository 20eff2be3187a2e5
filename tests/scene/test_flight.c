/* Flights of constant force towards walls that move, bend and turn: impacts found by bounds of the
 * curvature are those that the sampled search finds, and, for a ball on a table, those of a search
 * of our own; long runs at late times do not get stuck. */
#include "carom/io.h"
#include "family.h"

CHECK_ARENA(arena);

enum { ROOM = 3000, IMPACTS = 6 };

/* The first impacts of a scene: times and contacts. */
typedef struct story {
    int count;
    long steps;
    double t[IMPACTS];
    int contact[IMPACTS];
    bool ended; /* without trouble */
    char message[sizeof(((carom_error *)NULL)->text)];
} story;

/* events: 0 for as many as there are; from: when it starts. */
static story tell(const char *text, long events, double from)
{
    story s = {0};
    carom_scene *scene;
    carom_error error = {0};
    carom_flow_result r;
    check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
    const carom_scene_content *c = carom_scene_get(scene);
    carom_flow_options options = *c->run;
    carom_flow_start start = c->initial;
    start.t = from;
    options.until += from;
    options.max_events = events;
    const carom_status status =
        carom_flow_run(c->system, c->law, &start, &options, NULL, arena, &r, &error);
    s.ended = status >= 0 && (status == CAROM_OK || r.end == CAROM_FLOW_EVENT_LIMIT);
    snprintf(s.message, sizeof s.message, "%s", status < 0 ? error.text : r.message);
    s.steps = status < 0 ? 0 : r.steps;
    for (long k = 0; status >= 0 && k < r.impact_count && k < IMPACTS; k++) {
        s.t[s.count] = r.impacts[k].t;
        s.contact[s.count++] = r.impacts[k].contacts[0];
    }
    carom_scene_destroy(scene);
    carom_arena_reset(arena);
    return s;
}

/* A wall of some kind for a point (x, y) around the origin. */
static void draw_wall(check_random *r, int number, char *text, size_t room)
{
    const double a = check_random_in(r, 0.02, 0.3), w = check_random_in(r, 1, 30),
                 p = check_random_in(r, 0, 6), at = check_random_in(r, 1, 2);
    switch ((int)check_random_in(r, 0, 6.999)) {
    case 0: /* a table that shakes */
        snprintf(text, room, "y + %.4f - %.4f*sin(%.4f*t + %.4f)", at, a / w, w, p);
        break;
    case 1: /* a corrugated floor, which may travel */
        snprintf(text, room, "y + %.4f - %.4f*cos(%.4f*(x - %d*t))", at, a / w, w, number % 2);
        break;
    case 2: /* a peg */
        snprintf(text, room, "sqrt((x - %.4f)^2 + (y + %.4f)^2) - %.4f", p - 3, at, a);
        break;
    case 3: /* a round room */
        snprintf(text, room, "%.4f - x^2 - y^2", 4 * at * at);
        break;
    case 4: /* a wall that comes nearer */
        snprintf(text, room, "%.4f - x - %.4f*t + %.4f*exp(-t)", 2 * at, a, a);
        break;
    case 5: /* a bat */
        snprintf(text, room, "y*cos(%.4f*sin(%.4f*t)) + x*sin(%.4f*sin(%.4f*t)) + %.4f", a, w, a, w,
                 at);
        break;
    default: /* a slope that goes flat: a corner, which is looked at point by point */
        snprintf(text, room, "y + %.4f - %.4f*abs(x - %.4f)", at, a, p - 3);
    }
}

static void draw_scene(check_random *r, const char *extra, char *text)
{
    char gap[2][400];
    for (int k = 0; k < 2; k++)
        draw_wall(r, k, gap[k], sizeof gap[k]);
    snprintf(text, ROOM,
             "carom: 1\nsystem:\n  coordinates: [x, y]\n  kinetic: \"x'^2/2 + y'^2/2\"\n"
             "  potential: \"%.4f*y\"\n  contacts:\n    a: {gap: \"%s\", restitution: 0.8}\n"
             "    b: {gap: \"%s\", restitution: 0.8}\n%s"
             "initial: {x: %.4f, y: %.4f, x': %.4f, y': %.4f}\nlaw: newton\n"
             "run: {until: 8}\n",
             check_random_in(r, 0.5, 4), gap[0], gap[1], extra, check_random_in(r, -0.3, 0.3),
             check_random_in(r, -0.3, 0.3), check_random_in(r, -1, 1), check_random_in(r, -1, 1));
}

/* The same instants as by samples, which an event that never happens asks for. */
static void test_agreement(void **state)
{
    (void)state;
    family f = family_start("flights by bounds and by samples", 91, 500);
    long by_bounds = 0, by_samples = 0;
    while (family_next(&f)) {
        check_random twin = f.random;
        char text[ROOM], other[ROOM];
        draw_scene(&f.random, "", text);
        draw_scene(&twin, "  events: {never: {at: 1 + t^2, direction: up}}\n", other);
        const story s = tell(text, IMPACTS, 0), o = tell(other, IMPACTS, 0);
        by_bounds += s.steps;
        by_samples += o.steps;
        family_check(&f, s.ended == o.ended && s.count == o.count, "%d and %d impacts, %s%s in\n%s",
                     s.count, o.count, s.message, o.message, text);
        double grown = 1e-9; /* an impact hands on errors, larger ones at pegs */
        for (int k = 0; k < s.count && k < o.count; k++, grown *= 20)
            family_check(&f, fabs(s.t[k] - o.t[k]) <= grown && s.contact[k] == o.contact[k],
                         "impact %d at %.12g and %.12g in\n%s", k + 1, s.t[k], o.t[k], text);
    }
    assert_true(by_bounds < by_samples);
    family_end(&f);
}

/* A ball on a table: the first landing after t by tiny steps and halves. */
static double landing(double x, double v, double t, double A, double w)
{
    const double g = 9.81, dt = 1e-3 / w;
    double from = t + dt;
    for (long k = 1; k < 100000000; k++, from += dt) {
        const double s = from + dt - t;
        if (x + s * (v - 0.5 * g * s) < A * sin(w * (t + s)))
            break;
    }
    double to = from + dt;
    for (int k = 0; k < 80; k++) {
        const double mid = 0.5 * (from + to), s = mid - t;
        *(x + s * (v - 0.5 * g * s) < A * sin(w * mid) ? &to : &from) = mid;
    }
    return to;
}

static void test_table(void **state)
{
    (void)state;
    family f = family_start("a ball on a table", 92, 60);
    while (family_next(&f)) {
        check_random *r = &f.random;
        const double A = check_random_in(r, 0.001, 0.05), w = check_random_in(r, 5, 80),
                     e = check_random_in(r, 0.5, 0.95);
        char text[ROOM];
        snprintf(text, sizeof text,
                 "carom: 1\nsystem: {coordinates: [x], kinetic: \"x'^2/2\", potential: 9.81*x, "
                 "contacts: {f: {gap: \"x - %.17g*sin(%.17g*t)\", restitution: %.17g}}}\n"
                 "initial: {x: 0.3}\nlaw: newton\nrun: {until: 20}\n",
                 A, w, e);
        const story s = tell(text, IMPACTS, 0);
        double x = 0.3, v = 0, t = 0, grown = 1e-12;
        for (int k = 0; k < s.count; k++, grown *= 30) {
            const double next = landing(x, v, t, A, w), u = v - 9.81 * (next - t);
            if (fabs(u - A * w * cos(w * next)) < 0.02) /* a graze: tiny steps may miss it */
                break;
            family_check(&f, fabs(s.t[k] - next) <= grown * (1 + next),
                         "impact %d at %.15g, should be %.15g", k + 1, s.t[k], next);
            x = A * sin(w * next);
            v = A * w * cos(w * next) * (1 + e) - e * u;
            t = next;
        }
    }
    family_end(&f);
}

/* A ball that comes to rest on a table and is thrown up again, at times so late that few digits of
 * its phase are left. */
static void test_late(void **state)
{
    (void)state;
    const char *text =
        "carom: 1\nsystem: {coordinates: [x], kinetic: \"x'^2/2\", potential: 9.81*x, "
        "contacts: {f: {gap: \"x - 0.01*sin(60*t)\", restitution: 0.3}}}\n"
        "initial: {x: 0.05}\nlaw: newton\nrun: {until: 4}\n";
    for (int k = 0; k < 40; k++) {
        const double from = pow(1.4, k); /* up to 5e5 */
        const story s = tell(text, 0, from);
        if (!s.ended || s.count < IMPACTS)
            fail_msg("from %.17g on: %d impacts, %s", from, s.count, s.message);
    }
}

/* A table whose phase has few digits, and that all but throws its ball: what velocity and force it
 * has is a staircase. */
static void test_staircase(void **state)
{
    (void)state;
    const double A[] = {0.002728, 0.002728, 0.0028}, T[] = {50000, 131072, 50000};
    for (int k = 0; k < 3; k++) {
        char text[ROOM];
        snprintf(text, sizeof text,
                 "carom: 1\nsystem: {coordinates: [x], kinetic: \"x'^2/2\", potential: 9.81*x, "
                 "contacts: {f: {gap: \"x - %.17g*sin(60*(t + %.17g))\", restitution: 0.3}}}\n"
                 "initial: {x: %.17g}\nlaw: newton\nrun: {until: 1}\n",
                 A[k], T[k], A[k] * sin(60 * T[k]));
        const story s = tell(text, 0, 0);
        if (!s.ended)
            fail_msg("T = %g: %s", T[k], s.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_staircase),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
