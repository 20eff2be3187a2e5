/* What every figure draws with: scenes stated in their own format, and the laws applied to them. */
#include "pictures/drawing.h"
#include "carom/tolerance.h"

#include <string.h>

carom_plot carom_drawing_wide(carom_drawing *d, double height, double x_least, double x_most,
                              double y_least, double y_most)
{
    return carom_plot_make(&d->svg, 64, CAROM_DRAWING_TOP, CAROM_DRAWING_WIDTH - 64 - 22, height,
                           x_least, x_most, y_least, y_most, false);
}

carom_plot carom_drawing_square(carom_drawing *d, double size, double x_least, double x_most,
                                double y_least, double y_most)
{
    carom_plot plot = carom_plot_make(&d->svg, 64, CAROM_DRAWING_TOP, size, size, x_least, x_most,
                                      y_least, y_most, true);
    carom_plot_legend_at(&plot, 1 + 14 / size, 12 / size);
    return plot;
}

carom_plot carom_drawing_sketch(carom_drawing *d, double height, double x_least, double x_most,
                                double y_least, double y_most)
{
    return carom_plot_make(&d->svg, 20, CAROM_DRAWING_TOP, CAROM_DRAWING_WIDTH - 40, height,
                           x_least, x_most, y_least, y_most, true);
}

static carom_status evaluate(carom_drawing *d, carom_drawing_case *c, carom_error *error)
{
    const carom_system *system = carom_scene_get(c->scene)->system;
    int p = carom_system_get_shape(system)->p;
    int *closed = carom_arena_array(d->arena, (size_t)p, sizeof *closed);
    if (!closed)
        return carom_error_memory(error);
    carom_status status = carom_system_evaluate(system, CAROM_WANT_ALL, &c->state, error);
    if (!status)
        status = carom_impact_from_system(system, &c->state, CAROM_TOLERANCE_SAME, d->arena,
                                          &c->impact, closed, error);
    return status;
}

carom_status carom_drawing_evaluate(carom_drawing *d, carom_drawing_case *c, carom_error *error)
{
    carom_status status = evaluate(d, c, error);
    return status ? status : carom_impact_derive(&c->impact, d->arena, &c->geometry, error);
}

carom_status carom_drawing_read(carom_drawing *d, const char *text, const char *const *sets,
                                carom_drawing_case *c, carom_error *error)
{
    carom_scene_options options = {.sets = sets, .allocator = carom_arena_allocator(d->arena)};
    while (sets && sets[options.set_count])
        options.set_count++;
    if (options.allocator && !options.allocator->resize)
        options.allocator = NULL;
    if (d->scene_count == CAROM_DRAWING_SCENES)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "more than %d scenes in a figure",
                               CAROM_DRAWING_SCENES);
    carom_status status = carom_scene_read_text(text, strlen(text), &options, &c->scene, error);
    if (status)
        return status;
    d->scenes[d->scene_count++] = c->scene;
    const carom_scene_content *content = carom_scene_get(c->scene);
    if (content->impact) {
        c->impact = *content->impact;
        return carom_impact_derive(&c->impact, d->arena, &c->geometry, error);
    }
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    status = carom_state_create(content->system, d->arena, &c->state, error);
    if (status)
        return status;
    c->state.t = content->initial.t;
    memcpy(c->state.q, content->initial.q, (size_t)shape->nq * sizeof *c->state.q);
    memcpy(c->state.u, content->initial.u, (size_t)shape->n * sizeof *c->state.u);
    return carom_drawing_evaluate(d, c, error);
}

carom_status carom_drawing_law(carom_drawing *d, carom_drawing_case *c, const char *text,
                               carom_outcome *outcome, carom_error *error)
{
    carom_law law;
    carom_status status = carom_scene_parse_law(c->scene, text, &law, error);
    if (!status)
        status = carom_law_apply(&law, &c->geometry, d->arena, outcome, error);
    if (!status && outcome->answer != CAROM_ANSWER_OK && outcome->answer != CAROM_ANSWER_SEVERAL)
        return carom_error_set(error, CAROM_ERROR_NUMERIC, "%s: %s", text, outcome->message);
    return status;
}

double *carom_drawing_pairs(carom_drawing *d, int count)
{
    double *pairs = carom_arena_doubles(d->arena, 2 * (size_t)count);
    if (!pairs)
        d->svg.out.failed = true;
    return pairs;
}
