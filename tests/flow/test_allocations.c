/* No memory is taken after the first solution and the first steps: friction, joints, many contacts.
 */
#include "carom/io.h"
#include "check.h"
#include "check_memory.h"

#include <stdlib.h>

/* Scenes whose contacts, joints or rolling are there from the beginning, and how they are run. */
static const struct run_case {
    const char *scene;
    carom_flow_method method;
    double until;
} runs[] = {
    {"rocking_block", CAROM_FLOW_EVENT_DRIVEN, 2},  {"rocking_block", CAROM_FLOW_TIME_STEPPING, 2},
    {"slider_crank", CAROM_FLOW_EVENT_DRIVEN, 0.5}, {"slider_crank", CAROM_FLOW_TIME_STEPPING, 0.5},
    {"rolling_ball", CAROM_FLOW_EVENT_DRIVEN, 1},   {"pushed_box", CAROM_FLOW_EVENT_DRIVEN, 4},
    {"column_motion", CAROM_FLOW_EVENT_DRIVEN, 1},  {"column_motion", CAROM_FLOW_TIME_STEPPING, 1},
    {"stacked_boxes", CAROM_FLOW_TIME_STEPPING, 1},
};

typedef struct watcher {
    const check_memory *memory;
    double from; /* the time at which the steps are no longer the first */
    int calls;   /* -1 before it */
} watcher;

static carom_status row(void *self, const carom_flow_row *r, carom_error *error)
{
    watcher *w = self;
    (void)error;
    if (w->calls < 0 && r->t >= w->from)
        w->calls = w->memory->calls;
    return CAROM_OK;
}

static carom_scene *open_scene(const char *name)
{
    char path[512];
    carom_scene *scene;
    carom_error error = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.yaml", CAROM_SOURCE_DIR, name);
    check_ok(carom_scene_read_file(path, NULL, &scene, &error), &error);
    return scene;
}

static void test_steps(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        carom_scene *scene = open_scene(runs[k].scene);
        const carom_scene_content *content = carom_scene_get(scene);
        check_memory memory = {.fail_at = -1};
        carom_allocator allocator = {check_memory_resize, &memory};
        carom_error error = {0};
        carom_arena *arena;
        carom_law law;
        check_ok(carom_scene_choose_law(scene, NULL, &law, NULL, &error), &error);
        check_ok(carom_arena_create(&allocator, &arena, &error), &error);
        carom_flow_options options = content->run ? *content->run : carom_flow_options_default();
        options.method = runs[k].method;
        options.until = runs[k].until;
        options.output = options.until / 200;
        options.step = 1e-3;
        options.keep_impacts = 0;
        watcher w = {&memory, options.until / 2, -1};
        carom_flow_observer observer = {.self = &w, .row = row};
        carom_flow_result result;
        check_ok(carom_flow_run(content->system, &law, &content->initial, &options, &observer,
                                arena, &result, &error),
                 &error);
        if (w.calls != memory.calls) {
            print_error("%s, %s: %d requests of memory in the second half\n", runs[k].scene,
                        carom_flow_method_text(runs[k].method), memory.calls - w.calls);
            bad++;
        }
        carom_arena_destroy(arena);
        carom_scene_destroy(scene);
    }
    assert_int_equal(bad, 0);
}

/* Balls in a row, each rough against the next, the ends of it tied by a joint. */
enum { BALLS = 40 };

static void test_solutions(void **state)
{
    (void)state;
    static double mass[BALLS], u[BALLS], W[BALLS * (BALLS - 1)], H[BALLS * (BALLS - 1)], B[BALLS];
    static carom_contact contacts[BALLS - 1];
    for (int i = 0; i < BALLS; i++)
        mass[i] = 1 + i % 3;
    for (int k = 0; k < BALLS - 1; k++) {
        W[k * BALLS + k] = -1;
        W[k * BALLS + k + 1] = H[k * BALLS + k] = H[k * BALLS + k + 1] = 1;
        contacts[k] = carom_contact_default();
        contacts[k].restitution = 0.3;
        contacts[k].friction_static = contacts[k].friction_dynamic = 0.2;
        contacts[k].slip_count = 1;
    }
    B[0] = 1;
    B[BALLS - 1] = -1;
    carom_impact impact = {.n = BALLS,
                           .p = BALLS - 1,
                           .m = 1,
                           .mass_is_diagonal = true,
                           .M = mass,
                           .u = u,
                           .W = W,
                           .H = H,
                           .B = B,
                           .contacts = contacts};
    static const char *const laws[] = {"newton", "moreau",  "inelastic", "poisson",
                                       "matrix", "coulomb", "implicit",  "sequential"};
    int bad = 0;
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        const carom_law law = {.ops = carom_law_find(laws[k])};
        check_memory memory = {.fail_at = -1};
        carom_allocator allocator = {check_memory_resize, &memory};
        carom_error error = {0};
        carom_arena *arena;
        int first = 0;
        check_ok(carom_arena_create(&allocator, &arena, &error), &error);
        for (int round = 0; round < 3; round++) {
            carom_geometry g;
            carom_outcome o;
            u[0] = u[BALLS - 1] = 1 + 1e-3 * round; /* the joint holds */
            check_ok(carom_impact_derive(&impact, arena, &g, &error), &error);
            check_ok(carom_law_apply(&law, &g, arena, &o, &error), &error);
            carom_arena_reset(arena);
            first = round == 0 ? memory.calls : first;
        }
        if (memory.calls != first) {
            print_error("%s: %d requests of memory after the first solution\n", laws[k],
                        memory.calls - first);
            bad++;
        }
        carom_arena_destroy(arena);
    }
    assert_int_equal(bad, 0);
}

/* Many contacts that close at one instant, each with a body of its own: memory is a few dense
 * matrices. */
static void test_many_at_once(void **state)
{
    (void)state;
    enum { MANY = 800, MATRICES = 26 };
    char text[400];
    check_memory memory = {.fail_at = -1};
    carom_allocator allocator = {check_memory_resize, &memory};
    carom_scene *scene;
    carom_flow_result result;
    carom_error error = {0};
    carom_arena *arena;
    carom_law law;
    const int length = snprintf(text, sizeof text,
                                "carom: 1\nsystem: {}\nrepeat: [{index: i, from: 1, to: %d, "
                                "coordinates: [x$i], kinetic: x$i'^2/2,\n"
                                "  contacts: {c$i: {gap: x$i}}, initial: {x$i': -1}}]\n",
                                MANY);
    check_ok(carom_scene_read_text(text, (size_t)length, NULL, &scene, &error), &error);
    const carom_scene_content *content = carom_scene_get(scene);
    check_ok(carom_scene_choose_law(scene, NULL, &law, NULL, &error), &error);
    check_ok(carom_arena_create(&allocator, &arena, &error), &error);
    carom_flow_options options = carom_flow_options_default();
    options.until = 1;
    check_ok(carom_flow_run(content->system, &law, &content->initial, &options, NULL, arena,
                            &result, &error),
             &error);
    const double matrices = (double)memory.bytes / (sizeof(double) * MANY * MANY);
    if (matrices > MATRICES)
        print_error("%d contacts at once: memory of %.1f matrices\n", MANY, matrices);
    assert_true(matrices <= MATRICES);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solutions),
                                       cmocka_unit_test(test_many_at_once),
                                       cmocka_unit_test(test_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
