/* Impacts stated in numbers: what is read, what is refused and where. */
#include "check_memory.h"
#include "scene/scene_check.h"

/* An impact scene with the given lines after the head; the first of them is line 3. */
#define IMPACT(lines) "carom: 1\nimpact:\n" lines
#define BALLS         "  mass: [1, 2]\n  velocity: [1, 0]\n  contacts:\n"

static void test_statement(void **state)
{
    (void)state;
    carom_scene *scene = check_scene(
        "carom: 1\n"
        "title: \"all keys\"\n"
        "parameters: {m: 2, e: m/4, mu: 0.3}\n"
        "impact:\n"
        "  coordinates: [a, b, c]\n"
        "  mass: [[m, 1, 0], [1, 4, 0], [0, 0, 010]]\n"
        "  velocity: [1, -2e-05, m*3]\n"
        "  contacts:\n"
        "    - {name: first, normal: [0, 1, 0], motion: .5, restitution: e, slip: [1, 0, 0],\n"
        "       slip_motion: 2, friction: mu, tangential_restitution: 1}\n"
        "    - normal: [0, 0, 1]\n"
        "      slip: [[1, 0, 0], [0, 1, 0]]\n"
        "      slip_motion: [3, 4]\n"
        "      friction_static: inf\n"
        "      friction_dynamic: 0.2\n"
        "      stiffness: 7\n"
        "      exponent: 1\n"
        "    - {name: y, normal: [1, 0, 0], spread: [[0, 1, 0], [0, 0, 1]], law: newton}\n"
        "  bilateral: [{row: [1, 1, 1], motion: .5}]\n"
        "  permanent: [{row: [1, 1, 0], motion: 1/2}, {row: [0, 1, 1], motion: e}]\n"
        "  region: [[first, 2], [y]]\n"
        "law: newton\n");
    const carom_scene_content *content = carom_scene_get(scene);
    assert_string_equal(content->title, "all keys");
    assert_int_equal(content->parameter_count, 3);
    assert_string_equal(content->parameters[1].name, "e");
    check_close(content->parameters[1].value, 0.5, 0);
    assert_string_equal(content->law->ops->name, "newton");
    const carom_impact *x = content->impact;
    assert_int_equal(x->n, 3);
    assert_int_equal(x->p, 3);
    assert_false(x->mass_is_diagonal);
    check_vector(x->M, ((double[]){2, 1, 0, 1, 4, 0, 0, 0, 10}), 9, 0);
    check_vector(x->u, ((double[]){1, -2e-05, 6}), 3, 0);
    check_vector(x->W, ((double[]){0, 1, 0, 0, 0, 1, 1, 0, 0}), 9, 0);
    check_vector(x->w_hat, ((double[]){0.5, 0, 0}), 3, 0);
    check_vector(x->H, ((double[]){1, 0, 0, 1, 0, 0, 0, 1, 0}), 9, 0);
    check_vector(x->slip_motion, ((double[]){2, 3, 4}), 3, 0);
    check_vector(x->spread, ((double[]){0, 1, 0, 0, 0, 1}), 6, 0);
    check_vector(x->B, ((double[]){1, 1, 1}), 3, 0);
    check_vector(x->b_hat, ((double[]){0.5}), 1, 0);
    check_vector(x->A, ((double[]){1, 1, 0, 0, 1, 1}), 6, 0);
    check_vector(x->a_hat, ((double[]){0.5, 0.5}), 2, 0);
    const carom_contact *c = x->contacts;
    assert_string_equal(c[0].name, "first");
    assert_string_equal(c[1].name, "2");
    assert_string_equal(x->coordinates[2], "c");
    check_close(c[0].restitution, 0.5, 0);
    check_close(c[0].friction_static, 0.3, 0);
    check_close(c[0].friction_dynamic, 0.3, 0);
    check_close(c[0].tangential_restitution, 1, 0);
    check_close(c[0].stiffness, 1, 0);
    check_close(c[0].exponent, 1.5, 0);
    assert_true(isinf(c[1].friction_static));
    check_close(c[1].friction_dynamic, 0.2, 0);
    check_close(c[1].stiffness, 7, 0);
    check_close(c[1].exponent, 1, 0);
    assert_int_equal(c[0].slip_count, 1);
    assert_int_equal(c[1].slip_count, 2);
    assert_int_equal(c[2].slip_count, 0);
    assert_int_equal(c[2].spread_count, 2);
    assert_string_equal(c[2].law->ops->name, "newton");
    assert_int_equal(x->region->group_count, 2);
    assert_int_equal(x->region->group_start[1], 2);
    assert_int_equal(x->region->group_start[2], 3);
    assert_int_equal(x->region->group_contact[1], 1);
    assert_int_equal(x->region->group_contact[2], 2);
    assert_int_equal(content->note_count, 0);
    carom_scene_destroy(scene);
}

