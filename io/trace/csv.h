/* Comma-separated values (RFC 4180): cells written so that they read back the same in any locale,
 * and so that a spreadsheet takes no text for a formula; records read with quotes and lines' ends
 * in them.
 */
#ifndef CAROM_IO_TRACE_CSV_H
#define CAROM_IO_TRACE_CSV_H

#include "carom/base.h"

#include <stdio.h>

/* A text: quoted when it holds a comma, a quote or a line's end. One that a spreadsheet would
 * compute
 * (= + - @) or that begins with an apostrophe gets an apostrophe in front. */
void carom_csv_text(FILE *out, const char *text);

/* A number, the shortest that reads back the same; nothing when it is not finite. */
void carom_csv_number(FILE *out, double value);

/* A file being read, record by record. Start with {.in = file, .allocator = ...}, end with
 * carom_csv_end. */
typedef struct carom_csv {
    FILE *in;
    carom_allocator allocator; /* resize NULL: the C library's */
    int line;                  /* where the record begins, from 1 */
    int count;                 /* cells of the record */
    bool whole;                /* it ends with a line's end: what a killed writer left does not */
    bool memory;               /* reading ended for want of memory */
    /* private */
    char *text;
    size_t used, room;
    size_t *starts;
    int start_room, lines;
} carom_csv;

/* The next record; false at the end of the file, or when there is no memory. Blank lines are left
 * out. */
bool carom_csv_next(carom_csv *csv);

/* A cell of the record (from 0), quotes and a protecting apostrophe undone; "" beyond the last. */
const char *carom_csv_cell(const carom_csv *csv, int k);

void carom_csv_end(carom_csv *csv);

#endif
