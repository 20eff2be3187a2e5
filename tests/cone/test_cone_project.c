/* Projections onto cones: their conditions, closed forms, dependent and opposed rows. */
#include "carom/cone.h"
#include "check.h"
#include "check_memory.h"

enum { N = 12, P = 40 };

/* One random cone problem, degenerate on purpose: small integers make exact ties, rows repeat, add
 * up, oppose each other, and scales differ by many orders. */
typedef struct fixture {
    double M[N * N], W[N * P], C[N * P], axis[N * P], spread[N * P], x[N];
    int start[P];
    carom_cone cone;
} fixture;

static double draw(check_random *r, bool integer)
{
    return integer ? check_random_int(r, 5) - 2 : check_random_in(r, -1, 1);
}

static void random_metric(check_random *r, fixture *f, int n, bool diagonal)
{
    double ratio = pow(10, check_random_in(r, 0, 6)), R[N * N];
    for (int i = 0; i < n * n; i++)
        R[i] = check_random_in(r, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += R[i + k * n] * R[j + k * n];
            f->M[i + j * n] = sum + (i == j);
        }
    double d[N];
    for (int i = 0; i < n; i++)
        d[i] = pow(ratio, check_random_in(r, 0, 0.5));
    for (int i = 0; i < n * n; i++)
        f->M[i] *= d[i % n] * d[i / n];
    for (int i = 0; i < n && diagonal; i++)
        f->M[i] = d[i] * d[i];
    f->cone.metric = (carom_metric){.diagonal = diagonal, .M = f->M};
}

static void random_columns(check_random *r, int n, int count, double *A)
{
    bool integer = check_random_int(r, 2);
    for (int j = 0; j < count; j++) {
        double *a = A + j * n;
        int kind = j > 1 ? check_random_int(r, 6) : 0;
        const double *b = A + check_random_int(r, j > 0 ? j : 1) * n;
        const double *c = A + check_random_int(r, j > 0 ? j : 1) * n;
        for (int i = 0; i < n; i++)
            a[i] = kind == 5   ? 2 * b[i]
                   : kind == 4 ? b[i] + 3 * c[i]
                   : kind == 3 ? -b[i]
                               : draw(r, integer);
        if (check_random_int(r, 30) == 0)
            memset(a, 0, (size_t)n * sizeof(double));
    }
}

static void random_problem(check_random *r, fixture *f, int n, int p, int c, int q)
{
    f->cone = (carom_cone){.n = n, .p = p, .c = c, .q = q};
    random_metric(r, f, n, check_random_int(r, 2));
    random_columns(r, n, p, f->W);
    random_columns(r, n, c, f->C);
    random_columns(r, n, q, f->axis);
    f->start[0] = 0;
    for (int k = 0; k < q; k++)
        f->start[k + 1] = f->start[k] + check_random_int(r, 4);
    random_columns(r, n, f->start[q], f->spread);
    double wide = pow(10, check_random_in(r, -3, 2));
    for (int i = 0; i < n * f->start[q]; i++)
        f->spread[i] *= wide;
    bool integer = check_random_int(r, 2);
    for (int i = 0; i < n; i++)
        f->x[i] = draw(r, integer);
    f->cone.W = f->W;
    f->cone.C = f->C;
    f->cone.axis = f->axis;
    f->cone.spread_start = f->start;
    f->cone.spread = f->spread;
}

/* Returns whether the projection calls itself accurate; if so it must be, if not nearly. */
static bool check_projection(const fixture *f, carom_arena *arena, double tolerance)
{
    carom_error error = {0};
    carom_projection p;
    carom_cone_residual r;
    check_ok(carom_cone_project(&f->cone, f->x, arena, &p, &error), &error);
    check_ok(carom_cone_verify(&f->cone, f->x, &p, arena, &r, &error), &error);
    if (!p.converged)
        tolerance = 1e-8;
    check_close(r.primal, 0, tolerance);
    check_close(r.orthogonal, 0, tolerance);
    if (p.attained)
        check_close(r.dual, 0, tolerance);
    return p.converged;
}

