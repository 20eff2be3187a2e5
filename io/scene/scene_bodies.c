/* `world`, `bodies`, `joints`: a scene made of rigid bodies. */
#include "scene/scene_bodies.h"

#include "scene/expand.h"
#include "scene/keys.h"

#include <math.h>
#include <string.h>

/* More cannot be held: rows of contacts, places and boxes of so many take gigabytes. */
enum { BODIES_MOST = 100000 };

/* ---- small steps ---- */

carom_status carom_scene_vector(carom_scene_assembly *a, const carom_yaml_node *map,
                                const char *key, double *values)
{
    const carom_yaml_node *node = carom_reader_find(map, key);
    return node ? carom_reader_numbers(a->r, node, key, a->world.space, values) : CAROM_OK;
}

/* The number of a body named by a scalar; `world`: CAROM_WORLD where that is allowed. */
static carom_status body_named(carom_scene_assembly *a, const carom_yaml_node *node, bool world,
                               int *body)
{
    const char *name = NULL;
    carom_status status = carom_expand_text(a->r, node, "a body's name", &name);
    if (status != CAROM_OK)
        return status;
    if (world && strcmp(name, "world") == 0) {
        *body = CAROM_WORLD;
        return CAROM_OK;
    }
    *body = carom_name_set_find(&a->names, name);
    if (*body >= 0)
        return CAROM_OK;
    return carom_reader_fail(a->r, node, "there is no body `%.60s`%s", name,
                             carom_name_set_guess(&a->names, name, a->r->scratch));
}

carom_status carom_scene_two_bodies(carom_scene_assembly *a, const carom_yaml_node *node,
                                    const char *what, bool world, int body[2])
{
    carom_status status = carom_reader_list(a->r, node, what);
    if (status == CAROM_OK && node->count != 2)
        return carom_reader_fail(a->r, node, "%s must name two bodies, found %d", what,
                                 node->count);
    if (status == CAROM_OK)
        status = body_named(a, node->first, world, &body[0]);
    if (status == CAROM_OK)
        status = body_named(a, node->first->next, world, &body[1]);
    if (status == CAROM_OK && body[0] == body[1])
        return carom_reader_fail(a->r, node, "%s names the same body twice", what);
    return status;
}

carom_status carom_scene_material(carom_scene_assembly *a, const carom_yaml_node *node,
                                  const carom_scene_key *keys, const char *what,
                                  carom_contact *contact)
{
    carom_status status = carom_reader_map(a->r, node, what, keys);
    contact->slip_count = a->world.space - 1;
    if (status == CAROM_OK)
        status = carom_scene_contact(a->r, node, (carom_scene_law_context){0}, contact);
    contact->slip_count = 0;
    return status;
}

carom_status carom_scene_keep_formula(carom_reader *r, carom_scene *scene,
                                      const carom_yaml_node *node, const char *what, int order,
                                      carom_expr **expr)
{
    carom_source source;
    carom_scene_formula *kept = carom_arena_zeros(r->arena, 1, sizeof *kept);
    if (!kept)
        return carom_error_memory(r->error);
    carom_status status = carom_expand_source(r, node, what, &source);
    if (status == CAROM_OK)
        status =
            carom_expand_status(r, carom_expr_create(r->scope, &source, order, expr, r->error));
    if (status != CAROM_OK)
        return status;
    *kept = (carom_scene_formula){*expr, scene->formulas};
    scene->formulas = kept;
    return CAROM_OK;
}

/* ---- world ---- */

static carom_status read_world(carom_scene_assembly *a, const carom_yaml_node *map)
{
    static const char *const spaces[] = {"2", "3", NULL};
    const carom_yaml_node *node;
    int space = 1;
    a->world = carom_world_def_default(3);
    if (!map)
        return CAROM_OK;
    carom_status status = carom_reader_map(a->r, map, "world", carom_keys_world);
    if (status == CAROM_OK && (node = carom_reader_find(map, "space")))
        status = carom_reader_choice(a->r, node, "space", spaces, &space);
    a->world.space = space + 2;
    if (status == CAROM_OK)
        status = carom_scene_vector(a, map, "gravity", a->world.gravity);
    if (status == CAROM_OK && (node = carom_reader_find(map, "contact")))
        status =
            carom_scene_material(a, node, carom_keys_body_contact, "contact", &a->world.contact);
    return status;
}

