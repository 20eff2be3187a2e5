/* The flat part of the set of admissible outcomes: half-spaces in the span of T. */
#include "impact/polyhedron.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "cone/nnls.h"
#include "linalg/dense.h"

/* A unit row whose part in the span is so small is zero there. */
static const double DEPENDENT = CAROM_TOLERANCE_SIGN;

carom_status carom_polyhedron_make(const carom_admissible *s, carom_arena *arena,
                                   carom_polyhedron *in, carom_error *error)
{
    const size_t k = (size_t)s->rank, m = (size_t)s->facets;
    *in = (carom_polyhedron){.k = s->rank};
    in->row = carom_arena_doubles(arena, k * m + m + (k + 1) * (m + 2) + m);
    if (!in->row)
        return carom_error_memory(error);
    in->bound = in->row + k * m;
    in->work = in->bound + m;
    for (int j = 0; j < s->facets; j++) {
        double *row = in->row + k * (size_t)in->rows;
        for (int l = 0; l < s->rank; l++)
            row[l] = carom_dense_dot(s->k, s->span + (size_t)l * s->k, s->facet + (size_t)j * s->k);
        in->bound[in->rows] = s->bound[j];
        in->rows += carom_dense_norm(s->rank, row) > DEPENDENT;
    }
    return CAROM_OK;
}

size_t carom_polyhedron_bytes(const carom_admissible *s)
{
    return carom_nnls_bytes(s->rank + 1, s->facets);
}

/* With y = t y_0 + d the point asked for has least |d| among row_j'd >= e_j, e_j the bound less
 * row_j't y_0. Let r be what least squares with s >= 0 leave of (0, ..., 0, 1) - E s, the columns
 * of E being (row_j, e_j/top). They leave E'r <= 0 and r_k = |r|^2, its last entry, so that for d =
 * -top (r_0 ... r_k-1)/r_k every row_j'd >= e_j; and d is a sum of the rows that hold with
 * equality, so it is the shortest. Without `top` large bounds would leave r_k no digits. */
void carom_polyhedron_nearest(const carom_polyhedron *in, const double *y_0, double t,
                              carom_arena *arena, double *y)
{
    int k = in->k, m = in->rows;
    double *E = in->work, *f = E + (size_t)(k + 1) * (size_t)m, *r = f + k + 1, *l = r + k + 1;
    double top = 0;
    for (int j = 0; j < m; j++) {
        double *e = E + (size_t)j * (size_t)(k + 1);
        memcpy(e, in->row + (size_t)j * k, (size_t)k * sizeof(double));
        e[k] = in->bound[j] - t * carom_dense_dot(k, in->row + (size_t)j * k, y_0);
        top = fmax(top, e[k]);
    }
    carom_dense_copy(k, y_0, y);
    carom_dense_scale(k, t, y);
    if (top <= 0)
        return;
    for (int j = 0; j < m; j++)
        E[k + (size_t)j * (size_t)(k + 1)] /= top;
    memset(f, 0, (size_t)(k + 1) * sizeof(double));
    f[k] = 1;
    carom_nnls_info info;
    carom_nnls_solve(k + 1, m, E, f, 1, arena, l, r, &info);
    if (r[k] != 0)
        carom_dense_axpy(k, -top / r[k], r, y);
}
