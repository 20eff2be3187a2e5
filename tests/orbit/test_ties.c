/* What rounding must not decide: the order of events at one instant, the slip of a body that does
 * not slip, a floor that starts to move at an event. References are closed forms; numbers are
 * drawn at random, so that ties are exact in theory only. */
#include "family.h"
#include "varied.h"

#include <math.h>
#include <stdio.h>

/* A block that a force p = 0 pulls along bounces on a steep rough floor. Where it sticks at each
 * impact, x' = p (t - t_last) behind the last. Its slip is nothing but rounding, and laws that are
 * known by their outcomes must not take steps that are a part of that. */
static void test_no_slip(void **unused)
{
    (void)unused;
    static const char *const laws[] = {"path", "lzb", "poisson", "coulomb"};
    family f = family_start("stuck at every impact", 18, 400);
    while (family_next(&f)) {
        char text[600];
        static const char *const names[] = {"p"};
        const char *law = laws[check_random_int(&f.random, 4)];
        const double slope = check_random_in(&f.random, 0.02, 0.3);
        snprintf(
            text, sizeof text,
            "carom: 1\nparameters: {p: 0}\nsystem:\n  coordinates: [x, y]\n"
            "  kinetic: (x'^2 + %.17g*y'^2)/2\n  potential: 4*y\n  forces: {x: p, y: -0.2*y'}\n"
            "  contacts: {f: {gap: y + %.17g*x, slip: x', friction: %.17g, restitution: %.17g}}\n"
            "initial: {y: %.17g}\nlaw: %s\nrun: {until: 2, tolerance: %.3g}\n",
            check_random_in(&f.random, 1, 2), slope, slope + check_random_in(&f.random, 0.05, 0.3),
            check_random_in(&f.random, 0.4, 0.6), check_random_in(&f.random, 0.3, 0.6), law,
            pow(10, -floor(check_random_in(&f.random, 9, 14))));
        motion m;
        open_motion(&m, text, 0, NULL);
        m.options.keep_impacts = 1000;
        run_varied(&m, 1, names);
        const double last = m.result.impacts[m.result.impact_kept - 1].t;
        const double told = m.tangents.exists ? m.tangents.u[0] : NAN;
        /* not every law holds it with every friction */
        const bool away = fabs(m.result.u[0]) > 1e-12 || m.result.accumulation_count > 0;
        family_check(&f, away || fabs(told - (2 - last)) <= 1e-8,
                     "law %s: %.12g, should be %.12g: %s", law, told, 2 - last, m.tangents.reason);
        close_motion(&m);
    }
    family_end(&f);
}

/* Two events at t = T, one by time, one by a coordinate y = c t, whose `set`s do not commute: they
 * happen in the order in which they are listed. */
static void test_order(void **unused)
{
    (void)unused;
    static const char *const names[] = {"v", "T"};
    static const char *const events[] = {"a: {at: t - T, direction: up, set: {x': 2*x'}}",
                                         "b: {at: y - c*T, direction: up, set: {x': x' + 1}}"};
    family f = family_start("events in their order", 19, 400);
    while (family_next(&f)) {
        char text[600];
        const int first = check_random_int(&f.random, 2);
        const double v = check_random_in(&f.random, 0.5, 2), T = check_random_in(&f.random, 0.2, 1);
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {v: %.17g, c: %.17g, T: %.17g}\nsystem:\n"
                 "  coordinates: [x, y]\n  kinetic: (x'^2 + y'^2)/2\n  events:\n    %s\n    %s\n"
                 "initial: {x': v, y': c}\nrun: {until: 2}\n",
                 v, check_random_in(&f.random, 0.3, 3), T, events[first], events[1 - first]);
        motion m;
        open_motion(&m, text, 0, NULL);
        run_varied(&m, 2, names);
        const double after = first == 0 ? 2 * v + 1 : 2 * (v + 1);
        const bool same = m.tangents.exists && fabs(m.result.u[0] - after) <= 1e-12 &&
                          fabs(m.tangents.q[0] - (T + 2 * (2 - T))) <= 1e-9 &&
                          fabs(m.tangents.q[2] - (v - after)) <= 1e-9;
        family_check(&f, same, "first %d: x' = %.12g, should be %.12g; %.12g, should be %.12g: %s",
                     first, m.result.u[0], after, m.tangents.q[2], v - after, m.tangents.reason);
        close_motion(&m);
    }
    family_end(&f);
}

