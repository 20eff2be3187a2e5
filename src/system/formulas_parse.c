/* Text to graph nodes, with the checks that need no state: what may use velocities, and how. */
#include "carom/need.h"
#include "system/formulas.h"

#include <string.h>

typedef struct reader {
    const carom_formulas *statement;
    const double *values; /* of parameters that stay variables; NULL: they do not */
    carom_scope *scope;
    carom_formulas_read *read;
    carom_error *error;
} reader;

static const carom_graph_node *node_of(const reader *r, carom_node node)
{
    return &r->scope->graph.nodes[node];
}

/* The place of the first operation of the formula whose degree in the velocities is too high: the
 * innermost one, since arguments are read before their operation. */
static carom_place find_degree(const reader *r, const carom_formula *f, int limit)
{
    for (uint32_t k = 0; k < f->origin_count; k++)
        if (node_of(r, f->origins[k].node)->degree > limit)
            return carom_source_place(&f->source, f->origins[k].offset);
    return carom_source_place(&f->source, 0);
}

#define REFUSE(r, place, ...)                                                                      \
    carom_error_at((r)->error, CAROM_ERROR_INPUT, (place).line, (place).column, __VA_ARGS__)

/* Formulas of coordinates and time only. */
static carom_status read_position(reader *r, const carom_source *source, const char *what,
                                  const char *remedy, carom_node *node)
{
    carom_formula f;
    carom_status status = carom_parse_formula(r->scope, source, &f, r->error);
    if (status)
        return status;
    *node = f.root;
    if (r->values) /* checked before; exponents that are parameters hide degrees now */
        return CAROM_OK;
    if (f.has_derivative)
        return REFUSE(
            r, carom_source_place(source, f.derivative_offset),
            "%s is a function of coordinates and t; d( ) is a velocity and cannot be used "
            "in it%s",
            what, remedy);
    if (node_of(r, f.root)->on & CAROM_ON_U)
        return REFUSE(r, find_degree(r, &f, 0),
                      "%s is a function of coordinates and t; a velocity cannot be used in it%s",
                      what, remedy);
    return CAROM_OK;
}

static carom_status read_affine(reader *r, const carom_source *source, const char *what,
                                carom_node *node)
{
    carom_formula f;
    carom_status status = carom_parse_formula(r->scope, source, &f, r->error);
    if (status)
        return status;
    *node = f.root;
    const carom_graph_node *root = node_of(r, f.root);
    if (r->values)
        return CAROM_OK;
    if (root->degree > 1)
        return REFUSE(r, find_degree(r, &f, 1), "%s must be linear in the velocities; this is not",
                      what);
    if (root->degree == 0)
        return REFUSE(r, carom_source_place(source, 0),
                      "%s must be linear in the velocities (such as x'); none is used", what);
    return CAROM_OK;
}

static carom_status read_names(reader *r)
{
    const carom_formulas *s = r->statement;
    carom_status status = CAROM_OK;
    if (s->coordinate_count < 1)
        return carom_error_set(r->error, CAROM_ERROR_INPUT, "a system needs a coordinate");
    if (s->kinetic_count < 1)
        return carom_error_set(r->error, CAROM_ERROR_INPUT, "a system needs its kinetic energy");
    for (int k = 0; k < s->parameter_count && !status; k++)
        status = r->values ? carom_scope_add_value(r->scope, &s->parameters[k].name, r->values[k],
                                                   r->error)
                           : carom_scope_add_parameter(r->scope, &s->parameters[k].name,
                                                       &s->parameters[k].formula, r->error);
    if (r->values)
        carom_scope_keep_parameters(r->scope);
    for (int k = 0; k < s->coordinate_count && !status; k++)
        status = carom_scope_add_coordinate(r->scope, &s->coordinates[k], r->error);
    if (!status)
        status =
            carom_scope_add_definitions(r->scope, s->definitions, s->definition_count, r->error);
    return status;
}

