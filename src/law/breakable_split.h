/* The orthogonal parts of the velocity in the law `breakable` (docs/theory/breakable.md):
 * u- = P_B + V_B + V_S, by rows and with twice the digits. */
#ifndef CAROM_SRC_LAW_BREAKABLE_SPLIT_H
#define CAROM_SRC_LAW_BREAKABLE_SPLIT_H

#include "impact/nearest.h"

typedef struct carom_breakable_split {
    doubled *shock;  /* p, L of -V_S = M_c^-1 W L: 0 <= L, complementary to gamma >= 0 */
    doubled *normal; /* p, L of Newton's inequality law with the contacts' coefficients */
    doubled *after;  /* n, the velocity that `normal` leads to */
    doubled *V_B;    /* n */
    doubled *zeta;   /* p: V_B = M_c^-1 (W zeta + H beta) */
    doubled *beta;   /* s */
    doubled *slip;   /* s, slip of P_S = u- - V_S; |V_B|^2 = beta'slip */
    bool exists;     /* false: no velocity satisfies B; nothing but shock and normal is set */
    bool solvable;   /* false: no impulses satisfy the law of the normals */
    bool unique;     /* no other multipliers do the same */
} carom_breakable_split;

/* Of the contacts marked in `only` (p), with the coefficients epsilon (p), and the slip columns
 * marked in `held` (s). */
carom_status carom_breakable_split_make(const carom_geometry *geometry, const bool *only,
                                        const double *epsilon, const bool *held, carom_arena *arena,
                                        carom_breakable_split *split, carom_error *error);

#endif
