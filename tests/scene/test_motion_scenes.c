/* The bundled scenes of motion: each runs to its end with balanced books, draws finite shapes, and
 * time-stepping comes near to it. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/io.h"
#include "check.h"

typedef struct bundle {
    carom_scene *scene;
    carom_arena *arena;
    const carom_scene_content *content;
} bundle;

static void open_bundle(bundle *b, const char *name, const char *const *sets, int count)
{
    char path[512];
    carom_error error = {0};
    carom_scene_options options = {.sets = sets, .set_count = count};
    snprintf(path, sizeof path, "%s/scenes/%s", CAROM_SOURCE_DIR, name);
    check_ok(carom_scene_read_file(path, &options, &b->scene, &error), &error);
    check_ok(carom_arena_create(NULL, &b->arena, &error), &error);
    b->content = carom_scene_get(b->scene);
}

static void close_bundle(bundle *b)
{
    carom_scene_destroy(b->scene);
    carom_arena_destroy(b->arena);
}

/* What a row must be: at its time, off the walls, drawn with finite numbers. */
typedef struct rows {
    const bundle *b;
    const char *name;
    double start, every, until, last;
    long count, drawn;
} rows;

static carom_status watch(void *self, const carom_flow_row *row, carom_error *error)
{
    rows *r = self;
    double numbers[64];
    (void)error;
    bool multiple = fabs((row->t - r->start) - (double)r->count * r->every) <=
                    1e-9 * r->every * (double)(r->count + 1);
    if (!multiple && row->t != r->until) { /* entry, turn or exit of a boundary layer */
        assert_int_equal(r->b->content->run->method, CAROM_FLOW_BOUNDARY_LAYER);
        assert_true(row->t >= r->last);
        r->last = row->t;
        return CAROM_OK;
    }
    for (int k = 0; k < r->b->content->shape_count; k++) {
        const carom_scene_shape *shape = &r->b->content->shapes[k];
        assert_true(shape->count <= 64);
        carom_scene_shape_evaluate(r->b->scene, k, row->t, row->q, row->u, numbers);
        for (int j = 0; j < shape->count; j++)
            assert_true(isfinite(numbers[j]) && fabs(numbers[j]) < 1e3);
        r->drawn++;
    }
    r->last = row->t;
    r->count++;
    return CAROM_OK;
}

static void run_bundle(const char *name)
{
    bundle b;
    open_bundle(&b, name, NULL, 0);
    if (b.content->system && b.content->run) {
        const carom_flow_options *o = b.content->run;
        rows r = {.b = &b,
                  .name = name,
                  .start = b.content->initial.t,
                  .every = o->output,
                  .until = o->until};
        carom_flow_observer observer = {.self = &r, .row = watch};
        carom_flow_result result;
        carom_error error = {0};
        check_ok(carom_flow_run(b.content->system, b.content->law, &b.content->initial, o,
                                &observer, b.arena, &result, &error),
                 &error);
        const carom_flow_ledger *l = &result.ledger;
        double size = fabs(l->initial) + fabs(l->final) + fabs(l->impacts) + fabs(l->forces) +
                      fabs(l->friction);
        /* Steps of bodies take forces at the middle of the free motion: where a contact changes the
         * spin within the step, their work is known to the first order. */
        bool stepped = b.content->body_count > 0 && o->method == CAROM_FLOW_TIME_STEPPING;
        double allowed = (stepped ? 1e-3 : 1e-8) * size * fmax(1, o->until - r.start);
        if (!(l->largest_balance <= allowed))
            print_error("%s: balance %g of %g\n", name, l->largest_balance, size);
        assert_true(l->largest_balance <= allowed);
        assert_true(r.last == o->until);
        assert_true(r.drawn > 0 || b.content->body_count > 0); /* it can be looked at */
        if (o->method == CAROM_FLOW_EVENT_DRIVEN)
            assert_true(result.max_penetration < 1e-9);
    }
    close_bundle(&b);
}

