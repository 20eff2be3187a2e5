/* What happens first does not depend on how long the motion is asked for: balls on tables that
 * move, pendulums against a wall, boxes of balls; impacts up to the same number are the same to the
 * last bit for ends from 1e1 to 1e7. */
#include "carom/carom.h"
#include "carom/io.h"
#include "check.h"
#include "family.h"

#include <stdio.h>
#include <string.h>

enum { IMPACTS = 12 };

typedef struct seen {
    int count;
    double t[IMPACTS], u[IMPACTS];
} seen;

static carom_status on_impact(void *self, const carom_flow_impact *impact, carom_error *error)
{
    seen *s = self;
    (void)error;
    if (s->count < IMPACTS) {
        s->t[s->count] = impact->t;
        s->u[s->count] = impact->after[0];
    }
    return ++s->count < IMPACTS ? CAROM_OK : CAROM_STOPPED;
}

/* Nothing more is to come where a ball has come to rest. */
static carom_status on_progress(void *self, double t, long steps, carom_error *error)
{
    (void)self, (void)steps, (void)error;
    return t < 9 ? CAROM_OK : CAROM_STOPPED;
}

static void write_scene(check_random *r, char *text, size_t size)
{
    const double w = check_random_in(r, 0.5, 40), A = check_random_in(r, 0.01, 5) / (w * w);
    const double e = check_random_in(r, 0.2, 1), shift = check_random_int(r, 3) * 10.0;
    switch (check_random_int(r, 3)) {
    case 0:
        snprintf(
            text, size,
            "carom: 1\nsystem: {coordinates: [q], kinetic: \"q'^2/2\", potential: \"9.81*q\", "
            "contacts: {table: {gap: \"q - %.17g*sin(%.17g*(t + %g))\", restitution: %.17g}}}\n"
            "initial: {q: %.17g}\nlaw: newton\nrun: {until: 10}\n",
            A, w, shift, e, check_random_in(r, 0.6, 2));
        break;
    case 1:
        snprintf(text, size,
                 "carom: 1\nsystem: {coordinates: [q], kinetic: \"q'^2/2\", potential: "
                 "\"-9.81*cos(q)\", contacts: {wall: {gap: \"q + %.17g\", restitution: %.17g}}}\n"
                 "initial: {q: %.17g}\nlaw: newton\nrun: {until: 10}\n",
                 check_random_in(r, 0, 0.3), e, check_random_in(r, 0.4, 1.2));
        break;
    default:
        snprintf(text, size,
                 "carom: 1\nsystem: {coordinates: [a, b], kinetic: \"a'^2/2 + %.17g*b'^2/2\", "
                 "contacts: {left: {gap: a, restitution: 1}, middle: {gap: b - a, restitution: "
                 "%.17g}, right: {gap: \"1 + %.17g*cos(%.17g*t) - b\", restitution: 1}}}\n"
                 "initial: {a: 0.2, b: 0.6, a': %.17g, b': -1}\nlaw: newton\nrun: {until: 10}\n",
                 check_random_in(r, 0.1, 5), e, 0.2 * A / (1 + A), w, check_random_in(r, 0, 2));
    }
}

static bool run(const char *text, double until, seen *s)
{
    carom_scene *scene = NULL;
    carom_arena *arena = NULL;
    carom_error error = {0};
    carom_flow_result result;
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_scene_read_text(text, strlen(text), NULL, &scene, &error), &error);
    const carom_scene_content *c = carom_scene_get(scene);
    carom_flow_options options = *c->run;
    options.until = until;
    options.max_events = 400;
    *s = (seen){0};
    const carom_flow_observer observer = {.self = s, .impact = on_impact, .progress = on_progress};
    carom_status status =
        carom_flow_run(c->system, c->law, &c->initial, &options, &observer, arena, &result, &error);
    carom_scene_destroy(scene);
    carom_arena_destroy(arena);
    return status >= 0;
}

static void test_until(void **state)
{
    (void)state;
    family f = family_start("first impacts, whatever the end", 91, 500);
    while (family_next(&f)) {
        char text[1000];
        seen first, other;
        write_scene(&f.random, text, sizeof text);
        bool same = run(text, 1e7, &first);
        for (int k = 1; k <= 6 && same; k++) {
            const double until = pow(10, k);
            same = run(text, until, &other);
            /* the last steps before the end are shorter: what happens in them has other bits */
            for (int i = 0; i < IMPACTS && i < first.count && first.t[i] < 0.5 * until; i++)
                same =
                    same && i < other.count && first.t[i] == other.t[i] && first.u[i] == other.u[i];
            family_check(&f, same, "until %g: %d impacts, %d until 1e7; %s", until, other.count,
                         first.count, text);
        }
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_until)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
