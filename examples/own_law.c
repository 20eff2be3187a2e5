/* A law of one's own, with a promise and a closed form of its own. The library takes any table
 * carom_law_ops: here "rebound", by which every closed contact gives back the same part e of its
 * velocity, all at once, whatever its neighbours do. Two balls before a wall: the first hits the
 * wall, the second hits the first; then the second leaves the first instead.
 *
 * With gamma+ = -e gamma- the impulses are L = -(1 + e) D^-1 gamma-, and the energy changes by
 * L'gamma- + L'DL/2 = -(1 - e^2)/2 gamma-' D^-1 gamma- <= 0: no gain is promised always. Contacts
 * that were closing separate; one that was leaving would come back, so that separation is
 * promised only where nothing leaves. Nothing is said about impulses: they may pull. */
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

/* D L = -(1 + e) gamma by Gauss-Seidel, which converges since D is positive definite. */
static carom_status apply(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    (void)arena, (void)error;
    const int p = g->impact->p;
    const double e = carom_law_number(law, "e");
    for (int sweep = 0; sweep < 200; sweep++)
        for (int i = 0; i < p; i++) {
            double r = (1 + e) * g->gamma[i];
            for (int j = 0; j < p; j++)
                r += g->D[i + j * p] * outcome->impulse[j];
            outcome->impulse[i] -= r / g->D[i + i * p];
        }
    carom_outcome_from_impulses(g, outcome);
    return CAROM_OK;
}

/* The closed form of one contact alone, gamma+ = -e gamma-: motions use it where only one closes.
 */
static double single(const carom_law *law, const carom_contact *contact)
{
    (void)contact;
    return carom_law_number(law, "e");
}

static carom_status promise(const carom_law *law, const carom_geometry *g, carom_arena *arena,
                            carom_promise *made, carom_error *error)
{
    (void)law, (void)arena, (void)error;
    made->energetic = made->kinematic = true;
    for (int i = 0; i < g->impact->p; i++)
        made->kinematic = made->kinematic && g->gamma[i] <= 0;
    snprintf(made->text, sizeof made->text, "never gains energy%s",
             made->kinematic ? "; contacts separate" : "; a contact that leaves would come back");
    return CAROM_OK;
}

static const carom_parameter parameters[] = {
    {.name = "e", .doc = "part of the velocity given back", .number = 1, .lower = 0, .upper = 1},
    {0}};

static const carom_law_ops rebound = {
    .name = "rebound",
    .summary = "every closed contact gives back the part e of its velocity",
    .reference = "this example",
    .parameters = parameters,
    .apply = apply,
    .single = single,
    .promise = promise,
};

/* p contacts, velocities u before: does the law give the velocities `after`, and the verdict on
 * separation that it should, and keep its promise? */
static bool check(int p, const double *u, const double *after, bool separates)
{
    const double mass[] = {1, 2}, normals[] = {1, 0, -1, 1}; /* wall - ball 1, ball 1 - ball 2 */
    const carom_value half = {.name = "e", .number = 0.5};
    const carom_law law = {.ops = &rebound, .values = &half, .value_count = 1};
    carom_impact impact = {
        .n = 2, .p = p, .mass_is_diagonal = true, .M = mass, .u = u, .W = normals};
    carom_arena *arena;
    carom_geometry geometry;
    carom_outcome outcome;
    carom_promise made = {0};
    carom_error error = {0};
    if (carom_arena_create(NULL, &arena, &error) ||
        carom_impact_derive(&impact, arena, &geometry, &error) ||
        carom_law_apply(&law, &geometry, arena, &outcome, &error) ||
        carom_law_promise(&law, &geometry, arena, &made, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    printf("u+ = (%g, %g): %s\n", outcome.u[0], outcome.u[1], made.text);
    bool right = hypot(outcome.u[0] - after[0], outcome.u[1] - after[1]) < 1e-12;
    right = right && outcome.verdict.kinematic == separates && made.kinematic == separates;
    right = right && made.energetic && carom_law_keeps(&made, &outcome, NULL);
    carom_arena_destroy(arena);
    return right;
}

int main(void)
{
    /* gamma- = (-1, -0.5) gives gamma+ = (0.5, 0.25); (-1, 1.5) gives (0.5, -0.75). */
    const double both[] = {-1, -1.5}, both_after[] = {0.5, 0.75};
    const double leaving[] = {-1, 0.5}, leaving_after[] = {0.5, -0.25};
    const double alone_after[] = {0.5, 0.5}; /* ball 1 and the wall alone: u1 = -e u1 */
    bool right = check(2, both, both_after, true);
    right = check(2, leaving, leaving_after, false) && right;
    right = check(1, leaving, alone_after, true) && right;
    return right ? 0 : 1;
}
