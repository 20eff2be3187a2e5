/* The boundary-layer method against its closed forms, against the law `layer`, and towards the
 * impact laws as the layer gets thin. */
#include <limits.h>

#include "carom/layer.h"
#include "check_memory.h"
#include "scenes.h"

static void open_ball(scene *s, int contacts, double gravity, double mass)
{
    scene_open(s, scene_ball, 1, contacts, 0);
    s->data[0] = gravity;
    s->data[2] = 10;
    s->data[3] = mass;
    s->options.method = CAROM_FLOW_BOUNDARY_LAYER;
    s->options.tolerance = 1e-12;
    scene_ready(s);
}

typedef struct lowest {
    double x, t_in, t_out, b;
} lowest;

static carom_status watch_lowest(void *self, const carom_flow_row *row, carom_error *error)
{
    lowest *l = self;
    (void)error;
    l->x = fmin(l->x, row->gap[0]);
    return CAROM_OK;
}

/* Sharp layer: e_N, turning time, impulse, smallest distance, in closed form, for any scale. */
static void test_closed_forms(void **state)
{
    (void)state;
    const struct {
        double a, k, c, m, v;
    } cases[] = {{1, 1, 1, 1, 1},       {1, 1, 0, 1, 1},          {0.5, 3, 0.2, 2, 0.7},
                 {0.01, 1e4, 40, 1, 3}, {2, 0.3, 5, 0.1, 4},      {1e-6, 1e12, 3e5, 1, 1},
                 {1, 1e9, 1e9, 1e9, 1}, {1, 1e-9, 1e-9, 1e-9, 1}, {0.1, 1e14, 1e12, 1, 1e6}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const double a = cases[n].a, k = cases[n].k, c = cases[n].c, m = cases[n].m, v = cases[n].v;
        double q = c / (a * k), e = carom_layer_restitution(q), T = m * v / (a * k);
        double remainder = q > 1e-3 ? (q - log1p(q)) / (q * q) : 0.5;
        scene s;
        open_ball(&s, 1, 0, m);
        s.options.width = a;
        s.options.transition = 1;
        s.options.stiffness = k;
        s.options.damping = c;
        s.q[0] = 1.5 * a;
        s.u[0] = -v;
        s.options.until = 0.5 * a / v + 1.5 * (1 + e) * T;
        s.options.output = s.options.until / 2000;
        lowest low = {.x = INFINITY};
        carom_flow_observer observer = {.self = &low, .row = watch_lowest};
        carom_flow_result r;
        assert_int_equal(scene_run(&s, &observer, &r), CAROM_OK);
        assert_int_equal(r.impact_count, 1);
        check_close(r.u[0] / v, e, 1e-8);
        double turn = 0.5 * a / v + T * (q > 0 ? log1p(q) / q : 1);
        check_close(r.impacts[0].t / turn, 1, 1e-8);
        check_close(r.impacts[0].impulse[0] / (m * v * (1 + e)), 1, 1e-8);
        check_close(r.impacts[0].energy_change / (0.5 * m * v * v), e * e - 1, 1e-8);
        /* t_f = (1 + e) T: the position at the end tells when it left */
        check_close(r.q[0] / a, 1 + e * v / a * 0.5 * (1 + e) * T, 1e-8 * (1 + r.q[0] / a));
        double x_min = a * exp(-m * v * v / (a * a * k) * remainder);
        assert_true(low.x >= x_min * (1 - 1e-8) && low.x <= x_min + 1e-2 * a);
        check_close(r.ledger.balance_error / r.ledger.initial, 0, 1e-8);
        scene_close(&s);
    }
}

/* x_min to 1e-8: a row at the turning point. */
static void test_smallest_distance(void **state)
{
    (void)state;
    scene s;
    open_ball(&s, 1, 0, 1);
    s.options.width = s.options.transition = s.options.stiffness = s.options.damping = 1;
    s.q[0] = 1.5;
    s.u[0] = -1;
    s.options.until = 0.5 + log(2);
    s.options.output = 0;
    lowest low = {.x = INFINITY};
    carom_flow_observer observer = {.self = &low, .row = watch_lowest};
    carom_flow_result r;
    assert_int_equal(scene_run(&s, &observer, &r), CAROM_OK);
    check_close(low.x, 0.735758882342884643, 1e-8); /* 2/e */
    check_close(r.q[0], low.x, 1e-8);
    check_close(r.u[0], 0, 1e-8);
    assert_int_equal(r.warning_count, 0);
    /* it ends inside: half the energy is in the layer, the rest is lost to its damping */
    check_close(r.ledger.final, 0.5 + r.ledger.impacts, 1e-9);
    check_close(r.ledger.potential, 1 - log(2), 1e-9); /* k log(b/x) */
    scene_close(&s);
}

