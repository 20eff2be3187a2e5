/* Laws of scenes and of the command line: parameters, errors, suggestions. */
#include "scene/scene_check.h"

#include <stdlib.h>

#define BALLS                                                                                      \
    "carom: 1\nparameters: {e: 0.25}\nimpact:\n  mass: [1, 1, 1]\n  velocity: [1, 0, 0]\n"         \
    "  contacts:\n    - {name: ab, normal: [-1, 1, 0]}\n    - {name: bc, normal: [0, -1, 1]}\n"

static const carom_value *value_of(const carom_law *law, const char *name)
{
    const carom_value *value = carom_law_value(law, name);
    assert_non_null(value);
    return value;
}

static void test_in_the_file(void **state)
{
    (void)state;
    carom_scene *scene = check_scene(BALLS "law: {name: moreau, restitution: 2*e}\n");
    const carom_law *law = carom_scene_get(scene)->law;
    assert_string_equal(law->ops->name, "moreau");
    check_close(carom_law_number(law, "restitution"), 0.5, 0);
    carom_scene_destroy(scene);

    scene = check_scene(BALLS "law: {name: sequential, order: [bc, 1]}\n");
    const carom_value *order = value_of(carom_scene_get(scene)->law, "order");
    assert_int_equal(order->kind, CAROM_PARAMETER_CONTACTS);
    assert_int_equal(order->rows, 2);
    assert_string_equal(order->words[0], "bc");
    assert_true(isnan(order->numbers[0]));
    check_close(order->numbers[1], 1, 0);
    carom_scene_destroy(scene);

    scene =
        check_scene(BALLS "law: {name: implicit, A: [[1, 0], [0, e], [1, 1]], c: [0, 1, 2*e]}\n");
    const carom_value *A = value_of(carom_scene_get(scene)->law, "A");
    assert_int_equal(A->rows, 3);
    assert_int_equal(A->columns, 2);
    check_vector(A->numbers, ((double[]){1, 0, 1, 0, 0.25, 1}), 6, 0);
    check_vector(value_of(carom_scene_get(scene)->law, "c")->numbers, ((double[]){0, 1, 0.5}), 3,
                 0);
    carom_scene_destroy(scene);

    scene = check_scene(BALLS "law:\n  name: coulomb\n  form: equality\n"
                              "  E: [[e, 0.1], [0.2, 1]]\n");
    law = carom_scene_get(scene)->law;
    assert_true(carom_law_is_choice(law, "form", "equality"));
    const carom_value *E = value_of(law, "E");
    assert_int_equal(E->rows, 2);
    assert_int_equal(E->columns, 2);
    check_vector(E->numbers, ((double[]){0.25, 0.2, 0.1, 1}), 4, 0); /* column-major */
    carom_scene_destroy(scene);
}

static void test_refused(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {BALLS "law: newtno\n", 9, 6, "did you mean `newton`? Allowed: newton, "},
        {BALLS "law: {restitution: 1}\n", 9, 6, "lacks `name`"},
        {BALLS "law: {name: moreua}\n", 9, 13, "did you mean `moreau`"},
        {BALLS "law: [newton]\n", 9, 6, "must be a map"},
        {BALLS "law: {name: moreau, restituton: 1}\n", 9, 21, "did you mean `restitution`"},
        {BALLS "law: {name: inelastic, zz: 1}\n", 9, 24, "has no parameters"},
        {BALLS "law: {name: moreau, restitution: 1.5}\n", 9, 34, "allowed is 0 to 1"},
        {BALLS "law: {name: moreau, restitution: [1]}\n", 9, 34, "must be a number"},
        {BALLS "law: {name: path, stop: nweton}\n", 9, 25, "did you mean `newton`"},
        {BALLS "law: {name: coulomb, E: 1}\n", 9, 25, "must be a list"},
        {BALLS "law: {name: coulomb, E: [[1, 0], [0]]}\n", 9, 34, "row 2 of E has 1 number"},
        {BALLS "law: {name: coulomb, E: [[1]]}\n", 9, 25, "one per contact (2)"},
        {BALLS "law: {name: coulomb, E: [[1], [1, 2]]}\n", 9, 26, "not square"},
        {BALLS "law: {name: sequential, order: [ab, bd]}\n", 9, 37, "no contact is called `bd`"},
        {BALLS "law: {name: sequential, order: [3]}\n", 9, 33, "no number from 1 to 2"},
        {BALLS "law: {name: implicit, lower: [0, x]}\n", 9, 34, "unknown name"},
        {BALLS "law: {name: coulomb, E: []}\n", 9, 25, "empty matrix"},
        {BALLS "law: {name: sequential, order: ab}\n", 9, 32, "must be a list"},
    };
    check_refusals(cases);
}