static carom_status read_pair(carom_scene_assembly *a, const carom_yaml_node *item,
                              carom_pair_def *pair)
{
    const carom_yaml_node *between = NULL;
    int body[2] = {0, 0};
    carom_status status = carom_reader_map(a->r, item, "a pair", carom_keys_pair);
    if (status == CAROM_OK)
        status = carom_reader_need(a->r, item, "a pair", "between", &between);
    if (status == CAROM_OK)
        status = carom_scene_two_bodies(a, between, "between", false, body);
    if (status != CAROM_OK)
        return status;
    const carom_contact *x = a->bodies[body[0]].contact, *y = a->bodies[body[1]].contact;
    *pair = (carom_pair_def){.a = body[0], .b = body[1]};
    pair->contact = carom_contact_combine(x ? x : &a->world.contact, y ? y : &a->world.contact);
    return carom_scene_material(a, item, carom_keys_pair, "a pair", &pair->contact);
}

static carom_status read_pairs(carom_scene_assembly *a, const carom_yaml_node *world)
{
    const carom_yaml_node *pairs = world ? carom_reader_find(world, "pairs") : NULL;
    const carom_yaml_node *ignore = world ? carom_reader_find(world, "ignore") : NULL;
    int count = (pairs ? pairs->count : 0) + (ignore ? ignore->count : 0), made = 0;
    carom_status status = CAROM_OK;
    a->pairs = carom_arena_zeros(a->r->scratch, (size_t)count + 1, sizeof *a->pairs);
    a->pair_nodes = carom_arena_zeros(a->r->scratch, (size_t)count + 1, sizeof *a->pair_nodes);
    if (!a->pairs || !a->pair_nodes)
        return carom_error_memory(a->r->error);
    if (pairs)
        status = carom_reader_list(a->r, pairs, "pairs");
    const carom_yaml_node *item = pairs && status == CAROM_OK ? pairs->first : NULL;
    for (; item && status == CAROM_OK; item = item->next) {
        a->pair_nodes[made] = item;
        status = read_pair(a, item, &a->pairs[made++]);
    }
    if (status == CAROM_OK && ignore)
        status = carom_reader_list(a->r, ignore, "ignore");
    item = ignore && status == CAROM_OK ? ignore->first : NULL;
    for (; item && status == CAROM_OK; item = item->next) {
        int body[2] = {0, 0};
        a->pair_nodes[made] = item;
        status = carom_scene_two_bodies(a, item, "an entry of ignore", false, body);
        a->pairs[made++] = (carom_pair_def){
            .a = body[0], .b = body[1], .ignore = true, .contact = a->world.contact};
    }
    a->world.pair_count = made;
    a->world.pairs = a->pairs;
    return status;
}

/* ---- bodies ---- */

static carom_status add_entries(carom_scene_assembly *a, const carom_yaml_node *map,
                                const char *what, carom_scene_entries *to)
{
    carom_reader *r = a->r;
    carom_status status = carom_reader_map(r, map, what, NULL);
    const carom_yaml_node *key = status == CAROM_OK ? map->first : NULL;
    for (; key && status == CAROM_OK; key = key->next) {
        carom_scene_entry *grown =
            carom_reader_grow(r, to->items, to->count, &to->room, sizeof *grown);
        const char *name = NULL;
        if (!grown)
            return carom_error_memory(r->error);
        to->items = grown;
        status = carom_expand_text(r, key, "a name", &name);
        if (status != CAROM_OK)
            return status;
        if (!carom_name_is_valid(name, strlen(name)) || strchr(name, '.'))
            return carom_reader_fail(
                r, key, "`%.60s` is not a name: a letter, then letters, digits and _", name);
        if (to->count == BODIES_MOST)
            return carom_reader_fail(r, key, "more than %d %s are not supported", BODIES_MOST,
                                     what);
        grown[to->count] = (carom_scene_entry){key, r->round, NULL};
        grown[to->count].name = carom_arena_text(r->arena, name, strlen(name));
        if (!grown[to->count++].name)
            return carom_error_memory(r->error);
    }
    return status;
}

static carom_status add_bodies(void *self, const carom_yaml_node *node)
{
    carom_scene_assembly *a = self;
    return add_entries(a, node, "bodies", &a->body_entries);
}

