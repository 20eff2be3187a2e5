/* Systems stated by formulas: what is read, what is refused and where. */
#include "check_memory.h"
#include "scene/scene_check.h"

#include <time.h>

#define SYSTEM(lines) "carom: 1\nsystem:\n" lines
#define POINT         "  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n"

/* The system evaluated at its initial state. */
static carom_state evaluate(const carom_scene_content *content, carom_arena *arena)
{
    carom_state state;
    carom_error error = {0};
    check_ok(carom_state_create(content->system, arena, &state, &error), &error);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    state.t = content->initial.t;
    memcpy(state.q, content->initial.q, (size_t)shape->nq * sizeof *state.q);
    memcpy(state.u, content->initial.u, (size_t)shape->n * sizeof *state.u);
    check_ok(carom_system_evaluate(content->system, CAROM_WANT_ALL, &state, &error), &error);
    return state;
}

static void test_rocking_block(void **unused)
{
    (void)unused;
    carom_scene *scene =
        check_scene("carom: 1\n"
                    "title: rocking block\n"
                    "parameters: {m: 1, g: 9.81, H: 2, L: 1, J: m*(H^2 + L^2)/12}\n"
                    "system:\n"
                    "  coordinates: [x, y, th]\n"
                    "  kinetic:   m/2*(x'^2 + y'^2) + J/2*th'^2\n"
                    "  potential: m*g*y\n"
                    "  forces: {x: 3*t}\n"
                    "  contacts:\n"
                    "    right: {gap: y - H/2*cos(th) + L/2*sin(th), slip: x' + (H/2*cos(th) - "
                    "L/2*sin(th))*th', restitution: 0.5, friction: 0.3}\n"
                    "    left:  {gap: y - H/2*cos(th) - L/2*sin(th), slip: x' + (H/2*cos(th) + "
                    "L/2*sin(th))*th', friction_static: inf, friction_dynamic: 0.5, law: newton}\n"
                    "  bilateral: {}\n"
                    "  permanent: {}\n"
                    "initial: {y: H/2, th: 0, y': -1, t: 2}\n"
                    "law: newton\n"
                    "run: {method: event-driven, until: 5, output: 0.01, tolerance: 1e-8}\n"
                    "draw:\n"
                    "  - {box: [x, y], size: [L, H], angle: th, color: red}\n"
                    "  - {line: [-5, 0, 5, 0], label: floor, width: 2*L, dash: true, fill: none}\n"
                    "  - {circle: [x, y], radius: L/2}\n"
                    "  - {point: [x + x', y]}\n"
                    "  - {spring: [0, 0, x, y]}\n"
                    "  - {text: [x, y], label: here}\n");
    const carom_scene_content *content = carom_scene_get(scene);
    assert_null(content->impact);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    assert_int_equal(shape->nq, 3);
    assert_int_equal(shape->p, 2);
    assert_int_equal(shape->s, 2);
    assert_string_equal(shape->contacts[1].name, "left");
    assert_true(isinf(shape->contacts[1].friction_static));
    assert_string_equal(shape->contacts[1].law->ops->name, "newton");
    check_close(content->initial.t, 2, 0);
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    carom_state state = evaluate(content, arena);
    check_vector(state.u, ((double[]){0, -1, 0}), 3, 0);
    check_vector(state.h, ((double[]){6, -9.81, 0}), 3, 1e-15);
    check_vector(state.W, ((double[]){0, 1, 0.5, 0, 1, -0.5}), 6, 1e-15);
    check_vector(state.H, ((double[]){1, 0, 1, 1, 0, 1}), 6, 1e-15);
    assert_int_equal(content->run->method, CAROM_FLOW_EVENT_DRIVEN);
    check_close(content->run->until, 5, 0);
    check_close(content->run->output, 0.01, 0);
    check_close(content->run->tolerance, 1e-8, 0);
    assert_int_equal(content->shape_count, 6);
    double values[8];
    carom_scene_shape_evaluate(scene, 0, 2, state.q, state.u, values);
    check_vector(values, ((double[]){0, 1, 1, 2, 0}), 5, 0);
    assert_string_equal(content->shapes[0].color, "red");
    carom_scene_shape_evaluate(scene, 1, 2, state.q, state.u, values);
    check_vector(values, ((double[]){-5, 0, 5, 0}), 4, 0);
    assert_string_equal(content->shapes[1].label, "floor");
    check_close(content->shapes[1].width, 2, 0);
    assert_true(content->shapes[1].dashed && content->shapes[1].hollow);
    assert_false(content->shapes[0].dashed || content->shapes[0].hollow);
    for (int k = 0; k < content->shape_count; k++) /* only the floor is placed by numbers */
        assert_int_equal(content->shapes[k].free, k != 1);
    assert_string_equal(carom_scene_shape_text(content->shapes[5].kind), "text");
    assert_int_equal(content->shapes[5].count, 2);
    carom_scene_shape_evaluate(scene, 2, 2, state.q, state.u, values);
    check_vector(values, ((double[]){0, 1, 0.5, 0}), 4, 0);
    assert_string_equal(carom_scene_shape_text(content->shapes[4].kind), "spring");
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

/* A chain in a few lines; parts that touch several blocks add up, in the order of the file. */
static void test_families(void **unused)
{
    (void)unused;
    carom_scene *scene = check_scene(
        "carom: 1\n"
        "parameters: {N: 3, m: 2, R: 0.5, k: 10}\n"
        "system:\n"
        "  coordinates: [wall]\n"
        "  kinetic: 5*wall'^2/2\n"
        "  contacts: {first: {gap: x1 - wall - R}}\n"
        "  repeat:\n"
        "    - index: i\n"
        "      from: 1\n"
        "      to: N\n"
        "      coordinates: [x$i]\n"
        "      kinetic: m/2*x$i'^2\n"
        "      forces: {x$i: -$i, wall: $i}\n"
        "      initial: {x$i: 2*R*$i, x$i': $(10*i - 1)}\n"
        "    - {index: k, from: 1, to: N - 1, potential: k/2*(x$(k+1) - x$k - 2*R)^2,\n"
        "       contacts: {c$k-$(k+1): {gap: x$(k+1) - x$k - 2*R, restitution: $k/10}},\n"
        "       draw: [{line: [x$k, 0, x$(k+1), 0], label: rod $k}]}\n"
        "  forces: {x2: 100}\n"
        "initial: {x2': 7}\n");
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    const char *coordinates[] = {"wall", "x1", "x2", "x3"};
    assert_int_equal(shape->n, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(shape->coordinates[i], coordinates[i]);
    const char *contacts[] = {"first", "c1-2", "c2-3"};
    assert_int_equal(shape->p, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(shape->contacts[i].name, contacts[i]);
    check_close(shape->contacts[2].restitution, 0.2, 1e-16);
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    carom_state state = evaluate(content, arena);
    check_vector(state.q, ((double[]){0, 1, 2, 3}), 4, 0);
    check_vector(state.u, ((double[]){0, 9, 7, 29}), 4, 0);
    check_vector(state.h, ((double[]){6, -1, 98, -3}), 4, 1e-15);
    assert_int_equal(content->shape_count, 2);
    assert_string_equal(content->shapes[1].label, "rod 2");
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
}

static void test_thousand_balls(void **unused)
{
    (void)unused;
    clock_t start = clock();
    carom_scene *scene = check_scene(
        "carom: 1\n"
        "parameters: {N: 1000, m: 1, R: 0.5}\n"
        "system:\n"
        "  repeat:\n"
        "    - {index: i, from: 1, to: N, coordinates: [x$i], kinetic: m/2*x$i'^2,\n"
        "       initial: {x$i: 2*R*$i}, draw: [{circle: [x$i, 0], radius: R}]}\n"
        "    - {index: i, from: 1, to: N-1, contacts: {c$i: {gap: x$(i+1) - x$i - 2*R}}}\n"
        "initial: {x1': 1}\n");
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 1);
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(scene)->system);
    assert_int_equal(shape->n, 1000);
    assert_int_equal(shape->p, 999);
    assert_true(shape->mass_is_diagonal);
    carom_scene_destroy(scene);
}

static void test_rigid_body(void **unused)
{
    (void)unused;
    carom_scene *scene = check_scene(
        "carom: 1\nparameters: {g: 9.81}\n"
        "system:\n"
        "  rigid_body: {mass: 2, inertia: [1, 2, 2.5], point: [0, 0, -1], normal: [0, 0, 1],\n"
        "               offset: 0.5, gravity: [0, 0, -g]}\n"
        "  contacts: {floor: {restitution: 0.5, friction: 0.3}}\n"
        "initial: {z: 1.5, qw: 2, z': -1, wx: 3}\n"
        "draw: [{point: [x, z]}]\n");
    const carom_scene_content *content = carom_scene_get(scene);
    const carom_system_shape *shape = carom_system_get_shape(content->system);
    assert_int_equal(shape->nq, 7);
    assert_int_equal(shape->n, 6);
    assert_string_equal(shape->contacts[0].name, "floor");
    assert_int_equal(shape->contacts[0].slip_count, 2);
    check_vector(content->initial.q, ((double[]){0, 0, 1.5, 1, 0, 0, 0}), 7, 0);
    check_vector(content->initial.u, ((double[]){0, 0, -1, 3, 0, 0}), 6, 0);
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    carom_state state = evaluate(content, arena);
    check_close(state.g[0], 0, 1e-15);
    double values[2];
    carom_scene_shape_evaluate(scene, 0, 0, state.q, state.u, values);
    check_vector(values, ((double[]){0, 1.5}), 2, 0);
    carom_arena_destroy(arena);
    carom_scene_destroy(scene);
    static const refusal cases[] = {
        {SYSTEM("  rigid_body: {inertia: [1, 1, 1]}\n"), 3, 15, "lacks `mass`"},
        {SYSTEM("  rigid_body: {mass: 1, inertia: [1, 0, 1]}\n"), 3, 38, "greater than 0"},
        {SYSTEM("  rigid_body: {mass: 1, inertia: [1, 1]}\n"), 3, 34, "2 numbers"},
        {SYSTEM("  rigid_body: {mass: 1, inertia: [1, 1, 1], normal: [0, 0, 0]}\n"), 3, 53, "zero"},
        {SYSTEM("  rigid_body: {mass: 1, inertia: [1, 1, 1]}\n  kinetic: 1\n"), 4, 3,
         "unknown key `kinetic`"},
        {SYSTEM("  rigid_body: {mass: 1, inertia: [1, 1, 1]}\ninitial: {qw: 0}\n"), 4, 10,
         "quaternion"},
    };
    check_refusals(cases);
}

static void test_refusals(void **unused)
{
    (void)unused;
    static const refusal cases[] = {
        {"carom: 1\nsystem: []\n", 2, 9, "must be a map"},
        {SYSTEM("  coordinates: [x]\n  kinetic: x'^2\n  contacts: {\"a\\nb\": {gap: x}}\n"), 5, 14,
         "a name in contacts holds a line break or a tab"},
        {SYSTEM("  kinetic: 1\n"), 3, 3, "lacks `coordinates`"},
        {SYSTEM("  coordinates: [x]\n"), 3, 3, "lacks `kinetic`"},
        {SYSTEM("  coordinates: [x, x]\n  kinetic: x'^2\n"), 3, 20, "x"},
        {SYSTEM("  coordinates: [x, sin]\n  kinetic: x'^2\n"), 3, 20, "sin"},
        {SYSTEM("  coordinates: [x, t]\n  kinetic: x'^2\n"), 3, 20, "t"},
        {SYSTEM("  coordinates: [x, 1a]\n  kinetic: x'^2\n"), 3, 20, "1a"},
        {SYSTEM("  coordinates: x\n  kinetic: x'^2\n"), 3, 16, "must be a list"},
        {"carom: 1\nparameters: {x: 1}\nsystem: {coordinates: [x], kinetic: x'^2}\n", 3, 24, "x"},
        {SYSTEM(POINT "  kinetik: 1\n"), 5, 3, "did you mean `kinetic`"},
        {SYSTEM(POINT "  potential: 9.81*yy\n"), 5, 19, "yy"},
        {SYSTEM(POINT "  forces: {z: 1}\n"), 5, 12, "z"},
        {SYSTEM(POINT "  forces: {x: atan2(y, x)}\n"), 5, 24,
         "unknown key `x)`: in { } a comma ends a value, so quote the formula: x: \"atan2(y, x)\""},
        {SYSTEM(POINT "  contacts: {a: {gap: atan2(y, x)}}\n"), 5, 32, "unknown key `x)`"},
        {SYSTEM(POINT "  contacts: {a: {gap: if(x > 0, y, max(x, y)), slip: x'}}\n"), 5, 33,
         "unknown key `y`: in { } a comma ends a value, so quote the formula: gap: "
         "\"if(x > 0, y, max(x, y))\""},
        {SYSTEM(POINT "  contacts: {a: {gap: atan2(y, x), slip: max(x', x)}}\n"), 5, 32,
         "unknown key `x)`"},
        {SYSTEM(POINT "  contacts: {a: {gap:y}}\n"), 5, 18,
         "`gap:y` is one word: leave a blank after the colon, `gap: y`"},
        {SYSTEM(POINT "  contacts: {a: {slip: x'}}\n"), 5, 17, "contact `a` lacks `gap`"},
        {SYSTEM(POINT "  contacts: {a: {gap: y, gpa: 1}}\n"), 5, 26, "did you mean `gap`"},
        {SYSTEM(POINT "  contacts: {a: {gap: y + x'}}\n"), 5, 27, ""},
        {SYSTEM(POINT "  contacts: {a: {gap: y, slip: [x', y', x']}}\n"), 5, 32, "3 formulas"},
        {SYSTEM(POINT "  contacts: {a: {gap: y, restitution: x}}\n"), 5, 39, ""},
        {SYSTEM(POINT "  contacts: [{gap: y}]\n"), 5, 13, "must be a map"},
        {SYSTEM(POINT "  contacts: {a: y}\n"), 5, 17, "must be a map"},
        {SYSTEM(POINT "  contacts: {a: {gap: \"y + \\x24\"}}\n"), 5, 28, ""},
        {SYSTEM(POINT "  contacts: {a: {gap: 'y - x'' + $'}}\n"), 5, 34, ""},
        {SYSTEM(POINT) "initial: {z: 1}\n", 5, 11, "`z` is no coordinate"},
        {SYSTEM(POINT) "initial: {x: y}\n", 5, 14, "y"},
        {SYSTEM(POINT) "initial: {x: 1, x'': 1}\n", 5, 17, "did you mean `x'`"},
        {SYSTEM(POINT) "initial: [1]\n", 5, 10, "must be a map"},
    };
    check_refusals(cases);
    /* The line only: which operation is blamed is the formulas' business. */
    static const char *const lines[] = {
        SYSTEM(POINT "  potential: 9.81*y'\n"),
        SYSTEM(POINT "  contacts: {a: {gap: y, slip: x'^2}}\n"),
        SYSTEM(POINT "  bilateral: {b: x'}\n"),
        SYSTEM(POINT "  permanent: {b: x'*y'}\n"),
    };
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        carom_scene *scene = NULL;
        carom_error error = {0};
        assert_int_equal(carom_scene_read_text(lines[k], strlen(lines[k]), NULL, &scene, &error),
                         CAROM_ERROR_INPUT);
        assert_int_equal(error.line, 5);
        assert_true(error.column >= 14);
    }
}

