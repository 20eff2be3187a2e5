/* The command line's form of a law, `name:param=value,param=value`. Each value is a piece of YAML,
 * so that it is read by the same code as in a scene file. */
#include "carom/need.h"
#include "scene/scene_parts.h"

#include "scene/yaml_source.h"

#include <string.h>

/* The first comma outside brackets, or the end. */
static const char *value_end(const char *s)
{
    int depth = 0;
    for (; *s && !(*s == ',' && depth <= 0); s++)
        depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
    return s;
}

/* Errors of a piece are given a place of their own: none. */
static carom_status without_place(carom_error *error, const char *text, carom_status status)
{
    if (status != CAROM_OK && error) {
        char inner[sizeof error->text];
        memcpy(inner, error->text, sizeof inner);
        if (status == CAROM_ERROR_INPUT && strncmp(inner, "law `", 5) != 0)
            snprintf(error->text, sizeof error->text, "law `%.200s`: %.700s", text, inner);
        error->line = error->column = 0;
    }
    return status;
}

static carom_status parse_piece(carom_reader *r, const char *text, size_t length,
                                carom_yaml_node **node)
{
    size_t skip = 0;
    char *copy = carom_arena_text(r->scratch, text, length);
    if (!copy)
        return carom_error_memory(r->error);
    carom_status status = carom_yaml_source_check(copy, length, &skip, r->error);
    if (status == CAROM_OK)
        status = carom_yaml_tree_parse(copy + skip, length - skip, r->scratch, node, r->error);
    return status;
}

static const carom_value *find_value(const carom_value *values, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(values[k].name, name) == 0)
            return &values[k];
    return NULL;
}

/* One `param=value` at *s, which is moved behind it. */
static carom_status parse_parameter(carom_reader *r, const carom_law_ops *ops,
                                    carom_scene_law_context context, const char **s,
                                    carom_value *values, int *count)
{
    const char *end = value_end(*s), *equals = memchr(*s, '=', (size_t)(end - *s));
    if (!equals || equals == *s)
        return carom_error_set(r->error, CAROM_ERROR_INPUT, "`%.*s` is not param=value",
                               (int)(end - *s < 80 ? end - *s : 80), *s);
    carom_yaml_node *name = NULL, *value = NULL;
    carom_status status = parse_piece(r, *s, (size_t)(equals - *s), &name);
    if (status == CAROM_OK && equals + 1 == end)
        return carom_error_set(r->error, CAROM_ERROR_INPUT, "`%.80s` has no value", name->text);
    if (status == CAROM_OK && name->kind != CAROM_YAML_SCALAR)
        return carom_error_set(r->error, CAROM_ERROR_INPUT, "a parameter's name must be a word");
    if (status == CAROM_OK)
        status = parse_piece(r, equals + 1, (size_t)(end - equals - 1), &value);
    if (status == CAROM_OK)
        status = carom_scene_law_value(r, ops, name, value, context, &values[*count]);
    if (status == CAROM_OK && find_value(values, *count, values[*count].name))
        return carom_error_set(r->error, CAROM_ERROR_INPUT, "`%s` is given twice", name->text);
    if (status == CAROM_OK)
        ++*count;
    *s = *end ? end + 1 : end;
    return status;
}

/* Parameters not given come from the scene's law of that name. */
static int add_scene_values(const carom_law *given, const carom_law_ops *ops, carom_value *values,
                            int count)
{
    int own = count;
    if (given && given->ops == ops)
        for (int k = 0; k < given->value_count; k++)
            if (!find_value(values, own, given->values[k].name))
                values[count++] = given->values[k];
    return count;
}

