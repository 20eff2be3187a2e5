/* Coulomb's law on whole numbers: every motion is listed once, against all combinations of modes in
 * fractions. Slips along normals and walls that repeat leave impulses open, and conditions that
 * hold with equality are met by several combinations, whose motions differ by rounding alone. */
#include "exact_coulomb.h"
#include "family.h"

CHECK_ARENA(arena);

enum { N = 3, MOST = 3, UNKNOWNS = N + 2 * MOST, MOTIONS = 64 };

static const double BOUND = 0x1p40; /* of the sum of normal impulses: none is as large by itself */

typedef struct motions {
    int count;
    bool continuum; /* one combination has several */
    fraction u[MOTIONS][N];
} motions;

static double whole(check_random *r, int most)
{
    return check_random_int(r, 2 * most + 1) - most;
}

/* A row that is not zero: whole numbers, or now and then the row before it, or its opposite. */
static void draw_row(check_random *r, int n, int most, const double *before, double *row)
{
    const bool repeats = before && check_random_int(r, 4) == 0;
    const double sign = check_random_int(r, 2) ? 1 : -1;
    bool zero = true;
    for (int k = 0; k < n; k++) {
        row[k] = repeats ? sign * before[k] : whole(r, most);
        zero = zero && row[k] == 0;
    }
    if (zero)
        row[check_random_int(r, n)] = sign;
}

static void draw(check_random *r, impacts_case *c)
{
    static const double masses[] = {1, 1, 2, 3, 1024};
    const int n = 1 + check_random_int(r, N), p = 1 + check_random_int(r, MOST);
    const int most = check_random_int(r, 2) ? 1 : 3;
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n; k++) {
        c->M[k] = masses[check_random_int(r, 5)];
        c->u[k] = whole(r, 2);
    }
    for (int i = 0; i < p; i++) {
        double *w = c->W + n * i, gap = 0;
        draw_row(r, n, most, i ? w - n : NULL, w);
        for (int k = 0; k < n; k++)
            gap += w[k] * c->u[k];
        for (int k = 0; k < n && gap > 0; k++) /* most contacts approach */
            w[k] = -w[k];
        draw_row(r, n, most, w, c->H + n * i);
        c->contacts[i].slip_count = 1;
        c->contacts[i].restitution = check_random_int(r, 2) ? 0 : check_random_int(r, 5) / 4.;
        c->contacts[i].tangential_restitution = check_random_int(r, 5) ? 0 : 1;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic =
            check_random_int(r, 5) ? ldexp(1, check_random_int(r, 6) - 3) : 0;
    }
}

/* The inequalities of a combination of modes as rows of equations, [A b], and the bound of all
 * impulses. Returns their number. */
static int list_edges(const impacts_case *c, const int *mode, fraction (*edge)[UNKNOWNS + 1])
{
    const int n = c->impact.n, p = c->impact.p, all = n + 2 * p;
    int count = 1;
    for (int e = 0; e <= 2 * p; e++)
        for (int k = 0; k <= all; k++)
            edge[e][k] = fraction_int(0);
    edge[0][all] = fraction_of(BOUND);
    for (int i = 0; i < p; i++) {
        const double mu = c->contacts[i].friction_static;
        const int normal = n + 2 * i, slip = normal + 1;
        edge[0][normal] = fraction_int(1);
        if (mode[i] == 0) { /* the gap stays closed */
            for (int k = 0; k < n; k++)
                edge[count][k] = fraction_of(c->W[k + n * i]);
            edge[count++][all] = fraction_subtract(fraction_int(0), exact_coulomb_normal(c, i));
        } else if (mode[i] == 1) { /* the edges of the cone */
            for (int side = -1; side <= 1; side += 2) {
                edge[count][normal] = fraction_of(side * mu);
                edge[count++][slip] = fraction_int(1);
            }
        } else { /* no impulse, no slip */
            edge[count++][normal] = fraction_int(1);
            for (int k = 0; k < n; k++)
                edge[count][k] = fraction_of(c->H[k + n * i]);
            edge[count++][all] = fraction_subtract(fraction_int(0), exact_coulomb_slip(c, i));
        }
    }
    return count;
}

/* One more motion of a combination, which has *some already, one of them `own`. */
static void add_motion(int n, const fraction *u, bool *some, fraction *own, motions *list)
{
    bool same = *some, known = false;
    for (int k = 0; k < n && same; k++)
        same = fraction_compare(own[k], u[k]) == 0;
    list->continuum = list->continuum || (*some && !same);
    for (int j = 0; j < list->count && !known; j++) {
        known = true;
        for (int k = 0; k < n; k++)
            known = known && fraction_compare(list->u[j][k], u[k]) == 0;
    }
    for (int k = 0; k < n; k++)
        own[k] = u[k];
    *some = true;
    assert_true(known || list->count < MOTIONS);
    for (int k = 0; k < n && !known; k++)
        list->u[list->count][k] = u[k];
    list->count += !known;
}

/* The corners of the impulses and motions of one combination: as many edges as the equations leave
 * open. The polyhedron has no line in it and is bounded: it is the hull of its corners. */
