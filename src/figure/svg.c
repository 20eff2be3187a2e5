#include "figure/svg.h"

#include "base/arena.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Series colours that stay apart for colour-blind readers (Okabe and Ito), lightened on dark. */
static const char style_sheet[] =
    "<style>\n"
    "svg{--ink:#1f2328;--faint:#b8bec5;--paper:#ffffff;--fill:#e9ecef;"
    "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;--c4:#b58900;--c5:#3fa9dd;--c6:#7a5195;"
    "--c7:#666666;background:var(--paper)}\n"
    "@media (prefers-color-scheme: dark){svg{--ink:#e6e8ea;--faint:#50565d;--paper:#15181c;"
    "--fill:#2a3036;--c0:#56b4e9;--c1:#ff8c42;--c2:#2fd3a2;--c3:#e8a3cb;--c4:#f0c84a;--c5:#8fd0f5;"
    "--c6:#b79ad6;--c7:#a0a6ac}}\n"
    "text{font-family:'DejaVu Sans','Helvetica Neue',Arial,sans-serif;fill:var(--ink)}\n"
    "line,polyline,polygon,circle,path,rect{fill:none;stroke-width:1.5;stroke-linejoin:round;"
    "stroke-linecap:round}\n"
    ".paper{fill:var(--paper);stroke:none}\n"
    ".ink{stroke:var(--ink)} text.ink{stroke:none}\n"
    ".faint{stroke:var(--faint);stroke-width:1} text.faint{stroke:none;fill:var(--c7)}\n"
    ".body{fill:var(--fill);stroke:var(--ink)}\n"
    ".dot{fill:var(--ink);stroke:none}\n"
    ".c0{stroke:var(--c0)} .c1{stroke:var(--c1)} .c2{stroke:var(--c2)} .c3{stroke:var(--c3)} "
    ".c4{stroke:var(--c4)} .c5{stroke:var(--c5)} .c6{stroke:var(--c6)} .c7{stroke:var(--c7)}\n"
    "text.c0{stroke:none;fill:var(--c0)} text.c1{stroke:none;fill:var(--c1)} "
    "text.c2{stroke:none;fill:var(--c2)} text.c3{stroke:none;fill:var(--c3)} "
    "text.c4{stroke:none;fill:var(--c4)} text.c5{stroke:none;fill:var(--c5)} "
    "text.c6{stroke:none;fill:var(--c6)} text.c7{stroke:none;fill:var(--c7)}\n"
    ".f0{fill:var(--c0)} .f1{fill:var(--c1)} .f2{fill:var(--c2)} .f3{fill:var(--c3)} "
    ".f4{fill:var(--c4)} .f5{fill:var(--c5)} .f6{fill:var(--c6)} .f7{fill:var(--c7)}\n"
    ".f0,.f1,.f2,.f3,.f4,.f5,.f6,.f7{fill-opacity:.18} .solid{fill-opacity:1}\n"
    ".head{stroke-width:1;stroke-dasharray:none} .head.ink{fill:var(--ink)} "
    ".head.faint{fill:var(--faint)} .head.c0{fill:var(--c0)} .head.c1{fill:var(--c1)} "
    ".head.c2{fill:var(--c2)} .head.c3{fill:var(--c3)} .head.c4{fill:var(--c4)} "
    ".head.c5{fill:var(--c5)} .head.c6{fill:var(--c6)} .head.c7{fill:var(--c7)}\n"
    ".thick{stroke-width:2.5} .thin{stroke-width:1} .dashed{stroke-dasharray:6 4} "
    ".dotted{stroke-dasharray:1.5 4}\n"
    "</style>\n";

static void *resize(const carom_allocator *allocator, void *memory, size_t size)
{
    if (allocator->resize)
        return allocator->resize(allocator->self, memory, size);
    if (size)
        return realloc(memory, size);
    free(memory);
    return NULL;
}

static void append(carom_svg *svg, const char *piece, size_t size)
{
    if (svg->failed)
        return;
    if (svg->size + size + 1 > svg->room) {
        size_t room = 2 * (svg->size + size) + 4096;
        char *grown = resize(&svg->allocator, svg->text, room);
        if (!grown) {
            svg->failed = true;
            return;
        }
        svg->text = grown;
        svg->room = room;
    }
    memcpy(svg->text + svg->size, piece, size);
    svg->size += size;
    svg->text[svg->size] = '\0';
}

