/* Keys that come from registries: the words of kinds of shapes and joints, and numbers of their
 * own. */
#include "scene/keys.h"

#include "carom/bodies.h"
#include "carom/need.h"

#include <string.h>

/* Keys that are written while there is room, and counted. */
typedef struct listing {
    carom_scene_key *keys;
    int room, count;
} listing;

static void add(listing *to, const char *name, const char *value, const char *fallback,
                const char *doc)
{
    if (to->count < to->room)
        to->keys[to->count] = (carom_scene_key){name, value, fallback, doc};
    to->count++;
}

static void add_shapes(listing *to)
{
    const carom_shape_info *is;
    for (int k = 0; (is = carom_shape_describe((carom_shape_kind)k)); k++) {
        const carom_shape_words *in[2] = {&is->space, &is->plane};
        bool same = in[0]->word && in[1]->word && strcmp(in[0]->word, in[1]->word) == 0;
        for (int i = 0; i < (same ? 1 : 2); i++)
            if (in[i]->word)
                add(to, in[i]->word, in[i]->value, "one of these", in[i]->doc);
    }
}

static void add_joints(listing *to)
{
    const carom_joint_info *is;
    for (int k = 0; (is = carom_joint_describe((carom_joint_kind)k)); k++)
        add(to, is->word, "[parent, child]", "one of these", is->doc);
    for (int k = 0; (is = carom_joint_describe((carom_joint_kind)k)); k++)
        for (int i = 0; i < 2 && is->own[i].name; i++)
            add(to, is->own[i].name, "number", is->own[i].fallback, is->own[i].doc);
}

int carom_scene_map_keys(const carom_scene_map *map, int room, carom_scene_key *keys)
{
    CAROM_NEED_OR(0, map, map->keys, keys);
    listing to = {keys, room, 0};
    if (map->keys == carom_keys_body_shape)
        add_shapes(&to);
    if (map->keys == carom_keys_joint)
        add_joints(&to);
    for (const carom_scene_key *key = map->keys; key->name; key++)
        add(&to, key->name, key->value, key->fallback, key->doc);
    return to.count;
}

void carom_keys_gather(const carom_scene_key *table, carom_scene_key keys[CAROM_KEYS_ROOM])
{
    const carom_scene_map map = {.keys = table};
    const int count = carom_scene_map_keys(&map, CAROM_SCENE_KEYS_MOST, keys);
    keys[count < CAROM_SCENE_KEYS_MOST ? count : CAROM_SCENE_KEYS_MOST] = (carom_scene_key){0};
}
