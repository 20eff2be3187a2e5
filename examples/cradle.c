/* Newton's cradle through the C API: five equal balls, the first arrives with speed 1, e = 1.
 * Newton's law gives (-0.6, 0.4, 0.4, 0.4, 0.4): u_1 = 1 - (1+e)(n-1)/n, the others (1+e)/n.
 * Pairwise collisions give (0, 0, 0, 0, 1), the answer of the toy. Both conserve momentum and
 * energy: restitution alone does not decide a multiple impact. */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

enum { N = 5 };

int main(void)
{
    double mass[N], u[N] = {1}, W[N * (N - 1)] = {0};
    carom_contact contacts[N - 1];
    for (int i = 0; i < N; i++)
        mass[i] = 1;
    for (int i = 0; i < N - 1; i++) {
        W[i + i * N] = -1; /* gap = x_(i+1) - x_i - 2R */
        W[i + 1 + i * N] = 1;
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 1;
    }
    carom_impact impact = {.n = N,
                           .p = N - 1,
                           .mass_is_diagonal = true,
                           .M = mass,
                           .u = u,
                           .W = W,
                           .contacts = contacts};
    carom_arena *arena;
    carom_geometry geometry;
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error) ||
        carom_impact_derive(&impact, arena, &geometry, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const struct {
        const char *law;
        double expected[N];
    } cases[] = {{"newton", {-0.6, 0.4, 0.4, 0.4, 0.4}}, {"sequential", {0, 0, 0, 0, 1}}};
    double off = 0;
    for (int k = 0; k < 2; k++) {
        carom_law law = {.ops = carom_law_find(cases[k].law)};
        carom_outcome outcome;
        if (carom_law_apply(&law, &geometry, arena, &outcome, &error)) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        printf("%-10s", cases[k].law);
        for (int i = 0; i < N; i++) {
            printf(" %8.5f", outcome.u[i]);
            off = fmax(off, fabs(outcome.u[i] - cases[k].expected[i]));
        }
        printf("   energy change %.1e\n", outcome.energy_change);
    }
    carom_arena_destroy(arena);
    return off < 1e-13 ? 0 : 1;
}
