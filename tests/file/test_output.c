/* Files written aside: the old one or the new one, and nobody else's. */
#include "check.h"
#include "file/output.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "carom-output-XXXXXX", before[4096];

/* Every test works in a folder of its own. */
static int enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "carom-output-XXXXXX");
    return !getcwd(before, sizeof before) || !mkdtemp(folder) || chdir(folder) != 0;
}

static int leave(void **state)
{
    (void)state;
    (void)!system("rm -rf ./* ./.[!.]*");
    return chdir(before) != 0 || rmdir(folder) != 0;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void check_holds(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static int entries(void)
{
    FILE *list = popen("ls -A | wc -l", "r");
    int count = -1;
    assert_int_equal(fscanf(list, "%d", &count), 1);
    pclose(list);
    return count;
}

/* The old file stays until the new one is finished, and for good when that is discarded. */
static void test_replace(void **state)
{
    (void)state;
    carom_output o;
    carom_error error = {0};
    put("a", "old");
    chmod("a", 0604);
    assert_int_equal(carom_output_open("a", false, &o, &error), CAROM_ERROR_ARGUMENT);
    for (int growing = 0; growing < 2; growing++) {
        check_ok(growing ? carom_output_open_growing("a", true, &o, &error)
                         : carom_output_open("a", true, &o, &error),
                 &error);
        fputs("new", o.stream);
        fflush(o.stream);
        check_holds("a", "old");
        carom_output_discard(&o);
        check_holds("a", "old");
        assert_int_equal(entries(), 1);
    }
    check_ok(carom_output_open("a", true, &o, &error), &error);
    fputs("new", o.stream);
    check_ok(carom_output_finish(&o, &error), &error);
    check_holds("a", "new");
    struct stat found;
    assert_int_equal(stat("a", &found), 0);
    assert_int_equal(found.st_mode & 0777, 0604);
    assert_int_equal(entries(), 1);
}

/* A new file is not there before it is finished, unless it grows; one that came meanwhile stays. */
static void test_new(void **state)
{
    (void)state;
    carom_output o;
    carom_error error = {0};
    check_ok(carom_output_open("a", false, &o, &error), &error);
    fputs("new", o.stream);
    assert_int_not_equal(access("a", F_OK), 0);
    put("a", "somebody's");
    assert_int_equal(carom_output_finish(&o, &error), CAROM_ERROR_ARGUMENT);
    check_holds("a", "somebody's");
    check_ok(carom_output_open_growing("b", false, &o, &error), &error);
    fputs("beginning", o.stream);
    fflush(o.stream);
    check_holds("b", "beginning");
    carom_output_discard(&o);
    check_holds("b", "beginning");
    assert_int_equal(entries(), 2);
}

/* The way of those who open files by name. */
static void test_reserve(void **state)
{
    (void)state;
    char aside[CAROM_OUTPUT_PATH], other[CAROM_OUTPUT_PATH];
    carom_error error = {0};
    check_ok(carom_output_reserve("a", aside, &error), &error);
    check_ok(carom_output_reserve("a", other, &error), &error);
    assert_string_not_equal(aside, other);
    put(aside, "one");
    put(other, "two");
    check_ok(carom_output_place(aside, "a", false, &error), &error);
    assert_int_equal(carom_output_place(other, "a", false, &error), CAROM_ERROR_ARGUMENT);
    check_holds("a", "one");
    check_ok(carom_output_place(other, "a", true, &error), &error);
    check_holds("a", "two");
    assert_int_equal(entries(), 1);
}

static void test_refused(void **state)
{
    (void)state;
    carom_error error = {0};
    carom_output o;
    mkdir("d", 0777);
    static const char *const bad[] = {"d", "", "no/such/a", "d/"};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(carom_output_examine(bad[k], true, &error), CAROM_ERROR_OUTPUT);
        assert_int_equal(carom_output_open(bad[k], true, &o, &error), CAROM_ERROR_OUTPUT);
    }
    char name[6000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(carom_output_open(name, true, &o, &error), CAROM_ERROR_OUTPUT);
    assert_int_equal(carom_output_error(&error, CAROM_ERROR_FILE, "a", "open", ENOMEM),
                     CAROM_ERROR_MEMORY);
    rmdir("d");
    assert_int_equal(entries(), 0);
}

static void test_same(void **state)
{
    (void)state;
    put("a", "");
    mkdir("d", 0777);
    assert_int_equal(symlink("../a", "d/link"), 0);
    assert_int_equal(link("a", "hard"), 0);
    assert_int_equal(symlink("new", "dangling"), 0);
    assert_true(carom_output_same("a", "./d/../a"));
    assert_true(carom_output_same("a", "d/link"));
    assert_true(carom_output_same("a", "hard"));
    assert_true(carom_output_same("new", "d/../new"));
    assert_true(carom_output_same("dangling", "./new"));
    assert_false(carom_output_same("a", "new"));
    assert_false(carom_output_same("new", "d/new"));
    assert_false(carom_output_same("no/new", "d/new"));
}

static void test_special(void **state)
{
    (void)state;
    carom_output o;
    carom_error error = {0};
    assert_true(carom_output_is_special("/dev/null"));
    check_ok(carom_output_open("/dev/null", false, &o, &error), &error);
    fputs("gone", o.stream);
    check_ok(carom_output_finish(&o, &error), &error);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(carom_output_write("/dev/full", false, "x", 1, &error),
                         CAROM_ERROR_OUTPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_replace, enter, leave),
        cmocka_unit_test_setup_teardown(test_new, enter, leave),
        cmocka_unit_test_setup_teardown(test_reserve, enter, leave),
        cmocka_unit_test_setup_teardown(test_refused, enter, leave),
        cmocka_unit_test_setup_teardown(test_same, enter, leave),
        cmocka_unit_test_setup_teardown(test_special, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
