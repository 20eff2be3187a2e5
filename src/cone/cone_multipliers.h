/* Multipliers of dependent rows: the choice of least norm, and whether there is a choice. */
#ifndef CAROM_SRC_CONE_MULTIPLIERS_H
#define CAROM_SRC_CONE_MULTIPLIERS_H

#include "carom/cone.h"

/* lambda >= 0, positive on independent rows only, is one solution of A lambda = f for the rows A
 * (n x p, Euclidean, zero columns allowed). Replace it by the solution with the least sum of
 * (|a_j| lambda_j)^2 among the rows that are candidates; *unique: there was no choice. */
carom_status carom_cone_multipliers_least(int n, int p, const double *A, const bool *candidate,
                                          carom_arena *arena, double *lambda, bool *unique,
                                          carom_error *error);

/* The rows with a_j'z = 0, up to rounding of z at this scale: candidates after a projection to z.
 */
void carom_cone_multipliers_touching(int n, int p, const double *A, const double *z, double scale,
                                     bool *touching);

/* t with |f - E t| least, E n x e of any rank. Returns the norm of what is left. So many bytes are
 * reserved in the arena, for this n and e or larger ones. */
double carom_cone_multipliers_fit(int n, int e, const double *E, const double *f, double scale,
                                  carom_arena *arena, double *t);
size_t carom_cone_multipliers_fit_bytes(int n, int e);

/* Is there alpha >= 0, not 0, with Z alpha = 0 (Z n x m, unit columns)? By Gordan's theorem there
 * is none exactly when some y has Z'y > 0. So many bytes are reserved in the arena. */
bool carom_cone_multipliers_vanish(int n, int m, const double *Z, carom_arena *arena);
size_t carom_cone_multipliers_vanish_bytes(int n, int m);

#endif
