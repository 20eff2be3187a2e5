/* The admissible set S where ties are the rule: small integers, dependent contacts, cones without
 * interior. The reference looks at all crossings of lines and ellipse in the plane of velocities.
 */
#include "carom/tolerance.h"
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

enum { MOST_LINES = 2 * IMPACTS_P, MOST_POINTS = 400 };

/* The statement of the reference: T and x + M^-1 cone(W), by their definitions. */
typedef struct plane_case {
    const impacts_case *c;
    double size; /* of velocities, |x| */
} plane_case;

static double kinetic_dot(const plane_case *s, const double *a, const double *b)
{
    return s->c->M[0] * a[0] * b[0] + s->c->M[1] * a[1] * b[1];
}

static bool opens(const plane_case *s, const double *y, double slack)
{
    for (int i = 0; i < s->c->impact.p; i++) {
        const double *w = s->c->W + 2 * i;
        if (w[0] * y[0] + w[1] * y[1] < -slack * (fabs(w[0]) + fabs(w[1])))
            return false;
    }
    return true;
}

/* M (y - x) = alpha w_i + beta w_j with alpha, beta >= 0 for some pair? */
static bool pushes(const plane_case *s, const double *y, double slack)
{
    const impacts_case *c = s->c;
    const double v[2] = {c->M[0] * (y[0] - c->u[0]), c->M[1] * (y[1] - c->u[1])};
    const double small = slack * fmax(c->M[0], c->M[1]);
    if (fabs(v[0]) <= small && fabs(v[1]) <= small)
        return true;
    for (int i = 0; i < c->impact.p; i++)
        for (int j = 0; j <= i; j++) {
            const double *a = c->W + 2 * i, *b = c->W + 2 * j, det = a[0] * b[1] - a[1] * b[0];
            const double va = v[0] * b[1] - v[1] * b[0], av = a[0] * v[1] - a[1] * v[0];
            const double na = hypot(a[0], a[1]), nb = hypot(b[0], b[1]);
            if (det != 0 && va / det >= -small / na && av / det >= -small / nb)
                return true;
            if (i == j && fabs(av) <= small * na && a[0] * v[0] + a[1] * v[1] >= 0)
                return true;
        }
    return false;
}

static bool inside(const plane_case *s, const double *y, double slack)
{
    return opens(s, y, slack) && pushes(s, y, slack) &&
           sqrt(kinetic_dot(s, y, y)) <= s->size + slack * sqrt(fmax(s->c->M[0], s->c->M[1]));
}

/* A line of the plane: point + t direction. */
typedef struct line {
    double at[2], along[2];
} line;

static int draw_lines(const impacts_case *c, line *lines)
{
    int count = 0;
    for (int i = 0; i < c->impact.p; i++) {
        const double *w = c->W + 2 * i;
        lines[count++] = (line){{0, 0}, {-w[1], w[0]}};
        lines[count++] = (line){{c->u[0], c->u[1]}, {w[0] / c->M[0], w[1] / c->M[1]}};
    }
    return count;
}

/* May y move both ways along d, or across it, within the polyhedron? */
static bool moves(const plane_case *s, const double *y, double dx, double dy)
{
    const double far = 1e-4 * (1 + fabs(y[0]) + fabs(y[1])) / hypot(dx, dy);
    for (int side = -1; side <= 1; side += 2) {
        const double z[2] = {y[0] + side * far * dx, y[1] + side * far * dy};
        if (!opens(s, z, 1e-9) || !pushes(s, z, 1e-9))
            return false;
    }
    return true;
}

/* A vertex moves along no line; an inner point moves along and across all. */
static void look(const plane_case *s, const line *lines, int m, const double *y, bool *vertex,
                 bool *inner)
{
    *vertex = *inner = true;
    for (int i = 0; i < m; i++) {
        const double *d = lines[i].along;
        const bool along = moves(s, y, d[0], d[1]);
        *vertex = *vertex && !along;
        *inner = *inner && along && moves(s, y, -d[1], d[0]);
    }
}

static void keep(const plane_case *s, const double *y, double *points, int *count)
{
    if (!inside(s, y, 1e-9))
        return;
    for (int k = 0; k < *count; k++)
        if (hypot(points[2 * k] - y[0], points[2 * k + 1] - y[1]) <= 1e-7)
            return;
    points[2 * *count] = y[0];
    points[2 * *count + 1] = y[1];
    ++*count;
}

