/* Promises against verdicts: all laws on random scenes of every kind. A promise is a proof, so that
 * one that the outcome breaks is a defect, of the promise, of the law or of the verdict. */
#include "exact_impact.h"
#include "family.h"

CHECK_ARENA(arena);

enum { CONTACTS = 4, SPREADS = 8 };

/* A scene with everything the generator of exact scenes does not have. */
typedef struct scene {
    impacts_case c;
    double spread[IMPACTS_N * SPREADS];
    int start[CONTACTS + 1], group[CONTACTS];
    carom_region region;
} scene;

static double any(check_random *r)
{
    return check_random_int(r, 2) ? exact_quarter(r, 1) : check_random_in(r, -1, 1);
}

/* Slip rows, planar or spatial, with friction of all sizes. */
static void add_friction(scene *s, check_random *r)
{
    impacts_case *c = &s->c;
    int n = c->impact.n, column = 0;
    for (int i = 0; i < c->impact.p; i++) {
        carom_contact *contact = &c->contacts[i];
        contact->slip_count = check_random_int(r, 4) ? 1 + (check_random_int(r, 4) == 0) : 0;
        static const double mu[] = {0, 0.25, 0.5, 1, 3, 0.1};
        contact->friction_static = mu[check_random_int(r, 6)];
        contact->friction_dynamic =
            contact->friction_static * (check_random_int(r, 2) ? 1 : check_random_in(r, 0, 1));
        contact->tangential_restitution = check_random_int(r, 3) ? 0 : check_random_in(r, 0, 1);
        for (int k = 0; k < contact->slip_count; k++, column++)
            for (int j = 0; j < n; j++)
                c->H[j + column * n] = any(r);
    }
}

/* The first contact, or all, become second-order cones. */
static void add_cones(scene *s, check_random *r)
{
    impacts_case *c = &s->c;
    int n = c->impact.n, column = 0;
    for (int i = 0; i < c->impact.p; i++) {
        c->contacts[i].spread_count = i == 0 || check_random_int(r, 3) == 0;
        c->contacts[i].spread_count *= 1 + check_random_int(r, 2);
        double size = check_random_in(r, 0.1, 2);
        for (int k = 0; k < c->contacts[i].spread_count; k++, column++)
            for (int j = 0; j < n; j++)
                s->spread[j + column * n] = size * any(r);
    }
    c->impact.spread = s->spread;
}

/* Two groups, or every contact one of its own. */
static void add_region(scene *s, check_random *r)
{
    int p = s->c.impact.p, groups = check_random_int(r, 2) ? p : 2;
    for (int i = 0; i < p; i++)
        s->group[i] = i;
    for (int k = 0; k <= groups; k++)
        s->start[k] = k == groups ? p : k;
    s->region = (carom_region){groups, s->start, s->group};
    s->c.impact.region = &s->region;
}

static void draw(family *f, scene *s)
{
    check_random *r = &f->random;
    memset(s, 0, sizeof *s);
    int n = 1 + check_random_int(r, 4), p = 1 + check_random_int(r, CONTACTS);
    bool far = check_random_int(r, 2);
    if (check_random_int(r, 2))
        exact_scene(&s->c, r, n, p, far);
    else
        impacts_random(&s->c, r, n, p, check_random_int(r, 2), far ? 1e9 : 10);
    for (int i = 0; i < p && check_random_int(r, 2); i++)
        s->c.contacts[i].restitution = check_random_in(r, 0, 1);
    if (check_random_int(r, 2))
        impacts_approach(&s->c);
    if (check_random_int(r, 4) == 0)
        exact_move(&s->c, r);
    int kind = check_random_int(r, 8);
    if (kind < 4)
        add_friction(s, r);
    if (kind == 4)
        add_cones(s, r);
    if (kind == 5 && p > 1)
        add_region(s, r);
    if (kind == 6 && n > 1) { /* a joint */
        s->c.impact.m = 1;
        for (int k = 0; k < n; k++)
            s->c.B[k] = any(r);
    }
    if (kind == 7) { /* coefficients that are not usual */
        s->c.impact.flags = CAROM_IMPACT_ANY_RESTITUTION;
        for (int i = 0; i < p; i++)
            s->c.contacts[i].restitution = check_random_in(r, -1.5, 2);
    }
}

