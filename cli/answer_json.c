/* The JSON document of `carom impact` (docs/schema/impact.json). */
#include "answer.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The word of a choice: given, or the first of its list. */
static void write_choice(carom_json *json, const carom_value *value, const carom_parameter *q)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(q->choices, "|"), q->choices);
    carom_json_string(json, value ? value->text : word);
}

static void write_parameters(carom_json *json, const carom_law *law)
{
    carom_json_key(json, "parameters");
    carom_json_object(json);
    for (const carom_parameter *q = law->ops->parameters; q && q->name; q++) {
        const carom_value *value = carom_law_value(law, q->name);
        if (!value && q->kind != CAROM_PARAMETER_CHOICE && !isfinite(q->number))
            continue;
        if (!value && q->kind != CAROM_PARAMETER_CHOICE && q->kind != CAROM_PARAMETER_NUMBER)
            continue;
        carom_json_key(json, q->name);
        if (q->kind == CAROM_PARAMETER_CHOICE)
            write_choice(json, value, q);
        else if (q->kind == CAROM_PARAMETER_NUMBER)
            carom_json_number(json, carom_law_number(law, q->name));
        else if (value->words)
            carom_json_strings(json, value->rows, value->words);
        else if (q->kind == CAROM_PARAMETER_LIST || q->kind == CAROM_PARAMETER_CONTACTS)
            carom_json_numbers(json, value->rows, value->numbers);
        else
            carom_json_matrix(json, value->rows, value->columns, value->numbers);
    }
    carom_json_end(json);
}

static void write_verdict(carom_json *json, const carom_verdict *v)
{
    carom_json_key(json, "verdict");
    carom_json_object(json);
    cli_json_boolean(json, "kinematic", v->kinematic);
    cli_json_boolean(json, "kinetic", v->kinetic);
    cli_json_boolean(json, "energetic", v->energetic);
    cli_json_number(json, "least_velocity", v->least_velocity);
    cli_json_number(json, "least_impulse", v->least_impulse);
    cli_json_number(json, "energy_gain", v->energy_gain);
    cli_json_number(json, "momentum_error", v->momentum_error);
    carom_json_end(json);
}

static void write_details(carom_json *json, const carom_outcome *o, int n)
{
    carom_json_key(json, "details");
    carom_json_object(json);
    for (int k = 0; k < o->detail_count; k++) {
        carom_json_key(json, o->details[k].name);
        const double *vector = o->details[k].vector;
        if (vector) {
            carom_json_row(json);
            for (int i = 0; i < n; i++)
                carom_json_number(json, vector[i] + 0.0);
            carom_json_end(json);
        } else if (o->details[k].text)
            carom_json_string(json, o->details[k].text);
        else
            carom_json_number(json, o->details[k].value);
    }
    carom_json_end(json);
}

/* What an outcome says when there is one. */
static void write_values(carom_json *json, const carom_geometry *g, const carom_outcome *o)
{
    int n = g->impact->n, p = g->impact->p;
    cli_json_numbers(json, "velocity", n, o->u);
    cli_json_numbers(json, "normal_velocity", p, o->gamma);
    cli_json_numbers(json, "impulse", p, o->impulse);
    cli_json_boolean(json, "impulse_unique", o->impulse_unique);
    cli_json_by_slip(json, "slip", g, o->slip);
    cli_json_by_slip(json, "tangential_impulse", g, o->tangential_impulse);
    if (g->spread_start[p] > 0) /* second-order cones: the reaction beside W L */
        cli_json_numbers(json, "spread_impulse", g->spread_start[p], o->spread_impulse);
    cli_json_numbers(json, "bilateral_impulse", g->impact->m, o->joint_impulse);
    cli_json_numbers(json, "permanent_impulse", g->impact->a, o->joint_impulse + g->impact->m);
    cli_json_modes(json, p, o->mode);
    cli_json_number(json, "energy", o->energy);
    cli_json_number(json, "energy_change", o->energy_change);
    write_verdict(json, &o->verdict);
    write_details(json, o, n);
}

