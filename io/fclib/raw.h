/* A problem as files hold it: sparse entries and vectors, before it becomes a statement. */
#ifndef CAROM_IO_FCLIB_RAW_H
#define CAROM_IO_FCLIB_RAW_H

#include "carom/fclib.h"

/* Entries in any order. */
typedef struct carom_fclib_matrix {
    int rows, columns;
    size_t count;
    int *row, *column; /* count */
    double *value;
} carom_fclib_matrix;

/* Room for `count` entries, none yet; false: no memory. Then one more of them, unless it is zero.
 */
bool carom_fclib_matrix_room(carom_fclib_matrix *A, size_t count, carom_arena *arena);
void carom_fclib_matrix_put(carom_fclib_matrix *A, int row, int column, double value);

typedef struct carom_fclib_raw {
    int dimension, contacts;
    bool global;
    bool dense;           /* the file gives M as a full matrix */
    carom_fclib_matrix M; /* local: W */
    carom_fclib_matrix H; /* global only, dof x (dimension * contacts) */
    const double *f;      /* global only: dof */
    const double *q;      /* dimension * contacts: q, or w */
    const double *mu;     /* contacts */
    const double *r;      /* a stored solution or guess, NULL: none */
    const char *title, *description, *math_info;
} carom_fclib_raw;

/* Read the text format of Siconos. */
carom_status carom_fclib_text_read(const char *text, size_t length, carom_arena *arena,
                                   carom_fclib_raw *raw, carom_error *error);

/* Read FCLIB's HDF5. */
carom_status carom_fclib_hdf5_read(const char *path, carom_arena *arena, carom_fclib_raw *raw,
                                   carom_error *error);

/* Make the statement; everything is checked. */
carom_status carom_fclib_build(const carom_fclib_raw *raw, carom_arena *arena, carom_fclib *file,
                               carom_error *error);

#endif