static carom_status add_joints(void *self, const carom_yaml_node *node)
{
    carom_scene_assembly *a = self;
    return add_entries(a, node, "joints", &a->joint_entries);
}

/* The entries of a key in the order of the file, those of `repeat` where it stands. */
static carom_status list_entries(carom_scene_assembly *a, const carom_yaml_node *root,
                                 const carom_scene_blocks *blocks, const char *key,
                                 carom_scene_part part)
{
    carom_status status = CAROM_OK;
    for (const carom_yaml_node *k = root->first; k && status == CAROM_OK; k = k->next) {
        if (strcmp(k->text, key) == 0)
            status = part(a, k->value);
        else if (strcmp(k->text, "repeat") == 0)
            status = carom_scene_repeat_each(a->r, blocks, key, part, a);
    }
    return status;
}

static carom_status check_names(carom_scene_assembly *a, const carom_scene_entries *e,
                                const char *what, carom_name_set *names)
{
    carom_status status = carom_name_set_create(a->r->scratch, e->count + 1, names, a->r->error);
    for (int k = 0; k < e->count && status == CAROM_OK; k++) {
        if (strcmp(e->items[k].name, "world") == 0)
            return carom_reader_fail(a->r, e->items[k].key, "`world` is the ground itself");
        if (carom_name_set_add(names, e->items[k].name, k) >= 0)
            return carom_reader_fail(a->r, e->items[k].key, "two %s are called `%.80s`", what,
                                     e->items[k].name);
    }
    return status;
}

/* A moment in the plane; three moments or a matrix in space. */
static carom_status read_inertia(carom_scene_assembly *a, const carom_yaml_node *node,
                                 carom_mass *mass)
{
    double d[3];
    if (a->world.space == 2)
        return carom_reader_positive(a->r, node, "inertia", &mass->inertia[8]);
    if (node->kind != CAROM_YAML_LIST || node->count != 3)
        return carom_reader_fail(a->r, node,
                                 "inertia must be three moments, or three rows of three numbers");
    if (node->first->kind != CAROM_YAML_LIST) {
        carom_status status = CAROM_OK;
        const carom_yaml_node *item = node->first;
        for (int k = 0; k < 3 && status == CAROM_OK; k++, item = item->next)
            status =
                carom_reader_positive(a->r, item, "a moment of inertia", &mass->inertia[4 * k]);
        return status;
    }
    carom_status status = CAROM_OK;
    int row = 0;
    for (const carom_yaml_node *i = node->first; i && status == CAROM_OK; i = i->next, row++) {
        status = carom_reader_numbers(a->r, i, "a row of inertia", 3, d);
        for (int k = 0; k < 3 && status == CAROM_OK; k++)
            mass->inertia[row + 3 * k] = d[k];
    }
    return status;
}

static carom_status read_mass(carom_scene_assembly *a, const carom_yaml_node *map,
                              carom_body_def *body)
{
    const carom_yaml_node *mass = carom_reader_find(map, "mass"), *node;
    carom_status status = CAROM_OK;
    if ((node = carom_reader_find(map, "density")))
        status = carom_reader_positive(a->r, node, "density", &body->density);
    if (status == CAROM_OK && mass)
        status = carom_reader_positive(a->r, mass, "mass", &body->mass.mass);
    if (status == CAROM_OK && (node = carom_reader_find(map, "inertia")))
        status = read_inertia(a, node, &body->mass);
    if (status == CAROM_OK)
        status = carom_scene_vector(a, map, "centre", body->mass.centre);
    static const char *const beside[] = {"inertia", "centre"};
    for (int k = 0; k < 2 && status == CAROM_OK; k++)
        if ((node = carom_reader_find(map, beside[k])) && !mass)
            return carom_reader_fail(a->r, node, "`%s` needs `mass` beside it", beside[k]);
    return status;
}

