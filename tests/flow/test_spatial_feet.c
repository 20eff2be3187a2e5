/* A box on more rough feet than it needs, in space: forces are shared within their cones, and slip
 * starts when no share holds any more. */
#include "scenes.h"

enum { N = 6, MOST = 16 };

/* x, y, z and small turns a, b, c; mass 1, the feet H below the centre. */
typedef struct box {
    double rx[MOST], ry[MOST], height;
    double push[2], rate[2]; /* force push_x sin(rate_x t), push_y cos(rate_y t) */
    double pull, torque;     /* growing with time: along x, about z */
    double unit;             /* of length */
} box;

static box the; /* of the test that runs */

static const double inertia[3] = {0.3, 0.4, 0.5}, weight = 9.81;

static carom_status feet(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const scene *sc = self;
    (void)want;
    (void)error;
    const double L = the.unit;
    const double force[2] = {L * (the.push[0] * sin(the.rate[0] * s->t) + the.pull * s->t),
                             L * the.push[1] * cos(the.rate[1] * s->t)};
    for (int i = 0; i < 3; i++) {
        s->M[i] = 1;
        s->M[3 + i] = inertia[i] * L * L;
    }
    s->h[0] = force[0];
    s->h[1] = force[1];
    s->h[2] = -weight * L;
    s->h[5] = the.torque * s->t * L * L;
    for (int i = 0; i < sc->shape.p; i++) {
        const double rx = the.rx[i] * L, ry = the.ry[i] * L;
        s->g[i] = s->q[2] + ry * s->q[3] - rx * s->q[4];
        double *W = s->W + i * N, *H = s->H + 2 * i * N;
        W[2] = 1;
        W[3] = ry;
        W[4] = -rx;
        H[0] = 1;
        H[4] = -the.height * L;
        H[5] = -ry;
        H[N + 1] = 1;
        H[N + 3] = the.height * L;
        H[N + 5] = rx;
    }
    s->power = force[0] * s->u[0] + force[1] * s->u[1] + s->h[5] * s->u[5];
    s->potential = weight * L * s->q[2];
    return CAROM_OK;
}

/* rear: static coefficient of the feet from number 2 on. */
static void open_box(scene *s, int count, double front, double rear, double dynamic)
{
    scene_open(s, feet, N, count, 2);
    for (int i = 0; i < count; i++) {
        s->contact[i].friction_static = i < 2 ? front : rear;
        s->contact[i].friction_dynamic = fmin(dynamic, s->contact[i].friction_static);
    }
    scene_ready(s);
}

static void on_circle(int count, double radius)
{
    memset(&the, 0, sizeof the);
    the.unit = 1;
    the.height = 0.5;
    for (int i = 0; i < count; i++) {
        the.rx[i] = radius * cos(0.3 + 2 * CAROM_PI * i / count);
        the.ry[i] = radius * sin(0.3 + 2 * CAROM_PI * i / count);
    }
}

/* Every row: forces push, friction is in its cone, and together they make the motion. */
typedef struct watch {
    const scene *s;
    double start; /* time at which the box first moves */
    int rows;
} watch;

static carom_status look(void *self, const carom_flow_row *row, carom_error *error)
{
    watch *w = self;
    (void)error;
    double load = 0, sum[2] = {0, 0};
    for (int i = 0; i < w->s->shape.p; i++) {
        const double *f = row->friction + 2 * i, mu = w->s->contact[i].friction_static;
        assert_true(row->force[i] >= -1e-7);
        assert_true(hypot(f[0], f[1]) <= mu * row->force[i] + 2e-7);
        load += row->force[i];
        sum[0] += f[0];
        sum[1] += f[1];
    }
    check_close(load, weight, 1e-8);
    if (fabs(row->u[0]) < 1e-10 &&
        fabs(row->u[5]) < 1e-10) { /* at rest friction balances what pushes */
        check_close(sum[0], -(the.push[0] * sin(the.rate[0] * row->t) + the.pull * row->t), 1e-7);
        check_close(sum[1], -the.push[1] * cos(the.rate[1] * row->t), 1e-7);
    } else if (w->start == 0) {
        w->start = row->t;
    }
    w->rows++;
    return CAROM_OK;
}

static void run(scene *s, double until, watch *w, carom_flow_result *r)
{
    const carom_flow_observer observer = {.self = w, .row = look};
    *w = (watch){.s = s};
    s->options.until = until;
    s->options.output = until / 500;
    assert_int_equal(scene_run(s, &observer, r), CAROM_OK);
    assert_int_equal(r->end, CAROM_FLOW_REACHED);
    check_close(r->t, until, 0);
    check_close(r->ledger.balance_error, 0, 1e-9);
    assert_true(r->max_penetration < 1e-12);
    assert_true(w->rows > 400);
}

