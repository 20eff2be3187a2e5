/* What definitions of bodies must be before anything is made of them. */
#include "bodies/bodies.h"
#include "carom/need.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

carom_status carom_bodies_blamed(const carom_bodies_report *to, carom_bodies_part part, int index,
                                 carom_status status)
{
    if (to->blame)
        *to->blame = (carom_bodies_blame){part, index};
    return status;
}

/* How a thing is called in messages. */
static const char *name_of(const char *name)
{
    return name ? name : "(without a name)";
}

static bool finite(int count, const double *values)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return false;
    return true;
}

static carom_status bad_body(const carom_world_def *w, int k, const carom_bodies_report *to,
                             const char *what)
{
    carom_error_set(to->error, CAROM_ERROR_INPUT, "body `%s`: %s", name_of(w->bodies[k].name),
                    what);
    return carom_bodies_blamed(to, CAROM_BODIES_BODY, k, CAROM_ERROR_INPUT);
}

static carom_status check_body(const carom_world_def *w, int k, const carom_bodies_report *to)
{
    const carom_body_def *b = &w->bodies[k];
    if (!finite(3, b->position) || !finite(4, b->turn) || !finite(3, b->velocity) ||
        !finite(3, b->spin) || !finite(3, b->surface))
        return bad_body(w, k, to, "position, turn, velocity, spin and surface must be finite");
    if (w->space == 3 && !(b->turn[0] || b->turn[1] || b->turn[2] || b->turn[3]))
        return bad_body(w, k, to, "the quaternion of its turn is zero; no turn is (1, 0, 0, 0)");
    if (b->drive && !b->fixed)
        return bad_body(w, k, to, "only fixed bodies can move as prescribed");
    for (int s = 0; s < b->shape_count; s++) {
        const carom_body_shape *shape = &b->shapes[s];
        if (!shape->shape)
            return bad_body(w, k, to, "a shape is missing");
        if (carom_shape_get_space(shape->shape) != w->space)
            return bad_body(w, k, to,
                            w->space == 2 ? "a shape of space in the plane"
                                          : "a shape of the plane in space");
        if (!finite(3, shape->position) || !finite(4, shape->turn))
            return bad_body(w, k, to, "position and turn of a shape must be finite");
        if (!b->fixed && carom_shape_describe(carom_shape_get_kind(shape->shape))->endless)
            return bad_body(w, k, to,
                            "planes and fields of heights have no end: the body must be fixed");
    }
    return CAROM_OK;
}

static carom_status bad_joint(const carom_world_def *w, int k, const carom_bodies_report *to,
                              const char *what, double value)
{
    carom_error_set(to->error, CAROM_ERROR_INPUT, "joint `%s`: %s; found %g",
                    name_of(w->joints[k].name), what, value);
    return carom_bodies_blamed(to, CAROM_BODIES_JOINT, k, CAROM_ERROR_INPUT);
}

static bool is_ground(const carom_world_def *w, int body)
{
    return body == CAROM_WORLD || w->bodies[body].fixed;
}

static carom_status check_ends(const carom_world_def *w, int a, int b, carom_bodies_part part,
                               int k, const char *name, const carom_bodies_report *to)
{
    const char *what = NULL;
    if (a < CAROM_WORLD || a >= w->body_count || b < CAROM_WORLD || b >= w->body_count)
        what = "names a body that does not exist";
    else if (a == b)
        what = "joins a body to itself";
    else if (part == CAROM_BODIES_JOINT && is_ground(w, a) && is_ground(w, b))
        what = "joins two bodies that are fixed";
    if (!what)
        return CAROM_OK;
    carom_error_set(to->error, CAROM_ERROR_INPUT, "`%s` %s (bodies %d and %d)", name_of(name), what,
                    a, b);
    return carom_bodies_blamed(to, part, k, CAROM_ERROR_INPUT);
}

static carom_status check_joint_forces(const carom_world_def *w, int k,
                                       const carom_bodies_report *to)
{
    const carom_joint_def *j = &w->joints[k];
    bool single = carom_joint_describe(j->kind)->velocities == 1;
    if (!(j->spring >= 0) || !isfinite(j->spring) || !isfinite(j->rest))
        return bad_joint(w, k, to, "the spring must be 0 or positive, its rest finite", j->spring);
    if (!(j->damping >= 0) || !isfinite(j->damping))
        return bad_joint(w, k, to, "the damping must be 0 or positive", j->damping);
    if (!(j->armature >= 0) || !isfinite(j->armature))
        return bad_joint(w, k, to, "the armature must be 0 or positive", j->armature);
    if (!(j->friction >= 0))
        return bad_joint(w, k, to, "the friction must be 0 or positive", j->friction);
    if (!single && (j->spring > 0 || j->motor || j->friction > 0 || j->lower > -INFINITY ||
                    j->upper < INFINITY))
        return bad_joint(w, k, to,
                         "limits, springs, motors and friction need a joint with one coordinate",
                         j->spring);
    return CAROM_OK;
}

