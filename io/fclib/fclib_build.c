/* From the entries of a file to a statement: blocks of contacts, bodies from the connected parts of
 * M. */
#include "fclib/raw.h"

#include <math.h>
#include <string.h>

/* ---- blocks ------------------------------------------------------------------------------- */

/* A matrix of blocks under way: row blocks i of `height` rows, columns told by `group` (block of a
 * column) and `within` (its place there). */
typedef struct shape {
    const int *row_group, *row_within, *column_group, *column_within;
    const int *column_size; /* rows... of a group of columns */
    const int *row_size;
    int groups; /* of rows */
    int others; /* of columns */
} shape;

static carom_status twice(const char *name, int row, int column, carom_error *error)
{
    return carom_error_set(error, CAROM_ERROR_INPUT,
                           "%s: the entry at row %d, column %d is there twice", name, row, column);
}

/* Rows of blocks of A: start, column of each block, place of its values. Sizes first. */
static carom_status list_blocks(const carom_fclib_matrix *A, const shape *s, carom_arena *arena,
                                int **start, int **column, size_t **at, carom_error *error)
{
    size_t count = A->count;
    int *order = carom_arena_array(arena, count + 1, sizeof *order);
    int *first = carom_arena_zeros(arena, (size_t)s->groups + 2, sizeof *first);
    int *seen = carom_arena_array(arena, (size_t)s->others + 1, sizeof *seen);
    *start = carom_arena_array(arena, (size_t)s->groups + 1, sizeof **start);
    *column = carom_arena_array(arena, count + 1, sizeof **column);
    *at = carom_arena_array(arena, count + 2, sizeof **at);
    if (!order || !first || !seen || !*start || !*column || !*at)
        return carom_error_memory(error);
    for (size_t k = 0; k < count; k++) /* entries by groups of rows */
        first[s->row_group[A->row[k]] + 1]++;
    for (int i = 0; i < s->groups; i++)
        first[i + 1] += first[i];
    for (size_t k = 0; k < count; k++)
        order[first[s->row_group[A->row[k]]]++] = (int)k;
    for (int j = 0; j < s->others; j++)
        seen[j] = -1;
    int blocks = 0;
    size_t place = 0;
    for (int i = 0, k = 0; i < s->groups; i++) {
        (*start)[i] = blocks;
        for (; k < first[i]; k++) {
            int j = s->column_group[A->column[order[k]]];
            if (seen[j] >= (*start)[i])
                continue;
            seen[j] = blocks;
            (*column)[blocks] = j;
            (*at)[blocks++] = place;
            place += (size_t)s->row_size[i] * (size_t)s->column_size[j];
        }
    }
    (*start)[s->groups] = blocks;
    (*at)[blocks] = place;
    return CAROM_OK;
}

/* The values, block after block, column-major. */
static carom_status fill_blocks(const char *name, const carom_fclib_matrix *A, const shape *s,
                                const int *start, const int *column, const size_t *at,
                                carom_arena *arena, double **value, carom_error *error)
{
    size_t total = at[start[s->groups]];
    double *x = carom_arena_doubles(arena, total + 1);
    int *block = carom_arena_array(arena, (size_t)s->others + 1, sizeof *block);
    int *next = carom_arena_array(arena, A->count + 1, sizeof *next);
    int *head = carom_arena_array(arena, (size_t)s->groups + 1, sizeof *head);
    if (!x || !block || !next || !head)
        return carom_error_memory(error);
    for (size_t k = 0; k < total; k++)
        x[k] = NAN; /* not there yet */
    memset(head, -1, (size_t)s->groups * sizeof *head);
    for (size_t k = A->count; k-- > 0;) {
        int i = s->row_group[A->row[k]];
        next[k] = head[i];
        head[i] = (int)k;
    }
    for (int i = 0; i < s->groups; i++) {
        for (int b = start[i]; b < start[i + 1]; b++)
            block[column[b]] = b;
        for (int k = head[i]; k >= 0; k = next[k]) {
            int r = A->row[k], c = A->column[k];
            double *to = x + at[block[s->column_group[c]]] +
                         (size_t)s->column_within[c] * (size_t)s->row_size[i] + s->row_within[r];
            if (!isnan(*to))
                return twice(name, r, c, error);
            *to = A->value[k];
        }
    }
    for (size_t k = 0; k < total; k++)
        if (isnan(x[k]))
            x[k] = 0;
    *value = x;
    return CAROM_OK;
}

/* Groups of `size` equal neighbours: group, place within, sizes. */
typedef struct division {
    int *group, *within, *size;
    int count;
} division;

