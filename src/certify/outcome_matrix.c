/* A restitution matrix that explains an outcome (Brogliato, Prop. 1): if v- != 0, every v+ is -E v-
 * for some E; the least one in the Frobenius norm is E = -v+ v-'/|v-|^2. */
#include "carom/need.h"
#include "carom/quasi.h"
#include "certify/normal.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Velocities that cancel to this part of their size are rounding. */
static double rounding_of(const carom_quasi *q)
{
    return 64.0 * (q->n + q->p) * DBL_EPSILON;
}

/* e_i = -v_i+/v_i-, where that exists for every contact. */
static void find_diagonal(const carom_quasi *q, const double *before, const double *after,
                          double size, carom_outcome_matrix *made)
{
    const double zero = rounding_of(q) * size;
    made->has_diagonal = true;
    for (int i = 0; i < q->p; i++) {
        const bool moved = fabs(before[i]) > zero, moves = fabs(after[i]) > zero;
        made->diagonal[i] = moved ? -after[i] / before[i] : NAN;
        made->has_diagonal = made->has_diagonal && (moved || !moves);
    }
}

carom_status carom_outcome_matrix_find(const carom_geometry *geometry, const double *u,
                                       carom_arena *arena, carom_outcome_matrix *found,
                                       carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, u, arena, found);
    carom_quasi q;
    carom_status status = carom_quasi_make(geometry, arena, &q, error);
    if (status)
        return status;
    const int k = q.p + q.tangents;
    carom_outcome_matrix made = {.size = q.p};
    made.E = carom_arena_zeros(arena, (size_t)k * k + q.p + 1, sizeof(double));
    double *after = carom_arena_doubles(arena, (size_t)k + 1);
    if (!made.E || !after)
        return carom_error_memory(error);
    made.diagonal = made.E + (size_t)k * k;
    carom_quasi_from_velocity(&q, u, after);
    const double size = fmax(carom_dense_norm(k, q.v), carom_dense_norm(k, after));
    for (int j = q.p; j < k; j++) /* a tangential velocity that changes: all of E is needed */
        if (fabs(after[j] - q.v[j]) > rounding_of(&q) * size)
            made.size = k;
    const double square = carom_dense_dot(made.size, q.v, q.v);
    const double zero = rounding_of(&q) * size;
    made.exists = sqrt(square) > zero || carom_dense_norm(made.size, after) <= zero;
    for (int j = 0; j < made.size && sqrt(square) > zero; j++)
        for (int i = 0; i < made.size; i++)
            made.E[i + (size_t)j * made.size] = -after[i] * q.v[j] / square;
    find_diagonal(&q, q.v, after, size, &made);
    *found = made;
    return CAROM_OK;
}
