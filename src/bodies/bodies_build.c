/* Links, trees, loops and stops from definitions.
 *
 * A joint hangs its child on its parent when the child is still free and the parent does not hang
 * on it; or the parent on the child when only that is possible; otherwise it closes a loop. */
#include "bodies/bodies.h"
#include "bodies/joint.h"

#include <string.h>

frame carom_bodies_reference(const carom_body_def *b, int space)
{
    carom_pose pose;
    if (space == 2)
        carom_pose_set_plane(&pose, b->position, b->turn[0]);
    else
        carom_pose_set(&pose, b->position, b->turn);
    const double *R = pose.rotation;
    return (frame){v3_of(pose.position), {v3_of(R), v3_of(R + 3), v3_of(R + 6)}};
}

typedef struct builder {
    const carom_world_def *world;
    carom_bodies *bodies;
    carom_link *link;
    int *parent; /* of a body: the one it hangs on; CAROM_WORLD - 1: it is free or fixed */
    int *hangs;  /* of a body: the joint it hangs on, -1: none */
    const carom_bodies_report *to;
} builder;

enum { LOOSE = CAROM_WORLD - 1 };

/* Does body x hang on y, directly or not? */
static bool hangs_on(const builder *b, int x, int y)
{
    while (x >= 0 && x != y)
        x = b->parent[x];
    return x == y;
}

static bool can_hang(const builder *b, int child, int parent)
{
    return child >= 0 && !b->world->bodies[child].fixed && b->parent[child] == LOOSE &&
           !hangs_on(b, parent, child);
}

static void hang_joints(builder *b)
{
    for (int k = 0; k < b->world->body_count; k++) {
        b->parent[k] = LOOSE;
        b->hangs[k] = -1;
    }
    for (int k = 0; k < b->world->joint_count; k++) {
        const carom_joint_def *d = &b->world->joints[k];
        carom_joint *j = &b->bodies->joint[k];
        *j = (carom_joint){.is = *d, .link = -1, .loop = -1, .q = -1, .u = -1};
        bool straight = can_hang(b, d->child, d->parent);
        if (!straight && !can_hang(b, d->parent, d->child)) {
            j->loop = b->bodies->loop_count++;
            continue;
        }
        int child = straight ? d->child : d->parent;
        j->swapped = !straight;
        b->parent[child] = straight ? d->parent : d->child;
        b->hangs[child] = k;
        j->link = child; /* links have the numbers of bodies until they are put in order */
    }
}

static frame reference_of(const builder *b, int body)
{
    if (body < 0)
        return (frame){{0, 0, 0}, m3_identity()};
    return carom_bodies_reference(&b->world->bodies[body], b->world->space);
}

/* The axes of a joint in space at the reference. */
static void joint_axes(const carom_joint_def *d, int space, v3 axis[3])
{
    const carom_joint_ops *ops = carom_joint_find(d->kind);
    v3 a = v3_of(d->axis);
    if (space == 2)
        a = ops->is.slides ? (v3){a.x, a.y, 0} : (v3){0, 0, 1};
    a = v3_unit(a);
    axis[0] = a;
    axis[1] = axis[2] = v3_perpendicular(a);
    if (ops->axes)
        ops->axes(d, a, axis);
}

static void make_jointed(const builder *b, int body, carom_link *l)
{
    const carom_joint *j = &b->bodies->joint[b->hangs[body]];
    frame parent = reference_of(b, b->parent[body]), own = reference_of(b, body);
    v3 axis[3], at = v3_of(j->is.at);
    at.z = b->world->space == 2 ? 0 : at.z;
    joint_axes(&j->is, b->world->space, axis);
    l->ops = carom_joint_find(j->is.kind);
    if (j->swapped && l->ops->swap)
        l->ops->swap(axis);
    memcpy(l->own, j->is.own, sizeof l->own);
    l->at = frame_back(&parent, at);
    l->in_link = frame_back(&own, at);
    l->turn = m3_back_times(parent.R, own.R);
    for (int k = 0; k < 3; k++)
        l->axis[k] = m3_back(parent.R, axis[k]);
    l->q = j->q;
    l->u = j->u;
}