static carom_status parse(carom_reader *r, const carom_law *given, carom_scene_law_context context,
                          const char *text, carom_law *law)
{
    const char *colon = strchr(text, ':'), *s = colon ? colon + 1 : text + strlen(text);
    carom_yaml_node *name = NULL;
    carom_law made = {0};
    if (s - (colon != NULL) == text)
        return carom_error_set(r->error, CAROM_ERROR_INPUT, "a law's name is missing");
    carom_status status = parse_piece(r, text, (size_t)(s - text) - (colon != NULL), &name);
    if (status == CAROM_OK)
        status = carom_scene_law(r, name, (carom_scene_law_context){0}, &made);
    if (status != CAROM_OK)
        return status;
    if (colon && !*s)
        return carom_error_set(r->error, CAROM_ERROR_INPUT, "param=value is missing after `:`");
    int room = given ? given->value_count : 0;
    for (const char *c = s; *c; c++)
        room += *c == '=';
    carom_value *values = carom_arena_array(r->arena, (size_t)room, sizeof *values);
    if (!values)
        return carom_error_memory(r->error);
    int count = 0;
    while (*s && status == CAROM_OK)
        status = parse_parameter(r, made.ops, context, &s, values, &count);
    made.values = values;
    made.value_count = add_scene_values(given, made.ops, values, count);
    if (status == CAROM_OK)
        *law = made;
    return status;
}

carom_status carom_scene_parse_law(carom_scene *scene, const char *text, carom_law *law,
                                   carom_error *error)
{
    CAROM_NEED(error, scene, text, law);
    carom_reader r = {.arena = scene->arena,
                      .scope = scene->scope,
                      .error = error,
                      .any_restitution = scene->any_restitution};
    carom_status status =
        carom_arena_create(carom_arena_allocator(scene->arena), &r.scratch, error);
    if (status != CAROM_OK)
        return status;
    carom_scene_law_context context = carom_scene_law_context_of(&scene->content);
    status = without_place(error, text, parse(&r, scene->content.law, context, text, law));
    carom_arena_destroy(r.scratch);
    return status;
}

carom_status carom_scene_parse_law_for(int n, int p, const char *text, carom_arena *arena,
                                       carom_law *law, carom_error *error)
{
    CAROM_NEED(error, text, arena, law);
    if (n < 1 || p < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "n is %d and p is %d, allowed is >= 1",
                               n, p);
    carom_reader r = {.arena = arena, .error = error};
    carom_contact *contacts = carom_arena_array(arena, (size_t)p, sizeof *contacts);
    if (!contacts)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++)
        contacts[i] = carom_contact_default();
    carom_status status = carom_scope_create(carom_arena_allocator(arena), &r.scope, error);
    if (status == CAROM_OK)
        status = carom_arena_create(carom_arena_allocator(arena), &r.scratch, error);
    if (status == CAROM_OK) {
        carom_scene_law_context context = {n, p, contacts, p};
        status = without_place(error, text, parse(&r, NULL, context, text, law));
    }
    carom_arena_destroy(r.scratch);
    carom_scope_destroy(r.scope);
    return status;
}

/* Does a contact have friction, and none a law of its own? */
static bool wants_friction(const carom_scene_content *content)
{
    const carom_bodies *bodies = content->system ? carom_bodies_of(content->system) : NULL;
    if (bodies && carom_bodies_are_rough(bodies))
        return true;
    carom_scene_law_context all = carom_scene_law_context_of(content);
    bool friction = false;
    for (int i = 0; i < all.contact_count && all.contacts; i++) {
        if (all.contacts[i].law)
            return false;
        friction =
            friction || (all.contacts[i].friction_static > 0 && all.contacts[i].slip_count > 0);
    }
    return friction;
}

carom_status carom_scene_choose_law(carom_scene *scene, const char *text, carom_law *law,
                                    bool *by_default, carom_error *error)
{
    CAROM_NEED(error, scene, law);
    const carom_law *given = scene->content.law;
    if (by_default)
        *by_default = !text && !given;
    if (text)
        return carom_scene_parse_law(scene, text, law, error);
    *law = given ? *given
                 : (carom_law){.ops = carom_law_find(wants_friction(&scene->content) ? "coulomb"
                                                                                     : "newton")};
    return CAROM_OK;
}

carom_status carom_scene_choose_motion_law(carom_scene *scene, const char *text,
                                           carom_flow_method method, carom_law *law,
                                           bool *by_default, const char **unused,
                                           carom_error *error)
{
    CAROM_NEED(error, scene, law);
    carom_status status = carom_scene_choose_law(scene, text, law, by_default, error);
    if (unused)
        *unused = NULL;
    if (status || method != CAROM_FLOW_BOUNDARY_LAYER || law->ops->layered)
        return status;
    if (unused && (text || scene->content.law))
        *unused = law->ops->name;
    *law = (carom_law){.ops = carom_law_find("layer")};
    return CAROM_OK;
}
