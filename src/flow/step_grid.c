/* Equal steps from the beginning of a motion to its end. */
#include "flow/step_grid.h"

carom_step_grid carom_step_grid_plan(double begin, const carom_flow_options *options)
{
    const double ratio = (options->until - begin) / options->step, near = nearbyint(ratio);
    const bool exact = fabs(ratio - near) <= CAROM_STEP_GRID_SAME;
    const long long whole = (long long)(exact ? near : floor(ratio)); /* below 2^53, see flow.c */
    return (carom_step_grid){.begin = begin,
                             .until = options->until,
                             .h = options->step,
                             .every = options->output,
                             .whole = whole,
                             .count = whole + !exact,
                             .row = 1};
}
