/* HDF5 files that were not written by carom, or by somebody who wants to do harm: the reader
 * refuses them or reads what is there, and never a byte beyond its memory (the sanitizer build
 * watches). */
#include "carom/trace.h"
#include "check.h"
#include "check_memory.h"
#include "trace/table.h"

#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "carom-crafted-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    int file = mkstemp(path);
    close(file);
    return file < 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static hid_t begin(void)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const char *const groups[] = {"impacts", "names", "scene"};
    for (int k = 0; k < 3; k++)
        H5Gclose(H5Gcreate2(file, groups[k], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return file;
}

/* An attribute of any type; rank 0: one value. */
static void attribute(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size,
                      const void *value)
{
    hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    hid_t made = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(made >= 0 && H5Awrite(made, type, value) >= 0);
    H5Aclose(made);
    H5Sclose(space);
}

static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    return type;
}

static void text(hid_t file, const char *name, const char *value)
{
    hid_t type = text_type(strlen(value) + 1);
    attribute(file, name, type, 0, NULL, value);
    H5Tclose(type);
}

/* A dataset that may be larger than anything: chunked, nothing of it stored unless there are
 * values.
 */
static void dataset(hid_t file, const char *name, hid_t type, hsize_t rows, hsize_t columns,
                    const void *values)
{
    hsize_t size[] = {rows, columns}, most[] = {H5S_UNLIMITED, H5S_UNLIMITED}, chunk[] = {64, 8};
    hid_t space = H5Screate_simple(2, size, most), create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(create, 2, chunk);
    hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    assert_true(made >= 0);
    if (values)
        assert_true(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(made);
    H5Pclose(create);
    H5Sclose(space);
}

static const double numbers[64] = {0, 1, 2, 3, 4, 5, 6, 7};

/* A small trace as carom writes it, without impacts. */
static hid_t begin_trace(void)
{
    hid_t file = begin();
    text(file, "format", "carom-trace");
    dataset(file, "t", H5T_NATIVE_DOUBLE, 4, 1, numbers);
    dataset(file, "position", H5T_NATIVE_DOUBLE, 4, 2, numbers);
    return file;
}

/* Read what was made: what the reader says. A trace that is accepted can be walked over. */
static carom_status read_back(carom_trace *trace)
{
    carom_error error = {0};
    carom_status status = carom_trace_read(path, NULL, trace, &error);
    if (status) {
        assert_true(error.text[0]);
        return status;
    }
    double sum = 0;
    for (long k = 0; k < trace->rows; k++) {
        sum += trace->t[k];
        for (int i = 0; i < trace->position.columns; i++)
            sum += trace->position.values[k * trace->position.columns + i];
    }
    for (long k = 0; k < trace->impacts; k++)
        sum += trace->impact_t[k] + trace->impact_energy[k];
    assert_true(sum == sum);
    return CAROM_OK;
}

static void expect_refused(hid_t file)
{
    carom_trace trace;
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(read_back(&trace), CAROM_ERROR_FILE);
}

static void test_plain(void **state)
{
    (void)state;
    carom_trace trace;
    hid_t file = begin_trace();
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(read_back(&trace), CAROM_OK);
    assert_int_equal(trace.rows, 4);
    assert_int_equal(trace.impacts, 0);
    assert_null(trace.end); /* cut off */
    assert_null(trace.title);
    carom_trace_destroy(&trace);
}

/* An attribute that is an array: room for one element, all of them written. */
static void test_attribute_array(void **state)
{
    (void)state;
    const hsize_t count = 5000;
    char *many = calloc(count, 12);
    for (hsize_t k = 0; k < count; k++)
        memcpy(many + 12 * k, "carom-trace", 12);
    hid_t type = text_type(12), file = begin();
    attribute(file, "format", type, 1, &count, many);
    dataset(file, "t", H5T_NATIVE_DOUBLE, 4, 1, numbers);
    expect_refused(file);
    file = begin_trace();
    attribute(file, "title", type, 1, &count, many);
    assert_true(H5Fclose(file) >= 0);
    carom_trace trace;
    assert_int_equal(read_back(&trace), CAROM_OK);
    assert_null(trace.title);
    carom_trace_destroy(&trace);
    H5Tclose(type);
    free(many);
}

/* Texts as h5py writes them, numbers where a text should be, a text without its end. */
static void test_attribute_kinds(void **state)
{
    (void)state;
    const char *variable = "told by h5py";
    int number = 7;
    hid_t type = text_type(H5T_VARIABLE), fixed = text_type(3), file = begin_trace();
    attribute(file, "title", type, 0, NULL, &variable);
    attribute(file, "law", H5T_NATIVE_INT, 0, NULL, &number);
    attribute(file, "method", fixed, 0, NULL, "abcdef");
    assert_true(H5Fclose(file) >= 0);
    carom_trace trace;
    assert_int_equal(read_back(&trace), CAROM_OK);
    assert_string_equal(trace.title, "told by h5py");
    assert_null(trace.law);
    assert_string_equal(trace.method, "abc");
    carom_trace_destroy(&trace);
    H5Tclose(fixed);
    H5Tclose(type);
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        hsize_t rows, columns;
    } sizes[] = {{(hsize_t)1 << 40, 0}, {(hsize_t)1 << 61, 8}, {(hsize_t)1 << 40, 1},
                 {0, (hsize_t)1 << 40}, {1, (hsize_t)1 << 31}, {4, 2}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        hid_t file = begin();
        text(file, "format", "carom-trace");
        dataset(file, "t", H5T_NATIVE_DOUBLE, sizes[k].rows, sizes[k].columns, NULL);
        expect_refused(file);
    }
    hid_t file = begin(); /* texts for times, or none at all */
    text(file, "format", "carom-trace");
    expect_refused(file);
    hid_t type = text_type(8);
    file = begin();
    text(file, "format", "carom-trace");
    dataset(file, "t", type, 8, 1, numbers);
    expect_refused(file);
    H5Tclose(type);
}

