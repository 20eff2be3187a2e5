/* The search through the faces in exact integers, for matrices on the boundary. */
#ifndef CAROM_SRC_CERTIFY_FACES_EXACT_H
#define CAROM_SRC_CERTIFY_FACES_EXACT_H

#include "carom/certify.h"

typedef struct carom_faces_exact {
    bool decided;    /* false: numbers too large, too many faces, or stopped */
    bool copositive; /* exactly */
    bool strictly;
    double nodes;
} carom_faces_exact;

/* A: k x k symmetric, k <= 64, positive diagonal. x (k numbers): x'Ax < 0, or = 0 when copositive
 * but not strictly. limit: largest number of faces. */
carom_status carom_faces_exact_search(int k, const double *A, double limit,
                                      const carom_watch *watch, carom_arena *arena, double *x,
                                      carom_faces_exact *answer, carom_error *error);

#endif
