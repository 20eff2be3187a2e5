/* The event-driven method against closed forms. */
#include "scenes.h"

static void ball(scene *s, int p, double g, double e)
{
    scene_open(s, scene_ball, 1, p, 0);
    s->data[0] = g;
    s->data[3] = 1;
    for (int i = 0; i < p; i++)
        s->contact[i].restitution = e;
}

/* A1: times of impact, state at 8.5, accumulation. */
static void test_bouncing_ball(void **state)
{
    (void)state;
    scene s;
    ball(&s, 1, 9.81, 0.9);
    scene_ready(&s);
    s.q[0] = 1;
    s.options.until = 8.5;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    static const double t[] = {0.4515236409857309, 1.2642661947600464, 1.9957344931569305,
                               2.654055961714126};
    for (int k = 0; k < 4; k++)
        check_close(r.impacts[k].t, t[k], 1e-12);
    check_close(r.impacts[0].before[0], -4.42944692, 1e-8);
    assert_int_equal(r.impact_count, 44);
    check_close(r.q[0], 5.565551009e-6, 1e-11);
    check_close(r.u[0], -0.0416651958, 1e-9);
    check_close(r.ledger.balance_error, 0, 1e-11);
    s.options.until = 10;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    assert_int_equal(r.accumulation_count, 1);
    check_close(r.accumulations[0].t_limit, 8.578949178728887, 1e-9);
    check_close(r.accumulations[0].t_first, 0.4515236409857309, 1e-12);
    check_close(r.q[0], 0, 1e-12);
    check_close(r.u[0], 0, 1e-14);
    scene_close(&s);
}

/* A1, second part: a closed contact that approaches at t = 0 is an impact at t = 0. */
static void test_impact_at_start(void **state)
{
    (void)state;
    scene s;
    ball(&s, 1, 9.81, 0.9);
    scene_ready(&s);
    s.u[0] = -1;
    s.options.until = 3;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    assert_true(r.impacts[0].t == 0);
    check_close(r.impacts[0].after[0], 0.9, 1e-15);
    assert_int_equal(r.accumulation_count, 1);
    check_close(r.accumulations[0].t_limit, 1.834862385321101, 1e-10);
    assert_true(r.accumulations[0].t_first == 0);
    scene_close(&s);
}

/* The answer does not depend on units, and the floor holds where positions are large. */
static void test_scales(void **state)
{
    (void)state;
    static const double scale[] = {1e-9, 1, 1e9}, floor_at[] = {0, 1, -1000};
    for (int k = 0; k < 9; k++) {
        scene s;
        ball(&s, 1, 9.81 * scale[k % 3], 0.5);
        s.data[1] = floor_at[k / 3] * scale[k % 3];
        s.data[3] = scale[2 - k % 3];
        scene_ready(&s);
        s.q[0] = s.data[1] + scale[k % 3];
        s.options.closed *= scale[k % 3]; /* a length, in the units of the scene */
        s.options.until = 3;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        check_close(r.q[0], s.data[1], 1e-9 * scale[k % 3]);
        check_close(r.u[0], 0, 1e-12 * scale[k % 3]);
        check_close(r.impacts[0].t, 0.4515236409857309, k < 3 ? 1e-12 : 1e-10);
        if (k < 3) {
            assert_int_equal(r.accumulation_count, 1);
            check_close(r.accumulations[0].t_limit, 3 * 0.4515236409857309, 1e-10);
        }
        assert_true(r.max_penetration <= 1e-12 * fabs(s.data[1]) + 1e-12 * scale[k % 3]);
        scene_close(&s);
    }
}

/* A ball on a floor that accelerates away from the origin: the last flights are the rounding of
 * large positions, the limit follows from those before them. */
