/* Motions of bodies whose memory runs out, at every request: an error that is told, and everything
 * is given back. */
#include "check_memory.h"
#include "scene_check.h"

/* Balls that fall on each other, a pendulum with a stop on a rope, a linkage. */
static const char scene[] =
    "carom: 1\n"
    "world: {gravity: [0, 0, -9.81], contact: {friction: 0.4, restitution: 0.5}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
    "  arm: {shape: {capsule: [0.4, 0.05]}, at: [3, 0, 1]}\n"
    "  bob: {shape: {sphere: 0.1}, at: [3.5, 0, 1]}\n"
    "joints:\n"
    "  hinge: {revolute: [world, arm], at: [3, 0, 1.2], axis: [0, 1, 0], limits: [-0.1, 0.1]}\n"
    "  string: {rope: [arm, bob], length: 0.6}\n"
    "repeat:\n"
    "  - {index: i, from: 1, to: 12, bodies: {ball$i: {shape: {sphere: 0.1}, at: "
    "[0.01*sin(9*$i), 0.01*cos(7*$i), 0.21*$i]}}}\n"
    "law: coulomb\n"
    "run: {method: time-stepping, step: 0.005, until: 0.3, output: 0.1}\n";

/* The motion with a request that fails, and all later ones if `onwards`; -1: none fails. *calls:
 * how many there were. */
static carom_status run_until(const carom_scene_content *c, const carom_law *law, int fail_at,
                              bool onwards, int *calls, carom_error *error)
{
    check_memory memory = {.fail_at = fail_at, .onwards = onwards};
    carom_allocator allocator = {check_memory_resize, &memory};
    carom_flow_options options = *c->run;
    carom_flow_result result;
    carom_arena *arena = NULL;
    carom_status status = carom_arena_create(&allocator, &arena, error);
    if (status == CAROM_OK)
        status = carom_flow_run(c->system, law, &c->initial, &options, NULL, arena, &result, error);
    carom_arena_destroy(arena);
    *calls = memory.calls;
    assert_int_equal(memory.live, 0);
    return status;
}

static void test_every_request(void **state)
{
    (void)state;
    carom_scene *read = check_scene(scene);
    const carom_scene_content *c = carom_scene_get(read);
    carom_error error = {0};
    carom_law law;
    int calls = 0, ignored;
    check_ok(carom_scene_choose_law(read, NULL, &law, NULL, &error), &error);
    check_ok(run_until(c, &law, -1, false, &calls, &error), &error);
    assert_true(calls > 5);
    for (int k = 0; k < calls; k++) {
        error = (carom_error){0};
        assert_int_equal(run_until(c, &law, k, true, &ignored, &error), CAROM_ERROR_MEMORY);
        assert_non_null(strstr(error.text, "memory"));
        /* An arena that does not get what it would like asks for what it needs. */
        carom_status status = run_until(c, &law, k, false, &ignored, &error);
        assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
    }
    carom_scene_destroy(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
