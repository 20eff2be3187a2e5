/* Large and spatial frictional impacts: sweeps over the contacts (block Gauss-Seidel with exact
 * single-contact solutions) find the modes, Newton's method on the modes gives the digits. */
#include "base/arena.h"
#include "law/friction.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double goal = 1e-13; /* residual that ends the search */

/* The modes of x for Newton: spatial slip by its angle. */
typedef struct newton {
    const carom_friction *f;
    carom_mode *mode;     /* p */
    int m;                /* unknowns */
    double *z, *F;        /* m */
    double *Jacobian;     /* m x m */
    double *x, *xi;       /* N */
    double *column;       /* N */
    double *from, *clean; /* N */
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

/* Modes of x as it stands. */
static void modes_of(newton *w, const double *x)
{
    const carom_friction *f = w->f;
    carom_friction_velocity(f, x, w->xi);
    carom_friction_modes(f, x, w->mode);
    for (int i = 0; i < f->p; i++) /* infinite friction does not slide; it is on its way to stick */
        if (w->mode[i] >= CAROM_MODE_SLIP_PLUS && isinf(f->mu_d[i]))
            w->mode[i] = CAROM_MODE_STICK;
}

/* Modes that x - xi, projected on the cone, points to: what the contact law makes of the present
 * impulses and velocities together (augmented Lagrangian, Alart and Curnier). Left in w->column. */
static void modes_ahead(newton *w, const double *x)
{
    const carom_friction *f = w->f;
    carom_friction_velocity(f, x, w->xi);
    for (int k = 0; k < f->N; k++)
        w->column[k] = x[k] - w->xi[k];
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i], s = f->row[i + 1] - r - 1;
        const double *a = w->column + r;
        double force = s == 2 ? hypot(a[1], a[2]) : s ? fabs(a[1]) : 0;
        if (!f->equality[i] && a[0] <= 0)
            w->mode[i] = CAROM_MODE_OPEN;
        else if (s == 0)
            w->mode[i] = CAROM_MODE_CLOSED;
        else if (isinf(f->mu_d[i]) || force <= f->mu_s[i] * fmax(a[0], 0))
            w->mode[i] = CAROM_MODE_STICK;
        else if (s == 2)
            w->mode[i] = CAROM_MODE_SLIP;
        else
            w->mode[i] = a[1] < 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
    }
}

/* Unknowns for the modes: impulses of x, sliding angles from a velocity-like vector times sign. */
static void newton_start(newton *w, const double *x, const double *direction, double sign)
{
    const carom_friction *f = w->f;
    w->m = 0;
    for (int i = 0; i < f->p; i++) {
        const double *xr = x + f->row[i], *v = direction + f->row[i];
        double *z = w->z + w->m;
        int count = unknowns(w, i);
        for (int k = 0; k < count; k++)
            z[k] = xr[k];
        if (w->mode[i] == CAROM_MODE_SLIP)
            z[1] = atan2(sign * v[2], sign * v[1]);
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

/* z -= J^-1 F. When J is singular (dependent contacts): of least norm for small systems, else by a
 * small shift J + delta I and corrections, which leave the kernel alone and converge on the range.
 */
static carom_status newton_step(newton *w, carom_arena *arena, carom_error *error)
{
    enum { SMALL = 12, CORRECTIONS = 3 };
    int m = w->m;
    carom_mark mark = carom_arena_mark(arena);
    double *J = carom_arena_doubles(arena, (size_t)m * m), *dz = carom_arena_doubles(arena, m);
    double *left = carom_arena_doubles(arena, m);
    if (!J || !dz || !left)
        return carom_error_memory(error);
    memcpy(J, w->Jacobian, sizeof *J * (size_t)m * m);
    memcpy(dz, w->F, sizeof *dz * (size_t)m);
    bool singular = m && LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, m, J, m, w->pivot) != 0;
    double largest = 0, least = INFINITY;
    for (int k = 0; k < m; k++) {
        largest = fmax(largest, fabs(J[k + (size_t)k * m]));
        least = fmin(least, fabs(J[k + (size_t)k * m]));
    }
    singular = singular || !(least > 1e-12 * largest);
    if (!singular) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', m, 1, J, m, w->pivot, dz, m);
    } else if (m <= SMALL) {
        carom_min_norm info;
        carom_status status =
            carom_min_norm_solve(m, m, w->Jacobian, w->F, 1e-12, arena, dz, &info, error);
        if (status)
            return status;
    } else {
        memcpy(J, w->Jacobian, sizeof *J * (size_t)m * m);
        for (int k = 0; k < m; k++)
            J[k + (size_t)k * m] += 1e-9;
        if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, m, J, m, w->pivot))
            memset(dz, 0, sizeof *dz * (size_t)m); /* no step */
        else
            LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', m, 1, J, m, w->pivot, dz, m);
        for (int round = 0; round < CORRECTIONS; round++) {
            memcpy(left, w->F, sizeof *left * (size_t)m);
            carom_dense_gemv(m, m, -1, w->Jacobian, m, dz, left);
            LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', m, 1, J, m, w->pivot, left, m);
            carom_dense_axpy(m, 1, left, dz);
        }
    }
    for (int k = 0; k < m; k++)
        w->z[k] -= dz[k];
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

