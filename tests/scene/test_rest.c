/* Bodies that hold each other: ladders that stand or slip, cradles on strings. A statement at rest
 * stays at rest, however long; the reference of the ladders is the equilibrium by hand. */
#include "carom/io.h"
#include "family.h"

/* A scene from its text, run to its end. */
typedef struct bundle {
    carom_scene *scene;
    const carom_scene_content *content;
    carom_arena *arena;
    carom_flow_result r;
    carom_error error;
    carom_status status;
} bundle;

static void run(bundle *b, const char *text)
{
    memset(b, 0, sizeof *b);
    check_ok(carom_scene_read_text(text, strlen(text), NULL, &b->scene, &b->error), &b->error);
    check_ok(carom_arena_create(NULL, &b->arena, &b->error), &b->error);
    const carom_scene_content *c = b->content = carom_scene_get(b->scene);
    b->status =
        carom_flow_run(c->system, c->law, &c->initial, c->run, NULL, b->arena, &b->r, &b->error);
}

static void close_bundle(bundle *b)
{
    carom_scene_destroy(b->scene);
    carom_arena_destroy(b->arena);
}

/* A ladder of half-length l between floor and wall, weight m g, a load of weight F at the part s of
 * its length from the foot; friction mu_1 at the foot, mu_2 at the top. */
typedef struct ladder {
    double th, l, m, g, F, s, mu1, mu2;
} ladder;

/* Equilibrium: T_1 = N_2, N_1 + T_2 = W, moments about the foot; N_2 = x is free. The distance of
 * the best x from the edge of what friction allows, in units of the weight: > 0 stands. */
static double margin(const ladder *d)
{
    const double weight = d->m * d->g + d->F, arm = 2 * d->l;
    const double moment = (d->m * d->g * d->l + d->F * arm * d->s) * cos(d->th);
    double best = -INFINITY;
    for (int k = 0; k <= 20000; k++) { /* x arm sin + T_2 arm cos = moment */
        const double x = 2 * weight * k / 20000, T2 = (moment / arm - x * sin(d->th)) / cos(d->th);
        const double N1 = weight - T2;
        best = fmax(best, fmin(fmin(N1, d->mu1 * N1 - x), d->mu2 * x - fabs(T2)));
    }
    return best / weight;
}

static void test_ladders(void **state)
{
    (void)state;
    family f = family_start("ladders at rest", 41, 300);
    int stand = 0, slip = 0;
    while (family_next(&f)) {
        check_random *r = &f.random;
        const double unit = pow(10, check_random_in(r, -3, 3));
        ladder d = {.th = check_random_in(r, 0.2, 1.4),
                    .l = unit * check_random_in(r, 0.5, 2),
                    .m = pow(10, check_random_in(r, -2, 2)),
                    .g = pow(10, check_random_in(r, -1, 1)),
                    .s = check_random_in(r, 0, 1),
                    .mu1 = check_random_in(r, 0, 1.5),
                    .mu2 = check_random_in(r, 0, 1.5)};
        d.F = check_random_in(r, 0, 1) * d.m * d.g;
        const double room = margin(&d);
        if (fabs(room) < 1e-3)
            continue;
        char text[2000];
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {l: %.17g, m: %.17g, g: %.17g, F: %.17g, s: %.17g}\n"
                 "system:\n  coordinates: [x, y, th]\n"
                 "  kinetic: m/2*(x'^2 + y'^2) + m*l^2/6*th'^2\n"
                 "  potential: m*g*y + F*(y + (2*s - 1)*l*sin(th))\n  contacts:\n"
                 "    foot: {gap: y - l*sin(th), slip: x' - l*sin(th)*th', friction: %.17g}\n"
                 "    top: {gap: x - l*cos(th), slip: y' + l*cos(th)*th', friction: %.17g}\n"
                 "initial: {th: %.17g, x: l*cos(%.17g), y: l*sin(%.17g)}\n"
                 "law: coulomb\nrun: {until: %.17g}\n",
                 d.l, d.m, d.g, d.F, d.s, d.mu1, d.mu2, d.th, d.th, d.th,
                 (room > 0 ? 100 : 0.1) * sqrt(d.l / d.g));
        bundle b;
        run(&b, text);
        family_check(&f, b.status == CAROM_OK, "%s", b.status < 0 ? b.error.text : b.r.message);
        const double turned = b.status < 0 ? 0 : fabs(b.r.q[2] - d.th);
        stand += room > 0;
        slip += room < 0;
        if (room > 0)
            family_check(&f, turned <= 1e-9, "turns by %g, should stand (%g)", turned, room);
        else
            family_check(&f, turned >= 1e-7, "stands, should slip (%g)", room);
        close_bundle(&b);
    }
    print_message("%d ladders stand, %d slip\n", stand, slip);
    family_end(&f);
}

/* Balls on strings, each string a unilateral contact: the strings hold, the balls hand the blow on.
 */
static void test_cradles(void **state)
{
    (void)state;
    static const char *const laws[] = {"sequential", "newton", "poisson"};
    family f = family_start("cradles on strings", 42, 60);
    while (family_next(&f)) {
        check_random *r = &f.random;
        const int N = 2 + (int)check_random_in(r, 0, 6.99);
        const int lifted = 1 + (int)check_random_in(r, 0, N - 1.01);
        char text[2000], lift[600] = "";
        for (int i = 1; i <= lifted; i++) {
            char one[100];
            snprintf(one, sizeof one, "x%d: 2*R*%d - L*sin(a), y%d: -L*cos(a), ", i, i, i);
            strcat(lift, one);
        }
        snprintf(text, sizeof text,
                 "carom: 1\nparameters: {m: %.17g, R: %.17g, L: %.17g, a: %.17g}\nsystem:\n"
                 "  repeat:\n    - index: i\n      from: 1\n      to: %d\n"
                 "      coordinates: [x$i, y$i]\n      kinetic: m/2*(x$i'^2 + y$i'^2)\n"
                 "      potential: m*9.81*y$i\n      initial: {x$i: 2*R*$i, y$i: -L}\n"
                 "      contacts:\n"
                 "        string$i: {gap: 'L - sqrt((x$i - 2*R*$i)^2 + y$i^2)', restitution: 0}\n"
                 "    - index: i\n      from: 1\n      to: %d\n      contacts:\n"
                 "        b$i: {gap: 'sqrt((x$(i+1)-x$i)^2 + (y$(i+1)-y$i)^2) - 2*R', "
                 "restitution: 1}\n"
                 "initial: {%s}\nlaw: %s\nrun: {until: 3}\n",
                 pow(10, check_random_in(r, -2, 2)), check_random_in(r, 0.01, 0.05),
                 check_random_in(r, 0.1, 0.5), check_random_in(r, 0.05, 0.6), N, N - 1, lift,
                 laws[f.member % 3]);
        bundle b;
        run(&b, text);
        family_check(&f, b.status == CAROM_OK, "%s", b.status < 0 ? b.error.text : b.r.message);
        const carom_flow_ledger *l = &b.r.ledger;
        const double size = 1e-9 * (fabs(l->initial) + l->kinetic);
        family_check(&f, b.r.impact_count > 2, "%ld impacts only", b.r.impact_count);
        family_check(&f, l->impacts <= size && fabs(l->balance_error) <= size, "books: %g, %g",
                     l->impacts, l->balance_error);
        close_bundle(&b);
    }
    family_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladders),
        cmocka_unit_test(test_cradles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
