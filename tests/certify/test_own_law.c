/* What carom_check says of the scene's own law: that no approaching velocity gains energy with
 * friction, and whether it does the same as the law that was judged, both against the verdicts of
 * the law itself. */
#include "carom/check.h"
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

/* Two contacts with small whole numbers: slips in the span of the normals are frequent. */
static void draw(impacts_case *c, check_random *r, bool rough)
{
    const int n = 2 + check_random_int(r, 2);
    impacts_init(c, n, 2);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n; k++)
        c->M[k] = 1 + check_random_int(r, 2);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < n; k++) {
            c->W[k + i * n] = check_random_int(r, 5) - 2;
            c->H[k + i * n] = check_random_int(r, 7) - 3;
        }
        c->W[i + i * n] += c->W[i + i * n] == 0;
        c->contacts[i].slip_count = rough;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic =
            0.25 * check_random_int(r, 4);
        c->contacts[i].restitution = 0.25 * check_random_int(r, 5);
    }
    for (int k = 0; k < n; k++)
        c->u[k] = check_random_int(r, 7) - 3;
    impacts_approach(c);
}

/* A random velocity u; do all contacts approach? */
static bool approaching(const impacts_case *c, check_random *r, double *u)
{
    const int n = c->impact.n;
    bool all = true;
    for (int k = 0; k < n; k++)
        u[k] = check_random_in(r, -1, 1);
    for (int i = 0; i < c->impact.p; i++) {
        double gamma = 0;
        for (int k = 0; k < n; k++)
            gamma += c->W[k + i * n] * u[k];
        all = all && gamma <= 0;
    }
    return all;
}

/* The energy verdict of the law from the velocity u: false when it, or an alternative, gains. */
static bool keeps(const impacts_case *c, const carom_law *law, const double *u)
{
    carom_impact impact = c->impact;
    carom_geometry g;
    carom_outcome o = {0};
    carom_error error = {0};
    impact.u = u;
    check_ok(carom_impact_derive(&impact, arena, &g, &error), &error);
    check_ok(carom_outcome_create(&g, arena, &o, &error), &error);
    check_ok(carom_law_apply(law, &g, arena, &o, &error), &error);
    if (o.answer != CAROM_ANSWER_OK && o.answer != CAROM_ANSWER_SEVERAL)
        return true;
    bool kept = o.verdict.energetic;
    for (int k = 0; k < o.alternative_count; k++)
        kept = kept && o.alternatives[k].verdict.energetic;
    return kept;
}

static const carom_check_answer *check(const impacts_case *c, const carom_law *law)
{
    carom_geometry *g = carom_arena_take(arena, sizeof *g);
    carom_check_answer *a = carom_arena_take(arena, sizeof *a);
    carom_error error = {0};
    check_ok(carom_impact_derive(&c->impact, arena, g, &error), &error);
    const carom_check_request request = {
        .geometry = g, .law = law, .parts = CAROM_CHECK_CERTIFICATES};
    check_ok(carom_check(&request, arena, a, &error), &error);
    return a;
}

/* Where friction-energy holds the scene's law never gains; where it fails for it, it does. */
static void friction_energy(void **state)
{
    (void)state;
    const carom_law laws[] = {{carom_law_find("coulomb"), NULL, 0},
                              {carom_law_find("coulomb"), NULL, 0},
                              {carom_law_find("poisson"), NULL, 0},
                              {carom_law_find("matrix"), NULL, 0}};
    family f = family_start("friction-energy of the scene's law", 71, 600);
    int holds = 0, own = 0;
    while (family_next(&f)) {
        impacts_case c;
        carom_arena_reset(arena);
        const carom_law *law = &laws[check_random_int(&f.random, 4)];
        draw(&c, &f.random, true);
        const carom_certificate *e =
            carom_certificates_find(&check(&c, law)->certificates, "friction-energy");
        if (!e->applies)
            continue;
        holds += e->holds == CAROM_TRUE;
        if (e->holds == CAROM_FALSE && e->own == CAROM_TRUE) {
            own += strcmp(e->law, law->ops->name) == 0;
            family_check(&f, !keeps(&c, law, e->counterexample),
                         "%s does not gain where it is said", law->ops->name);
        }
        family_check(&f, e->holds != CAROM_TRUE || keeps(&c, law, c.u), "%s gains at its velocity",
                     law->ops->name);
        for (int k = 0; k < 200 && e->holds == CAROM_TRUE; k++) {
            double u[IMPACTS_N] = {0};
            if (approaching(&c, &f.random, u))
                family_check(&f, keeps(&c, law, u), "%s gains, said that no velocity does (%s)",
                             law->ops->name, e->text);
        }
    }
    printf("friction-energy of the scene's law: %d hold, %d refuted by the law itself\n", holds,
           own);
    assert_true(holds > 50 && own > 5);
    family_end(&f);
}

/* "The scene's law does the same" is the verdict of that law, rounding apart. */
static void same_there(void **state)
{
    (void)state;
    const carom_law law = {carom_law_find("newton"), NULL, 0};
    family f = family_start("counter-examples by the scene's law", 72, 400);
    int same = 0, other = 0;
    while (family_next(&f)) {
        impacts_case c;
        carom_arena_reset(arena);
        draw(&c, &f.random, false);
        const carom_certificates *all = &check(&c, &law)->certificates;
        for (int k = 0; k < all->count; k++) {
            const carom_certificate *e = &all->list[k];
            if (!e->counterexample || strncmp(e->name, "energy-", 7) != 0)
                continue;
            const bool kept = keeps(&c, &law, e->counterexample);
            family_check(&f, e->own == CAROM_UNDECIDED || (e->own == CAROM_FALSE) == kept,
                         "%s: said %s, energy %s", e->name, carom_truth_text(e->own),
                         kept ? "kept" : "gained");
            /* Newton's law in its inequality form never gains where contacts approach. */
            family_check(&f, e->scope != CAROM_SCOPE_APPROACHING || e->own != CAROM_TRUE,
                         "%s: newton gains", e->name);
            same += e->own == CAROM_TRUE;
            other += e->own == CAROM_FALSE;
        }
    }
    printf("counter-examples by newton: %d do the same, %d do not\n", same, other);
    assert_true(other > 50);
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_energy),
        cmocka_unit_test(same_there),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
