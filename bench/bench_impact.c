/* One impact from statement to verified outcome: chains of balls by Newton's law. With an argument,
 * run that many five-ball impacts and nothing else (for counting instructions). */
#include "carom/carom.h"
#include "measure.h"

#include <math.h>
#include <string.h>

typedef struct chain {
    carom_impact impact;
    carom_law law;
    carom_arena *arena;
    carom_outcome outcome;
    int failures;
} chain;

static void solve(void *self)
{
    chain *c = self;
    carom_geometry geometry;
    carom_error error;
    carom_arena_reset(c->arena);
    if (carom_impact_derive(&c->impact, c->arena, &geometry, &error) ||
        carom_law_apply(&c->law, &geometry, c->arena, &c->outcome, &error) ||
        !c->outcome.verdict.energetic)
        c->failures++;
}

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static chain make_chain(int n)
{
    size_t size = (size_t)n;
    double *M = must(calloc(size, sizeof *M)), *u = must(calloc(size, sizeof *u));
    double *W = must(calloc(size * (size - 1), sizeof *W));
    carom_contact *contacts = must(calloc(size, sizeof *contacts));
    u[0] = 1;
    for (size_t i = 0; i < size; i++)
        M[i] = 1;
    for (size_t i = 0; i + 1 < size; i++) {
        W[i + i * size] = -1;
        W[i + 1 + i * size] = 1;
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 1;
    }
    chain c = {.impact = {.n = n,
                          .p = n - 1,
                          .mass_is_diagonal = true,
                          .M = M,
                          .u = u,
                          .W = W,
                          .contacts = contacts},
               .law = {.ops = carom_law_find("newton")}};
    if (carom_arena_create(NULL, &c.arena, NULL))
        abort();
    return c;
}

static double largest_error(const chain *c)
{
    int n = c->impact.n;
    double error = fabs(c->outcome.u[0] - (1 - 2.0 * (n - 1) / n));
    for (int i = 1; i < n; i++)
        error = fmax(error, fabs(c->outcome.u[i] - 2.0 / n));
    return error;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        chain c = make_chain(5);
        for (long k = atol(argv[1]); k > 0; k--)
            solve(&c);
        return c.failures != 0;
    }
    static const int sizes[] = {2, 3, 5, 11, 51, 201, 1000};
    printf("%8s %14s %14s %12s\n", "balls", "best us", "median us", "error");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        chain c = make_chain(sizes[k]);
        measure_result r = measure(solve, &c);
        printf("%8d %14.3f %14.3f %12.2g\n", sizes[k], 1e6 * r.best, 1e6 * r.median,
               largest_error(&c));
        if (c.failures)
            return 1;
    }
    return 0;
}
