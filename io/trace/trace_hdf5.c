/* Traces in HDF5.
 *
 * Every part of a trace is one two-dimensional dataset. It grows by doubling, its new chunks are
 * allocated and filled with NaN at once, and the chunk cache is off, so that between two growths
 * only numbers are written in place. Growth itself, the beginning and the end change the structure:
 * they are made in a copy beside the file that then takes its place in one step. So a process that
 * is killed at any moment leaves a file whose structure is whole. At the end the datasets are cut
 * to their length. No time stamps: the same rows give the same bytes. */
#include "trace/trace_hdf5.h"

#include "carom/text.h"
#include "file/hdf5_file.h"
#include "file/output.h"
#include "trace/hdf5_numbers.h"
#include "trace/hdf5_text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

enum { BATCH = 64, FIRST_EXTENT = 1024, FEW = BATCH };

/* One dataset and the rows that wait for it. */
typedef struct table {
    hid_t set;
    hsize_t columns, rows, extent;
    hsize_t waiting;
    double *buffer; /* BATCH x columns */
} table;

typedef struct open_file {
    hid_t file;
    char path[CAROM_OUTPUT_PATH];  /* the file itself, links followed */
    int own;                       /* descriptor of the file in its place, -1: none yet */
    char aside[CAROM_OUTPUT_PATH]; /* the copy whose structure is changed; "": none */
    table tables[CAROM_TRACE_PARTS];
} open_file;

/* The names of the columns of a table. */
static bool write_names(hid_t file, const char *path, int count, const char *const *names,
                        carom_arena *arena)
{
    char full[64];
    snprintf(full, sizeof full, "names/%s", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    return carom_hdf5_text_write_list(file, full, count, names, arena);
}

static hid_t create_set(hid_t file, const char *path, hsize_t rows, hsize_t columns)
{
    hsize_t size[] = {rows, columns}, most[] = {H5S_UNLIMITED, columns}, chunk[] = {rows, columns};
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
        t->extent = k < CAROM_TRACE_INSTANT_T ? FIRST_EXTENT : FEW;
        t->set = create_set(f->file, carom_trace_paths[k], t->extent, t->columns);
        if (t->set < 0)
            return false;
        bool shared =
            k >= CAROM_TRACE_ROW_PARTS && k < CAROM_TRACE_ACCUMULATION && k != CAROM_TRACE_IMPULSE;
        if (w->names[k] && !shared &&
            !write_names(f->file, carom_trace_paths[k], w->width[k], w->names[k], w->arena))
            return false;
    }
    return true;
}

/* What was computed: the scene's text, its parameters, the overrides. */
static bool write_source(carom_trace_writer *w, hid_t file)
{
    if (!w->header.scene)
        return true;
    const carom_scene_content *content = carom_scene_get(w->header.scene);
    hsize_t count = (hsize_t)content->parameter_count;
    const char **names = carom_arena_array(w->arena, (size_t)count, sizeof *names);
    double *values = carom_arena_doubles(w->arena, (size_t)count);
    if (!names || !values)
        return false;
    for (hsize_t k = 0; k < count; k++) {
        names[k] = content->parameters[k].name;
        values[k] = content->parameters[k].value;
    }
    return carom_hdf5_text_write_list(file, "scene/text", 1, &content->text, w->arena) &&
           carom_hdf5_text_write_list(file, "scene/set", content->set_count, content->sets,
                                      w->arena) &&
           carom_hdf5_text_write_list(file, "scene/parameters", (int)count, names, w->arena) &&
           carom_hdf5_numbers_write(file, "scene/values", 1, &count, H5T_IEEE_F64LE,
                                    H5T_NATIVE_DOUBLE, values);
}