/* Tables of different lengths: the shortest counts. */
static void test_short_tables(void **state)
{
    (void)state;
    carom_trace trace;
    hid_t file = begin_trace();
    dataset(file, "velocity", H5T_NATIVE_DOUBLE, 3, 2, numbers);
    dataset(file, "impacts/t", H5T_NATIVE_DOUBLE, 5, 1, numbers);
    dataset(file, "impacts/energy_change", H5T_NATIVE_FLOAT, 2, 1, numbers);
    dataset(file, "impacts/after", H5T_NATIVE_DOUBLE, 3, 2, numbers);
    dataset(file, "accumulations", H5T_NATIVE_DOUBLE, 2, 3, numbers);
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(read_back(&trace), CAROM_OK);
    assert_int_equal(trace.rows, 3);
    assert_int_equal(trace.impacts, 2);
    assert_int_equal(trace.accumulations, 0);
    carom_trace_destroy(&trace);
    file = begin_trace(); /* times of impacts without their energies */
    dataset(file, "impacts/t", H5T_NATIVE_DOUBLE, 5, 1, numbers);
    expect_refused(file);
}

/* Names: of variable length, too few, or numbers. */
static void test_names(void **state)
{
    (void)state;
    carom_trace trace;
    const char *variable[] = {"x", "y"};
    hid_t type = text_type(H5T_VARIABLE), file = begin_trace();
    dataset(file, "names/position", type, 2, 1, variable);
    dataset(file, "velocity", H5T_NATIVE_DOUBLE, 4, 3, numbers);
    dataset(file, "names/velocity", type, 2, 1, variable);
    dataset(file, "names/shapes", H5T_NATIVE_DOUBLE, 1, 1, numbers);
    dataset(file, "scene/parameters", type, 2, 1, variable);
    dataset(file, "scene/values", H5T_NATIVE_DOUBLE, 2, 1, numbers);
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(read_back(&trace), CAROM_OK);
    assert_string_equal(trace.position.names[1], "y");
    assert_null(trace.velocity.names);
    assert_null(trace.shapes);
    assert_int_equal(trace.parameter_count, 2);
    carom_trace_destroy(&trace);
    file = begin_trace();
    dataset(file, "scene/parameters", type, 2, 1, variable);
    dataset(file, "scene/values", H5T_NATIVE_DOUBLE, 1, 1, numbers);
    expect_refused(file);
    H5Tclose(type);
}

