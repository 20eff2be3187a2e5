/* What all ways to treat contacts at one instant share: velocities, sizes, modes read off them. */
#include "solver/instant.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

void carom_instant_velocity(const carom_instant *problem, const double *r, double *u)
{
    const int N = problem->N;
    carom_dense_copy(N, problem->q, u);
    carom_dense_gemv(N, N, 1, problem->W, N, r, u);
    memset(u + N, 0, sizeof *u * (size_t)problem->extra);
    carom_dense_gemv(problem->extra, N, 1, problem->X, problem->extra, r, u + N);
}

double carom_instant_size(const carom_instant *problem, const double *r)
{
    double size = carom_dense_max(problem->N, problem->q);
    double force = r ? carom_dense_max(problem->N, r) : 0;
    size = force > size ? force : size;
    return problem->floor > size ? problem->floor : size;
}

void carom_instant_scale(int p, const int *row, double *W, double *q, double *mu_s, double *mu_d,
                         double *norm)
{
    const int N = row[p];
    for (int i = 0; i < p; i++) {
        const int k = row[i];
        double slip = 0;
        for (int j = k + 1; j < row[i + 1]; j++)
            slip = norm[j] > slip ? norm[j] : slip;
        norm[k] = norm[k] > 0 ? norm[k] : 1;
        slip = slip > 0 ? slip : 1;
        for (int j = k + 1; j < row[i + 1]; j++)
            norm[j] = slip;
        mu_s[i] *= row[i + 1] > k + 1 ? slip / norm[k] : 0;
        mu_d[i] *= row[i + 1] > k + 1 ? slip / norm[k] : 0;
    }
    for (int j = 0; j < N; j++) {
        q[j] /= norm[j];
        for (int i = 0; i < N; i++)
            W[i + (size_t)j * N] /= norm[i] * norm[j];
    }
}

/* Coulomb's law for one planar contact: the less of what stick and slip are off by. */
static double friction_violation(double normal, double force, double speed, double mu_s,
                                 double mu_d)
{
    const bool pushes = normal > CAROM_TOLERANCE_SIGN * fabs(force);
    double limit = isinf(mu_s) ? (pushes ? INFINITY : 0) : mu_s * normal;
    double beyond = (fabs(force) - limit) / (1 + (isinf(mu_s) ? 0 : mu_s));
    double stick = fmax(fabs(speed), beyond);
    if (isinf(mu_d))
        return stick;
    double slip = fabs(force + (speed > 0 ? mu_d : -mu_d) * normal) / (1 + mu_d);
    return fmin(stick, slip);
}

double carom_instant_residual(const carom_instant *problem, const double *r)
{
    const carom_instant *f = problem;
    const double size = carom_instant_size(f, r);
    double worst = 0;
    for (int i = 0; i < f->p; i++) {
        const int k = f->row[i], rows = f->row[i + 1] - k;
        double u[2] = {f->q[k], rows > 1 ? f->q[k + 1] : 0};
        for (int j = 0; j < f->N; j++)
            for (int l = 0; l < rows && l < 2; l++)
                u[l] += f->W[k + l + (size_t)j * f->N] * r[j];
        const bool equality = f->equality && f->equality[i];
        double normal = equality || u[0] < r[k] ? fabs(u[0]) : fabs(r[k]);
        worst = fmax(worst, fmax(normal, -r[k]));
        if (rows == 1)
            continue;
        double law = friction_violation(fmax(r[k], 0), r[k + 1], u[1], f->mu_s[i], f->mu_d[i]);
        double none = fmax(fabs(r[k]), fabs(r[k + 1])); /* without force nothing is owed */
        worst = fmax(worst, fmin(law, none));
    }
    return isfinite(worst) && size > 0 ? worst / size : worst;
}

void carom_instant_widest(const carom_instant *problem, const double *u, double tolerance,
                          unsigned char *mode)
{
    for (int i = 0; i < problem->p; i++) {
        const double *own = u + problem->row[i];
        const int rows = problem->row[i + 1] - problem->row[i];
        mode[i] = own[0] > tolerance          ? CAROM_MODE_OPEN
                  : rows == 1                 ? CAROM_MODE_CLOSED
                  : fabs(own[1]) <= tolerance ? CAROM_MODE_STICK
                  : own[1] > 0                ? CAROM_MODE_SLIP_PLUS
                                              : CAROM_MODE_SLIP_MINUS;
    }
}
