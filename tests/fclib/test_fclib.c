/* Files of friction problems: every storage of the text format, what is refused and where, FCLIB
 * written and read back. */
#include "carom/fclib.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

CHECK_ARENA(arena);

static carom_status read_text(const char *text, carom_fclib *file, carom_error *error)
{
    carom_arena_reset(arena);
    memset(error, 0, sizeof *error);
    return carom_fclib_read_text(text, strlen(text), arena, file, error);
}

/* One contact of two rows, W = [2 1; 0 3], q = (-1, 0.5), mu 0.3, in every storage. */
static const char *const same[] = {
    "2 1 0 2 2 2 2 2 0 1 3 -1 0.5 0.3", "2 1\n1 2 2\n1 1 1 2 2 2 1 0 1 0 0 2 0 1 3\n-1 0.5 0.3 17",
    "2 1 2 2 2 2\nCSparse Version 1\n2-by-2, nzmax: 4 nnz: 3, 1-norm: 4\n    col 0 : locations 0 "
    "to 0\n"
    "      0 : 2\n    col 1 : locations 1 to 2\n      1 : 3\n      0 : 1\n-1 .5\n3e-1\n",
    "2 1 2 2 2 3\nany words\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n row 0 : locations 0 to 1\n"
    " 0 : 2\n 1 : 1\n row 1 : locations 2 to 2\n 1 : 3\n -1 0.5 0.3",
    "2 1 2 2 2 1\nany words\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n 1 1 : 3\n 0 0 : 2\n 0 1 : 1\n-1 "
    "0.5 0.3"};

static void storages_agree(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        carom_fclib file;
        carom_error error;
        check_ok(read_text(same[k], &file, &error), &error);
        assert_int_equal(file.problem.contacts, 1);
        assert_int_equal(file.problem.dimension, 2);
        assert_false(file.global);
        double r[2] = {1, 10}, u[2];
        check_ok(carom_friction_problem_velocity(&file.problem, r, arena, u, NULL, &error), &error);
        check_close(u[0], 2 + 10 - 1, 0);
        check_close(u[1], 30 + 0.5, 0);
        check_close(file.problem.mu[0], 0.3, 0);
    }
}

/* M v = q + H r, u = H'v + b; the bodies are the connected parts of M. */
static void global_text(void **state)
{
    (void)state;
    const char *text =
        "2 1 0 4 4 4 4  2 0 0 1  0 5 0 0  0 0 4 0  1 0 0 2 " /* M, column by column */
        "0 4 2 4 2  1 0 0 0  0 1 -1 0 "                      /* H */
        "1 2 3 4 0.1 0.2 0.5 1";
    carom_fclib file;
    carom_error error;
    check_ok(read_text(text, &file, &error), &error);
    assert_true(file.global);
    assert_int_equal(file.problem.bodies.count, 3);
    double r[2] = {0.5, -2}, u[2], v[4];
    check_ok(carom_friction_problem_velocity(&file.problem, r, arena, u, v, &error), &error);
    /* rows 0 and 3: [2 1; 1 2] (a, d) = (1.5, 4); row 1: 5 b = 0; row 2: 4 c = 5 */
    double a = (2 * 1.5 - 4) / 3, c = (3 + 2) / 4.0;
    check_close(u[0], a + 0.1, 1e-15);
    check_close(u[1], 0 - c + 0.2, 1e-15);
}

