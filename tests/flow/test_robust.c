/* Bad input, bad forces, no memory, long runs: each a clear outcome, nothing lost. */
#include "check_memory.h"
#include "scenes.h"

/* Force that stops being a number for x > 1 (data[0] = 0) or grows without bound (data[0] = 1). */
static carom_status spoiled(void *self, unsigned want, carom_state *s, carom_error *error)
{
    const double *d = ((const scene *)self)->data;
    (void)want;
    (void)error;
    s->M[0] = 1;
    s->h[0] = d[0] > 0 ? 1 / (1 - s->q[0]) / (1 - s->q[0]) : 1 + 0 * sqrt(1 - s->q[0]);
    s->g[0] = 10 - s->q[0];
    s->W[0] = -1;
    s->power = s->h[0] * s->u[0];
    return CAROM_OK;
}

static void test_bad_force(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int method = 0; method < 2; method++) {
            scene s;
            scene_open(&s, spoiled, 1, 1, 0);
            s.data[0] = kind;
            scene_ready(&s);
            s.options.until = 5;
            s.options.step = 1e-3;
            s.options.method = method ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_EVENT_DRIVEN;
            carom_flow_result r;
            carom_status status = scene_run(&s, NULL, &r);
            if (kind == 0 || method == 0) {
                assert_int_equal(status, CAROM_STOPPED);
                assert_true(r.end == CAROM_FLOW_BAD_FORCE || r.end == CAROM_FLOW_UNDERFLOW);
                assert_true(strlen(r.message) > 10);
                assert_true(r.t > 0.5 && r.t < 2);
                assert_true(r.q[0] > 0.2);
                if (kind == 0) {
                    assert_int_equal(r.end, CAROM_FLOW_BAD_FORCE);
                    check_close(r.q[0], 1, 1e-2);
                    assert_non_null(strstr(r.message, "force"));
                }
            }
            scene_close(&s);
        }
}

/* A ball on a spring and a floor whose function fails at call number data[0]; data[1] counts. */
static carom_status failing(void *self, unsigned want, carom_state *s, carom_error *error)
{
    double *d = ((scene *)self)->data;
    (void)want;
    if (++d[1] >= d[0])
        return carom_error_set(error, CAROM_ERROR_CALLBACK, "call %g", d[1]);
    s->M[0] = 1;
    s->h[0] = -s->q[0] - 1;
    s->g[0] = s->q[0];
    s->W[0] = 1;
    s->kinetic = s->u[0] * s->u[0] / 2;
    s->power = s->h[0] * s->u[0];
    return CAROM_OK;
}

static void test_failing_function(void **state)
{
    (void)state;
    for (int method = 0; method < 3; method++)
        for (int call = 1; call < 60; call++) {
            scene s;
            scene_open(&s, failing, 1, 1, 0);
            s.data[0] = call;
            s.data[1] = 0;
            scene_ready(&s);
            s.q[0] = 1;
            s.options.until = 5;
            s.options.step = 0.01;
            s.options.width = 0.01;
            s.options.method = (carom_flow_method)method;
            carom_flow_result r;
            assert_int_equal(scene_run(&s, NULL, &r), CAROM_ERROR_CALLBACK);
            check_close(s.data[1], call, 0); /* nobody called again */
            scene_close(&s);
        }
}

/* Coefficients are checked as for a single impact. */
static void test_restitution_above_one(void **state)
{
    (void)state;
    for (int any = 0; any < 2; any++) {
        scene s;
        scene_open(&s, failing, 1, 1, 0);
        s.data[0] = INFINITY;
        s.contact[0].restitution = 2;
        scene_ready(&s);
        s.q[0] = 1;
        s.options.until = 1;
        s.options.any_restitution = any;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), any ? CAROM_OK : CAROM_ERROR_ARGUMENT);
        scene_close(&s);
    }
}

/* A force that is no number where the motion cannot go is no reason to stop. */
static carom_status below_floor(void *self, unsigned want, carom_state *s, carom_error *error)
{
    (void)self;
    (void)want;
    (void)error;
    s->M[0] = 1;
    s->h[0] = -9.81 + 0 * sqrt(s->q[0] + 1e-9);
    s->g[0] = s->q[0];
    s->W[0] = 1;
    s->potential = 9.81 * s->q[0];
    return CAROM_OK;
}

static void test_bad_force_beyond_contact(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, below_floor, 1, 1, 0);
    s.contact[0].restitution = 0.8;
    scene_ready(&s);
    s.q[0] = 1;
    s.options.until = 3;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    check_close(r.impacts[0].t, 0.4515236409857309, 1e-11);
    scene_close(&s);
}

