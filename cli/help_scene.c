/* carom help scene: the keys of scene files, from the tables that the reader uses. */
#include "cli.h"

#include "carom/scene.h"

static void print_map(FILE *out, const carom_scene_map *map)
{
    fprintf(out, "\n%s: %s\n", map->name, map->title);
    cli_table *table = cli_table_create(2);
    carom_scene_key key[CAROM_SCENE_KEYS_MOST];
    const int count = carom_scene_map_keys(map, CAROM_SCENE_KEYS_MOST, key);
    for (int k = 0; k < count && k < CAROM_SCENE_KEYS_MOST; k++) {
        cli_table_cell(table, "  %s", key[k].name);
        cli_table_cell(table, "%s [%s]: %s", key[k].value, key[k].fallback, key[k].doc);
    }
    cli_table_print(table, out);
}

/* Is this the map that is meant? A key's underscore may stand for the dash of its map. */
static bool is_meant(const char *map, const char *name)
{
    size_t k = 0;
    while (map[k] && (map[k] == name[k] || (map[k] == '-' && name[k] == '_')))
        k++;
    return map[k] == '\0' && name[k] == '\0';
}

int cli_help_scene(const char *name)
{
    bool found = false;
    for (const carom_scene_map *map = carom_scene_maps(); map->name && name; map++)
        found = found || is_meant(map->name, name);
    if (name && !found)
        return cli_message_usage("help scene: there is no '%s'; 'carom help scene' shows all",
                                 name);
    if (!name)
        puts("A scene file states a mechanical problem in YAML (JSON is YAML too). Each line: the "
             "key,\nwhat stands there, [what is taken when it is missing], what it means.\n"
             "\n"
             "Where a number is expected a formula of parameters may stand. Formulas: + - * / ^ ( "
             "),\n"
             "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max,\n"
             "if(a < b, c, d), pi, t, names, x' the velocity of coordinate x, d(f) the time\n"
             "derivative of a formula of coordinates and t. carom(5) tells more.");
    for (const carom_scene_map *map = carom_scene_maps(); map->name; map++)
        if (!name || is_meant(map->name, name))
            print_map(stdout, map);
    return CLI_ANSWERED;
}
