/* Bars of the energy after an impact, one per outcome. */
#include "carom/tolerance.h"
#include "pictures/picture.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 460, LEFT = 190, RIGHT = 96, ROW = 22 };

/* Kinetic energy of the motion relative to the frame velocity b: what the energetic verdict
 * judges. */
static double energy(const carom_geometry *g, const double *u)
{
    double uu = carom_geometry_dot(g, u, u), ub = carom_geometry_dot(g, u, g->b);
    return fmax(0, 0.5 * (uu - 2 * ub + carom_geometry_dot(g, g->b, g->b)));
}

static void draw_bar(carom_svg *svg, double y, double value, double before, double pixels)
{
    bool gain = value > before * (1 + CAROM_TOLERANCE_SAME);
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

/* "newton, moreau and 5 more", as long as fits. */
static void laws_of(const carom_report_impact *report, const carom_outcome_marks *marks, int mark,
                    char *text, size_t size)
{
    const double fits = LEFT - 26 - 30; /* pixels, with room for " +12" */
    int count = 0, named = 0;
    *text = '\0';
    for (int e = 0; e < report->count; e++)
        for (int j = marks->start[e]; j < marks->start[e + 1]; j++) {
            if (marks->mark[j] != mark)
                continue;
            count++;
            size_t used = strlen(text), length = strlen(report->entries[e].label);
            if (named < count - 1 || used + length + 3 >= size)
                continue;
            carom_text_format(text + used, size - used, "%s%s", named ? ", " : "",
                              report->entries[e].label);
            if (named && carom_svg_text_width(12, text) > fits)
                text[used] = '\0';
            else
                named++;
        }
    size_t used = strlen(text);
    if (named < count)
        carom_text_format(text + used, size - used, " +%d", count - named);
}

void carom_picture_energy(const carom_report_impact *report, const carom_outcome_marks *marks,
                          const carom_allocator *allocator, carom_svg *svg)
{
    const carom_geometry *g = report->geometry;
    double before = energy(g, g->impact->u), most = before;
    for (int k = 0; k < marks->count; k++)
        most = fmax(most, energy(g, marks->u[k]));
    double height = 12 + ROW * (marks->count + 1);
    double pixels = most > 0 ? (WIDTH - LEFT - RIGHT - 30) / most : 0, y = 4;
    carom_svg_begin(svg, allocator, WIDTH, height, "Energy after the impact",
                    "One bar per outcome: kinetic energy after the impact; the line marks the "
                    "energy before.");
    carom_svg_text(svg, "ink bold", LEFT - 8, y + 15.5, 'e', 12.5, 0, "before");
    draw_bar(svg, y, before, before, pixels);
    for (int k = 0; k < marks->count; k++) {
        char letter[4], laws[128];
        y += ROW;
        laws_of(report, marks, k, laws, sizeof laws);
        carom_svg_text_label(svg, "ink", LEFT - 26, y + 15.5, 'e', 12, 0, 32, laws);
        carom_svg_text(svg, "c1 bold", LEFT - 14, y + 15.5, 'm', 12.5, 0,
                       carom_outcome_marks_letter(k, letter));
        draw_bar(svg, y, energy(g, marks->u[k]), before, pixels);
    }
    double x = LEFT + pixels * before;
    carom_svg_line(svg, "ink thin dashed", x, 2, x, height - 2);
    carom_svg_line(svg, "ink thin", LEFT, 2, LEFT, height - 2);
}