static carom_status read_start(carom_scene_assembly *a, const carom_yaml_node *map,
                               carom_body_def *body)
{
    static const char *const moving[] = {"velocity", "spin"};
    const carom_yaml_node *spin = carom_reader_find(map, "spin"), *node;
    for (int k = 0; k < 2 && body->fixed; k++)
        if ((node = carom_reader_find(map, moving[k])))
            return carom_reader_fail(a->r, node,
                                     "a fixed body has no `%s`; let `at` and `turn` be formulas "
                                     "of t, or give `surface`",
                                     moving[k]);
    if (!body->fixed && (node = carom_reader_find(map, "surface")))
        return carom_reader_fail(a->r, node, "`surface` is for fixed bodies");
    carom_status status = carom_scene_vector(a, map, "velocity", body->velocity);
    if (status == CAROM_OK && spin)
        status = a->world.space == 2 ? carom_reader_number(a->r, spin, "spin", body->spin)
                                     : carom_reader_numbers(a->r, spin, "spin", 3, body->spin);
    return status == CAROM_OK ? carom_scene_vector(a, map, "surface", body->surface) : status;
}

static carom_status read_body(carom_scene_assembly *a, int k)
{
    static const char *const answers[] = {"false", "true", NULL};
    const carom_scene_entry *entry = &a->body_entries.items[k];
    const carom_yaml_node *map = entry->key->value, *node;
    carom_body_def *body = &a->bodies[k];
    char what[100];
    int fixed = 0;
    snprintf(what, sizeof what, "body `%.60s`", entry->name);
    *body = carom_body_def_default(entry->name);
    body->turn[0] = a->world.space == 3;
    carom_status status = carom_reader_map(a->r, map, what, carom_keys_body);
    if (status == CAROM_OK && (node = carom_reader_find(map, "fixed")))
        status = carom_reader_choice(a->r, node, "fixed", answers, &fixed);
    body->fixed = fixed;
    if (status == CAROM_OK)
        status = carom_scene_body_place(a, map, body);
    if (status == CAROM_OK)
        status = read_mass(a, map, body);
    if (status == CAROM_OK)
        status = read_start(a, map, body);
    if (status == CAROM_OK && (node = carom_reader_find(map, "shape")))
        status = carom_scene_body_shapes(a, node, body);
    if (status == CAROM_OK && (node = carom_reader_find(map, "colour")))
        status = carom_reader_text(a->r, node, "colour", &a->colours[k]);
    if (status == CAROM_OK && (node = carom_reader_find(map, "contact"))) {
        carom_contact *contact = carom_arena_array(a->r->scratch, 1, sizeof *contact);
        if (!contact)
            return carom_error_memory(a->r->error);
        *contact = a->world.contact;
        status = carom_scene_material(a, node, carom_keys_body_contact, "contact", contact);
        body->contact = contact;
    }
    return status;
}

static carom_status read_bodies(carom_scene_assembly *a)
{
    const size_t count = (size_t)a->body_entries.count;
    carom_status status = check_names(a, &a->body_entries, "bodies", &a->names);
    if (status != CAROM_OK)
        return status;
    a->bodies = carom_arena_zeros(a->r->scratch, count, sizeof *a->bodies);
    a->colours = carom_arena_zeros(a->r->arena, count, sizeof *a->colours);
    if (!a->bodies || !a->colours)
        return carom_error_memory(a->r->error);
    for (int k = 0; k < a->body_entries.count && status == CAROM_OK; k++) {
        a->r->round = a->body_entries.items[k].round;
        status = read_body(a, k);
    }
    a->r->round = NULL;
    a->world.body_count = a->body_entries.count;
    a->world.bodies = a->bodies;
    return status;
}

/* ---- the system ---- */

/* An error of the model stands where its part does. */
static carom_status place_blame(carom_scene_assembly *a, const carom_yaml_node *root,
                                const carom_bodies_blame *blame, const carom_error *inner)
{
    const carom_yaml_node *node = carom_reader_find(root, "bodies");
    const carom_scene_entry *entry = NULL;
    if (blame->part == CAROM_BODIES_BODY)
        entry = &a->body_entries.items[blame->index];
    else if (blame->part == CAROM_BODIES_JOINT)
        entry = &a->joint_entries.items[a->joint_of[blame->index]];
    else if (blame->part == CAROM_BODIES_ROPE)
        entry = &a->joint_entries.items[a->rope_of[blame->index]];
    else if (blame->part == CAROM_BODIES_PAIR)
        node = a->pair_nodes[blame->index];
    if (entry)
        node = entry->key;
    carom_status status = carom_reader_fail(a->r, node ? node : root, "%s", inner->text);
    if (entry)
        carom_reader_name_round(a->r, entry->round);
    return status;
}

