/* What `carom inspect` shows. */
#ifndef CAROM_CLI_INSPECT_H
#define CAROM_CLI_INSPECT_H

#include "answer.h"
#include "json.h"

/* What is shown; for an impact in numbers all contacts are closed and there are no gaps or forces.
 */
typedef struct inspection {
    const cli_answer *a;
    const carom_state *state; /* NULL: an impact in numbers */
    int n, p, s, m, permanent;
    const char *const *contacts; /* p */
    const double *M, *h, *gap, *W, *w_hat, *H, *slip_motion, *B, *b_hat, *A, *a_hat;
    double *full_mass, *angles; /* n x n; of the closed contacts */
    bool has_quasi;
    carom_quasi quasi;
    /* of systems, in inspect_motion.c: */
    bool has_forces;
    carom_quasi_forces forces;
    bool has_power;           /* of the contact forces at this state, those of its first motion */
    double power[3];          /* normal, coupling, tangential */
    carom_boundary *boundary; /* p, of all contacts */
    double width;             /* b of the layer, NaN: none */
    double *affinities;       /* n x n x n, NULL: too many */
    carom_joint_equation *joints;          /* m + permanent; NULL: no system */
    double joint_damping, joint_stiffness; /* of f'' + c f' + k f = 0; NaN: not given */
    /* of closed contacts that are half-spaces and few: */
    int edges;    /* -1: not looked for */
    double *edge; /* n x edges: extreme rays of T within the span of the gradients, unit */
    int lines;    /* dimension of the velocities that move no contact */
} inspection;

/* A matrix with names on both sides; large ones by their corner. */
void cli_inspect_matrix(const char *title, int rows, const char *const *row_names, int columns,
                        const char *const *column_names, const double *A);

/* Quasi-forces, power of contact forces, boundary layers, affinities: find, write, show. tolerance:
 * of closed contacts. */
int cli_inspect_motion(cli_answer *a, double tolerance, inspection *x);
void cli_inspect_motion_json(carom_json *json, const inspection *x);
void cli_inspect_motion_show(const inspection *x);

#endif
