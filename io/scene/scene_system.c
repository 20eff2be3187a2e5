/* `system`: the statement of a system in formulas, from its keys and repeat blocks. */
#include "scene/scene_parts.h"

#include "carom/formulas.h"
#include "scene/expand.h"
#include "scene/keys.h"
#include "scene/name_set.h"

#include <stdio.h>
#include <string.h>

/* Arrays that grow while the file and its repeat blocks are read. */
typedef struct sources {
    carom_source *items;
    int count, room;
} sources;

typedef struct statement {
    carom_reader *r;
    sources coordinates, kinetic, potential;
    carom_scene_named definitions, forces, bilateral, permanent;
    carom_contact_formulas *contacts;
    const carom_yaml_node **contact_nodes; /* names, for messages */
    int contact_count, contact_room, contact_node_room;
    carom_name_set names; /* of contacts */
    const carom_region *region;
    carom_scene_places places;
    carom_scene_events events;
} statement;

static carom_status add_source(carom_reader *r, sources *to, const carom_yaml_node *node,
                               const char *what)
{
    carom_source *grown = carom_reader_grow(r, to->items, to->count, &to->room, sizeof *grown);
    if (!grown)
        return carom_error_memory(r->error);
    to->items = grown;
    return carom_expand_source(r, node, what, &grown[to->count++]);
}

static carom_status set_place(carom_reader *r, carom_source *source, bool with)
{
    source->places = NULL;
    return with && source->text ? carom_expand_places(r, source) : CAROM_OK;
}

/* With (or without) the places that the system keeps for errors at a state, later. */
static carom_status set_places(statement *s, bool with)
{
    carom_status status = CAROM_OK;
    const sources *plain[] = {&s->coordinates, &s->kinetic, &s->potential};
    const carom_scene_named *pairs[] = {&s->definitions, &s->forces, &s->bilateral, &s->permanent};
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < plain[j]->count && status == CAROM_OK; k++)
            status = set_place(s->r, &plain[j]->items[k], with);
    for (int j = 0; j < 4; j++) {
        for (int k = 0; k < pairs[j]->count && status == CAROM_OK; k++) {
            status = set_place(s->r, &pairs[j]->items[k].name, with);
            if (status == CAROM_OK)
                status = set_place(s->r, &pairs[j]->items[k].formula, with);
        }
    }
    for (int i = 0; i < s->contact_count && status == CAROM_OK; i++) {
        status = set_place(s->r, &s->contacts[i].gap, with);
        if (status == CAROM_OK)
            status = set_place(s->r, &s->contacts[i].when, with);
        for (int k = 0; k < 2 && status == CAROM_OK; k++)
            status = set_place(s->r, &s->contacts[i].slip[k], with);
    }
    return status == CAROM_OK ? carom_scene_events_set_places(s->r, &s->events, with) : status;
}

static carom_status add_coordinates(void *self, const carom_yaml_node *node)
{
    statement *s = self;
    carom_status status = carom_reader_list(s->r, node, "coordinates");
    const carom_yaml_node *item = status == CAROM_OK ? node->first : NULL;
    for (; item && status == CAROM_OK; item = item->next) {
        status = add_source(s->r, &s->coordinates, item, "a coordinate");
        if (status == CAROM_OK)
            status = carom_expand_status(
                s->r, carom_scope_add_coordinate(s->r->scope,
                                                 &s->coordinates.items[s->coordinates.count - 1],
                                                 s->r->error));
    }
    return status;
}

static carom_status add_kinetic(void *self, const carom_yaml_node *node)
{
    statement *s = self;
    return add_source(s->r, &s->kinetic, node, "kinetic");
}

static carom_status add_potential(void *self, const carom_yaml_node *node)
{
    statement *s = self;
    return add_source(s->r, &s->potential, node, "potential");
}

static carom_status add_forces(void *self, const carom_yaml_node *node)
{
    statement *s = self;
    return carom_scene_named_add(s->r, node, "forces", &s->forces);
}

static carom_status add_bilateral(void *self, const carom_yaml_node *node)
{
    statement *s = self;
    return carom_scene_named_add(s->r, node, "bilateral", &s->bilateral);
}

