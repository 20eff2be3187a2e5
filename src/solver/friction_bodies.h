/* W given by bodies, W = H' M^-1 H: islands with bodies where these have fewer degrees of freedom
 * than the contacts have rows, else with blocks. */
#ifndef CAROM_SRC_SOLVER_FRICTION_BODIES_H
#define CAROM_SRC_SOLVER_FRICTION_BODIES_H

#include "solver/friction_contacts.h"
#include "solver/friction_layout.h"

typedef struct carom_friction_bodies_view {
    int *row;     /* bodies + 1: degrees of freedom */
    size_t *mass; /* bodies: where a mass matrix begins */
    size_t *at;   /* blocks of H: where each begins, one more */
    double *V;    /* M^-1 H, laid out as H */
    int *start;   /* bodies + 1: the contacts of a body */
    int *contact; /* contact, and block of H, of each */
    int *block;
} carom_friction_bodies_view;

/* V and the free velocities (contacts->q), diagonal blocks; contacts of one body are joined.
 * Mass matrices that are not positive definite are CAROM_ERROR_ARGUMENT. */
carom_status carom_friction_bodies_read(carom_friction_contacts *contacts, carom_arena *arena,
                                        carom_friction_bodies_view *view, carom_error *error);

/* Where the free velocities of an island are small differences of their terms (belts that run with
 * what they carry), rounding is seen in them: they are computed in twice the digits. Where nothing
 * is left but what the rounding of f and w themselves may make, they are zero. The contacts are
 * sorted by island. */
carom_status carom_friction_bodies_sharpen(carom_friction_contacts *contacts, carom_arena *arena,
                                           carom_error *error);

/* Bodies, or A, of every island, scaled. */
carom_status carom_friction_bodies_fill(const carom_friction_contacts *contacts,
                                        const carom_friction_bodies_view *view, carom_arena *arena,
                                        carom_friction_layout *layout, carom_error *error);

#endif
