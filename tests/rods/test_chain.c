/* Rods as systems of masses and springs, run by the general engine: they converge to the exact
 * waves; and a bar of finite elements with a recorded answer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "carom/io.h"
#include "check.h"

typedef struct chain {
    carom_scene *scene;
    carom_arena *arena;
    carom_flow_options options;
} chain;

static void open_chain(chain *c, const char *name, const char *const *sets, int count)
{
    char path[512];
    carom_error error = {0};
    carom_scene_options options = {.sets = sets, .set_count = count};
    snprintf(path, sizeof path, "%s/scenes/%s", CAROM_SOURCE_DIR, name);
    check_ok(carom_scene_read_file(path, &options, &c->scene, &error), &error);
    check_ok(carom_arena_create(NULL, &c->arena, &error), &error);
    c->options = *carom_scene_get(c->scene)->run;
}

static void close_chain(chain *c)
{
    carom_scene_destroy(c->scene);
    carom_arena_destroy(c->arena);
}

/* Mean velocity of the nodes whose names begin with the letter, ends counting half. */
static double mean(const carom_system_shape *shape, const double *u, char letter, int last)
{
    double sum = 0, mass = 0;
    for (int i = 0; i < shape->n; i++) {
        int number = atoi(shape->coordinates[i] + 1);
        double m = number == 0 || number == last ? 0.5 : 1;
        if (shape->coordinates[i][0] == letter) {
            sum += m * u[i];
            mass += m;
        }
    }
    assert_true(mass == last);
    return sum / mass;
}

/* Contact force averaged over times under compression, from rows. */
typedef struct push {
    double sum, count, end, until;
} push;

static carom_status watch(void *self, const carom_flow_row *row, carom_error *error)
{
    push *p = self;
    (void)error;
    if (row->t > 0.1 * p->until && row->t < 0.9 * p->until) {
        p->sum += row->force[0];
        p->count++;
    }
    return CAROM_OK;
}

/* How far a chain of N elements in rod 1 is from the exact answer: mean velocities, contact force
 * in the time of compression. */
static double off(int N, double l2, bool stepping)
{
    char sets[2][32];
    const char *given[2] = {sets[0], sets[1]};
    snprintf(sets[0], sizeof sets[0], "N=%d", N);
    snprintf(sets[1], sizeof sets[1], "l2=%g", l2);
    chain c;
    open_chain(&c, "rods_chain.yaml", given, 2);
    const carom_scene_content *content = carom_scene_get(c.scene);
    carom_rod rods[2] = {carom_rod_default(), carom_rod_default()};
    rods[0].velocity = 1;
    rods[1].length = l2;
    carom_rods statement = {.count = 2, .rods = rods};
    carom_rods_motion exact;
    carom_error error = {0};
    check_ok(carom_rods_solve(&statement, c.arena, &exact, &error), &error);
    check_close(carom_rods_restitution(&statement, &exact, 1), 1 / l2, 1e-12);
    push p = {.until = exact.joints[1].contact_time};
    carom_flow_observer observer = {.self = &p, .row = watch};
    if (stepping) {
        c.options.method = CAROM_FLOW_TIME_STEPPING;
        c.options.step = 0.2 / N;
    }
    c.options.tolerance = 1e-8;
    c.options.output = 0.005;
    carom_flow_result r;
    check_ok(carom_flow_run(content->system, content->law, &content->initial, &c.options, &observer,
                            c.arena, &r, &error),
             &error);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    double v1 = mean(shape, r.u, 'a', N), v2 = mean(shape, r.u, 'b', (int)lround(N * l2));
    check_close(v1 + l2 * v2, 1, 1e-9); /* momentum */
    if (!stepping) {
        check_close(r.ledger.balance_error, 0, 1e-8);
        assert_true(r.ledger.impacts < 0); /* the end masses meet inelastically */
    }
    double error_now = fmax(fabs(v1 - exact.velocity[0]), fabs(v2 - exact.velocity[1]));
    error_now = fmax(error_now, fabs(p.sum / p.count - exact.joints[1].force.steps[0].value));
    close_chain(&c);
    return error_now;
}

static void test_converges(void **state)
{
    (void)state;
    for (int stepping = 0; stepping < 2; stepping++)
        for (int k = 0; k < 2; k++) {
            double l2 = k ? 1.5 : 2;
            double coarse = off(8, l2, stepping), middle = off(32, l2, stepping),
                   fine = off(96, l2, stepping);
            print_message("%s l2 %g: %g %g %g\n", stepping ? "stepping" : "event", l2, coarse,
                          middle, fine);
            assert_true(middle < 0.6 * coarse && fine < 0.6 * middle);
            assert_true(fine < 0.015);
        }
}

/* A bar of 100 nodes with consistent mass against a wall, Moreau-Jean with activation 0: recorded
 * trajectory of another program. */
typedef struct wall {
    double first, last, impulse;
} wall;

static carom_status watch_wall(void *self, const carom_flow_row *row, carom_error *error)
{
    wall *w = self;
    (void)error;
    if (row->force[0] > 0) {
        w->first = w->first > 0 ? w->first : row->t;
        w->last = row->t;
        w->impulse += row->force[0] * 2e-6;
    }
    return CAROM_OK;
}

static void test_bar(void **state)
{
    (void)state;
    chain c;
    open_chain(&c, "impacting_bar.yaml", NULL, 0);
    const carom_scene_content *content = carom_scene_get(c.scene);
    wall w = {0};
    carom_flow_observer observer = {.self = &w, .row = watch_wall};
    carom_flow_result r;
    carom_error error = {0};
    c.options.output = 2e-6;
    check_ok(carom_flow_run(content->system, content->law, &content->initial, &c.options, &observer,
                            c.arena, &r, &error),
             &error);
    check_close(w.first, 5.0401e-4, 1e-15);
    check_close(w.last, 8.8601e-4, 1e-15);
    check_close(w.impulse, 0.4814274220678907, 1e-12);
    check_close(r.u[0], 0.09497656, 5e-9);
    check_close(r.u[50], 0.10850504, 5e-9);
    check_close(r.u[99], 0.08676275, 5e-9);
    assert_int_equal(r.impact_count, 1);
    close_chain(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_converges),
                                       cmocka_unit_test(test_bar)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
