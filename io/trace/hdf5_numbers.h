/* Numbers in HDF5 files: whole datasets of one or two dimensions, written without time stamps and
 * read without trust in what the file says of itself. */
#ifndef CAROM_IO_TRACE_HDF5_NUMBERS_H
#define CAROM_IO_TRACE_HDF5_NUMBERS_H

#include "carom/base.h"

#include <hdf5.h>

/* Write a dataset. stored: its type in the file, type: that of the values. */
bool carom_hdf5_numbers_write(hid_t file, const char *path, int rank, const hsize_t *size,
                              hid_t stored, hid_t type, const void *values);

/* Read a dataset of numbers into the arena, as doubles or (type H5T_NATIVE_INT) ints. size: rows
 * and columns, columns 1 for a list. CAROM_ERROR_FILE: there is none, or it is none of numbers, or
 * it claims more than the file can hold. */
carom_status carom_hdf5_numbers_read(hid_t file, const char *path, hid_t type, carom_arena *arena,
                                     hsize_t size[2], void **values);

/* A dataset or attribute may claim any size; what is not in the file is not believed. */
bool carom_hdf5_numbers_fit(hsize_t count, size_t item, hsize_t stored);

#endif