static carom_status make_link(const builder *b, int body, int free_q, int free_u, carom_link *l)
{
    const carom_body_def *d = &b->world->bodies[body];
    carom_mass mass = {0};
    bool jointed = b->hangs[body] >= 0, in_plane = b->world->space == 2;
    *l = (carom_link){.parent = jointed ? b->parent[body] : -1, .turn = m3_identity()};
    if (d->fixed) {
        frame own = reference_of(b, body);
        l->ops = d->drive ? &carom_link_driven : &carom_joint_fixed;
        l->at = own.p;
        l->turn = own.R;
        return CAROM_OK;
    }
    carom_status status = carom_bodies_mass(d, body, b->world->space, jointed, b->to, &mass);
    if (status)
        return status;
    l->mass = mass.mass;
    l->centre = v3_of(mass.centre);
    l->inertia = (m3){v3_of(mass.inertia), v3_of(mass.inertia + 3), v3_of(mass.inertia + 6)};
    if (jointed) {
        make_jointed(b, body, l);
    } else {
        l->ops = in_plane ? &carom_link_free_plane : &carom_link_free;
        l->q = free_q;
        l->u = free_u;
    }
    return CAROM_OK;
}

/* Coordinates: free bodies in their order, then joints in theirs. */
static void number_coordinates(builder *b, int *free_q, int *free_u)
{
    carom_forest *f = &b->bodies->forest;
    const carom_joint_info *own =
        b->world->space == 2 ? &carom_link_free_plane.is : &carom_link_free.is;
    for (int k = 0; k < b->world->body_count; k++) {
        bool loose = !b->world->bodies[k].fixed && b->hangs[k] < 0;
        free_q[k] = f->nq;
        free_u[k] = f->n;
        f->nq += loose ? own->coordinates : 0;
        f->n += loose ? own->velocities : 0;
    }
    for (int k = 0; k < b->world->joint_count; k++) {
        carom_joint *j = &b->bodies->joint[k];
        if (j->loop >= 0)
            continue;
        j->q = f->nq;
        j->u = f->n;
        f->nq += carom_joint_describe(j->is.kind)->coordinates;
        f->n += carom_joint_describe(j->is.kind)->velocities;
    }
}

/* Links in an order in which parents come first: link_of[body]. */
static void order_links(const builder *b, int *link_of)
{
    int count = b->world->body_count, made = 0;
    for (int k = 0; k < count; k++)
        link_of[k] = -1;
    for (int k = 0; k < count; k++) {
        /* Up to what has a number already, then down again, numbering. */
        int chain = 0;
        for (int x = k; x >= 0 && link_of[x] < 0; x = b->parent[x])
            chain++;
        for (; chain > 0; chain--) {
            int x = k;
            for (int up = 1; up < chain; up++)
                x = b->parent[x];
            link_of[x] = made++;
        }
    }
}

/* A frame whose third axis is the joint's axis (in the plane: whose first is a slide's). */
static m3 loop_axes(const carom_joint_def *d, int space)
{
    const carom_joint_ops *ops = carom_joint_find(d->kind);
    v3 axis[3];
    joint_axes(d, space, axis);
    if (space == 2) {
        v3 x = ops->is.slides ? axis[0] : (v3){1, 0, 0};
        return (m3){x, {-x.y, x.x, 0}, {0, 0, 1}};
    }
    v3 z = axis[ops->third], x = axis[ops->first];
    x = v3_unit(v3_along(x, -v3_dot(x, z), z));
    return (m3){x, v3_cross(z, x), z};
}