static void test_lift(void **state)
{
    (void)state;
    static const char text[] = "carom: 1\n"
                               "parameters: {e: 0.5, a: 3, g: 9.81}\n"
                               "system: {coordinates: [q], kinetic: \"q'^2/2\", potential: g*q,\n"
                               "         contacts: {floor: {gap: q - a*t^2/2, restitution: e}}}\n"
                               "initial: {q: 1}\n"
                               "run: {until: 15}\n";
    static const char *const sets[] = {"e=0.5", "e=0.6", "e=0.7"};
    for (int k = 0; k < 3; k++) {
        const double e = 0.5 + 0.1 * k, first = sqrt(2 / 12.81);
        const carom_scene_options options = {.sets = &sets[k], .set_count = 1};
        const carom_law law = {.ops = carom_law_find("newton")};
        carom_scene *read;
        carom_arena *arena;
        carom_flow_result r;
        carom_error error = {0};
        check_ok(carom_scene_read_text(text, sizeof text - 1, &options, &read, &error), &error);
        check_ok(carom_arena_create(NULL, &arena, &error), &error);
        const carom_scene_content *c = carom_scene_get(read);
        check_ok(carom_flow_run(c->system, &law, &c->initial, c->run, NULL, arena, &r, &error),
                 &error);
        assert_int_equal(r.accumulation_count, 1);
        check_close(r.accumulations[0].t_limit, first * (1 + e) / (1 - e), 1e-10);
        carom_arena_destroy(arena);
        carom_scene_destroy(read);
    }
}

/* A ceiling just below the apex is never missed, one just above never hit. */
static void test_ceiling_near_apex(void **state)
{
    (void)state;
    const double v = 3, g = 9.81, apex = v * v / (2 * g);
    for (double d = 1e-1; d > 0.5e-9; d *= 0.1)
        for (int side = 0; side < 2; side++) {
            scene s;
            ball(&s, 2, g, 1);
            s.data[1] = -100;
            s.data[2] = side ? apex + d : apex - d;
            scene_ready(&s);
            s.u[0] = v;
            s.options.until = 1;
            carom_flow_result r;
            assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
            assert_int_equal(r.impact_count, side ? 0 : 1);
            if (!side) {
                assert_int_equal(r.impacts[0].contacts[0], 1);
                check_close(r.impacts[0].t, (v - sqrt(2 * g * d)) / g,
                            1e-12 + 1e-14 / sqrt(2 * g * d));
            }
            scene_close(&s);
        }
}

/* Two walls closed in one step, nearly and exactly at the same time. */
static carom_status corner(void *self, unsigned want, carom_state *state, carom_error *error)
{
    (void)self;
    (void)want;
    (void)error;
    state->M[0] = state->M[1] = 1;
    state->g[0] = state->q[0];
    state->g[1] = state->q[1];
    state->W[0] = state->W[3] = 1;
    return CAROM_OK;
}

static void test_two_contacts_in_a_step(void **state)
{
    (void)state;
    static const double late[] = {0, 1e-14, 1e-10, 1e-6, 1e-3};
    for (int k = 0; k < 5; k++) {
        scene s;
        scene_open(&s, corner, 2, 2, 0);
        s.contact[0].restitution = s.contact[1].restitution = 0.5;
        scene_ready(&s);
        s.q[0] = 1;
        s.q[1] = 1 + late[k];
        s.u[0] = s.u[1] = -1;
        s.options.until = 4;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_int_equal(r.impact_count, k < 2 ? 1 : 2);
        check_close(r.q[0], 0.5 * 3, 1e-12);
        check_close(r.q[1], 0.5 * (3 - late[k]), 1e-12);
        scene_close(&s);
    }
}

/* A6: orbits of period 1 and 2 around the period doubling. */
static void test_vibrating_table(void **state)
{
    (void)state;
    const double e = 0.5, doubling = 1.5268237005190608;
    for (int side = 0; side < 2; side++) {
        const double Gamma = doubling * (side ? 1.01 : 0.99), w = 2 * CAROM_PI, g = 9.81;
        scene s;
        scene_open(&s, scene_table, 1, 1, 0);
        s.contact[0].restitution = e;
        s.data[0] = g;
        s.data[1] = Gamma * g / (w * w);
        s.data[2] = w;
        scene_ready(&s);
        /* start on the orbit: phase of impact, flight time one period */
        double phase = acos(CAROM_PI * (1 - e) / (Gamma * (1 + e)));
        s.t = phase / w;
        s.q[0] = s.data[1] * sin(phase);
        s.u[0] = g / 2 * (side ? 1.002 : 1.0005);
        s.options.until = 400;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        assert_true(r.impact_count >= 395);
        const carom_flow_impact *last = r.impacts + r.impact_count - 3;
        double one = fabs((last[2].t - last[1].t) - (last[1].t - last[0].t));
        double two = fabs(last[2].t - last[0].t - 2);
        if (side) {
            assert_true(one > 1e-3);
            check_close(two, 0, 1e-6);
        } else {
            check_close(one, 0, 1e-3);
        }
        assert_true(fabs(r.ledger.balance_error) < 1e-8 * r.ledger.initial * r.t);
        scene_close(&s);
    }
}

