/* Samples: distributions of one number, and points that fill a cube evenly (Sobol').
 *
 *     carom_distribution d;
 *     if (carom_distribution_parse("normal(0.8, 0.02)", &d, &error) == CAROM_OK)
 *         for (unsigned k = 0; k < 100; k++)
 *             e = carom_distribution_quantile(&d, carom_sobol_point(0, k, seed)); ... */
#ifndef CAROM_SAMPLE_H
#define CAROM_SAMPLE_H

#include "carom/base.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_distribution_kind {
    CAROM_DISTRIBUTION_UNIFORM,     /* between a and b */
    CAROM_DISTRIBUTION_NORMAL,      /* mean a, standard deviation b */
    CAROM_DISTRIBUTION_LOGNORMAL,   /* the exponential of a normal one */
    CAROM_DISTRIBUTION_EXPONENTIAL, /* mean a */
    CAROM_DISTRIBUTION_TRIANGULAR,  /* from a over its top b to c */
    CAROM_DISTRIBUTION_KINDS
} carom_distribution_kind;

typedef struct carom_distribution {
    carom_distribution_kind kind;
    double a, b, c;
} carom_distribution;

/* "uniform(0, 1)", "normal(m, s)", "lognormal(m, s)", "exponential(m)", "triangular(a, b, c)". */
CAROM_API carom_status carom_distribution_parse(const char *text, carom_distribution *distribution,
                                                carom_error *error);

/* The number below which the part p of the distribution lies, 0 < p < 1. */
CAROM_API double carom_distribution_quantile(const carom_distribution *distribution, double p);

enum { CAROM_SOBOL_DIMENSIONS = 16 };

/* Coordinate `dimension` (from 0) of point `index` of Sobol's sequence, moved by a shift of its
 * digits that the seed chooses: the points stay as even, no number is 0 or 1, and each is as likely
 * as any other. */
CAROM_API double carom_sobol_point(int dimension, uint32_t index, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