static bool create_all(carom_trace_writer *w, open_file *f)
{
    hid_t untimed = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(untimed, false);
    const char *groups[] = {"impacts", "names", "scene", "instants"};
    bool good = true;
    for (int k = 0; k < 4 && good; k++) {
        hid_t group = H5Gcreate2(f->file, groups[k], H5P_DEFAULT, untimed, H5P_DEFAULT);
        good = group >= 0 && H5Gclose(group) >= 0;
    }
    H5Pclose(untimed);
    hid_t root = f->file;
    good = good && carom_hdf5_text_write(root, "format", "carom-trace") &&
           carom_hdf5_text_write(root, "version", "2") &&
           carom_hdf5_text_write(root, "program", "carom " CAROM_VERSION) &&
           carom_hdf5_text_write(root, "law", w->header.law) &&
           carom_hdf5_text_write(root, "method", w->header.method);
    if (good && w->header.title)
        good = carom_hdf5_text_write(root, "title", w->header.title);
    double period = w->header.scene ? carom_scene_get(w->header.scene)->period : 0;
    if (good && period > 0) {
        char number[CAROM_NUMBER_SIZE];
        carom_number_print(period, number);
        good = carom_hdf5_text_write(root, "period", number);
    }
    good = good && write_source(w, root) && create_tables(w, f);
    if (good && w->shapes) {
        const char *text = w->shapes;
        good = write_names(f->file, "shapes", 1, &text, w->arena);
    }
    if (good && w->shape->event_count)
        good = write_names(f->file, "events", w->shape->event_count, w->events, w->arena);
    if (good && w->contacts) {
        const char *text = w->contacts;
        good = write_names(f->file, "contacts", 1, &text, w->arena);
    }
    if (good && w->bodies) {
        const char *text = w->bodies;
        good = write_names(f->file, "bodies", 1, &text, w->arena);
    }
    return good && H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0;
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

static void let_go(open_file *f)
{
    if (f->own >= 0)
        close(f->own);
    f->own = -1;
}

/* Hold on to the copy, which is about to take its place. */
static bool hold(open_file *f)
{
    let_go(f);
    f->own = open(f->aside, O_RDONLY | O_CLOEXEC);
    return f->own >= 0;
}

static bool copy_own(const open_file *f)
{
    char buffer[1 << 16];
    FILE *out = fopen(f->aside, "r+b");
    bool good = out != NULL;
    off_t at = 0;
    for (ssize_t got = 1; good && got > 0; at += got) {
        got = pread(f->own, buffer, sizeof buffer, at);
        good = got >= 0 && fwrite(buffer, 1, (size_t)got, out) == (size_t)got;
    }
    return out && fclose(out) == 0 && good;
}

static bool open_copy(open_file *f)
{
    return carom_output_reserve(f->path, f->aside, NULL) == CAROM_OK && copy_own(f) &&
           open_sets(f, f->aside);
}

/* Open the file in its place again, by what is held of it: another run may have put its own there,
 * which is not to be opened for writing by this one. Where the system does not know files by their
 * descriptors this run goes on in a copy, and takes its place later. */
static bool open_place(open_file *f)
{
    char known[CAROM_OUTPUT_NAME];
    carom_output_name(f->own, known);
    if (open_sets(f, known))
        return true;
    close_sets(f);
    return open_copy(f);
}

/* Go over to a copy of the file, to change its structure there. */
static bool begin_change(open_file *f)
{
    return f->aside[0] || (close_sets(f) && open_copy(f));
}

/* The copy takes the place of the file. */
static bool end_change(open_file *f, bool go_on)
{
    if (!close_sets(f) || !hold(f) || carom_output_place(f->aside, f->path, true, NULL) != CAROM_OK)
        return false;
    f->aside[0] = '\0';
    return !go_on || open_place(f);
}

static void give_up(open_file *f)
{
    int why = errno;
    close_sets(f);
    if (f->aside[0])
        unlink(f->aside);
    let_go(f);
    errno = why;
}

/* The file with everything but rows; it is in its place afterwards. */
static carom_status create_file(carom_trace_writer *w, open_file *f, bool force, carom_error *error)
{
    carom_status status = carom_output_reserve(f->path, f->aside, error);
    if (status)
        return status;
    f->file = carom_hdf5_file_create(f->aside);
    if (f->file < 0 || !create_all(w, f) || !close_sets(f)) {
        give_up(f);
        return carom_hdf5_file_error(error, w->path, "create the trace");
    }
    /* one that came there meanwhile is not lost without force */
    status = hold(f) ? carom_output_place(f->aside, f->path, force, error)
                     : carom_hdf5_file_error(error, w->path, "create the trace");
    if (status) {
        give_up(f);
        return status;
    }
    f->aside[0] = '\0';
    return open_place(f) ? CAROM_OK : carom_hdf5_file_error(error, w->path, "create the trace");
}

static carom_status create(carom_trace_writer *w, bool force, carom_error *error)
{
    open_file *f = carom_arena_zeros(w->arena, 1, sizeof *f);
    if (!f)
        return carom_error_memory(error);
    carom_status status = carom_output_examine(w->path, force, error);
    if (!status && carom_output_is_special(w->path))
        status = carom_error_set(error, CAROM_ERROR_OUTPUT,
                                 "%s: cannot create the trace: not a regular file", w->path);
    if (status)
        return status;
    carom_output_follow(w->path, f->path);
    f->file = f->own = -1;
    for (int k = 0; k < CAROM_TRACE_PARTS; k++)
        f->tables[k].set = -1;
    H5E_BEGIN_TRY
    {
        status = create_file(w, f, force, error);
    }
    H5E_END_TRY
    w->self = f;
    return status;
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

static carom_status add(carom_trace_writer *w, carom_trace_kind kind, carom_error *error)
{
    open_file *f = w->self;
    int first = (int)carom_trace_spans[kind].first, last = (int)carom_trace_spans[kind].end;
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
    return good ? CAROM_OK : carom_hdf5_file_error(error, w->path, "write the trace");
}

/* Cut every table to its length, and say how the run ended. */
static bool complete(open_file *f, const carom_flow_result *result)
{
    bool good = true;
    for (int k = 0; k < CAROM_TRACE_PARTS && good; k++) {
        table *t = &f->tables[k];
        hsize_t size[] = {t->rows, t->columns};
        good = t->columns == 0 || H5Dset_extent(t->set, size) >= 0;
    }
    if (result)
        good = good && carom_hdf5_text_write(f->file, "end", carom_flow_end_text(result->end)) &&
               carom_hdf5_text_write(f->file, "message", result->message);
    return good;
}

static carom_status finish(carom_trace_writer *w, const carom_flow_result *result,
                           carom_error *error)
{
    open_file *f = w->self;
    bool good = true;
    errno = 0;
    H5E_BEGIN_TRY
    {
        for (int k = 0; k < CAROM_TRACE_KINDS && good; k++)
            good = flush(f, (int)carom_trace_spans[k].first, (int)carom_trace_spans[k].end);
        good = good && begin_change(f) && complete(f, result) && end_change(f, false);
        if (!good)
            give_up(f);
        let_go(f);
    }
    H5E_END_TRY
    return good ? CAROM_OK : carom_hdf5_file_error(error, w->path, "complete the trace");
}

const carom_trace_file carom_trace_hdf5 = {create, add, finish, carom_trace_hdf5_read};
