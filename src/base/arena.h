/* The arena from inside the library: typed takes with overflow checks, scratch scopes. */
#ifndef CAROM_SRC_BASE_ARENA_H
#define CAROM_SRC_BASE_ARENA_H

#include "carom/base.h"

/* count objects of the given size; NULL when there is no memory or count*size overflows. A count of
 * zero gives a valid pointer. */
void *carom_arena_array(carom_arena *arena, size_t count, size_t size);

/* The same, filled with zero bytes. */
void *carom_arena_zeros(carom_arena *arena, size_t count, size_t size);

/* count doubles, not initialised. */
double *carom_arena_doubles(carom_arena *arena, size_t count);

/* A copy of a string, NULL when there is no memory. */
char *carom_arena_text(carom_arena *arena, const char *text, size_t length);

/* The allocator the arena was made with, for owners that make further arenas. */
const carom_allocator *carom_arena_allocator(const carom_arena *arena);

/* The one way to report that an allocation failed. */
carom_status carom_error_memory(carom_error *error);

#endif
