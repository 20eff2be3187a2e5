/* Second derivatives of gap and slip. A feature is a point, a curve along which the contact may
 * slide (an edge, a rim, the axis of a cylinder's side), or a face, whose normal the contact has.
 */
#include "bodies/gap_motion.h"
#include "bodies/cylinder.h"
#include "bodies/shape.h"

#include <float.h>

/* One side of a contact, in space. */
typedef struct side {
    int link;
    bool face, curve;
    bool bends; /* in a way that is not known */
    v3 normal;  /* face: out of the body */
    v3 d;       /* curve: unit tangent */
    v3 bend;    /* curve: second derivative by its length */
    double r;   /* distance of the surface from the core here */
    v3 x;       /* point of the core */
    v3 v, a, w; /* its velocity and bias acceleration, angular velocity of the link */
} side;

static frame place_of(const carom_part *p)
{
    return frame_of(&p->at);
}

/* The feature of a cylinder: the side is a line with the radius about it. */
static void cylinder_feature(const carom_part *p, uint32_t feature, v3 on, side *s)
{
    frame f = place_of(p);
    int kind = feature_kind(feature), index = feature_index(feature);
    s->face = kind == CAROM_FACE && index < 2;
    s->curve = (kind == CAROM_FACE && index == 2) || kind == CAROM_EDGE;
    s->normal = v3_scale(index ? 1 : -1, f.R.z);
    if (kind == CAROM_FACE && index == 2) {
        s->d = f.R.z;
        s->r += p->shape->half[0];
    } else if (kind == CAROM_EDGE) {
        v3 x = frame_back(&f, on), radial = v3_unit((v3){x.x, x.y, 0});
        s->d = m3_apply(f.R, (v3){-radial.y, radial.x, 0});
        s->bend = m3_apply(f.R, v3_scale(-1 / p->shape->half[0], radial));
    }
}

static void polytope_feature(const carom_part *p, uint32_t feature, v3 out, side *s)
{
    const carom_polytope *q = &p->shape->polytope;
    int kind = feature_kind(feature), index = feature_index(feature);
    s->face = kind == CAROM_FACE || (p->shape->space == 2 && kind == CAROM_EDGE);
    s->curve = !s->face && kind == CAROM_EDGE;
    if (s->face && q->vertex_count > 2)
        s->normal = m3_apply(place_of(p).R, q->normal[index]);
    else if (s->face) { /* a segment of the plane has two sides */
        v3 d = v3_unit(m3_apply(place_of(p).R, v3_sub(q->vertex[1], q->vertex[0])));
        s->normal = (v3){d.y, -d.x, 0};
        s->normal = v3_dot(s->normal, out) < 0 ? v3_neg(s->normal) : s->normal;
    }
    if (s->curve) {
        const int *v = q->edge[index].v;
        s->d = v3_unit(m3_apply(place_of(p).R, v3_sub(q->vertex[v[1]], q->vertex[v[0]])));
    }
}

static void mesh_feature(const carom_part *p, uint32_t feature, side *s)
{
    const carom_mesh *mesh = &p->shape->mesh;
    s->face = feature_kind(feature) == CAROM_FACE;
    s->curve = feature_kind(feature) == CAROM_EDGE;
    if (s->face)
        s->normal = m3_apply(place_of(p).R, mesh->triangle[feature_index(feature)].normal);
    if (s->curve) {
        const int *v = mesh->edge[feature_index(feature)];
        s->d = v3_unit(m3_apply(place_of(p).R, v3_sub(mesh->vertex[v[1]], mesh->vertex[v[0]])));
    }
}

static side side_of(const carom_bodies *b, const carom_part *p, uint32_t feature, v3 surface,
                    v3 out)
{
    side s = {.link = p->link, .r = p->shape->radius};
    v3 on = v3_along(surface, -s.r, out);
    switch (p->shape->core) {
    case CAROM_CORE_POLYTOPE:
        polytope_feature(p, feature, out, &s);
        break;
    case CAROM_CORE_CYLINDER:
        cylinder_feature(p, feature, on, &s);
        break;
    case CAROM_CORE_PLANE:
        s.face = true;
        s.normal = m3_apply(place_of(p).R, p->shape->normal);
        break;
    case CAROM_CORE_MESH:
        mesh_feature(p, feature, &s);
        break;
    default: /* how its surface bends is not known */
        s.bends = true;
        break;
    }
    s.x = v3_along(surface, -s.r, out);
    s.v = carom_forest_velocity_at(&b->forest, &b->work, p->link, s.x);
    s.a = carom_forest_bias_at(&b->forest, &b->work, p->link, s.x);
    s.w = b->work.V[p->link].w;
    return s;
}