static carom_status read_kinetic(reader *r)
{
    const carom_formulas *s = r->statement;
    carom_graph *g = &r->scope->graph;
    r->read->T = g->zero;
    for (int k = 0; k < s->kinetic_count; k++) {
        carom_formula f;
        carom_status status = carom_parse_formula(r->scope, &s->kinetic[k], &f, r->error);
        if (status)
            return status;
        if (!r->values && node_of(r, f.root)->degree > 2)
            return REFUSE(r, find_degree(r, &f, 2),
                          "the kinetic energy must be quadratic in the velocities; this is not");
        r->read->T = carom_graph_binary(g, CAROM_OP_ADD, r->read->T, f.root);
    }
    r->read->places.kinetic = carom_source_place(&s->kinetic[0], 0);
    return carom_graph_check(g, r->error);
}

static carom_status read_potential(reader *r)
{
    const carom_formulas *s = r->statement;
    carom_graph *g = &r->scope->graph;
    r->read->V = g->zero;
    for (int k = 0; k < s->potential_count; k++) {
        carom_node part;
        carom_status status =
            read_position(r, &s->potential[k], "the potential energy",
                          ": what depends on velocities belongs to kinetic or forces", &part);
        if (status)
            return status;
        r->read->V = carom_graph_binary(g, CAROM_OP_ADD, r->read->V, part);
    }
    carom_place place =
        carom_source_place(s->potential_count ? &s->potential[0] : &s->kinetic[0], 0);
    r->read->places.potential = place;
    for (int i = 0; i < r->read->n; i++)
        r->read->places.forces[i] = place;
    return carom_graph_check(g, r->error);
}

static carom_status read_forces(reader *r)
{
    const carom_formulas *s = r->statement;
    carom_graph *g = &r->scope->graph;
    for (int i = 0; i < r->read->n; i++)
        r->read->Q[i] = g->zero;
    for (int k = 0; k < s->force_count; k++) {
        const carom_source *name = &s->forces[k].name;
        int i;
        carom_place at = carom_source_place(name, 0);
        if (!name->text ||
            carom_scope_find(r->scope, name->text, &i, NULL) != CAROM_NAME_COORDINATE) {
            const char *near = name->text ? carom_scope_suggest(r->scope, name->text) : NULL;
            bool useful =
                near && carom_scope_find(r->scope, near, NULL, NULL) == CAROM_NAME_COORDINATE;
            return REFUSE(r, at, "a force acts on a coordinate; '%.60s' is none%s%s%s",
                          name->text ? name->text : "", useful ? "; did you mean '" : "",
                          useful ? near : "", useful ? "'?" : "");
        }
        carom_formula f;
        carom_status status = carom_parse_formula(r->scope, &s->forces[k].formula, &f, r->error);
        if (status)
            return status;
        r->read->Q[i] = carom_graph_binary(g, CAROM_OP_ADD, r->read->Q[i], f.root);
        r->read->places.forces[i] = carom_source_place(&s->forces[k].formula, 0);
    }
    return carom_graph_check(g, r->error);
}

/* The gap of a cone with its apex where s = 0: g - |s|, whose slope at the apex is that of g. */
static void make_cone(reader *r, int i, carom_node squares)
{
    carom_graph *g = &r->scope->graph;
    carom_node inside = carom_graph_binary(g, CAROM_OP_LESS, g->zero, squares);
    carom_node size = carom_graph_apply(g, CAROM_OP_SELECT, inside,
                                        carom_graph_unary(g, CAROM_OP_SQRT, squares), g->zero);
    r->read->apexes[i] = size;
    r->read->gaps[i] = carom_graph_binary(g, CAROM_OP_SUB, r->read->gaps[i], size);
}

