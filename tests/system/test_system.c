/* Systems made of formulas against systems written in C. */
#include "carom/system.h"
#include "check.h"
#include "check_memory.h"

/* A point mass over a floor that oscillates, made from C functions. `spoil` makes one part bad. */
typedef struct ball {
    unsigned spoil;
    double bad;
    int destroyed;
} ball;

static carom_status ball_evaluate(void *self, unsigned want, carom_state *s, carom_error *error)
{
    ball *b = self;
    (void)error;
    if (want & CAROM_WANT_MASS)
        s->M[0] = s->M[3] = 2;
    if (want & CAROM_WANT_FORCES)
        s->h[1] = -2 * 9.81;
    if (want & CAROM_WANT_GAPS)
        s->g[0] = s->q[1] - 0.1 * sin(s->t);
    if (want & CAROM_WANT_NORMALS) {
        s->W[1] = 1;
        s->w_hat[0] = -0.1 * cos(s->t);
    }
    if (want & CAROM_WANT_SLIPS)
        s->H[0] = 1;
    if (want & CAROM_WANT_BIASES)
        s->g_bias[0] = 0.1 * sin(s->t);
    if (want & CAROM_WANT_ENERGY)
        s->kinetic = s->u[0] * s->u[0] + s->u[1] * s->u[1];
    if (b->spoil & CAROM_WANT_GAPS)
        s->g[0] = b->bad;
    if (b->spoil & CAROM_WANT_NORMALS)
        s->W[1] = b->bad;
    if (b->spoil & CAROM_WANT_FORCES)
        s->h[1] = b->bad;
    if (b->spoil & CAROM_WANT_MASS)
        s->M[2] = b->bad;
    if (b->spoil & CAROM_WANT_SLIPS)
        s->H[1] = b->bad;
    if (b->spoil & CAROM_WANT_ENERGY)
        s->kinetic = b->bad;
    return CAROM_OK;
}

static void ball_destroy(void *self)
{
    ((ball *)self)->destroyed++;
}

static const carom_system_ops ball_ops = {
    .name = "ball", .evaluate = ball_evaluate, .destroy = ball_destroy};

static const char *const coordinates[] = {"x", "y"};
static const char *const velocities[] = {"x'", "y'"};

static carom_system_shape shape_of(carom_contact *contact)
{
    *contact = carom_contact_default();
    contact->name = "floor";
    contact->slip_count = 1;
    return (carom_system_shape){.nq = 2,
                                .n = 2,
                                .p = 1,
                                .s = 1,
                                .kinematics_is_identity = true,
                                .coordinates = coordinates,
                                .velocities = velocities,
                                .contacts = contact};
}

static void test_evaluate(void **state)
{
    (void)state;
    ball b = {0, 0, 0};
    carom_contact contact;
    carom_system_shape shape = shape_of(&contact);
    carom_system *system;
    carom_arena *arena;
    carom_state s;
    carom_error error = {0};
    check_ok(carom_system_create(&ball_ops, &b, &shape, NULL, &system, &error), &error);
    contact.name = "changed"; /* the shape was copied */
    const carom_system_shape *kept = carom_system_get_shape(system);
    assert_string_equal(kept->contacts[0].name, "floor");
    assert_int_equal(kept->slip_start[1], 1);
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_ok(carom_state_create(system, arena, &s, &error), &error);
    assert_null(s.N);
    s.q[1] = 1;
    s.t = 2;
    check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &s, &error), &error);
    check_close(s.g[0], 1 - 0.1 * sin(2), 0);
    /* Every bad part is named, whatever it is. */
    const struct {
        unsigned part;
        const char *piece;
    } parts[] = {{CAROM_WANT_GAPS, "gap of contact 'floor'"},
                 {CAROM_WANT_NORMALS, "gradient of the gap of contact 'floor'"},
                 {CAROM_WANT_FORCES, "'y''"},
                 {CAROM_WANT_MASS, "mass matrix"},
                 {CAROM_WANT_SLIPS, "slip"},
                 {CAROM_WANT_ENERGY, "energy"}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (int kind = 0; kind < 3; kind++) {
            b.spoil = parts[k].part;
            b.bad = kind == 0 ? NAN : kind == 1 ? INFINITY : -INFINITY;
            carom_status status = carom_system_evaluate(system, CAROM_WANT_ALL, &s, &error);
            assert_int_equal(status, CAROM_ERROR_NUMERIC);
            assert_non_null(strstr(error.text, parts[k].piece));
            assert_non_null(strstr(error.text, kind ? "infinite" : "not a number"));
            /* What was not asked for is not judged. */
            b.bad = 0.5;
            check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &s, &error), &error);
        }
    b.spoil = 0;
    s.u[0] = INFINITY;
    assert_int_equal(carom_system_evaluate(system, CAROM_WANT_GAPS, &s, &error),
                     CAROM_ERROR_NUMERIC);
    assert_non_null(strstr(error.text, "x'"));
    carom_arena_destroy(arena);
    carom_system_destroy(system);
    assert_int_equal(b.destroyed, 1);
}

