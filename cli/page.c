/* The page is a template with one place for data: <script type="application/json" id="carom-data">
 * null</script>. Numbers go there as base64 of little-endian floats (time as doubles), which a
 * browser turns into arrays without parsing (docs/guide/traces.md). */
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const unsigned char cli_page[]; /* generated from viewer/dist/index.html */
extern const size_t cli_page_size;

/* Rows near an impact that are kept whatever the stride. */
enum { NEAR = 8 };

static long find_row(const carom_trace *trace, double t)
{
    long low = 0, high = trace->rows;
    while (low < high) {
        long middle = (low + high) / 2;
        if (trace->t[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool cli_page_thin(const carom_trace *trace, size_t bytes, cli_thinning *thinning)
{
    size_t columns = (size_t)(2 + trace->position.columns + trace->velocity.columns +
                              trace->gap.columns + trace->force.columns + trace->friction.columns +
                              trace->mode.columns + trace->energy.columns + trace->draw.columns);
    size_t most = bytes / (4 * columns);
    long rows = trace->rows, count = 0;
    unsigned char *wanted = calloc((size_t)rows + 1, 1);
    thinning->keep = malloc(((size_t)rows + 1) * sizeof(long));
    if (!wanted || !thinning->keep) {
        free(wanted);
        free(thinning->keep);
        thinning->keep = NULL;
        return false;
    }
    long stride = (size_t)rows <= most ? 1 : (long)(2 * (size_t)rows / most + 1);
    for (long k = 0; k < rows; k += stride)
        wanted[k] = 1;
    /* half of the budget goes to the neighbourhood of impacts, the first ones first */
    long spare = (long)(most / 2) / (2 * NEAR + 1);
    for (long i = 0; i < trace->impacts && i < spare && stride > 1; i++) {
        long at = find_row(trace, trace->impact_t[i]);
        for (long k = at - NEAR < 0 ? 0 : at - NEAR; k <= at + NEAR && k < rows; k++)
            wanted[k] = 1;
    }
    if (rows)
        wanted[rows - 1] = 1;
    for (long k = 0; k < rows; k++)
        if (wanted[k])
            thinning->keep[count++] = k;
    thinning->rows = count;
    free(wanted);
    return true;
}

/* Base64 of a stream of bytes, three at a time. */
typedef struct encoder {
    FILE *out;
    unsigned char waiting[3];
    int count;
} encoder;

static void encode(encoder *e, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *next = bytes;
    while (size--) {
        e->waiting[e->count++] = *next++;
        if (e->count == 3) {
            unsigned a = e->waiting[0], b = e->waiting[1], c = e->waiting[2];
            const char four[] = {digits[a >> 2], digits[(a & 3) << 4 | b >> 4],
                                 digits[(b & 15) << 2 | c >> 6], digits[c & 63]};
            fwrite(four, 1, 4, e->out);
            e->count = 0;
        }
    }
}

static void encode_end(encoder *e)
{
    int count = e->count;
    const unsigned char zeros[] = {0, 0};
    if (count == 0)
        return;
    long end = ftell(e->out);
    encode(e, zeros, (size_t)(3 - count));
    fseek(e->out, end + 1 + count, SEEK_SET);
    fputs(count == 1 ? "==" : "=", e->out);
}

/* Numbers of a table for the kept rows (keep NULL: all), as floats or doubles. */
static void write_numbers(FILE *out, const double *values, int columns, long rows, const long *keep,
                          bool wide)
{
    encoder e = {.out = out};
    fputc('"', out);
    for (long k = 0; k < rows; k++) {
        const double *row = values + (keep ? keep[k] : k) * columns;
        for (int j = 0; j < columns; j++) {
            float narrow = (float)row[j];
            encode(&e, wide ? (const void *)&row[j] : (const void *)&narrow, wide ? 8 : 4);
        }
    }
    encode_end(&e);
    fputc('"', out);
}

/* A JSON string that is safe inside a script element: "<" never stands plain. */
static void write_string(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || *c == '<')
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    fputc('"', out);
}

static void write_table(FILE *out, const char *key, const carom_trace_table *t, long rows,
                        const long *keep)
{
    fprintf(out, ",\n\"%s\":{\"columns\":%d,\"names\":[", key, t->columns);
    for (int k = 0; k < t->columns && t->names; k++) {
        if (k)
            fputc(',', out);
        write_string(out, t->names[k]);
    }
    fputs("],\"data\":", out);
    write_numbers(out, t->values, t->columns, rows, keep, false);
    fputc('}', out);
}

/* Shapes are JSON already; only "<" is made safe. */
static void write_shapes(FILE *out, const char *shapes)
{
    fputs(",\n\"shapes\":", out);
    if (!shapes)
        shapes = "[]";
    for (; *shapes; shapes++)
        if (*shapes == '<')
            fputs("\\u003c", out);
        else
            fputc(*shapes, out);
}

static void write_trace(FILE *out, const carom_trace *trace, const char *file,
                        const cli_thinning *thin)
{
    const struct {
        const char *key;
        const carom_trace_table *table;
    } tables[] = {{"position", &trace->position}, {"velocity", &trace->velocity},
                  {"gap", &trace->gap},           {"force", &trace->force},
                  {"friction", &trace->friction}, {"mode", &trace->mode},
                  {"energy", &trace->energy},     {"draw", &trace->draw}},
      impact_tables[] = {{"position", &trace->impact_position}, {"before", &trace->impact_before},
                         {"after", &trace->impact_after},       {"impulse", &trace->impulse},
                         {"draw", &trace->impact_draw},         {"kick", &trace->impact_kick}};
    enum { MOST_IMPACTS = 20000, MOST_BYTES = 4 << 20 };
    size_t columns = 1;
    for (size_t k = 0; k < sizeof impact_tables / sizeof *impact_tables; k++)
        columns += (size_t)impact_tables[k].table->columns;
    long impacts = trace->impacts < MOST_IMPACTS ? trace->impacts : MOST_IMPACTS;
    long detailed = impacts; /* with all numbers: the first ones */
    if ((size_t)detailed > MOST_BYTES / (4 * columns))
        detailed = (long)(MOST_BYTES / (4 * columns));
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    fputs("{\"file\":", out);
    write_string(out, name);
    fputs(",\"title\":", out);
    write_string(out, trace->title);
    fputs(",\"law\":", out);
    write_string(out, trace->law);
    fputs(",\"method\":", out);
    write_string(out, trace->method);
    fprintf(out,
            ",\"rows\":%ld,\"original_rows\":%ld,\"original_impacts\":%ld,\n\"t\":", thin->rows,
            trace->rows, trace->impacts);
    write_numbers(out, trace->t, 1, thin->rows, thin->keep, true);
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        write_table(out, tables[k].key, tables[k].table, thin->rows, thin->keep);
    write_shapes(out, trace->shapes);
    fprintf(out, ",\n\"impacts\":{\"count\":%ld,\"detailed\":%ld,\"t\":", impacts, detailed);
    write_numbers(out, trace->impact_t, 1, impacts, NULL, true);
    fputs(",\"energy_change\":", out);
    write_numbers(out, trace->impact_energy, 1, impacts, NULL, true);
    for (size_t k = 0; k < sizeof impact_tables / sizeof *impact_tables; k++)
        write_table(out, impact_tables[k].key, impact_tables[k].table, detailed, NULL);
    fputs("}}", out);
}

static const char *find_place(size_t *after)
{
    static const char mark[] = "<script type=\"application/json\" id=\"carom-data\">null</script>";
    for (size_t k = 0; k + sizeof mark - 1 <= cli_page_size; k++)
        if (memcmp(cli_page + k, mark, sizeof mark - 1) == 0) {
            *after = k + sizeof mark - 1;
            return (const char *)cli_page + k;
        }
    return NULL;
}

bool cli_page_other(const char *path)
{
    static const char mark[] = "<title>Carom</title>";
    char start[1024];
    size_t head = 0;
    while (head + sizeof mark <= cli_page_size &&
           memcmp(cli_page + head, mark, sizeof mark - 1) != 0)
        head++;
    FILE *file = fopen(path, "rb");
    if (!file)
        return access(path, F_OK) == 0;
    const size_t size = fread(start, 1, sizeof start, file);
    fclose(file);
    return size < head || head > sizeof start || memcmp(start, cli_page, head) != 0;
}

int cli_page_write(const char *path, int count, const carom_trace *traces, const char *const *files)
{
    enum { BUDGET = 12 << 20 };
    size_t after = 0;
    const char *place = find_place(&after);
    FILE *out = place ? fopen(path, "wb") : NULL;
    if (!out) {
        fprintf(stderr, "carom: %s: %s\n", path,
                place ? strerror(errno) : "this program was built without its page");
        return CLI_MACHINE;
    }
    fwrite(cli_page, 1, (size_t)(place - (const char *)cli_page), out);
    fputs("<script type=\"application/json\" id=\"carom-data\">{\"traces\":[", out);
    bool good = true;
    for (int k = 0; k < count && good; k++) {
        cli_thinning thin;
        good = cli_page_thin(&traces[k], BUDGET / (size_t)count, &thin);
        if (!good)
            break;
        if (k)
            fputs(",\n", out);
        write_trace(out, &traces[k], files[k], &thin);
        if (thin.rows < traces[k].rows)
            printf("%s: %ld of %ld rows are in the page, complete near impacts\n", files[k],
                   thin.rows, traces[k].rows);
        free(thin.keep);
    }
    fputs("]}</script>", out);
    fwrite(cli_page + after, 1, cli_page_size - after, out);
    bool written = fflush(out) == 0 && !ferror(out);
    int problem = errno;
    fclose(out);
    if (good && written)
        return CLI_ANSWERED;
    fprintf(stderr, "carom: %s: %s\n", path, good ? strerror(problem) : "out of memory");
    return CLI_MACHINE;
}