static carom_status parse(carom_scene *scene, const char *text, carom_law *law, carom_error *error)
{
    *error = (carom_error){0};
    return carom_scene_parse_law(scene, text, law, error);
}

static void test_on_the_command_line(void **state)
{
    (void)state;
    carom_scene *scene = check_scene(BALLS "law: {name: coulomb, form: equality, "
                                           "E: [[1, 0], [0, 1]]}\n");
    carom_law law;
    carom_error error;
    check_ok(parse(scene, "newton", &law, &error), &error);
    assert_string_equal(law.ops->name, "newton");
    assert_int_equal(law.value_count, 0);
    check_ok(parse(scene, "path:stop=stronge", &law, &error), &error);
    assert_true(carom_law_is_choice(&law, "stop", "stronge"));
    check_ok(parse(scene, "moreau:restitution=max(e, 0.125)", &law, &error), &error);
    check_close(carom_law_number(&law, "restitution"), 0.25, 0);
    check_ok(parse(scene, "sequential:order=[bc,ab]", &law, &error), &error);
    assert_string_equal(value_of(&law, "order")->words[1], "ab");
    /* What is not given comes from the scene's law of that name. */
    check_ok(parse(scene, "coulomb", &law, &error), &error);
    assert_true(carom_law_is_choice(&law, "form", "equality"));
    check_close(value_of(&law, "E")->numbers[3], 1, 0);
    check_ok(parse(scene, "coulomb:form=complementarity,E=[[.5,0],[.25,.5]]", &law, &error),
             &error);
    assert_true(carom_law_is_choice(&law, "form", "complementarity"));
    assert_int_equal(law.value_count, 2);
    check_vector(value_of(&law, "E")->numbers, ((double[]){0.5, 0.25, 0, 0.5}), 4, 0);
    check_ok(parse(scene, "coulomb:form=complementarity", &law, &error), &error);
    assert_int_equal(law.value_count, 2);
    check_close(value_of(&law, "E")->numbers[0], 1, 0);

    const char *const wrong[][2] = {
        {"", "name is missing"},
        {":a=1", "name is missing"},
        {"newtn", "did you mean `newton`"},
        {"path:", "missing after `:`"},
        {"path:stop", "not param=value"},
        {"path:=1", "not param=value"},
        {"path:stop=", "no value"},
        {"path:stop=x", "allowed"},
        {"path:stpo=newton", "did you mean `stop`"},
        {"path:stop=newton,stop=poisson", "twice"},
        {"moreau:restitution=2", "allowed is 0 to 1"},
        {"moreau:restitution=0x1", "decimal"},
        {"moreau:restitution=1+", "moreau:restitution=1+"},
        {"coulomb:E=[[1,0]", "YAML"},
        {"coulomb:E=[[1]]", "one per contact"},
        {"coulomb:E=&a [[1]]", "anchors"},
        {"path:stop=\001", "control character"},
        {"{a: b}", "law"},
        {"[newton]", "law"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        carom_law before = law;
        if (parse(scene, wrong[k][0], &law, &error) != CAROM_ERROR_INPUT ||
            !strstr(error.text, wrong[k][1]) || error.line) {
            print_error("%s -> %d:%d %s\n", wrong[k][0], error.line, error.column, error.text);
            fail();
        }
        assert_memory_equal(&before, &law, sizeof law);
    }
    carom_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_the_file),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_on_the_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
