/* The page of an impact: statement, outcomes, velocity space, energy, certificates. */
#include "pictures/report_impact.h"

#include "carom/text.h"

#include <math.h>

enum { WIDE = 9 }; /* velocities shown in columns of a table */

double carom_report_impact_largest(int count, const double *values)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, isfinite(values[i]) ? fabs(values[i]) : 0);
    return most;
}

bool carom_report_impact_moving(const carom_report_sheet *s)
{
    return carom_report_impact_largest(s->impact->n, s->g->b) > 0;
}

static void plain(carom_page *page, const char *text)
{
    carom_page_raw(page, "%s", text);
}

/* (a, b, c) of numbers, cut after some. */
void carom_report_impact_list(carom_page *page, int count, const double *values, double scale)
{
    enum { MOST = 24 };
    plain(page, "(");
    for (int i = 0; i < count && i < MOST; i++) {
        plain(page, i ? ", " : "");
        carom_page_number(page, carom_number_clean(values[i], scale), 6);
    }
    if (count > MOST)
        carom_page_raw(page, ", \xE2\x80\xA6 %d more", count - MOST);
    plain(page, ")");
}

static void write_intro(carom_report_sheet *s)
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
                    "<i>γ</i><sup>−</sup> ≤ 0.</p>\n");
    if (s->g->dependent)
        plain(page, "<p>The contacts are dependent: impulses need not be unique.</p>\n");
}

/* A mark, with the number behind it (NaN: shown elsewhere). */
static void write_verdict(carom_page *page, bool holds, double number, double scale)
{
    carom_page_raw(page, "<td class=\"n\"><span class=\"%s\">%s</span>", holds ? "good" : "bad",
                   holds ? "✓" : "✗");
    if (!isnan(number)) {
        plain(page, " ");
        carom_page_number(page, carom_number_clean(number, scale), 5);
    }
    plain(page, "</td>");
}

/* Cells of velocities; u NULL: none. */
static void write_velocities(carom_report_sheet *s, const double *u)
{
    int n = s->impact->n;
    for (int i = 0; i < n && n <= WIDE; i++)
        carom_page_cell(s->page, u[i], s->marks.scale[i] * 1e6, 6); /* 1e-7: rounding of others */
}

static void write_before(carom_report_sheet *s)
{
    plain(s->page, "<tr class=\"before\"><td></td><th scope=\"row\">before the impact</th>");
    write_velocities(s, s->impact->u);
    plain(s->page, "<td></td><td></td><td></td><td></td></tr>\n");
}

static void write_row(carom_report_sheet *s, const carom_outcome_group *group)
{
    carom_page *page = s->page;
    const carom_outcome *o = group->outcome;
    int n = s->impact->n, shown = n <= WIDE ? n : 0;
    char letter[4];
    plain(page, "<tr><td class=\"m\">");
    if (group->mark >= 0)
        carom_page_raw(page, "<b>%s</b>", carom_outcome_marks_letter(group->mark, letter));
    plain(page, "</td><th scope=\"row\" class=\"laws\">");
    carom_outcome_groups_laws(s->report, &s->groups, group, page);
    plain(page, "</th>");
    if (group->mark < 0) {
        carom_page_raw(page, "<td class=\"none\" colspan=\"%d\">%s%s", shown + 4,
                       carom_answer_text(o->answer), o->message[0] ? ": " : "");
        carom_page_prose(page, o->message);
        plain(page, "</td></tr>\n");
        return;
    }
    double energy = fmax(s->g->energy, o->energy);
    double velocity = 0, impulse = carom_report_impact_largest(s->impact->p, o->impulse);
    for (int i = 0; i < s->impact->p; i++)
        velocity = fmax(velocity, s->g->norm[i] * s->g->speed);
    write_velocities(s, o->u);
    carom_page_cell(page, o->energy_change, 1e4 * energy, 6); /* 1e-9 of the energy: none */
    write_verdict(page, o->verdict.kinematic, o->verdict.least_velocity, velocity);
    write_verdict(page, o->verdict.kinetic, o->verdict.least_impulse, impulse);
    write_verdict(page, o->verdict.energetic,
                  carom_report_impact_moving(s) ? o->verdict.energy_gain : NAN, 1e4 * energy);
    plain(page, "</tr>\n");
}

