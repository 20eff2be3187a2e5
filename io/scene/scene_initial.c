/* `initial`: where the motion starts. A value is a formula of parameters, of definitions, and of
 * what stands above it. */
#include "carom/bodies.h"
#include "scene/scene_parts.h"

#include "scene/expand.h"
#include "scene/name_set.h"
#include "scene/number.h"

#include <math.h>
#include <string.h>

typedef struct start {
    carom_reader *r;
    const carom_scene_content *content; /* with the overrides */
    carom_name_set names; /* coordinates are numbered 0 ... nq - 1, velocities follow */
    int nq, n;
    const char *const *coordinates;
    bool identity; /* velocities are rates of coordinates, so that formulas may use them */
    double t, *q, *u;
    unsigned char *given; /* nq + n + 1: the last is t */
} start;

static carom_status unknown_name(start *s, const carom_yaml_node *key, const char *name)
{
    return carom_reader_fail(s->r, key,
                             "initial: `%.80s` is no coordinate, no velocity (x') and not t%s",
                             name, carom_name_set_guess(&s->names, name, s->r->scratch));
}

/* What a formula uses must stand above it. */
static carom_status check_given(start *s, const carom_yaml_node *node, const carom_expr *expr)
{
    const char *missing = NULL;
    char prime = '\0';
    if (carom_expr_uses(expr, CAROM_NAME_RESERVED, 0) && !s->given[s->nq + s->n])
        missing = "t";
    for (int i = 0; i < s->nq && !missing; i++) {
        const char *name = s->coordinates[i];
        if (carom_expr_uses(expr, CAROM_NAME_COORDINATE, i) && !s->given[i])
            missing = name;
        bool known = s->identity && s->given[s->nq + i];
        if (!missing && carom_expr_uses(expr, CAROM_NAME_VELOCITY, i) && !known)
            missing = name, prime = '\'';
    }
    if (!missing)
        return CAROM_OK;
    const char primes[] = {prime, '\0'};
    return carom_reader_fail(s->r, node,
                             "initial: this formula uses `%.60s%s`, which is not given above it",
                             missing, primes);
}

/* A formula of more than parameters: its value at what is given so far. */
static carom_status read_formula(start *s, const carom_yaml_node *node, const char *name,
                                 double *value)
{
    carom_reader *r = s->r;
    carom_source source;
    carom_expr *expr = NULL;
    carom_status status = carom_expand_source(r, node, name, &source);
    if (status == CAROM_OK)
        status = carom_expand_status(r, carom_expr_create(r->scope, &source, 0, &expr, r->error));
    if (status == CAROM_OK)
        status = check_given(s, node, expr);
    if (status == CAROM_OK) {
        double x = carom_expr_evaluate(expr, s->t, s->q, s->u, NULL, NULL);
        *value = x;
        if (!isfinite(x))
            status = carom_reader_fail(r, node, "initial: the value of `%.60s` is %s", name,
                                       isnan(x) ? "undefined" : "infinite");
    }
    carom_expr_destroy(expr);
    return status == CAROM_OK ? carom_reader_remember(r, name, source.text) : status;
}

/* Numbers and formulas of parameters are by far the most, and need no compiled formula. */
static carom_status read_value(start *s, const carom_yaml_node *node, const char *name,
                               double *value)
{
    carom_reader *r = s->r;
    carom_error *error = r->error, inner = {0};
    r->error = &inner;
    carom_status status = carom_reader_number(r, node, name, value);
    r->error = error;
    if (status == CAROM_OK)
        return status;
    bool formula = status == CAROM_ERROR_INPUT && node->kind == CAROM_YAML_SCALAR &&
                   !carom_number_why_not(node->text);
    if (formula)
        return read_formula(s, node, name, value);
    if (error)
        *error = inner;
    return status;
}

/* The override "initial.name=value" of a name, the last one given; NULL: there is none. */
static const char *find_set(const start *s, const char *name)
{
    size_t length = strlen(name);
    const char *found = NULL;
    for (int k = 0; k < s->content->set_count; k++) {
        const char *set = carom_scene_set_initial(s->content->sets[k]);
        if (set && strncmp(set, name, length) == 0 && set[length] == '=')
            found = set;
    }
    return found;
}

/* Where the value of a name goes: its number in `given`, -1: it is no name of `initial`. */
static int find_value(start *s, const char *name, double **value)
{
    int number = carom_name_set_find(&s->names, name);
    if (number < 0 && strcmp(name, "t") != 0)
        return -1;
    *value = number < 0 ? &s->t : number < s->nq ? &s->q[number] : &s->u[number - s->nq];
    return number < 0 ? s->nq + s->n : number;
}

