/* Static friction above dynamic friction in time steps, against closed forms: blocks on two to four
 * feet, in the plane and in space, that are held, stopped, turned back or set off; on belts that
 * gain speed; and discs that roll in a bowl, against the event-driven method. A motion may be off
 * by what forces do in a few steps; what is held is at rest. */
#include "carom/io.h"
#include "family.h"

CHECK_ARENA(arena);

enum { MOST = 12 };

/* Where a scene leads: positions, then velocities. */
static bool follow(family *f, const char *text, double *end)
{
    carom_scene *scene;
    carom_error error = {0};
    carom_flow_result r;
    check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
    const carom_scene_content *c = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(c->system);
    const carom_status status =
        carom_flow_run(c->system, c->law, &c->initial, c->run, NULL, arena, &r, &error);
    if (status == CAROM_OK) {
        memcpy(end, r.q, sizeof(double) * (size_t)shape->nq);
        memcpy(end + shape->nq, r.u, sizeof(double) * (size_t)shape->n);
    }
    family_check(f, status == CAROM_OK, "%s", status < 0 ? error.text : r.message);
    carom_scene_destroy(scene);
    carom_arena_reset(arena);
    return status == CAROM_OK;
}

static const double g = 9.81;

/* A body on a floor, along a line: its data and where it is at `until`. */
typedef struct slide {
    double mu_s, mu_d, until, h;
    double v, f, ramp; /* at the start; force by mass f + ramp t */
    double x, end;     /* position and velocity at the end */
    bool held;         /* in the end */
} slide;

/* With a constant force: slides, perhaps stops, perhaps is set off. */
static void solve_constant(slide *s)
{
    double left = s->until;
    s->x = 0;
    s->end = s->v;
    s->held = false;
    if (s->v != 0) {
        const double a = s->f - copysign(s->mu_d * g, s->v);
        const double stop = a * s->v < 0 ? -s->v / a : INFINITY, t = fmin(stop, left);
        s->x = s->v * t + a * t * t / 2;
        s->end = stop <= left ? 0 : s->v + a * t;
        left -= t;
        if (stop > s->until)
            return;
    }
    s->held = fabs(s->f) <= s->mu_s * g;
    if (s->held)
        return;
    const double a = s->f - copysign(s->mu_d * g, s->f);
    s->x += a * left * left / 2;
    s->end = a * left;
}

/* At rest under a force that grows. */
static void solve_ramp(slide *s)
{
    const double begin = s->mu_s * g / fabs(s->ramp), t = s->until, d = s->mu_d * g;
    s->x = s->end = 0;
    s->held = begin >= t;
    if (s->held)
        return;
    const double r = fabs(s->ramp), v = r * (t * t - begin * begin) / 2 - d * (t - begin);
    const double x = r * (t * t * t - begin * begin * begin) / 6 -
                     r * begin * begin * (t - begin) / 2 - d * (t - begin) * (t - begin) / 2;
    s->end = copysign(v, s->ramp);
    s->x = copysign(x, s->ramp);
}

/* Not so near to a limit that the step decides. */
static bool is_clear(const slide *s)
{
    const double t = s->ramp != 0 ? s->mu_s * g / fabs(s->ramp) : 0;
    return s->ramp != 0 ? fabs(t - s->until) > 20 * s->h
                        : fabs(fabs(s->f) - s->mu_s * g) > 0.02 * s->mu_s * g &&
                              fabs(fabs(s->f) - s->mu_d * g) > 0.02 * s->mu_d * g &&
                              fabs(fabs(s->v) / (fabs(s->f) + s->mu_d * g) - s->until) > 20 * s->h;
}

