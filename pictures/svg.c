/* SVG documents: shapes, the box around them, and how a finished picture is shown. */
#include "pictures/svg.h"

#include "carom/text.h"

#include <math.h>
#include <string.h>

void carom_svg_raw(carom_svg *svg, const char *format, ...)
{
    char piece[1024];
    va_list list;
    va_start(list, format);
    int length = carom_text_format_list(piece, sizeof piece, format, list);
    va_end(list);
    carom_text_append(&svg->out, piece, (size_t)length);
}

/* No trailing zeros, no "-0": short, and the same on every machine. */
void carom_svg_number(carom_text *out, double value)
{
    char text[352];
    double rounded = round(value * 100) / 100;
    int length = carom_number_print_fixed(rounded == 0 ? 0 : rounded, 2, text, sizeof text);
    while (length > 1 && text[length - 1] == '0')
        length--;
    if (text[length - 1] == '.')
        length--;
    carom_text_append(out, text, (size_t)length);
}

static void attribute(carom_text *out, const char *name, double value, const char *unit)
{
    carom_text_append(out, " ", 1);
    carom_text_append(out, name, strlen(name));
    carom_text_append(out, "=\"", 2);
    carom_svg_number(out, value);
    carom_text_append(out, unit, strlen(unit));
    carom_text_append(out, "\"", 1);
}

void carom_svg_attribute(carom_svg *svg, const char *name, double value)
{
    attribute(&svg->out, name, value, "");
}

void carom_svg_extend(carom_svg *svg, double x, double y, double margin)
{
    svg->least[0] = fmin(svg->least[0], x - margin);
    svg->least[1] = fmin(svg->least[1], y - margin);
    svg->most[0] = fmax(svg->most[0], x + margin);
    svg->most[1] = fmax(svg->most[1], y + margin);
}

void carom_svg_begin(carom_svg *svg, const carom_allocator *allocator, double width, double height,
                     const char *title, const char *description)
{
    *svg = (carom_svg){.width = width,
                       .height = height,
                       .least = {INFINITY, INFINITY},
                       .most = {-INFINITY, -INFINITY}};
    if (allocator)
        svg->out.allocator = svg->head.allocator = *allocator;
    carom_text_append(&svg->head, "<title>", 7);
    carom_svg_text_plain(&svg->head, title);
    carom_text_append(&svg->head, "</title>\n<desc>", 15);
    carom_svg_text_plain(&svg->head, description);
    carom_text_append(&svg->head, "</desc>\n", 8);
    carom_svg_style(&svg->head);
}

/* The part of the drawing that is shown: x, y, width, height. */
static void shown_part(const carom_svg *svg, bool cropped, double box[4])
{
    const double margin = 4;
    box[0] = box[1] = 0;
    box[2] = svg->width;
    box[3] = svg->height;
    if (!cropped || !(svg->least[0] < svg->most[0]))
        return;
    for (int k = 0; k < 2; k++) {
        box[k] = floor(svg->least[k] - margin);
        box[2 + k] = ceil(svg->most[k] + margin) - box[k];
    }
}

/* Opening tag and background. Blanks beside scripts are kept, which SVG drops by itself. */
static void opening(const carom_svg *svg, const carom_svg_show *show, carom_text *out)
{
    static const char start[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"carom\" "
                                "role=\"img\" xml:space=\"preserve\"";
    double box[4];
    shown_part(svg, show->cropped, box);
    double scale = show->width > 0 ? show->width / box[2] : 1;
    const char *unit = show->width > 0 && show->unit ? show->unit : "";
    carom_text_append(out, start, sizeof start - 1);
    attribute(out, "width", scale * box[2], unit);
    attribute(out, "height", scale * box[3], unit);
    carom_text_append(out, " viewBox=\"", 10);
    for (int k = 0; k < 4; k++) {
        carom_svg_number(out, box[k]);
        carom_text_append(out, k < 3 ? " " : "\">\n", k < 3 ? 1 : 3);
    }
    if (svg->head.text)
        carom_text_append(out, svg->head.text, svg->head.size);
    carom_text_append(out, "<rect class=\"paper\"", 19);
    attribute(out, "x", box[0], "");
    attribute(out, "y", box[1], "");
    attribute(out, "width", box[2], "");
    attribute(out, "height", box[3], "");
    carom_text_append(out, "/>\n", 3);
}

carom_status carom_svg_finish(carom_svg *svg, const carom_svg_show *show, char **text, size_t *size,
                              carom_error *error)
{
    static const carom_svg_show plain = {0};
    carom_text whole = {.allocator = svg->out.allocator,
                        .failed = svg->out.failed || svg->head.failed};
    opening(svg, show ? show : &plain, &whole);
    if (svg->out.text)
        carom_text_append(&whole, svg->out.text, svg->out.size);
    carom_text_append(&whole, "</svg>\n", 7);
    carom_svg_destroy(svg);
    if (whole.failed) {
        carom_text_destroy(&whole);
        return carom_error_memory(error);
    }
    *text = whole.text;
    *size = whole.size;
    return CAROM_OK;
}

void carom_svg_destroy(carom_svg *svg)
{
    carom_text_destroy(&svg->out);
    carom_text_destroy(&svg->head);
    carom_arena_destroy(svg->scratch);
    svg->scratch = NULL;
}

void carom_svg_colour(carom_svg *svg, const char *css)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "#(),.% -";
    size_t length = css ? strlen(css) : 0;
    if (length >= sizeof svg->colour || strspn(css ? css : "", allowed) != length)
        length = 0;
    memcpy(svg->colour, css ? css : "", length);
    svg->colour[length] = '\0';
}

