/* The page of an impact: statement, outcomes, velocity space, energy, certificates. */
#include "base/arena.h"
#include "figure/page.h"
#include "figure/picture.h"

#include <math.h>
#include <string.h>

enum { WIDE = 9 }; /* velocities shown in columns of a table */

typedef struct sheet {
    const carom_report_impact *report;
    const carom_geometry *g;
    const carom_impact *impact;
    carom_page *page;
    carom_arena *arena;
    carom_outcome_marks marks;
    carom_error *error;
} sheet;

static double largest(int count, const double *values)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, isfinite(values[i]) ? fabs(values[i]) : 0);
    return most;
}

static bool exists(const carom_outcome *o)
{
    return o->answer == CAROM_ANSWER_OK || o->answer == CAROM_ANSWER_SEVERAL;
}

static bool moving(const sheet *s)
{
    return largest(s->impact->n, s->g->b) > 0;
}

static void plain(carom_page *page, const char *text)
{
    carom_page_raw(page, "%s", text);
}

/* (a, b, c) of numbers, cut after some. */
static void list(carom_page *page, int count, const double *values, double scale)
{
    enum { MOST = 24 };
    plain(page, "(");
    for (int i = 0; i < count && i < MOST; i++) {
        plain(page, i ? ", " : "");
        carom_page_number(page, fabs(values[i]) <= 1e-13 * scale ? 0 : values[i], 6);
    }
    if (count > MOST)
        carom_page_raw(page, ", \xE2\x80\xA6 %d more", count - MOST);
    plain(page, ")");
}

static void write_intro(sheet *s)
{
    const carom_impact *impact = s->impact;
    carom_page *page = s->page;
    carom_page_raw(page,
                   "<p class=\"soft\">One impact: %d degree%s of freedom, %d closed contact%s",
                   impact->n, impact->n == 1 ? "" : "s", impact->p, impact->p == 1 ? "" : "s");
    if (impact->m)
        carom_page_raw(page, ", %d bilateral constraint%s", impact->m, impact->m == 1 ? "" : "s");
    if (impact->a)
        carom_page_raw(page, ", %d permanent constraint%s", impact->a, impact->a == 1 ? "" : "s");
    if (s->report->source) {
        plain(page, "; scene ");
        carom_page_text(page, s->report->source);
    }
    plain(page, ".</p>\n");
    if (!s->g->approaching)
        plain(page, "<p>Not all contacts approach: some guarantees of the laws need "
                    "<i>γ</i> ≤ 0.</p>\n");
    if (s->g->dependent)
        plain(page, "<p>The contacts are dependent: impulses need not be unique.</p>\n");
}

