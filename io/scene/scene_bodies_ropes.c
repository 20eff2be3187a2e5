/* Ropes, and rods of hinges, for pictures: their ends in the frames of the bodies they hold. */
#include "scene/scene_bodies.h"

#include <string.h>

static void set_pose(const carom_scene_assembly *a, const double position[3], const double turn[4],
                     carom_pose *pose)
{
    if (a->world.space == 2)
        carom_pose_set_plane(pose, position, turn[0]);
    else
        carom_pose_set(pose, position, turn);
}

/* A point of space at the reference, in the frame of a body there. */
static void into_body(const carom_scene_assembly *a, int body, const double at[3], double out[3])
{
    carom_pose pose;
    double x[3] = {at[0], at[1], a->world.space == 3 ? at[2] : 0};
    memcpy(out, x, sizeof x);
    if (body == CAROM_WORLD)
        return;
    set_pose(a, a->bodies[body].position, a->bodies[body].turn, &pose);
    for (int i = 0; i < 3; i++)
        x[i] -= pose.position[i];
    for (int i = 0; i < 3; i++)
        out[i] = pose.rotation[3 * i] * x[0] + pose.rotation[3 * i + 1] * x[1] +
                 pose.rotation[3 * i + 2] * x[2];
}

/* Does a shape of the body reach a point of its frame, about? */
static bool reaches(const carom_scene_assembly *a, const carom_body_def *body, const double at[3])
{
    for (int i = 0; i < body->shape_count; i++) {
        const carom_body_shape *s = &body->shapes[i];
        double lower[3], upper[3];
        carom_pose pose;
        bool inside = true;
        set_pose(a, s->position, s->turn, &pose);
        carom_shape_bounds(s->shape, &pose, lower, upper);
        for (int d = 0; d < a->world.space; d++)
            inside = inside && at[d] >= lower[d] && at[d] <= upper[d];
        if (inside)
            return true;
    }
    return false;
}

/* The ball of a pendulum hangs on something: a rod from its hinge, where it does not reach it. */
static bool make_rod(const carom_scene_assembly *a, const carom_joint_def *joint,
                     carom_scene_rope *rod)
{
    const carom_joint_info *is = carom_joint_describe(joint->kind);
    const bool hinge = is->in_plane && is->axis && !is->slides && is->coordinates == 1;
    double at[3];
    if (!hinge || joint->child == CAROM_WORLD)
        return false;
    into_body(a, joint->child, joint->at, at);
    if (a->bodies[joint->child].shape_count == 0 || reaches(a, &a->bodies[joint->child], at))
        return false;
    *rod = (carom_scene_rope){.body = {joint->child, joint->parent}};
    into_body(a, joint->parent, joint->at, rod->at[1]);
    return true;
}

carom_status carom_scene_bodies_ropes(carom_scene_assembly *a)
{
    size_t count = (size_t)a->world.rope_count;
    carom_scene_rope *list =
        carom_arena_zeros(a->r->arena, count + (size_t)a->world.joint_count, sizeof *list);
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
    for (int k = 0; k < a->world.joint_count; k++)
        count += make_rod(a, &a->joints[k], &list[count]);
    a->scene->content.rope_count = (int)count;
    a->scene->content.ropes = list;
    return CAROM_OK;
}