static void open_ball(scene *s, int p, double e)
{
    scene_open(s, scene_ball, 1, p, 0);
    s->data[0] = 9.81;
    s->data[3] = 1;
    for (int i = 0; i < p; i++)
        s->contact[i].restitution = e;
    scene_ready(s);
}

static void test_refusals(void **state)
{
    (void)state;
    scene s;
    carom_flow_result r;
    carom_error error = {0};
    open_ball(&s, 1, 0.5);
    s.q[0] = -1e-3;
    s.options.until = 1;
    carom_flow_start start = {0, s.q, s.u};
#define RUN() carom_flow_run(s.system, &s.law, &start, &s.options, NULL, s.arena, &r, &error)
    assert_int_equal(RUN(), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "penetration"));
    s.options.method = CAROM_FLOW_TIME_STEPPING;
    s.options.step = 1e-3;
    assert_int_equal(RUN(), CAROM_OK); /* goes on with a warning */
    assert_int_equal(r.warning_count, 1);
    check_close(r.max_penetration, 1e-3, 1e-15);
    s.options.step = -1;
    assert_int_equal(RUN(), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "step"));
    s.options.step = 1e-3;
    s.options.theta = 2;
    assert_int_equal(RUN(), CAROM_ERROR_INPUT);
    s.options.theta = 0.5;
    s.options.step = 1e-300; /* steps that cannot be counted */
    assert_int_equal(RUN(), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "2^53"));
    s.options.step = 1e-3;
    s.options.until = 1e300;
    assert_int_equal(RUN(), CAROM_ERROR_INPUT);
    s.options.until = 1;
    s.options.output = 1e-12; /* rows that fill the disk */
    assert_int_equal(RUN(), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "output"));
    s.options.output = 0;
    s.options = carom_flow_options_default();
    assert_int_equal(RUN(), CAROM_ERROR_INPUT); /* no `until` */
    assert_non_null(strstr(error.text, "until"));
    s.options.until = -1;
    assert_int_equal(RUN(), CAROM_ERROR_INPUT);
    s.options.until = 1;
    s.options.method = CAROM_FLOW_TIME_STEPPING;
    s.options.step = 1e-2;
    s.law.ops = carom_law_find("poisson");
    assert_int_equal(RUN(), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "poisson"));
#undef RUN
    scene_close(&s);
}

/* An observer ends the run in good order. */
typedef struct stopper {
    long impacts, rows;
} stopper;

static carom_status stop_after_five(void *self, const carom_flow_impact *impact, carom_error *error)
{
    stopper *s = self;
    (void)impact;
    (void)error;
    return ++s->impacts == 5 ? CAROM_STOPPED : CAROM_OK;
}

static carom_status fail_row(void *self, const carom_flow_row *row, carom_error *error)
{
    stopper *s = self;
    return ++s->rows == 7 ? carom_error_set(error, CAROM_ERROR_OUTPUT, "no room for row %d", 7)
           : row->t >= 0  ? CAROM_OK
                          : CAROM_STOPPED;
}

/* A wish to stop is heard between two rows, however many lie between two steps. */
static carom_status stop_at_once(void *self, double t, long steps, carom_error *error)
{
    (void)self;
    (void)t;
    (void)steps;
    (void)error;
    return CAROM_STOPPED;
}

static carom_status count_row(void *self, const carom_flow_row *row, carom_error *error)
{
    (void)row;
    (void)error;
    ((stopper *)self)->rows++;
    return CAROM_OK;
}

static void test_stop_between_rows(void **state)
{
    (void)state;
    scene s;
    open_ball(&s, 1, 0.9);
    s.shape.rows_are_constant = s.shape.forces_are_constant = true;
    s.q[0] = 1;
    s.options.until = 8;
    s.options.output = 1e-7;
    stopper who = {0};
    const carom_flow_observer observer = {.self = &who, .row = count_row, .progress = stop_at_once};
    carom_flow_result r;
    assert_int_equal(scene_run(&s, &observer, &r), CAROM_STOPPED);
    assert_int_equal(r.end, CAROM_FLOW_STOPPED);
    assert_true(who.rows <= 256);
    scene_close(&s);
}

typedef struct last_row {
    int left;
    double t, q;
} last_row;

static carom_status keep_row(void *self, const carom_flow_row *row, carom_error *error)
{
    last_row *l = self;
    (void)error;
    l->t = row->t;
    l->q = row->q[0];
    return CAROM_OK;
}

static carom_status stop_in_a_while(void *self, double t, long steps, carom_error *error)
{
    last_row *l = self;
    (void)t, (void)steps, (void)error;
    return l->left-- > 0 ? CAROM_OK : CAROM_STOPPED;
}

