/* Large and spatial frictional impacts: sweeps over the contacts (block Gauss-Seidel with exact
 * single-contact solutions) find the modes, Newton's method on the modes gives the digits. */
#include "base/arena.h"
#include "law/friction.h"
#include "linalg/min_norm.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double goal = 1e-13; /* residual that ends the search */

/* The modes of x for Newton: spatial slip by its angle. */
typedef struct newton {
    const carom_friction *f;
    carom_mode *mode; /* p */
    int m;            /* unknowns */
    double *z, *F;    /* m */
    double *Jacobian; /* m x m */
    double *x, *xi;   /* N */
    double *column;   /* N */
    int *pivot;
} newton;

static int unknowns(const newton *w, int i)
{
    int s = w->f->row[i + 1] - w->f->row[i] - 1;
    switch (w->mode[i]) {
    case CAROM_MODE_OPEN:
        return 0;
    case CAROM_MODE_STICK:
        return 1 + s;
    case CAROM_MODE_SLIP:
        return 2;
    default:
        return 1;
    }
}

static void impulse_of(const newton *w, int i, const double *z, double *x)
{
    int s = w->f->row[i + 1] - w->f->row[i] - 1;
    double mu = w->f->mu_d[i];
    for (int k = 0; k <= s; k++)
        x[k] = 0;
    switch (w->mode[i]) {
    case CAROM_MODE_OPEN:
        return;
    case CAROM_MODE_STICK:
        for (int k = 0; k <= s; k++)
            x[k] = z[k];
        return;
    case CAROM_MODE_SLIP:
        x[0] = z[0];
        x[1] = -mu * z[0] * cos(z[1]);
        x[2] = -mu * z[0] * sin(z[1]);
        return;
    case CAROM_MODE_CLOSED:
        x[0] = z[0];
        return;
    default:
        x[0] = z[0];
        x[1] = w->mode[i] == CAROM_MODE_SLIP_PLUS ? -mu * z[0] : mu * z[0];
    }
}

/* dx/dz_k of contact i. */
static void impulse_slope(const newton *w, int i, const double *z, int k, double *d)
{
    double mu = w->f->mu_d[i];
    d[0] = d[1] = d[2] = 0;
    if (w->mode[i] == CAROM_MODE_SLIP) {
        d[0] = k == 0;
        d[1] = k == 0 ? -mu * cos(z[1]) : mu * z[0] * sin(z[1]);
        d[2] = k == 0 ? -mu * sin(z[1]) : -mu * z[0] * cos(z[1]);
    } else {
        d[k] = 1;
        if (w->mode[i] == CAROM_MODE_SLIP_PLUS || w->mode[i] == CAROM_MODE_SLIP_MINUS)
            d[1] = w->mode[i] == CAROM_MODE_SLIP_PLUS ? -mu : mu;
    }
}

/* The equations of contact i applied to a velocity-like vector. */
static void equations(const newton *w, int i, const double *z, const double *xi, double *out)
{
    const double *v = xi + w->f->row[i];
    int count = unknowns(w, i);
    for (int k = 0; k < count; k++)
        out[k] = v[k];
    if (w->mode[i] == CAROM_MODE_SLIP)
        out[1] = -sin(z[1]) * v[1] + cos(z[1]) * v[2];
}

static void newton_start(newton *w, const double *x)
{
    const carom_friction *f = w->f;
    carom_friction_velocity(f, x, w->xi);
    carom_friction_modes(f, x, w->mode);
    w->m = 0;
    for (int i = 0; i < f->p; i++) {
        const double *xr = x + f->row[i], *v = w->xi + f->row[i];
        double *z = w->z + w->m;
        int count = unknowns(w, i);
        for (int k = 0; k < count; k++)
            z[k] = xr[k];
        if (w->mode[i] == CAROM_MODE_SLIP)
            z[1] = atan2(v[2], v[1]);
        w->m += count;
    }
}

