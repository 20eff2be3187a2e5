/* Every method for contacts at one instant alone on fixed hard sets, with the number solved
 * counted: a drop fails. The sets are chosen by what makes problems hard; what is solved is judged
 * by Coulomb's law written out here. */
#include "solver/instant.h"

#include "check.h"
#include "family.h"

CHECK_ARENA(arena);

/* Static friction above dynamic; the first contact has next to none. */
enum { STATIC = 1, SMOOTH = 2 };
enum { EACH = 40, MOST = 12, ROWS = 2 * MOST, BODIES = 26 };

typedef struct problem {
    carom_instant f;
    int row[MOST + 1];
    double W[ROWS * ROWS], q[ROWS], mu_s[MOST], mu_d[MOST], norm[ROWS];
} problem;

/* W = J M^-1 J' of p rough contacts, J random with n columns, masses up to `ratio` apart; what
 * approaches has velocities -1 .. 1. */
static void make(problem *c, check_random *r, int p, int n, double mu, double ratio, unsigned kind)
{
    double J[ROWS][BODIES], inverse[BODIES], u[BODIES];
    const int N = 2 * p;
    for (int k = 0; k < n; k++) {
        inverse[k] = pow(ratio, check_random_in(r, -0.5, 0.5));
        u[k] = check_random_in(r, -1, 1) * sqrt(inverse[k]);
    }
    for (int i = 0; i < N; i++) {
        c->q[i] = 0;
        for (int k = 0; k < n; k++) {
            J[i][k] = check_random_in(r, -1, 1);
            c->q[i] += J[i][k] * u[k];
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c->W[i + j * N] = 0;
            for (int k = 0; k < n; k++)
                c->W[i + j * N] += J[i][k] * inverse[k] * J[j][k];
        }
    for (int i = 0; i <= p; i++)
        c->row[i] = 2 * i;
    for (int i = 0; i < p; i++) {
        c->mu_s[i] = i == 0 && (kind & SMOOTH) ? pow(10, check_random_in(r, -9, -3))
                                               : check_random_in(r, 0, mu);
        c->mu_d[i] = c->mu_s[i] * (kind & STATIC ? 0.7 : 1);
    }
    carom_instant_scale(p, c->row, c->W, c->q, c->mu_s, c->mu_d, c->norm);
    c->f = (carom_instant){.p = p,
                           .N = N,
                           .row = c->row,
                           .W = c->W,
                           .q = c->q,
                           .mu_s = c->mu_s,
                           .mu_d = c->mu_d,
                           .symmetric = true};
}

/* The law as it is stated: how far forces r are from it, in units of q and r, those of friction
 * times 1 + mu. */
static double miss(const problem *c, const double *r)
{
    double worst = 0, size = 0;
    const int N = c->f.N;
    for (int i = 0; i < N; i++)
        size = fmax(size, fmax(fabs(c->q[i]), fabs(r[i])));
    for (int i = 0; i < c->f.p; i++) {
        double v[2] = {c->q[2 * i], c->q[2 * i + 1]};
        const double *x = r + 2 * i;
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < N; j++)
                v[k] += c->W[2 * i + k + j * N] * r[j];
        worst = fmax(worst, fmax(-x[0], -v[0]));
        worst = fmax(worst, fmin(x[0], v[0]));
        const double unit = 1 / (1 + c->mu_s[i]);
        const double sticks = fmax(fabs(v[1]), (fabs(x[1]) - c->mu_s[i] * x[0]) * unit);
        const double slides = fabs(x[1] + copysign(c->mu_d[i] * x[0], v[1])) * unit;
        worst = fmax(worst, fmin(sticks, slides));
    }
    return worst / size;
}

