/* Every order of impulses (docs/theory/orders.md): what an impact of several contacts can lead to
 * when nobody knows which contact is struck first, for how long, and which after it.
 */
#ifndef CAROM_ORDERS_H
#define CAROM_ORDERS_H

#include "carom/impact.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_orders_options {
    bool friction; /* Coulomb friction of planar contacts, along the impulse; false: none */
    long samples;  /* orders at random, beside those in which contacts are struck in turn; fewer
                      where they would take more than about a second */
    uint64_t seed;
    const carom_watch *watch; /* false ends the search with what is known; NULL: nobody is asked */
} carom_orders_options;

/* What was found. Arrays live in the arena. */
typedef struct carom_orders {
    long samples;       /* orders tried, those in turn included */
    long endless;       /* of which: did not come to an end */
    double *low, *high; /* n: least and largest value of each velocity */
    int extreme_count;
    double *extremes; /* n x extreme_count: outcomes with these values, each once */
} carom_orders;

/* Friction with two slip directions, or without bound: CAROM_ERROR_UNSUPPORTED; so are cones
 * (`spread`) and regions. */
CAROM_API carom_status carom_orders_explore(const carom_geometry *geometry,
                                            const carom_orders_options *options, carom_arena *arena,
                                            carom_orders *orders, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
