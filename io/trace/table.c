/* A table of numbers with a status per row, in HDF5: what `carom sweep` writes. */
#include "trace/table.h"

#include "scene/name_set.h"
#include "trace/hdf5_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list of numbers of any shape. */
static bool write_numbers(hid_t file, const char *name, int rank, const hsize_t *size, hid_t stored,
                          hid_t type, const void *values)
{
    hid_t space = H5Screate_simple(rank, size, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);
    hid_t set = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool good = set >= 0;
    if (good && size[0] > 0)
        good = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    return good;
}

/* Statuses as numbers into a list of different texts; the first is "ok". -1: no memory. */
static int number_statuses(const carom_table *t, carom_arena *arena, int *codes, const char **texts)
{
    carom_name_set seen;
    if (carom_name_set_create(arena, (int)t->rows + 1, &seen, NULL))
        return -1;
    int count = 1;
    texts[0] = "ok";
    carom_name_set_add(&seen, "ok", 0);
    for (long k = 0; k < t->rows; k++) {
        codes[k] = carom_name_set_find(&seen, t->status[k]);
        if (codes[k] >= 0)
            continue;
        carom_name_set_add(&seen, t->status[k], count);
        codes[k] = count;
        texts[count++] = t->status[k];
    }
    return count;
}

static bool write_all(hid_t file, const carom_table *t, carom_arena *arena)
{
    int *codes = carom_arena_array(arena, (size_t)t->rows + 1, sizeof *codes);
    const char **texts = carom_arena_array(arena, (size_t)t->rows + 1, sizeof *texts);
    if (!codes || !texts)
        return false;
    int count = number_statuses(t, arena, codes, texts);
    if (count < 0)
        return false;
    hsize_t size[] = {(hsize_t)t->rows, (hsize_t)t->columns};
    return carom_hdf5_text_write(file, "format", "carom-table") &&
           carom_hdf5_text_write(file, "version", "1") &&
           write_numbers(file, "table", 2, size, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, t->values) &&
           write_numbers(file, "status", 1, size, H5T_STD_I32LE, H5T_NATIVE_INT, codes) &&
           carom_hdf5_text_write_list(file, "names", t->columns, t->names, arena) &&
           carom_hdf5_text_write_list(file, "messages", count, texts, arena);
}

carom_status carom_table_write(const char *path, bool force, const carom_table *table,
                               const carom_allocator *allocator, carom_error *error)
{
    carom_arena *arena;
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    size_t room = strlen(path) + 8;
    char *part = carom_arena_take(arena, room);
    FILE *existing = force ? NULL : fopen(path, "rb");
    if (existing) {
        fclose(existing);
        status = carom_error_set(error, CAROM_ERROR_ARGUMENT, "%s exists", path);
    } else if (!part) {
        status = carom_error_memory(error);
    } else {
        snprintf(part, room, "%s.part", path);
        bool good = false;
        errno = 0;
        H5E_BEGIN_TRY
        {
            hid_t untimed = H5Pcreate(H5P_FILE_CREATE);
            H5Pset_obj_track_times(untimed, false);
            hid_t file = H5Fcreate(part, H5F_ACC_TRUNC, untimed, H5P_DEFAULT);
            H5Pclose(untimed);
            good = file >= 0 && write_all(file, table, arena);
            if (file >= 0)
                good = H5Fclose(file) >= 0 && good;
        }
        H5E_END_TRY
        good = good && rename(part, path) == 0;
        if (!good) {
            int why = errno;
            remove(part);
            status = carom_error_set(error, CAROM_ERROR_OUTPUT, "%s: cannot write the table: %s",
                                     path, why ? strerror(why) : "HDF5 refuses");
        }
    }
    carom_arena_destroy(arena);
    return status;
}

static bool read_numbers(hid_t file, const char *name, hid_t type, hsize_t *size, size_t item,
                         carom_arena *arena, void **values)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return false;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    int rank = H5Sget_simple_extent_ndims(space);
    bool good = rank >= 1 && rank <= 2 && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    size_t count = good ? (size_t)size[0] * (size_t)(rank == 2 ? size[1] : 1) : 0;
    *values = good ? carom_arena_array(arena, count + 1, item) : NULL;
    good =
        *values && (count == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

static bool read_all(hid_t file, carom_table *t, carom_arena *arena)
{
    const char *format = carom_hdf5_text_read(file, "format", arena);
    hsize_t size[2] = {0, 0}, rows[2] = {0, 0};
    void *values, *codes;
    if (!format || strcmp(format, "carom-table") != 0 ||
        !read_numbers(file, "table", H5T_NATIVE_DOUBLE, size, sizeof(double), arena, &values) ||
        !read_numbers(file, "status", H5T_NATIVE_INT, rows, sizeof(int), arena, &codes) ||
        rows[0] != size[0] || size[1] > 1 << 24)
        return false;
    int count = 0;
    const char *const *texts = carom_hdf5_text_read_list(file, "messages", &count, arena);
    const char **status = carom_arena_array(arena, (size_t)size[0] + 1, sizeof *status);
    t->names = carom_hdf5_text_read_list(file, "names", &t->columns, arena);
    if (!texts || !status || !t->names || t->columns != (int)size[1])
        return false;
    t->rows = (long)size[0];
    t->values = values;
    for (long k = 0; k < t->rows; k++) {
        int code = ((int *)codes)[k];
        if (code < 0 || code >= count)
            return false;
        status[k] = texts[code];
    }
    t->status = status;
    return true;
}

carom_status carom_table_read(const char *path, carom_arena *arena, carom_table *table,
                              carom_error *error)
{
    carom_table made = {0};
    bool good = false;
    FILE *there = fopen(path, "rb");
    if (!there)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s: %s", path, strerror(errno));
    fclose(there);
    H5E_BEGIN_TRY
    {
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        if (file >= 0) {
            good = read_all(file, &made, arena);
            H5Fclose(file);
        }
    }
    H5E_END_TRY
    if (!good)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s is not a table written by carom sweep",
                               path);
    *table = made;
    return CAROM_OK;
}
