/* The page of a motion: summary, energy ledger, curves, impacts, final state. */
#include "pictures/report_motion.h"

#include "pictures/picture.h"
#include "pictures/report_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void plain(carom_page *page, const char *text)
{
    carom_page_raw(page, "%s", text);
}

static void contact_name(carom_report_motion_sheet *s, int contact)
{
    if (s->shape->contacts[contact].name)
        carom_page_name(s->page, s->shape->contacts[contact].name);
    else
        carom_page_raw(s->page, "%d", contact + 1);
}

static void item_number(carom_report_motion_sheet *s, const char *name, double value, int digits)
{
    carom_page_raw(s->page, "<dt>%s</dt><dd>", name);
    carom_page_number(s->page, value, digits);
    plain(s->page, "</dd>\n");
}

static void item_text(carom_report_motion_sheet *s, const char *name, const char *text)
{
    carom_page_raw(s->page, "<dt>%s</dt><dd>", name);
    carom_page_text(s->page, text);
    plain(s->page, "</dd>\n");
}

static void write_law(carom_report_motion_sheet *s)
{
    const carom_law *law = s->report->law;
    plain(s->page, "<dt>law of impact</dt><dd>");
    carom_page_text(s->page, law->ops->name);
    for (int k = 0; k < law->value_count; k++) {
        const carom_value *v = &law->values[k];
        if (v->kind != CAROM_PARAMETER_NUMBER && v->kind != CAROM_PARAMETER_CHOICE)
            continue;
        plain(s->page, k ? ", " : ": ");
        carom_page_text(s->page, v->name);
        plain(s->page, " = ");
        if (v->kind == CAROM_PARAMETER_CHOICE)
            carom_page_text(s->page, v->text);
        else
            carom_page_number(s->page, v->number, 6);
    }
    plain(s->page, "; <span class=\"soft\">");
    carom_page_prose(s->page, law->ops->summary);
    plain(s->page, "</span></dd>\n");
}

static void write_method(carom_report_motion_sheet *s)
{
    const carom_flow_options *o = s->report->options;
    plain(s->page, "<dt>method</dt><dd>");
    plain(s->page, carom_flow_method_text(o->method));
    if (o->method == CAROM_FLOW_TIME_STEPPING) {
        carom_page_raw(s->page, ", %s, step ", carom_flow_scheme_text(o->scheme));
        carom_page_number(s->page, o->step, 6);
        plain(s->page, ", θ = ");
        carom_page_number(s->page, o->theta, 6);
    } else if (o->method == CAROM_FLOW_EVENT_DRIVEN) {
        plain(s->page, ", tolerance ");
        carom_page_number(s->page, o->tolerance, 6);
    } else {
        plain(s->page, ", width ");
        carom_page_number(s->page, o->width, 6);
        plain(s->page, ", stiffness ");
        carom_page_number(s->page, o->stiffness, 6);
        plain(s->page, ", damping ");
        carom_page_number(s->page, o->damping, 6);
    }
    plain(s->page, "</dd>\n");
}

static void write_summary(carom_report_motion_sheet *s)
{
    const carom_flow_result *r = s->result;
    char text[96];
    carom_page_section(s->page, "summary", "Summary");
    if (r->end != CAROM_FLOW_REACHED) {
        plain(s->page, "<p class=\"bad\">The motion ended early at <i>t</i> = ");
        carom_page_number(s->page, r->t, 10);
        plain(s->page, ": ");
        carom_page_prose(s->page, r->message[0] ? r->message : carom_flow_end_text(r->end));
        plain(s->page, "</p>\n");
    }
    plain(s->page, "<dl>\n");
    if (s->report->source)
        item_text(s, "scene", s->report->source);
    write_method(s);
    write_law(s);
    item_number(s, "end", r->t, 10);
    snprintf(text, sizeof text, "%ld accepted, %ld tried again, %ld events", r->steps, r->rejected,
             r->events);
    item_text(s, "steps", text);
    snprintf(text, sizeof text, "%ld", r->impact_count);
    item_text(s, "impacts", text);
    item_number(s, "largest penetration", r->max_penetration, 4);
    item_number(s, "energy unaccounted for", r->ledger.balance_error, 4);
    if (s->report->file)
        item_text(s, "trace", s->report->file);
    snprintf(text, sizeof text, "%016llx", s->report->hash);
    item_text(s, "hash of the motion", text);
    plain(s->page, "</dl>\n");
    if (r->warning_count)
        plain(s->page, "<h3>Warnings</h3>\n<ul>\n");
    for (int k = 0; k < r->warning_count && k < CAROM_FLOW_WARNINGS; k++) {
        plain(s->page, "<li>");
        carom_page_prose(s->page, r->warnings[k]);
        plain(s->page, "</li>\n");
    }
    if (r->warning_count)
        plain(s->page, "</ul>\n");
    if (r->warning_count > CAROM_FLOW_WARNINGS)
        carom_page_raw(s->page, "<p class=\"soft\">and %d more.</p>\n",
                       r->warning_count - CAROM_FLOW_WARNINGS);
    carom_page_section_end(s->page);
}

