/* Coulomb's law of planar contacts against all combinations of modes in fractions: whole numbers
 * with mass ratios to 1e9, and a disc between walls that are nearly opposed, where impulses can be
 * as large as they like; the same with joints beside heavy bodies. Friction without bound in space,
 * where a solution is known. */
#include "exact_coulomb.h"
#include "family.h"

CHECK_ARENA(arena);

enum { WALLS = 2, N = 4, MOST = 3, JOINTS = 2, COMBINATIONS = 64 };
enum { UNKNOWNS = N + 2 * MOST + JOINTS };

/* A disc of radius 1/32 that touches the wall x <= 0 and one that leans from it by d: at least
 * 2^-18, so that walls that ask for different velocities, by e d u_y, do so by more than 1e-9 of
 * them. u_y is not zero and u_x is off the grid of d u_y, or they would differ by d^2 only. */
static void draw_slot(check_random *r, impacts_case *c)
{
    const double d = ldexp(check_random_int(r, 19) - 9, -8 - check_random_int(r, 11)), R = 1. / 32;
    const double W[WALLS * 3] = {-1, 0, 0, 1, d, 0}, H[WALLS * 3] = {0, 1, R, -d, 1, -R};
    impacts_init(c, 3, WALLS);
    c->impact.mass_is_diagonal = true;
    memcpy(c->W, W, sizeof W);
    memcpy(c->H, H, sizeof H);
    c->M[0] = c->M[1] = 1;
    c->M[2] = (check_random_int(r, 2) ? 1 : 3) / 2048.;
    c->u[0] = ldexp(check_random_int(r, 129) - 64, check_random_int(r, 2) ? -5 : -20) + 0x1p-28;
    c->u[1] = (1 + check_random_int(r, 64)) / (check_random_int(r, 2) ? 64. : -64.);
    c->u[2] = (check_random_int(r, 129) - 64) / 16.;
    for (int i = 0; i < WALLS; i++) {
        c->contacts[i].slip_count = 1;
        c->contacts[i].restitution = check_random_int(r, 9) / 8.;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic =
            (1 + check_random_int(r, 16)) / 16.;
    }
}

static bool is_new(int n, int count, double (*list)[N], const double *u)
{
    for (int j = 0; j < count; j++) {
        double off = 0;
        for (int k = 0; k < n; k++)
            off = fmax(off, fabs(list[j][k] - u[k]));
        if (off == 0)
            return false;
    }
    return true;
}

/* All velocities u+ that satisfy the law. Returns their number, -1 where a combination leaves
 * impulses open: nothing is said then. */
static int find_motions(const impacts_case *c, double (*list)[N])
{
    static exact_system s;
    static fraction x[UNKNOWNS];
    const int n = c->impact.n, p = c->impact.p, all = n + 2 * p + c->impact.m;
    int count = 0;
    for (int k = 0; k < 1 << 2 * p; k++) {
        const int mode[MOST] = {k % 4, k / 4 % 4, k / 16};
        exact_coulomb_state(c, mode, &s);
        const int rank = exact_system_solve(&s, x);
        if (rank >= 0 && rank < all)
            return -1;
        if (rank < all || !exact_coulomb_holds(c, mode, x))
            continue;
        for (int j = 0; j < n; j++)
            list[count][j] = fraction_double(&x[j]);
        count += is_new(n, count, list, list[count]);
    }
    return count;
}

/* Whole numbers, mass ratios to 2^30. */
static void draw_contacts(check_random *r, impacts_case *c, int n, int p)
{
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n; k++) {
        c->M[k] = check_random_int(r, 2) ? 1 : ldexp(1, -check_random_int(r, 31));
        c->u[k] = (check_random_int(r, 17) - 8) / 4.;
    }
    for (int k = 0; k < n * p; k++) {
        c->W[k] = check_random_int(r, 7) - 3;
        c->H[k] = check_random_int(r, 7) - 3;
    }
    for (int i = 0; i < p; i++) {
        c->W[check_random_int(r, n) + n * i] = 1 + check_random_int(r, 3);
        c->contacts[i].slip_count = 1;
        c->contacts[i].restitution = check_random_int(r, 5) / 4.;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic =
            (1 + check_random_int(r, 8)) / 4.;
    }
}

static void draw_planar(check_random *r, impacts_case *c)
{
    const int n = 2 + check_random_int(r, 2), p = 1 + check_random_int(r, 10) / 4;
    draw_contacts(r, c, n, p);
}

/* The same with joints, which u- satisfies, and masses that are no powers of two. */
static void draw_joints(check_random *r, impacts_case *c)
{
    const int n = 3 + check_random_int(r, 2), p = 1 + check_random_int(r, 10) / 4;
    draw_contacts(r, c, n, p);
    c->impact.m = 1 + check_random_int(r, n - 2);
    for (int k = 0; k < n; k++)
        c->M[k] =
            ldexp(1 + check_random_int(r, 3), check_random_int(r, 2) * check_random_int(r, 31));
    for (int j = 0; j < c->impact.m; j++) {
        double *row = c->B + n * j;
        c->u[j] = check_random_int(r, 2) ? 0.5 : -2;
        for (int k = 0; k < n; k++)
            row[k] = (check_random_int(r, 9) - 4) / 2.;
        row[n - 1] = 1 + check_random_int(r, 3);
    }
    for (int j = 0; j < c->impact.m; j++) {
        double rate = 0;
        for (int k = 0; k < n; k++)
            rate += k == j ? 0 : c->B[k + n * j] * c->u[k];
        c->B[j + n * j] = -rate / c->u[j];
    }
}