/* A8: a stop beyond the amplitude is never touched, one before it is. */
static void test_grazing(void **state)
{
    (void)state;
    static const double data[3][4] = {{.1, .8, 1, 2.538365412834048},
                                      {.05, 1.5, 1, 0.7943014707895376},
                                      {.01, 2.5, 1, 0.19046755268780538}};
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) {
            const double z = data[k][0], w = data[k][1], F = data[k][2], a = data[k][3];
            scene s;
            scene_open(&s, scene_oscillator, 1, 1, 0);
            memcpy(s.data, data[k], sizeof data[k]);
            s.data[3] = a * (side ? 1 + 1e-8 : 1 - 1e-8);
            s.contact[0].restitution = 0.8;
            scene_ready(&s);
            /* on the stationary orbit x = a cos(w t - phi) */
            double phi = atan2(2 * z * w, 1 - w * w);
            s.q[0] = F / hypot(1 - w * w, 2 * z * w) * cos(phi);
            s.u[0] = a * w * sin(phi);
            s.options.until = 50;
            carom_flow_result r;
            assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
            if (side)
                assert_int_equal(r.impact_count, 0);
            else
                assert_true(r.impact_count > 0);
            assert_true(fabs(r.ledger.balance_error) < 1e-8 * r.t);
            scene_close(&s);
        }
}

/* The modes a contact is told to have, one after the other. */
typedef struct modes {
    int count;
    carom_mode last;
    double t;
} modes;

static carom_status follow_modes(void *self, const carom_flow_change *change, carom_error *error)
{
    modes *m = self;
    (void)error;
    assert_int_equal(change->contact, 0);
    assert_int_equal(change->from, m->last); /* nothing is left out */
    assert_true(change->to != change->from && change->t >= m->t);
    m->last = change->to;
    m->t = change->t;
    m->count++;
    return CAROM_OK;
}

/* A9: dry friction oscillator, turning points and the place where it sticks. */
static void test_friction_oscillator(void **state)
{
    (void)state;
    scene s;
    modes seen = {.last = CAROM_MODE_OPEN};
    const carom_flow_observer observer = {.self = &seen, .change = follow_modes};
    scene_open(&s, scene_block, 2, 1, 1);
    s.data[0] = 1;
    s.data[1] = 2;
    s.contact[0].friction_static = s.contact[0].friction_dynamic = 0.5;
    scene_ready(&s);
    s.q[0] = 12;
    s.u[0] = 6;
    s.options.until = 60;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, &observer, &r), CAROM_OK);
    /* it slips, turns at 13.3, -11.3 ... 1.3, and sticks where it would turn next */
    assert_int_equal(seen.count, 1 + 7 + 1);
    assert_int_equal(seen.last, CAROM_MODE_STICK);
    check_close(seen.t, 7 * CAROM_PI + atan2(6, 13), 1e-9);
    check_close(r.q[0], 0.6821789367236466, 1e-10);
    check_close(r.u[0], 0, 1e-14);
    check_close(r.ledger.balance_error, 0, 1e-8);
    check_close(r.ledger.friction, r.ledger.final - r.ledger.initial, 1e-8);
    check_close(r.ledger.friction, r.ledger.friction_loss[0], 1e-12);
    scene_close(&s);
}

/* B4: a column of touching balls falls and hits the floor: one impact of ten contacts. */
static void test_column_drop(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, scene_column, 10, 10, 0);
    s.data[0] = 9.81;
    s.data[1] = 0.1;
    for (int i = 0; i < 10; i++) {
        s.contact[i].restitution = 1;
        s.q[i] = 0.1 + 0.05 + 0.2 * i;
    }
    scene_ready(&s);
    s.options.until = 0.15;
    carom_flow_result r;
    assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
    assert_int_equal(r.impact_count, 1);
    assert_int_equal(r.impacts[0].contact_count, 10);
    check_close(r.impacts[0].t, 0.10096375546923, 1e-12);
    for (int i = 0; i < 10; i++)
        check_close(r.impacts[0].after[i], 0.9904544411531507, 1e-12);
    scene_close(&s);
}

