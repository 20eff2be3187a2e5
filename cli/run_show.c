/* A motion as JSON (docs/schema/run.json) and as a summary. */
#include "carom/text.h"
#include "json.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const carom_system_shape *shape_of(const cli_motion *m)
{
    return carom_system_get_shape(carom_scene_get(m->scene)->system);
}

static const char *contact_name(const cli_motion *m, int contact, char number[16])
{
    return carom_contact_name(shape_of(m)->contacts, contact, number);
}

/* What was computed: enough to do it again. */
static void write_question(carom_json *json, const cli_motion *m)
{
    const carom_scene_content *content = carom_scene_get(m->scene);
    const carom_system_shape *shape = shape_of(m);
    char number[16];
    cli_json_string(json, "version", CAROM_VERSION);
    cli_json_string(json, "title", content->title);
    cli_json_strings(json, "coordinates", shape->nq, shape->coordinates);
    cli_json_strings(json, "velocities", shape->n, shape->velocities);
    carom_json_key(json, "contacts");
    carom_json_row(json);
    for (int i = 0; i < shape->p; i++)
        carom_json_string(json, contact_name(m, i, number));
    carom_json_end(json);
    carom_json_key(json, "parameters");
    carom_json_object(json);
    for (int k = 0; k < content->parameter_count; k++)
        cli_json_number(json, content->parameters[k].name, content->parameters[k].value);
    carom_json_end(json);
    cli_json_strings(json, "set", content->set_count, content->sets);
    cli_json_string(json, "scene", content->text);
    cli_json_string(json, "method", carom_flow_method_text(m->options.method));
    cli_json_number(json, "until", m->options.until);
    if (m->options.method == CAROM_FLOW_TIME_STEPPING)
        cli_json_number(json, "step", m->options.step);
    cli_json_string(json, "law", m->law.ops->name);
    cli_json_boolean(json, "law_is_default", m->law_by_default);
}

static void write_final(carom_json *json, const cli_motion *m)
{
    const carom_system_shape *shape = shape_of(m);
    carom_json_key(json, "final");
    carom_json_object(json);
    cli_json_number(json, "t", m->result.t);
    cli_json_numbers(json, "position", shape->nq, m->result.q);
    cli_json_numbers(json, "velocity", shape->n, m->result.u);
    carom_json_end(json);
}

static void write_impact(carom_json *json, const cli_motion *m, const carom_flow_impact *impact)
{
    const carom_system_shape *shape = shape_of(m);
    char text[16];
    carom_json_object(json);
    cli_json_number(json, "t", impact->t);
    carom_json_key(json, "contacts");
    carom_json_row(json);
    for (int k = 0; k < impact->contact_count; k++)
        carom_json_string(json, contact_name(m, impact->contacts[k], text));
    carom_json_end(json);
    cli_json_string(json, "law", impact->law);
    cli_json_string(json, "kind", carom_flow_impact_text(impact->kind));
    if (impact->kind == CAROM_FLOW_PASSAGE) {
        cli_json_number(json, "t_before", impact->t_before);
        cli_json_number(json, "t_after", impact->t_after);
    }
    cli_json_numbers(json, "position", shape->nq, impact->q);
    cli_json_numbers(json, "velocity_before", shape->n, impact->before);
    cli_json_numbers(json, "velocity_after", shape->n, impact->after);
    cli_json_numbers(json, "impulse", impact->contact_count, impact->impulse);
    cli_json_number(json, "energy_change", impact->energy_change);
    carom_json_end(json);
}

static void write_impacts(carom_json *json, const cli_motion *m)
{
    carom_json_key(json, "impacts");
    carom_json_array(json);
    for (long k = 0; k < m->result.impact_kept; k++)
        write_impact(json, m, &m->result.impacts[k]);
    carom_json_end(json);
    cli_json_integer(json, "impact_count", m->result.impact_count);
}

/* Events of the system that happened. */
static void write_instants(carom_json *json, const cli_motion *m)
{
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(m->scene)->system);
    carom_json_key(json, "instants");
    carom_json_array(json);
    for (long k = 0; k < m->result.instant_kept; k++) {
        const carom_flow_instant *i = &m->result.instants[k];
        carom_json_object(json);
        cli_json_number(json, "t", i->t);
        cli_json_string(json, "event", shape->events[i->event].name);
        cli_json_numbers(json, "position_before", shape->nq, i->q_before);
        cli_json_numbers(json, "velocity_before", shape->n, i->u_before);
        cli_json_numbers(json, "position_after", shape->nq, i->q);
        cli_json_numbers(json, "velocity_after", shape->n, i->u);
        carom_json_end(json);
    }
    carom_json_end(json);
    cli_json_integer(json, "instant_count", m->result.instant_count);
}

