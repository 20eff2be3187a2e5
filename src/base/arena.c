#include "carom/base.h"

#include <stdint.h>
#include <string.h>

/* Chunks form a list; `current` is the one being filled, chunks after it are empty and kept. */
typedef struct chunk {
    struct chunk *next;
    size_t size; /* bytes after this header */
    size_t used;
} chunk;

struct carom_arena {
    carom_allocator allocator;
    chunk *first, *current;
};

enum { ALIGNMENT = 64, FIRST_CHUNK = 1 << 16 };

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
        c->used = 0;
    }
    return c;
}

carom_status carom_arena_create(const carom_allocator *allocator, carom_arena **arena,
                                carom_error *error)
{
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
        a.resize(a.self, c, 0);
    }
    a.resize(a.self, arena, 0);
}

/* Go on to a chunk with room for size bytes: a kept one if it is large enough, else a new one put
 * in front of the kept ones, at least twice as large as the current. */
static bool chunk_advance(carom_arena *arena, size_t size)
{
    chunk *current = arena->current, *next = current->next;
    if (!next || next->size < size) {
        size_t doubled = current->size < SIZE_MAX / 2 ? 2 * current->size : current->size;
        chunk *made = chunk_create(&arena->allocator, size > doubled ? size : doubled);
        if (!made && size < doubled)
            made = chunk_create(&arena->allocator, size);
        if (!made)
            return false;
        made->next = next;
        current->next = made;
        next = made;
    }
    next->used = 0;
    arena->current = next;
    return true;
}

/* Inlined into the typed takes below, which are called several times for every small impact. */
static inline void *take(carom_arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT)
        return NULL;
    size = (size + 15) & ~(size_t)15;
    chunk *c = arena->current;
    if (c->size - c->used < size) {
        if (!chunk_advance(arena, size))
            return NULL;
        c = arena->current;
    }
    void *memory = chunk_data(c) + c->used;
    c->used += size;
    return memory;
}

void *carom_arena_take(carom_arena *arena, size_t size)
{
    return take(arena, size);
}

carom_mark carom_arena_mark(const carom_arena *arena)
{
    return (carom_mark){arena->current, arena->current->used};
}

void carom_arena_rewind(carom_arena *arena, carom_mark mark)
{
    arena->current = mark.chunk;
    arena->current->used = mark.used;
}

void carom_arena_reset(carom_arena *arena)
{
    arena->current = arena->first;
    arena->first->used = 0;
}

void *carom_arena_array(carom_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return take(arena, count * size);
}

void *carom_arena_zeros(carom_arena *arena, size_t count, size_t size)
{
    void *memory = carom_arena_array(arena, count, size);
    if (memory)
        memset(memory, 0, count * size);
    return memory;
}

double *carom_arena_doubles(carom_arena *arena, size_t count)
{
    return count > SIZE_MAX / sizeof(double) ? NULL : take(arena, count * sizeof(double));
}

char *carom_arena_text(carom_arena *arena, const char *text, size_t length)
{
    char *copy = carom_arena_array(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

const carom_allocator *carom_arena_allocator(const carom_arena *arena)
{
    return &arena->allocator;
}
