/* Contacts of two cylinders: what lies over a cap of one of them (a disc or a line of the other),
 * two sides along each other, or one pair of points. */
#include "bodies/cylinders.h"
#include "solver/trig_roots.h"

/* ---- over a cap ---- */

/* The second cylinder seen from the first, whose cap is the reference. */
typedef struct over_cap {
    const carom_cylinder *p, *q;
    const frame *at; /* of q */
    int up, q_up;    /* the caps that face each other */
    double sign;     /* of z, out of the reference cap */
    double reach, margin;
    carom_manifold *out;
} over_cap;

/* The contact of the point y of the second with the cap below it. */
static void add_above(const over_cap *c, v3 y, uint32_t fa, uint32_t fb)
{
    double gap = c->sign * y.z - c->p->h;
    v3 n = {0, 0, c->sign};
    carom_witness w = {gap, v3_along(y, -gap, n), y, n, fa, fb};
    if (gap <= c->reach)
        manifold_add(c->out, &w);
}

static bool over_disc(const over_cap *c, v3 y)
{
    return across_z(y) <= c->p->R + c->margin;
}

/* The point above x (on the cap) of the plane of the second's cap, and whether it is on it. */
static bool under_disc(const over_cap *c, v3 x, v3 *y)
{
    v3 m = c->at->R.z, o = v3_along(c->at->p, c->q_up ? c->q->h : -c->q->h, m);
    *y = x;
    y->z = o.z - (m.x * (x.x - o.x) + m.y * (x.y - o.y)) / m.z;
    return v3_norm(v3_sub(*y, o)) <= c->q->R + c->margin;
}

/* Where the second's rim passes over the reference's: the zeros of |y_xy|^2 - R^2 around it. */
static void add_crossings(const over_cap *c)
{
    double value[16], roots[CAROM_TRIG_ROOTS];
    carom_trig p;
    for (int j = 0; j < 16; j++) {
        double a = 2 * CAROM_PI * j / 16;
        v3 y = frame_point(c->at, cylinder_rim_point(c->q, (v3){cos(a), sin(a), 0}, c->q_up));
        value[j] = y.x * y.x + y.y * y.y - c->p->R * c->p->R;
    }
    carom_trig_fit(value, &p);
    int count = carom_trig_roots(&p, roots);
    for (int k = 0; k < count && k < 2; k++) {
        v3 d = {cos(roots[k]), sin(roots[k]), 0};
        v3 y = frame_point(c->at, cylinder_rim_point(c->q, d, c->q_up));
        if (over_disc(c, y))
            add_above(c, y, cylinder_rim(c->up, k), cylinder_rim(c->q_up, 0));
    }
}

/* Two discs: rings of both over the other, the lowest point of the second's rim, crossings. */
static void add_discs(const over_cap *c, double flat)
{
    v3 towards = m3_back(c->at->R, (v3){0, 0, -c->sign}), y;
    double tilt = c->q->R * across_z(towards);
    y = frame_point(c->at, (v3){0, 0, c->q_up ? c->q->h : -c->q->h});
    bool all = c->sign * y.z - c->p->h + tilt <= c->reach;
    for (int k = 0; k < CAROM_CYLINDER_RING && all; k++) {
        y = frame_point(c->at, cylinder_ring_point(c->q, c->q_up, k));
        if (over_disc(c, y))
            add_above(c, y, cylinder_cap(c->up), cylinder_ring(c->q_up, k));
        if (under_disc(c, cylinder_ring_point(c->p, c->up, k), &y))
            add_above(c, y, cylinder_ring(c->up, k), cylinder_cap(c->q_up));
    }
    if (tilt > flat) {
        y = frame_point(c->at, cylinder_rim_point(c->q, towards, c->q_up));
        if (over_disc(c, y))
            add_above(c, y, cylinder_cap(c->up), cylinder_rim(c->q_up, 0));
    }
    add_crossings(c);
}

/* The lowest line of the second's side, cut by the rim. */
static void add_line(const over_cap *c)
{
    v3 towards = m3_back(c->at->R, (v3){0, 0, -c->sign});
    v3 from = frame_point(c->at, cylinder_rim_point(c->q, towards, 0)),
       to = frame_point(c->at, cylinder_rim_point(c->q, towards, 1)), d = v3_sub(to, from);
    double dd = d.x * d.x + d.y * d.y, fd = from.x * d.x + from.y * d.y;
    double cross = from.x * d.y - from.y * d.x, rest = c->p->R * c->p->R * dd - cross * cross;
    for (int end = 0; end < 2; end++) {
        v3 y = end ? to : from;
        if (over_disc(c, y)) {
            add_above(c, y, cylinder_cap(c->up), cylinder_rim(end, 0));
        } else if (rest > 0 && dd > 0) {
            double t = (-fd + (end ? 1 : -1) * sqrt(rest)) / dd;
            if (t > 0 && t < 1)
                add_above(c, v3_along(from, t, d), cylinder_rim(c->up, end), cylinder_side());
        }
    }
}

static void add_over_cap(const over_cap *c, double flat)
{
    v3 m = c->at->R.z;
    if (fabs(m.z) > across_z(m))
        add_discs(c, flat);
    else
        add_line(c);
}

/* ---- one pair of points ---- */

/* The points of the best axis, from the points farthest along it: a rim has one, a side a line, a
 * cap a disc. What has more than a point follows the other. */