static void test_all(void **state)
{
    (void)state;
    int count = 0;
    DIR *folder = opendir(CAROM_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".yaml") != 0)
            continue;
        run_bundle(entry->d_name);
        count++;
    }
    closedir(folder);
    assert_true(count > 50);
}

/* End positions by time-stepping against those by events, where impacts are few. */
static double distance(const char *name, double until, double h)
{
    bundle b;
    open_bundle(&b, name, NULL, 0);
    carom_flow_options event = *b.content->run, step = event;
    carom_flow_result exact, near;
    carom_error error = {0};
    event.until = step.until = b.content->initial.t + until;
    event.output = step.output = 0;
    step.method = CAROM_FLOW_TIME_STEPPING;
    step.step = h * until;
    check_ok(carom_flow_run(b.content->system, b.content->law, &b.content->initial, &event, NULL,
                            b.arena, &exact, &error),
             &error);
    check_ok(carom_flow_run(b.content->system, b.content->law, &b.content->initial, &step, NULL,
                            b.arena, &near, &error),
             &error);
    double off = 0;
    for (int i = 0; i < carom_system_get_shape(b.content->system)->nq; i++)
        off = fmax(off, fabs(exact.q[i] - near.q[i]));
    close_bundle(&b);
    return off;
}

static void test_agree(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double until;
    } list[] = {
        {"bouncing_ball.yaml", 2},    {"impact_oscillator.yaml", 20}, {"falling_rod.yaml", 0.5},
        {"dumbbell.yaml", 1},         {"vibrating_table.yaml", 0.4},  {"sliding_rod.yaml", 0.3},
        {"slider_crank.yaml", 0.5},   {"woodpecker.yaml", 0.1},       {"spinning_top.yaml", 0.1},
        {"column_motion.yaml", 0.48}, {"disc_on_plane.yaml", 0.5},    {"planar_body.yaml", 0.5},
        {"rigid_body.yaml", 0.1}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double coarse = fmax(distance(list[k].name, list[k].until, 1. / 500),
                             distance(list[k].name, list[k].until, 1. / 1000));
        double fine = distance(list[k].name, list[k].until, 1. / 32000);
        /* 32 to 64 times finer, order one: the step in which an impact falls makes it wander */
        bool good = fine <= 0.12 * coarse + 1e-11;
        if (!good)
            print_error("%s: %g, then %g\n", list[k].name, coarse, fine);
        assert_true(good);
    }
}

/* Ties and rounding that once ended a motion: two friction forces at their limits against each
 * other with a singular matrix; a coupling of 1e-29 between normal and slip; a tilt of 1e-15; a
 * slip of 1e-7 that friction ends at once, but with no force that fits it until then. */
static void test_ties(void **state)
{
    (void)state;
    static const struct {
        const char *name, *sets[3];
    } list[] = {{"rocking_block.yaml", {"e=0", "mu=1", "L=2"}},
                {"rocking_block.yaml", {"e=0.2", "mu=1", "L=2"}},
                {"rocking_block.yaml", {"e=0.5", "mu=1", "L=2"}},
                {"rocking_block.yaml", {"e=0.1", "mu=2", "L=1"}},
                {"rocking_block.yaml", {"e=0.1", "mu=2", "L=2"}},
                {"rocking_block.yaml", {"e=0.5", "mu=2", "L=2"}},
                {"falling_rod.yaml", {"e=0.8", "mu=0.5", "l=0.1"}},
                {"falling_rod.yaml", {"e=0.8", "mu=1", "l=0.1"}},
                {"falling_rod.yaml", {"e=0.6", "mu=0.1", "g=30"}}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bundle b;
        open_bundle(&b, list[k].name, list[k].sets, 3);
        carom_flow_result r;
        carom_error error = {0};
        check_ok(carom_flow_run(b.content->system, b.content->law, &b.content->initial,
                                b.content->run, NULL, b.arena, &r, &error),
                 &error);
        for (int i = 0; i < 3; i++) /* all comes to rest */
            assert_true(i == 0 || fabs(r.u[i]) < 1e-8);
        check_close(r.ledger.balance_error, 0, 1e-9);
        assert_true(r.warning_count <= 2); /* one for each contact */
        close_bundle(&b);
    }
}

