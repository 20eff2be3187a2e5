/* What the certificates of impacts with friction share. */
#include "certify/sliding.h"

#include "linalg/dense.h"
#include "linalg/lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* I + E (p x p), factored in place. False when it is singular. */
static bool factor(const carom_sliding *w, double *A, int *pivot)
{
    const int p = w->f.normal.p;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            A[i + (size_t)j * p] = (i == j) + w->E[i + (size_t)j * p];
    return carom_lu_factor(p, A, p, pivot, 64.0 * p * DBL_EPSILON) == 0;
}

/* |I + E|_F |(I + E)^-1|_F. */
static carom_status find_conditioning(carom_sliding *w)
{
    const int p = w->f.normal.p;
    carom_mark mark = carom_arena_mark(w->arena);
    double *A = carom_arena_doubles(w->arena, (size_t)p * p + p), size = 0, inverse = 0;
    int *pivot = carom_arena_array(w->arena, (size_t)p, sizeof *pivot);
    if (!A || !pivot)
        return carom_error_memory(w->error);
    double *e = A + (size_t)p * p;
    w->diagonal = true;
    w->conditioning = 1;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            const double entry = w->E[i + (size_t)j * p];
            w->diagonal = w->diagonal && (i == j || entry == 0);
            size = hypot(size, (i == j) + entry);
            if (i == j && entry == -1)
                w->conditioning = INFINITY; /* of a diagonal one */
        }
    if (w->diagonal) {
        carom_arena_rewind(w->arena, mark);
        return CAROM_OK;
    }
    const bool regular = factor(w, A, pivot);
    for (int j = 0; j < p && regular; j++) {
        memset(e, 0, sizeof *e * (size_t)p);
        e[j] = 1;
        carom_lu_solve(p, A, p, pivot, e);
        inverse = hypot(inverse, carom_dense_norm(p, e));
    }
    w->conditioning = regular ? fmax(1, size * inverse) : INFINITY;
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

carom_status carom_sliding_divide(const carom_sliding *w, int columns, double *x)
{
    const int p = w->f.normal.p;
    if (w->diagonal) {
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < p; i++)
                x[i + (size_t)j * p] /= 1 + w->E[i * (size_t)(p + 1)];
        return CAROM_OK;
    }
    carom_mark mark = carom_arena_mark(w->arena);
    double *A = carom_arena_doubles(w->arena, (size_t)p * p);
    int *pivot = carom_arena_array(w->arena, (size_t)p, sizeof *pivot);
    if (!A || !pivot)
        return carom_error_memory(w->error);
    factor(w, A, pivot);
    for (int j = 0; j < columns; j++)
        carom_lu_solve(p, A, p, pivot, x + (size_t)j * p);
    carom_arena_rewind(w->arena, mark);
    return CAROM_OK;
}

void carom_sliding_column(const carom_geometry *g, int j, double *column)
{
    const int n = g->impact->n, p = g->impact->p;
    const double *y = j < p ? g->Y + (size_t)j * n : g->Z + (size_t)(j - p) * n;
    for (int k = 0; k < n; k++)
        column[k] = g->impact->mass_is_diagonal
                        ? g->L[k] * y[k]
                        : carom_dense_dot(n - k, g->L + k + (size_t)k * n, y + k);
    const double size = carom_dense_norm(n, column);
    if (size > 0)
        carom_dense_scale(n, 1 / size, column);
}

carom_status carom_sliding_make(carom_sliding *w, const double *E)
{
    carom_status status = carom_rough_make(w->g, w->arena, &w->f, w->error);
    if (status || !w->f.rough || w->f.infinite || !w->f.normal.regular)
        return status;
    const carom_normal *m = &w->f.normal;
    w->doubt = 64.0 * (m->p + w->g->impact->n) * DBL_EPSILON * m->largest / m->least;
    w->E = carom_normal_restitution(w->g, E, w->arena);
    if (!w->E)
        return carom_error_memory(w->error);
    w->values[0] =
        (carom_value){.name = "form", .kind = CAROM_PARAMETER_CHOICE, .text = "equality"};
    w->values[1] = (carom_value){.name = "E",
                                 .kind = CAROM_PARAMETER_SQUARE,
                                 .rows = m->p,
                                 .columns = m->p,
                                 .numbers = w->E};
    w->law = (carom_law){carom_law_find("coulomb"), w->values, 2};
    status = find_conditioning(w);
    return status ? status : carom_slide_make(&w->f, w->E, w->arena, &w->slide, w->error);
}