static void test_region_any(void **state)
{
    (void)state;
    carom_scene *scene = check_scene(
        IMPACT(BALLS "    - {normal: [1, 0]}\n    - {normal: [0, 1]}\n  region: any\n"));
    const carom_region *region = carom_scene_get(scene)->impact->region;
    assert_int_equal(region->group_count, 2);
    assert_int_equal(region->group_contact[region->group_start[1]], 1);
    carom_scene_destroy(scene);
}

/* JSON, quotes, comments, empty contacts, rounding in a symmetric matrix. */
static void test_accepted_forms(void **state)
{
    (void)state;
    carom_scene_destroy(check_scene("{\"carom\":1,\"impact\":{\"mass\":[1],\"velocity\":[-1],"
                                    "\"contacts\":[{\"normal\":[1],\"restitution\":0.5}]}}"));
    carom_scene_destroy(check_scene("\xEF\xBB\xBF"
                                    "%YAML 1.1\n---\n# a comment\ncarom: '1'\n"
                                    "impact: {mass: [1], velocity: [-1], contacts: []}\n...\n"));
    carom_scene *scene =
        check_scene("carom: 1\r\nparameters: {y: 1, n: 2, on: y, no: 2e-05, "
                    "null: +.5E+1, e: 5., E: -1E+3, i: 010, '_a1': 3}\r\nimpact:\r\n"
                    "  mass: [y, \"n\", 'on', no]\r\n"
                    "  velocity: [null, E, 'e^ 2', -i^2]\r\n"
                    "  contacts: []\r\n");
    const carom_impact *impact = carom_scene_get(scene)->impact;
    check_vector(impact->M, ((double[]){1, 2, 1, 2e-05}), 4, 0);
    check_vector(impact->u, ((double[]){5, -1000, 25, -100}), 4, 0);
    carom_scene_destroy(scene);
    scene = check_scene("carom: 1\nparameters: {a: 0.1}\nimpact: {mass: [[1, 3*a], [0.3, 1]], "
                        "velocity: [0, 0], contacts: []}\n");
    impact = carom_scene_get(scene)->impact;
    assert_true(impact->M[1] == impact->M[2]);
    carom_scene_destroy(scene);
}

