/* A cylinder about z as the first side of a pair, in its own frame: its features, the best axis
 * against a polytope, and its contacts with flat things (docs/theory/collision.md). */
#ifndef CAROM_SRC_BODIES_CYLINDER_H
#define CAROM_SRC_BODIES_CYLINDER_H

#include "bodies/axes.h"

/* Points around a rim that stand for it where a cap lies flat on something: enough that the polygon
 * they span is within one percent of the circle. */
enum { CAROM_CYLINDER_RING = 24 };

typedef struct carom_cylinder {
    double R, h; /* radius, half length */
} carom_cylinder;

/* Features: faces 0 and 1 are the caps (down, up), 2 the side; edges 0 and 1 the rims, with 2 and 3
 * for the second point where a rim crosses something; vertices are points of the rings. */
static inline uint32_t cylinder_cap(int up)
{
    return feature_of(CAROM_FACE, up);
}

static inline uint32_t cylinder_side(void)
{
    return feature_of(CAROM_FACE, 2);
}

static inline uint32_t cylinder_rim(int up, int second)
{
    return feature_of(CAROM_EDGE, up + 2 * second);
}

static inline uint32_t cylinder_ring(int up, int k)
{
    return feature_of(CAROM_VERTEX, CAROM_CYLINDER_RING * up + k);
}

/* The size of x across z. */
static inline double across_z(v3 x)
{
    return sqrt(x.x * x.x + x.y * x.y);
}

/* The largest n.x over the cylinder, n in its own axes. */
static inline double cylinder_support(const carom_cylinder *c, v3 n)
{
    return c->R * across_z(n) + c->h * fabs(n.z);
}

/* The point of the upper or lower rim farthest along d; any when d is along z. */
static inline v3 cylinder_rim_point(const carom_cylinder *c, v3 d, int up)
{
    double length = across_z(d), s = length > 0 ? c->R / length : 0;
    return (v3){length > 0 ? s * d.x : c->R, s * d.y, up ? c->h : -c->h};
}

static inline v3 cylinder_ring_point(const carom_cylinder *c, int up, int k)
{
    double angle = 2 * CAROM_PI * k / CAROM_CYLINDER_RING;
    return (v3){c->R * cos(angle), c->R * sin(angle), up ? c->h : -c->h};
}

/* The best axis between the cylinder and a polytope, and the contact on it. `side` is the face of
 * the polytope or the cap (CAROM_CYLINDER_CAP + up) whose normal it is; -1: none. */
enum { CAROM_CYLINDER_CAP = 1 << 29 };

typedef struct carom_cylinder_axis {
    carom_witness w;
    int face; /* of the polytope, or CAROM_CYLINDER_CAP + up, or -1 */
} carom_cylinder_axis;

/* Exact whether they are apart or overlap. rule: what the polytope allows, NULL: everything. False:
 * nothing is allowed. */
bool carom_cylinder_best(const carom_cylinder *c, const carom_convex *b,
                         const carom_axes_rule *rule, double margin, carom_cylinder_axis *best);

/* All contacts within reach, given the best axis. */
void carom_cylinder_contacts(const carom_cylinder *c, const carom_convex *b,
                             const carom_cylinder_axis *best, double reach, double margin,
                             double flat, carom_manifold *out);

#endif
