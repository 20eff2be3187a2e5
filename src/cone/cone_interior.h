/* A point well inside a product of friction cones on an affine set (docs/theory/hyperstatic.md).
 *
 *   K x = b,   x in the product of blocks: a ray x_0 >= 0, or a cone |(x_1 ...)| <= mu x_0.
 *
 * Answers two questions at once: can hyperstatic forces be distributed so that all keep to
 * their cones, and how is that done with room to spare. */
#ifndef CAROM_SRC_CONE_INTERIOR_H
#define CAROM_SRC_CONE_INTERIOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct carom_cone_interior {
    int rows, columns;
    const double *K;  /* rows x columns, rows independent */
    const double *b;  /* rows */
    int blocks;       /* consecutive blocks of the columns */
    const int *size;  /* blocks: 1, 2 or 3 */
    const double *mu; /* blocks, > 0; of rays not looked at */
    double tolerance; /* a cone may be left by this part of the largest entry */
    double *unit;     /* columns, filled: the larger, the readier a column takes a change */
    double largest;   /* filled: size of the point's entries */
    int steps;        /* filled: Newton's steps taken */
} carom_cone_interior;

/* x (columns): the equal distribution (least sum of squares, friction by load) where it leaves a
 * tenth of every cone free, else the centre of the forces possible. False when there is none; x
 * then leaves the cones by about as little as can be. work: so many numbers, which fewer rows
 * make more. */
bool carom_cone_interior_find(carom_cone_interior *problem, double *x, double *work);
size_t carom_cone_interior_work(int rows, int columns);

/* U K'(K U K')^-1 b, U = diag(unit): the change of least weighted norm that brings K x by b
 * further. First the factors, space: rows columns + rows, false when K has dependent rows; then, in
 * place, b (rows) becomes the change (columns). */
bool carom_cone_interior_factor(int rows, int columns, const double *K, const double *unit,
                                double *space);
void carom_cone_interior_change(int rows, int columns, const double *unit, const double *space,
                                double *x);

#endif
