/* Compliant impact of a chain of equal balls (Hertz, elastic), the first one moving: time and error
 * against the same with tolerance 1e-14. Five balls to 1e-8 are asked for within 2 ms. */
#include "carom/carom.h"
#include "measure.h"

#include <math.h>
#include <string.h>

enum { MOST = 100 };

typedef struct chain {
    double M[MOST], u[MOST], W[MOST * MOST];
    carom_contact contacts[MOST];
    carom_impact impact;
    carom_value tolerance;
    carom_law law;
    carom_arena *arena;
    carom_outcome outcome;
    int failures;
} chain;

static void solve(void *self)
{
    chain *c = self;
    carom_geometry geometry;
    carom_arena_reset(c->arena);
    if (carom_impact_derive(&c->impact, c->arena, &geometry, NULL) ||
        carom_law_apply(&c->law, &geometry, c->arena, &c->outcome, NULL) || c->outcome.answer)
        c->failures++;
}

static void make(chain *c, int n)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < n; i++) {
        c->M[i] = 1;
        c->contacts[i] = carom_contact_default();
        c->contacts[i].restitution = 1;
        if (i + 1 < n) {
            c->W[i + i * n] = -1;
            c->W[i + 1 + i * n] = 1;
        }
    }
    c->u[0] = 1;
    c->impact = (carom_impact){.n = n,
                               .p = n - 1,
                               .mass_is_diagonal = true,
                               .M = c->M,
                               .u = c->u,
                               .W = c->W,
                               .contacts = c->contacts};
    c->tolerance = (carom_value){.name = "tolerance", .kind = CAROM_PARAMETER_NUMBER};
    c->law = (carom_law){carom_law_find("lzb"), &c->tolerance, 1};
    if (carom_arena_create(NULL, &c->arena, NULL))
        abort();
}

int main(void)
{
    static chain c;
    static const int sizes[] = {2, 3, 5, 10, 30, 100};
    static const double tolerances[] = {1e-6, 1e-8, 1e-9, 1e-11};
    printf("%6s %10s %12s %12s %8s\n", "balls", "tolerance", "best ms", "error", "steps");
    for (int s = 0; s < 6; s++) {
        double exact[MOST];
        make(&c, sizes[s]);
        c.tolerance.number = 1e-14;
        solve(&c);
        memcpy(exact, c.outcome.u, (size_t)sizes[s] * sizeof *exact);
        for (int k = 0; k < 4; k++) {
            c.tolerance.number = tolerances[k];
            measure_result r = measure(solve, &c);
            double error = 0, steps = 0;
            for (int i = 0; i < sizes[s]; i++)
                error = fmax(error, fabs(c.outcome.u[i] - exact[i]));
            for (int d = 0; d < c.outcome.detail_count; d++)
                if (strcmp(c.outcome.details[d].name, "steps") == 0)
                    steps = c.outcome.details[d].value;
            printf("%6d %10g %12.4f %12.2g %8g\n", sizes[s], tolerances[k], 1e3 * r.best, error,
                   steps);
        }
        carom_arena_destroy(c.arena);
        if (c.failures)
            return 1;
    }
    return 0;
}
