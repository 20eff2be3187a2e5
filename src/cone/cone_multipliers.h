/* Multipliers of dependent rows: the choice of least norm, and whether there is a choice. */
#ifndef CAROM_SRC_CONE_MULTIPLIERS_H
#define CAROM_SRC_CONE_MULTIPLIERS_H

#include "carom/cone.h"

/* lambda >= 0, positive on independent rows only, is one solution of A lambda = f for the rows A
 * (n x p, Euclidean, zero columns allowed) of a cone projected to z. Replace it by the solution
 * with the least sum of (|a_j| lambda_j)^2 among the rows with a_j'z = 0; *unique: there was no
 * choice. scale: |x|. */
carom_status carom_cone_multipliers_least(int n, int p, const double *A, const double *z,
                                          double scale, carom_arena *arena, double *lambda,
                                          bool *unique, carom_error *error);

/* t with |f - E t| least, E n x e of any rank. Returns the norm of what is left in *rest. */
carom_status carom_cone_multipliers_fit(int n, int e, const double *E, const double *f,
                                        double scale, carom_arena *arena, double *t, double *rest,
                                        carom_error *error);

/* Is there alpha >= 0, not 0, with Z alpha = 0 (Z n x m, unit columns)? By Gordan's theorem there
 * is none exactly when some y has Z'y > 0. */
carom_status carom_cone_multipliers_vanish(int n, int m, const double *Z, carom_arena *arena,
                                           bool *vanish, carom_error *error);

#endif