static void test_repeat_refusals(void **unused)
{
    (void)unused;
#define BLOCK(lines) SYSTEM(POINT "  repeat:\n    - {index: i, from: 1, to: 3, " lines "}\n")
    static const refusal cases[] = {
        {SYSTEM(POINT "  repeat: {index: i}\n"), 5, 11, "must be a list"},
        {SYSTEM(POINT "  repeat: [{from: 1, to: 2}]\n"), 5, 12, "lacks `index`"},
        {SYSTEM(POINT "  repeat: [{index: i, to: 2}]\n"), 5, 12, "lacks `from`"},
        {SYSTEM(POINT "  repeat: [{index: i, from: 1.5, to: 2}]\n"), 5, 29, "whole number"},
        {SYSTEM(POINT "  repeat: [{index: i, from: 1, to: 1e9}]\n"), 5, 12, "at most 10000"},
        {SYSTEM(POINT "  repeat: [{index: 1, from: 1, to: 2}]\n"), 5, 20, "not a name"},
        {SYSTEM(POINT "  repeat: [{index: i, from: 1, to: 2, law: newton}]\n"), 5, 39,
         "unknown key `law`"},
        {BLOCK("coordinates: [x]"), 6, 48, "(repeated, i = 1)"},
        {BLOCK("coordinates: [a$j]"), 6, 49, "`$j`: there is no such index"},
        {BLOCK("coordinates: [a$i], kinetic: a$(i+1)'^2"), 6, 63, "a4"},
        {BLOCK("coordinates: [a$i], kinetic: 'a$(i + 1)''^2'"), 6, 64, "(repeated, i = 3)"},
        {BLOCK("potential: x + $(i/2)"), 6, 49, "`$(i/2)`: the division has a remainder"},
        {BLOCK("potential: x + $(i-3)*$(2 % (i-1))"), 6, 56, "it divides by 0"},
        {BLOCK("potential: x$(i-2)"), 6, 46, "negative"},
        {BLOCK("potential: $(i"), 6, 45, "parenthesis is missing"},
        {BLOCK("potential: x + $"), 6, 49, "`$` is followed by"},
        {BLOCK("potential: $(99999999999)"), 6, 45, "too large"},
        {BLOCK("potential: $(z)"), 6, 45, "only indices and parameters"},
        {BLOCK("potential: y*$i + sin(zz$i)"), 6, 56, "(repeated, i = 1)"},
        {BLOCK("contacts: {c: {gap: y}}"), 6, 45, "two contacts are called `c`"},
        {BLOCK("contacts: {c$i: {gap: y, restitution: $i/2}}"), 6, 72,
         "restitution is 1.5, allowed is 0 to 1"},
        {BLOCK("initial: {q$i: 1}"), 6, 44, "`q1` is no coordinate"},
        {BLOCK("draw: [{circle: [x, zz$i], radius: 1}]"), 6, 54, "(repeated, i = 1)"},
    };
    check_refusals(cases);
    /* A round that is empty, a negative index outside a name, a comment on `$` outside repeat. */
    carom_scene_destroy(
        check_scene(SYSTEM(POINT "  repeat: [{index: i, from: 1, to: 0, coordinates: [a$i]}]\n")));
    carom_scene_destroy(check_scene(
        SYSTEM(POINT "  repeat: [{index: i, from: -2, to: 2, potential: x*$i^2 - $(i*-1)}]\n")));
}

