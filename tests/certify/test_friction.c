/* Certificates of friction against examples of the papers and random problems. */
#include "carom/certify.h"
#include "impacts.h"

CHECK_ARENA(arena);

static carom_certificates certify(const carom_impact *impact)
{
    carom_error error = {0};
    carom_geometry *g = carom_arena_take(arena, sizeof *g);
    carom_certificates all = {0};
    check_ok(carom_impact_derive(impact, arena, g, &error), &error);
    check_ok(carom_certify_friction(g, NULL, NULL, arena, &all, &error), &error);
    return all;
}

static const carom_certificate *find(const carom_certificates *all, const char *name)
{
    const carom_certificate *c = carom_certificates_find(all, name);
    assert_non_null(c);
    return c;
}

/* Sliding in given directions from the statement alone: solve for the impulses with the slip signs
 * xi and report energy change, smallest impulse and smallest xi v_T+. p <= 3. */
static double slide(const carom_impact *impact, const double *xi, double *impulse, double *forward)
{
    carom_geometry g;
    check_ok(carom_impact_derive(impact, arena, &g, NULL), NULL);
    int n = impact->n, p = impact->p;
    double T[3][4], x[3], u[IMPACTS_N];
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) {
            T[i][j] = g.D[i + j * p];
            for (int k = 0; k < n; k++)
                T[i][j] -= impact->W[k + i * n] * g.Z[k + j * n] *
                           impact->contacts[j].friction_dynamic * xi[j];
        }
        T[i][p] = -(1 + impact->contacts[i].restitution) * g.gamma[i];
    }
    for (int c = 0; c < p; c++) {
        int row = c;
        for (int i = c; i < p; i++)
            if (fabs(T[i][c]) > fabs(T[row][c]))
                row = i;
        for (int j = 0; j <= p; j++) {
            double t = T[c][j];
            T[c][j] = T[row][j];
            T[row][j] = t;
        }
        for (int i = 0; i < p; i++)
            if (i != c) {
                double f = T[i][c] / T[c][c];
                for (int j = 0; j <= p; j++)
                    T[i][j] -= f * T[c][j];
            }
    }
    memcpy(u, impact->u, sizeof(double) * n);
    *impulse = *forward = INFINITY;
    for (int i = 0; i < p; i++) {
        x[i] = T[i][p] / T[i][i];
        *impulse = fmin(*impulse, x[i]);
        for (int k = 0; k < n; k++)
            u[k] +=
                (g.Y[k + i * n] - impact->contacts[i].friction_dynamic * xi[i] * g.Z[k + i * n]) *
                x[i];
    }
    for (int i = 0; i < p; i++) {
        double slip = 0;
        for (int k = 0; k < n; k++)
            slip += impact->H[k + i * n] *
                    (u[k] + impact->contacts[i].tangential_restitution * impact->u[k]);
        *forward = fmin(*forward, xi[i] * slip);
    }
    return 0.5 * carom_geometry_dot(&g, u, u) / g.energy - 1;
}

static void random_rough(impacts_case *c, check_random *r, int n, int p, double mu)
{
    impacts_random(c, r, n, p, false, 10);
    for (int k = 0; k < n * p; k++)
        c->H[k] = check_random_in(r, -1, 1);
    for (int i = 0; i < p; i++) {
        c->contacts[i].slip_count = 1;
        c->contacts[i].friction_static = c->contacts[i].friction_dynamic = mu;
        c->contacts[i].restitution = check_random_in(r, 0, 1);
    }
    impacts_approach(c);
}

/* Theorem 2 speaks about this velocity with its own directions: where it holds, sliding so loses
 * energy. */
static void test_theorem_2(void **state)
{
    (void)state;
    check_random r = {41};
    int proofs = 0;
    for (int round = 0; round < 1500; round++) {
        carom_arena_reset(arena);
        int p = 1 + check_random_int(&r, 2), n = p + 1 + check_random_int(&r, 3);
        impacts_case c;
        random_rough(&c, &r, n, p, check_random_in(&r, 0.01, 0.3));
        carom_certificates all = certify(&c.impact);
        if (find(&all, "friction-theorem-2")->holds != CAROM_TRUE)
            continue;
        carom_geometry g;
        double least, forward, xi[2];
        check_ok(carom_impact_derive(&c.impact, arena, &g, NULL), NULL);
        for (int i = 0; i < p; i++)
            xi[i] = g.slip[i] > 0 ? 1 : -1;
        assert_true(slide(&c.impact, xi, &least, &forward) <= 1e-12);
        proofs++;
    }
    assert_true(proofs > 20);
}

