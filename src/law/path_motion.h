/* One frictional contact followed in impulse (Darboux-Keller), docs/theory/path.md.
 *
 * Velocities u = (u_N, u_T) and impulses p = (p_N, p_T) of the contact obey du = D dp. While the
 * contact slips dp_T = -mu t dp_N, t = u_T/|u_T|; when it stops it sticks if friction can hold it,
 * else it slips away in the one direction that theory allows. */
#ifndef CAROM_SRC_LAW_PATH_MOTION_H
#define CAROM_SRC_LAW_PATH_MOTION_H

#include "carom/base.h"

typedef enum carom_path_stop {
    CAROM_PATH_NEWTON,  /* u_N = -e u_N- */
    CAROM_PATH_POISSON, /* p_N = (1 + e) p_N at greatest compression */
    CAROM_PATH_STRONGE  /* work returned = e^2 work stored */
} carom_path_stop;

/* Entry 0 is the normal, 1 and 2 are tangential. */
typedef struct carom_path_problem {
    int s;       /* slip directions: 0, 1, 2 */
    double D[9]; /* 3 x 3 Delassus matrix, rows and columns beyond s zero */
    double u[3]; /* velocities before, u[0] < 0 */
    double e;
    double mu_static, mu_dynamic; /* INFINITY allowed */
    carom_path_stop stop;
} carom_path_problem;

typedef struct carom_path_result {
    bool ended;            /* false: wedged, no impulse ends the impact */
    double p[3];           /* impulses at the end */
    double u[3];           /* velocities at the end */
    double compression[3]; /* impulses when u_N = 0 */
    double work_stored;    /* -integral of u_N dp_N during compression, >= 0 */
    double work_returned;  /* the same during restitution, >= 0 */
    double stop_impulse;   /* p_N when sliding first stopped, NaN: never */
    bool reversed;         /* it slid again after stopping */
    bool sticks;           /* sticking at the end */
    long evaluations;      /* of the equation of spatial sliding */
} carom_path_result;

carom_status carom_path_motion_follow(const carom_path_problem *problem, carom_arena *arena,
                                      carom_path_result *result, carom_error *error);

#endif