static void write_velocity(sheet *s)
{
    const carom_impact *impact = s->impact;
    carom_page *page = s->page;
    bool table = impact->n <= WIDE && !impact->mass_is_diagonal;
    carom_page_table(page, "Velocity before the impact and mass");
    plain(page, "<thead><tr><th scope=\"col\">velocity</th><th scope=\"col\" class=\"n\">"
                "<i>u</i>⁻</th>");
    if (moving(s))
        plain(page, "<th scope=\"col\" class=\"n\">frame <i>b</i></th>");
    if (impact->mass_is_diagonal)
        plain(page, "<th scope=\"col\" class=\"n\">mass</th>");
    else if (table)
        carom_page_raw(page, "<th scope=\"colgroup\" colspan=\"%d\">mass matrix <i>M</i></th>",
                       impact->n);
    plain(page, "</tr></thead>\n<tbody>\n");
    double scale = largest(impact->n, impact->u);
    for (int i = 0; i < impact->n; i++) {
        plain(page, "<tr><th scope=\"row\">");
        carom_page_text(page, s->report->coordinates[i]);
        plain(page, "</th>");
        carom_page_cell(page, impact->u[i], 0, 10);
        if (moving(s))
            carom_page_cell(page, s->g->b[i], scale, 6);
        if (impact->mass_is_diagonal)
            carom_page_cell(page, impact->M[i], 0, 6);
        for (int j = 0; table && j < impact->n; j++)
            carom_page_cell(page, impact->M[i + (size_t)j * (size_t)impact->n],
                            impact->M[(size_t)i * (size_t)(impact->n + 1)], 6);
        plain(page, "</tr>\n");
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    if (!impact->mass_is_diagonal && !table)
        carom_page_raw(page,
                       "<p class=\"soft\">The mass matrix (%d × %d) is not shown; "
                       "<code>carom inspect</code> does.</p>\n",
                       impact->n, impact->n);
}

static void write_contacts(sheet *s)
{
    const carom_impact *impact = s->impact;
    const carom_geometry *g = s->g;
    carom_page *page = s->page;
    carom_page_table(page, "Closed contacts");
    plain(page, "<thead><tr><th scope=\"col\">contact</th><th scope=\"col\">normal "
                "<i>w</i></th><th scope=\"col\" class=\"n\">motion <i>ŵ</i></th>"
                "<th scope=\"col\" class=\"n\">restitution <i>ε</i></th>"
                "<th scope=\"col\" class=\"n\">friction <i>μ</i></th>"
                "<th scope=\"col\" class=\"n\">normal velocity <i>γ</i>⁻</th></tr></thead>\n"
                "<tbody>\n");
    for (int i = 0; i < impact->p; i++) {
        carom_contact c = impact->contacts ? impact->contacts[i] : carom_contact_default();
        const double *w = impact->W + (size_t)i * (size_t)impact->n;
        plain(page, "<tr><th scope=\"row\">");
        carom_page_text(page, s->report->contacts[i]);
        plain(page, "</th><td>");
        list(page, impact->n, w, largest(impact->n, w));
        if (c.spread_count)
            carom_page_raw(page, " second-order cone, %d row%s of spread", c.spread_count,
                           c.spread_count == 1 ? "" : "s");
        plain(page, "</td>");
        carom_page_cell(page, impact->w_hat ? impact->w_hat[i] : 0, 0, 6);
        carom_page_cell(page, c.restitution, 0, 6);
        if (c.friction_dynamic < c.friction_static) {
            plain(page, "<td class=\"n\">");
            carom_page_number(page, c.friction_static, 6);
            plain(page, " / ");
            carom_page_number(page, c.friction_dynamic, 6);
            plain(page, "</td>");
        } else
            carom_page_cell(page, c.slip_count ? c.friction_static : NAN, 0, 6);
        carom_page_cell(page, g->gamma[i], g->norm[i] * g->speed, 6);
        plain(page, "</tr>\n");
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
}

/* Delassus matrix and kinetic angles side by side. */
static void write_matrix(sheet *s, const char *heading, const double *values, bool degrees)
{
    int p = s->impact->p;
    carom_page *page = s->page;
    carom_page_raw(page, "<div>\n<h3>%s</h3>\n", heading);
    carom_page_table(page, degrees ? "Kinetic angles" : "Delassus matrix");
    plain(page, "<thead><tr><td></td>");
    for (int j = 0; j < p; j++) {
        plain(page, "<th scope=\"col\" class=\"n\">");
        carom_page_text(page, s->report->contacts[j]);
        plain(page, "</th>");
    }
    plain(page, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < p; i++) {
        plain(page, "<tr><th scope=\"row\">");
        carom_page_text(page, s->report->contacts[i]);
        plain(page, "</th>");
        for (int j = 0; j < p; j++) {
            double value = values[i + (size_t)j * (size_t)p];
            if (degrees && i != j) {
                plain(page, "<td class=\"n\">");
                carom_page_number(page, value * 57.29577951308232, 5);
                plain(page, "°</td>");
            } else if (degrees)
                plain(page, "<td class=\"n none\">·</td>");
            else
                carom_page_cell(page, value, s->g->norm[i] * s->g->norm[j], 6);
        }
        plain(page, "</tr>\n");
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    plain(page, "</div>\n");
}

static void write_statement(sheet *s)
{
    size_t p = (size_t)s->impact->p;
    carom_page_section(s->page, "statement", "The impact");
    write_contacts(s);
    write_velocity(s);
    carom_page_raw(s->page, "<p>Kinetic energy before: ");
    carom_page_number(s->page, s->g->energy, 8);
    if (moving(s))
        plain(s->page, ". The contacts move: energy is judged relative to the frame velocity "
                       "<i>b</i>, the slowest motion that follows them all");
    plain(s->page, ".</p>\n");
    double *theta = carom_arena_doubles(s->arena, p * p + 1);
    if (p > 1 && p <= 12 && theta) {
        carom_geometry_angles(s->g, theta);
        plain(s->page, "<div class=\"pair\">\n");
        write_matrix(s, "Delassus matrix <i>W</i>ᵀ<i>M</i>⁻¹<i>W</i>", s->g->D, false);
        write_matrix(s, "Kinetic angles between the contacts", theta, true);
        plain(s->page, "</div>\n");
    }
    carom_page_section_end(s->page);
}

/* A mark with the number behind it. */
static void write_verdict(carom_page *page, bool holds, double number, double scale)
{
    carom_page_raw(page, "<td class=\"n\"><span class=\"%s\">%s</span> ", holds ? "good" : "bad",
                   holds ? "✓ <span class=\"soft\">" : "✗ ");
    carom_page_number(page, fabs(number) <= 1e-13 * scale ? 0 : number, 5);
    plain(page, holds ? "</span></td>" : "</td>");
}

static void write_row(sheet *s, const char *label, const carom_outcome *o, int mark, bool other)
{
    carom_page *page = s->page;
    int n = s->impact->n, shown = n <= WIDE ? n : 0;
    char letter[4];
    carom_page_raw(page, "<tr%s><td class=\"m\"><b>%s</b></td><th scope=\"row\">",
                   other ? " class=\"or\"" : "",
                   mark < 0 ? "" : carom_outcome_marks_letter(mark, letter));
    carom_page_text(page, label);
    plain(page, "</th>");
    if (!exists(o)) {
        carom_page_raw(page, "<td class=\"none\" colspan=\"%d\">%s%s", shown + 5,
                       carom_answer_text(o->answer), o->message[0] ? ": " : "");
        carom_page_text(page, o->message);
        plain(page, "</td></tr>\n");
        return;
    }
    double scale = fmax(largest(n, o->u), largest(n, s->impact->u));
    carom_page_raw(page, "<td>%s</td>", other ? "" : carom_answer_text(o->answer));
    double energy = fmax(s->g->energy, o->energy);
    double velocity = 0, impulse = largest(s->impact->p, o->impulse);
    for (int i = 0; i < s->impact->p; i++)
        velocity = fmax(velocity, s->g->norm[i] * s->g->speed);
    write_verdict(page, o->verdict.kinematic, o->verdict.least_velocity, velocity);
    write_verdict(page, o->verdict.kinetic, o->verdict.least_impulse, impulse);
    write_verdict(page, o->verdict.energetic, o->verdict.energy_gain, 1e4 * energy);
    carom_page_cell(page, o->energy_change, 1e4 * energy, 6); /* 1e-9 of the energy: none */
    for (int i = 0; i < shown; i++)
        carom_page_cell(page, o->u[i], scale, 6);
    plain(page, "</tr>\n");
}

static void write_outcomes(sheet *s)
{
    carom_page *page = s->page;
    int n = s->impact->n;
    carom_page_section(page, "outcomes", "Outcomes");
    carom_page_table(page, "Outcome of each law");
    plain(page, "<thead><tr><th scope=\"col\">mark</th><th scope=\"col\">law</th>"
                "<th scope=\"col\">answer</th>");
    plain(page, "<th scope=\"col\" class=\"n\">kinematic</th>"
                "<th scope=\"col\" class=\"n\">kinetic</th>"
                "<th scope=\"col\" class=\"n\">energetic</th>"
                "<th scope=\"col\" class=\"n\">energy change</th>");
    for (int i = 0; i < n && n <= WIDE; i++) {
        plain(page, "<th scope=\"col\" class=\"n\">");
        carom_page_text(page, s->report->coordinates[i]);
        plain(page, "</th>");
    }
    plain(page, "</tr></thead>\n<tbody>\n");
    for (int e = 0; e < s->report->count; e++) {
        const carom_outcome *o = s->report->entries[e].outcome;
        int first = s->marks.start[e];
        write_row(s, s->report->entries[e].label, o, s->marks.mark[first], false);
        for (int a = 0; a < o->alternative_count && exists(o); a++)
            write_row(s, "or", &o->alternatives[a], s->marks.mark[first + 1 + a], true);
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    plain(page,
          "<p class=\"soft\">Velocities after the impact; laws with the same mark agree. Verdicts: "
          "<b>kinematic</b>, contacts do not penetrate (smallest normal velocity after); "
          "<b>kinetic</b>, impulses push, within the friction cone (smallest impulse or slack); "
          "<b>energetic</b>, no energy is gained (gain, in the frame of the contacts).");
    if (s->impact->region)
        plain(page,
              " The admissible velocities are a union of cones: the contacts of one group must "
              "hold, not all.");
    plain(page, "</p>\n");
}

static void write_impulse_cells(sheet *s, const carom_outcome *o)
{
    carom_page *page = s->page;
    double scale = fmax(largest(s->impact->p, o->impulse), largest(s->g->s, o->tangential_impulse));
    for (int i = 0; i < s->impact->p; i++) {
        plain(page, "<td class=\"n\">");
        carom_page_number(page, fabs(o->impulse[i]) <= 1e-13 * scale ? 0 : o->impulse[i], 6);
        for (int j = s->g->slip_start[i]; j < s->g->slip_start[i + 1]; j++) {
            double t = o->tangential_impulse[j];
            plain(page, "; ");
            carom_page_number(page, fabs(t) <= 1e-13 * scale ? 0 : t, 6);
        }
        carom_page_raw(page, "<br><span class=\"none\">%s</span></td>",
                       carom_mode_text(o->mode[i]));
    }
}

static void write_impulses(sheet *s)
{
    enum { MOST = 24 };
    carom_page *page = s->page;
    plain(page, "<h3>Impulses</h3>\n");
    if (s->impact->p > MOST) {
        carom_page_raw(page,
                       "<p class=\"soft\">%d contacts: see <code>carom impact --json</code> "
                       "for the impulses.</p>\n",
                       s->impact->p);
        return;
    }
    carom_page_table(page, "Impulses of each law");
    plain(page, "<thead><tr><th scope=\"col\">law</th>");
    for (int i = 0; i < s->impact->p; i++) {
        plain(page, "<th scope=\"col\" class=\"n\">");
        carom_page_text(page, s->report->contacts[i]);
        plain(page, "</th>");
    }
    plain(page, "</tr></thead>\n<tbody>\n");
    for (int e = 0; e < s->report->count; e++) {
        const carom_outcome *o = s->report->entries[e].outcome;
        for (int a = -1; exists(o) && a < o->alternative_count; a++) {
            carom_page_raw(page, "<tr%s><th scope=\"row\">", a < 0 ? "" : " class=\"or\"");
            carom_page_text(page, a < 0 ? s->report->entries[e].label : "or");
            plain(page, "</th>");
            write_impulse_cells(s, a < 0 ? o : &o->alternatives[a]);
            plain(page, "</tr>\n");
        }
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    carom_page_raw(page,
                   "<p class=\"soft\">Normal impulses <i>Λ</i> for the normals as given%s; "
                   "below, what the contact does.</p>\n",
                   s->g->s ? ", then tangential impulses" : "");
}

/* Velocities of wide systems, a line per mark. */
static void write_wide(sheet *s)
{
    char letter[4];
    if (s->impact->n <= WIDE)
        return;
    plain(s->page, "<h3>Velocities after the impact</h3>\n<dl>\n");
    for (int k = 0; k < s->marks.count; k++) {
        carom_page_raw(s->page, "<dt>%s</dt><dd>", carom_outcome_marks_letter(k, letter));
        list(s->page, s->impact->n, s->marks.u[k], largest(s->impact->n, s->marks.u[k]));
        plain(s->page, "</dd>\n");
    }
    plain(s->page, "</dl>\n");
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The laws: what each is, what theory promises here, what it had to say. */
static void write_laws(sheet *s)
{
    carom_page *page = s->page;
    plain(page, "<h3>The laws</h3>\n");
    carom_page_table(page, "The laws, what theory promises and what they had to say");
    plain(page, "<thead><tr><th scope=\"col\">law</th><th scope=\"col\">what it is</th>"
                "<th scope=\"col\">what theory promises here</th><th scope=\"col\">note</th>"
                "</tr></thead>\n<tbody>\n");
    for (int e = 0; e < s->report->count; e++) {
        const carom_report_entry *entry = &s->report->entries[e], *last = e ? entry - 1 : NULL;
        if (last && last->law->ops == entry->law->ops && same_text(last->promise, entry->promise) &&
            same_text(last->outcome->message, entry->outcome->message))
            continue;
        plain(page, "<tr><th scope=\"row\">");
        bool variant = last && last->law->ops == entry->law->ops;
        bool next = e + 1 < s->report->count && entry[1].law->ops == entry->law->ops &&
                    !(same_text(entry[1].promise, entry->promise) &&
                      same_text(entry[1].outcome->message, entry->outcome->message));
        carom_page_text(page, variant || next ? entry->label : entry->law->ops->name);
        plain(page, "</th><td class=\"w\">");
        carom_page_text(page, entry->law->ops->summary);
        if (entry->law->ops->reference) {
            plain(page, "<br><span class=\"soft\">");
            carom_page_text(page, entry->law->ops->reference);
            plain(page, "</span>");
        }
        plain(page, "</td><td class=\"w\">");
        carom_page_text(page, entry->promise);
        plain(page, "</td><td class=\"w\">");
        carom_page_text(page, entry->outcome->message);
        plain(page, "</td></tr>\n");
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    carom_page_section_end(page);
}

static void key(carom_page *page, const char *shape, const char *text)
{
    carom_page_raw(page,
                   "<li><svg class=\"carom\" viewBox=\"0 0 26 14\" aria-hidden=\"true\">%s</svg>"
                   "<span>%s</span></li>\n",
                   shape, text);
}

static void write_keys(sheet *s, const carom_velocity_view *view, const carom_picture_parts *parts)
{
    carom_page *page = s->page;
    plain(page, "<ul class=\"key\">\n");
    key(page, "<line class=\"ink thick\" x1=\"1\" y1=\"7\" x2=\"25\" y2=\"7\"/>",
        "velocity before, <i>u</i>⁻");
    key(page, "<circle class=\"c1 f1 solid\" cx=\"13\" cy=\"7\" r=\"4\"/>", "outcome <i>u</i>⁺");
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
            view->exact && view->rough ? "admissible set, friction included"
                                       : "admissible set <i>S</i>");
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

/* Which laws a letter stands for. */
static void write_marks(sheet *s)
{
    char letter[4];
    plain(s->page, "<ul class=\"key\">\n");
    for (int k = 0; k < s->marks.count; k++) {
        bool first = true;
        carom_page_raw(s->page, "<li><b>%s</b><span>", carom_outcome_marks_letter(k, letter));
        for (int e = 0; e < s->report->count; e++)
            for (int j = s->marks.start[e]; j < s->marks.start[e + 1]; j++)
                if (s->marks.mark[j] == k) {
                    plain(s->page, first ? "" : ", ");
                    carom_page_text(s->page, s->report->entries[e].label);
                    plain(s->page, j > s->marks.start[e] ? " (or)" : "");
                    first = false;
                }
        plain(s->page, "</span></li>\n");
    }
    plain(s->page, "</ul>\n");
}

static void write_caption(sheet *s, const carom_velocity_view *view)
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
    plain(page, "Axes are orthonormal in the kinetic metric: half the square of a distance is an "
                "energy.");
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
static carom_status write_view(sheet *s, int k)
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
            status = carom_picture_space(s->report, &view, &s->marks, s->arena, &s->page->allocator,
                                         &svg, &parts, s->error);
        else
            status = carom_picture_plane(s->report, &view, &s->marks, close, s->arena,
                                         &s->page->allocator, &svg, &parts, s->error);
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

static carom_status write_pictures(sheet *s)
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
    carom_picture_energy(s->report, &s->marks, &s->page->allocator, &svg);
    carom_page_figure(s->page, &svg, "");
    carom_page_raw(s->page,
                   "<figcaption>Kinetic energy after the impact%s, and its part of the "
                   "energy before.</figcaption>\n",
                   moving(s) ? " relative to the moving contacts" : "");
    carom_page_figure_end(s->page);
    plain(s->page, "</div>\n<h3>Marks</h3>\n");
    write_marks(s);
    carom_page_section_end(s->page);
    return CAROM_OK;
}

static void write_certificate(sheet *s, const carom_certificate *c)
{
    carom_page *page = s->page;
    const char *word = !c->applies               ? "n/a"
                       : c->holds == CAROM_TRUE  ? "holds"
                       : c->holds == CAROM_FALSE ? "fails"
                                                 : "undecided";
    const char *style = !c->applies || c->holds == CAROM_UNDECIDED ? "none"
                        : c->holds == CAROM_TRUE                   ? "good"
                                                                   : "bad";
    plain(page, "<tr><th scope=\"row\">");
    carom_page_text(page, c->name);
    carom_page_raw(page, "</th><td class=\"%s\">%s</td><td>%s</td>", style, word,
                   c->applies ? carom_validity_text(c->scope) : "");
    carom_page_cell(page, c->applies ? c->value : NAN, 0, 6);
    carom_page_cell(page, c->applies ? c->bound : NAN, 0, 6);
    plain(page, "<td class=\"w\">");
    carom_page_text(page, c->text);
    if (c->counterexample) {
        carom_page_raw(
            page, "<br>Counter-example%s: <i>u</i>⁻ = ", c->verified ? " (run and confirmed)" : "");
        list(page, s->impact->n, c->counterexample, 0);
    }
    if (c->reference) {
        plain(page, "<br><span class=\"soft\">");
        carom_page_text(page, c->reference);
        plain(page, "</span>");
    }
    plain(page, "</td></tr>\n");
}

static void write_certificates(sheet *s)
{
    const carom_certificates *all = s->report->certificates;
    carom_page *page = s->page;
    if (!all || !all->count)
        return;
    carom_page_section(page, "certificates", "Certificates");
    plain(page, "<p>Conditions of theory for the restitution of this scene, most of them for all "
                "velocities at once. One that fails proves something only where it is necessary; "
                "a counter-example then shows what goes wrong.</p>\n");
    if (all->stopped)
        plain(page, "<p>The work on them was cut short: <code>carom check</code> decides what is "
                    "undecided here.</p>\n");
    carom_page_table(page, "Certificates");
    plain(page, "<thead><tr><th scope=\"col\">certificate</th><th scope=\"col\">verdict</th>"
                "<th scope=\"col\">for</th><th scope=\"col\" class=\"n\">value</th>"
                "<th scope=\"col\" class=\"n\">bound</th><th scope=\"col\">what it means</th>"
                "</tr></thead>\n<tbody>\n");
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < all->count; k++)
            if (all->list[k].applies == (pass == 0))
                write_certificate(s, &all->list[k]);
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    carom_page_section_end(page);
}

carom_status carom_report_impact_write(const carom_report_impact *report,
                                       const carom_allocator *allocator, char **text, size_t *size,
                                       carom_error *error)
{
    carom_page page;
    sheet s = {.report = report,
               .g = report->geometry,
               .impact = report->geometry->impact,
               .page = &page,
               .error = error};
    carom_status status = carom_arena_create(allocator, &s.arena, error);
    if (status)
        return status;
    carom_page_begin(&page, allocator, report->title ? report->title : "Impact");
    status = carom_outcome_marks_find(report, s.arena, &s.marks, error);
    if (!status) {
        write_intro(&s);
        write_outcomes(&s);
        write_wide(&s);
        status = write_pictures(&s);
    }
    if (!status) {
        carom_page_section(&page, "details", "Impulses and laws");
        write_impulses(&s);
        write_laws(&s);
        write_statement(&s);
        write_certificates(&s);
        status = carom_page_finish(&page, text, size, error);
    } else
        carom_page_destroy(&page);
    carom_arena_destroy(s.arena);
    return status;
}
