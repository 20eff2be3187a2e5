/* Positions and velocities of closed contacts and joints put back to where their rows vanish. */
#include "flow/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/pivoted_cholesky.h"

int carom_motion_factor_rows(carom_motion *motion, int r, const int *use, int *pivot, double *work)
{
    const int n = motion->shape->n;
    for (int k = 0; k < r; k++) {
        double *Y = motion->Y + (size_t)k * n;
        carom_dense_copy(n, carom_motion_vector(motion, motion->rows[use ? use[k] : k]), Y);
        carom_motion_inverse_mass(motion, Y);
    }
    for (int k = 0; k < r; k++) {
        const double *R = carom_motion_vector(motion, motion->rows[use ? use[k] : k]);
        for (int j = 0; j < r; j++)
            motion->K[k + (size_t)j * r] = carom_dense_dot(n, R, motion->Y + (size_t)j * n);
    }
    return carom_pivoted_cholesky_factor(r, motion->K, r, CAROM_TOLERANCE_RANK, pivot, work);
}

/* Least change of velocity (kinetic norm) that removes r'u = violation for the rows in `use`; the
 * correction is left in `delta`, its impulses, with the opposite sign, in `violation`. Rows that
 * depend on others ask for nothing of their own. */
static void correction(carom_motion *motion, int r, const int *use, double *violation,
                       double *delta)
{
    const int n = motion->shape->n;
    const int rank = carom_motion_factor_rows(motion, r, use, motion->chosen, motion->space);
    carom_pivoted_cholesky_solve(r, rank, motion->K, r, motion->chosen, violation, motion->space);
    memset(delta, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < r; k++)
        for (int i = 0; i < n; i++)
            delta[i] -= motion->Y[i + (size_t)k * n] * violation[k];
}

/* Size of what adds up to a row's rate: rounding is relative to it. */
static double row_speed(const carom_motion *motion, carom_motion_row row)
{
    const double *r = carom_motion_vector(motion, row);
    double sum = fabs(carom_motion_hat(motion, row));
    for (int i = 0; i < motion->shape->n; i++)
        sum += fabs(r[i] * motion->state.u[i]);
    return sum;
}

static carom_status project_positions(carom_motion *motion, double tolerance, bool *moved,
                                      carom_error *error)
{
    carom_state *state = &motion->state;
    const unsigned want = CAROM_WANT_GAPS | CAROM_WANT_NORMALS | CAROM_WANT_JOINTS |
                          CAROM_WANT_MASS | CAROM_WANT_KINEMATICS;
    double size = 0;
    for (int i = 0; i < motion->shape->nq; i++)
        size = fmax(size, fabs(state->q[i]));
    for (int round = 0; round < 4; round++) {
        double worst = 0;
        int r = 0, *use = motion->pivot;
        for (int k = 0; k < motion->row_count; k++) {
            carom_motion_row row = motion->rows[k];
            if (row.kind != CAROM_MOTION_NORMAL && row.kind != CAROM_MOTION_JOINT)
                continue;
            motion->x[r] =
                row.kind == CAROM_MOTION_NORMAL ? state->g[row.index] : state->f[row.index];
            worst = fmax(worst, fabs(motion->x[r]));
            use[r++] = k;
        }
        if (worst <= (round == 0 ? tolerance : 4 * DBL_EPSILON) * size)
            return CAROM_OK;
        correction(motion, r, use, motion->x, motion->a);
        carom_motion_kinematics(motion, motion->a, motion->F);
        for (int i = 0; i < motion->shape->nq; i++)
            state->q[i] += motion->F[i];
        *moved = true;
        motion->factored = motion->factored && motion->shape->mass_is_constant;
        carom_status status = carom_system_evaluate(motion->system, want, state, error);
        if (status == CAROM_OK)
            status = carom_motion_factor(motion, error);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

carom_status carom_motion_project(carom_motion *motion, double tolerance, bool velocities,
                                  bool *moved, carom_error *error)
{
    carom_state *state = &motion->state;
    *moved = false;
    if (motion->row_count == 0)
        return CAROM_OK;
    carom_status status =
        velocities ? CAROM_OK : project_positions(motion, tolerance, moved, error);
    if (status != CAROM_OK)
        return status;
    if (*moved) {
        status = carom_system_evaluate(motion->system,
                                       CAROM_WANT_NORMALS | CAROM_WANT_JOINTS | CAROM_WANT_SLIPS,
                                       state, error);
        if (status != CAROM_OK)
            return status;
    }
    bool off = *moved;
    for (int k = 0; k < motion->row_count; k++) {
        const double *r = carom_motion_vector(motion, motion->rows[k]);
        motion->x[k] = carom_dense_dot(motion->shape->n, r, state->u) +
                       carom_motion_hat(motion, motion->rows[k]);
        motion->pivot[k] = k;
        off = off || fabs(motion->x[k]) > tolerance * row_speed(motion, motion->rows[k]);
    }
    if (off) {
        correction(motion, motion->row_count, motion->pivot, motion->x, motion->a);
        for (int i = 0; i < motion->shape->n; i++) {
            state->u[i] += motion->a[i];
            /* what is left of a velocity taken out is the rounding of that: repeated corrections
             * would drag it down to where numbers have no digits left */
            if (fabs(state->u[i]) <= 8 * DBL_EPSILON * fabs(motion->a[i]))
                state->u[i] = 0;
        }
        for (int k = 0; k < motion->row_count; k++)
            motion->x[k] = -motion->x[k];
        *moved = true;
    }
    return CAROM_OK;
}
