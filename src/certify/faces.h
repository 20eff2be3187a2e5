/* The search through the faces of the orthant for a direction in which a form is negative. */
#ifndef CAROM_SRC_CERTIFY_FACES_H
#define CAROM_SRC_CERTIFY_FACES_H

#include "carom/certify.h"

#include "carom/tolerance.h"

enum { CAROM_FACES_LIMIT = 64 }; /* largest matrix: sets of rows are 64-bit masks */

typedef enum carom_faces_result {
    CAROM_FACES_NONE,      /* proved: x'Bx >= (c - margin) |x|^2 for all x >= 0 */
    CAROM_FACES_FOUND,     /* x >= 0 with x'Bx < c |x|^2 */
    CAROM_FACES_AMBIGUOUS, /* an eigenvalue of a principal submatrix is too close to c */
    CAROM_FACES_STOPPED
} carom_faces_result;

typedef struct carom_faces {
    int k;
    const double *B;   /* k x k symmetric, unit diagonal, entries in [-1.5, 2] */
    const double *row; /* reserved for the caller */
    const carom_watch *watch;
    double limit; /* largest number of faces */
    double nodes; /* faces looked at, counted on */
} carom_faces;

/* Uncertainty of the answer CAROM_FACES_NONE. */
#define CAROM_FACES_MARGIN CAROM_TOLERANCE_CARRIED

/* Look for x >= 0 with x'Bx < c|x|^2. x: k numbers. Work space from the arena. */
carom_status carom_faces_search(carom_faces *faces, double c, carom_arena *arena, double *x,
                                carom_faces_result *result, carom_error *error);

/* Improve x >= 0 towards a local minimum of x'Bx / |x|^2 (k numbers, work: k) and return it. */
double carom_faces_descend(int k, const double *B, double *x, double *work, int sweeps);

#endif