static double distance(int n, const double *u, const double *v)
{
    double off = 0, size = 0;
    for (int k = 0; k < n; k++) {
        off = fmax(off, fabs(u[k] - v[k]));
        size = fmax(size, fabs(v[k]));
    }
    return off / fmax(size, 1);
}

static void in_fractions(const char *name, uint64_t seed,
                         void (*draw)(check_random *r, impacts_case *c))
{
    family f = family_start(name, seed, 500);
    while (family_next(&f)) {
        impacts_case c;
        carom_geometry g;
        double list[COMBINATIONS + 1][N];
        carom_arena_reset(arena);
        draw(&f.random, &c);
        const int n = c.impact.n, count = find_motions(&c, list);
        const carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        const bool some = o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL;
        if (count < 0)
            continue;
        family_check(&f,
                     (some ? 1 + o.alternative_count : 0) == count && (some || count == 0) &&
                         (some || o.answer == CAROM_ANSWER_NONE),
                     "%d motions, answer %d with %d others: %s", count, (int)o.answer,
                     o.alternative_count, o.message);
        for (int j = 0; j < count && some; j++) {
            double least = distance(n, o.u, list[j]);
            for (int k = 0; k < o.alternative_count; k++)
                least = fmin(least, distance(n, o.alternatives[k].u, list[j]));
            family_check(&f, least <= 1e-9, "motion %d off by %g", j, least);
        }
    }
    family_end(&f);
}

static void test_planar(void **state)
{
    (void)state;
    in_fractions("coulomb in fractions", 72, draw_planar);
}

static void test_joints(void **state)
{
    (void)state;
    in_fractions("coulomb within joints, in fractions", 74, draw_joints);
}

static void test_slots(void **state)
{
    (void)state;
    family f = family_start("slots of nearly opposed walls, in fractions", 71, 500);
    while (family_next(&f)) {
        impacts_case c;
        carom_geometry g;
        carom_arena_reset(arena);
        draw_slot(&f.random, &c);
        double list[COMBINATIONS + 1][N];
        const int solvable = find_motions(&c, list);
        const carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        const bool some = o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL;
        if (solvable >= 0)
            family_check(&f, solvable ? some : o.answer == CAROM_ANSWER_NONE,
                         "solvable %d, answer %d: %s", solvable, (int)o.answer, o.message);
    }
    family_end(&f);
}

/* Contacts in space with friction without bound: each is open or sticks, by the choice of u+ and
 * of impulses; u- follows from them. */
static void draw_unbounded(check_random *r, impacts_case *c, int n, int p)
{
    double u[IMPACTS_N], *row[3 * IMPACTS_P], L[3 * IMPACTS_P] = {0};
    int rows = 0;
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n * p; k++)
        c->W[k] = check_random_in(r, -1, 1);
    for (int k = 0; k < 2 * n * p; k++)
        c->H[k] = check_random_in(r, -1, 1);
    for (int k = 0; k < n; k++) {
        c->M[k] = pow(10, check_random_in(r, -1, 1));
        u[k] = 0;
    }
    for (int i = 0; i < p; i++) {
        double *const w = c->W + n * i, *const h = c->H + 2 * n * i;
        const bool open = check_random_int(r, 2);
        c->contacts[i].slip_count = 2;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic = INFINITY;
        u[0] = 1; /* the bodies move along the first coordinate alone */
        w[0] = open ? check_random_in(r, 0.1, 1) : 0;
        h[0] = h[n] = 0;
        for (int k = 0; k < 3 && !open; k++)
            L[rows + k] = check_random_in(r, k ? -1 : 0.1, 1);
        row[rows++] = w;
        row[rows++] = h;
        row[rows++] = h + n;
    }
    for (int k = 0; k < n; k++) {
        double change = 0;
        for (int j = 0; j < rows; j++)
            change += row[j][k] * L[j];
        c->u[k] = u[k] - change / c->M[k];
    }
}

static void test_unbounded(void **state)
{
    (void)state;
    family f = family_start("friction without bound in space", 73, 500);
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        const int p = 2 + check_random_int(r, 2), n = 3 * p + 1;
        carom_arena_reset(arena);
        draw_unbounded(r, &c, n, p);
        const carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        family_check(&f, o.answer == CAROM_ANSWER_OK, "answer %d: %s", (int)o.answer, o.message);
        for (int i = 0; i < p && o.answer == CAROM_ANSWER_OK; i++) {
            const double push = o.impulse[i], slip = hypot(o.slip[2 * i], o.slip[2 * i + 1]);
            const double drag = hypot(o.tangential_impulse[2 * i], o.tangential_impulse[2 * i + 1]);
            family_check(&f, push > 0 ? slip <= 1e-9 : drag == 0, "contact %d: %g %g %g", i, push,
                         slip, drag);
        }
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_unbounded),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
