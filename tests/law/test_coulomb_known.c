/* Frictional impacts in space made from a solution in whole numbers: velocities v after the impact
 * and impulses x are drawn, contacts are rows with the products that their modes ask of v, and the
 * velocity before is v - M^-1 J x. The law must know v, or another solution that satisfies it. */
#include "family.h"
#include "impacts.h"

CHECK_ARENA(arena);

enum { NEAR = 1, LIGHT = 2, EDGE = 4 };

/* Directions with rational sine and cosine. */
static const double directions[7][3] = {{3, 4, 5},     {-3, 4, 5}, {4, -3, 5}, {5, 12, 13},
                                        {-8, -15, 17}, {1, 0, 1},  {0, -1, 1}};

/* A row of small whole numbers with the product given; v is not zero, its entries powers of two. */
static void draw_row(check_random *r, int n, const double *v, double product, double *row)
{
    int k = check_random_int(r, n);
    while (v[k] == 0)
        k = (k + 1) % n;
    for (int j = 0; j < n; j++) {
        row[j] = check_random_int(r, 7) - 3;
        product -= row[j] * v[j];
    }
    row[k] += product / v[k];
}

static void draw_velocity(check_random *r, int n, double *v)
{
    double size = 0;
    while (size == 0)
        for (int k = 0; k < n; k++) {
            v[k] = (check_random_int(r, 3) - 1) * (1 + check_random_int(r, 2));
            size += fabs(v[k]);
        }
}

/* The second slip nearly a combination of the other rows, its product with v as it was. */
static void bend_slip(check_random *r, int n, const double *v, double product, const double *w,
                      double *h)
{
    const int a = check_random_int(r, 3) - 1, i = check_random_int(r, n), j = (i + 1) % n;
    const double little = ldexp(1, -3 - check_random_int(r, 11));
    double *last = h + n;
    int k = 0;
    for (int m = 0; m < n; m++) {
        last[m] = 2 * h[m] + a * w[m];
        product -= last[m] * v[m];
    }
    while (v[k] == 0)
        k++;
    last[k] += product / v[k];
    last[i] += little * (v[j] != 0 || v[i] != 0 ? v[j] : 1);
    last[j] -= little * v[i];
}

/* Contact i of the case with its impulses (x: normal and two slips), sticking or sliding. */
static void draw_contact(check_random *r, impacts_case *c, int i, const double *v, unsigned what,
                         double *x)
{
    const int n = c->impact.n;
    const double *d = directions[check_random_int(r, 7)];
    const double mu = ldexp(1, check_random_int(r, 4) - 2),
                 N = 17 * 65 * (1 + check_random_int(r, 4));
    const int slides = check_random_int(r, 2);
    double speed = slides ? 1 + check_random_int(r, 3) : 0, *w = c->W + n * i,
           *h = c->H + 2 * n * i;
    if (slides && (what & EDGE) && check_random_int(r, 2))
        speed = ldexp(1, -12 - check_random_int(r, 6));
    draw_row(r, n, v, 0, w);
    draw_row(r, n, v, speed * d[0], h);
    draw_row(r, n, v, speed * d[1], h + n);
    if (what & NEAR)
        bend_slip(r, n, v, speed * d[1], w, h);
    x[0] = N;
    x[1] = slides ? -mu * N * d[0] / d[2] : mu * (check_random_int(r, (int)N) - floor(N / 2));
    x[2] = slides ? -mu * N * d[1] / d[2] : mu * (check_random_int(r, (int)N) - floor(N / 2));
    c->contacts[i].slip_count = 2;
    c->contacts[i].friction_static = c->contacts[i].friction_dynamic = mu;
}

/* u- = v - M^-1 J x; size: of the terms of each body. */
static void draw_before(impacts_case *c, const double *v, const double *x, double *size)
{
    const int n = c->impact.n;
    for (int k = 0; k < n; k++) {
        double sum = 0;
        size[k] = 0;
        for (int i = 0; i < c->impact.p; i++)
            for (int j = 0; j < 3; j++) {
                const double *row = j ? c->H + n * (2 * i + j - 1) : c->W + n * i;
                sum += row[k] * x[3 * i + j];
                size[k] += fabs(row[k] * x[3 * i + j]);
            }
        c->u[k] = v[k] - sum / c->M[k];
        size[k] = size[k] / c->M[k] + fabs(v[k]);
    }
}

