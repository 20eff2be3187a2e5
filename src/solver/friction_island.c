/* Velocities and the residual of an island, from its scaled unknowns. */
#include "solver/friction_island.h"

#include "linalg/wide.h"
#include "solver/friction_natural.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rigid bodies in space: all sizes are known. */
CAROM_WIDE_SHORT static void product_by_rigid_bodies(const carom_friction_island *o,
                                                     const double *x, double *y)
{
    const carom_friction_masses *m = &o->masses;
    for (int i = 0; i < o->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++)
            carom_friction_island_push(6, 3, m->V + m->at[k], x + 3 * i, m->v + 6 * m->body[k]);
    for (int i = 0; i < o->contacts; i++) {
        double *to = y + 3 * i;
        to[0] = to[1] = to[2] = 0;
        for (int k = m->start[i]; k < m->start[i + 1]; k++)
            carom_friction_island_pull(6, 3, m->H + m->at[k], m->v + 6 * m->body[k], to);
    }
}

/* y = H' (V x), body velocities in between. */
static void product_by_bodies(const carom_friction_island *o, const double *x, double *y)
{
    const carom_friction_masses *m = &o->masses;
    memset(m->v, 0, (size_t)m->row[m->bodies] * sizeof *m->v);
    if (m->rigid) {
        product_by_rigid_bodies(o, x, y);
        return;
    }
    memset(y, 0, (size_t)o->n * sizeof *y);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < o->contacts; i++)
            for (int k = m->start[i]; k < m->start[i + 1]; k++) {
                int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
                int d = carom_friction_island_rows(o, i);
                if (pass == 0)
                    carom_friction_island_push(dof, d, m->V + m->at[k], x + o->row[i],
                                               m->v + first);
                else
                    carom_friction_island_pull(dof, d, m->H + m->at[k], m->v + first,
                                               y + o->row[i]);
            }
}

void carom_friction_island_product(const carom_friction_island *island, const double *x, double *y)
{
    if (island->masses.bodies > 0) {
        product_by_bodies(island, x, y);
        return;
    }
    memset(y, 0, (size_t)island->n * sizeof *y);
    carom_block_matrix_multiply(&island->A, x, y);
}

void carom_friction_island_velocity(const carom_friction_island *island, const double *x,
                                    double *xi)
{
    carom_friction_island_product(island, x, xi);
    for (int k = 0; k < island->n; k++)
        xi[k] += island->b[k];
}

/* Squares of what is wrong, of the reactions and of the velocities. */
typedef struct measure {
    double wrong, reactions, velocities;
} measure;

static inline void add(measure *m, const carom_friction_island *o, int i, int d, const double *r,
                       const double *u)
{
    for (int k = 0; k < d; k++) {
        m->reactions += r[k] * r[k];
        m->velocities += u[k] * u[k];
    }
    m->wrong += carom_friction_natural(d, o->mu[i], o->free[i], r, u);
}

static double relative(const measure *m, double q)
{
    const double size = fmax(q, sqrt(fmax(m->reactions, m->velocities)));
    return isfinite(size) ? sqrt(m->wrong) / (size > DBL_MIN ? size : 1) : HUGE_VAL;
}

double carom_friction_island_residual(const carom_friction_island *island, const double *x,
                                      const double *xi)
{
    measure given = {0, 0, 0}, own = {0, 0, 0};
    for (int i = 0; i < island->contacts; i++) {
        int d = carom_friction_island_rows(island, i);
        const double *s = island->scale + island->row[i];
        const double unit = carom_friction_island_unit(island, i);
        double r[3] = {0, 0, 0}, u[3] = {0, 0, 0};
        for (int k = 0; k < d; k++) {
            r[k] = s[k] * x[island->row[i] + k];
            u[k] = xi[island->row[i] + k] / s[k];
        }
        add(&given, island, i, d, r, u);
        for (int k = 0; k < d; k++) {
            r[k] /= unit;
            u[k] *= unit;
        }
        add(&own, island, i, d, r, u);
    }
    return fmax(relative(&given, island->q_norm), relative(&own, island->q_size));
}
