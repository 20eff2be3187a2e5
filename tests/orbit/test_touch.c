/* Functions that come to zero and turn back, or are zero where a motion starts or ends: there is no
 * derivative, whichever way rounding falls; beside such a point there is one. Data are multiples of
 * 1/8, so that ties are exact. */
#include "family.h"
#include "varied.h"

#include <math.h>
#include <stdio.h>

/* A kind of tie: the scene with numbers in its text, and the direction that parts it. */
typedef struct kind {
    const char *name;
    const char *wrt;
    void (*write)(double a, double b, double beside, char *text, size_t size);
} kind;

static const char frame[] = "carom: 1\nparameters: {p: 0, r: %.17g, s: %.17g, o: %.17g}\nsystem:\n"
                            "  coordinates: [x, y]\n  kinetic: (x'^2 + y'^2)/2\n%s";

static void put(char *text, size_t size, double r, double s, double o, const char *rest)
{
    snprintf(text, size, frame, r, s, o, rest);
}

/* A point flies past a circle of radius r, at the height r + o. */
static void write_circle(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  contacts: {c: {gap: sqrt(x^2 + y^2) - r, restitution: 0.5}}\n"
        "initial: {x: -s, y: r + o + p, x': 1}\nrun: {until: 2*s}\n");
}

/* A ball on a spring just reaches its stop after half a period. */
static void write_spring(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: s*y^2/2\n  contacts: {c: {gap: y + r, restitution: 0.5}}\n"
        "initial: {y: r - o + p}\nrun: {until: 5/sqrt(s)}\n");
}

/* A parabola touches the floor where another event divides the step. */
static void write_border(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: -s*y\n  contacts: {c: {gap: y, restitution: 0.5}}\n"
        "  events: {tick: {at: t - r, direction: up, set: {x': x' + 1}}}\n"
        "initial: {y: s*r^2/2 + o + p, y': -s*r}\nrun: {until: 3*r}\n");
}

/* A ball lands at the instant of an event that sets its velocity. */
static void write_meet(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: s*y\n  contacts: {c: {gap: y, restitution: 0.5}}\n"
        "  events: {tick: {at: t - r, direction: up, set: {y': 0.75*y'}}}\n"
        "initial: {y: s*r^2/2 + o + p}\nrun: {until: 1.5*r}\n");
}

/* And a force jumps there. */
static void write_meet_jump(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: s*y\n  forces: {y: 'if(t < r, 0, s/2)'}\n"
        "  contacts: {c: {gap: y, restitution: 0.5}}\n"
        "  events: {tick: {at: t - r, direction: up, set: {y: y}}}\n"
        "initial: {y: s*r^2/2 + o + p}\nrun: {until: 1.5*r}\n");
}

/* And at the end of the run. */
static void write_end(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: -s*y\n  contacts: {c: {gap: y, restitution: 0.5}}\n"
        "initial: {y: s*r^2/2 + o + p, y': -s*r}\nrun: {until: r}\n");
}

/* A thrown point just reaches the height of an event. */
static void write_event(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: s*y\n  events: {top: {at: y - s*r^2/2, direction: up, set: {x': x' + 1}}}\n"
        "initial: {y: -o - p, y': s*r}\nrun: {until: 3*r}\n");
}

/* It starts there, at rest. */
static void write_event_start(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: s*y\n  events: {top: {at: y, direction: down, set: {x': x' + 1}}}\n"
        "initial: {y': o + p}\nrun: {until: r}\n");
}

/* The slip of a block is s (t - r)^2 + o: it is touched, and ends where o < 0. */
static void write_slip(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: y\n  forces: {x: 0.5 + 2*s*(t - r)}\n"
        "  contacts: {c: {gap: y, slip: x', friction: 0.5, restitution: 0}}\n"
        "initial: {x': s*r^2 + o + p}\nlaw: coulomb\nrun: {until: 2*r}\n");
}

/* A slip ends where the force that goes on against it has jumped. */
static void write_switch(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: y\n  forces: {x: 'if(t < r, 0, s + 1)'}\n"
        "  contacts: {c: {gap: y, slip: x', friction: s, restitution: 0}}\n"
        "initial: {x': s*r + o + p}\nlaw: coulomb\nrun: {until: 2*r}\n");
}

/* Static friction is overcome at the end of the run, and dynamic friction is less. */
static void write_stick(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: y\n  forces: {x: s*t/r + o + p}\n"
        "  contacts: {c: {gap: y, slip: x', friction_static: s, friction_dynamic: s/2, "
        "restitution: 0}}\nlaw: coulomb\nrun: {until: r}\n");
}

/* A contact that is closed without a velocity, and leaves. */
static void write_leave(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: -s*y\n  contacts: {c: {gap: y, restitution: 0.5}}\n"
        "initial: {y': o + p}\nrun: {until: r}\n");
}

