/* A hinge: its coordinate is the angle about its axis. */
#include "bodies/joint.h"

static bool move(const carom_link *l, const double *q, v3 *at, m3 *R)
{
    (void)at;
    *R = m3_turned(l->axis[0], q[0], *R);
    return true;
}

static void columns(const carom_link *l, const frame *parent, const frame *place, v3 p, v3 origin,
                    const double *q, motion *column)
{
    (void)place, (void)q;
    column[0] = motion_about(m3_apply(parent->R, l->axis[0]), p, origin);
}

const carom_joint_ops carom_joint_revolute = {
    .is = {.word = "revolute",
           .doc = "turns about axis; world is a body",
           .in_plane = true,
           .axis = true,
           .coordinates = 1,
           .velocities = 1},
    .quaternion = -1,
    .q = carom_joint_single_q,
    .u = carom_joint_single_u,
    .first = 1,
    .swap = carom_joint_swap_axis,
    .move = move,
    .columns = columns,
    .space = {3, {0, 1, 2}, 2, {{2, 0}, {2, 1}}, false},
    .plane = {2, {0, 1}, 0, {{0}}, false},
};
