/* Coulomb impacts of the source papers: closed forms of the all-sliding modes, block, disc in a
 * corner, Kane's pendulum; memory. */
#include "carom/quasi.h"
#include "check_memory.h"
#include "law/impact_case.h"

CHECK_ARENA(arena);

/* x = A^-1 b for small n, A and b destroyed. */
static void gauss(int n, double *A, double *b)
{
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j; i < n; i++)
            if (fabs(A[i + j * n]) > fabs(A[best + j * n]))
                best = i;
        for (int k = 0; k < n; k++) {
            double t = A[j + k * n];
            A[j + k * n] = A[best + k * n];
            A[best + k * n] = t;
        }
        double t = b[j];
        b[j] = b[best];
        b[best] = t;
        for (int i = 0; i < n; i++) {
            if (i == j)
                continue;
            double l = A[i + j * n] / A[j + j * n];
            for (int k = j; k < n; k++)
                A[i + k * n] -= l * A[j + k * n];
            b[i] -= l * b[j];
        }
    }
    for (int j = 0; j < n; j++)
        b[j] /= A[j + j * n];
}

static bool contains(const impact_case *c, const carom_outcome *o, const double *u, double tol)
{
    if (o->answer == CAROM_ANSWER_NONE)
        return false;
    for (int k = 0; k <= o->alternative_count; k++) {
        const carom_outcome *a = k ? &o->alternatives[k - 1] : o;
        bool same = true;
        for (int i = 0; i < c->n; i++)
            same = same && fabs(a->u[i] - u[i]) <= tol;
        if (same)
            return true;
    }
    return false;
}

/* Prop. 10 and 11: every pattern xi of sliding directions, valid exactly when p_bar >= 0 and
 * xi_i (v_T+ + e_t v_T-)_i > 0; its energy by the exact formula. */
static void test_all_sliding(void **state)
{
    (void)state;
    check_random r = {3};
    int valid_count = 0;
    for (int trial = 0; trial < 600; trial++) {
        impact_case c;
        carom_outcome o;
        carom_quasi q;
        int p = 1 + check_random_int(&r, 3), n = 2 * p + check_random_int(&r, 2);
        double E[CASE_P * CASE_P];
        case_random_directions(&c, &r, n, p);
        for (int i = 0; i < p; i++) {
            c.contacts[i].slip_count = 1;
            c.contacts[i].tangential_restitution = check_random_in(&r, 0, 0.5);
            case_friction(&c, i, check_random_in(&r, 0.05, 0.8));
        }
        for (int i = 0; i < p * p; i++)
            E[i] = i % (p + 1) ? check_random_in(&r, -0.2, 0.2) : check_random_in(&r, 0, 1);
        carom_value values[] = {case_choice("form", "equality"), case_matrix("E", p, p, E)};
        case_apply(&c, "coulomb", values, 2, arena, &o);
        check_ok(carom_quasi_make(&c.geometry, arena, &q, NULL), NULL);
        for (int pattern = 0; pattern < 1 << p; pattern++) {
            double A[CASE_P * CASE_P], bar[CASE_P], aim[CASE_P], mu[CASE_P], v[2 * CASE_N];
            double u[CASE_N], x_vn[CASE_N] = {0};
            for (int i = 0; i < p; i++) {
                double xi = pattern >> i & 1 ? 1 : -1;
                mu[i] = c.contacts[i].friction_dynamic * xi / c.geometry.norm[i];
                aim[i] = q.v[i];
                for (int j = 0; j < p; j++)
                    aim[i] += E[i + j * p] * q.v[j];
                bar[i] = -aim[i];
            }
            for (int j = 0; j < p; j++)
                for (int i = 0; i < p; i++)
                    A[i + j * p] = q.G[i + j * p] - q.n_H[i + j * p] * mu[j];
            gauss(p, A, bar);
            for (int i = 0; i < p; i++)
                v[i] = q.v[i] - aim[i];
            for (int j = 0; j < q.tangents; j++) {
                for (int i = 0; i < p; i++)
                    x_vn[j] -= q.t_H[j + i * q.tangents] * mu[i] * bar[i];
                v[p + j] = q.v[p + j] + x_vn[j];
            }
            carom_quasi_to_velocity(&q, v, u);
            double slip[CASE_P], margin = INFINITY;
            carom_geometry_slip_velocity(&c.geometry, u, slip);
            for (int i = 0; i < p; i++) {
                double xi = pattern >> i & 1 ? 1 : -1;
                double moved = slip[i] + c.contacts[i].tangential_restitution * c.geometry.slip[i];
                margin = fmin(margin, fmin(bar[i], xi * moved));
            }
            if (fabs(margin) < 1e-6)
                continue; /* too close to call by another route */
            double size = 1;
            for (int i = 0; i < p; i++)
                size = fmax(size, fabs(bar[i]));
            if (margin > 0)
                assert_true(contains(&c, &o, u, 1e-10 * size));
            valid_count += margin > 0;
            if (margin < 0 || p > 1)
                continue;
            /* T_L = -1/2 v_n'C v_n + 1/2 |X v_n|^2 + v_t'X v_n, one contact: C = 1 - e^2 */
            double exact = -0.5 * (1 - E[0] * E[0]) * q.v[0] * q.v[0];
            for (int j = 0; j < q.tangents; j++)
                exact += 0.5 * x_vn[j] * x_vn[j] + q.v[p + j] * x_vn[j];
            for (int k = 0; k <= o.alternative_count; k++) {
                const carom_outcome *a = k ? &o.alternatives[k - 1] : &o;
                if (fabs(a->u[0] - u[0]) < 1e-12)
                    check_close(a->energy_change, exact, 1e-12 * size * size);
            }
        }
        carom_arena_reset(arena);
    }
    assert_true(valid_count > 100);
}