static void make_loops(const builder *b, const int *link_of)
{
    for (int k = 0; k < b->world->joint_count; k++) {
        const carom_joint *j = &b->bodies->joint[k];
        if (j->loop < 0)
            continue;
        carom_loop *loop = &b->bodies->loop[j->loop];
        frame at = {v3_of(j->is.at), loop_axes(&j->is, b->world->space)};
        frame one = reference_of(b, j->is.parent), two = reference_of(b, j->is.child);
        at.p.z = b->world->space == 2 ? 0 : at.p.z;
        *loop = (carom_loop){.a = j->is.parent < 0 ? -1 : link_of[j->is.parent],
                             .b = j->is.child < 0 ? -1 : link_of[j->is.child],
                             .on_a = frame_relative(&one, &at),
                             .on_b = frame_relative(&two, &at),
                             .lead = j->is.own[0],
                             .joint = k};
        const carom_joint_ops *ops = carom_joint_find(j->is.kind);
        loop->holds = b->world->space == 2 ? &ops->plane : &ops->space;
        b->bodies->loop_rows += carom_loop_rows(loop);
    }
}

static void add_stop(carom_bodies *bodies, int joint, double sign, double limit)
{
    const carom_joint *j = &bodies->joint[joint];
    if (isfinite(limit))
        bodies->stop[bodies->stop_count++] = (carom_stop){j->u, j->q, sign, limit, joint, -1};
}

static carom_anchor anchor_of(const builder *b, int body, const double at[3], const int *link_of)
{
    frame f = reference_of(b, body);
    v3 x = v3_of(at);
    x.z = b->world->space == 2 ? 0 : x.z;
    return (carom_anchor){body < 0 ? -1 : link_of[body], frame_back(&f, x)};
}

static void make_stops(const builder *b, const int *link_of)
{
    carom_bodies *bodies = b->bodies;
    for (int k = 0; k < b->world->joint_count; k++)
        if (bodies->joint[k].loop < 0) {
            add_stop(bodies, k, 1, bodies->joint[k].is.lower);
            add_stop(bodies, k, -1, bodies->joint[k].is.upper);
        }
    for (int k = 0; k < b->world->rope_count; k++) {
        const carom_rope_def *r = &b->world->ropes[k];
        double dz = b->world->space == 3 ? r->at_b[2] - r->at_a[2] : 0;
        double away = hypot(hypot(r->at_b[0] - r->at_a[0], r->at_b[1] - r->at_a[1]), dz);
        bodies->rope[k] =
            (carom_rope){anchor_of(b, r->a, r->at_a, link_of), anchor_of(b, r->b, r->at_b, link_of),
                         r->length > 0 ? r->length : away};
        bodies->stop[bodies->stop_count++] = (carom_stop){-1, -1, 1, bodies->rope[k].length, -1, k};
    }
}

/* Has a joint a start of its own? */
static bool starts(const carom_joint_def *j)
{
    bool any = j->hold;
    for (int k = 0; k < 3; k++)
        any = any || j->initial[1 + k] != 0 || j->velocity[k] != 0;
    const carom_joint_info *info = carom_joint_describe(j->kind);
    return any || (j->initial[0] != 0 && info->coordinates == info->velocities);
}

/* Limits of loops have no coordinate to act on. */
static carom_status check_loops(const builder *b)
{
    for (int k = 0; k < b->world->joint_count; k++) {
        const carom_joint_def *j = &b->world->joints[k];
        if (b->bodies->joint[k].loop >= 0 &&
            (isfinite(j->lower) || isfinite(j->upper) || j->spring > 0 || j->damping > 0 ||
             j->motor || j->friction > 0 || j->armature > 0)) {
            carom_error_set(b->to->error, CAROM_ERROR_INPUT,
                            "joint `%s` closes a loop and has no coordinate of its own: limits, "
                            "springs, damping, motors, armature and friction belong to another "
                            "joint of the loop",
                            j->name ? j->name : "");
            return carom_bodies_blamed(b->to, CAROM_BODIES_JOINT, k, CAROM_ERROR_INPUT);
        }
        if (b->bodies->joint[k].loop >= 0 && starts(j)) {
            carom_error_set(b->to->error, CAROM_ERROR_INPUT,
                            "joint `%s` closes a loop, and where it starts and how it moves "
                            "follows from the others: give `initial` and `velocity` of another "
                            "joint of the loop",
                            j->name ? j->name : "");
            return carom_bodies_blamed(b->to, CAROM_BODIES_JOINT, k, CAROM_ERROR_INPUT);
        }
    }
    return CAROM_OK;
}