static void write_accumulations(carom_json *json, const cli_motion *m)
{
    char text[16];
    carom_json_key(json, "accumulations");
    carom_json_array(json);
    for (int k = 0; k < m->result.accumulation_count; k++) {
        const carom_flow_accumulation *a = &m->result.accumulations[k];
        carom_json_object(json);
        cli_json_string(json, "contact", contact_name(m, a->contact, text));
        cli_json_number(json, "t_first", a->t_first);
        cli_json_number(json, "t_last", a->t_last);
        cli_json_number(json, "t_limit", a->t_limit);
        cli_json_number(json, "ratio", a->ratio);
        cli_json_integer(json, "impacts", a->impacts);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void write_energy(carom_json *json, const cli_motion *m)
{
    const carom_flow_ledger *l = &m->result.ledger;
    const carom_system_shape *shape = shape_of(m);
    carom_json_key(json, "energy");
    carom_json_object(json);
    for (int k = 0; k < CAROM_FLOW_ENTRIES; k++)
        cli_json_number(json, carom_flow_entries(k)->name, carom_flow_entries_value(l, k));
    cli_json_numbers(json, "impact_loss", shape->p, l->impact_loss);
    cli_json_numbers(json, "friction_loss", shape->p, l->friction_loss);
    carom_json_end(json);
}

int cli_motion_json(const cli_motion *m)
{
    const carom_flow_result *r = &m->result;
    carom_error error = {0};
    char text[32];
    carom_json json;
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    write_question(&json, m);
    cli_json_string(&json, "end", carom_flow_end_text(r->end));
    cli_json_string(&json, "message", r->message);
    write_final(&json, m);
    write_impacts(&json, m);
    write_instants(&json, m);
    write_accumulations(&json, m);
    write_energy(&json, m);
    cli_json_integer(&json, "steps", r->steps);
    cli_json_integer(&json, "events", r->events);
    cli_json_number(&json, "max_penetration", r->max_penetration);
    carom_json_key(&json, "warnings");
    carom_json_array(&json);
    for (int k = 0; k < r->warning_count && k < CAROM_FLOW_WARNINGS; k++)
        carom_json_string(&json, r->warnings[k]);
    carom_json_end(&json);
    cli_json_string(&json, "trace", m->trace);
    snprintf(text, sizeof text, "%016llx", m->hash);
    cli_json_string(&json, "hash", text);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}

/* The largest size that entry i of a vector had: at the start, at the end, before impacts. */
static double largest(const double *start, const double *end, const cli_motion *m, int i)
{
    double size = fmax(fabs(start[i]), fabs(end[i]));
    for (long k = 0; k < m->result.impact_kept && end == m->result.u; k++)
        size = fmax(size, fabs(m->result.impacts[k].before[i]));
    return size;
}

static void print_state(const cli_motion *m)
{
    const carom_system_shape *shape = shape_of(m);
    const carom_flow_start *start = &carom_scene_get(m->scene)->initial;
    const carom_flow_result *r = &m->result;
    enum { MOST = 12 };
    double scale_q = 0, scale_u = 0;
    for (int i = 0; i < shape->nq; i++)
        scale_q = fmax(scale_q, largest(start->q, r->q, m, i));
    for (int i = 0; i < shape->n; i++)
        scale_u = fmax(scale_u, largest(start->u, r->u, m, i));
    cli_table *table = cli_table_create(4);
    for (int i = 0; i < shape->nq && i < MOST; i++) {
        cli_table_cell(table, "  %s", shape->coordinates[i]);
        cli_table_digits(table, carom_number_clean(r->q[i], scale_q), 10);
        cli_table_cell(table, "%s", i < shape->n ? shape->velocities[i] : "");
        if (i < shape->n)
            cli_table_digits(table, carom_number_clean(r->u[i], scale_u), 10);
        else
            cli_table_cell(table, "%s", "");
    }
    cli_table_print(table, stdout);
    if (shape->nq > MOST)
        printf("  ... %d more coordinates (--json shows all)\n", shape->nq - MOST);
}

/* The contacts of an impact in one cell, those that were struck first. */
static void add_struck(cli_table *table, const cli_motion *m, const carom_flow_impact *impact)
{
    enum { MOST = 8 };
    char names[512] = "", number[16];
    int *order = malloc((size_t)(impact->contact_count + 1) * sizeof *order);
    int count = order ? carom_report_motion_struck(impact, order) : 0;
    for (int i = 0; i < count && i < MOST; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.60s", i ? ", " : "",
                 contact_name(m, impact->contacts[order[i]], number));
    }
    if (!order)
        cli_table_fail(table);
    else if (count > MOST)
        cli_table_cell(table, "%s and %d more", names, count - MOST);
    else
        cli_table_cell(table, "%s", names);
    free(order);
}

static void print_accumulations(const cli_motion *m)
{
    char number[16];
    for (int k = 0; k < m->result.accumulation_count; k++) {
        const carom_flow_accumulation *a = &m->result.accumulations[k];
        printf("accumulation: contact %s, from t = %.10g, limit t = %.12g, ratio %.6g\n",
               contact_name(m, a->contact, number), a->t_first, a->t_limit, a->ratio);
    }
}

/* What energies are measured by: the largest that had a part in the motion. */
static double energies_of(const carom_flow_result *r)
{
    const carom_flow_ledger *l = &r->ledger;
    double size = fmax(fabs(l->initial), fabs(l->final));
    size = fmax(size, fmax(fabs(l->impacts), fmax(fabs(l->events), fabs(l->friction))));
    return fmax(size, fmax(fabs(l->forces), fmax(fabs(l->kinetic), fabs(l->potential))));
}

static void print_impacts(const cli_motion *m)
{
    enum { MOST = 10 };
    const carom_flow_result *r = &m->result;
    const double energy = energies_of(r);
    printf("%ld impact%s%s\n", r->impact_count, r->impact_count == 1 ? "" : "s",
           r->impact_kept == 0      ? ""
           : r->impact_count > MOST ? ", the first:"
                                    : ":");
    cli_table *table = cli_table_create(4);
    if (r->impact_kept > 0) {
        cli_table_cell(table, " ");
        cli_table_heading(table, "t");
        cli_table_heading(table, "energy change");
        cli_table_cell(table, "contacts struck");
    }
    for (long k = 0; k < r->impact_kept && k < MOST; k++) {
        const carom_flow_impact *impact = &r->impacts[k];
        cli_table_cell(table, " ");
        cli_table_digits(table, impact->t, 10);
        cli_table_digits(table, carom_number_clean(impact->energy_change, energy), 6);
        add_struck(table, m, impact);
    }
    cli_table_print(table, stdout);
    print_accumulations(m);
}

enum { INSTANTS_SHOWN = 10 };

static void print_instants(const cli_motion *m)
{
    const carom_flow_result *r = &m->result;
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(m->scene)->system);
    if (r->instant_count == 0)
        return;
    printf("%ld event%s%s\n", r->instant_count, r->instant_count > 1 ? "s" : "",
           r->instant_kept > INSTANTS_SHOWN ? ", the first ten:" : ":");
    cli_table *table = cli_table_create(3);
    for (long k = 0; k < r->instant_kept && k < INSTANTS_SHOWN; k++) {
        cli_table_cell(table, "  t =");
        cli_table_digits(table, r->instants[k].t, 10);
        cli_table_cell(table, "%s", shape->events[r->instants[k].event].name);
    }
    cli_table_print(table, stdout);
}

