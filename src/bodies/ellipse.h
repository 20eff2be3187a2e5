/* Points of an ellipse whose normal goes through a given point. */
#ifndef CAROM_SRC_BODIES_ELLIPSE_H
#define CAROM_SRC_BODIES_ELLIPSE_H

/* For the ellipse with half axes a >= b >= 0 along x and y: the unit normals n at which
 *
 *   n.(x, y) - support of the ellipse in n
 *
 * has a local maximum: the distance when the point is outside (one), minus the depth when it is
 * inside (one or two). Returns their number; normal[k] = (nx, ny). */
int carom_ellipse_normals(double a, double b, double x, double y, double normal[2][2]);

#endif
