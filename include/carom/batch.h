/* Many impacts of one structure at once: masses, velocities, normals, coefficients that vary from
 * one impact to the next, decided by one law, over several threads.
 *
 * Every impact is decided exactly as carom_impact_derive and carom_law_apply decide it alone, to
 * the last bit, whatever the number of threads. After the first few impacts of a thread nothing is
 * allocated.
 */
#ifndef CAROM_BATCH_H
#define CAROM_BATCH_H

#include "carom/law.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CAROM_BATCH_AXES = 8 };

/* Numbers that vary: entry (r, c) of the impact with the numbers i_0 ... i_axes-1 along the axes is
 *     data[i_0 step[0] + ... + r row + c column],
 * all steps counted in doubles; a step of 0 means the same for all. data NULL: as the statement has
 * it. So arrays of any layout serve, without copies. */
typedef struct carom_batch_input {
    const double *data;
    ptrdiff_t step[CAROM_BATCH_AXES];
    ptrdiff_t row, column;
} carom_batch_input;

/* The statement. Plain data, all pointers borrowed, usable with {0}. */
typedef struct carom_batch {
    const carom_impact *impact; /* what all share: sizes, contacts, flags, and every number that no
                                   input below gives */
    const carom_law *law;
    int axes;                      /* 0: a single impact */
    long size[CAROM_BATCH_AXES];   /* impacts along each axis */
    carom_batch_input mass;        /* n x n, or n x 1 where impact->mass_is_diagonal */
    carom_batch_input velocity;    /* n x 1 */
    carom_batch_input normals;     /* n x p, column i = w_i */
    carom_batch_input motion;      /* p x 1, w_hat */
    carom_batch_input slips;       /* n x s */
    carom_batch_input slip_motion; /* s x 1 */
    carom_batch_input restitution; /* p x 1 */
    carom_batch_input friction;    /* p x 1, static and dynamic */
    int threads;                   /* 0: as many as there are processors */
    const carom_watch *watch;      /* asked by the calling thread; NULL: nobody is */
} carom_batch;

/* Which verdicts are good. */
enum { CAROM_BATCH_KINEMATIC = 1, CAROM_BATCH_KINETIC = 2, CAROM_BATCH_ENERGETIC = 4 };

/* Where the answers go, impact after impact, the last axis fastest; NULL: not wanted. Where a law
 * has no outcome the numbers are NaN. */
typedef struct carom_batch_output {
    double *velocity;           /* count x n, u+ */
    double *normal_velocity;    /* count x p, after */
    double *impulse;            /* count x p */
    double *slip;               /* count x s, after */
    double *tangential_impulse; /* count x s */
    double *energy_change;      /* count */
    unsigned char *answer;      /* count, carom_answer */
    unsigned char *verdict;     /* count, CAROM_BATCH_... */
} carom_batch_output;

/* How many impacts there are; -1 when sizes are negative or their product is too large. */
CAROM_API long carom_batch_count(const carom_batch *batch);

/* Decide them all. An impact that is no valid statement (a mass that is not positive, a number that
 * is not finite) is an error that names it by its number from 0: the first such one. CAROM_STOPPED:
 * the watch ended the work, and the answers are not complete. */
CAROM_API carom_status carom_batch_apply(const carom_batch *batch, const carom_batch_output *output,
                                         carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
