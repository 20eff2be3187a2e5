/* A plate on a table: its coordinates are the ways along two directions across its axis, and the
 * angle about the axis. */
#include "bodies/joint.h"

static void axes(const carom_joint_def *def, v3 a, v3 axis[3])
{
    (void)def;
    axis[0] = v3_perpendicular(a);
    axis[1] = v3_cross(a, axis[0]);
    axis[2] = a;
}

static bool move(const carom_link *l, const double *q, v3 *at, m3 *R)
{
    *at = v3_along(v3_along(*at, q[0], l->axis[0]), q[1], l->axis[1]);
    *R = m3_turned(l->axis[2], q[2], *R);
    return true;
}

static void columns(const carom_link *l, const frame *parent, const frame *place, v3 p, v3 origin,
                    const double *q, motion *column)
{
    (void)place, (void)q;
    column[0] = motion_straight(m3_apply(parent->R, l->axis[0]));
    column[1] = motion_straight(m3_apply(parent->R, l->axis[1]));
    column[2] = motion_about(m3_apply(parent->R, l->axis[2]), p, origin);
}

const carom_joint_ops carom_joint_planar = {
    .is = {.word = "planar",
           .doc = "slides across axis and turns about it; in space",
           .axis = true,
           .coordinates = 3,
           .velocities = 3},
    .quaternion = -1,
    .q = carom_joint_plane_q,
    .u = carom_joint_plane_u,
    .axes = axes,
    .third = 2,
    .move = move,
    .columns = columns,
    .space = {1, {2}, 2, {{2, 0}, {2, 1}}, false},
};
