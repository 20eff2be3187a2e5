/* `rigid_body`: a free body with one point over a plane. */
#include "scene/scene_parts.h"

#include "scene/keys.h"

#include <string.h>

static carom_status read_body(carom_reader *r, const carom_yaml_node *map, carom_rigid_body *body)
{
    const carom_yaml_node *mass = NULL, *inertia = NULL, *more;
    carom_status status = carom_reader_map(r, map, "rigid_body", carom_keys_rigid_body);
    if (status == CAROM_OK)
        status = carom_reader_need(r, map, "rigid_body", "mass", &mass);
    if (status == CAROM_OK)
        status = carom_reader_positive(r, mass, "mass", &body->mass);
    if (status == CAROM_OK)
        status = carom_reader_need(r, map, "rigid_body", "inertia", &inertia);
    if (status == CAROM_OK)
        status = carom_reader_numbers(r, inertia, "inertia", 3, body->inertia);
    const carom_yaml_node *item = status == CAROM_OK ? inertia->first : NULL;
    for (; item && status == CAROM_OK; item = item->next)
        status = carom_reader_positive(r, item, "a moment of inertia", &(double){0});
    if (status == CAROM_OK && (more = carom_reader_find(map, "point")))
        status = carom_reader_numbers(r, more, "point", 3, body->point);
    if (status == CAROM_OK && (more = carom_reader_find(map, "normal"))) {
        status = carom_reader_numbers(r, more, "normal", 3, body->normal);
        if (status == CAROM_OK && body->normal[0] == 0 && body->normal[1] == 0 &&
            body->normal[2] == 0)
            return carom_reader_fail(r, more, "normal is zero: it must have a direction");
    }
    if (status == CAROM_OK && (more = carom_reader_find(map, "offset")))
        status = carom_reader_number(r, more, "offset", &body->offset);
    if (status == CAROM_OK && (more = carom_reader_find(map, "gravity")))
        status = carom_reader_numbers(r, more, "gravity", 3, body->gravity);
    return status;
}

/* The body has one contact: its point against the plane. Friction makes it spatial. */
static carom_status read_contact(carom_reader *r, const carom_yaml_node *map,
                                 carom_contact *contact)
{
    contact->name = "plane";
    if (!map)
        return CAROM_OK;
    carom_status status = carom_reader_map(r, map, "contacts", NULL);
    if (status == CAROM_OK && map->count > 1)
        return carom_reader_fail(r, map->first->next,
                                 "a rigid_body has one contact: its point against the plane");
    if (status != CAROM_OK || !map->first)
        return status;
    const carom_yaml_node *value = map->first->value;
    r->owner = CAROM_READER_CONTACT;
    r->owner_index = 0;
    status = carom_reader_text(r, map->first, "a contact's name", &contact->name);
    if (status == CAROM_OK)
        status = carom_reader_map(r, value, "the contact", carom_keys_body_contact);
    if (status == CAROM_OK &&
        (carom_reader_find(value, "friction") || carom_reader_find(value, "friction_static") ||
         carom_reader_find(value, "tangential_restitution")))
        contact->slip_count = 2;
    if (status == CAROM_OK)
        status = carom_scene_contact(r, value, (carom_scene_law_context){0}, contact);
    r->owner = CAROM_READER_NOBODY;
    return status;
}

carom_status carom_scene_rigid_body(carom_reader *r, const carom_yaml_node *node,
                                    const carom_yaml_node *root, carom_scene *scene)
{
    carom_scene_named definitions = {0};
    carom_scene_events events = {0};
    carom_rigid_body body = {.normal = {0, 0, 1}, .contact = carom_contact_default()};
    carom_status status =
        carom_reader_map(r, node, "system with rigid_body", carom_keys_body_system);
    const carom_yaml_node *map = carom_reader_find(node, "rigid_body");
    if (status == CAROM_OK)
        status = read_body(r, map, &body);
    if (status == CAROM_OK)
        status = read_contact(r, carom_reader_find(node, "contacts"), &body.contact);
    carom_error inner = {0};
    if (status == CAROM_OK) {
        status =
            carom_system_rigid_body(&body, carom_arena_allocator(r->arena), &scene->system, &inner);
        if (status == CAROM_ERROR_ARGUMENT || status == CAROM_ERROR_INPUT)
            return carom_reader_fail(r, map, "%s", inner.text);
        if (status != CAROM_OK && r->error)
            *r->error = inner;
    }
    if (status != CAROM_OK)
        return status;
    scene->content.system = scene->system;
    const carom_system_shape *shape = carom_system_get_shape(scene->system);
    for (int i = 0; i < shape->nq && status == CAROM_OK; i++)
        status = carom_scope_add_coordinate(
            r->scope,
            &(carom_source){.text = shape->coordinates[i], .start = {map->line, map->column}},
            r->error);
    if (status == CAROM_OK)
        status = carom_scene_define(r, carom_reader_find(root, "define"), NULL, &definitions);
    const carom_yaml_node *section = carom_reader_find(root, "section");
    if (status == CAROM_OK)
        status = carom_scene_section_find(r, section, &shape->contacts[0].name, 1, &events, scene);
    if (status == CAROM_OK && events.count > 0)
        return carom_reader_fail(r, carom_reader_find(section, "at"),
                                 "beside `rigid_body` a section is at the contact `%.60s`",
                                 shape->contacts[0].name);
    return status;
}
