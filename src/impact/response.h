/* How velocities respond to impulses within joints (docs/theory/response.md).
 *
 * With M = L L' and rows C that are held, L^-1 C = Q R, the response is
 *     M_c^-1 = M^-1 - M^-1 C (C'M^-1 C)^+ C'M^-1 = L^-T (I - Q Q') L^-1,
 * and the velocity nearest to u in the kinetic metric with C'u + motion = 0 is
 *     u - L^-T Q R^-T (C'u + motion).
 * Working with the rows and not with C'M^-1 C loses the root of the digits that the latter loses:
 * bodies a billion times lighter than others keep twelve. Rows that depend on others are left out.
 * Masses have no say in that: it is decided on the rows as given, in units of the coordinates.
 * Plain data, read only once made; work space is the caller's. */
#ifndef CAROM_SRC_IMPACT_RESPONSE_H
#define CAROM_SRC_IMPACT_RESPONSE_H

#include "linalg/basis.h"
#include "linalg/doubled.h"

typedef struct carom_response {
    int n;
    bool diagonal;
    const double *M;    /* n x n, or its n diagonal entries */
    const double *L;    /* its Cholesky factor, or the roots of the diagonal */
    const double *unit; /* n, sizes of the entries of rows in each coordinate; NULL: 1 */
    carom_basis basis;  /* of L^-1 row: Q and R */
    carom_basis shape;  /* of row/unit: decides what depends on what */
    const double **row; /* basis.k covectors (n), as given */
    int *number;        /* basis.k: what the caller calls them */
} carom_response;

/* `count` rows of n. */
typedef struct carom_response_list {
    int count;
    const double *rows;
} carom_response_list;

/* In these units (n) the entries of rows are comparable, whatever the coordinates are measured in:
 * the largest entry of all rows of the lists but for those that are faint in their row (w_k^2/M_kk
 * is the rounding of the others, squared), 1 where there is none. */
void carom_response_units(int n, bool diagonal, const double *M, const carom_response_list *lists,
                          int count, double *unit);

/* No rows yet, room for `rows` of them. M, L and unit are borrowed. So many bytes are reserved in
 * the arena. */
void carom_response_create(int n, bool diagonal, const double *M, const double *L,
                           const double *unit, int rows, carom_arena *arena,
                           carom_response *response);
size_t carom_response_bytes(int n, int rows);

/* A copy with room for `more` rows, basis.k + more in all. */
void carom_response_extend(const carom_response *from, int more, carom_arena *arena,
                           carom_response *response);

/* Does a row depend on those held? work: n + basis.k. */
bool carom_response_depends(const carom_response *response, const double *row, double *work);

/* Hold one more row (borrowed), unless it depends on those held. work: n + basis.k. */
bool carom_response_take(carom_response *response, const double *row, int number, double *work);

/* Hold `count` rows, those that stand out most first; of dependent ones some are left out. Their
 * numbers are their places in the list plus `first`. So many bytes are reserved in the arena. */
void carom_response_take_all(carom_response *response, int count, const double *const *rows,
                             int first, carom_arena *arena);
size_t carom_response_take_all_bytes(int n, int count);

/* Let go of the i-th row held (from 0). */
void carom_response_drop(carom_response *response, int i);

/* y = M_c^-1 x; y may be x. work: n + basis.k. */
void carom_response_apply(const carom_response *response, const double *x, double *y, double *work);

/* In place: a covector to coordinates in which the metric is Euclidean (L^-1 w), a vector back from
 * them (L^-T y). */
void carom_response_row(const carom_response *response, double *w);
void carom_response_vector_back(const carom_response *response, double *y);

/* Y = M_c^-1 rows (n x k, rows in a list) and D = rows'Y (k x k); either may be NULL. A row that
 * the held ones block gets zeros. work: n (k + 1) + basis.k. */
void carom_response_delassus(const carom_response *response, int k, const double *const *rows,
                             double *Y, double *D, double *work);

/* The velocity u nearest to x (n) with row_j'u + motion_j = 0 for every row held, and its impulses:
 *     M (u - x) = push + sum over rows  row * impulse,
 * all of twice the precision: bodies that are squeezed between ones a billion times heavier live on
 * the difference of impulses that agree in nine digits. Solved by the factors of working precision
 * and corrected with residuals of twice that, until nothing changes. motion and impulse go by
 * `number`; impulses of rows not held are left alone. push: n, NULL: 0. work: 2 (n + basis.k). */
void carom_response_meet(const carom_response *response, const doubled *motion, const doubled *x,
                         const doubled *push, doubled *u, doubled *impulse, double *work);

/* Move u in place to the nearest velocity that meets the `count` rows given to the response, in
 * plain numbers. motion NULL: 0. terms (n, or NULL): the sizes of what adds up to it, u and what
 * the rows bring. work: 6 (n + count). */
void carom_response_project(const carom_response *response, int count, const double *motion,
                            double *u, double *terms, double *work);

/* How large the velocities are that impulses at the held rows bring, term by term: size[k] = sum
 * over rows |(M^-1 row)_k impulse|; what cancels of them leaves rounding. work: n. */
void carom_response_moved(const carom_response *response, const doubled *impulse, double *size,
                          double *work);

#endif