static slide draw(check_random *random, int kind)
{
    slide s;
    do {
        s = (slide){.until = 1, .h = check_random_in(random, 0.001, 0.01)};
        s.mu_s = check_random_in(random, 0.2, 0.8);
        s.mu_d = s.mu_s * check_random_in(random, 0.2, 0.9);
        const double part = check_random_in(random, -1.5, 1.5);
        if (kind == 3) {
            s.ramp = part * 3 * g * s.mu_s;
        } else {
            s.f = part * g * s.mu_s;
            s.v = kind == 0 ? 0 : check_random_in(random, -2, 2);
            if (kind == 2) /* between the two limits, against the slip: it stops and is held */
                s.f = -copysign(g * (s.mu_d + (s.mu_s - s.mu_d) * fabs(part) / 1.5), s.v);
        }
    } while (!is_clear(&s));
    if (kind == 3)
        solve_ramp(&s);
    else
        solve_constant(&s);
    return s;
}

static void compare(family *f, const slide *s, double x, double v)
{
    const double a = fabs(s->f) + fabs(s->ramp) * s->until + s->mu_s * g, off = 4 * s->h * a;
    family_check(f, fabs(v - s->end) <= off, "velocity %g, should be %g", v, s->end);
    family_check(f, fabs(x - s->x) <= off * (s->until + 1) + s->h * fabs(s->v),
                 "position %g, should be %g", x, s->x);
    if (s->held)
        family_check(f, fabs(v) <= 1e-9, "it is held, and moves at %g", v);
}

/* A block whose feet are at random places below its centre, so wide that it does not tip. */
static void test_feet(void **state)
{
    (void)state;
    family f = family_start("static friction in steps, feet", 61, 600);
    while (family_next(&f)) {
        const slide s = draw(&f.random, f.member % 4);
        const int feet = 2 + (f.member / 4) % 3;
        char text[3000];
        double end[MOST];
        size_t n = (size_t)snprintf(text, sizeof text,
                                    "carom: 1\nsystem:\n  coordinates: [x, y, a]\n"
                                    "  kinetic: x'^2/2 + y'^2/2 + 0.1*a'^2\n  potential: 9.81*y\n"
                                    "  forces: {x: %.17g + %.17g*t}\n  contacts:\n",
                                    s.f, s.ramp);
        for (int k = 0; k < feet; k++)
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "    f%d: {gap: y - 0.2 + %.17g*a, slip: \"x' + 0.2*a'\", friction_static: %.17g, "
                "friction_dynamic: %.17g}\n",
                k, (k % 2 ? 1 : -1) * check_random_in(&f.random, 0.5, 2), s.mu_s, s.mu_d);
        snprintf(text + n, sizeof text - n,
                 "initial: {y: 0.2, x': %.17g}\nlaw: coulomb\nrun: {until: 1, method: "
                 "time-stepping, step: %.17g%s}\n",
                 s.v, s.h, f.member % 3 == 1 ? ", theta: 1" : "");
        if (follow(&f, text, end))
            compare(&f, &s, end[0], end[3]);
    }
    family_end(&f);
}

/* A stool on three or four feet that is pushed in any direction, without turning. */
static void test_stool(void **state)
{
    (void)state;
    family f = family_start("static friction in steps, a stool", 62, 300);
    while (family_next(&f)) {
        const slide s = draw(&f.random, f.member % 4);
        const int feet = f.member % 5 == 0 ? 1 : 3 + (f.member / 4) % 2;
        const double way = check_random_in(&f.random, 0, 6.28), c = cos(way), d = sin(way);
        char text[3000];
        double end[MOST];
        size_t n =
            (size_t)snprintf(text, sizeof text,
                             "carom: 1\nsystem:\n  coordinates: [x, y, z, a, b]\n"
                             "  kinetic: (x'^2 + y'^2 + z'^2)/2 + 0.1*(a'^2 + b'^2)\n"
                             "  potential: 9.81*z + %d*(a^2 + b^2)\n"
                             "  forces: {x: %.17g + %.17g*t, y: %.17g + %.17g*t}\n  contacts:\n",
                             feet == 1 ? 100 : 0, s.f * c, s.ramp * c, s.f * d, s.ramp * d);
        for (int k = 0; k < feet; k++)
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "    f%d: {gap: z + %.17g*a + %.17g*b, slip: [x', y'], friction_static: %.17g, "
                "friction_dynamic: %.17g}\n",
                k, feet == 1 ? 0 : cos(2 * CAROM_PI * k / feet),
                feet == 1 ? 0 : sin(2 * CAROM_PI * k / feet), s.mu_s, s.mu_d);
        snprintf(text + n, sizeof text - n,
                 "initial: {x': %.17g, y': %.17g}\nlaw: coulomb\nrun: {until: 1, method: "
                 "time-stepping, step: %.17g}\n",
                 s.v * c, s.v * d, s.h);
        if (!follow(&f, text, end))
            continue;
        compare(&f, &s, c * end[0] + d * end[1], c * end[5] + d * end[6]);
        family_check(&f, fabs(d * end[5] - c * end[6]) <= 1e-9, "it moves sideways at %g",
                     d * end[5] - c * end[6]);
    }
    family_end(&f);
}

