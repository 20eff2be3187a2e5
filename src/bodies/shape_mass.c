/* Mass properties of shapes, exactly (docs/theory/shapes.md).
 *
 * A rounded polytope falls apart into the polytope, a prism on each face, a sector of a cylinder on
 * each edge and a sector of a sphere at each vertex. Spheres, capsules and cylinders are solids of
 * revolution. Integrals are taken about a point of the shape, so that one far from its origin
 * loses nothing. */
#include "bodies/moments.h"
#include "bodies/shape.h"
#include "carom/need.h"

/* Polygon a fan: tetrahedra from the reference point, and prisms of height r outside. */
static void add_face(const carom_polytope *p, int face, v3 origin, double r, carom_moments *m)
{
    const int *v = p->loop_vertex + p->loop_start[face];
    int count = p->loop_start[face + 1] - p->loop_start[face];
    v3 n = p->normal[face], a = v3_sub(p->vertex[v[0]], origin);
    for (int k = 1; k + 1 < count; k++) {
        v3 b = v3_sub(p->vertex[v[k]], origin), c = v3_sub(p->vertex[v[k + 1]], origin);
        carom_moments base = {0};
        carom_moments_add_tetrahedron(m, a, b, c);
        if (r == 0)
            continue;
        double area = v3_dot(n, v3_cross(v3_sub(b, a), v3_sub(c, a))) / 2;
        carom_moments_add_triangle(&base, area, a, b, c);
        /* x = y + t n, t from 0 to r */
        m->one += r * base.one;
        m->x = v3_along(v3_along(m->x, r, base.x), r * r / 2 * area, n);
        m->xx.x = v3_along(m->xx.x, r, base.xx.x);
        m->xx.y = v3_along(m->xx.y, r, base.xx.y);
        m->xx.z = v3_along(m->xx.z, r, base.xx.z);
        m->xx = m3_symmetric(m->xx, r * r / 2, base.x, n);
        m->xx = m3_outer(m->xx, r * r * r / 3 * area, n, n);
    }
}

