/* Boundary layers as they are told: rows in the order of time with entry, turn and exit at their
 * own, no jump anywhere, energies that are kept inside; the two integrators agree; the law `layer`
 * and the run say the same layer. */
#include "family.h"
#include "flow/boundary_layer.h"
#include "scenes.h"

/* What is checked row by row. */
typedef struct witness {
    double t, u, energy, jump, drift, gain; /* last time, velocity; largest changes between rows */
    double first, loss;                     /* energy at the start, of the ledger's impacts */
    int rows, entries, exits, turns;
    double seen[3]; /* times of the last passage, as told by rows that are no multiple of 1/64 */
    int extra;
} witness;

static carom_status see_row(void *self, const carom_flow_row *row, carom_error *error)
{
    witness *w = self;
    (void)error;
    const double energy = row->ledger->kinetic + row->ledger->potential;
    if (w->rows++ == 0)
        w->first = energy;
    else
        assert_true(row->t >= w->t);
    w->drift = fmax(w->drift, fabs(energy - w->first - row->ledger->impacts));
    w->gain = fmax(w->gain, row->ledger->impacts - w->loss);
    w->loss = row->ledger->impacts;
    const double ticks = row->t * 64;
    if (fabs(ticks - nearbyint(ticks)) > 1e-9 && w->extra < 3)
        w->seen[w->extra++] = row->t;
    w->t = row->t;
    w->u = row->u[0];
    return CAROM_OK;
}

static carom_status see_change(void *self, const carom_flow_change *change, carom_error *error)
{
    witness *w = self;
    (void)error;
    w->entries += change->to == CAROM_MODE_CLOSED;
    w->exits += change->to == CAROM_MODE_OPEN;
    return CAROM_OK;
}

static void open_ball(scene *s, double mass)
{
    scene_open(s, scene_ball, 1, 1, 0);
    s->data[3] = mass;
    scene_ready(s);
    s->options.method = CAROM_FLOW_BOUNDARY_LAYER;
}

/* A free ball against one layer, any metric and transition, damped or not. */
static void test_passage(void **state)
{
    (void)state;
    family f = family_start("layers: rows, energies, restitution", 81, 100);
    while (family_next(&f)) {
        check_random *r = &f.random;
        scene s;
        const double b = check_random_in(r, 0.2, 1), v = check_random_in(r, 0.5, 2),
                     m = pow(10, check_random_in(r, -2, 2)), k = check_random_in(r, 0.5, 3) * m,
                     q = f.member % 3 ? check_random_in(r, 0.05, 3) : 0;
        open_ball(&s, m);
        s.options.width = b;
        s.options.stiffness = k * v * v / (b * b);
        s.options.damping = q * b * s.options.stiffness;
        s.options.transition = f.member % 5 ? check_random_in(r, 0.2, 0.99) : 1;
        s.options.metric = f.member % 2 ? CAROM_LAYER_SMOOTH : CAROM_LAYER_SOURCE;
        const carom_layer layer = {
            s.options.stiffness, s.options.damping, s.options.transition * b, b, m, v,
            s.options.metric};
        carom_layer_result by_law;
        carom_error error = {0};
        check_ok(carom_layer_follow(&layer, s.arena, 0, NULL, NULL, NULL, &by_law, &error), &error);
        s.q[0] = 2 * b;
        s.u[0] = -v;
        s.options.until = b / v + 1.1 * by_law.duration + 0.01;
        s.options.output = 1 / 64.0;
        witness w = {0};
        const carom_flow_observer observer = {.self = &w, .row = see_row, .change = see_change};
        carom_flow_result result;
        assert_int_equal(scene_run(&s, &observer, &result), CAROM_OK);
        const double size = 0.5 * m * v * v, e = carom_layer_restitution(q);
        family_check(&f, w.entries == 1 && w.exits == 1 && w.extra >= 3, "%d in, %d out, %d rows",
                     w.entries, w.exits, w.extra);
        const double at[3] = {b / v, b / v + by_law.turn, b / v + by_law.duration};
        for (int i = 0; i < 3; i++)
            family_check(&f, fabs(w.seen[i] - at[i]) <= 1e-7 * (1 + at[i]),
                         "row %d at %.12g, should be %.12g", i, w.seen[i], at[i]);
        family_check(&f, fabs(result.u[0] / v - e) <= 1e-8, "e_N %.12g, should be %.12g",
                     result.u[0] / v, e);
        family_check(&f, w.drift <= 1e-7 * size, "energy drifts by %g", w.drift / size);
        family_check(&f, w.gain <= 1e-8 * size, "the layer gains %g", w.gain / size);
        if (q == 0)
            family_check(&f, fabs(result.ledger.impacts) <= 1e-8 * size, "loses %g undamped",
                         result.ledger.impacts / size);
        const carom_flow_impact *p = result.impacts;
        family_check(&f,
                     result.impact_count == 1 && p->kind == CAROM_FLOW_PASSAGE &&
                         p->t_before < p->t && p->t < p->t_after,
                     "the passage is told wrongly");
        scene_close(&s);
    }
    family_end(&f);
}

