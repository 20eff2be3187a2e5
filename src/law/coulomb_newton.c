/* Newton's method on the modes of a frictional impact problem. */
#include "law/coulomb_newton.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/min_norm.h"

#include <math.h>
#include <string.h>

carom_status carom_coulomb_newton_room(const carom_coulomb *problem, carom_arena *arena,
                                       carom_coulomb_newton *newton, carom_error *error)
{
    size_t N = (size_t)problem->N;
    newton->f = problem;
    newton->mode = carom_arena_array(arena, (size_t)problem->p, sizeof *newton->mode);
    newton->Jacobian = carom_arena_doubles(arena, N * (N + 6));
    newton->pivot = carom_arena_array(arena, N, sizeof *newton->pivot);
    if (!newton->mode || !newton->Jacobian || !newton->pivot)
        return carom_error_memory(error);
    newton->z = newton->Jacobian + N * N;
    newton->F = newton->z + N;
    newton->x = newton->F + N;
    newton->xi = newton->x + N;
    newton->column = newton->xi + N;
    newton->step = newton->column + N;
    newton->m = 0;
    return CAROM_OK;
}

/* What a mode leaves open: nothing where the contact opens; all impulses where it sticks; where it
 * slips in space the normal impulse and the angle a of the slip, since friction is mu times the
 * normal impulse and opposes it, x = n (1, -mu cos a, -mu sin a); else the normal impulse alone. */
static int unknowns(const carom_coulomb_newton *w, int i)
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

static void impulse_of(const carom_coulomb_newton *w, int i, const double *z, double *x)
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

/* x of z less x of z - d, of contact i, as a sum of products with d: with n = z_0 - d_0
 *     z_0 cos z_1 - n cos(z_1 - d_1) = d_0 cos z_1 + n (cos z_1 - cos(z_1 - d_1)),
 * and the last difference is -2 sin(d_1/2) sin(z_1 - d_1/2). Small steps keep all their digits,
 * which the difference of two impulses would not. */
static void impulse_change(const carom_coulomb_newton *w, int i, const double *z, const double *d,
                           double *x)
{
    if (w->mode[i] != CAROM_MODE_SLIP) { /* linear in z */
        impulse_of(w, i, d, x);
        return;
    }
    const double mu = w->f->mu_d[i], n = z[0] - d[0];
    const double chord = 2 * sin(d[1] / 2), middle = z[1] - d[1] / 2;
    x[0] = d[0];
    x[1] = -mu * (d[0] * cos(z[1]) - n * chord * sin(middle));
    x[2] = -mu * (d[0] * sin(z[1]) + n * chord * cos(middle));
}

void carom_coulomb_newton_change(const carom_coulomb_newton *w, double *change)
{
    for (int i = 0, c = 0; i < w->f->p; c += unknowns(w, i), i++)
        impulse_change(w, i, w->z + c, w->step + c, change + w->f->row[i]);
}

/* dx/dz_k of contact i. */
static void impulse_slope(const carom_coulomb_newton *w, int i, const double *z, int k, double *d)
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

/* The equations of contact i applied to a velocity-like vector: what it holds does not move. Where
 * it slips in space, that is the normal, and the slip across the direction of the angle. */
static void equations(const carom_coulomb_newton *w, int i, const double *z, const double *xi,
                      double *out)
{
    const double *v = xi + w->f->row[i];
    int count = unknowns(w, i);
    for (int k = 0; k < count; k++)
        out[k] = v[k];
    if (w->mode[i] == CAROM_MODE_SLIP)
        out[1] = -sin(z[1]) * v[1] + cos(z[1]) * v[2];
}

