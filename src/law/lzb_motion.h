/* Compliant contacts followed in time with the configuration frozen, docs/theory/lzb.md.
 *
 *   gamma = gamma- + D P,   P' = F,   F_i = k_i delta_i^eta_i,
 *   delta' = -gamma while gamma < 0 (loading), -gamma/eps^2 while gamma > 0 (unloading),
 * until all delta = 0 and gamma >= 0. */
#ifndef CAROM_SRC_LAW_LZB_MOTION_H
#define CAROM_SRC_LAW_LZB_MOTION_H

#include "carom/base.h"

typedef struct carom_lzb_problem {
    int p;
    int bandwidth;           /* of D */
    const double *D;         /* p x p */
    const double *gamma;     /* p, before */
    const double *stiffness; /* p, k > 0 */
    const double *exponent;  /* p, eta > 0 */
    const double *epsilon;   /* p, in [0, 1] */
    double tolerance;        /* error per step relative to the scales of the problem */
} carom_lzb_problem;

typedef struct carom_lzb_result {
    bool ended;        /* false: the step limit was reached */
    double duration;   /* until the last contact opened */
    double peak_force; /* largest F of any contact */
    double work;       /* done by the contacts: what was stored and came back, times eps^2 */
    double unrest;     /* largest |gamma_i|/|w_i| of a contact that is not over */
    long steps, evaluations;
} carom_lzb_result;

/* impulse, gamma: p numbers each, P and the velocities at the end. */
carom_status carom_lzb_motion_follow(const carom_lzb_problem *problem, carom_arena *arena,
                                     double *impulse, double *gamma, carom_lzb_result *result,
                                     carom_error *error);

#endif
