/* Hundreds of formulas of the same shape; memory. */
#include "check_memory.h"
#include "formula_case.h"

#include <stdlib.h>

/* The statement of a chain of N balls, as `repeat` makes it: one formula per ball. */
typedef struct chain {
    carom_formulas statement;
    carom_source *coordinates, *kinetic;
    carom_contact_formulas *contacts;
    char *text, *end;
} chain;

static const char *written(chain *c, const char *format, int i, int j)
{
    char *start = c->end;
    c->end += sprintf(c->end, format, i, j) + 1;
    return start;
}

static chain make_chain(int n)
{
    static const carom_named_formula parameters[] = {{F("m"), F("2")}, {F("R"), F("0.25")}};
    chain c = {.coordinates = calloc((size_t)n, sizeof(carom_source)),
               .kinetic = calloc((size_t)n, sizeof(carom_source)),
               .contacts = calloc((size_t)n, sizeof(carom_contact_formulas)),
               .text = malloc(128 * (size_t)n)};
    c.end = c.text;
    for (int i = 0; i < n; i++) {
        c.coordinates[i].text = written(&c, "x%d", i, 0);
        c.kinetic[i].text = written(&c, "m/2*x%d'^2", i, 0);
        c.contacts[i].properties = carom_contact_default();
        if (i + 1 < n)
            c.contacts[i].gap.text = written(&c, "x%d - x%d - 2*R", i + 1, i);
    }
    c.statement = (carom_formulas){.coordinate_count = n,
                                   .coordinates = c.coordinates,
                                   GIVEN(parameter, parameters),
                                   .kinetic_count = n,
                                   .kinetic = c.kinetic,
                                   .contact_count = n - 1,
                                   .contacts = c.contacts};
    return c;
}

static void free_chain(chain *c)
{
    free(c->coordinates);
    free(c->kinetic);
    free(c->contacts);
    free(c->text);
}

static void test_chain(void **state)
{
    (void)state;
    enum { N = 300 };
    chain c = make_chain(N);
    made m = make(&c.statement);
    const carom_system_shape *shape = carom_system_get_shape(m.system);
    assert_true(shape->mass_is_diagonal);
    assert_true(shape->mass_is_constant);
    for (int i = 0; i < N; i++)
        m.state.q[i] = i;
    evaluate(&m, CAROM_WANT_ALL);
    for (int i = 0; i < N; i++) {
        check_close(m.state.M[i], 2, 0);
        for (int k = 0; k < N - 1; k++)
            check_close(m.state.W[i + k * N], (i == k + 1) - (i == k), 0);
    }
    for (int k = 0; k < N - 1; k++)
        check_close(m.state.g[k], 0.5, 0);
    for (int k = 0; k < N - 1; k++) { /* the two neighbours of a gap, nothing else */
        const carom_pattern *p = &shape->normal_pattern;
        assert_int_equal(p->start[k], 2 * k);
        assert_int_equal(p->start[k + 1], 2 * k + 2);
        assert_int_equal(p->row[2 * k], k);
        assert_int_equal(p->row[2 * k + 1], k + 1);
    }
    drop(&m);
    free_chain(&c);
}

/* Memory: failure at every allocation while making, none while evaluating. */
static void test_memory(void **state)
{
    (void)state;
    chain c = make_chain(200);
    bool done = false;
    for (int fail_at = 0; !done; fail_at++) {
        check_memory count = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &count};
        carom_system *system = NULL;
        carom_error error = {0};
        carom_status status = carom_system_formulas(&c.statement, &allocator, &system, &error);
        done = status == CAROM_OK;
        assert_int_equal(status, done ? CAROM_OK : CAROM_ERROR_MEMORY);
        if (done) {
            carom_arena *arena;
            carom_state s;
            check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
            check_ok(carom_state_create(system, arena, &s, NULL), NULL);
            int before = count.calls;
            for (unsigned want = 1; want <= CAROM_WANT_ALL; want++)
                check_ok(carom_system_evaluate(system, want, &s, NULL), NULL);
            assert_int_equal(count.calls, before);
            carom_arena_destroy(arena);
        }
        carom_system_destroy(system);
        assert_int_equal(count.live, 0);
    }
    free_chain(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
