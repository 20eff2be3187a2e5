/* Comma-separated values: cells and records. */
#include "trace/csv.h"

#include "carom/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The first characters that make a spreadsheet compute a cell, and the one that protects it. */
static bool needs_protection(char c)
{
    return c && strchr("=+-@'\t\r", c) != NULL;
}

void carom_csv_text(FILE *out, const char *text)
{
    const bool quoted = text[strcspn(text, ",\"\n\r")] != '\0';
    if (quoted)
        fputc('"', out);
    if (needs_protection(*text))
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (quoted)
        fputc('"', out);
}

void carom_csv_number(FILE *out, double value)
{
    char text[CAROM_NUMBER_SIZE];
    if (!isfinite(value))
        return;
    carom_number_print(value == 0 ? 0 : value, text); /* no "-0" */
    fputs(text, out);
}

static bool grow(carom_csv *csv, void **memory, size_t size)
{
    void *grown = carom_allocator_resize(&csv->allocator, *memory, size);
    if (!grown) {
        csv->memory = true;
        return false;
    }
    *memory = grown;
    return true;
}

/* Append a byte to the text of the record. */
static bool put(carom_csv *csv, char c)
{
    if (csv->used == csv->room) {
        size_t room = csv->room ? 2 * csv->room : 4096;
        void *memory = csv->text;
        if (!grow(csv, &memory, room))
            return false;
        csv->text = memory;
        csv->room = room;
    }
    csv->text[csv->used++] = c;
    return true;
}

/* Begin a cell where the text stands. */
static bool begin_cell(carom_csv *csv)
{
    if (csv->count == csv->start_room) {
        int room = csv->start_room ? 2 * csv->start_room : 64;
        void *memory = csv->starts;
        csv->memory = csv->start_room > INT_MAX / 2;
        if (csv->memory || !grow(csv, &memory, (size_t)room * sizeof *csv->starts))
            return false;
        csv->starts = memory;
        csv->start_room = room;
    }
    csv->starts[csv->count++] = csv->used;
    return true;
}

/* One cell up to its comma, its line's end or the end of the file, which it returns; -2: no memory.
 */
static int read_cell(carom_csv *csv)
{
    enum { NO_MEMORY = -2 };
    int c = getc(csv->in);
    bool quoted = c == '"';
    if (quoted)
        c = getc(csv->in);
    for (; c != EOF; c = getc(csv->in)) {
        if (quoted && c == '"') {
            c = getc(csv->in);
            if (c != '"') {
                quoted = false;
                if (c == EOF)
                    break;
            }
        }
        csv->lines += c == '\n';
        if (!quoted && (c == ',' || c == '\n'))
            break;
        if (c == '\0')
            continue; /* texts end with a zero, and hold none */
        if (!put(csv, (char)c))
            return NO_MEMORY;
    }
    if (!quoted && c == '\n' && csv->used > csv->starts[csv->count - 1] &&
        csv->text[csv->used - 1] == '\r')
        csv->used--;
    csv->whole = c == '\n' && !quoted;
    return put(csv, '\0') ? c : NO_MEMORY;
}

bool carom_csv_next(carom_csv *csv)
{
    int end;
    do {
        csv->count = 0;
        csv->used = 0;
        csv->line = csv->lines + 1;
        do {
            if (!begin_cell(csv))
                return false;
            end = read_cell(csv);
        } while (end == ',');
        if (csv->memory)
            return false;
    } while (end == '\n' && csv->count == 1 && csv->text[0] == '\0');
    return csv->count > 1 || csv->text[0] != '\0';
}

const char *carom_csv_cell(const carom_csv *csv, int k)
{
    if (k < 0 || k >= csv->count)
        return "";
    const char *text = csv->text + csv->starts[k];
    return text[0] == '\'' && needs_protection(text[1]) ? text + 1 : text;
}

void carom_csv_end(carom_csv *csv)
{
    carom_allocator_resize(&csv->allocator, csv->text, 0);
    carom_allocator_resize(&csv->allocator, csv->starts, 0);
    csv->text = NULL;
    csv->starts = NULL;
}
