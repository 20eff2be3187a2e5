/* The derivative of a motion at a place on it: what carom gradient computes. */
#ifndef CAROM_CLI_GRADIENT_H
#define CAROM_CLI_GRADIENT_H

#include "orbit.h"

/* Where the motion is asked about. */
typedef struct cli_place {
    long impact;       /* the K-th, 0: the end */
    bool accumulation; /* the limit of the first */
    long impacts;      /* so far */
    double t;          /* when it was reached */
    bool reached;
    cli_progress *progress;
} cli_place;

typedef struct cli_gradient_answer {
    int of_count, wrt_count;
    const char **of, **wrt;
    carom_expr **formulas;
    double *value, *gradient; /* of, of x wrt */
    double *left, *right;     /* of x wrt, where the motion itself does not tell the derivative */
    bool same;                /* and they are the same: it exists */
    long crowd;               /* neighbours of more events than these were left out; 0: none was */
    carom_flow_result result;
    carom_orbit_tangents tangents;
    cli_place at;
} cli_gradient_answer;

/* Read the formulas `of`; cli_gradient_forget gives them back. `*bad`: the one that is wrong. */
carom_status cli_gradient_read(cli_orbit *orbit, cli_gradient_answer *answer, int *bad,
                               carom_error *error);
void cli_gradient_forget(cli_gradient_answer *answer);

/* The motion, its values and its derivatives. CAROM_STOPPED: the place was not reached. */
carom_status cli_gradient_compute(cli_orbit *orbit, const carom_orbit_directions *along,
                                  cli_gradient_answer *answer, carom_error *error);

/* Derivatives from either side, from neighbouring scenes; the gradient where they are the same. */
int cli_gradient_sides(const cli_arguments *arguments, cli_orbit *orbit,
                       cli_gradient_answer *answer);

#endif
