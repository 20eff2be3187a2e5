/* A problem of one contact: the closed form, and its residual from the statement's own numbers.
 * Time steps of a few bodies pose a million of them, so that loops have constant bounds and nothing
 * is done for more contacts. */
#include "solver/friction_alone.h"

#include "linalg/finite.h"
#include "solver/friction_natural.h"
#include "solver/friction_one.h"

#include <float.h>

/* r of a contact with d rows, in the unknowns of the Lorentz cone: r = (x_0 / mu, x_T). */
static inline void solve(int d, double mu, bool free, const double *W, const double *q, double *r)
{
    const double first = mu > 0 ? 1 / mu : 1;
    double A[9], rho[3];
    carom_friction_one one;
    for (int k = 0; k < d * d; k++)
        A[k] = W[k];
    for (int k = 0; k < d; k++) {
        A[k] *= first;
        A[k * d] *= first;
        rho[k] = q[k];
    }
    rho[0] *= first;
    carom_friction_one_make(&one, d, free, A);
    carom_friction_one_solve(&one, rho, r);
    r[0] *= first;
}

/* Inlined for each d. Without friction no more than one row: the others would take no part. */
static inline bool solve_rows(int d, double mu, bool free, const double *W, const double *q,
                              double aim, double accept, double *r, double *u, double *residual)
{
    double qq = 0, rr = 0, uu = 0, sum = 0, top = 0;
    if (carom_finite_sum((size_t)d, q) + carom_finite_sum((size_t)d * (size_t)d, W) != 0)
        return false;
    solve(d, mu, free, W, q, r);
    for (int i = 0; i < d; i++) {
        u[i] = q[i];
        for (int j = 0; j < d; j++)
            u[i] += W[i + j * d] * r[j];
        qq += q[i] * q[i];
        rr += r[i] * r[i];
        uu += u[i] * u[i];
        top = W[i + i * d] > top ? W[i + i * d] : top;
        sum += fabs(r[i]);
    }
    double square = rr > uu ? rr : uu;
    square = square > qq ? square : qq;
    const double wrong = carom_friction_natural(d, mu, free, r, u);
    const double rounding = (d + 4) * DBL_EPSILON * top * sum; /* of the velocities */
    const double push = W[0] * r[0];                           /* as a velocity */
    const double gap = push < u[0] && !free ? push : u[0];
    *residual = sqrt(wrong / square);
    return qq > CAROM_FRICTION_TINY * CAROM_FRICTION_TINY &&
           square < CAROM_FRICTION_HUGE * CAROM_FRICTION_HUGE && wrong <= aim * aim * square &&
           (fabs(gap) + rounding) * (fabs(gap) + rounding) <= accept * accept * qq;
}

bool carom_friction_alone_solve(const carom_friction_problem *problem, double aim, double accept,
                                double *r, double *u, carom_friction_info *info)
{
    const carom_friction_problem *p = problem;
    if (p->form != CAROM_FRICTION_DENSE || p->contacts != 1)
        return false;
    const int d = p->rows ? p->rows[0] : p->dimension;
    const bool free = p->bilateral && p->bilateral[0];
    const double mu = p->mu && !free && d > 1 ? p->mu[0] : 0;
    double y[3] = {0, 0, 0}, v[3] = {0, 0, 0}, residual;
    bool solved;
    if ((p->mu && !(p->mu[0] >= 0 && p->mu[0] <= DBL_MAX)) || (d > 1 && !free && !(mu > 0)))
        return false;
    if (d == 2)
        solved = solve_rows(2, mu, free, p->W, p->q, aim, accept, y, v, &residual);
    else if (d == 3)
        solved = solve_rows(3, mu, free, p->W, p->q, aim, accept, y, v, &residual);
    else
        solved = d == 1 && solve_rows(1, mu, free, p->W, p->q, aim, accept, y, v, &residual);
    if (!solved)
        return false;
    for (int k = 0; k < d; k++) {
        r[k] = y[k];
        if (u)
            u[k] = v[k];
    }
    *info =
        (carom_friction_info){.method = CAROM_FRICTION_CLOSED, .islands = 1, .residual = residual};
    return true;
}
