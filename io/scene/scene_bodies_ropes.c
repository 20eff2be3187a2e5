/* Ropes for pictures: their ends in the frames of the bodies they hold. */
#include "scene/scene_bodies.h"

#include <string.h>

/* A point of space at the reference, in the frame of a body there. */
static void into_body(const carom_scene_assembly *a, int body, const double at[3], double out[3])
{
    carom_pose pose;
    double x[3] = {at[0], at[1], a->world.space == 3 ? at[2] : 0};
    memcpy(out, x, sizeof x);
    if (body == CAROM_WORLD)
        return;
    const carom_body_def *d = &a->bodies[body];
    if (a->world.space == 2)
        carom_pose_set_plane(&pose, d->position, d->turn[0]);
    else
        carom_pose_set(&pose, d->position, d->turn);
    for (int i = 0; i < 3; i++)
        x[i] -= pose.position[i];
    for (int i = 0; i < 3; i++)
        out[i] = pose.rotation[3 * i] * x[0] + pose.rotation[3 * i + 1] * x[1] +
                 pose.rotation[3 * i + 2] * x[2];
}

carom_status carom_scene_bodies_ropes(carom_scene_assembly *a)
{
    const size_t count = (size_t)a->world.rope_count;
    carom_scene_rope *list = carom_arena_zeros(a->r->arena, count, sizeof *list);
    if (!list)
        return carom_error_memory(a->r->error);
    for (size_t k = 0; k < count; k++) {
        const carom_rope_def *r = &a->ropes[k];
        const bool turned = r->a == CAROM_WORLD; /* the first end is a body's */
        list[k].body[0] = turned ? r->b : r->a;
        list[k].body[1] = turned ? r->a : r->b;
        into_body(a, list[k].body[0], turned ? r->at_b : r->at_a, list[k].at[0]);
        into_body(a, list[k].body[1], turned ? r->at_a : r->at_b, list[k].at[1]);
    }
    a->scene->content.rope_count = (int)count;
    a->scene->content.ropes = list;
    return CAROM_OK;
}
