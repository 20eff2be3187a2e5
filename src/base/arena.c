/* Arenas: memory taken piece by piece and given back all at once. In builds with the address
 * sanitizer everything that is not taken is poisoned, and a red zone lies between two pieces, so
 * that a step beyond a piece, or into one that was given back, is seen as it would be with malloc.
 */
#include "base/apart.h"
#include "base/parts.h"
#include "carom/need.h"

#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif

#ifdef WATCHED
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = 64 };
#define FORBID(start, size) ASAN_POISON_MEMORY_REGION(start, size)
#define ALLOW(start, size)  ASAN_UNPOISON_MEMORY_REGION(start, size)
#else
enum { RED_ZONE = 0 };
#define FORBID(start, size) ((void)(start), (void)(size))
#define ALLOW(start, size)  ((void)(start), (void)(size))
#endif

/* Chunks form a list; `current` is the one being filled, chunks after it are empty and kept. */
typedef struct chunk {
    struct chunk *next;
    size_t size; /* bytes after this header */
    size_t used;
    size_t from, reserved; /* the reservation: where it begins and ends; watched builds check it */
} chunk;

struct carom_arena {
    carom_allocator allocator;
    chunk *first, *current;
};

/* Chunks double until LAST_DOUBLED: beyond it some numbers more than a large matrix would ask for
 * twice the matrix. */
enum { ALIGNMENT = 64, FIRST_CHUNK = 1 << 16, LAST_DOUBLED = 1 << 24 };

