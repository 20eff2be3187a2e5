/* Pairs of convex polytopes with whole-number coordinates, and their distance by exact arithmetic:
 * all axes, all pairs of features, integers of 128 bits. The library gets the same pair as shapes
 * and poses in doubles. */
#ifndef CAROM_TESTS_BODIES_WHOLE_PAIR_H
#define CAROM_TESTS_BODIES_WHOLE_PAIR_H

#include "bodies/shape.h"
#include "check.h"

__extension__ typedef __int128 wide;

typedef struct whole_vector {
    wide x, y, z;
} whole_vector;

/* One side: a shape, its pose, and its vertices in units of 1/denominator. */
typedef struct whole_side {
    const carom_shape *shape;
    carom_pose pose;
    whole_vector *vertex;
} whole_side;

typedef struct whole_answer {
    double gap;   /* signed distance */
    bool overlap; /* or touch */
} whole_answer;

static inline whole_vector whole_sub(whole_vector a, whole_vector b)
{
    return (whole_vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline whole_vector whole_cross(whole_vector a, whole_vector b)
{
    return (whole_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline wide whole_dot(whole_vector a, whole_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The rotation of an integer quaternion: entries over the square of its length. */
static inline void whole_rotation(const int q[4], wide R[3][3], wide *length2)
{
    wide w = q[0], x = q[1], y = q[2], z = q[3];
    *length2 = w * w + x * x + y * y + z * z;
    R[0][0] = w * w + x * x - y * y - z * z;
    R[1][1] = w * w - x * x + y * y - z * z;
    R[2][2] = w * w - x * x - y * y + z * z;
    R[0][1] = 2 * (x * y - w * z);
    R[1][0] = 2 * (x * y + w * z);
    R[0][2] = 2 * (x * z + w * y);
    R[2][0] = 2 * (x * z - w * y);
    R[1][2] = 2 * (y * z - w * x);
    R[2][1] = 2 * (y * z + w * x);
}

/* Place a shape whose vertices are multiples of one half at a whole-number position, turned by an
 * integer quaternion. The exact vertices are in units of 1/(2 other length2), other the square of
 * the other side's quaternion, so that both sides share the unit 1/(2 length2 other). unit: what 1
 * means in the doubles. */
static inline void whole_place(whole_side *side, const carom_shape *shape, const int q[4],
                               const int at[3], wide other, double unit, whole_vector *vertex)
{
    wide R[3][3], length2;
    whole_rotation(q, R, &length2);
    side->shape = shape;
    side->vertex = vertex;
    for (int i = 0; i < 3; i++) {
        side->pose.position[i] = unit * at[i];
        for (int j = 0; j < 3; j++)
            side->pose.rotation[i + 3 * j] = (double)R[i][j] / (double)length2;
    }
    for (int k = 0; k < shape->polytope.vertex_count; k++) {
        v3 p = shape->polytope.vertex[k];
        const wide half[3] = {(wide)llround(2 * p.x / unit), (wide)llround(2 * p.y / unit),
                              (wide)llround(2 * p.z / unit)};
        wide made[3];
        for (int i = 0; i < 3; i++) {
            made[i] = 2 * at[i] * length2 * other;
            for (int j = 0; j < 3; j++)
                made[i] += R[i][j] * half[j] * other;
        }
        vertex[k] = (whole_vector){made[0], made[1], made[2]};
    }
}

/* num / sqrt(den2) for whole numbers: correct to a few roundings. */
static inline double whole_ratio(wide num, wide den2)
{
    return (double)((long double)num / sqrtl((long double)den2));
}

/* The separation along the whole-number direction n: least of b minus largest of a. */
static inline wide whole_separation(const whole_side *a, const whole_side *b, whole_vector n)
{
    wide top = whole_dot(n, a->vertex[0]), bottom = whole_dot(n, b->vertex[0]);
    for (int k = 1; k < a->shape->polytope.vertex_count; k++) {
        wide here = whole_dot(n, a->vertex[k]);
        top = here > top ? here : top;
    }
    for (int k = 1; k < b->shape->polytope.vertex_count; k++) {
        wide here = whole_dot(n, b->vertex[k]);
        bottom = here < bottom ? here : bottom;
    }
    return bottom - top;
}

static inline whole_vector whole_edge(const whole_side *s, int edge)
{
    const int *v = s->shape->polytope.edge[edge].v;
    return whole_sub(s->vertex[v[1]], s->vertex[v[0]]);
}

/* Twice the first triangle of the loop; faces of more corners are flat. */
static inline whole_vector whole_normal(const whole_side *s, int face)
{
    const carom_polytope *p = &s->shape->polytope;
    const int *v = p->loop_vertex + p->loop_start[face];
    return whole_cross(whole_sub(s->vertex[v[1]], s->vertex[v[0]]),
                       whole_sub(s->vertex[v[2]], s->vertex[v[0]]));
}

/* The best separation over all faces and pairs of edges, in both directions. */
typedef void (*whole_axis_visit)(void *self, whole_vector n, double separation);

static inline void whole_axes(const whole_side *a, const whole_side *b, whole_axis_visit visit,
                              void *self)
{
    const carom_polytope *p = &a->shape->polytope, *q = &b->shape->polytope;
    for (int f = 0; f < p->face_count + q->face_count; f++) {
        whole_vector n =
            f < p->face_count ? whole_normal(a, f) : whole_normal(b, f - p->face_count);
        if (f >= p->face_count)
            n = (whole_vector){-n.x, -n.y, -n.z};
        visit(self, n, whole_ratio(whole_separation(a, b, n), whole_dot(n, n)));
    }
    for (int i = 0; i < p->edge_count; i++)
        for (int j = 0; j < q->edge_count; j++) {
            whole_vector n = whole_cross(whole_edge(a, i), whole_edge(b, j));
            if (n.x == 0 && n.y == 0 && n.z == 0)
                continue;
            for (int sign = 0; sign < 2; sign++) {
                visit(self, n, whole_ratio(whole_separation(a, b, n), whole_dot(n, n)));
                n = (whole_vector){-n.x, -n.y, -n.z};
            }
        }
}

static inline void whole_keep_largest(void *self, whole_vector n, double separation)
{
    double *best = self;
    (void)n;
    *best = separation > *best ? separation : *best;
}

static inline void whole_least(double *best, double candidate)
{
    *best = candidate < *best ? candidate : *best;
}

/* Vertex against vertex, edge, face of the other side. */
static inline void whole_vertex_distances(const whole_side *a, const whole_side *b, double *best)
{
    const carom_polytope *p = &a->shape->polytope, *q = &b->shape->polytope;
    for (int i = 0; i < p->vertex_count; i++) {
        for (int j = 0; j < q->vertex_count; j++) {
            whole_vector r = whole_sub(a->vertex[i], b->vertex[j]);
            whole_least(best, sqrt((double)whole_dot(r, r)));
        }
        for (int j = 0; j < q->edge_count; j++) {
            whole_vector e = whole_edge(b, j);
            whole_vector r = whole_sub(a->vertex[i], b->vertex[q->edge[j].v[0]]);
            wide t = whole_dot(r, e), length2 = whole_dot(e, e);
            if (t <= 0 || t >= length2)
                continue;
            whole_vector m = whole_cross(r, e);
            whole_least(best, (double)sqrtl((long double)whole_dot(m, m) / (long double)length2));
        }
        for (int f = 0; f < q->face_count; f++) {
            whole_vector n = whole_normal(b, f);
            const int *v = q->loop_vertex + q->loop_start[f];
            int count = q->loop_start[f + 1] - q->loop_start[f];
            bool inside = true;
            for (int k = 0; k < count && inside; k++) {
                whole_vector from = b->vertex[v[k]], to = b->vertex[v[(k + 1) % count]];
                whole_vector m = whole_cross(n, whole_sub(to, from));
                inside = whole_dot(m, whole_sub(a->vertex[i], from)) >= 0;
            }
            wide height = whole_dot(n, whole_sub(a->vertex[i], b->vertex[v[0]]));
            if (inside)
                whole_least(best, fabs(whole_ratio(height, whole_dot(n, n))));
        }
    }
}

static inline void whole_edge_distances(const whole_side *a, const whole_side *b, double *best)
{
    const carom_polytope *p = &a->shape->polytope, *q = &b->shape->polytope;
    for (int i = 0; i < p->edge_count; i++)
        for (int j = 0; j < q->edge_count; j++) {
            whole_vector d = whole_edge(a, i), e = whole_edge(b, j), n = whole_cross(d, e);
            whole_vector r = whole_sub(b->vertex[q->edge[j].v[0]], a->vertex[p->edge[i].v[0]]);
            wide n2 = whole_dot(n, n);
            if (n2 == 0)
                continue;
            wide s = whole_dot(n, whole_cross(r, e)), t = whole_dot(n, whole_cross(r, d));
            if (s >= 0 && s <= n2 && t >= 0 && t <= n2)
                whole_least(best, fabs(whole_ratio(whole_dot(n, r), n2)));
        }
}

/* The signed distance in the unit of the doubles. flat: both are thinner than a body (points,
 * segments), so that they cannot overlap. scale: one double in exact units. */
static inline whole_answer whole_distance(const whole_side *a, const whole_side *b, double scale)
{
    double best = -INFINITY, least = INFINITY;
    whole_axes(a, b, whole_keep_largest, &best);
    bool flat = a->shape->polytope.face_count == 0 && b->shape->polytope.face_count == 0;
    if (!flat && best <= 0)
        return (whole_answer){best / scale, true};
    whole_vertex_distances(a, b, &least);
    whole_vertex_distances(b, a, &least);
    whole_edge_distances(a, b, &least);
    return (whole_answer){least / scale, least == 0};
}

#endif
