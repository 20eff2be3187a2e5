/* The Runge-Kutta method: order conditions of its coefficients, and what it does with equations
 * whose solution is known. */
#include "check.h"
#include "solver/ode_dop853.h"

enum { S = CAROM_ODE_DOP853_STAGES, MAX = 9 };

static double A[S][S], C[S], B[S], E5[S], E3[S];

static void load(void)
{
    carom_ode_dop853_tableau(&A[0][0], C, B, E5, E3);
}

/* All rooted trees up to 8 vertices, as lists of children; tree 0 is the single vertex. */
typedef struct tree {
    int order, count, child[MAX];
    double density; /* gamma(tree) */
    double phi[S];  /* stage weights: the tree with its root hung on stage i */
} tree;

static tree trees[300];
static int tree_count;

static void finish(tree *t)
{
    t->density = t->order;
    for (int i = 0; i < S; i++)
        t->phi[i] = 1;
    for (int k = 0; k < t->count; k++) {
        const tree *c = &trees[t->child[k]];
        t->density *= c->density;
        for (int i = 0; i < S; i++) {
            double sum = 0;
            for (int j = 0; j < i; j++)
                sum += A[i][j] * c->phi[j];
            t->phi[i] *= sum;
        }
    }
}

/* Children in descending order of number, so that each tree comes once. */
static void grow(tree *t, int left, int limit)
{
    if (left == 0) {
        tree *made = &trees[tree_count++];
        *made = *t;
        finish(made);
        return;
    }
    for (int c = limit; c >= 0; c--) {
        if (trees[c].order > left)
            continue;
        t->child[t->count++] = c;
        grow(t, left - trees[c].order, c);
        t->count--;
    }
}

static void make_trees(void)
{
    tree_count = 0;
    for (int order = 1; order <= 8; order++) {
        tree t = {.order = order};
        grow(&t, order - 1, tree_count - 1);
    }
}

static void test_order_conditions(void **state)
{
    (void)state;
    load();
    for (int i = 0; i < S; i++) {
        double sum = 0;
        for (int j = 0; j < S; j++)
            sum += A[i][j];
        check_close(sum, C[i], 2e-14);
    }
    make_trees();
    assert_int_equal(tree_count, 1 + 1 + 2 + 4 + 9 + 20 + 48 + 115);
    for (int k = 0; k < tree_count; k++) {
        double b = 0, e5 = 0, e3 = 0, size = 0;
        for (int i = 0; i < S; i++) {
            b += B[i] * trees[k].phi[i];
            e5 += E5[i] * trees[k].phi[i];
            e3 += E3[i] * trees[k].phi[i];
            size += fabs(B[i] * trees[k].phi[i]);
        }
        check_close(b, 1 / trees[k].density, 1e-14 * (1 + size));
        if (trees[k].order <= 5)
            check_close(e5, 0, 1e-14 * (1 + size));
        if (trees[k].order <= 3)
            check_close(e3, 0, 1e-14 * (1 + size));
    }
}

/* y' = (y1, -y0), y'' = ... and a clock: y = (cos t, -sin t, t^2/2) */
static carom_status circle(void *self, double t, const double *y, double *dy, carom_error *error)
{
    (void)self;
    (void)error;
    dy[0] = y[1];
    dy[1] = -y[0];
    dy[2] = t;
    return CAROM_OK;
}

static void test_order_of_step_and_dense(void **state)
{
    (void)state;
    double last = 0, last_dense = 0;
    for (int k = 0; k < 3; k++) {
        double h = 1.6 / (1 << k), worst = 0, y[3];
        carom_arena *arena;
        carom_ode_dop853 ode;
        check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
        check_ok(carom_ode_dop853_create(arena, 3, 3, circle, NULL, &ode, NULL), NULL);
        ode.y[0] = 1;
        circle(NULL, 0, ode.y, ode.k[0], NULL);
        check_ok(carom_ode_dop853_try(&ode, 0, h, NULL), NULL);
        check_ok(carom_ode_dop853_dense(&ode, NULL), NULL);
        for (int i = 0; i <= 20; i++) {
            carom_ode_dop853_at(&ode, i / 20.0, 3, y);
            worst = fmax(worst, hypot(y[0] - cos(i / 20.0 * h), y[1] + sin(i / 20.0 * h)));
            check_close(y[2], 0.5 * (i / 20.0 * h) * (i / 20.0 * h), 1e-14);
        }
        double end = hypot(ode.next[0] - cos(h), ode.next[1] + sin(h));
        if (k > 0) { /* local errors: order 8 + 1 and at least 7 + 1 */
            assert_true(last / end > 350);
            assert_true(last_dense / worst > 180);
        }
        double scale[3] = {1, 1, 1};
        assert_true(carom_ode_dop853_error(&ode, scale) >= 0.1 * end);
        last = end;
        last_dense = worst;
        carom_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order_conditions),
                                       cmocka_unit_test(test_order_of_step_and_dense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
