/* Say it once: `define`, d( ), repeat in repeat; what they mean and what is refused where. */
#include "check_memory.h"
#include "scene_check.h"

#include <time.h>

#define SYSTEM(lines) "carom: 1\nsystem:\n" lines
#define PENDULUM(define, kinetic, potential, contacts)                                             \
    "carom: 1\nparameters: {l: 0.7, m: 1.2, g: 9.81, w: 0.4, d: 0.25}\n" define                    \
    "system:\n  coordinates: [a, b]\n  kinetic: " kinetic "\n  potential: " potential              \
    "\n  contacts:\n" contacts "initial: {a: 0.3, b: -0.8, a': 1.5, b': -2, t: 0.6}\n"

/* All of two systems at their starts. */
static void compare_systems(const carom_scene *one, const carom_scene *other)
{
    const carom_scene *scenes[] = {one, other};
    carom_arena *arena;
    carom_state states[2];
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    for (int k = 0; k < 2; k++) {
        const carom_scene_content *c = carom_scene_get(scenes[k]);
        const carom_system_shape *z = carom_system_get_shape(c->system);
        check_ok(carom_state_create(c->system, arena, &states[k], &error), &error);
        states[k].t = c->initial.t;
        memcpy(states[k].q, c->initial.q, (size_t)z->nq * sizeof(double));
        memcpy(states[k].u, c->initial.u, (size_t)z->n * sizeof(double));
        check_ok(carom_system_evaluate(c->system, CAROM_WANT_ALL, &states[k], &error), &error);
    }
    const carom_system_shape *z = carom_system_get_shape(carom_scene_get(one)->system);
    const carom_state *a = &states[0], *b = &states[1];
    const struct {
        const double *a, *b;
        int count;
    } parts[] = {
        {a->M, b->M, z->mass_is_diagonal ? z->n : z->n * z->n},
        {a->h, b->h, z->n},
        {a->g, b->g, z->p},
        {a->W, b->W, z->n * z->p},
        {a->w_hat, b->w_hat, z->p},
        {a->g_bias, b->g_bias, z->p},
        {a->H, b->H, z->n * z->s},
        {a->slip_motion, b->slip_motion, z->s},
        {a->slip_bias, b->slip_bias, z->s},
        {&a->power, &b->power, 1},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        for (int i = 0; i < parts[k].count; i++)
            check_close(parts[k].a[i], parts[k].b[i], 1e-14 * (1 + fabs(parts[k].a[i])));
    carom_arena_destroy(arena);
}

/* A double pendulum against a moving wall, with names and written out. */
static void test_define(void **unused)
{
    (void)unused;
    carom_scene *with = check_scene(PENDULUM(
        "define:\n  x1: l*sin(a)\n  y1: -l*cos(a)\n  x2: x1 + l*sin(b)\n  y2: y1 - l*cos(b)\n"
        "  wall: w + d*sin(3*t)\n",
        "m/2*(d(x1)^2 + d(y1)^2 + d(x2)^2 + d(y2)^2)", "m*g*(y1 + y2)",
        "    tip: {gap: wall - x2, slip: d(y2), friction: 0.2}\n"
        "    knee: {gap: wall - x1, slip: d(y1 + d*t)}\n"));
    carom_scene *without = check_scene(PENDULUM(
        "", "m/2*(l^2*a'^2 + (l*cos(a)*a' + l*cos(b)*b')^2 + (l*sin(a)*a' + l*sin(b)*b')^2)",
        "-m*g*l*(2*cos(a) + cos(b))",
        "    tip: {gap: w + d*sin(3*t) - l*sin(a) - l*sin(b), slip: l*(sin(a)*a' + sin(b)*b'), "
        "friction: 0.2}\n"
        "    knee: {gap: w + d*sin(3*t) - l*sin(a), slip: l*sin(a)*a' + d}\n"));
    compare_systems(with, without);
    carom_scene_destroy(with);
    carom_scene_destroy(without);
}

/* Definitions in rounds, in `initial` and in `draw`; those before a round are visible in it. */
static void test_define_in_rounds(void **unused)
{
    (void)unused;
    carom_scene *scene =
        check_scene("carom: 1\n"
                    "parameters: {N: 4, l: 0.5}\n"
                    "define: {x0: 0, y0: 0, half: l/2}\n"
                    "system:\n"
                    "  repeat:\n"
                    "    - index: i\n"
                    "      from: 1\n"
                    "      to: N\n"
                    "      coordinates: [a$i]\n"
                    "      define: {x$i: x$(i-1) + l*sin(a$i), y$i: y$(i-1) - l*cos(a$i)}\n"
                    "      kinetic: (d(x$i)^2 + d(y$i)^2)/2\n"
                    "      potential: 9.81*y$i\n"
                    "      initial: {a$i: half*$i}\n"
                    "      draw: [{line: [x$(i-1), y$(i-1), x$i, y$i]}, {circle: [x$i, y$i], "
                    "radius: half/10}]\n"
                    "initial: {a4: half + a3, a4': 2*a1}\n");
    const carom_scene_content *c = carom_scene_get(scene);
    assert_int_equal(c->shape_count, 8);
    check_close(c->initial.q[2], 0.75, 0);
    check_close(c->initial.q[3], 1.0, 0);
    check_close(c->initial.u[3], 0.5, 0);
    double values[4], x = 0;
    carom_scene_shape_evaluate(scene, 6, 0, c->initial.q, c->initial.u, values);
    for (int i = 0; i < 4; i++)
        x += 0.5 * sin(c->initial.q[i]);
    check_close(values[2], x, 1e-15);
    carom_scene_destroy(scene);
    /* beside an impact, definitions are of parameters */
    scene = check_scene("carom: 1\nparameters: {m: 2}\ndefine: {M: 3*m}\n"
                        "impact: {mass: [M], velocity: [-1], contacts: [{normal: [1]}]}\n");
    check_close(carom_scene_get(scene)->impact->M[0], 6, 0);
    carom_scene_destroy(scene);
}

/* All pairs, in the order of the file; `from` above `to` makes no copies. */
static void test_pairs(void **unused)
{
    (void)unused;
    carom_scene *scene = check_scene(
        SYSTEM("  repeat:\n"
               "    - index: i\n"
               "      from: 1\n"
               "      to: 4\n"
               "      coordinates: [x$i]\n"
               "      kinetic: x$i'^2/2\n"
               "      repeat:\n"
               "        - {index: j, from: i+1, to: 4, contacts: {p$(i)_$j: {gap: x$j - x$i}}}\n"
               "      contacts: {w$i: {gap: x$i + $i}}\n"
               "    - {index: e, from: 2, to: 1, contacts: {never: {gap: nothing}}}\n"));
    static const char *const names[] = {"p1_2", "p1_3", "p1_4", "w1", "p2_3",
                                        "p2_4", "w2",   "p3_4", "w3", "w4"};
    const carom_system_shape *z = carom_system_get_shape(carom_scene_get(scene)->system);
    assert_int_equal(z->p, 10);
    for (int i = 0; i < z->p; i++)
        assert_string_equal(z->contacts[i].name, names[i]);
    carom_scene_destroy(scene);
    /* three deep, with whole arithmetic of outer indices in bounds and texts */
    scene = check_scene(
        SYSTEM("  coordinates: [x]\n  kinetic: x'^2\n"
               "  repeat:\n"
               "    - index: i\n"
               "      from: 1\n"
               "      to: 3\n"
               "      repeat:\n"
               "        - index: j\n"
               "          from: max(i, 2)\n"
               "          to: 2e0*i - $i + $(i%2)\n"
               "          repeat:\n"
               "            - {index: k, from: i-j, to: -(j - i), contacts: {c$(i)_$(j)_$(k+i*j): "
               "{gap: 'x + $(i*100 + j*10 + k)'}}}\n"));
    z = carom_system_get_shape(carom_scene_get(scene)->system);
    static const char *const deep[] = {"c1_2_1", "c2_2_4", "c3_3_9", "c3_4_11"};
    assert_int_equal(z->p, 4);
    for (int i = 0; i < z->p; i++)
        assert_string_equal(z->contacts[i].name, deep[i]);
    carom_scene_destroy(scene);
}

#define BALLS(n)                                                                                   \
    "carom: 1\nparameters: {N: " #n ", R: 0.03}\n"                                                 \
    "system:\n  repeat:\n    - index: i\n      from: 1\n      to: N\n"                             \
    "      coordinates: [x$i, y$i]\n      kinetic: (x$i'^2 + y$i'^2)/2\n"                          \
    "      repeat:\n        - index: j\n          from: i+1\n          to: N\n"                    \
    "          contacts:\n"                                                                        \
    "            b$(i)_$j: {gap: sqrt((x$i - x$j)^2 + (y$i - y$j)^2) - 2*R}\n"

typedef struct meter {
    size_t live, peak;
} meter;

/* An allocator that knows the most that was held. */
static void *measure(void *self, void *memory, size_t size)
{
    meter *m = self;
    size_t *block = memory ? (size_t *)memory - 2 : NULL;
    m->live -= block ? *block : 0;
    if (size == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, size + 2 * sizeof *block);
    assert_non_null(block);
    *block = size;
    m->live += size;
    m->peak = m->live > m->peak ? m->live : m->peak;
    return block + 2;
}

/* 4950 contacts are there within a second; half a million are refused at once, with their number.
 */
static void test_many(void **unused)
{
    (void)unused;
    clock_t start = clock();
    carom_scene *scene = check_scene(BALLS(100));
    assert_int_equal(carom_system_get_shape(carom_scene_get(scene)->system)->p, 4950);
    carom_scene_destroy(scene);
    assert_true((double)(clock() - start) < 1.0 * CLOCKS_PER_SEC);
    static const struct {
        const char *text, *piece;
    } cases[] = {
        {BALLS(1000), "499500 contacts of 2000 coordinates: the gradients of their gaps would fill "
                      "7.44 GiB"},
        {BALLS(1414), "the blocks make 1000405 rounds"},
        {BALLS(9000), "the blocks make 40504500 rounds"},
        {"carom: 1\nsystem:\n  repeat:\n    - index: i\n      from: 1\n      to: 1e4\n"
         "      repeat:\n        - {index: j, from: 1, to: 1e4, repeat: [{index: k, from: 1, to: "
         "1e4, "
         "contacts: {c: {gap: x}}}]}\n",
         "more than 1000000 rounds"},
    };
    for (int k = 0; k < 4; k++) {
        meter m = {0};
        carom_allocator allocator = {measure, &m};
        carom_scene_options options = {.allocator = &allocator};
        carom_error error = {0};
        start = clock();
        assert_int_equal(
            carom_scene_read_text(cases[k].text, strlen(cases[k].text), &options, &scene, &error),
            CAROM_ERROR_INPUT);
        if (!strstr(error.text, cases[k].piece))
            print_error("%s\n", error.text);
        assert_non_null(strstr(error.text, cases[k].piece));
        assert_true(m.live == 0 && m.peak < 2000000);
        assert_true((double)(clock() - start) < 1.0 * CLOCKS_PER_SEC);
    }
}

#define POINT       "  coordinates: [x, y]\n  kinetic: x'^2/2 + y'^2/2\n"
#define DEFINE(map) "carom: 1\ndefine: " map "\nsystem:\n" POINT
#define PAIRS(inner)                                                                               \
    SYSTEM(POINT "  repeat:\n    - index: i\n      from: 1\n      to: 3\n      repeat:\n"          \
                 "        - {" inner "}\n")

static void test_refusals(void **unused)
{
    (void)unused;
    static const refusal cases[] = {
        {DEFINE("[1]"), 2, 9, "define must be a map"},
        {DEFINE("{p: }"), 2, 13, "has no value"},
        {DEFINE("{p: p + 1}"), 2, 13, "'p' is defined by itself"},
        {DEFINE("{p: 2*q, q: x*p}"), 2, 15, "go round: 'p' uses 'q', 'q' uses 'p'"},
        {DEFINE("{p: 2*q, q: x}"), 2, 15, "further down"},
        {DEFINE("{p: 2*zz}"), 2, 15, "unknown name 'zz'"},
        {DEFINE("{x: y}"), 2, 10, "taken already (a coordinate)"},
        {DEFINE("{t: y}"), 2, 10, "reserved"},
        {DEFINE("{p: d(d(x))}"), 2, 15, "there is no d(d( ))"},
        {DEFINE("{v: d(x), p: 2*d(v)}"), 2, 26, "accelerations"},
        {DEFINE("{p: atan2(y, x)}"), 2, 22, "quote the formula"},
        {DEFINE("{p: x}") "  contacts: {c: {gap: y + d(x)}}\n", 6, 27, "d( ) is a velocity"},
        {DEFINE("{p: x}") "  contacts: {c: {gap: y + d(2)}}\n", 6, 27, "d( ) is a velocity"},
        {DEFINE("{v: d(x)}") "  contacts: {c: {gap: y + v}}\n", 6, 27, "a velocity cannot be used"},
        {DEFINE("{v: d(x)}") "  potential: y + d(x)\n", 6, 18, "d( ) is a velocity"},
        {DEFINE("{v: d(x)}") "  contacts: {c: {gap: y, slip: v*v}}\n", 6, 33, "linear"},
        {DEFINE("{v: d(x)}") "  contacts: {c: {gap: y, slip: v', friction: 1}}\n", 6, 33, "d(v)"},
        {DEFINE("{p: x}") "initial: {y: p}\n", 6, 14, "uses `x`, which is not given above"},
        {DEFINE("{p: x}") "initial: {y: 1, y': sqrt(p)}\n", 6, 21, "which is not given above"},
        {DEFINE("{p: sqrt(x)}") "initial: {x: -1, y: p}\n", 6, 21, "is undefined"},
        {DEFINE("{p: x}") "draw: [{point: [p, zz]}]\n", 6, 20, "unknown name"},
        {SYSTEM(POINT "  repeat: [{index: i, from: 1, to: 3, define: {p$i: x*zz}}]\n"), 5, 55,
         "(repeated, i = 1)"},
        {"carom: 1\ndefine: {p: x, d: x}\nsystem: {coordinates: [x], kinetic: x'^2/2}\n", 2, 16,
         "time derivative"},
        {SYSTEM(POINT "  repeat: [{index: i, from: 1, to: 3, define: {p: x}}]\n"), 5, 48,
         "taken already (a definition)"},
        {PAIRS("index: i, from: 1, to: 2"), 10, 19, "a block around this one"},
        {PAIRS("index: j, from: i+k, to: 2"), 10, 30, "unknown name 'k'"},
        {PAIRS("index: j, from: i/2, to: 2"), 10, 28, "from is 0.5"},
        {PAIRS("index: j, from: i/2, to: 2"), 10, 28, "(repeated, i = 1)"},
        {PAIRS("index: j, from: 1, to: 2, potential: x$k"), 10, 50, "no such index"},
        {PAIRS("index: j, from: 1, to: 2, contacts: {c$i_$j: {gap: y}}"), 10, 50, "write $(i)"},
        {PAIRS("index: j, from: 1, to: i, potential: zz$(i)_$j"), 10, 49,
         "(repeated, i = 1, j = 1)"},
        {PAIRS("index: j, from: i+1, to: 3, contacts: {c$(j-j): {gap: y}}"), 10, 51,
         "two contacts are called"},
        {PAIRS("index: j, from: 1, to: 2, repaet: []"), 10, 38, "did you mean `repeat`"},
        {PAIRS("index: j, from: 1, to: 2, repeat: 3"), 10, 46, "must be a list"},
    };
    check_refusals(cases);
}

#define WALKER                                                                                     \
    "carom: 1\nparameters: {T: 2}\nsystem:\n  coordinates: [a, b, x]\n"                            \
    "  kinetic: a'^2/2 + b'^2/2 + x'^2/2\n"                                                        \
    "  contacts:\n"                                                                                \
    "    floor: {gap: x, when: a - 1/2, at: [a, 'b + x'], toward: [0, 1]}\n"                       \
    "    wall: {gap: b + 3}\n"                                                                     \
    "  events:\n"                                                                                  \
    "    strike: {at: a - 2*b, direction: down, if: a, set: {a: -a, a': 2*a'*cos(b)}}\n"           \
    "    mark: {at: x'}\n"

/* `when`, `at`, `events`, `section`, `period`, `symmetry`, `ignore` arrive where they belong. */
static void test_instants(void **unused)
{
    (void)unused;
    carom_scene *scene = check_scene(WALKER "section: {at: strike, keep: [a, b' + 1]}\n"
                                            "period: 3*T\nsymmetry: {a: b, b: a}\nignore: [x]\n");
    const carom_scene_content *c = carom_scene_get(scene);
    const carom_system_shape *z = carom_system_get_shape(c->system);
    const double q[] = {0.5, 0.25, 2}, u[] = {1, 4, 3};
    double at[3], toward[3], kept[2];
    assert_int_equal(z->guard_count, 1);
    assert_true(z->guard[0] == 0 && z->guard[1] == -1);
    assert_int_equal(z->event_count, 2);
    assert_string_equal(z->events[0].name, "strike");
    assert_int_equal(z->events[0].direction, CAROM_CROSSING_DOWN);
    assert_true(z->events[0].has_guard && z->events[0].resets);
    assert_true(!z->events[1].has_guard && !z->events[1].resets);
    assert_int_equal(carom_scene_contact_place(scene, 0, 0, q, u, at, toward), 2);
    assert_true(at[0] == 0.5 && at[1] == 2.25 && at[2] == 0 && toward[0] == 0 && toward[1] == 1);
    assert_int_equal(carom_scene_contact_place(scene, 1, 0, q, u, at, toward), 0);
    assert_int_equal(c->section->kind, CAROM_SCENE_SECTION_EVENT);
    assert_int_equal(c->section->index, 0);
    assert_int_equal(c->section->keep_count, 2);
    assert_string_equal(c->section->keep[1], "b' + 1");
    carom_scene_section_evaluate(scene, 0, q, u, kept);
    assert_true(kept[0] == 0.5 && kept[1] == 5);
    assert_true(c->period == 6);
    assert_true(c->symmetry[0] == 1 && c->symmetry[1] == 0 && c->symmetry[2] == 2);
    assert_true(!c->ignore[0] && !c->ignore[1] && c->ignore[2]);
    carom_scene_destroy(scene);
    scene = check_scene(WALKER "section: {at: wall}\n");
    c = carom_scene_get(scene);
    assert_int_equal(c->section->kind, CAROM_SCENE_SECTION_CONTACT);
    assert_int_equal(c->section->index, 1);
    assert_true(c->period == 0 && !c->symmetry && !c->ignore);
    carom_scene_destroy(scene);
    scene = check_scene(WALKER "section: {at: b - t/4, direction: up}\n");
    c = carom_scene_get(scene);
    z = carom_system_get_shape(c->system);
    assert_int_equal(c->section->index, 2);
    assert_string_equal(z->events[2].name, "b - t/4");
    assert_int_equal(z->events[2].direction, CAROM_CROSSING_UP);
    assert_false(z->events[2].resets);
    carom_scene_destroy(scene);
}

static void test_instants_refused(void **unused)
{
    (void)unused;
    static const refusal cases[] = {
        {WALKER "section: {keep: [a]}\n", 12, 10, "section lacks `at`"},
        {WALKER "section: {at: flor}\n", 12, 15, "did you mean `floor`?"},
        {WALKER "section: {at: stirke}\n", 12, 15, "did you mean `strike`?"},
        {WALKER "section: {at: elsewhere}\n", 12, 15, "unknown name 'elsewhere'"},
        {WALKER "section: {at: T}\n", 12, 15, "never crosses zero"},
        {WALKER "section: {at: [a]}\n", 12, 15, "a contact, an event or a formula"},
        {WALKER "section: {at: floor, keep: [zz]}\n", 12, 29, "unknown name 'zz'"},
        {WALKER "section: {at: floor, keep: a}\n", 12, 28, "must be a list"},
        {WALKER "section: {at: floor, direction: left}\n", 12, 33, "allowed: both, up, down"},
        {WALKER "period: 0\n", 12, 9, "period is 0, it must be greater than 0"},
        {WALKER "period: -T\n", 12, 9, "period is -2"},
        {WALKER "period: a\n", 12, 9, "only numbers and parameters"},
        {WALKER "symmetry: {a: c, c: a}\n", 12, 15, "`c` is no coordinate"},
        {WALKER "symmetry: {a: b}\n", 12, 11, "`b` is taken by another"},
        {WALKER "symmetry: {a: b, x: b}\n", 12, 21, "two coordinates are exchanged for `b`"},
        {WALKER "symmetry: [a, b]\n", 12, 11, "must be a map"},
        {WALKER "ignore: [a']\n", 12, 10, "`a'` is no coordinate: did you mean `a`"},
        {WALKER "ignore: x\n", 12, 9, "must be a list"},
        {WALKER "    more: {at: a, set: {c: 1}}\n", 12, 25, "sets coordinates and velocities"},
        {WALKER "    more: {at: a, set: {T: 1}}\n", 12, 25, "sets coordinates and velocities"},
        {WALKER "    more: {at: a, set: {a: zz}}\n", 12, 28, "unknown name 'zz'"},
        {WALKER "    more: {at: a, set: [a]}\n", 12, 24, "must be a map"},
        {WALKER "    more: {at: T}\n", 12, 16, "never crosses zero"},
        {WALKER "    more: {set: {a: 1}}\n", 12, 11, "event `more` lacks `at`"},
        {WALKER "    more: {at: a, when: b}\n", 12, 19, "unknown key `when`"},
        {WALKER "    more: {at: a, direction: over}\n", 12, 30, "allowed: both, up, down"},
        {WALKER "    more: {at: a, if: a >}\n", 12, 25, "comparisons"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, when: zz}}\n"), 5, 32, "unknown name 'zz'"},
        {SYSTEM(POINT "  contacts: {c: {gap: y}}\n  region: some\n"), 6, 11,
         "region must be `any`"},
        {SYSTEM(POINT "  contacts: {c: {gap: y}}\n  region: [[d]]\n"), 6, 13, "is called `d`"},
        {SYSTEM(POINT "  contacts: {c: {gap: y}}\n  region: [[]]\n"), 6, 12, "is empty"},
        {SYSTEM(POINT "  region: any\n"), 5, 11, "region needs contacts"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, spread: x}}\n"), 5, 34, "must be a list"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, spread: []}}\n"), 5, 34, "spread is empty"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, spread: [x, zz]}}\n"), 5, 38, "unknown name"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, spread: [x, y']}}\n"), 5, 38, "all linear"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, spread: [x'^2]}}\n"), 5, 37, "this is neither"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, spread: [x*x', t]}}\n"), 5, 41, "this does not"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, spread: [[1]]}}\n"), 5, 35, "has 1 numbers"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, spread: [[1, x]]}}\n"), 5, 39, "only numbers"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, at: [x]}}\n"), 5, 30, "two (in the plane)"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, at: [x, zz]}}\n"), 5, 34, "unknown name 'zz'"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, toward: [0, 1]}}\n"), 5, 34, "needs `at`"},
        {SYSTEM(POINT "  contacts: {c: {gap: y, at: [x, y], toward: [0, 1, 0]}}\n"), 5, 46,
         "has 3 formulas and `at` 2"},
        {SYSTEM(POINT "  repeat: [{index: i, from: 1, to: 2, events: {e: {at: x}}}]\n"), 5, 48,
         "two events are called `e`"},
    };
    check_refusals(cases);
}

