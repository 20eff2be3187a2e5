/* Every bundled scene is read without warnings; those that are systems can be evaluated, start
 * without penetration, on their joints, and have a picture that is computed. */
#include "scene/scene_check.h"

#include <glob.h>

static void use_impact(const carom_impact *impact, carom_arena *arena)
{
    carom_geometry geometry;
    carom_error error = {0};
    check_ok(carom_impact_derive(impact, arena, &geometry, &error), &error);
}

/* Rates of constraints, columns of C, at the initial velocity. */
static void check_rates(int n, int count, const double *C, const double *motion, const double *u)
{
    for (int j = 0; j < count; j++) {
        double rate = motion[j];
        for (int i = 0; i < n; i++)
            rate += C[i + (size_t)j * (size_t)n] * u[i];
        check_close(rate, 0, 1e-9);
    }
}

static void use_system(carom_scene *scene, carom_arena *arena)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    carom_state state;
    carom_error error = {0};
    check_ok(carom_state_create(content->system, arena, &state, &error), &error);
    state.t = content->initial.t;
    memcpy(state.q, content->initial.q, (size_t)shape->nq * sizeof *state.q);
    memcpy(state.u, content->initial.u, (size_t)shape->n * sizeof *state.u);
    check_ok(carom_system_check(content->system, 1e-9, arena, &state, &error), &error);
    check_ok(carom_system_evaluate(content->system, CAROM_WANT_ALL, &state, &error), &error);
    for (int i = 0; i < shape->p && !shape->region; i++)
        assert_true(state.g[i] >= -1e-9);
    for (int j = 0; j < shape->m; j++)
        check_close(state.f[j], 0, 1e-9);
    check_rates(shape->n, shape->m, state.B, state.b_hat, state.u);
    check_rates(shape->n, shape->a, state.A, state.a_hat, state.u);
    for (int k = 0; k < content->shape_count; k++) {
        double values[64];
        assert_true(content->shapes[k].count <= 64);
        carom_scene_shape_evaluate(scene, k, state.t, state.q, state.u, values);
        for (int j = 0; j < content->shapes[k].count; j++)
            assert_true(isfinite(values[j]));
    }
}

static void test_all(void **unused)
{
    (void)unused;
    glob_t files;
    assert_int_equal(glob(CAROM_SOURCE_DIR "/scenes/*.yaml", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 10);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        carom_scene *scene;
        carom_arena *arena;
        carom_error error = {0};
        carom_status status = carom_scene_read_file(files.gl_pathv[k], NULL, &scene, &error);
        if (status != CAROM_OK)
            print_error("%s:%d:%d: %s\n", files.gl_pathv[k], error.line, error.column, error.text);
        assert_int_equal(status, CAROM_OK);
        check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
        const carom_scene_content *content = carom_scene_get(scene);
        for (int j = 0; j < content->note_count; j++)
            print_error("%s:%d: %s\n", files.gl_pathv[k], content->notes[j].line,
                        content->notes[j].text);
        assert_int_equal(content->note_count, 0);
        assert_non_null(content->title);
        if (content->impact)
            use_impact(content->impact, arena);
        else
            use_system(scene, arena);
        carom_arena_destroy(arena);
        carom_scene_destroy(scene);
    }
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