static void newton_evaluate(newton *w)
{
    const carom_friction *f = w->f;
    for (int i = 0, c = 0; i < f->p; c += unknowns(w, i), i++)
        impulse_of(w, i, w->z + c, w->x + f->row[i]);
    carom_friction_velocity(f, w->x, w->xi);
    for (int i = 0, c = 0; i < f->p; c += unknowns(w, i), i++)
        equations(w, i, w->z + c, w->xi, w->F + c);
}

static void newton_jacobian(newton *w)
{
    const carom_friction *f = w->f;
    int N = f->N, m = w->m;
    for (int j = 0, cj = 0; j < f->p; cj += unknowns(w, j), j++) {
        int rows = f->row[j + 1] - f->row[j];
        for (int k = 0; k < unknowns(w, j); k++) {
            double d[3];
            impulse_slope(w, j, w->z + cj, k, d);
            memset(w->column, 0, sizeof *w->column * (size_t)N);
            for (int r = 0; r < rows; r++) {
                const double *A = f->A + (size_t)(f->row[j] + r) * N;
                for (int e = 0; d[r] != 0 && e < N; e++)
                    w->column[e] += A[e] * d[r];
            }
            double *out = w->Jacobian + (size_t)(cj + k) * m;
            for (int i = 0, ci = 0; i < f->p; ci += unknowns(w, i), i++)
                equations(w, i, w->z + ci, w->column, out + ci);
            if (w->mode[j] == CAROM_MODE_SLIP && k == 1) { /* the turning of d_perp itself */
                const double *v = w->xi + f->row[j];
                double angle = w->z[cj + 1];
                out[cj + 1] += -cos(angle) * v[1] - sin(angle) * v[2];
            }
        }
    }
}

/* z -= J^-1 F, in the least-squares sense when J is singular (dependent contacts). */
static carom_status newton_step(newton *w, carom_arena *arena, carom_error *error)
{
    int m = w->m;
    carom_mark mark = carom_arena_mark(arena);
    double *J = carom_arena_doubles(arena, (size_t)m * m), *dz = carom_arena_doubles(arena, m);
    if (!J || !dz)
        return carom_error_memory(error);
    memcpy(J, w->Jacobian, sizeof *J * (size_t)m * m);
    memcpy(dz, w->F, sizeof *dz * (size_t)m);
    bool singular = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, m, J, m, w->pivot) != 0;
    double largest = 0, least = INFINITY;
    for (int k = 0; k < m; k++) {
        largest = fmax(largest, fabs(J[k + (size_t)k * m]));
        least = fmin(least, fabs(J[k + (size_t)k * m]));
    }
    if (!singular && least > 1e-12 * largest) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', m, 1, J, m, w->pivot, dz, m);
    } else {
        carom_min_norm info;
        carom_status status =
            carom_min_norm_solve(m, m, w->Jacobian, w->F, 1e-12, arena, dz, &info, error);
        if (status)
            return status;
    }
    for (int k = 0; k < m; k++)
        w->z[k] -= dz[k];
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* Newton from x on its modes; x is replaced when that lowers the residual. */
static carom_status polish(newton *w, carom_arena *arena, double *x, double *residual,
                           carom_error *error)
{
    const carom_friction *f = w->f;
    newton_start(w, x);
    if (w->m == 0)
        return CAROM_OK;
    newton_evaluate(w);
    double last = INFINITY;
    for (int k = 0; k < 20; k++) {
        newton_jacobian(w);
        carom_status status = newton_step(w, arena, error);
        if (status)
            return status;
        newton_evaluate(w);
        for (int i = 0; i < f->p; i++) /* rounding leaves -0 or -1e-17 where a contact ends */
            w->x[f->row[i]] = fmax(w->x[f->row[i]], 0);
        double now = carom_friction_residual(f, w->x);
        if (now < *residual) {
            *residual = now;
            memcpy(x, w->x, sizeof *x * (size_t)f->N);
        }
        if (!(now < 0.5 * last))
            break;
        last = now;
    }
    return CAROM_OK;
}