/* What comes out: bias of the gap, how the normal turns, how both points move over their bodies. */
typedef struct outcome {
    double bias;
    v3 turn;     /* n' */
    v3 slide[2]; /* of the core points of a and b against the material there */
    bool smooth;
} outcome;

/* A face of f (with the normal n, out of it) and a point or curve of o. */
static outcome of_face(const carom_bodies *b, const side *f, const side *o, v3 n)
{
    v3 under = carom_forest_velocity_at(&b->forest, &b->work, f->link, o->x);
    v3 v = v3_sub(o->v, under);
    v3 a = v3_sub(o->a, carom_forest_bias_at(&b->forest, &b->work, f->link, o->x));
    double height = v3_dot(n, v3_sub(o->x, f->x)), rate = v3_dot(n, v);
    outcome r = {.smooth = !o->face, .turn = v3_cross(f->w, n)};
    r.bias = v3_dot(n, a) - 2 * v3_dot(n, v3_cross(f->w, v));
    if (o->curve) {
        /* The lowest point of the curve slides so that its tangent stays in the plane. */
        double bend = v3_dot(n, o->bend), k = v3_dot(n, v3_cross(v3_sub(o->w, f->w), o->d));
        bool straight = !(fabs(bend) > 0);
        r.smooth = r.smooth && !straight;
        r.bias -= straight ? 0 : k * k / bend;
        r.slide[1] = v3_scale(straight ? 0 : -k / bend, o->d);
    }
    /* The foot: where the other point is, less the height along the normal. */
    v3 foot = v3_sub(v3_add(o->v, r.slide[1]), v3_along(v3_scale(rate, n), height, r.turn));
    r.slide[0] = v3_sub(foot, f->v);
    return r;
}