static carom_status make_system(carom_scene_assembly *a, const carom_yaml_node *root)
{
    carom_error inner = {0};
    carom_bodies_blame blame;
    carom_status status = carom_system_bodies(&a->world, carom_arena_allocator(a->r->arena),
                                              &a->scene->system, &blame, &inner);
    if (status == CAROM_ERROR_INPUT || status == CAROM_ERROR_ARGUMENT ||
        status == CAROM_ERROR_UNSUPPORTED)
        return place_blame(a, root, &blame, &inner);
    if (status != CAROM_OK && a->r->error)
        *a->r->error = inner;
    a->scene->content.system = status == CAROM_OK ? a->scene->system : NULL;
    return status;
}

/* Contacts have names once the system is made, and only then it is known whether `section` is at
 * one of them: a section at a formula makes it once more, with an instant of its own. */
static carom_status add_section(carom_scene_assembly *a, const carom_yaml_node *root,
                                const carom_yaml_node *section)
{
    carom_status status = carom_scene_bodies_section(a, section);
    if (status != CAROM_OK || a->world.instant_count == 0)
        return status;
    carom_system_destroy(a->scene->system);
    a->scene->system = NULL;
    return make_system(a, root);
}

static const carom_shape_def *def_of(const carom_scene *scene, const carom_shape *shape)
{
    int k = scene->solid_count - 1;
    while (k > 0 && scene->solids[k].shape != shape)
        k--;
    return &scene->solids[k].def;
}

/* What pictures need to know. */
static carom_status list_bodies(carom_scene_assembly *a)
{
    carom_arena *arena = a->r->arena;
    carom_scene_body *list = carom_arena_zeros(arena, (size_t)a->world.body_count, sizeof *list);
    a->scene->poses = carom_arena_zeros(arena, CAROM_BODIES_POSE * (size_t)a->world.body_count,
                                        sizeof *a->scene->poses);
    if (!list || !a->scene->poses)
        return carom_error_memory(a->r->error);
    for (int k = 0; k < a->world.body_count; k++) {
        const carom_body_def *d = &a->bodies[k];
        const carom_shape_def **defs =
            carom_arena_array(arena, (size_t)d->shape_count, sizeof *defs);
        if (!defs)
            return carom_error_memory(a->r->error);
        for (int i = 0; i < d->shape_count; i++)
            defs[i] = def_of(a->scene, d->shapes[i].shape);
        list[k] =
            (carom_scene_body){d->name, a->colours[k], d->fixed, d->shape_count, d->shapes, defs};
    }
    a->scene->content.body_count = a->world.body_count;
    a->scene->content.bodies = list;
    return CAROM_OK;
}

carom_status carom_scene_bodies(carom_reader *r, const carom_yaml_node *root,
                                const carom_scene_blocks *blocks, carom_scene *scene)
{
    carom_scene_assembly a = {.r = r, .scene = scene};
    const carom_yaml_node *world = carom_reader_find(root, "world"),
                          *section = carom_reader_find(root, "section");
    carom_status status = read_world(&a, world);
    if (status == CAROM_OK)
        status = list_entries(&a, root, blocks, "bodies", add_bodies);
    if (status == CAROM_OK)
        status = list_entries(&a, root, blocks, "joints", add_joints);
    if (status == CAROM_OK)
        status = read_bodies(&a);
    if (status == CAROM_OK)
        status = check_names(&a, &a.joint_entries, "joints", &(carom_name_set){0});
    if (status == CAROM_OK)
        status = carom_scene_joints(&a);
    if (status == CAROM_OK)
        status = read_pairs(&a, world);
    if (status == CAROM_OK)
        status = make_system(&a, root);
    if (status == CAROM_OK)
        status = add_section(&a, root, section);
    if (status == CAROM_OK)
        status = carom_scene_bodies_names(&a, root, blocks);
    if (status == CAROM_OK)
        status = carom_scene_motors(&a);
    if (status == CAROM_OK)
        status = carom_scene_stops(&a);
    if (status == CAROM_OK)
        status = carom_scene_bodies_instant(&a, section);
    if (status == CAROM_OK)
        status = list_bodies(&a);
    if (status == CAROM_OK)
        status = carom_scene_bodies_ropes(&a);
    return status;
}

void carom_scene_bodies_destroy(carom_scene *scene)
{
    for (int k = 0; k < scene->solid_count; k++)
        carom_shape_destroy(scene->solids[k].shape);
}