/* Memory that runs out at every request. */
static void test_out_of_memory(void **unused)
{
    (void)unused;
    static const char text[] =
        "carom: 1\ndefine: {p: x1^2}\nsystem:\n  repeat:\n    - index: i\n      from: 1\n"
        "      to: 3\n      coordinates: [x$i]\n      kinetic: x$i'^2/2\n"
        "      repeat:\n        - {index: j, from: i+1, to: 3, define: {d$(i)_$j: x$i*x$j}, "
        "contacts: {c$(i)_$j: {gap: x$j - x$i + p, slip: d(d$(i)_$j)}}}\n"
        "initial: {x1: 2, x2: p}\n";
    carom_status status = CAROM_ERROR_MEMORY;
    for (int k = 0; status != CAROM_OK; k++) {
        check_memory memory = {.fail_at = k};
        carom_allocator allocator = {check_memory_resize, &memory};
        carom_scene_options options = {.allocator = &allocator};
        carom_scene *scene = NULL;
        carom_error error = {0};
        status = carom_scene_read_text(text, strlen(text), &options, &scene, &error);
        assert_int_equal(status, status ? CAROM_ERROR_MEMORY : CAROM_OK);
        carom_scene_destroy(scene);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_define),
        cmocka_unit_test(test_define_in_rounds),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_instants),
        cmocka_unit_test(test_instants_refused),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