static const struct set {
    const char *name;
    int p, n;
    double mu, ratio;
    unsigned kind;
    int enumerate, lcp; /* of EACH; -1: not asked */
    int first, solve;
} sets[] = {
    {"two contacts, regular", 2, 6, 0.5, 1, 0, 40, 40, 40, 40},
    {"three, strong friction", 3, 6, 4, 1, 0, 40, 40, 40, 40},
    {"three on one body", 3, 3, 0.8, 1, 0, 40, 40, 40, 40},
    {"three, masses 1e6 apart", 3, 5, 0.8, 1e6, 0, 40, 40, 40, 40},
    {"three, static friction above dynamic", 3, 6, 0.8, 1, STATIC, 40, -1, 40, 40},
    {"four on one body, one all but smooth", 4, 3, 0.5, 1, SMOOTH, 40, 40, 40, 40},
    {"five on one body", 5, 3, 0.5, 1, 0, 40, 40, 40, 40},
    {"twelve, regular", 12, 26, 0.5, 1, 0, -1, 40, 40, 40},
    {"twelve, half of the rows dependent", 12, 12, 0.5, 1, 0, -1, 40, 40, 40},
};

static bool solved(const problem *c, const double *r)
{
    return miss(c, r) <= 1e-9;
}

static void test_sets(void **state)
{
    (void)state;
    int bad = 0;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        const struct set *t = &sets[s];
        check_random r = {17 + s};
        int enumerate = 0, lcp = 0, first = 0, solve = 0;
        for (int k = 0; k < EACH; k++) {
            static problem c;
            carom_instant_list list;
            carom_instant_answer answer;
            carom_instant_outcome outcome;
            double x[ROWS], u[ROWS];
            unsigned char mode[MOST];
            bool found;
            make(&c, &r, t->p, t->n, t->mu, t->ratio, t->kind);
            carom_arena_reset(arena);
            if (t->enumerate >= 0) {
                check_ok(carom_instant_enumerate(&c.f, arena, &list, NULL), NULL);
                bool all = list.count > 0;
                for (int i = 0; i < list.count; i++)
                    all = all && solved(&c, list.list[i].r);
                enumerate += all;
            }
            if (t->lcp >= 0) {
                check_ok(carom_instant_lcp(&c.f, arena, x, &found, NULL), NULL);
                lcp += found && solved(&c, x);
            }
            check_ok(carom_instant_first(&c.f, arena, x, u, mode, &outcome, NULL), NULL);
            first += outcome <= CAROM_INSTANT_SEVERAL && solved(&c, x);
            check_ok(carom_instant_solve(&c.f, 256, arena, &answer, NULL), NULL);
            solve += answer.list.count > 0 && solved(&c, answer.list.list[0].r);
        }
        const bool same = (t->enumerate < 0 || enumerate == t->enumerate) &&
                          (t->lcp < 0 || lcp == t->lcp) && first == t->first && solve == t->solve;
        if (!same)
            print_error("%s: enumerate %d, lcp %d, first %d, solve %d\n", t->name, enumerate, lcp,
                        first, solve);
        bad += !same;
    }
    assert_int_equal(bad, 0);
}

/* Whatever the number of contacts, ranks, masses and coefficients down to next to none: every
 * motion listed satisfies the law, and where it is proved that there is one motion at most no more
 * are listed. */
static void test_motions(void **state)
{
    (void)state;
    family f = family_start("contacts at one instant, motions", 1, 3000);
    while (family_next(&f)) {
        static const double strength[] = {0.3, 1, 3, 20};
        static const unsigned kinds[] = {0, 0, STATIC, SMOOTH};
        static problem c;
        check_random *r = &f.random;
        carom_instant_list list;
        bool proved;
        const int p = 1 + check_random_int(r, 4), n = 2 + check_random_int(r, 7);
        make(&c, r, p, n, strength[check_random_int(r, 4)], check_random_int(r, 3) ? 1 : 1e6,
             kinds[check_random_int(r, 4)]);
        carom_arena_reset(arena);
        check_ok(carom_instant_unique(&c.f, arena, &proved, NULL), NULL);
        check_ok(carom_instant_enumerate(&c.f, arena, &list, NULL), NULL);
        family_check(&f, list.count > 0, "no motion of %d contacts", p);
        family_check(&f, !proved || list.count <= 1, "proved to be one, %d motions", list.count);
        for (int i = 0; i < list.count; i++) /* dependent equations are consistent to 1e-9 */
            family_check(&f, miss(&c, list.list[i].r) <= 1e-8,
                         "motion %d of %d of %d contacts misses the law by %.2g", i, list.count, p,
                         miss(&c, list.list[i].r));
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets), cmocka_unit_test(test_motions)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
