/* Finds the line and column of a character of a scalar by walking its source. */
#include "scene/yaml_tree.h"

#include <string.h>

/* Folding and quoting change white space and escapes, but never the order of the visible
 * characters: the k-th visible character of the decoded text is the k-th one of the source. */

typedef struct walker {
    const char *s;
    carom_place place;
} walker;

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Over `count` characters of the source. */
static void step(walker *w, int count)
{
    for (; count > 0 && *w->s; count--) {
        if (*w->s == '\n' || (*w->s == '\r' && w->s[1] != '\n')) {
            w->place.line++;
            w->place.column = 1;
        } else if (*w->s != '\r') {
            w->place.column++;
        }
        do
            w->s++;
        while (is_continuation(*w->s));
    }
}

/* How many source characters the double-quoted escape at s takes, and whether it is visible. */
static int escape_length(const char *s, bool *visible)
{
    *visible = false;
    switch (s[1]) {
    case '\n':
    case '\r': /* a folded line: the blanks after it are skipped as blanks */
        return 1;
    case 'n':
    case 'r':
    case 't':
    case ' ':
    case '\t':
        return 2;
    case 'x':
        *visible = strncmp(s + 2, "20", 2) != 0 && strncmp(s + 2, "09", 2) != 0;
        return 4;
    case 'u':
        *visible = strncmp(s + 2, "0020", 4) != 0 && strncmp(s + 2, "0009", 4) != 0;
        return 6;
    case 'U':
        *visible = strncmp(s + 2, "00000020", 8) != 0;
        return 10;
    default:
        *visible = true;
        return 2;
    }
}

/* Move over blanks to the next visible character; returns how many source characters make it. */
static int next_visible(walker *w, char style)
{
    for (;;) {
        while (is_blank(*w->s))
            step(w, 1);
        if (style == '\'' && w->s[0] == '\'' && w->s[1] == '\'')
            return 2;
        if (style != '"' || w->s[0] != '\\')
            return 1;
        bool visible;
        int length = escape_length(w->s, &visible);
        if (visible)
            return length;
        step(w, length);
    }
}

void carom_yaml_locate(const carom_yaml_node *scalar, carom_place *places)
{
    walker w = {scalar->source, {scalar->line, scalar->column}};
    if (scalar->style == '|' || scalar->style == '>') { /* the text begins on the next line */
        while (*w.s && w.place.line == scalar->line)
            step(&w, 1);
    } else if (scalar->style) {
        step(&w, 1);
    }
    for (size_t k = 0; k < scalar->length; k++) {
        char c = scalar->text[k];
        if (is_blank(c)) { /* just behind the character before */
            places[k] = w.place;
        } else if (is_continuation(c) && k > 0) {
            places[k] = places[k - 1];
        } else {
            int length = next_visible(&w, scalar->style);
            places[k] = w.place;
            step(&w, length);
        }
    }
    places[scalar->length] = w.place;
}
