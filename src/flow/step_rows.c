/* Fills the compressed rows of a time step from an evaluated state. */
#include "flow/step_rows.h"

#include <string.h>

enum {
    SMALL = 4,   /* velocities: rows this short are always full */
    GROWTHS = 8, /* of a pattern that is seen, after which it is taken to be full */
};

static bool is_stated(const carom_step_source *s)
{
    return s->count == 0 || s->pattern->start;
}

/* The pattern from the systems' statement. */
static void copy_stated(carom_step_rows *rows)
{
    int row = 0, filled = 0;
    for (int k = 0; k < 2; k++) {
        const carom_pattern *p = rows->source[k].pattern;
        for (int j = 0; j < rows->source[k].count; j++) {
            const int count = p->start[j + 1] - p->start[j];
            if (count > 0)
                memcpy(rows->index + filled, p->row + p->start[j], sizeof(int) * (size_t)count);
            filled += count;
            rows->start[++row] = filled;
        }
    }
}

/* The pattern from what has been seen. */
static void copy_seen(carom_step_rows *rows)
{
    int filled = 0;
    const unsigned char *seen = rows->seen;
    for (int row = 0; row < rows->count; row++, seen += rows->n) {
        for (int i = 0; i < rows->n; i++)
            if (seen[i])
                rows->index[filled++] = i;
        rows->start[row + 1] = filled;
    }
}

carom_status carom_step_rows_create(carom_arena *arena, int n, carom_step_source first,
                                    carom_step_source second, carom_step_rows *rows,
                                    carom_error *error)
{
    const bool stated = is_stated(&first) && is_stated(&second);
    *rows = (carom_step_rows){.n = n, .count = first.count + second.count};
    rows->source[0] = first;
    rows->source[1] = second;
    size_t entries = (size_t)n * (size_t)rows->count;
    if (stated)
        entries = (size_t)(first.count ? first.pattern->start[first.count] : 0) +
                  (size_t)(second.count ? second.pattern->start[second.count] : 0);
    rows->start = carom_arena_zeros(arena, (size_t)rows->count + 1, sizeof(int));
    rows->index = carom_arena_array(arena, entries, sizeof(int));
    rows->value = carom_arena_zeros(arena, entries, sizeof(double));
    if (!stated)
        rows->seen = carom_arena_zeros(arena, entries, 1);
    if (!rows->start || !rows->index || !rows->value || (!stated && !rows->seen))
        return carom_error_memory(error);
    if (stated) {
        copy_stated(rows);
    } else if (n <= SMALL) {
        memset(rows->seen, 1, entries);
        copy_seen(rows);
        rows->full = true;
        rows->direct = first.count == 0 || second.count == 0;
        if (rows->direct)
            rows->value = (double *)(first.count ? first.dense : second.dense);
    }
    return CAROM_OK;
}

/* Entries of x that differ from zero; four counts do not wait for each other. */
static int count_entries(int n, const double *x)
{
    int c0 = 0, c1 = 0, i = 0;
    for (; i + 2 <= n; i += 2) {
        c0 += x[i] != 0;
        c1 += x[i + 1] != 0;
    }
    return c0 + c1 + (i < n && x[i] != 0);
}

/* Something outside the pattern: mark it, or everything when this happens again and again. */
static void grow(carom_step_rows *rows)
{
    unsigned char *seen = rows->seen;
    const int n = rows->n;
    rows->full = ++rows->growths >= GROWTHS;
    if (rows->full)
        memset(seen, 1, (size_t)n * (size_t)rows->count);
    for (int s = 0; s < 2; s++)
        for (int j = 0; j < rows->source[s].count; j++, seen += n)
            for (int i = 0; i < n; i++)
                seen[i] |= rows->source[s].dense[i + (size_t)j * (size_t)n] != 0;
    copy_seen(rows);
}

/* Values into the pattern. */
static void take(carom_step_rows *rows)
{
    int row = 0;
    if (rows->full) {
        const carom_step_source *s = rows->source;
        const size_t n = (size_t)rows->n, first = n * (size_t)s[0].count;
        if (first > 0)
            memcpy(rows->value, s[0].dense, sizeof(double) * first);
        if (s[1].count > 0)
            memcpy(rows->value + first, s[1].dense, sizeof(double) * n * (size_t)s[1].count);
        return;
    }
    for (int s = 0; s < 2; s++) {
        const double *x = rows->source[s].dense;
        for (int last = row + rows->source[s].count; row < last; row++, x += rows->n)
            for (int k = rows->start[row]; k < rows->start[row + 1]; k++)
                rows->value[k] = x[rows->index[k]];
    }
}

/* Is anything different from zero outside the pattern? */
static bool is_complete(const carom_step_rows *rows)
{
    int row = 0;
    for (int s = 0; s < 2; s++) {
        const double *x = rows->source[s].dense;
        for (int last = row + rows->source[s].count; row < last; row++, x += rows->n) {
            const int first = rows->start[row];
            if (count_entries(rows->n, x) !=
                count_entries(rows->start[row + 1] - first, rows->value + first))
                return false;
        }
    }
    return true;
}

bool carom_step_rows_gather_from(carom_step_rows *rows, const double *first, const double *second)
{
    const carom_step_source own[2] = {rows->source[0], rows->source[1]};
    if (rows->direct) { /* one of the two is empty */
        const double *from = own[0].count ? first : second;
        if (from != rows->value)
            memcpy(rows->value, from, sizeof(double) * (size_t)rows->n * (size_t)rows->count);
        return false;
    }
    rows->source[0].dense = first;
    rows->source[1].dense = second;
    const bool grown = carom_step_rows_gather(rows);
    rows->source[0] = own[0];
    rows->source[1] = own[1];
    return grown;
}

bool carom_step_rows_gather(carom_step_rows *rows)
{
    if (rows->direct)
        return false;
    take(rows);
    if (!rows->seen || rows->full || is_complete(rows))
        return false;
    grow(rows);
    take(rows);
    return true;
}