/* The beginning of a shape: its class, and the colour that goes before that of the class. */
static void open_shape(carom_svg *svg, const char *element, const char *style)
{
    bool filled = (style[0] == 'f' && style[1] >= '0' && style[1] <= '9') ||
                  strncmp(style, "body", 4) == 0 || strncmp(style, "dot", 3) == 0;
    carom_svg_raw(svg, "<%s class=\"%s\"", element, style);
    if (svg->colour[0])
        carom_svg_raw(svg, " style=\"stroke:%s%s%s\"", svg->colour, filled ? ";fill:" : "",
                      filled ? svg->colour : "");
}

void carom_svg_line(carom_svg *svg, const char *style, double x1, double y1, double x2, double y2)
{
    open_shape(svg, "line", style);
    carom_svg_attribute(svg, "x1", x1);
    carom_svg_attribute(svg, "y1", y1);
    carom_svg_attribute(svg, "x2", x2);
    carom_svg_attribute(svg, "y2", y2);
    carom_text_append(&svg->out, "/>\n", 3);
    carom_svg_extend(svg, x1, y1, 1);
    carom_svg_extend(svg, x2, y2, 1);
}

static void points(carom_svg *svg, const char *element, const char *style, int count,
                   const double *xy)
{
    open_shape(svg, element, style);
    carom_text_append(&svg->out, " points=\"", 9);
    for (int k = 0; k < count; k++) {
        if (k)
            carom_text_append(&svg->out, " ", 1);
        carom_svg_number(&svg->out, xy[2 * k]);
        carom_text_append(&svg->out, ",", 1);
        carom_svg_number(&svg->out, xy[2 * k + 1]);
        carom_svg_extend(svg, xy[2 * k], xy[2 * k + 1], 1);
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
    open_shape(svg, "circle", style);
    carom_svg_attribute(svg, "cx", x);
    carom_svg_attribute(svg, "cy", y);
    carom_svg_attribute(svg, "r", r);
    carom_text_append(&svg->out, "/>\n", 3);
    carom_svg_extend(svg, x, y, r + 1);
}

void carom_svg_rect(carom_svg *svg, const char *style, double x, double y, double w, double h)
{
    open_shape(svg, "rect", style);
    carom_svg_attribute(svg, "x", x);
    carom_svg_attribute(svg, "y", y);
    carom_svg_attribute(svg, "width", w);
    carom_svg_attribute(svg, "height", h);
    carom_text_append(&svg->out, "/>\n", 3);
    carom_svg_extend(svg, x, y, 1);
    carom_svg_extend(svg, x + w, y + h, 1);
}

void carom_svg_arc(carom_svg *svg, const char *style, double x, double y, double r, double a,
                   double b)
{
    double from[2] = {x + r * cos(a), y - r * sin(a)}, to[2] = {x + r * cos(b), y - r * sin(b)};
    carom_svg_raw(svg, "<path class=\"%s\" d=\"M%.2f %.2fA%.2f %.2f 0 %d %d %.2f %.2f\"/>\n", style,
                  from[0], from[1], r, r, fabs(b - a) > CAROM_PI, b < a, to[0], to[1]);
    carom_svg_extend(svg, from[0], from[1], 1);
    carom_svg_extend(svg, to[0], to[1], 1);
    carom_svg_extend(svg, x + r * cos(0.5 * (a + b)), y - r * sin(0.5 * (a + b)), 1);
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
    carom_text_format(filled, sizeof filled, "head %s", style);
    points(svg, "polygon", filled, 3, xy);
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
