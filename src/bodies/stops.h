/* Limits of joints and ropes at the state to which the links were moved. */
#ifndef CAROM_SRC_BODIES_STOPS_H
#define CAROM_SRC_BODIES_STOPS_H

#include "bodies/bodies.h"

double carom_stop_gap(const carom_bodies *bodies, int stop, const double *q);

/* Add its gradient to a row of n numbers. */
void carom_stop_row(const carom_bodies *bodies, int stop, double *row);

/* The rate of its gap for the velocities of links as they are (a limit: 0), and what is to be added
 * to row . u' for the second derivative. */
double carom_stop_motion(const carom_bodies *bodies, int stop);
double carom_stop_bias(const carom_bodies *bodies, int stop);

/* The trees that it acts on, -1: none. */
void carom_stop_trees(const carom_bodies *bodies, int stop, int tree[2]);

#endif