static void find_corners(const impacts_case *c, const int *mode, motions *list)
{
    static exact_system s;
    static fraction x[UNKNOWNS], own[N], edge[2 * MOST + 1][UNKNOWNS + 1];
    const int n = c->impact.n, all = n + 2 * c->impact.p;
    bool some = false;
    exact_coulomb_state(c, mode, &s);
    const int rank = exact_system_solve(&s, x), edges = list_edges(c, mode, edge);
    for (unsigned set = 0; rank >= 0 && set < 1u << edges; set++) {
        if (__builtin_popcount(set) != all - rank)
            continue;
        s.rows = all;
        for (int e = 0; e < edges; e++)
            if (set >> e & 1)
                memcpy(s.a[s.rows++], edge[e], sizeof *x * (size_t)(all + 1));
        fraction sum = fraction_int(0);
        if (exact_system_solve(&s, x) < all || !exact_coulomb_holds(c, mode, x))
            continue;
        for (int i = 0; i < c->impact.p; i++)
            sum = fraction_add(sum, x[n + 2 * i]);
        if (fraction_compare(sum, fraction_of(BOUND)) <= 0)
            add_motion(n, x, &some, own, list);
    }
}

static void find_motions(const impacts_case *c, motions *list)
{
    list->count = 0;
    list->continuum = false;
    for (int k = 0; k < 1 << 2 * c->impact.p; k++) {
        const int mode[MOST] = {k % 4, k / 4 % 4, k / 16};
        bool apart = true; /* without friction a contact is closed in one way */
        for (int i = 0; i < c->impact.p; i++)
            apart = apart && (c->contacts[i].friction_static > 0 || mode[i] % 2 == 0);
        if (apart)
            find_corners(c, mode, list);
    }
}

static double distance(int n, const double *u, const fraction *v)
{
    double off = 0, size = 1;
    for (int k = 0; k < n; k++) {
        off = fmax(off, fabs(u[k] - fraction_double(&v[k])));
        size = fmax(size, fabs(fraction_double(&v[k])));
    }
    return off / size;
}

/* The answer, and each motion once. */
static void compare(family *f, const impacts_case *c, const motions *list)
{
    carom_geometry g;
    const carom_outcome o = impacts_apply(&c->impact, "coulomb", NULL, 0, arena, &g);
    const carom_answer answer = list->count == 0   ? CAROM_ANSWER_NONE
                                : list->count == 1 ? CAROM_ANSWER_OK
                                                   : CAROM_ANSWER_SEVERAL;
    family_check(f, o.answer == answer, "%d motions, answer %d with %d others: %s", list->count,
                 (int)o.answer, o.alternative_count, o.message);
    if (o.answer != answer || answer == CAROM_ANSWER_NONE || list->continuum)
        return;
    family_check(f, 1 + o.alternative_count == list->count, "%d motions, %d listed", list->count,
                 1 + o.alternative_count);
    for (int j = 0; j < list->count; j++) {
        double least = distance(c->impact.n, o.u, list->u[j]);
        for (int k = 0; k < o.alternative_count; k++)
            least = fmin(least, distance(c->impact.n, o.alternatives[k].u, list->u[j]));
        family_check(f, least <= 1e-9, "motion %d off by %g", j, least);
    }
}

static void test_whole(void **state)
{
    (void)state;
    static motions list;
    family f = family_start("coulomb on whole numbers, motions listed once", 74, 1000);
    while (family_next(&f)) {
        impacts_case c;
        carom_arena_reset(arena);
        draw(&f.random, &c);
        find_motions(&c, &list);
        compare(&f, &c, &list);
    }
    family_end(&f);
}

/* Members that had a second motion, or a continuum, of rounding: forces that are zero were known to
 * some hundred units of it beside a small pivot, and columns rounded once have a kernel with forces
 * of rounding. */
static void test_members(void **state)
{
    (void)state;
    static const struct {
        int p;
        double mass[N], u[N], w[MOST][N], h[MOST][N], mu[MOST], e[MOST];
    } members[] = {{2,
                    {1024, 3, 3},
                    {0, 2, 1},
                    {{1, -1, 1}, {0, -1, 1}},
                    {{-1, -1, 0}, {-1, -1, 0}},
                    {0.25},
                    {0}},
                   {2,
                    {1, 3, 1024},
                    {-1, 1, 0},
                    {{1, 0, -1}, {1, 0, 0}},
                    {{1, -1, 0}, {1, 0, 0}},
                    {0, 0.25},
                    {0}},
                   {3,
                    {2, 3, 1},
                    {-2, 2, -1},
                    {{0, -1, 3}, {3, 3, 0}, {2, 2, 0}},
                    {{1, -2, 3}, {3, 3, 0}, {-1, 0, -1}},
                    {4},
                    {0, 0, 0.5}}};
    static motions list;
    family f = family_start("coulomb on whole numbers, members", 0, 1);
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        impacts_case c;
        carom_arena_reset(arena);
        impacts_init(&c, N, members[k].p);
        c.impact.mass_is_diagonal = true;
        memcpy(c.M, members[k].mass, sizeof members[k].mass);
        memcpy(c.u, members[k].u, sizeof members[k].u);
        memcpy(c.W, members[k].w, sizeof members[k].w);
        memcpy(c.H, members[k].h, sizeof members[k].h);
        for (int i = 0; i < members[k].p; i++) {
            c.contacts[i].slip_count = 1;
            c.contacts[i].restitution = members[k].e[i];
            c.contacts[i].friction_static = c.contacts[i].friction_dynamic = members[k].mu[i];
        }
        find_motions(&c, &list);
        compare(&f, &c, &list);
        assert_int_equal(f.disagreements, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole),
                                       cmocka_unit_test(test_members)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
