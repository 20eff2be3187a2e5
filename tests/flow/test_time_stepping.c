/* Time-stepping against recorded trajectories of the same scheme. */
#include "scenes.h"

/* A row kept for later. */
typedef struct watcher {
    int rows;
    double t[20000], q[20000], u[20000], force[20000];
} watcher;

static carom_status keep_row(void *self, const carom_flow_row *row, carom_error *error)
{
    watcher *w = self;
    (void)error;
    if (w->rows < 20000) {
        w->t[w->rows] = row->t;
        w->q[w->rows] = row->q[0];
        w->u[w->rows] = row->u[0];
        w->force[w->rows++] = row->force[0];
    }
    return CAROM_OK;
}

static watcher watched;

/* A4 */
static void test_ball(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, scene_ball, 1, 1, 0);
    s.data[0] = 9.81;
    s.data[3] = 1;
    s.contact[0].restitution = 0.9;
    scene_ready(&s);
    s.q[0] = 1;
    s.options.method = CAROM_FLOW_TIME_STEPPING;
    s.options.step = 0.005;
    s.options.until = 10;
    s.options.output = 0.005;
    memset(&watched, 0, sizeof watched);
    carom_flow_observer observer = {.self = &watched, .row = keep_row};
    carom_flow_result r;
    assert_int_equal(scene_run(&s, &observer, &r), CAROM_OK);
    assert_int_equal(r.steps, 2000);
    assert_int_equal(watched.rows, 2001);
    static const double t[] = {0.455, 1.270, 2.005},
                        q[] = {5.6338750e-3, 4.6406125e-3, 1.6357375e-4},
                        v[] = {3.9730500, 3.5757450, 3.2269995},
                        p[] = {8.4366000, 7.5978450, 6.8616045};
    for (int k = 0; k < 3; k++) {
        int row = (int)lround(t[k] / 0.005);
        check_close(r.impacts[k].t, t[k], 1e-12);
        check_close(r.impacts[k].impulse[0], p[k], 1e-12);
        check_close(watched.t[row], t[k], 1e-12);
        check_close(watched.q[row], q[k], 1e-12);
        check_close(watched.u[row], v[k], 1e-12);
        check_close(watched.force[row] * 0.005, p[k], 1e-12);
    }
    check_close(r.q[0], -2.288618090550717e-5, 1e-12);
    check_close(watched.force[2000] * 0.005, 0.04905, 1e-12);
    scene_close(&s);
}

/* T3: column of ten beads. The end positions come from an independent computation of the scheme
 * with projected Gauss-Seidel to 1e-16. */
static void reference_column(double *q, double *v, double h, int steps)
{
    double P[10];
    for (int k = 0; k < steps; k++) {
        double free[10], next[10];
        bool active[10];
        for (int i = 0; i < 10; i++) {
            double g = i ? q[i] - q[i - 1] - 0.2 : q[0] - 0.1, u = i ? v[i] - v[i - 1] : v[0];
            active[i] = g + 0.5 * h * u <= 0;
            next[i] = free[i] = v[i] - h * 9.81;
            P[i] = 0;
        }
        for (int round = 0; round < 20000; round++) {
            double change = 0;
            for (int i = 0; i < 10; i++) {
                if (!active[i])
                    continue;
                double u = i ? v[i] - v[i - 1] : v[0], w = i ? next[i] - next[i - 1] : next[0];
                double new = fmax(0, P[i] - (w + 0.9 * u) / (i ? 2 : 1)), d = new - P[i];
                P[i] = new;
                next[i] += d;
                if (i)
                    next[i - 1] -= d;
                change = fmax(change, fabs(d));
            }
            if (change < 1e-17)
                break;
        }
        for (int i = 0; i < 10; i++) {
            next[i] = free[i] + P[i] - (i < 9 ? P[i + 1] : 0);
            q[i] += h * 0.5 * (v[i] + next[i]);
            v[i] = next[i];
        }
    }
}

static void test_column(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, scene_column, 10, 10, 0);
    s.data[0] = 9.81;
    s.data[1] = 0.1;
    double q[10], v[10] = {0};
    for (int i = 0; i < 10; i++) {
        s.contact[i].restitution = 0.9;
        q[i] = s.q[i] = 1 + 0.25 * i;
    }
    scene_ready(&s);
    s.options.method = CAROM_FLOW_TIME_STEPPING;
    s.options.step = 5e-4;
    s.options.until = 2;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    assert_int_equal(r.steps, 4000);
    reference_column(q, v, 5e-4, 4000);
    check_vector(r.q, q, 10, 1e-11);
    check_vector(r.u, v, 10, 1e-11);
    scene_close(&s);
}

/* F6: the impacting stick. Gap y - (l/2) cos th, normal (0, 1, (l/2) sin th), slip (-1, 0,
 * -(l/2) cos th). */