/* Corners of S: vertices, and where lines that bound it leave the ball. */
static int corners(const plane_case *s, double *points)
{
    line lines[MOST_LINES];
    const int m = draw_lines(s->c, lines);
    int count = 0;
    bool vertex, inner;
    for (int i = 0; i < m; i++) {
        const line *a = &lines[i];
        for (int j = 0; j < i; j++) {
            const line *b = &lines[j];
            const double det = a->along[0] * b->along[1] - a->along[1] * b->along[0];
            const double d[2] = {b->at[0] - a->at[0], b->at[1] - a->at[1]};
            const double t = (d[0] * b->along[1] - d[1] * b->along[0]) / det;
            const double y[2] = {a->at[0] + t * a->along[0], a->at[1] + t * a->along[1]};
            if (!(fabs(det) > 1e-12))
                continue;
            look(s, lines, m, y, &vertex, &inner);
            if (vertex)
                keep(s, y, points, &count);
        }
        const double q = kinetic_dot(s, a->along, a->along), h = kinetic_dot(s, a->at, a->along);
        const double root = h * h - q * (kinetic_dot(s, a->at, a->at) - s->size * s->size);
        for (int side = -1; side <= 1 && root >= 0; side += 2) {
            const double t = (-h + side * sqrt(root)) / q;
            const double y[2] = {a->at[0] + t * a->along[0], a->at[1] + t * a->along[1]};
            look(s, lines, m, y, &vertex, &inner);
            if (!inner)
                keep(s, y, points, &count);
        }
    }
    return count;
}

static bool listed(const double *points, int count, const double *y, double near)
{
    for (int k = 0; k < count; k++)
        if (hypot(points[2 * k] - y[0], points[2 * k + 1] - y[1]) <= near)
            return true;
    return false;
}

static void draw(check_random *r, impacts_case *c)
{
    static const double masses[] = {1, 1, 4, 9, 2};
    impacts_init(c, 2, 1 + check_random_int(r, 4));
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < 2; k++) {
        c->M[k] = masses[check_random_int(r, 5)];
        c->u[k] = (check_random_int(r, 9) - 4) / 2.;
    }
    for (int i = 0; i < c->impact.p; i++)
        do
            for (int k = 0; k < 2; k++)
                c->W[k + 2 * i] = check_random_int(r, 7) - 3;
        while (c->W[2 * i] == 0 && c->W[2 * i + 1] == 0);
}

/* Level 0 is z alone; points of other levels are on their sphere and in S. */
static void check_levels(family *f, const plane_case *s, const carom_admissible *S)
{
    for (int step = 0; step < 10; step++) {
        const double level = step / 2 * 0.25;
        const carom_reading reading = step % 2 ? CAROM_READING_ENERGY : CAROM_READING_RADIUS;
        carom_admissible_points p;
        check_ok(carom_admissible_level(S, level, reading, arena, &p, NULL), NULL);
        const double r = carom_admissible_radius(S, level, reading);
        for (int k = 0; k < p.count; k++) {
            const double *y = p.u + 2 * k, norm = sqrt(kinetic_dot(s, y, y));
            family_check(f, fabs(norm - r) <= 1e-9 * s->size && inside(s, y, 1e-8),
                         "level %g: point (%g, %g) of norm %g, not %g", level, y[0], y[1], norm, r);
        }
        family_check(f, level > 0 || p.count == 1, "level 0 has %d points", p.count);
    }
}

/* Nearest points are in S and on its near side: nothing of S is beyond the plane across them. */
static void check_distances(family *f, const plane_case *s, const carom_admissible *S,
                            const double *points, int count)
{
    for (int trial = 0; trial < 4; trial++) {
        const double u[2] = {trial ? check_random_in(&f->random, -4, 4) : 0,
                             trial ? check_random_in(&f->random, -4, 4) : 0};
        double near[2], d;
        check_ok(carom_admissible_distance(S, u, arena, near, &d, NULL), NULL);
        family_check(f, inside(s, near, 1e-8), "nearest (%g, %g) of (%g, %g) is outside", near[0],
                     near[1], u[0], u[1]);
        for (int k = 0; k < count; k++) {
            const double step[2] = {points[2 * k] - near[0], points[2 * k + 1] - near[1]};
            const double away[2] = {u[0] - near[0], u[1] - near[1]};
            family_check(f, kinetic_dot(s, step, away) <= 1e-7 * (1 + s->size) * (1 + d),
                         "(%g, %g) is not the nearest to (%g, %g)", near[0], near[1], u[0], u[1]);
        }
    }
}

/* What is attained is within what is proved, which holds all corners; both are one number where S
 * is one point: on level 0, and where no contact approaches (the integers decide that exactly). */
