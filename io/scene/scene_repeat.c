#include "scene/scene_parts.h"

#include "carom/expr.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 10000 };

static const char *const block_keys[] = {
    "index",    "from",      "to",        "coordinates", "kinetic", "potential", "forces",
    "contacts", "bilateral", "permanent", "initial",     "draw",    NULL};

static carom_status read_whole(carom_reader *r, const carom_yaml_node *map, const char *key,
                               long *value)
{
    const carom_yaml_node *node;
    double x;
    carom_status status = carom_reader_need(r, map, "the repeat block", key, &node);
    if (status == CAROM_OK)
        status = carom_reader_number_in(r, node, key, -1e9, 1e9, &x);
    if (status != CAROM_OK)
        return status;
    if (x != floor(x))
        return carom_reader_fail(r, node, "%s is %.9g, it must be a whole number", key, x);
    *value = (long)x;
    return CAROM_OK;
}

static carom_status read_block(carom_reader *r, const carom_yaml_node *map,
                               carom_scene_block *block)
{
    const carom_yaml_node *node;
    const char *index = NULL;
    long from = 0, to = 0;
    carom_status status = carom_reader_map(r, map, "a repeat block", block_keys);
    if (status == CAROM_OK)
        status = carom_reader_need(r, map, "the repeat block", "index", &node);
    if (status == CAROM_OK)
        status = carom_reader_text(r, node, "index", &index);
    if (status == CAROM_OK && !carom_name_is_valid(index, strlen(index)))
        return carom_reader_fail(r, node,
                                 "index `%.40s` is not a name: a letter, then letters, "
                                 "digits, _",
                                 index);
    if (status == CAROM_OK)
        status = read_whole(r, map, "from", &from);
    if (status == CAROM_OK)
        status = read_whole(r, map, "to", &to);
    if (status != CAROM_OK)
        return status;
    long count = to < from ? 0 : to - from + 1;
    if (count > ROUNDS_MAX)
        return carom_reader_fail(r, map, "the block is repeated %ld times, at most %d are allowed",
                                 count, ROUNDS_MAX);
    carom_reader_round *rounds = carom_arena_array(r->scratch, (size_t)count, sizeof *rounds);
    if (!rounds)
        return carom_error_memory(r->error);
    for (long k = 0; k < count; k++)
        rounds[k] = (carom_reader_round){index, from + k};
    *block = (carom_scene_block){map, rounds, (int)count};
    return CAROM_OK;
}

carom_status carom_scene_repeat(carom_reader *r, const carom_yaml_node *node,
                                carom_scene_blocks *blocks)
{
    carom_status status = node ? carom_reader_list(r, node, "repeat") : CAROM_OK;
    const carom_yaml_node *item = node && status == CAROM_OK ? node->first : NULL;
    for (; item && status == CAROM_OK; item = item->next) {
        carom_scene_block *grown =
            carom_reader_grow(r, blocks->blocks, blocks->count, &blocks->room, sizeof *grown);
        if (!grown)
            return carom_error_memory(r->error);
        blocks->blocks = grown;
        status = read_block(r, item, &grown[blocks->count]);
        if (status == CAROM_OK)
            blocks->count++;
    }
    return status;
}

carom_status carom_scene_repeat_each(carom_reader *r, const carom_scene_blocks *blocks,
                                     const char *key, carom_scene_part part, void *self)
{
    carom_status status = CAROM_OK;
    for (int b = 0; b < blocks->count; b++) {
        const carom_scene_block *block = &blocks->blocks[b];
        const carom_yaml_node *node = carom_reader_find(block->node, key);
        for (int k = 0; node && k < block->round_count && status == CAROM_OK; k++) {
            r->round = &block->rounds[k];
            status = part(self, node);
        }
    }
    r->round = NULL;
    return status;
}
