/* Frictionless laws against exact fractions: mass ratios to 1e9, dependent contacts, ties. */
#include "exact_impact.h"
#include "family.h"

CHECK_ARENA(arena);

/* Digits that every law keeps, in units of the quantities compared (docs/theory/impact.md). */
static const double DIGITS = 1e-9;

/* Velocity and verdicts of an outcome against the exact velocity. */
static void compare(family *f, const impacts_case *c, const carom_outcome *o, const fraction *u)
{
    static fraction b[IMPACTS_N];
    double off = exact_distance(c, o->u, u);
    family_check(f, off <= DIGITS, "%s: u+ off by %.2g", exact_text(c), off);
    exact_frame(c, b);
    exact_verdict v = exact_judge(c, o, u, b);
    family_check(f, v.kinematic < 0 || v.kinematic == o->verdict.kinematic,
                 "%s: kinematic %d, exactly %d", exact_text(c), o->verdict.kinematic, v.kinematic);
    family_check(f, v.kinetic < 0 || v.kinetic == o->verdict.kinetic, "%s: kinetic %d, exactly %d",
                 exact_text(c), o->verdict.kinetic, v.kinetic);
    family_check(f, v.energetic < 0 || v.energetic == o->verdict.energetic,
                 "%s: energetic %d, exactly %d (gain %g)", exact_text(c), o->verdict.energetic,
                 v.energetic, o->verdict.energy_gain);
    family_check(f, o->verdict.misfit <= 1, "%s: misfit %g", exact_text(c), o->verdict.misfit);
}

/* A scene of 1 to 3 bodies on 1 to 4 contacts; two of three with far masses, one of four moving. */
static void draw(family *f, impacts_case *c)
{
    int n = 1 + check_random_int(&f->random, 3), p = 1 + check_random_int(&f->random, 4);
    exact_scene(c, &f->random, n, p, f->member % 3 > 0);
    if (f->member % 4 == 0)
        exact_move(c, &f->random);
}

