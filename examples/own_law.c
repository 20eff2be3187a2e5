/* A law of one's own. The library takes any carom_law_ops table: here "stuck", after which every
 * closed contact stays closed (a joint for an instant) and may pull. Two balls before a wall, the
 * first at speed 1 towards it, the second moving away from the first: the law brings the velocities
 * of both contacts, ball and wall, ball and ball, to zero.
 *
 * The outcome is verified by the library like any other: it is kinematically and energetically
 * consistent here, and where an impulse pulls, the kinetic verdict says so. */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

/* Solve D L = -gamma by Gauss-Seidel: D is diagonally dominant for chains. */
static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    (void)law, (void)arena, (void)error;
    int p = g->impact->p;
    for (int sweep = 0; sweep < 200; sweep++)
        for (int i = 0; i < p; i++) {
            double r = g->gamma[i];
            for (int j = 0; j < p; j++)
                r += g->D[i + j * p] * outcome->impulse[j];
            outcome->impulse[i] -= r / g->D[i + i * p];
        }
    carom_outcome_from_impulses(g, outcome);
    return CAROM_OK;
}

static const carom_parameter no_parameters[] = {{0}};

static const carom_law_ops stuck = {
    .name = "stuck",
    .summary = "all closed contacts stay closed",
    .reference = "this example",
    .parameters = no_parameters,
    .apply = apply,
};

int main(void)
{
    const double mass[] = {1, 2}, u[] = {-1, 0.5};
    const double normals[] = {1, 0, -1, 1}; /* wall - ball 1, ball 1 - ball 2 */
    carom_impact impact = {
        .n = 2, .p = 2, .mass_is_diagonal = true, .M = mass, .u = u, .W = normals};
    carom_law law = {.ops = &stuck};
    carom_arena *arena;
    carom_geometry geometry;
    carom_outcome outcome;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error) ||
        carom_impact_derive(&impact, arena, &geometry, &error) ||
        carom_law_apply(&law, &geometry, arena, &outcome, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("u+ = (%g, %g), impulses (%g, %g), pushing: %s\n", outcome.u[0], outcome.u[1],
           outcome.impulse[0], outcome.impulse[1], outcome.verdict.kinetic ? "yes" : "no");
    bool right = fabs(outcome.u[0]) < 1e-12 && fabs(outcome.u[1]) < 1e-12 &&
                 outcome.verdict.kinematic && outcome.verdict.energetic &&
                 !outcome.verdict.kinetic; /* ball 2 was leaving: it is pulled back */
    carom_arena_destroy(arena);
    return right ? 0 : 1;
}
