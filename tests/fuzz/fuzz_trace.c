/* Fuzzing of the readers of traces: files that carom did not write. An input that begins with H is
 * a recipe for an HDF5 file, whose types, shapes and parts it chooses (bytes of an HDF5 file itself
 * would fuzz libhdf5, which does not stand it); anything else is a CSV file. Built by
 * .ci/gates/80-fuzz.
 *
 * Checked besides the absence of crashes: an error has a text, and every number of a trace that is
 * accepted can be read. */
#include "carom/trace.h"

#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile double kept;

static void demand(int condition)
{
    if (!condition)
        abort();
}

/* The bytes of a recipe, zeros after the last. */
typedef struct recipe {
    const uint8_t *data;
    size_t left;
} recipe;

static unsigned next(recipe *r)
{
    if (r->left == 0)
        return 0;
    r->left--;
    return *r->data++;
}

/* A size: small ones mostly, now and then one that no machine has. */
static hsize_t next_size(recipe *r)
{
    unsigned byte = next(r);
    return byte < 200 ? byte % 8 : byte < 230 ? byte : (hsize_t)1 << (byte % 62);
}

static hid_t make_type(unsigned kind)
{
    switch (kind % 6) {
    case 0:
    case 1:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case 2:
        return H5Tcopy(H5T_NATIVE_SHORT);
    case 3:
        return H5Tcopy(H5T_NATIVE_FLOAT);
    default: {
        hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, kind % 6 == 4 ? 1 + kind / 16 : H5T_VARIABLE);
        return type;
    }
    }
}

/* A space of rank 0 to 3. */
static hid_t make_space(recipe *r, hsize_t *count)
{
    int rank = (int)(next(r) % 4);
    hsize_t size[3], most[] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    *count = 1;
    if (rank == 0)
        return H5Screate(H5S_SCALAR);
    for (int k = 0; k < rank; k++) {
        size[k] = next_size(r);
        *count = size[k] > 4096 || *count > 4096 ? 4097 : *count * size[k];
    }
    return H5Screate_simple(rank, size, most);
}

/* Values for a few elements: bytes of the recipe, or pointers to a text. */
static void *make_values(recipe *r, hid_t type, hsize_t count)
{
    static const char *const text = "a text";
    size_t size = H5Tget_size(type);
    char *values = calloc(count + 1, size);
    for (size_t k = 0; values && k < count; k++)
        if (H5Tis_variable_str(type) > 0)
            memcpy(values + k * size, &text, sizeof text);
        else
            values[k * size + size - 1] = (char)next(r);
    return values;
}

static void add_attribute(hid_t file, const char *name, recipe *r)
{
    hsize_t count;
    hid_t type = make_type(next(r)), space = make_space(r, &count);
    hid_t made = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0 && count <= 4096) {
        void *values = make_values(r, type, count);
        H5Awrite(made, type, values);
        free(values);
    }
    if (made >= 0)
        H5Aclose(made);
    H5Sclose(space);
    H5Tclose(type);
}

static void add_dataset(hid_t file, const char *name, recipe *r)
{
    hsize_t count, chunk[] = {16, 4, 2};
    hid_t type = make_type(next(r)), space = make_space(r, &count);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    if (H5Sget_simple_extent_ndims(space) > 0)
        H5Pset_chunk(create, H5Sget_simple_extent_ndims(space), chunk);
    hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (made >= 0 && count <= 4096) {
        void *values = make_values(r, type, count);
        H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        free(values);
    }
    if (made >= 0)
        H5Dclose(made);
    H5Pclose(create);
    H5Sclose(space);
    H5Tclose(type);
}

static void make_hdf5(const char *path, recipe *r)
{
    static const char *const attributes[] = {"title", "law", "end", "version"};
    static const char *const sets[] = {"t",
                                       "position",
                                       "velocity",
                                       "gap",
                                       "force",
                                       "mode",
                                       "energy",
                                       "draw",
                                       "impacts/t",
                                       "impacts/energy_change",
                                       "impacts/before",
                                       "impacts/impulse",
                                       "accumulations",
                                       "changes",
                                       "names/position",
                                       "names/gap",
                                       "names/shapes",
                                       "scene/text",
                                       "scene/set",
                                       "scene/parameters",
                                       "scene/values"};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (int k = 0; k < 3; k++)
        H5Gclose(H5Gcreate2(file, (const char *const[]){"impacts", "names", "scene"}[k],
                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, 12);
    hid_t format = H5Acreate2(file, "format", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(format, type, "carom-trace");
    H5Aclose(format);
    H5Sclose(space);
    H5Tclose(type);
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
        if (next(r) % 4 == 1)
            add_attribute(file, attributes[k], r);
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        if (next(r) % 4)
            add_dataset(file, sets[k], r);
    H5Fclose(file);
}

static void walk(const carom_trace_table *t, long rows)
{
    for (long k = 0; k < rows * t->columns; k++)
        kept += t->values[k];
    for (int k = 0; k < t->columns && t->names; k++)
        kept += (double)strlen(t->names[k]);
}

static void walk_trace(const carom_trace *trace)
{
    const char *const texts[] = {trace->title, trace->law,    trace->method, trace->program,
                                 trace->scene, trace->shapes, trace->end,    trace->message};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        kept += texts[k] ? (double)strlen(texts[k]) : 0;
    for (long k = 0; k < trace->rows; k++)
        kept += trace->t[k];
    for (long k = 0; k < trace->impacts; k++)
        kept += trace->impact_t[k] + trace->impact_energy[k];
    for (int k = 0; k < trace->set_count; k++)
        kept += (double)strlen(trace->sets[k]);
    for (int k = 0; k < trace->parameter_count; k++)
        kept += trace->parameters[k] + (double)strlen(trace->parameter_names[k]);
    walk(&trace->position, trace->rows);
    walk(&trace->velocity, trace->rows);
    walk(&trace->gap, trace->rows);
    walk(&trace->force, trace->rows);
    walk(&trace->mode, trace->rows);
    walk(&trace->energy, trace->rows);
    walk(&trace->draw, trace->rows);
    walk(&trace->impact_before, trace->impacts);
    walk(&trace->impact_after, trace->impacts);
    walk(&trace->impulse, trace->impacts);
    walk(&trace->accumulation, trace->accumulations);
    walk(&trace->change, trace->changes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char csv[64], hdf5[64];
    if (!csv[0]) {
        const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(csv, sizeof csv, "%s/carom-fuzz-%d.csv", place, (int)getpid());
        snprintf(hdf5, sizeof hdf5, "%s/carom-fuzz-%d.h5", place, (int)getpid());
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    }
    bool made = size > 0 && data[0] == 'H';
    if (made) {
        make_hdf5(hdf5, &(recipe){data + 1, size - 1});
    } else {
        FILE *file = fopen(csv, "wb");
        fwrite(data, 1, size, file);
        fclose(file);
    }
    carom_trace trace;
    carom_error error = {0};
    if (carom_trace_read(made ? hdf5 : csv, NULL, &trace, &error)) {
        demand(error.text[0] != '\0');
    } else {
        walk_trace(&trace);
        carom_trace_destroy(&trace);
    }
    unlink(made ? hdf5 : csv);
    return 0;
}
