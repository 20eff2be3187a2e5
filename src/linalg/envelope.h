/* Symmetric matrices stored by rows, each from its first entry that may differ from zero to the
 * diagonal (envelope, skyline). The factors of A = L D L' stay inside: chains, trees of bodies and
 * walls cost what their narrow rows cost, whatever their number. */
#ifndef CAROM_SRC_LINALG_ENVELOPE_H
#define CAROM_SRC_LINALG_ENVELOPE_H

#include "carom/base.h"

#include <stddef.h>

typedef struct carom_envelope {
    int n;
    const int *first;       /* n: first column of each row, <= the row */
    const ptrdiff_t *start; /* n: entry (i, j), first[i] <= j <= i, is value[start[i] + j] */
    double *value;
} carom_envelope;

/* Where rows of these first columns start when they are stored one after the other; returns the
 * number of entries. */
size_t carom_envelope_lay_out(int n, const int *first, ptrdiff_t *start);

/* A = L D L' in place: L, whose diagonal is 1, below the diagonal, 1/D on it. Returns 0, or the
 * number (from 1) of the first pivot that is not above `threshold` times its diagonal entry of A.
 */
int carom_envelope_factor(const carom_envelope *A, double threshold);

/* Solve L D L' x = b in place with the factors. */
void carom_envelope_solve(const carom_envelope *L, double *x);

#endif
