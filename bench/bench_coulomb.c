/* Impacts with friction, from statement to verified outcome: a planar body on two contacts with all
 * its modes, and piles of spatial contacts by sweeps. Goal: two planar contacts in 5 us. */
#include "carom/carom.h"
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct problem {
    carom_impact impact;
    carom_law law;
    carom_arena *arena;
    carom_outcome outcome;
    int failures;
} problem;

static void solve(void *self)
{
    problem *c = self;
    carom_geometry geometry;
    carom_error error;
    carom_arena_reset(c->arena);
    if (carom_impact_derive(&c->impact, c->arena, &geometry, &error) ||
        carom_law_apply(&c->law, &geometry, c->arena, &c->outcome, &error) ||
        c->outcome.answer == CAROM_ANSWER_FAILED || !c->outcome.verdict.kinetic)
        c->failures++;
}

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static problem make(int n, int p, int slips)
{
    problem c = {.law = {.ops = carom_law_find("coulomb")}};
    carom_contact *contacts = must(calloc((size_t)p, sizeof *contacts));
    for (int i = 0; i < p; i++) {
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 0.5;
        contacts[i].friction_static = contacts[i].friction_dynamic = 0.3;
        contacts[i].slip_count = slips;
    }
    c.impact = (carom_impact){.n = n,
                              .p = p,
                              .mass_is_diagonal = true,
                              .M = must(calloc((size_t)n, sizeof(double))),
                              .u = must(calloc((size_t)n, sizeof(double))),
                              .W = must(calloc((size_t)(n * p), sizeof(double))),
                              .H = must(calloc((size_t)(n * p * slips), sizeof(double))),
                              .contacts = contacts};
    if (carom_arena_create(NULL, &c.arena, NULL))
        abort();
    return c;
}

/* Width l, height h, falling on two corners with spin and sideways speed. */
static problem block(void)
{
    problem c = make(3, 2, 1);
    double *M = (double *)c.impact.M, *u = (double *)c.impact.u, *W = (double *)c.impact.W;
    double *H = (double *)c.impact.H, l = 1, h = 2;
    M[0] = M[1] = 1;
    M[2] = (l * l + h * h) / 12;
    u[0] = 0.7;
    u[1] = -1;
    u[2] = 0.2;
    for (int i = 0; i < 2; i++) {
        W[3 * i + 1] = 1;
        W[3 * i + 2] = i ? -l / 2 : l / 2;
        H[3 * i] = 1;
        H[3 * i + 2] = h / 2;
    }
    return c;
}

/* A vertical stack of balls on a floor, all falling, spatial friction (x, y, z, three spins). */
static problem stack(int balls)
{
    problem c = make(6 * balls, balls, 2);
    double *M = (double *)c.impact.M, *u = (double *)c.impact.u, *W = (double *)c.impact.W;
    double *H = (double *)c.impact.H;
    int n = c.impact.n;
    for (int k = 0; k < balls; k++) {
        double *v = u + 6 * k;
        for (int j = 0; j < 6; j++)
            M[6 * k + j] = j < 3 ? 1 : 0.4;
        v[0] = 0.3 * sin(k);
        v[1] = 0.2 * cos(2 * k);
        v[2] = -1;
        v[3] = 0.1 * k / balls;
        double *w = W + (size_t)k * n, *h0 = H + (size_t)(2 * k) * n, *h1 = h0 + n;
        w[6 * k + 2] = 1;
        h0[6 * k] = h1[6 * k + 1] = 1; /* velocity of the lowest point */
        h0[6 * k + 4] = -1;
        h1[6 * k + 3] = 1;
        if (k > 0) { /* minus that of the top of the ball below */
            int b = 6 * (k - 1);
            w[b + 2] = -1;
            h0[b] = h1[b + 1] = -1;
            h0[b + 4] = -1;
            h1[b + 3] = 1;
        }
    }
    return c;
}

static void report(const char *name, problem c, double goal)
{
    double seconds = measure(solve, &c).median;
    printf("%-28s %10.2f us", name, 1e6 * seconds);
    if (goal > 0)
        printf("   goal %g us%s", 1e6 * goal, seconds <= goal ? "" : "  MISSED");
    printf("   residual %.1e%s\n", c.outcome.details[1].value, c.failures ? "  FAILED" : "");
    carom_arena_destroy(c.arena);
}

int main(void)
{
    report("planar block, 2 contacts", block(), 5e-6);
    report("stack of 3 balls, spatial", stack(3), 0);
    report("stack of 10 balls, spatial", stack(10), 0);
    report("stack of 60 balls, spatial", stack(60), 0);
    return 0;
}
