/* A scene in memory: its content, its formulas, its end. */
#include "carom/need.h"
#include "scene/scene_direction.h"

#include <string.h>

void carom_scene_destroy(carom_scene *scene)
{
    if (!scene)
        return;
    for (carom_scene_formula *f = scene->formulas; f; f = f->next)
        carom_expr_destroy(f->expr);
    carom_expr_set_destroy(scene->places);
    carom_expr_set_destroy(scene->keep);
    if (scene->rates)
        carom_expr_set_destroy(scene->rates->formulas);
    carom_scope_destroy(scene->open);
    carom_system_destroy(scene->system);
    carom_scene_bodies_destroy(scene);
    carom_scope_destroy(scene->scope);
    carom_arena_destroy(scene->arena); /* the scene itself lives in it */
}

const carom_scene_content *carom_scene_get(const carom_scene *scene)
{
    return &scene->content;
}

carom_status carom_scene_formula_create(carom_scene *scene, const char *text, int order,
                                        carom_expr **expr, carom_error *error)
{
    CAROM_NEED(error, scene, text, expr);
    return carom_expr_create(scene->open ? scene->open : scene->scope,
                             &(carom_source){.text = text}, order, expr, error);
}

/* Is it the name of a coordinate, a velocity, or t? */
static bool starts_with(const carom_system_shape *shape, const char *name)
{
    bool found = strcmp(name, "t") == 0;
    for (int i = 0; i < shape->nq && !found; i++)
        found = strcmp(shape->coordinates[i], name) == 0;
    for (int i = 0; i < shape->n && !found; i++)
        found = strcmp(shape->velocities[i], name) == 0;
    return found;
}

bool carom_scene_has_value(const carom_scene *scene, const char *name)
{
    CAROM_NEED_OR(false, scene, name);
    const carom_scene_content *content = &scene->content;
    const char initial[] = "initial.";
    const size_t length = sizeof initial - 1;
    for (int j = 0; j < content->parameter_count; j++)
        if (strcmp(content->parameters[j].name, name) == 0)
            return true;
    return content->system && strncmp(name, initial, length) == 0 &&
           starts_with(carom_system_get_shape(content->system), name + length);
}
