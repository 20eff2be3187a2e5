/* The implicit law: equal to newton and moreau where it should be, and its own inclusion checked
 * from the outcome alone. */
#include "carom/quasi.h"
#include "impacts.h"
#include "law/impact_case.h"

CHECK_ARENA(arena);

static carom_value list(const char *name, int count, const double *x)
{
    carom_value value = case_matrix(name, count, 1, x);
    value.kind = CAROM_PARAMETER_LIST;
    return value;
}

static void test_newton_and_moreau(void **state)
{
    (void)state;
    check_random r = {3};
    for (int trial = 0; trial < 400; trial++) {
        impact_case c;
        carom_outcome a, b;
        int p = 1 + check_random_int(&r, 4), n = p + check_random_int(&r, 3);
        case_random(&c, &r, n, p, trial % 2);
        carom_value space = case_choice("space", trial % 2 ? "full" : "normal");
        if (trial % 3 == 0)
            for (int i = 0; i < p; i++)
                c.contacts[i].restitution = 0.6;
        case_apply(&c, "implicit", &space, 1, arena, &a);
        case_apply(&c, trial % 3 ? "newton" : "moreau", NULL, 0, arena, &b);
        assert_int_equal(a.answer, CAROM_ANSWER_OK);
        check_close(impacts_detail(&a, "existence"), 1, 0);
        double size = 1;
        for (int i = 0; i < p; i++)
            size = fmax(size, fabs(b.impulse[i]));
        check_vector(a.u, b.u, n, 1e-10 * size);
        if (!isnan(impacts_detail(&a, "energy_bound")))
            assert_true(a.energy_change <= impacts_detail(&a, "energy_bound") + 1e-12);
        carom_arena_reset(arena);
    }
}

/* Dependent contacts have no P; the orthant is solved all the same and says so. */
static void test_dependent(void **state)
{
    (void)state;
    impact_case c;
    carom_outcome o;
    case_start(&c, 2, 2);
    case_diagonal(&c, (double[]){1, 1});
    memcpy(c.W, (double[]){0, 1, 0, 2}, 4 * sizeof(double));
    memcpy(c.u, (double[]){1, -1}, 2 * sizeof(double));
    case_apply(&c, "implicit", NULL, 0, arena, &o);
    assert_int_equal(o.answer, CAROM_ANSWER_OK);
    check_vector(o.u, ((double[]){1, 0}), 2, 1e-14);
    check_close(impacts_detail(&o, "existence"), 0, 0);
    assert_non_null(strstr(o.message, "not guaranteed"));
}

/* y_i = v_n,i+ + e_i v_n,i- and p_bar from the outcome. */
static void normal_pairs(const impact_case *c, const carom_outcome *o, double *y, double *bar)
{
    const carom_geometry *g = &c->geometry;
    for (int i = 0; i < c->p; i++) {
        y[i] = (o->gamma[i] + c->contacts[i].restitution * g->gamma[i]) / g->norm[i];
        bar[i] = o->impulse[i] * g->norm[i];
    }
}

static void test_box(void **state)
{
    (void)state;
    check_random r = {5};
    int upper_hit = 0;
    for (int trial = 0; trial < 400; trial++) {
        impact_case c;
        carom_outcome o;
        int p = 1 + check_random_int(&r, 3);
        double low[CASE_P], high[CASE_P], y[CASE_P], bar[CASE_P];
        case_random(&c, &r, p + 2, p, 0);
        for (int i = 0; i < p; i++) {
            low[i] = check_random_in(&r, -0.3, 0.1);
            high[i] = low[i] + check_random_in(&r, 0, 0.5);
        }
        carom_value values[] = {case_choice("set", "box"), list("lower", p, low),
                                list("upper", p, high)};
        case_apply(&c, "implicit", values, 3, arena, &o);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        normal_pairs(&c, &o, y, bar);
        double size = 1;
        for (int i = 0; i < p; i++)
            size = fmax(size, fabs(bar[i]));
        for (int i = 0; i < p; i++) { /* impulse only at a bound, pointing inwards */
            assert_true(y[i] >= low[i] - 1e-10 * size && y[i] <= high[i] + 1e-10 * size);
            if (bar[i] > 1e-9)
                check_close(y[i], low[i], 1e-10 * size);
            if (bar[i] < -1e-9) {
                check_close(y[i], high[i], 1e-10 * size);
                upper_hit++;
            }
        }
        carom_arena_reset(arena);
    }
    assert_true(upper_hit > 20);
}