static void draw(check_random *r, impacts_case *c, int n, int p, unsigned what, double *v,
                 double *x, double *size)
{
    impacts_init(c, n, p);
    c->impact.mass_is_diagonal = true;
    draw_velocity(r, n, v);
    for (int k = 0; k < n; k++)
        c->M[k] = what & LIGHT ? ldexp(1, -check_random_int(r, 31))
                               : ldexp(1, check_random_int(r, 4) - 2);
    for (int i = 0; i < p; i++)
        draw_contact(r, c, i, v, what, x + 3 * i);
    draw_before(c, v, x, size);
}

static double product(int n, const double *w, const double *u)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += w[k] * u[k];
    return sum;
}

/* Distance of two velocities in units of the terms of each body. */
static double distance(int n, const double *u, const double *v, const double *size)
{
    double worst = 0, top = 0;
    for (int k = 0; k < n; k++)
        top = fmax(top, size[k]);
    for (int k = 0; k < n; k++)
        worst = fmax(worst, fabs(u[k] - v[k]) / (size[k] + 1e-3 * top));
    return worst;
}

/* One contact: all its solutions are listed, v too. */
static void one_contact(const char *name, uint64_t seed, unsigned what)
{
    family f = family_start(name, seed, 500);
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        const int n = 3 + check_random_int(r, 3);
        double v[8], x[3], size[8], w[8], grazes;
        carom_arena_reset(arena);
        draw(r, &c, n, 1, what, v, x, size);
        for (int k = 0; k < n; k++)
            w[k] = c.W[k];
        grazes = product(n, w, c.u); /* at rest, friction may jam it with any impulse */
        if (grazes == 0 || product(n, w, w) == 0)
            continue;
        carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        bool solved = o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL;
        double off = solved ? distance(n, o.u, v, size) : INFINITY;
        for (int k = 0; k < o.alternative_count && solved; k++)
            off = fmin(off, distance(n, o.alternatives[k].u, v, size));
        family_check(&f, off <= 1e-9, "answer %d, a known solution is off by %g", (int)o.answer,
                     off);
    }
    family_end(&f);
}

/* Coulomb's law at contact i, from u+ and impulses alone: the worst violation, velocities in units
 * of their terms, impulses in units of the largest. */
static double law_off(const impacts_case *c, const carom_outcome *o, int i)
{
    const int n = c->impact.n;
    const double *w = c->W + n * i, *h = c->H + 2 * n * i, mu = c->contacts[i].friction_dynamic;
    const double N = o->impulse[i], *t = o->tangential_impulse + 2 * i;
    double size = 0, top = 0;
    for (int k = 0; k < n; k++)
        size += (fabs(w[k]) + fabs(h[k]) + fabs(h[n + k])) * (fabs(o->u[k]) + fabs(c->u[k]));
    for (int k = 0; k < c->impact.p; k++)
        top = fmax(top, o->impulse[k]);
    top = top > 0 ? top : 1; /* all contacts separate */
    const double normal = product(n, w, o->u) / size, push = N / top;
    const double slip[2] = {product(n, h, o->u), product(n, h + n, o->u)};
    const double speed = hypot(slip[0], slip[1]), force = hypot(t[0], t[1]);
    double worst = fmax(fmax(-normal, -push), fmin(normal, push));
    worst = fmax(worst, (force - mu * N) / (mu * top));
    if (speed > 0 && N > 0) { /* sticks, or slides against its slip: the better description */
        const double off =
            hypot(t[0] + mu * N * slip[0] / speed, t[1] + mu * N * slip[1] / speed) / (mu * N);
        worst = fmax(worst, fmin(speed / size, off));
    }
    return worst;
}