static void print_ledger(const carom_flow_result *r)
{
    const carom_flow_ledger *l = &r->ledger;
    static const carom_entry shown[] = {
        CAROM_ENTRY_INITIAL, CAROM_ENTRY_IMPACTS,    CAROM_ENTRY_EVENTS, CAROM_ENTRY_FRICTION,
        CAROM_ENTRY_FORCES,  CAROM_ENTRY_PROJECTION, CAROM_ENTRY_FINAL};
    puts("energy");
    cli_table *table = cli_table_create(2);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        if (r->instant_count == 0 && shown[k] == CAROM_ENTRY_EVENTS)
            continue;
        const double value = carom_flow_entries_value(l, shown[k]);
        cli_table_cell(table, "  %s", carom_flow_entries(shown[k])->name);
        cli_table_digits(table, carom_number_clean(value, energies_of(r)), 10);
    }
    cli_table_cell(table, "  balance error"); /* rounding, told as it is */
    cli_table_digits(table, l->balance_error, 3);
    cli_table_print(table, stdout);
}

/* What a warning says, without the contact and the time it says it of. */
static const char *kind_of(const char *warning)
{
    const char *colon = strstr(warning, ": ");
    return colon ? colon : warning;
}

/* Warnings of one kind are told once, with their number. */
static void print_warnings(const carom_flow_result *r)
{
    int kept = r->warning_count < CAROM_FLOW_WARNINGS ? r->warning_count : CAROM_FLOW_WARNINGS;
    for (int k = 0; k < kept; k++) {
        int before = 0, after = 0;
        for (int i = 0; i < kept; i++)
            if (i != k && strcmp(kind_of(r->warnings[i]), kind_of(r->warnings[k])) == 0)
                *(i < k ? &before : &after) += 1;
        if (!before && !after)
            cli_message_warning("%s", r->warnings[k]);
        else if (!before)
            cli_message_warning("%s (and %d more of this kind; --json has all)", r->warnings[k],
                                after);
    }
}

void cli_motion_summary(const cli_motion *m)
{
    const carom_flow_result *r = &m->result;
    const char *title = carom_scene_get(m->scene)->title;
    printf("%s: %s, law %s%s\n", title ? title : cli_message_file(m->file),
           carom_flow_method_text(m->options.method), m->law.ops->name,
           m->law_by_default ? " by default" : "");
    if (m->ended_early)
        printf("ended early at t = %.10g: %s\n", r->t,
               r->message[0] ? r->message : carom_flow_end_text(r->end));
    printf("\nt = %.10g after %ld steps\n", r->t, r->steps);
    print_state(m);
    print_impacts(m);
    print_instants(m);
    print_ledger(r);
    if (r->max_penetration > 0)
        printf("largest penetration %.3g\n", r->max_penetration);
    print_warnings(r);
    if (m->trace)
        printf("trace %s, hash %016llx\n", m->trace, m->hash);
}
