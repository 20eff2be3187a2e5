/* `define`: names for formulas, at the top and in repeat blocks. */
#include "scene/scene_parts.h"

#include "scene/expand.h"

carom_status carom_scene_named_add(carom_reader *r, const carom_yaml_node *node, const char *what,
                                   carom_scene_named *to)
{
    carom_status status = carom_reader_map(r, node, what, NULL);
    const carom_yaml_node *key = status == CAROM_OK ? node->first : NULL;
    for (; key && status == CAROM_OK; key = key->next) {
        carom_named_formula *grown =
            carom_reader_grow(r, to->items, to->count, &to->room, sizeof *grown);
        if (!grown)
            return carom_error_memory(r->error);
        to->items = grown;
        carom_named_formula *item = &grown[to->count++];
        status = carom_expand_source(r, key, what, &item->name);
        if (status == CAROM_OK)
            status = carom_expand_source(r, key->value, what, &item->formula);
    }
    return status;
}

/* What the reading of one `define` needs. */
typedef struct definer {
    carom_reader *r;
    carom_scene_named *definitions;
} definer;

static carom_status add_definitions(void *self, const carom_yaml_node *node)
{
    definer *d = self;
    return carom_scene_named_add(d->r, node, "define", d->definitions);
}

carom_status carom_scene_define(carom_reader *r, const carom_yaml_node *node,
                                const carom_scene_blocks *blocks, carom_scene_named *definitions)
{
    definer d = {r, definitions};
    carom_status status = node ? add_definitions(&d, node) : CAROM_OK;
    if (status == CAROM_OK && blocks)
        status = carom_scene_repeat_each(r, blocks, "define", add_definitions, &d);
    if (status != CAROM_OK)
        return status;
    r->definitions = definitions->items;
    r->definition_count = definitions->count;
    return carom_expand_status(
        r, carom_scope_add_definitions(r->scope, definitions->items, definitions->count, r->error));
}
