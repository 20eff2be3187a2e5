/* Traces in CSV: what writer and reader share. */
#ifndef CAROM_IO_TRACE_TRACE_CSV_H
#define CAROM_IO_TRACE_TRACE_CSV_H

#include "trace/trace.h"

/* Parts that are columns, in order, with the prefix of their names. */
enum { CAROM_TRACE_CSV_GROUPS = 8 };
extern const struct carom_trace_csv_group {
    carom_trace_part part;
    const char *prefix;
} carom_trace_csv_groups[CAROM_TRACE_CSV_GROUPS];

carom_status carom_trace_csv_read(const char *path, carom_trace *trace, carom_error *error);

#endif
