/* Piles with many rough contacts, masses far apart: discs in the plane, balls in space. The outcome
 * is judged contact by contact from its velocities and impulses alone. */
#include "carom/law.h"
#include "check.h"

#include <stdlib.h>

CHECK_ARENA(arena);

enum { BODIES = 60, CONTACTS = 160, N = 6 * BODIES };

typedef struct pile {
    int bodies, d, n, p, s; /* d: coordinates a body, 3 in the plane, 6 in space */
    double place[BODIES][3];
    double M[N], u[N];
    double *W, *H;
    carom_contact contacts[CONTACTS];
} pile;

static void pile_free(pile *c)
{
    free(c->W);
    free(c->H);
    free(c);
}

/* Adds the velocity of body i at its contact with outward normal e (unit) along the direction t,
 * with a sign, to a row. Radius 1. */
static void add_velocity(const pile *c, int i, const double *e, const double *t, double sign,
                         double *row)
{
    double *x = row + c->d * i;
    if (c->d == 3) { /* x, y, angle: point velocity = v + angle' (-e_y, e_x) */
        x[0] += sign * t[0];
        x[1] += sign * t[1];
        x[2] += sign * (t[1] * e[0] - t[0] * e[1]);
        return;
    }
    for (int k = 0; k < 3; k++) { /* v + omega x e, times t: omega (e x t) */
        int a = (k + 1) % 3, b = (k + 2) % 3;
        x[k] += sign * t[k];
        x[3 + k] += sign * (e[a] * t[b] - e[b] * t[a]);
    }
}

/* Contact of body j with body i (or with the floor, i < 0), e from i to j. */
static void add_contact(pile *c, int i, int j, const double *e)
{
    double back[3] = {-e[0], -e[1], -e[2]}, t[2][3] = {{-e[1], e[0], 0}};
    int slips = c->d == 3 ? 1 : 2;
    if (slips == 2) { /* two directions across e */
        double norm = hypot(e[0], e[1]);
        if (norm < 0.1) {
            t[0][0] = 1;
            t[0][1] = 0;
            norm = 1;
        }
        for (int k = 0; k < 3; k++)
            t[0][k] /= norm;
        double along = t[0][0] * e[0] + t[0][1] * e[1] + t[0][2] * e[2];
        for (int k = 0; k < 3; k++)
            t[0][k] -= along * e[k];
        for (int k = 0; k < 3; k++)
            t[1][k] = e[(k + 1) % 3] * t[0][(k + 2) % 3] - e[(k + 2) % 3] * t[0][(k + 1) % 3];
    }
    add_velocity(c, j, back, e, 1, c->W + c->p * c->n);
    if (i >= 0)
        add_velocity(c, i, e, e, -1, c->W + c->p * c->n);
    for (int k = 0; k < slips; k++, c->s++) {
        add_velocity(c, j, back, t[k], 1, c->H + c->s * c->n);
        if (i >= 0)
            add_velocity(c, i, e, t[k], -1, c->H + c->s * c->n);
    }
    c->contacts[c->p++].slip_count = slips;
}

/* Rows of discs, or layers of balls, each body on two (four) of those below and beside its
 * neighbours; masses over `decades` powers of ten. */
static pile *pile_make(int d, int rows, double decades, double mu, double e, check_random *r)
{
    pile *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->d = d;
    for (int level = 0; level < rows; level++)
        for (int a = 0; a < rows - level; a++)
            for (int b = 0; b < (d == 3 ? 1 : rows - level); b++) {
                double *x = c->place[c->bodies++];
                x[0] = 2 * a + level;
                x[d == 3 ? 1 : 2] = level * sqrt(d == 3 ? 3 : 2);
                if (d == 6)
                    x[1] = 2 * b + level;
            }
    c->n = d * c->bodies;
    c->W = calloc((size_t)(c->n * CONTACTS), sizeof(double));
    c->H = calloc((size_t)(c->n * CONTACTS * 2), sizeof(double));
    assert_true(c->W && c->H);
    for (int i = 0; i < CONTACTS; i++) {
        c->contacts[i] = carom_contact_default();
        c->contacts[i].restitution = e;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic = mu;
    }
    int up = d == 3 ? 1 : 2;
    for (int i = 0; i < c->bodies; i++) {
        double mass = pow(10, check_random_in(r, -decades / 2, decades / 2));
        for (int k = 0; k < d; k++) {
            c->M[d * i + k] = k <= up ? mass : 0.4 * mass;
            c->u[d * i + k] = check_random_in(r, -0.5, 0.5);
        }
        c->u[d * i + up] -= 1;
        double floor[3] = {0, d == 3, d == 6};
        if (c->place[i][up] == 0)
            add_contact(c, -1, i, floor);
        for (int j = 0; j < i; j++) {
            double to[3], square = 0;
            for (int k = 0; k < 3; k++) {
                to[k] = 0.5 * (c->place[i][k] - c->place[j][k]);
                square += to[k] * to[k];
            }
            if (fabs(square - 1) < 1e-9)
                add_contact(c, j, i, to);
        }
    }
    return c;
}

