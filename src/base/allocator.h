/* Allocators of callers, which may leave the choice to the library. */
#ifndef CAROM_SRC_BASE_ALLOCATOR_H
#define CAROM_SRC_BASE_ALLOCATOR_H

#include "carom/base.h"

/* The allocator given; the C library's when there is none (NULL, or one without resize). */
carom_allocator carom_allocator_given(const carom_allocator *allocator);

/* Allocate, grow or free by the allocator given. */
void *carom_allocator_resize(const carom_allocator *allocator, void *memory, size_t size);

#endif
