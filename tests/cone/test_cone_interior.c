/* Points inside friction cones, and proofs that there is none. */
#include "check.h"
#include "cone/cone_interior.h"

enum { R = 12, B = 10, C = 3 * B };

CHECK_ARENA(arena);

typedef struct fixture {
    double K[R * C], b[R], mu[B], unit[C], x[C];
    int size[B];
    carom_cone_interior p;
} fixture;

/* Random cones and equations; x some point inside them, or on their faces. */
static void random_cones(check_random *r, fixture *f, bool faces)
{
    f->p = (carom_cone_interior){
        .K = f->K, .b = f->b, .size = f->size, .mu = f->mu, .unit = f->unit, .tolerance = 1e-11};
    f->p.blocks = 1 + check_random_int(r, B);
    for (int i = 0; i < f->p.blocks; i++) {
        f->size[i] = 1 + check_random_int(r, 3);
        f->mu[i] = pow(10, check_random_in(r, -2, 1));
        double *x = f->x + f->p.columns, load = pow(10, check_random_in(r, -2, 1));
        double part = check_random_in(r, 0, 0.99), angle = check_random_in(r, 0, 6.3);
        if (faces && check_random_int(r, 4) == 0)
            load = 0;
        if (faces && check_random_int(r, 3) == 0)
            part = 1;
        x[0] = load;
        x[1] = f->mu[i] * load * part * (f->size[i] == 2 ? (angle < 3 ? -1 : 1) : cos(angle));
        x[2] = f->mu[i] * load * part * sin(angle);
        f->p.columns += f->size[i];
    }
    f->p.rows = 1 + check_random_int(r, f->p.columns < R ? f->p.columns : R);
    for (int k = 0; k < f->p.rows * f->p.columns; k++)
        f->K[k] = check_random_in(r, -1, 1);
}

static double misfit(const fixture *f, const double *x)
{
    double worst = 0, size = 0;
    for (int k = 0; k < f->p.rows; k++) {
        double sum = -f->b[k];
        for (int j = 0; j < f->p.columns; j++) {
            sum += f->K[k + j * f->p.rows] * x[j];
            size = fmax(size, fabs(f->K[k + j * f->p.rows] * x[j]));
        }
        worst = fmax(worst, fabs(sum));
    }
    return size > 0 ? worst / size : worst;
}

/* Largest part of a cone that is used; outside by more than tol counts. */
static double used(const fixture *f, const double *x, double tol)
{
    double worst = 0;
    for (int i = 0, j = 0; i < f->p.blocks; j += f->size[i++]) {
        double t = f->size[i] == 1   ? 0
                   : f->size[i] == 2 ? fabs(x[j + 1])
                                     : hypot(x[j + 1], x[j + 2]);
        assert_true(x[j] >= -tol);
        if (t > tol)
            worst = fmax(worst, (t - tol) / (f->mu[i] * (x[j] + tol)));
    }
    return worst;
}

/* Exactly as much as the problem asks for, so that a step beyond it is seen. */
static double *room_for(const carom_cone_interior *p)
{
    double *room = carom_arena_doubles(arena, carom_cone_interior_work(p->rows, p->columns));
    assert_non_null(room);
    return room;
}

/* Equations that a point in the cones satisfies: one is found, inside where there are such. */
static void test_feasible(void **state)
{
    (void)state;
    check_random r = {11};
    fixture f;
    double x[C];
    int close = 0;
    for (int round = 0; round < 3000; round++) {
        const bool faces = round % 2;
        bool found;
        memset(&f, 0, sizeof f);
        random_cones(&r, &f, faces);
        for (int k = 0; k < f.p.rows; k++)
            for (int j = 0; j < f.p.columns; j++)
                f.b[k] += f.K[k + j * f.p.rows] * f.x[j];
        found = carom_cone_interior_find(&f.p, x, room_for(&f.p));
        assert_true(found);
        assert_true(misfit(&f, x) < 1e-9);
        double part = used(&f, x, 3e-11 * (1 + f.p.largest) * 10);
        assert_true(part < (faces ? 1 + 1e-6 : 1));
        close += part > 0.999;
        carom_arena_reset(arena);
    }
    assert_true(close < 1500);
}

/* Farkas: y with K'y in the dual cone and b'y < 0 proves that there is none. */
static void test_infeasible(void **state)
{
    (void)state;
    check_random r = {12};
    fixture f;
    double x[C];
    int tried = 0;
    for (int round = 0; round < 3000; round++) {
        bool found;
        memset(&f, 0, sizeof f);
        random_cones(&r, &f, false);
        /* the first row made a member of the interior of the dual cone: v_0 > mu |v_T| */
        for (int i = 0, j = 0; i < f.p.blocks; j += f.size[i++]) {
            double t = 0;
            for (int k = 1; k < f.size[i]; k++)
                t = hypot(t, f.K[(j + k) * f.p.rows]);
            f.K[j * f.p.rows] = f.mu[i] * t + check_random_in(&r, 1e-3, 1);
        }
        for (int k = 0; k < f.p.rows; k++)
            f.b[k] = check_random_in(&r, -1, 1);
        f.b[0] = -pow(10, check_random_in(&r, -6, 0));
        found = carom_cone_interior_find(&f.p, x, room_for(&f.p));
        assert_false(found);
        tried++;
        carom_arena_reset(arena);
    }
    assert_int_equal(tried, 3000);
}

/* Four equal feet under an eccentric load: the share of equal springs. */
static void test_equal_feet(void **state)
{
    (void)state;
    const double K[12] = {1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1}, b[3] = {4, 0.4, -0.8};
    const int size[4] = {1, 1, 1, 1};
    const double mu[4] = {0};
    double unit[4], x[4];
    bool found;
    carom_cone_interior p = {.rows = 3,
                             .columns = 4,
                             .K = K,
                             .b = b,
                             .blocks = 4,
                             .size = size,
                             .mu = mu,
                             .unit = unit,
                             .tolerance = 1e-11};
    found = carom_cone_interior_find(&p, x, room_for(&p));
    assert_true(found);
    const double expected[4] = {0.9, 1.3, 0.7, 1.1};
    for (int i = 0; i < 4; i++)
        assert_true(fabs(x[i] - expected[i]) < 1e-12);
}

/* Two walls that press against each other but move apart: forces grow without bound, and still
 * there is no share. */
static void test_wedged(void **state)
{
    (void)state;
    const double K[16] = {1, -1, 0, 0, 0, 0, -1, 1, 0, 0, 0, 0, -1, 0, 0, -1};
    const int size[4] = {3, 3, 1, 1};
    const double mu[4] = {0.3, 0.3, 0, 0};
    for (int k = 0; k < 2; k++) { /* l - l' - s = +-2, l' - l - s' = 2 */
        const double b[2] = {k ? -3 : 2, 2};
        double unit[8], x[8];
        bool found;
        carom_cone_interior p = {.rows = 2,
                                 .columns = 8,
                                 .K = K,
                                 .b = b,
                                 .blocks = 4,
                                 .size = size,
                                 .mu = mu,
                                 .unit = unit,
                                 .tolerance = 1e-9};
        found = carom_cone_interior_find(&p, x, room_for(&p));
        assert_int_equal(found, k);
        for (int i = 0; i < 2 && found; i++) {
            double sum = -b[i];
            for (int j = 0; j < 8; j++)
                sum += K[i + 2 * j] * x[j];
            assert_true(fabs(sum) < 1e-8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feasible),
        cmocka_unit_test(test_infeasible),
        cmocka_unit_test(test_equal_feet),
        cmocka_unit_test(test_wedged),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