/* `spread`: all formulas of one kind, linear in velocities or of position. */
static carom_status read_spread(reader *r, int i, int *spread)
{
    const carom_contact_formulas *c = &r->statement->contacts[i];
    carom_graph *g = &r->scope->graph;
    carom_node squares = g->zero;
    int moving = 0;
    r->read->apexes[i] = g->zero;
    for (int k = 0; k < c->spread_count; k++) {
        carom_formula f;
        carom_status status = carom_parse_formula(r->scope, &c->spread[k], &f, r->error);
        if (status)
            return status;
        const carom_place at = carom_source_place(&c->spread[k], 0);
        const carom_graph_node *root = node_of(r, f.root);
        if (!r->values && root->degree > 1)
            return REFUSE(r, find_degree(r, &f, 1),
                          "a spread must be linear in the velocities, or "
                          "of coordinates and t; this is neither");
        moving += (root->on & CAROM_ON_U) != 0;
        if (!(root->on & (CAROM_ON_U | CAROM_ON_Q)))
            return REFUSE(r, at, "a spread depends on velocities or coordinates; this does not");
        if (moving != 0 && moving != k + 1)
            return REFUSE(r, at,
                          "the formulas of one spread are all linear in the velocities, or "
                          "all of coordinates and t");
        r->read->spreads[(*spread)++] = f.root;
        squares = carom_graph_binary(g, CAROM_OP_ADD, squares,
                                     carom_graph_unary(g, CAROM_OP_SQUARE, f.root));
    }
    if (c->spread_count > 0 && moving == 0)
        make_cone(r, i, squares);
    return carom_graph_check(g, r->error);
}

static carom_status read_contact(reader *r, int i, int *slip, int *spread)
{
    const carom_contact_formulas *c = &r->statement->contacts[i];
    carom_formulas_read *read = r->read;
    carom_status status = read_position(r, &c->gap, "a gap",
                                        " (a relative velocity belongs to slip)", &read->gaps[i]);
    if (status)
        return status;
    read->places.gaps[i] = carom_source_place(&c->gap, 0);
    if (!(node_of(r, read->gaps[i])->on & CAROM_ON_Q))
        return REFUSE(r, read->places.gaps[i],
                      "the gap depends on no coordinate, so its gradient vanishes");
    int count = 0;
    while (count < 2 && c->slip[count].text) {
        status = read_affine(r, &c->slip[count], "a slip velocity", &read->slips[*slip]);
        if (status)
            return status;
        read->places.slips[(*slip)++] = carom_source_place(&c->slip[count], 0);
        count++;
    }
    read->contacts[i] = c->properties;
    read->contacts[i].slip_count = count;
    read->contacts[i].spread_count = c->spread_count;
    return read_spread(r, i, spread);
}

static carom_status read_constraints(reader *r)
{
    const carom_formulas *s = r->statement;
    carom_formulas_read *read = r->read;
    carom_status status = CAROM_OK;
    for (int k = 0; k < s->bilateral_count && !status; k++) {
        const carom_source *f = &s->bilateral[k].formula;
        read->places.joints[k] = carom_source_place(f, 0);
        status =
            read_position(r, f, "a bilateral constraint",
                          " (a constraint on velocities belongs to permanent)", &read->joints[k]);
        if (!status && !(node_of(r, read->joints[k])->on & CAROM_ON_Q))
            status = REFUSE(r, read->places.joints[k],
                            "the bilateral constraint depends on no coordinate");
    }
    for (int k = 0; k < s->permanent_count && !status; k++) {
        read->places.rollings[k] = carom_source_place(&s->permanent[k].formula, 0);
        status =
            read_affine(r, &s->permanent[k].formula, "a permanent constraint", &read->rollings[k]);
    }
    return status;
}

static int count_slips(const carom_formulas *s)
{
    int count = 0;
    for (int i = 0; i < s->contact_count; i++)
        count += s->contacts[i].slip[0].text ? 1 + (s->contacts[i].slip[1].text != NULL) : 0;
    return count;
}

