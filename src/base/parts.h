/* Work space by reservation: all arrays that an object or a computation needs, in one piece that is
 * asked for once, with one thing that can fail.
 *
 * The arrays of an object are its parts (carom_arena_parts). A method whose steps need work space
 * of their own says how many bytes they need at most (`..._bytes`), its caller reserves them, and
 * the steps take them (carom_arena_reserved): from there on nothing can fail, and no step returns a
 * status. Steps give back what they took, so that the next one finds the same reservation. */
#ifndef CAROM_SRC_BASE_PARTS_H
#define CAROM_SRC_BASE_PARTS_H

#include "carom/base.h"

typedef struct carom_arena_part {
    void *array;        /* address of the pointer to be set, which is never NULL afterwards */
    size_t count, size; /* elements, and bytes of one */
} carom_arena_part;

/* All of them, filled with zeros. In builds with the address sanitizer each is a piece of its own,
 * so that a step beyond one of them is seen. */
carom_status carom_arena_parts(carom_arena *arena, const carom_arena_part *parts, size_t count,
                               carom_error *error);

/* Bytes of a reservation that one such array takes; more than there is memory where the product
 * overflows, so that a sum of some of them needs no check. */
size_t carom_arena_bytes(size_t count, size_t size);

/* Make sure that so many bytes can be taken from here on. */
carom_status carom_arena_reserve(carom_arena *arena, size_t bytes, carom_error *error);

/* An array from what is reserved, not initialised: never NULL. In builds with the address sanitizer
 * a step beyond the reservation stops the program. */
void *carom_arena_reserved(carom_arena *arena, size_t count, size_t size);

/* An object in an arena of its own, to which its first member, a carom_arena *, points: `size`
 * bytes, otherwise zero. object: address of the pointer to be set. carom_arena_destroy of that
 * member takes both away. */
carom_status carom_arena_object(const carom_allocator *allocator, size_t size, void *object,
                                carom_error *error);

#endif
