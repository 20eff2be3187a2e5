/* carom_check: one call for everything, limits on work, and what else it finds: conservative
 * matrices, the matrix of an outcome, forces under a load. */
#include "carom/check.h"
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

/* E'G^-1E = G^-1, E >= 0, G^-1(I+E) >= 0 for two contacts, from the Delassus matrix alone. */
static double miss(const carom_geometry *g, const double *E, bool *consistent)
{
    const double a = g->D[2] / sqrt(g->D[0] * g->D[3]), d = 1 - a * a;
    const double K[4] = {1 / d, -a / d, -a / d, 1 / d};
    double worst = 0;
    *consistent = true;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double form = -K[i + 2 * j], push = K[i + 2 * j];
            for (int k = 0; k < 2; k++) {
                push += K[i + 2 * k] * E[k + 2 * j];
                for (int l = 0; l < 2; l++)
                    form += E[k + 2 * i] * K[k + 2 * l] * E[l + 2 * j];
            }
            worst = fmax(worst, fabs(form));
            *consistent = *consistent && E[i + 2 * j] >= -1e-9 && push >= -1e-9;
        }
    return worst;
}

/* The arcs are exactly the consistent matrices among E = L O L^-1. */
static void conservative(void **state)
{
    (void)state;
    family f = family_start("conservative matrices of two contacts", 61, 500);
    const double turn = 2 * CAROM_PI;
    int several = 0;
    while (family_next(&f)) {
        impacts_case c;
        carom_geometry g;
        carom_conservative found;
        carom_arena_reset(arena);
        impacts_random(&c, &f.random, 3, 2, false, 10);
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        const double one[4] = {1, 0, 0, 1}, half[4] = {0.5, 0, 0, 0.5};
        check_ok(carom_conservative_find(&g, half, arena, &found, NULL), NULL);
        family_check(&f, found.conservative == CAROM_FALSE && found.freedoms == 1, "half keeps");
        check_ok(carom_conservative_find(&g, one, arena, &found, NULL), NULL);
        family_check(&f, found.conservative == CAROM_TRUE, "E = I does not keep");
        family_check(&f, found.unique != CAROM_TRUE || found.arc_count <= 1, "unique, but %d arcs",
                     found.arc_count);
        several += found.arc_count > 1;
        const double a = g.D[2] / sqrt(g.D[0] * g.D[3]), d = sqrt(1 - a * a);
        for (int k = 0; k < 720; k++) {
            const bool reflection = k >= 360;
            const double t = turn * (k % 360 + 0.5) / 360, cs = cos(t), sn = sin(t);
            const double O[4] = {cs, sn, reflection ? sn : -sn, reflection ? -cs : cs};
            /* E = L O L^-1, L = [1 0; a d] */
            const double LO[4] = {O[0], a * O[0] + d * O[1], O[2], a * O[2] + d * O[3]};
            const double E[4] = {LO[0] - LO[2] * a / d, LO[1] - LO[3] * a / d, LO[2] / d,
                                 LO[3] / d};
            bool consistent, listed = false, near = false;
            double off = miss(&g, E, &consistent);
            family_check(&f, off < 1e-9 / (d * d), "not conservative by %g", off);
            for (int i = 0; i < found.arc_count; i++) {
                const carom_conservative_arc *arc = &found.arcs[i];
                for (int lap = -1; lap <= 1; lap++) {
                    const double x = t + lap * turn;
                    if (arc->reflection != reflection)
                        continue;
                    listed = listed || (x >= arc->from && x <= arc->to);
                    near = near || fabs(x - arc->from) < 1e-6 || fabs(x - arc->to) < 1e-6;
                }
            }
            family_check(&f, listed == consistent || near, "angle %g: %s, but %s", t,
                         consistent ? "consistent" : "not consistent",
                         listed ? "listed" : "not listed");
        }
        for (int i = 0; i < found.arc_count; i++) {
            bool consistent;
            double off = miss(&g, found.arcs[i].E_from, &consistent);
            family_check(&f, consistent && off < 1e-8 / (d * d), "the end of an arc misses by %g",
                         off);
        }
    }
    assert_true(several > 50);
    family_end(&f);
}

