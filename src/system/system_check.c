/* What must hold at a state: positive definite mass, gap gradients that do not vanish. */
#include "carom/need.h"
#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Write a direction of velocity as "x' = 1, th' = -0.5", the largest entries first to fit. */
static void name_direction(const carom_system_shape *s, const double *v, char *text, size_t size)
{
    double largest = 0;
    size_t used = 0;
    int shown = 0, more = 0;
    for (int i = 0; i < s->n; i++)
        largest = fmax(largest, fabs(v[i]));
    for (int i = 0; i < s->n; i++) {
        if (fabs(v[i]) <= CAROM_TOLERANCE_CARRIED * largest)
            continue;
        if (shown == 8 || used + 80 > size) {
            more++;
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%.40s = %.6g", shown ? ", " : "",
                                 s->velocities[i], v[i] / largest);
        shown++;
    }
    if (more && used < size)
        snprintf(text + used, size - used, ", and %d more", more);
}

static carom_status refuse_mass(const carom_system *system, const double *v, double energy,
                                carom_error *error)
{
    char direction[512] = "";
    int line = 0, column = 0;
    name_direction(&system->shape, v, direction, sizeof direction);
    if (system->ops->locate)
        system->ops->locate(system->self, CAROM_WANT_MASS, 0, &line, &column);
    return carom_error_at(error, CAROM_ERROR_INPUT, line, column,
                          "the kinetic energy is not positive definite: in the direction of "
                          "velocity %s it is %s",
                          direction, energy < 0 ? "negative" : "zero");
}

/* The scaled matrix S M S with unit diagonal, so that masses of any size are judged alike. */
static void scale_mass(int n, const double *M, const double *scale, double *L)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            L[i + (size_t)j * (size_t)n] = scale[i] * M[i + (size_t)j * (size_t)n] * scale[j];
}

/* The first pivot of S M S = L L' that is zero or negative, -1 if there is none. */
static int first_bad_pivot(int n, double *L)
{
    int failed = carom_cholesky_factor(n, L, n);
    int end = failed ? failed - 1 : n;
    for (int k = 0; k < end; k++) {
        double pivot = L[k + (size_t)k * (size_t)n];
        if (pivot * pivot <= CAROM_TOLERANCE_SUM * n)
            return k;
    }
    return failed ? end : -1;
}

/* With pivot k the first that is not positive and y = M_kk^-1 m_k of the block before it,
 * v = (-y, 1, 0 ...) has v'Mv = that pivot. */
static carom_status check_dense(const carom_system *system, const double *M, carom_arena *arena,
                                carom_error *error)
{
    int n = system->shape.n;
    double *L = carom_arena_doubles(arena, (size_t)n * (size_t)n);
    double *v = carom_arena_zeros(arena, (size_t)n, sizeof *v);
    double *scale = carom_arena_doubles(arena, (size_t)n);
    if (!L || !v || !scale)
        return carom_error_memory(error);
    for (int j = 0; j < n; j++) {
        double diagonal = M[j + (size_t)j * (size_t)n];
        if (!(diagonal > 0)) {
            v[j] = 1;
            return refuse_mass(system, v, diagonal, error);
        }
        scale[j] = 1 / sqrt(diagonal);
    }
    scale_mass(n, M, scale, L);
    int k = first_bad_pivot(n, L);
    if (k < 0)
        return CAROM_OK;
    scale_mass(n, M, scale, L);
    double *column = L + (size_t)k * (size_t)n, pivot = 1;
    memcpy(v, column, (size_t)k * sizeof *v);
    carom_cholesky_factor(k, L, n);
    carom_cholesky_solve(k, L, n, v);
    for (int i = 0; i < k; i++) {
        pivot -= v[i] * column[i];
        v[i] *= -scale[i];
    }
    v[k] = scale[k];
    return refuse_mass(system, v, pivot < -CAROM_TOLERANCE_SUM * n ? -1 : 0, error);
}

static carom_status check_diagonal(const carom_system *system, const double *M, carom_arena *arena,
                                   carom_error *error)
{
    for (int j = 0; j < system->shape.n; j++)
        if (!(M[j] > 0)) {
            double *v = carom_arena_zeros(arena, (size_t)system->shape.n, sizeof *v);
            if (!v)
                return carom_error_memory(error);
            v[j] = 1;
            return refuse_mass(system, v, M[j], error);
        }
    return CAROM_OK;
}

/* A column of W that is zero, or not one number of it is of normal size. */
static carom_status check_gradients(const carom_system *system, double closed,
                                    const carom_state *state, carom_error *error)
{
    const carom_system_shape *s = &system->shape;
    for (int i = 0; i < s->p; i++) {
        const double *w = state->W + (size_t)i * (size_t)s->n;
        bool vanishes = true;
        for (int j = 0; j < s->n; j++)
            vanishes = vanishes && fabs(w[j]) < DBL_MIN;
        if (!vanishes || !(state->g[i] <= closed))
            continue;
        int line = 0, column = 0;
        if (system->ops->locate)
            system->ops->locate(system->self, CAROM_WANT_GAPS, i, &line, &column);
        return carom_error_at(
            error, CAROM_ERROR_INPUT, line, column,
            "the gradient of the gap of contact '%.60s' vanishes where the gap is "
            "%.9g: the contact has no normal there",
            s->contacts[i].name, state->g[i]);
    }
    return CAROM_OK;
}

carom_status carom_system_check(const carom_system *system, double closed, carom_arena *arena,
                                carom_state *state, carom_error *error)
{
    CAROM_NEED(error, system, arena, state, state->q, state->u);
    const bool contacts = closed > -INFINITY;
    unsigned want = CAROM_WANT_MASS | (contacts ? CAROM_WANT_GAPS | CAROM_WANT_NORMALS : 0);
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = carom_system_evaluate(system, want, state, error);
    if (!status)
        status = system->shape.mass_is_diagonal ? check_diagonal(system, state->M, arena, error)
                                                : check_dense(system, state->M, arena, error);
    if (!status && contacts)
        status = check_gradients(system, closed, state, error);
    carom_arena_rewind(arena, mark);
    return status;
}
