/* Traces in HDF5.
 *
 * Every part of a trace is one two-dimensional dataset. It grows by doubling, its new chunks are
 * allocated and filled with NaN at once, and the chunk cache is off, so that between two growths
 * only numbers are written in place. Growth itself, the beginning and the end change the structure:
 * they are made in a copy (path.part) that then takes the place of the file in one step. So a
 * process that is killed at any moment leaves a file whose structure is whole. At the end the
 * datasets are cut to their length. No time stamps: the same rows give the
 * same bytes. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "trace/trace_hdf5.h"

#include "trace/hdf5_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

enum { BATCH = 64, FIRST_EXTENT = 1024 };

/* One dataset and the rows that wait for it. */
typedef struct table {
    hid_t set;
    hsize_t columns, rows, extent;
    hsize_t waiting;
    double *buffer; /* BATCH x columns */
} table;

typedef struct open_file {
    hid_t file;
    const char *path; /* the file itself, links followed */
    char *part;       /* path.part; NULL: the path is no regular file, it is written in place */
    table tables[CAROM_TRACE_PARTS];
} open_file;

static carom_status failed(const carom_trace_writer *w, const char *what, carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_OUTPUT, "%s: cannot %s: %s", w->path, what,
                           errno ? strerror(errno) : "HDF5 refuses");
}

/* The names of the columns of a table. */
static bool write_names(hid_t file, const char *path, int count, const char *const *names,
                        carom_arena *arena)
{
    char full[64];
    snprintf(full, sizeof full, "names/%s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    return carom_hdf5_text_write_list(file, full, count, names, arena);
}

static hid_t create_set(hid_t file, const char *path, hsize_t columns)
{
    hsize_t size[] = {FIRST_EXTENT, columns}, most[] = {H5S_UNLIMITED, columns};
    hsize_t chunk[] = {FIRST_EXTENT, columns};
    while (chunk[0] > 16 && chunk[0] * columns > 1 << 17)
        chunk[0] /= 2;
    const double fill = NAN;
    hid_t space = H5Screate_simple(2, size, most);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(create, 2, chunk);
    H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &fill);
    H5Pset_alloc_time(create, H5D_ALLOC_TIME_EARLY);
    H5Pset_obj_track_times(create, false);
    H5Pset_chunk_cache(access, 0, 0, 1);
    hid_t set = H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, create, access);
    H5Pclose(access);
    H5Pclose(create);
    H5Sclose(space);
    return set;
}

static bool create_tables(carom_trace_writer *w, open_file *f)
{
    for (int k = 0; k < CAROM_TRACE_PARTS; k++) {
        table *t = &f->tables[k];
        t->set = -1;
        t->columns = (hsize_t)w->width[k];
        if (t->columns == 0)
            continue;
        t->buffer = carom_arena_doubles(w->arena, BATCH * (size_t)t->columns);
        if (!t->buffer)
            return false;
        t->set = create_set(f->file, carom_trace_paths[k], t->columns);
        t->extent = FIRST_EXTENT;
        if (t->set < 0)
            return false;
        bool shared = k >= CAROM_TRACE_ROW_PARTS && k != CAROM_TRACE_IMPULSE;
        if (w->names[k] && !shared &&
            !write_names(f->file, carom_trace_paths[k], w->width[k], w->names[k], w->arena))
            return false;
    }
    return true;
}

static bool create_all(carom_trace_writer *w, open_file *f)
{
    hid_t untimed = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(untimed, false);
    const char *groups[] = {"impacts", "names"};
    bool good = true;
    for (int k = 0; k < 2 && good; k++) {
        hid_t group = H5Gcreate2(f->file, groups[k], H5P_DEFAULT, untimed, H5P_DEFAULT);
        good = group >= 0 && H5Gclose(group) >= 0;
    }
    H5Pclose(untimed);
    hid_t root = f->file;
    good = good && carom_hdf5_text_write(root, "format", "carom-trace") &&
           carom_hdf5_text_write(root, "version", "1") &&
           carom_hdf5_text_write(root, "law", w->header.law) &&
           carom_hdf5_text_write(root, "method", w->header.method);
    if (good && w->header.title)
        good = carom_hdf5_text_write(root, "title", w->header.title);
    good = good && create_tables(w, f);
    if (good && w->shapes) {
        const char *text = w->shapes;
        good = write_names(f->file, "shapes", 1, &text, w->arena);
    }
    return good && H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0;
}

