/* Poses, and boxes along the axes around shapes. */
#include "bodies/shape.h"
#include "carom/need.h"

bool carom_pose_set(carom_pose *pose, const double position[3], const double turn[4])
{
    CAROM_NEED_OR(false, pose, position, turn);
    double length2 = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3];
    if (!(length2 > 0) || !isfinite(length2))
        return false;
    double s = 1 / sqrt(length2), w = s * turn[0], x = s * turn[1], y = s * turn[2],
           z = s * turn[3];
    const double columns[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
        2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
        2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y)};
    for (int k = 0; k < 9; k++)
        pose->rotation[k] = columns[k];
    for (int k = 0; k < 3; k++)
        pose->position[k] = position[k];
    return true;
}

void carom_pose_set_plane(carom_pose *pose, const double position[2], double angle)
{
    CAROM_NEED_OR(, pose, position);
    double c = cos(angle), s = sin(angle);
    *pose = (carom_pose){{position[0], position[1], 0}, {c, s, 0, -s, c, 0, 0, 0, 1}};
}

/* Half the extent of a rotated box along the axes: |R| h. */
v3 carom_shape_extent_of_box(const m3 *R, const double h[3])
{
    return (v3){fabs(R->x.x) * h[0] + fabs(R->y.x) * h[1] + fabs(R->z.x) * h[2],
                fabs(R->x.y) * h[0] + fabs(R->y.y) * h[1] + fabs(R->z.y) * h[2],
                fabs(R->x.z) * h[0] + fabs(R->y.z) * h[1] + fabs(R->z.z) * h[2]};
}

/* A disc of unit radius with the unit normal a extends sqrt(1 - a_k^2) along axis k. */
static v3 extent_of_cylinder(v3 a, const double h[3])
{
    return (v3){h[0] * sqrt(fmax(0, 1 - a.x * a.x)) + h[2] * fabs(a.x),
                h[0] * sqrt(fmax(0, 1 - a.y * a.y)) + h[2] * fabs(a.y),
                h[0] * sqrt(fmax(0, 1 - a.z * a.z)) + h[2] * fabs(a.z)};
}

static void bound_points(int count, const v3 *points, const frame *f, v3 *lower, v3 *upper)
{
    *lower = *upper = frame_point(f, points[0]);
    for (int k = 1; k < count; k++) {
        v3 p = frame_point(f, points[k]);
        *lower = (v3){fmin(lower->x, p.x), fmin(lower->y, p.y), fmin(lower->z, p.z)};
        *upper = (v3){fmax(upper->x, p.x), fmax(upper->y, p.y), fmax(upper->z, p.z)};
    }
}

/* The rotated box of a whole mesh: wider than the mesh, but found without looking at it. */
static void bound_root(const carom_mesh_node *root, const frame *f, v3 *lower, v3 *upper)
{
    v3 half = v3_scale(0.5, v3_sub(root->upper, root->lower));
    v3 middle = frame_point(f, v3_scale(0.5, v3_add(root->upper, root->lower)));
    v3 extent = carom_shape_extent_of_box(&f->R, (double[3]){half.x, half.y, half.z});
    *lower = v3_sub(middle, extent);
    *upper = v3_add(middle, extent);
}

/* A half-space is bounded in one direction only, and only when its normal is along an axis. */
static void bound_plane(v3 n, v3 p, v3 *lower, v3 *upper)
{
    *lower = (v3){-INFINITY, -INFINITY, -INFINITY};
    *upper = (v3){INFINITY, INFINITY, INFINITY};
    if (n.y == 0 && n.z == 0)
        *(n.x > 0 ? &upper->x : &lower->x) = p.x;
    if (n.x == 0 && n.z == 0)
        *(n.y > 0 ? &upper->y : &lower->y) = p.y;
    if (n.x == 0 && n.y == 0)
        *(n.z > 0 ? &upper->z : &lower->z) = p.z;
}

/* The farthest points along the axes, both ways. */
static void bound_convex(const carom_shape *shape, const frame *f, v3 *low, v3 *high)
{
    double to[2][3];
    for (int k = 0; k < 6; k++) {
        const double s = k < 3 ? -1 : 1;
        const v3 d = {s * (k % 3 == 0), s * (k % 3 == 1), s * (k % 3 == 2)};
        const v3 x = frame_point(f, shape->ops->support(shape, m3_back(f->R, d)));
        to[k / 3][k % 3] = s * v3_dot(d, x);
    }
    *low = v3_of(to[0]);
    *high = v3_of(to[1]);
}

static void bound_core(const carom_shape *shape, const frame *f, v3 *low, v3 *high)
{
    v3 extent;
    switch (shape->core) {
    case CAROM_CORE_POLYTOPE:
        bound_points(shape->polytope.vertex_count, shape->polytope.vertex, f, low, high);
        break;
    case CAROM_CORE_CYLINDER:
        extent = extent_of_cylinder(f->R.z, shape->half);
        *low = v3_sub(f->p, extent);
        *high = v3_add(f->p, extent);
        break;
    case CAROM_CORE_PLANE:
        bound_plane(m3_apply(f->R, shape->normal), f->p, low, high);
        break;
    case CAROM_CORE_MESH:
        bound_root(&shape->mesh.node[0], f, low, high);
        break;
    default:
        bound_convex(shape, f, low, high);
        break;
    }
}

void carom_shape_bounds(const carom_shape *shape, const carom_pose *pose, double lower[3],
                        double upper[3])
{
    CAROM_NEED_OR(, shape, pose, lower, upper);
    frame f = frame_of(pose);
    v3 low = {0, 0, 0}, high = {0, 0, 0}, r = {shape->radius, shape->radius, 0};
    r.z = shape->space == 3 ? shape->radius : 0;
    if (shape->ops->bounds)
        shape->ops->bounds(shape, &f, &low, &high);
    else
        bound_core(shape, &f, &low, &high);
    v3_to(v3_sub(low, r), lower);
    v3_to(v3_add(high, r), upper);
}
