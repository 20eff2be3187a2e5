/* Envelope factorisation against the dense one, and orders of rows. */
#include <stdlib.h>

#include "check.h"
#include "linalg/cholesky.h"
#include "linalg/envelope.h"
#include "linalg/lu.h"
#include "linalg/ordering.h"

enum { MOST = 60 };

typedef struct sample {
    int n, first[MOST];
    ptrdiff_t start[MOST];
    double value[MOST * MOST], dense[MOST * MOST];
    carom_envelope envelope;
} sample;

/* A random definite matrix with a random envelope: rows reach back 0 ... reach. */
static void make(sample *s, check_random *r, int n, int reach)
{
    s->n = n;
    memset(s->dense, 0, sizeof s->dense);
    for (int i = 0; i < n; i++) {
        int back = check_random_int(r, reach + 1);
        s->first[i] = i - (back < i ? back : i);
        double sum = 0;
        for (int j = s->first[i]; j < i; j++) {
            double a = check_random_in(r, -1, 1);
            s->dense[i + j * n] = s->dense[j + i * n] = a;
            s->dense[j + j * n] += fabs(a);
            sum += fabs(a);
        }
        s->dense[i + i * n] += sum + check_random_in(r, 0.01, 1);
    }
    size_t entries = carom_envelope_lay_out(n, s->first, s->start), counted = 0;
    for (int i = 0; i < n; i++)
        for (int j = s->first[i]; j <= i; j++, counted++)
            s->value[s->start[i] + j] = s->dense[i + j * n];
    assert_int_equal(entries, counted);
    s->envelope = (carom_envelope){n, s->first, s->start, s->value};
}

static void test_agrees_with_dense(void **state)
{
    (void)state;
    static sample s;
    check_random r = {1};
    for (int round = 0; round < 2000; round++) {
        int n = 1 + check_random_int(&r, MOST - 1);
        make(&s, &r, n, round % 4 == 0 ? 1 : check_random_int(&r, n));
        double x[MOST], y[MOST], product[MOST] = {0};
        for (int i = 0; i < n; i++)
            x[i] = y[i] = check_random_in(&r, -1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                product[i] += s.dense[i + j * n] * x[j];
        assert_int_equal(carom_envelope_factor(&s.envelope, 1e-12), 0);
        carom_envelope_solve(&s.envelope, product); /* back to x */
        check_vector(product, x, n, 1e-9);
        carom_envelope_solve(&s.envelope, x);
        assert_int_equal(carom_cholesky_factor(n, s.dense, n), 0);
        carom_cholesky_solve(n, s.dense, n, y);
        for (int i = 0; i < n; i++)
            check_close(x[i], y[i], 1e-10 * (1 + fabs(y[i])));
    }
}

static void test_refuses_singular(void **state)
{
    (void)state;
    int first[3] = {0, 0, 0};
    ptrdiff_t start[3];
    double value[6] = {2, 1, 1, 1, 0, 1}; /* the third row is the first less the second */
    carom_envelope_lay_out(3, first, start);
    carom_envelope A = {3, first, start, value};
    assert_int_equal(carom_envelope_factor(&A, 1e-12), 3);
    double negative[1] = {-1};
    carom_envelope B = {1, first, start, negative};
    assert_int_equal(carom_envelope_factor(&B, 0), 1);
    double scaled[6] = {2e-300, 1e-300, 1e-300, 1e-300, 0, 2e-300}; /* the scale has no say */
    carom_envelope C = {3, first, start, scaled};
    assert_int_equal(carom_envelope_factor(&C, 1e-12), 0);
}

/* Neighbours from a table of pairs. */
static void connect(int n, const unsigned char *pair, int *start, int *neighbour)
{
    int used = 0;
    for (int i = 0; i < n; i++) {
        start[i] = used;
        for (int j = 0; j < n; j++)
            if (pair[i + j * n])
                neighbour[used++] = j;
    }
    start[n] = used;
}

static void check_permutation(int n, const int *order)
{
    unsigned char seen[MOST] = {0};
    for (int k = 0; k < n; k++) {
        assert_in_range(order[k], 0, n - 1);
        assert_false(seen[order[k]]);
        seen[order[k]] = 1;
    }
}

static void test_orders(void **state)
{
    (void)state;
    static unsigned char pair[MOST * MOST];
    static int start[MOST + 1], neighbour[MOST * MOST], order[MOST], work[3 * MOST];
    check_random r = {7};
    for (int round = 0; round < 500; round++) {
        int n = 1 + check_random_int(&r, MOST - 1), name[MOST];
        for (int i = 0; i < n; i++)
            name[i] = i;
        for (int i = n - 1; i > 0; i--) {
            int j = check_random_int(&r, i + 1), keep = name[i];
            name[i] = name[j];
            name[j] = keep;
        }
        memset(pair, 0, sizeof pair);
        bool chain = round % 2 == 0;
        for (int i = 1; i < n; i++) {
            if (!chain && check_random_int(&r, 5) == 0)
                continue; /* several pieces */
            int j = chain ? i - 1 : check_random_int(&r, i);
            pair[name[i] + name[j] * n] = pair[name[j] + name[i] * n] = 1;
        }
        connect(n, pair, start, neighbour);
        carom_ordering_graph graph = {n, start, neighbour};
        carom_ordering_narrow(&graph, order, work);
        check_permutation(n, order);
        size_t found = carom_ordering_profile(&graph, order, work);
        assert_true(found <= carom_ordering_profile(&graph, NULL, work));
        if (chain) /* each row reaches the one before it */
            assert_int_equal(found, 2 * n - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_dense),
        cmocka_unit_test(test_refuses_singular),
        cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
