/* Events of one's own and guards of contacts, from text to graph nodes. */
#include "system/formulas.h"

#include <string.h>

#define REFUSE(error, place, ...)                                                                  \
    carom_error_at((error), CAROM_ERROR_INPUT, (place).line, (place).column, __VA_ARGS__)

typedef struct reader {
    const carom_formulas *statement;
    carom_scope *scope;
    carom_formulas_read *read;
    carom_error *error;
} reader;

static carom_status read_formula(reader *r, const carom_source *source, carom_node *node,
                                 carom_place *place)
{
    carom_formula f;
    carom_status status = carom_parse_formula(r->scope, source, &f, r->error);
    if (status)
        return status;
    *node = f.root;
    *place = carom_source_place(source, 0);
    return CAROM_OK;
}

static carom_status read_guards(reader *r)
{
    carom_formulas_read *read = r->read;
    carom_status status = CAROM_OK;
    for (int i = 0, k = 0; i < read->p && !status; i++) {
        const carom_source *when = &r->statement->contacts[i].when;
        read->guard_of[i] = when->text ? k : -1;
        if (when->text) {
            status = read_formula(r, when, &read->guards[k], &read->places.guards[k]);
            k++;
        }
    }
    return status;
}

/* The variable that is set: a coordinate or a velocity. */
static carom_status read_target(reader *r, const carom_source *name, int *target)
{
    int i = 0;
    const char *text = name->text ? name->text : "";
    carom_name_kind kind = carom_scope_find(r->scope, text, &i, NULL);
    *target = kind == CAROM_NAME_VELOCITY ? r->read->n + i : i;
    if (kind == CAROM_NAME_COORDINATE || kind == CAROM_NAME_VELOCITY)
        return CAROM_OK;
    const char *near = carom_scope_suggest(r->scope, text);
    bool useful = near && carom_scope_find(r->scope, near, NULL, NULL) == CAROM_NAME_COORDINATE;
    return REFUSE(r->error, carom_source_place(name, 0),
                  "an event sets coordinates and velocities; '%.60s' is neither%s%s%s", text,
                  useful ? "; did you mean '" : "", useful ? near : "", useful ? "'?" : "");
}

static carom_status read_sets(reader *r, const carom_event_formulas *event, int first)
{
    carom_formulas_read *read = r->read;
    for (int j = 0; j < event->set_count; j++) {
        carom_formulas_set *set = &read->sets[first + j];
        carom_status status = read_target(r, &event->sets[j].name, &set->target);
        for (int i = 0; i < j && !status; i++)
            if (read->sets[first + i].target == set->target)
                status = REFUSE(r->error, carom_source_place(&event->sets[j].name, 0),
                                "the event sets '%.60s' twice", event->sets[j].name.text);
        if (!status)
            status =
                read_formula(r, &event->sets[j].formula, &set->node, &read->places.sets[first + j]);
        if (status)
            return status;
    }
    return CAROM_OK;
}

static carom_status read_event(reader *r, int k)
{
    const carom_event_formulas *event = &r->statement->events[k];
    carom_formulas_read *read = r->read;
    const carom_graph *g = &r->scope->graph;
    read->events[k] = (carom_system_event){.name = event->name.text,
                                           .direction = event->direction,
                                           .has_guard = event->guard.text != NULL,
                                           .resets = event->set_count > 0};
    read->event_if[k] = g->one;
    carom_status status = read_formula(r, &event->at, &read->event_at[k], &read->places.events[k]);
    if (!status && !(r->scope->graph.nodes[read->event_at[k]].on & CAROM_ON_ALL))
        return REFUSE(r->error, read->places.events[k],
                      "this depends on no coordinate, no velocity and not on t, so that it never "
                      "crosses zero");
    if (!status && event->guard.text)
        status = read_formula(r, &event->guard, &read->event_if[k], &read->places.event_ifs[k]);
    read->set_start[k + 1] = read->set_start[k] + event->set_count;
    return status ? status : read_sets(r, event, read->set_start[k]);
}

carom_status carom_formulas_events(const carom_formulas *statement, carom_scope *scope,
                                   carom_formulas_read *read, carom_error *error)
{
    reader r = {statement, scope, read, error};
    carom_status status = read_guards(&r);
    for (int k = 0; k < read->event_count && !status; k++)
        status = read_event(&r, k);
    return status;
}
