/* With rho_N = 1/D_NN, rho_T = 1/|D_TT| and y = P - rho w, w = D P + b, contact by contact:
 *
 *   open   y_N <= 0:                P = 0
 *   closed:                         w_N = 0, and
 *     stick  |y_T| <= mu y_N:       w_T = 0
 *     slip:                         P_T = mu P_N y_T/|y_T|
 *
 * The equations of the modes at the present P are solved by one Newton step; for planar contacts
 * they are linear. Equations w = 0 carry a shift of their diagonal, which lets dependent rows
 * through and changes the steps only, not where they end. */
#include "flow/step_newton.h"

#include <math.h>
#include <string.h>

#include "flow/step_solve.h"
#include "linalg/dense.h"

enum { STEPS = 30 };

/* The shift, in units of the diagonal entries: least, at the first refusal, largest. */
static const double LEAST = 1e-9, FIRST = 1e-5, MOST = 1e3;

/* The equations of one contact: A dP + B dw = -F, blocks of 1 + width rows. */
typedef struct equations {
    int rows;
    bool open;
    double A[3][3], B[3][3], F[3];
    double shift[3]; /* of the diagonal of A, to be scaled */
    double error;    /* of F, relative to the largest impulse or rate of the problem */
    double merit;    /* |P - its projection|^2, times D */
} equations;

static double diagonal(const carom_step_contact *c, int r)
{
    return c->D.value[c->start[r] + r];
}

/* The largest impulse, and the largest sum of the terms of a rate. */
typedef struct scale {
    double impulse, rate;
} scale;

/* w_r = 0. */
static void hold(const carom_step_contact *c, const scale *z, int base, int k, equations *q)
{
    const int r = base + k;
    q->B[k][k] = 1;
    q->shift[k] = diagonal(c, r);
    q->F[k] = c->w[r];
    q->error = fmax(q->error, z->rate > 0 ? fabs(c->w[r]) / z->rate : 0);
}

/* P_T = mu P_N y_T/|y_T|, times D_TT for its units; with two slips the direction turns with w_T. */
static void slide(const carom_step_contact *c, const scale *z, int base, int width, double mu,
                  double rho, const double *y, equations *q)
{
    const double norm = hypot(y[0], width == 2 ? y[1] : 0), N = c->P[base];
    const double G = width == 2 ? fmin(1, mu * fmax(N, 0) / norm) : 0;
    for (int k = 1; k <= width; k++) {
        const double e = y[k - 1] / norm, off = c->P[base + k] - mu * N * e;
        q->F[k] = off / rho;
        q->A[k][0] = -mu * e / rho;
        for (int l = 1; l <= width; l++) {
            const double turn = G * ((k == l) - e * y[l - 1] / norm);
            q->A[k][l] = ((k == l) - turn) / rho;
            q->B[k][l] = turn;
        }
        q->error = fmax(q->error, z->impulse > 0 ? fabs(off) / z->impulse : 0);
    }
}

static equations state(const carom_step_contact *c, const scale *z, int k)
{
    const int base = c->base[k], width = carom_step_contact_width(c, k);
    equations q = {.rows = width + 1};
    const double N = c->P[base] - c->w[base] / diagonal(c, base), mu = c->mu[k];
    if (N <= 0) {
        for (int l = 0; l <= width; l++) {
            q.A[l][l] = diagonal(c, base + l);
            q.F[l] = q.A[l][l] * c->P[base + l];
            if (c->P[base + l] != 0)
                q.error = fmax(q.error, fabs(c->P[base + l]) / z->impulse);
            q.merit += q.A[l][l] * c->P[base + l] * c->P[base + l];
        }
        q.open = true;
        return q;
    }
    hold(c, z, base, 0, &q);
    q.merit = c->w[base] * c->w[base] / diagonal(c, base);
    if (width == 0)
        return q;
    double slope = diagonal(c, base + 1), y[2], size = 0;
    if (width == 2)
        slope =
            fmax(slope, diagonal(c, base + 2)) + fabs(c->D.value[c->start[base + 2] + base + 1]);
    for (int l = 0; l < width; l++) {
        y[l] = c->P[base + 1 + l] - (slope > 0 ? c->w[base + 1 + l] / slope : 0);
        size = hypot(size, y[l]);
    }
    for (int l = 0; l < width; l++) {
        const double onto = size > mu * N ? mu * N / size : 1;
        q.merit += slope * pow(c->P[base + 1 + l] - onto * y[l], 2);
    }
    if (size <= mu * N || !(slope > 0))
        for (int l = 1; l <= width; l++)
            hold(c, z, base, l, &q);
    else
        slide(c, z, base, width, mu, 1 / slope, y, &q);
    return q;
}

