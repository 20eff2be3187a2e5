/* Traces in HDF5.
 *
 * Every part of a trace is one two-dimensional dataset. It grows by doubling, its new chunks are
 * allocated and filled with NaN at once, and the chunk cache is off, so that between two growths
 * only numbers are written in place: a process that is killed leaves a file whose structure is
 * whole. At the end the datasets are cut to their length. No time stamps: the same rows give the
 * same bytes. */
#include "scene/trace.h"

#include "base/arena.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    table tables[CAROM_TRACE_PARTS];
} open_file;

static carom_status failed(const carom_trace_writer *w, const char *what, carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_OUTPUT, "%s: cannot %s: %s", w->path, what,
                           errno ? strerror(errno) : "HDF5 refuses");
}

/* A text attribute of fixed length. */
static bool write_text(hid_t place, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* The names of the columns, one text separated by line feeds: attributes are limited to 64 KiB as
 * arrays, and long chains have long lists, so they are a dataset of their own beside the table. */
static bool write_names(hid_t file, const char *path, int count, const char *const *names,
                        carom_arena *arena)
{
    char full[64];
    size_t longest = 1;
    for (int k = 0; k < count; k++)
        longest = strlen(names[k]) + 1 > longest ? strlen(names[k]) + 1 : longest;
    carom_mark mark = carom_arena_mark(arena);
    char *all = carom_arena_zeros(arena, (size_t)count, longest);
    if (!all)
        return false;
    for (int k = 0; k < count; k++)
        memcpy(all + (size_t)k * longest, names[k], strlen(names[k]));
    snprintf(full, sizeof full, "names/%s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    hsize_t size = (hsize_t)count;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);
    H5Tset_size(type, longest);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = H5Dcreate2(file, full, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
    carom_arena_rewind(arena, mark);
    return good;
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
    good = good && write_text(root, "format", "carom-trace") && write_text(root, "version", "1") &&
           write_text(root, "law", w->header.law) && write_text(root, "method", w->header.method);
    if (good && w->header.title)
        good = write_text(root, "title", w->header.title);
    good = good && create_tables(w, f);
    if (good && w->shapes) {
        const char *text = w->shapes;
        good = write_names(f->file, "shapes", 1, &text, w->arena);
    }
    return good && H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0;
}

static void close_all(open_file *f)
{
    for (int k = 0; k < CAROM_TRACE_PARTS; k++)
        if (f->tables[k].set >= 0)
            H5Dclose(f->tables[k].set);
    H5Fclose(f->file);
}

static carom_status create(carom_trace_writer *w, bool force, carom_error *error)
{
    open_file *f = carom_arena_zeros(w->arena, 1, sizeof *f);
    if (!f)
        return carom_error_memory(error);
    FILE *existing = force ? NULL : fopen(w->path, "rb");
    if (existing) {
        fclose(existing);
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%s exists; --force writes over it",
                               w->path);
    }
    for (int k = 0; k < CAROM_TRACE_PARTS; k++)
        f->tables[k].set = -1;
    bool good = false;
    errno = 0;
    H5E_BEGIN_TRY
    {
        hid_t untimed = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_obj_track_times(untimed, false);
        f->file = H5Fcreate(w->path, force ? H5F_ACC_TRUNC : H5F_ACC_EXCL, untimed, H5P_DEFAULT);
        H5Pclose(untimed);
        if (f->file >= 0) {
            good = create_all(w, f);
            if (!good)
                close_all(f);
        }
    }
    H5E_END_TRY
    w->self = f;
    return good ? CAROM_OK : failed(w, "create the trace", error);
}

/* Append the waiting rows, growing the dataset when it is full. */
static bool flush_table(open_file *f, table *t)
{
    if (t->set < 0 || t->waiting == 0)
        return true;
    bool grown = false;
    while (t->rows + t->waiting > t->extent) {
        t->extent *= 2;
        grown = true;
    }
    hsize_t size[] = {t->extent, t->columns}, start[] = {t->rows, 0};
    hsize_t count[] = {t->waiting, t->columns};
    if (grown && (H5Dset_extent(t->set, size) < 0 || H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0))
        return false;
    hid_t memory = H5Screate_simple(2, count, NULL), space = H5Dget_space(t->set);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    bool good = H5Dwrite(t->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, t->buffer) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    t->rows += t->waiting;
    t->waiting = 0;
    return good;
}

static carom_status add(carom_trace_writer *w, bool impact, carom_error *error)
{
    open_file *f = w->self;
    int first = impact ? CAROM_TRACE_ROW_PARTS : 0;
    int last = impact ? CAROM_TRACE_PARTS : CAROM_TRACE_ROW_PARTS;
    bool good = true;
    for (int k = first; k < last && good; k++) {
        table *t = &f->tables[k];
        if (t->set < 0)
            continue;
        memcpy(t->buffer + t->waiting * t->columns, w->values[k],
               (size_t)t->columns * sizeof(double));
        if (++t->waiting == BATCH) {
            errno = 0;
            H5E_BEGIN_TRY
            {
                good = flush_table(f, t);
            }
            H5E_END_TRY
        }
    }
    return good ? CAROM_OK : failed(w, "write the trace", error);
}

static carom_status finish(carom_trace_writer *w, carom_error *error)
{
    open_file *f = w->self;
    bool good = true;
    errno = 0;
    H5E_BEGIN_TRY
    {
        for (int k = 0; k < CAROM_TRACE_PARTS; k++) {
            table *t = &f->tables[k];
            hsize_t size[] = {t->rows + t->waiting, t->columns};
            good = good && flush_table(f, t);
            if (t->set >= 0)
                good = good && H5Dset_extent(t->set, size) >= 0;
        }
        for (int k = 0; k < CAROM_TRACE_PARTS; k++)
            if (f->tables[k].set >= 0)
                good = (H5Dclose(f->tables[k].set) >= 0) && good;
        good = (H5Fclose(f->file) >= 0) && good;
    }
    H5E_END_TRY
    return good ? CAROM_OK : failed(w, "complete the trace", error);
}

/* Reading. */

static const char *read_text(hid_t file, const char *name, carom_arena *arena)
{
    if (H5Aexists(file, name) <= 0)
        return NULL;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    size_t size = H5Tget_size(type);
    char *text = carom_arena_zeros(arena, size + 1, 1);
    if (text && H5Aread(attribute, type, text) < 0)
        text = NULL;
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

static const char *const *read_names(hid_t file, const char *path, int columns, carom_arena *arena)
{
    char full[64];
    snprintf(full, sizeof full, "names/%s", path);
    if (H5Lexists(file, full, H5P_DEFAULT) <= 0)
        return NULL;
    hid_t set = H5Dopen2(file, full, H5P_DEFAULT), type = H5Dget_type(set),
          space = H5Dget_space(set);
    size_t size = H5Tget_size(type);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    const char **names = carom_arena_array(arena, (size_t)columns, sizeof *names);
    char *all = count == columns && size < 1 << 24
                    ? carom_arena_zeros(arena, (size_t)columns, size + 1)
                    : NULL;
    bool good = names && all && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    for (int k = columns - 1; good && k >= 0; k--) { /* spread out, each with its end */
        memmove(all + (size_t)k * (size + 1), all + (size_t)k * size, size);
        all[(size_t)k * (size + 1) + size] = '\0';
        names[k] = all + (size_t)k * (size + 1);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return good ? names : NULL;
}

/* A dataset of the file; *rows is set by the first one and must fit after that. */
static bool read_set(hid_t file, carom_trace_part part, carom_trace *trace, hsize_t *rows)
{
    const char *path = carom_trace_paths[part];
    carom_trace_table plain = {0}, *t = carom_trace_find_table(trace, part);
    t = t ? t : &plain;
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0)
        return part != CAROM_TRACE_T; /* parts without columns are not in the file */
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t size[2] = {0, 0};
    bool good = H5Sget_simple_extent_ndims(space) == 2 &&
                H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[1] < 1 << 24;
    if (good) {
        bool lead = part == CAROM_TRACE_T || part == CAROM_TRACE_IMPACT_T;
        if (lead)
            *rows = size[0];
        t->columns = (int)size[1];
        t->values = carom_arena_array(trace->arena, (size_t)(size[0] * size[1]), sizeof(double));
        good = t->values && size[0] >= (*rows < size[0] ? *rows : size[0]) &&
               H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->values) >= 0;
        if (*rows > size[0])
            *rows = size[0];
        const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        if (part == CAROM_TRACE_IMPACT_BEFORE || part == CAROM_TRACE_IMPACT_AFTER)
            name = "velocity";
        t->names = read_names(file, name, t->columns, trace->arena);
    }
    if (part == CAROM_TRACE_T)
        trace->t = t->values;
    if (part == CAROM_TRACE_IMPACT_T)
        trace->impact_t = t->values;
    if (part == CAROM_TRACE_IMPACT_ENERGY)
        trace->impact_energy = t->values;
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

/* A run that was killed leaves rows of NaN at the end. */
static long count_written(const double *t, hsize_t rows)
{
    while (rows > 0 && isnan(t[rows - 1]))
        rows--;
    return (long)rows;
}

static bool read_all(hid_t file, carom_trace *trace)
{
    const char *format = read_text(file, "format", trace->arena);
    if (!format || strcmp(format, "carom-trace") != 0)
        return false;
    trace->title = read_text(file, "title", trace->arena);
    trace->law = read_text(file, "law", trace->arena);
    trace->method = read_text(file, "method", trace->arena);
    hsize_t rows = 0, impacts = 0;
    for (int k = 0; k < CAROM_TRACE_PARTS; k++)
        if (!read_set(file, (carom_trace_part)k, trace,
                      k < CAROM_TRACE_ROW_PARTS ? &rows : &impacts))
            return false;
    trace->rows = count_written(trace->t, rows);
    trace->impacts = trace->impact_t ? count_written(trace->impact_t, impacts) : 0;
    const char *const *shapes = read_names(file, "shapes", 1, trace->arena);
    trace->shapes = shapes ? shapes[0] : NULL;
    return true;
}

static carom_status read(const char *path, carom_trace *trace, carom_error *error)
{
    bool good = false;
    hid_t file;
    FILE *there = fopen(path, "rb");
    if (!there)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s: %s", path, strerror(errno));
    fclose(there);
    H5E_BEGIN_TRY
    {
        file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        if (file >= 0) {
            good = read_all(file, trace);
            H5Fclose(file);
        }
    }
    H5E_END_TRY
    if (file < 0)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s is not an HDF5 file", path);
    if (!good)
        return carom_error_set(error, CAROM_ERROR_FILE, "%s is not a trace written by carom run",
                               path);
    return CAROM_OK;
}

const carom_trace_file carom_trace_hdf5 = {create, add, finish, read};