/* v+ = -E v- for the outcome given, whatever it is. */
static void outcome_matrix(void **state)
{
    (void)state;
    family f = family_start("restitution matrix of an outcome", 62, 500);
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        carom_quasi q;
        carom_outcome_matrix m;
        carom_arena_reset(arena);
        const int p = 1 + check_random_int(r, 3), n = p + check_random_int(r, 3);
        impacts_random(&c, r, n, p, false, 100);
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        check_ok(carom_quasi_make(&g, arena, &q, NULL), NULL);
        double u[IMPACTS_N], before[IMPACTS_N], after[IMPACTS_N];
        const bool smooth = check_random_int(r, 2);
        memcpy(u, c.u, sizeof u);
        for (int i = 0; i < p && smooth; i++) { /* normal impulses keep v_t */
            const double impulse = check_random_in(r, -1, 1);
            for (int k = 0; k < n; k++)
                u[k] += impulse * g.Y[k + i * n];
        }
        for (int k = 0; k < n && !smooth; k++)
            u[k] = check_random_in(r, -1, 1);
        check_ok(carom_outcome_matrix_find(&g, u, arena, &m, NULL), NULL);
        carom_quasi_from_velocity(&q, c.u, before);
        carom_quasi_from_velocity(&q, u, after);
        family_check(&f, m.exists && m.size == (smooth || n == p ? p : n), "size %d", m.size);
        for (int i = 0; i < m.size; i++) {
            double sum = after[i], size = 0;
            for (int j = 0; j < m.size; j++) {
                sum += m.E[i + j * m.size] * before[j];
                size += fabs(m.E[i + j * m.size] * before[j]);
            }
            family_check(&f, fabs(sum) <= 1e-11 * (size + fabs(after[i])), "row %d off by %g", i,
                         sum);
        }
        for (int i = 0; i < p && m.has_diagonal; i++)
            family_check(&f, fabs(after[i] + m.diagonal[i] * before[i]) <= 1e-12 * fabs(after[i]),
                         "diagonal");
    }
    family_end(&f);
    /* nothing moves before, something after: there is none */
    impacts_case c;
    carom_geometry g;
    carom_outcome_matrix m;
    const double u[2] = {1, 1}, rest[2] = {0, 0};
    impacts_init(&c, 2, 1);
    c.M[0] = c.M[3] = c.W[0] = 1;
    c.impact.u = rest;
    check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
    check_ok(carom_outcome_matrix_find(&g, u, arena, &m, NULL), NULL);
    assert_false(m.exists);
    check_ok(carom_outcome_matrix_find(&g, rest, arena, &m, NULL), NULL);
    assert_true(m.exists && m.has_diagonal && isnan(m.diagonal[0]));
}

static bool count_down(void *self, const char *what, double done)
{
    int *left = self;
    assert_non_null(what);
    assert_true(done >= 0 && done <= 1);
    return --*left > 0;
}

