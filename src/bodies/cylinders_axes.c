/* The best axis between two cylinders: s(n) is largest at one of finitely many normals
 * (docs/theory/collision.md): the axis of either, the normal of both axes, a normal of the ellipse
 * that a rim is when seen along the other axis, or the common normal of two rims. */
#include "bodies/cylinders.h"
#include "bodies/ellipse.h"
#include "solver/trig_roots.h"

#include <float.h>

typedef struct search {
    const carom_cylinders *x;
    double margin, gap;
    v3 n;
    int kind, up[2]; /* caps or rims of the two, as the kind says */
} search;

/* s(n), n from the first to the second. */
double carom_cylinders_separation(const carom_cylinders *x, v3 n)
{
    double along = v3_dot(n, x->axis), across = v3_norm(v3_cross(n, x->axis));
    return v3_dot(n, x->centre) - cylinder_support(&x->a, n) - x->b.R * across -
           x->b.h * fabs(along);
}

/* How far a point in the frame of a cylinder is outside of it. */
static double outside(const carom_cylinder *c, v3 y)
{
    return larger(across_z(y) - c->R, fabs(y.z) - c->h);
}

/* How far the points of an axis are off the cylinders. */
static double misfit(const search *s, const carom_cylinders_axis *axis, carom_witness *w)
{
    *w = carom_cylinders_points(s->x, axis, s->margin);
    return larger(outside(&s->x->a, w->a), outside(&s->x->b, frame_back(&s->x->at, w->b)));
}

static carom_cylinders_axis axis_of(const search *s)
{
    return (carom_cylinders_axis){s->gap, s->n, s->kind, {s->up[0], s->up[1]}};
}

/* s(n) is flat at its top: a normal that is off by d loses d^2 only, and two of nearly the same gap
 * can differ by the root of the margin, as can their points. Of these the one whose points belong
 * to the cylinders is the right one. */
static bool is_better(const search *s, const carom_cylinders_axis *axis)
{
    const carom_cylinders_axis now = axis_of(s);
    carom_witness w;
    if (axis->gap > s->gap + s->margin)
        return true;
    if (!(axis->gap >= s->gap - s->margin))
        return false;
    return misfit(s, &now, &w) > s->margin && misfit(s, axis, &w) <= s->margin;
}

static void try_normal(search *s, v3 n, int kind, int up_a, int up_b)
{
    const carom_cylinders_axis axis = {carom_cylinders_separation(s->x, n), n, kind, {up_a, up_b}};
    if (!is_better(s, &axis))
        return;
    s->gap = axis.gap;
    s->n = n;
    s->kind = kind;
    s->up[0] = up_a;
    s->up[1] = up_b;
}

static void try_axes(search *s)
{
    const v3 z = {0, 0, 1};
    v3 n = v3_cross(z, s->x->axis);
    double sine = v3_norm(n);
    for (int sign = -1; sign <= 1; sign += 2) {
        try_normal(s, v3_scale(sign, z), CAROM_CYLINDERS_CAP_A, sign > 0, 0);
        v3 other = v3_scale(sign, s->x->axis);
        try_normal(s, other, CAROM_CYLINDERS_CAP_B, 0, sign < 0);
        if (sine > 4 * DBL_EPSILON)
            try_normal(s, v3_scale(sign / sine, n), CAROM_CYLINDERS_SIDES, 0, 0);
    }
    /* Parallel axes: straight from one to the other, or any way where they are the same. */
    v3 d = s->x->centre;
    double rho = across_z(d);
    v3 out = rho > 0 ? (v3){d.x / rho, d.y / rho, 0} : (v3){1, 0, 0};
    try_normal(s, out, CAROM_CYLINDERS_SIDES, 0, 0);
}

/* The side of one (axis a through the origin o) and the rims of the other (radius R, axis b, centre
 * c, half length h). Seen along a such a rim is an ellipse: R across b, R |cos| along it. sign: 1
 * when the side is the first's. */
static void try_side_rims(search *s, v3 a, v3 o, v3 b, v3 c, double R, double h, double sign)
{
    v3 u = v3_cross(a, b);
    double sine = v3_norm(u), cosine = fabs(v3_dot(a, b));
    if (sine <= 4 * DBL_EPSILON)
        return;
    u = v3_scale(1 / sine, u);
    v3 w = v3_cross(a, u); /* w.b = -+ sine */
    for (int up = 0; up < 2; up++) {
        v3 p = v3_sub(v3_along(c, up ? h : -h, b), o);
        double normal[2][2];
        int count = carom_ellipse_normals(R, R * cosine, v3_dot(p, u), v3_dot(p, w), normal);
        for (int k = 0; k < count; k++) {
            v3 n = v3_scale(sign, v3_add(v3_scale(normal[k][0], u), v3_scale(normal[k][1], w)));
            if (sign > 0)
                try_normal(s, n, CAROM_CYLINDERS_SIDE_RIM, 0, up);
            else
                try_normal(s, n, CAROM_CYLINDERS_RIM_SIDE, up, 0);
        }
    }
}

/* ---- two rims ---- */

typedef struct rims {
    const carom_cylinders *x;
    double z;   /* height of the first rim */
    v3 o, u, v; /* centre of the second rim and its radius vectors */
    int up[2];
} rims;

static v3 second_point(const rims *r, double angle)
{
    return v3_along(v3_along(r->o, cos(angle), r->u), sin(angle), r->v);
}

static v3 second_tangent(const rims *r, double angle)
{
    return v3_along(v3_scale(-sin(angle), r->u), cos(angle), r->v);
}

