/* Newton's inequality law with equal coefficients (complementarity problem in the Delassus matrix)
 * = global dissipation index (cone projection in the mass matrix) = its proximal form
 * u+ - b = (1 + eps) prox_T(u- - b) - eps (u- - b), and the energy identity. */
#include "impacts.h"

static void random_case(impacts_case *c, check_random *r, int k, double e)
{
    int n = 1 + check_random_int(r, 12), p = 1 + check_random_int(r, 10);
    impacts_random(c, r, n, p, k % 2, pow(10, check_random_in(r, 0, 6)));
    if (k % 3 == 0 && n > 2)
        c->impact.m = 1 + check_random_int(r, 2);
    for (int i = 0; i < n * c->impact.m; i++)
        c->B[i] = check_random_in(r, -1, 1) * sqrt(c->M[i % n + (i % n) * n]);
    for (int i = 0; i < p; i++)
        c->contacts[i].restitution = e;
    double size = pow(10, check_random_in(r, -6, 6)), mass = pow(10, check_random_in(r, -9, 9));
    for (int i = 0; i < n; i++)
        c->u[i] *= size;
    for (int i = 0; i < n * n; i++)
        c->M[i] *= mass;
    /* motions that some velocity has */
    double v[IMPACTS_N];
    for (int i = 0; i < n; i++)
        v[i] = k % 5 < 2 ? c->u[check_random_int(r, n)] * check_random_in(r, -1, 1) : 0;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < n; i++)
            c->w_hat[j] -= c->W[i + j * n] * v[i];
    for (int j = 0; j < c->impact.m; j++)
        for (int i = 0; i < n; i++)
            c->b_hat[j] -= c->B[i + j * n] * v[i];
}

static void test_newton_is_moreau(void **state)
{
    (void)state;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    check_random r = {31};
    for (int k = 0; k < 10000; k++) {
        static impacts_case c;
        static carom_geometry g;
        double e = k % 7 == 0 ? 1 : k % 7 == 1 ? 0 : check_random_in(&r, 0, 1), x[IMPACTS_N];
        random_case(&c, &r, k, e);
        int n = c.impact.n;
        carom_outcome newton = impacts_apply(&c.impact, "newton", NULL, 0, arena, &g);
        carom_outcome moreau = impacts_apply(&c.impact, "moreau", NULL, 0, arena, &g);
        assert_int_equal(newton.answer, CAROM_ANSWER_OK);
        assert_int_equal(moreau.answer, CAROM_ANSWER_OK);
        check_close(impacts_kinetic_distance(&g, newton.u, moreau.u), 0, 1e-10 * g.speed);
        check_close(moreau.verdict.momentum_error, 0, 1e-11);
        assert_true(moreau.verdict.kinetic && moreau.verdict.energetic);
        /* the proximal form, from the statement alone */
        carom_cone cone = {.n = n, .p = c.impact.p, .W = c.W, .c = c.impact.m, .C = c.B};
        cone.metric.M = c.M;
        carom_projection p;
        for (int i = 0; i < n; i++)
            x[i] = g.u[i] - g.b[i];
        check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
        double prox[IMPACTS_N], zz = carom_geometry_dot(&g, p.z, p.z), before = 0, after[IMPACTS_N];
        for (int i = 0; i < n; i++) {
            prox[i] = g.b[i] + (1 + e) * p.z[i] - e * x[i];
            after[i] = moreau.u[i] - g.b[i];
        }
        check_close(impacts_kinetic_distance(&g, prox, newton.u), 0, 1e-10 * g.speed);
        before = carom_geometry_dot(&g, x, x);
        check_close(carom_geometry_dot(&g, after, after),
                    zz + e * e * carom_geometry_dot(&g, p.z_perp, p.z_perp),
                    1e-12 * fmax(before, g.speed * g.speed));
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_is_moreau),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
