/* Contacts that pin the velocity: some normals, minus a positive sum of them, and further sums, all
 * in decimals, so that they depend on each other up to rounding only. Every one of them is held,
 * and laws without friction that let nothing close project u- on what the normals leave, in
 * fractions. */
#include "exact.h"
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

static double decimal(check_random *r, int lowest, int highest)
{
    return (lowest + check_random_int(r, highest - lowest + 1)) / 10.;
}

/* Returns the number of normals drawn; sums of them follow, and the contact that is free. */
static int draw(check_random *r, impacts_case *c)
{
    static const double coefficients[] = {0, 0.3, 0.5, 0.8, 1}, masses[] = {1, 2, 3, 1.25, 0.7};
    const int n = 2 + check_random_int(r, 3), base = 1 + check_random_int(r, n - 1);
    const int p = base + 2 + check_random_int(r, 4), ratio = check_random_int(r, 3) == 0;
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n; k++) {
        c->M[k] = ratio ? pow(10, check_random_int(r, 10) - 5) : masses[check_random_int(r, 5)];
        c->u[k] = decimal(r, -20, 20);
    }
    for (int i = 0; i < base; i++)
        for (int k = 0; k < n; k++)
            c->W[n * i + k] = k == i ? decimal(r, 1, 30) : decimal(r, -30, 30);
    for (int i = 0; i < base; i++) {
        const double share = decimal(r, 1, 20);
        for (int k = 0; k < n; k++)
            c->W[n * base + k] -= share * c->W[n * i + k];
    }
    for (int i = base + 1; i < p - 1; i++) {
        const double *a = c->W + n * check_random_int(r, i), *b = c->W + n * check_random_int(r, i);
        const double share = decimal(r, 1, 15), other = decimal(r, 0, 7);
        for (int k = 0; k < n; k++)
            c->W[n * i + k] = share * a[k] + other * b[k];
    }
    for (int k = 0; k < n; k++) /* no sum of the others, not even in decimals */
        c->W[n * (p - 1) + k] = decimal(r, -30, 30) + (k == base) * 31.71;
    for (int i = 0; i < p; i++)
        c->contacts[i].restitution = coefficients[check_random_int(r, 5)];
    return base;
}

/* M u + B l = M u-, B'u = 0 with the normals drawn and, where it is asked for, the last contact's
 * w'u = aim. Returns w'u; false: they depend on each other. */
static bool project(const impacts_case *c, int base, bool last, fraction aim, fraction *u)
{
    static exact_system s;
    static fraction x[EXACT_ROWS];
    const int n = c->impact.n, rows = base + last, all = n + rows;
    exact_system_make(&s, all, all);
    for (int k = 0; k < n; k++) {
        s.a[k][k] = fraction_of(c->M[k]);
        s.a[k][all] = fraction_multiply(fraction_of(c->M[k]), fraction_of(c->u[k]));
        for (int i = 0; i < rows; i++)
            s.a[k][n + i] = s.a[n + i][k] =
                fraction_of(c->W[n * (i < base ? i : c->impact.p - 1) + k]);
    }
    if (last)
        s.a[all - 1][all] = aim;
    if (exact_system_solve(&s, x) < all)
        return false;
    memcpy(u, x, sizeof *u * (size_t)n);
    return true;
}

/* The velocity after the impact; e: of the last contact. */
static bool solve(const impacts_case *c, int base, double e, double *u)
{
    static fraction x[4];
    const int n = c->impact.n;
    bool regular =
        project(c, base, true, fraction_int(0), x) && project(c, base, false, fraction_int(0), x);
    const fraction gamma =
        regular ? fraction_dot(n, c->W + n * (c->impact.p - 1), x) : fraction_int(0);
    if (fraction_sign(&gamma) < 0)
        project(c, base, true, fraction_multiply(fraction_of(-e), gamma), x);
    for (int k = 0; k < n && regular; k++)
        u[k] = fraction_double(&x[k]);
    return regular;
}

/* Rounding alone is no normal. */
static bool is_rounding(int n, const double *w)
{
    double size = 0;
    for (int k = 0; k < n; k++)
        size = fmax(size, fabs(w[k]));
    return size < 1e-9;
}