/* Keep the point of w when it is better than x. */
static double keep_better(newton *w, double *x, double *residual)
{
    const carom_friction *f = w->f;
    for (int i = 0; i < f->p; i++) /* rounding leaves -0 or -1e-17 where a contact ends */
        w->clean[f->row[i]] = fmax(w->x[f->row[i]], 0);
    for (int i = 0; i < f->p; i++)
        for (int k = f->row[i] + 1; k < f->row[i + 1]; k++)
            w->clean[k] = w->x[k];
    double now = carom_friction_residual(f, w->clean);
    if (now < *residual) {
        *residual = now;
        memcpy(x, w->clean, sizeof *x * (size_t)f->N);
    }
    return now;
}

/* Newton from x on its modes; x is replaced when that lowers the residual. */
static carom_status polish(newton *w, carom_arena *arena, double *x, double *residual,
                           carom_error *error)
{
    modes_of(w, x);
    newton_start(w, x, w->xi, 1);
    newton_evaluate(w);
    double last = INFINITY;
    for (int k = 0; k < 20 && w->m; k++) {
        newton_jacobian(w);
        carom_status status = newton_step(w, arena, error);
        if (status)
            return status;
        newton_evaluate(w);
        double now = keep_better(w, x, residual);
        if (!(now < 0.5 * last))
            break;
        last = now;
    }
    return CAROM_OK;
}

/* Newton with the modes chosen anew in every step. */
static carom_status pursue(newton *w, carom_arena *arena, double *x, double *residual,
                           carom_error *error)
{
    const carom_friction *f = w->f;
    memcpy(w->x, x, sizeof *x * (size_t)f->N);
    double least = INFINITY;
    for (int k = 0, idle = 0; k < 40 && idle < 5 && *residual > goal; k++, idle++) {
        memcpy(w->from, w->x, sizeof *x * (size_t)f->N);
        modes_ahead(w, w->from);
        newton_start(w, w->from, w->column, -1);
        newton_evaluate(w);
        newton_jacobian(w);
        carom_status status = newton_step(w, arena, error);
        if (status)
            return status;
        newton_evaluate(w);
        double now = keep_better(w, x, residual);
        if (!isfinite(now))
            return CAROM_OK;
        if (now < 0.9 * least) {
            least = now;
            idle = 0;
        }
    }
    return CAROM_OK;
}

/* Rows that each contact acts on, as ranges: first[i] ... first[i+1] - 1 index row pairs. */
typedef struct neighbours {
    int *first, *contact;
} neighbours;