/* With a transition: the same passage as the law computes with its own method. */
static void test_transition(void **state)
{
    (void)state;
    const double parts[] = {0.3, 0.5, 0.8, 0.9, 0.99};
    for (int i = 0; i < 5; i++)
        for (int damped = 0; damped < 2; damped++) {
            scene s;
            open_ball(&s, 1, 0, 1);
            s.options.width = 1;
            s.options.transition = parts[i];
            s.options.damping = damped;
            s.q[0] = 1.5;
            s.u[0] = -1;
            s.options.until = 6;
            carom_flow_result r;
            assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
            carom_layer layer = {1, damped, parts[i], 1, 1, 1, CAROM_LAYER_SOURCE};
            carom_layer_result by_law;
            carom_error error = {0};
            check_ok(carom_layer_follow(&layer, s.arena, 0, NULL, NULL, NULL, &by_law, &error),
                     &error);
            check_close(r.u[0], by_law.restitution, 1e-8);
            check_close(r.impacts[0].t, 0.5 + by_law.turn, 1e-7);
            check_close(r.q[0], 1 + by_law.restitution * (5.5 - by_law.duration), 1e-7);
            if (!damped)
                check_close(r.u[0], 1, 1e-9);
            scene_close(&s);
        }
}

/* Thin layers with k = kappa/b^2, c = q kappa/b: impact times and velocities tend to those of
 * Newton's law with the layer's e_N, with an error proportional to b. */
static void test_limit(void **state)
{
    (void)state;
    double last = 0;
    for (int i = 0; i < 3; i++) {
        double b = pow(10, -2 - i), error = 0;
        scene s, event;
        open_ball(&s, 2, 9.81, 2);
        s.data[2] = 1.2;
        s.options.tolerance = 1e-11;
        s.options.width = b;
        s.options.transition = 1;
        s.options.stiffness = 20 / (b * b);
        s.options.damping = 6 / b;
        carom_layer layer = {20 / (b * b), 6 / b, b, b, 2, 3, CAROM_LAYER_SOURCE};
        carom_layer_result law;
        carom_error e = {0};
        check_ok(carom_layer_follow(&layer, s.arena, 0, NULL, NULL, NULL, &law, &e), &e);
        scene_open(&event, scene_ball, 1, 2, 0);
        memcpy(event.data, s.data, sizeof s.data);
        event.contact[0].restitution = event.contact[1].restitution = law.restitution;
        scene_ready(&event);
        s.q[0] = event.q[0] = 0.5;
        s.u[0] = event.u[0] = 6;
        s.options.until = event.options.until = 1;
        carom_flow_result r, limit;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_int_equal(scene_run(&event, NULL, &limit), CAROM_OK);
        assert_int_equal(r.impact_count, limit.impact_count);
        assert_true(limit.impact_count >= 3);
        for (long k = 0; k < limit.impact_count; k++) {
            assert_int_equal(r.impacts[k].contacts[0], limit.impacts[k].contacts[0]);
            error = fmax(error, fabs(r.impacts[k].t - limit.impacts[k].t));
            error = fmax(error, fabs(r.impacts[k].after[0] - limit.impacts[k].after[0]));
        }
        error = fmax(error, fabs(r.q[0] - limit.q[0]));
        if (i > 0)
            assert_true(error < 0.2 * last);
        last = error;
        scene_close(&s);
        scene_close(&event);
    }
    assert_true(last < 1e-3);
}

/* Weight on the layer: captured by a smooth one, on the edge of a sharp one, at the known height,
 * carrying the weight. */
static carom_status keep_force(void *self, const carom_flow_row *row, carom_error *error)
{
    (void)error;
    *(double *)self = row->force[0];
    return CAROM_OK;
}

