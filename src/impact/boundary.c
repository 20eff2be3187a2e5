/* The geometry of a boundary layer at one contact, after Natsiavas and Paraskevopoulos (eqs. 8-21,
 * 50-52): what the equations of motion near a wall are made of. */
#include "carom/need.h"
#include "carom/quasi.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>

/* y = M^-1 x in place. False when M is not positive definite. L: n x n work space. */
static bool divide(int n, const double *M, bool diagonal, double *L, double *x)
{
    if (diagonal) {
        for (int k = 0; k < n; k++)
            x[k] /= M[k];
        return true;
    }
    carom_dense_copy(n * n, M, L);
    if (carom_cholesky_factor(n, L, n) != 0)
        return false;
    carom_cholesky_solve(n, L, n, x);
    return true;
}

carom_status carom_boundary_make(int n, const double *M, bool diagonal, const double *A, double x,
                                 double b, carom_arena *arena, carom_boundary *boundary,
                                 carom_error *error)
{
    CAROM_NEED(error, M, A, arena, boundary);
    carom_boundary made = {.ghat = NAN, .affinity = x > 0 ? -1 / x : NAN};
    const size_t size = (size_t)n;
    made.B = carom_arena_doubles(arena, size);
    carom_mark mark = carom_arena_mark(arena);
    double *L = carom_arena_doubles(arena, diagonal ? 1 : size * size);
    if (!made.B || !L)
        return carom_error_memory(error);
    carom_dense_copy(n, A, made.B);
    const bool definite = divide(n, M, diagonal, L, made.B);
    carom_arena_rewind(arena, mark);
    if (!definite)
        return carom_error_set(error, CAROM_ERROR_NUMERIC,
                               "boundary layer: the mass matrix is not positive definite");
    made.g_upper = carom_dense_dot(n, A, made.B);
    made.g_lower = made.g_upper > 0 ? 1 / made.g_upper : INFINITY;
    for (int k = 0; k < n; k++)
        made.B[k] = made.g_upper > 0 ? made.B[k] * made.g_lower : 0;
    if (x > 0 && b > 0 && made.g_upper > 0) {
        made.ghat = b * b * made.g_lower / (x * x);
        made.metric = carom_arena_zeros(arena, size * size, sizeof(double));
        if (!made.metric)
            return carom_error_memory(error);
        for (size_t j = 0; j < size; j++)
            for (size_t i = 0; i < size; i++) {
                const double own = !diagonal ? M[i + j * size] : i == j ? M[i] : 0;
                made.metric[i + j * size] = own + A[i] * made.ghat * A[j];
            }
    }
    *boundary = made;
    return CAROM_OK;
}

/* The forces h at the velocity e_i + e_j (i or j < 0: without it). out: n. */
static carom_status forces_at(const carom_system *system, carom_state *state, int n, int i, int j,
                              double *out, carom_error *error)
{
    for (int k = 0; k < n; k++)
        state->u[k] = (k == i) + (k == j);
    carom_status status = carom_system_evaluate(system, CAROM_WANT_FORCES, state, error);
    if (!status)
        carom_dense_copy(n, state->h, out);
    return status;
}

carom_status carom_boundary_affinities(const carom_system *system, carom_state *state,
                                       carom_arena *arena, double *out, carom_error *error)
{
    CAROM_NEED(error, system, state, state->q, arena, out);
    const carom_system_shape *shape = carom_system_get_shape(system);
    const int n = shape->n;
    const size_t size = (size_t)n;
    carom_mark mark = carom_arena_mark(arena);
    double *u = carom_arena_doubles(arena, size * (size + 5) + size * size);
    if (!u)
        return carom_error_memory(error);
    double *none = u + n, *both = none + n, *one = both + n, *L = one + size * size;
    carom_dense_copy(n, state->u, u);
    carom_status status = forces_at(system, state, n, -1, -1, none, error);
    for (int i = 0; i < n && !status; i++)
        status = forces_at(system, state, n, i, -1, one + (size_t)i * size, error);
    /* h(u) = h_0 + h_1 u - Gamma(u, u): polarise, and raise the index with M^-1 */
    for (int j = 0; j < n && !status; j++)
        for (int i = 0; i <= j && !status; i++) {
            double *to = out + ((size_t)i + (size_t)j * size) * size;
            status = forces_at(system, state, n, i, j, both, error);
            for (int k = 0; k < n; k++)
                to[k] = -0.5 *
                        (both[k] - one[k + (size_t)i * size] - one[k + (size_t)j * size] + none[k]);
            if (!status && !divide(n, state->M, shape->mass_is_diagonal, L, to))
                status = carom_error_set(error, CAROM_ERROR_NUMERIC,
                                         "affinities: the mass matrix is not positive definite");
            carom_dense_copy(n, to, out + ((size_t)j + (size_t)i * size) * size);
        }
    carom_dense_copy(n, u, state->u);
    carom_arena_rewind(arena, mark);
    return status ? status : carom_system_evaluate(system, CAROM_WANT_ALL, state, error);
}