static void test_polyhedral(void **state)
{
    (void)state;
    check_random r = {1};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    static fixture f;
    for (int k = 0; k < 10000; k++) {
        random_problem(&r, &f, 1 + check_random_int(&r, N), check_random_int(&r, P),
                       check_random_int(&r, 3), 0);
        assert_true(check_projection(&f, arena, 1e-11));
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
}

static void test_second_order(void **state)
{
    (void)state;
    check_random r = {2};
    int inaccurate = 0;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    static fixture f;
    for (int k = 0; k < 4000; k++) {
        random_problem(&r, &f, 1 + check_random_int(&r, 9), check_random_int(&r, 6),
                       check_random_int(&r, 2), 1 + check_random_int(&r, 4));
        inaccurate += !check_projection(&f, arena, 1e-10);
        carom_arena_reset(arena);
    }
    /* cones that touch without common interior (v and -v among the axes) may lose digits */
    assert_true(inaccurate <= 4);
    carom_arena_destroy(arena);
}

/* Kinetic norm of a - b. */
static double distance(const carom_cone *c, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) {
            double m = c->metric.diagonal ? (i == j) * c->metric.M[i] : c->metric.M[i + j * c->n];
            sum += (a[i] - b[i]) * m * (a[j] - b[j]);
        }
    return sqrt(fmax(sum, 0));
}

/* prox of T by inequalities and prox of its polar cone by generators -M^-1 w add up to x. The
 * metric is diagonal so that the generators are at hand. */