/* What is wrong, and the line and column or the words that must be told. */
static void bad_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
        int line;
    } bad[] = {
        {"", "ends where the dimension", 1},
        {"4 1", "dimension is 4", 1},
        {"2 x", "'x' is not a number", 1},
        {"2 1 0 2 2 2 2 2 0 1 "
         "1.0000000000000000000000000000000000000000000000000000000000000000000 -1 0.5 0.3",
         "is not a number", 1},
        {"2 -1", "number of contacts is -1", 1},
        {"2 1\n7", "storage of a matrix is 7", 2},
        {"2 1 0 2 2 2 2 2 0 1 nan -1 0.5 0.3", "'nan' is not a number", 1},
        {"2 1 0 2 2 2 2 2 0 1 1e999 -1 0.5 0.3", "not finite", 1},
        {"2 1 0 2 2 2 2 2 0 1 3 -1 0.5 -0.3", "contact 0 is -0.3", 0},
        {"2 1 0 2 2 2 2 2 0 1 3 -1 0.5", "coefficient of friction", 1},
        {"2 1 0 2 2 2 2 2 0 1 -3 -1 0.5 0.3", "row 1, column 1 is -3", 0},
        {"2 1 0 4 4 4 4 2 0 0 1 0 -5 0 0 0 0 4 0 1 0 0 2 "
         "0 4 2 4 2 1 0 0 0 0 1 -1 0 1 2 3 4 0.1 0.2 0.5 1",
         "M: row 1 has the mass -5; it should be positive", 0},
        {"2 1 0 4 4 4 4 2 0 0 3 0 5 0 0 0 0 4 0 3 0 0 2 "
         "0 4 2 4 2 1 0 0 0 0 1 -1 0 1 2 3 4 0.1 0.2 0.5 1",
         "M: row 3 has the mass 2 and is not positive definite", 0},
        {"2 2 0 2 2 2 2 2 0 1 3 -1 0.5 0.3", "2 contacts of dimension 2 have 4", 1},
        {"2 1 0 2 3 2 3 2 0 1 3 1 1 -1 0.5 0.3", "should be square", 1},
        {"2 1 0 30000 30000 30000 30000 1 2 3", "too short", 1},
        {"3 700000000 0 2100000000 2100000000 2100000000 2100000000 1", "too short", 1},
        {"2 1 1 2 2 1 1 1 3 2 2 1 0 1 0 0 2 0 1 3 -1 0.5 0.3", "row end of the blocks is 3", 1},
        {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 5 0 2 0 1 3 -1 0.5 0.3", "block column is 5", 1},
        {"2 1 1 2 2 2000000000 1 1 2 2 2 2000000000 0 2000000000 0", "too short", 1},
        {"2 1 2 2 2 1\nx\ntriplet: nnz: 2\n0 0 : 1\n0 0 : 2\n-1 0.5 0.3", "is there twice", 0},
        {"2 1 2 2 2 1\nx\ntriplet: nnz: 1\n0 9 : 1\n-1 0.5 0.3", "column index is 9", 4},
        {"2 1 2 2 2 2\nx\nno header\n", "nnz", 3},
        {"2 1 2 2 2 2\nx\nnnz: 2000000000\n", "too short", 3},
        {"2 1 2 2 2 2\nx\nnnz: 1\ncol 0 : locations 0 to 9\n", "last location is 9", 4},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        carom_fclib file;
        carom_error error;
        carom_status status = read_text(bad[k].text, &file, &error);
        if (status == CAROM_OK || !strstr(error.text, bad[k].said))
            print_error("%zu: \"%s\", expected \"%s\"\n", k, error.text, bad[k].said);
        assert_true(status == CAROM_ERROR_INPUT || status == CAROM_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, bad[k].said));
        assert_true(bad[k].line == 0 || error.line >= bad[k].line);
    }
    carom_fclib file;
    static const char zero[] = "2 1\0 0 2 2 2 2 2 0 1 3 -1 0.5 0.3";
    carom_error error;
    assert_int_equal(carom_fclib_read_text(zero, sizeof zero - 1, arena, &file, &error),
                     CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "'1' is not a number"));
}

/* It is read, or refused with a reason. */
static void read_any(const char *text, size_t length)
{
    carom_fclib file;
    carom_error error = {0};
    carom_arena_reset(arena);
    carom_status status = carom_fclib_read_text(text, length, arena, &file, &error);
    assert_true(status == CAROM_OK || (status < 0 && error.text[0]));
}

/* Every beginning of a file, and every byte replaced: an answer or a message, nothing worse. */
static void damaged_texts(void **state)
{
    (void)state;
    static const char bytes[] = " 0-9.x\n:\377";
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        size_t length = strlen(same[k]);
        char *copy = malloc(length + 1);
        for (size_t cut = 0; cut <= length; cut++) {
            memcpy(copy, same[k], length);
            char *exact = malloc(cut ? cut : 1); /* so that reading beyond the end is seen */
            memcpy(exact, same[k], cut);
            read_any(exact, cut);
            free(exact);
            for (size_t b = 0; cut < length && b + 1 < sizeof bytes; b++) {
                copy[cut] = bytes[b];
                read_any(copy, length);
            }
        }
        free(copy);
    }
}

/* ---- HDF5 --------------------------------------------------------------------------------- */

