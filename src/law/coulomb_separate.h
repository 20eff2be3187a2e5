/* Proofs that a cell of the search for solutions is empty (docs/theory/coulomb.md, "By cells"). */
#ifndef CAROM_SRC_LAW_COULOMB_SEPARATE_H
#define CAROM_SRC_LAW_COULOMB_SEPARATE_H

#include "law/coulomb.h"
#include "linalg/doubled.h"

/* A and b with twice the digits, made of the rows when they are first asked for, and work space. */
typedef struct carom_coulomb_separate {
    const carom_coulomb *f;
    bool known, filled; /* the rows are known, and few enough */
    doubled *A, *b;     /* N x N, N */
    doubled *B, *y;     /* N x columns, N */
    doubled *Q;         /* N x N, `basis` columns of it */
    int basis;
    double shortest; /* what was left of a column that joined, at least */
} carom_coulomb_separate;

/* A cell: no s >= 0 may have B s = c, where c = -b and B = A G, or signs of velocities where G is
 * zero, on the equations `at` of rows (-1: none). */
typedef struct carom_coulomb_cell {
    int rows, columns;
    const int *at;   /* N */
    const double *G; /* N x columns */
    const double *B; /* rows x columns */
    const double *s; /* columns: least squares, */
    const double *y; /* rows: and what they leave, c - B s */
    double size;     /* of b */
    double least;    /* the part of it that y counts from, where rows are known */
} carom_coulomb_cell;

/* most: columns of a cell. */
carom_status carom_coulomb_separate_make(const carom_coulomb *problem, int most, carom_arena *arena,
                                         carom_coulomb_separate *made, carom_error *error);

/* Is that proved? */
bool carom_coulomb_separates(carom_coulomb_separate *w, const carom_coulomb_cell *cell);

#endif
