/* Arenas: alignment, growth, marks, reset without new memory, failures. */
#include "base/parts.h"
#include "check.h"
#include "check_memory.h"

static void test_rewind_reuses_memory(void **state)
{
    (void)state;
    check_memory c = {.fail_at = -1};
    carom_allocator allocator = {check_memory_resize, &c};
    carom_arena *arena;
    check_ok(carom_arena_create(&allocator, &arena, NULL), NULL);
    carom_mark mark = carom_arena_mark(arena);
    for (int round = 0; round < 3; round++) {
        int before = c.calls;
        for (int k = 0; k < 100; k++) {
            double *x = carom_arena_doubles(arena, 5000);
            assert_non_null(x);
            assert_int_equal((uintptr_t)x % 16, 0);
            x[0] = x[4999] = k;
        }
        if (round > 0)
            assert_int_equal(c.calls, before); /* no allocation after the first round */
        carom_arena_rewind(arena, mark);
    }
    assert_null(carom_arena_array(arena, SIZE_MAX / 2, 8));
    assert_null(carom_arena_take(arena, SIZE_MAX - 3));
    carom_arena_destroy(arena);
    assert_int_equal(c.live, 0);
}

static void test_failure_at_every_allocation(void **state)
{
    (void)state;
    for (int fail_at = 0;; fail_at++) {
        check_memory c = {.fail_at = fail_at};
        carom_allocator allocator = {check_memory_resize, &c};
        carom_arena *arena;
        carom_error error = {0};
        bool ok = carom_arena_create(&allocator, &arena, &error) == CAROM_OK;
        if (ok) {
            for (int k = 0; k < 10; k++)
                ok = ok && carom_arena_take(arena, 100000);
            carom_arena_destroy(arena);
        } else {
            assert_int_equal(error.status, CAROM_ERROR_MEMORY);
        }
        assert_int_equal(c.live, 0);
        if (ok)
            break;
    }
}

/* A few numbers beside a large matrix do not ask for twice the matrix. */
static void test_small_after_large(void **state)
{
    (void)state;
    check_memory c = {.fail_at = -1};
    carom_allocator allocator = {check_memory_resize, &c};
    carom_arena *arena;
    const size_t matrix = (size_t)1 << 26;
    check_ok(carom_arena_create(&allocator, &arena, NULL), NULL);
    assert_non_null(carom_arena_take(arena, matrix));
    assert_non_null(carom_arena_take(arena, 100));
    assert_true(c.bytes < matrix + matrix / 2);
    carom_arena_destroy(arena);
}

/* Parts of any sizes, none of which overlap, all zero; sizes that are no numbers are refused. */
static void test_parts(void **state)
{
    (void)state;
    enum { ROUNDS = 200, PARTS = 6 };
    carom_arena *arena;
    check_random r = {11};
    check_ok(carom_arena_create(NULL, &arena, NULL), NULL);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned char *array[PARTS];
        carom_arena_part parts[PARTS];
        for (int k = 0; k < PARTS; k++) {
            const size_t size = (size_t)1 << check_random_int(&r, 5);
            parts[k] = (carom_arena_part){&array[k], (size_t)check_random_int(&r, 50), size};
        }
        check_ok(carom_arena_parts(arena, parts, PARTS, NULL), NULL);
        for (int k = 0; k < PARTS; k++) {
            assert_non_null(array[k]);
            assert_int_equal((uintptr_t)array[k] % 16, 0);
            for (size_t i = 0; i < parts[k].count * parts[k].size; i++) {
                assert_int_equal(array[k][i], 0);
                array[k][i] = (unsigned char)(k + 1);
            }
        }
        for (int k = 0; k < PARTS; k++)
            for (size_t i = 0; i < parts[k].count * parts[k].size; i++)
                assert_int_equal(array[k][i], k + 1);
        if (round % 10 == 9) /* what was used is zero again */
            carom_arena_reset(arena);
    }
    double *few, *many;
    const carom_arena_part large[] = {{&few, 3, sizeof *few},
                                      {&many, SIZE_MAX / sizeof *many / 2 + 1, 2 * sizeof *many}};
    carom_error error = {0};
    assert_int_equal(carom_arena_parts(arena, large, 2, &error), CAROM_ERROR_MEMORY);
    const carom_arena_part whole[] = {{&few, 3, sizeof *few}, {&many, SIZE_MAX, 1}};
    assert_int_equal(carom_arena_parts(arena, whole, 2, &error), CAROM_ERROR_MEMORY);
    carom_arena_destroy(arena);
}

static void test_status_texts(void **state)
{
    (void)state;
    assert_string_equal(carom_status_text(CAROM_OK), "ok");
    carom_error error = {0};
    assert_int_equal(carom_error_at(&error, CAROM_ERROR_INPUT, 3, 7, "mass %g", -1.0),
                     CAROM_ERROR_INPUT);
    assert_string_equal(error.text, "mass -1");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 7);
}

/* What is reserved can be taken, in any order of taking and giving back, without another request,
 * and a sum that no machine has is no memory. */
static void test_reservation(void **state)
{
    (void)state;
    check_random r = {17};
    carom_arena *arena;
    carom_error error;
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    for (int trial = 0; trial < 300; trial++) {
        size_t count[8], bytes = 0;
        for (int k = 0; k < 8; k++) {
            count[k] = (size_t)check_random_int(&r, trial % 7 == 0 ? 20000 : 90);
            bytes += carom_arena_bytes(count[k], sizeof(double));
        }
        check_ok(carom_arena_reserve(arena, bytes, &error), &error);
        const carom_mark mark = carom_arena_mark(arena);
        for (int again = 0; again < 3; again++) {
            double *piece[8];
            for (int k = 0; k < 8; k++) {
                piece[k] = carom_arena_reserved(arena, count[k], sizeof(double));
                for (size_t i = 0; i < count[k]; i++)
                    piece[k][i] = k;
            }
            assert_ptr_equal(carom_arena_mark(arena).chunk, mark.chunk);
            for (int k = 0; k < 8; k++)
                for (size_t i = 0; i < count[k]; i++)
                    assert_true(piece[k][i] == k);
            carom_arena_rewind(arena, mark);
        }
        if (trial % 3 == 0)
            (void)carom_arena_doubles(arena, count[0]);
        if (trial % 50 == 49)
            carom_arena_reset(arena);
    }
    size_t much = 0;
    for (int k = 0; k < 100; k++)
        much += carom_arena_bytes(SIZE_MAX / 2, 8);
    assert_int_equal(carom_arena_reserve(arena, much, &error), CAROM_ERROR_MEMORY);
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rewind_reuses_memory),
        cmocka_unit_test(test_failure_at_every_allocation),
        cmocka_unit_test(test_small_after_large),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_reservation),
        cmocka_unit_test(test_status_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