/* Blows through balls at rest, whose rounding is that of the speeds they get; balls that swing
 * together, with gaps rounded more coarsely than angles are near the lowest point and with forces
 * of contact that vanish throughout. */
static void test_cradles(void **state)
{
    (void)state;
    static const char *const laws[] = {"sequential", "newton", "poisson", "moreau", "inelastic"};
    static const char *const sizes[] = {"N=2", "N=5", "N=8"}, *const lifts[] = {"lift=0.2",
                                                                                "lift=0.9"};
    static const char *const e[] = {"e=0", "e=0.3", "e=0.5", "e=0.9", "e=1"};
    for (int k = 0; k < 5 * 3 * 2 * 5; k++) {
        const char *const sets[] = {sizes[k / 5 % 3], e[k % 5], lifts[k / 15 % 2]};
        const carom_law law = {.ops = carom_law_find(laws[k / 30])};
        bundle b;
        open_bundle(&b, "cradle_motion.yaml", sets, 3);
        carom_flow_result r;
        carom_error error = {0};
        check_ok(carom_flow_run(b.content->system, &law, &b.content->initial, b.content->run, NULL,
                                b.arena, &r, &error),
                 &error);
        check_close(r.ledger.balance_error, 0, 1e-9);
        assert_true(r.max_penetration < 1e-12);
        assert_true(r.steps < 1000); /* rounding makes no events */
        close_bundle(&b);
    }
}

/* Tops too slow to stand: the tip starts to slip in a direction that must be found, again and
 * again.
 */
static void test_falling_tops(void **state)
{
    (void)state;
    static const char *const tops[][3] = {{"mu=0.5", "spin=20", "tilt=0.3"},
                                          {"mu=2", "spin=20", "tilt=1"},
                                          {"mu=0.1", "spin=20", "tilt=0.01"}};
    for (int k = 0; k < 3; k++) {
        bundle b;
        open_bundle(&b, "spinning_top.yaml", tops[k], 3);
        carom_flow_options o = *b.content->run;
        carom_flow_result r;
        carom_error error = {0};
        o.until = k == 2 ? 0.5 : 0.25;
        check_ok(carom_flow_run(b.content->system, b.content->law, &b.content->initial, &o, NULL,
                                b.arena, &r, &error),
                 &error);
        assert_true(r.ledger.friction < 0);
        check_close(r.ledger.balance_error, 0, 1e-10);
        close_bundle(&b);
    }
}

/* Housner's block: each landing keeps the same part of the spin; the corners come to rest together,
 * at the time that follows from any late landing, after which a flight of the spin w lasts
 * 2 w/(p^2 sin(alpha)), p^2 = 3 g/(4 R). */
static void rock(const char *friction)
{
    bundle b;
    carom_flow_result r;
    carom_error error = {0};
    const double width = 0.25, height = 1, R = hypot(width, height), sine = width / R;
    const double ratio = 1 - 1.5 * sine * sine, pull = 0.75 * 9.81 / R * sine;
    open_bundle(&b, "housner_rocking.yaml", &friction, 1);
    check_ok(carom_flow_run(b.content->system, b.content->law, &b.content->initial, b.content->run,
                            NULL, b.arena, &r, &error),
             &error);
    assert_true(r.impact_count > 50);
    for (long k = 0; k < r.impact_count && fabs(r.impacts[k].before[2]) > 1e-4; k++)
        check_close(r.impacts[k].after[2] / r.impacts[k].before[2], ratio, 1e-8);
    const carom_flow_impact *last = &r.impacts[r.impact_count - 1];
    const double limit = last->t + 2 * fabs(last->after[2]) / (pull * (1 - ratio));
    assert_int_equal(r.accumulation_count, 2);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(r.accumulations[k].contact, k);
        check_close(r.accumulations[k].t_limit, limit, 1e-8);
    }
    check_close(r.q[2], 0, 1e-12);
    check_close(r.u[2], 0, 1e-12);
    close_bundle(&b);
}

