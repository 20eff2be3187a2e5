/* Motion through the boundary layer of one frictionless contact (docs/theory/layer.md).
 *
 * x is the distance to the wall, g_11 the inertia along it. Outside the layer (x > b) the motion is
 * free; within it an inertia and a force that grow keep x > 0. All times count from the entry,
 * where x = b. */
#ifndef CAROM_LAYER_H
#define CAROM_LAYER_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the inertia g_11 mu(x) grows: mu = b^2/x^2 in the whole layer, as the source prints it, where
 * only the force is cut off; or from 1 at b to b^2/x^2 at a, smoothly. The same for a = b. */
typedef enum carom_layer_metric { CAROM_LAYER_SOURCE, CAROM_LAYER_SMOOTH } carom_layer_metric;

typedef struct carom_layer {
    double k;       /* > 0, repulsion: k_1 = k b^2 */
    double c;       /* >= 0, damping: c_1 = c b^2/v */
    double a, b;    /* 0 < a <= b, the force sets in between them; a = b: sharp */
    double inertia; /* g_11 = 1/(w'M_c^-1 w) */
    double speed;   /* v > 0, of approach */
    carom_layer_metric metric;
} carom_layer;

typedef struct carom_layer_result {
    bool ended;           /* false: step limit, only restitution and impulse_ratio are known */
    double duration;      /* until x = b again */
    double turn;          /* t_c, when x' = 0 */
    double restitution;   /* e_N = exit speed/v: a function of c/(b k) alone */
    double impulse_ratio; /* e_P: impulse of the reaction after t_c over that before */
    double least;         /* smallest x; 0 when it is below the range of numbers */
    double log_least;     /* log of smallest x over b */
    long steps;
} carom_layer_result;

/* Follow the motion. At `count` increasing times t the position and velocity are written to x and
 * velocity (before 0 and after the exit: free motion). count may be 0. */
CAROM_API carom_status carom_layer_follow(const carom_layer *layer, carom_arena *arena, int count,
                                          const double *t, double *x, double *velocity,
                                          carom_layer_result *result, carom_error *error);

/* e_N as a function of q = c/(b k). */
CAROM_API double carom_layer_restitution(double q);

/* 1 + W_0(-r e^-r) for r = 1 + q, q >= 0 (Lambert's function), to full relative accuracy: the d in
 * [0, 1) with -d - log(1 - d) = q - log(1 + q). */
CAROM_API double carom_layer_lambert(double q);

/* Cut-off of the force, 1 for x <= a, 0 for x >= b, and its derivative with respect to x. */
CAROM_API double carom_layer_cutoff(double a, double b, double x);
CAROM_API double carom_layer_cutoff_slope(double a, double b, double x);

#ifdef __cplusplus
}
#endif
#endif
