/* Random impacts of the worst kind (slip rows that are zero, parallel to the normal or to each
 * other, infinite friction, dependent normals, joints, mass ratios of 1e9, no velocity at all)
 * through the laws that follow one impact: finite answers whose guarantees hold, or a reason. */
#include "impacts.h"

static const double friction[] = {0, 0.1, 0.5, 2, INFINITY}, restitution[] = {0, 0.3, 1};
static const char *const stops[] = {"newton", "poisson", "stronge"};
static const char *const kinds[] = {"frictional", "double", "restitution", "ideal"};

static void make_slip(impacts_case *k, check_random *r, int i, int column)
{
    int n = k->impact.n, count = k->contacts[i].slip_count;
    for (int j = 0; j < count; j++) {
        int shape = check_random_int(r, 6);
        double *h = k->H + (column + j) * n;
        for (int q = 0; q < n; q++)
            h[q] = shape == 0             ? 0
                   : shape == 1           ? 0.7 * k->W[q + i * n]
                   : shape == 2 && j == 1 ? 2 * h[q - n]
                                          : check_random_in(r, -1, 1);
    }
}

static void make(impacts_case *k, check_random *r)
{
    int n = 1 + check_random_int(r, 5), p = 1 + check_random_int(r, 3), column = 0;
    impacts_random(k, r, n, p, check_random_int(r, 2), check_random_int(r, 3) ? 10 : 1e9);
    double e = restitution[check_random_int(r, 3)];
    for (int i = 0; i < p; i++) {
        carom_contact *c = &k->contacts[i];
        c->slip_count = check_random_int(r, 3);
        c->friction_static = friction[check_random_int(r, 5)];
        c->friction_dynamic = fmin(check_random_int(r, 2) ? INFINITY : 0.4, c->friction_static);
        c->restitution = e;
        c->tangential_restitution = 0.5;
        make_slip(k, r, i, column);
        column += c->slip_count;
    }
    if (check_random_int(r, 3))
        impacts_approach(k);
    if (check_random_int(r, 10) == 0)
        memset(k->u, 0, sizeof k->u);
    if (n > 2 && check_random_int(r, 4) == 0) {
        k->impact.m = 1;
        for (int q = 0; q < n; q++)
            k->B[q] = check_random_in(r, -1, 1);
    }
}

static void check_outcome(const carom_geometry *g, const carom_outcome *o)
{
    for (int i = 0; i < g->impact->n; i++)
        assert_true(isfinite(o->u[i]));
    for (int i = 0; i < g->impact->p; i++)
        assert_true(isfinite(o->impulse[i]));
    for (int j = 0; j < g->s; j++)
        assert_true(isfinite(o->tangential_impulse[j]));
    assert_true(o->verdict.momentum_error < 1e-9);
}

static void test_degenerate(void **state)
{
    (void)state;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_random r = {77};
    int answers[3] = {0};
    for (int trial = 0; trial < 4000; trial++) {
        impacts_case k;
        make(&k, &r);
        carom_arena_reset(arena);
        carom_geometry g;
        const char *stop = stops[check_random_int(&r, 3)], *kind = kinds[check_random_int(&r, 4)];
        carom_value value = {.name = "stop", .kind = CAROM_PARAMETER_CHOICE, .text = stop};
        carom_outcome o = impacts_apply(&k.impact, "path", &value, 1, arena, &g);
        if (o.answer == CAROM_ANSWER_OK) {
            check_outcome(&g, &o);
            assert_true(o.verdict.kinetic);
            assert_true(strcmp(stop, "stronge") != 0 || o.verdict.energetic);
            answers[0]++;
        }
        value = (carom_value){.name = "kind", .kind = CAROM_PARAMETER_CHOICE, .text = kind};
        o = impacts_apply(&k.impact, "breakable", &value, 1, arena, &g);
        if (o.answer == CAROM_ANSWER_OK) {
            check_outcome(&g, &o);
            assert_true(o.verdict.energetic);
            answers[1]++;
        }
        o = impacts_apply(&k.impact, "layer", NULL, 0, arena, &g);
        if (o.answer == CAROM_ANSWER_OK) {
            check_outcome(&g, &o);
            assert_true(o.verdict.kinetic && o.verdict.energetic);
            answers[2]++;
        } else {
            assert_true(o.message[0] != '\0');
        }
    }
    carom_arena_destroy(arena);
    assert_true(answers[0] > 1500 && answers[1] > 2500 && answers[2] > 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
