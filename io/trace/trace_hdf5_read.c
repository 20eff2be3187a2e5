/* Reading traces in HDF5. */
#include "trace/trace_hdf5.h"

#include "trace/hdf5_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

static const char *const *read_names(hid_t file, const char *path, int columns, carom_arena *arena)
{
    char full[64];
    int count = 0;
    snprintf(full, sizeof full, "names/%s", path);
    const char *const *names = carom_hdf5_text_read_list(file, full, &count, arena);
    return count == columns ? names : NULL;
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
    const char *format = carom_hdf5_text_read(file, "format", trace->arena);
    if (!format || strcmp(format, "carom-trace") != 0)
        return false;
    trace->title = carom_hdf5_text_read(file, "title", trace->arena);
    trace->law = carom_hdf5_text_read(file, "law", trace->arena);
    trace->method = carom_hdf5_text_read(file, "method", trace->arena);
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

carom_status carom_trace_hdf5_read(const char *path, carom_trace *trace, carom_error *error)
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
