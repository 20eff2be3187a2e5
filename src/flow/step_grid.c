/* Equal steps from the beginning of a motion to its end. */
#include "flow/step_grid.h"

#include <math.h>

/* Times that differ by less than this part of a step are the same: a user's 0.1/0.001 is no whole
 * number, and a row is due at the step that ends just before it. */
static const double same = 1e-6;

carom_step_grid carom_step_grid_plan(double begin, const carom_flow_options *options)
{
    const double ratio = (options->until - begin) / options->step, near = nearbyint(ratio);
    const bool exact = fabs(ratio - near) <= same;
    const long long whole = (long long)(exact ? near : floor(ratio)); /* below 2^53, see flow.c */
    return (carom_step_grid){.begin = begin,
                             .until = options->until,
                             .h = options->step,
                             .every = options->output,
                             .whole = whole,
                             .count = whole + !exact,
                             .row = 1};
}

double carom_step_grid_length(const carom_step_grid *grid, long long k, double t)
{
    return k < grid->whole ? grid->h : grid->until - t;
}

double carom_step_grid_end(const carom_step_grid *grid, long long k)
{
    return k + 1 < grid->count ? grid->begin + (double)(k + 1) * grid->h : grid->until;
}

bool carom_step_grid_row(carom_step_grid *grid, long long k, double t, double h)
{
    const double early = same * h;
    if (!(grid->every > 0) || t < grid->begin + grid->row * grid->every - early)
        return false;
    grid->row = 1 + floor((t - grid->begin + early) / grid->every);
    return k + 1 < grid->count;
}