static bool divide(division *d, int total, int size, carom_arena *arena)
{
    d->count = total / size;
    d->group = carom_arena_array(arena, (size_t)total + 1, sizeof *d->group);
    d->within = carom_arena_array(arena, (size_t)total + 1, sizeof *d->within);
    d->size = carom_arena_array(arena, (size_t)d->count + 1, sizeof *d->size);
    if (!d->group || !d->within || !d->size)
        return false;
    for (int i = 0; i < total; i++) {
        d->group[i] = i / size;
        d->within[i] = i % size;
    }
    for (int i = 0; i < d->count; i++)
        d->size[i] = size;
    return true;
}

static shape shape_of(const division *rows, const division *columns)
{
    return (shape){rows->group,   rows->within, columns->group, columns->within,
                   columns->size, rows->size,   rows->count,    columns->count};
}

/* ---- local -------------------------------------------------------------------------------- */

enum { FEW = 5, DENSE = 40 }; /* so few contacts are given as a full matrix; so many if they are */

static carom_status build_dense(const carom_fclib_raw *raw, carom_arena *arena,
                                carom_friction_problem *p, carom_error *error)
{
    size_t n = (size_t)raw->M.rows;
    double *W = carom_arena_doubles(arena, n * n + 1);
    bool *there = carom_arena_zeros(arena, n * n + 1, sizeof *there);
    if (!W || !there)
        return carom_error_memory(error);
    memset(W, 0, n * n * sizeof *W);
    for (size_t k = 0; k < raw->M.count; k++) {
        size_t place = (size_t)raw->M.row[k] + (size_t)raw->M.column[k] * n;
        if (there[place])
            return twice("W", raw->M.row[k], raw->M.column[k], error);
        there[place] = true;
        W[place] = raw->M.value[k];
    }
    p->form = CAROM_FRICTION_DENSE;
    p->W = W;
    return CAROM_OK;
}

static carom_status build_blocks(const carom_fclib_raw *raw, carom_arena *arena,
                                 carom_friction_problem *p, carom_error *error)
{
    division d;
    int *start, *column;
    size_t *at;
    double *value;
    if (!divide(&d, raw->M.rows, raw->dimension, arena))
        return carom_error_memory(error);
    shape s = shape_of(&d, &d);
    carom_status status = list_blocks(&raw->M, &s, arena, &start, &column, &at, error);
    if (status == CAROM_OK)
        status = fill_blocks("W", &raw->M, &s, start, column, at, arena, &value, error);
    if (status != CAROM_OK)
        return status;
    p->form = CAROM_FRICTION_BLOCKS;
    p->blocks = (carom_friction_blocks){start, column, value};
    return CAROM_OK;
}

/* ---- global ------------------------------------------------------------------------------- */

