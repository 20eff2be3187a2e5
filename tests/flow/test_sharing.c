/* Eight threads over one geometry, one law, one system model: what they share is not written to,
 * and each gets the bits that one thread alone gets. .ci/gates/75-threads runs it under
 * ThreadSanitizer. */
#include "carom/io.h"
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 8, BALLS = 12, ROUNDS = 3, NUMBERS = 64 };

/* A row of rough balls: what all threads look at. */
static double mass[BALLS], velocity[BALLS], normals[BALLS * (BALLS - 1)],
    slips[BALLS * (BALLS - 1)];
static carom_contact contacts[BALLS - 1];
static carom_geometry geometry;
static carom_scene *scene;

typedef struct worker {
    pthread_t thread;
    int number;
    carom_system *system; /* of the scene, with work space of its own */
    double answer[NUMBERS];
    int count;
    carom_error error;
} worker;

CHECK_ARENA(arena);

static void state_row(carom_impact *impact)
{
    for (int i = 0; i < BALLS; i++) {
        mass[i] = 1 + 0.1 * i;
        velocity[i] = i == 0;
    }
    for (int k = 0; k < BALLS - 1; k++) {
        normals[k * BALLS + k] = -1;
        normals[k * BALLS + k + 1] = slips[k * BALLS + k] = 1;
        contacts[k] = carom_contact_default();
        contacts[k].restitution = 0.5;
        contacts[k].friction_static = contacts[k].friction_dynamic = 0.1;
        contacts[k].slip_count = 1;
    }
    *impact = (carom_impact){.n = BALLS,
                             .p = BALLS - 1,
                             .mass_is_diagonal = true,
                             .M = mass,
                             .u = velocity,
                             .W = normals,
                             .H = slips,
                             .contacts = contacts};
}

/* Every law that answers, on the one geometry. */
static carom_status apply_all(worker *w, carom_arena *own)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < carom_law_count() && !status; k++) {
        const carom_law law = {.ops = carom_law_at(k)};
        carom_outcome outcome;
        status = carom_law_apply(&law, &geometry, own, &outcome, &w->error);
        if (!status)
            w->answer[w->count++] = outcome.answer == CAROM_ANSWER_OK ? outcome.u[BALLS - 1] : 0;
        carom_arena_reset(own);
    }
    return status;
}

/* The scene's motion, by both methods. */
static carom_status run_all(worker *w, carom_arena *own)
{
    const carom_scene_content *content = carom_scene_get(scene);
    carom_status status = CAROM_OK;
    for (int k = 0; k < 2 && !status; k++) {
        carom_flow_options options = *content->run;
        carom_flow_result result;
        options.method = k ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_EVENT_DRIVEN;
        options.step = 1e-3;
        status = carom_flow_run(w->system, content->law, &content->initial, &options, NULL, own,
                                &result, &w->error);
        for (int i = 0; i < 3 && !status; i++)
            w->answer[w->count++] = result.u[i];
        carom_arena_reset(own);
    }
    return status;
}

static void *work(void *self)
{
    worker *w = self;
    carom_arena *own;
    carom_status status = carom_arena_create(NULL, &own, &w->error);
    for (int round = 0; round < ROUNDS && !status; round++) {
        w->count = 0;
        status = apply_all(w, own);
        if (!status)
            status = run_all(w, own);
    }
    if (status == CAROM_OK)
        w->error.status = CAROM_OK;
    carom_arena_destroy(own);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    static const char text[] =
        "carom: 1\n"
        "system: {coordinates: [x, y, th], kinetic: \"(x'^2 + y'^2)/2 + th'^2/10\", potential: "
        "9.81*y, contacts: {a: {gap: y - cos(th)/2 + sin(th)/4, slip: \"x' + "
        "(cos(th)/2 - sin(th)/4)*th'\", restitution: 0.4, friction: 0.3}, b: {gap: y - cos(th)/2 - "
        "sin(th)/4, slip: \"x' + (cos(th)/2 + sin(th)/4)*th'\", restitution: 0.4, friction: "
        "0.3}}}\n"
        "initial: {y: 0.6, x': 1, th': 0.3}\nlaw: coulomb\nrun: {until: 0.5}\n";
    carom_error error = {0};
    carom_impact row;
    state_row(&row);
    check_ok(carom_impact_derive(&row, arena, &geometry, &error), &error);
    check_ok(carom_scene_read_text(text, sizeof text - 1, NULL, &scene, &error), &error);
    static worker workers[THREADS + 1];
    for (int k = 0; k <= THREADS; k++) {
        workers[k].number = k;
        check_ok(
            carom_system_share(carom_scene_get(scene)->system, NULL, &workers[k].system, &error),
            &error);
    }
    work(&workers[THREADS]); /* the one alone */
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
    for (int k = 0; k < THREADS; k++)
        pthread_join(workers[k].thread, NULL);
    assert_true(workers[THREADS].count == carom_law_count() + 6);
    for (int k = 0; k <= THREADS; k++) {
        check_ok(workers[k].error.status, &workers[k].error);
        assert_memory_equal(workers[k].answer, workers[THREADS].answer,
                            sizeof(double) * (size_t)workers[THREADS].count);
        carom_system_destroy(workers[k].system);
    }
    carom_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
