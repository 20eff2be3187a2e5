/* The modes that a planar problem probably ends in: first each contact with the solution it would
 * have alone, later what the contact law makes of the outcome of the last guess. Whoever uses a
 * guess verifies it. */
#include "solver/instant_guess.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

#include "base/short_loops.h"

/* One contact with the velocities bn, bt that the others cause. */
static unsigned char solve_alone(const carom_instant *f, int i, double bn, double bt, double x[2])
{
    int r = f->row[i], N = f->N;
    const double *A = f->W + r + (size_t)r * N;
    x[0] = x[1] = 0;
    if (!(bn < 0))
        return CAROM_MODE_OPEN;
    x[0] = -bn / (A[0] > 0 ? A[0] : 1);
    if (f->row[i + 1] == r + 1)
        return CAROM_MODE_CLOSED;
    double a = A[1], tt = A[N + 1], mu = f->mu_d[i], det = A[0] * tt - a * a;
    double normal = (a * bt - tt * bn) / det, tangent = (a * bn - A[0] * bt) / det;
    if (det > 0 && fabs(tangent) <= f->mu_s[i] * normal) {
        x[0] = normal;
        x[1] = tangent;
        return CAROM_MODE_STICK;
    }
    if (!isfinite(mu))
        return CAROM_MODE_STICK;
    double k = tangent > 0 ? -mu : mu, divisor = A[0] - k * a;
    if (divisor > 0)
        x[0] = -bn / divisor;
    x[1] = -k * x[0];
    return k > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
}

void carom_instant_guess(const carom_instant *problem, double *u, unsigned char *mode)
{
    const carom_instant *f = problem;
    int N = f->N;
    for (int k = 0; k < N; k++)
        u[k] = f->q[k];
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        bool rough = f->row[i + 1] > r + 1;
        const double *normal = f->W + (size_t)r * N;
        double x[2];
        mode[i] = solve_alone(f, i, u[r], rough ? u[r + 1] : 0, x);
        carom_dense_axpy(N, x[0], normal, u);
        if (rough)
            carom_dense_axpy(N, x[1], normal + N, u);
    }
}

bool carom_instant_guess_again(const carom_instant *problem, const double *r, const double *u,
                               unsigned char *mode)
{
    const carom_instant *f = problem;
    double tol = CAROM_TOLERANCE_SAME * carom_instant_size(f, r);
    bool other = false;
    for (int i = 0; i < f->p; i++) {
        int k = f->row[i];
        double normal = r[k] - u[k];
        unsigned char next = CAROM_MODE_CLOSED;
        if (normal <= -tol) {
            next = CAROM_MODE_OPEN;
        } else if (f->row[i + 1] > k + 1) {
            double tangent = r[k + 1] - u[k + 1], limit = f->mu_s[i] * (normal > 0 ? normal : 0);
            next = isinf(f->mu_d[i]) || fabs(tangent) <= limit + tol ? CAROM_MODE_STICK
                   : tangent < 0                                     ? CAROM_MODE_SLIP_PLUS
                                                                     : CAROM_MODE_SLIP_MINUS;
        }
        other = other || next != mode[i];
        mode[i] = next;
    }
    return other;
}
