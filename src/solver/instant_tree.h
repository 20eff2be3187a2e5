/* All combinations of modes of a planar problem, those left out that cannot hold: a tree with one
 * contact a level and one elimination a node, shared by all combinations below it. */
#ifndef CAROM_SRC_SOLVER_INSTANT_TREE_H
#define CAROM_SRC_SOLVER_INSTANT_TREE_H

#include "solver/instant.h"

typedef struct carom_instant_tree_level {
    const double *T;  /* N x (N + 1), see instant_tree.c */
    double top, size; /* largest entry of its undecided columns, of its last column */
    double off, late; /* bounds of the rounding in both; INFINITY: not known */
} carom_instant_tree_level;

typedef struct carom_instant_tree {
    const carom_instant *f;
    carom_instant_tree_level *level; /* p + 1 */
    double *memory;                  /* p tableaux */
    double *v;                       /* N */
    unsigned char (*choice)[4];      /* p, modes in the order they are tried */
    int *count, *next;               /* p, number of choices and the next one */
    unsigned char *mode;             /* p, the present combination */
    int depth;
    bool whole; /* leave none out */
} carom_instant_tree;

/* The tree before its first combination. */
carom_status carom_instant_tree_make(const carom_instant *problem, carom_arena *arena,
                                     carom_instant_tree *tree, carom_error *error);

/* The next combination, in tree->mode; false after the last. */
bool carom_instant_tree_next(carom_instant_tree *tree);

/* The modes of contact i, at most four; returns their count. */
int carom_instant_tree_modes(const carom_instant *problem, int i, unsigned char *modes);

#endif
