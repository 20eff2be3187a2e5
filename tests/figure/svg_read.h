/* Reading back what a figure shows: well-formedness, extent, and curves in data coordinates. */
#ifndef CAROM_TESTS_SVG_READ_H
#define CAROM_TESTS_SVG_READ_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SVG_DEPTH = 32, SVG_POINTS = 1024 };

/* &amp; &lt; &gt; &quot; &apos; */
static inline bool svg_entity(const char *at)
{
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (int k = 0; k < 5; k++)
        if (strncmp(at, names[k], strlen(names[k])) == 0)
            return true;
    return false;
}

/* The attributes of a tag up to '>' or '/': name="value", names not repeated. NULL: wrong. */
static inline const char *svg_attributes(const char *at)
{
    const char *names[32];
    int count = 0;
    while (isspace((unsigned char)*at)) {
        at += strspn(at, " \n");
        size_t length =
            strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-:0123456789");
        if (length == 0)
            break;
        for (int k = 0; k < count; k++)
            if (strncmp(names[k], at, length) == 0 && names[k][length] == '=')
                return NULL;
        if (count == 32 || strncmp(at + length, "=\"", 2) != 0)
            return NULL;
        names[count++] = at;
        for (at += length + 2; *at && *at != '"'; at++)
            if (*at == '<' || (*at == '&' && !svg_entity(at)))
                return NULL;
        if (*at++ != '"')
            return NULL;
    }
    return at;
}

/* NULL, or what is wrong: tags balanced and nested, one root, attributes quoted, text escaped. */
static inline const char *svg_well_formed(const char *text)
{
    const char *open[SVG_DEPTH];
    size_t length[SVG_DEPTH];
    int depth = 0, roots = 0;
    for (const char *at = text; *at;) {
        if (*at != '<') {
            if (depth == 0 && !isspace((unsigned char)*at))
                return "text outside the root";
            if (*at == '>' || (*at == '&' && !svg_entity(at)) || (unsigned char)*at == 0x7f)
                return "text not escaped";
            at++;
            continue;
        }
        bool closing = at[1] == '/';
        at += 1 + closing;
        size_t name = strcspn(at, " />\n");
        if (name == 0)
            return "empty tag";
        if (closing) {
            if (depth == 0 || length[depth - 1] != name ||
                strncmp(open[depth - 1], at, name) != 0 || at[name] != '>')
                return "closing tag without its opening one";
            depth--;
            at += name + 1;
            continue;
        }
        if (depth == SVG_DEPTH || (depth == 0 && roots++ > 0))
            return "second root or too deep";
        open[depth] = at;
        length[depth++] = name;
        at = svg_attributes(at + name);
        if (!at)
            return "attribute not name=\"value\"";
        if (at[0] == '/' && at[1] == '>') {
            depth--;
            at += 2;
        } else if (*at++ != '>') {
            return "tag not closed";
        }
    }
    return depth ? "tag never closed" : NULL;
}

/* The number after a text, e.g. " width=\"". */
static inline double svg_number(const char *text, const char *before)
{
    const char *at = strstr(text, before);
    return at ? strtod(at + strlen(before), NULL) : -1;
}

/* Are all coordinates (x, x1, cx, points ...) within the picture? */
static inline bool svg_inside(const char *text, double width, double height)
{
    static const char *const names[] = {" x=\"", " x1=\"", " x2=\"", " cx=\"",
                                        " y=\"", " y1=\"", " y2=\"", " cy=\""};
    for (int k = 0; k < 8; k++)
        for (const char *at = text; (at = strstr(at, names[k])); at++) {
            double value = strtod(at + strlen(names[k]), NULL);
            if (value < 0 || value > (k < 4 ? width : height))
                return false;
        }
    for (const char *at = text; (at = strstr(at, " points=\""));) {
        char *end = (char *)at + 9;
        for (int k = 0; *end != '"'; k++) {
            double value = strtod(end + (k > 0), &end);
            if (value < 0 || value > (k % 2 ? height : width))
                return false;
        }
        at = end;
    }
    return true;
}

/* A plot's frame and ranges, as the document states them. */
typedef struct svg_plot {
    double left, top, width, height, x_least, x_most, y_least, y_most;
    const char *after; /* where the frame ends in the text */
} svg_plot;

static inline bool svg_plot_find(const char *text, svg_plot *p)
{
    const char *at = strstr(text, "<g data-frame=\"");
    if (!at)
        return false;
    p->after = strstr(at, "</g>");
    return sscanf(at, "<g data-frame=\"%lf %lf %lf %lf\" data-range=\"%lf %lf %lf %lf\"", &p->left,
                  &p->top, &p->width, &p->height, &p->x_least, &p->x_most, &p->y_least,
                  &p->y_most) == 8;
}

/* The points of the next element of that kind after *at, in data coordinates; 0: no more. */
static inline int svg_next(const svg_plot *p, const char *element, const char **at, double *xy)
{
    const char *here = strstr(*at, element);
    if (!here)
        return 0;
    here = strstr(here, " points=\"") + 9;
    int count = 0;
    char *end = (char *)here;
    while (*end != '"' && count < SVG_POINTS) {
        double x = strtod(end + (count > 0), &end), y = strtod(end + 1, &end);
        xy[2 * count] = p->x_least + (x - p->left) / p->width * (p->x_most - p->x_least);
        xy[2 * count++ + 1] = p->y_most - (y - p->top) / p->height * (p->y_most - p->y_least);
    }
    *at = end;
    return count;
}

static inline int svg_next_curve(const svg_plot *p, const char **at, double *xy)
{
    return svg_next(p, "<polyline", at, xy);
}

#endif