/* F5: sliding turns into rolling. */
static void test_sliding_to_rolling(void **state)
{
    (void)state;
    static const double inertia[3] = {0.5, 0.4, 1}, part[3] = {2.0 / 3, 5.0 / 7, 0.5},
                        time[3] = {1.0 / 3, 2.0 / 7, 0.5};
    for (int k = 0; k < 3; k++) {
        const double g = 9.81, mu = 0.2, v = 3;
        scene s;
        scene_open(&s, scene_wheel, 3, 1, 1);
        s.data[0] = g;
        s.data[1] = 0.7;
        s.data[2] = inertia[k] * 0.7 * 0.7;
        s.contact[0].friction_static = s.contact[0].friction_dynamic = mu;
        scene_ready(&s);
        s.q[1] = 0.7;
        s.u[0] = v;
        s.options.until = 2;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        double t = time[k] * v / (mu * g);
        check_close(r.u[0], part[k] * v, 1e-12);
        check_close(r.q[0], v * t - 0.5 * mu * g * t * t + part[k] * v * (2 - t), 1e-10);
        check_close(r.ledger.balance_error, 0, 1e-10);
        scene_close(&s);
    }
}

/* Static friction larger than dynamic: rests until the spring pulls hard enough. */
static void test_rest_on_rough_floor(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        scene s;
        scene_open(&s, scene_block, 2, 1, 1);
        s.data[1] = 10;
        s.data[2] = k == 0 ? 2.9 : k == 1 ? 3 : 3.1;
        s.contact[0].friction_static = 0.3;
        s.contact[0].friction_dynamic = 0.2;
        scene_ready(&s);
        s.options.until = 2;
        carom_flow_result r;
        assert_int_equal(scene_run(&s, NULL, &r), CAROM_OK);
        check_close(r.q[0], k == 2 ? 0.5 * 1.1 * 4 : 0, 1e-10);
        scene_close(&s);
    }
}

/* E1 in motion: the four regions of the sliding rod. */
static void test_painleve(void **state)
{
    (void)state;
    const double l = 1, g = 10;
    static const double angle[4] = {40, 40, 62, 62}, rate[4] = {0.5, 6, 6, 0.5};
    for (int k = 0; k < 4; k++)
        for (int ask = 0; ask < 2; ask++) {
            scene s;
            scene_open(&s, scene_rod, 3, 1, 1);
            s.data[0] = g;
            s.data[1] = l;
            s.contact[0].friction_static = s.contact[0].friction_dynamic = 1.4;
            scene_ready(&s);
            double th = angle[k] * CAROM_PI / 180;
            s.q[1] = l * sin(th);
            s.q[2] = th;
            s.u[2] = rate[k];
            s.u[1] = l * cos(th) * rate[k];
            s.u[0] = -5 - l * sin(th) * rate[k]; /* the end slides at -5 */
            s.options.until = 0.02;
            s.options.paradox = ask ? CAROM_FLOW_PARADOX_IMPACT : CAROM_FLOW_PARADOX_STOP;
            carom_flow_result r;
            carom_status status = scene_run(&s, NULL, &r);
            if (k < 3) {
                assert_int_equal(status, CAROM_OK);
                double gap = r.q[1] - l * sin(r.q[2]);
                if (k == 0)
                    check_close(gap, 0, 1e-11); /* slides on */
                else
                    assert_true(gap > 1e-4); /* lifts off */
                assert_int_equal(r.warning_count, k == 2 ? 1 : 0);
            } else if (!ask) {
                assert_int_equal(status, CAROM_STOPPED);
                assert_int_equal(r.end, CAROM_FLOW_INCONSISTENT);
                assert_true(r.t == 0);
                assert_non_null(strstr(r.message, "inconsistent"));
            } else {
                assert_int_equal(status, CAROM_OK);
                assert_int_equal(r.impacts[0].kind, CAROM_FLOW_TANGENTIAL);
                assert_true(r.impacts[0].energy_change < 0);
            }
            scene_close(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_impact_at_start),
        cmocka_unit_test(test_lift),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_ceiling_near_apex),
        cmocka_unit_test(test_two_contacts_in_a_step),
        cmocka_unit_test(test_vibrating_table),
        cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_friction_oscillator),
        cmocka_unit_test(test_column_drop),
        cmocka_unit_test(test_sliding_to_rolling),
        cmocka_unit_test(test_rest_on_rough_floor),
        cmocka_unit_test(test_painleve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