/* Ex. 3: block at rest angle 0, m = I = 1, xi = -1: E_cal in closed form. */
static void test_block(void **state)
{
    (void)state;
    check_random r = {5};
    for (int trial = 0; trial < 100; trial++) {
        impact_case c;
        carom_quasi q;
        double l = check_random_in(&r, 0.5, 3), L = check_random_in(&r, 0.5, 4);
        double mu = check_random_in(&r, 0, 1), chi = mu * l * L;
        case_start(&c, 3, 2);
        case_diagonal(&c, (double[]){1, 1, 1});
        memcpy(c.W, (double[]){0, 1, L / 2, 0, 1, -L / 2}, 6 * sizeof(double));
        memcpy(c.H, (double[]){1, 0, l / 2, 1, 0, l / 2}, 6 * sizeof(double));
        c.contacts[0].slip_count = c.contacts[1].slip_count = 1;
        case_derive(&c, arena);
        check_ok(carom_quasi_make(&c.geometry, arena, &q, NULL), NULL);
        double f = (4 + L * L) / (16 * L * L);
        double expected[4] = {f * (4 + L * L - chi), f * (L * L - 4 + chi), f * (L * L - 4 - chi),
                              f * (4 + L * L + chi)};
        for (int k = 0; k < 2; k++) {
            double A[4], column[2] = {k == 0, k == 1};
            for (int j = 0; j < 2; j++)
                for (int i = 0; i < 2; i++)
                    A[i + 2 * j] = q.G[i + 2 * j] + q.n_H[i + 2 * j] * mu / c.geometry.norm[j];
            gauss(2, A, column);
            check_close(column[0], expected[2 * k], 1e-12 * f * (4 + L * L + chi));
            check_close(column[1], expected[2 * k + 1], 1e-12 * f * (4 + L * L + chi));
        }
        carom_arena_reset(arena);
    }
}

/* Ex. 4 and 6: disc in a corner, both sliding with xi = -1, equal friction. */
static void test_disc_in_corner(void **state)
{
    (void)state;
    check_random r = {7};
    int found = 0;
    for (int trial = 0; trial < 2000; trial++) {
        impact_case c;
        carom_outcome o;
        double m = 2, R = 0.7, mu = check_random_in(&r, 0, 0.6), e1 = 0.2, e2 = 0.1;
        double vx = -check_random_in(&r, 0.2, 2), vy = -check_random_in(&r, 0.2, 2);
        case_start(&c, 3, 2);
        case_diagonal(&c, (double[]){m, m, 0.5 * m * R * R});
        memcpy(c.W, (double[]){0, 1, 0, 1, 0, 0}, 6 * sizeof(double));
        memcpy(c.H, (double[]){1, 0, R, 0, 1, -R}, 6 * sizeof(double));
        memcpy(c.u, (double[]){vx, vy, check_random_in(&r, -1, 1)}, 3 * sizeof(double));
        for (int i = 0; i < 2; i++) {
            c.contacts[i].slip_count = 1;
            c.contacts[i].tangential_restitution = 0.9;
            case_friction(&c, i, mu);
        }
        c.contacts[0].restitution = e1;
        c.contacts[1].restitution = e2;
        carom_value form = case_choice("form", "equality");
        case_apply(&c, "coulomb", &form, 1, arena, &o);
        double p0 = m / (1 - mu * mu) * (-(1 + e1) * vy + mu * (1 + e2) * vx);
        double p1 = m / (1 - mu * mu) * (mu * (1 + e1) * vy - (1 + e2) * vx);
        for (int k = 0; o.answer != CAROM_ANSWER_NONE && k <= o.alternative_count; k++) {
            const carom_outcome *a = k ? &o.alternatives[k - 1] : &o;
            if (a->mode[0] != CAROM_MODE_SLIP_MINUS || a->mode[1] != CAROM_MODE_SLIP_MINUS)
                continue;
            check_close(a->impulse[0], p0, 1e-12);
            check_close(a->impulse[1], p1, 1e-12);
            double rho = (1 + e1) * fabs(vy) / ((1 + e2) * fabs(vx));
            assert_true(mu <= fmin(rho, 1 / rho) + 1e-9);
            found++;
        }
        carom_arena_reset(arena);
    }
    assert_true(found > 50);
}

