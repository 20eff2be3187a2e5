/* How the numbers of a scene change with one of them: with a parameter, or with an initial value.
 * What depends on it by formulas of the file follows by the chain rule, in the file's order. */
#include "scene/scene_direction.h"
#include "carom/need.h"

#include "scene/expand.h"

#include <math.h>
#include <string.h>

/* A scope in which parameters stay variables, with all names of the scene. */
static carom_status make_scope(carom_reader *r, carom_scene *scene)
{
    const carom_scene_content *c = &scene->content;
    const carom_system_shape *shape = carom_system_get_shape(scene->system);
    carom_status status =
        carom_scope_create(carom_arena_allocator(r->arena), &scene->open, r->error);
    for (int k = 0; k < c->parameter_count && status == CAROM_OK; k++)
        status = carom_scope_add_value(scene->open, &(carom_source){.text = c->parameters[k].name},
                                       c->parameters[k].value, r->error);
    for (int i = 0; i < shape->nq && status == CAROM_OK; i++)
        status = carom_scope_add_coordinate(
            scene->open, &(carom_source){.text = shape->coordinates[i]}, r->error);
    if (status != CAROM_OK)
        return status;
    carom_scope_keep_parameters(scene->open);
    return carom_scope_add_definitions(scene->open, r->definitions, r->definition_count, r->error);
}

/* The number of formulas before each record, and the formulas of all. */
static carom_status compile(carom_reader *r, carom_scene *scene)
{
    carom_scene_rates *rates = scene->rates;
    const size_t count = (size_t)r->record_count;
    carom_source *sources = carom_arena_array(r->scratch, count, sizeof *sources);
    rates->records = carom_arena_array(r->arena, count, sizeof *rates->records);
    if (!sources || !rates->records)
        return carom_error_memory(r->error);
    for (size_t k = 0; k < count; k++) {
        const carom_reader_record *record = &r->records[k];
        const char *what = carom_arena_text(r->arena, record->what, strlen(record->what));
        if (!what)
            return carom_error_memory(r->error);
        rates->records[k] = (carom_scene_rate){record->owner, record->index, what,
                                               record->text ? rates->formula_count : -1};
        if (record->text)
            sources[rates->formula_count++] = (carom_source){.text = record->text};
    }
    rates->count = r->record_count;
    return carom_expr_set_create(scene->open, sources, rates->formula_count, &rates->formulas,
                                 r->error);
}

carom_status carom_scene_rates_make(carom_reader *r, carom_scene *scene)
{
    if (!r->derivatives || !scene->system)
        return CAROM_OK;
    scene->rates = carom_arena_zeros(r->arena, 1, sizeof *scene->rates);
    if (!scene->rates)
        return carom_error_memory(r->error);
    carom_status status = make_scope(r, scene);
    return status == CAROM_OK ? compile(r, scene) : status;
}

/* The work of one direction. */
typedef struct director {
    const carom_scene *scene;
    const carom_system_shape *shape;
    carom_scene_direction *out;
    carom_arena *arena;
    double *rates; /* of all formulas */
    double *zeros; /* for velocities that are no rates of coordinates */
    carom_error *error;
} director;

/* The rates of all formulas, with what is known of the direction so far. */
static carom_status run(director *d)
{
    const carom_flow_start *start = &d->scene->content.initial;
    const carom_scene_direction *out = d->out;
    const bool identity = d->shape->kinematics_is_identity;
    const carom_directions along = {1, &out->t, out->q, identity ? out->u : d->zeros,
                                    out->parameters};
    return carom_expr_set_tangents(d->scene->rates->formulas, start->t, start->q,
                                   identity ? start->u : d->zeros, &along, d->arena, d->rates,
                                   d->error);
}

static double rate_of(const director *d, const carom_scene_rate *record)
{
    return record->formula < 0 ? 0 : d->rates[record->formula];
}

/* The field of a contact by its key; `friction` is both coefficients. */
static void set_contact(carom_contact *c, const char *key, double rate)
{
    const struct {
        const char *key;
        double *first, *second;
    } fields[] = {
        {"restitution", &c->restitution, NULL},
        {"tangential_restitution", &c->tangential_restitution, NULL},
        {"friction", &c->friction_static, &c->friction_dynamic},
        {"friction_static", &c->friction_static, &c->friction_dynamic},
        {"friction_dynamic", &c->friction_dynamic, NULL},
        {"stiffness", &c->stiffness, NULL},
        {"exponent", &c->exponent, NULL},
    };
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (strcmp(fields[k].key, key) == 0) {
            *fields[k].first = rate;
            if (fields[k].second)
                *fields[k].second = rate;
        }
}

/* Parameters that are formulas of earlier ones follow them, except the one that is varied. */
static carom_status follow_parameters(director *d, int varied)
{
    const carom_scene_rates *rates = d->scene->rates;
    for (int k = 0; k < rates->count; k++) {
        const carom_scene_rate *record = &rates->records[k];
        if (record->owner != CAROM_READER_PARAMETER || record->formula < 0 ||
            record->index == varied)
            continue;
        carom_status status = run(d);
        if (status != CAROM_OK)
            return status;
        d->out->parameters[record->index] = rate_of(d, record);
    }
    return CAROM_OK;
}

