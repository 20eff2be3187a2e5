/* Motions with several contacts, friction, joints: what must hold whatever the numbers are. */
#include "scenes.h"

/* A block (half-width a, half-height b) on a slope: x, y, th; contacts at `feet` points along its
 * base. data: a, b, g along -y, pull along x. Mass 1, inertia (a^2 + b^2)/3. */
static carom_status footed_block(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const scene *sc = self;
    const double a = sc->data[0], b = sc->data[1];
    const int p = sc->shape.p, n = 3;
    (void)want;
    (void)error;
    double sn = sin(s->q[2]), cs = cos(s->q[2]), w = s->u[2];
    s->M[0] = s->M[1] = 1;
    s->M[2] = (a * a + b * b) / 3;
    s->h[0] = sc->data[3];
    s->h[1] = -sc->data[2];
    for (int i = 0; i < p; i++) {
        double x = p == 1 ? 0 : -a + 2 * a * i / (p - 1); /* foot (x, -b) in the block */
        s->g[i] = s->q[1] + x * sn - b * cs;
        s->W[1 + i * n] = 1;
        s->W[2 + i * n] = x * cs + b * sn;
        s->g_bias[i] = (-x * sn + b * cs) * w * w;
        s->H[0 + i * n] = 1;
        s->H[2 + i * n] = -x * sn + b * cs;
        s->slip_bias[i] = (-x * cs - b * sn) * w * w;
    }
    s->potential = sc->data[2] * s->q[1] - sc->data[3] * s->q[0];
    return CAROM_OK;
}

static void open_rough_block(scene *s, int feet, double stick, double slide, double pull)
{
    scene_open(s, footed_block, 3, feet, 1);
    s->data[0] = 1;
    s->data[1] = 0.5;
    s->data[2] = 10;
    s->data[3] = pull;
    for (int i = 0; i < feet; i++) {
        s->contact[i].friction_static = stick;
        s->contact[i].friction_dynamic = slide;
    }
    s->q[1] = 0.5;
    scene_ready(s);
}

static void open_block(scene *s, int feet, double mu, double pull)
{
    open_rough_block(s, feet, mu, mu, pull);
}

/* More feet than needed: rests below the friction limit, slides above it, tips when pulled high. */
static void test_redundant_feet(void **state)
{
    (void)state;
    for (int feet = 2; feet <= 5; feet++)
        for (int k = 0; k < 2; k++) {
            scene s;
            open_block(&s, feet, 0.3, k ? 4 : 2.5);
            s.options.until = 1.5;
            carom_flow_result r;
            assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
            check_close(r.q[0], k ? 0.5 * 1 * 1.5 * 1.5 : 0, 1e-10);
            check_close(r.q[1], 0.5, 1e-11);
            check_close(r.q[2], 0, 1e-11);
            check_close(r.ledger.balance_error, 0, 1e-9);
            scene_close(&s);
        }
}

/* Held on two feet whose slips depend on each other: the friction of one is at its limit, whatever
 * rounding says, and the block stays. */
static void test_held_on_two_feet(void **state)
{
    (void)state;
    for (int k = 0; k < 200; k++) {
        scene s;
        const double slope = 0.0014 * k; /* the limit: atan(0.3) = 0.2915 */
        open_block(&s, 2, 0.3, -9.81 * sin(slope));
        s.data[0] = 0.5;
        s.data[2] = 9.81 * cos(slope);
        s.options.until = 1;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        check_close(r.q[0], 0, 1e-9);
        check_close(r.ledger.friction, 0, 1e-9);
        scene_close(&s);
    }
}

/* Pushed too hard on rough ground the block tips over its front foot; energy is kept in books. */
static void test_tipping(void **state)
{
    (void)state;
    for (int feet = 2; feet <= 4; feet++) {
        scene s;
        open_block(&s, feet, 5, 25); /* tips when pull*b > weight*a: 12.5 > 10 */
        s.options.until = 0.5;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_true(r.q[2] < -0.05);
        double front = r.q[1] + sin(r.q[2]) - 0.5 * cos(r.q[2]);
        check_close(front, 0, 1e-10);
        check_close(r.ledger.balance_error, 0, 1e-8);
        check_close(r.ledger.friction, 0, 1e-9); /* it sticks */
        scene_close(&s);
    }
}

