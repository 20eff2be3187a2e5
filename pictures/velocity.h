/* The plane of velocities of an impact in the kinetic metric: cones, spheres, outcomes.
 *
 * One contact: second axis along its gradient, first axis along the rest of u-. Two contacts:
 * second axis along the bisector n_1 + n_2 of the unit gradients, first axis along n_2 - n_1.
 * Lengths are in units of the speed ‖u- - b‖. */
#ifndef CAROM_SRC_FIGURE_VELOCITY_H
#define CAROM_SRC_FIGURE_VELOCITY_H

#include "carom/admissible.h"
#include "carom/cone.h"
#include "pictures/drawing.h"

typedef struct carom_velocity {
    const carom_geometry *geometry;
    carom_admissible set;
    double *e_x, *e_y; /* n, orthonormal in the kinetic metric */
    double unit;       /* ‖u- - b‖ */
    double origin[2];  /* what is at (0, 0) of the plane: b when relative */
    double normal[4];  /* coordinates of the unit gradients, contact after contact */
    double tip[2];     /* of the cone: b in the plane, (0, 0) when relative */
    double x[2], z[2]; /* u- and tip + prox_T in the plane */
    double z_perp[2];  /* x - z */
} carom_velocity;

/* relative: velocities minus b, so that the cone stands at the origin. */
carom_status carom_velocity_make(carom_drawing *drawing, const carom_geometry *geometry,
                                 bool relative, carom_velocity *plane, carom_error *error);

/* A velocity (n numbers) in the plane. */
void carom_velocity_at(const carom_velocity *plane, const double *u, double xy[2]);

/* Radius in the plane of the sphere of kinetic norm r (in units of the speed). */
double carom_velocity_radius(const carom_velocity *plane, double r);

/* The tangent cone (one contact: a half-plane), and the cone of the gradients times sign at a tip
 * (one contact: a half-line), in the colour of a series. */
carom_status carom_velocity_tangent(carom_drawing *drawing, const carom_velocity *plane,
                                    carom_plot *plot, int colour, carom_error *error);
void carom_velocity_normal(const carom_velocity *plane, carom_plot *plot, int colour,
                           const double tip[2], double sign);

/* The set of admissible outcomes, filled, and its boundary on a level of dissipation. */
carom_status carom_velocity_outcomes(carom_drawing *drawing, const carom_velocity *plane,
                                     carom_plot *plot, const char *style, carom_error *error);
carom_status carom_velocity_level(carom_drawing *drawing, const carom_velocity *plane,
                                  carom_plot *plot, const char *style, double epsilon,
                                  carom_error *error);

/* An arrow from the tip (or from `from`) to a point of the plane with a label beside its head. */
void carom_velocity_arrow(carom_plot *plot, const char *style, const double from[2],
                          const double to[2], double dx, double dy, char anchor, const char *text);

#endif
