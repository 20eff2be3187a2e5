/* Tables: cells are collected as text, then columns are aligned. When the table is wider than the
 * terminal its last column is wrapped; other columns keep their width. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_COLUMNS = 256 };

/* A table that lost a cell for want of memory is no answer; main asks. */
static bool failed;

bool cli_table_failed(void)
{
    return failed;
}

struct cli_table {
    int columns, count, room;
    struct cell {
        char *text;
        bool right;
    } * cells;
};

bool cli_table_colour(void)
{
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

int cli_table_width(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col;
    return 80;
}

cli_table *cli_table_create(int columns)
{
    cli_table *table = calloc(1, sizeof *table);
    if (table)
        table->columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
    failed = failed || !table;
    return table;
}

static void add(cli_table *table, const char *text, bool right)
{
    if (!table)
        return;
    if (table->count == table->room) {
        int room = table->room ? 2 * table->room : 64;
        struct cell *grown = realloc(table->cells, (size_t)room * sizeof *grown);
        if (!grown) {
            failed = true;
            return;
        }
        table->cells = grown;
        table->room = room;
    }
    char *copy = strdup(text);
    failed = failed || !copy;
    table->cells[table->count++] = (struct cell){copy, right};
}

void cli_table_fail(cli_table *table)
{
    (void)table;
    failed = true;
}

void cli_table_cell(cli_table *table, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(table, text, false);
}

void cli_table_number(cli_table *table, double value)
{
    cli_table_digits(table, value, 6);
}

void cli_table_digits(cli_table *table, double value, int digits)
{
    char text[40];
    if (value == 0)
        value = 0; /* no "-0" */
    if (isnan(value))
        snprintf(text, sizeof text, "-");
    else
        carom_number_print_digits(value, digits, text);
    add(table, text, true);
}

void cli_table_heading(cli_table *table, const char *text)
{
    add(table, text, true);
}

/* Characters as a terminal shows them: UTF-8 continuation bytes do not count, colour codes neither.
 */
static int shown_length(const char *text)
{
    int length = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '\033') {
            while (*c && *c != 'm')
                c++;
            if (!*c)
                break;
            continue;
        }
        length += (*c & 0xC0) != 0x80;
    }
    return length;
}

/* A line being written. Blanks wait until something follows, so that no line ends with them. */
typedef struct line {
    FILE *out;
    int blanks;
} line;

static void put_text(line *l, const char *text, size_t size)
{
    if (size == 0)
        return;
    fprintf(l->out, "%*s%.*s", l->blanks, "", (int)size, text);
    l->blanks = 0;
}

static void end_line(line *l)
{
    fputc('\n', l->out);
    l->blanks = 0;
}

/* The last column, wrapped at blanks, continuation lines indented below its start. */
static void print_wrapped(line *l, const char *text, int indent, int width)
{
    int column = indent, blanks = 0;
    for (const char *c = text; *c; c += strspn(c, " ")) {
        size_t word = strcspn(c, " ");
        char piece[512];
        snprintf(piece, sizeof piece, "%.*s", (int)word, c);
        int length = shown_length(piece);
        if (column > indent && column + blanks + length > width) {
            end_line(l);
            l->blanks = column = indent;
            blanks = 0;
        }
        l->blanks += blanks;
        put_text(l, c, word);
        column += blanks + length;
        c += word;
        blanks = (int)strspn(c, " ");
    }
}

static void measure(const cli_table *table, int *widths)
{
    memset(widths, 0, MOST_COLUMNS * sizeof *widths);
    for (int k = 0; k < table->count; k++) {
        int length = shown_length(table->cells[k].text ? table->cells[k].text : "");
        if (length > widths[k % table->columns])
            widths[k % table->columns] = length;
    }
}

int cli_table_measure(const cli_table *table)
{
    int widths[MOST_COLUMNS], total = -2;
    if (!table)
        return 0;
    measure(table, widths);
    for (int j = 0; j < table->columns; j++)
        total += widths[j] + 2;
    return total;
}

static void print_cells(const cli_table *table, FILE *out)
{
    int columns = table->columns, widths[MOST_COLUMNS], terminal = cli_table_width(), indent = 0;
    line l = {out, 0};
    measure(table, widths);
    for (int k = 0; k < table->count; k++) {
        const struct cell *cell = &table->cells[k];
        const char *text = cell->text ? cell->text : "";
        int column = k % columns, pad = widths[column] - shown_length(text);
        indent = column ? indent : 0;
        if (cell->right)
            l.blanks += pad;
        if (column == columns - 1 && !cell->right)
            print_wrapped(&l, text, indent, terminal);
        else
            put_text(&l, text, strlen(text));
        indent += widths[column] + 2;
        l.blanks += (cell->right ? 0 : pad) + 2;
        if (column == columns - 1)
            end_line(&l);
    }
}

void cli_table_print(cli_table *table, FILE *out)
{
    if (!table)
        return;
    if (out)
        print_cells(table, out);
    for (int k = 0; k < table->count; k++)
        free(table->cells[k].text);
    free(table->cells);
    free(table);
}
