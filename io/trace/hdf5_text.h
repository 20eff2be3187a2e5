/* Texts in HDF5 files: attributes and lists, all of fixed length, no time stamps. */
#ifndef CAROM_SRC_SCENE_HDF5_TEXT_H
#define CAROM_SRC_SCENE_HDF5_TEXT_H

#include "carom/base.h"

#include <hdf5.h>

/* A text attribute. Reading gives NULL when there is none, and fails for want of memory only. */
bool carom_hdf5_text_write(hid_t place, const char *name, const char *text);
carom_status carom_hdf5_text_read(hid_t place, const char *name, carom_arena *arena,
                                  const char **text);

/* A list of texts: attributes are limited to 64 KiB as arrays, and long chains have long lists, so
 * it is a dataset of its own. Reading gives NULL and 0 when there is none. */
bool carom_hdf5_text_write_list(hid_t file, const char *path, int count, const char *const *texts,
                                carom_arena *arena);
carom_status carom_hdf5_text_read_list(hid_t file, const char *path, carom_arena *arena, int *count,
                                       const char *const **texts);

#endif