/* Let y run around the second rim; rho its distance from the first axis. The distance to the first
 * rim is stationary where rho e = R m, e = (y - o_1).y', m = y_xy.y_xy'. Squared, this is a
 * trigonometric polynomial of degree four. */
static double stationary(const rims *r, double angle)
{
    v3 y = second_point(r, angle), d = second_tangent(r, angle);
    double rho2 = y.x * y.x + y.y * y.y, m = y.x * d.x + y.y * d.y, e = m + (y.z - r->z) * d.z;
    return rho2 * e * e - r->x->a.R * r->x->a.R * m * m;
}

/* Newton's method on both angles: the way between the points is orthogonal to both tangents. */
static void polish(const rims *r, double *alpha, double *beta)
{
    double R = r->x->a.R;
    for (int k = 0; k < 20; k++) {
        v3 radial = {cos(*alpha), sin(*alpha), 0}, t = {-sin(*alpha), cos(*alpha), 0};
        v3 x = v3_along((v3){0, 0, r->z}, R, radial), y = second_point(r, *beta);
        v3 s = second_tangent(r, *beta), bend = v3_sub(r->o, y), d = v3_sub(y, x);
        double f = v3_dot(d, t), g = v3_dot(d, s);
        double fa = -R - v3_dot(d, radial), fb = v3_dot(s, t), ga = -R * fb,
               gb = v3_norm2(s) + v3_dot(d, bend), det = fa * gb - fb * ga;
        if (!(fabs(det) > 0))
            return;
        double da = (f * gb - g * fb) / det, db = (g * fa - f * ga) / det;
        *alpha -= da;
        *beta -= db;
        if (fabs(da) + fabs(db) <= 4 * DBL_EPSILON)
            return;
    }
}

static void try_points(search *s, const rims *r, double alpha, double beta)
{
    v3 t = {-sin(alpha), cos(alpha), 0}, e = v3_unit(second_tangent(r, beta));
    v3 n = v3_cross(t, e), x = {r->x->a.R * cos(alpha), r->x->a.R * sin(alpha), r->z};
    v3 d = v3_sub(second_point(r, beta), x);
    double sine = v3_norm(n), away = v3_norm(d);
    /* The better known of the two directions. */
    n = sine * larger(r->x->a.R, r->x->b.R) > away ? v3_scale(1 / sine, n) : v3_unit(d);
    try_normal(s, n, CAROM_CYLINDERS_RIMS, r->up[0], r->up[1]);
    try_normal(s, v3_neg(n), CAROM_CYLINDERS_RIMS, r->up[0], r->up[1]);
}

/* A zero of the polynomial, polished, and as it was: Newton's method may leave one that is nearly
 * double. */
static void try_angle(search *s, const rims *r, double beta)
{
    v3 y = second_point(r, beta);
    double alpha = atan2(y.y, y.x), polished[2] = {alpha, beta};
    polish(r, &polished[0], &polished[1]);
    try_points(s, r, polished[0], polished[1]);
    try_points(s, r, alpha, beta);
}

/* The points of the best axis so far. Apart, they prove it when they belong to the cylinders.
 * `overlap`: a point of the second is inside the first. */
static bool proved(const search *s, bool *overlap)
{
    const carom_cylinders *x = s->x;
    const carom_cylinders_axis best = axis_of(s);
    carom_witness w;
    bool own = misfit(s, &best, &w) <= s->margin;
    *overlap = own && outside(&x->a, w.b) < 0;
    return own && s->gap > 0;
}

static void try_rims(search *s, int up_a, int up_b, bool overlap)
{
    const carom_cylinders *x = s->x;
    v3 u = v3_perpendicular(x->axis);
    rims r = {.x = x,
              .z = up_a ? x->a.h : -x->a.h,
              .o = v3_along(x->centre, up_b ? x->b.h : -x->b.h, x->axis),
              .u = v3_scale(x->b.R, u),
              .v = v3_scale(x->b.R, v3_cross(x->axis, u)),
              .up = {up_a, up_b}};
    double value[16], roots[CAROM_TRIG_ROOTS], least = INFINITY;
    carom_trig p;
    for (int j = 0; j < 16; j++) {
        double angle = 2 * CAROM_PI * j / 16;
        v3 y = second_point(&r, angle);
        double away = hypot(across_z(y) - x->a.R, y.z - r.z);
        value[j] = stationary(&r, angle);
        least = away < least ? away : least;
    }
    /* Cylinders that overlap: rims that stay farther from each other than the depth so far (between
     * two of the angles a point moves by less than a fifth of the radius) have nothing to add. */
    if (overlap && least - 0.2 * x->b.R > -s->gap)
        return;
    carom_trig_fit(value, &p);
    int count = carom_trig_roots(&p, roots);
    for (int k = 0; k < count; k++)
        try_angle(s, &r, roots[k]);
}

void carom_cylinders_best(const carom_cylinders *x, double margin, carom_cylinders_axis *best)
{
    search s = {.x = x, .margin = margin, .gap = -INFINITY};
    const v3 z = {0, 0, 1}, origin = {0, 0, 0};
    try_axes(&s);
    try_side_rims(&s, z, origin, x->axis, x->centre, x->b.R, x->b.h, 1);
    try_side_rims(&s, x->axis, x->centre, z, origin, x->a.R, x->a.h, -1);
    bool overlap, done = proved(&s, &overlap);
    for (int up = 0; up < 4 && !done; up++)
        try_rims(&s, up & 1, up >> 1, overlap);
    *best = axis_of(&s);
}
