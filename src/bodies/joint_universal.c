/* A Cardan joint: its coordinates are the angles about its axis and then about its second axis,
 * which the first one turns. */
#include "bodies/joint.h"

static const char *const q_names[] = {".first", ".second"}, *const u_names[] = {".first'",
                                                                                ".second'"};

static void axes(const carom_joint_def *def, v3 a, v3 axis[3])
{
    v3 second = v3_of(def->second);
    (void)a;
    if (v3_max(second) > 0)
        axis[1] = v3_unit(second);
}

static void swap(v3 axis[3])
{
    v3 first = axis[0];
    axis[0] = v3_neg(axis[1]);
    axis[1] = v3_neg(first);
}

static bool move(const carom_link *l, const double *q, v3 *at, m3 *R)
{
    (void)at;
    *R = m3_turned(l->axis[0], q[0], m3_turned(l->axis[1], q[1], *R));
    return true;
}

static void columns(const carom_link *l, const frame *parent, const frame *place, v3 p, v3 origin,
                    const double *q, motion *column)
{
    (void)place;
    m3 only = m3_turned(l->axis[0], q[0], (m3){l->axis[1], l->axis[1], l->axis[1]});
    column[0] = motion_about(m3_apply(parent->R, l->axis[0]), p, origin);
    column[1] = motion_about(m3_apply(parent->R, only.x), p, origin);
}

const carom_joint_ops carom_joint_universal = {
    .is = {.word = "universal",
           .doc = "turns about axis, then second; in space",
           .axis = true,
           .coordinates = 2,
           .velocities = 2},
    .quaternion = -1,
    .q = q_names,
    .u = u_names,
    .axes = axes,
    .first = 1,
    .swap = swap,
    .move = move,
    .columns = columns,
    .space = {3, {0, 1, 2}, 1, {{2, 0}}, false},
};
