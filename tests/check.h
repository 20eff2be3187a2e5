/* Checks for tests: doubles with a tolerance, vectors, a reproducible random generator. */
#ifndef CAROM_TESTS_CHECK_H
#define CAROM_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "carom/base.h"

/* |a - b| <= tolerance, and neither is NaN. */
#define check_close(a, b, tolerance) check_close_at((a), (b), (tolerance), #a, __FILE__, __LINE__)

static inline void check_close_at(double a, double b, double tolerance, const char *what,
                                  const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s: %.17g, expected %.17g within %g, off by %g\n", what, a, b, tolerance,
                    fabs(a - b));
        _fail(file, line);
    }
}

/* Two vectors, entry by entry. */
#define check_vector(a, b, n, tolerance)                                                           \
    for (int check_i = 0; check_i < (n); check_i++)                                                \
    check_close((a)[check_i], (b)[check_i], tolerance)

/* A call that must succeed; prints the error's text otherwise. */
#define check_ok(call, error) check_ok_at((call), (error), __FILE__, __LINE__)

static inline void check_ok_at(carom_status status, const carom_error *error, const char *file,
                               int line)
{
    if (status != CAROM_OK) {
        print_error("status %d: %s\n", (int)status, error ? error->text : "");
        _fail(file, line);
    }
}

/* An arena shared by the tests of a file, with the set-up and tear-down of their group:
 * CHECK_ARENA(arena); ... cmocka_run_group_tests(tests, arena_open, arena_close). */
#define CHECK_ARENA(name)                                                                          \
    static carom_arena *name;                                                                      \
    static int name##_open(void **state)                                                           \
    {                                                                                              \
        (void)state;                                                                               \
        return carom_arena_create(NULL, &name, NULL);                                              \
    }                                                                                              \
    static int name##_close(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        carom_arena_destroy(name);                                                                 \
        return 0;                                                                                  \
    }                                                                                              \
    static carom_arena *name /* said again for the semicolon */

/* xorshift64*: the same numbers on every machine. */
typedef struct check_random {
    uint64_t state;
} check_random;

static inline uint64_t check_random_bits(check_random *r)
{
    uint64_t x = r->state ? r->state : 0x9E3779B97F4A7C15u;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    r->state = x;
    return x * 0x2545F4914F6CDD1Du;
}

/* Uniform in [low, high). */
static inline double check_random_in(check_random *r, double low, double high)
{
    return low + (high - low) * (double)(check_random_bits(r) >> 11) * 0x1p-53;
}

/* Uniform in 0 ... count - 1. */
static inline int check_random_int(check_random *r, int count)
{
    return (int)(check_random_bits(r) % (uint64_t)count);
}

#endif
