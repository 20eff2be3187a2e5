/* Planar frictional impacts made from a solution in fractions: the velocity v after the impact,
 * modes and impulses are drawn, with every inequality strict. Then all solutions near v have these
 * modes, and linear algebra tells whether there are any: the law must list v, or say `several`
 * where v is one of a continuum. */
#include "exact.h"
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

enum { RATIO = 1, OPPOSED = 2 };
enum { MODE_OPEN, MODE_STICK, MODE_PLUS, MODE_MINUS };

/* Numbers of a member beside its statement. */
typedef struct known {
    double v[4], size[4];
    int mode[4];
    double x[8]; /* normal and tangential impulse, contact after contact */
} known;

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* A row of small dyadic numbers with the product given; entries of v are 0, +-1, +-2. */
static bool draw_row(check_random *r, int n, const double *v, double aim, double *row)
{
    int k = check_random_int(r, n);
    while (v[k] == 0)
        k = (k + 1) % n;
    for (int j = 0; j < n; j++)
        row[j] = check_random_int(r, 7) - 3;
    row[k] += (aim - product(n, row, v)) / v[k];
    return product(n, row, row) > 0;
}

/* Contact i; false: to be drawn again. */
static bool draw_contact(check_random *r, impacts_case *c, int i, unsigned what, known *t)
{
    const int n = c->impact.n;
    double *w = c->W + n * i, *h = c->H + n * i, *x = t->x + 2 * i, turn[4];
    const double mu = ldexp(1, check_random_int(r, 4) - 2);
    int mode = check_random_int(r, 4);
    if ((what & OPPOSED) && i % 2 == 1) { /* to the contact before */
        const double little = ldexp(1, -10 - check_random_int(r, 9));
        draw_row(r, n, t->v, 0, turn);
        for (int k = 0; k < n; k++)
            w[k] = little * turn[k] - w[k - n];
        const double leaves = product(n, w, t->v);
        if (leaves < 0)
            return false;
        mode = leaves > 0 ? MODE_OPEN : mode == MODE_OPEN ? MODE_STICK : mode;
    } else if (!draw_row(r, n, t->v, mode == MODE_OPEN ? 1 + check_random_int(r, 3) : 0, w)) {
        return false;
    }
    double slip = 1 + check_random_int(r, 3);
    slip = mode == MODE_OPEN ? slip - 2 : mode == MODE_STICK ? 0 : mode == MODE_PLUS ? slip : -slip;
    x[0] = mode == MODE_OPEN ? 0 : 8 * (1 + check_random_int(r, 4));
    x[1] = mode == MODE_STICK  ? mu * x[0] * (check_random_int(r, 15) - 7) / 8
           : mode == MODE_PLUS ? -mu * x[0]
                               : mu * x[0];
    t->mode[i] = mode;
    c->contacts[i].slip_count = 1;
    c->contacts[i].friction_static = c->contacts[i].friction_dynamic = mu;
    return draw_row(r, n, t->v, slip, h);
}

/* u- = v - M^-1 J x without rounding, and the sizes of its terms; false: it does not fit. */
static bool draw_before(impacts_case *c, known *t)
{
    const int n = c->impact.n;
    for (int k = 0; k < n; k++) {
        fraction sum = fraction_of(t->v[k]);
        t->size[k] = fabs(t->v[k]);
        for (int i = 0; i < 2 * c->impact.p; i++) {
            const double *row = i % 2 ? c->H + n * (i / 2) : c->W + n * (i / 2);
            const double part = row[k] * t->x[i] / c->M[k];
            const double most = i % 2 ? c->contacts[i / 2].friction_static * t->x[i - 1] : t->x[i];
            sum = fraction_subtract(sum, fraction_of(part));
            t->size[k] += fabs(row[k] * most / c->M[k]);
        }
        c->u[k] = fraction_double(&sum);
        if (fraction_compare(sum, fraction_of(c->u[k])) != 0)
            return false;
    }
    return true;
}

