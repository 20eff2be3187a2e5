/* Does a parameter act on a motion, or does it only say where one starts? */
#include "scene/scene_parts.h"

#include "scene/yaml_tree.h"

#include <ctype.h>
#include <string.h>

/* Keys whose formulas no motion feels once it has started. */
static bool is_outside(const char *key)
{
    static const char *const outside[] = {"title", "parameters", "initial", "draw"};
    for (size_t k = 0; k < sizeof outside / sizeof *outside; k++)
        if (strcmp(key, outside[k]) == 0)
            return true;
    return false;
}

static bool is_word_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Is the name a word of the text? */
static bool has_word(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++)
        if ((at == text || !is_word_part(at[-1])) && !is_word_part(at[length]))
            return true;
    return false;
}

static bool has_name(const carom_yaml_node *node, const char *name)
{
    bool found = node->kind == CAROM_YAML_SCALAR && has_word(node->text, name);
    for (const carom_yaml_node *item = node->first; item && !found; item = item->next)
        if (!item->value)
            found = has_name(item, name);
        else if (!is_outside(item->text))
            found = has_name(item->value, name);
    return found;
}

/* Parameters are formulas of earlier ones: all that hold the name, or one that holds it. */
static carom_status find_carriers(const carom_yaml_node *map, const char *name, carom_arena *arena,
                                  const char ***carriers, int *count, carom_error *error)
{
    const char **list = carom_arena_array(arena, (size_t)(map ? map->count : 0) + 1, sizeof *list);
    if (!list)
        return carom_error_memory(error);
    list[0] = name;
    *count = 1;
    for (const carom_yaml_node *key = map ? map->first : NULL; key; key = key->next) {
        bool holds = false;
        for (int k = 0; k < *count && !holds; k++)
            holds = has_name(key->value, list[k]);
        if (holds)
            list[(*count)++] = key->text;
    }
    *carriers = list;
    return CAROM_OK;
}

carom_status carom_scene_acts(const carom_scene *scene, const char *name, bool *found,
                              carom_error *error)
{
    carom_arena *scratch;
    carom_yaml_node *root = NULL;
    const char *text = scene->content.text, **carriers = NULL;
    int count = 0;
    *found = false;
    if (carom_scene_set_initial(name))
        return CAROM_OK;
    carom_status status = carom_arena_create(carom_arena_allocator(scene->arena), &scratch, error);
    if (status != CAROM_OK)
        return status;
    status = carom_yaml_tree_parse(text, strlen(text), scratch, &root, error);
    if (status == CAROM_OK)
        status = find_carriers(carom_reader_find(root, "parameters"), name, scratch, &carriers,
                               &count, error);
    for (int k = 0; k < count && !*found; k++)
        *found = has_name(root, carriers[k]);
    carom_arena_destroy(scratch);
    return status;
}
