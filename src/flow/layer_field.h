/* Equations of motion with boundary layers (docs/theory/boundary-layer.md).
 *
 * y = (q, u, eta, P, work): eta = log(x/b) and P = sqrt(mu) x' for every contact inside its layer,
 * which is where x and x' come from there: x may be smaller than the rounding of q. */
#ifndef CAROM_SRC_FLOW_LAYER_FIELD_H
#define CAROM_SRC_FLOW_LAYER_FIELD_H

#include "flow/motion.h"

typedef enum carom_layer_field_place {
    CAROM_LAYER_FIELD_OUTSIDE,
    CAROM_LAYER_FIELD_INSIDE,
    CAROM_LAYER_FIELD_EDGE /* resting at x = b on a sharp layer */
} carom_layer_field_place;

/* Where the parts of y begin. */
typedef struct carom_layer_field_parts {
    int q, u, eta, P;
    int forces, constraints, projection; /* work of each so far */
    int loss, impulse;                   /* p each: work and impulse of the layers */
    int size;
} carom_layer_field_parts;

typedef struct carom_layer_field {
    carom_motion motion; /* state, factor of M; rows: joints, rolling, contacts on the edge */
    carom_layer_field_parts at;
    double a, b, k, c;
    bool smooth; /* metric */
    double joint_damping, joint_stiffness;
    unsigned char *place; /* p, set by whoever follows the motion */
    double *entry;        /* p, v: speed that scales the damping */
    /* results of the last evaluation, p each */
    double *x, *rate;  /* distance and x' (inside: of the layer's own variables) */
    double *reaction;  /* R */
    double *inertia;   /* g_11, inside only */
    double *free_gain; /* x'' without the layers */
    /* work */
    int active_count, *active;
    double *Y;     /* n x p: M_c^-1 w of the active contacts */
    double *D;     /* active x active */
    double *G, *z; /* the same size, and p */
    int *pivot;    /* p + rows */
    double *spare; /* p + rows */
    double *more;  /* p + rows */
    double *push;  /* n */
    int rank;      /* of the rows held */
} carom_layer_field;

carom_status carom_layer_field_create(const carom_system *system, const carom_flow_options *options,
                                      carom_arena *arena, carom_layer_field *field,
                                      carom_error *error);

/* The rows held, for the present places. */
void carom_layer_field_hold(carom_layer_field *field);

/* Gaps and normal velocities at (t, y): x and rate of every contact. */
carom_status carom_layer_field_look(carom_layer_field *field, double t, const double *y,
                                    carom_error *error);

/* The derivative of y. motion.state is left at the point with everything evaluated and the velocity
 * whose normal parts are those of the layers. A positive status: not admissible, error says why. */
carom_status carom_layer_field_slope(carom_layer_field *field, double t, const double *y,
                                     double *dy, carom_error *error);

/* P = sqrt(mu) x' at eta. */
double carom_layer_field_momentum(const carom_layer_field *field, double eta, double rate);

/* Put q so that the gap of the contact is b; after carom_layer_field_slope with it inside. */
carom_status carom_layer_field_put_back(carom_layer_field *field, int contact, carom_error *error);

/* The fastest rate at which the damping of a layer lets P decay. */
double carom_layer_field_decay(const carom_layer_field *field, const double *y);

/* Energy in the layer of an inside contact: kinetic, of the inertia it adds, and potential, 0 at b.
 */
void carom_layer_field_stored(const carom_layer_field *field, const double *y, int contact,
                              double *kinetic, double *potential);

#endif
