/* The grid of a time-stepping run: equal steps, a shorter last one, and the rows on the way. */
#ifndef CAROM_SRC_FLOW_STEP_GRID_H
#define CAROM_SRC_FLOW_STEP_GRID_H

#include "carom/flow.h"

#include <math.h>

/* Times that differ by less than this part of a step are the same: a user's 0.1/0.001 is no whole
 * number, and a row is due at the step that ends just before it. */
#define CAROM_STEP_GRID_SAME 1e-6

typedef struct carom_step_grid {
    double begin, until, h;
    double every;    /* between rows, 0: none on the way */
    long long whole; /* steps of length h */
    long long count; /* all: one more than whole where a shorter one is left */
    double row;      /* number of the next row, a whole number */
} carom_step_grid;

/* From `begin` with the options' step, until and output. */
carom_step_grid carom_step_grid_plan(double begin, const carom_flow_options *options);

/* The length of step k, counted from 0, that starts at t; the time at which it ends. Times are not
 * sums of steps: after a million of them t is still a product, right to the last bit. (Inline: the
 * whole step of a ball takes some hundred instructions.) */
static inline double carom_step_grid_length(const carom_step_grid *grid, long long k, double t)
{
    return k < grid->whole ? grid->h : grid->until - t;
}

static inline double carom_step_grid_end(const carom_step_grid *grid, long long k)
{
    return k + 1 < grid->count ? grid->begin + (double)(k + 1) * grid->h : grid->until;
}

/* Has a row come due at the end t of step k, whose length was h? Then it is counted. The last step
 * has none: the caller writes the end of the motion. */
static inline bool carom_step_grid_row(carom_step_grid *grid, long long k, double t, double h)
{
    const double early = CAROM_STEP_GRID_SAME * h;
    if (!(grid->every > 0) || t < grid->begin + grid->row * grid->every - early)
        return false;
    grid->row = 1 + floor((t - grid->begin + early) / grid->every);
    return k + 1 < grid->count;
}

#endif