carom_witness carom_cylinders_points(const carom_cylinders *x, const carom_cylinders_axis *best,
                                     double margin)
{
    v3 n = best->n, back = m3_back(x->at.R, v3_neg(n));
    int up_a = n.z > 0, up_b = back.z > 0;
    v3 a = cylinder_rim_point(&x->a, n, up_a),
       b = frame_point(&x->at, cylinder_rim_point(&x->b, back, up_b));
    bool cap_a = x->a.R * across_z(n) <= margin, side_a = x->a.h * fabs(n.z) <= margin;
    bool cap_b = x->b.R * across_z(back) <= margin, side_b = x->b.h * fabs(back.z) <= margin;
    carom_witness w = {best->gap, a, b, n, cylinder_rim(up_a, 0), cylinder_rim(up_b, 0)};
    if (cap_b)
        w.fb = cylinder_cap(up_b);
    else if (side_b)
        w.fb = cylinder_side();
    if (cap_a)
        w.fa = cylinder_cap(up_a);
    else if (side_a)
        w.fa = cylinder_side();
    if (side_a && side_b) {
        /* The nearest points of the two lines: along the axis of a, then up or down to b. */
        v3 d = v3_sub(v3_along(x->centre, -x->b.R, n), v3_scale(x->a.R, n));
        double c = x->axis.z, det = 1 - c * c, p = d.z, q = v3_dot(d, x->axis);
        double s = det > 1e-20 ? (p - c * q) / det : p;
        s = s > x->a.h ? x->a.h : s < -x->a.h ? -x->a.h : s;
        w.a = v3_along((v3){0, 0, s}, x->a.R, n);
    } else if (cap_a || side_a) {
        w.a = v3_along(b, -best->gap, n);
    }
    w.b = v3_along(w.a, best->gap, n);
    return w;
}

/* Sides along each other: both ends of what they have in common. */
static void add_sides(const carom_cylinders *x, const carom_cylinders_axis *best, double reach,
                      double flat, carom_manifold *out)
{
    v3 n = best->n;
    double c = x->axis.z, h = x->b.h * fabs(c);
    double low = fmax(-x->a.h, x->centre.z - h), high = fmin(x->a.h, x->centre.z + h);
    double bend = across_z(x->axis) * (x->a.h + x->b.h);
    if (bend > flat || low > high || x->a.h * fabs(n.z) > flat)
        return;
    for (int end = 0; end < 2; end++) {
        v3 a = v3_along((v3){0, 0, end ? high : low}, x->a.R, n);
        bool own = (end ? high : low) == (end ? x->a.h : -x->a.h);
        int up_b = end == (c > 0);
        carom_witness w = {best->gap,
                           a,
                           v3_along(a, best->gap, n),
                           n,
                           own ? cylinder_rim(end, 0) : cylinder_side(),
                           own ? cylinder_side() : cylinder_rim(up_b, 0)};
        if (best->gap <= reach)
            manifold_add(out, &w);
    }
}

/* ---- the manifold ---- */

static void over_reference(const carom_cylinders *x, const carom_cylinders_axis *best, double reach,
                           double margin, double flat, carom_manifold *out)
{
    v3 n = best->n, back = m3_back(x->at.R, v3_neg(n));
    double along_a = fabs(n.z), along_b = fabs(back.z);
    over_cap c = {.reach = reach, .margin = margin, .out = out};
    if (along_a * along_a < 0.5 && along_b * along_b < 0.5) {
        add_sides(x, best, reach, flat, out);
        return;
    }
    if (along_a >= along_b) {
        c.p = &x->a;
        c.q = &x->b;
        c.at = &x->at;
        c.up = n.z > 0;
        c.q_up = back.z > 0;
        c.sign = c.up ? 1 : -1;
        add_over_cap(&c, flat);
        return;
    }
    frame inverse = {m3_back(x->at.R, v3_neg(x->at.p)), m3_transpose(x->at.R)};
    int from = out->count;
    c.p = &x->b;
    c.q = &x->a;
    c.at = &inverse;
    c.up = back.z > 0;
    c.q_up = n.z > 0;
    c.sign = c.up ? 1 : -1;
    add_over_cap(&c, flat);
    for (int k = from; k < out->count && k < out->room; k++) {
        carom_witness w = witness_swapped(&out->witness[k]);
        w.a = frame_point(&x->at, w.a);
        w.b = frame_point(&x->at, w.b);
        w.n = m3_apply(x->at.R, w.n);
        out->witness[k] = w;
    }
}

/* Do the contacts over a cap or a side say the same as the best axis? The least gap is the same,
 * and so is the separation along their normal: near touching the first alone holds for any angle.
 */
static bool lie_flat(const carom_cylinders *x, const carom_manifold *m, double gap, double flat)
{
    const carom_witness *low = m->witness;
    for (int k = 1; k < m->count && k < m->room; k++)
        low = m->witness[k].gap < low->gap ? &m->witness[k] : low;
    return m->count && fabs(low->gap - gap) <= flat &&
           carom_cylinders_separation(x, low->n) >= gap - flat;
}

void carom_cylinders_contacts(const carom_cylinders *x, const carom_cylinders_axis *best,
                              double reach, double margin, double flat, carom_manifold *out)
{
    enum { ROOM = 128 };
    carom_witness room[ROOM], w = carom_cylinders_points(x, best, margin);
    carom_manifold m = {room, 0, ROOM, 0};
    over_reference(x, best, reach, margin, flat, &m);
    const bool covers = lie_flat(x, &m, best->gap, flat);
    if (!covers)
        manifold_add(out, &w);
    for (int k = 0; k < m.count && k < ROOM; k++)
        if (covers || room[k].fa != w.fa || room[k].fb != w.fb)
            manifold_add(out, &room[k]);
}
