/* The style sheet of SVG pictures: colours on light and dark, line patterns, fonts. */
#include "pictures/svg.h"

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

static void put(carom_text *out, const char *format, ...) CAROM_PRINTF(2, 3);

static void put(carom_text *out, const char *format, ...)
{
    char rule[1024];
    va_list list;
    va_start(list, format);
    int length = carom_text_format_list(rule, sizeof rule, format, list);
    va_end(list);
    carom_text_append(out, rule, (size_t)length);
}

/* The rules that depend on the background: 0 light, 1 dark. */
static void colours(carom_text *out, int dark)
{
    put(out, ".carom .paper{fill:%s}\n", paper[dark]);
    put(out, ".carom .ink,.carom .body{stroke:%s}\n", ink[dark]);
    put(out, ".carom .faint{stroke:%s}\n", faint[dark]);
    put(out, ".carom .body{fill:%s}\n", body[dark]);
    put(out, ".carom text.ink,.carom .dot,.carom .head.ink{fill:%s}\n", ink[dark]);
    put(out, ".carom text.faint,.carom .head.faint{fill:%s}\n", helper[dark]);
    for (int k = 0; k < 8; k++) {
        const char *colour = series[k][dark];
        put(out, ".carom .c%d{stroke:%s}", k, colour);
        put(out, ".carom .f%d,.carom text.c%d,.carom .head.c%d{fill:%s}\n", k, k, k, colour);
    }
}

void carom_svg_style(carom_text *out)
{
    put(out, "<style>\n"
             ".carom text{font-family:'DejaVu Sans','Helvetica Neue',Arial,sans-serif}\n"
             ".carom line,.carom polyline,.carom polygon,.carom circle,.carom path,.carom rect"
             "{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}\n");
    colours(out, 0);
    put(out, ".carom text.ink,.carom text.faint,.carom text[class^=\"c\"]{stroke:none}\n"
             ".carom .faint,.carom .thin,.carom .head{stroke-width:1}\n"
             ".carom .thick{stroke-width:2.5}\n"
             ".carom .dashed{stroke-dasharray:7 4.5} .carom .dotted{stroke-dasharray:1 4.5}\n"
             ".carom .dashdot{stroke-dasharray:9 4 1 4} .carom .long{stroke-dasharray:16 5}\n");
    put(out, ".carom .f0,.carom .f1,.carom .f2,.carom .f3,.carom .f4,.carom .f5,.carom .f6,"
             ".carom .f7{fill-opacity:.2}\n"
             ".carom .solid{fill-opacity:1} .carom .head{stroke-dasharray:none}\n"
             ".carom .bold{font-weight:bold}\n"
             "@media screen and (prefers-color-scheme:dark){\n");
    colours(out, 1);
    put(out, "}\n</style>\n");
}
