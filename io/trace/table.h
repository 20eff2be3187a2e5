/* Tables in HDF5: rows of numbers with named columns and a status each, as `carom sweep` makes
 * them.
 *
 * In the file: `table` (rows x columns, NaN where there is none), `names` (columns), `status`
 * (rows, numbers into `messages`; 0 is "ok"); where there are columns of words, `labels` (their
 * names) and for each, `law` say, `label_law` (rows, numbers into `words_law`). The same table
 * gives the same bytes. */
#ifndef CAROM_TABLE_H
#define CAROM_TABLE_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_table {
    int columns;
    const char *const *names;  /* columns */
    long rows;                 /* below INT_MAX */
    const double *values;      /* rows x columns, row after row */
    const char *const *status; /* rows: "ok", or why a row has no result */
    int labels;                /* columns of words */
    const char *const *label_names;
    const char *const *label; /* rows x labels */
} carom_table;

/* Write a table. An existing file is refused unless force, and then replaced in one step: it is
 * the old or the new one at every moment. allocator: NULL means the C library's. */
carom_status carom_table_write(const char *path, bool force, const carom_table *table,
                               const carom_allocator *allocator, carom_error *error);

/* Read a table; everything in it lives in the arena. */
carom_status carom_table_read(const char *path, carom_arena *arena, carom_table *table,
                              carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