static void write_outcomes(carom_report_sheet *s)
{
    carom_page *page = s->page;
    int n = s->impact->n;
    carom_page_section(page, "outcomes", "Outcomes");
    carom_page_table(page, "Outcomes, with the laws that lead to them");
    plain(page, "<thead><tr><th scope=\"col\">mark</th><th scope=\"col\">laws</th>");
    for (int i = 0; i < n && n <= WIDE; i++) {
        plain(page, "<th scope=\"col\" class=\"n\">");
        carom_page_name(page, s->report->coordinates[i]);
        plain(page, "</th>");
    }
    plain(page, "<th scope=\"col\" class=\"n\">energy change</th>"
                "<th scope=\"col\" class=\"n\">kinematic</th>"
                "<th scope=\"col\" class=\"n\">kinetic</th>"
                "<th scope=\"col\" class=\"n\">energetic</th></tr></thead>\n<tbody>\n");
    if (n <= WIDE)
        write_before(s);
    for (int k = 0; k < s->groups.count; k++)
        write_row(s, &s->groups.list[k]);
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    plain(page,
          "<p class=\"soft\">Velocities after the impact, one row for laws that agree. Verdicts: "
          "<b>kinematic</b>, contacts do not penetrate (smallest normal velocity after); "
          "<b>kinetic</b>, impulses push, within the friction cone (smallest impulse or slack); "
          "<b>energetic</b>, no energy is gained");
    plain(page, carom_report_impact_moving(s)
                    ? " relative to the moving contacts (gain, in their frame)."
                    : ".");
    if (s->impact->region)
        plain(page,
              " The admissible velocities are a union of cones: the contacts of one group must "
              "hold, not all.");
    plain(page, "</p>\n");
}

/* Velocities of wide systems, a line per mark. */
static void write_wide(carom_report_sheet *s)
{
    char letter[4];
    if (s->impact->n <= WIDE)
        return;
    plain(s->page, "<h3>Velocities after the impact</h3>\n<dl>\n");
    for (int k = 0; k < s->marks.count; k++) {
        carom_page_raw(s->page, "<dt>%s</dt><dd>", carom_outcome_marks_letter(k, letter));
        carom_report_impact_list(s->page, s->impact->n, s->marks.u[k],
                                 carom_report_impact_largest(s->impact->n, s->marks.u[k]));
        plain(s->page, "</dd>\n");
    }
    plain(s->page, "</dl>\n");
}

carom_status carom_report_impact_write(const carom_report_impact *report,
                                       const carom_allocator *allocator, char **text, size_t *size,
                                       carom_error *error)
{
    carom_page page;
    carom_report_sheet s = {.report = report,
                            .g = report->geometry,
                            .impact = report->geometry->impact,
                            .page = &page,
                            .error = error};
    carom_status status = carom_arena_create(allocator, &s.arena, error);
    if (status)
        return status;
    carom_page_begin(&page, allocator, report->title ? report->title : "Impact");
    status = carom_outcome_marks_find(report, s.arena, &s.marks, error);
    if (!status)
        status = carom_outcome_groups_find(report, &s.marks, false, s.arena, &s.groups, error);
    if (!status) {
        write_intro(&s);
        write_outcomes(&s);
        write_wide(&s);
        carom_page_section_end(&page);
        status = carom_report_impact_views(&s);
    }
    if (!status) {
        status = carom_report_impact_details_laws(&s);
        carom_report_impact_details_statement(&s);
        carom_report_impact_details_certificates(&s);
        carom_report_scene_write(&page, &report->scene);
    }
    if (!status)
        status = carom_page_finish(&page, text, size, error);
    else
        carom_page_destroy(&page);
    carom_arena_destroy(s.arena);
    return status;
}