/* Below the limit nothing moves, whatever the feet, one without load among them. */
static void test_sticks(void **state)
{
    (void)state;
    for (int count = 3; count <= MOST; count++) {
        scene s;
        watch w;
        carom_flow_result r;
        on_circle(count, 1);
        if (count == 5)
            the.rx[4] = the.ry[4] = 0.1;
        the.push[0] = 3;
        the.push[1] = 2;
        the.rate[0] = 2;
        the.rate[1] = 3;
        open_box(&s, count, 0.6, 0.6, 1);
        run(&s, 5, &w, &r);
        for (int i = 0; i < N; i++)
            check_close(r.q[i], 0, 1e-12);
        assert_true(w.start == 0);
        scene_close(&s);
    }
}

/* One coefficient for all feet: friction is mu m g against the motion however the load is shared,
 * so that the box moves like a point, again and again from stick to slip. */
static void test_moves_like_a_point(void **state)
{
    (void)state;
    static const int counts[] = {1, 3, 4, 7, 8, 16};
    double point[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        scene s;
        watch w;
        carom_flow_result r;
        on_circle(counts[k], counts[k] == 1 ? 0 : 1);
        the.height = counts[k] == 1 ? 0 : 0.5;
        the.push[0] = 8;
        the.push[1] = 4;
        the.rate[0] = 2;
        the.rate[1] = 3;
        open_box(&s, counts[k], 0.6, 0.6, 1);
        run(&s, 5, &w, &r);
        for (int i = 0; i < 2; i++) {
            if (k == 0)
                point[i] = r.q[i];
            check_close(r.q[i], point[i], 1e-8);
        }
        check_close(r.q[5], 0, 1e-8);
        assert_true(w.start > 0.39 && w.start < 0.42);
        assert_true(fabs(r.q[0]) > 0.1 && r.ledger.friction < -0.1);
        scene_close(&s);
    }
}

/* Units of length change nothing, though turns have none. */
static void test_units(void **state)
{
    (void)state;
    double first[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        scene s;
        carom_flow_result r;
        on_circle(4, 1);
        the.unit = k == 0 ? 1 : k == 1 ? 1e-4 : 1e4;
        the.push[0] = 8;
        the.push[1] = 4;
        the.rate[0] = 2;
        the.rate[1] = 3;
        open_box(&s, 4, 0.6, 0.6, 1);
        s.options.until = 5;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        for (int i = 0; i < 2; i++) {
            if (k == 0)
                first[i] = r.q[i];
            check_close(r.q[i] / the.unit, first[i], 1e-9);
        }
        scene_close(&s);
    }
}

/* A growing torque about the vertical: all feet are at the same distance, slip starts at
 * T = mu m g r and turns with T - mu m g r. */
static void test_turns(void **state)
{
    (void)state;
    for (int count = 3; count <= 8; count++) {
        scene s;
        watch w;
        carom_flow_result r;
        on_circle(count, 0.7);
        the.torque = 2;
        open_box(&s, count, 0.4, 0.4, 1);
        run(&s, 3, &w, &r);
        const double limit = 0.4 * weight * 0.7, since = 3 - limit / the.torque;
        check_close(r.u[5], 0.5 * the.torque * since * since / inertia[2], 1e-7);
        check_close(r.q[0], 0, 1e-8);
        assert_true(fabs(w.start - limit / the.torque) < 0.02);
        scene_close(&s);
    }
}

/* Feet of different roughness in a line with the force: slip starts where no share of friction
 * holds, F = mu_1 N_1 + mu_2 N_2 with the loads that F's own moment shifts. */
static void test_different_feet(void **state)
{
    (void)state;
    scene s;
    watch w;
    carom_flow_result r;
    on_circle(4, 1);
    for (int i = 0; i < 4; i++) {
        the.rx[i] = i < 2 ? 1 : -1;
        the.ry[i] = i % 2 ? 0.5 : -0.5;
    }
    the.pull = 2;
    open_box(&s, 4, 0.6, 0.2, 1);
    run(&s, 4, &w, &r);
    /* N_front - N_rear = F h/1, N_front + N_rear = m g; F = 0.6 N_front + 0.2 N_rear */
    const double limit = 0.4 * weight / (1 - 0.2 * the.height), start = limit / the.pull;
    assert_true(fabs(w.start - start) < 0.02);
    check_close(r.u[0], 0.5 * the.pull * (4 - start) * (4 - start), 1e-7); /* friction stays */
    check_close(r.u[1], 0, 1e-9);
    scene_close(&s);
}

/* A lower dynamic coefficient: the box breaks loose and stays loose. */
static void test_breaks_loose(void **state)
{
    (void)state;
    scene s;
    watch w;
    carom_flow_result r;
    on_circle(4, 1);
    the.pull = 2;
    open_box(&s, 4, 0.6, 0.6, 0.4);
    run(&s, 4, &w, &r);
    const double start = 0.6 * weight / the.pull;
    const double v = 0.5 * the.pull * (16 - start * start) - 0.4 * weight * (4 - start);
    check_close(r.u[0], v, 1e-7);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sticks),       cmocka_unit_test(test_moves_like_a_point),
        cmocka_unit_test(test_turns),        cmocka_unit_test(test_different_feet),
        cmocka_unit_test(test_breaks_loose), cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