/* What the exact text of a scene does not have. */
static const char *more(const scene *s)
{
    static char text[600];
    const carom_impact *i = &s->c.impact;
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s", i->region ? " region" : "",
                                   i->m ? " joint" : "");
    for (int c = 0, column = 0; c < i->p; c++)
        for (int k = 0; k < i->contacts[c].slip_count; k++, column++)
            for (int j = 0; j < i->n && used < sizeof text; j++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g",
                                         j   ? ", "
                                         : k ? " and "
                                             : " slip ",
                                         s->c.H[j + column * i->n]);
    for (int c = 0, column = 0; c < i->p && i->spread; c++)
        for (int k = 0; k < i->contacts[c].spread_count; k++, column++)
            for (int j = 0; j < i->n && used < sizeof text; j++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g",
                                         j ? ", " : " spread ", s->spread[j + column * i->n]);
    return text;
}

/* One law with its values on the scene. */
static void try_law(family *f, const scene *s, const carom_geometry *g, const carom_law *law,
                    const char *variant)
{
    carom_outcome o;
    carom_promise promise;
    carom_error error = {0};
    const char *broken;
    carom_mark mark = carom_arena_mark(arena);
    carom_status status = carom_law_apply(law, g, arena, &o, &error);
    if (status == CAROM_ERROR_ARGUMENT) { /* moreau asks for coefficients in [0, 1] */
        carom_arena_rewind(arena, mark);
        return;
    }
    check_ok(status, &error);
    check_ok(carom_law_promise(law, g, arena, &promise, &error), &error);
    family_check(f, carom_law_keeps(&promise, &o, &broken),
                 "%s %s: \"%s\" but not %s (%g, %g, %g): %s%s", law->ops->name, variant,
                 promise.text, broken, o.verdict.least_velocity, o.verdict.least_impulse,
                 o.verdict.energy_gain, exact_text(&s->c), more(s));
    carom_arena_rewind(arena, mark);
}

static void promises(void **state)
{
    (void)state;
    family f = family_start("promises of all laws", 21, 2000);
    while (family_next(&f)) {
        static scene s;
        draw(&f, &s);
        carom_geometry g;
        carom_error error = {0};
        if (carom_impact_derive(&s.c.impact, arena, &g, &error)) {
            carom_arena_reset(arena);
            continue; /* motions that contradict each other */
        }
        for (int k = 0; k < carom_law_count(); k++) {
            carom_law law = {.ops = carom_law_at(k)};
            bool slow = law.ops->cost >= 2;
            if (slow && f.member % 16)
                continue;
            try_law(&f, &s, &g, &law, "");
            for (const carom_parameter *q = law.ops->parameters; q && q->name; q++) {
                char words[200], *word;
                if (q->kind != CAROM_PARAMETER_CHOICE ||
                    !(q->varies || strcmp(q->name, "kind") == 0))
                    continue;
                snprintf(words, sizeof words, "%s", q->choices);
                for (word = strtok(words, "|"); word; word = strtok(NULL, "|")) {
                    carom_value value = {.name = q->name, .kind = q->kind, .text = word};
                    law.values = &value;
                    law.value_count = 1;
                    try_law(&f, &s, &g, &law, word);
                }
            }
        }
        int p = s.c.impact.p;
        double E[CONTACTS * CONTACTS];
        for (int k = 0; k < p * p; k++)
            E[k] = k % (p + 1) == 0 || check_random_int(&f.random, 2) ? any(&f.random) : 0;
        carom_value matrix = {
            .name = "E", .kind = CAROM_PARAMETER_SQUARE, .rows = p, .columns = p, .numbers = E};
        carom_law law = {carom_law_find("matrix"), &matrix, 1};
        try_law(&f, &s, &g, &law, "E");
        carom_value own = {.name = "restitution",
                           .kind = CAROM_PARAMETER_NUMBER,
                           .number = check_random_in(&f.random, -1.5, 2)};
        law = (carom_law){carom_law_find("moreau"), &own, 1};
        try_law(&f, &s, &g, &law, "restitution");
        carom_arena_reset(arena);
    }
    family_end(&f);
}

/* { w'u >= |A u|, w a row of A } has no interior, and the reaction would have to be infinite: the
 * velocity is right, and no law says that its impulses push. */
