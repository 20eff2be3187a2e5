/* Keys that come from registries: the words of kinds of shapes and joints, and numbers of their
 * own. */
#include "scene/keys.h"

#include "carom/bodies.h"

/* Keys that are written while there is room, and counted. */
typedef struct listing {
    carom_scene_key *keys;
    int room, count;
} listing;

static void add(listing *to, const carom_scene_key *key)
{
    if (to->count < to->room)
        to->keys[to->count] = *key;
    to->count++;
}

int carom_keys_joint_kinds(int room, carom_scene_key *keys)
{
    listing to = {keys, room, 0};
    const carom_joint_info *is;
    for (int k = 0; (is = carom_joint_describe((carom_joint_kind)k)); k++)
        add(&to, &(carom_scene_key){is->word, "[parent, child]", "one of these", is->doc});
    for (int k = 0; (is = carom_joint_describe((carom_joint_kind)k)); k++)
        for (int i = 0; i < 2 && is->own[i].name; i++)
            add(&to, &(carom_scene_key){is->own[i].name, "number", is->own[i].fallback,
                                        is->own[i].doc});
    return to.count;
}

int carom_scene_map_keys(const carom_scene_map *map, int room, carom_scene_key *keys)
{
    listing to = {keys, room, 0};
    if (map->keys == carom_keys_joint)
        to.count = carom_keys_joint_kinds(room, keys);
    for (const carom_scene_key *key = map->keys; key->name; key++)
        add(&to, key);
    return to.count;
}

void carom_keys_gather(const carom_scene_key *table, carom_scene_key keys[CAROM_KEYS_ROOM])
{
    const carom_scene_map map = {.keys = table};
    const int count = carom_scene_map_keys(&map, CAROM_SCENE_KEYS_MOST, keys);
    keys[count < CAROM_SCENE_KEYS_MOST ? count : CAROM_SCENE_KEYS_MOST] = (carom_scene_key){0};
}
