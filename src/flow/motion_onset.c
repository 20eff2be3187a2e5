/* The direction of friction in the first moments of slip in space. */
#include "flow/motion_onset.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

static const double onset_part = 0.00001; /* of the largest speed so far */

/* A matrix over the contacts, its right-hand side and pivots, a change of accelerations and of
 * forces. */
size_t carom_motion_onset_room(const carom_system_shape *shape)
{
    const size_t m = (size_t)shape->s / 2, n = (size_t)shape->n;
    return m * m + 2 * m + n + (size_t)(shape->p + shape->s + shape->m + shape->a);
}

void carom_motion_onset_begin(carom_motion *motion, int contact, double force)
{
    const int n = motion->shape->n, j = motion->shape->slip_start[contact];
    double inverse = 0; /* 1/mass of the slip, the mean over its directions */
    for (int l = 0; l < 2; l++) {
        const double *H = motion->state.H + (size_t)(j + l) * n;
        memcpy(motion->turning, H, sizeof(double) * (size_t)n);
        carom_motion_inverse_mass(motion, motion->turning);
        inverse += 0.5 * carom_dense_dot(n, H, motion->turning);
    }
    const double brake = motion->mu[contact] * force * inverse;
    motion->onset[contact] = brake > 0 ? onset_part * motion->quick : 0;
    motion->delay[contact] = brake > 0 ? 4 * motion->onset[contact] / brake : 0;
    motion->reached[contact] = 0;
    memcpy(motion->heading + j, motion->direction + j, 2 * sizeof(double));
}

static void slip(const carom_motion *motion, int contact, double v[2])
{
    const int j = motion->shape->slip_start[contact];
    for (int l = 0; l < 2; l++)
        v[l] = carom_motion_slip(motion, j + l);
}

void carom_motion_onset_head(carom_motion *motion)
{
    for (int i = 0; i < motion->shape->p; i++) {
        const int j = motion->shape->slip_start[i];
        if (!motion->sliding[i] || motion->shape->slip_start[i + 1] - j != 2)
            continue;
        double v[2];
        slip(motion, i, v);
        const double speed = hypot(v[0], v[1]);
        /* slip that ends again is not seen from a moment later, when it points backwards */
        if (speed >= motion->onset[i] || speed < motion->reached[i] - motion->slow)
            motion->onset[i] = 0;
        motion->reached[i] = fmax(motion->reached[i], speed);
        for (int l = 0; l < 2; l++) {
            if (motion->onset[i] > 0)
                motion->heading[j + l] = motion->direction[j + l];
            else if (speed > motion->slow)
                motion->heading[j + l] = v[l] / speed;
        }
    }
}

/* v + delay v' of a contact, and the delay; false when its slip does not start. */
static bool ahead(const carom_motion *motion, int contact, double w[2], double *delay)
{
    const int n = motion->shape->n, j = motion->shape->slip_start[contact];
    if (!motion->sliding[contact] || !(motion->onset[contact] > 0))
        return false;
    slip(motion, contact, w);
    const double part = hypot(w[0], w[1]) / motion->onset[contact], left = 1 - part * part;
    if (!(part < 1))
        return false;
    *delay = motion->delay[contact] * left * left;
    for (int l = 0; l < 2; l++)
        w[l] += *delay * (carom_dense_dot(n, motion->state.H + (size_t)(j + l) * n, motion->a) +
                          motion->state.slip_bias[j + l]);
    return true;
}

/* Normal force of a contact in the solution x. */
static double load(const carom_motion *motion, int contact)
{
    const bool hyperstatic = motion->column_count > 0;
    const carom_motion_row *columns = hyperstatic ? motion->columns : motion->rows;
    for (int k = 0; k < carom_motion_columns(motion); k++)
        if (columns[k].kind == CAROM_MOTION_NORMAL && columns[k].index == contact)
            return motion->x[k];
    return 0;
}

