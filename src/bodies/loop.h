/* A joint that closes a loop: constraints between two links (docs/theory/trees.md). */
#ifndef CAROM_SRC_BODIES_LOOP_H
#define CAROM_SRC_BODIES_LOOP_H

#include "bodies/joint.h"

enum { CAROM_LOOP_ROWS = 6 };

/* Frames on both links that coincide at the reference, and what is held between them: shifts,
 * turns, then the way that follows the angle. */
typedef struct carom_loop {
    int a, b;         /* links, -1: the ground */
    frame on_a, on_b; /* in the links */
    const carom_joint_rows *holds;
    double lead; /* way a turn, of a joint that follows */
    int joint;   /* the joint it comes from */
} carom_loop;

static inline int carom_loop_rows(const carom_loop *loop)
{
    return loop->holds->shifts + loop->holds->turns + loop->holds->follows;
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