static double row_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Largest violation of the law over the contacts, from u+ and the impulses, kinetic units. */
static double violation(const pile *c, const carom_geometry *g, const carom_outcome *o, double e,
                        double mu)
{
    double worst = 0;
    for (int i = 0, j = 0; i < c->p; j += c->contacts[i].slip_count, i++) {
        double after = row_dot(c->n, c->W + i * c->n, o->u), force = 0, speed = 0, along = 0;
        double xi = (after + e * g->gamma[i]) / g->norm[i], push = o->impulse[i] * g->norm[i];
        worst = fmax(worst, fmax(-push, fabs(fmin(push, xi))));
        for (int k = j; k < j + c->contacts[i].slip_count; k++) {
            double slip = row_dot(c->n, c->H + k * c->n, o->u) / g->norm[i];
            double drag = o->tangential_impulse[k] * g->norm[i];
            force = hypot(force, drag);
            speed = hypot(speed, slip);
            along += slip * drag;
        }
        worst = fmax(worst, force - mu * push);
        /* where it slips, friction is full and against it: along = -mu push speed */
        worst = fmax(worst, fmin(speed, fabs(along + mu * push * speed) / fmax(speed, 1e-300)));
    }
    return worst / g->speed;
}

static void solve_pile(int d, int rows, double decades, double mu, double e, uint64_t seed,
                       int contacts)
{
    check_random r = {seed};
    pile *c = pile_make(d, rows, decades, mu, e, &r);
    carom_impact impact = {.n = c->n,
                           .p = c->p,
                           .mass_is_diagonal = true,
                           .M = c->M,
                           .u = c->u,
                           .W = c->W,
                           .H = c->H,
                           .contacts = c->contacts};
    carom_law law = {.ops = carom_law_find("coulomb")};
    carom_geometry g;
    carom_outcome o;
    carom_error error = {0};
    assert_int_equal(c->p, contacts);
    check_ok(carom_impact_derive(&impact, arena, &g, &error), &error);
    check_ok(carom_law_apply(&law, &g, arena, &o, &error), &error);
    if (o.answer != CAROM_ANSWER_OK)
        print_error("d %d rows %d decades %g mu %g: %s\n", d, rows, decades, mu, o.message);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_close(violation(c, &g, &o, e, mu), 0, 3e-11);
    check_close(o.verdict.momentum_error, 0, 1e-11);
    carom_arena_reset(arena);
    pile_free(c);
}

static void test_discs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (double decades = 0; decades <= 6; decades += 3) {
            solve_pile(3, 4, decades, 0.3, 0.3, seed, 22);
            solve_pile(3, 7, decades, 0.2, 0.3, seed, 70);
        }
    for (double decades = 0; decades <= 6; decades += 3)
        solve_pile(3, 5, decades, 0.8, 0, 2, 35); /* enough friction to wedge */
    solve_pile(3, 10, 0, 0.3, 0.3, 1, 145);
    solve_pile(3, 10, 6, 0.1, 0.3, 1, 145);
    solve_pile(3, 10, 6, 0.3, 0.3, 2, 145);
    solve_pile(3, 6, 9, 0.3, 0.3, 1, 51);
}

static void test_balls(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (double decades = 0; decades <= 6; decades += 3) {
            solve_pile(6, 2, decades, 0.3, 0.3, seed, 12);
            if (seed == 1)
                solve_pile(6, 3, decades, 0.3, 0, seed, 45);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discs),
        cmocka_unit_test(test_balls),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
