/* A velocity that is said to break a promise, put to the test by running a law with it. */
#ifndef CAROM_SRC_CERTIFY_WITNESS_H
#define CAROM_SRC_CERTIFY_WITNESS_H

#include "carom/certify.h"

typedef enum carom_witness_claim {
    CAROM_WITNESS_PENETRATES, /* gamma+ < 0 */
    CAROM_WITNESS_PULLS,      /* an impulse outside its cone */
    CAROM_WITNESS_GAINS,      /* energy is gained */
    CAROM_WITNESS_NO_OUTCOME, /* the law has no answer */
    CAROM_WITNESS_NOTHING     /* nothing that a law does */
} carom_witness_claim;

/* Run the law from the velocity u (n), contacts' own laws left aside. *confirmed: its outcome, or
 * one of several, is as claimed. *gain (may be NULL): the largest energy gain, relative to the
 * energy before. */
carom_status carom_witness_run(const carom_law *law, const carom_geometry *geometry,
                               const double *u, carom_witness_claim claim, carom_arena *arena,
                               bool *confirmed, double *gain, carom_error *error);

typedef struct carom_witness_answer {
    bool answered;    /* the law has an outcome at all */
    bool confirmed;   /* it, or one of several, is as claimed */
    bool approaching; /* no contact separates at this velocity */
    double gain;      /* the largest energy gain, relative to the energy before */
} carom_witness_answer;

/* The same for a scene's own law, with the laws that its contacts have. */
carom_status carom_witness_run_own(const carom_law *law, const carom_geometry *geometry,
                                   const double *u, carom_witness_claim claim, carom_arena *arena,
                                   carom_witness_answer *answer, carom_error *error);

/* Velocity number `index` of a family that spreads over the motions that contacts feel, of the
 * kinetic norm `speed` (0: 1) relative to the frame; hardly any of them separates. */
carom_status carom_witness_sample(const carom_geometry *geometry, unsigned index, double speed,
                                  carom_arena *arena, double **u, carom_error *error);

/* The velocity u = b_slip + ... of least kinetic norm with normal velocities v_n |w| (v_n: p,
 * normalised) and slips v_T (s), all relative to the frame, scaled to the kinetic norm `speed`
 * (0: 1). *attainable: false when rows depend on each other and there is none. v_T NULL: any. */
carom_status carom_witness_velocity(const carom_geometry *geometry, const double *v_n,
                                    const double *v_T, double speed, carom_arena *arena, double **u,
                                    bool *attainable, carom_error *error);

#endif