/* One normal with its "spread": W = {y_1 >= |(y_2, y_3)|}, alone or with a shifted half-line. */
static void test_cones(void **state)
{
    (void)state;
    check_random r = {7};
    int inside = 0, edge = 0, apex = 0;
    for (int trial = 0; trial < 400; trial++) {
        impact_case c;
        carom_outcome o;
        int shifted = trial % 2, p = 3 + shifted;
        double y[CASE_P], bar[CASE_P], sizes[] = {3}, A[] = {-1}, bound[] = {0.2};
        case_random(&c, &r, p + 1, p, 0);
        carom_value values[] = {case_choice("set", "cones"), list("cones", 1, sizes),
                                case_matrix("A", 1, 1, A), list("c", 1, bound)};
        case_apply(&c, "implicit", values, shifted ? 4 : 2, arena, &o);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        normal_pairs(&c, &o, y, bar);
        double size = 1;
        for (int i = 0; i < p; i++)
            size = fmax(size, fabs(bar[i]));
        if (shifted) { /* y >= -0.2 */
            assert_true(y[0] >= -0.2 - 1e-9 * size && bar[0] >= -1e-9 * size);
            check_close(bar[0] * (y[0] + 0.2), 0, 1e-9 * size);
        }
        const double *z = y + shifted, *b = bar + shifted;
        assert_true(z[0] - hypot(z[1], z[2]) >= -1e-9 * size);
        assert_true(b[0] - hypot(b[1], b[2]) >= -1e-9 * size);
        check_close(z[0] * b[0] + z[1] * b[1] + z[2] * b[2], 0, 1e-9 * size * size);
        inside += b[0] < 1e-9;
        apex += z[0] < 1e-9;
        edge += b[0] >= 1e-9 && z[0] >= 1e-9;
        carom_arena_reset(arena);
    }
    assert_true(inside > 10 && edge > 10 && apex > 10);
}

/* Full space, slips held at zero: pure stick. */
static void test_stick(void **state)
{
    (void)state;
    check_random r = {9};
    int equal = 0;
    for (int trial = 0; trial < 200; trial++) {
        impact_case c;
        carom_outcome o, d;
        case_random(&c, &r, 4, 1, 1);
        c.contacts[0].restitution = 0; /* Lambda v- couples into the slip otherwise */
        /* y = (normal, slip): -y_1 <= 0, y_2 <= 0, -y_2 <= 0 */
        double A[] = {-1, 0, 0, 0, 1, -1};
        carom_value values[] = {case_choice("set", "polyhedron"), case_choice("space", "full"),
                                case_matrix("A", 3, 2, A)};
        case_apply(&c, "implicit", values, 3, arena, &o);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        check_close(o.slip[0], 0, 1e-11);
        case_friction(&c, 0, INFINITY);
        case_apply(&c, "coulomb", NULL, 0, arena, &d);
        if (d.answer == CAROM_ANSWER_OK && d.mode[0] == CAROM_MODE_STICK) {
            check_vector(o.u, d.u, 4, 1e-10);
            equal++;
        }
        carom_arena_reset(arena);
    }
    assert_true(equal > 50);
}

/* Gamma = G_bar'P for a random P > 0 is accepted, a random Gamma is not. */
static void test_existence(void **state)
{
    (void)state;
    check_random r = {11};
    for (int trial = 0; trial < 200; trial++) {
        impact_case c, metric;
        carom_outcome o;
        carom_quasi q;
        int p = 2, n = 4;
        double Gamma[4];
        case_random(&c, &r, n, p, 0);
        case_derive(&c, arena);
        check_ok(carom_quasi_make(&c.geometry, arena, &q, NULL), NULL);
        case_start(&metric, p, 0);
        case_random_mass(&metric, &r);
        for (int i = 0; i < p; i++)
            for (int j = 0; j < p; j++) {
                Gamma[i + j * p] = 0;
                for (int k = 0; k < p; k++)
                    Gamma[i + j * p] += q.G[k + i * p] * metric.M[k + j * p];
            }
        carom_value value = case_matrix("Gamma", p, p, Gamma);
        case_apply(&c, "implicit", &value, 1, arena, &o);
        assert_int_equal(o.answer, CAROM_ANSWER_OK);
        check_close(impacts_detail(&o, "existence"), 1, 0);
        assert_true(o.energy_change <= impacts_detail(&o, "energy_bound") + 1e-10);
        Gamma[1] += 0.3;
        case_apply(&c, "implicit", &value, 1, arena, &o);
        check_close(impacts_detail(&o, "existence"), 0, 0);
        carom_arena_reset(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newton_and_moreau),
        cmocka_unit_test(test_dependent),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_cones),
        cmocka_unit_test(test_stick),
        cmocka_unit_test(test_existence),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
