/* `repeat`: families of coordinates, contacts and shapes, blocks inside blocks. All copies are
 * counted before the first is made, so that too many cost neither time nor memory. */
#include "scene/scene_parts.h"

#include "carom/expr.h"
#include "scene/expand.h"
#include "scene/keys.h"

#include <math.h>
#include <string.h>

enum {
    ROUNDS_MAX = 10000,     /* of one block */
    ROUNDS_ALL = 1000000,   /* of all blocks together */
    BLOCKS_DEPTH = 8,       /* blocks inside each other */
    BLOCKS_COUNTED = 50000, /* blocks whose rounds are counted, before "more than" is enough */
    ENTRIES_MAX = 134217728 /* of W: contacts times velocities, 1 GiB of numbers */
};

/* Which rounds a block has: its index, from, to. */
typedef struct range {
    const char *index;
    long from, count;
} range;

static carom_status read_whole(carom_reader *r, const carom_yaml_node *map, const char *key,
                               long *value)
{
    const carom_yaml_node *node;
    carom_source source;
    double x = 0;
    carom_status status = carom_reader_need(r, map, "the repeat block", key, &node);
    if (status != CAROM_OK)
        return status;
    const carom_reader_origin *origins = r->origins;
    carom_mark mark = carom_arena_mark(r->scratch);
    status = carom_expand_bound(r, node, key, &source);
    if (status == CAROM_OK)
        status = carom_expand_status(r, carom_scope_number(r->scope, &source, &x, r->error));
    if (status != CAROM_OK)
        return status;
    r->origin_count--;
    if (origins == r->origins) /* bounds of inner blocks number in the thousands */
        carom_arena_rewind(r->scratch, mark);
    if (x != floor(x) || fabs(x) > 1e9)
        return carom_reader_fail(r, node, "%s is %.9g, it must be a whole number%s", key, x,
                                 fabs(x) > 1e9 ? " between -1e9 and 1e9" : "");
    *value = (long)x;
    return CAROM_OK;
}

static carom_status read_range(carom_reader *r, const carom_yaml_node *map, range *made)
{
    const carom_yaml_node *node;
    long to = 0;
    carom_status status = carom_reader_need(r, map, "the repeat block", "index", &node);
    if (status == CAROM_OK)
        status = carom_reader_scalar(r, node, "index", "a name");
    if (status != CAROM_OK)
        return status;
    made->index = node->text;
    if (!carom_name_is_valid(node->text, node->length))
        return carom_reader_fail(
            r, node, "index `%.40s` is not a name: a letter, then letters, digits, _", node->text);
    if (carom_reader_find_index(r->round, node->text, node->length))
        return carom_reader_fail(r, node, "index `%.40s` is that of a block around this one",
                                 node->text);
    status = read_whole(r, map, "from", &made->from);
    if (status == CAROM_OK)
        status = read_whole(r, map, "to", &to);
    if (status != CAROM_OK)
        return status;
    made->count = to < made->from ? 0 : to - made->from + 1;
    if (made->count > ROUNDS_MAX)
        return carom_reader_fail(r, map, "the block is repeated %ld times, at most %d are allowed",
                                 made->count, ROUNDS_MAX);
    return CAROM_OK;
}

/* What one round of a block adds, without the blocks inside it. */
static long size_of(const carom_yaml_node *map, const char *key)
{
    const carom_yaml_node *node = carom_reader_find(map, key);
    return node && node->kind != CAROM_YAML_SCALAR ? node->count : 0;
}

static carom_status count_list(carom_reader *r, const carom_yaml_node *list, int depth,
                               carom_scene_count *count);

/* Count a block in the reader's round. One that holds no other is counted without going through
 * its rounds. */
static carom_status count_block(carom_reader *r, const carom_yaml_node *map, int depth,
                                carom_scene_count *count)
{
    range g = {0};
    const carom_yaml_node *inner = carom_reader_find(map, "repeat");
    const carom_reader_round *outer = r->round;
    carom_status status = carom_reader_map(r, map, "a repeat block", carom_keys_repeat);
    if (status == CAROM_OK)
        status = read_range(r, map, &g);
    if (status != CAROM_OK)
        return status;
    count->rounds += g.count;
    count->more = ++count->blocks > BLOCKS_COUNTED && count->rounds > ROUNDS_ALL;
    count->coordinates += g.count * size_of(map, "coordinates");
    if (size_of(map, "contacts") > 0 && g.count > 0) {
        count->contacts += g.count * size_of(map, "contacts");
        count->at = map;
    }
    for (long k = 0; inner && k < g.count && status == CAROM_OK && !count->more; k++) {
        carom_reader_round round = {g.index, g.from + k, outer};
        r->round = &round;
        status = count_list(r, inner, depth + 1, count);
        r->round = outer;
    }
    return status;
}

