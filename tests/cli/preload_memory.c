/* A library to be loaded before all others (LD_PRELOAD): memory runs out at one request of the
 * program. CAROM_FAIL_AT=k: request number k (from 1) fails; CAROM_FAIL_FROM=k: it and all after
 * it. At the end the number of requests is appended to the file CAROM_FAIL_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long requests;
static long fail_at, fail_from;
static bool counting; /* the program has begun: what the loader does is not its own */
static void *(*real_malloc)(size_t), *(*real_calloc)(size_t, size_t),
    *(*real_realloc)(void *, size_t);

/* dlsym itself may call calloc before it is known. */
static char early[65536];
static size_t early_used;

static bool is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

static void *take_early(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (early_used + size > sizeof early)
        return NULL;
    early_used += size;
    return early + early_used - size;
}

/* The true functions; false while they are being looked for. */
static bool find_real(void)
{
    static bool looking;
    if (real_malloc && real_calloc && real_realloc)
        return true;
    if (looking)
        return false;
    looking = true;
    real_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    looking = false;
    return true;
}

/* Run after the beginnings of all other libraries, which are not the program's. */
__attribute__((constructor)) static void begin(void)
{
    find_real();
    const char *at = getenv("CAROM_FAIL_AT"), *from = getenv("CAROM_FAIL_FROM");
    fail_at = at ? atol(at) : 0;
    fail_from = from ? atol(from) : 0;
    counting = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("CAROM_FAIL_COUNT");
    char text[32];
    counting = false;
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file < 0)
        return;
    int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&requests));
    (void)!write(file, text, (size_t)length);
    close(file);
}

static bool fails(void)
{
    if (!counting)
        return false;
    long k = atomic_fetch_add(&requests, 1) + 1;
    bool failing = k == fail_at || (fail_from && k >= fail_from);
    if (failing)
        errno = ENOMEM;
    return failing;
}

void *malloc(size_t size)
{
    if (!find_real())
        return take_early(size);
    return fails() ? NULL : real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!find_real())
        return take_early(count * size); /* zero already */
    return fails() ? NULL : real_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    if (!find_real() || is_early(memory)) {
        void *made = real_malloc ? real_malloc(size) : take_early(size);
        if (made && memory)
            memcpy(made, memory, size);
        return made;
    }
    return size && fails() ? NULL : real_realloc(memory, size);
}

void free(void *memory)
{
    static void (*real_free)(void *);
    if (!memory || is_early(memory))
        return;
    if (!real_free)
        real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    real_free(memory);
}
