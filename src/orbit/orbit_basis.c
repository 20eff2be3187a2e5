/* Directions of a start that are independent, by Gram and Schmidt (docs/theory/orbits.md, "Closed
 * contacts"). */
#include "orbit/orbit_basis.h"

#include <math.h>
#include <string.h>

#include "carom/tolerance.h"
#include "linalg/dense.h"

/* Directions are projections of unit vectors: what is left of a dependent one is their rounding,
 * which the condition of the rows may raise to this. */
static const double dependent = CAROM_TOLERANCE_SOLVED;

/* Column j of V with its change of time below. */
static void copy_direction(const carom_orbit_map *m, int j, double *to)
{
    const size_t n2 = 2 * (size_t)m->n;
    memcpy(to, m->V + (size_t)j * n2, n2 * sizeof(double));
    to[n2] = m->unknown[j] == 2 * m->n;
}

/* Take the parts along the first `rank` columns of Q out of x, twice; their lengths go to c. */
static void remove_parts(const carom_orbit_map *m, int rank, double *x, double *c)
{
    const int rows = 2 * m->n + 1;
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < rank; r++) {
            const double *q = m->Q + (size_t)r * (size_t)rows;
            const double part = carom_dense_dot(rows, q, x);
            carom_dense_axpy(rows, -part, q, x);
            c[r] += part;
        }
}

int carom_orbit_basis_find(carom_orbit_map *m)
{
    const size_t rows = 2 * (size_t)m->n + 1, size = (size_t)m->size;
    int rank = 0;
    memset(m->C, 0, size * size * sizeof(double));
    for (int j = 0; j < m->size; j++) {
        double *q = m->Q + (size_t)rank * rows, *c = m->C + (size_t)j * size;
        copy_direction(m, j, q);
        remove_parts(m, rank, q, c);
        const double length = sqrt(carom_dense_dot((int)rows, q, q));
        if (!(length > dependent))
            continue;
        for (size_t i = 0; i < rows; i++)
            q[i] /= length;
        c[rank++] = length;
    }
    if (rank < m->size)
        return rank;
    memset(m->C, 0, size * size * sizeof(double));
    for (int j = 0; j < m->size; j++) {
        copy_direction(m, j, m->Q + (size_t)j * rows);
        m->C[(size_t)j * (size + 1)] = 1;
    }
    return rank;
}

void carom_orbit_basis_expand(carom_orbit_map *m, const double *q, const double *u, const double *t)
{
    const size_t n = (size_t)m->n, size = (size_t)m->size;
    for (size_t j = 0; j < size; j++) {
        double *to = m->D + 2 * j * n;
        memset(to, 0, 2 * n * sizeof(double));
        m->dt[j] = 0;
        for (int r = 0; r < m->rank; r++) {
            const double c = m->C[(size_t)r + j * size];
            if (c == 0)
                continue;
            carom_dense_axpy(m->n, c, q + (size_t)r * n, to);
            carom_dense_axpy(m->n, c, u + (size_t)r * n, to + n);
            m->dt[j] += c * t[r];
        }
    }
}