void carom_coulomb_newton_start(carom_coulomb_newton *w, const double *x, const double *direction,
                                double sign)
{
    const carom_coulomb *f = w->f;
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

void carom_coulomb_newton_impulses(carom_coulomb_newton *w)
{
    for (int i = 0, c = 0; i < w->f->p; c += unknowns(w, i), i++)
        impulse_of(w, i, w->z + c, w->x + w->f->row[i]);
}

void carom_coulomb_newton_equations(carom_coulomb_newton *w, const double *xi)
{
    for (int i = 0, c = 0; i < w->f->p; c += unknowns(w, i), i++)
        equations(w, i, w->z + c, xi, w->F + c);
}

/* Column by column: A dx/dz_k is what the velocities change by, and the equations are linear in
 * them. The equation of a slip in space turns with its own angle besides. */
void carom_coulomb_newton_jacobian(carom_coulomb_newton *w)
{
    const carom_coulomb *f = w->f;
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

/* Angles in units in which their columns are of size 1, as those of impulses are: else a small
 * or large impulse would pass for a dependence. K: scaled copy of the Jacobian; unit: m. */
static void scale_angles(const carom_coulomb_newton *w, double *K, double *unit)
{
    const int m = w->m;
    memcpy(K, w->Jacobian, sizeof *K * (size_t)m * m);
    for (int i = 0, c = 0; i < w->f->p; c += unknowns(w, i), i++)
        for (int k = 0; k < unknowns(w, i); k++) {
            const bool angle = w->mode[i] == CAROM_MODE_SLIP && k == 1;
            const double size = carom_dense_max(m, K + (size_t)(c + k) * m);
            unit[c + k] = angle && size > 0 ? 1 / size : 1;
            if (unit[c + k] != 1)
                carom_dense_scale(m, unit[c + k], K + (size_t)(c + k) * m);
        }
}

carom_status carom_coulomb_newton_step(carom_coulomb_newton *w, carom_arena *arena,
                                       carom_error *error)
{
    enum { SMALL = 12, CORRECTIONS = 3 };
    int m = w->m;
    if (m == 0) /* all contacts are open */
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    double *J = carom_arena_doubles(arena, (size_t)m * m), *dz = carom_arena_doubles(arena, m);
    double *left = carom_arena_doubles(arena, m), *unit = carom_arena_doubles(arena, m);
    double *K = carom_arena_doubles(arena, (size_t)m * m);
    if (!J || !dz || !left || !unit || !K)
        return carom_error_memory(error);
    scale_angles(w, K, unit);
    memcpy(J, K, sizeof *J * (size_t)m * m);
    memcpy(dz, w->F, sizeof *dz * (size_t)m);
    bool singular = carom_lu_factor(m, J, m, w->pivot, 0) != 0;
    double largest = 0, least = INFINITY;
    for (int k = 0; k < m; k++) {
        largest = fmax(largest, fabs(J[k + (size_t)k * m]));
        least = fmin(least, fabs(J[k + (size_t)k * m]));
    }
    singular = singular || !(least > 1e-12 * largest);
    if (!singular) {
        carom_lu_solve(m, J, m, w->pivot, dz);
    } else if (m <= SMALL) {
        carom_min_norm info;
        carom_status status = carom_min_norm_solve(m, m, K, w->F, 1e-12, arena, dz, &info, error);
        if (status)
            return status;
    } else {
        /* nearly dependent equations: a neighbour J of K has a factor, and what its solution
         * leaves of K dz = F is solved for again a few times */
        memcpy(J, K, sizeof *J * (size_t)m * m);
        for (int k = 0; k < m; k++)
            J[k + (size_t)k * m] += 1e-9;
        if (carom_lu_factor(m, J, m, w->pivot, 0))
            memset(dz, 0, sizeof *dz * (size_t)m); /* no step */
        else
            carom_lu_solve(m, J, m, w->pivot, dz);
        for (int round = 0; round < CORRECTIONS; round++) {
            memcpy(left, w->F, sizeof *left * (size_t)m);
            carom_dense_gemv(m, m, -1, K, m, dz, left);
            carom_lu_solve(m, J, m, w->pivot, left);
            carom_dense_axpy(m, 1, left, dz);
        }
    }
    for (int k = 0; k < m; k++) {
        w->step[k] = -dz[k] * unit[k];
        w->z[k] += w->step[k];
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}

carom_status carom_coulomb_newton_pursue(carom_coulomb_newton *newton, carom_arena *arena,
                                         double *x, double *best, carom_error *error)
{
    enum { STEPS = 8 };
    carom_status status = CAROM_OK;
    for (int k = 0; k < STEPS && !status && *best > CAROM_TOLERANCE_SUM; k++) {
        carom_coulomb_newton_impulses(newton);
        carom_coulomb_velocity(newton->f, newton->x, newton->xi);
        const double miss = carom_coulomb_miss(newton->f, newton->x);
        if (miss < *best) {
            carom_dense_copy(newton->f->N, newton->x, x);
            *best = miss;
        } else if (*best <= CAROM_TOLERANCE_SAME) {
            break; /* rounding */
        }
        carom_coulomb_newton_equations(newton, newton->xi);
        carom_coulomb_newton_jacobian(newton);
        status = carom_coulomb_newton_step(newton, arena, error);
    }
    return status;
}
