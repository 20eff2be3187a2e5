/* A system in formulas, run in time: a block is thrown flat over a rough floor at speed v from the
 * height h, lands without rebound and slides until it rests. Landing at t1 = sqrt(2 h/g) costs it
 * mu g t1 of its speed (Coulomb's law on the level of impulses), sliding mu g per unit of time:
 *   v1 = v - mu g t1,   it rests at x = v t1 + v1^2/(2 mu g). */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

static const double m = 2, g = 9.81, h = 0.5, mu = 0.4, v = 3;

/* The system and where it starts. */
static carom_status make_block(carom_system **system, carom_error *error)
{
    const carom_source coordinates[] = {{.text = "x"}, {.text = "y"}};
    const carom_named_formula parameters[] = {{{.text = "m"}, {.text = "2"}},
                                              {{.text = "g"}, {.text = "9.81"}}};
    const carom_source kinetic = {.text = "m/2*(x'^2 + y'^2)"}, potential = {.text = "m*g*y"};
    carom_contact_formulas floor = {.gap = {.text = "y"}, .slip = {{.text = "x'"}}};
    floor.properties = carom_contact_default();
    floor.properties.name = "floor";
    floor.properties.friction_static = floor.properties.friction_dynamic = mu;
    const carom_formulas block = {.coordinate_count = 2,
                                  .coordinates = coordinates,
                                  .parameter_count = 2,
                                  .parameters = parameters,
                                  .kinetic_count = 1,
                                  .kinetic = &kinetic,
                                  .potential_count = 1,
                                  .potential = &potential,
                                  .contact_count = 1,
                                  .contacts = &floor};
    return carom_system_formulas(&block, NULL, system, error);
}

/* The observer is told of every impact as it happens. */
static carom_status show(void *self, const carom_flow_impact *impact, carom_error *error)
{
    (void)self, (void)error;
    printf("impact at t = %.12f, speed %g -> %g\n", impact->t, impact->before[0], impact->after[0]);
    return CAROM_OK;
}

int main(void)
{
    carom_arena *arena = NULL;
    carom_system *system = NULL;
    carom_error error = {0};
    const double q[] = {0, h}, u[] = {v, 0};
    const carom_flow_start start = {.t = 0, .q = q, .u = u};
    const carom_law law = {.ops = carom_law_find("coulomb")};
    const carom_flow_observer observer = {.impact = show};
    carom_flow_options options = carom_flow_options_default();
    options.until = 2;
    carom_flow_result result;
    if (carom_arena_create(NULL, &arena, &error) || make_block(&system, &error) ||
        carom_flow_run(system, &law, &start, &options, &observer, arena, &result, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const double t1 = sqrt(2 * h / g), v1 = v - mu * g * t1;
    const double x = v * t1 + v1 * v1 / (2 * mu * g);
    printf("rests at x = %.12f (exact %.12f)\n", result.q[0], x);
    printf("energy %g = lost in the impact %g + in friction %g\n", result.ledger.initial,
           -result.ledger.impacts, -result.ledger.friction);
    const bool right = result.impact_count == 1 && fabs(result.impacts[0].t - t1) < 1e-11 &&
                       fabs(result.q[0] - x) < 1e-9 && fabs(result.u[0]) < 1e-12 &&
                       fabs(result.ledger.friction + m * v1 * v1 / 2) < 1e-9 &&
                       fabs(result.ledger.balance_error) < 1e-9;
    carom_system_destroy(system);
    carom_arena_destroy(arena);
    return right ? 0 : 1;
}
