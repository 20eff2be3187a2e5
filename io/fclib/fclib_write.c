/* Writing FCLIB's HDF5: the problem as it was read, and its solution, so that other tools read
 * them. */
#include "carom/need.h"
#include "fclib/raw.h"

#include "file/hdf5_file.h"
#include "file/output.h"

#include <errno.h>
#include <hdf5.h>
#include <string.h>

/* ---- entries ------------------------------------------------------------------------------ */

static bool list_W(const carom_friction_problem *p, carom_arena *arena, carom_fclib_matrix *W)
{
    int d = p->dimension, n = d * p->contacts;
    *W = (carom_fclib_matrix){.rows = n, .columns = n};
    if (p->form == CAROM_FRICTION_DENSE) {
        if (!carom_fclib_matrix_room(W, (size_t)n * (size_t)n, arena))
            return false;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                carom_fclib_matrix_put(W, i, j, p->W[i + (size_t)j * (size_t)n]);
        return true;
    }
    if (!carom_fclib_matrix_room(W, (size_t)p->blocks.start[p->contacts] * (size_t)(d * d), arena))
        return false;
    for (int i = 0; i < p->contacts; i++)
        for (int r = 0; r < d; r++)
            for (int k = p->blocks.start[i]; k < p->blocks.start[i + 1]; k++)
                for (int c = 0; c < d; c++)
                    carom_fclib_matrix_put(
                        W, d * i + r, d * p->blocks.column[k] + c,
                        p->blocks.value[(size_t)k * (size_t)(d * d) + (size_t)(r + c * d)]);
    return true;
}

/* Degrees of freedom of body j, and the file's row of degree of freedom k. */
static int dof_of(const carom_friction_bodies *b, int j)
{
    return b->dof ? b->dof[j] : 6;
}

static int place_of(const carom_fclib *file, int k)
{
    return file->dof_of ? file->dof_of[k] : k;
}

static bool list_bodies(const carom_fclib *file, carom_arena *arena, carom_fclib_matrix *M,
                        carom_fclib_matrix *H)
{
    const carom_friction_problem *p = &file->problem;
    const carom_friction_bodies *b = &p->bodies;
    size_t masses = 0, entries = 0, first = 0;
    int *start = carom_arena_array(arena, (size_t)b->count + 1, sizeof *start), d = p->dimension;
    if (!start)
        return false;
    for (int j = 0; j < b->count; j++) {
        start[j] = (int)first;
        first += (size_t)dof_of(b, j);
        masses += (size_t)dof_of(b, j) * (size_t)dof_of(b, j);
    }
    for (int k = 0; k < b->start[p->contacts]; k++)
        entries += (size_t)(d * dof_of(b, b->body[k]));
    *M = (carom_fclib_matrix){.rows = file->dof, .columns = file->dof};
    *H = (carom_fclib_matrix){.rows = file->dof, .columns = d * p->contacts};
    if (!carom_fclib_matrix_room(M, masses, arena) || !carom_fclib_matrix_room(H, entries, arena))
        return false;
    const double *value = b->M;
    for (int j = 0; j < b->count; j++)
        for (int c = 0; c < dof_of(b, j); c++)
            for (int r = 0; r < dof_of(b, j); r++)
                carom_fclib_matrix_put(M, place_of(file, start[j] + r),
                                       place_of(file, start[j] + c), *value++);
    value = b->H;
    for (int i = 0; i < p->contacts; i++)
        for (int k = b->start[i]; k < b->start[i + 1]; k++)
            for (int c = 0; c < d; c++)
                for (int r = 0; r < dof_of(b, b->body[k]); r++)
                    carom_fclib_matrix_put(H, place_of(file, start[b->body[k]] + r), d * i + c,
                                           *value++);
    return true;
}

/* ---- HDF5 --------------------------------------------------------------------------------- */

/* Creation properties without time stamps: the same problem gives the same bytes. */
static hid_t quiet(hid_t class)
{
    hid_t list = H5Pcreate(class);
    H5Pset_obj_track_times(list, false);
    return list;
}