static char folder[] = "/tmp/carom-fclib-XXXXXX";
static char path[64];

static int open_folder(void **state)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/problem.hdf5", folder);
    return arena_open(state);
}

static int close_folder(void **state)
{
    remove(path);
    rmdir(folder);
    return arena_close(state);
}

/* Velocities of random reactions are those of the problem that was written. */
static void check_same(const carom_fclib *a, const carom_fclib *b)
{
    size_t n = (size_t)carom_friction_problem_rows(&a->problem);
    double *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u), *v = calloc(n, sizeof *v);
    check_random random = {9};
    assert_int_equal(carom_friction_problem_rows(&b->problem), n);
    for (size_t k = 0; k < n; k++)
        r[k] = check_random_in(&random, -1, 1);
    check_ok(carom_friction_problem_velocity(&a->problem, r, arena, u, NULL, NULL), NULL);
    check_ok(carom_friction_problem_velocity(&b->problem, r, arena, v, NULL, NULL), NULL);
    check_vector(v, u, (int)n, 1e-12);
    free(r);
    free(u);
    free(v);
}

static void written_and_read(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        carom_fclib file, back;
        carom_error error = {0};
        check_ok(read_text(same[k], &file, &error), &error);
        file.title = "a title";
        double r[2] = {0.5, 0.15};
        check_ok(carom_fclib_write(path, true, &file, r, arena, &error), &error);
        assert_int_equal(carom_fclib_write(path, false, &file, r, arena, &error),
                         CAROM_ERROR_ARGUMENT);
        check_ok(carom_fclib_read(path, arena, &back, &error), &error);
        assert_string_equal(back.title, "a title");
        assert_non_null(back.reaction);
        check_vector(back.reaction, r, 2, 0);
        check_same(&file, &back);
    }
    assert_int_equal(
        carom_fclib_write("/nowhere/at/all.hdf5", false,
                          &(carom_fclib){.title = "", .description = "", .math_info = ""}, NULL,
                          arena, NULL),
        CAROM_ERROR_OUTPUT);
}

/* A global problem whose degrees of freedom are not in the order of the bodies. */
static void global_written_and_read(void **state)
{
    (void)state;
    const char *text =
        "2 1 0 4 4 4 4  2 0 0 1  0 5 0 0  0 0 4 0  1 0 0 2 0 4 2 4 2  1 0 0 0  0 1 -1 0 "
        "1 2 3 4 0.1 0.2 0.5 1";
    carom_fclib file, back;
    carom_error error;
    double r[2] = {0.1, 0.2};
    check_ok(read_text(text, &file, &error), &error);
    check_ok(carom_fclib_write(path, true, &file, r, arena, &error), &error);
    check_ok(carom_fclib_read(path, arena, &back, &error), &error);
    assert_true(back.global);
    assert_int_equal(back.dof, 4);
    check_same(&file, &back);
}

/* Damaged HDF5: cut short, or nothing but the signature. Bytes changed at random are left to the
 * fuzz target: the HDF5 library itself is not proof against them. */
static void damaged_files(void **state)
{
    (void)state;
    carom_fclib file;
    carom_error error;
    check_ok(read_text(same[0], &file, &error), &error);
    check_ok(carom_fclib_write(path, true, &file, NULL, arena, &error), &error);
    FILE *in = fopen(path, "rb");
    char *bytes = malloc(1 << 16);
    size_t length = fread(bytes, 1, 1 << 16, in);
    fclose(in);
    for (size_t cut = 0; cut < length; cut += 1 + length / 50) {
        FILE *out = fopen(path, "wb");
        fwrite(bytes, 1, cut, out);
        fclose(out);
        carom_arena_reset(arena);
        assert_true(carom_fclib_read(path, arena, &file, &error) < 0);
        assert_true(error.text[0] != '\0');
    }
    free(bytes);
    assert_int_equal(carom_fclib_read("/nowhere.dat", arena, &file, &error), CAROM_ERROR_FILE);
    assert_int_equal(carom_fclib_read(folder, arena, &file, &error), CAROM_ERROR_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storages_agree),   cmocka_unit_test(global_text),
        cmocka_unit_test(bad_texts),        cmocka_unit_test(damaged_texts),
        cmocka_unit_test(written_and_read), cmocka_unit_test(global_written_and_read),
        cmocka_unit_test(damaged_files)};
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
