/* Derivatives of a system's equations in directions of time, coordinates, velocities and
 * parameters: against 50 digits (references.txt, written by make_references.py), and against
 * differences for many directions at once. */
#include "carom/formulas.h"
#include "check.h"

#include <float.h>
#include <stdlib.h>

#define F(text_) ((carom_source){.text = (text_)})

/* One block of the file. */
typedef struct block {
    char formulas[128][1024]; /* by letter */
    double point[7], direction[7], x[6];
} block;

static carom_system *make(const block *b, const double *parameters, bool keep)
{
    static char digits[2][40];
    carom_named_formula values[2] = {{F("a"), F(digits[0])}, {F("b"), F(digits[1])}};
    for (int k = 0; k < 2; k++)
        snprintf(digits[k], sizeof digits[k], "%.17g", parameters[k]);
    const carom_source coordinates[] = {F("x"), F("y")}, kinetic = F(b->formulas['T']),
                       potential = F(b->formulas['V']);
    const carom_named_formula force = {F("x"), F(b->formulas['F'])},
                              joint = {F("j"), F(b->formulas['B'])},
                              rolling = {F("r"), F(b->formulas['A'])},
                              sets[] = {{F("x"), F(b->formulas['R'])},
                                        {F("y'"), F(b->formulas['U'])}};
    carom_contact_formulas contact = {.gap = F(b->formulas['G']),
                                      .slip = {F(b->formulas['S'])},
                                      .when = F(b->formulas['I']),
                                      .properties = carom_contact_default()};
    const carom_event_formulas event = {.name = F("e"),
                                        .at = F(b->formulas['E']),
                                        .guard = F(b->formulas['I']),
                                        .set_count = 2,
                                        .sets = sets};
    const carom_formulas statement = {.coordinate_count = 2,
                                      .coordinates = coordinates,
                                      .parameter_count = 2,
                                      .parameters = values,
                                      .kinetic_count = 1,
                                      .kinetic = &kinetic,
                                      .potential_count = 1,
                                      .potential = &potential,
                                      .force_count = 1,
                                      .forces = &force,
                                      .contact_count = 1,
                                      .contacts = &contact,
                                      .bilateral_count = 1,
                                      .bilateral = &joint,
                                      .permanent_count = 1,
                                      .permanent = &rolling,
                                      .event_count = 1,
                                      .events = &event,
                                      .keep_parameters = keep};
    carom_system *system = NULL;
    carom_error error = {0};
    check_ok(carom_system_formulas(&statement, NULL, &system, &error), &error);
    return system;
}

static const unsigned everything = CAROM_WANT_ALL | CAROM_WANT_GUARDS | CAROM_WANT_EVENTS;
enum { MOST = 4 }; /* directions */

/* Room for everything that can be asked for. */
typedef struct answers {
    double Mx[2 * MOST], h[2 * MOST], force[2 * MOST], g[MOST], Wx[MOST], w_hat[MOST], g_bias[MOST],
        Hx[MOST], slip_motion[MOST], slip_bias[MOST], f[MOST], Bx[MOST], b_hat[MOST], b_bias[MOST],
        Ax[MOST], a_hat[MOST], a_bias[MOST], kinetic[MOST], potential[MOST], power[MOST],
        guard[MOST], event[MOST], event_if[MOST];
    double q[2 * MOST], u[2 * MOST]; /* after the event */
} answers;

static carom_tangents ask(const block *b, answers *a)
{
    return (carom_tangents){.x = b->x,
                            .lambda = b->x + 2,
                            .lambda_T = b->x + 3,
                            .joint = b->x + 4,
                            .rolling = b->x + 5,
                            .Mx = a->Mx,
                            .h = a->h,
                            .force = a->force,
                            .g = a->g,
                            .Wx = a->Wx,
                            .w_hat = a->w_hat,
                            .g_bias = a->g_bias,
                            .Hx = a->Hx,
                            .slip_motion = a->slip_motion,
                            .slip_bias = a->slip_bias,
                            .f = a->f,
                            .Bx = a->Bx,
                            .b_hat = a->b_hat,
                            .b_bias = a->b_bias,
                            .Ax = a->Ax,
                            .a_hat = a->a_hat,
                            .a_bias = a->a_bias,
                            .kinetic = a->kinetic,
                            .potential = a->potential,
                            .power = a->power,
                            .guard = a->guard,
                            .event = a->event,
                            .event_if = a->event_if};
}

