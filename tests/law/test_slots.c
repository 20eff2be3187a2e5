/* Coulomb's law where impulses can be as large as they like: a disc between two walls that are
 * nearly opposed, decided in fractions; and friction without bound, where a solution is known. */
#include "exact.h"
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

enum { WALLS = 2, N = 3, UNKNOWNS = N + 2 * WALLS };

/* A disc of radius 1/32 that touches the wall x <= 0 and one that leans from it by d: at least
 * 2^-18, so that walls that ask for different velocities, by e d u_y, do so by more than 1e-9 of
 * them. */
static void draw_slot(check_random *r, impacts_case *c)
{
    const double d = ldexp(check_random_int(r, 19) - 9, -8 - check_random_int(r, 11)), R = 1. / 32;
    const double W[WALLS * N] = {-1, 0, 0, 1, d, 0}, H[WALLS * N] = {0, 1, R, -d, 1, -R};
    impacts_init(c, N, WALLS);
    c->impact.mass_is_diagonal = true;
    memcpy(c->W, W, sizeof W);
    memcpy(c->H, H, sizeof H);
    c->M[0] = c->M[1] = 1;
    c->M[2] = (check_random_int(r, 2) ? 1 : 3) / 2048.;
    c->u[0] = ldexp(check_random_int(r, 129) - 64, check_random_int(r, 2) ? -5 : -20);
    c->u[1] = (check_random_int(r, 129) - 64) / 64.;
    c->u[2] = (check_random_int(r, 129) - 64) / 16.;
    for (int i = 0; i < WALLS; i++) {
        c->contacts[i].slip_count = 1;
        c->contacts[i].restitution = check_random_int(r, 9) / 8.;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic =
            (1 + check_random_int(r, 16)) / 16.;
    }
}

static fraction dot(const double *w, const double *u)
{
    fraction v[N];
    for (int k = 0; k < N; k++)
        v[k] = fraction_of(u[k]);
    return fraction_dot(N, w, v);
}

/* The equations of a combination of modes (0 open, 1 stick, 2 slip+, 3 slip-) for u+ and the
 * impulses, contact after contact. */
static void state_mode(const impacts_case *c, const int *mode, exact_system *s)
{
    exact_system_make(s, UNKNOWNS, UNKNOWNS);
    for (int k = 0; k < N; k++) { /* M u+ - J L = M u- */
        s->a[k][k] = fraction_of(c->M[k]);
        s->a[k][UNKNOWNS] = fraction_multiply(fraction_of(c->M[k]), fraction_of(c->u[k]));
        for (int i = 0; i < WALLS; i++) {
            s->a[k][N + 2 * i] = fraction_of(-c->W[k + N * i]);
            s->a[k][N + 2 * i + 1] = fraction_of(-c->H[k + N * i]);
        }
    }
    for (int i = 0; i < WALLS; i++) {
        const int normal = N + 2 * i, slip = normal + 1;
        const double mu = c->contacts[i].friction_static;
        for (int k = 0; k < N && mode[i] > 0; k++) /* gamma+ = -e gamma- */
            s->a[normal][k] = fraction_of(c->W[k + N * i]);
        for (int k = 0; k < N && mode[i] == 1; k++) /* no slip */
            s->a[slip][k] = fraction_of(c->H[k + N * i]);
        if (mode[i] == 0)
            s->a[normal][normal] = fraction_int(1);
        else
            s->a[normal][UNKNOWNS] = fraction_multiply(fraction_of(-c->contacts[i].restitution),
                                                       dot(c->W + N * i, c->u));
        if (mode[i] != 1)
            s->a[slip][slip] = fraction_int(1);
        if (mode[i] > 1) /* the law of friction */
            s->a[slip][normal] = fraction_of(mode[i] == 2 ? mu : -mu);
    }
}

/* The inequalities of the modes. */
static bool mode_holds(const impacts_case *c, const int *mode, const fraction *x)
{
    for (int i = 0; i < WALLS; i++) {
        const fraction *L = x + N + 2 * i, mu = fraction_of(c->contacts[i].friction_static);
        const fraction bound = fraction_multiply(mu, L[0]);
        const fraction gap = fraction_add(
            fraction_dot(N, c->W + N * i, x),
            fraction_multiply(fraction_of(c->contacts[i].restitution), dot(c->W + N * i, c->u)));
        const fraction slip = fraction_dot(N, c->H + N * i, x);
        if (mode[i] == 0 ? fraction_sign(&gap) < 0 : fraction_sign(&L[0]) < 0)
            return false;
        if (mode[i] == 1 && (fraction_compare(L[1], bound) > 0 ||
                             fraction_compare(fraction_subtract(fraction_int(0), L[1]), bound) > 0))
            return false;
        if ((mode[i] == 2 && fraction_sign(&slip) < 0) ||
            (mode[i] == 3 && fraction_sign(&slip) > 0))
            return false;
    }
    return true;
}

/* Whether the law has a solution; -1: a combination leaves impulses open, nothing is said. */
static int slot_solvable(const impacts_case *c)
{
    static exact_system s;
    static fraction x[UNKNOWNS];
    int found = 0;
    for (int k = 0; k < 16; k++) {
        const int mode[WALLS] = {k % 4, k / 4};
        state_mode(c, mode, &s);
        const int rank = exact_system_solve(&s, x);
        if (rank >= 0 && rank < UNKNOWNS)
            return -1;
        found = found || (rank == UNKNOWNS && mode_holds(c, mode, x));
    }
    return found;
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
        const int solvable = slot_solvable(&c);
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
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_unbounded),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
