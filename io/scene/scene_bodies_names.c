/* Names of the coordinates and velocities of bodies, known to formulas. */
#include "scene/scene_bodies.h"

#include <string.h>

enum { DEFINED_MOST = 100 }; /* bodies whose velocities have names */

/* Velocities that are not rates of coordinates by name are formulas of them:
 * w = 2 (conjugate of the quaternion) times its rate. */
static carom_status add_definition(carom_scene_assembly *a, carom_scene_named *to, const char *name,
                                   const char *format)
{
    carom_reader *r = a->r;
    carom_named_formula *grown =
        carom_reader_grow(r, to->items, to->count, &to->room, sizeof *grown);
    char text[400];
    size_t stem = (size_t)(strrchr(name, '.') - name), used = 0;
    if (!grown)
        return carom_error_memory(r->error);
    to->items = grown;
    for (const char *f = format; *f && used + stem + 2 < sizeof text; f++) {
        if (*f == '@') {
            memcpy(text + used, name, stem);
            used += stem;
        } else {
            text[used++] = *f;
        }
    }
    char *copy = carom_arena_text(r->arena, text, used);
    if (!copy)
        return carom_error_memory(r->error);
    to->items[to->count++] =
        (carom_named_formula){.name = {.text = name}, .formula = {.text = copy}};
    return CAROM_OK;
}

static const struct {
    const char *ending, *formula;
} velocity_formulas[] = {
    {".vx", "@.x'"},
    {".vy", "@.y'"},
    {".vz", "@.z'"},
    {".w", "@.th'"},
    {".wx", "2*(@.qw*@.qx' - @.qx*@.qw' - @.qy*@.qz' + @.qz*@.qy')"},
    {".wy", "2*(@.qw*@.qy' - @.qy*@.qw' - @.qz*@.qx' + @.qx*@.qz')"},
    {".wz", "2*(@.qw*@.qz' - @.qz*@.qw' - @.qx*@.qy' + @.qy*@.qx')"},
};

static carom_status define_velocities(carom_scene_assembly *a, carom_scene_named *to)
{
    const carom_system_shape *shape = carom_system_get_shape(a->scene->system);
    carom_status status = CAROM_OK;
    for (int i = 0; i < shape->n && status == CAROM_OK; i++) {
        const char *name = shape->velocities[i], *dot = strrchr(name, '.');
        for (size_t k = 0; dot && k < sizeof velocity_formulas / sizeof *velocity_formulas; k++)
            if (strcmp(dot, velocity_formulas[k].ending) == 0 && status == CAROM_OK)
                status = add_definition(a, to, name, velocity_formulas[k].formula);
    }
    return status;
}

carom_status carom_scene_bodies_names(carom_scene_assembly *a, const carom_yaml_node *root,
                                      const carom_scene_blocks *blocks)
{
    const carom_system_shape *shape = carom_system_get_shape(a->scene->system);
    carom_scene_named definitions = {0};
    carom_status status = CAROM_OK;
    carom_place at = {root->line, root->column};
    for (int i = 0; i < shape->nq && status == CAROM_OK; i++)
        status = carom_scope_add_coordinate(
            a->r->scope, &(carom_source){.text = shape->coordinates[i], .start = at}, a->r->error);
    if (status == CAROM_OK && a->world.body_count <= DEFINED_MOST)
        status = define_velocities(a, &definitions);
    if (status == CAROM_OK)
        status = carom_scene_define(a->r, carom_reader_find(root, "define"), blocks, &definitions);
    return status;
}
