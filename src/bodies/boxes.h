/* A tree of boxes along the axes that move: which of many things may touch (broad phase). */
#ifndef CAROM_SRC_BODIES_BOXES_H
#define CAROM_SRC_BODIES_BOXES_H

#include "bodies/vector.h"
#include "carom/base.h"

typedef struct carom_box {
    v3 lower, upper;
} carom_box;

static inline bool boxes_meet(const carom_box *a, const carom_box *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

/* Nodes: the first `count` are the leaves, one for each thing; the others have two children. */
typedef struct carom_boxes_node {
    carom_box box; /* of a leaf: larger than the thing by a margin, so that small motions keep it */
    int parent, child[2], height;
} carom_boxes_node;

typedef struct carom_boxes {
    int count, root, free; /* things; -1: empty; head of the list of unused nodes */
    carom_boxes_node *node;
    int *stack; /* work of queries */
} carom_boxes;

/* An empty tree for `count` things. */
carom_status carom_boxes_create(int count, carom_arena *arena, carom_boxes *boxes,
                                carom_error *error);

/* Put thing k (not in the tree yet, or in it) at its box. Nothing happens while the box stays
 * inside the one that is kept; otherwise that becomes the box widened by `margin`. */
void carom_boxes_move(carom_boxes *boxes, int k, const carom_box *box, double margin);

/* Call visit for all things whose kept box meets the one given, in no particular order. */
typedef void (*carom_boxes_visit)(void *self, int k);
void carom_boxes_query(const carom_boxes *boxes, const carom_box *box, carom_boxes_visit visit,
                       void *self);

#endif
