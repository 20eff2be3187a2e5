/* Friction without bound, contacts with dependent rows: impacts made from a solution. Impulses are
 * drawn in whole numbers, normal ones that push; their contacts hold all bodies, so that the
 * velocity before is -M^-1 J x and the one after is zero. The law must find a motion, which is
 * judged by u+ and impulses alone; where all modes are tried, as in the plane, that one among them.
 */
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

static void draw_row(check_random *r, int n, double *row)
{
    double size = 0;
    while (size == 0)
        for (int k = 0; k < n; k++) {
            row[k] = check_random_int(r, 7) - 3;
            size += fabs(row[k]);
        }
}

/* Contacts with `slips` rows each, more rows in all than coordinates. */
static void draw(check_random *r, impacts_case *c, int n, int p, int slips)
{
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n; k++)
        c->M[k] = 1 + check_random_int(r, 5);
    double momentum[IMPACTS_N] = {0};
    for (int i = 0; i < p; i++) {
        c->contacts[i].slip_count = slips;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic = INFINITY;
        for (int j = 0; j <= slips; j++) {
            double *row = j ? c->H + n * (slips * i + j - 1) : c->W + n * i;
            const double x = j ? check_random_int(r, 9) - 4 : 1 + check_random_int(r, 3);
            draw_row(r, n, row);
            for (int k = 0; k < n; k++)
                momentum[k] += x * row[k];
        }
    }
    for (int k = 0; k < n; k++)
        c->u[k] = -momentum[k] / c->M[k];
}

static double product(int n, const double *w, const double *u)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += w[k] * u[k];
    return sum;
}

/* The law at contact i: without impulse it does not close; with one it pushes, and holds. */
static bool is_met(const impacts_case *c, const carom_outcome *o, int slips, int i, double size)
{
    const int n = c->impact.n;
    const double small = 1e-9 * size, normal = product(n, c->W + n * i, o->u);
    double friction = 0, slip = 0;
    for (int j = slips * i; j < slips * (i + 1); j++) {
        friction = fmax(friction, fabs(o->tangential_impulse[j]));
        slip = fmax(slip, fabs(product(n, c->H + n * j, o->u)));
    }
    if (friction <= small && o->impulse[i] <= small)
        return normal >= -small;
    return o->impulse[i] > 1e-12 * friction && fabs(normal) <= small && slip <= small;
}

static void unbound(const char *name, uint64_t seed, int slips)
{
    family f = family_start(name, seed, 600);
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        carom_arena_reset(arena);
        const int n = 1 + check_random_int(r, 4);
        const int p = 1 + n / (1 + slips) + check_random_int(r, 2);
        draw(r, &c, n, p, slips);
        carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        const bool solved = o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL;
        double size = 1, least = INFINITY;
        for (int k = 0; k < n; k++)
            size = fmax(size, fabs(c.u[k]) * c.M[k]);
        bool met = solved;
        for (int i = 0; i < p && met; i++)
            met = is_met(&c, &o, slips, i, size);
        family_check(&f, met, "answer %d: %s", (int)o.answer, o.message);
        for (int k = -1; k < o.alternative_count && solved; k++) {
            const double *u = k < 0 ? o.u : o.alternatives[k].u;
            double off = 0;
            for (int j = 0; j < n; j++)
                off = fmax(off, fabs(u[j]));
            least = fmin(least, off);
        }
        if (slips == 1)
            family_check(&f, least <= 1e-9 * size, "rest is not among the motions: %g", least);
    }
    family_end(&f);
}

static void in_the_plane(void **state)
{
    (void)state;
    unbound("friction without bound, planar contacts", 21, 1);
}

static void in_space(void **state)
{
    (void)state;
    unbound("friction without bound, spatial contacts", 22, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_plane),
        cmocka_unit_test(in_space),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
