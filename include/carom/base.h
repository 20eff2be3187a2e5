/* Carom: statuses, errors, memory. Every other header includes this one.
 *
 * Conventions of the whole library
 *
 * - Matrices are column-major: entry (i, j) of an n x p matrix A is A[i + j*n].
 *
 * - Units are the caller's, any consistent set; angles are in radians.
 *
 * - Functions return a carom_status: 0 ok, < 0 the caller's or the machine's fault, > 0 ended early
 *   but in good order. Mathematical outcomes ("no solution", "several") are not errors; they are in
 *   the answer.
 *
 * - On error *error (may be NULL) says what is wrong, and what the function would have filled is
 *   not to be used.
 *
 * - A pointer that is needed and NULL is CAROM_ERROR_ARGUMENT with its name. Functions without a
 *   status do nothing then and return 0, false, NaN or NULL.
 *
 * - Statements are plain data: the library borrows their pointers and never frees them. Answers
 *   live in the arena given to the call, until it is rewound, reset or destroyed.
 *
 * - Nothing is printed, nothing is global, nothing exits. Different threads may work at the same
 *   time with arenas, systems and scenes of their own.
 */
#ifndef CAROM_BASE_H
#define CAROM_BASE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define CAROM_API          __attribute__((visibility("default")))
#define CAROM_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define CAROM_API
#define CAROM_PRINTF(a, b)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_VERSION "0.1.0"

/* The number pi, to the last digit of a double. */
#define CAROM_PI 3.14159265358979323846

/* One list: enumerator, value, text. */
#define CAROM_STATUSES(X)                                                                          \
    X(CAROM_OK, 0, "ok")                                                                           \
    X(CAROM_ERROR_ARGUMENT, -1, "invalid argument")                                                \
    X(CAROM_ERROR_MEMORY, -2, "out of memory")                                                     \
    X(CAROM_ERROR_INPUT, -3, "invalid input")                                                      \
    X(CAROM_ERROR_FILE, -4, "input file missing or unreadable")                                    \
    X(CAROM_ERROR_OUTPUT, -5, "output not writable")                                               \
    X(CAROM_ERROR_NUMERIC, -6, "numerical failure")                                                \
    X(CAROM_ERROR_UNSUPPORTED, -7, "not supported")                                                \
    X(CAROM_ERROR_CALLBACK, -8, "a function of the caller failed")                                 \
    X(CAROM_STOPPED, 1, "stopped before the end")

typedef enum carom_status {
#define CAROM_STATUS_ENUMERATOR(name, value, text) name = value,
    CAROM_STATUSES(CAROM_STATUS_ENUMERATOR)
#undef CAROM_STATUS_ENUMERATOR
} carom_status;

/* The text of a status, never NULL. */
CAROM_API const char *carom_status_text(carom_status status);

/* Called now and then by long computations: done in [0, 1]. Returning false stops the work, and
 * what is known by then is the answer. */
typedef struct carom_watch {
    bool (*go_on)(void *self, const char *what, double done);
    void *self;
} carom_watch;

/* What went wrong and where. Plain data, owned by the caller, usable with {0}. */
typedef struct carom_error {
    carom_status status;
    int line;        /* position in the input, counted from 1; 0 when there is none */
    int column;      /* counted from 1, in characters; 0 when there is none */
    char text[1024]; /* one sentence: what is wrong, the value, what is allowed */
} carom_error;

/* Fill *error (may be NULL) and return status, so that one line reports and leaves. */
CAROM_API carom_status carom_error_set(carom_error *error, carom_status status, const char *format,
                                       ...) CAROM_PRINTF(3, 4);

/* The same with a position in the input. */
CAROM_API carom_status carom_error_at(carom_error *error, carom_status status, int line, int column,
                                      const char *format, ...) CAROM_PRINTF(5, 6);

/* The one way to report that an allocation failed. */
CAROM_API carom_status carom_error_memory(carom_error *error);

/* Where memory comes from. resize(self, NULL, size) allocates, resize(self, p, size) grows or
 * shrinks, resize(self, p, 0) frees and returns NULL. It returns NULL when there is no memory. */
typedef struct carom_allocator {
    void *(*resize)(void *self, void *memory, size_t size);
    void *self;
} carom_allocator;

/* The allocator given; the C library's when there is none (NULL, or one without resize). */
CAROM_API carom_allocator carom_allocator_given(const carom_allocator *allocator);

/* Allocate, grow or free by the allocator given, or by the C library's. */
CAROM_API void *carom_allocator_resize(const carom_allocator *allocator, void *memory, size_t size);

/* An arena: memory taken piece by piece and given back all at once. Solvers and laws take their
 * work space and their answers from one; after the first use it does not allocate again. */
typedef struct carom_arena carom_arena;

/* A position in an arena to go back to. */
typedef struct carom_mark {
    void *chunk;
    size_t used;
} carom_mark;

/* Make an empty arena. allocator: NULL means the C library's. It is copied. */
CAROM_API carom_status carom_arena_create(const carom_allocator *allocator, carom_arena **arena,
                                          carom_error *error);

/* Give all memory back to the allocator. NULL is allowed. */
CAROM_API void carom_arena_destroy(carom_arena *arena);

/* size bytes aligned for any type, or NULL when there is no memory. Contents undefined. */
CAROM_API void *carom_arena_take(carom_arena *arena, size_t size);

/* count objects of the given size; NULL when there is no memory or count*size overflows. A count of
 * zero gives a valid pointer. The second fills them with zero bytes. */
CAROM_API void *carom_arena_array(carom_arena *arena, size_t count, size_t size);
CAROM_API void *carom_arena_zeros(carom_arena *arena, size_t count, size_t size);

/* count doubles, not initialised. */
CAROM_API double *carom_arena_doubles(carom_arena *arena, size_t count);

/* A copy of the first `length` bytes of a text, zero-terminated; NULL when there is no memory. */
CAROM_API char *carom_arena_text(carom_arena *arena, const char *text, size_t length);

/* The allocator the arena was made with, for owners that make further arenas. */
CAROM_API const carom_allocator *carom_arena_allocator(const carom_arena *arena);

/* Where the arena is now. */
CAROM_API carom_mark carom_arena_mark(const carom_arena *arena);

/* Give back everything taken after the mark. The memory is kept for the next use. */
CAROM_API void carom_arena_rewind(carom_arena *arena, carom_mark mark);

/* Give back everything. */
CAROM_API void carom_arena_reset(carom_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