/* Reading one file reads no other: no links to it, no bytes from it. */
static void test_other_files(void **state)
{
    (void)state;
    hid_t file = begin();
    text(file, "format", "carom-trace");
    H5Lcreate_external("elsewhere.h5", "/t", file, "t", H5P_DEFAULT, H5P_DEFAULT);
    expect_refused(file);
    file = begin();
    text(file, "format", "carom-trace");
    hsize_t size[] = {4, 1};
    hid_t space = H5Screate_simple(2, size, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(create, "/dev/zero", 0, 32);
    hid_t set = H5Dcreate2(file, "t", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Pclose(create);
    H5Sclose(space);
    expect_refused(file);
}

/* The table of a sweep, of a size that wraps to nothing. */
static void test_table(void **state)
{
    (void)state;
    carom_arena *arena;
    carom_table table;
    carom_error error = {0};
    assert_int_equal(carom_arena_create(NULL, &arena, NULL), CAROM_OK);
    hid_t file = begin();
    text(file, "format", "carom-table");
    dataset(file, "table", H5T_NATIVE_DOUBLE, (hsize_t)1 << 61, 8, NULL);
    dataset(file, "status", H5T_NATIVE_INT, (hsize_t)1 << 61, 1, NULL);
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(carom_table_read(path, arena, &table, &error), CAROM_ERROR_FILE);
    carom_arena_destroy(arena);
}

/* Whatever request for memory fails, it is said, and all is given back. */
static void test_memory(void **state)
{
    (void)state;
    const char *variable[] = {"x", "y"};
    hid_t type = text_type(H5T_VARIABLE), file = begin_trace();
    text(file, "title", "a title");
    dataset(file, "names/position", type, 2, 1, variable);
    assert_true(H5Fclose(file) >= 0);
    H5Tclose(type);
    carom_status status = CAROM_ERROR_MEMORY;
    for (int k = 0; status; k++) {
        check_memory memory = {.fail_at = k};
        carom_allocator allocator = {check_memory_resize, &memory};
        carom_trace trace;
        carom_error error = {0};
        status = carom_trace_read(path, &allocator, &trace, &error);
        assert_true(status == CAROM_OK || status == CAROM_ERROR_MEMORY);
        if (!status) {
            assert_string_equal(trace.title, "a title");
            carom_trace_destroy(&trace);
        }
        assert_int_equal(memory.live, 0);
    }
}

/* A file that was cut off is one that is damaged, not one of another kind. */
static void test_cut(void **state)
{
    (void)state;
    hid_t file = begin_trace();
    assert_true(H5Fclose(file) >= 0);
    FILE *whole = fopen(path, "rb");
    assert_non_null(whole);
    assert_int_equal(fseek(whole, 0, SEEK_END), 0);
    const long size = ftell(whole);
    fclose(whole);
    for (int k = 9; k >= 0; k--) {
        carom_trace trace;
        carom_error error = {0};
        assert_int_equal(truncate(path, size * k / 10), 0);
        assert_int_equal(carom_trace_read(path, NULL, &trace, &error), CAROM_ERROR_FILE);
        assert_non_null(strstr(error.text, k ? "cut off or damaged" : "not an HDF5 file"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),           cmocka_unit_test(test_attribute_array),
        cmocka_unit_test(test_attribute_kinds), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_short_tables),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_other_files),     cmocka_unit_test(test_table),
        cmocka_unit_test(test_memory),          cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
