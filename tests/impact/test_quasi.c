/* Kinetic quasi-velocities: the examples by hand, and the identities on random impacts. */
#include "carom/quasi.h"
#include "law/impact_case.h"

CHECK_ARENA(arena);

static carom_quasi quasi_of(impact_case *c)
{
    carom_quasi q;
    carom_error error = {0};
    case_derive(c, arena);
    check_ok(carom_quasi_make(&c->geometry, arena, &q, &error), &error);
    return q;
}

/* Chain of balls. */
static void test_chain(void **state)
{
    (void)state;
    check_random r = {3};
    for (int trial = 0; trial < 100; trial++) {
        impact_case c;
        int n = 2 + check_random_int(&r, 8);
        double m[CASE_N], total = 0, momentum = 0;
        case_start(&c, n, n - 1);
        for (int i = 0; i < n; i++) {
            m[i] = pow(10, check_random_in(&r, -2, 2));
            c.u[i] = check_random_in(&r, -1, 1);
            total += m[i];
            momentum += m[i] * c.u[i];
        }
        case_diagonal(&c, m);
        for (int i = 0; i + 1 < n; i++) {
            c.W[i + i * n] = -1;
            c.W[i + 1 + i * n] = 1;
        }
        carom_quasi q = quasi_of(&c);
        assert_int_equal(q.tangents, 1);
        for (int i = 0; i + 1 < n; i++)
            check_close(q.v[i], sqrt(m[i] * m[i + 1] / (m[i] + m[i + 1])) * (c.u[i + 1] - c.u[i]),
                        1e-13);
        check_close(q.v[n - 1], momentum / sqrt(total), 1e-12);
        for (int i = 0; i + 2 < n; i++)
            check_close(q.G[i + (i + 1) * (n - 1)],
                        -sqrt(m[i] * m[i + 2] / ((m[i] + m[i + 1]) * (m[i + 1] + m[i + 2]))),
                        1e-14);
        carom_arena_reset(arena);
    }
}

/* Rocking block at any angle. */
static void test_block(void **state)
{
    (void)state;
    check_random r = {4};
    for (int trial = 0; trial < 100; trial++) {
        impact_case c;
        double m = check_random_in(&r, 0.5, 3), I = check_random_in(&r, 0.5, 3);
        double l = check_random_in(&r, 0.5, 2), L = check_random_in(&r, 0.5, 2);
        double th = check_random_in(&r, -1, 1), sn = sin(th), cs = cos(th);
        case_start(&c, 3, 2);
        case_diagonal(&c, (double[]){m, m, I});
        /* h_1,2 = y - l/2 cos th +- L/2 sin th, v_T = x' + (l/2 cos th -+ L/2 sin th) th' */
        memcpy(c.W, (double[]){0, 1, l / 2 * sn + L / 2 * cs, 0, 1, l / 2 * sn - L / 2 * cs},
               6 * sizeof(double));
        memcpy(c.H, (double[]){1, 0, l / 2 * cs - L / 2 * sn, 1, 0, l / 2 * cs + L / 2 * sn},
               6 * sizeof(double));
        c.contacts[0].slip_count = c.contacts[1].slip_count = 1;
        for (int i = 0; i < 3; i++)
            c.u[i] = check_random_in(&r, -1, 1);
        carom_quasi q = quasi_of(&c);
        double n1 = 1 / m + pow(l * sn + L * cs, 2) / (4 * I);
        double n2 = 1 / m + pow(l * sn - L * cs, 2) / (4 * I);
        double d12 = 1 / m + (l * l * sn * sn - L * L * cs * cs) / (4 * I);
        check_close(q.free_norm[0] * q.free_norm[0], n1, 1e-13);
        check_close(q.free_norm[1] * q.free_norm[1], n2, 1e-13);
        check_close(q.G[2], d12 / sqrt(n1 * n2), 1e-13);
        check_close(q.v[2], sqrt(m) * c.u[0], 1e-13);
        /* n_i'H_T,j = (third entries)/(I |w_i|), t'H_T = 1/sqrt(m) */
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                check_close(q.n_H[i + 2 * j],
                            c.W[2 + 3 * i] * c.H[2 + 3 * j] / I / sqrt(i ? n2 : n1), 1e-13);
                check_close(q.t_H[j], 1 / sqrt(m), 1e-13);
            }
        carom_arena_reset(arena);
    }
}