static void pinned(const char *name, const char *law, bool elastic)
{
    family f = family_start(name, 91, 800);
    while (family_next(&f)) {
        impacts_case c;
        carom_geometry g;
        double u[4], off = 0;
        bool empty = false;
        carom_arena_reset(arena);
        const int base = draw(&f.random, &c), n = c.impact.n;
        for (int i = 0; i < c.impact.p; i++)
            empty = empty || is_rounding(n, c.W + n * i);
        if (empty || !solve(&c, base, elastic ? c.contacts[c.impact.p - 1].restitution : 0, u))
            continue;
        carom_outcome o = impacts_apply(&c.impact, law, NULL, 0, arena, &g);
        for (int k = 0; k < n; k++)
            off = fmax(off, fabs(o.u[k] - u[k]));
        family_check(&f, o.answer == CAROM_ANSWER_OK && off <= 1e-9, "answer %d, off by %g: %s",
                     (int)o.answer, off, o.message);
        family_check(&f, o.verdict.kinematic, "contacts close by %g", o.verdict.least_velocity);
    }
    family_end(&f);
}

static void test_pinned(void **state)
{
    (void)state;
    pinned("contacts that pin the velocity, inelastic", "inelastic", false);
    pinned("contacts that pin the velocity, poisson", "poisson", true);
}

/* Compression and expansion are projections on a cone that holds zero: they always exist, and let
 * nothing close, however contacts depend on each other. */
static void test_exists(void **state)
{
    (void)state;
    family f = family_start("poisson exists, contacts that depend up to rounding", 92, 4000);
    while (family_next(&f)) {
        check_random *r = &f.random;
        const int n = 2 + check_random_int(r, 2), p = n + 2 + check_random_int(r, 4);
        impacts_case c;
        carom_geometry g;
        bool empty = false;
        carom_arena_reset(arena);
        impacts_init(&c, n, p);
        c.impact.mass_is_diagonal = true;
        for (int k = 0; k < n; k++) {
            c.M[k] = 1 + check_random_int(r, 3);
            c.u[k] = check_random_int(r, 5) - 2;
        }
        for (int i = 0; i < p; i++) {
            const double *a = c.W + n * check_random_int(r, i + 1);
            const double *b = c.W + n * check_random_int(r, i + 1);
            const double share = decimal(r, -20, 20), other = decimal(r, -10, 10);
            const bool sum = i > 1 && check_random_int(r, 2);
            for (int k = 0; k < n; k++)
                c.W[n * i + k] = sum ? share * a[k] + other * b[k] : check_random_int(r, 7) - 3;
            c.contacts[i].restitution = decimal(r, 0, 10);
            empty = empty || is_rounding(n, c.W + n * i);
        }
        if (empty)
            continue;
        carom_outcome o = impacts_apply(&c.impact, "poisson", NULL, 0, arena, &g);
        family_check(&f, o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL,
                     "answer %d: %s", (int)o.answer, o.message);
        family_check(&f, o.verdict.kinematic, "contacts close by %g", o.verdict.least_velocity);
    }
    family_end(&f);
}

/* Without slips Coulomb's law is Newton's, `none` included. */
static void test_smooth(void **state)
{
    (void)state;
    family f = family_start("coulomb without slips, contacts that pin the velocity", 93, 1500);
    while (family_next(&f)) {
        impacts_case c;
        carom_geometry g;
        double off = 0;
        bool empty = false;
        carom_arena_reset(arena);
        draw(&f.random, &c);
        for (int i = 0; i < c.impact.p; i++)
            empty = empty || is_rounding(c.impact.n, c.W + c.impact.n * i);
        if (empty)
            continue;
        const carom_outcome a = impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
        const carom_outcome b = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        for (int k = 0; k < c.impact.n; k++)
            off = fmax(off, fabs(a.u[k] - b.u[k]));
        family_check(&f, a.answer == b.answer && off == 0, "answers %d and %d, %g apart: %s",
                     (int)a.answer, (int)b.answer, off, b.message);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pinned), cmocka_unit_test(test_exists),
                                       cmocka_unit_test(test_smooth)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
