/* The allocator given by the caller, or the C library's. */
#include "carom/base.h"

#include <stdlib.h>

static void *resize_by_c_library(void *self, void *memory, size_t size)
{
    (void)self;
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, size);
}

carom_allocator carom_allocator_given(const carom_allocator *allocator)
{
    bool given = allocator && allocator->resize;
    return given ? *allocator : (carom_allocator){resize_by_c_library, NULL};
}

void *carom_allocator_resize(const carom_allocator *allocator, void *memory, size_t size)
{
    carom_allocator a = carom_allocator_given(allocator);
    return a.resize(a.self, memory, size);
}
