/* Kinds of joints: each is a table in a file of its own, joint_<word>.c, and a line in
 * CAROM_JOINT_KINDS of carom/bodies.h. Nobody else asks which kind a joint is. Links that hang on
 * nothing (free and driven bodies) have tables of the same form (link_free.c). */
#ifndef CAROM_SRC_BODIES_JOINT_H
#define CAROM_SRC_BODIES_JOINT_H

#include "bodies/forest.h"
#include "carom/bodies.h"

/* What a joint holds where it closes a loop, in frames on both links that coincide at the
 * reference. Their third axis is the joint's axis (the plane: the first, where it slides). */
typedef struct carom_joint_rows {
    int shifts, shift[3];  /* axes of a along which the points stay together */
    int turns, turn[3][2]; /* pairs (i, j): axis i of a and axis j of b stay orthogonal */
    bool follows;          /* the way along the third axis follows the angle about it: own[0] a
                              turn */
} carom_joint_rows;

struct carom_joint_ops {
    carom_joint_info is; /* for users; no word: a link without a joint */
    int quaternion;      /* the first of four coordinates that are one, and of three velocities that
                            turn it; -1: none */
    const char *const *q, *const *u; /* endings of the names of coordinates and velocities */

    /* The axes in space at the reference, from the direction `a` of the definition; axis[0] = a and
     * two across it are there. NULL: they stay. */
    void (*axes)(const carom_joint_def *def, v3 a, v3 axis[3]);
    int third, first; /* which of them are the third and the first axis of a loop's frames */
    /* The same joint seen from the other side: what moved ahead moves back. NULL: no change. */
    void (*swap)(v3 axis[3]);

    /* Where the link is for its coordinates: `at` (the joint's point) and R (the link's axes) in
     * the parent's frame, moved from the reference. False: nowhere (a zero quaternion). NULL: at
     * the reference. */
    bool (*move)(const carom_link *l, const double *q, v3 *at, m3 *R);
    /* The same in space, for links without a joint. NULL: `move` from the parent. */
    bool (*place)(const carom_link *l, const double *q, frame *place);
    /* The motions of unit velocities about `origin`; p is the joint's point in space. */
    void (*columns)(const carom_link *l, const frame *parent, const frame *place, v3 p, v3 origin,
                    const double *q, motion *column);
    /* Add the link's own motion to V, and its rate at fixed velocities to A. NULL: each column is
     * carried along by the parent and by the columns before it. */
    void (*carry)(const double *u, const motion *column, motion *V, motion *A);

    carom_joint_rows space, plane;
};

#define CAROM_JOINT_TABLE(NAME, name) extern const carom_joint_ops carom_joint_##name;
CAROM_JOINT_KINDS(CAROM_JOINT_TABLE)
#undef CAROM_JOINT_TABLE

/* Free bodies in space and in the plane, and those that move as prescribed. */
extern const carom_joint_ops carom_link_free, carom_link_free_plane, carom_link_driven;

/* The table of a kind; NULL: there is none. */
const carom_joint_ops *carom_joint_find(carom_joint_kind kind);

/* Endings of the names of a single coordinate, and of places and angles in a plane. */
extern const char *const carom_joint_single_q[], *const carom_joint_single_u[];
extern const char *const carom_joint_plane_q[], *const carom_joint_plane_u[];

/* For joints that move along or about axis[0] only. */
void carom_joint_swap_axis(v3 axis[3]);

/* Rotations about the link's own axes through p: the columns of a quaternion. */
static inline void carom_joint_own_axes(const m3 *R, v3 p, v3 origin, motion column[3])
{
    column[0] = motion_about(R->x, p, origin);
    column[1] = motion_about(R->y, p, origin);
    column[2] = motion_about(R->z, p, origin);
}

#endif