/* The start, entry after entry: a formula may use what stands above it. */
static carom_status follow_initial(director *d, int varied)
{
    const carom_scene_rates *rates = d->scene->rates;
    const int nq = d->shape->nq, n = d->shape->n;
    for (int k = 0; k < rates->count; k++) {
        const carom_scene_rate *record = &rates->records[k];
        if (record->owner != CAROM_READER_INITIAL || record->index == varied)
            continue;
        if (record->formula >= 0) {
            carom_status status = run(d);
            if (status != CAROM_OK)
                return status;
        }
        double *to = record->index < nq       ? &d->out->q[record->index]
                     : record->index < nq + n ? &d->out->u[record->index - nq]
                                              : &d->out->t;
        *to = rate_of(d, record);
    }
    return CAROM_OK;
}

/* Everything else is of parameters only. */
static carom_status follow_rest(director *d)
{
    const carom_scene_rates *rates = d->scene->rates;
    carom_status status = run(d);
    for (int k = 0; k < rates->count && status == CAROM_OK; k++) {
        const carom_scene_rate *record = &rates->records[k];
        const double rate = rate_of(d, record);
        switch (record->owner) {
        case CAROM_READER_CONTACT:
            set_contact(&d->out->contacts[record->index], record->what, rate);
            break;
        case CAROM_READER_PERIOD:
            d->out->period = rate;
            break;
        case CAROM_READER_RUN:
            if (strcmp(record->what, "until") == 0)
                d->out->until = rate;
            break;
        case CAROM_READER_LAW:
        case CAROM_READER_CONTACT_LAW:
            if (rate != 0)
                return carom_error_set(d->error, CAROM_ERROR_UNSUPPORTED,
                                       "the parameter `%.60s` of a law depends on it; derivatives "
                                       "of laws with respect to their own parameters do not exist "
                                       "here, use the contacts' coefficients",
                                       record->what);
            break;
        default:
            break;
        }
    }
    return status;
}

/* Which number a name means: a parameter, or nothing and a place in `initial`. */
static carom_status find_name(const carom_scene *scene, const char *name, int *parameter,
                              int *place, carom_error *error)
{
    const carom_system_shape *z = carom_system_get_shape(scene->system);
    const char *initial = carom_scene_set_initial(name);
    *parameter = *place = -1;
    for (int k = 0; k < scene->content.parameter_count && !initial; k++)
        if (strcmp(scene->content.parameters[k].name, name) == 0)
            *parameter = k;
    for (int i = 0; i < z->nq && initial; i++)
        if (strcmp(z->coordinates[i], initial) == 0)
            *place = i;
    for (int i = 0; i < z->n && initial; i++)
        if (strcmp(z->velocities[i], initial) == 0)
            *place = z->nq + i;
    if (initial && strcmp(initial, "t") == 0 && *place < 0)
        *place = z->nq + z->n;
    if (*parameter >= 0 || *place >= 0)
        return CAROM_OK;
    return carom_error_set(error, CAROM_ERROR_INPUT,
                           initial ? "`%.80s` is no coordinate, no velocity (initial.x') and not "
                                     "initial.t"
                                   : "`%.80s` is no parameter of the scene; initial values are "
                                     "written initial.x",
                           name);
}

carom_status carom_scene_direction_create(const carom_scene *scene, const char *name,
                                          carom_arena *arena, carom_scene_direction *direction,
                                          carom_error *error)
{
    CAROM_NEED(error, scene, name, arena, direction);
    int parameter, place;
    if (!scene->rates)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               scene->system ? "the scene was read without derivatives"
                                             : "an impact in numbers has no derivatives");
    if (scene->content.body_count > 0)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "scenes of bodies have no derivatives");
    carom_status status = find_name(scene, name, &parameter, &place, error);
    if (status != CAROM_OK)
        return status;
    const carom_system_shape *z = carom_system_get_shape(scene->system);
    *direction = (carom_scene_direction){0};
    direction->parameters =
        carom_arena_zeros(arena, (size_t)scene->content.parameter_count, sizeof(double));
    direction->q = carom_arena_zeros(arena, (size_t)z->nq, sizeof(double));
    direction->u = carom_arena_zeros(arena, (size_t)z->n, sizeof(double));
    direction->contacts = carom_arena_zeros(arena, (size_t)z->p, sizeof *direction->contacts);
    director d = {scene, z, direction, arena, NULL, NULL, error};
    d.rates = carom_arena_zeros(arena, (size_t)scene->rates->formula_count, sizeof(double));
    d.zeros = carom_arena_zeros(arena, (size_t)z->nq, sizeof(double));
    if (!direction->parameters || !direction->q || !direction->u || !direction->contacts ||
        !d.rates || !d.zeros)
        return carom_error_memory(error);
    const carom_flow_start *initial = &scene->content.initial;
    direction->value = parameter >= 0         ? scene->content.parameters[parameter].value
                       : place < z->nq        ? initial->q[place]
                       : place < z->nq + z->n ? initial->u[place - z->nq]
                                              : initial->t;
    if (parameter >= 0)
        direction->parameters[parameter] = 1;
    else
        *(place < z->nq          ? &direction->q[place]
          : place < z->nq + z->n ? &direction->u[place - z->nq]
                                 : &direction->t) = 1;
    status = follow_parameters(&d, parameter);
    if (status == CAROM_OK)
        status = follow_initial(&d, place);
    return status == CAROM_OK ? follow_rest(&d) : status;
}
