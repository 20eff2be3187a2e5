/* Two balls of mass 1: the first, with speed 1, hits the second, at rest, with restitution 1/2. By
 * Newton's law u+ = (1/4, 3/4). */
#include <carom/carom.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    const double mass[] = {1, 1}, u[] = {1, 0}, w[] = {-1, 1}; /* the gap opens with u2 - u1 */
    carom_contact contact = carom_contact_default();
    contact.restitution = 0.5;
    carom_impact impact = {.n = 2, .p = 1, .mass_is_diagonal = true};
    impact.M = mass;
    impact.u = u;
    impact.W = w;
    impact.contacts = &contact;

    carom_error error = {0};
    carom_arena *arena;
    carom_geometry geometry;
    carom_outcome outcome;
    carom_law law = {.ops = carom_law_find("newton")};
    if (carom_arena_create(NULL, &arena, &error) != CAROM_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    carom_status status = carom_impact_derive(&impact, arena, &geometry, &error);
    if (status == CAROM_OK)
        status = carom_law_apply(&law, &geometry, arena, &outcome, &error);
    if (status != CAROM_OK) {
        fprintf(stderr, "%s\n", error.text); /* what is wrong, the value, what is allowed */
        carom_arena_destroy(arena);
        return 1;
    }
    printf("after: %g, %g; energy change %g; %s\n", outcome.u[0], outcome.u[1],
           outcome.energy_change, outcome.verdict.energetic ? "no energy gained" : "energy gained");
    int wrong = fabs(outcome.u[0] - 0.25) > 1e-12 || fabs(outcome.u[1] - 0.75) > 1e-12;
    carom_arena_destroy(arena); /* the outcome lived there */
    return wrong;
}