/* An event at the very gap of a contact comes before its impact, which what it sets prevents. */
static void test_event_at_gap(void **unused)
{
    (void)unused;
    static const char *const names[] = {"h"};
    family f = family_start("an event at a gap", 20, 400);
    while (family_next(&f)) {
        char text[600];
        const double h = check_random_in(&f.random, 0.3, 1), g = check_random_in(&f.random, 5, 10);
        const double e = check_random_in(&f.random, 0.5, 0.9), t = sqrt(2 * h / g), T = 1.6 * t;
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {h: %.17g}\nsystem:\n  coordinates: [x, y]\n"
                 "  kinetic: (x'^2 + y'^2)/2\n  potential: %.17g*y\n%s"
                 "  contacts: {floor: {gap: y, restitution: 0.3}}\n"
                 "  events: {k: {at: y, direction: down, set: {y': -%.17g*y', x': x' + 1}}}\n"
                 "initial: {y: h}\nrun: {until: %.17g}\n",
                 h, g, check_random_int(&f.random, 2) ? "  forces: {x: -x^3}\n" : "", e, T);
        motion m;
        open_motion(&m, text, 0, NULL);
        run_varied(&m, 1, names);
        const double slope = (e * (T - t) - e * t + (T - t)) / t;
        const bool same = m.tangents.exists && m.result.impact_count == 0 &&
                          fabs(m.tangents.q[1] - slope) <= 1e-8;
        family_check(&f, same, "%ld impacts, dy/dh %.12g, should be %.12g: %s",
                     m.result.impact_count, m.tangents.q[1], slope, m.tangents.reason);
        close_motion(&m);
    }
    family_end(&f);
}

/* A floor begins to rise at the very instant of an event: its corner is no rounding of time, which
 * would let the ball fall into it. */
static void test_floor_starts(void **unused)
{
    (void)unused;
    static const char *const names[] = {"y0"};
    family f = family_start("a floor that starts at an event", 22, 300);
    while (family_next(&f)) {
        char text[700];
        const double y = check_random_in(&f.random, 0.2, 0.4);
        const double s = check_random_in(&f.random, 0.1, 0.5);
        const double first = (sqrt(1 + 8 * y) - 1) / 4, v = 1 + 4 * first; /* y = y0 - t - 2 t^2 */
        const double T = first + check_random_in(&f.random, 0.1, 0.4);
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {y0: %.17g}\nsystem:\n  coordinates: [x, y]\n"
                 "  kinetic: (x'^2 + y'^2)/2\n  potential: 4*y + x^2/2\n  forces: {x: sin(3*t)}\n"
                 "  contacts:\n    floor: {gap: \"y - %.17g*max(0, t - %.17g)\", restitution: 1}\n"
                 "    disc: {gap: sqrt((x - 9)^2 + y^2) - 1}\n"
                 "  events: {k: {at: t - %.17g, direction: up, set: {x': x' + 0.4}}}\n"
                 "initial: {y: y0, y': -1}\nrun: {until: 1.2}\n",
                 y, s, T, T);
        motion m;
        open_motion(&m, text, 0, NULL);
        run_varied(&m, 1, names);
        /* v r - 2 r^2 = s (first + r - T), then v - 4 r becomes 2 s - v + 4 r */
        const double b = v - s, r = (b + sqrt(b * b + 8 * s * (T - first))) / 4;
        const double root = 4 * r - b, dt = 1 / v; /* by y0: first, v = 4 dt */
        const double dr = (4 * dt * r - s * dt) / root;
        const double end = 2 * s - v + 4 * r - 4 * (1.2 - first - r);
        const double slope = -4 * dt + 4 * dr + 4 * (dt + dr);
        const bool hit = first + r < 1.2;
        family_check(&f,
                     !hit || (m.tangents.exists && fabs(m.result.u[1] - end) <= 1e-8 &&
                              fabs(m.tangents.u[1] - slope) <= 1e-7),
                     "y' = %.12g, should be %.12g, %.12g by y0, should be %.12g: %s", m.result.u[1],
                     end, m.tangents.u[1], slope, m.tangents.reason);
        close_motion(&m);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_slip),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_event_at_gap),
        cmocka_unit_test(test_floor_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
