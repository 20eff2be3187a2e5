/* Pages: the document, its style sheet, text, numbers, tables and figures. */
#include "pictures/page.h"

#include "carom/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char style_sheet[] =
    "<style>\n"
    ":root{--text:#1f2328;--soft:#57606a;--line:#d3d8dd;--page:#ffffff;--band:#f5f7f9;"
    "--good:#116b3a;--bad:#b3261e;--link:#0b5cad}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--text:#e6e8ea;--soft:#a3abb4;--line:#3a4047;"
    "--page:#15181c;--band:#1d2126;--good:#5cd394;--bad:#ff8a80;--link:#7cc0ff}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0 auto;max-width:66rem;padding:1.5rem 1.25rem 3rem;background:var(--page);"
    "color:var(--text);font:16px/1.5 system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,"
    "sans-serif}\n"
    "h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.25rem;margin:2.25rem 0 .6rem;padding-bottom:.25rem;"
    "border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "p{margin:.5rem 0;max-width:46rem} a{color:var(--link)}\n"
    ".soft,figcaption,footer{color:var(--soft)}\n"
    ".scroll{overflow-x:auto;margin:.6rem 0} .scroll:focus-visible{outline:2px solid "
    "var(--link)}\n"
    "table{border-collapse:collapse;font-size:.8438rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.3rem .5rem;text-align:left;vertical-align:top;border-bottom:1px solid "
    "var(--line)}\n"
    "thead th{vertical-align:bottom;border-bottom:2px solid var(--soft)}\n"
    "th,td{overflow-wrap:normal;word-break:normal;hyphens:none}\n"
    "tbody th{font-weight:600} tbody th.laws{min-width:9rem}\n"
    "tbody tr:nth-child(even){background:var(--band)}\n"
    "td.n{text-align:right;white-space:nowrap} th.n{text-align:right} td.w{min-width:16rem}\n"
    "td.m{text-align:center} tr.before td,tr.before th{font-weight:400;color:var(--soft)}\n"
    "pre{font-size:.8125rem;line-height:1.45;overflow-x:auto;background:var(--band);"
    "padding:.75rem;border-radius:.3rem;tab-size:4}\n"
    ".good{color:var(--good)} .bad{color:var(--bad);font-weight:600} .none{color:var(--soft)}\n"
    "sup,sub{line-height:0}\n"
    "figure{margin:1rem 0} figure svg{display:block;width:100%;height:auto;max-width:36rem}\n"
    "figure.wide svg{max-width:100%} figure.strobe svg{max-width:46rem}\n"
    "figure svg .paper-mark{fill:var(--page)} figure .carom .strong{fill-opacity:.36}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18rem),1fr));gap:."
    "25rem "
    "1rem} .grid figure{margin:.25rem 0;min-width:0} .grid h3{margin-bottom:0}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));gap:0 "
    "1.5rem;"
    "align-items:start}\n"
    "figcaption{font-size:.875rem;margin-top:.4rem;max-width:46rem}\n"
    ".key{list-style:none;margin:.5rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem "
    "1.1rem;font-size:.875rem} .key li{display:flex;gap:.45rem;align-items:center}\n"
    ".key b{min-width:1em} .key svg{flex:none;width:26px;height:14px;display:inline-block}\n"
    "dl{margin:.5rem 0;display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;"
    "font-size:.9rem} dt{color:var(--soft)} dd{margin:0;overflow-wrap:anywhere}\n"
    "footer{margin-top:3rem;font-size:.8125rem;border-top:1px solid var(--line);"
    "padding-top:.6rem}\n"
    "@media (max-width:40rem){body{padding:1rem .75rem 2rem} h1{font-size:1.4rem} "
    "th,td{padding:.25rem .4rem} dl{grid-template-columns:1fr;gap:0} dd{margin-bottom:.35rem}}\n"
    "@page{size:A4;margin:16mm 15mm}\n"
    "@media print{html{font-size:9.5pt} body{max-width:none;padding:0;font-size:1rem} "
    ".scroll{overflow:visible} "
    "figure,tr,.key li{break-inside:avoid} h2,h3{break-after:avoid} table{font-size:7.5pt} "
    "th,td{padding:.12rem .3rem} td.w{min-width:0} pre{white-space:pre-wrap;font-size:7.5pt} "
    "figure svg{max-width:11cm} .pair{display:block} "
    ".grid{grid-template-columns:repeat(3,1fr)} a{color:inherit;text-decoration:none}}\n"
    "</style>\n";

static void literal(carom_page *page, const char *text)
{
    carom_text_append(&page->out, text, strlen(text));
}

