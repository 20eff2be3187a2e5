/* The pictures of the page of an impact: velocity space and energy. */
#include "pictures/picture.h"
#include "pictures/report_impact.h"

static void plain(carom_page *page, const char *text)
{
    carom_page_raw(page, "%s", text);
}

static void key(carom_page *page, const char *shape, const char *text)
{
    carom_page_raw(page,
                   "<li><svg class=\"carom\" viewBox=\"0 0 26 14\" aria-hidden=\"true\">%s</svg>"
                   "<span>%s</span></li>\n",
                   shape, text);
}

/* Is there friction? */
static bool rough(const carom_geometry *g)
{
    for (int i = 0; i < g->impact->p; i++)
        if (g->slip_start[i + 1] > g->slip_start[i] && g->impact->contacts[i].friction_static > 0)
            return true;
    return false;
}

static void write_keys(carom_report_sheet *s, const carom_velocity_view *view,
                       const carom_picture_parts *parts)
{
    carom_page *page = s->page;
    bool moving = carom_report_impact_moving(s);
    plain(page, "<ul class=\"key\">\n");
    key(page, "<line class=\"ink thick\" x1=\"1\" y1=\"7\" x2=\"25\" y2=\"7\"/>",
        moving ? "velocity before, <i>u</i>⁻ − <i>b</i>" : "velocity before, <i>u</i>⁻");
    key(page, "<circle class=\"c1 f1 solid\" cx=\"13\" cy=\"7\" r=\"4\"/>",
        moving ? "outcome, <i>u</i>⁺ − <i>b</i>" : "outcome, <i>u</i>⁺");
    if (parts->projected)
        key(page, "<circle class=\"c1\" cx=\"13\" cy=\"7\" r=\"4\"/>",
            "outcome outside this slice, projected");
    if (parts->T)
        key(page, "<rect class=\"c2 f2\" x=\"1\" y=\"1\" width=\"24\" height=\"12\"/>",
            "tangent cone <i>T</i>: contacts do not close");
    if (parts->T_perp)
        key(page, "<rect class=\"c1 f1 thin\" x=\"1\" y=\"1\" width=\"24\" height=\"12\"/>",
            "normal cone <i>T</i><sup>⊥</sup>");
    if (parts->reach)
        key(page, "<line class=\"c6 dashed thin\" x1=\"1\" y1=\"7\" x2=\"25\" y2=\"7\"/>",
            view->rough ? "what impulses in the friction cone can reach"
                        : "<i>u</i>⁻ − <i>T</i><sup>⊥</sup>: what pushing impulses can reach");
    if (parts->S)
        key(page, "<rect class=\"c6 f6 strong\" x=\"1\" y=\"1\" width=\"24\" height=\"12\"/>",
            !rough(s->g)  ? "admissible set <i>S</i>"
            : view->exact ? "admissible set, friction included"
                          : "admissible set <i>S</i> without friction");
    key(page, "<line class=\"ink\" x1=\"1\" y1=\"7\" x2=\"25\" y2=\"7\"/>",
        "energy sphere: no energy lost");
    if (parts->half_sphere)
        key(page, "<line class=\"c7 dotted\" x1=\"1\" y1=\"7\" x2=\"25\" y2=\"7\"/>",
            "dissipation sphere, ε = ½");
    if (parts->z_sphere)
        key(page, "<line class=\"c7 dashed thin\" x1=\"1\" y1=\"7\" x2=\"25\" y2=\"7\"/>",
            "dissipation sphere, ε = 0: most energy lost");
    plain(page, "</ul>\n");
}

static void write_caption(carom_report_sheet *s, const carom_velocity_view *view)
{
    carom_page *page = s->page;
    plain(page, "<figcaption>");
    if (view->k == 1)
        plain(page, "Velocities have one direction here; the second one only shows the spheres. ");
    else if (view->exact)
        carom_page_raw(page, "%s through <i>u</i>⁻ that holds every velocity impulses can reach. ",
                       view->k == 3 ? "The three-dimensional slice" : "The plane");
    else
        carom_page_raw(page,
                       "A %s through <i>u</i>⁻ of the %s-dimensional space of velocities that "
                       "impulses can reach%s. ",
                       view->k == 3 ? "three-dimensional slice" : "plane",
                       view->reach > 3    ? "higher"
                       : view->reach == 3 ? "three"
                                          : "two",
                       s->report->axis_count
                           ? ""
                           : ", chosen to hold the point of maximum dissipation and the outcomes "
                             "farthest from it");
    if (carom_report_impact_moving(s))
        plain(page, "Velocities are relative to the moving contacts, <i>u</i> − <i>b</i>. ");
    plain(page,
          "Letters are the marks of the table. Axes are orthonormal in the kinetic metric: half "
          "the square of a distance is an energy.");
    for (int j = 0; view->k == 3 && j < 3; j++) {
        char name[128];
        carom_picture_axis_name(s->report, view, j, name, sizeof name);
        carom_page_raw(page, "%s %d ", j ? ";" : " Axes:", j + 1);
        carom_page_text(page, name);
    }
    plain(page, view->k == 3 ? ".</figcaption>\n" : "</figcaption>\n");
}

/* A picture of the slice with k directions, where there is something to see; a crowded plane gets a
 * close-up. */
static carom_status write_view(carom_report_sheet *s, int k)
{
    carom_velocity_view view;
    carom_picture_parts parts;
    carom_status status = carom_velocity_view_choose(s->report, k, s->arena, &view, s->error);
    bool asked = s->report->axis_count == k;
    if (status || (k == 3 && (view.k < 3 || (!asked && (view.reach != 3 || !view.exact)))))
        return status;
    bool again = k == 2 && carom_picture_plane_crowded(&view, &s->marks);
    for (int close = 0; close <= again; close++) {
        carom_svg svg = {0};
        if (k == 3)
            status = carom_picture_space(s->report, &view, &s->marks, s->arena,
                                         &s->page->out.allocator, &svg, &parts, s->error);
        else
            status = carom_picture_plane(s->report, &view, &s->marks, close, s->arena,
                                         &s->page->out.allocator, &svg, &parts, s->error);
        if (status) {
            carom_svg_destroy(&svg);
            return status;
        }
        carom_page_figure(s->page, &svg, "");
        if (close)
            plain(s->page, "<figcaption>A close-up of the outcomes in the same plane."
                           "</figcaption>\n");
        else {
            write_keys(s, &view, &parts);
            write_caption(s, &view);
        }
        carom_page_figure_end(s->page);
    }
    return CAROM_OK;
}

carom_status carom_report_impact_views(carom_report_sheet *s)
{
    carom_svg svg;
    carom_page_section(s->page, "velocity-space", "Velocity space and energy");
    carom_status status = CAROM_OK;
    plain(s->page, "<div class=\"pair\">\n");
    if (s->report->axis_count != 3)
        status = write_view(s, 2);
    if (!status)
        status = write_view(s, 3);
    if (status)
        return status;
    carom_picture_energy(s->report, &s->marks, &s->page->out.allocator, &svg);
    carom_page_figure(s->page, &svg, "");
    carom_page_raw(s->page,
                   "<figcaption>Kinetic energy after the impact%s, and its part of the "
                   "energy before.</figcaption>\n",
                   carom_report_impact_moving(s) ? " relative to the moving contacts" : "");
    carom_page_figure_end(s->page);
    plain(s->page, "</div>\n");
    carom_page_section_end(s->page);
    return CAROM_OK;
}