/* Errors that only a state shows keep their place, repeated or not. */
static void test_places_at_a_state(void **unused)
{
    (void)unused;
    static const refusal cases[] = {
        {SYSTEM("  coordinates: [x, y]\n  kinetic: x'^2/2 + x'*y' +\n    y'^2/2\n"), 4, 0,
         "positive definite"},
        {SYSTEM(POINT "  repeat:\n    - {index: i, from: 1, to: 2, contacts: {c$i: "
                      "{gap: 'y^2*$(i + 0)'}}}\n"),
         6, 0, "c1"},
    };
    for (int k = 0; k < 2; k++) {
        carom_scene *scene = check_scene(cases[k].text);
        const carom_scene_content *content = carom_scene_get(scene);
        carom_arena *arena;
        carom_state state;
        carom_error error = {0};
        check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
        check_ok(carom_state_create(content->system, arena, &state, NULL), NULL);
        assert_int_equal(carom_system_check(content->system, 1e-9, arena, &state, &error),
                         CAROM_ERROR_INPUT);
        assert_non_null(strstr(error.text, cases[k].message));
        assert_int_equal(error.line, cases[k].line);
        assert_true(error.column > 5);
        carom_arena_destroy(arena);
        carom_scene_destroy(scene);
    }
}

static void test_run(void **unused)
{
    (void)unused;
#define RUN(text) SYSTEM(POINT) "run: {" text "}\n"
    static const refusal cases[] = {
        {RUN("output: 1"), 5, 6, "lacks `until`"},
        {RUN("until: 1, method: event"), 5, 25, "allowed: event-driven"},
        {RUN("until: 1, method: time-steping"), 5, 25, "did you mean `time-stepping`"},
        {RUN("until: 1, method: time-stepping"), 5, 6, "lacks `step`"},
        {RUN("until: 1, method: time-stepping, step: 0"), 5, 46, "greater than 0"},
        {RUN("until: 1, method: time-stepping, step: 1, theta: 2"), 5, 56, "allowed is 0 to 1"},
        {RUN("until: 1, method: time-stepping, step: 1, scheme: euler"), 5, 57, "moreau-jean"},
        {RUN("until: 1, method: boundary-layer"), 5, 6, "lacks `width`"},
        {RUN("until: inf"), 5, 14, "finite"},
        {RUN("until: -1"), 5, 14, "before the initial time"},
        {RUN("until: 1, output: 0"), 5, 25, "greater than 0"},
        {RUN("until: 1, tolerance: 1"), 5, 28, "allowed is"},
        {RUN("until: 1, outptu: 1"), 5, 17, "did you mean `output`"},
    };
    check_refusals(cases);
    carom_scene *scene =
        check_scene(RUN("until: 1, method: time-stepping, step: 1e-3, theta: 1, activation: 0, "
                        "scheme: schatzman-paoli, tolerance: 1e-9"));
    const carom_scene_content *content = carom_scene_get(scene);
    assert_int_equal(content->run->method, CAROM_FLOW_TIME_STEPPING);
    assert_int_equal(content->run->scheme, CAROM_FLOW_SCHATZMAN_PAOLI);
    check_close(content->run->step, 1e-3, 0);
    check_close(content->run->theta, 1, 0);
    check_close(content->run->activation, 0, 0);
    assert_int_equal(content->note_count, 1);
    assert_non_null(strstr(content->notes[0].text, "`tolerance` is not used"));
    carom_scene_destroy(scene);
    scene = check_scene(RUN("until: 1, method: boundary-layer, width: 1e-3, stiffness: 2, "
                            "damping: 0.5"));
    content = carom_scene_get(scene);
    check_close(content->run->width, 1e-3, 0);
    check_close(content->run->stiffness, 2, 0);
    check_close(content->run->damping, 0.5, 0);
    carom_scene_destroy(scene);
}

