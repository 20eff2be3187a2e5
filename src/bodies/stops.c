/* Contacts that are always there: limits of joints, and ropes. */
#include "bodies/stops.h"

/* A rope: its ends, how far apart, in which direction. */
typedef struct stretch {
    v3 a, b, n;
    double length;
} stretch;

static v3 anchored(const carom_bodies *b, const carom_anchor *at)
{
    return at->link < 0 ? at->at : frame_point(&b->work.place[at->link], at->at);
}

static stretch stretch_of(const carom_bodies *b, const carom_rope *rope)
{
    stretch s = {anchored(b, &rope->a), anchored(b, &rope->b), {0, 0, 0}, 0};
    v3 d = v3_sub(s.b, s.a);
    s.length = v3_norm(d);
    s.n = v3_unit(d);
    return s;
}

/* The rate of a rope's gap L - |x_b - x_a| for the velocities of links as they are. */
static double rope_rate(const carom_bodies *b, const carom_rope *rope, const stretch *s)
{
    v3 v = v3_sub(carom_forest_velocity_at(&b->forest, &b->work, rope->b.link, s->b),
                  carom_forest_velocity_at(&b->forest, &b->work, rope->a.link, s->a));
    return -v3_dot(s->n, v);
}

static double rope_bias(const carom_bodies *b, const carom_rope *rope, const stretch *s)
{
    v3 v = v3_sub(carom_forest_velocity_at(&b->forest, &b->work, rope->b.link, s->b),
                  carom_forest_velocity_at(&b->forest, &b->work, rope->a.link, s->a));
    v3 a = v3_sub(carom_forest_bias_at(&b->forest, &b->work, rope->b.link, s->b),
                  carom_forest_bias_at(&b->forest, &b->work, rope->a.link, s->a));
    if (!(s->length > 0))
        return 0; /* the ends coincide: a kink of the gap, as far from its zero as the rope is long
                   */
    double along = v3_dot(s->n, v);
    return -v3_dot(s->n, a) - (v3_norm2(v) - along * along) / s->length;
}

double carom_stop_gap(const carom_bodies *b, int i, const double *q)
{
    const carom_stop *stop = &b->stop[i];
    if (stop->u >= 0)
        return stop->sign * (q[stop->q] - stop->limit);
    const carom_rope *rope = &b->rope[stop->rope];
    return rope->length - stretch_of(b, rope).length;
}

void carom_stop_row(const carom_bodies *b, int i, double *row)
{
    const carom_stop *stop = &b->stop[i];
    if (stop->u >= 0) {
        row[stop->u] += stop->sign;
        return;
    }
    const carom_rope *rope = &b->rope[stop->rope];
    stretch x = stretch_of(b, rope);
    carom_forest_row_point(&b->forest, &b->work, rope->b.link, x.b, x.n, -1, row);
    carom_forest_row_point(&b->forest, &b->work, rope->a.link, x.a, x.n, 1, row);
}

double carom_stop_motion(const carom_bodies *b, int i)
{
    if (b->stop[i].u >= 0)
        return 0;
    const carom_rope *rope = &b->rope[b->stop[i].rope];
    stretch x = stretch_of(b, rope);
    return rope_rate(b, rope, &x);
}

double carom_stop_bias(const carom_bodies *b, int i)
{
    if (b->stop[i].u >= 0)
        return 0;
    const carom_rope *rope = &b->rope[b->stop[i].rope];
    stretch x = stretch_of(b, rope);
    return rope_bias(b, rope, &x);
}

void carom_stop_trees(const carom_bodies *b, int i, int tree[2])
{
    const carom_stop *stop = &b->stop[i];
    const carom_forest *f = &b->forest;
    tree[0] = tree[1] = -1;
    if (stop->u >= 0) {
        tree[0] = f->link[f->link_of[stop->u]].tree;
        return;
    }
    const int link[2] = {b->rope[stop->rope].a.link, b->rope[stop->rope].b.link};
    carom_forest_trees(f, link, tree);
}