static carom_status count_list(carom_reader *r, const carom_yaml_node *list, int depth,
                               carom_scene_count *count)
{
    carom_status status = carom_reader_list(r, list, "repeat");
    if (status == CAROM_OK && depth > BLOCKS_DEPTH)
        return carom_reader_fail(r, list, "more than %d repeat blocks inside each other",
                                 BLOCKS_DEPTH);
    const carom_yaml_node *item = status == CAROM_OK ? list->first : NULL;
    for (; item && status == CAROM_OK && !count->more; item = item->next)
        status = count_block(r, item, depth, count);
    return status;
}

carom_status carom_scene_repeat_count(carom_reader *r, const carom_yaml_node *list,
                                      carom_scene_count *count)
{
    carom_status status = list ? count_list(r, list, 1, count) : CAROM_OK;
    if (status == CAROM_OK && count->rounds > ROUNDS_ALL)
        return carom_reader_fail(r, list, "the blocks make %s%ld rounds, at most %d are allowed",
                                 count->more ? "more than " : "",
                                 count->more ? (long)ROUNDS_ALL : count->rounds, ROUNDS_ALL);
    return status;
}

carom_status carom_scene_repeat_room(carom_reader *r, const carom_yaml_node *system,
                                     const carom_scene_count *count)
{
    const double entries = (double)count->contacts * (double)count->coordinates;
    if (entries <= ENTRIES_MAX)
        return CAROM_OK;
    return carom_reader_fail(
        r, count->at ? count->at : system,
        "%ld contacts of %ld coordinates: the gradients of their gaps would fill %.3g GiB, "
        "allowed is 1 GiB; leave out pairs that cannot meet, or write the scene with fewer bodies",
        count->contacts, count->coordinates, entries * sizeof(double) / 1073741824.0);
}

/* Make the rounds of a block, and the blocks inside each. */
static carom_status make_block(carom_reader *r, const carom_yaml_node *map,
                               carom_scene_block *block)
{
    range g = {0};
    const carom_yaml_node *inner = carom_reader_find(map, "repeat");
    const carom_reader_round *outer = r->round;
    carom_status status = read_range(r, map, &g);
    if (status != CAROM_OK)
        return status;
    carom_reader_round *rounds = carom_arena_array(r->scratch, (size_t)g.count, sizeof *rounds);
    carom_scene_blocks *lists =
        carom_arena_zeros(r->scratch, inner ? (size_t)g.count : 0, sizeof *lists);
    if (!rounds || !lists)
        return carom_error_memory(r->error);
    for (long k = 0; k < g.count && status == CAROM_OK; k++) {
        rounds[k] = (carom_reader_round){g.index, g.from + k, outer};
        if (!inner)
            continue;
        r->round = &rounds[k];
        status = carom_scene_repeat(r, inner, &lists[k]);
        r->round = outer;
    }
    *block = (carom_scene_block){map, rounds, (int)g.count, inner ? lists : NULL};
    return status;
}

carom_status carom_scene_repeat(carom_reader *r, const carom_yaml_node *node,
                                carom_scene_blocks *blocks)
{
    carom_status status = CAROM_OK;
    const carom_yaml_node *item = node ? node->first : NULL;
    for (; item && status == CAROM_OK; item = item->next) {
        carom_scene_block *grown =
            carom_reader_grow(r, blocks->blocks, blocks->count, &blocks->room, sizeof *grown);
        if (!grown)
            return carom_error_memory(r->error);
        blocks->blocks = grown;
        status = make_block(r, item, &grown[blocks->count]);
        if (status == CAROM_OK)
            blocks->count++;
    }
    return status;
}

/* The value of the key in one round, and in the blocks inside it, in the order of the file. */
static carom_status each_in_round(carom_reader *r, const carom_scene_block *block, int k,
                                  const char *key, carom_scene_part part, void *self)
{
    carom_status status = CAROM_OK;
    for (const carom_yaml_node *n = block->node->first; n && status == CAROM_OK; n = n->next) {
        r->round = &block->rounds[k];
        if (strcmp(n->text, key) == 0)
            status = part(self, n->value);
        else if (block->inner && strcmp(n->text, "repeat") == 0)
            status = carom_scene_repeat_each(r, &block->inner[k], key, part, self);
    }
    return status;
}

carom_status carom_scene_repeat_each(carom_reader *r, const carom_scene_blocks *blocks,
                                     const char *key, carom_scene_part part, void *self)
{
    const carom_reader_round *outer = r->round;
    carom_status status = CAROM_OK;
    for (int b = 0; b < blocks->count && status == CAROM_OK; b++) {
        const carom_scene_block *block = &blocks->blocks[b];
        if (!block->inner && !carom_reader_find(block->node, key))
            continue;
        for (int k = 0; k < block->round_count && status == CAROM_OK; k++)
            status = each_in_round(r, block, k, key, part, self);
    }
    r->round = outer;
    return status;
}