static int find_root(int *up, int i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/* Connected parts of M, in the order of their first rows; file->dof_of lists their rows. */
static bool find_bodies(const carom_fclib_matrix *M, carom_arena *arena, division *d, int **dof_of)
{
    size_t n = (size_t)M->rows;
    int *up = carom_arena_array(arena, n, sizeof *up);
    int *number = carom_arena_array(arena, n, sizeof *number);
    int *start = carom_arena_array(arena, n + 1, sizeof *start);
    d->group = carom_arena_array(arena, n, sizeof *d->group);
    d->within = carom_arena_array(arena, n, sizeof *d->within);
    d->size = carom_arena_zeros(arena, n, sizeof *d->size);
    *dof_of = carom_arena_array(arena, n, sizeof **dof_of);
    if (!up || !number || !start || !d->group || !d->within || !d->size || !*dof_of)
        return false;
    for (int i = 0; i < M->rows; i++) {
        up[i] = i;
        number[i] = -1;
    }
    for (size_t k = 0; k < M->count; k++) {
        int a = find_root(up, M->row[k]), b = find_root(up, M->column[k]);
        up[a < b ? b : a] = a < b ? a : b;
    }
    d->count = 0;
    for (int i = 0; i < M->rows; i++) {
        int root = find_root(up, i);
        if (number[root] < 0)
            number[root] = d->count++;
        d->group[i] = number[root];
        d->within[i] = d->size[d->group[i]]++;
    }
    for (int b = 0, sum = 0; b < d->count; b++) {
        start[b] = sum;
        sum += d->size[b];
    }
    for (int i = 0; i < M->rows; i++)
        (*dof_of)[start[d->group[i]] + d->within[i]] = i;
    return true;
}

/* Is the symmetric part of every body's M positive definite? By elimination; the first pivot that
 * is not positive is told with its row in the file. */
static carom_status check_masses(const division *d, const double *M, const int *dof_of,
                                 carom_arena *arena, carom_error *error)
{
    for (int b = 0; b < d->count; b++) {
        const size_t n = (size_t)d->size[b];
        double *L = carom_arena_doubles(arena, n * n);
        if (!L)
            return carom_error_memory(error);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                L[i + j * n] = (M[i + j * n] + M[j + i * n]) / 2;
        for (size_t k = 0; k < n; k++) {
            const double pivot = L[k * (n + 1)];
            if (!(pivot > 0))
                return carom_error_set(error, CAROM_ERROR_INPUT,
                                       "M: row %d has the mass %g%s; it should be positive",
                                       dof_of[k], M[k * (n + 1)],
                                       M[k * (n + 1)] > 0 ? " and is not positive definite" : "");
            for (size_t j = k + 1; j < n; j++)
                for (size_t i = k + 1; i < n && L[k + j * n] != 0; i++)
                    L[i + j * n] -= L[i + k * n] / pivot * L[k + j * n];
        }
        M += n * n;
        dof_of += n;
    }
    return CAROM_OK;
}

/* H by contacts: entries of H' (rows: contacts), values dof x rows as the statement wants them. */
static carom_status build_H(const carom_fclib_raw *raw, const division *bodies, carom_arena *arena,
                            carom_friction_bodies *b, carom_error *error)
{
    division d;
    int *start, *body;
    size_t *at;
    double *value;
    /* columns of H are the rows of blocks here, so a block is filled with the columns' place
     * within as the faster index of the transpose: swap the roles and the sizes */
    if (!divide(&d, raw->H.columns, raw->dimension, arena))
        return carom_error_memory(error);
    carom_fclib_matrix T = {raw->H.columns, raw->H.rows, raw->H.count,
                            raw->H.column,  raw->H.row,  raw->H.value};
    shape s = shape_of(&d, bodies);
    carom_status status = list_blocks(&T, &s, arena, &start, &body, &at, error);
    if (status == CAROM_OK)
        status = fill_blocks("H", &T, &s, start, body, at, arena, &value, error);
    if (status != CAROM_OK)
        return status;
    for (int k = 0; k < start[d.count]; k++) { /* rows x dof becomes dof x rows */
        int rows = raw->dimension, dof = bodies->size[body[k]];
        double *x = value + at[k], *copy = carom_arena_doubles(arena, (size_t)(rows * dof));
        if (!copy)
            return carom_error_memory(error);
        memcpy(copy, x, (size_t)(rows * dof) * sizeof *x);
        for (int i = 0; i < dof; i++)
            for (int j = 0; j < rows; j++)
                x[i + j * dof] = copy[j + i * rows];
    }
    b->start = start;
    b->body = body;
    b->H = value;
    return CAROM_OK;
}

static carom_status build_bodies(const carom_fclib_raw *raw, carom_arena *arena, carom_fclib *file,
                                 carom_error *error)
{
    carom_friction_bodies *b = &file->problem.bodies;
    division d;
    int *start, *column, *dof_of;
    size_t *at;
    double *value, *f = carom_arena_doubles(arena, (size_t)raw->M.rows);
    if (!f || !find_bodies(&raw->M, arena, &d, &dof_of))
        return carom_error_memory(error);
    shape s = shape_of(&d, &d);
    carom_status status = list_blocks(&raw->M, &s, arena, &start, &column, &at, error);
    if (status == CAROM_OK)
        status = fill_blocks("M", &raw->M, &s, start, column, at, arena, &value, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < d.count; i++)
        if (start[i + 1] != start[i] + 1)
            return carom_error_set(error, CAROM_ERROR_INPUT, "M: row %d has no entry", dof_of[i]);
    status = check_masses(&d, value, dof_of, arena, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < raw->M.rows; i++)
        f[i] = raw->f[dof_of[i]];
    *b = (carom_friction_bodies){.count = d.count, .dof = d.size, .M = value, .f = f};
    file->problem.form = CAROM_FRICTION_BODIES;
    file->dof = raw->M.rows;
    file->dof_of = dof_of;
    return build_H(raw, &d, arena, b, error);
}

carom_status carom_fclib_build(const carom_fclib_raw *raw, carom_arena *arena, carom_fclib *file,
                               carom_error *error)
{
    *file = (carom_fclib){.problem = {.contacts = raw->contacts,
                                      .dimension = raw->dimension,
                                      .mu = raw->mu,
                                      .q = raw->q},
                          .global = raw->global,
                          .title = raw->title,
                          .description = raw->description,
                          .math_info = raw->math_info,
                          .reaction = raw->r};
    for (size_t k = 0; !raw->global && k < raw->M.count; k++)
        if (raw->M.row[k] == raw->M.column[k] && raw->M.value[k] < 0)
            return carom_error_set(error, CAROM_ERROR_INPUT,
                                   "W: the entry at row %d, column %d is %g; on the diagonal it "
                                   "should not be negative",
                                   raw->M.row[k], raw->M.column[k], raw->M.value[k]);
    carom_status status = raw->global ? build_bodies(raw, arena, file, error)
                          : raw->contacts <= DENSE
                              ? build_dense(raw, arena, &file->problem, error)
                              : build_blocks(raw, arena, &file->problem, error);
    return status == CAROM_OK ? carom_friction_problem_check(&file->problem, error) : status;
}