static void test_mass(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {IMPACT("  mass: [1, -2]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 13,
         "not positive definite: entry 2 of its diagonal is -2"},
        {IMPACT("  mass: [0]\n  velocity: [1]\n  contacts: []\n"), 3, 10, "positive definite"},
        {IMPACT("  mass: [1]\n  velocity: [1]\n  contacts: [{name: \"a\\tb\", normal: [1]}]\n"), 5,
         21, "name holds a line break or a tab"},
        {IMPACT("  mass: [[1, 0], [0, 1, 2]]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 18,
         "not square: row 2 has 3 entries, and there are 2 rows"},
        {IMPACT("  mass: [[1, 0, 0], [0, 1, 2]]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 10,
         "not square"},
        {IMPACT("  mass: [[1, 0.5], [0.4, 1]]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 21,
         "not symmetric: entry (2, 1) is 0.4, entry (1, 2) is 0.5"},
        {IMPACT("  mass: [[1, 2], [2, 1]]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 22,
         "not positive definite: pivot 2 is -3"},
        {IMPACT("  mass: [[1, 1], [1, 1]]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 22,
         "pivot 2 is 0"},
        {IMPACT("  mass: [[0.1, 0.3], [0.3, 0.9]]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 28,
         "pivot 2"},
        {IMPACT("  mass: []\n  velocity: [1, 0]\n  contacts: []\n"), 3, 9, "empty"},
        {IMPACT("  mass: 1\n  velocity: [1, 0]\n  contacts: []\n"), 3, 9, "must be a list"},
        {IMPACT("  mass: [1, [2]]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 13, "a list"},
        {IMPACT("  mass: [[1, 0], 1]\n  velocity: [1, 0]\n  contacts: []\n"), 3, 18, "a list"},
    };
    check_refusals(cases);
    /* Mass ratios are not singularity. */
    carom_scene_destroy(check_scene(IMPACT("  mass: [[1e-9, 0], [0, 1e9]]\n  velocity: [1, 0]\n"
                                           "  contacts: []\n")));
    carom_scene_destroy(check_scene(IMPACT("  mass: [1e-300, 1e300]\n  velocity: [1, 0]\n"
                                           "  contacts: []\n")));
}

static void test_contacts(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {IMPACT("  mass: [1, 2]\n  velocity: [1]\n  contacts: []\n"), 4, 13,
         "velocity has 1 number, it must have 2"},
        {IMPACT(BALLS "    - {normal: [1, 0, 0]}\n"), 6, 16, "normal has 3 numbers"},
        {IMPACT(BALLS "    - {normal: [0, 0.0]}\n"), 6, 16, "zero"},
        {IMPACT(BALLS "    - {name: a}\n"), 6, 7, "lacks `normal`"},
        {IMPACT(BALLS "    - normal: [1, 0]\n    - name: b\n      motion: 1\n"), 7, 7,
         "lacks `normal`"},
        {IMPACT(BALLS "    - {normal: [1, 0], restitution: 1.5}\n"), 6, 37,
         "restitution is 1.5, allowed is 0 to 1"},
        {IMPACT(BALLS "    - {normal: [1, 0], restitution: -0.1}\n"), 6, 37, "-0.1"},
        {IMPACT(BALLS "    - {normal: [1, 0], tangential_restitution: 2}\n"), 6, 48, "2"},
        {IMPACT(BALLS "    - {normal: [1, 0], restitution: .nan}\n"), 6, 37, "finite"},
        {IMPACT(BALLS "    - {normal: [1, 0], restitution: inf}\n"), 6, 37, "finite"},
        {IMPACT(BALLS "    - {normal: [1, inf]}\n"), 6, 20, "finite"},
        {IMPACT(BALLS "    - {normal: [1, 1e999]}\n"), 6, 20, "1e999"},
        {IMPACT(BALLS "    - {normal: [1, 1/0]}\n"), 6, 21, "finite"},
        {IMPACT(BALLS "    - {normal: [1, 0], friction: -1}\n"), 6, 34, "friction is -1"},
        {IMPACT(BALLS "    - {normal: [1, 0], friction: .inf}\n"), 6, 34, "finite"},
        {IMPACT(BALLS "    - {normal: [1, 0], friction: 1, friction_static: 1}\n"), 6, 54,
         "either"},
        {IMPACT(BALLS "    - {normal: [1, 0], friction_dynamic: 1}\n"), 6, 42,
         "needs `friction_static`"},
        {IMPACT(BALLS "    - {normal: [1, 0], friction_static: 1, friction_dynamic: 2}\n"), 6, 62,
         "more than"},
        {IMPACT(BALLS "    - {normal: [1, 0], stiffness: 0}\n"), 6, 35, "greater than 0"},
        {IMPACT(BALLS "    - {normal: [1, 0], exponent: -1}\n"), 6, 34, "greater than 0"},
        {IMPACT(BALLS "    - {normal: [1, 0], slip: [1]}\n"), 6, 30, "slip has 1 number"},
        {IMPACT(BALLS "    - {normal: [1, 0], slip: []}\n"), 6, 30, "slip has 0 numbers"},
        {IMPACT(BALLS "    - {normal: [1, 0], slip: [[1, 0], [0, 1], [1, 1]]}\n"), 6, 30, "3 rows"},
        {IMPACT(BALLS "    - {normal: [1, 0], slip_motion: 1}\n"), 6, 37, "needs `slip`"},
        {IMPACT(BALLS "    - {normal: [1, 0], slip: [1, 0], slip_motion: [1, 2]}\n"), 6, 51,
         "2 numbers"},
        {IMPACT(BALLS "    - {normal: [1, 0], spread: [[1, 0], [1]]}\n"), 6, 41, "1 number"},
        {IMPACT(BALLS "    - {name: a, normal: [1, 0]}\n    - {name: a, normal: [0, 1]}\n"), 7, 14,
         "two contacts are called `a`"},
        {IMPACT(BALLS "    - {name: 2, normal: [1, 0]}\n    - {normal: [0, 1]}\n"), 7, 7,
         "two contacts are called `2`"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  coordinates: [a, a]\n"), 7, 20,
         "two coordinates are called `a`"},
        {IMPACT(BALLS "    - {normal: [1, 0], law: newtn}\n"), 6, 29, "did you mean `newton`"},
        {IMPACT(BALLS "    - [1, 0]\n"), 6, 7, "must be a map"},
        {IMPACT("  mass: [1, 2]\n  velocity: [1, 0]\n  contacts: {a: {normal: [1, 0]}}\n"), 5, 13,
         "must be a list"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  bilateral: [{motion: 1}]\n"), 7, 15,
         "lacks `row`"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  bilateral: [{row: [0, 0]}]\n"), 7, 21, "zero"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  bilateral: [[1, 0]]\n"), 7, 15,
         "{row: [2 numbers]}"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  permanent: [{row: [0]}]\n"), 7, 21, "1 number"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  region: all\n"), 7, 11, "`any`"},
        {IMPACT(BALLS "    - {name: ramp, normal: [1, 0]}\n  region: [[rmap]]\n"), 7, 13,
         "did you mean `ramp`"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  region: [[]]\n"), 7, 12, "empty"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  region: []\n"), 7, 11, "empty"},
        {IMPACT(BALLS "    - {normal: [1, 0]}\n  coordinates: [x]\n"), 7, 16, "1 names"},
        /* Dependent normals that move apart: no velocity satisfies both. */
        {IMPACT(BALLS "    - {normal: [1, 0], motion: 1}\n    - {normal: [-1, 0], motion: 1}\n"), 6,
         5, "inconsistent"},
    };
    check_refusals(cases);
}

static void test_top_level(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"", 1, 1, "empty"},
        {"# nothing\n", 1, 1, "empty"},
        {"---\n", 2, 1, "must be a map"},
        {"carom\n", 1, 1, "must be a map"},
        {"- carom: 1\n", 1, 1, "must be a map"},
        {"title: x\n", 1, 1, "lacks `carom: 1`"},
        {"carom: 2\n", 1, 8, "must be 1, not 2"},
        {"carom: [1]\n", 1, 8, "must be 1"},
        {"carom: 1\n", 1, 1, "lacks `impact`, `system` or `bodies`"},
        {"carom: 1\nimpact: {}\nsystem: {}\n", 3, 9, "not both"},
        {"carom: 1\nimpcat: {}\n", 2, 1,
         "unknown key `impcat` in the scene: did you mean `impact`"},
        {"carom: 1\nzzz: {}\n", 2, 1, "unknown key `zzz` in the scene; allowed: carom, title"},
        {"carom: 1\nimpact:\n", 2, 8, "`impact` in the scene has no value"},
        {"carom: 1\nimpact: {}\n", 2, 9, "impact lacks `mass`"},
        {"carom: 1\nimpact: {mass: [1]}\n", 2, 9, "impact lacks `velocity`"},
        {"carom: 1\nimpact: {mass: [1], velocity: [1]}\n", 2, 9, "impact lacks `contacts`"},
        {"carom: 1\nimpact:\n  mass: [1]\n  veloctiy: [1]\n", 4, 3,
         "unknown key `veloctiy` in impact: did you mean `velocity`"},
        {"carom: 1\ntitle: [a]\nimpact: {}\n", 2, 8, "must be a text"},
    };
    check_refusals(cases);
}

static void test_formulas_and_traps(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"carom: 1\nimpact: {mass: [0x10], velocity: [1], contacts: []}\n", 2, 17, "decimal"},
        {"carom: 1\nimpact: {mass: [1_000], velocity: [1], contacts: []}\n", 2, 17, "`_`"},
        {"carom: 1\nimpact: {mass: [1:30], velocity: [1], contacts: []}\n", 2, 17, "`:`"},
        {"carom: 1\nimpact: {mass: [.inf], velocity: [1], contacts: []}\n", 2, 17, "finite"},
        {"carom: 1\nimpact: {mass: [''], velocity: [1], contacts: []}\n", 2, 17, "found nothing"},
        {"carom: 1\nimpact: {mass: [~], velocity: [1], contacts: []}\n", 2, 17, ""},
        {"carom: 1\nimpact: {mass: [2*mm], velocity: [1], contacts: []}\n", 2, 19, "mm"},
        {"carom: 1\nparameters: {gap: 1}\nimpact: {mass: [1 + gpa], velocity: [1], contacts: []}\n",
         3, 21, "gap"},
        {"carom: 1\nparameters: {a: max(1, 2), b: 1}\nimpact: {}\n", 2, 24,
         "unknown key `2)`: in { } a comma ends a value, so quote the formula: a: \"max(1, 2)\""},
        {"carom: 1\nimpact: {mass:[1]}\n", 2, 14, "YAML"},
        {"carom: 1\nparameters: {a:1}\nimpact: {}\n", 2, 14,
         "`a:1` is one word: leave a blank after the colon, `a: 1`"},
        {"carom: 1\nimpact: mass:1\n", 2, 9, "leave a blank after the colon"},
        {"carom: 1\nimpact:\n  mass: [1, max(1, 2)]\n  velocity: [1, 2]\n  contacts: []\n", 3, 18,
         "quote a formula"},
        {"carom: 1\nimpact:\n  mass: [1]\n  velocity: [1, max(1, 2)]\n  contacts: []\n", 4, 17,
         "quote a formula"},
        /* Columns inside quotes, escapes, folded lines; characters, not bytes. */
        {"carom: 1\nparameters: {a: \"1 + $\"}\nimpact: {}\n", 2, 22, "$"},
        {"carom: 1\nparameters: {a: \"1 \\x2B $\"}\nimpact: {}\n", 2, 25, "$"},
        {"carom: 1\nparameters:\n  a: 1 +\n     2 + $\nimpact: {}\n", 4, 10, "$"},
        {"carom: 1\nparameters:\n  a: >\n    1 +\n    2 + $\nimpact: {}\n", 5, 9, "$"},
        {"carom: 1\nparameters:\n  a: |\n    1 +\n\n    2 + $\nimpact: {}\n", 6, 9, "$"},
        {"carom: 1\nparameters: {b: 1, a: 'b'' + 1'}\nimpact: {}\n", 2, 25, ""},
        {"carom: 1\ntitle: \xC3\xA9\xC3\xA9\nparameters: {\xC3\xA9: 1}\nimpact: {}\n", 3, 14, ""},
        {"carom: 1\nparameters: {a: b, b: 1}\nimpact: {}\n", 2, 17, "b"},
        {"carom: 1\nparameters: {t: 1}\nimpact: {}\n", 2, 14, "t"},
        {"carom: 1\nparameters: {sin: 1}\nimpact: {}\n", 2, 14, "sin"},
        {"carom: 1\nparameters: {2a: 1}\nimpact: {}\n", 2, 14, "2a"},
        {"carom: 1\nparameters: {a: }\nimpact: {}\n", 2, 17, "has no value"},
        {"carom: 1\nparameters: [a]\nimpact: {}\n", 2, 13, "must be a map"},
        {"carom: 1\nparameters: {a: [1]}\nimpact: {}\n", 2, 17, "found a list"},
    };
    check_refusals(cases);
}

