/* The scene reader against arbitrary bytes: it must answer with a scene or an error with a place
 * inside the text, and leave no memory behind. What it accepts is used: the impact is derived, the
 * system evaluated, shapes computed, a law parsed.
 *
 *     FUZZ_SECONDS=600 .ci/gates/80-fuzz
 */
#include "carom/scene.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool condition)
{
    if (!condition)
        abort();
}

static int line_count(const uint8_t *data, size_t size)
{
    int lines = 1;
    for (size_t k = 0; k < size; k++)
        lines += data[k] == '\n' || data[k] == '\r' || data[k] == 0x85 || data[k] >= 0xA8;
    return lines;
}

/* Thousands of repeated rounds are allowed, and slow under the sanitizers: not what is looked for.
 */
static bool may_be_large(const uint8_t *data, size_t size)
{
    int digits = 0;
    bool repeats = false, large = false;
    for (size_t k = 0; k < size; k++) {
        digits = data[k] >= '0' && data[k] <= '9' ? digits + 1 : 0;
        large = large || digits >= 3 || (digits && k + 1 < size && (data[k + 1] | 32) == 'e');
        repeats = repeats || (size - k > 6 && memcmp(data + k, "repeat", 6) == 0);
    }
    return repeats && large;
}

static void use_system(carom_scene *scene, carom_arena *arena)
{
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    if (shape->n > 60 || shape->p > 60)
        return; /* large is not more interesting, only slow */
    carom_state state;
    carom_error error = {0};
    if (carom_state_create(content->system, arena, &state, &error) != CAROM_OK)
        return;
    state.t = content->initial.t;
    memcpy(state.q, content->initial.q, (size_t)shape->nq * sizeof *state.q);
    memcpy(state.u, content->initial.u, (size_t)shape->n * sizeof *state.u);
    carom_system_evaluate(content->system, CAROM_WANT_ALL, &state, &error);
    for (int k = 0; k < content->shape_count; k++) {
        double *values = carom_arena_take(arena, (size_t)content->shapes[k].count * sizeof *values);
        if (values)
            carom_scene_shape_evaluate(scene, k, state.t, state.q, state.u, values);
    }
}

static void use(carom_scene *scene)
{
    const carom_scene_content *content = carom_scene_get(scene);
    carom_arena *arena;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error) != CAROM_OK)
        return;
    carom_geometry geometry;
    if (content->impact && content->impact->n <= 60 && content->impact->p <= 60)
        carom_impact_derive(content->impact, arena, &geometry, &error);
    if (content->system)
        use_system(scene, arena);
    carom_law law;
    if (content->title)
        carom_scene_parse_law(scene, content->title, &law, &error);
    carom_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (may_be_large(data, size))
        return 0;
    carom_scene *scene = NULL;
    carom_error error = {0};
    carom_status status = carom_scene_read_text((const char *)data, size, NULL, &scene, &error);
    if (status == CAROM_OK) {
        use(scene);
        carom_scene_destroy(scene);
        return 0;
    }
    insist(scene == NULL);
    insist(status == error.status);
    insist(status == CAROM_ERROR_INPUT || status == CAROM_ERROR_MEMORY);
    insist(strlen(error.text) > 0);
    insist(error.line >= 0 && error.line <= line_count(data, size) + 1);
    insist(status == CAROM_ERROR_MEMORY || error.line > 0);
    return 0;
}