/* da (n): what the accelerations change by when the friction of a contact turns by one. */
static void respond(const carom_motion *motion, int contact, double *da, double *dx)
{
    const int n = motion->shape->n, r = motion->row_count, j = motion->shape->slip_start[contact];
    const double *d = motion->direction + j, f = motion->mu[contact] * load(motion, contact);
    for (int i = 0; i < n; i++)
        da[i] = f * (d[1] * motion->state.H[i + (size_t)j * n] -
                     d[0] * motion->state.H[i + (size_t)(j + 1) * n]);
    carom_motion_inverse_mass(motion, da);
    for (int k = 0; k < r; k++)
        dx[k] = -carom_dense_dot(n, carom_motion_vector(motion, motion->rows[k]), da);
    carom_motion_change(motion, dx);
    for (int k = 0; k < carom_motion_columns(motion); k++)
        carom_dense_axpy(n, dx[k], motion->Y + (size_t)k * n, da);
}

/* Rounding of v + delay v'. */
static double grain(const carom_motion *motion, int contact, double delay)
{
    const int n = motion->shape->n, j = motion->shape->slip_start[contact];
    double size = 0;
    for (int l = j; l < j + 2; l++) {
        size += fabs(motion->state.slip_motion[l]) + delay * fabs(motion->state.slip_bias[l]);
        for (int i = 0; i < n; i++)
            size +=
                fabs(motion->state.H[i + (size_t)l * n]) *
                (fabs(motion->state.u[i]) + delay * (fabs(motion->a_free[i]) + fabs(motion->a[i])));
    }
    return 8 * DBL_EPSILON * size;
}

bool carom_motion_onset_turn(carom_motion *motion)
{
    const carom_system_shape *shape = motion->shape;
    const int n = shape->n;
    const size_t most = (size_t)shape->s / 2;
    double *J = motion->turning, *b = J + most * most, *da = b + most, *dx = da + n;
    double w[2], delay;
    int m = 0;
    bool settled = true;
    for (int i = 0; i < shape->p; i++) {
        if (!ahead(motion, i, w, &delay))
            continue;
        const double *d = motion->direction + shape->slip_start[i];
        settled = settled && fabs(d[0] * w[1] - d[1] * w[0]) <= grain(motion, i, delay);
        m++;
    }
    if (settled)
        return true;
    for (int i = 0, column = 0; i < shape->p; i++) {
        if (!ahead(motion, i, w, &delay))
            continue;
        respond(motion, i, da, dx);
        for (int k = 0, row = 0; k < shape->p; k++) {
            if (!ahead(motion, k, w, &delay))
                continue;
            const int j = shape->slip_start[k];
            const double *d = motion->direction + j;
            double *entry = J + row + (size_t)column * m;
            *entry = delay * (d[0] * carom_dense_dot(n, motion->state.H + (size_t)(j + 1) * n, da) -
                              d[1] * carom_dense_dot(n, motion->state.H + (size_t)j * n, da));
            if (k == i)
                *entry -= d[0] * w[0] + d[1] * w[1];
            b[row++] = d[1] * w[0] - d[0] * w[1]; /* -(d x w) */
        }
        column++;
    }
    int *pivot = motion->turned;
    if (carom_lu_factor(m, J, m, pivot, 4 * DBL_EPSILON) != 0)
        return false;
    carom_lu_solve(m, J, m, pivot, b);
    double most_turn = 0;
    bool back = false;
    for (int i = 0, row = 0; i < shape->p; i++) {
        if (!ahead(motion, i, w, &delay))
            continue;
        double *d = motion->direction + shape->slip_start[i];
        const double turn = fmax(-0.5, fmin(0.5, b[row++])), c = cos(turn), s = sin(turn);
        const double d0 = d[0] * c - d[1] * s, d1 = d[0] * s + d[1] * c;
        d[0] = d0;
        d[1] = d1;
        most_turn = fmax(most_turn, fabs(turn));
        const double *from = motion->heading + shape->slip_start[i];
        back = back || from[0] * d0 + from[1] * d1 < 0; /* the other root: the step was too long */
    }
    return !back && most_turn <= CAROM_TOLERANCE_REFINED;
}