static bool write_set(hid_t place, const char *name, hid_t type, size_t count, const void *values)
{
    hsize_t size = count;
    hid_t space = H5Screate_simple(1, &size, NULL), list = quiet(H5P_DATASET_CREATE);
    hid_t set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool good =
        set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    return good;
}

static bool write_integer(hid_t place, const char *name, int value)
{
    return write_set(place, name, H5T_NATIVE_INT, 1, &value);
}

static bool write_text(hid_t place, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), list = quiet(H5P_DATASET_CREATE);
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static hid_t open_group(hid_t place, const char *name)
{
    hid_t list = quiet(H5P_GROUP_CREATE);
    hid_t group = H5Gcreate2(place, name, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    return group;
}

/* A matrix in triplets (i: row, p: column), or by rows: entries are sorted by rows then. */
static bool write_matrix(hid_t place, const char *name, const carom_fclib_matrix *A, bool by_rows,
                         carom_arena *arena)
{
    hid_t group = open_group(place, name);
    int *start = carom_arena_zeros(arena, (size_t)A->rows + 2, sizeof *start);
    if (group < 0 || !start)
        return false;
    for (size_t k = 0; k < A->count; k++)
        start[A->row[k] + 1]++;
    for (int i = 0; i < A->rows; i++)
        start[i + 1] += start[i];
    bool good = write_integer(group, "nzmax", (int)A->count) &&
                write_integer(group, "m", A->rows) && write_integer(group, "n", A->columns) &&
                write_integer(group, "nz", by_rows ? -2 : (int)A->count);
    if (by_rows)
        good = good && write_set(group, "p", H5T_NATIVE_INT, (size_t)A->rows + 1, start) &&
               write_set(group, "i", H5T_NATIVE_INT, A->count, A->column);
    else
        good = good && write_set(group, "p", H5T_NATIVE_INT, A->count, A->column) &&
               write_set(group, "i", H5T_NATIVE_INT, A->count, A->row);
    good = good && write_set(group, "x", H5T_NATIVE_DOUBLE, A->count, A->value);
    H5Gclose(group);
    return good;
}

static bool write_vectors(hid_t place, const carom_fclib *file, carom_arena *arena)
{
    const carom_friction_problem *p = &file->problem;
    size_t n = (size_t)(p->dimension * p->contacts);
    hid_t group = open_group(place, "vectors");
    bool good = group >= 0;
    if (good && file->global) {
        double *f = carom_arena_doubles(arena, (size_t)file->dof);
        for (int k = 0; f && k < file->dof; k++)
            f[place_of(file, k)] = p->bodies.f ? p->bodies.f[k] : 0;
        good = f && write_set(group, "f", H5T_NATIVE_DOUBLE, (size_t)file->dof, f);
    }
    double *mu = carom_arena_zeros(arena, (size_t)p->contacts, sizeof *mu);
    if (mu && p->mu)
        memcpy(mu, p->mu, (size_t)p->contacts * sizeof *mu);
    good = good && mu && write_set(group, file->global ? "w" : "q", H5T_NATIVE_DOUBLE, n, p->q) &&
           write_set(group, "mu", H5T_NATIVE_DOUBLE, (size_t)p->contacts, mu);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

static bool write_info(hid_t place, const carom_fclib *file)
{
    hid_t group = open_group(place, "info");
    bool good = group >= 0 && write_text(group, "title", file->title ? file->title : "") &&
                write_text(group, "description", file->description ? file->description : "") &&
                write_text(group, "math_info", file->math_info ? file->math_info : "");
    if (group >= 0)
        H5Gclose(group);
    return good;
}

/* v: dof, in the order of the bodies. */
static bool write_solution(hid_t root, const carom_fclib *file, const double *r, const double *u,
                           const double *v, carom_arena *arena)
{
    size_t n = (size_t)(file->problem.dimension * file->problem.contacts);
    hid_t group = open_group(root, "solution");
    bool good = group >= 0 && write_set(group, "u", H5T_NATIVE_DOUBLE, n, u) &&
                write_set(group, "r", H5T_NATIVE_DOUBLE, n, r);
    if (good && file->global) {
        double *sorted = carom_arena_doubles(arena, (size_t)file->dof);
        for (int k = 0; sorted && k < file->dof; k++)
            sorted[place_of(file, k)] = v[k];
        good = sorted && write_set(group, "v", H5T_NATIVE_DOUBLE, (size_t)file->dof, sorted);
    }
    if (group >= 0)
        H5Gclose(group);
    return good;
}

static bool write_problem(hid_t root, const carom_fclib *file, carom_arena *arena)
{
    carom_fclib_matrix first, second;
    hid_t group = open_group(root, file->global ? "fclib_global" : "fclib_local");
    bool good = group >= 0 && write_integer(group, "spacedim", file->problem.dimension);
    if (good && file->global)
        good = list_bodies(file, arena, &first, &second) &&
               write_matrix(group, "M", &first, false, arena) &&
               write_matrix(group, "H", &second, false, arena);
    else if (good)
        good =
            list_W(&file->problem, arena, &first) && write_matrix(group, "W", &first, true, arena);
    good = good && write_vectors(group, file, arena) && write_info(group, file);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

static bool write_file(const char *path, const carom_fclib *file, const double *r, const double *u,
                       const double *v, carom_arena *arena)
{
    hid_t root = carom_hdf5_file_create(path);
    bool good = root >= 0 && write_problem(root, file, arena) &&
                (!r || write_solution(root, file, r, u, v, arena));
    return (root < 0 || H5Fclose(root) >= 0) && good;
}

/* Is it what the format can say: contacts of two or three rows, all alike, none bilateral? */
static carom_status check(const carom_fclib *file, carom_error *error)
{
    const carom_friction_problem *p = &file->problem;
    carom_status status = carom_friction_problem_check(p, error);
    int dof = 0;
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < p->contacts; i++)
        if (carom_friction_problem_rows_at(p, i) != p->dimension ||
            (p->bilateral && p->bilateral[i]))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "FCLIB: contact %d: all contacts are unilateral and have the "
                                   "same number of rows, 2 or 3",
                                   i);
    if (file->global != (p->form == CAROM_FRICTION_BODIES))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "FCLIB: a problem by bodies is global, any other is not");
    for (int j = 0; file->global && j < p->bodies.count; j++)
        dof += dof_of(&p->bodies, j);
    if (file->global && dof != file->dof)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "FCLIB: dof is %d, but the bodies have %d degrees of freedom",
                               file->dof, dof);
    return CAROM_OK;
}

