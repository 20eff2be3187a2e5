/* A trace in memory, written to a file after the motion. */
#include "carom/need.h"
#include "trace/trace.h"

#include <string.h>

/* How many of a kind there are. */
static long count_of(const carom_trace *trace, carom_trace_kind kind)
{
    const long counts[CAROM_TRACE_KINDS] = {
        [CAROM_TRACE_KIND_ROW] = trace->rows,
        [CAROM_TRACE_KIND_IMPACT] = trace->impacts,
        [CAROM_TRACE_KIND_INSTANT] = trace->instants,
        [CAROM_TRACE_KIND_ACCUMULATION] = trace->accumulations,
        [CAROM_TRACE_KIND_CHANGE] = trace->changes,
    };
    return counts[kind];
}

/* The numbers of a part: a table's, or one of the plain lists. */
static const double *numbers_of(const carom_trace *trace, carom_trace_part part)
{
    const carom_trace_table *table = carom_trace_find_table((carom_trace *)trace, part);
    if (table)
        return table->values;
    return part == CAROM_TRACE_T               ? trace->t
           : part == CAROM_TRACE_IMPACT_T      ? trace->impact_t
           : part == CAROM_TRACE_INSTANT_T     ? trace->instant_t
           : part == CAROM_TRACE_INSTANT_EVENT ? trace->instant_event
                                               : trace->impact_energy;
}

/* When number k of a kind was told. */
static double time_of(const carom_trace *trace, carom_trace_kind kind, long k)
{
    switch (kind) {
    case CAROM_TRACE_KIND_ROW:
        return trace->t[k];
    case CAROM_TRACE_KIND_IMPACT:
        return trace->impact_t[k];
    case CAROM_TRACE_KIND_INSTANT:
        return trace->instant_t[k];
    case CAROM_TRACE_KIND_CHANGE:
        return trace->change.values[k * trace->change.columns];
    default: /* declared at its last impact, and told before it */
        return trace->accumulation.values[k * trace->accumulation.columns + 2];
    }
}

/* The kind of what comes next in time; what happens at the time of a row stands before it. */
static int find_next(const carom_trace *trace, const long *done)
{
    static const carom_trace_kind order[] = {CAROM_TRACE_KIND_INSTANT,
                                             CAROM_TRACE_KIND_ACCUMULATION, CAROM_TRACE_KIND_IMPACT,
                                             CAROM_TRACE_KIND_CHANGE, CAROM_TRACE_KIND_ROW};
    int next = -1;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const carom_trace_kind kind = order[i];
        if (done[kind] < count_of(trace, kind) &&
            (next < 0 ||
             time_of(trace, kind, done[kind]) < time_of(trace, (carom_trace_kind)next, done[next])))
            next = (int)kind;
    }
    return next;
}

/* One of them goes through the writer's values, as it did when it happened. */
static carom_status write_one(carom_trace_writer *w, const carom_trace *trace,
                              carom_trace_kind kind, long k, carom_error *error)
{
    const struct carom_trace_span span = carom_trace_spans[kind];
    for (int part = (int)span.first; part < (int)span.end; part++) {
        const size_t width = (size_t)w->width[part];
        const double *from = numbers_of(trace, (carom_trace_part)part);
        if (width && from)
            memcpy(w->values[part], from + (size_t)k * width, width * sizeof(double));
    }
    return carom_trace_add(w, kind, error);
}

/* How the motion ended, as the writer of a file asks for it. */
static carom_flow_result *find_end(carom_arena *arena, const carom_trace *trace)
{
    carom_flow_result *result = carom_arena_zeros(arena, 1, sizeof *result);
    for (int end = CAROM_FLOW_REACHED; result && trace->end && end <= CAROM_FLOW_ENERGY; end++)
        if (strcmp(trace->end, carom_flow_end_text((carom_flow_end)end)) == 0)
            result->end = (carom_flow_end)end;
    if (result && trace->rows > 0)
        result->t = trace->t[trace->rows - 1];
    if (result && trace->message)
        strncpy(result->message, trace->message, sizeof result->message - 1);
    return result;
}

carom_status carom_trace_save(const carom_trace *trace, const char *path, bool force,
                              const carom_trace_header *header, const carom_allocator *allocator,
                              carom_error *error)
{
    CAROM_NEED(error, trace, path, header);
    carom_trace_writer *w;
    carom_status status = carom_trace_create(path, force, header, allocator, &w, error);
    if (status)
        return status;
    long done[CAROM_TRACE_KINDS] = {0};
    for (int kind; !status && (kind = find_next(trace, done)) >= 0; done[kind]++)
        status = write_one(w, trace, (carom_trace_kind)kind, done[kind], error);
    carom_flow_result *result = status ? NULL : find_end(w->arena, trace);
    if (!status && !result)
        status = carom_error_memory(error);
    carom_status finished =
        carom_trace_finish(w, trace->end ? result : NULL, NULL, status ? NULL : error);
    return status ? status : finished;
}
