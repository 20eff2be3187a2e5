/* Waves in colliding elastic rods: the exact solution by characteristics (docs/theory/rods.md).
 *
 * Rods 0 ... count - 1 lie in a line from left to right. Each has velocity u to the right and
 * compressive force F; the invariants r = F + Z u (travelling right) and s = F - Z u (travelling
 * left) are piecewise constant, so that the motion is a list of fronts and no time grid is needed.
 */
#ifndef CAROM_RODS_H
#define CAROM_RODS_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A uniform rod, unstressed and moving at one velocity at t = 0. */
typedef struct carom_rod {
    double length;   /* l > 0 */
    double modulus;  /* E > 0 */
    double density;  /* rho > 0, mass per volume */
    double area;     /* A > 0 */
    double velocity; /* at t = 0, positive to the right */
} carom_rod;

/* length 1, modulus 1, density 1, area 1, at rest. */
CAROM_API carom_rod carom_rod_default(void);

/* What is between two neighbours, or at an end of the line. */
typedef enum carom_rods_joint_kind {
    CAROM_RODS_CONTACT, /* unilateral: compression only; at an end: against a rigid wall */
    CAROM_RODS_BONDED,  /* welded (a stepped rod); at an end: clamped to a rigid wall */
    CAROM_RODS_FREE     /* ends only: nothing there */
} carom_rods_joint_kind;

typedef struct carom_rods_joint {
    carom_rods_joint_kind kind;
    double gap; /* >= 0 at t = 0, contacts only */
} carom_rods_joint;

/* The statement. Plain data, borrowed. */
typedef struct carom_rods {
    int count;             /* rods, at least 1 */
    const carom_rod *rods; /* count, from left to right */
    /* count + 1: joint k is left of rod k, the last one right of the last rod. NULL: free ends,
     * contacts with gap 0 between. */
    const carom_rods_joint *joints;
    double until;    /* follow the motion at least to this time; 0: until all contacts are over */
    int event_limit; /* most fronts and closings to follow; 0: 200000 */
} carom_rods;

/* A quantity that is `value` from t to the t of the next step. */
typedef struct carom_rods_step {
    double t, value;
} carom_rods_step;

typedef struct carom_rods_history {
    int count;
    const carom_rods_step *steps;
} carom_rods_history;

/* What happened at one joint. Times are NaN for what did not happen. */
typedef struct carom_rods_contact {
    carom_rods_history force; /* compression F; first step at t = 0 */
    carom_rods_history rate;  /* gap velocity (0 while closed or bonded) */
    double gap;               /* at t = 0 */
    double impulse;           /* integral of F up to the end of the motion */
    double contact_time;      /* the force has ended for good */
    double open_time;         /* the gap has opened for good */
    int closings;             /* how often it closed, the start included; > 1: recontact */
} carom_rods_contact;

/* The motion from t = 0 to t = end. All arrays live in the arena. */
typedef struct carom_rods_motion {
    int count;
    double end;   /* the histories are complete up to here */
    bool settled; /* proved: no contact carries force after `end` */
    bool exact; /* false: a force was too small (some 2^-16000 of the first) to be told from none */
    int events;
    const carom_rods_contact *joints; /* count + 1 */
    const double *travel;             /* count, l/c, time a wave needs through the rod */
    const double *impedance;          /* count, Z = A sqrt(E rho) */
    const double *length;             /* count */
    const double *mass;               /* count */
    const double *velocity;           /* count, mean velocity of each rod at `end` */
    const carom_rods_history *right;  /* count, r leaving the left end (first step before t = 0) */
    const carom_rods_history *left;   /* count, s leaving the right end */
    double energy;          /* kinetic + strain, constant unless an end is a wall in motion */
    double energy_in_waves; /* energy minus the kinetic energy of the mean velocities */
} carom_rods_motion;

/* Follow the waves, front by front. At event_limit the motion ends early: `settled` is false. */
CAROM_API carom_status carom_rods_solve(const carom_rods *rods, carom_arena *arena,
                                        carom_rods_motion *motion, carom_error *error);

/* Newton's coefficient of the mean velocities at joint k (1 ... count - 1): separation over
 * approach; NaN when the rods did not approach. */
CAROM_API double carom_rods_restitution(const carom_rods *rods, const carom_rods_motion *motion,
                                        int joint);

/* Force (compression) and velocity in a rod at distance x from its left end, 0 <= t <= end. */
CAROM_API void carom_rods_field_at(const carom_rods_motion *motion, int rod, double x, double t,
                                   double *force, double *velocity);

/* Kinetic and strain energy of a rod at time t. */
CAROM_API void carom_rods_field_energy(const carom_rods_motion *motion, int rod, double t,
                                       double *kinetic, double *strain);

enum { CAROM_RODS_CORNERS = 8 };

/* A polygon of the x-t plane in which force, strain and velocity are constant. */
typedef struct carom_rods_region {
    int rod;
    double force, strain, velocity; /* strain = -F/(EA), negative in compression */
    int corner_count;
    double x[CAROM_RODS_CORNERS]; /* from the left end of the rod, convex, in order */
    double t[CAROM_RODS_CORNERS];
} carom_rods_region;

/* The regions of all rods for 0 <= t <= until (at most motion->end): the x-ct diagram. */
CAROM_API carom_status carom_rods_regions(const carom_rods_motion *motion, double until,
                                          carom_arena *arena, int *count,
                                          carom_rods_region **regions, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
