/* A certificate: is a restitution matrix consistent for *all* approaching velocities? Three equal
 * balls, E = [e1 e21; e21 e1]. No energy is gained as long as e1 + e21 <= 1 and |e1 - e21| <= 1:
 * E commutes with G = [1 -1/2; -1/2 1], and its eigenvalues are e1 + e21 and e1 - e21. With
 * e1 = 0.5, e21 = 0.8 it is gained, and the counter-example multiplies the energy by 1.3^2. */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

static const double mass[] = {1, 1, 1};
static const double normals[] = {-1, 1, 0, 0, -1, 1}; /* 3 x 2, column-major */

static carom_impact impact_at(const double *u)
{
    return (carom_impact){
        .n = 3, .p = 2, .mass_is_diagonal = true, .M = mass, .u = u, .W = normals};
}

int main(void)
{
    const double u[] = {1, 0, 0}, good[] = {0.4, 0.5, 0.5, 0.4}, bad[] = {0.5, 0.8, 0.8, 0.5};
    const carom_impact impact = impact_at(u);
    carom_arena *arena = NULL;
    carom_geometry geometry, other;
    carom_certificates first = {0}, second = {0};
    carom_outcome outcome;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error) ||
        carom_impact_derive(&impact, arena, &geometry, &error) ||
        carom_certify_restitution(&geometry, good, NULL, arena, &first, &error) ||
        carom_certify_restitution(&geometry, bad, NULL, arena, &second, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const carom_certificate *yes = carom_certificates_find(&first, "energy-copositive");
    const carom_certificate *no = carom_certificates_find(&second, "energy-copositive");
    printf("0.4, 0.5: %s\n  %s\n", carom_truth_text(yes->holds), yes->text);
    printf("0.5, 0.8: %s\n  %s\n", carom_truth_text(no->holds), no->text);
    if (yes->holds != CAROM_TRUE || no->holds != CAROM_FALSE || !no->counterexample)
        return 1;

    /* Do not take its word: apply the law to the counter-example. */
    const carom_impact again = impact_at(no->counterexample);
    const carom_value E = {
        .name = "E", .kind = CAROM_PARAMETER_MATRIX, .rows = 2, .columns = 2, .numbers = bad};
    const carom_law law = {.ops = carom_law_find("matrix"), .values = &E, .value_count = 1};
    if (carom_impact_derive(&again, arena, &other, &error) ||
        carom_law_apply(&law, &other, arena, &outcome, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const double gain = outcome.energy / other.energy;
    printf("u- = (%g, %g, %g) -> u+ = (%g, %g, %g), energy times %g\n", other.u[0], other.u[1],
           other.u[2], outcome.u[0], outcome.u[1], outcome.u[2], gain);
    const bool right = other.approaching && !outcome.verdict.energetic &&
                       outcome.verdict.kinematic && outcome.verdict.kinetic && gain > 1.6 &&
                       gain < 1.3 * 1.3 + 1e-9;
    carom_arena_destroy(arena);
    return right ? 0 : 1;
}