static void write_ledger(carom_report_motion_sheet *s)
{
    static const carom_entry shown[] = {
        CAROM_ENTRY_INITIAL, CAROM_ENTRY_IMPACTS,    CAROM_ENTRY_EVENTS,  CAROM_ENTRY_FRICTION,
        CAROM_ENTRY_FORCES,  CAROM_ENTRY_PROJECTION, CAROM_ENTRY_BALANCE, CAROM_ENTRY_FINAL};
    carom_page_table(s->page, "Energy ledger");
    plain(s->page, "<thead><tr><th scope=\"col\">kinetic + potential energy</th>"
                   "<th scope=\"col\" class=\"n\">energy</th></tr></thead>\n<tbody>\n");
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        if (shown[k] == CAROM_ENTRY_EVENTS && s->shape->event_count == 0)
            continue;
        carom_page_raw(s->page, "<tr><th scope=\"row\">%s</th>",
                       carom_flow_entries(shown[k])->title);
        carom_page_cell(s->page, carom_flow_entries_value(&s->result->ledger, shown[k]), 0, 8);
        plain(s->page, "</tr>\n");
    }
    plain(s->page, "</tbody>\n");
    carom_page_table_end(s->page);
}

/* Losses contact by contact. */
static void write_losses(carom_report_motion_sheet *s)
{
    enum { MOST = 24 };
    const carom_flow_ledger *l = &s->result->ledger;
    if (!s->shape->p || s->shape->p > MOST)
        return;
    carom_page_table(s->page, "Energy by contact");
    plain(s->page, "<thead><tr><th scope=\"col\">contact</th><th scope=\"col\" class=\"n\">"
                   "impacts</th><th scope=\"col\" class=\"n\">friction</th></tr></thead>\n"
                   "<tbody>\n");
    for (int i = 0; i < s->shape->p; i++) {
        plain(s->page, "<tr><th scope=\"row\">");
        contact_name(s, i);
        plain(s->page, "</th>");
        carom_page_cell(s->page, l->impact_loss[i], fabs(l->initial), 6);
        carom_page_cell(s->page, l->friction_loss[i], fabs(l->initial), 6);
        plain(s->page, "</tr>\n");
    }
    plain(s->page, "</tbody>\n");
    carom_page_table_end(s->page);
}

static void key(carom_page *page, const char *style, bool area, const char *text)
{
    char shape[160];
    if (area)
        snprintf(shape, sizeof shape,
                 "<rect class=\"%s\" x=\"1\" y=\"1\" width=\"24\" height=\"12\"/>", style);
    else
        snprintf(shape, sizeof shape, "<line class=\"%s\" x1=\"1\" y1=\"7\" x2=\"25\" y2=\"7\"/>",
                 style);
    carom_page_raw(page,
                   "<li><svg class=\"carom\" viewBox=\"0 0 26 14\" aria-hidden=\"true\">%s</svg>"
                   "<span>%s</span></li>\n",
                   shape, text);
}