/* Entry (r, s) of D from its lower triangle. */
static double entry(const carom_step_contact *c, int r, int s)
{
    return r >= s ? c->D.value[c->start[r] + s] : c->D.value[c->start[s] + r];
}

/* J = A + B D in the rows of contact k: left of it into L, and in the columns of contact k above it
 * into U. `q` are the equations of all contacts. */
static void fill(carom_step_contact *c, const equations *q, int k, double *U)
{
    const int base = c->base[k];
    for (int j = c->least[k]; j <= k; j++) {
        const int other = c->base[j];
        for (int a = 0; a < q[k].rows; a++)
            for (int b = 0; b < q[j].rows && other + b <= base + a; b++) {
                const int r = base + a, s = other + b;
                double below = j == k ? q[k].A[a][b] : 0, above = j == k ? q[k].A[b][a] : 0;
                for (int l = 0; l < q[k].rows; l++)
                    if (q[k].B[a][l] != 0)
                        below += q[k].B[a][l] * entry(c, base + l, s);
                for (int l = 0; l < q[j].rows; l++)
                    if (q[j].B[b][l] != 0)
                        above += q[j].B[b][l] * entry(c, other + l, r);
                c->L[c->start[r] + s] = below;
                U[c->start[r] + s] = above;
            }
    }
}

/* The modes at P and their equations; the largest error of these, and the sum of the merits. */
static double find_modes(carom_step_contact *c, equations *q, double *merit)
{
    double worst = 0;
    *merit = 0;
    carom_step_solve_rates(c);
    const scale z = {carom_dense_max(c->total, c->P), carom_dense_max(c->total, c->size)};
    for (int k = 0; k < c->count; k++) {
        q[k] = state(c, &z, k);
        worst = fmax(worst, q[k].error);
        *merit += q[k].merit;
    }
    return worst;
}

/* The step into x; false: the equations of the modes are singular. */
static bool find_step(carom_step_contact *c, const equations *q, double shift, double *U)
{
    const carom_envelope lower = {c->total, c->first, c->start, c->L};
    for (int k = 0; k < c->count; k++) {
        fill(c, q, k, U);
        for (int a = 0; a < q[k].rows; a++) {
            const int r = c->base[k] + a;
            c->x[r] = -q[k].F[a];
            U[c->start[r] + r] += shift * q[k].shift[a];
        }
    }
    if (carom_envelope_lu_factor(&lower, U, 1e-13) != 0)
        return false;
    carom_envelope_lu_solve(&lower, U, c->x);
    for (int k = 0; k < c->count; k++)
        for (int r = c->base[k]; r < c->base[k + 1] && q[k].open; r++)
            c->x[r] = -c->P[r]; /* exactly */
    return true;
}

/* Levenberg and Marquardt: the shift grows when a step is no better, and shrinks when it is. */
static double iterate(carom_step_contact *c, double tolerance, equations *q, double *from,
                      double *U, double *merit)
{
    double next, shift = LEAST, worst = find_modes(c, q, merit);
    for (int step = 0; step < STEPS && worst > tolerance && shift < MOST; step++) {
        memcpy(from, c->P, sizeof(double) * (size_t)c->total);
        bool better = find_step(c, q, shift, U);
        if (better) {
            for (int r = 0; r < c->total; r++)
                c->P[r] += c->x[r];
            worst = find_modes(c, q, &next);
            better = next < 0.99 * *merit || worst <= tolerance;
        }
        if (better) {
            *merit = next;
            shift = fmax(LEAST, shift / 10);
        } else {
            memcpy(c->P, from, sizeof(double) * (size_t)c->total);
            worst = find_modes(c, q, merit);
            shift = fmax(FIRST, shift * 10);
        }
    }
    return worst;
}

carom_status carom_step_newton_solve(carom_step_contact *c, double tolerance, carom_arena *scratch,
                                     bool *solved, double *merit, carom_error *error)
{
    const int last = c->total - 1;
    carom_mark mark = carom_arena_mark(scratch);
    equations *q = carom_arena_array(scratch, (size_t)c->count, sizeof *q);
    double *from = carom_arena_doubles(scratch, (size_t)c->total);
    double *U = carom_arena_doubles(scratch, (size_t)(c->start[last] + last + 1));
    if (!q || !from || !U)
        return carom_error_memory(error);
    *solved = iterate(c, tolerance, q, from, U, merit) <= tolerance;
    for (int k = 0; k < c->count && *solved; k++) /* away with rounding */
        for (int r = c->base[k]; r < c->base[k + 1]; r++)
            if (q[k].open || c->P[c->base[k]] <= 0)
                c->P[r] = 0;
    carom_arena_rewind(scratch, mark);
    return CAROM_OK;
}
