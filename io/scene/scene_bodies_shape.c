/* `shape` of a body: one, or a list. */
#include "scene/scene_bodies.h"

#include "scene/expand.h"
#include "scene/keys.h"

#include <math.h>
#include <string.h>

/* Points of a hull are quadratic work at worst; meshes come from files. */
enum { POINTS_MOST = 100000, ALIKE_MOST = 64 };

/* How a kind is called in the space of the scene; and in the other. */
static const carom_shape_words *words_of(const carom_shape_info *is, int space)
{
    return space == 2 ? &is->plane : &is->space;
}

/* No key says what the shape is: the words there are. */
static carom_status lacks_kind(carom_scene_assembly *a, const carom_yaml_node *map)
{
    char words[300] = "";
    size_t used = 0;
    const carom_shape_info *is;
    for (int k = 0; (is = carom_shape_describe((carom_shape_kind)k)) && used < sizeof words; k++) {
        const char *word = words_of(is, a->world.space)->word;
        if (word)
            used +=
                (size_t)snprintf(words + used, sizeof words - used, "%s%s", used ? ", " : "", word);
    }
    return carom_reader_fail(a->r, map, "a shape lacks what it is: %s", words);
}

/* Is this a word of the scene's space? */
static bool is_here(const carom_scene_assembly *a, const char *word)
{
    const carom_shape_info *is;
    for (int k = 0; (is = carom_shape_describe((carom_shape_kind)k)); k++) {
        const char *own = words_of(is, a->world.space)->word;
        if (own && strcmp(own, word) == 0)
            return true;
    }
    return false;
}

/* Which key says what the shape is. */
static carom_status find_kind(carom_scene_assembly *a, const carom_yaml_node *map,
                              carom_shape_kind *kind)
{
    const carom_yaml_node *said = NULL;
    const carom_shape_info *is;
    const int space = a->world.space;
    for (int k = 0; (is = carom_shape_describe((carom_shape_kind)k)); k++) {
        const char *word = words_of(is, space)->word, *other = words_of(is, 5 - space)->word;
        const carom_yaml_node *node = word ? carom_reader_find(map, word) : NULL,
                              *away = other ? carom_reader_find(map, other) : NULL;
        if (away && !is_here(a, other))
            return carom_reader_fail(a->r, away, "`%s` is a shape of %s; world.space is %d", other,
                                     space == 2 ? "space" : "the plane", space);
        if (node && said)
            return carom_reader_fail(a->r, node, "a shape is one of these: `%s` is the second",
                                     word);
        if (node)
            *kind = (carom_shape_kind)k;
        said = node ? node : said;
    }
    return said ? CAROM_OK : lacks_kind(a, map);
}

static carom_status read_sizes(carom_scene_assembly *a, const carom_yaml_node *node,
                               const char *word, int count, carom_shape_def *def)
{
    if (count == 1)
        return carom_reader_positive(a->r, node, word, &def->size[0]);
    carom_status status = carom_reader_numbers(a->r, node, word, count, def->size);
    for (int k = 0; k < count && status == CAROM_OK; k++)
        if (!(def->size[k] > 0))
            return carom_reader_fail(a->r, node, "%s: %g is not a length, it must be positive",
                                     word, def->size[k]);
    return status;
}

static carom_status read_points(carom_scene_assembly *a, const carom_yaml_node *node,
                                const char *word, carom_shape_def *def)
{
    const int d = a->world.space;
    carom_status status = carom_reader_list(a->r, node, word);
    if (status == CAROM_OK && node->count > POINTS_MOST)
        return carom_reader_fail(a->r, node, "%s has %d points, at most %d are allowed", word,
                                 node->count, POINTS_MOST);
    double *points = status == CAROM_OK
                         ? carom_arena_doubles(a->r->arena, (size_t)d * (size_t)node->count)
                         : NULL;
    if (status == CAROM_OK && !points)
        return carom_error_memory(a->r->error);
    int k = 0;
    const carom_yaml_node *item = status == CAROM_OK ? node->first : NULL;
    for (; item && status == CAROM_OK; item = item->next)
        status = carom_reader_numbers(a->r, item, "a point", d, points + d * k++);
    def->points = points;
    def->point_count = k;
    return status;
}

