/* Tables in HDF5: what is written is read back, bytes are the same each time, files are not lost.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "carom/io.h"
#include "check.h"
#include "check_memory.h"
#include "trace/table.h"

enum { ROWS = 3000, COLUMNS = 3 };

static const char *const names[COLUMNS] = {"e", "x'", "\xc3\xa4"};

/* Rows of which every third failed with a text of its own. */
static carom_table make(double *values, const char **status, char (*texts)[32])
{
    for (int k = 0; k < ROWS; k++) {
        snprintf(texts[k], sizeof *texts, "failed at %d", k);
        status[k] = k % 3 ? "ok" : texts[k];
        for (int j = 0; j < COLUMNS; j++)
            values[k * COLUMNS + j] = k % 3 ? k + 0.1 * j : NAN;
    }
    return (carom_table){
        .columns = COLUMNS, .names = names, .rows = ROWS, .values = values, .status = status};
}

static long read_bytes(const char *path, char *bytes, long room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    long size = (long)fread(bytes, 1, (size_t)room, file);
    fclose(file);
    return size;
}

static void test_round_trip(void **state)
{
    (void)state;
    static double values[ROWS * COLUMNS];
    static const char *status[ROWS];
    static char texts[ROWS][32], first[1 << 20], second[1 << 20];
    char folder[] = "carom-table-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.h5", folder);
    carom_error error = {0};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    for (int rows = 0; rows <= ROWS; rows += ROWS) {
        carom_table table = make(values, status, texts), back;
        table.rows = rows;
        check_ok(carom_table_write(path, rows > 0, &table, NULL, &error), &error);
        check_ok(carom_table_read(path, arena, &back, &error), &error);
        assert_int_equal(back.rows, rows);
        assert_int_equal(back.columns, COLUMNS);
        for (int j = 0; j < COLUMNS; j++)
            assert_string_equal(back.names[j], names[j]);
        for (int k = 0; k < rows; k++) {
            assert_string_equal(back.status[k], status[k]);
            for (int j = 0; j < COLUMNS; j++) {
                double x = back.values[k * COLUMNS + j], y = values[k * COLUMNS + j];
                assert_true(x == y || (isnan(x) && isnan(y)));
            }
        }
        /* not overwritten unless asked; then the same bytes */
        long size = read_bytes(path, first, sizeof first);
        assert_int_equal(carom_table_write(path, false, &table, NULL, &error),
                         CAROM_ERROR_ARGUMENT);
        check_ok(carom_table_write(path, true, &table, NULL, &error), &error);
        assert_int_equal(read_bytes(path, second, sizeof second), size);
        assert_memory_equal(first, second, (size_t)size);
    }
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left */
    carom_arena_destroy(arena);
}

static void test_refused(void **state)
{
    (void)state;
    carom_error error = {0};
    carom_arena *arena;
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    double value = 1;
    const char *name = "a", *ok = "ok";
    carom_table table = {.columns = 1, .names = &name, .rows = 1, .values = &value, .status = &ok};
    carom_table back;
    assert_int_equal(carom_table_write("/no/such/folder/a.h5", false, &table, NULL, &error),
                     CAROM_ERROR_OUTPUT);
    assert_int_equal(carom_table_read("/no/such/file.h5", arena, &back, &error), CAROM_ERROR_FILE);
    char path[] = "carom-table-XXXXXX";
    int file = mkstemp(path);
    assert_true(write(file, "e,status\n", 9) == 9);
    close(file);
    assert_int_equal(carom_table_read(path, arena, &back, &error), CAROM_ERROR_FILE);
    unlink(path);
    carom_arena_destroy(arena);
}

/* Every allocation of ours may fail: an error, no file, no leak. */
static void test_memory(void **state)
{
    (void)state;
    double values[4] = {1, 2, 3, 4};
    const char *const two[] = {"a", "b"}, *const status[] = {"ok", "no"};
    const char *const words[] = {"law", "way"}, *const label[] = {"newton", "up", "path", "up"};
    carom_table table = {.columns = 2,
                         .names = two,
                         .rows = 2,
                         .values = values,
                         .status = status,
                         .labels = 2,
                         .label_names = words,
                         .label = label};
    char folder[] = "carom-table-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.h5", folder);
    carom_status result = CAROM_ERROR_MEMORY;
    int tries = 0;
    for (; result; tries++) {
        check_memory m = {.fail_at = tries, .onwards = true};
        carom_allocator allocator = {check_memory_resize, &m};
        carom_error error = {0};
        result = carom_table_write(path, false, &table, &allocator, &error);
        assert_int_equal(m.live, 0);
        if (result)
            assert_int_equal(access(path, F_OK), -1);
    }
    assert_true(tries > 1);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