void carom_svg_raw(carom_svg *svg, const char *format, ...)
{
    char piece[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    append(svg, piece, length < (int)sizeof piece ? (size_t)length : sizeof piece - 1);
}

/* Two decimals, no trailing zeros, no "-0": short, and the same on every machine. */
static void number(carom_svg *svg, double value)
{
    char text[40];
    double rounded = round(value * 100) / 100;
    int length = snprintf(text, sizeof text, "%.2f", rounded == 0 ? 0 : rounded);
    while (length > 1 && text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.')
        length--;
    append(svg, text, (size_t)length);
}

static void attribute(carom_svg *svg, const char *name, double value)
{
    carom_svg_raw(svg, " %s=\"", name);
    number(svg, value);
    append(svg, "\"", 1);
}

static void escaped(carom_svg *svg, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        switch (text[k]) {
        case '<':
            append(svg, "&lt;", 4);
            break;
        case '>':
            append(svg, "&gt;", 4);
            break;
        case '&':
            append(svg, "&amp;", 5);
            break;
        default:
            append(svg, text + k, 1);
        }
}

void carom_svg_begin(carom_svg *svg, const carom_allocator *allocator, double width, double height,
                     const char *title, const char *description)
{
    *svg = (carom_svg){.width = width, .height = height};
    if (allocator)
        svg->allocator = *allocator;
    carom_svg_raw(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    attribute(svg, "width", width);
    attribute(svg, "height", height);
    carom_svg_raw(svg, " viewBox=\"0 0 %g %g\">\n<title>", width, height);
    escaped(svg, title, strlen(title));
    append(svg, "</title>\n<desc>", 15);
    escaped(svg, description, strlen(description));
    append(svg, "</desc>\n", 8);
    append(svg, style_sheet, sizeof style_sheet - 1);
    carom_svg_rect(svg, "paper", 0, 0, width, height);
}

carom_status carom_svg_finish(carom_svg *svg, char **text, size_t *size, carom_error *error)
{
    append(svg, "</svg>\n", 7);
    if (svg->failed) {
        carom_svg_destroy(svg);
        return carom_error_memory(error);
    }
    *text = svg->text;
    *size = svg->size;
    return CAROM_OK;
}

void carom_svg_destroy(carom_svg *svg)
{
    if (svg->text)
        resize(&svg->allocator, svg->text, 0);
    svg->text = NULL;
}

void carom_svg_line(carom_svg *svg, const char *style, double x1, double y1, double x2, double y2)
{
    carom_svg_raw(svg, "<line class=\"%s\"", style);
    attribute(svg, "x1", x1);
    attribute(svg, "y1", y1);
    attribute(svg, "x2", x2);
    attribute(svg, "y2", y2);
    append(svg, "/>\n", 3);
}

static void points(carom_svg *svg, const char *element, const char *style, int count,
                   const double *xy)
{
    carom_svg_raw(svg, "<%s class=\"%s\" points=\"", element, style);
    for (int k = 0; k < count; k++) {
        if (k)
            append(svg, " ", 1);
        number(svg, xy[2 * k]);
        append(svg, ",", 1);
        number(svg, xy[2 * k + 1]);
    }
    append(svg, "\"/>\n", 4);
}

void carom_svg_polyline(carom_svg *svg, const char *style, int count, const double *xy)
{
    points(svg, "polyline", style, count, xy);
}

void carom_svg_polygon(carom_svg *svg, const char *style, int count, const double *xy)
{
    points(svg, "polygon", style, count, xy);
}

void carom_svg_circle(carom_svg *svg, const char *style, double x, double y, double r)
{
    carom_svg_raw(svg, "<circle class=\"%s\"", style);
    attribute(svg, "cx", x);
    attribute(svg, "cy", y);
    attribute(svg, "r", r);
    append(svg, "/>\n", 3);
}

void carom_svg_rect(carom_svg *svg, const char *style, double x, double y, double w, double h)
{
    carom_svg_raw(svg, "<rect class=\"%s\"", style);
    attribute(svg, "x", x);
    attribute(svg, "y", y);
    attribute(svg, "width", w);
    attribute(svg, "height", h);
    append(svg, "/>\n", 3);
}

void carom_svg_arc(carom_svg *svg, const char *style, double x, double y, double r, double a,
                   double b)
{
    carom_svg_raw(svg, "<path class=\"%s\" d=\"M", style);
    number(svg, x + r * cos(a));
    append(svg, " ", 1);
    number(svg, y - r * sin(a));
    append(svg, "A", 1);
    number(svg, r);
    append(svg, " ", 1);
    number(svg, r);
    carom_svg_raw(svg, " 0 %d %d ", fabs(b - a) > acos(-1), b < a);
    number(svg, x + r * cos(b));
    append(svg, " ", 1);
    number(svg, y - r * sin(b));
    append(svg, "\"/>\n", 4);
}

void carom_svg_arrow(carom_svg *svg, const char *style, double x1, double y1, double x2, double y2)
{
    double dx = x2 - x1, dy = y2 - y1, length = hypot(dx, dy);
    if (!(length > 0))
        return;
    double head = fmin(9, 0.6 * length), ux = dx / length, uy = dy / length;
    carom_svg_line(svg, style, x1, y1, x2 - 0.7 * head * ux, y2 - 0.7 * head * uy);
    double xy[] = {x2,
                   y2,
                   x2 - head * ux - 0.4 * head * uy,
                   y2 - head * uy + 0.4 * head * ux,
                   x2 - head * ux + 0.4 * head * uy,
                   y2 - head * uy - 0.4 * head * ux};
    char filled[128];
    snprintf(filled, sizeof filled, "head %s", style);
    points(svg, "polygon", filled, 3, xy);
}

/* The part of a script: "{...}" or one character (UTF-8). Returns its length in the text. */
static size_t script_length(const char *text, const char **part, size_t *length)
{
    if (*text == '{') {
        *part = text + 1;
        *length = strcspn(text + 1, "}");
        return *length + 1 + (text[*length + 1] == '}');
    }
    *part = text;
    *length = 1;
    while (((unsigned char)text[*length] & 0xC0) == 0x80)
        ++*length;
    return *text ? *length : 0;
}

void carom_svg_text(carom_svg *svg, const char *style, double x, double y, char anchor, double size,
                    double angle, const char *text)
{
    carom_svg_raw(svg, "<text class=\"%s\"", style);
    attribute(svg, "x", x);
    attribute(svg, "y", y);
    attribute(svg, "font-size", size);
    if (anchor != 's')
        carom_svg_raw(svg, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end");
    if (angle != 0)
        carom_svg_raw(svg, " transform=\"rotate(%g %g %g)\"", angle, x, y);
    append(svg, ">", 1);
    while (*text) {
        size_t plain = strcspn(text, "_^");
        escaped(svg, text, plain);
        text += plain;
        if (!*text)
            break;
        double shift = *text == '_' ? 0.28 * size : -0.36 * size;
        const char *part;
        size_t length, used = script_length(text + 1, &part, &length);
        carom_svg_raw(svg, "<tspan dy=\"%.2f\" font-size=\"%.1f\">", shift, 0.72 * size);
        escaped(svg, part, length);
        /* an empty glyph brings the line back; it may carry no width */
        carom_svg_raw(svg, "</tspan><tspan dy=\"%.2f\">\xE2\x80\x8B</tspan>", -shift);
        text += 1 + used;
    }
    append(svg, "</text>\n", 8);
}

void carom_svg_clip(carom_svg *svg, double x, double y, double w, double h)
{
    size_t id = svg->size; /* unique in the document, and the same every time */
    carom_svg_raw(svg, "<clipPath id=\"k%zu\">", id);
    carom_svg_rect(svg, "paper", x, y, w, h);
    carom_svg_raw(svg, "</clipPath><g clip-path=\"url(#k%zu)\">\n", id);
}

void carom_svg_unclip(carom_svg *svg)
{
    carom_svg_raw(svg, "</g>\n");
}