static bool take_arrays(carom_formulas_read *read, int sets, carom_arena *arena)
{
    struct {
        void *array;
        int count;
        size_t size;
    } parts[] = {
        {&read->Q, read->n, sizeof(carom_node)},
        {&read->gaps, read->p, sizeof(carom_node)},
        {&read->slips, read->s, sizeof(carom_node)},
        {&read->joints, read->m, sizeof(carom_node)},
        {&read->rollings, read->a, sizeof(carom_node)},
        {&read->spreads, read->spread, sizeof(carom_node)},
        {&read->apexes, read->p, sizeof(carom_node)},
        {&read->contacts, read->p, sizeof(carom_contact)},
        {&read->places.forces, read->n, sizeof(carom_place)},
        {&read->places.gaps, read->p, sizeof(carom_place)},
        {&read->places.slips, read->s, sizeof(carom_place)},
        {&read->places.joints, read->m, sizeof(carom_place)},
        {&read->places.rollings, read->a, sizeof(carom_place)},
        {&read->guard_of, read->p, sizeof(int)},
        {&read->guards, read->guard_count, sizeof(carom_node)},
        {&read->events, read->event_count, sizeof(carom_system_event)},
        {&read->event_at, read->event_count, sizeof(carom_node)},
        {&read->event_if, read->event_count, sizeof(carom_node)},
        {&read->set_start, read->event_count + 1, sizeof(int)},
        {&read->sets, sets, sizeof(carom_formulas_set)},
        {&read->places.guards, read->guard_count, sizeof(carom_place)},
        {&read->places.events, read->event_count, sizeof(carom_place)},
        {&read->places.event_ifs, read->event_count, sizeof(carom_place)},
        {&read->places.sets, sets, sizeof(carom_place)},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        void *memory = carom_arena_zeros(arena, (size_t)parts[k].count, parts[k].size);
        if (!memory)
            return false;
        memcpy(parts[k].array, &memory, sizeof memory);
    }
    return true;
}

static int count_spreads(const carom_formulas *s)
{
    int count = 0;
    for (int i = 0; i < s->contact_count; i++)
        count += s->contacts[i].spread_count;
    return count;
}

static int count_guards(const carom_formulas *s)
{
    int count = 0;
    for (int i = 0; i < s->contact_count; i++)
        count += s->contacts[i].when.text != NULL;
    return count;
}

static int count_sets(const carom_formulas *s)
{
    int count = 0;
    for (int k = 0; k < s->event_count; k++)
        count += s->events[k].set_count;
    return count;
}

carom_status carom_formulas_parse(const carom_formulas *statement, const double *values,
                                  carom_scope *scope, carom_arena *arena, carom_formulas_read *read,
                                  carom_error *error)
{
    reader r = {statement, values, scope, read, error};
    *read = (carom_formulas_read){.scope = scope,
                                  .names = statement->coordinates,
                                  .n = statement->coordinate_count,
                                  .p = statement->contact_count,
                                  .s = count_slips(statement),
                                  .m = statement->bilateral_count,
                                  .a = statement->permanent_count,
                                  .spread = count_spreads(statement),
                                  .guard_count = count_guards(statement),
                                  .event_count = statement->event_count};
    carom_status status = read_names(&r);
    if (!status && !take_arrays(read, count_sets(statement), arena))
        status = carom_error_memory(error);
    if (!status)
        status = read_kinetic(&r);
    if (!status)
        status = read_potential(&r);
    if (!status)
        status = read_forces(&r);
    for (int i = 0, slip = 0, spread = 0; i < read->p && !status; i++)
        status = read_contact(&r, i, &slip, &spread);
    if (!status)
        status = read_constraints(&r);
    return status ? status : carom_formulas_events(statement, scope, read, error);
}

carom_status carom_formulas_values(const carom_formulas *s, carom_arena *arena, double **values,
                                   carom_error *error)
{
    CAROM_NEED_LIST(error, s->parameter_count, s->parameters);
    carom_scope *scope;
    *values = carom_arena_zeros(arena, (size_t)s->parameter_count, sizeof **values);
    if (!*values)
        return carom_error_memory(error);
    carom_status status = carom_scope_create(carom_arena_allocator(arena), &scope, error);
    if (status)
        return status;
    for (int k = 0; k < s->parameter_count && !status; k++) {
        status = carom_scope_add_parameter(scope, &s->parameters[k].name, &s->parameters[k].formula,
                                           error);
        if (!status)
            carom_scope_find(scope, s->parameters[k].name.text, NULL, &(*values)[k]);
    }
    carom_scope_destroy(scope);
    return status;
}
