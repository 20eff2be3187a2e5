/* The numbers of shapes at one moment. */
#include "scene/scene_parts.h"

const char *carom_scene_shape_text(carom_scene_shape_kind kind)
{
    static const char *const texts[] = {"circle", "box", "line", "point", "spring", "text"};
    return texts[kind];
}

void carom_scene_shape_evaluate(const carom_scene *scene, int shape, double t, const double *q,
                                const double *u, double *values)
{
    const carom_scene_shape *s = &scene->content.shapes[shape];
    if (scene->figure_count > 0) {
        carom_scene_bodies_evaluate(scene, shape, t, q, values);
        return;
    }
    if (!carom_system_get_shape(scene->system)->kinematics_is_identity)
        u = scene->no_velocities;
    for (int k = 0; k < s->count; k++) {
        const carom_scene_number *number = &scene->numbers[shape][k];
        values[k] = number->expr ? carom_expr_evaluate(number->expr, t, q, u, NULL, NULL)
                    : number->coordinate >= 0 ? q[number->coordinate]
                                              : number->constant;
    }
}