void carom_page_raw(carom_page *page, const char *format, ...)
{
    char piece[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = carom_text_format_list(piece, sizeof piece, format, arguments);
    va_end(arguments);
    carom_text_append(&page->out, piece, (size_t)length);
}

/* Bytes of the UTF-8 character at text; 0 when it is none, or one that HTML forbids. */
static size_t character(const unsigned char *text)
{
    unsigned char c = text[0];
    if (c < 0x80)
        return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F ? 0 : 1;
    size_t length = c >= 0xF0 && c <= 0xF4  ? 4
                    : c >= 0xE0 && c < 0xF0 ? 3
                    : c >= 0xC2 && c < 0xE0 ? 2
                                            : 0;
    unsigned long code = length == 4 ? c & 7u : length == 3 ? c & 15u : c & 31u;
    for (size_t k = 1; k < length; k++) {
        if ((text[k] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (text[k] & 0x3Fu);
    }
    bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    bool forbidden = (code >= 0x80 && code < 0xA0) || (code >= 0xD800 && code < 0xE000) ||
                     (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE ||
                     code > 0x10FFFF;
    return overlong || forbidden ? 0 : length;
}

static void escape(carom_page *page, const char *at, const char *end)
{
    while (at < end) {
        size_t length = character((const unsigned char *)at);
        if (*at == '<')
            literal(page, "&lt;");
        else if (*at == '>')
            literal(page, "&gt;");
        else if (*at == '&')
            literal(page, "&amp;");
        else if (*at == '"')
            literal(page, "&quot;");
        else if (length)
            carom_text_append(&page->out, at, length);
        else
            literal(page, "\xEF\xBF\xBD");
        at += length ? length : 1;
    }
}

void carom_page_text(carom_page *page, const char *text)
{
    if (text)
        escape(page, text, text + strlen(text));
}

void carom_page_name(carom_page *page, const char *name)
{
    while (*name) {
        size_t length = strcspn(name, ":=,_.");
        length += name[length] != '\0';
        escape(page, name, name + length);
        name += length;
        if (*name)
            literal(page, "<wbr>");
    }
}

void carom_page_number(carom_page *page, double value, int digits)
{
    if (isnan(value)) {
        literal(page, "\xE2\x80\x93");
        return;
    }
    char text[48];
    if (isinf(value))
        snprintf(text, sizeof text, "\xE2\x88\x9E");
    else
        carom_number_print_digits(fabs(value), digits, text);
    if (value < 0)
        literal(page, "\xE2\x88\x92");
    char *exponent = strchr(text, 'e');
    if (!exponent) {
        literal(page, text);
        return;
    }
    *exponent = '\0';
    int power = atoi(exponent + 1);
    if (strcmp(text, "1") != 0)
        carom_page_raw(page, "%s\xC2\xB7", text);
    carom_page_raw(page, "10<sup>%s%d</sup>", power < 0 ? "\xE2\x88\x92" : "", abs(power));
}

void carom_page_cell(carom_page *page, double value, double scale, int digits)
{
    literal(page, "<td class=\"n\">");
    carom_page_number(page, carom_number_clean(value, scale), digits);
    literal(page, "</td>");
}

void carom_page_begin(carom_page *page, const carom_allocator *allocator, const char *title)
{
    *page = (carom_page){0};
    if (allocator)
        page->out.allocator = *allocator;
    literal(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta name=\"generator\" content=\"carom " CAROM_VERSION "\">\n<title>");
    carom_page_text(page, title);
    literal(page, "</title>\n");
    literal(page, style_sheet);
    literal(page, "</head>\n<body>\n<main>\n<h1>");
    carom_page_text(page, title);
    literal(page, "</h1>\n");
}

carom_status carom_page_finish(carom_page *page, char **text, size_t *size, carom_error *error)
{
    literal(page, "</main>\n<footer>Written by carom " CAROM_VERSION
                  ". Self-contained: this page loads nothing from elsewhere.</footer>\n"
                  "</body>\n</html>\n");
    if (page->out.failed) {
        carom_page_destroy(page);
        return carom_error_memory(error);
    }
    *text = page->out.text;
    *size = page->out.size;
    return CAROM_OK;
}

void carom_page_destroy(carom_page *page)
{
    carom_text_destroy(&page->out);
}

void carom_page_section(carom_page *page, const char *id, const char *heading)
{
    carom_page_raw(page, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id,
                   heading);
}

void carom_page_section_end(carom_page *page)
{
    literal(page, "</section>\n");
}

void carom_page_table(carom_page *page, const char *label)
{
    carom_page_raw(page,
                   "<div class=\"scroll\" role=\"region\" aria-label=\"%s\" tabindex=\"0\">\n"
                   "<table>\n",
                   label);
}

void carom_page_table_end(carom_page *page)
{
    literal(page, "</table>\n</div>\n");
}

/* The style sheet of the pictures is the same for all: the page keeps the first. */
void carom_page_figure(carom_page *page, carom_svg *svg, const char *style)
{
    char *text = NULL;
    size_t size = 0;
    carom_page_raw(page, "<figure%s%s%s>\n", *style ? " class=\"" : "", style, *style ? "\"" : "");
    if (carom_svg_finish(svg, NULL, &text, &size, NULL)) {
        page->out.failed = true;
        return;
    }
    const char *from = strstr(text, "<style>"), *to = from ? strstr(from, "</style>\n") : NULL;
    if (to && page->pictures++) {
        carom_text_append(&page->out, text, (size_t)(from - text));
        literal(page, to + strlen("</style>\n"));
    } else
        carom_text_append(&page->out, text, size);
    carom_allocator_resize(&page->out.allocator, text, 0);
}

void carom_page_figure_end(carom_page *page)
{
    literal(page, "</figure>\n");
}