static carom_status add_permanent(void *self, const carom_yaml_node *node)
{
    statement *s = self;
    return carom_scene_named_add(s->r, node, "permanent", &s->permanent);
}

static carom_status read_slip(carom_reader *r, const carom_yaml_node *node,
                              carom_contact_formulas *contact)
{
    if (node->kind != CAROM_YAML_LIST)
        return carom_expand_source(r, node, "slip", &contact->slip[0]);
    if (node->count != 1 && node->count != 2)
        return carom_reader_fail(r, node,
                                 "slip has %d formulas; it is one formula (planar) or a list of "
                                 "two (spatial); quote a formula that contains a comma",
                                 node->count);
    carom_status status = CAROM_OK;
    int k = 0;
    for (const carom_yaml_node *item = node->first; item && status == CAROM_OK; item = item->next)
        status = carom_expand_source(r, item, "slip", &contact->slip[k++]);
    return status;
}

static carom_status add_events(void *self, const carom_yaml_node *node)
{
    statement *s = self;
    return carom_scene_events_add(s->r, node, &s->events);
}

static carom_status read_contact(const statement *s, const carom_yaml_node *key,
                                 carom_contact_formulas *contact)
{
    carom_reader *r = s->r;
    const carom_yaml_node *map = key->value, *gap, *slip, *spread, *when;
    const char *name = NULL;
    char what[100];
    snprintf(what, sizeof what, "contact `%.60s`", key->text);
    *contact = (carom_contact_formulas){.properties = carom_contact_default()};
    carom_status status = carom_expand_text(r, key, "a contact's name", &name);
    if (status == CAROM_OK) {
        contact->properties.name = carom_arena_text(r->arena, name, strlen(name));
        if (!contact->properties.name)
            return carom_error_memory(r->error);
        status = carom_reader_map(r, map, what, carom_keys_contact);
    }
    if (status == CAROM_OK)
        status = carom_reader_need(r, map, what, "gap", &gap);
    if (status == CAROM_OK)
        status = carom_expand_source(r, gap, "gap", &contact->gap);
    if (status == CAROM_OK && (slip = carom_reader_find(map, "slip")))
        status = read_slip(r, slip, contact);
    if (status == CAROM_OK && (spread = carom_reader_find(map, "spread")))
        status = carom_scene_spread(r, spread, s->coordinates.items, s->coordinates.count, contact);
    if (status == CAROM_OK && (when = carom_reader_find(map, "when")))
        status = carom_expand_source(r, when, "when", &contact->when);
    if (status == CAROM_OK)
        status = carom_scene_contact(r, map, (carom_scene_law_context){0}, &contact->properties);
    return status;
}

static carom_status add_contacts(void *self, const carom_yaml_node *node)
{
    statement *s = self;
    carom_reader *r = s->r;
    carom_status status = carom_reader_map(r, node, "contacts", NULL);
    const carom_yaml_node *key = status == CAROM_OK ? node->first : NULL;
    for (; key && status == CAROM_OK; key = key->next) {
        carom_contact_formulas *grown =
            carom_reader_grow(r, s->contacts, s->contact_count, &s->contact_room, sizeof *grown);
        const carom_yaml_node **nodes = carom_reader_grow(r, s->contact_nodes, s->contact_count,
                                                          &s->contact_node_room, sizeof *nodes);
        if (!grown || !nodes)
            return carom_error_memory(r->error);
        s->contacts = grown;
        s->contact_nodes = nodes;
        nodes[s->contact_count] = key;
        r->owner = CAROM_READER_CONTACT;
        r->owner_index = s->contact_count;
        status = read_contact(s, key, &grown[s->contact_count++]);
        r->owner = CAROM_READER_NOBODY;
        if (status == CAROM_OK)
            status = carom_scene_places_add(r, key->value, &s->places);
    }
    return status;
}

/* A part of the statement in the order of the file: where it stands in `system`, and where `repeat`
 * stands; a repeat list beside `system` comes last. */