/* Two to four contacts: a solution is found, and it satisfies the law. */
static void several_contacts(const char *name, uint64_t seed, unsigned what)
{
    family f = family_start(name, seed, 500);
    while (family_next(&f)) {
        check_random *r = &f.random;
        impacts_case c;
        carom_geometry g;
        const int n = 3 + check_random_int(r, 3), p = 2 + check_random_int(r, 3);
        double v[8], x[12], size[8], off = 0;
        bool flat = false;
        carom_arena_reset(arena);
        draw(r, &c, n, p, what, v, x, size);
        for (int i = 0; i < p; i++)
            flat = flat || product(n, c.W + n * i, c.W + n * i) == 0;
        if (flat)
            continue;
        carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        const bool solved = o.answer == CAROM_ANSWER_OK || o.answer == CAROM_ANSWER_SEVERAL;
        family_check(&f, solved, "answer %d, and there is a solution: %s", (int)o.answer,
                     o.message);
        if (!solved)
            continue;
        for (int i = 0; i < p; i++)
            off = fmax(off, law_off(&c, &o, i));
        family_check(&f, off <= 1e-7, "the law is off by %g", off);
        family_check(&f, o.verdict.kinematic, "contacts penetrate by %g", o.verdict.least_velocity);
    }
    family_end(&f);
}

static void test_one(void **state)
{
    (void)state;
    one_contact("known solution, one contact in space", 71, 0);
    one_contact("known solution, rows nearly dependent", 72, NEAR);
    one_contact("known solution, light bodies", 71, LIGHT);
    one_contact("known solution, light bodies, directions all but equal", 924002843, LIGHT);
}

/* All rows of one contact along one coordinate, which leaves it, and can be stopped by friction:
 * both are solutions. */
static void test_one_coordinate(void **state)
{
    (void)state;
    impacts_case c;
    carom_geometry g;
    carom_arena_reset(arena);
    impacts_init(&c, 3, 1);
    c.impact.mass_is_diagonal = true;
    c.M[0] = c.M[1] = 0.25;
    c.M[2] = 0.5;
    c.u[0] = 2;
    c.u[1] = 1290.25;
    c.W[1] = 1;
    c.H[1] = -1;
    c.H[4] = -255. / 256;
    c.contacts[0].slip_count = 2;
    c.contacts[0].friction_static = c.contacts[0].friction_dynamic = 2;
    carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
    assert_int_equal(o.answer, CAROM_ANSWER_SEVERAL);
    assert_int_equal(o.alternative_count, 1);
    const double *stopped = o.alternatives[0].u;
    check_near(o.u[1], 1290.25, 1);
    check_close(stopped[0], 2, 0);
    check_close(stopped[1], 0, CHECK_ROUNDING(1290.25));
    check_close(stopped[2], 0, 0);
}

static void test_several(void **state)
{
    (void)state;
    several_contacts("known solution, contacts in space", 73, 0);
    several_contacts("known solution, slip that only just starts", 74, EDGE);
    several_contacts("known solution, contacts of light bodies", 77, LIGHT);
}

/* Walls along the motion on both sides of it, their rows multiples of one another up to rounding:
 * what that leaves of the normal velocities is no reason for `none`. */
static void test_along(void **state)
{
    (void)state;
    family f = family_start("motion along opposed walls", 75, 500);
    while (family_next(&f)) {
        check_random *r = &f.random;
        const double *d = directions[check_random_int(r, 7)];
        impacts_case c;
        carom_geometry g;
        carom_arena_reset(arena);
        impacts_init(&c, 2, 2);
        c.impact.mass_is_diagonal = true;
        for (int k = 0; k < 2; k++) {
            c.M[k] = ldexp(1, check_random_int(r, 4) - 2);
            c.u[k] = k ? -d[0] : d[1];
        }
        for (int i = 0; i < 2; i++) {
            const double k = (i ? -1 : 1) * check_random_in(r, 0.1, 10);
            const double slip = check_random_in(r, -2, 2);
            c.contacts[i].slip_count = 2;
            c.contacts[i].restitution = c.contacts[i].tangential_restitution = 0.5;
            c.contacts[i].friction_static = c.contacts[i].friction_dynamic = 1;
            for (int j = 0; j < 2; j++) {
                c.W[2 * i + j] = k * d[j];
                c.H[4 * i + j] = slip * d[j];
                c.H[4 * i + 2 + j] = check_random_int(r, 2) * d[j];
            }
        }
        carom_outcome o = impacts_apply(&c.impact, "coulomb", NULL, 0, arena, &g);
        const double off = hypot(o.u[0] - c.u[0], o.u[1] - c.u[1]) / d[2];
        family_check(&f, o.answer == CAROM_ANSWER_OK && off <= 1e-12, "answer %d, off by %g: %s",
                     (int)o.answer, off, o.message);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one), cmocka_unit_test(test_one_coordinate),
        cmocka_unit_test(test_several), cmocka_unit_test(test_along)};
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
