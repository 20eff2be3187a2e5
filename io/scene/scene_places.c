/* `at` and `toward` of contacts: where they are drawn and reported. */
#include "carom/need.h"
#include "scene/scene_parts.h"

#include "scene/expand.h"

#include <string.h>

/* A list of two or three formulas, appended. */
static carom_status add_point(carom_reader *r, const carom_yaml_node *node, const char *what,
                              carom_scene_places *places, int *count)
{
    if (!node)
        return CAROM_OK;
    carom_status status = carom_reader_list(r, node, what);
    if (status == CAROM_OK && node->count != 2 && node->count != 3)
        return carom_reader_fail(r, node,
                                 "%s has %d formulas; it must have two (in the plane) or three; "
                                 "quote a formula that contains a comma",
                                 what, node->count);
    const carom_yaml_node *item = status == CAROM_OK ? node->first : NULL;
    for (; item && status == CAROM_OK; item = item->next) {
        carom_source *grown = carom_reader_grow(r, places->formulas, places->formula_count,
                                                &places->formula_room, sizeof *grown);
        if (!grown)
            return carom_error_memory(r->error);
        places->formulas = grown;
        status = carom_expand_source(r, item, what, &grown[places->formula_count++]);
    }
    *count = node->count;
    return status;
}

carom_status carom_scene_places_add(carom_reader *r, const carom_yaml_node *contact,
                                    carom_scene_places *places)
{
    const carom_yaml_node *at = carom_reader_find(contact, "at");
    const carom_yaml_node *toward = carom_reader_find(contact, "toward");
    carom_scene_marker *grown =
        carom_reader_grow(r, places->markers, places->count, &places->room, sizeof *grown);
    if (!grown)
        return carom_error_memory(r->error);
    places->markers = grown;
    carom_scene_marker *marker = &grown[places->count++];
    *marker = (carom_scene_marker){.first = places->formula_count};
    if (toward && !at)
        return carom_reader_fail(r, toward, "`toward` needs `at` beside it");
    carom_status status = add_point(r, at, "at", places, &marker->at_count);
    if (status == CAROM_OK)
        status = add_point(r, toward, "toward", places, &marker->toward_count);
    if (status == CAROM_OK && toward && marker->toward_count != marker->at_count)
        return carom_reader_fail(r, toward, "`toward` has %d formulas and `at` %d",
                                 marker->toward_count, marker->at_count);
    return status;
}

carom_status carom_scene_places_make(carom_reader *r, const carom_scene_places *places,
                                     carom_scene *scene)
{
    if (places->formula_count == 0)
        return CAROM_OK;
    carom_scene_marker *markers =
        carom_arena_array(r->arena, (size_t)places->count, sizeof *markers);
    scene->place_values =
        carom_arena_zeros(r->arena, (size_t)places->formula_count, sizeof(double));
    if (!markers || !scene->place_values)
        return carom_error_memory(r->error);
    memcpy(markers, places->markers, (size_t)places->count * sizeof *markers);
    scene->markers = markers;
    return carom_expand_status(r, carom_expr_set_create(r->scope, places->formulas,
                                                        places->formula_count, &scene->places,
                                                        r->error));
}

int carom_scene_contact_place(const carom_scene *scene, int contact, double t, const double *q,
                              const double *u, double at[3], double toward[3])
{
    CAROM_NEED_OR(0, scene, q, u, at, toward);
    memset(at, 0, 3 * sizeof *at);
    memset(toward, 0, 3 * sizeof *toward);
    if (scene->content.body_count > 0)
        return carom_bodies_contact_place(carom_bodies_of(scene->system), contact, t, q, at,
                                          toward);
    if (!scene->markers || scene->markers[contact].at_count == 0)
        return 0;
    const carom_scene_marker *m = &scene->markers[contact];
    const double *values = scene->place_values + m->first;
    carom_expr_set_evaluate(scene->places, t, q, u, scene->place_values);
    memcpy(at, values, (size_t)m->at_count * sizeof *at);
    memcpy(toward, values + m->at_count, (size_t)m->toward_count * sizeof *toward);
    return m->at_count;
}
