/* An orthonormal basis of columns that are taken in one after the other and may leave again:
 * A = Q R with Q'Q = I to rounding, by Gram-Schmidt with re-orthogonalisation. */
#ifndef CAROM_SRC_LINALG_BASIS_H
#define CAROM_SRC_LINALG_BASIS_H

#include "base/parts.h"

typedef struct carom_basis {
    int n;        /* length of a column */
    int k;        /* columns in */
    int capacity; /* most columns */
    double *Q;    /* n x capacity, the first k columns are the basis */
    double *R;    /* capacity x capacity, upper triangular */
    double *size; /* capacity: lengths of the columns taken in */
} carom_basis;

/* An empty basis for at most min(n, columns) columns. So many bytes are reserved in the arena. */
void carom_basis_create(int n, int columns, carom_arena *arena, carom_basis *basis);
size_t carom_basis_bytes(int n, int columns);

/* A copy with room for `more` further columns, k + more in all; the second in so many numbers of
 * work space that the caller has. */
void carom_basis_extend(const carom_basis *from, int more, carom_arena *arena, carom_basis *basis);
void carom_basis_extend_at(const carom_basis *from, int more, double *space, carom_basis *basis);
size_t carom_basis_numbers(int n, int columns);

/* Take column a (n) in, unless it depends on those in: what it has outside the span is rounding, or
 * at most `tolerance` times its length. Then, and when there is no room, false. */
bool carom_basis_add(carom_basis *basis, const double *a, double tolerance);

/* The length below which what a column of this length, with coordinates x (k) in the basis, has
 * outside the span is rounding: a unit in the last place for each of its entries and subtractions,
 * and the errors of the basis vectors, which grow as what they were made of was small. */
double carom_basis_rounding(const carom_basis *basis, double length, const double *x);

/* Take the column out that came in as number i (from 0). */
void carom_basis_remove(carom_basis *basis, int i);

/* Subtract from y (n) its part in the span, twice, so that rounding of the first does not stay. */
void carom_basis_subtract(const carom_basis *basis, double *y);

/* x (k) = Q'y */
void carom_basis_coordinates(const carom_basis *basis, const double *y, double *x);

/* Solve R x = b and R'x = b in place (k numbers). */
void carom_basis_solve(const carom_basis *basis, double *x);
void carom_basis_solve_t(const carom_basis *basis, double *x);

#endif
