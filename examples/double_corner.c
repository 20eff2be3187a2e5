/* A particle of mass 1 runs into a double corner, a wedge between two walls that also carries two
 * redundant faces (a copy of the first wall and a chamfer w_1 + w_2): four dependent contacts in
 * the plane. The velocity after the impact is unique all the same; the impulses are not.
 *
 * For every restitution e the global dissipation index (Moreau) must equal
 *   u+ = z - e z_perp,  u- = z + z_perp,  z = nearest velocity that leaves the corner,
 * here z = 0, so u+ = -e u-, and so must Newton's law with the same e at every contact. The outcome
 * must be in the set of admissible outcomes, on its level e. */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

enum { N = 2, P = 4 };

static double distance(const double *u, const double *v)
{
    return hypot(u[0] - v[0], u[1] - v[1]);
}

int main(void)
{
    /* walls with normals (0, 1) and (0.8, -0.6): an opening of less than a right angle */
    double mass[N] = {1, 1}, u[N] = {-1, -0.5};
    double W[N * P] = {0, 1, 0.8, -0.6, 0, 2, 0.8, 0.4}, worst = 0;
    carom_contact contacts[P];
    carom_impact impact = {
        .n = N, .p = P, .mass_is_diagonal = true, .M = mass, .u = u, .W = W, .contacts = contacts};
    carom_arena *arena;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error))
        return 1;
    for (int step = 0; step <= 4; step++) {
        double e = step / 4.0;
        for (int i = 0; i < P; i++) {
            contacts[i] = carom_contact_default();
            contacts[i].restitution = e;
        }
        carom_geometry geometry;
        carom_admissible set;
        carom_membership member;
        carom_outcome moreau, newton;
        carom_law by_cone = {.ops = carom_law_find("moreau")};
        carom_law by_lcp = {.ops = carom_law_find("newton")};
        if (carom_impact_derive(&impact, arena, &geometry, &error) ||
            carom_law_apply(&by_cone, &geometry, arena, &moreau, &error) ||
            carom_law_apply(&by_lcp, &geometry, arena, &newton, &error) ||
            carom_admissible_make(&geometry, arena, &set, &error) ||
            carom_admissible_contains(&set, moreau.u, 0, arena, &member, &error)) {
            fprintf(stderr, "%s\n", error.text);
            carom_arena_destroy(arena);
            return 1;
        }
        double expected[N] = {-e * u[0], -e * u[1]};
        double level = carom_admissible_radius(&set, e, CAROM_READING_ENERGY);
        printf("e = %.2f: u+ = (%7.4f, %7.4f), impulses %.4f %.4f %.4f %.4f (%s), in S: %s\n", e,
               moreau.u[0], moreau.u[1], moreau.impulse[0], moreau.impulse[1], moreau.impulse[2],
               moreau.impulse[3], moreau.impulse_unique ? "unique" : "of least norm",
               member.inside ? "yes" : "no");
        worst = fmax(worst, distance(moreau.u, expected));
        worst = fmax(worst, distance(moreau.u, newton.u));
        worst = fmax(worst, fabs(hypot(moreau.u[0], moreau.u[1]) - level));
        worst = fmax(worst, moreau.verdict.momentum_error);
        if (!member.inside || moreau.impulse_unique)
            worst = 1;
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
    printf("largest deviation from the closed form: %.1e\n", worst);
    return worst < 1e-13 ? 0 : 1;
}
