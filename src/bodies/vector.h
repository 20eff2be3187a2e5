/* Vectors of space and rotations as columns: small enough to be passed by value. */
#ifndef CAROM_SRC_BODIES_VECTOR_H
#define CAROM_SRC_BODIES_VECTOR_H

#include "base/larger.h"

#include <math.h>
#include <stdbool.h>

typedef struct v3 {
    double x, y, z;
} v3;

/* A rotation or another 3 x 3 matrix by its columns. */
typedef struct m3 {
    v3 x, y, z;
} m3;

static inline v3 v3_of(const double c[3])
{
    return (v3){c[0], c[1], c[2]};
}

static inline void v3_to(v3 a, double c[3])
{
    c[0] = a.x;
    c[1] = a.y;
    c[2] = a.z;
}

static inline double v3_at(v3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static inline v3 v3_add(v3 a, v3 b)
{
    return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline v3 v3_sub(v3 a, v3 b)
{
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline v3 v3_scale(double s, v3 a)
{
    return (v3){s * a.x, s * a.y, s * a.z};
}

static inline v3 v3_neg(v3 a)
{
    return (v3){-a.x, -a.y, -a.z};
}

/* a + s b */
static inline v3 v3_along(v3 a, double s, v3 b)
{
    return (v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline v3 v3_between(v3 a, v3 b, double t)
{
    return v3_along(a, t, v3_sub(b, a));
}

static inline double v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline v3 v3_cross(v3 a, v3 b)
{
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double v3_norm2(v3 a)
{
    return v3_dot(a, a);
}

static inline double v3_norm(v3 a)
{
    return sqrt(v3_dot(a, a));
}

/* The largest component's size. */
static inline double v3_max(v3 a)
{
    return larger(fabs(a.x), larger(fabs(a.y), fabs(a.z)));
}

/* a/|a| without overflow or underflow; z where a is zero. */
static inline v3 v3_unit(v3 a)
{
    double top = v3_max(a);
    if (!(top > 0))
        return (v3){0, 0, 1};
    a = v3_scale(1 / top, a);
    return v3_scale(1 / v3_norm(a), a);
}

/* A unit vector orthogonal to the unit vector a: the axis that a has least of, projected. */
static inline v3 v3_perpendicular(v3 a)
{
    v3 axis = fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z) ? (v3){1, 0, 0}
              : fabs(a.y) <= fabs(a.z)                         ? (v3){0, 1, 0}
                                                               : (v3){0, 0, 1};
    return v3_unit(v3_along(axis, -v3_dot(axis, a), a));
}

/* A a, A'a */
static inline v3 m3_apply(m3 A, v3 a)
{
    return (v3){A.x.x * a.x + A.y.x * a.y + A.z.x * a.z, A.x.y * a.x + A.y.y * a.y + A.z.y * a.z,
                A.x.z * a.x + A.y.z * a.y + A.z.z * a.z};
}

static inline v3 m3_back(m3 A, v3 a)
{
    return (v3){v3_dot(A.x, a), v3_dot(A.y, a), v3_dot(A.z, a)};
}

/* A B, A'B */
static inline m3 m3_times(m3 A, m3 B)
{
    return (m3){m3_apply(A, B.x), m3_apply(A, B.y), m3_apply(A, B.z)};
}

static inline m3 m3_back_times(m3 A, m3 B)
{
    return (m3){m3_back(A, B.x), m3_back(A, B.y), m3_back(A, B.z)};
}

static inline m3 m3_transpose(m3 A)
{
    return (m3){{A.x.x, A.y.x, A.z.x}, {A.x.y, A.y.y, A.z.y}, {A.x.z, A.y.z, A.z.z}};
}

static inline m3 m3_identity(void)
{
    return (m3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

/* A place and an orientation: x = p + R x_body. */
typedef struct frame {
    v3 p;
    m3 R;
} frame;

static inline v3 frame_point(const frame *f, v3 a)
{
    return v3_add(f->p, m3_apply(f->R, a));
}

static inline v3 frame_back(const frame *f, v3 a)
{
    return m3_back(f->R, v3_sub(a, f->p));
}

/* The frame b seen from a. */
static inline frame frame_relative(const frame *a, const frame *b)
{
    return (frame){frame_back(a, b->p), m3_back_times(a->R, b->R)};
}

/* The rotation by an angle about a unit axis, applied to the columns of B (Rodrigues). */
static inline m3 m3_turned(v3 axis, double angle, m3 B)
{
    double c = cos(angle), s = sin(angle);
    v3 column[3] = {B.x, B.y, B.z};
    for (int k = 0; k < 3; k++) {
        v3 b = column[k], rest = v3_scale((1 - c) * v3_dot(axis, b), axis);
        column[k] = v3_add(v3_along(v3_scale(c, b), s, v3_cross(axis, b)), rest);
    }
    return (m3){column[0], column[1], column[2]};
}

/* The rotation of a quaternion of any length. False when it is zero. */
static inline bool m3_of_quaternion(const double e[4], m3 *R)
{
    double n2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    if (!(n2 > 0))
        return false;
    double s = 2 / n2, w = e[0], x = e[1], y = e[2], z = e[3];
    R->x = (v3){1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)};
    R->y = (v3){s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)};
    R->z = (v3){s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)};
    return true;
}

#endif
