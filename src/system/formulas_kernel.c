/* A system of formulas as the part of a device's program that knows it: the series of its mass,
 * forces, gaps and normals, with parameters as variables (docs/theory/series.md). */
#include "carom/need.h"
#include "expr/series.h"
#include "system/formulas.h"

/* One function of the text: which field it gives, and with what it is computed. */
typedef struct output {
    const char *name;
    carom_formulas_field field;
    carom_series_part part;
    bool friction; /* for it alone */
} output;

static const output outputs[] = {
    {"model_mass", CAROM_FIELD_M, CAROM_SERIES_MOTION, false},
    {"model_force", CAROM_FIELD_H_FORCE, CAROM_SERIES_MOTION, false},
    {"model_gap", CAROM_FIELD_G, CAROM_SERIES_MOTION, false},
    {"model_normal", CAROM_FIELD_W, CAROM_SERIES_CONTACTS, false},
    {"model_rate", CAROM_FIELD_W_HAT, CAROM_SERIES_CONTACTS, false},
    {"model_bias", CAROM_FIELD_G_BIAS, CAROM_SERIES_CONTACTS, false},
    {"model_slip", CAROM_FIELD_H_SLIP, CAROM_SERIES_CONTACTS, true},
    {"model_slip_motion", CAROM_FIELD_SLIP_MOTION, CAROM_SERIES_CONTACTS, true},
    {"model_slip_bias", CAROM_FIELD_SLIP_BIAS, CAROM_SERIES_CONTACTS, true},
    {"model_potential", CAROM_FIELD_POTENTIAL, CAROM_SERIES_ENERGY, false},
    {"model_power", CAROM_FIELD_POWER, CAROM_SERIES_ENERGY, false},
};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

static const output *find_output(unsigned field)
{
    for (int k = 0; k < OUTPUTS; k++)
        if (outputs[k].field == field)
            return &outputs[k];
    return NULL;
}

static carom_status refuse(carom_error *error, const char *what)
{
    return carom_error_set(error, CAROM_ERROR_UNSUPPORTED, "%s cannot be run on a device", what);
}

/* What the program of a device has no part for. */
static carom_status check(const carom_formulas *s, carom_error *error)
{
    if (s->coordinate_count > CAROM_KERNEL_COORDINATES)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "%d coordinates: at most %d can be run on a device",
                               s->coordinate_count, CAROM_KERNEL_COORDINATES);
    if (s->contact_count > CAROM_KERNEL_CONTACTS)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "%d contacts: at most %d can be run on a device", s->contact_count,
                               CAROM_KERNEL_CONTACTS);
    if (s->bilateral_count + s->permanent_count > 0)
        return refuse(error, "a system with `bilateral` or `permanent` constraints");
    if (s->region)
        return refuse(error, "a system with a `region`");
    for (int k = 0; k < s->event_count; k++) /* one that sets nothing changes no motion */
        if (s->events[k].set_count > 0)
            return refuse(error, "a system with `events`");
    for (int i = 0; i < s->contact_count; i++) {
        const carom_contact_formulas *contact = &s->contacts[i];
        if (contact->spread_count > 0)
            return refuse(error, "a contact with `spread`");
        if (contact->when.text)
            return refuse(error, "a contact with `when`");
        if (contact->slip[1].text)
            return refuse(error, "a contact with friction in space");
        if (s->contact_count > CAROM_KERNEL_ROUGH &&
            (contact->properties.friction_static > 0 || contact->properties.friction_dynamic > 0))
            return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                                   "friction and %d contacts: at most %d can be run on a device",
                                   s->contact_count, CAROM_KERNEL_ROUGH);
    }
    return CAROM_OK;
}

/* double name(p, c, v, index, k): a switch, which goes where the index is a number. */
static void write_output(carom_series *s, const output *o, const carom_formulas_derived *d)
{
    carom_series_say(s,
                     "static double %s(const double *p, const double *c, const series *v, int "
                     "index, int k)\n{\n    switch (index) {\n",
                     o->name);
    for (size_t j = 0; j < d->count; j++) {
        if (d->entries[j].field != o->field)
            continue;
        carom_series_say(s, "    case %zu:\n        return ", d->entries[j].index);
        carom_series_coefficient(s, d->entries[j].node);
        carom_series_say(s, ";\n");
    }
    carom_series_say(s, "    }\n    return 0.0;\n}\n\n");
}

/* Do all entries of a field depend on parameters alone? */
static bool is_constant(const carom_graph *g, const carom_formulas_derived *d,
                        carom_formulas_field field)
{
    for (size_t j = 0; j < d->count; j++)
        if (d->entries[j].field == field && g->nodes[d->entries[j].node].on & CAROM_ON_ALL)
            return false;
    return true;
}