/* By the name in the file. */
static double *find(answers *a, const char *name)
{
    const struct {
        const char *name;
        double *values;
    } fields[] = {
        {"Mx", a->Mx},
        {"h", a->h},
        {"force", a->force},
        {"g", a->g},
        {"Wx", a->Wx},
        {"w_hat", a->w_hat},
        {"g_bias", a->g_bias},
        {"Hx", a->Hx},
        {"slip_motion", a->slip_motion},
        {"slip_bias", a->slip_bias},
        {"f", a->f},
        {"Bx", a->Bx},
        {"b_hat", a->b_hat},
        {"b_bias", a->b_bias},
        {"Ax", a->Ax},
        {"a_hat", a->a_hat},
        {"a_bias", a->a_bias},
        {"kinetic", a->kinetic},
        {"potential", a->potential},
        {"power", a->power},
        {"event", a->event},
        {"event_if", a->event_if},
        {"reset_x", a->q},
        {"reset_v", a->u + 1},
    };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (strcmp(fields[k].name, name) == 0)
            return fields[k].values;
    fail();
    return NULL;
}

static void start(const double *point, const carom_system *system, carom_arena *arena,
                  carom_state *state)
{
    carom_error error = {0};
    check_ok(carom_state_create(system, arena, state, &error), &error);
    memcpy(state->q, point, 2 * sizeof(double));
    memcpy(state->u, point + 2, 2 * sizeof(double));
    state->t = point[4];
}

static void differentiate(const block *b, carom_system *system, answers *a)
{
    carom_arena *arena;
    carom_state state;
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    start(b->point, system, arena, &state);
    const double *d = b->direction;
    const carom_directions along = {.k = 1, .t = d + 4, .q = d, .u = d + 2, .parameters = d + 5};
    check_ok(carom_system_differentiate(system, everything, &state, &along, &error), &error);
    carom_tangents wanted = ask(b, a);
    carom_system_tangents(system, &wanted);
    memcpy(a->q, d, 2 * sizeof(double));
    memcpy(a->u, d + 2, 2 * sizeof(double));
    carom_system_reset_tangents(system, 0, a->q, a->u);
    check_close(a->q[1], d[1], 0); /* not set: goes on as before */
    check_close(a->u[0], d[2], 0);
    check_close(a->guard[0], a->event_if[0], 0);
    carom_arena_destroy(arena);
}

static void read_numbers(const char *text, double *values, int count)
{
    char *end = (char *)(uintptr_t)text;
    for (int k = 0; k < count; k++)
        values[k] = strtod(end, &end);
}

typedef void (*on_block)(const block *b, void *self);
typedef void (*on_reference)(const block *b, const char *name, int index, double value,
                             double scale, void *self);

static int read_file(on_block each, on_reference compare, void *self)
{
    FILE *file = fopen(CAROM_SOURCE_DIR "/tests/system/references.txt", "r");
    assert_non_null(file);
    static block b;
    char line[1024], name[32];
    int blocks = 0, index;
    double value, scale;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == 'P') {
            read_numbers(line + 2, b.point, 7);
        } else if (line[0] == 'D') {
            read_numbers(line + 2, b.direction, 7);
        } else if (line[0] == 'X') {
            read_numbers(line + 2, b.x, 6);
            blocks++;
            each(&b, self);
        } else if (line[0] == '=') {
            assert_int_equal(sscanf(line + 2, "%31s %d %lf %lf", name, &index, &value, &scale), 4);
            if (compare)
                compare(&b, name, index, value, scale, self);
        } else {
            snprintf(b.formulas[(unsigned char)line[0]], sizeof b.formulas[0], "%s", line + 2);
        }
    }
    fclose(file);
    return blocks;
}

typedef struct comparison {
    answers a;
    int count;
    double worst;
} comparison;