static void test_rest(void **state)
{
    (void)state;
    for (int sharp = 0; sharp < 2; sharp++)
        for (int soft = 0; soft < 2; soft++) {
            scene s;
            open_ball(&s, 1, 10, 3);
            s.options.tolerance = 1e-10;
            s.options.width = 0.01;
            s.options.transition = sharp ? 1 : 0.9;
            s.options.stiffness = soft ? 2000 : 1e6; /* at the edge k b: 20 < 30 = m g, 1e4 > 30 */
            s.options.damping = 20 * s.options.stiffness * s.options.width;
            s.q[0] = 0.05;
            s.options.until = 60;
            double force = 0, b = s.options.width;
            carom_flow_observer observer = {.self = &force, .row = keep_force};
            carom_flow_result r;
            assert_int_equal(scene_run(&s, &observer, &r), CAROM_OK);
            check_close(r.u[0], 0, 1e-6);
            check_close(force, 30, 1e-4);
            if (soft) /* k b^2/x = m g */
                check_close(r.q[0], s.options.stiffness * b * b / 30, 1e-6);
            else if (sharp)
                check_close(r.q[0], b, 1e-9);
            else
                assert_true(r.q[0] > 0.9 * b && r.q[0] < b);
            check_close(r.ledger.balance_error / r.ledger.initial, 0, 1e-7);
            scene_close(&s);
        }
}

/* Deep: x below the rounding of positions, below the range of numbers; it still comes back. */
static void test_deep(void **state)
{
    (void)state;
    scene s;
    open_ball(&s, 1, 0, 1);
    s.options.width = 1e-3; /* log(x_min/b) = -m v^2/(2 b^2 k) = -5e5 */
    s.options.transition = 1;
    s.q[0] = 2e-3;
    s.u[0] = -1;
    s.options.until = 2100;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    check_close(r.u[0], 1, 1e-7);
    check_close(r.impacts[0].t, 1000.001, 1e-4);
    check_close(r.q[0], 1e-3 + 2100 - 2000.001, 1e-3);
    scene_close(&s);
}

/* A shallow dip into the layer within one step of the integrator is not missed. */
static void test_shallow(void **state)
{
    (void)state;
    for (int i = 2; i < 9; i++) {
        scene s;
        open_ball(&s, 2, 10, 1);
        s.options.tolerance = 1e-9;
        s.options.width = 0.01;
        s.options.transition = 1;
        s.options.stiffness = 1e4;
        s.options.damping = 0;
        double dip = pow(10, -i);
        s.data[2] = 5 + 0.01 - dip; /* apex 5 above the start reaches into the ceiling's layer */
        s.data[1] = -10;
        s.u[0] = 10;
        s.options.until = 1.5;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_int_equal(r.impact_count, 1);
        check_close(r.ledger.final / r.ledger.initial, 1, 1e-7);
        scene_close(&s);
    }
}

/* A rigid body on a plane: the reaction is along the normal through the contact point, so the
 * angular momentum about the normal's direction through the centre and the tangential momentum
 * are kept; without damping energy is kept; thin layers give Newton's impact. */
static void momentum(const double *q, const double *u, const double *J, double *L)
{
    double w = q[3], x = q[4], y = q[5], z = q[6], n = w * w + x * x + y * y + z * z;
    double l[3] = {J[0] * u[3], J[1] * u[4], J[2] * u[5]};
    double R[3][3] = {
        {1 - 2 * (y * y + z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n},
        {2 * (x * y + w * z) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - w * x) / n},
        {2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, 1 - 2 * (x * x + y * y) / n}};
    for (int i = 0; i < 3; i++)
        L[i] = R[i][0] * l[0] + R[i][1] * l[1] + R[i][2] * l[2];
}