static void write_nothing(carom_json *json)
{
    static const char *const keys[] = {"velocity",
                                       "normal_velocity",
                                       "impulse",
                                       "impulse_unique",
                                       "slip",
                                       "tangential_impulse",
                                       "bilateral_impulse",
                                       "permanent_impulse",
                                       "mode",
                                       "energy",
                                       "energy_change",
                                       "verdict"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        cli_json_null(json, keys[k]);
}

/* certificate: NULL inside alternatives, which have none of their own. */
static void write_outcome(carom_json *json, const cli_answer *a, const carom_law *law,
                          const carom_outcome *o, const char *certificate)
{
    carom_json_object(json);
    cli_json_string(json, "law", law->ops->name);
    write_parameters(json, law);
    cli_json_string(json, "status", carom_answer_text(o->answer));
    cli_json_string(json, "message", o->message);
    if (certificate)
        cli_json_string(json, "certificate", certificate[0] ? certificate : NULL);
    if (cli_answer_exists(o)) {
        write_values(json, &a->geometry, o);
    } else {
        write_nothing(json);
        write_details(json, o, a->impact.n);
    }
    if (certificate) {
        carom_json_key(json, "alternatives");
        carom_json_array(json);
        for (int k = 0; k < o->alternative_count; k++)
            write_outcome(json, a, law, &o->alternatives[k], NULL);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void write_geometry(carom_json *json, const cli_answer *a, const double *angles)
{
    int p = a->impact.p;
    carom_json_key(json, "geometry");
    carom_json_object(json);
    cli_json_matrix(json, "delassus", p, p, a->geometry.D);
    cli_json_matrix(json, "kinetic_angles", p, p, angles);
    cli_json_numbers(json, "frame_velocity", a->impact.n, a->geometry.b);
    cli_json_boolean(json, "approaching", a->geometry.approaching);
    cli_json_boolean(json, "dependent", a->geometry.dependent);
    carom_json_end(json);
}

/* Which instant of a motion it is; null: the scene as it stands. */
static void write_instant(carom_json *json, const cli_answer *a)
{
    if (!a->instant.given) {
        cli_json_null(json, "instant");
        return;
    }
    const carom_system_shape *shape = carom_system_get_shape(carom_scene_get(a->scene)->system);
    carom_json_key(json, "instant");
    carom_json_object(json);
    cli_json_number(json, "t", a->instant.t);
    if (a->instant.impact)
        cli_json_integer(json, "impact", a->instant.impact);
    else
        cli_json_null(json, "impact");
    cli_json_string(json, "law", a->instant.law);
    cli_json_numbers(json, "position", shape->nq, a->instant.q);
    carom_json_end(json);
}

int cli_answer_json(const cli_answer *a)
{
    size_t p = (size_t)a->impact.p;
    carom_error error = {0};
    double *angles = calloc(p * p + 1, sizeof *angles);
    if (!angles)
        return cli_message_memory();
    carom_geometry_angles(&a->geometry, angles);
    carom_json json;
    carom_json_begin(&json, carom_json_to_file, stdout);
    carom_json_object(&json);
    cli_json_string(&json, "title", a->title);
    cli_json_strings(&json, "coordinates", a->impact.n, a->coordinates);
    cli_json_strings(&json, "velocities", a->impact.n, a->velocities);
    cli_json_strings(&json, "contacts", a->impact.p, a->contacts);
    cli_json_boolean(&json, "stopped", a->stopped);
    write_instant(&json, a);
    carom_json_key(&json, "before");
    carom_json_object(&json);
    cli_json_numbers(&json, "velocity", a->impact.n, a->impact.u);
    cli_json_numbers(&json, "normal_velocity", a->impact.p, a->geometry.gamma);
    cli_json_number(&json, "energy", a->geometry.energy);
    carom_json_end(&json);
    write_geometry(&json, a, angles);
    carom_json_key(&json, "outcomes");
    carom_json_array(&json);
    for (int k = 0; k < a->count; k++)
        write_outcome(&json, a, &a->entries[k].law, &a->entries[k].outcome,
                      a->entries[k].certificate);
    carom_json_end(&json);
    carom_json_end(&json);
    free(angles);
    return carom_json_finish(&json, &error) ? cli_message_error(NULL, &error) : CLI_ANSWERED;
}