static void cone_without_interior(void **state)
{
    (void)state;
    const double spread[] = {-1, 0.5, -1, 1};
    static scene s;
    carom_geometry g;
    carom_error error = {0};
    impacts_init(&s.c, 2, 1);
    s.c.impact.mass_is_diagonal = true;
    s.c.M[0] = 8e-8;
    s.c.M[1] = 1;
    s.c.u[0] = -1.75;
    s.c.u[1] = -0.25;
    s.c.W[0] = 1;
    s.c.W[1] = -1;
    s.c.contacts[0].spread_count = 2;
    s.c.contacts[0].restitution = 0;
    s.c.impact.spread = spread;
    check_ok(carom_impact_derive(&s.c.impact, arena, &g, &error), &error);
    for (int k = 0; k < 2; k++) {
        const carom_law law = {.ops = carom_law_find(k ? "moreau" : "inelastic")};
        carom_outcome o;
        carom_promise promise;
        check_ok(carom_law_apply(&law, &g, arena, &o, &error), &error);
        check_ok(carom_law_promise(&law, &g, arena, &promise, &error), &error);
        assert_false(o.impulse_exists);
        assert_false(promise.kinetic);
        assert_true(carom_law_keeps(&promise, &o, NULL));
        assert_true(fabs(o.u[0] + 0.125) < 1e-6 && fabs(o.u[1] + 0.25) < 1e-6);
    }
    carom_arena_reset(arena);
}

/* A cone that moves, of two bodies of 1e9, and two light ones that must leave along it: on its
 * surface, 7e-7 from the apex. In the kinetic norm that is the apex, where the reaction does not
 * push. Velocities and impulses by 50 digits. */
static void cone_beside_heavy_bodies(void **state)
{
    (void)state;
    const double mass[] = {1e9, 1e9, 1.25, 1}, before[] = {0.25, 1.5, 1.25, 1};
    const double spread[] = {0.49975931067009449,  -1.1755289049110818, -0.49975931067009449,
                             -1.0005624871018095,  1.4124904627280632,  -0.99951862134018898,
                             -0.49975931067009449, -0.89014164434076815};
    const double after[] = {0.250000264798460724, 1.49999978351926086, 5.64596292006948521,
                            -4.45746790470193449};
    static scene s;
    carom_geometry g;
    carom_error error = {0};
    impacts_init(&s.c, 4, 1);
    s.c.impact.mass_is_diagonal = true;
    memcpy(s.c.M, mass, sizeof mass);
    memcpy(s.c.u, before, sizeof before);
    s.c.W[0] = 2;
    s.c.W[1] = -1;
    s.c.w_hat[0] = 1;
    s.c.contacts[0].spread_count = 2;
    s.c.contacts[0].restitution = 0.875;
    s.c.impact.spread = spread;
    check_ok(carom_impact_derive(&s.c.impact, arena, &g, &error), &error);
    for (int k = 0; k < 2; k++) {
        const carom_law law = {.ops = carom_law_find(k ? "moreau" : "inelastic")};
        const double e = k ? 0.875 : 0;
        carom_outcome o;
        carom_promise promise;
        check_ok(carom_law_apply(&law, &g, arena, &o, &error), &error);
        check_ok(carom_law_promise(&law, &g, arena, &promise, &error), &error);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        assert_true(promise.kinetic && o.verdict.kinetic);
        assert_true(fabs(o.impulse[0] / (1 + e) - 203.170583961797) < 1e-9 * 203);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(o.u[i] - after[i] - e * (after[i] - before[i])) < 1e-12);
    }
    carom_arena_reset(arena);
}

/* What a law says of whose its coefficients are, against the coefficients of its steps. */
static void coefficients(void **state)
{
    (void)state;
    check_random r = {7};
    int known = 0;
    for (int k = 0; k < 40 * carom_law_count(); k++) {
        const carom_law law = {.ops = carom_law_at(k % carom_law_count())};
        carom_contact contact = carom_contact_default();
        carom_law_step say = {0};
        contact.restitution = check_random_in(&r, 0, 1);
        contact.tangential_restitution = check_random_in(&r, -1, 1);
        if (!law.ops->step || !law.ops->step(&law, &contact, &say) ||
            say.whose == CAROM_COEFFICIENTS_OF_LAW)
            continue;
        const double part = say.whose == CAROM_COEFFICIENTS_OF_CONTACT;
        assert_true(say.restitution == part * contact.restitution);
        assert_true(say.tangential == (say.rough ? part * contact.tangential_restitution : 0));
        known++;
    }
    assert_true(known >= 4 * 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promises), cmocka_unit_test(cone_without_interior),
        cmocka_unit_test(cone_beside_heavy_bodies), cmocka_unit_test(coefficients)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
