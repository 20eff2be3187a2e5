/* Integrals of 1, x and x x' over pieces of a body: they add up, and give mass, centre, inertia. */
#ifndef CAROM_SRC_BODIES_MOMENTS_H
#define CAROM_SRC_BODIES_MOMENTS_H

#include "bodies/vector.h"
#include "carom/collision.h"

typedef struct carom_moments {
    double one;
    v3 x;
    m3 xx; /* symmetric */
} carom_moments;

/* A + s a b' */
static inline m3 m3_outer(m3 A, double s, v3 a, v3 b)
{
    return (m3){v3_along(A.x, s * b.x, a), v3_along(A.y, s * b.y, a), v3_along(A.z, s * b.z, a)};
}

/* A + s (a b' + b a') */
static inline m3 m3_symmetric(m3 A, double s, v3 a, v3 b)
{
    return m3_outer(m3_outer(A, s, a, b), s, b, a);
}

/* Add the simplex with the corners 0, a, b, c (its volume with sign), and the triangle a, b, c of
 * the area given. */
void carom_moments_add_tetrahedron(carom_moments *m, v3 a, v3 b, v3 c);
void carom_moments_add_triangle(carom_moments *m, double area, v3 a, v3 b, v3 c);

/* The same pieces moved by d. */
carom_moments carom_moments_moved(const carom_moments *m, v3 d);

void carom_moments_add(carom_moments *m, const carom_moments *more);

/* Mass properties of the density given; in the plane inertia[8] is the moment about the centre. */
carom_mass carom_moments_mass(const carom_moments *m, double density);

#endif
