/* What counts as zero, in one place: comparisons of velocities and impulses of an impact.
 *
 * A sum such as gamma = w'u + w_hat is compared with the sum of the magnitudes of its terms, never
 * with a norm of the whole system, in which light bodies drown. Four sizes of tolerance exist:
 *
 *   rounding   (terms + 4) units in the last place: the bound of a computed sum of products whose
 *              factors carry half a unit each (Higham, Accuracy and Stability, 3.1).
 *   rest       1e-12: velocities that come out of a computation before this one (a motion, another
 *              impact) carry a few thousand such units. A contact that moves less neither
 *              approaches nor separates.
 *   dust       a few units in the last place of the fastest term of all rows: what rounding leaves
 *              of a velocity that is zero, where its own terms vanish with it.
 *   verdict    1e-9 (CAROM_VERDICT_TOLERANCE): what the verdicts forgive, by contract. */
#ifndef CAROM_SRC_IMPACT_PREDICATE_H
#define CAROM_SRC_IMPACT_PREDICATE_H

#include "carom/impact.h"

#include "carom/tolerance.h"

#include <float.h>

#define CAROM_PREDICATE_REST CAROM_TOLERANCE_CARRIED

/* What is dust for a row of so many terms. */
static inline double carom_predicate_dust(const carom_geometry *geometry, int terms)
{
    return 16 * DBL_EPSILON * terms * geometry->fastest;
}

/* The rounding of a sum of so many products, relative to the sum of their magnitudes. */
static inline double carom_predicate_rounding(int terms)
{
    return (terms + 4) * DBL_EPSILON;
}

/* |w_i|'|u| + |w_hat_i|: the size of the terms that make the normal velocity of contact i. */
double carom_predicate_normal_size(const carom_geometry *geometry, int i, const double *u);

/* The same of slip column j. */
double carom_predicate_slip_size(const carom_geometry *geometry, int j, const double *u);

/* Contact i before the impact: it approaches, separates, or neither (rests). Second-order cones
 * { w'u + w_hat >= |A u| }: approaching means u- - b in -T, that is -gamma >= |A u-|; between the
 * two cones it does neither. */
bool carom_predicate_approaches(const carom_geometry *geometry, int i);
bool carom_predicate_separates(const carom_geometry *geometry, int i);

/* The normal velocity of contact i at another velocity u; 0 where it neither approaches nor
 * separates. Its terms carry the rounding of those before the impact. */
double carom_predicate_velocity(const carom_geometry *geometry, int i, const double *u);

/* No contact separates: gamma <= 0, cones u- - b in -T. With a region (union of cones) the contacts
 * of every group. */
bool carom_predicate_approaching(const carom_geometry *geometry);

/* Are two velocities after the impact the same? They differ by M_c^-1 [W H] times impulses, so that
 * they are where all normal velocities and slips are, in units of the quantities compared. */
bool carom_predicate_same(const carom_geometry *geometry, const double *u, const double *v);

/* The largest term of any row, before the impact and in u. */
double carom_predicate_fastest(const carom_geometry *geometry, const double *u);

/* How large row'u would be if each of its terms were as large as the fastest. A row whose own terms
 * vanish is compared with the rounding of this. */
double carom_predicate_reach(const carom_geometry *geometry, const double *row, double fastest);

/* |A u| of the second-order cone of contact i; 0 where it is a half-space. */
double carom_predicate_spread(const carom_geometry *geometry, int i, const double *u);

#endif
