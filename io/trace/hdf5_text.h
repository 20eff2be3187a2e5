/* Texts in HDF5 files: attributes and lists, all of fixed length, no time stamps. */
#ifndef CAROM_SRC_SCENE_HDF5_TEXT_H
#define CAROM_SRC_SCENE_HDF5_TEXT_H

#include "carom/base.h"

#include <hdf5.h>

/* A text attribute. */
bool carom_hdf5_text_write(hid_t place, const char *name, const char *text);
const char *carom_hdf5_text_read(hid_t place, const char *name, carom_arena *arena);

/* A list of texts: attributes are limited to 64 KiB as arrays, and long chains have long lists, so
 * it is a dataset of its own. Reading gives NULL when there is none. */
bool carom_hdf5_text_write_list(hid_t file, const char *path, int count, const char *const *texts,
                                carom_arena *arena);
const char *const *carom_hdf5_text_read_list(hid_t file, const char *path, int *count,
                                             carom_arena *arena);

#endif
