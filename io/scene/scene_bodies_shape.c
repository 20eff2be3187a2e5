/* `shape` of a body: one, or a list. */
#include "scene/scene_bodies.h"

#include "scene/expand.h"
#include "scene/keys.h"

#include <math.h>
#include <string.h>

/* Points of a hull are quadratic work at worst; meshes come from files. */
enum { POINTS_MOST = 100000, ALIKE_MOST = 64 };

/* The words of the space, with the kind of each. */
static const struct {
    const char *word;
    carom_shape_kind kind;
    int space;
} words[] = {
#define SPACE_WORD(name, space, plane) {space, name, 3}, {plane, name, 2},
    CAROM_SHAPE_KINDS(SPACE_WORD)
#undef SPACE_WORD
};

/* Which key says what the shape is. */
static carom_status find_kind(carom_scene_assembly *a, const carom_yaml_node *map, int *which)
{
    const carom_yaml_node *said = NULL;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const carom_yaml_node *node = words[k].word ? carom_reader_find(map, words[k].word) : NULL;
        if (!node || node == said)
            continue;
        if (words[k].space != a->world.space) {
            bool both = false; /* box and capsule are words of both */
            for (size_t j = 0; j < sizeof words / sizeof *words; j++)
                both = both || (words[j].word && words[j].space == a->world.space &&
                                strcmp(words[j].word, words[k].word) == 0);
            if (!both)
                return carom_reader_fail(a->r, node, "`%s` is a shape of %s; world.space is %d",
                                         words[k].word, words[k].space == 2 ? "the plane" : "space",
                                         a->world.space);
            continue;
        }
        if (said)
            return carom_reader_fail(a->r, node, "a shape is one of these: `%s` is the second",
                                     words[k].word);
        said = node;
        *which = (int)k;
    }
    return said ? CAROM_OK
                : carom_reader_fail(a->r, map, "a shape lacks what it is: %s",
                                    a->world.space == 2
                                        ? "circle, box, capsule, polygon, line or half-plane"
                                        : "sphere, box, capsule, cylinder, hull, plane, mesh or "
                                          "heights");
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

static carom_status read_geometry(carom_scene_assembly *a, const carom_yaml_node *map, int which,
                                  carom_shape_def *def)
{
    const char *word = words[which].word;
    const carom_yaml_node *node = carom_reader_find(map, word);
    switch (words[which].kind) {
    case CAROM_SHAPE_SPHERE:
        return read_sizes(a, node, word, 1, def);
    case CAROM_SHAPE_CAPSULE:
    case CAROM_SHAPE_CYLINDER:
        return read_sizes(a, node, word, 2, def);
    case CAROM_SHAPE_BOX:
        return read_sizes(a, node, word, a->world.space, def);
    case CAROM_SHAPE_HULL:
    case CAROM_SHAPE_LINE:
        return read_points(a, node, word, def);
    case CAROM_SHAPE_PLANE:
        return carom_reader_numbers(a->r, node, word, a->world.space, def->normal);
    case CAROM_SHAPE_MESH:
        return read_mesh(a, node, def);
    case CAROM_SHAPE_HEIGHTS:
        return read_heights(a, node, def);
    case CAROM_SHAPE_KIND_COUNT:
        break;
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
    int which = 0;
    carom_status status = carom_reader_map(a->r, map, "a shape", carom_keys_body_shape);
    if (status == CAROM_OK)
        status = find_kind(a, map, &which);
    if (status != CAROM_OK)
        return status;
    carom_shape_def def = carom_shape_def_default(words[which].kind);
    def.space = a->world.space;
    status = read_geometry(a, map, which, &def);
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
