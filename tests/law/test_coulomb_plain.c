/* One planar contact far from singular, which is not settled in twice the digits: two bodies, one
 * up to a billion times lighter, against the closed form in extended precision. */
#include "family.h"
#include "impacts.h"

#include <math.h>

CHECK_ARENA(arena);

enum { N = 6 };

typedef long double real;

/* The contact by its own matrix [nn a; a tt], bn, bt: impulses of the mode that it has. */
typedef struct reference {
    real nn, a, tt, bn, bt, mu;
    real bn_size, bt_size;     /* the magnitudes of the terms of bn and bt */
    real push, drag;           /* impulses */
    real push_size, drag_size; /* and the magnitudes of their terms */
    carom_mode mode;
} reference;

/* Do determinant and divisors, in units of nn and tt, exceed a third? */
static bool is_plain(const reference *f)
{
    const real c = f->a / sqrtl(f->nn * f->tt), mu = f->mu * sqrtl(f->tt / f->nn);
    return 3 * (1 - c * c) > 1 && 3 * (1 - mu * fabsl(c)) > 1 + mu;
}

/* Exactly one mode satisfies its conditions where the divisors are positive. False: it is so near
 * to the edge of another that either may be told. */
static bool solve(reference *f)
{
    const real edge = 1e-10L, det = f->nn * f->tt - f->a * f->a;
    f->push = f->drag = f->push_size = f->drag_size = 0;
    f->mode = CAROM_MODE_OPEN;
    if (f->bn >= 0)
        return f->bn > edge;
    f->push = (f->a * f->bt - f->tt * f->bn) / det;
    f->drag = (f->a * f->bn - f->nn * f->bt) / det;
    f->push_size = (fabsl(f->a) * f->bt_size + f->tt * f->bn_size) / det;
    f->drag_size = (fabsl(f->a) * f->bn_size + f->nn * f->bt_size) / det;
    f->mode = CAROM_MODE_STICK;
    if (fabsl(f->drag) <= f->mu * f->push)
        return fabsl(f->drag) < f->mu * f->push * (1 - edge);
    for (int side = 1; side >= -1; side -= 2) {
        const real k = side * f->mu;
        f->push = -f->bn / (f->nn - k * f->a);
        f->drag = -k * f->push;
        f->push_size = f->bn_size / (f->nn - k * f->a);
        f->drag_size = f->mu * f->push_size;
        f->mode = side > 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
        const real slip = side * (f->bt + f->a * f->push + f->tt * f->drag);
        if (slip > 0)
            return slip > edge * fabsl(f->bt);
    }
    return false;
}

/* Two bodies touch at points that are x, y from their centres. */
static void draw(check_random *r, impacts_case *c)
{
    impacts_init(c, N, 1);
    c->impact.mass_is_diagonal = true;
    c->contacts[0].slip_count = 1;
    c->contacts[0].restitution = check_random_in(r, 0, 1);
    c->contacts[0].friction_static = c->contacts[0].friction_dynamic = check_random_in(r, 0, 1);
    for (int body = 0; body < 2; body++) {
        const double x = check_random_in(r, -1, 1), y = check_random_in(r, -1, 1);
        const double mass = check_random_in(r, 0.5, 2) * ldexp(1, -15 * check_random_int(r, 3));
        const int at = 3 * body, sign = body ? -1 : 1;
        c->M[at] = c->M[at + 1] = mass;
        c->M[at + 2] = mass * check_random_in(r, 0.1, 2);
        c->W[at + 1] = sign;
        c->W[at + 2] = sign * x;
        c->H[at] = sign;
        c->H[at + 2] = -sign * y;
        for (int k = 0; k < 3; k++)
            c->u[at + k] = check_random_in(r, -1, 1);
    }
}

static reference reference_of(const impacts_case *c)
{
    reference f = {.mu = c->contacts[0].friction_dynamic};
    for (int k = 0; k < N; k++) {
        const real w = c->W[k], h = c->H[k], m = c->M[k];
        f.nn += w * w / m;
        f.a += w * h / m;
        f.tt += h * h / m;
        f.bn += w * c->u[k];
        f.bt += h * c->u[k];
        f.bn_size += fabsl(w * c->u[k]);
        f.bt_size += fabsl(h * c->u[k]);
    }
    f.bn *= 1 + (real)c->contacts[0].restitution;
    f.bn_size *= 1 + (real)c->contacts[0].restitution;
    return f;
}

static void test_closed_form(void **state)
{
    (void)state;
    family f = family_start("one planar contact far from singular", 137, 4000);
    carom_law law = {.ops = carom_law_find("coulomb")};
    while (family_next(&f)) {
        static impacts_case c;
        carom_geometry g;
        carom_outcome o;
        reference x;
        do {
            draw(&f.random, &c);
            x = reference_of(&c);
        } while (!is_plain(&x) || !solve(&x));
        carom_arena_reset(arena);
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        check_ok(carom_law_apply(&law, &g, arena, &o, NULL), NULL);
        family_check(&f, o.answer == CAROM_ANSWER_OK && o.mode[0] == x.mode, "answer %d, mode %d",
                     o.answer, o.mode[0]);
        for (int k = 0; k < N; k++) {
            const real change = (c.W[k] * x.push + c.H[k] * x.drag) / c.M[k];
            const real size = fabsl(c.u[k]) +
                              (fabsl(c.W[k]) * x.push_size + fabsl(c.H[k]) * x.drag_size) / c.M[k];
            const real off = fabsl(o.u[k] - (c.u[k] + change)) / size;
            family_check(&f, off <= CHECK_ROUNDING(1), "u+[%d] off by %g of its terms", k,
                         (double)off);
        }
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed_form)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
