/* The set of admissible outcomes against its definition. */
#include "impacts.h"

CHECK_ARENA(arena);
static carom_geometry g;
static carom_admissible S;

static void make(const impacts_case *c)
{
    carom_error error = {0};
    carom_arena_reset(arena);
    check_ok(carom_impact_derive(&c->impact, arena, &g, &error), &error);
    check_ok(carom_admissible_make(&g, arena, &S, &error), &error);
}

static carom_membership contains(const double *u)
{
    carom_membership m;
    check_ok(carom_admissible_contains(&S, u, 0, arena, &m, NULL), NULL);
    return m;
}

static double kinetic_norm(const double *y)
{
    return sqrt(fmax(0, carom_geometry_dot(&g, y, y)));
}

static double norm_minus_b(const double *u)
{
    double y[IMPACTS_N];
    for (int i = 0; i < g.impact->n; i++)
        y[i] = u[i] - g.b[i];
    return kinetic_norm(y);
}

/* One contact: a segment from the projection to the reflection, and both ends are extreme. */
static void test_segment(void **state)
{
    (void)state;
    impacts_case c;
    impacts_chain(&c, 2, (double[]){1, 3}, (double[]){2, 0}, 0);
    make(&c);
    assert_int_equal(S.k, 1);
    carom_admissible_points p;
    int vertices;
    check_ok(carom_admissible_extremes(&S, arena, &p, &vertices, NULL), NULL);
    assert_int_equal(p.count, 2);
    assert_int_equal(vertices, 1);
    check_vector(p.u, ((double[]){0.5, 0.5, -1, 1}), 4, 1e-14);
    check_ok(carom_admissible_outline(&S, 8, arena, &p, NULL), NULL);
    assert_int_equal(p.count, 2);
    /* the level epsilon is the outcome of restitution epsilon (energy reading) */
    for (double e = 0; e <= 1; e += 0.25) {
        check_ok(carom_admissible_level(&S, e, CAROM_READING_ENERGY, arena, &p, NULL), NULL);
        assert_int_equal(p.count, 1);
        check_vector(p.u, ((double[]){2 - 1.5 * (1 + e), 0.5 * (1 + e)}), 2, 1e-14);
    }
    assert_true(contains((double[]){0, 2. / 3}).inside);
    carom_membership m = contains((double[]){1, 1. / 3});
    assert_false(m.inside);
    assert_string_equal(m.violated, "kinematic");
    assert_string_equal(contains((double[]){-2, 4. / 3}).violated, "energetic");
    assert_string_equal(contains((double[]){0, 0}).violated, "kinetic");
    double nearest[2], distance;
    check_ok(carom_admissible_distance(&S, (double[]){-2, 4. / 3}, arena, nearest, &distance, NULL),
             NULL);
    check_vector(nearest, ((double[]){-1, 1}), 2, 1e-14);
    check_close(distance, sqrt(1 + 3. / 9), 1e-14);
}

/* Newton's cradle, three equal balls: what is in S, the arc of the level 1, the outline. */
static void test_cradle(void **state)
{
    (void)state;
    impacts_case c;
    impacts_chain(&c, 3, NULL, (double[]){1, 0, 0}, 1);
    make(&c);
    assert_int_equal(S.k, 2);
    assert_true(contains((double[]){0, 0, 1}).inside);
    assert_true(contains((double[]){-1. / 3, 2. / 3, 2. / 3}).inside);
    assert_true(contains((double[]){1. / 3, 1. / 3, 1. / 3}).inside);
    assert_string_equal(contains((double[]){1, 0, 0}).violated, "kinematic");
    assert_string_equal(contains((double[]){-1, 1, 1}).violated, "energetic");
    assert_string_equal(contains((double[]){0.5, 0.5, 0.5}).violated, "kinetic");
    carom_admissible_arc *arcs;
    int count;
    check_ok(carom_admissible_arcs(&S, 1, CAROM_READING_ENERGY, 16, arena, &arcs, &count, NULL),
             NULL);
    assert_int_equal(count, 1);
    assert_int_equal(arcs[0].line.count, 17);
    for (int i = 0; i < 17; i++) {
        const double *u = arcs[0].line.u + 3 * i;
        assert_true(contains(u).inside);
        check_close(u[0] + u[1] + u[2], 1, 1e-14);
        check_close(u[0] * u[0] + u[1] * u[1] + u[2] * u[2], 1, 1e-14);
    }
    /* the ends: (-1/3, 2/3, 2/3), where the second contact stays closed, and (0, 0, 1), where the
     * first does */
    double ends[2] = {arcs[0].line.u[2], arcs[0].line.u[2 + 48]};
    check_close(fmin(ends[0], ends[1]), 2. / 3, 1e-14);
    check_close(fmax(ends[0], ends[1]), 1, 1e-14);
    /* level 0 touches S in z */
    check_ok(carom_admissible_arcs(&S, 0, CAROM_READING_RADIUS, 16, arena, &arcs, &count, NULL),
             NULL);
    assert_int_equal(count, 1);
    assert_int_equal(arcs[0].line.count, 1);
    check_vector(arcs[0].line.u, ((double[]){1. / 3, 1. / 3, 1. / 3}), 3, 1e-8);
    /* every point of the outline is in S */
    carom_admissible_points line;
    check_ok(carom_admissible_outline(&S, 16, arena, &line, NULL), NULL);
    assert_true(line.count >= 17);
    for (int i = 0; i < line.count; i++)
        assert_true(contains(line.u + 3 * i).inside);
}