static carom_status find_neighbours(const carom_friction *f, carom_arena *arena, neighbours *near,
                                    carom_error *error)
{
    near->first = carom_arena_array(arena, (size_t)f->p + 1, sizeof *near->first);
    near->contact = carom_arena_array(arena, (size_t)f->p * (size_t)f->p, sizeof *near->contact);
    if (!near->first || !near->contact)
        return carom_error_memory(error);
    near->first[0] = 0;
    for (int i = 0, count = 0; i < f->p; near->first[++i] = count)
        for (int j = 0; j < f->p; j++) {
            bool acts = false;
            for (int c = f->row[i]; c < f->row[i + 1]; c++)
                for (int r = f->row[j]; r < f->row[j + 1]; r++)
                    acts = acts || f->A[r + (size_t)c * f->N] != 0;
            if (acts)
                near->contact[count++] = j;
        }
    return CAROM_OK;
}

/* xi += A_column d on the rows that see contact i. */
static void push(const carom_friction *f, const neighbours *near, int i, int column, double d,
                 double *xi)
{
    const double *A = f->A + (size_t)column * f->N;
    for (int k = near->first[i]; d != 0 && k < near->first[i + 1]; k++)
        for (int r = f->row[near->contact[k]]; r < f->row[near->contact[k] + 1]; r++)
            xi[r] += A[r] * d;
}

/* One pass; xi is kept up to date. The least impulse of the local solutions is taken. */
static void sweep(const carom_friction *f, const neighbours *near, double *x, double *xi,
                  bool backward)
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
            push(f, near, i, r + j, d, xi);
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
    w->from = carom_arena_doubles(arena, N);
    w->clean = carom_arena_doubles(arena, N);
    w->pivot = carom_arena_array(arena, N, sizeof *w->pivot);
    if (!w->from || !w->clean || !w->mode || !w->z || !w->F || !w->Jacobian || !w->x || !w->xi ||
        !w->column || !w->pivot)
        return carom_error_memory(error);
    return CAROM_OK;
}

/* Newton's method from x, in `start`; best and least are replaced when it is better. */
static carom_status try_newton(newton *w, carom_arena *arena, const double *x, double *start,
                               double *best, double *least, carom_error *error)
{
    const size_t size = sizeof *x * (size_t)w->f->N;
    memcpy(start, x, size);
    double tried = carom_friction_residual(w->f, x);
    carom_status status = polish(w, arena, start, &tried, error);
    if (!status && tried > goal)
        status = pursue(w, arena, start, &tried, error);
    if (!status && tried < *least) {
        *least = tried;
        memcpy(best, start, size);
    }
    return status;
}

carom_status carom_friction_sweep(const carom_friction *problem, carom_arena *arena, double *x,
                                  double *residual, int *sweeps, carom_error *error)
{
    const carom_friction *f = problem;
    newton w = {0};
    carom_status status = newton_room(&w, f, arena, error);
    double *best = carom_arena_doubles(arena, f->N), *xi = carom_arena_doubles(arena, f->N);
    double *start = carom_arena_doubles(arena, f->N);
    neighbours near;
    if (!status)
        status = find_neighbours(f, arena, &near, error);
    if (status || !best || !xi || !start)
        return status ? status : carom_error_memory(error);
    memcpy(best, x, sizeof *x * (size_t)f->N);
    double least = carom_friction_residual(f, x);
    int limit = f->N < 100 ? 20000 : 5000, next = 4, k = 0;
    if (carom_dense_max(f->N, x) > 0) { /* a start that may know the modes already */
        status = try_newton(&w, arena, x, start, best, &least, error);
        if (status)
            return status;
    }
    for (; k < limit && least > goal; k++) {
        if (k % 16 == 0)
            carom_friction_velocity(f, x, xi);
        sweep(f, &near, x, xi, k % 2 == 1);
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
        status = try_newton(&w, arena, x, start, best, &least, error);
        if (status)
            return status;
    }
    memcpy(x, best, sizeof *x * (size_t)f->N);
    *residual = least;
    *sweeps = k;
    return CAROM_OK;
}