static carom_status not_in_plane(const carom_world_def *w, int k, const carom_bodies_report *to)
{
    char words[300] = "the plane has";
    size_t used = strlen(words);
    const carom_joint_info *is;
    for (int i = 0; (is = carom_joint_describe((carom_joint_kind)i)) && used < sizeof words; i++)
        if (is->in_plane)
            used += (size_t)snprintf(words + used, sizeof words - used, " %s,", is->word);
    carom_error_set(to->error, CAROM_ERROR_INPUT, "joint `%s`: %s not %s",
                    name_of(w->joints[k].name), words,
                    carom_joint_describe(w->joints[k].kind)->word);
    return carom_bodies_blamed(to, CAROM_BODIES_JOINT, k, CAROM_ERROR_INPUT);
}

/* Two axes that are the same to rounding turn the child about one. */
static bool parallel(const double *x, const double *y)
{
    const v3 a = v3_of(x), b = v3_of(y);
    return v3_norm(v3_cross(a, b)) <= 4 * DBL_EPSILON * v3_norm(a) * v3_norm(b);
}

static carom_status check_joint(const carom_world_def *w, int k, const carom_bodies_report *to)
{
    const carom_joint_def *j = &w->joints[k];
    double axis2 = j->axis[0] * j->axis[0] + j->axis[1] * j->axis[1] + j->axis[2] * j->axis[2];
    const carom_joint_info *is = carom_joint_describe(j->kind);
    if (!is)
        return bad_joint(w, k, to, "there is no joint of this kind", j->kind);
    if (w->space == 2 && !is->in_plane)
        return not_in_plane(w, k, to);
    carom_status status = check_ends(w, j->parent, j->child, CAROM_BODIES_JOINT, k, j->name, to);
    if (status)
        return status;
    if (!finite(3, j->at) || !finite(3, j->axis) || !finite(3, j->second) ||
        !finite(4, j->initial) || !finite(3, j->velocity))
        return bad_joint(w, k, to, "point, axis, initial and velocity must be finite", j->at[0]);
    if (is->axis && !(axis2 > 0))
        return bad_joint(w, k, to, "the axis is zero: it must have a direction", axis2);
    if (v3_max(v3_of(j->second)) > 0 && parallel(j->axis, j->second))
        return bad_joint(w, k, to, "the second axis is parallel to the first", j->second[0]);
    for (int i = 0; i < 2 && is->own[i].name; i++)
        if (!(j->own[i] >= is->own[i].lower && j->own[i] <= is->own[i].upper)) {
            char what[120];
            snprintf(what, sizeof what, "its %s must be from %g to %g", is->own[i].name,
                     is->own[i].lower, is->own[i].upper);
            return bad_joint(w, k, to, what, j->own[i]);
        }
    if (!(j->lower <= j->upper))
        return bad_joint(w, k, to, "the lower limit is above the upper one", j->lower);
    return check_joint_forces(w, k, to);
}

static carom_status check_rope(const carom_world_def *w, int k, const carom_bodies_report *to)
{
    const carom_rope_def *r = &w->ropes[k];
    carom_status status = check_ends(w, r->a, r->b, CAROM_BODIES_ROPE, k, r->name, to);
    if (status)
        return status;
    if (!finite(3, r->at_a) || !finite(3, r->at_b) || !(r->length >= 0) || !isfinite(r->length)) {
        carom_error_set(to->error, CAROM_ERROR_INPUT,
                        "rope `%s`: its ends must be finite and its length positive, not %g",
                        name_of(r->name), r->length);
        return carom_bodies_blamed(to, CAROM_BODIES_ROPE, k, CAROM_ERROR_INPUT);
    }
    return CAROM_OK;
}

/* What the world counts must be there. */
static carom_status check_lists(const carom_world_def *world, carom_error *error)
{
    CAROM_NEED_LIST(error, world->body_count, world->bodies);
    CAROM_NEED_LIST(error, world->joint_count, world->joints);
    CAROM_NEED_LIST(error, world->rope_count, world->ropes);
    CAROM_NEED_LIST(error, world->pair_count, world->pairs);
    CAROM_NEED_LIST(error, world->instant_count, world->instants);
    for (int k = 0; k < world->body_count; k++)
        CAROM_NEED_LIST(error, world->bodies[k].shape_count, world->bodies[k].shapes);
    for (int k = 0; k < world->instant_count; k++)
        CAROM_NEED_LIST(error, world->instant_count, world->instants[k].value);
    return CAROM_OK;
}

