/* A method at work on an island, and the methods. Each starts from run->x (the proximal one goes on
 * where it was), leaves there the best
 * point it has seen (never worse than the start) with its xi and residual, and counts. */
#ifndef CAROM_SRC_SOLVER_FRICTION_RUN_H
#define CAROM_SRC_SOLVER_FRICTION_RUN_H

#include "solver/friction_island.h"
#include "solver/friction_map.h"
#include "solver/friction_newton_matrix.h"

typedef struct carom_friction_run {
    const carom_friction_island *island;
    const carom_friction_problem *problem; /* the statement it is of, with q in this unit */
    double unit;
    const carom_friction_options *options; /* NULL: no watch */
    carom_arena *arena;
    double tolerance; /* on the residual */
    double accept;    /* a residual that counts as solved */
    int limit;        /* sweeps or factorisations of a method, 0: its own */
    double *x, *xi;   /* n: the best point, in the cones, and A x + b */
    double *y, *eta;  /* n: a point on offer */
    double residual;  /* of x */
    double offered;   /* residual of the point last on offer, taken or not */
    int iterations;   /* sweeps and steps so far */
    int factorisations;
    bool cancelled;  /* the watch said stop */
    bool infeasible; /* proved, by ray (n, in the statement's units) with product = q'ray < 0 */
    double *ray, product;
    double *centre, delta; /* where the proximal method was (n, room of the caller's), to go on from
                            * there; delta 0: nowhere yet */
    carom_friction_newton_matrix *matrix; /* made when first needed */
} carom_friction_run;

/* Start at x = 0, or at the reactions given (statement's rows; NULL: none) divided by the unit. */
carom_status carom_friction_run_start(carom_friction_run *run, const double *r, double unit,
                                      carom_error *error);

/* Go to x (n), put into the cones, whether it is better or not. */
void carom_friction_run_put(carom_friction_run *run, const double *x);

/* Take the point y with eta = A y + b, put into the cones, if it is better; true when it was. */
bool carom_friction_run_offer(carom_friction_run *run, const double *y, const double *eta);

/* Count an iteration, ask the watch; false: stop, or the tolerance is reached. */
bool carom_friction_run_goes_on(carom_friction_run *run);

/* Plan the matrix of Newton's methods, once. */
carom_status carom_friction_run_plan(carom_friction_run *run, carom_error *error);

/* The methods. Work space is taken from the arena and given back. */
carom_status carom_friction_sweeps(carom_friction_run *run, carom_error *error);
carom_status carom_friction_interior(carom_friction_run *run, carom_error *error);
carom_status carom_friction_polish(carom_friction_run *run, carom_error *error);
carom_status carom_friction_prox(carom_friction_run *run, carom_error *error);
carom_status carom_friction_path(carom_friction_run *run, carom_error *error);

/* Semismooth Newton from x (n) instead of run->x, the first step in the modes given. */
carom_status carom_friction_polish_in_modes(carom_friction_run *run, const double *x,
                                            const carom_mode *mode, carom_error *error);

#endif
