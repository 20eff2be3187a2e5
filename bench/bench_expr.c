/* Formulas against hand-written C: value and gradient of potentials of six coordinates; and a chain
 * of 1000 balls: making the system, assembling M and W. */
#include "carom/formulas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 4000, REPEATS = 500, BALLS = 1000 }; /* short rounds: the best is undisturbed */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Three masses in the plane, joined by three springs, under gravity. */
static const char springs_formula[] = "9.81*(1.1*y1 + 1.2*y2 + 1.3*y3)"
                                      " + 50*(sqrt((x2 - x1)^2 + (y2 - y1)^2) - 1)^2"
                                      " + 60*(sqrt((x3 - x2)^2 + (y3 - y2)^2) - 1)^2"
                                      " + 70*(sqrt((x1 - x3)^2 + (y1 - y3)^2) - 1)^2";

static double springs(const double *q, double *g)
{
    static const double k[3] = {50, 60, 70}, m[3] = {1.1, 1.2, 1.3};
    double value = 0;
    for (int i = 0; i < 3; i++) {
        value += 9.81 * m[i] * q[2 * i + 1];
        g[2 * i] = 0;
        g[2 * i + 1] = 9.81 * m[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double dx = q[2 * j] - q[2 * i], dy = q[2 * j + 1] - q[2 * i + 1];
        double l = sqrt(dx * dx + dy * dy), e = l - 1, f = 2 * k[i] * e / l;
        value += k[i] * e * e;
        g[2 * j] += f * dx;
        g[2 * j + 1] += f * dy;
        g[2 * i] -= f * dx;
        g[2 * i + 1] -= f * dy;
    }
    return value;
}

/* A pendulum of six links with torsion springs. */
static const char links_formula[] =
    "-60*cos(x1) - 50*cos(y1) - 40*cos(x2) - 30*cos(y2) - 20*cos(x3) - 10*cos(y3)"
    " + 2*((y1 - x1)^2 + (x2 - y1)^2 + (y2 - x2)^2 + (x3 - y2)^2 + (y3 - x3)^2)";

static double links(const double *q, double *g)
{
    double value = 0;
    for (int i = 0; i < 6; i++) {
        double weight = 60 - 10 * i;
        value -= weight * cos(q[i]);
        g[i] = weight * sin(q[i]);
    }
    for (int i = 0; i + 1 < 6; i++) {
        double d = q[i + 1] - q[i];
        value += 2 * d * d;
        g[i + 1] += 4 * d;
        g[i] -= 4 * d;
    }
    return value;
}

/* A polynomial: no function to hide the interpreter behind. */
static const char quartic_formula[] =
    "x1^4 + y1^4 + x2^4 + y2^4 + x3^4 + y3^4 + (x1*y1)*(x2*y2) + (x2*y2)*(x3*y3) + (x3*y3)*(x1*y1)";

static double quartic(const double *q, double *g)
{
    double value = 0, p[3];
    for (int i = 0; i < 6; i++) {
        double s = q[i] * q[i];
        value += s * s;
        g[i] = 4 * s * q[i];
    }
    for (int i = 0; i < 3; i++)
        p[i] = q[2 * i] * q[2 * i + 1];
    value += p[0] * p[1] + p[1] * p[2] + p[2] * p[0];
    for (int i = 0; i < 3; i++) {
        double others = p[(i + 1) % 3] + p[(i + 2) % 3];
        g[2 * i] += q[2 * i + 1] * others;
        g[2 * i + 1] += q[2 * i] * others;
    }
    return value;
}

static void perturb(double *q, int round)
{
    q[round % 6] += 1e-7 * (round % 13 - 6);
}

/* The best of some repeats, in nanoseconds per evaluation. The functions are called through a
 * volatile pointer, so that nothing is computed once for all. */
static double time_by_hand(double (*volatile f)(const double *, double *), double *sum)
{
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double q[6] = {0.1, 0.2, 1.3, 0.1, 0.5, 1.2}, g[6], start = now();
        for (int round = 0; round < ROUNDS; round++) {
            perturb(q, round);
            *sum += f(q, g) + g[round % 6];
        }
        best = fmin(best, now() - start);
    }
    return best / ROUNDS * 1e9;
}

static double time_formula(carom_expr *e, double *sum)
{
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double q[6] = {0.1, 0.2, 1.3, 0.1, 0.5, 1.2}, u[6] = {0}, g[13], start = now();
        for (int round = 0; round < ROUNDS; round++) {
            perturb(q, round);
            *sum += carom_expr_evaluate(e, 0, q, u, g, NULL) + g[round % 6];
        }
        best = fmin(best, now() - start);
    }
    return best / ROUNDS * 1e9;
}

static int compare(const char *name, const char *formula,
                   double (*by_hand)(const double *, double *))
{
    static const char *const names[] = {"x1", "y1", "x2", "y2", "x3", "y3"};
    carom_scope *scope;
    carom_expr *e;
    carom_error error = {0};
    if (carom_scope_create(NULL, &scope, &error))
        return 1;
    for (int k = 0; k < 6; k++)
        carom_scope_add_coordinate(scope, &(carom_source){.text = names[k]}, &error);
    if (carom_expr_create(scope, &(carom_source){.text = formula}, 1, &e, &error)) {
        printf("%s\n", error.text);
        return 1;
    }
    double a = 0, b = 0;
    double hand = time_by_hand(by_hand, &a), ours = time_formula(e, &b);
    printf("%-10s hand-written %6.1f ns   formula %6.1f ns   ratio %.2f   (difference %.1e)\n",
           name, hand, ours, ours / hand, fabs(a - b) / fabs(a));
    carom_expr_destroy(e);
    carom_scope_destroy(scope);
    return 0;
}