/* A ball under gravity that comes to rest in its layer: stiff, by both integrators. */
static void test_integrators(void **state)
{
    (void)state;
#ifdef CAROM_CVODE
    static const carom_layer_integrator *const both[] = {&carom_layer_own, &carom_layer_cvode};
#else
    static const carom_layer_integrator *const both[] = {&carom_layer_own, &carom_layer_own};
#endif
    family f = family_start("layers: two integrators", 82, 12);
    while (family_next(&f)) {
        check_random *r = &f.random;
        scene s;
        open_ball(&s, 1);
        s.data[0] = 10;
        s.options.width = 0.01;
        s.options.transition = 0.9;
        s.options.least_speed = 1e-3;
        s.options.stiffness = pow(10, check_random_in(r, 3.5, 6));
        s.options.damping = check_random_in(r, 0.1, 20) * s.options.stiffness * s.options.width;
        s.options.metric = f.member % 2 ? CAROM_LAYER_SMOOTH : CAROM_LAYER_SOURCE;
        s.q[0] = check_random_in(r, 0.02, 0.3);
        s.options.until = 2;
        const carom_flow_start start = {0, s.q, s.u};
        carom_flow_result end[2];
        double q[2], u[2];
        for (int k = 0; k < 2; k++) {
            carom_arena *work;
            carom_record record;
            carom_error error = {0};
            check_ok(carom_arena_create(NULL, &work, &error), &error);
            check_ok(
                carom_record_create(s.system, &s.options, NULL, s.arena, &end[k], &record, &error),
                &error);
            check_ok(carom_boundary_layer_run(&record, both[k], &start, work, &error), &error);
            q[k] = end[k].q[0];
            u[k] = end[k].u[0];
            carom_arena_destroy(work);
        }
        family_check(&f, fabs(q[0] - q[1]) <= 1e-7 && fabs(u[0] - u[1]) <= 1e-6,
                     "%.12g, %.12g and %.12g, %.12g", q[0], u[0], q[1], u[1]);
        family_check(&f, end[0].impact_count == end[1].impact_count, "%ld and %ld passages",
                     end[0].impact_count, end[1].impact_count);
        scene_close(&s);
    }
    family_end(&f);
}

/* Numbers of the law beside the method: taken where the run is silent, refused where it differs. */
static void test_law_beside(void **state)
{
    (void)state;
    scene s;
    open_ball(&s, 1);
    const carom_value values[] = {
        {.name = "k", .kind = CAROM_PARAMETER_NUMBER, .number = 3},
        {.name = "c", .kind = CAROM_PARAMETER_NUMBER, .number = 2},
        {.name = "a", .kind = CAROM_PARAMETER_NUMBER, .number = 0.25},
        {.name = "b", .kind = CAROM_PARAMETER_NUMBER, .number = 0.5},
        {.name = "metric", .kind = CAROM_PARAMETER_CHOICE, .text = "smooth"},
    };
    s.law = (carom_law){carom_law_find("layer"), values, 5};
    s.q[0] = 1;
    s.u[0] = -1;
    s.options.until = 8;
    carom_flow_result by_law, by_run;
    assert_int_equal(scene_run(&s, NULL, &by_law), CAROM_OK);
    s.options.width = 0.5;
    s.options.stiffness = 3;
    s.options.damping = 2;
    s.options.transition = 0.5;
    s.options.metric = CAROM_LAYER_SMOOTH;
    assert_int_equal(scene_run(&s, NULL, &by_run),
                     CAROM_OK); /* the same twice is no contradiction */
    check_close(by_law.u[0], by_run.u[0], 0);
    check_close(by_law.u[0], carom_layer_restitution(2 / (0.5 * 3)), 1e-8);
    s.options.damping = 1;
    carom_error error = {0};
    const carom_flow_start start = {0, s.q, s.u};
    assert_int_equal(
        carom_flow_run(s.system, &s.law, &start, &s.options, NULL, s.arena, &by_run, &error),
        CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "damping is 1, but c of the law layer makes it 2"));
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passage),
        cmocka_unit_test(test_integrators),
        cmocka_unit_test(test_law_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
