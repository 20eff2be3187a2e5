/* Functions of the state of bodies that a scene gives as formulas: motors, and where a section is.
 */
#include "scene/scene_bodies.h"

double carom_scene_function_value(void *self, double t, const double *q, const double *u)
{
    carom_scene_function *f = self;
    carom_bodies_rates(f->bodies, q, u, f->rates);
    return carom_expr_evaluate(f->expr, t, q, f->rates, NULL, NULL);
}

carom_status carom_scene_function_read(carom_scene_assembly *a, const carom_yaml_node *node,
                                       const char *what, carom_scene_function *f)
{
    const carom_system_shape *shape = carom_system_get_shape(a->scene->system);
    f->bodies = carom_bodies_of(a->scene->system);
    f->rates = carom_arena_zeros(a->r->arena, (size_t)shape->nq, sizeof *f->rates);
    if (!f->rates)
        return carom_error_memory(a->r->error);
    return carom_scene_keep_formula(a->r, a->scene, node, what, 0, &f->expr);
}

/* The names of all contacts, and how many; NULL: no memory. */
static const char **name_contacts(carom_scene_assembly *a, int *count)
{
    const carom_system_shape *shape = carom_system_get_shape(a->scene->system);
    const char **names = carom_arena_array(a->r->scratch, (size_t)shape->p, sizeof *names);
    *count = shape->p;
    for (int i = 0; names && i < shape->p; i++)
        names[i] = shape->contacts[i].name;
    return names;
}

carom_status carom_scene_bodies_section(carom_scene_assembly *a, const carom_yaml_node *section)
{
    carom_scene_events events = {0};
    int count;
    const char **names = name_contacts(a, &count);
    if (!names)
        return carom_error_memory(a->r->error);
    carom_status status = carom_scene_section_find(a->r, section, names, count, &events, a->scene);
    if (status != CAROM_OK || events.count == 0)
        return status;
    carom_instant_def *instant = carom_arena_zeros(a->r->scratch, 1, sizeof *instant);
    carom_scene_function *f = carom_arena_zeros(a->r->arena, 1, sizeof *f);
    if (!instant || !f)
        return carom_error_memory(a->r->error);
    *instant = (carom_instant_def){.name = events.items[0].name.text,
                                   .direction = events.items[0].direction,
                                   .value = carom_scene_function_value,
                                   .self = f};
    a->world.instants = instant;
    a->world.instant_count = 1;
    return CAROM_OK;
}

carom_status carom_scene_bodies_instant(carom_scene_assembly *a, const carom_yaml_node *section)
{
    int count;
    if (a->world.instant_count == 0)
        return CAROM_OK;
    const char **names = name_contacts(a, &count);
    if (!names)
        return carom_error_memory(a->r->error);
    carom_status status =
        carom_scene_section_check(a->r, section, names, count, &(carom_scene_events){0});
    return status == CAROM_OK ? carom_scene_function_read(a, carom_reader_find(section, "at"), "at",
                                                          a->world.instants[0].self)
                              : status;
}