static void test_draw_refusals(void **unused)
{
    (void)unused;
#define DRAW(text) SYSTEM(POINT) "draw: [" text "]\n"
    static const refusal cases[] = {
        {SYSTEM(POINT) "draw: {}\n", 5, 7, "must be a list"},
        {DRAW("{disc: [x, y]}"), 5, 8, "circle, box, line, point, spring or text"},
        {DRAW("{point: [x, y], fill: red}"), 5, 30, "only be `none`"},
        {DRAW("{box: [x, y], size: [1, 1], dash: 3}"), 5, 42, "only be `true`"},
        {DRAW("{line: [0, 0, x, y], width: 0}"), 5, 36, "above 0"},
        {DRAW("{line: [0, 0, x, y], width: x}"), 5, 36, "above 0"},
        {DRAW("{text: [x, y]}"), 5, 8, "needs a `label`"},
        {DRAW("{circle: [x, y]}"), 5, 8, "lacks `radius`"},
        {DRAW("{circle: [x], radius: 1}"), 5, 17, "it must have 2"},
        {DRAW("{circle: [x, y], radius: 1, size: 2}"), 5, 36, "unknown key `size`"},
        {DRAW("{box: [x, y]}"), 5, 8, "lacks `size`"},
        {DRAW("{line: [x, y, 1]}"), 5, 15, "4 or more"},
        {DRAW("{point: [x, atan2(y, x)]}"), 5, 16, "quote a formula"},
        {DRAW("{point: [x, zz]}"), 5, 20, "zz"},
        {DRAW("circle"), 5, 8, "must be a map"},
    };
    check_refusals(cases);
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    const char *text =
        "carom: 1\n"
        "parameters: {N: 30, m: 1, R: 0.5}\n"
        "system:\n"
        "  repeat:\n"
        "    - {index: i, from: 1, to: N, coordinates: [x$i], kinetic: m/2*x$i'^2,\n"
        "       initial: {x$i: 2*R*$i}, draw: [{circle: [x$i, 0], radius: R, label: $i}]}\n"
        "    - {index: i, from: 1, to: N-1, contacts: {c$i: {gap: x$(i+1) - x$i - 2*R,\n"
        "       friction: 1}}}\n"
        "initial: {x1': 1}\n"
        "run: {until: 1}\n";
    for (int fail_at = 0;; fail_at++) {
        check_memory c = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_scene_options options = {.allocator = &allocator};
        carom_scene *scene = NULL;
        carom_error error = {0};
        carom_status status = carom_scene_read_text(text, strlen(text), &options, &scene, &error);
        if (status == CAROM_OK) {
            assert_true(fail_at > 10);
            carom_scene_destroy(scene);
            assert_int_equal(c.live, 0);
            break;
        }
        if (status != CAROM_ERROR_MEMORY || c.live)
            print_error("allocation %d: status %d, %s, %d left\n", fail_at, (int)status, error.text,
                        c.live);
        assert_int_equal(status, CAROM_ERROR_MEMORY);
        assert_null(scene);
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rocking_block),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_thousand_balls),
        cmocka_unit_test(test_rigid_body),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_repeat_refusals),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_draw_refusals),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_places_at_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