/* Example 5: particle on a rough plane. Theorem 2: 1-e > mu^2(1+e) and |y'|/|x'| >= 2
 * mu/(1-e-mu^2(1+e)). */
static void test_particle(void **state)
{
    (void)state;
    for (double e = 0; e <= 1; e += 0.125)
        for (double mu = 0.05; mu < 1; mu += 0.15)
            for (double ratio = 0.1; ratio < 20; ratio *= 1.7) {
                carom_arena_reset(arena);
                impacts_case c;
                impacts_init(&c, 2, 1);
                c.impact.mass_is_diagonal = true;
                c.M[0] = c.M[1] = 3;
                c.W[1] = 1;
                c.H[0] = 1;
                c.u[0] = 1;
                c.u[1] = -ratio;
                c.contacts[0].slip_count = 1;
                c.contacts[0].restitution = e;
                c.contacts[0].friction_static = c.contacts[0].friction_dynamic = mu;
                carom_certificates all = certify(&c.impact);
                const carom_certificate *t = find(&all, "friction-theorem-2");
                double gap = 1 - e - mu * mu * (1 + e), bound = 2 * mu / gap;
                if (fabs(gap) < 1e-9)
                    continue;
                assert_int_equal(t->holds, gap > 0 && ratio >= bound ? CAROM_TRUE : CAROM_FALSE);
                const double K = mu * mu * (1 + e) * (1 + e), C = 1 - e * e;
                check_close(t->bound, gap > 0 ? bound : C, 1e-10 * (gap > 0 ? bound : 1));
                check_close(t->value, gap > 0 ? ratio : K, 1e-12 * (gap > 0 ? ratio : 1));
                assert_int_equal(find(&all, "friction-energy")->holds, CAROM_TRUE);
                assert_int_equal(find(&all, "friction-lemma-1")->holds, CAROM_TRUE);
                assert_int_equal(find(&all, "friction-range")->holds, CAROM_TRUE);
            }
}

/* Brogliato's rocking block, flat (m = I = 1, width L, height l), sliding to the left: the inverse
 * of G - n'H_T mu_bar in closed form; not negative iff L >= 2 and mu <= (L^2 - 4)/(l L). */
static void test_rocking_block(void **state)
{
    (void)state;
    int yes = 0, no = 0;
    for (double L = 1; L < 5; L += 0.37)
        for (double l = 0.5; l < 3; l += 0.6)
            for (double mu = 0.05; mu < 2; mu += 0.21) {
                impacts_case c;
                impacts_init(&c, 3, 2);
                c.impact.mass_is_diagonal = true;
                c.u[0] = -5;
                c.u[1] = -1;
                for (int i = 0; i < 3; i++)
                    c.M[i] = 1;
                for (int i = 0; i < 2; i++) {
                    c.W[1 + 3 * i] = 1;
                    c.W[2 + 3 * i] = i ? -L / 2 : L / 2;
                    c.H[3 * i] = 1;
                    c.H[2 + 3 * i] = l / 2;
                    c.contacts[i].slip_count = 1;
                    c.contacts[i].friction_static = c.contacts[i].friction_dynamic = mu;
                }
                carom_certificates all = certify(&c.impact);
                const carom_certificate *k = find(&all, "friction-kinetic");
                const double chi = mu * l * L, least = fmin(L * L - 4 - chi, 4 + L * L - chi);
                check_close(k->value, (4 + L * L) / (16 * L * L) * least, 1e-12 * (1 + chi));
                if (fabs(least) > 1e-9)
                    assert_int_equal(k->holds, L >= 2 && mu <= (L * L - 4) / (l * L) ? CAROM_TRUE
                                                                                     : CAROM_FALSE);
                yes += k->holds == CAROM_TRUE;
                no += k->holds == CAROM_FALSE;
            }
    assert_true(yes > 20 && no > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_theorem_2),
        cmocka_unit_test(test_particle),
        cmocka_unit_test(test_rocking_block),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