static carom_status fill_links(builder *b, const int *link_of, const int *free_q, const int *free_u)
{
    for (int k = 0; k < b->world->body_count; k++) {
        carom_link *l = &b->link[link_of[k]];
        carom_status status = make_link(b, k, free_q[k], free_u[k], l);
        if (status)
            return status;
        l->parent = l->parent < 0 ? -1 : link_of[l->parent];
        b->bodies->drives = b->bodies->drives || l->ops == &carom_link_driven;
    }
    for (int k = 0; k < b->world->joint_count; k++)
        if (b->bodies->joint[k].link >= 0)
            b->bodies->joint[k].link = link_of[b->bodies->joint[k].link];
    return CAROM_OK;
}

static carom_status set_armature(const builder *b)
{
    carom_forest *f = &b->bodies->forest;
    double *armature = carom_arena_zeros(b->bodies->arena, (size_t)f->n, sizeof *armature);
    bool any = false;
    if (!armature)
        return carom_error_memory(b->to->error);
    for (int k = 0; k < b->world->joint_count; k++) {
        const carom_joint *j = &b->bodies->joint[k];
        for (int i = 0; j->loop < 0 && i < carom_joint_describe(j->is.kind)->velocities; i++) {
            armature[j->u + i] = j->is.armature;
            any = any || j->is.armature > 0;
        }
    }
    f->armature = any ? armature : NULL;
    return CAROM_OK;
}

carom_status carom_bodies_build(const carom_world_def *world, carom_bodies *bodies,
                                const carom_bodies_report *to)
{
    size_t count = (size_t)world->body_count, joints = (size_t)world->joint_count,
           ropes = (size_t)world->rope_count;
    carom_arena *arena = bodies->arena;
    builder b = {.world = world, .bodies = bodies, .to = to};
    int *link_of = carom_arena_array(arena, count, sizeof *link_of);
    int *free_q = carom_arena_array(arena, count, sizeof *free_q);
    int *free_u = carom_arena_array(arena, count, sizeof *free_u);
    b.link = carom_arena_zeros(arena, count, sizeof *b.link);
    b.parent = carom_arena_array(arena, count, sizeof *b.parent);
    b.hangs = carom_arena_array(arena, count, sizeof *b.hangs);
    bodies->joint = carom_arena_zeros(arena, joints, sizeof *bodies->joint);
    bodies->loop = carom_arena_zeros(arena, joints, sizeof *bodies->loop);
    bodies->rope = carom_arena_zeros(arena, ropes, sizeof *bodies->rope);
    bodies->stop = carom_arena_zeros(arena, 2 * joints + ropes, sizeof *bodies->stop);
    if (!link_of || !free_q || !free_u || !b.link || !b.parent || !b.hangs || !bodies->joint ||
        !bodies->loop || !bodies->rope || !bodies->stop)
        return carom_error_memory(to->error);
    hang_joints(&b);
    number_coordinates(&b, free_q, free_u);
    order_links(&b, link_of);
    carom_status status = check_loops(&b);
    if (!status)
        status = fill_links(&b, link_of, free_q, free_u);
    if (status)
        return status;
    make_loops(&b, link_of);
    make_stops(&b, link_of);
    memcpy(bodies->forest.gravity, world->gravity, sizeof world->gravity);
    bodies->forest.gravity[2] = world->space == 3 ? world->gravity[2] : 0;
    bodies->forest.link_count = world->body_count;
    bodies->link_of = link_of;
    status = set_armature(&b);
    return status ? status : carom_forest_complete(&bodies->forest, b.link, arena, to->error);
}
