/* The velocity nearest to a given one among those that contacts allow (docs/theory/nearest.md):
 *     min |u - x|  in the kinetic metric,   w_i'u + w_hat_i >= target_i,   C'u + c_hat = 0.
 * Newton's law, Moreau's, both phases of Poisson's and the shock of breakable constraints are of
 * this form. Goldfarb and Idnani's dual method, which starts at x and takes violated contacts in
 * one after the other; it works with the rows, not with the Delassus matrix, and so keeps the
 * digits of light bodies, and it needs no care where contacts are dependent. */
#ifndef CAROM_SRC_IMPACT_NEAREST_H
#define CAROM_SRC_IMPACT_NEAREST_H

#include "carom/impact.h"
#include "linalg/doubled.h"

typedef enum carom_nearest_end {
    CAROM_NEAREST_FOUND,
    CAROM_NEAREST_EMPTY, /* no velocity is allowed: some contacts contradict each other */
    CAROM_NEAREST_LIMIT  /* too many steps; the last velocity is given */
} carom_nearest_end;

typedef struct carom_nearest {
    carom_nearest_end end;
    doubled *u;       /* n */
    doubled *impulse; /* p, >= 0, positive at independent contacts only */
    bool *touches;    /* p, contact i meets its target (with or without impulse) */
    int rank;         /* independent contacts among those held */
    int steps;
} carom_nearest;

/* From where: x (n) meets the joints, or M^-1 push further on (within the joints). */
typedef struct carom_nearest_start {
    const doubled *x;    /* n */
    const doubled *push; /* n, momentum; NULL: 0 */
    const bool *only;    /* p, contacts that take part; NULL: all */
} carom_nearest_start;

/* M (u - x) = push + W impulse + C ..., gamma_i(u) >= target_i (p, NULL: 0). Arrays live in the
 * arena. */
carom_status carom_nearest_find(const carom_geometry *geometry, const carom_nearest_start *start,
                                const doubled *target, carom_arena *arena, carom_nearest *nearest,
                                carom_error *error);

/* The velocity nearest to x that meets the targets of all contacts marked in `set` (NULL: all) with
 * equality, whatever the sign of the impulses. *off: the worst violation of a contact that depends
 * on others, in units of the quantities compared; above CAROM_VERDICT_TOLERANCE there is no such
 * velocity. */
carom_status carom_nearest_meet(const carom_geometry *geometry, const carom_nearest_start *start,
                                const doubled *target, const bool *set, carom_arena *arena,
                                carom_nearest *nearest, double *off, carom_error *error);

/* Other impulses at the contacts that touch with the same effect: `impulse` (p) with the digits
 * that are missing, so that W exact reproduces the velocity found. */
carom_status carom_nearest_explain(const carom_geometry *geometry, const carom_nearest_start *start,
                                   const carom_nearest *nearest, const double *impulse,
                                   carom_arena *arena, doubled *exact, carom_error *error);

/* All extreme points of the set of impulses >= 0 at the contacts that touch with the same effect as
 * nearest->impulse: p x *count in the arena. More than CAROM_NEAREST_CHOICES choices of contacts:
 * *count = -1. */
enum { CAROM_NEAREST_CHOICES = 20000 };
carom_status carom_nearest_vertices(const carom_geometry *geometry,
                                    const carom_nearest_start *start, const carom_nearest *nearest,
                                    carom_arena *arena, doubled **vertices, int *count,
                                    carom_error *error);

/* u- of the impact (n), and target_i = -epsilon_i gamma_i(u-), of twice the precision. */
void carom_nearest_velocity(const carom_geometry *geometry, doubled *x);
void carom_nearest_target(const carom_geometry *geometry, const double *epsilon, doubled *target);

#endif