/* On a belt that gains speed, from rest: carried along within mu_s, left behind by mu_d. */
static void test_belt(void **state)
{
    (void)state;
    family f = family_start("static friction in steps, a belt that gains speed", 63, 200);
    while (family_next(&f)) {
        slide s = draw(&f.random, 0);
        char text[1000];
        double end[MOST];
        snprintf(text, sizeof text,
                 "carom: 1\nsystem:\n  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n"
                 "  potential: 9.81*y\n  contacts: {belt: {gap: y, slip: \"x' - %.17g*t\", "
                 "friction_static: %.17g, friction_dynamic: %.17g}}\nlaw: coulomb\n"
                 "run: {until: 1, method: time-stepping, step: %.17g}\n",
                 s.f, s.mu_s, s.mu_d, s.h);
        const double a = fabs(s.f) <= s.mu_s * g ? s.f : copysign(s.mu_d * g, s.f);
        if (!follow(&f, text, end))
            continue;
        family_check(&f, fabs(end[2] - a) <= 4 * s.h * (fabs(s.f) + s.mu_s * g),
                     "velocity %g, should be %g", end[2], a);
    }
    family_end(&f);
}

/* Rolling needs a third of tan(angle) of friction: less than mu_s, more than mu_d. */
static void test_bowl(void **state)
{
    (void)state;
    family f = family_start("static friction in steps, a disc in a bowl", 64, 40);
    while (family_next(&f)) {
        const double angle = check_random_in(&f.random, 0.3, 0.8), r = 0.1, R = 1;
        char text[2][1600];
        double end[2][MOST];
        for (int k = 0; k < 2; k++) {
            const size_t n = (size_t)snprintf(
                text[k], sizeof *text,
                "carom: 1\nsystem:\n  coordinates: [x, y, a]\n"
                "  kinetic: x'^2/2 + y'^2/2 + %.17g*a'^2/4\n  potential: 9.81*y\n"
                "  contacts: {bowl: {gap: \"%.17g - sqrt(x^2 + y^2)\", slip: \"(x*y' - "
                "y*x')/sqrt(x^2 + y^2) + %.17g*a'\", friction_static: 1, friction_dynamic: "
                "0.02}}\n"
                "initial: {x: %.17g, y: %.17g}\nlaw: coulomb\n",
                r * r, R - r, r, (R - r) * sin(angle), -(R - r) * cos(angle));
            snprintf(text[k] + n, sizeof *text - n, "run: {until: 1%s}\n",
                     k ? ", method: time-stepping, step: 5e-4, project: yes" : "");
        }
        if (!follow(&f, text[0], end[0]) || !follow(&f, text[1], end[1]))
            continue;
        for (int i = 0; i < 2; i++)
            family_check(&f, fabs(end[0][i] - end[1][i]) <= 0.01, "coordinate %d: %g, should be %g",
                         i, end[1][i], end[0][i]);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feet),
        cmocka_unit_test(test_stool),
        cmocka_unit_test(test_belt),
        cmocka_unit_test(test_bowl),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