/* Gaps along a flight bend by W'a + bias: the ranges of both (docs/theory/event-driven.md,
 * "Flights"). */
static bool is_curvature(unsigned field)
{
    return field == CAROM_FIELD_W || field == CAROM_FIELD_G_BIAS;
}

static void write_range(carom_series *s, const char *name, carom_formulas_field field,
                        const carom_formulas_derived *d)
{
    carom_series_say(s,
                     "static range %s(const double *p, const double *c, const range *r, int "
                     "index)\n{\n    switch (index) {\n",
                     name);
    for (size_t j = 0; j < d->count; j++) {
        if (d->entries[j].field != field)
            continue;
        carom_series_say(s, "    case %zu:\n        return ", d->entries[j].index);
        carom_series_range(s, d->entries[j].node);
        carom_series_say(s, ";\n");
    }
    carom_series_say(s, "    }\n    return range_of(0.0);\n}\n\n");
}

/* The contacts that have a slip, one of each: a bit for each. */
static unsigned find_slipping(const carom_formulas *statement)
{
    unsigned set = 0;
    for (int i = 0; i < statement->contact_count; i++)
        set |= (unsigned)(statement->contacts[i].slip[0].text != NULL) << i;
    return set;
}

static carom_status write_model(carom_series *s, const carom_formulas_read *read,
                                const carom_formulas_derived *d, unsigned slipping,
                                carom_error *error)
{
    const carom_graph *g = s->graph;
    const bool friction = slipping != 0 && read->p <= CAROM_KERNEL_ROUGH;
    const bool flights =
        read->p > 0 && is_constant(g, d, CAROM_FIELD_M) && is_constant(g, d, CAROM_FIELD_H_FORCE);
    for (size_t j = 0; j < d->count; j++) {
        const output *o = find_output(d->entries[j].field);
        if (o && (friction || !o->friction))
            carom_series_need(s, d->entries[j].node, o->part);
        if (flights && is_curvature(d->entries[j].field))
            carom_series_need(s, d->entries[j].node, CAROM_SERIES_CURVATURE);
    }
    carom_series_say(s, "#define COORDINATES %d\n#define CONTACT_COUNT %d\n", read->n, read->p);
    carom_series_say(s, "#define MASS_IS_DIAGONAL %d\n#define MASS_IS_CONSTANT %d\n",
                     d->mass_is_diagonal, is_constant(g, d, CAROM_FIELD_M));
    const bool normals = is_constant(g, d, CAROM_FIELD_W);
    carom_series_say(s, "#define NORMALS_ARE_CONSTANT %d\n#define ROWS_ARE_CONSTANT %d\n\n",
                     normals, normals && is_constant(g, d, CAROM_FIELD_W_HAT));
    carom_series_say(s, "#define FRICTION %d\n#define SLIPPING %u\n#define ROWS_DO_NOT_TURN %d\n\n",
                     friction, slipping, normals && is_constant(g, d, CAROM_FIELD_H_SLIP));
    carom_status status = carom_series_write(s, error);
    for (int k = 0; k < OUTPUTS && !status; k++)
        if (friction || !outputs[k].friction)
            write_output(s, &outputs[k], d);
    carom_series_say(s, "#define FLIGHTS %d\n#define HIDES %d\n", flights, s->hides);
    if (flights && !status) {
        carom_series_write_ranges(s);
        write_range(s, "model_normal_range", CAROM_FIELD_W, d);
        write_range(s, "model_bias_range", CAROM_FIELD_G_BIAS, d);
    }
    carom_series_say(s, "#define ROWS %d\n#define CONSTANTS %d\n", s->rows, s->constants);
    return status ? status : carom_tex_check(&s->text, error);
}

carom_status carom_system_formulas_kernel(const carom_formulas *statement, carom_arena *arena,
                                          const char **source, carom_error *error)
{
    CAROM_NEED(error, statement, arena, source);
    double *values;
    carom_formulas_opened opened;
    carom_series series;
    carom_status status = check(statement, error);
    if (!status)
        status = carom_formulas_values(statement, arena, &values, error);
    if (!status)
        status = carom_formulas_open(statement, values, arena, &opened, error);
    if (status)
        return status;
    carom_formulas_read *read = &opened.read;
    status = carom_series_begin(&series, &read->scope->graph, read->n, arena, error);
    if (!status)
        status = write_model(&series, read, &opened.derived, find_slipping(statement), error);
    if (!status)
        *source = series.text.text;
    carom_formulas_close(&opened);
    return status;
}
