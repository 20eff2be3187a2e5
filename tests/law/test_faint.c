/* Rows with entries that are all but zero, as turned bodies have: sin(pi) and what is left of
 * angles of rounding, 1e-16 to 1e-300 beside whole numbers. All rows have a part in common, so that
 * the velocities after the impact move with the rows: they are those without these entries. */
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

enum { SIZE = 12, CONTACTS = 6 };

static const char *const laws[] = {"newton", "moreau", "inelastic"};

static void draw(check_random *r, impacts_case *c)
{
    const int n = 3 + check_random_int(r, SIZE - 2), p = 2 + check_random_int(r, CONTACTS - 1);
    const double e = check_random_int(r, 5) / 4.0;
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n; k++) {
        c->M[k] = ldexp(1, check_random_int(r, 21) - 10);
        c->u[k] = k == 0 ? -1 - check_random_int(r, 3) : check_random_int(r, 5) - 2;
    }
    for (int i = 0; i < p; i++) {
        c->contacts[i].restitution = e;
        c->W[i * n] = 1 + check_random_int(r, 2);
        for (int k = 1; k < n; k++)
            c->W[k + i * n] = check_random_int(r, 2) ? 0 : check_random_int(r, 5) - 2;
    }
}

static void blur(check_random *r, impacts_case *c)
{
    for (int k = 0; k < c->impact.n * c->impact.p; k++)
        if (c->W[k] == 0)
            c->W[k] = check_random_in(r, -1, 1) * pow(10, -check_random_in(r, 16, 300));
}

static void test_faint(void **state)
{
    (void)state;
    family f = family_start("rows with faint entries", 1, 1000);
    while (family_next(&f)) {
        impacts_case c;
        carom_geometry g;
        double u[SIZE], size = 0; /* of velocities, before too */
        const char *law = laws[f.member % 3];
        carom_arena_reset(arena);
        draw(&f.random, &c);
        carom_outcome clear = impacts_apply(&c.impact, law, NULL, 0, arena, &g);
        family_check(&f, clear.answer == CAROM_ANSWER_OK, "%s: %s", law, clear.message);
        memcpy(u, clear.u, sizeof *u * (size_t)c.impact.n);
        for (int k = 0; k < c.impact.n; k++)
            size = fmax(size, fmax(fabs(c.u[k]), fabs(u[k])));
        blur(&f.random, &c);
        carom_outcome faint = impacts_apply(&c.impact, law, NULL, 0, arena, &g);
        family_check(&f, faint.answer == CAROM_ANSWER_OK, "%s, faint: %s", law, faint.message);
        for (int k = 0; k < c.impact.n; k++)
            family_check(&f, fabs(faint.u[k] - u[k]) <= 1e-9 * size, "%s: u%d %.17g for %.17g", law,
                         k + 1, faint.u[k], u[k]);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faint)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