static carom_status write_energy(carom_report_motion_sheet *s)
{
    carom_svg svg = {0};
    bool stacked;
    carom_page_section(s->page, "energy", "Energy");
    plain(s->page, "<div class=\"pair\">\n");
    carom_status status = carom_picture_ledger(s->trace, s->result->ledger.initial, s->arena,
                                               &s->page->out.allocator, &svg, &stacked, s->error);
    if (status) {
        carom_svg_destroy(&svg);
        return status;
    }
    carom_page_figure(s->page, &svg, "");
    plain(s->page, "<ul class=\"key\">\n");
    key(s->page, stacked ? "c0 f0" : "c0", stacked, "kinetic");
    key(s->page, stacked ? "c2 f2" : "c2", stacked, "potential");
    key(s->page, stacked ? "c1 f1" : "c1", stacked,
        stacked ? "lost in impacts" : "work of impacts");
    if (s->result->ledger.friction != 0)
        key(s->page, stacked ? "c4 f4" : "c4", stacked,
            stacked ? "lost to friction" : "work of friction");
    if (!stacked)
        key(s->page, "c7 dashed", false, "work of forces");
    if (!stacked && s->shape->event_count > 0)
        key(s->page, "c3", false, "work of events");
    plain(s->page, stacked ? "</ul>\n<figcaption>Stacked: the upper side is the energy put in, "
                             "constant when no force works. Potential energy is counted from its "
                             "lowest value on the way.</figcaption>\n"
                           : "</ul>\n<figcaption>Energies and the work done so far; curves, as "
                             "contacts or events gave energy too.</figcaption>\n");
    carom_page_figure_end(s->page);
    plain(s->page, "<div>\n");
    write_ledger(s);
    write_losses(s);
    plain(s->page, "</div>\n</div>\n");
    carom_page_section_end(s->page);
    return CAROM_OK;
}

