/* Text in SVG pictures: scripts and italics as spans, blanks kept, and how wide a text is. */
#include "pictures/svg.h"

#include <math.h>
#include <string.h>

static const double script_size = 0.72, lowered = 0.28, raised = -0.36; /* parts of the size */

/* One run of characters set alike. */
typedef struct run {
    const char *text;
    size_t length;
    int script; /* -1 sub, 0 base line, 1 super */
    bool italic;
} run;

/* Where the reader of a marked text is: scripts in braces may hold italics. */
typedef struct reader {
    const char *at;
    bool italic, braced;
    int script; /* inside braces */
} reader;

static size_t character_length(const char *text)
{
    size_t length = *text != '\0';
    while (((unsigned char)text[length] & 0xC0) == 0x80)
        length++;
    return length;
}

/* The next run; false at the end. */
static bool next_run(reader *r, run *next)
{
    while (*r->at) {
        char c = *r->at;
        if (c == '`') {
            r->italic = !r->italic;
            r->at++;
        } else if (r->braced && c == '}') {
            r->braced = false;
            r->script = 0;
            r->at++;
        } else if (!r->braced && (c == '_' || c == '^')) {
            int script = c == '_' ? -1 : 1;
            if (*++r->at == '{') {
                r->at++;
                r->braced = true;
                r->script = script;
                continue;
            }
            *next = (run){r->at, character_length(r->at), script, r->italic};
            r->at += next->length;
            if (next->length)
                return true;
        } else {
            size_t length = strcspn(r->at, r->braced ? "`}" : "`_^");
            *next = (run){r->at, length, r->script, r->italic};
            r->at += length;
            return true;
        }
    }
    return false;
}

/* Advance widths of DejaVu Sans in thousandths of the size, from the blank to '~'. */
static const short advance[95] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

/* Letters of other scripts are as wide as Greek ones, signs (from U+2000 on) as the minus. */
static double character_width(const char *text)
{
    unsigned char c = (unsigned char)*text;
    if (c >= 0x20 && c < 0x7f)
        return advance[c - 0x20] * 0.001;
    return c == 0xCC || c == 0xCD ? 0 : c >= 0xE2 ? 0.838 : 0.63; /* combining marks: none */
}

static void escaped(carom_text *out, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        switch (text[k]) {
        case '<':
            carom_text_append(out, "&lt;", 4);
            break;
        case '>':
            carom_text_append(out, "&gt;", 4);
            break;
        case '&':
            carom_text_append(out, "&amp;", 5);
            break;
        default:
            carom_text_append(out, text + k, 1);
        }
}

/* One span, shifted from the run before it. */
static void span(carom_svg *svg, const run *r, double shift, double size)
{
    bool wrapped = shift != 0 || r->script || r->italic;
    if (wrapped)
        carom_text_append(&svg->out, "<tspan", 6);
    if (shift != 0)
        carom_svg_attribute(svg, "dy", shift);
    if (r->script)
        carom_svg_attribute(svg, "font-size", script_size * size);
    if (r->italic)
        carom_svg_raw(svg, " font-style=\"italic\"");
    if (wrapped)
        carom_text_append(&svg->out, ">", 1);
    escaped(&svg->out, r->text, r->length);
    if (wrapped)
        carom_text_append(&svg->out, "</tspan>", 8);
}

static double shift_of(int script, double size)
{
    return script < 0 ? lowered * size : script > 0 ? raised * size : 0;
}

/* The box around a text so wide, for pictures that are cut at what they show. */
static void extend(carom_svg *svg, const char *style, double x, double y, char anchor, double size,
                   double angle, double width)
{
    width *= strstr(style, "bold") ? 1.15 : 1;
    double from = anchor == 's' ? 0 : anchor == 'm' ? -width / 2 : -width;
    double c = cos(angle * CAROM_PI / 180), s = sin(angle * CAROM_PI / 180);
    for (int k = 0; k < 4; k++) {
        double dx = k % 2 ? from + width : from, dy = k / 2 ? 0.4 * size : -0.95 * size;
        carom_svg_extend(svg, x + c * dx - s * dy, y + s * dx + c * dy, 0);
    }
}

static void open_text(carom_svg *svg, const char *style, double x, double y, char anchor,
                      double size, double angle)
{
    carom_svg_raw(svg, "<text class=\"%s\"", style);
    carom_svg_attribute(svg, "x", x);
    carom_svg_attribute(svg, "y", y);
    carom_svg_attribute(svg, "font-size", size);
    if (anchor != 's')
        carom_svg_raw(svg, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end");
    if (angle != 0)
        carom_svg_raw(svg, " transform=\"rotate(%g %g %g)\"", angle, x, y);
    carom_text_append(&svg->out, ">", 1);
}

void carom_svg_text(carom_svg *svg, const char *style, double x, double y, char anchor, double size,
                    double angle, const char *text)
{
    reader r = {.at = text};
    run next;
    double shift = 0; /* of the last run from the base line */
    if (!*text)
        return;
    open_text(svg, style, x, y, anchor, size, angle);
    while (next_run(&r, &next)) {
        double to = shift_of(next.script, size);
        span(svg, &next, to - shift, size);
        shift = to;
    }
    carom_text_append(&svg->out, "</text>\n", 8);
    extend(svg, style, x, y, anchor, size, angle, carom_svg_text_width(size, text));
}

void carom_svg_text_label(carom_svg *svg, const char *style, double x, double y, char anchor,
                          double size, double angle, int most, const char *text)
{
    double width = 0;
    if (!*text)
        return;
    open_text(svg, style, x, y, anchor, size, angle);
    for (int shown = 0; *text; shown++) {
        if (shown == most) {
            carom_text_append(&svg->out, "…", strlen("…"));
            break;
        }
        size_t length = character_length(text);
        width += size * character_width(text);
        if ((unsigned char)*text < 0x20)
            carom_text_append(&svg->out, " ", 1);
        else
            escaped(&svg->out, text, length);
        text += length;
    }
    carom_text_append(&svg->out, "</text>\n", 8);
    extend(svg, style, x, y, anchor, size, angle, width);
}

void carom_svg_text_plain(carom_text *out, const char *text)
{
    reader r = {.at = text};
    run next;
    int before = 0;
    while (next_run(&r, &next)) {
        if (next.script && next.script != before)
            carom_text_append(out, next.script < 0 ? "_" : "^", 1);
        escaped(out, next.text, next.length);
        before = next.script;
    }
}

double carom_svg_text_width(double size, const char *text)
{
    reader r = {.at = text};
    run next;
    double width = 0;
    while (next_run(&r, &next))
        for (size_t k = 0; k < next.length; k += character_length(next.text + k))
            width += (next.script ? script_size : 1) * size * character_width(next.text + k);
    return width;
}

double carom_svg_text_label_width(double size, const char *text)
{
    double width = 0;
    for (; *text; text += character_length(text))
        width += size * character_width(text);
    return width;
}
