/* The tangent cone T of an impact's contacts and joints, as a statement of the cone room. */
#ifndef CAROM_SRC_IMPACT_TANGENT_H
#define CAROM_SRC_IMPACT_TANGENT_H

#include "carom/cone.h"
#include "carom/impact.h"

/* Contacts with spread columns are second-order cones, the others half-spaces. */
typedef struct carom_tangent {
    carom_cone cone;
    int *row; /* cone.p: contact of half-space k */
    int *soc; /* cone.q: contact of second-order cone k */
} carom_tangent;

/* Only for impacts without region. */
carom_status carom_tangent_make(const carom_geometry *geometry, carom_arena *arena,
                                carom_tangent *tangent, carom_error *error);

/* A b = 0 for every second-order cone? Otherwise { w'u + w_hat >= |A u| } is not b + T. */
bool carom_tangent_moves_along(const carom_geometry *geometry);

#endif