/* The chain of balls as `repeat` writes it. */
static int chain(void)
{
    static carom_source coordinates[BALLS], kinetic[BALLS];
    static carom_contact_formulas contacts[BALLS];
    static char text[BALLS][3][48];
    const carom_named_formula parameters[] = {{{.text = "m"}, {.text = "2"}},
                                              {{.text = "R"}, {.text = "0.25"}}};
    for (int i = 0; i < BALLS; i++) {
        snprintf(text[i][0], sizeof text[i][0], "x%d", i);
        snprintf(text[i][1], sizeof text[i][1], "m/2*x%d'^2", i);
        snprintf(text[i][2], sizeof text[i][2], "x%d - x%d - 2*R", i + 1, i);
        coordinates[i].text = text[i][0];
        kinetic[i].text = text[i][1];
        contacts[i].gap.text = text[i][2];
        contacts[i].properties = carom_contact_default();
    }
    const carom_formulas statement = {.coordinate_count = BALLS,
                                      .coordinates = coordinates,
                                      .parameter_count = 2,
                                      .parameters = parameters,
                                      .kinetic_count = BALLS,
                                      .kinetic = kinetic,
                                      .contact_count = BALLS - 1,
                                      .contacts = contacts};
    carom_system *system;
    carom_arena *arena;
    carom_state state;
    carom_error error = {0};
    double start = now();
    if (carom_system_formulas(&statement, NULL, &system, &error) ||
        carom_arena_create(NULL, &arena, &error) ||
        carom_state_create(system, arena, &state, &error)) {
        printf("%s\n", error.text);
        return 1;
    }
    double made = now();
    for (int i = 0; i < BALLS; i++)
        state.q[i] = i;
    double best = INFINITY;
    for (int repeat = 0; repeat < 20; repeat++) {
        double from = now();
        if (carom_system_evaluate(system, CAROM_WANT_MASS | CAROM_WANT_NORMALS, &state, &error))
            return 1;
        best = fmin(best, now() - from);
    }
    printf("chain of %d balls: made in %.1f ms, M and W assembled in %.3f ms\n", BALLS,
           1e3 * (made - start), 1e3 * best);
    carom_arena_destroy(arena);
    carom_system_destroy(system);
    return 0;
}

/* A compass walker's equations, and their derivatives in all directions of its state. */
static int tangents(void)
{
    enum { K = 4 };
    const carom_source coordinates[] = {{.text = "a"}, {.text = "b"}};
    const carom_source kinetic = {.text = "8.75*a'^2 + 0.625*b'^2 - 2.5*a'*b'*cos(a - b)"};
    const carom_source potential = {.text = "171.675*cos(a) - 24.525*cos(b)"};
    const carom_formulas statement = {.coordinate_count = 2,
                                      .coordinates = coordinates,
                                      .kinetic_count = 1,
                                      .kinetic = &kinetic,
                                      .potential_count = 1,
                                      .potential = &potential};
    carom_system *system;
    carom_arena *arena;
    carom_state state;
    carom_error error = {0};
    if (carom_system_formulas(&statement, NULL, &system, &error) ||
        carom_arena_create(NULL, &arena, &error) ||
        carom_state_create(system, arena, &state, &error))
        return 1;
    const unsigned want = CAROM_WANT_MASS | CAROM_WANT_FORCES;
    double dq[2 * K] = {1, 0, 0, 1}, du[2 * K] = {0, 0, 0, 0, 1, 0, 0, 1}, x[] = {1, -2};
    double h[2 * K], Mx[2 * K], best[2] = {INFINITY, INFINITY};
    const carom_directions along = {K, NULL, dq, du, NULL};
    carom_tangents wanted = {.x = x, .h = h, .Mx = Mx};
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = now();
        for (int round = 0; round < ROUNDS; round++) {
            state.q[round % 2] += 1e-7 * (round % 13 - 6);
            carom_system_evaluate(system, want, &state, &error);
        }
        double middle = now();
        for (int round = 0; round < ROUNDS; round++) {
            state.q[round % 2] += 1e-7 * (round % 13 - 6);
            carom_system_differentiate(system, want, &state, &along, &error);
            carom_system_tangents(system, &wanted);
        }
        best[0] = fmin(best[0], middle - start);
        best[1] = fmin(best[1], now() - middle);
    }
    printf("walker: M and h %.0f ns, their derivatives in %d directions %.0f ns, ratio %.2f\n",
           best[0] / ROUNDS * 1e9, K, best[1] / ROUNDS * 1e9, best[1] / best[0]);
    carom_arena_destroy(arena);
    carom_system_destroy(system);
    return 0;
}

int main(void)
{
    return compare("springs", springs_formula, springs) || compare("links", links_formula, links) ||
           compare("quartic", quartic_formula, quartic) || chain() || tangents();
}
