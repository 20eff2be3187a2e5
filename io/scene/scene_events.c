/* `events` of a system: instants of one's own. */
#include "scene/scene_parts.h"

#include "scene/expand.h"
#include "scene/keys.h"
#include "scene/name_set.h"

#include <stdio.h>

carom_status carom_scene_crossing(carom_reader *r, const carom_yaml_node *map,
                                  carom_crossing *crossing)
{
    static const char *const directions[] = {"both", "up", "down", NULL};
    const carom_yaml_node *node = carom_reader_find(map, "direction");
    int direction = CAROM_CROSSING_BOTH;
    carom_status status =
        node ? carom_reader_choice(r, node, "direction", directions, &direction) : CAROM_OK;
    *crossing = (carom_crossing)direction;
    return status;
}

static carom_status read_event(carom_reader *r, const carom_yaml_node *key,
                               carom_event_formulas *event, carom_scene_named *sets)
{
    const carom_yaml_node *map = key->value, *at, *node;
    char what[100];
    snprintf(what, sizeof what, "event `%.60s`", key->text);
    carom_status status = carom_expand_source(r, key, "an event's name", &event->name);
    if (status == CAROM_OK)
        status = carom_reader_map(r, map, what, carom_keys_event);
    if (status == CAROM_OK)
        status = carom_reader_need(r, map, what, "at", &at);
    if (status == CAROM_OK)
        status = carom_expand_source(r, at, "at", &event->at);
    if (status == CAROM_OK)
        status = carom_scene_crossing(r, map, &event->direction);
    if (status == CAROM_OK && (node = carom_reader_find(map, "if")))
        status = carom_expand_source(r, node, "if", &event->guard);
    if (status == CAROM_OK && (node = carom_reader_find(map, "set")))
        status = carom_scene_named_add(r, node, "set", sets);
    event->set_count = sets->count;
    event->sets = sets->items;
    return status;
}

carom_status carom_scene_events_grow(carom_reader *r, carom_scene_events *events)
{
    carom_event_formulas *items =
        carom_reader_grow(r, events->items, events->count, &events->room, sizeof *items);
    struct carom_scene_event_parts *parts =
        carom_reader_grow(r, events->parts, events->count, &events->part_room, sizeof *parts);
    if (!items || !parts)
        return carom_error_memory(r->error);
    events->items = items;
    events->parts = parts;
    items[events->count] = (carom_event_formulas){0};
    parts[events->count] = (struct carom_scene_event_parts){0};
    return CAROM_OK;
}

carom_status carom_scene_events_add(carom_reader *r, const carom_yaml_node *node,
                                    carom_scene_events *events)
{
    carom_status status = carom_reader_map(r, node, "events", NULL);
    const carom_yaml_node *key = status == CAROM_OK ? node->first : NULL;
    for (; key && status == CAROM_OK; key = key->next) {
        status = carom_scene_events_grow(r, events);
        if (status != CAROM_OK)
            return status;
        int k = events->count++;
        events->parts[k].name = key;
        status = read_event(r, key, &events->items[k], &events->parts[k].sets);
    }
    return status;
}

carom_status carom_scene_events_check(carom_reader *r, const carom_scene_events *events)
{
    carom_name_set names;
    carom_status status = carom_name_set_create(r->scratch, events->count, &names, r->error);
    for (int k = 0; k < events->count && status == CAROM_OK; k++)
        if (carom_name_set_add(&names, events->items[k].name.text, k) >= 0)
            status = carom_reader_fail(r, events->parts[k].name, "two events are called `%.80s`",
                                       events->items[k].name.text);
    return status;
}

static carom_status set_place(carom_reader *r, carom_source *source, bool with)
{
    source->places = NULL;
    return with && source->text ? carom_expand_places(r, source) : CAROM_OK;
}

carom_status carom_scene_events_set_places(carom_reader *r, carom_scene_events *events, bool with)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < events->count && status == CAROM_OK; k++) {
        carom_event_formulas *e = &events->items[k];
        carom_named_formula *sets = events->parts[k].sets.items;
        status = set_place(r, &e->at, with);
        if (status == CAROM_OK)
            status = set_place(r, &e->guard, with);
        for (int j = 0; j < e->set_count && status == CAROM_OK; j++) {
            status = set_place(r, &sets[j].name, with);
            if (status == CAROM_OK)
                status = set_place(r, &sets[j].formula, with);
        }
    }
    return status;
}