/* It leaves as soon as the force that holds it, zero at the start, pulls. */
static void write_pull(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  forces: {y: s*t}\n  contacts: {c: {gap: y, restitution: 0.5}}\n"
        "initial: {y': o + p}\nrun: {until: r}\n");
}

/* The slip of a block in space ends with the run. */
static void write_space(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: y\n  contacts: {c: {gap: y, slip: [0.6*x', 0.8*x'], friction: s/2, "
        "restitution: 0}}\n"
        "initial: {x': s*r/2 + o + p}\nlaw: coulomb\nrun: {until: r}\n");
}

/* One neighbour starts inside the floor. */
static void write_inside(double r, double s, double o, char *text, size_t size)
{
    put(text, size, r, s, o,
        "  potential: s*y\n  contacts: {c: {gap: y, restitution: 0}}\n"
        "initial: {y: o + p}\nrun: {until: r}\n");
}

static const kind kinds[] = {
    {"circle", "p", write_circle},
    {"spring", "p", write_spring},
    {"border", "p", write_border},
    {"end", "p", write_end},
    {"event", "p", write_event},
    {"event at the start", "p", write_event_start},
    {"slip", "p", write_slip},
    {"switch", "p", write_switch},
    {"stick", "p", write_stick},
    {"leave", "p", write_leave},
    {"pull", "p", write_pull},
    {"inside", "p", write_inside},
    {"space", "p", write_space},
    {"meet", "p", write_meet},
    {"meet and jump", "p", write_meet_jump},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Does the motion have a derivative? */
static bool exists(const kind *k, double r, double s, double o)
{
    char text[1200];
    motion m;
    k->write(r, s, o, text, sizeof text);
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, &k->wrt);
    const bool known = m.tangents.exists;
    close_motion(&m);
    return known;
}

/* Multiples of 1/8 in [1/8, 2]. */
static double draw(check_random *random)
{
    return (1 + check_random_int(random, 16)) / 8.0;
}

static void test_touch(void **unused)
{
    (void)unused;
    family f = family_start("touched, not crossed", 16, 600);
    while (family_next(&f)) {
        const kind *k = &kinds[f.member % KINDS];
        const double r = draw(&f.random), s = draw(&f.random);
        const bool tie = exists(k, r, s, 0), beside = exists(k, r, s, sqrt(2) / 64);
        family_check(&f, !tie && beside, "%s, r %g s %g: tie %d, beside it %d", k->name, r, s, tie,
                     beside);
    }
    family_end(&f);
}

/* Balls that touch without a force, and do so in all neighbours: one impact of both contacts. By
 * newton with e = 1 a ball of speed v comes back with v/3, the others leave with 2v/3. */
static void test_cradle(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\nparameters: {v: 2, d: 1}\nsystem:\n  coordinates: [a, b, c]\n"
        "  kinetic: (a'^2 + b'^2 + c'^2)/2\n  contacts: {l: {gap: b - a, restitution: 1}, "
        "r: {gap: c - b, restitution: 1}}\n"
        "initial: {b: d, c: 1, a': v}\nlaw: newton\nrun: {until: 2}\n";
    const char *const names[] = {"v", "d"};
    motion m;
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, names);
    assert_true(m.tangents.exists);
    for (int i = 0; i < 3; i++)
        check_close(m.tangents.u[i], i == 0 ? -1.0 / 3 : 2.0 / 3, 1e-12);
    close_motion(&m);
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, names + 1); /* parts them */
    assert_false(m.tangents.exists);
    close_motion(&m);
}

/* A block slides on the floor, and a direction gives it a velocity w upwards (or, by the bounce of
 * an impact with e = 0, one of e): until it is at rest again the floor has given it m g t - m w,
 * and friction mu of that. So dx'/dw = mu, dx/dw = mu t. */
static void test_hop(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\nparameters: {w: 0, e: 0, m: 0.25, i: 0}\nsystem:\n  coordinates: [x, y]\n"
        "  kinetic: (x'^2 + y'^2)/2\n  potential: 2*y\n"
        "  contacts: {f: {gap: y, slip: x', friction: m, restitution: e}}\n"
        "initial: {x': 1.5, y': w - i}\nlaw: coulomb\nrun: {until: 2}\n";
    const char *const names[] = {"w", "e"};
    const char *const sets[] = {"i=1"};
    motion m;
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, names);
    assert_true(m.tangents.exists);
    check_close(m.tangents.q[0], 0.5, 1e-12);
    check_close(m.tangents.u[0], 0.25, 1e-12);
    close_motion(&m);
    open_motion(&m, text, 1, sets);
    run_varied(&m, 1, names + 1); /* the rebound gives back what the impact took more */
    assert_true(m.tangents.exists);
    check_close(m.tangents.q[0], 0, 1e-12);
    check_close(m.tangents.u[0], 0, 1e-12);
    close_motion(&m);
}

/* A force F |t - 1| with F = 0: the motion is one of constant velocity, its derivative is not one
 * of constant acceleration. x(2) changes by the integral of (2 - t) |t - 1|, 1. */
