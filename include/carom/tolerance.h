/* What counts as zero, as dependent, as the same: the tolerances of the library, derived once.
 *
 * One error model: a number that was computed is off by 64 eps times the condition of its
 * computation, relative to the sum of the magnitudes of its terms. 64 eps bounds the rounding of a
 * sum of sixty products, (terms + 4) eps (Higham, Accuracy and Stability, 3.1); the condition tells
 * how many times a computation may magnify what it began with. A name below is a kind of decision
 * with the condition up to which it is right: with a smaller one rounding is taken for a number,
 * with a larger one a number for rounding. They are factors: the caller multiplies by the size of
 * the terms, never by a norm in which light bodies drown. A law of another program decides like
 * the laws of the library where it takes them from here. */
#ifndef CAROM_TOLERANCE_H
#define CAROM_TOLERANCE_H

#include <float.h>

#define CAROM_TOLERANCE(condition) (64 * DBL_EPSILON * (condition))

/* A sum is zero: there is nothing but its own rounding (1.4e-14). */
#define CAROM_TOLERANCE_SUM CAROM_TOLERANCE(1)

/* Unknowns after refinement, which leaves the rounding of some eight sums: a residual that cannot
 * fall further, entries of a matrix of such unknowns that are zero (1.1e-13). */
#define CAROM_TOLERANCE_REFINED CAROM_TOLERANCE(8)

/* Numbers that a computation before this one has carried here (a motion, another impact, times
 * that are sums of steps): some sixty sums after one another (9.1e-13). */
#define CAROM_TOLERANCE_CARRIED CAROM_TOLERANCE(64)

/* The part of its length that a row must keep beside rows that were taken before: each of those
 * that it leaned on has carried a rounding into it (9.1e-13). */
#define CAROM_TOLERANCE_RANK CAROM_TOLERANCE(64)

/* The same for pivots of Gram matrices R'M^-1 R, whose entries are not rows but products of solved
 * rows, and for entries of a solved vector beside its largest: a direction is known as a whole, not
 * entry by entry. Mass ratios of a thousand are ordinary (1.5e-11). */
#define CAROM_TOLERANCE_SOLVED CAROM_TOLERANCE(1024)

/* Signs and complementarity of a point that was found by solving a square system: it is accepted,
 * or a candidate is dropped, in spite of a condition of eight thousand (1.2e-10). */
#define CAROM_TOLERANCE_SIGN CAROM_TOLERANCE(8192)

/* Two answers found in different ways are one; a number is what somebody wrote down. Forgives a
 * condition of 65536, as the verdicts do by contract (9.3e-10). */
#define CAROM_TOLERANCE_SAME CAROM_TOLERANCE(65536)

/* Half of the digits, the root of eps, 2^-26 (1.5e-8): the root of a square that is rounding; a
 * shift whose first-order effect is as far from the numbers as rounding is from it. */
#define CAROM_TOLERANCE_HALF (67108864 * DBL_EPSILON)

/* A pivot, against its diagonal entry, that may be taken as it comes: 2^-20, it costs 20 of 53
 * bits, and what is left decides signs with the tolerance above (9.5e-7). */
#define CAROM_TOLERANCE_REGULAR (4294967296.0 * DBL_EPSILON)

/* A pivot, against its diagonal entry or its column, that costs no digits worth a refinement: it
 * magnifies rounding 64 times. */
#define CAROM_TOLERANCE_SHARP (1.0 / 64)

#endif
