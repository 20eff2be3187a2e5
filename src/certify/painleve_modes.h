/* The contact problem at one instant for modes that are given (docs/theory/painleve.md):
 *   u' = u'_free + M_c^-1 (W l + H l_T),   0 <= l  _|_  a = W'u' + g_bias >= 0,
 * sliding: l_T = -mu xi l; at rest: stick (slip acceleration 0, |l_T| <= mu l) or slide either way.
 * Every choice of modes is an LCP in l, whose solutions are all enumerated. */
#ifndef CAROM_SRC_CERTIFY_PAINLEVE_MODES_H
#define CAROM_SRC_CERTIFY_PAINLEVE_MODES_H

#include "carom/certify.h"

enum { CAROM_PAINLEVE_MODES_MOST = 64 }; /* solutions kept */

typedef struct carom_painleve_modes {
    const carom_geometry *g;
    const carom_state *state;
    carom_arena *arena;
    carom_error *error;
    int n, p, s;
    int k;               /* contacts that take part */
    int *part;           /* k, their numbers */
    carom_mode *mode;    /* p */
    double *direction;   /* s, unit sliding direction xi */
    double *free, *bias; /* n, u'_free; p, gap accelerations without contact forces */
    double *slip_bias;   /* s */
    double *column;      /* n x k, M_c^-1 (w_i - mu H xi) */
    int q;               /* sticking slip columns */
    int *stick;          /* q */
    double *S, *scale;   /* q x q factor of H_Q'M^-1 H_Q; q */
    int *pivot, rank;
    carom_painleve_solution *solutions;
    int count;
    bool continuum;
    bool shared; /* tangential forces of sticking contacts are not determined */
} carom_painleve_modes;

/* A solution with room for its numbers. */
carom_status carom_painleve_modes_solution(const carom_painleve_modes *work,
                                           carom_painleve_solution *solution);

/* Keep a solution unless it is there already. */
void carom_painleve_modes_keep(carom_painleve_modes *work, const carom_painleve_solution *solution);

/* Whether count numbers agree to 1e-8 of the scale. */
bool carom_painleve_modes_same(int count, const double *a, const double *b, double scale);

/* Largest magnitude. */
double carom_painleve_modes_largest(int count, const double *a);

/* The gap accelerations of a solution whose forces and du are known. */
void carom_painleve_modes_accelerate(const carom_painleve_modes *work,
                                     carom_painleve_solution *solution);

/* The LCP of the current modes in the arena, with room *t for carom_painleve_modes_complete. */
carom_status carom_painleve_modes_pose(carom_painleve_modes *work, carom_lcp *lcp, double **t);

/* Fill a solution from the normal forces z (k); t and space: q each. */
carom_status carom_painleve_modes_complete(carom_painleve_modes *work, const double *z,
                                           carom_painleve_solution *solution, double *t,
                                           double *space);

/* Keep all solutions for the current modes; resting: p, contacts whose modes must agree. */
carom_status carom_painleve_modes_solve(carom_painleve_modes *work, const bool *resting);

#endif
