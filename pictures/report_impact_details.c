/* The later parts of the page of an impact: impulses, laws, statement, certificates. */
#include "pictures/report_impact.h"

#include "carom/text.h"

#include <math.h>
#include <string.h>

enum { WIDE = 9 }; /* rows of a mass matrix that is shown */

static void plain(carom_page *page, const char *text)
{
    carom_page_raw(page, "%s", text);
}

static void write_velocity(carom_report_sheet *s)
{
    const carom_impact *impact = s->impact;
    carom_page *page = s->page;
    bool table = impact->n <= WIDE && !impact->mass_is_diagonal;
    carom_page_table(page, "Velocity before the impact and mass");
    plain(page, "<thead><tr><th scope=\"col\">velocity</th><th scope=\"col\" class=\"n\">"
                "<i>u</i>⁻</th>");
    if (carom_report_impact_moving(s))
        plain(page, "<th scope=\"col\" class=\"n\">frame <i>b</i></th>");
    if (impact->mass_is_diagonal)
        plain(page, "<th scope=\"col\" class=\"n\">mass</th>");
    else if (table)
        carom_page_raw(page, "<th scope=\"colgroup\" colspan=\"%d\">mass matrix <i>M</i></th>",
                       impact->n);
    plain(page, "</tr></thead>\n<tbody>\n");
    double scale = carom_report_impact_largest(impact->n, impact->u);
    for (int i = 0; i < impact->n; i++) {
        plain(page, "<tr><th scope=\"row\">");
        carom_page_name(page, s->report->coordinates[i]);
        plain(page, "</th>");
        carom_page_cell(page, impact->u[i], 0, 10);
        if (carom_report_impact_moving(s))
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

static void write_contacts(carom_report_sheet *s)
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
        carom_page_name(page, s->report->contacts[i]);
        plain(page, "</th><td>");
        carom_report_impact_list(page, impact->n, w, carom_report_impact_largest(impact->n, w));
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
static void write_matrix(carom_report_sheet *s, const char *heading, const double *values,
                         bool degrees)
{
    int p = s->impact->p;
    carom_page *page = s->page;
    carom_page_raw(page, "<div>\n<h3>%s</h3>\n", heading);
    carom_page_table(page, degrees ? "Kinetic angles" : "Delassus matrix");
    plain(page, "<thead><tr><td></td>");
    for (int j = 0; j < p; j++) {
        plain(page, "<th scope=\"col\" class=\"n\">");
        carom_page_name(page, s->report->contacts[j]);
        plain(page, "</th>");
    }
    plain(page, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < p; i++) {
        plain(page, "<tr><th scope=\"row\">");
        carom_page_name(page, s->report->contacts[i]);
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

void carom_report_impact_details_statement(carom_report_sheet *s)
{
    size_t p = (size_t)s->impact->p;
    carom_page_section(s->page, "statement", "The impact");
    write_contacts(s);
    write_velocity(s);
    carom_page_raw(s->page, "<p>Kinetic energy before: ");
    carom_page_number(s->page, s->g->energy, 8);
    if (carom_report_impact_moving(s))
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

static void write_impulse_cells(carom_report_sheet *s, const carom_outcome *o)
{
    carom_page *page = s->page;
    double scale = fmax(carom_report_impact_largest(s->impact->p, o->impulse),
                        carom_report_impact_largest(s->g->s, o->tangential_impulse));
    for (int i = 0; i < s->impact->p; i++) {
        plain(page, "<td class=\"n\">");
        carom_page_number(page, carom_number_clean(o->impulse[i], scale), 6);
        for (int j = s->g->slip_start[i]; j < s->g->slip_start[i + 1]; j++) {
            double t = o->tangential_impulse[j];
            plain(page, "; ");
            carom_page_number(page, carom_number_clean(t, scale), 6);
        }
        carom_page_raw(page, " <span class=\"none\">%s</span></td>", carom_mode_text(o->mode[i]));
    }
}

static carom_status write_impulses(carom_report_sheet *s)
{
    enum { MOST = 24 };
    carom_page *page = s->page;
    carom_outcome_groups groups;
    plain(page, "<h3>Impulses</h3>\n");
    if (s->impact->p > MOST) {
        carom_page_raw(page,
                       "<p class=\"soft\">%d contacts: see <code>carom impact --json</code> "
                       "for the impulses.</p>\n",
                       s->impact->p);
        return CAROM_OK;
    }
    carom_status status =
        carom_outcome_groups_find(s->report, &s->marks, true, s->arena, &groups, s->error);
    if (status)
        return status;
    carom_page_table(page, "Impulses");
    plain(page, "<thead><tr><th scope=\"col\">mark</th><th scope=\"col\">laws</th>");
    for (int i = 0; i < s->impact->p; i++) {
        plain(page, "<th scope=\"col\" class=\"n\">");
        carom_page_name(page, s->report->contacts[i]);
        plain(page, "</th>");
    }
    plain(page, "</tr></thead>\n<tbody>\n");
    for (int k = 0; k < groups.count && groups.list[k].mark >= 0; k++) {
        char letter[4];
        carom_page_raw(page, "<tr><td class=\"m\"><b>%s</b></td><th scope=\"row\" class=\"laws\">",
                       carom_outcome_marks_letter(groups.list[k].mark, letter));
        carom_outcome_groups_laws(s->report, &groups, &groups.list[k], page);
        plain(page, "</th>");
        write_impulse_cells(s, groups.list[k].outcome);
        plain(page, "</tr>\n");
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    carom_page_raw(page,
                   "<p class=\"soft\">Normal impulses <i>Λ</i> for the normals as given%s, "
                   "and what the contact does.</p>\n",
                   s->g->s ? ", then tangential impulses" : "");
    return CAROM_OK;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The laws: what each is, what theory promises here, what it had to say. */
carom_status carom_report_impact_details_laws(carom_report_sheet *s)
{
    carom_page *page = s->page;
    carom_page_section(page, "details", "Impulses and laws");
    carom_status status = write_impulses(s);
    if (status)
        return status;
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
        carom_page_name(page, variant || next ? entry->label : entry->law->ops->name);
        plain(page, "</th><td class=\"w\">");
        carom_page_prose(page, entry->law->ops->summary);
        if (entry->law->ops->reference) {
            plain(page, "<br><span class=\"soft\">");
            carom_page_text(page, entry->law->ops->reference);
            plain(page, "</span>");
        }
        plain(page, "</td><td class=\"w\">");
        carom_page_prose(page, entry->promise);
        plain(page, "</td><td class=\"w\">");
        carom_page_prose(page, entry->outcome->message);
        plain(page, "</td></tr>\n");
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    carom_page_section_end(page);
    return CAROM_OK;
}

static void write_certificate(carom_report_sheet *s, const carom_certificate *c)
{
    carom_page *page = s->page;
    const char *word = c->holds == CAROM_TRUE    ? "holds"
                       : c->holds == CAROM_FALSE ? "fails"
                                                 : "undecided";
    const char *style = c->holds == CAROM_UNDECIDED ? "none"
                        : c->holds == CAROM_TRUE    ? "good"
                                                    : "bad";
    plain(page, "<tr><th scope=\"row\">");
    carom_page_name(page, c->name);
    carom_page_raw(page, "</th><td class=\"%s\">%s</td><td>%s</td>", style, word,
                   carom_validity_text(c->scope));
    carom_page_cell(page, c->value, 0, 6);
    carom_page_cell(page, c->bound, 0, 6);
    plain(page, "<td class=\"w\">");
    carom_page_prose(page, c->text);
    if (c->counterexample) {
        carom_page_raw(
            page, "<br>Counter-example%s: <i>u</i>⁻ = ", c->verified ? " (run and confirmed)" : "");
        carom_report_impact_list(page, s->impact->n, c->counterexample, 0);
    }
    if (c->reference) {
        plain(page, "<br><span class=\"soft\">");
        carom_page_prose(page, c->reference);
        plain(page, "</span>");
    }
    plain(page, "</td></tr>\n");
}

/* Those that do not apply, by their reasons. */
static void write_inapplicable(carom_report_sheet *s, const carom_certificates *all)
{
    carom_page *page = s->page;
    bool first = true;
    for (int k = 0; k < all->count; k++) {
        bool told = all->list[k].applies;
        for (int j = 0; j < k && !told; j++)
            told = !all->list[j].applies && strcmp(all->list[j].text, all->list[k].text) == 0;
        if (told)
            continue;
        plain(page,
              first ? "<h3>What does not apply here</h3>\n<ul class=\"soft\">\n<li>" : "<li>");
        first = false;
        for (int j = k, named = 0; j < all->count; j++)
            if (!all->list[j].applies && strcmp(all->list[j].text, all->list[k].text) == 0) {
                plain(page, named++ ? ", " : "");
                carom_page_name(page, all->list[j].name);
            }
        const char *reason = all->list[k].text, *skip = "does not apply: ";
        if (strncmp(reason, skip, strlen(skip)) == 0)
            reason += strlen(skip);
        plain(page, ": ");
        carom_page_prose(page, reason);
        plain(page, "</li>\n");
    }
    plain(page, first ? "" : "</ul>\n");
}

void carom_report_impact_details_certificates(carom_report_sheet *s)
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
    for (int k = 0; k < all->count; k++)
        if (all->list[k].applies)
            write_certificate(s, &all->list[k]);
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    write_inapplicable(s, all);
    carom_page_section_end(page);
}
