/* A slide: its coordinate is the way along its axis. */
#include "bodies/joint.h"

static bool move(const carom_link *l, const double *q, v3 *at, m3 *R)
{
    (void)R;
    *at = v3_along(*at, q[0], l->axis[0]);
    return true;
}

static void columns(const carom_link *l, const frame *parent, const frame *place, v3 p, v3 origin,
                    const double *q, motion *column)
{
    (void)place, (void)p, (void)origin, (void)q;
    column[0] = motion_straight(m3_apply(parent->R, l->axis[0]));
}

const carom_joint_ops carom_joint_prismatic = {
    .is = {.word = "prismatic",
           .doc = "slides along axis",
           .in_plane = true,
           .slides = true,
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
    .space = {2, {0, 1}, 3, {{0, 1}, {1, 2}, {2, 0}}, false},
    .plane = {1, {1}, 1, {{0, 1}}, false},
};
