/* Gaps with corners: a ball on a table that moves as a saw, against parabolas over straight pieces;
 * at rest on it too, where each corner is an impact or a lift-off. And a particle on a roof or in a
 * gutter, whose one gap has two flanks. */
#include "carom/io.h"
#include "family.h"

CHECK_ARENA(arena);

static const double g = 9.81;

static bool follow(family *f, const char *text, double *q, double *u, carom_flow_result *r)
{
    carom_scene *scene;
    carom_error error = {0};
    check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
    const carom_scene_content *c = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(c->system);
    const carom_status status =
        carom_flow_run(c->system, c->law, &c->initial, c->run, NULL, arena, r, &error);
    if (status == CAROM_OK) {
        memcpy(q, r->q, sizeof(double) * (size_t)shape->nq);
        memcpy(u, r->u, sizeof(double) * (size_t)shape->n);
    }
    family_check(f, status == CAROM_OK, "%s", status < 0 ? error.text : r->message);
    carom_scene_destroy(scene);
    carom_arena_reset(arena);
    return status == CAROM_OK;
}

/* A ball above its table. */
typedef struct ball {
    double t, r, v; /* height and velocity seen from the table */
    double e;
    int impacts;
    bool clear; /* nothing hung on the last digits */
} ball;

/* Until `end`, the table moving uniformly: parabolas, and rest at the limit of the bounces. */
static void fly(ball *b, double end)
{
    while (b->clear) {
        if (b->r == 0 && b->v < 0) {
            b->v *= -b->e;
            b->impacts++;
        }
        if (b->r == 0 &&
            (b->v == 0 || (b->impacts > 0 && b->t + 2 * b->v / (g * (1 - b->e)) < end))) {
            b->v = 0;
            b->t = end;
            return;
        }
        const double s = (b->v + sqrt(b->v * b->v + 2 * g * b->r)) / g, d = end - b->t;
        b->clear = fabs(s - d) > 1e-6 && b->impacts < 2000;
        if (s < d) {
            b->t += s;
            b->v -= g * s;
            b->r = 0;
            continue;
        }
        b->r += b->v * d - g * d * d / 2;
        b->v -= g * d;
        b->t = end;
        return;
    }
}

/* The tables: a formula of w t, its corners (in w t) and the first slope. */
static const struct saw {
    const char *formula;
    double first, period;
} saws[] = {
    {"asin(sin(%.17g*t))", 0.5, 1},
    {"acos(cos(%.17g*t))", 1, 1},
    {"2*abs(asin(sin(%.17g*t/2)))", 1, 1},
    {"max(asin(sin(%.17g*t)), -asin(sin(%.17g*t)))", 0.5, 0.5},
};

static void test_saw(void **state)
{
    (void)state;
    family f = family_start("corners, a ball on a saw", 71, 600);
    while (family_next(&f)) {
        check_random *x = &f.random;
        const struct saw *saw = &saws[f.member % 4];
        const double A = check_random_in(x, 0.01, 0.3), w = check_random_in(x, 1, 30);
        const bool rests = f.member % 3 == 0;
        const double until = check_random_in(x, 0.7, 8) * CAROM_PI / w;
        ball b = {.e = f.member % 5 == 0 ? 0 : check_random_in(x, 0, 0.9), .clear = true};
        double slope = A * w, q, u, height;
        b.r = rests ? 0 : check_random_in(x, 0.01, 1);
        b.v = rests ? 0 : check_random_in(x, -2, 2) - slope;
        char text[1000], formula[200];
        snprintf(formula, sizeof formula, saw->formula, w, w);
        snprintf(text, sizeof text,
                 "carom: 1\nsystem: {coordinates: [y], kinetic: \"y'^2/2\", potential: 9.81*y, "
                 "contacts: {table: {gap: \"y - %.17g*%s\", restitution: %.17g}}}\n"
                 "initial: {y: %.17g, y': %.17g}\nlaw: newton\nrun: {until: %.17g}\n",
                 A, formula, b.e, b.r, b.v + slope, until);
        height = 0;
        for (double corner = saw->first * CAROM_PI / w, at = 0; b.clear && at < until;) {
            const double end = fmin(corner, until);
            fly(&b, end);
            height += slope * (end - at);
            at = end;
            if (end < until) {
                b.v += 2 * slope;
                slope = -slope;
            }
            b.clear = b.clear && fabs(corner - until) > 1e-6;
            corner += saw->period * CAROM_PI / w;
        }
        carom_flow_result r;
        if (!b.clear || !follow(&f, text, &q, &u, &r))
            continue;
        const double off = fmax(fabs(q - b.r - height), fabs(u - b.v - slope) / (1 + fabs(u)));
        /* each bounce and each crossing of a limit brings its rounding */
        family_check(&f, off <= 1e-9 * (1 + b.impacts), "off by %g after %d impacts, e = %g%s", off,
                     b.impacts, b.e, rests ? ", from rest" : "");
        family_check(&f, fabs(r.ledger.balance_error) <= 1e-8 * (1 + fabs(r.ledger.impacts)),
                     "balance off by %g", r.ledger.balance_error);
    }
    family_end(&f);
}

/* Up one flank of a roof y = -k|x| and off at its ridge; or down into a gutter y = k|x|, where the
 * other flank takes away what goes into it. */