static carom_status read_heights(carom_scene_assembly *a, const carom_yaml_node *map,
                                 carom_shape_def *def)
{
    const carom_yaml_node *spacing = NULL, *z = NULL;
    carom_status status = carom_reader_map(a->r, map, "heights", carom_keys_heights);
    if (status == CAROM_OK)
        status = carom_reader_need(a->r, map, "heights", "spacing", &spacing);
    if (status == CAROM_OK)
        status = read_sizes(a, spacing, "spacing", 2, def);
    if (status == CAROM_OK)
        status = carom_reader_need(a->r, map, "heights", "z", &z);
    if (status == CAROM_OK)
        status = carom_reader_list(a->r, z, "z");
    if (status == CAROM_OK && (z->count < 2 || z->first->kind != CAROM_YAML_LIST))
        return carom_reader_fail(a->r, z, "z must be at least two rows of at least two heights");
    if (status != CAROM_OK)
        return status;
    def->rows = z->count;
    def->columns = z->first->count;
    double *heights = carom_arena_doubles(a->r->arena, (size_t)def->rows * (size_t)def->columns);
    if (!heights)
        return carom_error_memory(a->r->error);
    int row = 0;
    for (const carom_yaml_node *i = z->first; i && status == CAROM_OK; i = i->next, row++)
        status = carom_reader_numbers(a->r, i, "a row of z", def->columns,
                                      heights + (size_t)row * (size_t)def->columns);
    def->heights = heights;
    return status;
}

static carom_status read_mesh(carom_scene_assembly *a, const carom_yaml_node *node,
                              carom_shape_def *def)
{
    const char *name = NULL, *folder = a->r->folder ? a->r->folder : "";
    carom_error inner = {0};
    carom_status status = carom_expand_text(a->r, node, "mesh", &name);
    if (status != CAROM_OK)
        return status;
    size_t room = strlen(folder) + strlen(name) + 1;
    char *path = carom_arena_take(a->r->scratch, room);
    if (!path)
        return carom_error_memory(a->r->error);
    snprintf(path, room, "%s%s", name[0] == '/' ? "" : folder, name);
    status = carom_scene_mesh(path, a->r->arena, def, &inner);
    if (status == CAROM_ERROR_INPUT || status == CAROM_ERROR_FILE)
        return carom_reader_fail(a->r, node, "mesh %.120s: %s", name, inner.text);
    if (status != CAROM_OK && a->r->error)
        *a->r->error = inner;
    return status;
}

static carom_status read_geometry(carom_scene_assembly *a, const carom_yaml_node *map,
                                  carom_shape_def *def)
{
    const carom_shape_info *is = carom_shape_describe(def->kind);
    const carom_shape_words *words = words_of(is, def->space);
    const carom_yaml_node *node = carom_reader_find(map, words->word);
    switch (is->form) {
    case CAROM_SHAPE_OF_SIZES:
        return read_sizes(a, node, words->word, words->sizes, def);
    case CAROM_SHAPE_OF_POINTS:
        return read_points(a, node, words->word, def);
    case CAROM_SHAPE_OF_NORMAL:
        return carom_reader_numbers(a->r, node, words->word, def->space, def->normal);
    case CAROM_SHAPE_OF_TRIANGLES:
        return read_mesh(a, node, def);
    case CAROM_SHAPE_OF_HEIGHTS:
        return read_heights(a, node, def);
    }
    return CAROM_OK;
}

static bool has_arrays(const carom_shape_def *d)
{
    return d->points || d->triangles || d->heights;
}

