/* A screw: its coordinate is the angle about its axis, along which it moves by `pitch` in a turn.
 *
 *   x = x_0 + k q a,  k = pitch / (2 pi),     S = (a, p x a + k a) */
#include "bodies/joint.h"

static double way_of(const carom_link *l)
{
    return l->own[0] / (2 * CAROM_PI);
}

static bool move(const carom_link *l, const double *q, v3 *at, m3 *R)
{
    *at = v3_along(*at, way_of(l) * q[0], l->axis[0]);
    *R = m3_turned(l->axis[0], q[0], *R);
    return true;
}

static void columns(const carom_link *l, const frame *parent, const frame *place, v3 p, v3 origin,
                    const double *q, motion *column)
{
    (void)place, (void)q;
    v3 a = m3_apply(parent->R, l->axis[0]);
    column[0] = motion_along(motion_about(a, p, origin), way_of(l), motion_straight(a));
}

const carom_joint_ops carom_joint_screw = {
    .is = {.word = "screw",
           .doc = "turns about axis and moves along it by pitch in a turn; in space",
           .axis = true,
           .coordinates = 1,
           .velocities = 1,
           .own = {{.name = "pitch",
                    .fallback = "0",
                    .doc = "of a screw: its way along axis in a turn; negative: left-handed",
                    .lower = -1e6,
                    .upper = 1e6}}},
    .quaternion = -1,
    .q = carom_joint_single_q,
    .u = carom_joint_single_u,
    .first = 1,
    .swap = carom_joint_swap_axis,
    .move = move,
    .columns = columns,
    .space = {2, {0, 1}, 2, {{2, 0}, {2, 1}}, true},
};
