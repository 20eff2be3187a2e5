/* What a system of formulas tells about its coefficients: constant or not. */
#include "carom/formulas.h"
#include "check.h"

typedef struct sample {
    const char *kinetic, *potential, *force, *gap, *slip; /* in x, y; NULL: none */
    bool forces, power, rows;                             /* constant, zero, constant */
} sample;

static const sample samples[] = {
    /* a ball over a floor; pushed; over a slope; over a wall that moves at constant speed */
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "y", "x'", true, true, true},
    {"x'^2/2 + y'^2/2", "9.81*y", "2", "y", "x'", true, false, true},
    {"x'^2/2 + y'^2/2 + x'*y'/3", "9.81*y + x", NULL, "3*y - x/2 - 1", "x' + y'", true, true, true},
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "y - 0.3*t", "x' - 0.1", true, true, true},
    /* gradients that do not tell of a step of the floor */
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "y - if(x > 1, 0.5, 0)", NULL, true, true, false},
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "y + 0.1*sign(x - 1)", NULL, true, true, false},
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "y + 0.1*sign(t - 1)", NULL, true, true, false},
    /* curved gaps, slips that depend on position or time, a table that is accelerated */
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "sqrt(x^2 + y^2) - 1", NULL, true, true, false},
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "abs(x)", NULL, true, true, false},
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "y - t^2", NULL, true, true, false},
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "y", "x' - sin(t)", true, true, false},
    {"x'^2/2 + y'^2/2", "9.81*y", NULL, "y", "x' + y*y'", true, true, false},
    /* forces of position, velocity, time */
    {"x'^2/2 + y'^2/2", "x^2/2", NULL, "y", NULL, false, true, true},
    {"x'^2/2 + y'^2/2", "9.81*y", "-x'", "y", NULL, false, false, true},
    {"x'^2/2 + y'^2/2", "9.81*y", "if(t < 1, 1, 2)", "y", NULL, false, false, true},
    /* constant force, but the energy depends on time */
    {"x'^2/2 + y'^2/2", "9.81*y + sin(t)", NULL, "y", NULL, false, false, true},
    /* mass that changes */
    {"(1 + x^2)*x'^2/2 + y'^2/2", "9.81*y", NULL, "y", NULL, false, true, true},
};

static void test_samples(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        const sample *s = &samples[k];
        const carom_source coordinates[] = {{.text = "x"}, {.text = "y"}};
        const carom_source kinetic[] = {{.text = s->kinetic}},
                           potential[] = {{.text = s->potential}};
        const carom_named_formula forces[] = {{{.text = "x"}, {.text = s->force}}};
        carom_contact_formulas contact = {.gap = {.text = s->gap},
                                          .properties = carom_contact_default()};
        contact.slip[0].text = s->slip;
        contact.properties.slip_count = s->slip != NULL;
        const carom_formulas statement = {.coordinate_count = 2,
                                          .coordinates = coordinates,
                                          .kinetic_count = 1,
                                          .kinetic = kinetic,
                                          .potential_count = 1,
                                          .potential = potential,
                                          .force_count = s->force != NULL,
                                          .forces = forces,
                                          .contact_count = 1,
                                          .contacts = &contact};
        carom_system *system;
        carom_error error = {0};
        check_ok(carom_system_formulas(&statement, NULL, &system, &error), &error);
        const carom_system_shape *shape = carom_system_get_shape(system);
        if (shape->forces_are_constant != s->forces || shape->power_is_zero != s->power ||
            shape->rows_are_constant != s->rows)
            fail_msg("sample %zu: forces %d, power %d, rows %d", k, shape->forces_are_constant,
                     shape->power_is_zero, shape->rows_are_constant);
        carom_system_destroy(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
