/* A shaft in a sleeve: its coordinates are the way along its axis and the angle about it. */
#include "bodies/joint.h"

static const char *const q_names[] = {".s", ".th"}, *const u_names[] = {".s'", ".th'"};

static bool move(const carom_link *l, const double *q, v3 *at, m3 *R)
{
    *at = v3_along(*at, q[0], l->axis[0]);
    *R = m3_turned(l->axis[0], q[1], *R);
    return true;
}

static void columns(const carom_link *l, const frame *parent, const frame *place, v3 p, v3 origin,
                    const double *q, motion *column)
{
    (void)place, (void)q;
    v3 a = m3_apply(parent->R, l->axis[0]);
    column[0] = motion_straight(a);
    column[1] = motion_about(a, p, origin);
}

const carom_joint_ops carom_joint_cylindrical = {
    .is = {.word = "cylindrical",
           .doc = "slides along axis and turns about it; in space",
           .axis = true,
           .coordinates = 2,
           .velocities = 2},
    .quaternion = -1,
    .q = q_names,
    .u = u_names,
    .first = 1,
    .swap = carom_joint_swap_axis,
    .move = move,
    .columns = columns,
    .space = {2, {0, 1}, 2, {{2, 0}, {2, 1}}, false},
};
