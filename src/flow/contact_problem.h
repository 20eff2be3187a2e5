/* The contact problem at acceleration level: which closed contacts stay closed, stick or slide, and
 * with which force (docs/theory/event-driven.md, "The contact problem"). */
#ifndef CAROM_SRC_FLOW_CONTACT_PROBLEM_H
#define CAROM_SRC_FLOW_CONTACT_PROBLEM_H

#include "flow/motion.h"

typedef enum carom_contact_problem_class {
    CAROM_CONTACT_PROBLEM_SOLVED,
    CAROM_CONTACT_PROBLEM_NONE,    /* no force exists: inconsistent */
    CAROM_CONTACT_PROBLEM_SEVERAL, /* indeterminate; the least force was taken */
    CAROM_CONTACT_PROBLEM_UNSOLVED /* the solver did not reach its accuracy */
} carom_contact_problem_class;

typedef struct carom_contact_problem_answer {
    carom_contact_problem_class class;
    int contact;    /* the contact the class is about, or -1 */
    double A, b;    /* single sliding contact: acceleration = A force + b */
    char text[240]; /* the class in words */
} carom_contact_problem_answer;

/* Find modes, friction directions and rows of motion for its state (evaluated with CAROM_WANT_ALL,
 * mass factored, a_free current). candidate: p flags, closed contacts with gamma = 0. slow: p slip
 * speeds; up to twice that a contact does not slip. force_rest: relative size of accelerations that
 * count as zero. Forces and accelerations are left to carom_motion_evaluate. */
carom_status carom_contact_problem_solve(carom_motion *motion, const unsigned char *candidate,
                                         const double *slow, double force_rest,
                                         carom_arena *scratch, carom_contact_problem_answer *answer,
                                         carom_error *error);

/* Rows of the motion for bringing to rest what counts as resting: joints, nonholonomic constraints,
 * the normals of the candidates and the slips of those slower than slow; independent ones only.
 * Returns whether any of them is off by more than nothing. Same state as above. */
carom_status carom_contact_problem_rest(carom_motion *motion, const unsigned char *candidate,
                                        const double *slow, carom_arena *scratch, bool *moving,
                                        carom_error *error);

#endif