static void test_refuses_shapes(void **state)
{
    (void)state;
    carom_system *system = NULL;
    carom_contact contact;
    carom_error error = {0};
    for (int k = 0; k < 10; k++) {
        ball b = {0, 0, 0};
        carom_system_shape shape = shape_of(&contact);
        const int wrong_start[] = {1, 2};
        carom_system_ops ops = ball_ops;
        if (k == 0)
            shape.n = 0;
        if (k == 1)
            shape.nq = 3;
        if (k == 2)
            shape.s = 2;
        if (k == 3)
            contact.slip_count = 3;
        if (k == 4)
            shape.slip_start = wrong_start;
        if (k == 5)
            ops.evaluate = NULL;
        const int late[] = {1, 1}, one[] = {0, 1}, two[] = {0, 2}, beyond[] = {2}, fall[] = {1, 0};
        if (k == 6)
            shape.normal_pattern = (carom_pattern){late, one};
        if (k == 7)
            shape.slip_pattern = (carom_pattern){one, beyond};
        if (k == 8)
            shape.normal_pattern = (carom_pattern){two, fall};
        if (k == 9)
            shape.slip_pattern = (carom_pattern){one, NULL};
        assert_int_equal(carom_system_create(&ops, &b, &shape, NULL, &system, &error),
                         CAROM_ERROR_ARGUMENT);
        assert_true(strlen(error.text) > 10);
        assert_int_equal(b.destroyed, 0);
    }
    assert_null(system);
    carom_system_destroy(NULL);
}

/* Patterns are copied, and what they do not name is not looked at. */
static void test_patterns(void **state)
{
    (void)state;
    ball b = {0, 0, 0};
    carom_contact contact;
    carom_system_shape shape = shape_of(&contact);
    int start[] = {0, 1}, row[] = {1}, mass_start[] = {0, 1, 2}, mass_row[] = {0, 1};
    shape.normal_pattern = (carom_pattern){start, row};
    shape.mass_pattern = (carom_pattern){mass_start, mass_row};
    carom_system *system;
    carom_arena *arena;
    carom_state x;
    carom_error error = {0};
    check_ok(carom_system_create(&ball_ops, &b, &shape, NULL, &system, &error), &error);
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_state_create(system, arena, &x, &error), &error);
    start[1] = row[0] = mass_row[1] = 99; /* ours no more */
    const carom_system_shape *kept = carom_system_get_shape(system);
    assert_int_equal(kept->normal_pattern.start[1], 1);
    assert_int_equal(kept->normal_pattern.row[0], 1);
    assert_int_equal(kept->mass_pattern.row[1], 1);
    assert_null(kept->slip_pattern.start);
    check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &x, &error), &error);
    x.W[0] = NAN; /* outside, and never written */
    check_ok(carom_system_evaluate(system, CAROM_WANT_ALL, &x, &error), &error);
    b = (ball){CAROM_WANT_NORMALS, INFINITY, 0}; /* inside */
    x.W[0] = 0;
    assert_int_equal(carom_system_evaluate(system, CAROM_WANT_NORMALS, &x, &error),
                     CAROM_ERROR_NUMERIC);
    assert_non_null(strstr(error.text, "floor"));
    carom_arena_destroy(arena);
    carom_system_destroy(system);
}

/* A failing allocator: everything is given back. */
static void test_memory(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        bool done = false;
        for (int fail_at = 0; !done; fail_at++) {
            check_memory c = {.fail_at = fail_at};
            carom_allocator allocator = {check_memory_resize, &c};
            carom_contact contact;
            carom_system_shape shape = shape_of(&contact);
            const int start[] = {0, 1}, row[] = {1};
            shape.normal_pattern = shape.slip_pattern = (carom_pattern){start, row};
            carom_rigid_body body = {
                .mass = 1, .inertia = {1, 1, 1}, .normal = {0, 0, 1}, .contact = contact};
            ball b = {0, 0, 0};
            carom_system *system = NULL;
            carom_error error = {0};
            carom_status status =
                kind ? carom_system_rigid_body(&body, &allocator, &system, &error)
                     : carom_system_create(&ball_ops, &b, &shape, &allocator, &system, &error);
            done = status == CAROM_OK;
            assert_int_equal(status, done ? CAROM_OK : CAROM_ERROR_MEMORY);
            carom_system_destroy(system);
            assert_int_equal(c.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluate),
        cmocka_unit_test(test_refuses_shapes),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
