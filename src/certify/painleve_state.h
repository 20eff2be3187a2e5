/* The contact problem at one state of a system as contacts at one instant (solver/instant.h):
 *   u' = u'_free + M_c^-1 (W l + H l_T),   0 <= l  _|_  a = W'u' + g_bias >= 0,
 * sliding: l_T = -mu xi l, in the column of l; at rest: Coulomb's law for the slip accelerations
 * (docs/theory/painleve.md). */
#ifndef CAROM_SRC_CERTIFY_PAINLEVE_STATE_H
#define CAROM_SRC_CERTIFY_PAINLEVE_STATE_H

#include "carom/certify.h"
#include "solver/instant.h"

typedef struct carom_painleve_state {
    const carom_geometry *g;
    carom_arena *arena;
    carom_error *error;
    carom_instant problem; /* of the contacts that take part */
    int *part;             /* problem.p, their numbers in the impact */
    bool *resting;         /* p of the impact: rough and without slip */
    carom_mode *sliding;   /* p: how it slides, or CAROM_MODE_CLOSED, CAROM_MODE_OPEN */
    double *direction;     /* s, unit sliding direction xi; 0 at rest */
    double *free;          /* n, u'_free: joints satisfied, no contact forces */
    double *free_terms;    /* n, sizes of what adds up to it, forces and joints */
    double *terms;         /* n, sizes of what adds up to the u' of the solution written last */
    double *bias;          /* p */
    double *row_bias;      /* N, of each row */
    const double **row;    /* N, vector of each row */
    const double **column; /* N, M_c^-1 times the vector of its force */
    double *scale;         /* N: force = r/scale, acceleration = u scale */
    bool spatial;          /* a contact at rest has two slips */
    bool approaching;      /* a contact approaches; its normal velocity is taken as zero */
} carom_painleve_state;

carom_status carom_painleve_state_make(const carom_system *system, const carom_state *state,
                                       const carom_geometry *geometry, const int *closed,
                                       carom_arena *arena, carom_painleve_state *made,
                                       carom_error *error);

/* A solution with its arrays, all zero and open. */
carom_status carom_painleve_state_solution(const carom_painleve_state *state,
                                           carom_painleve_solution *solution);

/* Fill it from the forces r (problem.N) and the modes (problem.p) of contacts at rest. */
carom_status carom_painleve_state_write(const carom_painleve_state *state, const double *r,
                                        const unsigned char *mode,
                                        carom_painleve_solution *solution);

#endif
