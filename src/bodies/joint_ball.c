/* A ball in its socket: its coordinates are a quaternion, its velocities the angular velocity in
 * the link's own axes, which turn with the link. */
#include "bodies/joint.h"

static const char *const q_names[] = {".qw", ".qx", ".qy", ".qz"}, *const u_names[] = {".wx", ".wy",
                                                                                       ".wz"};

static bool move(const carom_link *l, const double *q, v3 *at, m3 *R)
{
    m3 own;
    (void)l, (void)at;
    if (!m3_of_quaternion(q, &own))
        return false;
    *R = m3_times(*R, own);
    return true;
}

static void columns(const carom_link *l, const frame *parent, const frame *place, v3 p, v3 origin,
                    const double *q, motion *column)
{
    (void)l, (void)parent, (void)q;
    carom_joint_own_axes(&place->R, p, origin, column);
}

static void carry(const double *u, const motion *column, motion *V, motion *A)
{
    motion own = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; k++)
        own = motion_along(own, u[k], column[k]);
    *A = motion_add(*A, motion_cross(*V, own));
    *V = motion_add(*V, own);
}

const carom_joint_ops carom_joint_ball = {
    .is = {.word = "ball", .doc = "turns about at; in space", .coordinates = 4, .velocities = 3},
    .quaternion = 0,
    .q = q_names,
    .u = u_names,
    .first = 1,
    .move = move,
    .columns = columns,
    .carry = carry,
    .space = {3, {0, 1, 2}, 0, {{0}}, false},
};