/* The two readings agree at the ends only, and the index outcome lies on the energy one. */
static void test_levels(void **state)
{
    (void)state;
    impacts_case c;
    impacts_chain(&c, 3, (double[]){1, 2, 5}, (double[]){1, 0.5, -1}, 0.5);
    make(&c);
    check_close(carom_admissible_radius(&S, 1, CAROM_READING_RADIUS), S.speed, 1e-15);
    check_close(carom_admissible_radius(&S, 0, CAROM_READING_RADIUS), S.least, 1e-15);
    double half = carom_admissible_radius(&S, 0.5, CAROM_READING_ENERGY);
    assert_true(half < carom_admissible_radius(&S, 0.5, CAROM_READING_RADIUS));
    carom_outcome o = impacts_apply(&c.impact, "moreau", NULL, 0, arena, &g);
    check_close(norm_minus_b(o.u), half, 1e-14 * half);
    carom_admissible_points p;
    check_ok(carom_admissible_level(&S, 0.5, CAROM_READING_ENERGY, arena, &p, NULL), NULL);
    check_vector(p.u, o.u, 3, 1e-14);
    for (int i = 0; i < p.count; i++) {
        check_close(norm_minus_b(p.u + 3 * i), half, 1e-12);
        assert_true(contains(p.u + 3 * i).inside);
    }
    assert_int_equal(p.count, 3); /* the index, and the two corners of the arc */
}

/* Random impacts, dependent contacts, moving constraints: outcomes of the consistent laws are in S;
 * extreme points are; projections are, and they are the nearest points. */
/* Ranges are attained up to rounding of what is proved, and hold all points that are known. */
static void check_ranges(int n, const carom_admissible_points *x, const double *known)
{
    for (int j = 0; j < n; j++) {
        double weights[IMPACTS_N] = {0}, size = 0;
        carom_admissible_range range;
        weights[j] = 1;
        check_ok(carom_admissible_find_range(&S, weights, S.speed, arena, &range, NULL), NULL);
        for (int l = 0; l < S.k; l++)
            size = hypot(size, S.basis[j + l * n]);
        const double unit = size * S.speed + fabs(g.b[j]);
        assert_true(range.low_proved <= range.low + 1e-12 * unit);
        assert_true(range.high_proved >= range.high - 1e-12 * unit);
        check_close(range.high, range.high_proved, 1e-7 * unit);
        check_close(range.low, range.low_proved, 1e-7 * unit);
        for (int i = 0; i <= x->count; i++) {
            const double value = i < x->count ? x->u[j + n * i] : known[j];
            assert_true(value >= range.low_proved - 1e-8 * unit);
            assert_true(value <= range.high_proved + 1e-8 * unit);
        }
    }
}