static bool alike(const carom_shape_def *x, const carom_shape_def *y)
{
    return x->kind == y->kind && x->radius == y->radius &&
           memcmp(x->size, y->size, sizeof x->size) == 0 &&
           memcmp(x->normal, y->normal, sizeof x->normal) == 0;
}

/* Bodies of a heap have the same shape: it is made once. */
static carom_status make_shape(carom_scene_assembly *a, const carom_yaml_node *node,
                               const carom_shape_def *def, const carom_shape **shape)
{
    carom_scene *scene = a->scene;
    carom_error inner = {0};
    for (int k = scene->solid_count - 1; k >= 0 && k >= scene->solid_count - ALIKE_MOST; k--)
        if (!has_arrays(def) && !has_arrays(&scene->solids[k].def) &&
            alike(def, &scene->solids[k].def)) {
            *shape = scene->solids[k].shape;
            return CAROM_OK;
        }
    if (scene->solid_count == scene->solid_room) {
        int room = scene->solid_room ? 2 * scene->solid_room : 16;
        carom_scene_solid *grown = carom_arena_array(a->r->arena, (size_t)room, sizeof *grown);
        if (!grown)
            return carom_error_memory(a->r->error);
        if (scene->solid_count)
            memcpy(grown, scene->solids, (size_t)scene->solid_count * sizeof *grown);
        scene->solids = grown;
        scene->solid_room = room;
    }
    carom_shape *made = NULL;
    carom_status status =
        carom_shape_create(def, carom_arena_allocator(a->r->arena), &made, &inner);
    if (status == CAROM_ERROR_MEMORY)
        return carom_error_memory(a->r->error);
    if (status != CAROM_OK)
        return carom_reader_fail(a->r, node, "%s", inner.text);
    scene->solids[scene->solid_count++] = (carom_scene_solid){made, *def};
    *shape = made;
    return CAROM_OK;
}

static carom_status read_shape(carom_scene_assembly *a, const carom_yaml_node *map,
                               carom_body_shape *shape)
{
    const carom_yaml_node *node;
    carom_shape_kind kind = CAROM_SHAPE_KIND_COUNT;
    carom_scene_key keys[CAROM_KEYS_ROOM];
    carom_keys_gather(carom_keys_body_shape, keys);
    carom_status status = carom_reader_map(a->r, map, "a shape", keys);
    if (status == CAROM_OK)
        status = find_kind(a, map, &kind);
    if (status != CAROM_OK)
        return status;
    carom_shape_def def = carom_shape_def_default(kind);
    def.space = a->world.space;
    status = read_geometry(a, map, &def);
    if (status == CAROM_OK && (node = carom_reader_find(map, "radius")))
        status = carom_reader_number_in(a->r, node, "radius", 0, INFINITY, &def.radius);
    if (status == CAROM_OK)
        status = make_shape(a, map, &def, &shape->shape);
    shape->turn[0] = a->world.space == 3;
    if (status == CAROM_OK)
        status = carom_scene_vector(a, map, "at", shape->position);
    if (status == CAROM_OK && (node = carom_reader_find(map, "turn")))
        status = carom_scene_turn(a, node, shape->turn);
    if (status == CAROM_OK && (node = carom_reader_find(map, "density")))
        status = carom_reader_positive(a->r, node, "density", &shape->density);
    return status;
}

carom_status carom_scene_body_shapes(carom_scene_assembly *a, const carom_yaml_node *node,
                                     carom_body_def *body)
{
    const bool many = node->kind == CAROM_YAML_LIST;
    const int count = many ? node->count : 1;
    carom_body_shape *shapes = carom_arena_zeros(a->r->arena, (size_t)count, sizeof *shapes);
    if (!shapes)
        return carom_error_memory(a->r->error);
    body->shapes = shapes;
    body->shape_count = count;
    if (!many)
        return read_shape(a, node, shapes);
    carom_status status = CAROM_OK;
    for (const carom_yaml_node *i = node->first; i && status == CAROM_OK; i = i->next)
        status = read_shape(a, i, shapes++);
    return status;
}
