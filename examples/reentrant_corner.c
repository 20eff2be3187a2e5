/* A particle of mass m meets the edge of a re-entrant corner: admissible are velocities with
 * g_1' >= 0 *or* g_2' >= 0, a union of two half-spaces and no convex cone. The law asks for the
 * stationary points z of the distance from u- to that union. For two half-spaces and u- outside
 * both there is a closed form (D = W'M^-1 W):
 *   face i is one, a local minimum, iff gamma_j - gamma_i D_ij / D_ii <= 0;
 *   the edge z = 0 is one, a saddle, iff both faces are.
 * Here the direction of u- goes round through the corner; the program compares what the law says
 * with the closed form, and every outcome u+ = (1 + e) z - e u- must not gain energy. */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const double angle = 100 * CAROM_PI / 180, e = 0.5;
    double mass[] = {2, 2}, u[2], W[] = {0, 1, sin(angle), cos(angle)};
    int start[] = {0, 1, 2}, member[] = {0, 1}, wrong = 0;
    carom_region any = {2, start, member};
    carom_contact contacts[] = {carom_contact_default(), carom_contact_default()};
    contacts[0].restitution = contacts[1].restitution = e;
    carom_impact impact = {.n = 2,
                           .p = 2,
                           .mass_is_diagonal = true,
                           .M = mass,
                           .u = u,
                           .W = W,
                           .contacts = contacts,
                           .region = &any};
    carom_law law = {.ops = carom_law_find("moreau")};
    carom_arena *arena;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error))
        return 1;
    for (int k = 0; k < 24; k++) {
        double phi = (k + 0.5) * CAROM_PI / 12;
        carom_geometry g;
        carom_outcome o;
        u[0] = cos(phi);
        u[1] = sin(phi);
        if (carom_impact_derive(&impact, arena, &g, &error) ||
            carom_law_apply(&law, &g, arena, &o, &error)) {
            fprintf(stderr, "%s\n", error.text);
            carom_arena_destroy(arena);
            return 1;
        }
        bool outside = g.gamma[0] < 0 && g.gamma[1] < 0;
        bool face1 = g.gamma[1] - g.gamma[0] * g.D[1] / g.D[0] <= 0;
        bool face2 = g.gamma[0] - g.gamma[1] * g.D[1] / g.D[3] <= 0;
        int expected = face1 + face2 + (face1 && face2), count = 1 + o.alternative_count;
        if (outside) {
            printf("u- at %5.1f deg: %d stationary point%s, nearest %s at distance %.4f,"
                   " u+ = (%7.4f, %7.4f)\n",
                   phi * 180 / CAROM_PI, count, count == 1 ? " " : "s", o.details[0].text,
                   o.details[1].value, o.u[0], o.u[1]);
            wrong += count != expected || !o.verdict.kinematic || !o.verdict.kinetic;
        } else { /* no impact */
            wrong += o.u[0] != u[0] || o.u[1] != u[1];
        }
        wrong += !o.verdict.energetic;
        for (int i = 0; i < o.alternative_count; i++)
            wrong += !o.alternatives[i].verdict.energetic;
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
    printf("%d disagreements with the closed form\n", wrong);
    return wrong == 0 ? 0 : 1;
}