static carom_status add_part(statement *s, const carom_yaml_node *map,
                             const carom_scene_blocks *blocks, const char *key,
                             carom_scene_part part)
{
    carom_status status = CAROM_OK;
    bool repeated = false;
    for (const carom_yaml_node *k = map->first; k && status == CAROM_OK; k = k->next) {
        if (strcmp(k->text, key) == 0) {
            status = part(s, k->value);
        } else if (strcmp(k->text, "repeat") == 0) {
            status = carom_scene_repeat_each(s->r, blocks, key, part, s);
            repeated = true;
        }
    }
    if (status == CAROM_OK && !repeated)
        status = carom_scene_repeat_each(s->r, blocks, key, part, s);
    return status;
}

static carom_status check_names(statement *s)
{
    carom_status status =
        carom_name_set_create(s->r->scratch, s->contact_count, &s->names, s->r->error);
    for (int i = 0; i < s->contact_count && status == CAROM_OK; i++) {
        const char *name = s->contacts[i].properties.name;
        int before = carom_name_set_add(&s->names, name, i);
        if (before >= 0)
            status = carom_reader_fail(s->r, s->contact_nodes[i],
                                       "two contacts are called `%.80s`: number %d and number %d",
                                       name, before + 1, i + 1);
    }
    return status;
}

/* Parameters are given by value: overrides are in, and 17 digits bring back every bit. */
static carom_status parameter_sources(carom_reader *r, const carom_scene_content *content,
                                      carom_named_formula **made)
{
    carom_named_formula *items =
        carom_arena_zeros(r->scratch, (size_t)content->parameter_count, sizeof *items);
    if (!items)
        return carom_error_memory(r->error);
    for (int k = 0; k < content->parameter_count; k++) {
        char digits[40];
        int size = snprintf(digits, sizeof digits, "%.17g", content->parameters[k].value);
        for (int j = 0; j < size; j++) /* a decimal point in any locale */
            if (!strchr("0123456789+-e", digits[j]))
                digits[j] = '.';
        items[k].name.text = content->parameters[k].name;
        items[k].formula.text = carom_arena_text(r->scratch, digits, (size_t)size);
        if (!items[k].formula.text)
            return carom_error_memory(r->error);
    }
    *made = items;
    return CAROM_OK;
}

/* The program of a device; a system that has none is a good scene still. */
static carom_status write_kernel(carom_reader *r, const carom_formulas *formulas,
                                 carom_scene_content *content)
{
    carom_error reason = {0};
    carom_status status =
        carom_system_formulas_kernel(formulas, r->arena, &content->kernel, &reason);
    if (status != CAROM_ERROR_UNSUPPORTED) {
        if (status != CAROM_OK)
            *r->error = reason;
        return status;
    }
    content->no_kernel = carom_arena_text(r->arena, reason.text, strlen(reason.text));
    return content->no_kernel ? CAROM_OK : carom_error_memory(r->error);
}

static carom_status make(statement *s, carom_scene *scene)
{
    carom_reader *r = s->r;
    carom_named_formula *parameters = NULL;
    carom_status status = parameter_sources(r, &scene->content, &parameters);
    if (status != CAROM_OK)
        return status;
    carom_formulas formulas = {
        .coordinate_count = s->coordinates.count,
        .coordinates = s->coordinates.items,
        .parameter_count = scene->content.parameter_count,
        .parameters = parameters,
        .definition_count = s->definitions.count,
        .definitions = s->definitions.items,
        .kinetic_count = s->kinetic.count,
        .kinetic = s->kinetic.items,
        .potential_count = s->potential.count,
        .potential = s->potential.items,
        .force_count = s->forces.count,
        .forces = s->forces.items,
        .contact_count = s->contact_count,
        .contacts = s->contacts,
        .bilateral_count = s->bilateral.count,
        .bilateral = s->bilateral.items,
        .permanent_count = s->permanent.count,
        .permanent = s->permanent.items,
        .region = s->region,
        .event_count = s->events.count,
        .events = s->events.items,
        .keep_parameters = r->derivatives,
    };
    const carom_allocator *allocator = carom_arena_allocator(r->arena);
    status = set_places(s, true);
    if (status == CAROM_OK)
        status = carom_system_formulas(&formulas, allocator, &scene->system, r->error);
    if (status == CAROM_OK && r->tex)
        status = carom_system_formulas_tex(&formulas, r->arena, &scene->content.tex, r->error);
    if (status == CAROM_OK && r->units)
        status = carom_scene_units(r, &formulas, scene);
    if (status == CAROM_OK && r->kernel)
        status = write_kernel(r, &formulas, &scene->content);
    if (status != CAROM_ERROR_INPUT)
        return status;
    /* Once more, for an error that names the round of a repeat block too. */
    status = set_places(s, false);
    if (status == CAROM_OK)
        status = carom_system_formulas(&formulas, allocator, &scene->system, r->error);
    return carom_expand_status(r, status);
}

