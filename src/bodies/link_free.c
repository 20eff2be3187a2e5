/* Links that hang on nothing: a free body in space (place of its centre and quaternion; velocity of
 * the centre in space axes, angular velocity in its own), one in the plane (place of its centre and
 * angle), and a body that moves as prescribed. */
#include "bodies/joint.h"

static const char *const free_q[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
static const char *const free_u[] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};

/* A link from the place of its centre. */
static void place_centre(const carom_link *l, v3 centre, m3 R, frame *place)
{
    place->R = R;
    place->p = v3_sub(centre, m3_apply(R, l->centre));
}

static bool place_free(const carom_link *l, const double *q, frame *place)
{
    m3 R;
    if (!m3_of_quaternion(q + 3, &R))
        return false;
    place_centre(l, v3_of(q), R, place);
    return true;
}

static bool place_free_plane(const carom_link *l, const double *q, frame *place)
{
    place_centre(l, (v3){q[0], q[1], 0}, m3_turned((v3){0, 0, 1}, q[2], m3_identity()), place);
    return true;
}

static void free_columns(const carom_link *l, const frame *parent, const frame *place, v3 p,
                         v3 origin, const double *q, motion *column)
{
    (void)parent, (void)p, (void)q;
    for (int k = 0; k < 3; k++)
        column[k] = motion_straight((v3){k == 0, k == 1, k == 2});
    carom_joint_own_axes(&place->R, frame_point(place, l->centre), origin, column + 3);
}

static void free_plane_columns(const carom_link *l, const frame *parent, const frame *place, v3 p,
                               v3 origin, const double *q, motion *column)
{
    (void)parent, (void)p, (void)q;
    column[0] = motion_straight((v3){1, 0, 0});
    column[1] = motion_straight((v3){0, 1, 0});
    column[2] = motion_about((v3){0, 0, 1}, frame_point(place, l->centre), origin);
}

/* The velocity v of the centre is told in space, so it does not turn with the body. */
static void carry(int count, v3 v, const double *u, const motion *column, motion *V, motion *A)
{
    motion own = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < count; k++)
        own = motion_along(own, u[k], column[k]);
    A->v = v3_add(A->v, v3_cross(v, own.w));
    *V = motion_add(*V, own);
}

static void free_carry(const double *u, const motion *column, motion *V, motion *A)
{
    carry(6, (v3){u[0], u[1], u[2]}, u, column, V, A);
}

static void free_plane_carry(const double *u, const motion *column, motion *V, motion *A)
{
    carry(3, (v3){u[0], u[1], 0}, u, column, V, A);
}

const carom_joint_ops carom_link_free = {
    .is = {.coordinates = 7, .velocities = 6},
    .quaternion = 3,
    .q = free_q,
    .u = free_u,
    .place = place_free,
    .columns = free_columns,
    .carry = free_carry,
};

const carom_joint_ops carom_link_free_plane = {
    .is = {.coordinates = 3, .velocities = 3},
    .quaternion = -1,
    .q = carom_joint_plane_q,
    .u = carom_joint_plane_u,
    .place = place_free_plane,
    .columns = free_plane_columns,
    .carry = free_plane_carry,
};

const carom_joint_ops carom_link_driven = {.quaternion = -1};
