/* Velocities, forces and inertias of rigid bodies as pairs of vectors about one common point o,
 * in space axes (docs/theory/trees.md). */
#ifndef CAROM_SRC_BODIES_SPATIAL_H
#define CAROM_SRC_BODIES_SPATIAL_H

#include "bodies/vector.h"

/* Angular velocity, and the velocity of the body's point that is at o. */
typedef struct motion {
    v3 w, v;
} motion;

/* Moment about o, and force. */
typedef struct wrench {
    v3 m, f;
} wrench;

/* Mass, first moment about o, and inertia about o. */
typedef struct inertia {
    double mass;
    v3 first;
    m3 about; /* symmetric */
} inertia;

static inline motion motion_add(motion a, motion b)
{
    return (motion){v3_add(a.w, b.w), v3_add(a.v, b.v)};
}

/* a + s b */
static inline motion motion_along(motion a, double s, motion b)
{
    return (motion){v3_along(a.w, s, b.w), v3_along(a.v, s, b.v)};
}

/* The rotation about the unit axis a through the point p, and the translation along a. */
static inline motion motion_about(v3 a, v3 p, v3 o)
{
    return (motion){a, v3_cross(v3_sub(p, o), a)};
}

static inline motion motion_straight(v3 a)
{
    return (motion){{0, 0, 0}, a};
}

/* The rate of a motion b that is carried along by a. */
static inline motion motion_cross(motion a, motion b)
{
    return (motion){v3_cross(a.w, b.w), v3_add(v3_cross(a.w, b.v), v3_cross(a.v, b.w))};
}

/* The same for wrenches. */
static inline wrench wrench_carried(motion a, wrench b)
{
    return (wrench){v3_add(v3_cross(a.w, b.m), v3_cross(a.v, b.f)), v3_cross(a.w, b.f)};
}

static inline wrench wrench_add(wrench a, wrench b)
{
    return (wrench){v3_add(a.m, b.m), v3_add(a.f, b.f)};
}

static inline double power_of(motion a, wrench b)
{
    return v3_dot(a.w, b.m) + v3_dot(a.v, b.f);
}

/* The momentum of a motion, or the force of an acceleration. */
static inline wrench inertia_apply(const inertia *I, motion a)
{
    return (wrench){v3_add(m3_apply(I->about, a.w), v3_cross(I->first, a.v)),
                    v3_sub(v3_scale(I->mass, a.v), v3_cross(I->first, a.w))};
}

static inline inertia inertia_add(const inertia *a, const inertia *b)
{
    return (inertia){a->mass + b->mass,
                     v3_add(a->first, b->first),
                     {v3_add(a->about.x, b->about.x), v3_add(a->about.y, b->about.y),
                      v3_add(a->about.z, b->about.z)}};
}

/* A body of mass m with centre at c (from o) and inertia J about its centre, in space axes. */
static inline inertia inertia_of(double m, v3 c, m3 J)
{
    v3 mc = v3_scale(m, c);
    double cc = v3_dot(mc, c);
    return (inertia){m,
                     mc,
                     {v3_sub(v3_add(J.x, (v3){cc, 0, 0}), v3_scale(c.x, mc)),
                      v3_sub(v3_add(J.y, (v3){0, cc, 0}), v3_scale(c.y, mc)),
                      v3_sub(v3_add(J.z, (v3){0, 0, cc}), v3_scale(c.z, mc))}};
}

/* The velocity field of a motion at the place x (from o), and the acceleration there of the body's
 * point, when A is the rate of V. */
static inline v3 motion_at(motion V, v3 x)
{
    return v3_add(V.v, v3_cross(V.w, x));
}

static inline v3 acceleration_at(motion V, motion A, v3 x)
{
    return v3_add(motion_at(A, x), v3_cross(V.w, motion_at(V, x)));
}

#endif