static void newton(void **state)
{
    (void)state;
    family f = family_start("newton in fractions", 11, 500);
    while (family_next(&f)) {
        impacts_case c;
        fraction u[IMPACTS_N], target[IMPACTS_P], x[IMPACTS_N], lambda[IMPACTS_P];
        draw(&f, &c);
        exact_velocity(&c, x);
        for (int i = 0; i < c.impact.p; i++)
            target[i] =
                fraction_multiply(fraction_of(-c.contacts[i].restitution), exact_gamma(&c, i, x));
        bool exists = exact_nearest(&c, x, target, u, lambda);
        carom_geometry g;
        carom_outcome o = impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
        family_check(&f, (o.answer == CAROM_ANSWER_OK) == exists, "%s: %s, exactly %s",
                     exact_text(&c), carom_answer_text(o.answer), exists ? "ok" : "none");
        if (exists && o.answer == CAROM_ANSWER_OK)
            compare(&f, &c, &o, u);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

/* moreau and inelastic: u+ = (1 + e) v - e u-, v the nearest velocity with gamma >= 0. */
static void moreau(void **state)
{
    (void)state;
    family f = family_start("moreau in fractions", 13, 500);
    while (family_next(&f)) {
        impacts_case c;
        fraction x[IMPACTS_N], v[IMPACTS_N], zero[IMPACTS_P], lambda[IMPACTS_P];
        draw(&f, &c);
        double e = f.member % 2 ? 0.125 * check_random_int(&f.random, 9) : 0;
        exact_velocity(&c, x);
        for (int i = 0; i < c.impact.p; i++) {
            zero[i] = fraction_int(0);
            c.contacts[i].restitution = e;
        }
        assert_true(exact_nearest(&c, x, zero, v, lambda));
        for (int k = 0; k < c.impact.n; k++)
            v[k] = fraction_add(v[k],
                                fraction_multiply(fraction_of(e), fraction_subtract(v[k], x[k])));
        carom_geometry g;
        carom_outcome o =
            impacts_apply(&c.impact, f.member % 2 ? "moreau" : "inelastic", NULL, 0, arena, &g);
        family_check(&f, o.answer == CAROM_ANSWER_OK, "%s: %s", exact_text(&c),
                     carom_answer_text(o.answer));
        compare(&f, &c, &o, v);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

/* matrix: gamma+ = -epsilon gamma- at all contacts, or none where they contradict each other. */
static void matrix(void **state)
{
    (void)state;
    family f = family_start("matrix in fractions", 14, 500);
    while (family_next(&f)) {
        impacts_case c;
        fraction x[IMPACTS_N], u[IMPACTS_N], v[IMPACTS_N], target[IMPACTS_P], lambda[IMPACTS_P];
        double epsilon[IMPACTS_P * IMPACTS_P];
        draw(&f, &c);
        int p = c.impact.p, most = -1;
        bool same = check_random_int(&f.random, 2); /* then dependent contacts agree */
        double e = 0.25 * (check_random_int(&f.random, 9) - 2);
        for (int j = 0; j < p * p; j++)
            epsilon[j] = same ? (j % (p + 1) == 0) * e
                         : check_random_int(&f.random, 3)
                             ? 0.25 * (check_random_int(&f.random, 7) - 2)
                             : 0;
        exact_velocity(&c, x);
        for (int i = 0; i < p; i++) {
            target[i] = fraction_int(0);
            for (int j = 0; j < p; j++)
                target[i] =
                    fraction_subtract(target[i], fraction_multiply(fraction_of(epsilon[i + j * p]),
                                                                   exact_gamma(&c, j, x)));
        }
        for (unsigned set = 0; set < 1u << p; set++)
            if (__builtin_popcount(set) > most && exact_meet(&c, x, set, target, u, lambda)) {
                most = __builtin_popcount(set);
                memcpy(v, u, sizeof v);
            }
        bool exists = true;
        for (int i = 0; i < p; i++)
            exists = exists && fraction_compare(exact_gamma(&c, i, v), target[i]) == 0;
        carom_value value = {.name = "epsilon",
                             .kind = CAROM_PARAMETER_SQUARE,
                             .rows = p,
                             .columns = p,
                             .numbers = epsilon};
        carom_geometry g;
        carom_outcome o = impacts_apply(&c.impact, "matrix", &value, 1, arena, &g);
        family_check(&f, o.answer == (exists ? CAROM_ANSWER_OK : CAROM_ANSWER_NONE),
                     "%s: %s, exactly %s", exact_text(&c), carom_answer_text(o.answer),
                     exists ? "ok" : "none");
        if (exists && o.answer == CAROM_ANSWER_OK)
            compare(&f, &c, &o, v);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

/* The frame velocity of moving contacts; contradicting motions are refused. */
static void frame(void **state)
{
    (void)state;
    family f = family_start("frame velocity in fractions", 15, 500);
    while (family_next(&f)) {
        impacts_case c;
        fraction b[IMPACTS_N];
        draw(&f, &c);
        exact_move(&c, &f.random);
        if (f.member % 5 == 0)
            c.w_hat[0] += 0.001 * check_random_int(&f.random, 3);
        bool agree = true;
        exact_frame(&c, b);
        for (int i = 0; i < c.impact.p; i++) {
            fraction gamma = exact_gamma(&c, i, b);
            agree = agree && fraction_sign(&gamma) == 0;
        }
        carom_geometry g;
        carom_error error = {0};
        carom_status status = carom_impact_derive(&c.impact, arena, &g, &error);
        family_check(&f, (status == CAROM_OK) == agree, "%s: %s", exact_text(&c),
                     agree ? error.text : "accepted");
        for (int k = 0; k < c.impact.n && agree && !status; k++) {
            double exact = fraction_double(&b[k]), off = fabs(g.b[k] - exact);
            double size = exact_size(&c, k, b);
            family_check(&f, off <= DIGITS * size, "%s: b_%d %.17g, exactly %.17g", exact_text(&c),
                         k + 1, g.b[k], exact);
        }
        carom_arena_reset(arena);
    }
    family_end(&f);
}

/* bend: two contacts, u- in one sheet. With the angle theta between the normals, from exact squares
 * and products, the impulses are s tan(theta/2)/|w| of each. */
static void bend(void **state)
{
    (void)state;
    family f = family_start("bend in fractions", 16, 500);
    while (family_next(&f)) {
        impacts_case c;
        int n = 2 + check_random_int(&f.random, 2);
        exact_scene(&c, &f.random, n, 2, f.member % 3 > 0);
        fraction D[3] = {fraction_int(0), fraction_int(0), fraction_int(0)}, x[IMPACTS_N];
        for (int k = 0, last = 0; k < n; k++) { /* into the sheet of the first, by its last entry */
            last = c.W[k] != 0 ? k : last;
            if (k + 1 < n)
                continue;
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += j == last ? 0 : c.W[j] * c.u[j];
            c.u[last] = -sum / c.W[last];
        }
        exact_velocity(&c, x);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < 3; j++) {
                double a = c.W[k + (j > 1) * n], b = c.W[k + (j > 0) * n];
                fraction term = fraction_divide(fraction_multiply(fraction_of(a), fraction_of(b)),
                                                fraction_of(c.M[k]));
                D[j] = fraction_add(D[j], term);
            }
        fraction squares = fraction_multiply(D[0], D[2]);
        fraction minor = fraction_subtract(squares, fraction_multiply(D[1], D[1]));
        fraction first = exact_gamma(&c, 0, x), second = exact_gamma(&c, 1, x);
        if (fraction_sign(&first) || fraction_sign(&second) >= 0 || fraction_sign(&minor) == 0)
            continue;
        long double sine = sqrtl((long double)fraction_double(&minor) / fraction_double(&squares));
        long double cosine = fraction_double(&D[1]) / sqrtl(fraction_double(&squares));
        long double tangent = cosine > 0 ? sine / (1 + cosine) : (1 - cosine) / sine;
        long double s = -fraction_double(&second) / (sqrtl(fraction_double(&D[2])) * sine);
        carom_geometry g;
        carom_outcome o = impacts_apply(&c.impact, "bend", NULL, 0, arena, &g);
        family_check(&f, o.answer == CAROM_ANSWER_OK, "%s: %s %s", exact_text(&c),
                     carom_answer_text(o.answer), o.message);
        for (int i = 0; i < 2; i++) {
            double exact = (double)(s * tangent / sqrtl(fraction_double(&D[i ? 2 : 0])));
            family_check(&f, fabs(o.impulse[i] - exact) <= DIGITS * exact, "%s: impulse %g of %g",
                         exact_text(&c), o.impulse[i], exact);
        }
        for (int i = 0; i < 2; i++) { /* w_2.u+ = 0, w_1.u+ = s |w_1| sin(theta) */
            double exact = i ? 0 : (double)(s * sqrtl(fraction_double(&D[0])) * sine), size = 0;
            for (int k = 0; k < n; k++)
                size += fabs(c.W[k + i * n]) * (fabs(c.u[k]) + fabs(o.u[k]));
            family_check(&f, fabs(o.gamma[i] - exact) <= DIGITS * size, "%s: gamma+ %g of %g",
                         exact_text(&c), o.gamma[i], exact);
        }
        family_check(&f,
                     o.verdict.energetic && o.verdict.kinematic && o.verdict.kinetic &&
                         o.verdict.misfit <= 1,
                     "%s: energy gain %g, misfit %g", exact_text(&c), o.verdict.energy_gain,
                     o.verdict.misfit);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

/* All outcomes of Poisson's law that come from extreme points of the compression impulses. Returns
 * their number. */
enum { MOST = 32 };

static int poisson_outcomes(const impacts_case *c, fraction outcome[MOST][IMPACTS_N])
{
    int n = c->impact.n, p = c->impact.p, count = 0;
    fraction x[IMPACTS_N], zero[IMPACTS_P], v[IMPACTS_N], u[IMPACTS_N], lambda[IMPACTS_P];
    exact_velocity(c, x);
    for (int i = 0; i < p; i++)
        zero[i] = fraction_int(0);
    assert_true(exact_nearest(c, x, zero, v, lambda));
    for (unsigned set = 0; set < 1u << p && count < MOST; set++) {
        fraction w[IMPACTS_N], none[IMPACTS_P];
        bool good = exact_meet(c, x, set, zero, u, lambda) && exact_same(n, u, v);
        for (int i = 0; i < p && good; i++)
            good = fraction_sign(&lambda[i]) >= 0;
        if (!good)
            continue;
        for (int i = 0; i < p; i++)
            lambda[i] = fraction_multiply(lambda[i], fraction_of(c->contacts[i].restitution));
        memcpy(w, v, sizeof w);
        exact_push(c, lambda, w);
        assert_true(exact_nearest(c, w, zero, outcome[count], none));
        bool known = false;
        for (int k = 0; k < count; k++)
            known = known || exact_same(n, outcome[k], outcome[count]);
        count += !known;
    }
    return count;
}

static void poisson(void **state)
{
    (void)state;
    static fraction exact[MOST][IMPACTS_N];
    family f = family_start("poisson in fractions", 12, 500);
    while (family_next(&f)) {
        impacts_case c;
        draw(&f, &c);
        int n = c.impact.n, count = poisson_outcomes(&c, exact);
        double apart = 0; /* what differs by less than the digits kept is one outcome or several */
        for (int k = 1; k < count; k++) {
            double u[IMPACTS_N];
            for (int j = 0; j < n; j++)
                u[j] = fraction_double(&exact[k][j]);
            apart = fmax(apart, exact_distance(&c, u, exact[0]));
        }
        carom_geometry g;
        carom_outcome o = impacts_apply(&c.impact, "poisson", NULL, 0, arena, &g);
        bool either =
            count > 1 && apart < 10 * DIGITS; /* outcomes nearer than that may be merged */
        family_check(&f, either || o.answer == (count > 1 ? CAROM_ANSWER_SEVERAL : CAROM_ANSWER_OK),
                     "%s: %s with %d others, exactly %d outcomes", exact_text(&c),
                     carom_answer_text(o.answer), o.alternative_count, count);
        for (int k = 0; k < count; k++) {
            double off = exact_distance(&c, o.u, exact[k]);
            for (int j = 0; j < o.alternative_count; j++)
                off = fmin(off, exact_distance(&c, o.alternatives[j].u, exact[k]));
            family_check(&f, off <= (count > 1 ? 10 : 1) * DIGITS, "%s: outcome %d off by %.2g",
                         exact_text(&c), k, off);
        }
        for (int j = 0; j < o.alternative_count; j++) {
            double off = INFINITY;
            for (int k = 0; k < count; k++)
                off = fmin(off, exact_distance(&c, o.alternatives[j].u, exact[k]));
            family_check(&f, off <= DIGITS, "%s: alternative %d is none", exact_text(&c), j);
        }
        family_check(&f, o.verdict.misfit <= 1 && o.verdict.kinematic && o.verdict.kinetic,
                     "%s: verdicts %d %d, misfit %g", exact_text(&c), o.verdict.kinematic,
                     o.verdict.kinetic, o.verdict.misfit);
        carom_arena_reset(arena);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton), cmocka_unit_test(poisson), cmocka_unit_test(moreau),
        cmocka_unit_test(matrix), cmocka_unit_test(frame),   cmocka_unit_test(bend),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
