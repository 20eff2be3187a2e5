/* The flat part of the set of admissible outcomes, and nearest points in it. */
#ifndef CAROM_SRC_IMPACT_POLYHEDRON_H
#define CAROM_SRC_IMPACT_POLYHEDRON_H

#include "carom/admissible.h"

/* A polyhedron row'y >= bound in the span of T, where it has an interior: rows that are zero there
 * hold with equality on all of T and say nothing more. Opposite rows that rounding makes
 * contradictory would leave nothing. */
typedef struct carom_polyhedron {
    int k, rows;
    double *row, *bound; /* k x rows, rows */
    double *work;        /* (k + 1)(rows + 2) + rows */
} carom_polyhedron;

/* Nearest points of any polyhedron of this set need so many bytes reserved in the arena. */
size_t carom_polyhedron_bytes(const carom_admissible *set);

carom_status carom_polyhedron_make(const carom_admissible *set, carom_arena *arena,
                                   carom_polyhedron *polyhedron, carom_error *error);

/* Nearest point y of the polyhedron to t y_0, by least distance programming: min |d| with
 * row'd >= bound - row'(t y_0) (Lawson and Hanson). */
void carom_polyhedron_nearest(const carom_polyhedron *polyhedron, const double *y_0, double t,
                              carom_arena *arena, double *y);

#endif
