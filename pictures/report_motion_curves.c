/* The pictures of the page of a motion: strobe, coordinates, velocities, phase planes, gaps. */
#include "pictures/report_motion.h"

#include "pictures/course_strobe.h"
#include "pictures/picture.h"

static void plain(carom_page *page, const char *text)
{
    carom_page_raw(page, "%s", text);
}

enum { SHOWN = 8, MOST_POINTS = 1600 }; /* of coordinates, velocities, gaps; of a curve */

static void write_curve(carom_report_motion_sheet *s, const carom_course_curve *curve, bool phase,
                        const char *x_name, const char *y_name, const char *style)
{
    carom_svg svg;
    carom_picture_motion(s->trace, curve, phase, x_name, y_name, style, &s->page->out.allocator,
                         &svg);
    carom_page_figure(s->page, &svg, "");
    carom_page_figure_end(s->page);
}

/* One picture: coordinate i ('q'), velocity i ('u'), or one against the other ('p'). */
static carom_status write_one(carom_report_motion_sheet *s, char kind, int i)
{
    if ((kind != 'u' && i >= s->shape->nq) || (kind != 'q' && i >= s->shape->n))
        return CAROM_OK;
    const carom_course_moments *m = &s->moments;
    carom_course_curve curve = {0, carom_arena_doubles(s->arena, 2 * (size_t)m->count + 2)};
    if (!curve.xy)
        return carom_error_memory(s->error);
    for (int k = 0; k < m->count; k++) {
        curve.xy[2 * k] = kind == 'p' ? m->q[k][i] : m->t[k];
        curve.xy[2 * k + 1] = kind == 'q' ? m->q[k][i] : m->u[k][i];
    }
    curve.count = m->count;
    write_curve(s, &curve, kind == 'p', kind == 'p' ? s->shape->coordinates[i] : "time t",
                kind == 'q' ? s->shape->coordinates[i] : s->shape->velocities[i],
                kind == 'q'   ? "c0"
                : kind == 'u' ? "c6"
                              : "c2");
    return CAROM_OK;
}

/* A row of three for every coordinate; where velocities are no derivatives of coordinates (rigid
 * bodies), all of the one, then all of the other. */
static carom_status write_coordinates(carom_report_motion_sheet *s)
{
    carom_status status = CAROM_OK;
    bool identity = s->shape->kinematics_is_identity;
    for (int k = 0; k < (identity ? 1 : 2) && !status; k++)
        for (int i = 0; i < SHOWN && !status; i++) {
            if (identity || k == 0)
                status = write_one(s, 'q', i);
            if (!status && (identity || k == 1))
                status = write_one(s, 'u', i);
            if (!status && identity)
                status = write_one(s, 'p', i);
        }
    return status;
}

static carom_status write_motion(carom_report_motion_sheet *s)
{
    carom_page_section(s->page, "motion", "Coordinates and velocities");
    carom_status status =
        carom_course_moments_make(s->trace, MOST_POINTS, s->arena, &s->moments, s->error);
    if (status)
        return status;
    plain(s->page, "<div class=\"grid\">\n");
    status = write_coordinates(s);
    plain(s->page, "</div>\n<p class=\"soft\">");
    if (s->trace->impacts)
        plain(s->page, "Ticks at the bottom mark impacts. ");
    if (s->shape->nq > SHOWN)
        carom_page_raw(s->page, "%d of %d coordinates are shown. ", SHOWN, s->shape->nq);
    if (s->moments.thinned && s->trace->rows > MOST_POINTS)
        carom_page_raw(s->page, "About %d of %ld rows are drawn. ", MOST_POINTS,
                       s->trace->all_rows);
    plain(s->page, "</p>\n");
    carom_page_section_end(s->page);
    return status;
}

static carom_status write_gaps(carom_report_motion_sheet *s)
{
    carom_course_curve curve;
    carom_status status = CAROM_OK;
    int shown = s->shape->p < SHOWN ? s->shape->p : SHOWN;
    if (!shown)
        return CAROM_OK;
    carom_page_section(s->page, "gaps", "Gaps");
    plain(s->page, "<div class=\"grid\">\n");
    for (int i = 0; i < shown && !status; i++) {
        char name[96], number[16];
        carom_text_format(name, sizeof name, "gap %.60s",
                          carom_contact_name(s->shape->contacts, i, number));
        status = carom_course_column(s->trace, &s->trace->gap, i, MOST_POINTS, s->arena, &curve,
                                     s->error);
        if (!status)
            write_curve(s, &curve, false, "time t", name, "c1");
    }
    plain(s->page, "</div>\n");
    if (s->shape->p > shown)
        carom_page_raw(s->page, "<p class=\"soft\">%d of %d contacts are shown.</p>\n", shown,
                       s->shape->p);
    carom_page_section_end(s->page);
    return status;
}

/* The bodies at several instants: what a reader wants to see first. */
carom_status carom_report_motion_curves_strobe(carom_report_motion_sheet *s)
{
    carom_svg svg = {0};
    int left_out = 0;
    if (!carom_course_strobe_possible(&s->course))
        return CAROM_OK;
    carom_status status =
        carom_course_strobe_draw(&s->course, 0, 0, "The motion", s->arena, &s->page->out.allocator,
                                 &svg, &left_out, s->error);
    if (status) {
        carom_svg_destroy(&svg);
        return status;
    }
    carom_page_figure(s->page, &svg, "strobe");
    carom_page_raw(s->page,
                   "<figcaption>The motion at equal steps of time, fainter the longer ago%s"
                   "</figcaption>\n",
                   left_out ? "." : "; dotted: the way of each body.");
    carom_page_figure_end(s->page);
    return CAROM_OK;
}

carom_status carom_report_motion_curves(carom_report_motion_sheet *s)
{
    carom_status status = write_motion(s);
    return status ? status : write_gaps(s);
}
