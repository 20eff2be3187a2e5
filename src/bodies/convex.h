/* A convex polytope somewhere: the view that the algorithms on pairs have of one side. */
#ifndef CAROM_SRC_BODIES_CONVEX_H
#define CAROM_SRC_BODIES_CONVEX_H

#include "bodies/polytope.h"

#include <stdint.h>

typedef struct carom_convex {
    const carom_polytope *p;
    frame at; /* in the common frame of the pair */
} carom_convex;

static inline v3 convex_vertex(const carom_convex *c, int v)
{
    return frame_point(&c->at, c->p->vertex[v]);
}

static inline v3 convex_normal(const carom_convex *c, int f)
{
    return m3_apply(c->at.R, c->p->normal[f]);
}

/* The vertex farthest along d; start: where to begin looking. */
static inline int convex_support(const carom_convex *c, v3 d, int start)
{
    return carom_polytope_support(c->p, m3_back(c->at.R, d), start);
}

/* A feature: what a point of the surface belongs to, with its number. */
enum { CAROM_VERTEX = 0, CAROM_EDGE = 1, CAROM_FACE = 2 };

static inline uint32_t feature_of(int kind, int index)
{
    return (uint32_t)kind << 30 | (uint32_t)index;
}

static inline int feature_kind(uint32_t feature)
{
    return (int)(feature >> 30);
}

static inline int feature_index(uint32_t feature)
{
    return (int)(feature & 0x3FFFFFFF);
}

/* A contact in the common frame: b - a = gap n. */
typedef struct carom_witness {
    double gap;
    v3 a, b, n;
    uint32_t fa, fb; /* the features of the two sides */
} carom_witness;

static inline carom_witness witness_swapped(const carom_witness *w)
{
    return (carom_witness){w->gap, w->b, w->a, v3_neg(w->n), w->fb, w->fa};
}

/* Many contacts of one pair. Of all that are counted, those from number `skip` on are kept as long
 * as there is room. */
typedef struct carom_manifold {
    carom_witness *witness;
    int count, room, skip;
} carom_manifold;

static inline void manifold_add(carom_manifold *m, const carom_witness *w)
{
    const int at = m->count++ - m->skip;
    if (at >= 0 && at < m->room)
        m->witness[at] = *w;
}

#endif
