/* Velocity space of an impact as a picture of its own, with its key and the laws of each letter. */
#include "pictures/picture.h"
#include "pictures/plot.h"

#include <string.h>

static const double line = 17, margin = 20;

/* Entries of a key, in rows below the picture. */
typedef struct keys {
    carom_svg *svg;
    double x, y;
} keys;

static void key(keys *k, bool shown, bool filled, const char *style, const char *text)
{
    const double wide = 34 + carom_svg_text_width(12, text) + 18;
    if (!shown)
        return;
    if (k->x + wide > k->svg->width && k->x > margin) {
        k->x = margin;
        k->y += line;
    }
    if (filled)
        carom_svg_rect(k->svg, style, k->x + 2, k->y - 9, 22, 11);
    else
        carom_svg_line(k->svg, style, k->x, k->y - 4, k->x + 26, k->y - 4);
    carom_svg_text(k->svg, "ink", k->x + 33, k->y, 's', 12, 0, text);
    k->x += wide;
}

/* What the colours and lines mean. */
static double write_key(carom_svg *svg, double y, const carom_picture_parts *parts, bool moving)
{
    keys k = {svg, margin, y};
    key(&k, true, false, "ink thick", moving ? "before, `u`^{−} − `b`" : "before, `u`^{−}");
    key(&k, parts->T, true, "f2 c2", "tangent cone `T`");
    key(&k, parts->T_perp, true, "f1 c1 thin", "normal cone `T`^{⊥}");
    key(&k, parts->reach, false, "c6 dashed thin", "what impulses can reach");
    key(&k, parts->S, true, "f6 c6", "admissible set `S`");
    key(&k, true, false, "ink", "energy sphere");
    key(&k, parts->half_sphere, false, "c7 dotted", "dissipation sphere, `ε` = ½");
    key(&k, parts->z_sphere, false, "c7 dashed thin", "`ε` = 0");
    return k.y + line;
}

/* "A  newton, moreau", as many lines as it takes. */
static double write_laws(carom_svg *svg, double y, const carom_report_impact *report,
                         const carom_outcome_marks *marks)
{
    const double left = margin + 22, most = svg->width - margin - left;
    for (int k = 0; k < marks->count; k++) {
        char letter[4], row[200] = "", name[80];
        carom_svg_text(svg, "c1 bold", margin, y, 's', 12.5, 0,
                       carom_outcome_marks_letter(k, letter));
        for (int e = 0; e < report->count; e++)
            for (int j = marks->start[e]; j < marks->start[e + 1]; j++) {
                if (marks->mark[j] != k)
                    continue;
                size_t used = strlen(row);
                carom_text_format(name, sizeof name, "%.60s%s", report->entries[e].label,
                                  j > marks->start[e] ? " (or)" : "");
                carom_text_format(row + used, sizeof row - used, "%s%s", used ? ", " : "", name);
                if (!used || carom_svg_text_label_width(12, row) <= most)
                    continue;
                row[used] = ','; /* it goes on in the next line */
                row[used + 1] = '\0';
                carom_svg_text_label(svg, "ink", left, y, 's', 12, 0, 200, row);
                y += line;
                carom_text_format(row, sizeof row, "%s", name);
            }
        carom_svg_text_label(svg, "ink", left, y, 's', 12, 0, 200, row);
        y += line;
    }
    return y;
}

static carom_status draw(const carom_report_impact *report, bool bare, carom_arena *arena,
                         const carom_allocator *allocator, carom_svg *svg, carom_error *error)
{
    carom_outcome_marks marks;
    carom_velocity_view view;
    carom_picture_parts parts;
    carom_status status = carom_outcome_marks_find(report, arena, &marks, error);
    int k = report->axis_count == 3 ? 3 : 2;
    if (!status)
        status = carom_velocity_view_choose(report, k, arena, &view, error);
    if (!status && k == 3 && view.k == 3)
        status = carom_picture_space(report, &view, &marks, arena, allocator, svg, &parts, error);
    else if (!status)
        status =
            carom_picture_plane(report, &view, &marks, false, arena, allocator, svg, &parts, error);
    if (status)
        return status;
    if (bare)
        return CAROM_OK;
    bool moving = strcmp(carom_picture_before(report), "`u`^{−}") != 0;
    double y = write_key(svg, svg->height + 14, &parts, moving);
    svg->height = write_laws(svg, y + 4, report, &marks) - 4;
    return CAROM_OK;
}

carom_status carom_report_impact_picture(const carom_report_impact *report, bool bare, double width,
                                         const char *unit, const carom_allocator *allocator,
                                         char **text, size_t *size, carom_error *error)
{
    carom_arena *arena;
    carom_svg svg = {0};
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status)
        return status;
    status = draw(report, bare, arena, allocator, &svg, error);
    carom_arena_destroy(arena);
    if (status) {
        carom_svg_destroy(&svg);
        return status;
    }
    const carom_svg_show show = {.cropped = bare, .width = width, .unit = unit};
    return carom_svg_finish(&svg, &show, text, size, error);
}