/* However rough the floor: at rest the two feet could press against each other sideways with any
 * force, which must not be taken for slip. */
static void test_rocking(void **state)
{
    (void)state;
    rock("mu=1");
    rock("mu=100");
    rock("mu=1e3");
    rock("mu=1e6");
}

/* Two discs in a box: they end in its corners, where with friction 1 floor and wall can press a
 * disc against each other with any force. No energy may come of that. */
static const char two_discs[] =
    "carom: 1\n"
    "parameters: {R: 0.25, mu: 1, e: 0, a: 0.4, u: 1.723, b: 0.562, v: -0.11}\n"
    "system:\n"
    "  repeat:\n"
    "    - index: i\n"
    "      from: 0\n"
    "      to: 1\n"
    "      coordinates: [x$i, y$i, a$i]\n"
    "      kinetic: (x$i'^2 + y$i'^2 + R^2/2*a$i'^2)/2\n"
    "      potential: 9.81*y$i\n"
    "      contacts:\n"
    "        f$i: {gap: y$i - R, slip: x$i' + R*a$i', friction: mu, restitution: e}\n"
    "        l$i: {gap: x$i - R, slip: y$i' - R*a$i', friction: mu, restitution: e}\n"
    "        r$i: {gap: 1.3 - x$i - R, slip: y$i' + R*a$i', friction: mu, restitution: e}\n"
    "  contacts:\n"
    "    d:\n"
    "      gap: sqrt((x1 - x0)^2 + (y1 - y0)^2) - 2*R\n"
    "      slip: ((x1 - x0)*(y1' - y0') - (y1 - y0)*(x1' - x0'))/(2*R) - R*(a1' + a0')\n"
    "      friction: mu\n"
    "      restitution: e\n"
    "initial: {x0: a, y0: 0.3, x0': u, x1: b, y1: 0.9, x1': v}\n"
    "law: coulomb\n"
    "run: {until: 3}\n";

static void test_discs_in_corners(void **state)
{
    (void)state;
    static const char *const cases[][5] = {
        {"e=0", "a=0.4", "u=1.723", "b=0.562", "v=-0.11"},
        {"e=0.3", "a=0.949", "u=-0.428", "b=0.475", "v=-1.174"},
        {"e=0", "a=0.9", "u=1", "b=0.4", "v=-2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bundle b;
        carom_error error = {0};
        carom_flow_result r;
        const carom_scene_options options = {.sets = cases[k], .set_count = 5};
        check_ok(carom_scene_read_text(two_discs, sizeof two_discs - 1, &options, &b.scene, &error),
                 &error);
        check_ok(carom_arena_create(NULL, &b.arena, &error), &error);
        b.content = carom_scene_get(b.scene);
        check_ok(carom_flow_run(b.content->system, b.content->law, &b.content->initial,
                                b.content->run, NULL, b.arena, &r, &error),
                 &error);
        assert_true(r.end == CAROM_FLOW_REACHED);
        check_close(r.ledger.balance_error, 0, 1e-9);
        check_close(r.ledger.projection, 0, 1e-9);
        check_close(r.ledger.final, 2 * 9.81 * 0.25, 1e-9); /* both at rest on the floor */
        close_bundle(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_agree),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_cradles),
        cmocka_unit_test(test_falling_tops),
        cmocka_unit_test(test_rocking),
        cmocka_unit_test(test_discs_in_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