static void test_generators_are_dual(void **state)
{
    (void)state;
    check_random r = {3};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    static fixture f;
    static double G[N * P], E[N * P];
    static const double zero[N];
    for (int k = 0; k < 3000; k++) {
        random_problem(&r, &f, 1 + check_random_int(&r, N), check_random_int(&r, P),
                       check_random_int(&r, 3), 0);
        random_metric(&r, &f, f.cone.n, true);
        int n = f.cone.n;
        for (int i = 0; i < n * f.cone.p; i++)
            G[i] = -f.W[i] / f.M[i % n];
        for (int i = 0; i < n * f.cone.c; i++)
            E[i] = f.C[i] / f.M[i % n];
        carom_generated_cone K = {
            .n = n, .metric = f.cone.metric, .g = f.cone.p, .G = G, .e = f.cone.c, .E = E};
        carom_projection p, q;
        carom_error error = {0};
        check_ok(carom_cone_project(&f.cone, f.x, arena, &p, &error), &error);
        check_ok(carom_cone_project_generated(&K, f.x, arena, &q, &error), &error);
        double size = distance(&f.cone, f.x, zero);
        check_close(distance(&f.cone, p.z, q.z_perp), 0, 1e-11 * size);
        check_close(distance(&f.cone, p.z_perp, q.z), 0, 1e-11 * size);
        check_close(p.distance, distance(&f.cone, q.z, zero), 1e-11 * size);
        check_close(q.distance, distance(&f.cone, q.z_perp, zero), 1e-11 * size);
        double sum[N];
        for (int i = 0; i < n; i++) {
            sum[i] = 0;
            for (int j = 0; j < K.g; j++)
                sum[i] += G[i + j * n] * q.lambda[j];
            for (int j = 0; j < K.e; j++)
                sum[i] += E[i + j * n] * q.beta[j];
        }
        check_close(distance(&f.cone, sum, q.z), 0, 1e-10 * size);
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
}

/* Nothing in the cone is nearer: competitors are projections of other points. */
static void test_nearest(void **state)
{
    (void)state;
    check_random r = {4};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    static fixture f;
    for (int k = 0; k < 300; k++) {
        random_problem(&r, &f, 1 + check_random_int(&r, 6), check_random_int(&r, 6),
                       check_random_int(&r, 2), check_random_int(&r, 3));
        carom_projection p, q;
        check_ok(carom_cone_project(&f.cone, f.x, arena, &p, NULL), NULL);
        for (int m = 0; m < 20; m++) {
            double y[N], near = check_random_int(&r, 2) ? 1 : 1e-3;
            for (int i = 0; i < f.cone.n; i++)
                y[i] = p.z[i] + near * check_random_in(&r, -1, 1);
            check_ok(carom_cone_project(&f.cone, y, arena, &q, NULL), NULL);
            double d = distance(&f.cone, f.x, q.z);
            assert_true(p.distance <= d * (1 + 1e-12) + 1e-14);
        }
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
}

/* Circular cone y_3 >= t |(y_1, y_2)| in the Euclidean metric, closed form in the plane of the
 * axis; a metric m times the identity changes nothing; scales change nothing. */
static void test_circular_cone(void **state)
{
    (void)state;
    check_random r = {5};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    int start[] = {0, 2};
    for (int k = 0; k < 3000; k++) {
        double t = pow(10, check_random_in(&r, -2, 2)), m = pow(10, check_random_in(&r, -9, 9));
        double axis[] = {0, 0, 1e3}, spread[] = {1e3 * t, 0, 0, 0, 1e3 * t, 0}, M[] = {m, m, m};
        double v = pow(10, check_random_in(&r, -6, 6));
        double x[3] = {v * draw(&r, k % 2), v * draw(&r, k % 2), v * draw(&r, k % 2)};
        carom_cone cone = {.n = 3, .metric = {true, M, NULL}, .q = 1};
        cone.axis = axis;
        cone.spread = spread;
        cone.spread_start = start;
        double s = hypot(x[0], x[1]), z[3] = {x[0], x[1], x[2]};
        if (x[2] < t * s) { /* onto the boundary line (1, t), or to the apex */
            double along = fmax(0, (s + t * x[2]) / (1 + t * t));
            z[0] = s > 0 ? x[0] / s * along : 0;
            z[1] = s > 0 ? x[1] / s * along : 0;
            z[2] = t * along;
        }
        carom_projection p;
        check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
        assert_true(p.converged);
        check_vector(p.z, z, 3, 2e-14 * v);
        carom_arena_reset(arena);
    }
    carom_arena_destroy(arena);
}

/* The second-order cones that have no inside, or are half-spaces. */
static void test_degenerate_second_order(void **state)
{
    (void)state;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    int start[] = {0, 2}, none[] = {0, 0};
    double x[] = {1, 2, -3}, spread[] = {1, 0, 0, 0, 1, 0};
    carom_projection p;
    /* |(y1, y2)| <= y1/2: only the axis y3 is left */
    carom_cone cone = {.n = 3, .q = 1, .spread = spread, .spread_start = start};
    cone.axis = (double[]){0.5, 0, 0};
    check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
    check_vector(p.z, ((double[]){0, 0, -3}), 3, 1e-15);
    assert_true(p.converged && p.attained && p.residual < 1e-14);
    /* |(y1, y2)| <= y1: y2 = 0, y1 >= 0, and its polar is not reached by finite multipliers */
    cone.axis = (double[]){1, 0, 0};
    check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
    check_vector(p.z, ((double[]){1, 0, -3}), 3, 1e-15);
    assert_true(p.converged && !p.attained);
    x[0] = -1;
    check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
    check_vector(p.z, ((double[]){0, 0, -3}), 3, 1e-15);
    assert_true(p.converged && p.attained && p.residual < 1e-14);
    /* zero axis: A y = 0; no spread: a half-space; neither: everything */
    cone.axis = (double[]){0, 0, 0};
    check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
    check_vector(p.z, ((double[]){0, 0, -3}), 3, 1e-15);
    cone.spread_start = none;
    check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
    check_vector(p.z, x, 3, 0);
    cone.axis = (double[]){0, 0, 2};
    check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
    check_vector(p.z, ((double[]){-1, 2, 0}), 3, 1e-15);
    check_close(p.nu[0], 1.5, 1e-15);
    carom_arena_destroy(arena);
}

/* 300 rows, each the sum of two of three, or a copy: the multipliers of least norm are shared out
 * evenly among equal rows and reproduce the reaction. */
static void test_least_multipliers(void **state)
{
    (void)state;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    static double W[3 * 300];
    for (int j = 0; j < 300; j++)
        W[j % 3 + 3 * j] = 1;
    double x[] = {-1, -2, 3};
    carom_cone cone = {.n = 3, .p = 300, .W = W};
    carom_projection p;
    carom_cone_residual residual;
    check_ok(carom_cone_project(&cone, x, arena, &p, NULL), NULL);
    check_vector(p.z, ((double[]){0, 0, 3}), 3, 1e-14);
    for (int j = 0; j < 300; j++)
        check_close(p.lambda[j], j % 3 == 0 ? 0.01 : j % 3 == 1 ? 0.02 : 0, 1e-13);
    assert_false(p.unique);
    check_ok(carom_cone_verify(&cone, x, &p, arena, &residual, NULL), NULL);
    check_close(residual.worst, 0, 1e-13);
    /* Three rows in the plane; least norm needs the sign restriction: w = e1, e2, e1 + e2 and the
     * reaction (1, 0): only (1, 0, 0). The reaction (2, 1): least (1, 1, sqrt 2)-weighted norm. */
    double V[] = {1, 0, 0, 1, 1, 1};
    carom_cone plane = {.n = 2, .p = 3, .W = V};
    check_ok(carom_cone_project(&plane, (double[]){-1, 0}, arena, &p, NULL), NULL);
    check_vector(p.lambda, ((double[]){1, 0, 0}), 3, 1e-14);
    assert_true(p.unique);
    check_ok(carom_cone_project(&plane, (double[]){-2, -1}, arena, &p, NULL), NULL);
    check_vector(p.lambda, ((double[]){1.25, 0.25, 0.75}), 3, 1e-14);
    assert_false(p.unique);
    carom_arena_destroy(arena);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    static fixture f;
    static double G[N * 400];
    check_random r = {6};
    random_problem(&r, &f, N, P - 1, 2, 3);
    for (int i = 0; i < N * 400; i++)
        G[i] = check_random_in(&r, -1, 1);
    carom_generated_cone K = {.n = N, .g = 400, .G = G};
    carom_status status = CAROM_ERROR_MEMORY;
    int fail_at = 0;
    for (; status == CAROM_ERROR_MEMORY; fail_at++) {
        check_memory c = {.fail_at = fail_at, .onwards = true};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_arena *arena;
        carom_projection p = {.iterations = -7};
        carom_error error = {0};
        status = carom_arena_create(&allocator, &arena, &error);
        if (!status) {
            status = carom_cone_project(&f.cone, f.x, arena, &p, &error);
            if (status)
                assert_int_equal(p.iterations, -7);
            else
                status = carom_cone_project_generated(&K, f.x, arena, &p, &error);
            carom_arena_destroy(arena);
        }
        assert_int_equal(status, error.status);
        assert_int_equal(c.live, 0);
    }
    assert_int_equal(status, CAROM_OK);
    assert_true(fail_at > 3);
}

static void test_bad_input(void **state)
{
    (void)state;
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    carom_error error = {0};
    carom_projection p;
    double M[] = {1, 2, 2, 1}, W[] = {1, NAN}, x[] = {1, 1};
    carom_cone cone = {.n = 2, .metric = {false, M, NULL}};
    assert_int_equal(carom_cone_project(&cone, x, arena, &p, &error), CAROM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "pivot 2"));
    cone = (carom_cone){.n = 2, .p = 1, .W = W};
    assert_int_equal(carom_cone_project(&cone, x, arena, &p, &error), CAROM_ERROR_ARGUMENT);
    cone = (carom_cone){0};
    assert_int_equal(carom_cone_project(&cone, x, arena, &p, &error), CAROM_ERROR_ARGUMENT);
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polyhedral),          cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_generators_are_dual), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_circular_cone),       cmocka_unit_test(test_degenerate_second_order),
        cmocka_unit_test(test_least_multipliers),   cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
