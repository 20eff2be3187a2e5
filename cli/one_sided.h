/* Derivatives from one side, where there is none from both. */
#ifndef CAROM_CLI_ONE_SIDED_H
#define CAROM_CLI_ONE_SIDED_H

#include "orbit.h"

/* The values of some quantities of the motion of a scene, at the place that was asked for; false:
 * they have none there. */
typedef bool cli_one_sided_values(void *self, carom_scene *scene, double *values);

/* d(values)/d(name) from the left and from the right (count each), by differences of neighbouring
 * motions extrapolated to none; NaN where they do not converge: the values jump, or the derivative
 * is infinite. */
int cli_one_sided(const cli_arguments *arguments, const cli_orbit *orbit, const char *name,
                  int count, const double *here, cli_one_sided_values *evaluate, void *self,
                  double *left, double *right);

#endif
