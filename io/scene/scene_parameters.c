/* `parameters`, and what overrides them. */
#include "scene/scene_parts.h"

#include "carom/text.h"
#include "scene/number.h"

#include <math.h>
#include <string.h>

/* An override "name=value" split at its first `=`. */
typedef struct override {
    const char *name, *value;
} override;

static carom_status split(carom_reader *r, const char *set, override *made)
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set || !equals[1])
        return carom_error_set(r->error, CAROM_ERROR_INPUT,
                               "`%.80s` sets nothing: write name=value", set);
    made->name = carom_arena_text(r->scratch, set, (size_t)(equals - set));
    made->value = equals + 1;
    return made->name ? CAROM_OK : carom_error_memory(r->error);
}

/* "a, b, c" of the names there are, as many as fit. */
static void list_names(const carom_yaml_node *map, char *text, size_t size)
{
    text[0] = '\0';
    for (const carom_yaml_node *key = map ? map->first : NULL; key; key = key->next) {
        size_t used = strlen(text), length = strlen(key->text);
        if (used + length + 8 > size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", key->text);
    }
}

static carom_status unknown_name(carom_reader *r, const carom_yaml_node *map, const char *name)
{
    int count = map ? map->count : 0, k = 0;
    const char **names = carom_arena_array(r->scratch, (size_t)count + 1, sizeof *names);
    if (!names)
        return carom_error_memory(r->error);
    for (const carom_yaml_node *key = map ? map->first : NULL; key; key = key->next)
        names[k++] = key->text;
    names[k] = NULL;
    const char *near = carom_word_nearest(name, names);
    if (near)
        return carom_error_set(r->error, CAROM_ERROR_INPUT,
                               "the scene has no parameter `%.80s` to set: did you mean `%.80s`?",
                               name, near);
    char list[400];
    list_names(map, list, sizeof list);
    return carom_error_set(r->error, CAROM_ERROR_INPUT,
                           "the scene has no parameter `%.80s` to set: %s%s; values of `initial` "
                           "are set as initial.x",
                           name, *list ? "there are " : "it has none", list);
}

/* The value of an override: a number, or a formula of parameters (of earlier ones, for another). */
static carom_status override_value(carom_reader *r, const override *set, double *value)
{
    if (carom_number_parse(set->value, value)) {
        if (isfinite(*value))
            return CAROM_OK;
        return carom_error_set(r->error, CAROM_ERROR_INPUT,
                               "`%.80s` is set to %.40s, which is not finite", set->name,
                               set->value);
    }
    carom_error inner = {0};
    carom_status status =
        carom_scope_number(r->scope, &(carom_source){.text = set->value}, value, &inner);
    if (status == CAROM_OK)
        return CAROM_OK;
    return carom_error_set(r->error, status, "`%.80s` cannot be set to `%.80s`: %.400s", set->name,
                           set->value, inner.text);
}

static carom_status add_parameter(carom_reader *r, const carom_yaml_node *key, const override *sets,
                                  int set_count, double *value)
{
    carom_source name = {key->text, {key->line, key->column + (key->style != 0)}, NULL};
    const override *set = NULL; /* the last one given wins */
    for (int k = 0; k < set_count; k++)
        if (strcmp(sets[k].name, key->text) == 0)
            set = &sets[k];
    r->owner = CAROM_READER_PARAMETER;
    r->owner_index = carom_scope_parameter_count(r->scope);
    carom_status status =
        set ? override_value(r, set, value) : carom_reader_number(r, key->value, key->text, value);
    r->owner = CAROM_READER_NOBODY;
    return status == CAROM_OK ? carom_scope_add_value(r->scope, &name, *value, r->error) : status;
}

const char *carom_scene_set_initial(const char *set)
{
    static const char prefix[] = "initial.";
    return strncmp(set, prefix, sizeof prefix - 1) == 0 ? set + sizeof prefix - 1 : NULL;
}

carom_status carom_scene_set_value(carom_reader *r, const char *set, const char **name,
                                   double *value)
{
    override made = {0};
    carom_status status = split(r, set, &made);
    *name = made.name;
    return status == CAROM_OK ? override_value(r, &made, value) : status;
}

carom_status carom_scene_parameters(carom_reader *r, const carom_yaml_node *node,
                                    const carom_scene_options *options,
                                    carom_scene_content *content)
{
    carom_status status = node ? carom_reader_map(r, node, "parameters", NULL) : CAROM_OK;
    int set_count = options ? options->set_count : 0, count = node ? node->count : 0, i = 0;
    override *sets = carom_arena_array(r->scratch, (size_t)set_count, sizeof *sets);
    carom_scene_parameter *parameters =
        carom_arena_array(r->arena, (size_t)count, sizeof *parameters);
    if (!sets || !parameters)
        return carom_error_memory(r->error);
    for (int k = 0; k < set_count && status == CAROM_OK; k++) {
        status = split(r, options->sets[k], &sets[k]);
        if (status == CAROM_OK && !carom_scene_set_initial(options->sets[k]) &&
            (!node || !carom_reader_find(node, sets[k].name)))
            status = unknown_name(r, node, sets[k].name);
    }
    for (const carom_yaml_node *key = node ? node->first : NULL; key && status == CAROM_OK;
         key = key->next, i++) {
        status = add_parameter(r, key, sets, set_count, &parameters[i].value);
        if (status == CAROM_OK)
            status = carom_reader_text(r, key, "a parameter", &parameters[i].name);
    }
    content->parameters = parameters;
    content->parameter_count = count;
    return status;
}
