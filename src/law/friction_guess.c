/* The modes that a planar problem probably ends in: first each contact with the solution it would
 * have alone, later what the contact law makes of the outcome of the last guess. Whoever uses a
 * guess verifies it. */
#include "law/friction.h"
#include "linalg/dense.h"

#include <math.h>

/* Loops here run over a handful of numbers: vectors would cost more in set-up than they save. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* One contact with the velocities bn, bt that the others cause. */
static unsigned char solve_alone(const carom_friction *f, int i, double bn, double bt, double x[2])
{
    int r = f->row[i], N = f->N;
    const double *A = f->A + r + (size_t)r * N;
    x[0] = x[1] = 0;
    if (!(bn < 0))
        return CAROM_FRICTION_OPEN;
    x[0] = -bn / (A[0] > 0 ? A[0] : 1);
    if (f->row[i + 1] == r + 1)
        return CAROM_FRICTION_CLOSED;
    double a = A[1], tt = A[N + 1], mu = f->mu_d[i], det = A[0] * tt - a * a;
    double normal = (a * bt - tt * bn) / det, tangent = (a * bn - A[0] * bt) / det;
    if (det > 0 && fabs(tangent) <= f->mu_s[i] * normal) {
        x[0] = normal;
        x[1] = tangent;
        return CAROM_FRICTION_STICK;
    }
    if (!isfinite(mu))
        return CAROM_FRICTION_STICK;
    double k = tangent > 0 ? -mu : mu, divisor = A[0] - k * a;
    if (divisor > 0)
        x[0] = -bn / divisor;
    x[1] = -k * x[0];
    return k > 0 ? CAROM_FRICTION_SLIP_PLUS : CAROM_FRICTION_SLIP_MINUS;
}

void carom_friction_guess(const carom_friction *problem, double *xi, unsigned char *code)
{
    const carom_friction *f = problem;
    int N = f->N;
    for (int k = 0; k < N; k++)
        xi[k] = f->b[k];
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        bool rough = f->row[i + 1] > r + 1;
        const double *normal = f->A + (size_t)r * N;
        double x[2];
        code[i] = solve_alone(f, i, xi[r], rough ? xi[r + 1] : 0, x);
        carom_dense_axpy(N, x[0], normal, xi);
        if (rough)
            carom_dense_axpy(N, x[1], normal + N, xi);
    }
}

bool carom_friction_guess_again(const carom_friction *problem, const double *x, const double *xi,
                                unsigned char *code)
{
    const carom_friction *f = problem;
    double tol = 1e-9 * carom_friction_size(f, x);
    bool other = false;
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        double normal = x[r] - xi[r];
        unsigned char next = CAROM_FRICTION_CLOSED;
        if (normal <= -tol) {
            next = CAROM_FRICTION_OPEN;
        } else if (f->row[i + 1] > r + 1) {
            double tangent = x[r + 1] - xi[r + 1], limit = f->mu_s[i] * (normal > 0 ? normal : 0);
            next = isinf(f->mu_d[i]) || fabs(tangent) <= limit + tol ? CAROM_FRICTION_STICK
                   : tangent < 0                                     ? CAROM_FRICTION_SLIP_PLUS
                                                                     : CAROM_FRICTION_SLIP_MINUS;
        }
        other = other || next != code[i];
        code[i] = next;
    }
    return other;
}