/* Where the trace goes, and where its structure is changed. */
static bool choose_paths(carom_trace_writer *w, open_file *f)
{
    struct stat there;
    f->path = w->path;
    if (stat(w->path, &there) == 0) {
        if (!S_ISREG(there.st_mode))
            return true;
        char *real = realpath(w->path, NULL);
        if (!real)
            return false;
        f->path = carom_arena_text(w->arena, real, strlen(real));
        free(real);
        if (!f->path)
            return false;
    }
    size_t room = strlen(f->path) + 8;
    f->part = carom_arena_take(w->arena, room);
    if (f->part)
        snprintf(f->part, room, "%s.part", f->path);
    return f->part != NULL;
}

static bool open_sets(open_file *f, const char *path)
{
    f->file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (f->file < 0)
        return false;
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 0, 0, 1);
    bool good = true;
    for (int k = 0; k < CAROM_TRACE_PARTS; k++) {
        if (f->tables[k].columns == 0)
            continue;
        f->tables[k].set = H5Dopen2(f->file, carom_trace_paths[k], access);
        good = good && f->tables[k].set >= 0;
    }
    H5Pclose(access);
    return good;
}

static bool close_sets(open_file *f)
{
    bool good = true;
    for (int k = 0; k < CAROM_TRACE_PARTS; k++) {
        if (f->tables[k].set >= 0)
            good = H5Dclose(f->tables[k].set) >= 0 && good;
        f->tables[k].set = -1;
    }
    if (f->file >= 0)
        good = H5Fclose(f->file) >= 0 && good;
    f->file = -1;
    return good;
}

static bool copy_file(const char *from, const char *to)
{
    static const size_t size = 1 << 16;
    char buffer[1 << 16];
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
    bool good = out != NULL;
    for (size_t got = size; good && got == size;) {
        got = fread(buffer, 1, size, in);
        good = fwrite(buffer, 1, got, out) == got && !ferror(in);
    }
    if (out)
        good = fclose(out) == 0 && good;
    if (in)
        fclose(in);
    return good;
}

/* Go over to a copy of the file, to change its structure there. */
static bool begin_change(open_file *f)
{
    if (!f->part)
        return true;
    return close_sets(f) && copy_file(f->path, f->part) && open_sets(f, f->part);
}

/* The copy takes the place of the file. */
static bool end_change(open_file *f, bool go_on)
{
    if (!f->part)
        return go_on ? H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0 : close_sets(f);
    return close_sets(f) && rename(f->part, f->path) == 0 && (!go_on || open_sets(f, f->path));
}

static void give_up(open_file *f)
{
    close_sets(f);
    if (f->part)
        remove(f->part);
}

static carom_status refuse(const carom_trace_writer *w, carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%s exists; --force writes over it",
                           w->path);
}

/* Put the file in its place; one that came there meanwhile is not overwritten without force. */
static bool put_in_place(open_file *f, bool force)
{
    if (!f->part)
        return H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0;
    if (!close_sets(f))
        return false;
    if (force || link(f->part, f->path) != 0) {
        if (!force && errno == EEXIST)
            return false;
        if (rename(f->part, f->path) != 0)
            return false;
    } else {
        unlink(f->part);
    }
    return open_sets(f, f->path);
}

