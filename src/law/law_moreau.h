/* The global dissipation index by cone projection, shared by `moreau` and `inelastic`. */
#ifndef CAROM_SRC_LAW_MOREAU_H
#define CAROM_SRC_LAW_MOREAU_H

#include "law/laws.h"

/* u+ - b = (1 + epsilon) z - epsilon (u- - b), z the projection of u- - b on T, or all its
 * stationary points where T is a union. */
carom_status carom_law_moreau_project(const carom_geometry *geometry, double epsilon,
                                      carom_arena *arena, carom_outcome *outcome,
                                      carom_error *error);

/* Correct v, the projection (a velocity, not less b), so that contacts with an impulse hold with
 * equality to the rounding of their terms; `all`: those that it violates too, as where all must
 * hold. Then the impulses of the outcome, (1 + epsilon) times those of v. */
carom_status carom_moreau_refine(const carom_geometry *geometry, double epsilon, bool all,
                                 carom_arena *arena, double *v, carom_outcome *outcome,
                                 carom_error *error);

/* What the law with this coefficient promises. */
carom_status carom_law_moreau_promise(const carom_geometry *geometry, double epsilon,
                                      carom_arena *arena, carom_promise *promise,
                                      carom_error *error);

#endif
