/* Derivatives from one side, of functions whose sides are known: kinks, jumps, roots, and the same
 * on both sides. */
#include "carom/orbit.h"
#include "check.h"

#include <math.h>

enum { COUNT = 4 };

/* A kink of exp and sin, a jump at 0, a root that grows without bound on the right, a line. */
static carom_status at(void *self, double s, double *values, double *derivatives, bool *exists,
                       carom_error *error)
{
    const bool *known = self;
    (void)error;
    values[0] = s < 0 ? exp(2 * s) : 1 + sin(3 * s);
    derivatives[0] = s < 0 ? 2 * exp(2 * s) : 3 * cos(3 * s);
    values[1] = s < 0 ? s : 1 + s;
    derivatives[1] = 1;
    values[2] = s < 0 ? s * s : 1e-3 * sqrt(s);
    derivatives[2] = s < 0 ? 2 * s : 0.5e-3 / sqrt(s);
    values[3] = 5 + 7 * s;
    derivatives[3] = 7;
    *exists = *known;
    return CAROM_OK;
}

static void check_sides(bool known, double accuracy)
{
    carom_arena *arena;
    carom_error error = {0};
    double left[COUNT], right[COUNT];
    const double here[COUNT] = {1, 0, 0, 5};
    bool same = true;
    const carom_orbit_neighbours n = {
        .self = &known, .count = COUNT, .scale = 1, .here = here, .at = at};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_orbit_one_sided(&n, arena, left, right, &same, &error), &error);
    check_close(left[0], 2, accuracy);
    check_close(right[0], 3, accuracy);
    check_close(left[1], 1, accuracy);
    assert_true(isnan(right[1]));
    check_close(left[2], 0, accuracy);
    assert_true(right[2] == INFINITY);
    check_close(left[3], 7, accuracy);
    check_close(right[3], 7, accuracy);
    assert_false(same);
    carom_arena_destroy(arena);
}

static void test_sides(void **unused)
{
    (void)unused;
    check_sides(true, 1e-12);
    check_sides(false, 1e-7); /* quotients lose half the digits */
}

/* A step that motions take below their resolution: nearer neighbours lie on a branch that is not
 * the one of the limit, smoothly, and farther ones nearly agreed on the other. */
static carom_status below(void *self, double s, double *values, double *derivatives, bool *exists,
                          carom_error *error)
{
    (void)self;
    (void)error;
    const bool near = s > 0 && s < 1e-6;
    derivatives[0] = s < 0 ? 1 : near ? -1 : 2 + 1e-3 * sin(60 * log(s)) * s;
    values[0] = derivatives[0] * s;
    *exists = true;
    return CAROM_OK;
}

static void test_below_resolution(void **unused)
{
    (void)unused;
    carom_arena *arena;
    carom_error error = {0};
    double left, right;
    const double here = 0;
    bool same = true;
    const carom_orbit_neighbours n = {.count = 1, .scale = 1, .here = &here, .at = below};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_orbit_one_sided(&n, arena, &left, &right, &same, &error), &error);
    check_close(left, 1, 1e-12);
    assert_true(isnan(right));
    assert_false(same);
    carom_arena_destroy(arena);
}

/* One finite side and an infinite one are not the same. */
static carom_status root(void *self, double s, double *values, double *derivatives, bool *exists,
                         carom_error *error)
{
    (void)self, (void)error;
    values[0] = s < 0 ? s : sqrt(s);
    derivatives[0] = s < 0 ? 1 : 0.5 / sqrt(s);
    *exists = true;
    return CAROM_OK;
}

/* The last function alone. */
static carom_status line(void *self, double s, double *values, double *derivatives, bool *exists,
                         carom_error *error)
{
    double all[COUNT], slopes[COUNT];
    const bool known = true;
    (void)self;
    if (s > 5e-4) /* no motion there: nearer ones are asked */
        return CAROM_STOPPED;
    const carom_status status = at((void *)&known, s, all, slopes, exists, error);
    values[0] = all[3];
    derivatives[0] = slopes[3];
    return status;
}

static void test_same(void **unused)
{
    (void)unused;
    carom_arena *arena;
    carom_error error = {0};
    double left, right;
    const double here = 5;
    bool same = false;
    const carom_orbit_neighbours n = {.count = 1, .scale = 1, .here = &here, .at = line};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_orbit_one_sided(&n, arena, &left, &right, &same, &error), &error);
    assert_true(same && left == 7 && right == 7);
    const double zero = 0;
    const carom_orbit_neighbours roots = {.count = 1, .scale = 1, .here = &zero, .at = root};
    check_ok(carom_orbit_one_sided(&roots, arena, &left, &right, &same, &error), &error);
    check_close(left, 1, 1e-12);
    assert_true(right == INFINITY && !same);
    carom_arena_destroy(arena);
}

/* What comes back with every halving has no limit; what goes like a root has one; a derivative that
 * is zero is told. */
static carom_status limits(void *self, double s, double *values, double *derivatives, bool *exists,
                           carom_error *error)
{
    (void)self, (void)error;
    const double turn = 2 * CAROM_PI, phase = turn * log2(fabs(s)), w = turn / log(2);
    values[0] = s * sin(phase);
    derivatives[0] = sin(phase) + w * cos(phase);
    values[1] = 2 * s + s * sqrt(fabs(s));
    derivatives[1] = 2 + 1.5 * sqrt(fabs(s));
    values[2] = 1 + s * s;
    derivatives[2] = 2 * s;
    *exists = true;
    return CAROM_OK;
}

static void test_limits(void **unused)
{
    (void)unused;
    carom_arena *arena;
    carom_error error = {0};
    double left[3], right[3];
    const double here[3] = {0, 0, 1};
    bool same = true;
    const carom_orbit_neighbours n = {.count = 3, .scale = 1, .here = here, .at = limits};
    check_ok(carom_arena_create(NULL, &arena, &error), &error);
    check_ok(carom_orbit_one_sided(&n, arena, left, right, &same, &error), &error);
    assert_true(isnan(left[0]) && isnan(right[0]) && !same);
    check_close(left[1], 2, 1e-9);
    check_close(right[1], 2, 1e-9);
    check_close(left[2], 0, 1e-12);
    check_close(right[2], 0, 1e-12);
    carom_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sides),
                                       cmocka_unit_test(test_below_resolution),
                                       cmocka_unit_test(test_same), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