static void test_overrides(void **state)
{
    (void)state;
    const char *text = "carom: 1\nparameters: {e: 0.5, two: 2*e}\n"
                       "impact: {mass: [two], velocity: [e], contacts: []}\n";
    const char *sets[] = {"e=0.1", "e=0.25"};
    carom_scene_options options = {.sets = sets, .set_count = 2};
    carom_scene *scene;
    carom_error error = {0};
    check_ok(carom_scene_read_text(text, strlen(text), &options, &scene, &error), &error);
    check_close(carom_scene_get(scene)->impact->M[0], 0.5, 0);
    check_close(carom_scene_get(scene)->impact->u[0], 0.25, 0);
    carom_scene_destroy(scene);
    const char *wrong[][2] = {{"tow=1", "did you mean `two`"},
                              {"zzzz=1", "no parameter `zzzz`"},
                              {"e", "name=value"},
                              {"=1", "name=value"},
                              {"e=", "name=value"},
                              {"e=1e999", "not finite"},
                              {"e=two", "two"},
                              {"e=1+", "1+"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        options = (carom_scene_options){.sets = &wrong[k][0], .set_count = 1};
        assert_int_equal(carom_scene_read_text(text, strlen(text), &options, &scene, &error),
                         CAROM_ERROR_INPUT);
        assert_non_null(strstr(error.text, wrong[k][1]));
        assert_int_equal(error.line, 0);
    }
    sets[0] = "two=e*8";
    options = (carom_scene_options){.sets = sets, .set_count = 1};
    check_ok(carom_scene_read_text(text, strlen(text), &options, &scene, &error), &error);
    check_close(carom_scene_get(scene)->impact->M[0], 4, 0);
    carom_scene_destroy(scene);
}

static void test_warnings(void **state)
{
    (void)state;
    const char *text = IMPACT(BALLS "    - {normal: [1, 0], restitution: 1.5, friction: 1}\n"
                                    "run: {until: 1}\n");
    carom_scene_options options = {.any_restitution = true};
    carom_scene *scene;
    carom_error error = {0};
    check_ok(carom_scene_read_text(text, strlen(text), &options, &scene, &error), &error);
    const carom_scene_content *content = carom_scene_get(scene);
    assert_int_equal(content->note_count, 3);
    assert_int_equal(content->notes[0].line, 6);
    assert_int_equal(content->notes[0].column, 37);
    assert_non_null(strstr(content->notes[0].text, "restitution 1.5 is outside [0, 1]"));
    assert_non_null(strstr(content->notes[1].text, "no `slip`"));
    assert_non_null(strstr(content->notes[2].text, "`run` is not used"));
    assert_true(content->impact->flags & CAROM_IMPACT_ANY_RESTITUTION);
    carom_scene_destroy(scene);
}

static void test_files(void **state)
{
    (void)state;
    carom_scene *scene;
    carom_error error = {0};
    assert_int_equal(carom_scene_read_file("/nowhere/a.yaml", NULL, &scene, &error),
                     CAROM_ERROR_FILE);
    assert_int_equal(carom_scene_read_file("/", NULL, &scene, &error), CAROM_ERROR_FILE);
    /* Larger than the limit: refused by its size, without reading (the file is all hole). */
    FILE *file = tmpfile();
    assert_int_equal(fseek(file, 100000000, SEEK_SET), 0);
    assert_int_equal(fputc('x', file), 'x');
    fflush(file);
    rewind(file);
    assert_int_equal(carom_scene_read_stream(file, NULL, &scene, &error), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "too large"));
    assert_int_equal(ftell(file), 0);
    fclose(file);
    check_ok(carom_scene_read_file(CAROM_SOURCE_DIR "/scenes/cradle.yaml", NULL, &scene, &error),
             &error);
    assert_int_equal(carom_scene_get(scene)->impact->n, 5);
    carom_scene_destroy(scene);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    static char text[60000];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "carom: 1\nparameters: {a: 1}\nimpact:\n"
                                   "  mass: [a, 2]\n  velocity: [1, a*2]\n"
                                   "  contacts:\n");
    for (int k = 0; k < 400; k++) /* enough for arenas to grow more than once */
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  - {name: 'c %d', normal: [1, a], slip: [1, 0], friction: 1, "
                                 "spread: [1, 2]}\n",
                                 k);
    for (int fail_at = 0;; fail_at++) {
        check_memory c = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_scene_options options = {.allocator = &allocator};
        carom_scene *scene = NULL;
        carom_error error = {0};
        carom_status status = carom_scene_read_text(text, used, &options, &scene, &error);
        if (status == CAROM_OK) {
            assert_true(fail_at > 5);
            carom_scene_destroy(scene);
            assert_int_equal(c.live, 0);
            break;
        }
        assert_int_equal(status, CAROM_ERROR_MEMORY);
        assert_int_equal(error.status, CAROM_ERROR_MEMORY);
        assert_null(scene);
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statement),      cmocka_unit_test(test_region_any),
        cmocka_unit_test(test_accepted_forms), cmocka_unit_test(test_mass),
        cmocka_unit_test(test_contacts),       cmocka_unit_test(test_top_level),
        cmocka_unit_test(test_overrides),      cmocka_unit_test(test_formulas_and_traps),
        cmocka_unit_test(test_warnings),       cmocka_unit_test(test_files),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