/* Rod, planar body, disc on a plane, disc in a corner: n'H_T. */
static void test_single_bodies(void **state)
{
    (void)state;
    check_random r = {5};
    for (int trial = 0; trial < 100; trial++) {
        impact_case c;
        double m = check_random_in(&r, 0.5, 3), l = check_random_in(&r, 0.5, 2);
        double rr = check_random_in(&r, 0.1, 1), k = check_random_in(&r, 0.2, 1);
        double a = check_random_in(&r, 0.1, 1.4), sn = sin(a), cs = cos(a);
        /* homogeneous rod h = y - l sin th, slip (1, 0, l sin th): 1 - mu xi n'H/|w| = D */
        case_start(&c, 3, 1);
        case_diagonal(&c, (double[]){m, m, m * l * l / 3});
        memcpy(c.W, (double[]){0, 1, -l * cs}, 3 * sizeof(double));
        memcpy(c.H, (double[]){1, 0, l * sn}, 3 * sizeof(double));
        c.contacts[0].slip_count = 1;
        carom_quasi q = quasi_of(&c);
        check_close(-q.n_H[0] / q.free_norm[0], 3 * sn * cs / (1 + 3 * cs * cs), 1e-13);
        /* planar body with gyration radius k */
        double sigma = l * sn - rr * cs, eta = l * cs + rr * sn;
        case_diagonal(&c, (double[]){m, m, m * k * k});
        c.W[2] = sigma;
        c.H[2] = eta;
        q = quasi_of(&c);
        check_close(q.n_H[0] / q.free_norm[0], sigma * eta / (k * k + sigma * sigma), 1e-12);
        /* disc on a plane: decoupled */
        c.W[2] = 0;
        c.H[2] = rr;
        q = quasi_of(&c);
        check_close(q.n_H[0], 0, 0);
        /* disc in a corner: h = y - R, x - R; v_T = x' + R th', y' - R th' */
        case_start(&c, 3, 2);
        case_diagonal(&c, (double[]){m, m, 0.5 * m * rr * rr});
        memcpy(c.W, (double[]){0, 1, 0, 1, 0, 0}, 6 * sizeof(double));
        memcpy(c.H, (double[]){1, 0, rr, 0, 1, -rr}, 6 * sizeof(double));
        c.contacts[0].slip_count = c.contacts[1].slip_count = 1;
        q = quasi_of(&c);
        check_vector(q.G, ((double[]){1, 0, 0, 1}), 4, 0);
        double s = 1 / sqrt(m);
        check_vector(q.n_H, ((double[]){0, s, s, 0}), 4, 1e-15);
        carom_arena_reset(arena);
    }
}