/* Kane's double pendulum: Newton's coefficient and friction gain energy; the verdict says so. */
static void test_kane(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome o;
    double deg = CAROM_PI / 180, half = cos(10 * deg) / 2;
    case_start(&c, 2, 1);
    memcpy(c.M, (double[]){4 / 3., half, half, 1 / 3.}, 4 * sizeof(double));
    memcpy(c.u, (double[]){-0.1, -0.2}, 2 * sizeof(double));
    memcpy(c.W, (double[]){sin(20 * deg), sin(30 * deg)}, 2 * sizeof(double));
    memcpy(c.H, (double[]){cos(20 * deg), cos(30 * deg)}, 2 * sizeof(double));
    c.contacts[0].slip_count = 1;
    c.contacts[0].restitution = 0.5;
    case_friction(&c, 0, 0.7);
    case_apply(&c, "coulomb", NULL, 0, arena, &o);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_vector(o.u, ((double[]){-0.33464893, 0.36311536}), 2, 1e-8);
    check_close(o.impulse[0], 0.5679798805, 1e-9);
    check_close(o.tangential_impulse[0], -0.2445965910, 1e-9);
    check_close(o.energy_change, 0.0136189557, 1e-9);
    assert_true(o.verdict.kinematic && o.verdict.kinetic && !o.verdict.energetic);
}

/* A body on many contacts: dependent, several components of friction, joints. */
static void body(impact_case *c, int p, int slips)
{
    check_random r = {13};
    case_start(c, 10, p);
    case_random_mass(c, &r);
    for (int i = 0; i < 10; i++)
        c->u[i] = check_random_in(&r, -1, 1);
    for (int i = 0; i < 10 * p; i++)
        c->W[i] = check_random_in(&r, -1, 1);
    for (int i = 0; i < 10 * p * slips; i++)
        c->H[i] = check_random_in(&r, -1, 1);
    for (int i = 0; i < p; i++) {
        c->contacts[i].slip_count = slips;
        c->contacts[i].restitution = 0.5;
        case_friction(c, i, 0.3);
    }
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"coulomb", "matrix", "implicit"};
    for (int k = 0; k < 9; k++) {
        impact_case c;
        body(&c, k < 6 ? 4 : 8, k % 2 + 1);
        case_derive(&c, arena);
        carom_law law = {.ops = carom_law_find(names[k % 3])};
        carom_value full = case_choice("space", "full");
        if (k % 3 == 2) {
            law.values = &full;
            law.value_count = 1;
        }
        for (int fail_at = 0;; fail_at++) {
            check_memory count = {.fail_at = fail_at};
            carom_allocator allocator = {check_memory_resize, &count};
            carom_arena *own;
            carom_error error = {0};
            carom_outcome o;
            if (carom_arena_create(&allocator, &own, &error))
                continue;
            carom_geometry g;
            carom_status status = carom_impact_derive(&c.impact, own, &g, &error);
            if (!status)
                status = carom_law_apply(&law, &g, own, &o, &error);
            if (!status) { /* again in the same arena: no allocation */
                carom_arena_reset(own);
                int before = count.calls;
                count.fail_at = -1;
                check_ok(carom_impact_derive(&c.impact, own, &g, &error), &error);
                check_ok(carom_law_apply(&law, &g, own, &o, &error), &error);
                assert_int_equal(count.calls, before);
            } else {
                assert_int_equal(status, CAROM_ERROR_MEMORY);
            }
            carom_arena_destroy(own);
            assert_int_equal(count.live, 0);
            if (!status)
                break;
        }
        carom_arena_reset(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sliding),    cmocka_unit_test(test_block),
        cmocka_unit_test(test_disc_in_corner), cmocka_unit_test(test_kane),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