static void compute(const block *b, void *self)
{
    comparison *c = self;
    carom_system *system = make(b, b->point + 5, true);
    differentiate(b, system, &c->a);
    carom_system_destroy(system);
}

static void compare_one(const block *b, const char *name, int index, double value, double scale,
                        void *self)
{
    comparison *c = self;
    double error = fabs(find(&c->a, name)[index] - value) / fmax(scale, DBL_MIN);
    if (!(error <= 1e-13))
        print_error("%s %d of T = %s: %.17g, expected %.17g\n", name, index, b->formulas['T'],
                    find(&c->a, name)[index], value);
    check_close(error, 0, 1e-13);
    c->worst = fmax(c->worst, error);
    c->count++;
}

static void test_references(void **unused)
{
    (void)unused;
    static comparison c;
    assert_true(read_file(compute, compare_one, &c) >= 25);
    print_message("%d numbers, worst error %.2g\n", c.count, c.worst);
    assert_true(c.count >= 600);
}

/* Several directions at once are the single ones, to the last bit; a system that forgot its
 * parameters has the same derivatives by the state. The values of a system with parameters kept
 * are those of one without, to the last bit. */
static void compare_ways(const block *b, void *self)
{
    (void)self;
    carom_system *kept = make(b, b->point + 5, true), *plain = make(b, b->point + 5, false);
    carom_arena *arena;
    carom_state state[2];
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    static answers one, all, other;
    double q[2 * MOST], u[2 * MOST], t[MOST], parameters[2 * MOST];
    for (int j = 0; j < MOST; j++)
        for (int i = 0; i < 7; i++) {
            double d = sin(1 + i + 7. * j) * b->direction[i];
            *(i < 2   ? &q[i + 2 * j]
              : i < 4 ? &u[i - 2 + 2 * j]
              : i < 5 ? &t[j]
                      : &parameters[i - 5 + 2 * j]) = d;
        }
    start(b->point, kept, arena, &state[0]);
    start(b->point, plain, arena, &state[1]);
    const carom_directions many = {MOST, t, q, u, parameters};
    check_ok(carom_system_differentiate(kept, everything, &state[0], &many, &error), &error);
    carom_tangents wanted = ask(b, &all);
    carom_system_tangents(kept, &wanted);
    for (int j = 0; j < MOST; j++) {
        const carom_directions single = {1, t + j, q + 2 * j, u + 2 * j, parameters + 2 * j};
        check_ok(carom_system_differentiate(kept, everything, &state[0], &single, &error), &error);
        wanted = ask(b, &one);
        carom_system_tangents(kept, &wanted);
        assert_memory_equal(one.Mx, all.Mx + 2 * j, 2 * sizeof(double));
        assert_memory_equal(one.h, all.h + 2 * j, 2 * sizeof(double));
        assert_memory_equal(one.force, all.force + 2 * j, 2 * sizeof(double));
        assert_memory_equal(one.g_bias, all.g_bias + j, sizeof(double));
        assert_memory_equal(one.event, all.event + j, sizeof(double));
    }
    const carom_directions by_state = {1, t, q, u, NULL};
    check_ok(carom_system_differentiate(kept, everything, &state[0], &by_state, &error), &error);
    wanted = ask(b, &one);
    carom_system_tangents(kept, &wanted);
    check_ok(carom_system_differentiate(plain, everything, &state[1], &by_state, &error), &error);
    wanted = ask(b, &other);
    carom_system_tangents(plain, &wanted);
    for (int i = 0; i < 2; i++)
        check_close(one.h[i], other.h[i], 1e-12 * (1 + fabs(one.h[i])));
    assert_int_equal(carom_system_differentiate(plain, everything, &state[1], &many, &error),
                     CAROM_ERROR_UNSUPPORTED);
    for (int k = 0; k < 2; k++)
        check_ok(carom_system_evaluate(k ? plain : kept, everything, &state[k], &error), &error);
    assert_memory_equal(state[0].h, state[1].h, 2 * sizeof(double));
    assert_memory_equal(state[0].M, state[1].M, 4 * sizeof(double));
    assert_memory_equal(state[0].g_bias, state[1].g_bias, sizeof(double));
    carom_arena_destroy(arena);
    carom_system_destroy(kept);
    carom_system_destroy(plain);
}

