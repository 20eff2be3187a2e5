/* Two bodies, one contact: m1 = 3 at speed 2 hits m2 = 1 at speed -1 with restitution 0.5.
 * Momentum is kept, the relative velocity is reversed and halved, and the energy lost is
 * (1 - e^2)/2 m1 m2/(m1+m2) gamma^2. */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double mass[] = {3, 1}, u[] = {2, -1}, normal[] = {-1, 1};
    carom_contact contact = carom_contact_default();
    contact.restitution = 0.5;
    carom_impact impact = {.n = 2,
                           .p = 1,
                           .mass_is_diagonal = true,
                           .M = mass,
                           .u = u,
                           .W = normal,
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
    double reduced = 3.0 * 1 / (3 + 1), gamma = -3;
    double loss = -0.5 * (1 - 0.25) * reduced * gamma * gamma;
    printf("u+ = (%g, %g), impulse %g, energy change %g\n", outcome.u[0], outcome.u[1],
           outcome.impulse[0], outcome.energy_change);
    bool right = fabs(3 * outcome.u[0] + outcome.u[1] - 5) < 1e-14 &&
                 fabs(outcome.gamma[0] - 1.5) < 1e-14 && fabs(outcome.energy_change - loss) < 1e-14;
    carom_arena_destroy(arena);
    return right ? 0 : 1;
}