/* One pass; xi is kept up to date. The least impulse of the local solutions is taken. */
static void sweep(const carom_friction *f, double *x, double *xi, bool backward)
{
    int N = f->N;
    for (int step = 0; step < f->p; step++) {
        int i = backward ? f->p - 1 - step : step;
        int r = f->row[i], rows = f->row[i + 1] - r;
        double xs[3 * CAROM_FRICTION_LOCAL], old[3];
        for (int k = 0; k < rows; k++)
            old[k] = xi[r + k];
        for (int k = 0; k < rows; k++) /* the part of xi that others cause */
            for (int j = 0; j < rows; j++)
                xi[r + k] -= f->A[r + k + (size_t)(r + j) * N] * x[r + j];
        int count = carom_friction_local(f, i, xi, f->floor, xs);
        for (int k = 0; k < rows; k++)
            xi[r + k] = old[k];
        if (count == 0)
            continue;
        for (int j = 0; j < rows; j++) {
            double d = xs[j] - x[r + j];
            x[r + j] = xs[j];
            for (int e = 0; d != 0 && e < N; e++)
                xi[e] += f->A[e + (size_t)(r + j) * N] * d;
        }
    }
}

static carom_status newton_room(newton *w, const carom_friction *f, carom_arena *arena,
                                carom_error *error)
{
    int N = f->N;
    w->f = f;
    w->mode = carom_arena_array(arena, f->p, sizeof *w->mode);
    w->z = carom_arena_doubles(arena, N);
    w->F = carom_arena_doubles(arena, N);
    w->Jacobian = carom_arena_doubles(arena, (size_t)N * N);
    w->x = carom_arena_doubles(arena, N);
    w->xi = carom_arena_doubles(arena, N);
    w->column = carom_arena_doubles(arena, N);
    w->pivot = carom_arena_array(arena, N, sizeof *w->pivot);
    if (!w->mode || !w->z || !w->F || !w->Jacobian || !w->x || !w->xi || !w->column || !w->pivot)
        return carom_error_memory(error);
    return CAROM_OK;
}

carom_status carom_friction_sweep(const carom_friction *problem, carom_arena *arena, double *x,
                                  double *residual, int *sweeps, carom_error *error)
{
    const carom_friction *f = problem;
    newton w = {0};
    carom_status status = newton_room(&w, f, arena, error);
    double *best = carom_arena_doubles(arena, f->N), *xi = carom_arena_doubles(arena, f->N);
    if (status || !best || !xi)
        return status ? status : carom_error_memory(error);
    memcpy(best, x, sizeof *x * (size_t)f->N);
    double least = carom_friction_residual(f, x);
    /* at most about 2e9 multiplications */
    double budget = 2e9 / ((double)f->N * f->N);
    int limit = budget > 20000 ? 20000 : budget < 200 ? 200 : (int)budget, next = 4, k = 0;
    for (; k < limit && least > goal; k++) {
        if (k % 16 == 0)
            carom_friction_velocity(f, x, xi);
        sweep(f, x, xi, k % 2 == 1);
        bool due = k + 1 == next;
        if (!due && k % 4)
            continue;
        double now = carom_friction_residual(f, x);
        if (now < least) {
            least = now;
            memcpy(best, x, sizeof *x * (size_t)f->N);
        }
        if (!due)
            continue;
        next *= 2;
        double tried = now;
        memcpy(w.column, x, sizeof *x * (size_t)f->N);
        double *start = carom_arena_doubles(arena, f->N);
        if (!start)
            return carom_error_memory(error);
        memcpy(start, x, sizeof *x * (size_t)f->N);
        status = polish(&w, arena, start, &tried, error);
        if (status)
            return status;
        if (tried < least) {
            least = tried;
            memcpy(best, start, sizeof *x * (size_t)f->N);
        }
    }
    memcpy(x, best, sizeof *x * (size_t)f->N);
    *residual = least;
    *sweeps = k;
    return CAROM_OK;
}