static carom_status create(carom_trace_writer *w, bool force, carom_error *error)
{
    open_file *f = carom_arena_zeros(w->arena, 1, sizeof *f);
    if (!f)
        return carom_error_memory(error);
    FILE *existing = force ? NULL : fopen(w->path, "rb");
    if (existing) {
        fclose(existing);
        return refuse(w, error);
    }
    f->file = -1;
    for (int k = 0; k < CAROM_TRACE_PARTS; k++)
        f->tables[k].set = -1;
    bool good = choose_paths(w, f);
    errno = 0;
    H5E_BEGIN_TRY
    {
        hid_t untimed = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_obj_track_times(untimed, false);
        if (good)
            f->file = H5Fcreate(f->part ? f->part : f->path, H5F_ACC_TRUNC, untimed, H5P_DEFAULT);
        H5Pclose(untimed);
        good = f->file >= 0 && create_all(w, f) && put_in_place(f, force);
        if (!good) {
            int why = errno;
            give_up(f);
            errno = why;
        }
    }
    H5E_END_TRY
    w->self = f;
    if (!good && errno == EEXIST && !force)
        return refuse(w, error);
    return good ? CAROM_OK : failed(w, "create the trace", error);
}

/* Make room for the waiting rows in the tables from first to last, which fill up together. */
static bool grow(open_file *f, int first, int last)
{
    bool full = false;
    for (int k = first; k < last; k++)
        full = full || f->tables[k].rows + f->tables[k].waiting > f->tables[k].extent;
    if (!full)
        return true;
    bool good = begin_change(f);
    for (int k = first; k < last && good; k++) {
        table *t = &f->tables[k];
        while (t->columns > 0 && t->rows + t->waiting > t->extent)
            t->extent *= 2;
        hsize_t size[] = {t->extent, t->columns};
        good = t->columns == 0 || H5Dset_extent(t->set, size) >= 0;
    }
    return good && end_change(f, true);
}

/* Append the waiting rows. */
static bool flush_table(table *t)
{
    if (t->columns == 0 || t->waiting == 0)
        return true;
    hsize_t start[] = {t->rows, 0}, count[] = {t->waiting, t->columns};
    hid_t memory = H5Screate_simple(2, count, NULL), space = H5Dget_space(t->set);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    bool good = H5Dwrite(t->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, t->buffer) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    t->rows += t->waiting;
    t->waiting = 0;
    return good;
}

static bool flush(open_file *f, int first, int last)
{
    bool good = grow(f, first, last);
    for (int k = first; k < last && good; k++)
        good = flush_table(&f->tables[k]);
    return good;
}

static carom_status add(carom_trace_writer *w, bool impact, carom_error *error)
{
    open_file *f = w->self;
    int first = impact ? CAROM_TRACE_ROW_PARTS : 0;
    int last = impact ? CAROM_TRACE_PARTS : CAROM_TRACE_ROW_PARTS;
    bool good = true, full = false;
    for (int k = first; k < last; k++) {
        table *t = &f->tables[k];
        if (t->columns == 0)
            continue;
        memcpy(t->buffer + t->waiting * t->columns, w->values[k],
               (size_t)t->columns * sizeof(double));
        full = ++t->waiting == BATCH || full;
    }
    if (full) {
        errno = 0;
        H5E_BEGIN_TRY
        {
            good = flush(f, first, last);
        }
        H5E_END_TRY
    }
    return good ? CAROM_OK : failed(w, "write the trace", error);
}

static carom_status finish(carom_trace_writer *w, carom_error *error)
{
    open_file *f = w->self;
    errno = 0;
    bool good = true;
    H5E_BEGIN_TRY
    {
        good = flush(f, 0, CAROM_TRACE_ROW_PARTS) &&
               flush(f, CAROM_TRACE_ROW_PARTS, CAROM_TRACE_PARTS) && begin_change(f);
        for (int k = 0; k < CAROM_TRACE_PARTS && good; k++) {
            table *t = &f->tables[k];
            hsize_t size[] = {t->rows, t->columns};
            good = t->columns == 0 || H5Dset_extent(t->set, size) >= 0;
        }
        good = good && end_change(f, false);
        if (!good) {
            int why = errno;
            give_up(f);
            errno = why;
        }
    }
    H5E_END_TRY
    return good ? CAROM_OK : failed(w, "complete the trace", error);
}

const carom_trace_file carom_trace_hdf5 = {create, add, finish, carom_trace_hdf5_read};
