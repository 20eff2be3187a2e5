/* Families of random problems with an independent reference. The same code serves `./dev test`,
 * with the seed and the number of members written in the test, and `./dev audit [SEED]`, which
 * takes another seed and many times as many members:
 *
 *     family f = family_start("poisson, mass ratios", 1, 500);
 *     while (family_next(&f)) {
 *         ... draw a problem from &f.random, solve it, compare with the reference ...
 *         family_check(&f, error <= 1e-9, "u+ off by %g", error);
 *     }
 *     family_end(&f);
 *
 * A member draws from its own generator, so that CAROM_AUDIT_MEMBER=K runs the K-th one alone.
 * CAROM_AUDIT_SEED (0: the seeds of the tests) and CAROM_AUDIT_TIMES set what `./dev audit` sets.
 */
#ifndef CAROM_TESTS_FAMILY_H
#define CAROM_TESTS_FAMILY_H

#include "check.h"

#include <stdlib.h>

typedef struct family {
    const char *name;
    uint64_t seed;
    int members, member; /* member: the one at work, from 0 */
    int only;            /* the only one asked for, -1: all */
    int disagreements;
    bool disagrees; /* the member at work does */
    check_random random;
} family;

static inline long long family_setting(const char *name, long long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoll(text, NULL, 10) : otherwise;
}

static inline family family_start(const char *name, uint64_t seed, int members)
{
    family f = {.name = name, .seed = seed, .members = members, .member = -1};
    f.seed += 1000003u * (uint64_t)family_setting("CAROM_AUDIT_SEED", 0);
    f.members *= (int)family_setting("CAROM_AUDIT_TIMES", 1);
    f.only = (int)family_setting("CAROM_AUDIT_MEMBER", -1);
    return f;
}

/* The next member, with a generator of its own: splitmix64 of seed and number. */
static inline bool family_next(family *f)
{
    f->member = f->only >= 0 && f->member < 0 ? f->only : f->member + 1;
    if (f->only >= 0 ? f->member != f->only : f->member >= f->members)
        return false;
    uint64_t x = (f->seed << 32) + (uint64_t)f->member + 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    f->random.state = x ^ (x >> 31);
    f->disagrees = false;
    return true;
}

/* Count this member as one that disagrees, with the reason; several reasons count once. */
static inline void family_disagree(family *f, const char *format, ...) CAROM_PRINTF(2, 3);
static inline void family_disagree(family *f, const char *format, ...)
{
    enum { SHOWN = 20 };
    f->disagreements += !f->disagrees;
    f->disagrees = true;
    if (f->disagreements > SHOWN)
        return;
    char text[900];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("audit: %s: member %d: %s\n", f->name, f->member, text);
}

#define family_check(f, condition, ...)                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            family_disagree((f), __VA_ARGS__);                                                     \
    } while (0)

/* The count, in the form that `./dev audit` adds up. A test with disagreements fails; an audit goes
 * on to the families after this one, for it has the count. */
static inline void family_end(family *f)
{
    printf("audit: %s: %d members, %d disagree\n", f->name, f->only >= 0 ? 1 : f->members,
           f->disagreements);
    fflush(stdout);
    if (f->disagreements && !getenv("CAROM_AUDIT_SEED"))
        _fail(f->name, f->member);
}

#endif
