/* A trace that does not say how its motion ended is what a killed run left, or a part of a file. */
#ifndef CAROM_CLI_TRACE_END_H
#define CAROM_CLI_TRACE_END_H

#include "carom/trace.h"
#include "cli.h"

static inline void cli_trace_end_tell(const char *path, const carom_trace *trace)
{
    if (!trace->end && trace->rows > 0)
        cli_message_warning("%s was cut off at t = %g: it does not say how the motion ended", path,
                            trace->t[trace->rows - 1]);
}

#endif
