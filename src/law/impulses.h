/* Impulses that push velocities to where contacts allow them: the core of the frictionless laws. */
#ifndef CAROM_SRC_LAW_IMPULSES_H
#define CAROM_SRC_LAW_IMPULSES_H

#include "carom/impact.h"
#include "carom/lcp.h"
#include "impact/nearest.h"

typedef struct carom_impulses {
    double *u;       /* n, the velocity that was looked for */
    double *impulse; /* p, >= 0, M (u - u-) = W impulse + C...; of least norm if not unique */
    bool unique;     /* no other impulses do the same */
    bool exists;     /* false: no velocity is allowed */
    bool converged;  /* false: the method gave up; u and impulse are its last ones */
    double residual; /* of the complementarity problem, where it gave up */
    const doubled *exact_u;       /* n, the same with twice the digits; NULL: not known better */
    const doubled *exact_impulse; /* p, with exact_u */
    carom_nearest nearest;        /* how they were found, with exact_u */
} carom_impulses;

/* The velocity nearest to u- in the kinetic metric with gamma_i >= -epsilon_i gamma_i(u-) for all
 * contacts (epsilon: p, NULL: 0). By the complementarity problem 0 <= gamma + epsilon gamma-,
 * 0 <= impulse in the Delassus matrix where that keeps its digits, else by rows (impact/nearest.h).
 * Arrays live in the arena. */
carom_status carom_impulses_nearest(const carom_geometry *geometry, const double *epsilon,
                                    carom_lcp_algorithm algorithm, carom_arena *arena,
                                    carom_impulses *impulses, carom_error *error);

/* The same by rows, where only the contacts marked (p) take part. */
carom_status carom_impulses_among(const carom_geometry *geometry, const bool *only,
                                  const double *epsilon, carom_arena *arena,
                                  carom_impulses *impulses, carom_error *error);

/* After `before` every contact gives factor_i times its impulse again; the velocity nearest to that
 * with gamma >= 0. The impulses are those of everything. */
carom_status carom_impulses_return(const carom_geometry *geometry, const carom_impulses *before,
                                   const double *factor, carom_lcp_algorithm algorithm,
                                   carom_arena *arena, carom_impulses *impulses,
                                   carom_error *error);

/* u+ and impulses of an outcome; `failed` with the reason where the method gave up. */
void carom_impulses_store(const carom_geometry *geometry, const carom_impulses *impulses,
                          carom_outcome *outcome);

/* The velocity nearest to u- with gamma = target (p) at all contacts, whatever the signs of the
 * impulses; of those that do it the ones of least norm within >= 0 where such exist, else of least
 * norm. exists: contacts that depend on others agree; *off: by how much they do not, in units of
 * the quantities compared. */
carom_status carom_impulses_meet(const carom_geometry *geometry, const doubled *target,
                                 carom_arena *arena, carom_impulses *impulses, double *off,
                                 carom_error *error);

#endif