/* A tilted block dropped on a rough floor comes to rest flat, never below it. */
static void test_dropped_block(void **state)
{
    (void)state;
    check_random random = {3};
    for (int k = 0; k < 30; k++) {
        scene s;
        open_block(&s, 2, 0.5, 0);
        s.contact[0].restitution = s.contact[1].restitution = check_random_in(&random, 0, 0.6);
        scene_close(&s);
        scene_ready(&s);
        s.q[1] = 1.6;
        s.q[2] = check_random_in(&random, -0.3, 0.3);
        s.u[0] = check_random_in(&random, -1, 1);
        s.u[2] = check_random_in(&random, -1, 1);
        s.options.until = 8;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_true(r.max_penetration < 1e-9);
        assert_true(fabs(r.ledger.balance_error) <= 1e-8 * r.ledger.initial * r.t);
        check_close(r.q[1], 0.5, 1e-8);
        check_close(r.q[2], 0, 1e-8);
        check_close(r.u[0], 0, 1e-10);
        scene_close(&s);
    }
}

/* A point on a rough plane in space: x, y, z. data: g, force x, force y. */
static carom_status puck(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    s->M[0] = s->M[1] = s->M[2] = 2;
    s->h[0] = d[1];
    s->h[1] = d[2];
    s->h[2] = -2 * d[0];
    s->g[0] = s->q[2];
    s->W[2] = 1;
    s->H[0] = 1;
    s->H[1 + 3] = 1;
    s->potential = 2 * d[0] * s->q[2] - d[1] * s->q[0] - d[2] * s->q[1];
    return CAROM_OK;
}

static void test_spatial_friction(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, puck, 3, 1, 2);
    s.data[0] = 10;
    s.contact[0].friction_static = s.contact[0].friction_dynamic = 0.3;
    scene_ready(&s);
    s.u[0] = 3;
    s.u[1] = 4;
    s.options.until = 3;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    double run = 25 / (2 * 0.3 * 10); /* v^2/(2 mu g) */
    check_close(r.q[0], 0.6 * run, 1e-9);
    check_close(r.q[1], 0.8 * run, 1e-9);
    check_close(r.ledger.friction, -25, 1e-9);
    /* starts to slide against a force beyond the cone, stays below it */
    for (int k = 0; k < 2; k++) {
        s.u[0] = s.u[1] = 0;
        s.data[1] = k ? 4.8 : 3;
        s.data[2] = k ? 6.4 : 4;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        double a = k ? (8 - 6) / 2.0 : 0;
        check_close(r.q[0], 0.6 * 0.5 * a * 9, 1e-9);
        check_close(r.q[1], 0.8 * 0.5 * a * 9, 1e-9);
    }
    scene_close(&s);
}

/* A pendulum as a joint: x^2 + y^2 = 1, and a wall it hits at x = 0. data: g. */
static carom_status pendulum(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    s->M[0] = s->M[1] = 1;
    s->h[1] = -d[0];
    s->f[0] = 0.5 * (s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1);
    s->B[0] = s->q[0];
    s->B[1] = s->q[1];
    s->b_bias[0] = s->u[0] * s->u[0] + s->u[1] * s->u[1];
    s->g[0] = s->q[0];
    s->W[0] = 1;
    s->potential = d[0] * s->q[1];
    return CAROM_OK;
}

static void test_pendulum(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        scene s;
        scene_open(&s, pendulum, 2, 1, 0);
        s.shape.m = 1;
        s.data[0] = 9.81;
        s.contact[0].restitution = 1;
        scene_ready(&s);
        s.q[0] = 1;
        s.options.until = 20;
        s.options.method = method ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_EVENT_DRIVEN;
        s.options.step = 1e-4;
        s.options.project = true;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        check_close(hypot(r.q[0], r.q[1]), 1, method ? 1e-12 : 1e-11);
        /* swing from the wall and back: half the period of the free pendulum at 90 degrees */
        double quarter = 1.8540746773013719 / sqrt(9.81);
        if (method == 0) {
            check_close(r.impacts[0].t, quarter, 1e-10);
            check_close(r.impacts[4].t, 9 * quarter, 1e-9);
            check_close(r.ledger.balance_error, 0, 1e-7);
        } else {
            check_close(r.impacts[0].t, quarter, 2e-4);
        }
        scene_close(&s);
    }
}