static void test_rigid_body(void **state)
{
    (void)state;
    const carom_rigid_body body = {.mass = 2,
                                   .inertia = {0.3, 0.5, 0.6},
                                   .point = {0.2, -0.1, -0.5},
                                   .normal = {0, 0, 1},
                                   .gravity = {0, 0, -9.81},
                                   .contact = carom_contact_default()};
    carom_error error = {0};
    carom_arena *arena;
    carom_system *system;
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_system_rigid_body(&body, NULL, &system, &error), &error);
    const double q[7] = {0, 0, 0.9, 1, 0, 0, 0}, u[6] = {0.5, -0.2, -1, 0.8, -0.4, 2};
    carom_flow_start start = {0, q, u};
    carom_flow_options o = carom_flow_options_default();
    o.method = CAROM_FLOW_BOUNDARY_LAYER;
    o.width = 1e-2;
    o.stiffness = 1 / (o.width * o.width);
    o.until = 1.2;
    o.tolerance = 1e-11;
    carom_flow_result r;
    check_ok(carom_flow_run(system, NULL, &start, &o, NULL, arena, &r, &error), &error);
    assert_true(r.impact_count >= 1);
    double before[3], after[3];
    momentum(q, u, body.inertia, before);
    momentum(r.q, r.u, body.inertia, after);
    check_close(after[2], before[2], 1e-8);
    assert_true(fabs(after[0] - before[0]) > 1e-2); /* the others do change */
    check_close(r.u[0], 0.5, 1e-9);
    check_close(r.u[1], -0.2, 1e-9);
    check_close(r.ledger.balance_error, 0, 1e-7);
    /* event-driven with e = 1 up to the first impact */
    carom_flow_result limit;
    carom_flow_options event = carom_flow_options_default();
    event.until = 1.2;
    carom_rigid_body elastic = body;
    elastic.contact.restitution = 1;
    carom_system *other;
    check_ok(carom_system_rigid_body(&elastic, NULL, &other, &error), &error);
    check_ok(carom_flow_run(other, NULL, &start, &event, NULL, arena, &limit, &error), &error);
    double last = INFINITY;
    for (int i = 0; i < 3; i++) {
        o.width = pow(10, -2 - i);
        o.stiffness = 1 / (o.width * o.width);
        check_ok(carom_flow_run(system, NULL, &start, &o, NULL, arena, &r, &error), &error);
        double off = fabs(r.impacts[0].t - limit.impacts[0].t);
        for (int j = 0; j < 6; j++)
            off = fmax(off, fabs(r.impacts[0].after[j] - limit.impacts[0].after[j]));
        off = fmax(off, fabs(r.impacts[0].energy_change)); /* the body turns: g_11 changes */
        assert_true(off < 0.2 * last);
        last = off;
    }
    assert_true(last < 2e-2);
    carom_system_destroy(system);
    carom_system_destroy(other);
    carom_arena_destroy(arena);
}

/* A pendulum in Cartesian coordinates against a wall: joint x^2 + y^2 = 1 as an equation of its own
 * error. data: g, wall, error at the start. */
static carom_status pendulum(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    s->M[0] = s->M[1] = 1;
    s->h[1] = -d[0];
    s->g[0] = s->q[0] + d[1];
    s->W[0] = 1;
    s->f[0] = 0.5 * (s->q[0] * s->q[0] + s->q[1] * s->q[1] - 1);
    s->B[0] = s->q[0];
    s->B[1] = s->q[1];
    s->b_bias[0] = s->u[0] * s->u[0] + s->u[1] * s->u[1];
    s->potential = d[0] * s->q[1];
    return CAROM_OK;
}

static void test_joint(void **state)
{
    (void)state;
    double last = INFINITY;
    for (int i = 0; i < 4; i++) { /* i = 3: started off the joint, within `closed` */
        scene s;
        scene_open(&s, pendulum, 2, 1, 0);
        s.shape.m = 1;
        scene_ready(&s);
        s.data[0] = 10;
        s.data[1] = 0.3;
        s.options.method = CAROM_FLOW_BOUNDARY_LAYER;
        double b = i < 3 ? pow(10, -2 - i) : 1e-2;
        s.options.width = b;
        s.options.stiffness = 10 / (b * b);
        s.options.until = 1;
        s.q[0] = 0.6;
        s.q[1] = -0.8;
        if (i == 3) {
            s.q[1] -= 1e-4;
            s.options.closed = 1e-3;
            s.options.joint_stiffness = 400;
            s.options.joint_damping = 40;
        }
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        double length = hypot(r.q[0], r.q[1]);
        check_close(length, 1, i == 3 ? 1e-8 : 1e-9);
        check_close(r.ledger.balance_error, 0, 1e-7);
        if (i < 3) {
            check_close(r.ledger.final, r.ledger.initial, 1e-7); /* c = 0 */
            /* at the wall, elastic: the speed is that of the fall, along the circle */
            const carom_flow_impact *hit = &r.impacts[0];
            double v = sqrt(2 * 10 * (sqrt(1 - 0.09) - 0.8));
            double off = fabs(hypot(hit->after[0], hit->after[1]) - v);
            assert_true(hit->after[0] > 0 && off < 0.2 * last);
            last = off;
        }
        scene_close(&s);
    }
    assert_true(last < 1e-3);
}

/* Several layers at once: momentum is kept, and with c = 0 energy. */
static carom_status line_of_balls(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const int n = ((const scene *)self)->shape.n;
    (void)want;
    (void)error;
    for (int i = 0; i < n; i++) {
        s->M[i] = 1 + i;
        if (i > 0) {
            s->g[i - 1] = s->q[i] - s->q[i - 1];
            s->W[i - 1 + (i - 1) * n] = -1;
            s->W[i + (i - 1) * n] = 1;
        }
    }
    return CAROM_OK;
}

