/* HDF5 files as a whole: created without time stamps, read without trust, failures told. */
#ifndef CAROM_IO_FILE_HDF5_FILE_H
#define CAROM_IO_FILE_HDF5_FILE_H

#include "carom/base.h"

#include <hdf5.h>

/* A new file in the place of an empty one; -1: errno, if not zero, says why. */
hid_t carom_hdf5_file_create(const char *path);

/* Open a file and let `read` take what it wants. Its CAROM_ERROR_FILE becomes "PATH is not WHAT".
 */
carom_status carom_hdf5_file_read(const char *path, const char *what,
                                  carom_status (*read)(hid_t file, void *self), void *self,
                                  carom_error *error);

/* A dataset of this very file, -1: there is none. */
hid_t carom_hdf5_file_set(hid_t file, const char *path);

/* "PATH: cannot WHAT: reason", by errno where it says something. */
carom_status carom_hdf5_file_error(carom_error *error, const char *path, const char *what);

#endif
