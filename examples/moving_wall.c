/* A ball against a wall that comes towards it: gap g = x - A(t), wall velocity A' = 2, ball at -1.
 * In the frame of the wall the ball arrives at -3 and leaves at 3e; so u+ = 2 + 3e. The kinetic
 * energy grows, yet the law is consistent: energy is judged in the frame of the moving constraint.
 */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double mass[] = {0.25}, u[] = {-1}, normal[] = {1}, motion[] = {-2}, e = 0.8;
    carom_contact contact = carom_contact_default();
    contact.restitution = e;
    carom_impact impact = {.n = 1,
                           .p = 1,
                           .mass_is_diagonal = true,
                           .M = mass,
                           .u = u,
                           .W = normal,
                           .w_hat = motion,
                           .contacts = &contact};
    carom_arena *arena;
    carom_geometry geometry;
    carom_outcome outcome;
    carom_error error = {0};
    carom_law law = {.ops = carom_law_find("newton")};
    if (carom_arena_create(NULL, &arena, &error) ||
        carom_impact_derive(&impact, arena, &geometry, &error) ||
        carom_law_apply(&law, &geometry, arena, &outcome, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("frame velocity b = %g, u+ = %g, energy change %g, consistent: %s\n", geometry.b[0],
           outcome.u[0], outcome.energy_change, outcome.verdict.energetic ? "yes" : "no");
    bool right = fabs(outcome.u[0] - (2 + 3 * e)) < 1e-14 && outcome.energy_change > 0 &&
                 outcome.verdict.energetic && fabs(geometry.b[0] - 2) < 1e-15;
    carom_arena_destroy(arena);
    return right ? 0 : 1;
}
