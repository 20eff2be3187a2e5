/* The JSON document of `carom check` (docs/schema/check.json). */
#include "check.h"
#include "json.h"

#include <math.h>

static void write_certificate(carom_json *json, const carom_certificate *c, int n)
{
    carom_json_object(json);
    cli_json_string(json, "name", c->name);
    carom_json_key(json, "holds");
    if (c->holds == CAROM_UNDECIDED || !c->applies)
        carom_json_null(json);
    else
        carom_json_boolean(json, c->holds == CAROM_TRUE);
    cli_json_string(json, "scope", carom_validity_text(c->scope));
    cli_json_number(json, "value", c->value);
    cli_json_number(json, "bound", c->bound);
    cli_json_numbers(json, "counterexample", n, c->counterexample);
    cli_json_string(json, "reference", c->reference);
    cli_json_boolean(json, "applies", c->applies);
    carom_json_key(json, "verified");
    if (c->counterexample)
        carom_json_boolean(json, c->verified);
    else
        carom_json_null(json);
    cli_json_string(json, "law", c->law);
    carom_json_key(json, "scene_law");
    if (c->counterexample && c->own != CAROM_UNDECIDED)
        carom_json_boolean(json, c->own == CAROM_TRUE);
    else
        carom_json_null(json);
    cli_json_string(json, "text", c->text);
    carom_json_end(json);
}

static void write_problem(carom_json *json, const cli_check *check)
{
    const carom_geometry *g = &check->answer.geometry;
    const carom_painleve *problem = &check->found.problem;
    carom_json_key(json, "contact_problem");
    if (!check->found.has_problem) {
        carom_json_null(json);
        return;
    }
    carom_json_object(json);
    cli_json_string(json, "class", carom_painleve_text(problem->kind));
    carom_json_key(json, "solutions");
    carom_json_array(json);
    for (int k = 0; k < problem->count; k++) {
        const carom_painleve_solution *x = &problem->solutions[k];
        carom_json_object(json);
        cli_json_numbers(json, "force", g->impact->p, x->force);
        cli_json_numbers(json, "acceleration", g->impact->p, x->acceleration);
        cli_json_by_slip(json, "tangential_force", g, x->tangential_force);
        cli_json_modes(json, g->impact->p, x->mode);
        cli_json_numbers(json, "coordinate_acceleration", g->impact->n, x->du);
        cli_json_boolean(json, "force_unique", x->force_unique);
        cli_json_numbers(json, "least_force", g->impact->p, x->least);
        cli_json_numbers(json, "most_force", g->impact->p, x->most);
        carom_json_end(json);
    }
    carom_json_end(json);
    cli_json_boolean(json, "continuum", problem->continuum);
    cli_json_number(json, "critical_friction",
                    check->found.has_critical ? check->found.critical.common : NAN);
    cli_json_string(json, "message", problem->message[0] ? problem->message : NULL);
    carom_json_end(json);
}

static void write_critical(carom_json *json, const cli_check *check)
{
    carom_json_key(json, "critical_friction");
    if (!check->found.has_critical) {
        carom_json_null(json);
        return;
    }
    carom_json_object(json);
    cli_json_number(json, "common", check->found.critical.common);
    cli_json_numbers(json, "per_contact", check->answer.geometry.impact->p,
                     check->found.critical.per_contact);
    cli_json_boolean(json, "exact", check->found.critical.exact);
    cli_json_number(json, "lower", check->found.critical.lower);
    carom_json_end(json);
}

static void write_along(carom_json *json, const cli_check *check)
{
    carom_json_key(json, "along");
    if (!check->along) {
        carom_json_null(json);
        return;
    }
    double x[CHECK_SAMPLES];
    for (int i = 0; i < CHECK_SAMPLES; i++)
        x[i] = check->along_from + (check->along_to - check->along_from) * i / (CHECK_SAMPLES - 1);
    carom_json_object(json);
    cli_json_string(json, "coordinate", check->along);
    cli_json_number(json, "least", check->path.least);
    cli_json_number(json, "at", check->path.at);
    cli_json_boolean(json, "interior", check->path.inside);
    cli_json_numbers(json, "position", CHECK_SAMPLES, x);
    cli_json_numbers(json, "critical_friction", CHECK_SAMPLES, check->samples);
    carom_json_end(json);
}

static void write_margins(carom_json *json, const cli_check *check)
{
    const carom_margins *m = &check->found.margins;
    carom_json_key(json, "margins");
    if (!check->found.has_coefficients) {
        carom_json_null(json);
    } else {
        carom_json_object(json);
        cli_json_number(json, "scale_all", m->scale_all);
        cli_json_number(json, "scale_approaching", m->scale_approaching);
        cli_json_number(json, "box_all", m->box_all);
        cli_json_number(json, "box_approaching", m->box_approaching);
        carom_json_end(json);
    }
    carom_json_key(json, "region");
    if (!check->found.has_pair) {
        carom_json_null(json);
        return;
    }
    const carom_pair_region *r = &check->found.region;
    carom_json_object(json);
    cli_json_number(json, "cosine", r->a);
    cli_json_numbers(json, "e1", r->count, r->e1);
    cli_json_numbers(json, "lower", r->count, r->lower);
    cli_json_numbers(json, "upper", r->count, r->upper);
    cli_json_boolean(json, "approaching_is_square", r->square);
    cli_json_number(json, "half_width", r->half_width);
    cli_json_number(json, "radius", r->radius);
    cli_json_matrix(json, "same_energy", 2, check->found.same_energy.count,
                    check->found.same_energy.v);
    carom_json_end(json);
}