static void test_zero_factor(void **unused)
{
    (void)unused;
    static const char text[] = "carom: 1\nparameters: {F: 0}\nsystem:\n  coordinates: [x]\n"
                               "  kinetic: x'^2/2\n  forces: {x: F*abs(t - 1)}\n"
                               "initial: {x': 1}\nrun: {until: 2}\n";
    const char *const name = "F";
    motion m;
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, &name);
    assert_true(m.tangents.exists);
    check_close(m.tangents.q[0], 1, 1e-12);
    check_close(m.tangents.u[0], 1, 1e-12);
    close_motion(&m);
}

/* A force a, behind an instant or a place T a + F, and an event at this same T that sets r times
 * the velocity. With its instant c, dc/dT = w, the velocity v there and l = U - c left,
 * x' = r v + (a + F) l and x = x(c) + r v l + (a + F) l^2/2. */
static void test_together(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\nparameters: {T: %.17g, a: %.17g, F: %.17g, r: %.17g}\nsystem:\n"
        "  coordinates: [x]\n  kinetic: x'^2/2\n  forces: {x: 'if(%s < T, a, a + F)'}\n"
        "  events: {e: {at: %s - T, direction: up%s}}\n"
        "initial: {x': %.17g}\nrun: {until: %.17g}\n";
    const char *const name = "T";
    family f = family_start("events where forces jump", 17, 600);
    while (family_next(&f)) {
        const char *sigma = f.member % 3 ? "t" : "x";
        const bool place = *sigma == 'x', sets = f.member % 2;
        const double a = draw(&f.random), F = draw(&f.random), v0 = draw(&f.random);
        const double T = draw(&f.random), r = sets ? draw(&f.random) : 1, l = draw(&f.random);
        const double v = place ? sqrt(v0 * v0 + 2 * a * T) : v0 + a * T;
        const double c = place ? (v - v0) / a : T, w = place ? 1 / v : 1;
        const double du = (r * a - a - F) * w, dx = (v - r * v) * w + du * l;
        const double size = 1 + fabs(dx) + fabs(du);
        char scene[800];
        motion m;
        snprintf(scene, sizeof scene, text, T, a, F, r, sigma, sigma,
                 sets ? ", set: {x': r*x'}" : "", v0, c + l);
        open_motion(&m, scene, 0, NULL);
        run_varied(&m, 1, &name);
        family_check(&f,
                     m.tangents.exists && fabs(m.tangents.q[0] - dx) < 1e-8 * size &&
                         fabs(m.tangents.u[0] - du) < 1e-8 * size,
                     "exists %d, %.12g %.12g, not %.12g %.12g\n%s", m.tangents.exists,
                     m.tangents.q[0], m.tangents.u[0], dx, du, scene);
        close_motion(&m);
    }
    family_end(&f);
}

/* Two events at one instant T that no direction parts: velocities 1 and 2 become 3 and 8. */
static void test_two_events(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\nparameters: {T: 1, d: 0}\nsystem:\n  coordinates: [x, y]\n"
        "  kinetic: (x'^2 + y'^2)/2\n  events: {a: {at: t - T, direction: up, set: {x': 3*x'}}, "
        "b: {at: 2*t - 2*T - d, direction: up, set: {y': 4*y'}}}\n"
        "initial: {x': 1, y': 2}\nrun: {until: 3}\n";
    const char *const names[] = {"T", "d"};
    motion m;
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, names);
    assert_true(m.tangents.exists);
    check_close(m.tangents.q[0], -2, 1e-12);
    check_close(m.tangents.q[1], -6, 1e-12);
    close_motion(&m);
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 1, names + 1); /* parts them */
    assert_false(m.tangents.exists);
    close_motion(&m);
}

/* A force along the floor that is another one from y = 0 on downwards, where a ball bounces: it
 * acts nowhere, and x'' is 1. */
static void test_floor(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\nparameters: {h: 2, F: 3}\nsystem:\n  coordinates: [x, y]\n"
        "  kinetic: (x'^2 + y'^2)/2\n  potential: y\n  forces: {x: 'if(y > 0, 1, F)'}\n"
        "  contacts: {c: {gap: y, restitution: 1}}\n"
        "initial: {y: h}\nrun: {until: 3}\n";
    const char *const names[] = {"h", "F"};
    motion m;
    open_motion(&m, text, 0, NULL);
    run_varied(&m, 2, names);
    assert_true(m.tangents.exists);
    for (int j = 0; j < 2; j++) {
        check_close(m.tangents.q[2 * j], 0, 1e-9);
        check_close(m.tangents.u[2 * j], 0, 1e-9);
    }
    close_motion(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touch),    cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_hop),      cmocka_unit_test(test_zero_factor),
        cmocka_unit_test(test_together), cmocka_unit_test(test_two_events),
        cmocka_unit_test(test_floor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
