#include "pictures/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Series colours that stay apart for colour-blind readers (Okabe and Ito), lightened on dark. Plain
 * values in every rule, no variables: many readers of SVG know none. */
static const char *const series[8][2] = {
    {"#0072b2", "#56b4e9"}, {"#d55e00", "#ff8c42"}, {"#009e73", "#2fd3a2"}, {"#c0568f", "#e8a3cb"},
    {"#a07800", "#f0c84a"}, {"#2b8cbe", "#8fd0f5"}, {"#7a5195", "#b79ad6"}, {"#666666", "#a0a6ac"},
};
static const char *const ink[2] = {"#1f2328", "#e6e8ea"};
static const char *const faint[2] = {"#d3d8dd", "#3a4047"};
static const char *const helper[2] = {"#666666", "#a0a6ac"}; /* text of class faint */
static const char *const paper[2] = {"#ffffff", "#15181c"};
static const char *const body[2] = {"#e4e8ec", "#30373e"};

void carom_svg_raw(carom_svg *svg, const char *format, ...)
{
    char piece[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    carom_text_append(&svg->out, piece,
                      length < (int)sizeof piece ? (size_t)length : sizeof piece - 1);
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
    carom_text_append(&svg->out, text, (size_t)length);
}

static void attribute(carom_svg *svg, const char *name, double value)
{
    carom_svg_raw(svg, " %s=\"", name);
    number(svg, value);
    carom_text_append(&svg->out, "\"", 1);
}

static void escaped(carom_svg *svg, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        switch (text[k]) {
        case '<':
            carom_text_append(&svg->out, "&lt;", 4);
            break;
        case '>':
            carom_text_append(&svg->out, "&gt;", 4);
            break;
        case '&':
            carom_text_append(&svg->out, "&amp;", 5);
            break;
        default:
            carom_text_append(&svg->out, text + k, 1);
        }
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
    *length = *text != '\0';
    while (((unsigned char)text[*length] & 0xC0) == 0x80)
        ++*length;
    return *length;
}

/* One run of characters with its shift from the run before. */
static void run_of(carom_svg *svg, const char *part, size_t length, double shift, double size,
                   bool italic)
{
    if (length == 0)
        return;
    bool wrapped = shift != 0 || size > 0 || italic;
    if (wrapped)
        carom_text_append(&svg->out, "<tspan", 6);
    if (shift != 0)
        attribute(svg, "dy", shift);
    if (size > 0)
        attribute(svg, "font-size", size);
    if (italic)
        carom_svg_raw(svg, " font-style=\"italic\"");
    if (wrapped)
        carom_text_append(&svg->out, ">", 1);
    escaped(svg, part, length);
    if (wrapped)
        carom_text_append(&svg->out, "</tspan>", 8);
}

/* Text with its scripts and italics; plain: "e_1^2" as typed but for braces, for descriptions. */
static void marked(carom_svg *svg, const char *text, double size, bool plain)
{
    double shift = 0; /* of the last run from the base line */
    bool italic = false;
    while (*text) {
        const char *part = text;
        size_t length = strcspn(text, "_^`"), used = length;
        double next = 0;
        if (*text == '`') {
            italic = !italic;
            length = 0;
            used = 1;
        } else if (*text == '_' || *text == '^') {
            next = (*text == '_' ? 0.28 : -0.36) * (plain ? 1 : size);
            used = 1 + script_length(text + 1, &part, &length);
        }
        if (plain && next != 0)
            carom_text_append(&svg->out, text, 1);
        if (plain)
            escaped(svg, part, length);
        else if (length)
            run_of(svg, part, length, next - shift, next != 0 ? 0.72 * size : 0, italic);
        if (length)
            shift = next;
        text += used;
    }
}

/* The rules that depend on the background: 0 light, 1 dark. */
static void colours(carom_svg *svg, int dark)
{
    carom_svg_raw(svg, ".carom .paper{fill:%s}\n", paper[dark]);
    carom_svg_raw(svg, ".carom .ink,.carom .body{stroke:%s}\n", ink[dark]);
    carom_svg_raw(svg, ".carom .faint{stroke:%s}\n", faint[dark]);
    carom_svg_raw(svg, ".carom .body{fill:%s}\n", body[dark]);
    carom_svg_raw(svg, ".carom text.ink,.carom .dot,.carom .head.ink{fill:%s}\n", ink[dark]);
    carom_svg_raw(svg, ".carom text.faint,.carom .head.faint{fill:%s}\n", helper[dark]);
    for (int k = 0; k < 8; k++) {
        const char *colour = series[k][dark];
        carom_svg_raw(svg, ".carom .c%d{stroke:%s}", k, colour);
        carom_svg_raw(svg, ".carom .f%d,.carom text.c%d,.carom .head.c%d{fill:%s}\n", k, k, k,
                      colour);
    }
}

static void style_sheet(carom_svg *svg)
{
    carom_svg_raw(svg, "<style>\n"
                       ".carom text{font-family:'DejaVu Sans','Helvetica Neue',Arial,sans-serif}\n"
                       ".carom line,.carom polyline,.carom polygon,.carom circle,.carom path,"
                       ".carom rect{fill:none;stroke-width:1.5;stroke-linejoin:round;"
                       "stroke-linecap:round}\n");
    colours(svg, 0);
    carom_svg_raw(svg,
                  ".carom text.ink,.carom text.faint,.carom text[class^=\"c\"]{stroke:none}\n"
                  ".carom .faint,.carom .thin,.carom .head{stroke-width:1}\n"
                  ".carom .thick{stroke-width:2.5}\n"
                  ".carom .dashed{stroke-dasharray:6 4} .carom .dotted{stroke-dasharray:1.5 4}\n"
                  ".carom .f0,.carom .f1,.carom .f2,.carom .f3,.carom .f4,.carom .f5,.carom .f6,"
                  ".carom .f7{fill-opacity:.2}\n"
                  ".carom .solid{fill-opacity:1} .carom .head{stroke-dasharray:none}\n"
                  ".carom .bold{font-weight:bold}\n"
                  "@media (prefers-color-scheme:dark){\n");
    colours(svg, 1);
    carom_svg_raw(svg, "}\n</style>\n");
}

void carom_svg_begin(carom_svg *svg, const carom_allocator *allocator, double width, double height,
                     const char *title, const char *description)
{
    *svg = (carom_svg){.width = width, .height = height};
    if (allocator)
        svg->out.allocator = *allocator;
    carom_svg_raw(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"carom\" role=\"img\"");
    attribute(svg, "width", width);
    attribute(svg, "height", height);
    carom_svg_raw(svg, " viewBox=\"0 0 %g %g\">\n<title>", width, height);
    marked(svg, title, 0, true);
    carom_text_append(&svg->out, "</title>\n<desc>", 15);
    marked(svg, description, 0, true);
    carom_text_append(&svg->out, "</desc>\n", 8);
    style_sheet(svg);
    carom_svg_rect(svg, "paper", 0, 0, width, height);
}

carom_status carom_svg_finish(carom_svg *svg, char **text, size_t *size, carom_error *error)
{
    carom_text_append(&svg->out, "</svg>\n", 7);
    if (svg->out.failed) {
        carom_svg_destroy(svg);
        return carom_error_memory(error);
    }
    carom_arena_destroy(svg->scratch);
    svg->scratch = NULL;
    *text = svg->out.text;
    *size = svg->out.size;
    return CAROM_OK;
}

void carom_svg_destroy(carom_svg *svg)
{
    carom_text_destroy(&svg->out);
    carom_arena_destroy(svg->scratch);
    svg->scratch = NULL;
}

void carom_svg_line(carom_svg *svg, const char *style, double x1, double y1, double x2, double y2)
{
    carom_svg_raw(svg, "<line class=\"%s\"", style);
    attribute(svg, "x1", x1);
    attribute(svg, "y1", y1);
    attribute(svg, "x2", x2);
    attribute(svg, "y2", y2);
    carom_text_append(&svg->out, "/>\n", 3);
}

static void points(carom_svg *svg, const char *element, const char *style, int count,
                   const double *xy)
{
    carom_svg_raw(svg, "<%s class=\"%s\" points=\"", element, style);
    for (int k = 0; k < count; k++) {
        if (k)
            carom_text_append(&svg->out, " ", 1);
        number(svg, xy[2 * k]);
        carom_text_append(&svg->out, ",", 1);
        number(svg, xy[2 * k + 1]);
    }
    carom_text_append(&svg->out, "\"/>\n", 4);
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
    carom_text_append(&svg->out, "/>\n", 3);
}

void carom_svg_rect(carom_svg *svg, const char *style, double x, double y, double w, double h)
{
    carom_svg_raw(svg, "<rect class=\"%s\"", style);
    attribute(svg, "x", x);
    attribute(svg, "y", y);
    attribute(svg, "width", w);
    attribute(svg, "height", h);
    carom_text_append(&svg->out, "/>\n", 3);
}

void carom_svg_arc(carom_svg *svg, const char *style, double x, double y, double r, double a,
                   double b)
{
    carom_svg_raw(svg, "<path class=\"%s\" d=\"M", style);
    number(svg, x + r * cos(a));
    carom_text_append(&svg->out, " ", 1);
    number(svg, y - r * sin(a));
    carom_text_append(&svg->out, "A", 1);
    number(svg, r);
    carom_text_append(&svg->out, " ", 1);
    number(svg, r);
    carom_svg_raw(svg, " 0 %d %d ", fabs(b - a) > acos(-1), b < a);
    number(svg, x + r * cos(b));
    carom_text_append(&svg->out, " ", 1);
    number(svg, y - r * sin(b));
    carom_text_append(&svg->out, "\"/>\n", 4);
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
    carom_text_append(&svg->out, ">", 1);
    marked(svg, text, size, false);
    carom_text_append(&svg->out, "</text>\n", 8);
}

double carom_svg_text_width(double size, const char *text)
{
    double width = 0, script = 1;
    for (; *text; text++) {
        if (*text == '_' || *text == '^')
            script = 0.72;
        else if (*text == '}')
            script = 1;
        else if (*text != '{' && *text != '`' && ((unsigned char)*text & 0xC0) != 0x80) {
            width += script * size * (*text == ' ' || strchr(".,il'()|", *text) ? 0.36 : 0.61);
            if (script < 1 && text[-1] != '{' && (text[-1] == '_' || text[-1] == '^'))
                script = 1;
        }
    }
    return width;
}

double *carom_svg_doubles(carom_svg *svg, size_t count)
{
    const carom_allocator *allocator = svg->out.allocator.resize ? &svg->out.allocator : NULL;
    if (!svg->out.failed && !svg->scratch &&
        carom_arena_create(allocator, &svg->scratch, NULL) != CAROM_OK)
        svg->out.failed = true;
    double *doubles = svg->out.failed ? NULL : carom_arena_doubles(svg->scratch, count);
    if (!doubles)
        svg->out.failed = true;
    return doubles;
}
