/* Checks for tests: doubles with a tolerance, vectors, a reproducible random generator. */
#ifndef CAROM_TESTS_CHECK_H
#define CAROM_TESTS_CHECK_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "carom/base.h"

/* Where two numbers are compared, and how far apart they were at most. With CAROM_ERRORS in the
 * environment a test prints this at its end, so that tolerances can be held against true errors. */
typedef struct check_site {
    const char *file, *what;
    int line;
    double error, tolerance; /* of the comparison that came nearest to its tolerance */
} check_site;

enum { CHECK_SITES = 512 };
static check_site check_sites[CHECK_SITES];
static int check_site_count;

static inline void check_tell(void)
{
    for (int k = 0; k < check_site_count; k++) {
        const check_site *s = &check_sites[k];
        fprintf(stderr, "%s:%d: %s: %.3g of %.3g\n", s->file, s->line, s->what, s->error,
                s->tolerance);
    }
}

/* Asked once; the list is told at the end. */
static inline bool check_is_told(void)
{
    static _Atomic int told = -1;
    if (told < 0) {
        told = getenv("CAROM_ERRORS") != NULL;
        if (told)
            atexit(check_tell);
    }
    return told;
}

static inline void check_keep(const char *file, int line, const char *what, double error,
                              double tolerance)
{
    int k = 0;
    while (k < check_site_count &&
           (check_sites[k].line != line || strcmp(check_sites[k].file, file) != 0))
        k++;
    check_site *s = &check_sites[k];
    if (k == CHECK_SITES)
        return;
    if (k == check_site_count) {
        *s = (check_site){file, what, line, error, tolerance};
        check_site_count++;
    } else if (error * s->tolerance > s->error * tolerance) {
        s->error = error;
        s->tolerance = tolerance;
    }
}

/* |a - b| <= tolerance, and neither is NaN. */
#define check_close(a, b, tolerance) check_close_at((a), (b), (tolerance), #a, __FILE__, __LINE__)

static inline void check_close_at(double a, double b, double tolerance, const char *what,
                                  const char *file, int line)
{
    if (check_is_told())
        check_keep(file, line, what, fabs(a - b), tolerance);
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s: %.17g, expected %.17g within %g, off by %g\n", what, a, b, tolerance,
                    fabs(a - b));
        _fail(file, line);
    }
}

/* The scale of rounding: what a few dozen operations leave of numbers of size 1, times the
 * condition of what is computed. Tolerances that are not stated by a contract are this, with a
 * condition that the test knows. */
#define CHECK_ROUNDING(condition) (64 * DBL_EPSILON * (condition))

/* a is b but for rounding: relative to the larger of both, times the condition. */
#define check_near(a, b, condition) check_near_at((a), (b), (condition), #a, __FILE__, __LINE__)

static inline void check_near_at(double a, double b, double condition, const char *what,
                                 const char *file, int line)
{
    check_close_at(a, b, CHECK_ROUNDING(condition) * fmax(fabs(a), fabs(b)), what, file, line);
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