carom_status carom_bodies_check(const carom_world_def *w, const carom_bodies_report *to)
{
    enum { MOST = 1000000 };
    carom_status status = CAROM_OK;
    if ((w->space != 2 && w->space != 3) || !finite(3, w->gravity) || w->body_count > MOST) {
        carom_error_set(to->error, CAROM_ERROR_INPUT,
                        "the world has space %d (2 or 3), %d bodies (at most %d); its gravity must "
                        "be finite",
                        w->space, w->body_count, MOST);
        return carom_bodies_blamed(to, CAROM_BODIES_WORLD, 0, CAROM_ERROR_INPUT);
    }
    if (check_lists(w, to->error))
        return carom_bodies_blamed(to, CAROM_BODIES_WORLD, 0, CAROM_ERROR_ARGUMENT);
    for (int k = 0; k < w->body_count && !status; k++)
        status = check_body(w, k, to);
    for (int k = 0; k < w->joint_count && !status; k++)
        status = check_joint(w, k, to);
    for (int k = 0; k < w->rope_count && !status; k++)
        status = check_rope(w, k, to);
    for (int k = 0; k < w->pair_count && !status; k++)
        status = check_ends(w, w->pairs[k].a, w->pairs[k].b, CAROM_BODIES_PAIR, k, "the pair", to);
    return status;
}

/* Mass properties: given, or of the shapes, or those of the shapes scaled to a given mass. */

static void pose_of_shape(const carom_body_shape *s, int space, carom_pose *pose)
{
    if (space == 2)
        carom_pose_set_plane(pose, s->position, s->turn[0]);
    else if (!carom_pose_set(pose, s->position, s->turn))
        carom_pose_set(pose, s->position, (double[4]){1, 0, 0, 0});
}

static carom_status mass_of_shapes(const carom_body_def *b, int space, carom_mass *mass,
                                   carom_error *error)
{
    *mass = (carom_mass){0};
    for (int k = 0; k < b->shape_count; k++) {
        const carom_body_shape *s = &b->shapes[k];
        carom_mass part;
        carom_pose at;
        carom_status status =
            carom_shape_mass(s->shape, s->density > 0 ? s->density : b->density, &part, error);
        if (status)
            return status;
        pose_of_shape(s, space, &at);
        carom_mass_add(mass, &part, &at);
    }
    return CAROM_OK;
}

static bool has_inertia(const carom_mass *m)
{
    for (int k = 0; k < 9; k++)
        if (m->inertia[k] != 0)
            return true;
    return false;
}

static carom_status find_mass(const carom_body_def *b, int space, bool jointed, carom_mass *mass,
                              carom_error *error)
{
    bool given = b->mass.mass != 0 || has_inertia(&b->mass);
    if (given && (has_inertia(&b->mass) || b->shape_count == 0)) {
        *mass = b->mass;
        bool point = jointed && !has_inertia(mass) && mass->mass > 0 && isfinite(mass->mass);
        return point ? CAROM_OK : carom_mass_check(mass, space, error);
    }
    if (b->shape_count == 0)
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "it has no shape, so it needs mass and inertia");
    carom_status status = mass_of_shapes(b, space, mass, error);
    if (status)
        return status;
    double scale = given ? b->mass.mass / mass->mass : 1;
    mass->mass *= scale;
    for (int k = 0; k < 9; k++)
        mass->inertia[k] *= scale;
    return carom_mass_check(mass, space, error);
}

/* Products of inertia that are rounding errors of the moments are none: M stays diagonal. */
static void drop_rounding(carom_mass *mass)
{
    double *J = mass->inertia, size = J[0] + J[4] + J[8];
    for (int k = 0; k < 9; k++)
        if (k % 4 != 0 && fabs(J[k]) <= 16 * DBL_EPSILON * size)
            J[k] = 0;
}

carom_status carom_bodies_mass(const carom_body_def *b, int index, int space, bool jointed,
                               const carom_bodies_report *to, carom_mass *mass)
{
    carom_error inner = {0};
    carom_status status = find_mass(b, space, jointed, mass, &inner);
    if (!status)
        drop_rounding(mass);
    if (!status)
        return CAROM_OK;
    carom_error_set(to->error, status, "body `%s`: %s", name_of(b->name), inner.text);
    return carom_bodies_blamed(to, CAROM_BODIES_BODY, index, status);
}
