/* An allocator with a limit. */
#include "memory.h"

#include "cli.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In front of every block: its size, in a space that keeps the alignment of malloc. */
enum { HEAD = 16 };

static atomic_size_t taken, refused;

/* "1500000", "300k", "4G"; 0: not a size. */
static double read_size(const char *text)
{
    size_t length;
    double number = carom_number_prefix(text, &length);
    static const char units[] = "kMGT";
    const char *unit = text[length] ? strchr(units, text[length]) : NULL;
    if (length == 0 || (text[length] && (!unit || text[length + 1])))
        return 0;
    for (const char *u = units; unit && u <= unit; u++)
        number *= 1024;
    return number;
}

static size_t find_limit(void)
{
    const char *given = getenv("CAROM_MEMORY");
    double size = given ? read_size(given) : 0;
    if (size >= 1 && size < 9e18)
        return (size_t)size;
    if (given)
        cli_message_warning("CAROM_MEMORY=%s is not a size, as in 4G; it is not used", given);
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double usual = 2.0 * (1 << 30);
    return (size_t)(machine > 0 && 0.75 * machine < usual ? 0.75 * machine : usual);
}

size_t cli_memory_limit(void)
{
    static atomic_size_t limit;
    size_t known = atomic_load(&limit);
    if (known == 0) {
        known = find_limit();
        atomic_store(&limit, known);
    }
    return known;
}

size_t cli_memory_refused(void)
{
    return atomic_load(&refused);
}

static void *resize(void *self, void *memory, size_t size)
{
    (void)self;
    char *block = memory ? (char *)memory - HEAD : NULL;
    size_t old = 0;
    if (block)
        memcpy(&old, block, sizeof old);
    if (size == 0) {
        atomic_fetch_sub(&taken, old);
        free(block);
        return NULL;
    }
    size_t limit = cli_memory_limit();
    if (size > limit || atomic_load(&taken) - old > limit - size) {
        atomic_store(&refused, size);
        return NULL;
    }
    char *made = size > SIZE_MAX - HEAD ? NULL : realloc(block, size + HEAD);
    if (!made)
        return NULL;
    memcpy(made, &size, sizeof size);
    atomic_fetch_add(&taken, size - old); /* wraps, and comes out right, when it shrinks */
    return made + HEAD;
}

const carom_allocator *cli_memory(void)
{
    static const carom_allocator limited = {resize, NULL};
    return &limited;
}

const char *cli_memory_text(double bytes, char *text)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; unit++)
        bytes /= 1024;
    snprintf(text, 24, "%.3g %s", bytes, units[unit]);
    return text;
}

int cli_memory_check(const char *file, int n, int p, bool dense)
{
    /* What the commands take at their peak, counted on systems of 500 to 2000 velocities. */
    double a = (double)n * n, b = (double)n * p, c = (double)p * p;
    double numbers = dense ? 5 * a + 4 * b + 4 * c : 1.5 * b;
    double bytes = numbers * sizeof(double);
    char need[24], limit[24];
    if (bytes <= (double)cli_memory_limit())
        return CLI_ANSWERED;
    carom_error error = {0};
    carom_error_set(
        &error, CAROM_ERROR_MEMORY,
        "%d velocities and %d contacts make matrices of %d x %d numbers, in all about %s; "
        "the limit is %s (the environment variable CAROM_MEMORY raises it)",
        n, p, n, dense && n > p ? n : p, cli_memory_text(bytes, need),
        cli_memory_text((double)cli_memory_limit(), limit));
    return cli_message_error(file, &error);
}
