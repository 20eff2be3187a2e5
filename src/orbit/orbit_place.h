/* A point of a branch of periodic motions: unknowns, tangent, tests of bifurcations, margins; and
 * how the next is found from it (docs/theory/orbits.md, "Branches"). */
#ifndef CAROM_SRC_ORBIT_ORBIT_PLACE_H
#define CAROM_SRC_ORBIT_ORBIT_PLACE_H

#include "orbit/orbit_margin.h"

/* fold, period doubling, Neimark-Sacker */
enum { CAROM_ORBIT_TESTS = 3 };

typedef struct carom_orbit_place {
    double p, t0;
    double *x0;      /* 2n */
    double *V;       /* 2n x (k + 1) */
    double *tangent; /* k + 1, scaled; the parameter last */
    double *bend;    /* k + 1: how the tangent turned on the way here, per length */
    double *A;       /* k x (k + 1): derivative of the return map, and of the residual with p */
    double *A_bend;  /* the same of A */
    bool predicts;   /* A_bend is that of the branch here */
    double test[CAROM_ORBIT_TESTS];
    bool pair; /* the third test is of a pair of complex multipliers */
    carom_orbit_path path;
    carom_orbit_margin margin[CAROM_ORBIT_MARGINS];
    carom_orbit orbit; /* as told */
    carom_arena *arena;
} carom_orbit_place;

/* Who follows a branch. */
typedef struct carom_orbit_follower {
    const carom_orbit_family *family;
    const carom_orbit_branch *branch;
    int n, size, points;
    const unsigned char *mode;
    const int *unknown; /* size: number in (q, u, t) */
    double *scale;      /* size + 1 */
    double periods;     /* of the section at times: t0/period */
    double *M, *rhs;    /* (k + 1)^2, k + 1 */
    double *straight;   /* k + 1: the direction in which the parameter alone changes */
    int *pivot;
    carom_arena *scratch;
    int corrections; /* with derivatives, of the last point */
    char message[400];
} carom_orbit_follower;

carom_status carom_orbit_place_create(const carom_orbit_follower *f, carom_arena *arena,
                                      carom_orbit_place *x, carom_error *error);

/* From `base` by `length` along its tangent to the point x. CAROM_STOPPED: there is none,
 * f->message says why. */
carom_status carom_orbit_place_advance(carom_orbit_follower *f, const carom_orbit_place *base,
                                       double length, carom_orbit_place *x, carom_error *error);

/* How tangent and A changed on the way of `length` from `before` to x, for the points after it. */
void carom_orbit_place_bend(const carom_orbit_follower *f, const carom_orbit_place *before,
                            double length, carom_orbit_place *x);

/* The point near x whose parameter is exactly p, with the tangent that points as `along` does. */
carom_status carom_orbit_place_at(carom_orbit_follower *f, double p, const double *along,
                                  carom_orbit_place *x, carom_error *error);

/* From `base` along its tangent to the parameter p, as carom_orbit_place_at. */
carom_status carom_orbit_place_arrive(carom_orbit_follower *f, const carom_orbit_place *base,
                                      double p, carom_orbit_place *x, carom_error *error);

#endif