int carom_report_motion_struck(const carom_flow_impact *impact, int *order)
{
    double largest = 0;
    int count = 0;
    for (int i = 0; i < impact->contact_count && impact->impulse; i++)
        largest = fmax(largest, fabs(impact->impulse[i]));
    const double same = CAROM_VERDICT_TOLERANCE * largest; /* in the scene's order then */
    for (int i = 0; i < impact->contact_count; i++) {
        double size = impact->impulse ? fabs(impact->impulse[i]) : 0;
        if (largest > 0 && size <= same)
            continue;
        int k = count++;
        for (; k > 0 && impact->impulse && fabs(impact->impulse[order[k - 1]]) < size - same; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return count;
}

static void write_impact(carom_report_motion_sheet *s, long number, const carom_flow_impact *impact)
{
    static const char *const kinds[] = {"collision", "tangential", "passage"};
    carom_page *page = s->page;
    carom_page_raw(page, "<tr><th scope=\"row\" class=\"n\">%ld</th>", number + 1);
    carom_page_cell(page, impact->t, 0, 10);
    enum { MOST = 12 };
    int *order = carom_arena_array(s->arena, (size_t)impact->contact_count + 1, sizeof *order);
    int count = order ? carom_report_motion_struck(impact, order) : 0;
    plain(page, "<td>");
    for (int k = 0; k < count && k < MOST; k++) {
        plain(page, k ? ", " : "");
        contact_name(s, impact->contacts[order[k]]);
    }
    if (count > MOST)
        carom_page_raw(page, " and %d more", count - MOST);
    carom_page_raw(page, "</td><td>%s</td><td class=\"n\">", kinds[impact->kind]);
    for (int k = 0; k < count && k < MOST; k++) {
        plain(page, k ? "; " : "");
        carom_page_number(page, impact->impulse ? impact->impulse[order[k]] : 0, 6);
    }
    page->out.failed = page->out.failed || !order;
    plain(page, "</td>");
    carom_page_cell(page, impact->energy_change, 0, 6);
    plain(page, "</tr>\n");
}

static void write_impacts(carom_report_motion_sheet *s)
{
    enum { ENDS = 15 };
    const carom_flow_result *r = s->result;
    carom_page *page = s->page;
    carom_page_section(page, "impacts", "Impacts");
    if (!r->impact_count) {
        plain(page, "<p>No impact happened.</p>\n");
        carom_page_section_end(page);
        return;
    }
    carom_page_table(page, "Impacts");
    plain(page, "<thead><tr><th scope=\"col\" class=\"n\">no.</th>"
                "<th scope=\"col\" class=\"n\">time</th><th scope=\"col\">contacts</th>"
                "<th scope=\"col\">kind</th><th scope=\"col\" class=\"n\">normal impulses</th>"
                "<th scope=\"col\" class=\"n\">energy change</th></tr></thead>\n<tbody>\n");
    long tail = r->impact_kept == r->impact_count ? r->impact_count - ENDS : r->impact_kept;
    for (long k = 0; k < r->impact_kept; k++)
        if (k < ENDS || k >= tail)
            write_impact(s, k, &r->impacts[k]);
        else if (k == ENDS)
            carom_page_raw(page, "<tr><td class=\"none\" colspan=\"6\">… %ld more</td></tr>\n",
                           tail - ENDS);
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    if (r->accumulation_count) {
        plain(page, "<h3>Accumulations</h3>\n");
        carom_page_table(page, "Accumulation points");
        plain(page, "<thead><tr><th scope=\"col\">contact</th>"
                    "<th scope=\"col\" class=\"n\">first impact</th>"
                    "<th scope=\"col\" class=\"n\">last computed</th>"
                    "<th scope=\"col\" class=\"n\">limit</th><th scope=\"col\" class=\"n\">ratio"
                    "</th><th scope=\"col\" class=\"n\">impacts computed</th></tr></thead>\n"
                    "<tbody>\n");
    }
    for (int k = 0; k < r->accumulation_count && k < 200; k++) {
        const carom_flow_accumulation *a = &r->accumulations[k];
        plain(page, "<tr><th scope=\"row\">");
        contact_name(s, a->contact);
        plain(page, "</th>");
        carom_page_cell(page, a->t_first, 0, 10);
        carom_page_cell(page, a->t_last, 0, 10);
        carom_page_cell(page, a->t_limit, 0, 12);
        carom_page_cell(page, a->ratio, 0, 6);
        carom_page_raw(page, "<td class=\"n\">%ld</td></tr>\n", a->impacts);
    }
    if (r->accumulation_count) {
        plain(page, "</tbody>\n");
        carom_page_table_end(page);
    }
    carom_page_section_end(page);
}

static void write_final(carom_report_motion_sheet *s)
{
    enum { MOST = 60 };
    const carom_system_shape *shape = s->shape;
    int rows = shape->nq > shape->n ? shape->nq : shape->n;
    carom_page *page = s->page;
    carom_page_section(page, "final", "Final state");
    plain(page, "<p><i>t</i> = ");
    carom_page_number(page, s->result->t, 12);
    plain(page, "</p>\n");
    carom_page_table(page, "Final state");
    plain(page, "<thead><tr><th scope=\"col\">coordinate</th><th scope=\"col\" class=\"n\">value"
                "</th><th scope=\"col\">velocity</th><th scope=\"col\" class=\"n\">value</th></tr>"
                "</thead>\n<tbody>\n");
    for (int i = 0; i < rows && i < MOST; i++) {
        plain(page, "<tr><th scope=\"row\">");
        carom_page_name(page, i < shape->nq ? shape->coordinates[i] : "");
        plain(page, "</th>");
        carom_page_cell(page, i < shape->nq ? s->result->q[i] : NAN, 0, 10);
        plain(page, "<td>");
        carom_page_name(page, i < shape->n ? shape->velocities[i] : "");
        plain(page, "</td>");
        carom_page_cell(page, i < shape->n ? s->result->u[i] : NAN, 0, 10);
        plain(page, "</tr>\n");
    }
    plain(page, "</tbody>\n");
    carom_page_table_end(page);
    if (rows > MOST)
        carom_page_raw(page, "<p class=\"soft\">and %d more.</p>\n", rows - MOST);
    carom_page_section_end(page);
}

carom_status carom_report_motion_write(const carom_report_motion *report,
                                       const carom_allocator *allocator, char **text, size_t *size,
                                       carom_error *error)
{
    carom_page page;
    carom_report_motion_sheet s = {.report = report,
                                   .shape = carom_system_get_shape(report->system),
                                   .result = report->result,
                                   .trace = report->trace,
                                   .course = {report->trace, report->shapes},
                                   .page = &page,
                                   .error = error};
    carom_status status = carom_arena_create(allocator, &s.arena, error);
    if (status)
        return status;
    carom_page_begin(&page, allocator, report->title ? report->title : "Motion");
    carom_page_raw(&page, "<p class=\"soft\">A motion: %d coordinate%s, %d contact%s.</p>\n",
                   s.shape->nq, s.shape->nq == 1 ? "" : "s", s.shape->p,
                   s.shape->p == 1 ? "" : "s");
    status = carom_report_motion_curves_strobe(&s);
    if (!status) {
        write_summary(&s);
        status = write_energy(&s);
    }
    if (!status)
        status = carom_report_motion_curves(&s);
    if (!status) {
        write_impacts(&s);
        write_final(&s);
        carom_report_scene_write(&page, &report->scene);
        status = carom_page_finish(&page, text, size, error);
    } else
        carom_page_destroy(&page);
    carom_arena_destroy(s.arena);
    return status;
}