static void test_several(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, line_of_balls, 5, 4, 0);
    scene_ready(&s);
    s.options.method = CAROM_FLOW_BOUNDARY_LAYER;
    s.options.width = 0.05;
    s.options.stiffness = 400;
    for (int i = 0; i < 5; i++) {
        s.q[i] = 0.07 * i;
        s.u[i] = 2 - i;
    }
    s.options.until = 2;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    double p = 0;
    for (int i = 0; i < 5; i++)
        p += (1 + i) * (r.u[i] - (2 - i));
    check_close(p, 0, 1e-7);
    check_close(r.ledger.final, r.ledger.initial, 1e-6);
    for (int i = 1; i < 5; i++)
        assert_true(r.q[i] > r.q[i - 1] && r.u[i] > r.u[i - 1]);
    scene_close(&s);
}

/* What cannot be: a start at or behind the wall, a force that is no number. */
static carom_status bad_force(void *self, unsigned want, carom_state *s, carom_error *error)
{
    carom_status status = scene_ball(self, want, s, error);
    if (s->q[0] < 0.5)
        s->h[0] = NAN;
    return status;
}

static void test_refused(void **state)
{
    (void)state;
    scene s;
    open_ball(&s, 1, 10, 1);
    s.options.width = 0.1;
    s.options.until = 1;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_ERROR_INPUT); /* gap 0 */
    s.options.width = NAN;
    s.q[0] = 1;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_ERROR_INPUT);
    scene_close(&s);
    scene_open(&s, bad_force, 1, 1, 0);
    s.data[0] = 10;
    s.data[3] = 1;
    scene_ready(&s);
    s.options.method = CAROM_FLOW_BOUNDARY_LAYER;
    s.options.width = 0.1;
    s.options.until = 1;
    s.q[0] = 1;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_STOPPED);
    assert_int_equal(r.end, CAROM_FLOW_BAD_FORCE);
    assert_true(r.t > 0.2 && r.t < 0.32);
    scene_close(&s);
}

/* Every allocation of ours may fail: an error, nothing lost. */
static void test_memory(void **state)
{
    (void)state;
    scene s;
    open_ball(&s, 1, 10, 1);
    s.options.width = 0.1;
    s.options.stiffness = 100;
    s.options.until = 1;
    s.q[0] = 1;
    carom_flow_start start = {0, s.q, s.u};
    carom_status status = CAROM_ERROR_MEMORY;
    int tries = 0;
    for (; status != CAROM_OK && tries < 1000; tries++) {
        check_memory m = {.fail_at = tries, .onwards = true};
        carom_allocator allocator = {check_memory_resize, &m};
        carom_arena *arena = NULL;
        carom_error error = {0};
        carom_flow_result r;
        status = carom_arena_create(&allocator, &arena, &error);
        if (status == CAROM_OK)
            status = carom_flow_run(s.system, NULL, &start, &s.options, NULL, arena, &r, &error);
        assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
        carom_arena_destroy(arena);
        assert_int_equal(m.live, 0);
    }
    assert_int_equal(status, CAROM_OK);
    assert_true(tries > 3);
    scene_close(&s);
}

/* A table that shakes a layer: the ball leaves and comes back, the table's work is booked. */
static void test_moving_wall(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, scene_table, 1, 1, 0);
    scene_ready(&s);
    s.data[0] = 9.81;
    s.data[1] = 0.05;
    s.data[2] = 20;
    s.q[0] = 0.3;
    s.options.method = CAROM_FLOW_BOUNDARY_LAYER;
    s.options.width = 1e-2;
    s.options.stiffness = 1e5;
    s.options.damping = 1e3;
    s.options.until = 3;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    assert_true(r.impact_count >= 3);
    assert_true(r.ledger.constraints > 0);
    check_close(r.ledger.balance_error, 0, 1e-6);
    for (long k = 0; k < r.impact_count; k++) /* energy of the passage: never gained in the layer */
        assert_true(r.impacts[k].energy_change <= 1e-6);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_smallest_distance),
        cmocka_unit_test(test_transition),   cmocka_unit_test(test_limit),
        cmocka_unit_test(test_rest),         cmocka_unit_test(test_deep),
        cmocka_unit_test(test_shallow),      cmocka_unit_test(test_rigid_body),
        cmocka_unit_test(test_joint),        cmocka_unit_test(test_several),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_memory),
        cmocka_unit_test(test_moving_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
