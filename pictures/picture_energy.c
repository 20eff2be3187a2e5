#include "pictures/picture.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 460, LEFT = 190, RIGHT = 96, ROW = 22 };

/* Kinetic energy of the motion relative to the frame velocity b: what the energetic verdict
 * judges. */
static double energy(const carom_geometry *g, const double *u)
{
    double uu = carom_geometry_dot(g, u, u), ub = carom_geometry_dot(g, u, g->b);
    return fmax(0, 0.5 * (uu - 2 * ub + carom_geometry_dot(g, g->b, g->b)));
}

static const carom_outcome *existing(const carom_report_impact *report, int e)
{
    const carom_outcome *o = report->entries[e].outcome;
    return o->answer == CAROM_ANSWER_OK || o->answer == CAROM_ANSWER_SEVERAL ? o : NULL;
}

static void draw_bar(carom_svg *svg, double y, double value, double before, double pixels)
{
    bool gain = value > before * (1 + 1e-9);
    double length = pixels * value;
    char text[64];
    if (length > 0)
        carom_svg_rect(svg, gain ? "c1 f1 thin" : "c0 f0 thin", LEFT, y + 4, length, ROW - 8);
    if (before > 0)
        carom_text_format(text, sizeof text, "%.4g (%.3g %%)", value, 100 * value / before);
    else
        carom_text_format(text, sizeof text, "%.4g", value);
    carom_svg_text(svg, gain ? "c1" : "ink", WIDTH - 4, y + 15.5, 'e', 12, 0, text);
}

void carom_picture_energy(const carom_report_impact *report, const carom_outcome_marks *marks,
                          const carom_allocator *allocator, carom_svg *svg)
{
    const carom_geometry *g = report->geometry;
    double before = energy(g, g->impact->u), most = before;
    int rows = 1;
    for (int e = 0; e < report->count; e++)
        if (existing(report, e)) {
            most = fmax(most, energy(g, existing(report, e)->u));
            rows++;
        }
    double height = 12 + ROW * rows, pixels = most > 0 ? (WIDTH - LEFT - RIGHT - 30) / most : 0;
    carom_svg_begin(svg, allocator, WIDTH, height, "Energy after the impact",
                    "One bar per law: kinetic energy after the impact; the line marks the energy "
                    "before.");
    double y = 4;
    carom_svg_text(svg, "ink bold", LEFT - 8, y + 15.5, 'e', 12.5, 0, "before");
    draw_bar(svg, y, before, before, pixels);
    for (int e = 0; e < report->count; e++) {
        const carom_outcome *o = existing(report, e);
        if (!o)
            continue;
        char letter[4];
        y += ROW;
        carom_picture_text(svg, "ink", LEFT - 26, y + 15.5, 'e', 12, 0, 24,
                           report->entries[e].label);
        carom_svg_text(svg, "c1 bold", LEFT - 14, y + 15.5, 'm', 12.5, 0,
                       carom_outcome_marks_letter(marks->mark[marks->start[e]], letter));
        draw_bar(svg, y, energy(g, o->u), before, pixels);
    }
    double x = LEFT + pixels * before;
    carom_svg_line(svg, "ink thin dashed", x, 2, x, height - 2);
    carom_svg_line(svg, "ink thin", LEFT, 2, LEFT, height - 2);
}
