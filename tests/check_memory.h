/* Memory that runs out: an allocator that fails where a test wants it to, counts the requests and
 * what was not given back. */
#ifndef CAROM_TESTS_CHECK_MEMORY_H
#define CAROM_TESTS_CHECK_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>

#include "carom/base.h"

/* Start with {.fail_at = k}: request number k (from 0) fails, -1: none. Use as
 * carom_allocator allocator = {check_memory_resize, &memory}. */
typedef struct check_memory {
    int fail_at;
    bool onwards; /* every later request fails too */
    int calls;    /* requests so far, failed ones included */
    int live;     /* blocks not given back */
    size_t bytes; /* asked for by all requests */
} check_memory;

static inline void *check_memory_resize(void *self, void *memory, size_t size)
{
    check_memory *m = self;
    if (size == 0) {
        m->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    int call = m->calls++;
    m->bytes += size;
    if (call == m->fail_at || (m->onwards && call > m->fail_at))
        return NULL;
    void *got = realloc(memory, size);
    m->live += got && !memory;
    return got;
}

#endif
