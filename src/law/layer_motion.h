/* Motion through the boundary layer of one frictionless contact, docs/theory/layer.md.
 *
 * x is the distance to the wall, g_11 the inertia along it. Outside the layer (x > b) the motion is
 * free; within it inertia g_11 mu(x) and force f(x, x') keep x > 0. All times count from the entry:
 * x = b (a < b), x = a = b (sharp). */
#ifndef CAROM_SRC_LAW_LAYER_MOTION_H
#define CAROM_SRC_LAW_LAYER_MOTION_H

#include "carom/base.h"

typedef struct carom_layer {
    double k;       /* > 0, repulsion: k_1 = k b^2 */
    double c;       /* >= 0, damping: c_1 = c b^2/v */
    double a, b;    /* 0 < a <= b, the transition is between them; a = b: sharp */
    double inertia; /* g_11 = 1/(w'M_c^-1 w) */
    double speed;   /* v > 0, of approach */
} carom_layer;

typedef struct carom_layer_result {
    bool ended;           /* false: step limit */
    double duration;      /* until x = b again */
    double turn;          /* t_c, when x' = 0 */
    double restitution;   /* e_N = exit speed/v */
    double impulse_ratio; /* e_P: impulse of the reaction after t_c over that before */
    double least;         /* smallest x; 0 when it is below the range of numbers */
    double log_least;     /* log of smallest x over b */
    long steps;
} carom_layer_result;

/* Cut-off s_hat in [0, 1]: 1 for x <= a, 0 for x >= b. */
double carom_layer_motion_cutoff(double a, double b, double x);

/* Its derivative with respect to x, <= 0. */
double carom_layer_motion_cutoff_slope(double a, double b, double x);

/* 1 + W_0(-r e^-r) for r = 1 + q, q >= 0, to full relative accuracy: the d in [0, 1) with
 * -d - log(1 - d) = q - log(1 + q). */
double carom_layer_motion_lambert(double q);

/* e_N of the sharp layer: a function of q = c/(a k) alone. */
double carom_layer_motion_restitution(double q);

/* Follow the motion. At `count` increasing times t the position and velocity are written to x and
 * velocity (before 0 and after the exit: free motion). count may be 0. */
carom_status carom_layer_motion_follow(const carom_layer *layer, carom_arena *arena, int count,
                                       const double *t, double *x, double *velocity,
                                       carom_layer_result *result, carom_error *error);

#endif