/* A motion that is stopped tells where, in a last row: by the user or by a limit. */
static void test_row_of_the_end(void **state)
{
    (void)state;
    for (int k = 0; k < 24; k++) {
        scene s;
        open_ball(&s, 1, 1);
        s.q[0] = 1;
        s.options.method = k % 3 == 1 ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_EVENT_DRIVEN;
        s.options.step = 1e-4;
        s.options.until = 1e5;
        s.options.output = k % 2 ? 1e-3 : 0;
        s.options.max_events = k % 3 == 1 ? 0 : k % 5; /* 0: none */
        last_row last = {.left = k, .t = NAN};
        const carom_flow_observer observer = {
            .self = &last, .row = keep_row, .progress = stop_in_a_while};
        carom_flow_result r;
        assert_int_equal(scene_run(&s, &observer, &r), CAROM_STOPPED);
        assert_true(r.end == CAROM_FLOW_STOPPED || r.end == CAROM_FLOW_EVENT_LIMIT);
        assert_true(last.t == r.t && last.q == r.q[0]);
        scene_close(&s);
    }
}

static void test_observer(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        scene s;
        open_ball(&s, 1, 0.9);
        s.q[0] = 1;
        s.options.until = 8;
        s.options.step = 1e-3;
        s.options.output = 0.1;
        s.options.method = method ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_EVENT_DRIVEN;
        stopper who = {0};
        carom_flow_observer observer = {.self = &who, .impact = stop_after_five};
        carom_flow_result r;
        assert_int_equal(scene_run(&s, &observer, &r), CAROM_STOPPED);
        assert_int_equal(r.end, CAROM_FLOW_STOPPED);
        assert_int_equal(r.impact_count, 5);
        assert_true(r.t > 2 && r.t < 4);
        observer = (carom_flow_observer){.self = &who, .row = fail_row};
        assert_int_equal(scene_run(&s, &observer, &r), CAROM_ERROR_OUTPUT);
        scene_close(&s);
    }
}

/* 10^6 elastic impacts: neither energy nor phase drifts. */
static void test_million_impacts(void **state)
{
    (void)state;
    scene s;
    open_ball(&s, 1, 1);
    s.q[0] = 1;
    const double flight = 2 * 0.4515236409857309;
    s.options.until = 1e6 * flight;
    s.options.keep_impacts = 10;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    assert_true(labs(r.impact_count - 1000000) <= 1);
    assert_int_equal(r.impact_kept, 10);
    check_close(r.ledger.final, 9.81, 1e-8);
    check_close(r.ledger.balance_error, 0, 1e-8);
    check_close(r.q[0], 1, 1e-3); /* back at the top: phase within 1e-8 of the time run */
    assert_true(r.max_penetration < 1e-10);
    scene_close(&s);
}

/* The same run gives the same bytes. */
static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t k = 0; k < size; k++)
        hash = (hash ^ byte[k]) * 1099511628211u;
    return hash;
}

static carom_status hash_row(void *self, const carom_flow_row *row, carom_error *error)
{
    uint64_t *hash = self;
    (void)error;
    *hash = hash_of(*hash, row->q, 10 * sizeof(double));
    *hash = hash_of(*hash, row->u, 10 * sizeof(double));
    *hash = hash_of(*hash, row->force, 10 * sizeof(double));
    return CAROM_OK;
}

/* Two balls, the upper one a million times heavier. */
static carom_status heavy_on_light(void *self, unsigned want, carom_state *state,
                                   carom_error *error)
{
    carom_status status = scene_column(self, want, state, error);
    const double g = ((const scene *)self)->data[0];
    state->M[1] = 1e6;
    state->h[1] *= 1e6;
    state->potential += (1e6 - 1) * g * state->q[1];
    return status;
}

/* Both contacts closed, the light ball between them fast: impacts at one instant go on and on, each
 * a part e smaller. The motion goes on, says so, and both end at rest. */
static void test_hammering(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        scene s;
        scene_open(&s, heavy_on_light, 2, 2, 0);
        s.data[0] = 9.81;
        s.data[1] = 0.1;
        s.q[0] = 0.1;
        s.q[1] = 0.3;
        s.u[0] = 8e-4;
        s.u[1] = -5e-7;
        s.contact[0].restitution = s.contact[1].restitution = k == 0 ? 0.9 : k == 1 ? 0.99 : 0.999;
        scene_ready(&s);
        s.options.until = 1;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        check_close(r.q[0], 0.1, 1e-12);
        check_close(r.q[1], 0.3, 1e-12);
        check_close(r.ledger.balance_error, 0, 1e-8 * r.ledger.initial);
        scene_close(&s);
    }
}

