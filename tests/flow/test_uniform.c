/* Motion with constant coefficients: told so, events are roots of quadratic polynomials; not told,
 * the same motion is integrated. Both must agree. */
#include "scenes.h"

enum { N = 4, P = 5 };

/* M u' = h + ..., gaps W'q + c + w_hat t, slips H'u + slip_motion. */
typedef struct linear {
    scene s;
    double M[N], h[N], push[N], W[N * P], H[N * P], c[P], w_hat[P], slip_motion[P];
    double B[N], at, b_hat, A[N]; /* joint B'q = at - b_hat t, rolling A'u = 0 */
} linear;

static carom_status evaluate(void *self, unsigned want, carom_state *state, carom_error *error)
{
    const linear *l = self;
    const int n = l->s.shape.n, p = l->s.shape.p, s = l->s.shape.s;
    (void)want;
    (void)error;
    state->potential = state->power = state->kinetic = 0;
    for (int i = 0; i < n; i++) {
        state->M[i] = l->M[i];
        state->h[i] = l->h[i] + l->push[i];
        state->potential -= l->h[i] * state->q[i];
        state->power += l->push[i] * state->u[i];
        state->kinetic += 0.5 * l->M[i] * state->u[i] * state->u[i];
    }
    for (int k = 0; k < p; k++) {
        state->g[k] = l->c[k] + l->w_hat[k] * state->t;
        state->w_hat[k] = l->w_hat[k];
        for (int i = 0; i < n; i++) {
            state->W[i + k * n] = l->W[i + k * n];
            state->g[k] += l->W[i + k * n] * state->q[i];
        }
    }
    for (int j = 0; j < l->s.shape.m; j++) {
        state->f[j] = l->b_hat * state->t - l->at;
        state->b_hat[j] = l->b_hat;
        for (int i = 0; i < n; i++)
            state->f[j] += l->B[i] * state->q[i];
        memcpy(state->B, l->B, sizeof(double) * (size_t)n);
    }
    if (l->s.shape.a > 0)
        memcpy(state->A, l->A, sizeof(double) * (size_t)n);
    for (int j = 0; j < s; j++) {
        state->slip_motion[j] = l->slip_motion[j];
        memcpy(state->H + j * n, l->H + j * n, sizeof(double) * (size_t)n);
    }
    return CAROM_OK;
}

/* A random body among walls, some of them moving, some rough, pulled and pushed. */
static void draw(linear *l, check_random *r)
{
    static const double restitution[] = {0, 0.3, 0.5, 0.8, 1};
    const int n = 1 + (int)check_random_in(r, 0, 3.99), p = 1 + (int)check_random_in(r, 0, 3.99);
    const bool rough = n > 1 && check_random_in(r, 0, 1) < 0.5;
    memset(l, 0, sizeof *l);
    scene_open(&l->s, evaluate, n, p, rough);
    if (rough)
        l->s.law.ops = carom_law_find("coulomb");
    for (int i = 0; i < n; i++) {
        l->M[i] = check_random_in(r, 0.2, 3);
        l->h[i] = check_random_in(r, -5, 5);
        l->push[i] = check_random_in(r, -2, 2);
        l->s.u[i] = check_random_in(r, -2, 2);
        l->s.q[i] = check_random_in(r, -1, 1);
    }
    for (int k = 0; k < p; k++) {
        double at = 0;
        for (int i = 0; i < n; i++) {
            l->W[i + k * n] = check_random_in(r, -1, 1);
            l->H[i + k * n] = check_random_in(r, -1, 1);
            at += l->W[i + k * n] * l->s.q[i];
        }
        l->c[k] = check_random_in(r, 0.05, 1) - at;
        l->w_hat[k] = k == 1 ? check_random_in(r, -0.2, 0.2) : 0;
        l->slip_motion[k] = k == 0 ? check_random_in(r, -0.5, 0.5) : 0;
        l->s.contact[k].restitution = restitution[(int)check_random_in(r, 0, 4.99)];
        l->s.contact[k].friction_static = l->s.contact[k].friction_dynamic =
            rough ? check_random_in(r, 0, 0.3) : 0;
    }
    l->s.options.until = check_random_in(r, 0.3, 2);
    l->s.shape.m = n > 2 && check_random_in(r, 0, 1) < 0.4;
    l->s.shape.a = n > 3 && check_random_in(r, 0, 1) < 0.4;
    l->b_hat = check_random_in(r, -0.2, 0.2);
    for (int i = 0; i < n; i++) {
        l->B[i] = check_random_in(r, -1, 1);
        l->A[i] = check_random_in(r, -1, 1);
        l->at += l->B[i] * l->s.q[i];
    }
}

static carom_status run(linear *l, bool told, carom_flow_result *result)
{
    l->s.shape.forces_are_constant = l->s.shape.rows_are_constant = told;
    scene_ready(&l->s);
    return scene_run(&l->s, NULL, result);
}

/* Every impact of a that takes more than next to nothing is one of b, at the same time. */
static void check_listed(const carom_flow_result *a, const carom_flow_result *b)
{
    for (long i = 0, j = 0; i < a->impact_count; i++) {
        if (a->impacts[i].energy_change > -1e-5)
            continue;
        while (j < b->impact_count && b->impacts[j].t < a->impacts[i].t - 1e-9)
            j++;
        assert_true(j < b->impact_count);
        check_close(a->impacts[i].t, b->impacts[j].t, 1e-9);
    }
}