/* Random impacts with joints, dependence and motion: basis, back-map, energy, power. */
static void test_identities(void **state)
{
    (void)state;
    check_random r = {6};
    for (int trial = 0; trial < 300; trial++) {
        impact_case c;
        int n = 3 + check_random_int(&r, 6), p = 1 + check_random_int(&r, 3);
        case_start(&c, n, p);
        c.m = check_random_int(&r, n - p + 1 < 3 ? n - p + 1 : 3);
        case_random_mass(&c, &r);
        for (int i = 0; i < n * p; i++) {
            c.W[i] = check_random_in(&r, -1, 1);
            c.H[i] = check_random_in(&r, -1, 1);
        }
        if (trial % 3 == 0 && p > 1) /* dependent normals */
            for (int i = 0; i < n; i++)
                c.W[i] = 2 * c.W[i + n];
        for (int i = 0; i < n * c.m; i++)
            c.B[i] = check_random_in(&r, -1, 1);
        for (int i = 0; i < p; i++) {
            c.contacts[i].slip_count = 1;
            c.w_hat[i] = check_random_in(&r, -1, 1);
        }
        if (trial % 3 == 0 && p > 1)
            c.w_hat[0] = 2 * c.w_hat[1];
        for (int i = 0; i < n; i++)
            c.u[i] = check_random_in(&r, -1, 1);
        carom_quasi q = quasi_of(&c);
        const carom_geometry *g = &c.geometry;
        assert_int_equal(q.tangents, n - q.rank - c.m);
        for (int i = 0; i < q.tangents; i++) {
            const double *t = q.t_q + i * n;
            for (int j = 0; j < q.tangents; j++)
                check_close(carom_geometry_dot(g, t, q.t_q + j * n), i == j, 1e-12);
            for (int j = 0; j < p + c.m; j++) {
                const double *w = j < p ? c.W + j * n : c.B + (j - p) * n;
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += t[k] * w[k];
                check_close(sum, 0, 1e-12);
            }
        }
        double size = 1; /* conditioning of the normals */
        for (int i = 0; i < p * p; i++)
            size = fmax(size, fabs(q.D_n[i]));
        double back[CASE_N], again[2 * CASE_N], relative[CASE_N], T = 0;
        carom_quasi_to_velocity(&q, q.v, back);
        check_vector(back, g->u, n, 1e-12 * size);
        carom_quasi_from_velocity(&q, back, again);
        check_vector(again, q.v, p + q.tangents, 1e-12 * size);
        for (int i = 0; i < n; i++)
            relative[i] = g->u[i] - g->b[i];
        T = 0.5 * carom_geometry_dot(g, relative, relative);
        check_close(q.energy_normal + q.energy_tangent, T, 1e-12 * size * (1 + T));
        /* power of contact forces = force times velocity relative to b */
        double bar[CASE_P], rub[CASE_P], power[3], direct = 0;
        for (int i = 0; i < p; i++) {
            bar[i] = check_random_in(&r, -1, 1);
            rub[i] = check_random_in(&r, -1, 1);
            for (int k = 0; k < n; k++)
                direct +=
                    (bar[i] / g->norm[i] * c.W[k + i * n] + rub[i] * c.H[k + i * n]) * relative[k];
        }
        carom_quasi_power(&q, q.v, bar, rub, power);
        check_close(power[0] + power[1] + power[2], direct, 1e-12 * size * (1 + fabs(direct)));
        carom_arena_reset(arena);
    }
}

/* With joints: the Schur complement of the full normalised matrix. */
static void test_schur(void **state)
{
    (void)state;
    check_random r = {8};
    for (int trial = 0; trial < 100; trial++) {
        impact_case c, all;
        int n = 5, p = 2;
        case_start(&c, n, p);
        c.m = 1;
        case_random_mass(&c, &r);
        for (int i = 0; i < n * p; i++)
            c.W[i] = check_random_in(&r, -1, 1);
        for (int i = 0; i < n; i++)
            c.B[i] = check_random_in(&r, -1, 1);
        carom_quasi q = quasi_of(&c);
        all = c; /* the joint as a third contact */
        all.m = 0;
        all.p = 3;
        all.contacts[2] = carom_contact_default();
        memcpy(all.W + 2 * n, c.B, sizeof(double) * (size_t)n);
        carom_quasi f = quasi_of(&all);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                double schur = f.G[i + 3 * j] - f.G[i + 6] * f.G[2 + 3 * j];
                check_close(q.schur[i + 2 * j], schur, 1e-12);
                double unit = sqrt((1 - f.G[i + 6] * f.G[i + 6]) * (1 - f.G[j + 6] * f.G[j + 6]));
                check_close(q.G[i + 2 * j], schur / unit, 1e-12);
            }
        carom_arena_reset(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),         cmocka_unit_test(test_block),
        cmocka_unit_test(test_single_bodies), cmocka_unit_test(test_identities),
        cmocka_unit_test(test_schur),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
