/* What can be said about a scene before running it, in one call: certificates of its restitution
 * and friction, the contact problem, critical friction, how far it is from its limits. */
#ifndef CAROM_CHECK_H
#define CAROM_CHECK_H

#include "carom/certify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of a check, from the cheap to the dear. */
enum {
    CAROM_CHECK_CERTIFICATES = 1,
    CAROM_CHECK_PROBLEM = 2,      /* the contact problem at this state; systems only */
    CAROM_CHECK_CRITICAL = 4,     /* critical friction */
    CAROM_CHECK_COEFFICIENTS = 8, /* margins, regions of two contacts, conservative E */
    CAROM_CHECK_MICRO_GAPS = 16,
    CAROM_CHECK_ALL = 31
};

typedef struct carom_check_request {
    const carom_geometry *geometry;
    const carom_law *law;       /* of the scene; NULL or without ops: none */
    const carom_system *system; /* NULL: an impact in numbers */
    carom_state *state;         /* of the system, evaluated (CAROM_WANT_ALL) */
    const int *closed;          /* p numbers of its contacts, of carom_impact_from_system */
    unsigned parts;             /* CAROM_CHECK_...; 0: all */
    /* Every part has a limit on its work, so that the whole takes seconds, always the same; what is
     * not decided by then is undecided and says what was tried. effort: times that limit; 0: 1. */
    double effort;
    const carom_watch *watch; /* may be NULL; false ends the check with what is known */
} carom_check_request;

typedef struct carom_check_answer {
    const double *E; /* p x p, what is judged; NULL: the contacts' coefficients */
    char note[160];  /* about E */
    carom_certificates certificates;
    bool has_problem;
    carom_painleve problem;
    bool has_critical;
    carom_critical critical;
    bool has_coefficients; /* not where E prescribes tangential velocities too */
    carom_margins margins;
    carom_conservative conservative;
    bool has_pair; /* two independent contacts: */
    carom_pair_region region;
    carom_same_energy same_energy;
    bool has_micro_gaps;
    const char *micro_law; /* law of the micro-gaps */
    carom_micro_gaps micro;
    bool stopped; /* by the watch: parts may be missing */
    bool limited; /* some part ended at the limit on its work */
} carom_check_answer;

/* Look at everything asked for. Arrays live in the arena. */
CAROM_API carom_status carom_check(const carom_check_request *request, carom_arena *arena,
                                   carom_check_answer *answer, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