static void write_micro(carom_json *json, const cli_check *check)
{
    const carom_micro_gaps *m = &check->found.micro;
    const cli_answer *a = &check->answer;
    carom_json_key(json, "micro_gaps");
    if (!check->found.has_micro_gaps) {
        carom_json_null(json);
        return;
    }
    carom_json_object(json);
    cli_json_string(json, "law", check->found.micro_law);
    cli_json_integer(json, "orders", m->orders);
    cli_json_integer(json, "failed", m->failed);
    carom_json_key(json, "outcomes");
    carom_json_array(json);
    for (int k = 0; k < m->count; k++) {
        const carom_micro_outcome *o = &m->list[k];
        carom_json_object(json);
        cli_json_numbers(json, "velocity", a->impact.n, o->u);
        cli_json_number(json, "energy_change", o->energy_change);
        cli_json_integer(json, "orders", o->orders);
        cli_json_boolean(json, "simultaneous", o->simultaneous);
        carom_json_key(json, "groups");
        carom_json_row(json);
        for (int i = 0; i < a->impact.p; i++)
            carom_json_integer(json, o->group[i] + 1);
        carom_json_end(json);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_key(json, "first_matters");
    carom_json_array(json);
    for (unsigned set = 1; m->first_matters && set + 1 < 1u << a->impact.p; set++) {
        if (!m->first_matters[set])
            continue;
        carom_json_row(json);
        for (int i = 0; i < a->impact.p; i++)
            if (set >> i & 1)
                carom_json_string(json, a->contacts[i]);
        carom_json_end(json);
    }
    carom_json_end(json);
    cli_json_string(json, "message", m->message[0] ? m->message : NULL);
    carom_json_end(json);
}

static void write_truth(carom_json *json, const char *key, carom_truth truth)
{
    carom_json_key(json, key);
    if (truth == CAROM_UNDECIDED)
        carom_json_null(json);
    else
        carom_json_boolean(json, truth == CAROM_TRUE);
}

static void write_conservative(carom_json *json, const cli_check *check)
{
    const carom_conservative *c = &check->found.conservative;
    carom_json_key(json, "conservative");
    if (!check->found.has_coefficients || c->freedoms < 0) {
        carom_json_null(json);
        return;
    }
    carom_json_object(json);
    write_truth(json, "holds", c->conservative);
    cli_json_number(json, "deviation", c->deviation);
    cli_json_integer(json, "freedoms", c->freedoms);
    write_truth(json, "unique", c->unique);
    carom_json_key(json, "consistent");
    carom_json_array(json);
    for (int k = 0; k < c->arc_count; k++) {
        carom_json_object(json);
        cli_json_boolean(json, "reflection", c->arcs[k].reflection);
        cli_json_number(json, "from", c->arcs[k].from);
        cli_json_number(json, "to", c->arcs[k].to);
        cli_json_matrix(json, "E_from", 2, 2, c->arcs[k].E_from);
        cli_json_matrix(json, "E_to", 2, 2, c->arcs[k].E_to);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_end(json);
}

static void write_outcome(carom_json *json, const cli_check *check)
{
    const carom_outcome_matrix *o = &check->outcome;
    carom_json_key(json, "outcome_matrix");
    if (!check->has_outcome) {
        carom_json_null(json);
        return;
    }
    carom_json_object(json);
    cli_json_string(json, "law", check->outcome_of);
    cli_json_numbers(json, "velocity", check->answer.impact.n, check->after);
    cli_json_matrix(json, "E", o->size, o->size, o->exists ? o->E : NULL);
    cli_json_numbers(json, "diagonal", check->answer.impact.p,
                     o->has_diagonal ? o->diagonal : NULL);
    carom_json_end(json);
}

int cli_check_json(const cli_check *check)
{
    carom_json json;
    carom_error error = {0};
    const cli_answer *a = &check->answer;
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    cli_json_string(&json, "title", a->title);
    cli_json_strings(&json, "coordinates", a->impact.n, a->coordinates);
    cli_json_strings(&json, "contacts", a->impact.p, a->contacts);
    cli_json_string(&json, "law", check->law->ops->name);
    cli_json_boolean(&json, "law_is_default", check->law_by_default);
    carom_json_key(&json, "certificates");
    carom_json_array(&json);
    for (int i = 0; i < check->found.certificates.count; i++)
        write_certificate(&json, &check->found.certificates.list[i], a->impact.n);
    carom_json_end(&json);
    write_problem(&json, check);
    write_critical(&json, check);
    write_along(&json, check);
    write_margins(&json, check);
    write_conservative(&json, check);
    write_outcome(&json, check);
    write_micro(&json, check);
    cli_json_boolean(&json, "stopped", check->found.stopped);
    cli_json_boolean(&json, "limited", check->found.limited);
    carom_json_end(&json);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}
