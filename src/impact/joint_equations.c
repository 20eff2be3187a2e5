/* Bilateral and nonholonomic constraints as equations of their own error, after Natsiavas and
 * Paraskevopoulos (eqs. 29-34): inertia along the constraint and its reaction. */
#include "carom/need.h"
#include "carom/quasi.h"
#include "impact/joints.h"
#include "linalg/dense.h"

#include <math.h>

/* m = 1/(a M^-1 a') of one row; y: n, work space. */
static double inertia_of(const carom_geometry *g, const double *row, double *y)
{
    const int n = g->impact->n;
    carom_dense_copy(n, row, y);
    carom_joints_inverse_mass(g, y);
    return 1 / carom_dense_dot(n, row, y);
}

carom_status carom_joint_equations_find(const carom_geometry *geometry, const carom_state *state,
                                        carom_arena *arena, carom_joint_equation *out,
                                        carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, state, arena);
    const int n = geometry->impact->n, c = geometry->c;
    carom_mark mark = carom_arena_mark(arena);
    double *a = carom_arena_doubles(arena, 4 * (size_t)n + 2 * (size_t)c +
                                               carom_joints_free_work(geometry));
    if (!a)
        return carom_error_memory(error);
    double *force = a + n, *beta = force + n, *work = beta + c;
    for (int j = 0; j < c; j++)
        out[j].inertia = inertia_of(geometry, geometry->C + (size_t)j * (size_t)n, work);
    carom_joints_free(geometry, state, a, NULL, work + 2 * (size_t)n + (size_t)c);
    if (c > 0) { /* M u' - h is the force of the joints */
        carom_geometry_mass(geometry, a, force);
        carom_dense_axpy(n, -1, state->h, force);
        carom_geometry_joint_impulses(geometry, force, beta, work);
        for (int j = 0; j < c; j++)
            out[j].reaction = beta[j];
    }
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
