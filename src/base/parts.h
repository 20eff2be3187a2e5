/* Work space by reservation: all arrays that an object or a computation needs, in one piece that is
 * asked for once, with one thing that can fail. */
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

/* An object in an arena of its own, to which its first member, a carom_arena *, points: `size`
 * bytes, otherwise zero. object: address of the pointer to be set. carom_arena_destroy of that
 * member takes both away. */
carom_status carom_arena_object(const carom_allocator *allocator, size_t size, void *object,
                                carom_error *error);

#endif
