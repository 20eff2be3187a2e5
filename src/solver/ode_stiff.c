/* Extrapolation of the linearly implicit Euler method. */
#include "solver/ode_stiff.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/lu.h"

enum { K = CAROM_ODE_STIFF_ORDER };

carom_status carom_ode_stiff_create(carom_arena *arena, int n, carom_ode_rhs *f, void *self,
                                    carom_ode_stiff *ode, carom_error *error)
{
    const size_t m = (size_t)n;
    *ode = (carom_ode_stiff){.n = n, .f = f, .self = self};
    double *d = carom_arena_zeros(arena, 2 * m * m + (6 + K) * m, sizeof(double));
    ode->pivot = carom_arena_array(arena, m, sizeof(int));
    if (!d || !ode->pivot)
        return carom_error_memory(error);
    ode->y = d;
    ode->next = d += m;
    ode->less = d += m;
    ode->move = d += m;
    ode->slope = d += m;
    ode->shifted = d += m;
    ode->table = d += m;
    ode->J = d += K * m;
    ode->LU = d + m * m;
    return CAROM_OK;
}

carom_status carom_ode_stiff_linearise(carom_ode_stiff *o, double t, const double *size,
                                       carom_error *error)
{
    const int n = o->n;
    carom_status status = o->f(o->self, t, o->y, o->slope, error);
    memcpy(o->shifted, o->y, sizeof(double) * (size_t)n);
    for (int j = 0; j < n && status == CAROM_OK; j++) {
        double *column = o->J + (size_t)j * (size_t)n;
        const double d = sqrt(DBL_EPSILON) * fmax(fabs(o->y[j]), size[j]);
        o->shifted[j] = o->y[j] + d;
        const double real = o->shifted[j] - o->y[j];
        status = o->f(o->self, t, o->shifted, column, error);
        for (int i = 0; i < n; i++)
            column[i] = real != 0 ? (column[i] - o->slope[i]) / real : 0;
        o->shifted[j] = o->y[j];
    }
    o->evaluations += n + 1;
    return status;
}

/* `parts` steps (I - h J)(y' - y) = h f(t', y) into `end`; where I - h J is singular that is not a
 * number, which the estimate of the error calls infinite. */
static carom_status go(carom_ode_stiff *o, int parts, double *end, carom_error *error)
{
    const int n = o->n;
    const double h = o->h / parts;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            o->LU[i + (size_t)j * (size_t)n] = (i == j) - h * o->J[i + (size_t)j * (size_t)n];
    memcpy(end, o->y, sizeof(double) * (size_t)n);
    if (carom_lu_factor(n, o->LU, n, o->pivot, DBL_EPSILON * DBL_EPSILON) != 0) {
        for (int i = 0; i < n; i++)
            end[i] = NAN;
        return CAROM_OK;
    }
    for (int k = 1; k <= parts; k++) {
        carom_status status = o->f(o->self, o->t + k * h, end, o->move, error);
        if (status != CAROM_OK)
            return status;
        for (int i = 0; i < n; i++)
            o->move[i] *= h;
        carom_lu_solve(n, o->LU, n, o->pivot, o->move);
        for (int i = 0; i < n; i++)
            end[i] += o->move[i];
    }
    o->evaluations += parts;
    return CAROM_OK;
}

/* The table of Aitken and Neville for 1, 2, 3 ... parts, kept as its last row. */
carom_status carom_ode_stiff_try(carom_ode_stiff *o, double t, double h, carom_error *error)
{
    const int n = o->n;
    o->t = t;
    o->h = h;
    for (int j = 0; j < K; j++) {
        carom_status status = go(o, j + 1, o->next, error);
        if (status != CAROM_OK)
            return status;
        for (int k = 0; k <= j; k++) { /* next: T_j,k; table[k]: T_j-1,k, then T_j,k */
            double *row = o->table + (size_t)k * (size_t)n;
            const double weight = k < j ? 1 / ((j + 1.0) / (j - k) - 1) : 0;
            if (k == j)
                memcpy(o->less, k > 0 ? row - n : o->next, sizeof(double) * (size_t)n);
            for (int i = 0; i < n; i++) {
                const double before = row[i];
                row[i] = o->next[i];
                if (k < j)
                    o->next[i] += (o->next[i] - before) * weight;
            }
        }
    }
    return CAROM_OK;
}

double carom_ode_stiff_error(const carom_ode_stiff *o, const double *scale)
{
    double most = 0;
    for (int i = 0; i < o->n; i++) {
        const double d = fabs(o->next[i] - o->less[i]);
        if (!(d <= DBL_MAX))
            return INFINITY;
        if (d > 0)
            most = fmax(most, d / scale[i]);
    }
    return most;
}

double carom_ode_stiff_factor(double err)
{
    const double f = err > 0 ? 0.9 * pow(err, -1.0 / K) : 8;
    return f < 0.2 ? 0.2 : f > 8 ? 8 : f;
}
