/* An orthonormal basis of columns that are taken in one after the other and may leave again:
 * A = Q R with Q'Q = I to rounding, by Gram-Schmidt with re-orthogonalisation. */
#ifndef CAROM_SRC_LINALG_BASIS_H
#define CAROM_SRC_LINALG_BASIS_H

#include "carom/base.h"

typedef struct carom_basis {
    int n;        /* length of a column */
    int k;        /* columns in */
    int capacity; /* most columns */
    double *Q;    /* n x capacity, the first k columns are the basis */
    double *R;    /* capacity x capacity, upper triangular */
} carom_basis;

/* An empty basis for at most min(n, columns) columns. */
carom_status carom_basis_create(int n, int columns, carom_arena *arena, carom_basis *basis,
                                carom_error *error);

/* A copy with room for `more` further columns. */
carom_status carom_basis_extend(const carom_basis *from, int more, carom_arena *arena,
                                carom_basis *basis, carom_error *error);

/* Take column a (n) in, unless what it has outside the span is at most `tolerance` times its own
 * length: then, and when there is no room, false. */
bool carom_basis_add(carom_basis *basis, const double *a, double tolerance);

/* Take the column out that came in as number i (from 0). */
void carom_basis_remove(carom_basis *basis, int i);

/* Subtract from y (n) its part in the span, twice, so that rounding of the first does not stay. */
void carom_basis_subtract(const carom_basis *basis, double *y);

/* x (k) = Q'y */
void carom_basis_coordinates(const carom_basis *basis, const double *y, double *x);

/* Solve R x = b and R'x = b in place (k numbers). */
void carom_basis_solve(const carom_basis *basis, double *x);
void carom_basis_solve_t(const carom_basis *basis, double *x);

/* The length below which what a column of n entries has outside a span is rounding, relative to the
 * column: each of the k subtractions leaves an error of one unit in the last place of the column,
 * and so does each entry of the column as given. */
double carom_basis_rounding(int n, int k);

#endif
