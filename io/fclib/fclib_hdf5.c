/* FCLIB's HDF5 files: groups fclib_local or fclib_global with matrices in CSparse's storages. */
#include "fclib/raw.h"

#include "file/hdf5_file.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* An open file and where in it we are, for messages. */
typedef struct source {
    hid_t file;
    char place[96]; /* the group that is being read */
    carom_arena *arena;
    carom_error *error;
} source;

static carom_status bad(const source *s, const char *name, const char *what)
{
    return carom_error_set(s->error, CAROM_ERROR_INPUT, "%s/%s %s", s->place, name, what);
}

/* Is there something of this name in the present group, and in this very file on the whole way? */
static bool exists(const source *s, const char *name)
{
    char full[192];
    H5L_info_t link;
    snprintf(full, sizeof full, "%s/%s", s->place, name);
    for (char *slash = strchr(full + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        bool there = H5Lexists(s->file, full, H5P_DEFAULT) > 0 &&
                     H5Lget_info(s->file, full, &link, H5P_DEFAULT) >= 0 &&
                     link.type == H5L_TYPE_HARD;
        if (!there || !slash)
            return there;
        *slash = '/';
    }
}

/* The dataset of this name, -1: there is none. */
static hid_t open_set(const source *s, const char *name)
{
    char full[192];
    snprintf(full, sizeof full, "%s/%s", s->place, name);
    return exists(s, name) ? carom_hdf5_file_set(s->file, full) : -1;
}

/* No file is believed to hold more than a thousand times its bytes: what compression can do. */
static bool plausible(hid_t set, hsize_t points, size_t size)
{
    hsize_t stored = H5Dget_storage_size(set);
    return points <= INT_MAX && (double)points * (double)size <= 1100.0 * (double)stored;
}

/* A dataset of numbers of rank 0 or 1, as `type` (of `size` bytes). least: so many are needed. */
static carom_status read_set(const source *s, const char *name, hid_t type, size_t size,
                             size_t least, void **values, size_t *count)
{
    carom_status status = CAROM_OK;
    hid_t set = open_set(s, name);
    if (set < 0)
        return bad(s, name, "is missing");
    hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
    int rank = H5Sget_simple_extent_ndims(space);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    H5T_class_t class = H5Tget_class(stored);
    if (rank < 0 || rank > 1 || points < 0)
        status = bad(s, name, "should be a list of numbers");
    else if (class != H5T_INTEGER && (class != H5T_FLOAT || type != H5T_NATIVE_DOUBLE))
        status =
            bad(s, name,
                type == H5T_NATIVE_DOUBLE ? "does not hold numbers" : "does not hold integers");
    else if ((size_t)points < least)
        status = carom_error_set(s->error, CAROM_ERROR_INPUT,
                                 "%s/%s has %lld entries; at least %zu are needed", s->place, name,
                                 (long long)points, least);
    else if (!plausible(set, (hsize_t)points, size))
        status = bad(s, name, "claims more numbers than the file can hold");
    if (status == CAROM_OK) {
        *count = (size_t)points;
        *values = carom_arena_array(s->arena, (size_t)points + 1, size);
        if (!*values)
            status = carom_error_memory(s->error);
        else if (points > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
            status = bad(s, name, "cannot be read");
    }
    H5Tclose(stored);
    H5Sclose(space);
    H5Dclose(set);
    return status;
}

static carom_status read_integer(const source *s, const char *name, int least, int most, int *value)
{
    void *list;
    size_t count;
    carom_status status = read_set(s, name, H5T_NATIVE_INT, sizeof(int), 1, &list, &count);
    if (status != CAROM_OK)
        return status;
    *value = *(int *)list;
    if (*value < least || *value > most)
        return carom_error_set(s->error, CAROM_ERROR_INPUT,
                               "%s/%s is %d; it should be from %d to %d", s->place, name, *value,
                               least, most);
    return CAROM_OK;
}

/* `count` numbers, all finite. */
static carom_status read_reals(const source *s, const char *name, size_t count,
                               const double **values)
{
    void *list;
    size_t stored;
    carom_status status =
        read_set(s, name, H5T_NATIVE_DOUBLE, sizeof(double), count, &list, &stored);
    if (status != CAROM_OK)
        return status;
    *values = list;
    for (size_t k = 0; k < count; k++)
        if (!isfinite((*values)[k]))
            return carom_error_set(s->error, CAROM_ERROR_INPUT, "entry %zu of %s/%s is not finite",
                                   k, s->place, name);
    return CAROM_OK;
}

/* A short text; "" when there is none or it is not a plain one. */
static const char *read_text(const source *s, const char *name)
{
    hid_t set = open_set(s, name);
    if (set < 0)
        return "";
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    size_t size = H5Tget_size(type);
    bool plain = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                 H5Sget_simple_extent_npoints(space) == 1 && size < 1 << 16;
    char *text = plain ? carom_arena_zeros(s->arena, size + 1, 1) : NULL;
    if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
        text = NULL;
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return text ? text : "";
}

/* ---- matrices ----------------------------------------------------------------------------- */

static carom_status check_indices(const source *s, const char *name, const int *index, size_t count,
                                  int below)
{
    for (size_t k = 0; k < count; k++)
        if (index[k] < 0 || index[k] >= below)
            return carom_error_set(s->error, CAROM_ERROR_INPUT,
                                   "entry %zu of %s/%s is %d; it should be from 0 to %d", k,
                                   s->place, name, index[k], below - 1);
    return CAROM_OK;
}

/* Pointers of a compressed matrix, spread to one index for each entry. */
static carom_status spread(const source *s, const int *pointer, int outer, size_t stored,
                           int **list, size_t *count)
{
    for (int j = 0; j < outer; j++)
        if (pointer[j] < 0 || pointer[j + 1] < pointer[j])
            return bad(s, "p", "does not ascend");
    if (pointer[0] != 0 || (size_t)pointer[outer] > stored)
        return bad(s, "p", "does not fit the number of entries");
    *count = (size_t)pointer[outer];
    *list = carom_arena_array(s->arena, *count + 1, sizeof **list);
    if (!*list)
        return carom_error_memory(s->error);
    for (int j = 0; j < outer; j++)
        for (int k = pointer[j]; k < pointer[j + 1]; k++)
            (*list)[k] = j;
    return CAROM_OK;
}

/* The matrix group `name` of the present group. */
static carom_status read_matrix(source *s, const char *name, carom_fclib_matrix *A)
{
    char *end = s->place + strlen(s->place);
    int nz = 0;
    void *p = NULL, *i = NULL;
    size_t pointers = 0, stored = 0;
    const double *x = NULL;
    snprintf(end, sizeof s->place - strlen(s->place), "/%s", name);
    carom_status status = read_integer(s, "m", 1, INT_MAX, &A->rows);
    if (status == CAROM_OK)
        status = read_integer(s, "n", 1, INT_MAX, &A->columns);
    if (status == CAROM_OK)
        status = read_integer(s, "nz", -2, INT_MAX, &nz);
    int outer = nz == -1 ? A->columns : A->rows;
    size_t least = nz >= 0 ? (size_t)nz : (size_t)outer + 1;
    if (status == CAROM_OK)
        status = read_set(s, "p", H5T_NATIVE_INT, sizeof(int), least, &p, &pointers);
    if (status == CAROM_OK)
        status = read_set(s, "i", H5T_NATIVE_INT, sizeof(int), nz >= 0 ? least : 0, &i, &stored);
    A->count = (size_t)(nz > 0 ? nz : 0);
    int *other = p;
    if (status == CAROM_OK && nz < 0)
        status = spread(s, p, outer, stored, &other, &A->count);
    A->row = nz == -2 ? other : i; /* triplets: i is the row, p the column */
    A->column = nz == -2 ? i : other;
    if (status == CAROM_OK)
        status = check_indices(s, nz == -2 ? "p" : "i", A->row, A->count, A->rows);
    if (status == CAROM_OK)
        status = check_indices(s, nz == -2 ? "i" : "p", A->column, A->count, A->columns);
    if (status == CAROM_OK)
        status = read_reals(s, "x", A->count, &x);
    A->value = (double *)x; /* our own copy */
    *end = '\0';
    return status;
}

/* ---- the problem -------------------------------------------------------------------------- */

static carom_status check_sizes(const source *s, carom_fclib_raw *raw)
{
    const carom_fclib_matrix *M = &raw->M, *columns = raw->global ? &raw->H : M;
    if (M->rows != M->columns)
        return carom_error_set(s->error, CAROM_ERROR_INPUT, "%s/%s is %d x %d; it should be square",
                               s->place, raw->global ? "M" : "W", M->rows, M->columns);
    if (raw->global && raw->H.rows != M->rows)
        return carom_error_set(s->error, CAROM_ERROR_INPUT, "%s/H has %d rows; M has %d", s->place,
                               raw->H.rows, M->rows);
    if (columns->columns % raw->dimension != 0)
        return carom_error_set(s->error, CAROM_ERROR_INPUT,
                               "%s has %d rows of contacts, not a multiple of spacedim %d",
                               s->place, columns->columns, raw->dimension);
    raw->contacts = columns->columns / raw->dimension;
    return CAROM_OK;
}

static carom_status read_vectors(const source *s, carom_fclib_raw *raw)
{
    size_t n = (size_t)raw->dimension * (size_t)raw->contacts;
    carom_status status = read_reals(s, raw->global ? "vectors/w" : "vectors/q", n, &raw->q);
    if (status == CAROM_OK && raw->global)
        status = read_reals(s, "vectors/f", (size_t)raw->M.rows, &raw->f);
    if (status == CAROM_OK)
        status = read_reals(s, "vectors/mu", (size_t)raw->contacts, &raw->mu);
    return status;
}

/* Is there a dataset with something stored in it? Writers leave room for solutions never filled. */
static bool filled(const source *s, const char *name)
{
    hid_t set = open_set(s, name);
    bool stored = set >= 0 && H5Dget_storage_size(set) > 0;
    if (set >= 0)
        H5Dclose(set);
    return stored;
}

/* A solution, or the first guess, where the file has one. */
static carom_status read_solution(source *s, carom_fclib_raw *raw)
{
    size_t n = (size_t)raw->dimension * (size_t)raw->contacts;
    s->place[0] = '\0';
    const char *name = filled(s, "solution/r")    ? "solution/r"
                       : filled(s, "guesses/1/r") ? "guesses/1/r"
                                                  : NULL;
    return name ? read_reals(s, name, n, &raw->r) : CAROM_OK;
}

static carom_status read_problem(source *s, carom_fclib_raw *raw)
{
    static const char *const kinds[] = {"fclib_local", "fclib_global", "fclib_global_rolling",
                                        "fclib_local_rolling"};
    int kind = 0;
    s->place[0] = '\0';
    while (kind < 4 && !exists(s, kinds[kind]))
        kind++;
    if (kind >= 2)
        return kind == 4 ? carom_error_set(s->error, CAROM_ERROR_INPUT,
                                           "there is no group fclib_local or fclib_global")
                         : carom_error_set(s->error, CAROM_ERROR_UNSUPPORTED,
                                           "%s: problems with rolling friction (five rows a "
                                           "contact) are not supported",
                                           kinds[kind]);
    raw->global = kind == 1;
    snprintf(s->place, sizeof s->place, "/%s", kinds[kind]);
    carom_status status = read_integer(s, "spacedim", 2, 3, &raw->dimension);
    if (status == CAROM_OK && raw->global && exists(s, "G"))
        return carom_error_set(s->error, CAROM_ERROR_UNSUPPORTED,
                               "equality constraints (%s/G) are not supported", s->place);
    if (status == CAROM_OK)
        status = read_matrix(s, raw->global ? "M" : "W", &raw->M);
    if (status == CAROM_OK && raw->global)
        status = read_matrix(s, "H", &raw->H);
    if (status == CAROM_OK)
        status = check_sizes(s, raw);
    if (status == CAROM_OK)
        status = read_vectors(s, raw);
    raw->title = read_text(s, "info/title");
    raw->description = read_text(s, "info/description");
    raw->math_info = read_text(s, "info/math_info");
    return status == CAROM_OK ? read_solution(s, raw) : status;
}

carom_status carom_fclib_hdf5_read(const char *path, carom_arena *arena, carom_fclib_raw *raw,
                                   carom_error *error)
{
    *raw = (carom_fclib_raw){0};
    source s = {.arena = arena, .error = error};
    carom_status status = CAROM_ERROR_FILE;
    H5E_BEGIN_TRY /* HDF5 would print what we report */
    {
        s.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        if (s.file >= 0) {
            status = read_problem(&s, raw);
            H5Fclose(s.file);
        }
    }
    H5E_END_TRY
    if (s.file < 0)
        return carom_error_set(error, CAROM_ERROR_FILE, "HDF5 cannot read it");
    return status;
}