/* The sector of a cylinder of radius r between two face normals, along the edge from a to b. */
static void add_edge(v3 a, v3 b, v3 n0, v3 n1, double r, carom_moments *m)
{
    v3 along = v3_sub(b, a), e = v3_unit(along);
    double length = v3_norm(along), turn = atan2(v3_norm(v3_cross(n0, n1)), v3_dot(n0, n1));
    v3 middle = v3_unit(v3_add(n0, n1)), across = v3_cross(e, middle);
    double area = r * r * turn / 2, first = 2 * r * r * r / 3 * sin(turn / 2),
           fourth = r * r * r * r / 8;
    carom_moments piece = {
        length * area, v3_scale(length * first, middle), {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    piece.x = v3_along(piece.x, length * length / 2 * area, e);
    piece.xx = m3_outer(piece.xx, length * fourth * (turn + sin(turn)), middle, middle);
    piece.xx = m3_outer(piece.xx, length * fourth * (turn - sin(turn)), across, across);
    piece.xx = m3_outer(piece.xx, length * length * length / 3 * area, e, e);
    piece.xx = m3_symmetric(piece.xx, length * length / 2 * first, e, middle);
    piece = carom_moments_moved(&piece, a);
    carom_moments_add(m, &piece);
}

/* The share of one arc a -> b (about the unit vector pole) in the integrals of 1, n and n n' over
 * the spherical polygon to its left. By the divergence theorem on the sphere
 *
 *   int n = 1/2 sum angle pole,   int (1 - 3 n n') = - sum pole (a + b)' tan(angle/2),
 *
 * and the solid angle is the sum of the triangles from any fixed direction. */
static void add_arc(v3 a, v3 b, v3 pole, v3 from, double *solid, v3 *first, m3 *second)
{
    double angle = atan2(v3_norm(v3_cross(a, b)), v3_dot(a, b));
    double triple = v3_dot(from, v3_cross(a, b));
    *solid += 2 * atan2(triple, 1 + v3_dot(from, a) + v3_dot(a, b) + v3_dot(b, from));
    *first = v3_along(*first, angle / 2, pole);
    *second = m3_symmetric(*second, -tan(angle / 2) / 2, pole, v3_add(a, b));
}

/* The sectors of spheres at the vertices: for each vertex the arcs of its edges. */
static void add_vertices(const carom_polytope *p, v3 origin, double r, carom_moments *m)
{
    for (int v = 0; v < p->vertex_count; v++) {
        double solid = 0;
        v3 first = {0, 0, 0}, from = {0, 0, 0};
        m3 second = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        for (int k = p->star_start[v]; k < p->star_start[v + 1]; k++) {
            const carom_edge *edge = &p->edge[p->star_edge[k]];
            bool starts = edge->v[0] == v;
            v3 e = v3_unit(v3_sub(p->vertex[edge->v[1]], p->vertex[edge->v[0]]));
            v3 a = p->normal[edge->f[starts]], b = p->normal[edge->f[!starts]];
            from = k == p->star_start[v] ? a : from;
            add_arc(a, b, starts ? v3_neg(e) : e, from, &solid, &first, &second);
        }
        double cube = r * r * r, share = cube * r * r / 5;
        carom_moments piece = {
            solid * cube / 3, v3_scale(cube * r / 4, first), {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
        piece.xx.x = v3_scale(-share / 3, second.x);
        piece.xx.y = v3_scale(-share / 3, second.y);
        piece.xx.z = v3_scale(-share / 3, second.z);
        piece.xx.x.x += share / 3 * solid;
        piece.xx.y.y += share / 3 * solid;
        piece.xx.z.z += share / 3 * solid;
        piece = carom_moments_moved(&piece, v3_sub(p->vertex[v], origin));
        carom_moments_add(m, &piece);
    }
}

static carom_moments polytope_moments(const carom_polytope *p, v3 origin, double r)
{
    carom_moments m = {0};
    for (int f = 0; f < p->face_count; f++)
        add_face(p, f, origin, r, &m);
    if (r > 0) {
        for (int e = 0; e < p->edge_count; e++)
            add_edge(v3_sub(p->vertex[p->edge[e].v[0]], origin),
                     v3_sub(p->vertex[p->edge[e].v[1]], origin), p->normal[p->edge[e].f[0]],
                     p->normal[p->edge[e].f[1]], r, &m);
        add_vertices(p, origin, r, &m);
    }
    return m;
}

static carom_moments mesh_moments(const carom_mesh *mesh, v3 o)
{
    carom_moments m = {0};
    for (int k = 0; k < mesh->triangle_count; k++) {
        const int *v = mesh->triangle[k].v;
        carom_moments_add_tetrahedron(&m, v3_sub(mesh->vertex[v[0]], o),
                                      v3_sub(mesh->vertex[v[1]], o), v3_sub(mesh->vertex[v[2]], o));
    }
    return m;
}

/* A cylinder of radius R and half length h about z, rounded by r: rho = R + r up to |z| = h, then
 * rho = R + q, q = sqrt(r^2 - s^2), at |z| = h + s. */
static carom_moments revolution_moments(double R, double h, double r)
{
    double r2 = r * r, r3 = r2 * r, r4 = r2 * r2, r5 = r4 * r, R2 = R * R, o = R + r;
    /* integrals over s from 0 to r of q^k, s q^k, s^2 q^k */
    double q1 = CAROM_PI * r2 / 4, q2 = 2 * r3 / 3, q3 = 3 * CAROM_PI * r4 / 16, q4 = 8 * r5 / 15;
    double sq0 = r2 / 2, sq1 = r3 / 3, sq2 = r4 / 4;
    double ssq0 = r3 / 3, ssq1 = CAROM_PI * r4 / 16, ssq2 = 2 * r5 / 15;
    double square = R2 * r + 2 * R * q1 + q2; /* of rho^2 over a cap */
    double fourth = R2 * R2 * r + 4 * R2 * R * q1 + 6 * R2 * q2 + 4 * R * q3 + q4;
    double heights =
        h * h * square + 2 * h * (R2 * sq0 + 2 * R * sq1 + sq2) + R2 * ssq0 + 2 * R * ssq1 + ssq2;
    carom_moments m = {
        2 * CAROM_PI * (o * o * h + square), {0, 0, 0}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    m.xx.x.x = m.xx.y.y = CAROM_PI / 2 * (o * o * o * o * h + fourth);
    m.xx.z.z = 2 * CAROM_PI * (o * o * h * h * h / 3 + heights);
    return m;
}

/* The rectangle outside the edge from a to b, and the sector of the circle at a between the edge
 * `before` and this one. */
static void add_side(v3 a, v3 b, v3 before, double r, carom_moments *m)
{
    v3 d = v3_sub(b, a), n0 = v3_unit((v3){before.y, -before.x, 0});
    v3 n = v3_scale(r, v3_unit((v3){d.y, -d.x, 0})), c = v3_add(a, n), e = v3_add(b, n);
    double area = r * v3_norm(d) / 2, fourth = r * r * r * r / 8;
    double turn = atan2(v3_norm(v3_cross(before, d)), v3_dot(before, d));
    double ch = cos(turn / 2), sh = sin(turn / 2);
    v3 middle = {ch * n0.x - sh * n0.y, sh * n0.x + ch * n0.y, 0};
    v3 across = {-middle.y, middle.x, 0};
    carom_moments sector = {r * r * turn / 2,
                            v3_scale(2 * r * r * r / 3 * sh, middle),
                            {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    sector.xx = m3_outer(sector.xx, fourth * (turn + sin(turn)), middle, middle);
    sector.xx = m3_outer(sector.xx, fourth * (turn - sin(turn)), across, across);
    sector = carom_moments_moved(&sector, a);
    carom_moments_add(m, &sector);
    carom_moments_add_triangle(m, area, a, b, e);
    carom_moments_add_triangle(m, area, a, e, c);
}

/* In the plane: the polygon, a rectangle on each edge, a sector of the circle at each vertex. The
 * loop may have one vertex (a circle) or two (a capsule). */
static carom_moments loop_moments(int count, const v3 *vertex, v3 o, double r)
{
    carom_moments m = {0};
    if (count == 1) {
        m.one = CAROM_PI * r * r;
        m.xx.x.x = m.xx.y.y = CAROM_PI * r * r * r * r / 4;
        return m;
    }
    for (int k = 1; k + 1 < count; k++) {
        v3 b = v3_sub(vertex[k], o), c = v3_sub(vertex[k + 1], o);
        carom_moments_add_triangle(&m, (b.x * c.y - b.y * c.x) / 2, (v3){0, 0, 0}, b, c);
    }
    v3 before = v3_sub(vertex[0], vertex[count - 1]);
    for (int k = 0; k < count && r > 0; k++) {
        v3 a = v3_sub(vertex[k], o), b = v3_sub(vertex[(k + 1) % count], o);
        add_side(a, b, before, r, &m);
        before = v3_sub(b, a);
    }
    return m;
}

/* The moments of a shape that has them, about *origin. */
static bool moments_of(const carom_shape *shape, v3 *origin, carom_moments *m)
{
    const carom_polytope *p = &shape->polytope;
    double r = shape->radius;
    *origin = (v3){0, 0, 0};
    if (shape->ops->is.endless)
        return false;
    if (shape->core == CAROM_CORE_CONVEX)
        shape->ops->moments(shape, m);
    else if (shape->core == CAROM_CORE_CYLINDER)
        *m = revolution_moments(shape->half[0], shape->half[2], r);
    else if (shape->core == CAROM_CORE_MESH)
        *m = mesh_moments(&shape->mesh, *origin = shape->mesh.vertex[0]);
    else if (shape->space == 2)
        *m = loop_moments(p->vertex_count, p->vertex, *origin = p->vertex[0], r);
    else if (p->face_count == 0)
        *m = revolution_moments(0, p->size, r);
    else
        *m = polytope_moments(p, *origin = p->vertex[0], r);
    return m->one > 0;
}

carom_status carom_shape_mass(const carom_shape *shape, double density, carom_mass *mass,
                              carom_error *error)
{
    CAROM_NEED(error, shape, mass);
    carom_moments m;
    v3 origin;
    const char *kind = carom_shape_kind_text(shape->kind, shape->space);
    if (!(density > 0) || !isfinite(density))
        return carom_error_set(error, CAROM_ERROR_INPUT,
                               "the density of the %s is %g; it must be positive", kind, density);
    if (shape->core == CAROM_CORE_MESH && shape->radius > 0)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "the mass of a rounded mesh is not known; give mass and inertia");
    if (!moments_of(shape, &origin, &m))
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "a %s has no volume; give mass and inertia", kind);
    *mass = carom_moments_mass(&m, density);
    v3_to(v3_add(v3_of(mass->centre), origin), mass->centre);
    return CAROM_OK;
}
