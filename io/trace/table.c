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

/* Words of a column, `stride` apart, as numbers into a list of different texts that begins with
 * those that it holds already; the length of the list, -1: no memory. */
static int number_words(long rows, const char *const *words, int stride, int known,
                        carom_arena *arena, int *codes, const char **texts)
{
    carom_name_set seen;
    if (carom_name_set_create(arena, (int)rows + known, &seen, NULL))
        return -1;
    int count = 0;
    for (; count < known; count++)
        carom_name_set_add(&seen, texts[count], count);
    for (long k = 0; k < rows; k++) {
        const char *word = words[k * stride];
        codes[k] = carom_name_set_find(&seen, word);
        if (codes[k] >= 0)
            continue;
        carom_name_set_add(&seen, word, count);
        codes[k] = count;
        texts[count++] = word;
    }
    return count;
}

/* A column of words under two names: numbers, and the list they point into. `first`, unless NULL,
 * has the number 0. */
static bool write_words(hid_t file, const char *numbers, const char *list, const carom_table *t,
                        const char *const *words, int stride, const char *first, carom_arena *arena)
{
    const hsize_t size[] = {(hsize_t)t->rows};
    int *codes = carom_arena_array(arena, (size_t)t->rows + 1, sizeof *codes);
    const char **texts = carom_arena_array(arena, (size_t)t->rows + 1, sizeof *texts);
    if (!codes || !texts)
        return false;
    texts[0] = first;
    int count = number_words(t->rows, words, stride, first ? 1 : 0, arena, codes, texts);
    return count >= 0 &&
           carom_hdf5_numbers_write(file, numbers, 1, size, H5T_STD_I32LE, H5T_NATIVE_INT, codes) &&
           carom_hdf5_text_write_list(file, list, count, texts, arena);
}

/* Names of the two datasets of a column of words. */
static void name_label(const char *name, char numbers[128], char list[128])
{
    snprintf(numbers, 128, "label_%.100s", name);
    snprintf(list, 128, "words_%.100s", name);
}

static bool write_all(hid_t file, const carom_table *t, carom_arena *arena)
{
    hsize_t size[] = {(hsize_t)t->rows, (hsize_t)t->columns};
    bool good = carom_hdf5_text_write(file, "format", "carom-table") &&
                carom_hdf5_text_write(file, "version", "1") &&
                carom_hdf5_numbers_write(file, "table", 2, size, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                         t->values) &&
                write_words(file, "status", "messages", t, t->status, 1, "ok", arena) &&
                carom_hdf5_text_write_list(file, "names", t->columns, t->names, arena);
    if (good && t->labels > 0)
        good = carom_hdf5_text_write_list(file, "labels", t->labels, t->label_names, arena);
    for (int k = 0; k < t->labels && good; k++) {
        char numbers[128], list[128];
        name_label(t->label_names[k], numbers, list);
        good = write_words(file, numbers, list, t, t->label + k, t->labels, NULL, arena);
    }
    return good;
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

/* A column of words, by their numbers in the list of texts, `stride` apart in words. */
static carom_status read_words(hid_t file, const char *numbers, const char *list, long rows,
                               carom_arena *arena, const char **words, int stride)
{
    hsize_t size[2];
    void *codes;
    int count;
    const char *const *texts;
    carom_status status =
        carom_hdf5_numbers_read(file, numbers, H5T_NATIVE_INT, arena, size, &codes);
    if (!status)
        status = carom_hdf5_text_read_list(file, list, arena, &count, &texts);
    if (!status && (size[0] != (hsize_t)rows || size[1] != 1))
        status = CAROM_ERROR_FILE;
    for (long k = 0; k < rows && !status; k++) {
        int code = ((int *)codes)[k];
        if (code < 0 || code >= count)
            return CAROM_ERROR_FILE;
        words[k * stride] = texts[code];
    }
    return status;
}

static carom_status read_labels(hid_t file, carom_table *t, carom_arena *arena)
{
    if (H5Lexists(file, "labels", H5P_DEFAULT) <= 0)
        return CAROM_OK;
    carom_status status =
        carom_hdf5_text_read_list(file, "labels", arena, &t->labels, &t->label_names);
    if (status)
        return status;
    const char **words =
        carom_arena_array(arena, (size_t)t->rows * (size_t)t->labels + 1, sizeof *words);
    if (!words)
        return CAROM_ERROR_MEMORY;
    for (int k = 0; k < t->labels && !status; k++) {
        char numbers[128], list[128];
        name_label(t->label_names[k], numbers, list);
        status = read_words(file, numbers, list, t->rows, arena, words + k, t->labels);
    }
    t->label = words;
    return status;
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
    const char **words = carom_arena_array(arena, (size_t)t->rows + 1, sizeof *words);
    if (!words)
        return CAROM_ERROR_MEMORY;
    t->status = words;
    status = read_words(file, "status", "messages", t->rows, arena, words, 1);
    return status ? status : read_labels(file, t, arena);
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
