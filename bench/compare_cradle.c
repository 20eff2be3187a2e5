/* Task cradle: Newton's cradle as users meet it. Five equal balls on a line, the first arrives with
 * speed 1, restitution 1; the four others touch, overlap by 1e-4 of a diameter or stand apart by as
 * much. One row an engine: the speeds after, the errors of momentum and energy. Times do not matter
 * here; the answers do. */
#include "balls.h"

enum { N = 5 };

static void row(const char *how, const char *engine, const char *version, const char *variant,
                const double *u)
{
    double momentum = -1, energy = -1;
    for (int i = 0; i < N; i++) {
        momentum += u[i];
        energy += u[i] * u[i];
    }
    printf("cradle,%s,%s,%s,%s,,,,,,,ok,%.3f %.3f %.3f %.3f %.3f|%.1e|%.1e\n", how, engine, version,
           variant, u[0], u[1], u[2], u[3], u[4], momentum, energy);
    fflush(stdout);
}

/* Ours at the instant of the impact: the law is a choice, stated by the user. */
static void by_law(const char *how, const char *law_name)
{
    double M[N] = {1, 1, 1, 1, 1}, u[N] = {1}, W[N * (N - 1)] = {0};
    carom_contact contacts[N - 1];
    for (int i = 0; i + 1 < N; i++) {
        W[i + i * N] = -1;
        W[i + 1 + i * N] = 1;
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 1;
    }
    carom_impact impact = {
        .n = N, .p = N - 1, .mass_is_diagonal = true, .M = M, .u = u, .W = W, .contacts = contacts};
    carom_law law = {.ops = carom_law_find(law_name)};
    carom_geometry geometry;
    carom_outcome outcome;
    carom_arena *arena;
    if (!law.ops || carom_arena_create(NULL, &arena, NULL))
        return;
    if (carom_impact_derive(&impact, arena, &geometry, NULL) == CAROM_OK &&
        carom_law_apply(&law, &geometry, arena, &outcome, NULL) == CAROM_OK)
        row(how, "carom", contest_version("carom"), law_name, outcome.u);
    carom_arena_destroy(arena);
}

int main(void)
{
    static const char *const hows[] = {"touching", "overlapping 1e-4", "separated 1e-4"};
    static const double gaps[] = {0, -1e-4, 1e-4};
    double r = 0.125;
    for (int k = 0; k < 3; k++) {
        double x[N], u[N] = {1}, after[N], where[N];
        for (int i = 0; i < N; i++)
            x[i] = i == 0 ? -0.05 : 2 * r * i + 2 * r * gaps[k] * (i - 1);
        balls_scene scene = {N, r, 1, 0, 1, 0, x, u, 1e-3, 500};
        if (k == 0) {
            by_law(hows[k], "newton");
            by_law(hows[k], "poisson");
            by_law(hows[k], "lzb");
            by_law(hows[k], "sequential");
        }
        if (k != 1 && balls_run(&scene, CAROM_FLOW_EVENT_DRIVEN, where, after) >= 0)
            row(hows[k], "carom", contest_version("carom"), "event-driven newton", after);
        if (k == 1) /* our event-driven motion refuses to start from overlap, and says so */
            contest_skip("cradle", hows[k], "carom", "event-driven: a start in overlap is refused");
        if (balls_run(&scene, CAROM_FLOW_TIME_STEPPING, where, after) >= 0)
            row(hows[k], "carom", contest_version("carom"), "moreau-jean", after);
        for (const peer_engine *g = engines; g->name; g++)
            if ((g == engines || strcmp(g->name, g[-1].name) != 0) && /* its default is enough */
                g->balls(&scene, where, after) >= 0)
                row(hows[k], g->name, contest_version(g->name), g->balls_variant, after);
    }
    return 0;
}