/* Overrides of what the scene itself does not give. */
static carom_status read_sets(start *s)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < s->content->set_count && status == CAROM_OK; k++) {
        const char *set = carom_scene_set_initial(s->content->sets[k]), *name, *near;
        double number, *value;
        if (!set)
            continue;
        status = carom_scene_set_value(s->r, set, &name, &number);
        if (status != CAROM_OK)
            return status;
        int place = find_value(s, name, &value);
        if (place >= 0) {
            *value = number;
            s->given[place] = 1;
            continue;
        }
        near = carom_name_set_suggest(&s->names, name, s->r->scratch);
        return carom_error_set(s->r->error, CAROM_ERROR_INPUT,
                               "initial.%.80s cannot be set: it is no coordinate, no velocity (x') "
                               "and not t%s%.80s%s",
                               name, near ? ": did you mean `initial." : "", near ? near : "",
                               near ? "`?" : "");
    }
    return status;
}

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
        double *value = NULL;
        int place = find_value(s, name, &value);
        if (place < 0)
            return unknown_name(s, key, name);
        const char *set = find_set(s, name), *same;
        r->owner = CAROM_READER_INITIAL;
        r->owner_index = place;
        status = set ? carom_scene_set_value(r, set, &same, value)
                     : read_value(s, key->value, name, value);
        if (status == CAROM_OK && set)
            status = carom_reader_remember(r, name, NULL);
        r->owner = CAROM_READER_NOBODY;
        s->given[place] = 1;
    }
    return status;
}

/* A quaternion that was not given is no rotation; one that was is made a unit. */
static carom_status normalise(start *s, carom_place at)
{
    double *w = s->q + 3, size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    bool given = false;
    for (int k = 3; k < 7; k++)
        given = given || s->given[k];
    if (!given) {
        w[0] = 1;
        return CAROM_OK;
    }
    if (!(size > 0) || !isfinite(size))
        return carom_error_at(s->r->error, CAROM_ERROR_INPUT, at.line, at.column,
                              "initial: the quaternion (qw, qx, qy, qz) is zero");
    for (int k = 0; k < 4; k++)
        w[k] /= size;
    return CAROM_OK;
}

carom_status carom_scene_initial(carom_reader *r, const carom_yaml_node *node,
                                 const carom_scene_blocks *blocks, carom_scene *scene)
{
    const carom_system_shape *shape = carom_system_get_shape(scene->system);
    start s = {.r = r,
               .content = &scene->content,
               .nq = shape->nq,
               .n = shape->n,
               .coordinates = shape->coordinates,
               .identity = shape->kinematics_is_identity};
    s.q = carom_arena_zeros(r->arena, (size_t)shape->nq, sizeof *s.q);
    s.u = carom_arena_zeros(r->arena, (size_t)shape->n, sizeof *s.u);
    s.given = carom_arena_zeros(r->scratch, (size_t)(shape->nq + shape->n) + 1, 1);
    if (!s.q || !s.u || !s.given)
        return carom_error_memory(r->error);
    carom_status status =
        carom_name_set_create(r->scratch, shape->nq + shape->n, &s.names, r->error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < shape->nq; i++)
        carom_name_set_add(&s.names, shape->coordinates[i], i);
    for (int i = 0; i < shape->n; i++)
        carom_name_set_add(&s.names, shape->velocities[i], shape->nq + i);
    const carom_bodies *bodies = carom_bodies_of(scene->system);
    if (bodies) {
        carom_bodies_start(bodies, s.q, s.u);
        memset(s.given, 1, (size_t)(shape->nq + shape->n));
    }
    status = carom_scene_repeat_each(r, blocks, "initial", read_values, &s);
    if (status == CAROM_OK && node)
        status = read_values(&s, node);
    if (status == CAROM_OK)
        status = read_sets(&s);
    if (status == CAROM_OK && bodies)
        status = carom_bodies_start_close(bodies, s.q, s.u, r->error);
    if (status == CAROM_OK && !bodies && !shape->kinematics_is_identity && shape->nq == 7)
        status =
            normalise(&s, node ? (carom_place){node->line, node->column} : (carom_place){1, 1});
    scene->content.initial = (carom_flow_start){s.t, s.q, s.u};
    return status;
}