/* The first aligned byte after the header. */
static char *chunk_data(chunk *c)
{
    uintptr_t start = (uintptr_t)(c + 1);
    return (char *)((start + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

static chunk *chunk_create(carom_allocator *allocator, size_t size)
{
    if (size > SIZE_MAX - sizeof(chunk) - ALIGNMENT)
        return NULL;
    chunk *c = allocator->resize(allocator->self, NULL, sizeof(chunk) + ALIGNMENT + size);
    if (c) {
        c->next = NULL;
        c->size = size;
        c->used = c->from = c->reserved = 0;
        FORBID(chunk_data(c), size);
    }
    return c;
}

carom_status carom_arena_create(const carom_allocator *allocator, carom_arena **arena,
                                carom_error *error)
{
    CAROM_NEED(error, arena);
    carom_allocator a = carom_allocator_given(allocator);
    carom_arena *made = a.resize(a.self, NULL, sizeof *made);
    if (!made)
        return carom_error_memory(error);
    made->allocator = a;
    made->first = made->current = chunk_create(&made->allocator, FIRST_CHUNK);
    if (!made->first) {
        a.resize(a.self, made, 0);
        return carom_error_memory(error);
    }
    *arena = made;
    return CAROM_OK;
}

void carom_arena_destroy(carom_arena *arena)
{
    if (!arena)
        return;
    carom_allocator a = arena->allocator;
    for (chunk *c = arena->first, *next; c; c = next) {
        next = c->next;
        ALLOW(chunk_data(c), c->size);
        a.resize(a.self, c, 0);
    }
    a.resize(a.self, arena, 0);
}

/* Go on to a chunk with room for size bytes: a kept one if it is large enough, else a new one put
 * in front of the kept ones, twice as large as the current while that is not much. */
static bool chunk_advance(carom_arena *arena, size_t size)
{
    chunk *current = arena->current, *next = current->next;
    if (!next || next->size < size) {
        const size_t doubled = current->size < LAST_DOUBLED ? 2 * current->size : LAST_DOUBLED;
        chunk *made = chunk_create(&arena->allocator, size > doubled ? size : doubled);
        if (!made && size < doubled)
            made = chunk_create(&arena->allocator, size);
        if (!made)
            return false;
        made->next = next;
        current->next = made;
        next = made;
    }
    next->used = next->from = next->reserved = 0;
    arena->current = next;
    return true;
}

/* What a piece of so many bytes takes, so that the next one begins where any type may. */
static inline size_t room_for(size_t size)
{
    return ((size + 15) & ~(size_t)15) + RED_ZONE;
}

/* From a chunk that has room. */
static inline void *take_from(chunk *c, size_t size)
{
    void *memory = chunk_data(c) + c->used;
    c->used += room_for(size);
    ALLOW(memory, size);
    return memory;
}

/* Where the current chunk has none. */
CAROM_APART static void *take_beyond(carom_arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT - RED_ZONE || !chunk_advance(arena, room_for(size)))
        return NULL;
    return take_from(arena->current, size);
}

/* Inlined into the typed takes below, which are called several times for every small impact. */
static inline void *take(carom_arena *arena, size_t size)
{
    chunk *c = arena->current;
    const size_t left = c->size - c->used;
    return size <= left && room_for(size) <= left ? take_from(c, size) : take_beyond(arena, size);
}

/* Is count times size more than any number? Mostly told without a division. */
static inline bool overflows(size_t count, size_t size)
{
    return (count | size) >> (4 * sizeof size) != 0 && size && count > SIZE_MAX / size;
}

void *carom_arena_take(carom_arena *arena, size_t size)
{
    CAROM_NEED_OR(NULL, arena);
    return take(arena, size);
}

carom_mark carom_arena_mark(const carom_arena *arena)
{
    CAROM_NEED_OR(((carom_mark){0}), arena);
    return (carom_mark){arena->current, arena->current->used};
}

/* Go back to a place; what lies after it is no longer anybody's. */
static void go_back(carom_arena *arena, chunk *to, size_t used)
{
#ifdef WATCHED
    for (chunk *c = to; c; c = c->next) {
        FORBID(chunk_data(c) + (c == to ? used : 0), c->size - (c == to ? used : 0));
        if (c == arena->current)
            break;
    }
#endif
    arena->current = to;
    to->used = used;
    if (used < to->from)
        to->from = to->reserved = 0;
}

void carom_arena_rewind(carom_arena *arena, carom_mark mark)
{
    CAROM_NEED_OR(, arena, mark.chunk);
    go_back(arena, mark.chunk, mark.used);
}

void carom_arena_reset(carom_arena *arena)
{
    CAROM_NEED_OR(, arena);
    go_back(arena, arena->first, 0);
}

void *carom_arena_array(carom_arena *arena, size_t count, size_t size)
{
    CAROM_NEED_OR(NULL, arena);
    return overflows(count, size) ? NULL : take(arena, count * size);
}

void *carom_arena_zeros(carom_arena *arena, size_t count, size_t size)
{
    CAROM_NEED_OR(NULL, arena);
    void *memory = carom_arena_array(arena, count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

double *carom_arena_doubles(carom_arena *arena, size_t count)
{
    CAROM_NEED_OR(NULL, arena);
    return count > SIZE_MAX / sizeof(double) ? NULL : take(arena, count * sizeof(double));
}

/* No machine has so much memory, and the sum of a thousand such sizes is still a number. */
#define BEYOND (SIZE_MAX / 1024)

size_t carom_arena_bytes(size_t count, size_t size)
{
    return size && count > BEYOND / size ? BEYOND : room_for(count * size);
}

carom_status carom_arena_reserve(carom_arena *arena, size_t bytes, carom_error *error)
{
    chunk *c = arena->current;
    if (c->size - c->used < bytes) {
        if (bytes >= BEYOND || !chunk_advance(arena, bytes))
            return carom_error_memory(error);
        c = arena->current;
    }
    if (c->reserved == 0)
        c->from = c->used;
    if (c->used + bytes > c->reserved)
        c->reserved = c->used + bytes;
    return CAROM_OK;
}

void *carom_arena_reserved(carom_arena *arena, size_t count, size_t size)
{
#ifdef WATCHED
    const chunk *c = arena->current;
    if (c->used + room_for(count * size) > c->reserved)
        __builtin_trap();
#endif
    return take(arena, count * size);
}

static carom_status take_one_by_one(carom_arena *arena, const carom_arena_part *parts, size_t count,
                                    carom_error *error)
{
    for (size_t k = 0; k < count; k++) {
        void *memory = carom_arena_zeros(arena, parts[k].count, parts[k].size);
        if (!memory)
            return carom_error_memory(error);
        memcpy(parts[k].array, &memory, sizeof memory);
    }
    return CAROM_OK;
}

static size_t part_size(const carom_arena_part *part)
{
    return room_for(part->count * part->size);
}

carom_status carom_arena_parts(carom_arena *arena, const carom_arena_part *parts, size_t count,
                               carom_error *error)
{
    /* Of numbers with less than half of the digits the sum of 255 products is a number. */
    enum { DIGITS = 4 * sizeof(size_t) - 4, MOST = 255 };
    size_t total = 0, all = 0;
    for (size_t k = 0; k < count; k++) {
        all |= parts[k].count | parts[k].size;
        total += part_size(&parts[k]);
    }
    if (RED_ZONE > 0 || all >> DIGITS || count > MOST)
        return take_one_by_one(arena, parts, count, error);
    char *memory = carom_arena_zeros(arena, total, 1);
    if (!memory)
        return carom_error_memory(error);
    for (size_t k = 0; k < count; k++) {
        memcpy(parts[k].array, &memory, sizeof memory);
        memory += part_size(&parts[k]);
    }
    return CAROM_OK;
}

carom_status carom_arena_object(const carom_allocator *allocator, size_t size, void *object,
                                carom_error *error)
{
    carom_arena *arena;
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    carom_arena **made = carom_arena_zeros(arena, 1, size);
    if (!made) {
        carom_arena_destroy(arena);
        return carom_error_memory(error);
    }
    *made = arena;
    memcpy(object, &made, sizeof made);
    return CAROM_OK;
}

char *carom_arena_text(carom_arena *arena, const char *text, size_t length)
{
    CAROM_NEED_OR(NULL, arena, text);
    char *copy = carom_arena_array(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

const carom_allocator *carom_arena_allocator(const carom_arena *arena)
{
    CAROM_NEED_OR(NULL, arena);
    return &arena->allocator;
}