/* A bead on a hoop that lifts off: detachment when the normal force vanishes. A point sliding down
 * a fixed sphere leaves it at cos = 2/3. x, y; gap sqrt(x^2 + y^2) - 1. */
static carom_status on_sphere(void *self, unsigned want, carom_state *s, carom_error *error)
{
    (void)self;
    (void)want;
    (void)error;
    double x = s->q[0], y = s->q[1], r = hypot(x, y), u = s->u[0], v = s->u[1];
    s->M[0] = s->M[1] = 1;
    s->h[1] = -9.81;
    s->g[0] = r - 1;
    s->W[0] = x / r;
    s->W[1] = y / r;
    double spin = (x * v - y * u) / r;
    s->g_bias[0] = spin * spin / r;
    s->potential = 9.81 * y;
    return CAROM_OK;
}

typedef struct lift {
    double t, y;
} lift;

static carom_status watch_lift(void *self, const carom_flow_row *row, carom_error *error)
{
    lift *l = self;
    (void)error;
    if (row->mode[0] == CAROM_MODE_CLOSED) {
        l->t = row->t;
        l->y = row->q[1];
    }
    return CAROM_OK;
}

static void test_detachment(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, on_sphere, 2, 1, 0);
    scene_ready(&s);
    s.q[0] = sin(0.1);
    s.q[1] = cos(0.1);
    s.options.until = 1.5;
    s.options.output = 1e-5;
    lift last = {0, 1};
    carom_flow_observer observer = {.self = &last, .row = watch_lift};
    carom_flow_result r;
    assert_int_equal(scene_run(&s, &observer, &r), CAROM_OK);
    check_close(last.y, 2.0 / 3 * cos(0.1), 5e-5);
    check_close(r.ledger.balance_error, 0, 1e-9);
    assert_int_equal(r.impact_count, 0);
    scene_close(&s);
}

/* A ball resting on a table that moves: it leaves when the table falls away faster than g, and the
 * table's work is in the books. */
static void test_table_leaves(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, scene_table, 1, 1, 0);
    s.data[0] = 9.81;
    s.data[1] = 0.05;
    s.data[2] = 20; /* A w^2 = 20 > g */
    scene_ready(&s);
    s.u[0] = 1; /* moves with the table */
    s.options.until = 0.2;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    /* leaves when A w^2 sin(w t) = g, then free flight */
    double t = asin(9.81 / 20) / 20, v = 0.05 * 20 * cos(20 * t), y = 0.05 * 9.81 / 20;
    double f = 0.2 - t;
    check_close(r.q[0], y + v * f - 0.5 * 9.81 * f * f, 1e-10);
    check_close(r.ledger.balance_error, 0, 1e-10);
    assert_true(r.ledger.constraints > 0.001);
    scene_close(&s);
}

/* A floor of narrow waves under a thrown ball: the gap wiggles hundreds of times in a flight that
 * one step could take. None is missed. */
static carom_status waves(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    s->M[0] = s->M[1] = 1;
    s->h[1] = -9.81;
    s->g[0] = s->q[1] - d[0] * sin(d[1] * s->q[0]);
    s->W[0] = -d[0] * d[1] * cos(d[1] * s->q[0]);
    s->W[1] = 1;
    s->g_bias[0] = d[0] * d[1] * d[1] * sin(d[1] * s->q[0]) * s->u[0] * s->u[0];
    s->potential = 9.81 * s->q[1];
    return CAROM_OK;
}

static void test_wavy_floor(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, waves, 2, 1, 0);
    s.data[0] = 0.01;
    s.data[1] = 200;
    s.contact[0].restitution = 1;
    scene_ready(&s);
    check_random random = {5};
    for (int k = 0; k < 20; k++) {
        s.q[0] = 0;
        s.q[1] = 0.5;
        s.u[0] = check_random_in(&random, 1, 3);
        s.u[1] = 0;
        s.options.until = 3;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_true(r.impact_count > 0);
        assert_true(r.max_penetration < 1e-9);
        check_close(r.ledger.final, r.ledger.initial, 1e-8 * 3 * r.ledger.initial);
        /* fine sampling of the flight up to the first impact sees no penetration */
        double t1 = r.impacts[0].t;
        for (int i = 0; i < 4000; i++) {
            double t = t1 * i / 4000;
            double g = 0.5 - 0.5 * 9.81 * t * t - 0.01 * sin(200 * s.u[0] * t);
            assert_true(g > 0);
        }
    }
    scene_close(&s);
}

