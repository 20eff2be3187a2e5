/* Task lzb: multiple impact of Liu, Zhao and Brogliato, balls that touch (Hertz, restitution 1),
 * the first one moving; accuracy 1e-6 of the speeds. The reference is ours at tolerance 1e-14,
 * which the tests compare with a fixed-step integration that knows nothing of it. */
#include "balls.h"

enum { MOST = 16 };

typedef struct entry {
    int n;
    double tolerance, step; /* step > 0: the peer's */
    double u[MOST], x0[MOST], u0[MOST];
    const double *exact;
    char variant[40];
    carom_arena *arena;
} entry;

static double run_ours(void *self)
{
    entry *e = self;
    double M[MOST], W[MOST * MOST] = {0};
    carom_contact contacts[MOST];
    for (int i = 0; i < e->n; i++) {
        M[i] = 1;
        contacts[i] = carom_contact_default();
        contacts[i].restitution = 1;
        if (i + 1 < e->n) {
            W[i + i * e->n] = -1;
            W[i + 1 + i * e->n] = 1;
        }
    }
    carom_impact impact = {.n = e->n,
                           .p = e->n - 1,
                           .mass_is_diagonal = true,
                           .M = M,
                           .u = e->u0,
                           .W = W,
                           .contacts = contacts};
    carom_value tolerance = {
        .name = "tolerance", .kind = CAROM_PARAMETER_NUMBER, .number = e->tolerance};
    carom_law law = {carom_law_find("lzb"), &tolerance, 1};
    carom_geometry geometry;
    carom_outcome outcome;
    double begin = contest_now();
    carom_arena_reset(e->arena);
    if (carom_impact_derive(&impact, e->arena, &geometry, NULL) ||
        carom_law_apply(&law, &geometry, e->arena, &outcome, NULL) || outcome.answer)
        return -1;
    double spent = contest_now() - begin;
    memcpy(e->u, outcome.u, (size_t)e->n * sizeof *e->u);
    return spent;
}

#ifdef WITH_SICONOS
static double run_siconos(void *self)
{
    entry *e = self;
    balls_scene scene = {e->n, 0.125, 1, 0, 1, 0, e->x0, e->u0, 0x1p-12, 2};
    return siconos_lzb(&scene, e->step, e->u);
}
#endif

static double error(void *self)
{
    entry *e = self;
    double worst = 0;
    for (int i = 0; i < e->n; i++)
        worst = fmax(worst, fabs(e->u[i] - e->exact[i]));
    return worst;
}

static entry make(int n, double tolerance, double step, const double *exact)
{
    entry e = {.n = n, .tolerance = tolerance, .step = step, .exact = exact, .u0 = {1}};
    for (int i = 0; i < n; i++)
        e.x0[i] = 0.25 * i - (i == 0 ? 0x1p-20 : 0);
    snprintf(e.variant, sizeof e.variant, step > 0 ? "impulse step %g" : "tolerance %g",
             step > 0 ? step : tolerance);
    if (carom_arena_create(NULL, &e.arena, NULL))
        abort();
    return e;
}

static void compete(int n, double required)
{
    static const double steps[] = {1e-3, 1e-4, 1e-5, 1e-6};
    entry reference = make(n, 1e-14, 0, NULL), entries[8];
    contestant list[8];
    char name[40];
    int count = 0;
    if (run_ours(&reference) < 0)
        abort();
    snprintf(name, sizeof name, "%d balls to %g", n, required);
    contest c = {"lzb", name, required, 20, 3, 0};
    entries[count] = make(n, required / 10, 0, reference.u);
    list[count] = (contestant){.engine = "carom",
                               .variant = entries[count].variant,
                               .timed = run_ours,
                               .error = error,
                               .self = &entries[count]};
    count++;
#ifdef WITH_SICONOS
    for (int k = 0; k < 4; k++, count++) {
        entries[count] = make(n, 0, steps[k], reference.u);
        list[count] = (contestant){.engine = "siconos",
                                   .variant = entries[count].variant,
                                   .timed = run_siconos,
                                   .error = error,
                                   .self = &entries[count]};
    }
#else
    (void)steps;
#endif
    contest_run(&c, list, count);
    for (int k = 0; k < count; k++)
        carom_arena_destroy(entries[k].arena);
    carom_arena_destroy(reference.arena);
}

int main(void)
{
    compete(3, 1e-3);
    compete(3, 1e-6);
    compete(5, 1e-3);
    compete(5, 1e-6);
    return 0;
}
