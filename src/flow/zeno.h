/* Accumulation of impacts: watches for geometric progressions (docs/theory/event-driven.md). */
#ifndef CAROM_SRC_FLOW_ZENO_H
#define CAROM_SRC_FLOW_ZENO_H

#include "carom/flow.h"

/* Patterns of 1, 2, 3, 4 impacts, the same contacts each time; and of 8 whatever the contacts are.
 */
enum { CAROM_ZENO_PERIODS = 5, CAROM_ZENO_ANY = 8, CAROM_ZENO_MEMORY = 2 * CAROM_ZENO_ANY + 1 };

typedef struct carom_zeno {
    int count;                       /* impacts remembered */
    double t[CAROM_ZENO_MEMORY];     /* the latest first */
    int contact[CAROM_ZENO_MEMORY];  /* first contact of each */
    double speed[CAROM_ZENO_MEMORY]; /* at which it closed, kinetic norm */
    struct {
        long impacts; /* in steady progression so far */
        double first; /* its first impact */
        double speed; /* the largest in its first pattern */
        double ratio;
    } period[CAROM_ZENO_PERIODS]; /* by pattern */
} carom_zeno;

void carom_zeno_reset(carom_zeno *zeno);

/* An impact, closing at `speed` in the kinetic norm. Returns the number of impacts in the pattern
 * (contact[0 ... ] are the contacts) when there is a progression, with its limit in *accumulation,
 * else 0. *near: the limit is near enough to be declared. */
int carom_zeno_add(carom_zeno *zeno, double t, int contact, double speed,
                   const carom_flow_options *options, carom_flow_accumulation *accumulation,
                   bool *near);

/* Is the present impact of this contact part of a progression? As carom_zeno_add, without adding.
 */
int carom_zeno_progress(const carom_zeno *zeno, int contact, const carom_flow_options *options,
                        carom_flow_accumulation *accumulation, bool *near);

/* Does a progression of this pattern end at rest? Speeds then fall with the intervals; where a slot
 * closes on a disc that rattles in it they do not, and its end is one more impact. Between the two
 * the energy decides: what comes to rest has no larger part of it than `accumulation`, as the time
 * that is left has. */
bool carom_zeno_rests(const carom_zeno *zeno, int pattern, const carom_flow_options *options);

/* The limit of a progression (pattern and t_limit as found above), from where its ratio was
 * steadiest: early ratios still change, late ones are the rounding of short flights. *from: the
 * impact, counted back from the last, whose intervals tell it. */
double carom_zeno_limit(const carom_zeno *zeno, int pattern, double limit, int *from);

/* Too few impacts for a progression, but the last three of one contact are on the way to one: the
 * limit of their intervals. False: they are not. */
bool carom_zeno_falls(const carom_zeno *zeno, double *limit);

#endif
