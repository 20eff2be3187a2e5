/* A table of numbers with a status per row, in HDF5: what `carom sweep` writes. */
#include "trace/table.h"

#include "file/hdf5_file.h"
#include "file/output.h"
#include "scene/name_set.h"
#include "trace/hdf5_numbers.h"
#include "trace/hdf5_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
           carom_hdf5_numbers_write(file, "table", 2, size, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                    t->values) &&
           carom_hdf5_numbers_write(file, "status", 1, size, H5T_STD_I32LE, H5T_NATIVE_INT,
                                    codes) &&
           carom_hdf5_text_write_list(file, "names", t->columns, t->names, arena) &&
           carom_hdf5_text_write_list(file, "messages", count, texts, arena);
}

/* The file aside, complete; false: errno, if not zero, says why. */
static bool write_file(const char *path, const carom_table *table, carom_arena *arena)
{
    bool good = false;
    H5E_BEGIN_TRY
    {
        hid_t file = carom_hdf5_file_create(path);
        good = file >= 0 && write_all(file, table, arena);
        if (file >= 0)
            good = H5Fclose(file) >= 0 && good;
    }
    H5E_END_TRY
    return good;
}

static carom_status write_aside(const char *path, bool force, const carom_table *table,
                                carom_arena *arena, carom_error *error)
{
    char real[CAROM_OUTPUT_PATH], aside[CAROM_OUTPUT_PATH];
    carom_status status = carom_output_examine(path, force, error);
    if (!status && carom_output_is_special(path))
        status = carom_error_set(error, CAROM_ERROR_OUTPUT,
                                 "%s: cannot write the table: not a regular file", path);
    if (status)
        return status;
    carom_output_follow(path, real);
    status = carom_output_reserve(real, aside, error);
    if (status)
        return status;
    if (!write_file(aside, table, arena))
        status = carom_hdf5_file_error(error, path, "write the table");
    else
        status = carom_output_place(aside, real, force, error);
    if (status)
        unlink(aside);
    return status;
}

carom_status carom_table_write(const char *path, bool force, const carom_table *table,
                               const carom_allocator *allocator, carom_error *error)
{
    carom_arena *arena;
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    status = write_aside(path, force, table, arena, error);
    carom_arena_destroy(arena);
    return status;
}

/* The status of every row, by its number in the list of texts. */
static carom_status read_statuses(hid_t file, long rows, carom_arena *arena,
                                  const char *const **statuses)
{
    hsize_t size[2];
    void *codes;
    int count;
    const char *const *texts;
    carom_status status =
        carom_hdf5_numbers_read(file, "status", H5T_NATIVE_INT, arena, size, &codes);
    if (!status)
        status = carom_hdf5_text_read_list(file, "messages", arena, &count, &texts);
    if (!status && (size[0] != (hsize_t)rows || size[1] != 1))
        status = CAROM_ERROR_FILE;
    if (status)
        return status;
    const char **list = carom_arena_array(arena, (size_t)rows, sizeof *list);
    if (!list)
        return CAROM_ERROR_MEMORY;
    for (long k = 0; k < rows; k++) {
        int code = ((int *)codes)[k];
        if (code < 0 || code >= count)
            return CAROM_ERROR_FILE;
        list[k] = texts[code];
    }
    *statuses = list;
    return CAROM_OK;
}

/* What is read, and where it lives. */
typedef struct reading {
    carom_table *table;
    carom_arena *arena;
} reading;

static carom_status read_all(hid_t file, void *self)
{
    carom_table *t = ((reading *)self)->table;
    carom_arena *arena = ((reading *)self)->arena;
    const char *format;
    hsize_t size[2];
    void *values;
    carom_status status = carom_hdf5_text_read(file, "format", arena, &format);
    if (!status && (!format || strcmp(format, "carom-table") != 0))
        status = CAROM_ERROR_FILE;
    if (!status)
        status = carom_hdf5_numbers_read(file, "table", H5T_NATIVE_DOUBLE, arena, size, &values);
    if (!status)
        status = carom_hdf5_text_read_list(file, "names", arena, &t->columns, &t->names);
    if (!status && (hsize_t)t->columns != size[1])
        status = CAROM_ERROR_FILE;
    if (status)
        return status;
    t->rows = (long)size[0];
    t->values = values;
    return read_statuses(file, t->rows, arena, &t->status);
}

carom_status carom_table_read(const char *path, carom_arena *arena, carom_table *table,
                              carom_error *error)
{
    carom_table made = {0};
    reading self = {&made, arena};
    carom_status status =
        carom_hdf5_file_read(path, "a table written by carom sweep", read_all, &self, error);
    if (!status)
        *table = made;
    return status;
}
