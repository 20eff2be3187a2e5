/* One combination of modes of contacts at one instant: its linear system and its conditions. */
#ifndef CAROM_SRC_SOLVER_INSTANT_MODES_H
#define CAROM_SRC_SOLVER_INSTANT_MODES_H

#include "solver/instant_rows.h"

/* Unknowns z with r = P z: the normal force of every contact that is not open, and the tangential
 * force of those that stick; as many equations u = 0. */
typedef struct carom_instant_modes {
    const carom_instant *f;
    const unsigned char *mode; /* p, the combination */
    bool guessed;              /* it is of use only where it covers: else it is not settled */
    int m;
    int *equation;  /* m rows of W */
    double *R, *z;  /* m x m, m */
    double *weight; /* m, norm of the column of P */
    double *kernel; /* room for m x m, see below */
    int *order;     /* m */
    int *twin;      /* N: the first row that is the same to the last bit; NULL: all differ */
    /* what became of the combination tried last */
    double *r, *u;                   /* N, N + extra */
    double *size;                    /* N + extra, what velocities are compared with, */
    double *near;                    /* N + extra, and what counts as zero of them */
    double *y;                       /* the motion of the bodies, where rows are known; else NULL */
    double pivot;                    /* the least of a regular system, relative to its column */
    doubled *exact;                  /* where rows are known: m unknowns, N forces, n velocities */
    double *terms;                   /* and the sizes of their terms, n */
    double *unknown;                 /* what forces that are rounding make of y and u, n + N */
    struct carom_instant_wide *wide; /* and work space for dependent equations */
    bool solved;                     /* r, u satisfy its equations */
    bool valid;                      /* and its conditions, */
    double violation; /* these and its equations missed by this, which is within rounding */
    bool covers;      /* and no other combination has anything to add to this motion */
    bool unique;      /* its equations are regular */
    bool continuum;   /* they are not, and the motion varies */
} carom_instant_modes;

carom_status carom_instant_modes_make(const carom_instant *problem, carom_arena *arena,
                                      carom_instant_modes *modes, carom_error *error);

/* Slip: r_T = -slope r_N; 0 in other modes. */
double carom_instant_modes_slope(const carom_instant_modes *modes, int contact);

/* The shortest z with R z = -u on the combination's rows, with full pivoting; what is left of u
 * beyond slack is inconsistent. Returns the rank; the null space goes to modes->kernel. */
int carom_instant_modes_shortest(carom_instant_modes *modes, const double *u, double slack,
                                 double *z, bool *consistent);

/* The inequalities of a contact for forces r and velocities u, each >= 0: at most
 * CAROM_INSTANT_CONDITIONS. */
enum { CAROM_INSTANT_CONDITIONS = 3 };
int carom_instant_modes_conditions(const carom_instant_modes *modes, int contact, const double *r,
                                   const double *u, double condition[CAROM_INSTANT_CONDITIONS]);

/* What counts as zero of condition k of a contact: a velocity by itself, a force beside the others,
 * tol. */
double carom_instant_modes_zero(const carom_instant_modes *modes, int contact, int k, double tol,
                                bool *velocity);

/* What became of the unknowns of twice the digits in modes->exact, whose velocities are evaluated:
 * each beside its own terms. haze: the part of the terms of their forces that velocities are known
 * to. Equations that are not met are inconsistent. Returns the tolerance of forces. */
double carom_instant_modes_judge(carom_instant_modes *modes, double haze);

/* Solve the combination modes->mode. A singular one is solved by the shortest forces that meet its
 * conditions. */
carom_status carom_instant_modes_try(carom_instant_modes *modes, carom_arena *arena,
                                     carom_error *error);

#endif