static void test_agreement(void **state)
{
    (void)state;
    check_random r = {11};
    int compared = 0, impacts = 0, rough = 0;
    for (int k = 0; k < 2000; k++) {
        linear told, integrated;
        carom_flow_result a, b;
        draw(&told, &r);
        integrated = told;
        carom_status status = run(&told, true, &a), other = run(&integrated, false, &b);
        assert_int_equal(status, other);
        check_close(a.ledger.balance_error, 0, 1e-11 * (1 + fabs(a.ledger.initial)));
        if (status == CAROM_OK && a.impact_count < 40) {
            const int n = told.s.shape.n;
            check_listed(&a, &b);
            check_listed(&b, &a);
            for (int i = 0; i < n; i++) {
                check_close(a.q[i], b.q[i], 1e-7);
                check_close(a.u[i], b.u[i], 1e-6);
            }
            check_close(a.ledger.forces, b.ledger.forces, 1e-6);
            check_close(a.ledger.friction, b.ledger.friction, 1e-6);
            compared++;
            impacts += (int)a.impact_count;
            rough += told.s.shape.s > 0;
        }
        scene_close(&told.s);
        scene_close(&integrated.s);
    }
    print_message("%d motions, %d impacts, %d with friction\n", compared, impacts, rough);
    assert_true(compared > 1500 && rough > 500);
}

/* Rows of the trace lie on the parabola between the events. */
typedef struct heights {
    int rows;
    double worst;
} heights;

static carom_status watch(void *self, const carom_flow_row *row, carom_error *error)
{
    heights *h = self;
    (void)error;
    const double flight = sqrt(2 / 9.81), t = row->t - flight, v = 0.5 * 9.81 * flight;
    double y = row->t < flight ? 1 - 9.81 / 2 * row->t * row->t : v * t - 9.81 / 2 * t * t;
    if (t < flight) { /* the second flight lasts 2 e flight */
        h->rows++;
        h->worst = fmax(h->worst, fabs(row->q[0] - y));
    }
    return CAROM_OK;
}

static void test_rows(void **state)
{
    (void)state;
    scene s;
    heights h = {0};
    carom_flow_observer observer = {.self = &h, .row = watch};
    carom_flow_result r;
    scene_open(&s, scene_ball, 1, 1, 0);
    s.data[0] = 9.81;
    s.data[3] = 1;
    s.contact[0].restitution = 0.5;
    s.shape.forces_are_constant = s.shape.rows_are_constant = s.shape.power_is_zero = true;
    scene_ready(&s);
    s.q[0] = 1;
    s.options.until = 3;
    s.options.output = 0.01;
    assert_int_equal(scene_run(&s, &observer, &r), CAROM_OK);
    assert_true(h.rows > 80);
    check_close(h.worst, 0, 1e-14);
    assert_int_equal(r.accumulation_count, 1);
    check_close(r.accumulations[0].t_limit, 3 * sqrt(2 / 9.81), 1e-10);
    assert_true(r.evaluations <= 1); /* nothing is integrated but the work at rest */
    scene_close(&s);
}

/* A million impacts without loss keep their energy and their height. */
static void test_million_impacts(void **state)
{
    (void)state;
    scene s;
    carom_flow_result r;
    scene_open(&s, scene_ball, 1, 1, 0);
    s.data[0] = 9.81;
    s.data[3] = 1;
    s.contact[0].restitution = 1;
    s.shape.forces_are_constant = s.shape.rows_are_constant = s.shape.power_is_zero = true;
    scene_ready(&s);
    s.q[0] = 1;
    s.options.keep_impacts = 0;
    s.options.until = 2 * sqrt(2 / 9.81) * 1e6;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    assert_int_equal(r.impact_count, 1000000);
    check_close(r.ledger.balance_error, 0, 1e-9);
    check_close(r.q[0], 1, 1e-8);
    assert_true(r.max_penetration <= 1e-15);
    scene_close(&s);
}

/* A body at rest on a floor for long stays where it is, and leaves when something hits it. */
static void test_long_rest(void **state)
{
    (void)state;
    linear l;
    carom_flow_result r;
    memset(&l, 0, sizeof l);
    scene_open(&l.s, evaluate, 2, 2, 0);
    l.M[0] = 1.7;
    l.M[1] = 0.3;
    l.h[0] = -1.7 * 9.81;
    l.h[1] = -0.3 * 9.81;
    l.W[0] = 1; /* the floor, then the two on each other */
    l.W[2] = -1;
    l.W[3] = 1;
    l.c[1] = -0.1;
    l.s.q[1] = 0.1;
    l.s.options.until = 1e6;
    assert_int_equal(run(&l, true, &r), CAROM_OK);
    check_close(r.q[0], 0, 1e-15);
    check_close(r.q[1], 0.1, 1e-15);
    assert_int_equal(r.impact_count, 0);
    scene_close(&l.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_million_impacts),
        cmocka_unit_test(test_long_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