/* The parts that stand in `system` and in repeat blocks, and where the section is. */
static carom_status read_parts(statement *s, const carom_yaml_node *root,
                               const carom_scene_blocks *blocks, carom_scene *scene)
{
    static const struct {
        const char *key;
        carom_scene_part part;
    } parts[] = {
        {"kinetic", add_kinetic},   {"potential", add_potential}, {"forces", add_forces},
        {"contacts", add_contacts}, {"bilateral", add_bilateral}, {"permanent", add_permanent},
        {"events", add_events},
    };
    const carom_yaml_node *node = carom_reader_find(root, "system");
    carom_status status = add_part(s, node, blocks, "coordinates", add_coordinates);
    if (status == CAROM_OK)
        status =
            carom_scene_define(s->r, carom_reader_find(root, "define"), blocks, &s->definitions);
    for (size_t k = 0; k < sizeof parts / sizeof *parts && status == CAROM_OK; k++)
        status = add_part(s, node, blocks, parts[k].key, parts[k].part);
    if (status == CAROM_OK)
        status = check_names(s);
    const carom_yaml_node *region = carom_reader_find(node, "region");
    if (status == CAROM_OK && region)
        status = carom_scene_region(s->r, region, &s->names, s->contact_count, &s->region);
    if (status == CAROM_OK)
        status = carom_scene_events_check(s->r, &s->events);
    for (int k = 0; k < s->events.count && status == CAROM_OK; k++)
        if (carom_name_set_find(&s->names, s->events.items[k].name.text) >= 0)
            status = carom_reader_fail(s->r, s->events.parts[k].name,
                                       "a contact and an event are called `%.80s`",
                                       s->events.items[k].name.text);
    const carom_yaml_node *section = carom_reader_find(root, "section");
    const char **names = carom_arena_array(s->r->scratch, (size_t)s->contact_count, sizeof *names);
    if (!names)
        return carom_error_memory(s->r->error);
    for (int i = 0; i < s->contact_count; i++)
        names[i] = s->contacts[i].properties.name;
    if (status == CAROM_OK)
        status =
            carom_scene_section_find(s->r, section, names, s->contact_count, &s->events, scene);
    if (status == CAROM_OK)
        status = carom_scene_section_check(s->r, section, names, s->contact_count, &s->events);
    return status;
}

carom_status carom_scene_system(carom_reader *r, const carom_yaml_node *root,
                                const carom_scene_blocks *blocks, carom_scene *scene)
{
    const carom_yaml_node *node = carom_reader_find(root, "system");
    carom_status status = carom_reader_map(r, node, "system", carom_keys_system);
    if (status == CAROM_OK && carom_reader_find(node, "rigid_body"))
        return carom_scene_rigid_body(r, node, root, scene);
    statement s = {.r = r};
    if (status == CAROM_OK)
        status = read_parts(&s, root, blocks, scene);
    if (status == CAROM_OK && s.coordinates.count == 0)
        return carom_reader_fail(r, node, "system lacks `coordinates`");
    if (status == CAROM_OK && s.kinetic.count == 0)
        return carom_reader_fail(r, node, "system lacks `kinetic`");
    if (status == CAROM_OK)
        status = make(&s, scene);
    if (status == CAROM_OK)
        status = carom_scene_places_make(r, &s.places, scene);
    scene->content.system = scene->system;
    return status;
}
