/* Integrals of 1, x and x x' over simplices, and mass properties from them. */
#include "bodies/moments.h"

/* Over a simplex of measure V with the corners p_k the mean of x is that of the corners, and the
 * integral of x x' is V/(n (n + 1)) [(sum p)(sum p)' + sum p p'], n the number of corners. */
static void add_simplex(carom_moments *m, double measure, int count, const v3 *corner)
{
    v3 sum = {0, 0, 0};
    double s = measure / (count * (count + 1));
    for (int k = 0; k < count; k++) {
        sum = v3_add(sum, corner[k]);
        m->xx = m3_outer(m->xx, s, corner[k], corner[k]);
    }
    m->one += measure;
    m->x = v3_along(m->x, measure / count, sum);
    m->xx = m3_outer(m->xx, s, sum, sum);
}

void carom_moments_add_tetrahedron(carom_moments *m, v3 a, v3 b, v3 c)
{
    const v3 corner[4] = {{0, 0, 0}, a, b, c};
    add_simplex(m, v3_dot(a, v3_cross(b, c)) / 6, 4, corner);
}

void carom_moments_add_triangle(carom_moments *m, double area, v3 a, v3 b, v3 c)
{
    const v3 corner[3] = {a, b, c};
    add_simplex(m, area, 3, corner);
}

carom_moments carom_moments_moved(const carom_moments *m, v3 d)
{
    carom_moments moved = *m;
    moved.xx = m3_symmetric(moved.xx, 1, m->x, d);
    moved.xx = m3_outer(moved.xx, m->one, d, d);
    moved.x = v3_along(moved.x, m->one, d);
    return moved;
}

void carom_moments_add(carom_moments *m, const carom_moments *more)
{
    m->one += more->one;
    m->x = v3_add(m->x, more->x);
    m->xx.x = v3_add(m->xx.x, more->xx.x);
    m->xx.y = v3_add(m->xx.y, more->xx.y);
    m->xx.z = v3_add(m->xx.z, more->xx.z);
}

/* Inertia = tr(C) 1 - C with C the integral of x x' about the centre, symmetric to the last bit. */
static void inertia_of(m3 C, double density, double inertia[9])
{
    double xy = -density * (C.x.y + C.y.x) / 2, xz = -density * (C.x.z + C.z.x) / 2,
           yz = -density * (C.y.z + C.z.y) / 2;
    const double made[9] = {density * (C.y.y + C.z.z), xy, xz, xy,
                            density * (C.x.x + C.z.z), yz, xz, yz,
                            density * (C.x.x + C.y.y)};
    for (int k = 0; k < 9; k++)
        inertia[k] = made[k];
}

carom_mass carom_moments_mass(const carom_moments *m, double density)
{
    carom_mass mass = {.mass = density * m->one};
    v3 centre = v3_scale(1 / m->one, m->x);
    carom_moments about = carom_moments_moved(m, v3_neg(centre));
    v3_to(centre, mass.centre);
    inertia_of(about.xx, density, mass.inertia);
    return mass;
}
