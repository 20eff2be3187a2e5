/* The Euclidean picture of a cone problem: with M = L L' the map y -> L'y turns the metric into
 * the Euclidean one and a covector w into L^-1 w; hyperplanes are then removed by working in their
 * intersection. */
#ifndef CAROM_SRC_CONE_FRAME_H
#define CAROM_SRC_CONE_FRAME_H

#include "carom/cone.h"

typedef struct carom_cone_frame {
    int n;
    bool diagonal;
    const double *L; /* Cholesky factor or sqrt of the diagonal, NULL: I */
    int e;           /* dimension of the span of the hyperplanes' normals */
    double *Q;       /* n x n, first e columns: orthonormal basis of it */
} carom_cone_frame;

carom_status carom_cone_frame_create(int n, const carom_metric *metric, carom_arena *arena,
                                     carom_cone_frame *frame, carom_error *error);

/* In place: covector to frame (L^-1 w), vector to frame (L'y), frame to vector (L^-T y), frame to
 * covector (L w). */
void carom_cone_frame_row(const carom_cone_frame *frame, double *w);
void carom_cone_frame_vector(const carom_cone_frame *frame, double *y);
void carom_cone_frame_vector_back(const carom_cone_frame *frame, double *y);
void carom_cone_frame_row_back(const carom_cone_frame *frame, double *w);

/* Subtract the part of y in span Q. A result that is rounding of y becomes exactly zero. */
void carom_cone_frame_reduce(const carom_cone_frame *frame, double *y);

/* Make a row (in the frame) a hyperplane; true if it enlarges the span. */
bool carom_cone_frame_fix(carom_cone_frame *frame, const double *row);

/* Rows as given -> frame, reduced: out is n x p. */
void carom_cone_frame_rows(const carom_cone_frame *frame, int p, const double *W, double *out);

#endif