carom_status carom_fclib_write(const char *path, bool force, const carom_fclib *file,
                               const double *r, carom_arena *arena, carom_error *error)
{
    CAROM_NEED(error, path, file, arena);
    char aside[CAROM_OUTPUT_PATH];
    carom_status status = check(file, error);
    if (status != CAROM_OK)
        return status;
    carom_mark mark = carom_arena_mark(arena);
    size_t n = (size_t)carom_friction_problem_rows(&file->problem);
    double *u = carom_arena_doubles(arena, n);
    double *v = carom_arena_doubles(arena, (size_t)(file->global ? file->dof : 0));
    status = u && v ? CAROM_OK : carom_error_memory(error);
    if (status == CAROM_OK && r)
        status = carom_friction_problem_velocity(&file->problem, r, arena, u, v, error);
    if (status == CAROM_OK)
        status = carom_output_examine(path, force, error);
    if (status == CAROM_OK)
        status = carom_output_reserve(path, aside, error);
    if (status == CAROM_OK) {
        bool good;
        errno = 0;
        H5E_BEGIN_TRY
        {
            good = write_file(aside, file, r, u, v, arena);
        }
        H5E_END_TRY
        if (good)
            status = carom_output_place(aside, path, force, error);
        else
            status = carom_hdf5_file_error(error, path, "write the problem");
        if (status != CAROM_OK)
            remove(aside);
    }
    carom_arena_rewind(arena, mark);
    return status;
}
