/* The global dissipation index by cone projection, shared by `moreau` and `inelastic`. */
#ifndef CAROM_SRC_LAW_MOREAU_H
#define CAROM_SRC_LAW_MOREAU_H

#include "law/laws.h"

/* u+ - b = (1 + epsilon) z - epsilon (u- - b), z the projection of u- - b on T, or all its
 * stationary points where T is a union. */
carom_status carom_law_moreau_project(const carom_geometry *geometry, double epsilon,
                                      carom_arena *arena, carom_outcome *outcome,
                                      carom_error *error);

/* What the law with this coefficient promises. */
void carom_law_moreau_promise(const carom_geometry *geometry, double epsilon,
                              carom_promise *promise);

#endif
