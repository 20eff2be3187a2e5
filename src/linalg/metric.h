/* The root L of a kinetic metric M = L L', whole or the roots of its diagonal entries: covectors
 * and vectors to and from coordinates in which the metric is Euclidean. */
#ifndef CAROM_SRC_LINALG_METRIC_H
#define CAROM_SRC_LINALG_METRIC_H

#include <stdbool.h>

/* A covector to them: w = L^-1 w, in place. */
void carom_metric_row(int n, bool diagonal, const double *L, double *w);

/* A vector back from them: y = L^-T y, in place. */
void carom_metric_vector_back(int n, bool diagonal, const double *L, double *y);

#endif