/* Two curves whose tangents span the plane across n (docs/theory/bodies.md). */
static outcome of_two_curves(const side *s[2], v3 n, double D, v3 v, v3 a)
{
    const double sign[2] = {-1, 1};
    double G[2][2], k[2], C[2], f[2], w[2], z[2];
    v3 J[2], vt = v3_along(v, -v3_dot(n, v), n);
    outcome r = {.smooth = true};
    for (int i = 0; i < 2; i++) {
        J[i] = v3_scale(sign[i], s[i]->d);
        k[i] = sign[i] * v3_dot(n, v3_cross(s[i]->w, s[i]->d));
        C[i] = sign[i] * v3_dot(n, s[i]->bend);
        f[i] = v3_dot(J[i], vt);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            G[i][j] = v3_dot(J[i], J[j]);
    double det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    double H[2][2] = {{G[0][0] + D * C[0], G[0][1]}, {G[1][0], G[1][1] + D * C[1]}};
    double hdet = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    if (!(det > 0) || hdet == 0) {
        r.smooth = false;
        r.bias = v3_dot(n, a);
        return r;
    }
    w[0] = (f[0] * G[1][1] - f[1] * G[0][1]) / det;
    w[1] = (f[1] * G[0][0] - f[0] * G[1][0]) / det;
    double e[2] = {k[0] - C[0] * w[0], k[1] - C[1] * w[1]};
    z[0] = (e[0] * H[1][1] - e[1] * H[0][1]) / hdet;
    z[1] = (e[1] * H[0][0] - e[0] * H[1][0]) / hdet;
    r.bias = v3_dot(n, a);
    for (int i = 0; i < 2; i++) {
        r.bias -= k[i] * w[i] + (D * k[i] + f[i]) * z[i];
        r.turn = v3_along(r.turn, -z[i], J[i]);
        r.slide[i] = v3_scale(-w[i] - D * z[i], s[i]->d);
    }
    return r;
}

/* Two points, or a point and a curve: D > 0. */
static outcome of_points(const side *s[2], v3 n, double D, v3 v, v3 a)
{
    v3 vt = v3_along(v, -v3_dot(n, v), n);
    outcome r = {.smooth = D > 0, .bias = v3_dot(n, a)};
    if (!(D > 0))
        return r;
    r.bias += v3_norm2(vt) / D;
    v3 moved = vt;
    for (int i = 0; i < 2; i++)
        if (s[i]->curve) {
            double sign = i ? 1 : -1, k = sign * v3_dot(n, v3_cross(s[i]->w, s[i]->d));
            double F = (1 + sign * D * v3_dot(n, s[i]->bend)) / D,
                   q = k + sign * v3_dot(s[i]->d, vt) / D;
            r.bias -= q * q / F;
            r.slide[i] = v3_scale(-q / F, s[i]->d);
            moved = v3_along(moved, sign * -q / F, s[i]->d);
        }
    r.turn = v3_scale(1 / D, moved);
    return r;
}

/* What part the point of side i has in that of the rows: the surface that moves says where it is
 * struck, of two that move both do. */
static double part_of(const carom_bodies *b, const carom_bodies_contact *c, int i)
{
    const carom_forest *f = &b->forest;
    const bool moves = f->link[b->part[c->shape[i]].link].tree >= 0,
               other = f->link[b->part[c->shape[!i]].link].tree >= 0;
    return moves == other ? 0.5 : moves;
}

v3 carom_gap_motion_point(const carom_bodies *b, const carom_bodies_contact *c)
{
    return v3_along(v3_scale(part_of(b, c, 0), v3_of(c->touch.a)), part_of(b, c, 1),
                    v3_of(c->touch.b));
}

/* The slip is that of both bodies at the point x of the rows. Those of the surfaces move
 * over their bodies as those of the cores do, and as the normal turns around them; x' is made of
 * theirs as x is of them. */
static v3 slip_acceleration(const carom_bodies *b, const carom_bodies_contact *c, const side *s[2],
                            const outcome *r, v3 n)
{
    v3 sum = {0, 0, 0}, rate = {0, 0, 0};
    const v3 point[2] = {v3_of(c->touch.a), v3_of(c->touch.b)}, x = carom_gap_motion_point(b, c);
    for (int i = 0; i < 2; i++) {
        v3 around = v3_sub(r->turn, v3_cross(s[i]->w, n));
        v3 slide = v3_along(r->slide[i], (i ? -1 : 1) * s[i]->r, around);
        v3 v = carom_forest_velocity_at(&b->forest, &b->work, s[i]->link, point[i]);
        rate = v3_along(rate, part_of(b, c, i), v3_add(v, slide));
    }
    for (int i = 0; i < 2; i++) {
        v3 over = v3_sub(rate, carom_forest_velocity_at(&b->forest, &b->work, s[i]->link, x));
        v3 a = carom_forest_bias_at(&b->forest, &b->work, s[i]->link, x);
        sum = v3_along(sum, i ? 1 : -1, v3_add(a, v3_cross(s[i]->w, over)));
    }
    return sum;
}

void carom_gap_motion(const carom_bodies *b, carom_bodies_contact *c)
{
    v3 n = v3_of(c->touch.normal);
    side a =
        side_of(b, &b->part[c->shape[0]], (uint32_t)(c->touch.name >> 32), v3_of(c->touch.a), n);
    side o =
        side_of(b, &b->part[c->shape[1]], (uint32_t)c->touch.name, v3_of(c->touch.b), v3_neg(n));
    const side *s[2] = {&a, &o};
    double D = c->touch.gap + a.r + o.r;
    v3 v = v3_sub(o.v, a.v), acceleration = v3_sub(o.a, a.a);
    outcome r;
    if (a.face) {
        r = of_face(b, &a, &o, n);
    } else if (o.face) {
        r = of_face(b, &o, &a, v3_neg(n));
        v3 keep = r.slide[0];
        r.slide[0] = r.slide[1];
        r.slide[1] = keep;
        r.turn = v3_neg(r.turn);
    } else if (a.curve && o.curve) {
        r = of_two_curves(s, n, D, v, acceleration);
    } else {
        r = of_points(s, n, D, v, acceleration);
    }
    /* A normal that is not that of the features is a face's nearby: then the gap is not this one.
     */
    for (int i = 0; i < 2; i++) {
        v3 out = i ? v3_neg(n) : n;
        if (s[i]->bends || (s[i]->curve && fabs(v3_dot(n, s[i]->d)) > sqrt(DBL_EPSILON)) ||
            (s[i]->face && v3_norm(v3_sub(out, s[i]->normal)) > sqrt(DBL_EPSILON)))
            r.smooth = false;
    }
    v3 slip = slip_acceleration(b, c, s, &r, n);
    v3 rate = v3_sub(carom_forest_velocity_at(&b->forest, &b->work, o.link, v3_of(c->touch.b)),
                     carom_forest_velocity_at(&b->forest, &b->work, a.link, v3_of(c->touch.a)));
    c->smooth = r.smooth;
    c->bias[0] = r.bias;
    for (int i = 0; i < 2; i++) {
        v3 t = v3_of(c->tangent[i]);
        c->bias[1 + i] = v3_dot(t, slip) - v3_dot(t, r.turn) * v3_dot(n, rate);
    }
}
