/* The numbers of shapes at one moment. */
#include "carom/need.h"
#include "scene/scene_parts.h"

#include <math.h>

const char *carom_scene_shape_text(carom_scene_shape_kind kind)
{
    static const char *const texts[] = {"circle", "box", "line", "point", "spring", "text"};
    return texts[kind];
}

static void evaluate(const carom_scene *scene, int first, int count, double t, const double *q,
                     const double *u, double *values)
{
    const carom_scene_shape *shapes = scene->content.shapes;
    if (scene->figure_count > 0)
        carom_scene_bodies_pose(scene, t, q);
    else if (!carom_system_get_shape(scene->system)->kinematics_is_identity)
        u = scene->no_velocities;
    for (int shape = first; shape < first + count; values += shapes[shape++].count) {
        if (scene->figure_count > 0) {
            carom_scene_bodies_evaluate(scene, shape, values);
            continue;
        }
        for (int k = 0; k < shapes[shape].count; k++) {
            const carom_scene_number *number = &scene->numbers[shape][k];
            values[k] = number->expr ? carom_expr_evaluate(number->expr, t, q, u, NULL, NULL)
                        : number->coordinate >= 0 ? q[number->coordinate]
                                                  : number->constant;
        }
    }
}

void carom_scene_shape_evaluate(const carom_scene *scene, int shape, double t, const double *q,
                                const double *u, double *values)
{
    CAROM_NEED_OR(, scene, q, u, values);
    evaluate(scene, shape, 1, t, q, u, values);
}

double carom_scene_shape_nearness(const carom_scene *scene, int shape)
{
    CAROM_NEED_OR(NAN, scene);
    return scene->figure_count > 0 ? carom_scene_bodies_nearness(scene, shape) : 0;
}

void carom_scene_shapes_evaluate(const carom_scene *scene, double t, const double *q,
                                 const double *u, double *values)
{
    CAROM_NEED_OR(, scene, q, u, values);
    evaluate(scene, 0, scene->content.shape_count, t, q, u, values);
}