static void test_ways(void **unused)
{
    (void)unused;
    read_file(compare_ways, NULL, NULL);
}

/* What an event sets, its guard, and what is refused. */
static void test_reset(void **unused)
{
    (void)unused;
    const carom_source coordinates[] = {F("x"), F("y")}, kinetic = F("(x'^2 + y'^2)/2");
    const carom_named_formula sets[] = {{F("x"), F("y")}, {F("y"), F("x")}, {F("x'"), F("1/x'")}};
    const carom_event_formulas events[] = {
        {.name = F("swap"),
         .at = F("x - 1"),
         .direction = CAROM_CROSSING_UP,
         .set_count = 3,
         .sets = sets},
        {.name = F("mark"), .at = F("y'"), .guard = F("t - 2")},
    };
    carom_formulas statement = {.coordinate_count = 2,
                                .coordinates = coordinates,
                                .kinetic_count = 1,
                                .kinetic = &kinetic,
                                .event_count = 2,
                                .events = events};
    carom_system *system;
    carom_arena *arena;
    carom_state state;
    carom_error error = {0};
    double q[2], u[2], point[] = {1, 5, 4, -3, 7};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_system_formulas(&statement, NULL, &system, &error), &error);
    const carom_system_shape *z = carom_system_get_shape(system);
    assert_int_equal(z->event_count, 2);
    assert_string_equal(z->events[0].name, "swap");
    assert_true(z->events[0].resets && !z->events[0].has_guard);
    assert_true(!z->events[1].resets && z->events[1].has_guard);
    start(point, system, arena, &state);
    check_ok(carom_system_evaluate(system, CAROM_WANT_EVENTS, &state, &error), &error);
    check_close(state.event[0], 0, 0);
    check_close(state.event[1], -3, 0);
    check_close(state.event_if[0], 1, 0);
    check_close(state.event_if[1], 5, 0);
    check_ok(carom_system_reset(system, 0, &state, q, u, &error), &error);
    assert_true(q[0] == 5 && q[1] == 1 && u[0] == 0.25 && u[1] == -3); /* all from before */
    check_ok(carom_system_reset(system, 1, &state, q, u, &error), &error);
    assert_true(q[0] == 1 && q[1] == 5 && u[0] == 4 && u[1] == -3);
    state.u[0] = 0;
    assert_int_equal(carom_system_reset(system, 0, &state, q, u, &error), CAROM_ERROR_NUMERIC);
    assert_int_equal(carom_system_reset(system, 2, &state, q, u, &error), CAROM_ERROR_ARGUMENT);
    carom_system_destroy(system);
    carom_arena_destroy(arena);
    const struct {
        carom_event_formulas event;
        const char *message;
    } wrong[] = {
        {{.name = F("e"), .at = F("1 + 2")}, "never crosses zero"},
        {{.name = F("e"), .at = F("zz")}, "unknown name"},
        {{.name = F("e"), .at = F("x"), .guard = F("zz")}, "unknown name"},
        {{.name = F("e"),
          .at = F("x"),
          .set_count = 1,
          .sets = &(carom_named_formula){F("xx"), F("1")}},
         "is neither; did you mean 'x'"},
        {{.name = F("e"),
          .at = F("x"),
          .set_count = 1,
          .sets = &(carom_named_formula){F("t"), F("1")}},
         "is neither"},
        {{.name = F("e"),
          .at = F("x"),
          .set_count = 2,
          .sets = (carom_named_formula[]){{F("x"), F("1")}, {F("x"), F("1")}}},
         "twice"},
    };
    statement.event_count = 1;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        statement.events = &wrong[k].event;
        assert_int_equal(carom_system_formulas(&statement, NULL, &system, &error),
                         CAROM_ERROR_INPUT);
        if (!strstr(error.text, wrong[k].message))
            print_error("%s\n", error.text);
        assert_non_null(strstr(error.text, wrong[k].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