static carom_status stick(void *self, unsigned want, carom_state *x, carom_error *error)
{
    (void)self;
    (void)want;
    (void)error;
    double sn = 0.5 * sin(x->q[2]), cs = 0.5 * cos(x->q[2]), w = x->u[2];
    x->M[0] = x->M[1] = 1;
    x->M[2] = 1.0 / 12;
    x->h[1] = -10;
    x->g[0] = x->q[1] - cs;
    x->W[1] = 1;
    x->W[2] = sn;
    x->g_bias[0] = cs * w * w;
    x->H[0] = -1;
    x->H[2] = -cs;
    x->slip_bias[0] = sn * w * w;
    x->potential = 10 * x->q[1];
    return CAROM_OK;
}

static void test_stick(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, stick, 3, 1, 1);
    s.contact[0].restitution = 1;
    s.contact[0].friction_static = s.contact[0].friction_dynamic = 0.01;
    const carom_law_ops *coulomb = carom_law_find("coulomb");
    static const carom_law_ops stand_in = {.name = "coulomb", .frictional = true};
    s.law.ops = coulomb ? coulomb : &stand_in;
    scene_ready(&s);
    s.q[0] = 0.5 * sin(CAROM_PI / 4);
    s.q[1] = 0.5 * cos(CAROM_PI / 4) + 0.01;
    s.q[2] = CAROM_PI / 4;
    s.u[0] = -0.5;
    s.u[1] = s.u[2] = 0.1;
    s.options.method = CAROM_FLOW_TIME_STEPPING;
    s.options.step = 1e-4;
    s.options.until = 0.2;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    assert_int_equal(r.impact_count, 2);
    check_close(r.impacts[0].t, 0.0604, 1e-12);
    check_close(r.impacts[0].impulse[0], 0.373883472, 1e-9);
    check_close(r.impacts[1].t, 0.1636, 1e-12);
    check_close(r.impacts[1].impulse[0], 0.312842595, 1e-9);
    check_close(r.q[0], 0.25291723, 1e-8);
    check_close(r.q[1], 0.24716933, 1e-8);
    check_close(r.q[2], 1.08189149, 1e-8);
    scene_close(&s);
}

/* G3: a bar of 100 nodes on a rigid wall, consistent mass. */
enum { NODES = 100 };

typedef struct bar {
    double k, m;
} bar;

static bar bar_data;

static carom_status evaluate_bar(void *self, unsigned want, carom_state *x, carom_error *error)
{
    (void)self;
    (void)error;
    const double k = bar_data.k, m = bar_data.m;
    if (want & CAROM_WANT_MASS)
        for (int i = 0; i < NODES; i++) {
            bool end = i == 0 || i == NODES - 1;
            x->M[i + i * NODES] = end ? m / 3 : 2 * m / 3;
            if (i > 0)
                x->M[i + (i - 1) * NODES] = x->M[i - 1 + i * NODES] = m / 6;
        }
    for (int i = 0; i < NODES; i++) {
        double f = 0;
        if (i > 0)
            f -= k * (x->q[i] - x->q[i - 1]);
        if (i < NODES - 1)
            f -= k * (x->q[i] - x->q[i + 1]);
        x->h[i] = f;
    }
    x->g[0] = x->q[0];
    x->W[0] = 1;
    return CAROM_OK;
}

static void test_bar(void **state)
{
    (void)state;
    const double E = 210e9, S = 3.14e-4, L = 1, rho = 7800, l = L / NODES;
    bar_data.k = E * S / l;
    bar_data.m = rho * S * l;
    scene s;
    scene_open(&s, evaluate_bar, 1, 1, 0);
    s.shape.nq = s.shape.n = NODES;
    s.shape.mass_is_diagonal = false;
    scene_ready(&s);
    double q[NODES], u[NODES];
    for (int i = 0; i < NODES; i++) {
        q[i] = 5e-5;
        u[i] = -0.1;
    }
    s.options.method = CAROM_FLOW_TIME_STEPPING;
    s.options.step = 2e-6;
    s.options.activation = 0;
    s.options.until = 1e-8 + 1.5e-3;
    s.options.output = 2e-6;
    memset(&watched, 0, sizeof watched);
    carom_flow_observer observer = {.self = &watched, .row = keep_row};
    carom_flow_start start = {1e-8, q, u};
    carom_flow_result r;
    carom_error error = {0};
    check_ok(carom_flow_run(s.system, &s.law, &start, &s.options, &observer, s.arena, &r, &error),
             &error);
    double total = 0, first = 0, last = 0;
    for (int k = 0; k < watched.rows; k++)
        if (watched.force[k] > 0) {
            total += watched.force[k] * 2e-6;
            last = watched.t[k];
            if (first == 0)
                first = watched.t[k];
        }
    check_close(first, 5.0401e-4, 1e-12);
    check_close(last, 8.8601e-4, 1e-12);
    check_close(total, 0.4814274220678907, 4e-12);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_stick),
        cmocka_unit_test(test_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