static void test_random(void **state)
{
    (void)state;
    check_random r = {41};
    int corners = 0, outside = 0;
    for (int k = 0; k < 400; k++) {
        impacts_case c;
        int n = 1 + check_random_int(&r, 6), p = 1 + check_random_int(&r, 5);
        impacts_random(&c, &r, n, p, k % 2, 100);
        double v[IMPACTS_N], mass = pow(10, check_random_in(&r, -9, 9));
        for (int i = 0; i < n; i++)
            v[i] = k % 3 ? 0 : check_random_in(&r, -1, 1);
        for (int j = 0; j < p; j++)
            for (int i = 0; i < n; i++)
                c.w_hat[j] -= c.W[i + j * n] * v[i];
        for (int i = 0; i < n * n; i++)
            c.M[i] *= mass;
        double e = check_random_in(&r, 0, 1);
        for (int j = 0; j < p; j++)
            c.contacts[j].restitution = e;
        impacts_approach(&c);
        make(&c);
        carom_outcome moreau = impacts_apply(&c.impact, "moreau", NULL, 0, arena, &g);
        carom_outcome inelastic = impacts_apply(&c.impact, "inelastic", NULL, 0, arena, &g);
        assert_true(contains(inelastic.u).inside);
        if (g.approaching)
            assert_true(contains(moreau.u).inside);
        carom_admissible_points x;
        int vertices;
        check_ok(carom_admissible_extremes(&S, arena, &x, &vertices, NULL), NULL);
        assert_true(x.count >= 1);
        corners += x.count;
        for (int i = 0; i < x.count; i++)
            assert_true(contains(x.u + n * i).inside);
        check_ranges(n, &x, inelastic.u);
        for (int m = 0; m < 4; m++) {
            double u[IMPACTS_N], near[IMPACTS_N], step[IMPACTS_N], d;
            for (int i = 0; i < n; i++)
                u[i] = c.u[check_random_int(&r, n)] * check_random_in(&r, -2, 2);
            check_ok(carom_admissible_distance(&S, u, arena, near, &d, NULL), NULL);
            assert_true(contains(near).inside);
            check_close(impacts_kinetic_distance(&g, u, near), d, 1e-11 * (d + g.speed));
            outside += d > 1e-6 * g.speed;
            /* (u - near).(y - near) <= 0 for every y in S: extreme points, laws, averages */
            for (int i = 0; i < x.count + 2; i++) {
                const double *y = i < x.count ? x.u + n * i : i == x.count ? inelastic.u : c.u;
                if (i == x.count + 1 && !contains(y).inside)
                    continue;
                double away[IMPACTS_N];
                for (int j = 0; j < n; j++) {
                    step[j] = y[j] - near[j];
                    away[j] = u[j] - near[j];
                }
                assert_true(carom_geometry_dot(&g, step, away) <=
                            1e-9 * (d + g.speed) * (d + g.speed));
            }
            carom_membership in = contains(u);
            assert_int_equal(in.inside, d <= 1e-8 * g.speed);
        }
    }
    assert_true(corners > 800 && outside > 400);
}

static void test_refusals(void **state)
{
    (void)state;
    impacts_case c;
    int start[] = {0, 1}, contact[] = {0};
    carom_region region = {1, start, contact};
    impacts_chain(&c, 3, NULL, (double[]){1, 0, 0}, 1);
    make(&c);
    carom_error error = {0};
    carom_admissible_points p;
    assert_int_equal(carom_admissible_level(&S, 1.5, CAROM_READING_ENERGY, arena, &p, &error),
                     CAROM_ERROR_ARGUMENT);
    c.impact.region = &region;
    check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
    assert_int_equal(carom_admissible_make(&g, arena, &S, &error), CAROM_ERROR_UNSUPPORTED);
    /* second-order cones: membership only */
    double spread[] = {0.1, 0, 0};
    c.impact.region = NULL;
    c.impact.spread = spread;
    c.contacts[0].spread_count = 1;
    make(&c);
    double u[3], d;
    carom_membership m = contains((double[]){1. / 3, 1. / 3, 1. / 3});
    assert_true(m.kinetic && m.energetic && !m.kinematic);
    assert_true(contains((double[]){0, 0.5, 0.5}).inside);
    assert_int_equal(carom_admissible_distance(&S, c.u, arena, u, &d, &error),
                     CAROM_ERROR_UNSUPPORTED);
    /* nothing closed: S is the velocity itself */
    impacts_chain(&c, 1, NULL, (double[]){1}, 1);
    make(&c);
    int vertices;
    check_ok(carom_admissible_extremes(&S, arena, &p, &vertices, NULL), NULL);
    assert_int_equal(p.count, 1);
    check_close(p.u[0], 1, 0);
    check_ok(carom_admissible_distance(&S, (double[]){3}, arena, u, &d, NULL), NULL);
    check_close(d, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segment),  cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_levels),   cmocka_unit_test(test_random),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