static void test_determinism(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        uint64_t hash[2] = {14695981039346656037u, 14695981039346656037u};
        for (int k = 0; k < 2; k++) {
            scene s;
            scene_open(&s, scene_column, 10, 10, 0);
            s.data[0] = 9.81;
            s.data[1] = 0.1;
            for (int i = 0; i < 10; i++) {
                s.contact[i].restitution = 0.7;
                s.q[i] = 0.3 + 0.25 * i + 0.01 * sin(i);
            }
            scene_ready(&s);
            s.options.until = 1.2;
            s.options.output = 0.01;
            s.options.step = 1e-3;
            s.options.method = method ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_EVENT_DRIVEN;
            carom_flow_observer observer = {.self = &hash[k], .row = hash_row};
            carom_flow_result r;
            assert_int_equal(scene_run(&s, &observer, &r), CAROM_OK);
            scene_close(&s);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* Memory fails at every allocation in turn: an error each time, and nothing leaks. */
static void test_out_of_memory(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, scene_column, 10, 10, 0);
    s.data[0] = 9.81;
    s.data[1] = 0.1;
    for (int i = 0; i < 10; i++) {
        s.contact[i].restitution = 0.5;
        s.q[i] = 0.2 + 0.25 * i;
    }
    scene_ready(&s);
    s.options.until = 0.6;
    s.options.step = 1e-3;
    for (int method = 0; method < 2; method++) {
        s.options.method = method ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_EVENT_DRIVEN;
        bool done = false;
        int fail_at = 0;
        for (; !done; fail_at++) {
            check_memory c = {.fail_at = fail_at};
            carom_allocator allocator = {check_memory_resize, &c};
            carom_arena *arena;
            carom_error error = {0};
            if (carom_arena_create(&allocator, &arena, &error) != CAROM_OK)
                continue;
            carom_flow_start start = {0, s.q, s.u};
            carom_flow_result r;
            carom_status status =
                carom_flow_run(s.system, &s.law, &start, &s.options, NULL, arena, &r, &error);
            assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
            done = status == CAROM_OK;
            carom_arena_destroy(arena);
            assert_int_equal(c.live, 0);
            assert_true(fail_at < 1000);
        }
        assert_true(fail_at > 3);
    }
    scene_close(&s);
}

/* After warm-up a step does not allocate: ten times the time, the same number of allocations. */
static void test_no_allocation_in_steps(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        int calls[2];
        for (int k = 0; k < 2; k++) {
            scene s;
            open_ball(&s, 1, 1);
            s.q[0] = 1;
            s.options.until = k ? 1000 : 100;
            s.options.step = 1e-3;
            s.options.keep_impacts = 0;
            s.options.method = method ? CAROM_FLOW_TIME_STEPPING : CAROM_FLOW_EVENT_DRIVEN;
            check_memory c = {.fail_at = -1};
            carom_allocator allocator = {check_memory_resize, &c};
            carom_arena *arena;
            carom_error error = {0};
            check_ok(carom_arena_create(&allocator, &arena, &error), &error);
            carom_flow_start start = {0, s.q, s.u};
            carom_flow_result r;
            check_ok(carom_flow_run(s.system, &s.law, &start, &s.options, NULL, arena, &r, &error),
                     &error);
            calls[k] = c.calls;
            carom_arena_destroy(arena);
            scene_close(&s);
        }
        assert_int_equal(calls[0], calls[1]);
    }
}

/* A ball that chatters to rest on a table, is thrown off and comes back, for a long time: the gap
 * is then known to the rounding of time only, and the flights get lower than that. */
static void test_chatter_late(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        scene s;
        scene_open(&s, scene_table, 1, 1, 0);
        const double w = k % 2 ? 100 : 10, g = 9.81, Gamma = 1.5115 + 0.3 * (k / 2);
        s.data[0] = g;
        s.data[1] = Gamma * g / (w * w);
        s.data[2] = w;
        s.contact[0].restitution = 0.5;
        s.q[0] = 30 / (w * w);
        s.options.until = 1500 / w;
        scene_ready(&s);
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_true(r.accumulation_count > 10);
        assert_true(r.max_penetration < 1e-9);
        check_close(r.ledger.balance_error, 0, 1e-7 * (1 + fabs(r.ledger.impacts)));
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chatter_late),
        cmocka_unit_test(test_bad_force),
        cmocka_unit_test(test_failing_function),
        cmocka_unit_test(test_restitution_above_one),
        cmocka_unit_test(test_bad_force_beyond_contact),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_observer),
        cmocka_unit_test(test_stop_between_rows),
        cmocka_unit_test(test_row_of_the_end),
        cmocka_unit_test(test_million_impacts),
        cmocka_unit_test(test_hammering),
        cmocka_unit_test(test_determinism),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_no_allocation_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
