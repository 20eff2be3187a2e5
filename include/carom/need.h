/* Refusing NULL where something is needed, by the name of the argument: for the library's own calls
 * and for laws, systems and observers of one's own.
 *
 *     carom_status carom_impact_derive(..., carom_error *error)
 *     {
 *         CAROM_NEED(error, impact, arena, geometry);
 *
 * returns CAROM_ERROR_ARGUMENT with "carom_impact_derive: arena is NULL". Members of what was named
 * before may follow, as in CAROM_NEED(error, geometry, geometry->impact). At most eight. */
#ifndef CAROM_NEED_H
#define CAROM_NEED_H

#include "carom/base.h"

/* The text of the first argument that is NULL, or NULL. */
#define CAROM_NEED_1(a)      (!(a) ? #a : NULL)
#define CAROM_NEED_2(a, ...) (!(a) ? #a : CAROM_NEED_1(__VA_ARGS__))
#define CAROM_NEED_3(a, ...) (!(a) ? #a : CAROM_NEED_2(__VA_ARGS__))
#define CAROM_NEED_4(a, ...) (!(a) ? #a : CAROM_NEED_3(__VA_ARGS__))
#define CAROM_NEED_5(a, ...) (!(a) ? #a : CAROM_NEED_4(__VA_ARGS__))
#define CAROM_NEED_6(a, ...) (!(a) ? #a : CAROM_NEED_5(__VA_ARGS__))
#define CAROM_NEED_7(a, ...) (!(a) ? #a : CAROM_NEED_6(__VA_ARGS__))
#define CAROM_NEED_8(a, ...) (!(a) ? #a : CAROM_NEED_7(__VA_ARGS__))

#define CAROM_NEED_CHOOSE(a, b, c, d, e, f, g, h, which, ...) which
#define CAROM_NEED_FIRST(...)                                                                      \
    CAROM_NEED_CHOOSE(__VA_ARGS__, CAROM_NEED_8, CAROM_NEED_7, CAROM_NEED_6, CAROM_NEED_5,         \
                      CAROM_NEED_4, CAROM_NEED_3, CAROM_NEED_2, CAROM_NEED_1, )                    \
    (__VA_ARGS__)

#define CAROM_NEED(error, ...)                                                                     \
    do {                                                                                           \
        const char *missing_ = CAROM_NEED_FIRST(__VA_ARGS__);                                      \
        if (missing_)                                                                              \
            return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%s: %s is NULL", __func__,        \
                                   missing_);                                                      \
    } while (0)

/* A list of so many entries that is not there, or a number of entries below zero. */
#define CAROM_NEED_LIST(error, count, list)                                                        \
    do {                                                                                           \
        if ((count) < 0 || ((count) > 0 && !(list)))                                               \
            return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%s is %d, and %s is %s", #count,  \
                                   (int)(count), #list, (list) ? "given" : "NULL");                \
    } while (0)

/* The same in a function that returns no status: the answer given, empty where there is none. */
#define CAROM_NEED_OR(answer, ...)                                                                 \
    do {                                                                                           \
        if (CAROM_NEED_FIRST(__VA_ARGS__))                                                         \
            return answer;                                                                         \
    } while (0)

#endif
