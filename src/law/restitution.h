/* Restitution matrices: normalised E, unnormalised epsilon, or the contacts' coefficients. */
#ifndef CAROM_SRC_LAW_RESTITUTION_H
#define CAROM_SRC_LAW_RESTITUTION_H

#include "carom/law.h"

/* The matrix given as `E` (*normalised) or `epsilon`, p x p; NULL when there is none or when it has
 * the wrong shape (*reason, static or in `text`, says so). */
const carom_value *carom_restitution_given(const carom_law *law, int p, bool *normalised,
                                           const char **reason, char text[160]);

/* target[i] = sum_j epsilon_ij gamma_j-, the velocities that gamma+ = -target aims at: from the
 * parameter `E` (p x p, entries e_ij = epsilon_ij |w_j|/|w_i|), else `epsilon` (p x p), else the
 * contacts' restitution. *reason (static or in `text`) is set when the shape does not fit. */
void carom_restitution_target(const carom_law *law, const carom_geometry *geometry, double *target,
                              const char **reason, char text[160]);

/* The p x p normalised matrix E itself, in the same order of preference. */
void carom_restitution_matrix(const carom_law *law, const carom_geometry *geometry, double *E,
                              const char **reason, char text[160]);

#endif
