#include "scene/scene_parts.h"

#include "scene/expand.h"
#include "scene/name_set.h"

#include <math.h>
#include <string.h>

typedef struct start {
    carom_reader *r;
    carom_name_set names; /* coordinates are numbered 0 ... nq - 1, velocities follow */
    int nq;
    double t, *q, *u;
} start;

/* One map of names and numbers. Later ones replace earlier ones. */
static carom_status read_values(void *self, const carom_yaml_node *map)
{
    start *s = self;
    carom_reader *r = s->r;
    carom_status status = carom_reader_map(r, map, "initial", NULL);
    const carom_yaml_node *key = status == CAROM_OK ? map->first : NULL;
    for (; key && status == CAROM_OK; key = key->next) {
        const char *name = NULL;
        if ((status = carom_expand_text(r, key, "initial", &name)) != CAROM_OK)
            return status;
        int number = carom_name_set_find(&s->names, name);
        double *value = strcmp(name, "t") == 0 && number < 0 ? &s->t
                        : number < s->nq                     ? &s->q[number < 0 ? 0 : number]
                                                             : &s->u[number - s->nq];
        if (number < 0 && value != &s->t) {
            const char *near = carom_name_set_suggest(&s->names, name, r->scratch);
            return carom_reader_fail(r, key,
                                     "initial: `%.80s` is no coordinate, no velocity (x') and not "
                                     "t%s%.80s%s",
                                     name, near ? ": did you mean `" : "", near ? near : "",
                                     near ? "`?" : "");
        }
        status = carom_reader_number(r, key->value, name, value);
    }
    return status;
}

/* A quaternion that was not given is no rotation; one that was is made a unit. */
static carom_status normalise(start *s, const carom_yaml_node *map)
{
    double *w = s->q + 3, size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    bool given = false;
    for (const carom_yaml_node *key = map ? map->first : NULL; key; key = key->next)
        given = given || (key->text[0] == 'q' && key->text[1] && !key->text[2]);
    if (!given) {
        w[0] = 1;
        return CAROM_OK;
    }
    if (!(size > 0) || !isfinite(size))
        return carom_reader_fail(s->r, map, "initial: the quaternion (qw, qx, qy, qz) is zero");
    for (int k = 0; k < 4; k++)
        w[k] /= size;
    return CAROM_OK;
}

carom_status carom_scene_initial(carom_reader *r, const carom_yaml_node *node,
                                 const carom_scene_blocks *blocks, carom_scene *scene)
{
    const carom_system_shape *shape = carom_system_get_shape(scene->system);
    start s = {.r = r, .nq = shape->nq};
    s.q = carom_arena_zeros(r->arena, (size_t)shape->nq, sizeof *s.q);
    s.u = carom_arena_zeros(r->arena, (size_t)shape->n, sizeof *s.u);
    if (!s.q || !s.u)
        return carom_error_memory(r->error);
    carom_status status =
        carom_name_set_create(r->scratch, shape->nq + shape->n, &s.names, r->error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < shape->nq; i++)
        carom_name_set_add(&s.names, shape->coordinates[i], i);
    for (int i = 0; i < shape->n; i++)
        carom_name_set_add(&s.names, shape->velocities[i], shape->nq + i);
    status = carom_scene_repeat_each(r, blocks, "initial", read_values, &s);
    if (status == CAROM_OK && node)
        status = read_values(&s, node);
    if (status == CAROM_OK && !shape->kinematics_is_identity && shape->nq == 7)
        status = normalise(&s, node);
    scene->content.initial = (carom_flow_start){s.t, s.q, s.u};
    return status;
}
