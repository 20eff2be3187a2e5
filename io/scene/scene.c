#include "scene/scene_parts.h"

void carom_scene_destroy(carom_scene *scene)
{
    if (!scene)
        return;
    for (carom_scene_formula *f = scene->formulas; f; f = f->next)
        carom_expr_destroy(f->expr);
    carom_system_destroy(scene->system);
    carom_scope_destroy(scene->scope);
    carom_arena_destroy(scene->arena); /* the scene itself lives in it */
}

const carom_scene_content *carom_scene_get(const carom_scene *scene)
{
    return &scene->content;
}