static bool draw(check_random *r, impacts_case *c, unsigned what, known *t)
{
    const int n = 2 + check_random_int(r, 3), p = 1 + check_random_int(r, 4);
    const int sign = check_random_int(r, 2) ? 1 : -1;
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    for (int k = 0; k < n; k++) {
        t->v[k] = check_random_int(r, 5) - 2;
        c->M[k] =
            ldexp(1, what & RATIO ? sign * check_random_int(r, 31) : check_random_int(r, 4) - 2);
    }
    for (int i = 0; i < p; i++)
        if (product(n, t->v, t->v) == 0 || !draw_contact(r, c, i, what, t))
            return false;
    return draw_before(c, t);
}

/* The columns of momentum that the modes leave to the impulses, and the rows that they hold. */
static int list_columns(const impacts_case *c, const known *t, double column[8][4],
                        double row[8][4], int *rows)
{
    const int n = c->impact.n;
    int count = 0;
    *rows = 0;
    for (int i = 0; i < c->impact.p; i++) {
        const double *w = c->W + n * i, *h = c->H + n * i, mu = c->contacts[i].friction_static;
        if (t->mode[i] == MODE_OPEN)
            continue;
        const double slope = t->mode[i] == MODE_STICK ? 0 : t->mode[i] == MODE_PLUS ? -mu : mu;
        for (int k = 0; k < n; k++) {
            row[*rows][k] = w[k];
            column[count][k] = w[k] + slope * h[k];
        }
        ++*rows;
        ++count;
        for (int k = 0; k < n && t->mode[i] == MODE_STICK; k++)
            row[*rows][k] = column[count][k] = h[k];
        *rows += t->mode[i] == MODE_STICK;
        count += t->mode[i] == MODE_STICK;
    }
    return count;
}

/* v is one of a continuum: some impulses of its modes move a body, but none of the rows held. */
static bool is_continuum(const impacts_case *c, const known *t)
{
    static exact_system s;
    static fraction x[EXACT_ROWS];
    const int n = c->impact.n;
    double column[8][4], row[8][4];
    int rows, count = list_columns(c, t, column, row, &rows);
    if (count == 0)
        return false;
    exact_system_make(&s, rows, count);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < count; j++)
            for (int k = 0; k < n; k++)
                s.a[i][j] =
                    fraction_add(s.a[i][j], fraction_multiply(fraction_of(row[i][k] / c->M[k]),
                                                              fraction_of(column[j][k])));
    const int held = exact_system_solve(&s, x);
    exact_system_make(&s, n, count);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < count; j++)
            s.a[k][j] = fraction_of(column[j][k]);
    return held < exact_system_solve(&s, x);
}

/* In units of the terms of each body; one without terms has dust of the others. */
static double distance(int n, const double *u, const known *t)
{
    double worst = 0, top = 0;
    for (int k = 0; k < n; k++)
        top = fmax(top, t->size[k]);
    for (int k = 0; k < n; k++)
        worst = fmax(worst, fabs(u[k] - t->v[k]) / (t->size[k] + 0x1p-40 * top));
    return worst;
}

static void known_solution(const char *name, uint64_t seed, unsigned what)
{
    family f = family_start(name, seed, 700);
    while (family_next(&f)) {
        impacts_case c;
        carom_geometry g;
        known t;
        carom_arena_reset(arena);
        if (!draw(&f.random, &c, what, &t))
            continue;
        carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        const bool solved = o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL;
        family_check(&f, solved, "answer %d, and there is a solution: %s", (int)o.answer,
                     o.message);
        if (!solved)
            continue;
        if (is_continuum(&c, &t)) {
            family_check(&f, o.answer == CAROM_ANSWER_SEVERAL, "one of a continuum is called %s",
                         carom_answer_text(o.answer));
            continue;
        }
        double off = distance(c.impact.n, o.u, &t);
        for (int k = 0; k < o.alternative_count; k++)
            off = fmin(off, distance(c.impact.n, o.alternatives[k].u, &t));
        family_check(&f, off <= 1e-9, "a known solution is off by %g", off);
    }
    family_end(&f);
}

static void test_known(void **state)
{
    (void)state;
    known_solution("known solution, planar", 81, 0);
    known_solution("known solution, planar, mass ratios", 82, RATIO);
    /* two of these have velocities that are 1e-10 of their terms and yet move heavy bodies */
    known_solution("known solution, planar, mass ratios, all but ties", 5000097, RATIO);
    known_solution("known solution, planar, walls nearly opposed", 83, OPPOSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