/* Seven rough contacts on seven bodies in a row: limits end what is dear, a caller ends all. */
static void limits(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    carom_check_answer *a = carom_arena_take(arena, sizeof *a);
    check_random r = {5};
    carom_error error = {0};
    const carom_law law = {carom_law_find("newton"), NULL, 0};
    impacts_random(&c, &r, 9, 7, false, 10);
    for (int i = 0; i < 7; i++) {
        for (int k = 0; k < 9; k++)
            c.H[k + 9 * i] = check_random_in(&r, -1, 1);
        c.contacts[i].slip_count = 1;
        c.contacts[i].friction_static = c.contacts[i].friction_dynamic = 0.4;
        c.contacts[i].restitution = 0.1 * i;
    }
    impacts_approach(&c);
    check_ok(carom_impact_derive(&c.impact, arena, &g, &error), &error);
    carom_check_request request = {.geometry = &g, .law = &law};
    check_ok(carom_check(&request, arena, a, &error), &error);
    assert_true(a->has_critical && a->has_coefficients && a->has_micro_gaps && !a->stopped);
    const int all = a->certificates.count;
    for (int k = 0; k < all; k++) { /* nothing is shown that was not run */
        const carom_certificate *one = &a->certificates.list[k];
        assert_true(!one->counterexample || one->verified);
        assert_true(one->text[0] != '\0');
    }
    request.parts = CAROM_CHECK_CERTIFICATES;
    check_ok(carom_check(&request, arena, a, &error), &error);
    assert_true(a->certificates.count == all && !a->has_critical && !a->has_micro_gaps);
    request.parts = 0;
    for (int left = 1; left < 2000; left *= 5) {
        int calls = left;
        const carom_watch watch = {count_down, &calls};
        request.watch = &watch;
        check_ok(carom_check(&request, arena, a, &error), &error);
        assert_true(a->stopped || left > 500);
        assert_true(calls >= -1); /* it is not asked again and again */
    }
    request.watch = NULL;
    request.effort = 1e-9;
    check_ok(carom_check(&request, arena, a, &error), &error);
    assert_true(a->limited && !a->stopped);
    /* misuse is an error with a name */
    assert_int_equal(carom_check(NULL, arena, a, &error), CAROM_ERROR_ARGUMENT);
    request.geometry = NULL;
    assert_int_equal(carom_check(&request, arena, a, &error), CAROM_ERROR_ARGUMENT);
}

enum { LONG = 260 }; /* balls in a row, with a different coefficient at every contact */

/* A long row is looked at in steps of many operations; wherever the caller ends it, no further step
 * is begun, and what is left open says that it was stopped. */
static void long_row(void **state)
{
    (void)state;
    static double M[LONG], u[LONG], W[LONG * LONG];
    static carom_contact contacts[LONG];
    for (int i = 0; i < LONG; i++) {
        M[i] = 1 + i % 7;
        u[i] = -i;
        contacts[i] =
            (carom_contact){.restitution = 0.1 + 0.2 * (i % 5), .stiffness = 1, .exponent = 1.5};
        W[i + i * LONG] = -1;
        if (i + 1 < LONG)
            W[i + 1 + i * LONG] = 1;
    }
    const carom_impact impact = {.n = LONG,
                                 .p = LONG - 1,
                                 .mass_is_diagonal = true,
                                 .M = M,
                                 .u = u,
                                 .W = W,
                                 .contacts = contacts};
    carom_geometry g;
    carom_check_answer *a = carom_arena_take(arena, sizeof *a);
    carom_error error = {0};
    const carom_law law = {carom_law_find("newton"), NULL, 0};
    check_ok(carom_impact_derive(&impact, arena, &g, &error), &error);
    int open = 0;
    for (int left = 1; left <= 12; left++) {
        int calls = left;
        const carom_watch watch = {count_down, &calls};
        const carom_check_request request = {.geometry = &g, .law = &law, .watch = &watch};
        carom_mark mark = carom_arena_mark(arena);
        check_ok(carom_check(&request, arena, a, &error), &error);
        assert_true(a->stopped);
        assert_int_equal(calls, 0);
        for (int k = 0; k < a->certificates.count; k++) {
            const carom_certificate *one = &a->certificates.list[k];
            assert_true(one->text[0] != '\0');
            if (one->applies && one->holds == CAROM_UNDECIDED) {
                assert_non_null(strstr(one->text, "stopped"));
                open++;
            }
        }
        carom_arena_rewind(arena, mark);
    }
    assert_true(open > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservative),
        cmocka_unit_test(outcome_matrix),
        cmocka_unit_test(limits),
        cmocka_unit_test(long_row),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
