/* A joint that closes a loop: constraints between two links (docs/theory/trees.md). */
#ifndef CAROM_SRC_BODIES_LOOP_H
#define CAROM_SRC_BODIES_LOOP_H

#include "bodies/forest.h"
#include "carom/bodies.h"

enum { CAROM_LOOP_ROWS = 6 };

/* Frames on both links that coincide at the reference. `shifts`: directions of a's frame along
 * which the points stay together; `turns`: pairs (i, j) of axes, i of a and j of b, that stay
 * orthogonal. */
typedef struct carom_loop {
    int a, b;         /* links, -1: the ground */
    frame on_a, on_b; /* in the links */
    int shift_count, turn_count;
    int shift[3];
    int turn[3][2];
    int joint; /* the joint it comes from */
} carom_loop;

/* Choose the constraints of a kind of joint. The third axis of the frames is the joint's axis, the
 * first a universal joint's second axis. space 2: the plane. */
void carom_loop_choose(carom_loop *loop, carom_joint_kind kind, int space);

static inline int carom_loop_rows(const carom_loop *loop)
{
    return loop->shift_count + loop->turn_count;
}

/* f, what is held at zero. */
void carom_loop_values(const carom_forest *forest, const carom_forest_work *work,
                       const carom_loop *loop, double *f);

/* Rows over all velocities, n numbers each, added to what is there. */
void carom_loop_gradients(const carom_forest *forest, const carom_forest_work *work,
                          const carom_loop *loop, double *rows);

/* f' for the velocities of the links as they are, and f'' when velocities do not change. */
void carom_loop_rates(const carom_forest *forest, const carom_forest_work *work,
                      const carom_loop *loop, double *rate, double *bias);

#endif
