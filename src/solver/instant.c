/* What all ways to treat contacts at one instant share: velocities, sizes, modes read off them. */
#include "solver/instant.h"

#include "linalg/dense.h"

#include <math.h>

void carom_instant_velocity(const carom_instant *problem, const double *r, double *u)
{
    const int N = problem->N;
    carom_dense_copy(N, problem->q, u);
    carom_dense_gemv(N, N, 1, problem->W, N, r, u);
}

double carom_instant_size(const carom_instant *problem, const double *r)
{
    double size = carom_dense_max(problem->N, problem->q);
    double force = r ? carom_dense_max(problem->N, r) : 0;
    size = force > size ? force : size;
    return problem->floor > size ? problem->floor : size;
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