static void test_flanks(void **state)
{
    (void)state;
    family f = family_start("corners, a roof and a gutter", 72, 200);
    while (family_next(&f)) {
        check_random *random = &f.random;
        const bool roof = f.member % 2;
        const double k = check_random_in(random, 0.2, 0.9) * (roof ? -1 : 1);
        const double x0 = check_random_in(random, -1, -0.2), c2 = 1 / (1 + k * k);
        const double a = k * g * c2; /* x'' on the flank x < 0 */
        const double v0 = roof ? sqrt(-2 * a * -x0) * check_random_in(random, 1.2, 3)
                               : check_random_in(random, 0.1, 2);
        const double v1 = sqrt(v0 * v0 - 2 * a * x0), t1 = (v1 - v0) / a; /* at x = 0 */
        const double s = check_random_in(random, 0.1, 0.9) * (roof ? 2 * v1 * -2 * k / g : 0.1);
        double want[4], q[2], u[2];
        if (roof) {
            want[0] = v1 * s;
            want[1] = -k * v1 * s - g * s * s / 2;
            want[2] = v1;
            want[3] = -k * v1 - g * s;
        } else { /* the part along the other flank: (1 - k^2)/(1 + k^2) */
            const double v = v1 * (1 - k * k) * c2;
            const double left = fmin(s, 0.9 * v / a);
            want[0] = v * left - a * left * left / 2;
            want[1] = k * want[0];
            want[2] = v - a * left;
            want[3] = k * want[2];
        }
        const double until = t1 + (roof ? s : fmin(s, 0.9 * v1 * (1 - k * k) * c2 / a));
        char text[1000];
        snprintf(text, sizeof text,
                 "carom: 1\nsystem: {coordinates: [x, y], kinetic: \"(x'^2 + y'^2)/2\", potential: "
                 "9.81*y, contacts: {ground: {gap: \"y - %.17g*abs(x)\", restitution: 0}}}\n"
                 "initial: {x: %.17g, y: %.17g, x': %.17g, y': %.17g}\nlaw: newton\nrun: {until: "
                 "%.17g}\n",
                 k, x0, -k * x0, v0, -k * v0, until);
        carom_flow_result r;
        if (!follow(&f, text, q, u, &r))
            continue;
        const double off = fmax(fmax(fabs(q[0] - want[0]), fabs(q[1] - want[1])),
                                fmax(fabs(u[0] - want[2]), fabs(u[1] - want[3])));
        family_check(&f, off <= 1e-8, "%s: off by %g", roof ? "roof" : "gutter", off);
        family_check(&f, r.impact_count == !roof, "%ld impacts", r.impact_count);
    }
    family_end(&f);
}

/* How a motion ended, and whether it was warned of corners. */
typedef struct verdict {
    carom_status status;
    carom_flow_end end;
    bool told; /* of a corner, in the message or a warning */
    double depth, q[2];
} verdict;

static carom_status hear(void *self, double t, const char *text, carom_error *error)
{
    (void)t;
    (void)error;
    verdict *v = self;
    v->told = v->told || strstr(text, "corner of its gap");
    return CAROM_OK;
}

static verdict rest_in(const char *contacts, double k, double l, double x0, const char *run)
{
    char text[1000];
    snprintf(text, sizeof text,
             "carom: 1\nparameters: {k: %.17g, l: %.17g}\nsystem: {coordinates: [x, y], kinetic: "
             "\"(x'^2 + y'^2)/2\", potential: 9.81*y, contacts: {%s}}\n"
             "initial: {x: %.17g, y: %.17g}\nlaw: newton\nrun: {until: 3, %s}\n",
             k, l, contacts, x0, fmax(k * x0, -l * x0), run);
    carom_scene *scene;
    carom_error error = {0};
    carom_flow_result r;
    verdict v = {0};
    const carom_flow_observer observer = {.self = &v, .warning = hear};
    check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
    const carom_scene_content *c = carom_scene_get(scene);
    v.status = carom_flow_run(c->system, c->law, &c->initial, c->run, &observer, arena, &r, &error);
    v.end = r.end;
    v.depth = r.max_penetration;
    v.told = v.told || strstr(r.message, "corner of its gap");
    memcpy(v.q, r.q, sizeof v.q);
    carom_scene_destroy(scene);
    carom_arena_reset(arena);
    return v;
}

/* A particle that comes to rest in a gutter stays there where the flanks are two contacts. As one
 * gap they have no normal there: that is the reason told, and steps do not sink without a word. */
static void test_rest_in_gutter(void **state)
{
    (void)state;
    const char *one = "g: {gap: \"y - max(k*x, -l*x)\", restitution: 0}";
    const char *two = "r: {gap: y - k*x, restitution: 0}, l: {gap: y + l*x, restitution: 0}";
    family f = family_start("corners, at rest in a gutter", 73, 100);
    while (family_next(&f)) {
        const double k = check_random_in(&f.random, 0.5, 2); /* kl > 1: no way on along a flank */
        const double l = check_random_in(&f.random, 1.05, 3) / k;
        const double x0 = f.member % 4 ? check_random_in(&f.random, -0.5, 0.5) : 0;
        verdict v = rest_in(two, k, l, x0, "method: event-driven");
        family_check(&f, v.status == CAROM_OK && hypot(v.q[0], v.q[1]) <= 1e-9,
                     "two contacts: %d, %g %g", v.end, v.q[0], v.q[1]);
        v = rest_in(one, k, l, 0, "method: event-driven");
        family_check(&f, v.told || (v.status == CAROM_OK && hypot(v.q[0], v.q[1]) <= 1e-9),
                     "one gap: %d, not told, %g %g", v.end, v.q[0], v.q[1]);
        v = rest_in(one, k, l, x0, "method: time-stepping, step: 0.001");
        family_check(&f, v.told || v.depth <= 1e-3, "steps: not told, %g deep", v.depth);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saw),
        cmocka_unit_test(test_flanks),
        cmocka_unit_test(test_rest_in_gutter),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