static void check_ranges(family *f, const plane_case *s, const carom_admissible *S,
                         const double *points, int count)
{
    const bool at_rest = opens(s, s->c->u, 0);
    for (int j = 0; j < 4; j++) {
        const double weights[2] = {j % 2 == 0, j % 2 == 1};
        const double radius = j < 2 ? S->speed : S->least;
        const double width = CAROM_TOLERANCE_CARRIED * s->size / sqrt(s->c->M[j % 2]);
        carom_admissible_range r;
        check_ok(carom_admissible_find_range(S, weights, radius, arena, &r, NULL), NULL);
        family_check(f, r.low_proved <= r.low && r.low <= r.high && r.high <= r.high_proved,
                     "u%d: from %.17g (proved %.17g) to %.17g (proved %.17g)", j % 2 + 1, r.low,
                     r.low_proved, r.high, r.high_proved);
        family_check(f, (j < 2 && !at_rest) || r.high_proved - r.low_proved <= width,
                     "u%d: one point has the width %g", j % 2 + 1, r.high_proved - r.low_proved);
        family_check(
            f, !at_rest || (r.low_proved <= s->c->u[j % 2] && s->c->u[j % 2] <= r.high_proved),
            "u%d: its value before is excluded", j % 2 + 1);
        for (int k = 0; k < count && j < 2; k++)
            family_check(f,
                         points[2 * k + j] >= r.low_proved - 1e-7 &&
                             points[2 * k + j] <= r.high_proved + 1e-7,
                         "u%d = %g is beyond what is proved", j + 1, points[2 * k + j]);
    }
}

static void judge(family *f, const impacts_case *c)
{
    carom_geometry g;
    carom_admissible S;
    carom_admissible_points extremes, outline;
    int vertices;
    double points[2 * MOST_POINTS];
    carom_arena_reset(arena);
    check_ok(carom_impact_derive(&c->impact, arena, &g, NULL), NULL);
    check_ok(carom_admissible_make(&g, arena, &S, NULL), NULL);
    plane_case s = {c, 0};
    s.size = sqrt(kinetic_dot(&s, c->u, c->u));
    const int count = corners(&s, points);
    check_ok(carom_admissible_extremes(&S, arena, &extremes, &vertices, NULL), NULL);
    check_ok(carom_admissible_outline(&S, 16, arena, &outline, NULL), NULL);
    for (int k = 0; k < count; k++) {
        const double *y = points + 2 * k;
        family_check(f, listed(extremes.u, extremes.count, y, 1e-6), "(%g, %g) is missing", y[0],
                     y[1]);
        family_check(f, listed(outline.u, outline.count, y, 1e-6), "(%g, %g): not in outline", y[0],
                     y[1]);
    }
    for (int k = 0; k < extremes.count; k++)
        family_check(f, listed(points, count, extremes.u + 2 * k, 1e-6), "(%g, %g) is no corner",
                     extremes.u[2 * k], extremes.u[2 * k + 1]);
    for (int k = 0; k < outline.count; k++)
        family_check(f, inside(&s, outline.u + 2 * k, 1e-8), "outline leaves S at (%g, %g)",
                     outline.u[2 * k], outline.u[2 * k + 1]);
    check_levels(f, &s, &S);
    check_distances(f, &s, &S, points, count);
    check_ranges(f, &s, &S, points, count);
}

static void test_plane(void **state)
{
    (void)state;
    family f = family_start("admissible set with ties", 91, 2000);
    while (family_next(&f)) {
        impacts_case c;
        draw(&f.random, &c);
        judge(&f, &c);
    }
    family_end(&f);
}

/* The cases that showed what was wrong. */
static void test_named(void **state)
{
    (void)state;
    static const struct {
        int p;
        double mass[2], u[2], W[6];
    } cases[] = {{2, {4, 1}, {-0.5, -2}, {-3, 2, -2, 3}},
                 {2, {1, 1}, {0, -2}, {-2, 1, 0, 2}},
                 {3, {9, 1}, {1.5, -1.5}, {1, 0, -1, 0, 3, -2}},
                 {2, {1, 1}, {1, 0}, {0, 2, 1, 2}}};
    for (int k = 0; k < 4; k++) {
        impacts_case c;
        impacts_init(&c, 2, cases[k].p);
        c.impact.mass_is_diagonal = true;
        memcpy(c.M, cases[k].mass, sizeof cases[k].mass);
        memcpy(c.u, cases[k].u, sizeof cases[k].u);
        memcpy(c.W, cases[k].W, sizeof cases[k].W);
        family f = {.name = "named", .members = 1, .only = -1};
        judge(&f, &c);
        family_end(&f);
    }
    double *rays;
    int count;
    const double a = 1 / sqrt(5), A[] = {1, 0, -1, 0, a, -2 * a};
    check_ok(carom_cone_rays(2, 3, A, arena, &rays, &count, NULL), NULL);
    assert_int_equal(count, 1);
    check_vector(rays, ((double[]){0, -1}), 2, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_plane),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