/* A tall block falls over its foot on a floor so rough that friction ends at the edge of a steep
 * cone, where slip starts slower than forces are known. */
static void test_steep_cones(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        const double mu = pow(10, 0.5 + 0.07 * k), tilt = -0.5 - 0.01 * (k % 7);
        scene s;
        open_block(&s, 2, mu, 0);
        s.data[0] = 0.22;
        s.data[1] = 0.94;
        s.q[2] = tilt;
        s.q[1] = 0.94 * cos(tilt) - 0.22 * sin(tilt);
        s.options.until = 0.8;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_true(r.q[2] < -1);
        check_close(r.ledger.balance_error, 0, 1e-8);
        assert_true(r.ledger.friction <= 1e-9 && r.ledger.impacts <= 1e-9);
        scene_close(&s);
    }
}

/* A block that slides against a pull which friction can hold, but not overcome: it stops where its
 * slip ends, however short the way there is beside the run. */
static void test_slip_that_ends_soon(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        const double v = -pow(10, -k);
        scene s;
        open_rough_block(&s, 2, 0.5, 0.25, 3.75);
        s.u[0] = v;
        s.options.until = 1;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        check_close(r.q[0], -v * v / 12.5, 1e-10 * v * v);
        assert_true(r.u[0] == 0);
        scene_close(&s);
    }
}

/* Two straight walls through the origin; data: the masses m_x, m_y and the two normals. */
static carom_status corner(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    for (int i = 0; i < 2; i++) {
        s->M[i] = d[i];
        s->g[i] = d[2 + 2 * i] * s->q[0] + d[3 + 2 * i] * s->q[1];
        s->W[2 * i] = d[2 + 2 * i];
        s->W[1 + 2 * i] = d[3 + 2 * i];
    }
    return CAROM_OK;
}

/* Into a corner whose walls are both struck: with one coefficient u+ = -e u-, whatever the masses.
 * The impulses cancel up to 1e12 times the velocities that come out, which must not be taken for
 * rest. */
static void test_heavy_and_light_corner(void **state)
{
    (void)state;
    check_random random = {4711};
    for (int struck = 0; struck < 700;) {
        scene s;
        scene_open(&s, corner, 2, 2, 0);
        double *d = s.data, *w = d + 2;
        d[0] = pow(10, struck % 7);
        d[1] = 1 / d[0];
        for (int k = 0; k < 4; k++)
            w[k] = check_random_in(&random, -1, 1);
        const double e = check_random_in(&random, 0.2, 1);
        for (int i = 0; i < 2; i++) {
            s.contact[i].restitution = e;
            s.u[i] = check_random_in(&random, -1, 1);
        }
        const double det = w[0] * w[3] - w[1] * w[2], px = -d[0] * s.u[0], py = -d[1] * s.u[1];
        const bool approach =
            w[0] * s.u[0] + w[1] * s.u[1] < -0.01 && w[2] * s.u[0] + w[3] * s.u[1] < -0.01;
        const bool push = (px * w[3] - py * w[2]) / det > 0 && (w[0] * py - w[1] * px) / det > 0;
        if (approach && push && fabs(det) > 0.05) {
            const double x = -e * s.u[0], y = -e * s.u[1];
            scene_ready(&s);
            s.options.until = 1;
            carom_flow_result r;
            assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
            assert_int_equal(r.impact_count, 1);
            check_close(r.q[0], x, 1e-9 * fabs(x));
            check_close(r.q[1], y, 1e-9 * fabs(y));
            struck++;
        }
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redundant_feet),
        cmocka_unit_test(test_held_on_two_feet),
        cmocka_unit_test(test_tipping),
        cmocka_unit_test(test_dropped_block),
        cmocka_unit_test(test_spatial_friction),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_detachment),
        cmocka_unit_test(test_table_leaves),
        cmocka_unit_test(test_wavy_floor),
        cmocka_unit_test(test_steep_cones),
        cmocka_unit_test(test_heavy_and_light_corner),
        cmocka_unit_test(test_slip_that_ends_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
