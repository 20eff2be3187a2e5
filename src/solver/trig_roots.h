/* All zeros of a trigonometric polynomial of degree four on the circle. */
#ifndef CAROM_SRC_SOLVER_TRIG_ROOTS_H
#define CAROM_SRC_SOLVER_TRIG_ROOTS_H

enum { CAROM_TRIG_DEGREE = 4, CAROM_TRIG_ROOTS = 32 };

/* p(x) = sum c[k] cos kx + s[k] sin kx. */
typedef struct carom_trig {
    double c[CAROM_TRIG_DEGREE + 1], s[CAROM_TRIG_DEGREE + 1];
} carom_trig;

/* The polynomial with the values given at x = 2 pi j/16, j = 0 ... 15. */
void carom_trig_fit(const double value[16], carom_trig *p);

/* Zeros in [0, 2 pi), double ones as one or two near each other; at most CAROM_TRIG_ROOTS. None is
 * missed: intervals are left out only where a bound proves that there is none. Returns 0 for a
 * polynomial that vanishes. */
int carom_trig_roots(const carom_trig *p, double *roots);

#endif
