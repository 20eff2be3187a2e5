/* `joints`: joints and ropes, with stops, springs, motors. */
#include "scene/scene_bodies.h"

#include "scene/keys.h"

#include <math.h>
#include <string.h>

/* No entry says what it is: the words there are. */
static carom_status lacks_kind(carom_scene_assembly *a, const carom_yaml_node *map,
                               const char *what)
{
    char words[300] = "";
    size_t used = 0;
    const carom_joint_info *is;
    for (int k = 0; (is = carom_joint_describe((carom_joint_kind)k)) && used < sizeof words; k++)
        if (a->world.space == 3 || is->in_plane)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s, ", is->word);
    return carom_reader_fail(a->r, map, "%s lacks its kind: %srope", what, words);
}

/* Which of the kinds an entry is; CAROM_JOINT_KIND_COUNT: a rope. */
static carom_status find_kind(carom_scene_assembly *a, const carom_yaml_node *map, const char *what,
                              int *kind, const carom_yaml_node **ends)
{
    *ends = NULL;
    for (int k = 0; k <= CAROM_JOINT_KIND_COUNT; k++) {
        const carom_joint_info *is = carom_joint_describe((carom_joint_kind)k);
        const char *word = is ? is->word : "rope";
        const carom_yaml_node *node = carom_reader_find(map, word);
        if (!node)
            continue;
        if (*ends)
            return carom_reader_fail(a->r, node, "%s is of one kind: `%s` is the second", what,
                                     word);
        if (a->world.space == 2 && is && !is->in_plane)
            return carom_reader_fail(a->r, node, "`%s` is a joint of space; world.space is 2",
                                     word);
        *ends = node;
        *kind = k;
    }
    return *ends ? CAROM_OK : lacks_kind(a, map, what);
}

/* Numbers that only some kinds have. */
static carom_status read_own(carom_scene_assembly *a, const carom_yaml_node *map,
                             carom_joint_def *joint)
{
    const carom_joint_info *is = carom_joint_describe(joint->kind), *other;
    carom_status status = CAROM_OK;
    for (int k = 0; (other = carom_joint_describe((carom_joint_kind)k)); k++)
        for (int i = 0; i < 2 && other->own[i].name && status == CAROM_OK; i++) {
            const carom_yaml_node *node = carom_reader_find(map, other->own[i].name);
            if (node && other == is)
                status = carom_reader_number_in(a->r, node, is->own[i].name, is->own[i].lower,
                                                is->own[i].upper, &joint->own[i]);
            else if (node && strcmp(other->own[i].name, is->own[0].name ? is->own[0].name : "") &&
                     strcmp(other->own[i].name, is->own[1].name ? is->own[1].name : ""))
                return carom_reader_fail(a->r, node, "`%s` is for %s joints", other->own[i].name,
                                         other->word);
        }
    return status;
}

static carom_status read_limit(carom_scene_assembly *a, const carom_yaml_node *node, double *value)
{
    const char *text = node->kind == CAROM_YAML_SCALAR ? node->text : "";
    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) {
        *value = text[0] == '-' ? -INFINITY : INFINITY;
        return CAROM_OK;
    }
    return carom_reader_number(a->r, node, "a limit", value);
}

static carom_status read_limits(carom_scene_assembly *a, const carom_yaml_node *map,
                                carom_joint_def *joint)
{
    const carom_yaml_node *node = carom_reader_find(map, "limits");
    if (!node)
        return CAROM_OK;
    carom_status status = carom_reader_list(a->r, node, "limits");
    if (status == CAROM_OK && node->count != 2)
        return carom_reader_fail(a->r, node, "limits must be [lo, hi], found %d numbers",
                                 node->count);
    if (status == CAROM_OK)
        status = read_limit(a, node->first, &joint->lower);
    if (status == CAROM_OK)
        status = read_limit(a, node->first->next, &joint->upper);
    if (status == CAROM_OK && !(joint->lower < joint->upper))
        return carom_reader_fail(a->r, node, "limits are [%g, %g]: the first must be the smaller",
                                 joint->lower, joint->upper);
    return status;
}

/* One number, or as many as the joint has. */
static carom_status read_values(carom_scene_assembly *a, const carom_yaml_node *map,
                                const char *key, const carom_joint_info *is, int count,
                                double *values)
{
    const carom_yaml_node *node = carom_reader_find(map, key);
    if (!node)
        return CAROM_OK;
    if (count == 0)
        return carom_reader_fail(a->r, node, "a %s joint has no `%s`", is->word, key);
    return count == 1 ? carom_reader_number(a->r, node, key, values)
                      : carom_reader_numbers(a->r, node, key, count, values);
}

static carom_status read_forces(carom_scene_assembly *a, const carom_yaml_node *map,
                                carom_joint_def *j)
{
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"spring", &j->spring},
                   {"damping", &j->damping},
                   {"armature", &j->armature},
                   {"friction", &j->friction}};
    const carom_yaml_node *node;
    carom_status status = CAROM_OK;
    for (int k = 0; k < 4 && status == CAROM_OK; k++)
        if ((node = carom_reader_find(map, numbers[k].key)))
            status =
                carom_reader_number_in(a->r, node, numbers[k].key, 0, INFINITY, numbers[k].value);
    if (status == CAROM_OK && (node = carom_reader_find(map, "rest")))
        status = carom_reader_number(a->r, node, "rest", &j->rest);
    if (status == CAROM_OK && carom_reader_find(map, "motor")) {
        carom_scene_function *m = carom_arena_zeros(a->r->arena, 1, sizeof *m);
        if (!m)
            return carom_error_memory(a->r->error);
        j->motor = carom_scene_function_value;
        j->motor_self = m;
    }
    return status;
}

static carom_status read_joint(carom_scene_assembly *a, const carom_yaml_node *map,
                               const int body[2], carom_joint_def *j)
{
    const carom_yaml_node *stop = carom_reader_find(map, "stop"), *rope;
    const carom_joint_info *is = carom_joint_describe(j->kind);
    j->parent = body[0];
    j->child = body[1];
    if (a->world.space == 2 && is->slides)
        j->axis[0] = 1;
    if ((rope = carom_reader_find(map, "length")))
        return carom_reader_fail(a->r, rope, "`length` is for ropes");
    carom_status status = carom_scene_vector(a, map, "at", j->at);
    if (status == CAROM_OK && carom_reader_find(map, "axis") && a->world.space == 2 && !is->slides)
        return carom_reader_fail(a->r, carom_reader_find(map, "axis"),
                                 "in the plane only a slide has an `axis`: others turn about z");
    if (status == CAROM_OK)
        status = carom_scene_vector(a, map, "axis", j->axis);
    if (status == CAROM_OK)
        status = carom_scene_vector(a, map, "second", j->second);
    if (status == CAROM_OK)
        status = read_limits(a, map, j);
    if (status == CAROM_OK && stop)
        status = carom_scene_material(a, stop, carom_keys_body_contact, "stop", &j->stop);
    if (status == CAROM_OK)
        status = read_forces(a, map, j);
    if (status == CAROM_OK)
        status = read_own(a, map, j);
    if (status == CAROM_OK)
        status = read_values(a, map, "initial", is, is->coordinates, j->initial);
    j->hold = carom_reader_find(map, "initial");
    if (status == CAROM_OK)
        status = read_values(a, map, "velocity", is, is->velocities, j->velocity);
    return status;
}

/* The ends of a rope: two points, or the origins of the bodies. */
static carom_status read_ends(carom_scene_assembly *a, const carom_yaml_node *map,
                              carom_rope_def *rope)
{
    const carom_yaml_node *node = carom_reader_find(map, "at");
    if (node) {
        carom_status status = carom_reader_list(a->r, node, "at");
        if (status == CAROM_OK && (node->count != 2 || node->first->kind != CAROM_YAML_LIST))
            return carom_reader_fail(a->r, node, "`at` of a rope must be two points");
        if (status == CAROM_OK)
            status = carom_reader_numbers(a->r, node->first, "a point", a->world.space, rope->at_a);
        if (status == CAROM_OK)
            status = carom_reader_numbers(a->r, node->first->next, "a point", a->world.space,
                                          rope->at_b);
        return status;
    }
    if (rope->a == CAROM_WORLD || rope->b == CAROM_WORLD)
        return carom_reader_fail(a->r, map,
                                 "a rope to the world needs its ends: `at: [point, point]`");
    memcpy(rope->at_a, a->bodies[rope->a].position, sizeof rope->at_a);
    memcpy(rope->at_b, a->bodies[rope->b].position, sizeof rope->at_b);
    return CAROM_OK;
}

static carom_status read_rope(carom_scene_assembly *a, const carom_yaml_node *map,
                              const int body[2], carom_rope_def *rope)
{
    static const char *const allowed[] = {"rope", "at", "length", "stop"};
    const carom_yaml_node *length = carom_reader_find(map, "length"),
                          *stop = carom_reader_find(map, "stop");
    for (const carom_yaml_node *key = map->first; key; key = key->next) {
        bool known = false;
        for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
            known = known || strcmp(key->text, allowed[k]) == 0;
        if (!known)
            return carom_reader_fail(a->r, key, "a rope has no `%s`: it has at, length, stop",
                                     key->text);
    }
    rope->a = body[0];
    rope->b = body[1];
    carom_status status = read_ends(a, map, rope);
    if (status == CAROM_OK && length)
        status = carom_reader_positive(a->r, length, "length", &rope->length);
    if (status == CAROM_OK && stop)
        status = carom_scene_material(a, stop, carom_keys_body_contact, "stop", &rope->contact);
    return status;
}

static carom_status read_entry(carom_scene_assembly *a, int k)
{
    const carom_scene_entry *entry = &a->joint_entries.items[k];
    const carom_yaml_node *map = entry->key->value, *ends = NULL;
    char what[100];
    int kind = 0, body[2] = {0, 0};
    snprintf(what, sizeof what, "joint `%.60s`", entry->name);
    carom_scene_key keys[CAROM_KEYS_ROOM];
    carom_keys_gather(carom_keys_joint, keys);
    carom_status status = carom_reader_map(a->r, map, what, keys);
    if (status == CAROM_OK)
        status = find_kind(a, map, what, &kind, &ends);
    if (status == CAROM_OK)
        status = carom_scene_two_bodies(a, ends, what, true, body);
    if (status != CAROM_OK)
        return status;
    if (kind == CAROM_JOINT_KIND_COUNT) {
        carom_rope_def *rope = &a->ropes[a->world.rope_count];
        a->rope_of[a->world.rope_count++] = k;
        *rope = carom_rope_def_default(entry->name, 0, 0);
        return read_rope(a, map, body, rope);
    }
    carom_joint_def *joint = &a->joints[a->world.joint_count];
    a->joint_of[a->world.joint_count++] = k;
    *joint = carom_joint_def_default(entry->name, (carom_joint_kind)kind);
    return read_joint(a, map, body, joint);
}

carom_status carom_scene_joints(carom_scene_assembly *a)
{
    const size_t count = (size_t)a->joint_entries.count;
    carom_status status = CAROM_OK;
    a->joints = carom_arena_zeros(a->r->scratch, count, sizeof *a->joints);
    a->ropes = carom_arena_zeros(a->r->scratch, count, sizeof *a->ropes);
    a->joint_of = carom_arena_array(a->r->scratch, count, sizeof *a->joint_of);
    a->rope_of = carom_arena_array(a->r->scratch, count, sizeof *a->rope_of);
    if (!a->joints || !a->ropes || !a->joint_of || !a->rope_of)
        return carom_error_memory(a->r->error);
    for (int k = 0; k < a->joint_entries.count && status == CAROM_OK; k++) {
        a->r->round = a->joint_entries.items[k].round;
        status = read_entry(a, k);
    }
    a->r->round = NULL;
    a->world.joints = a->joints;
    a->world.ropes = a->ropes;
    return status;
}

carom_status carom_scene_motors(carom_scene_assembly *a)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < a->world.joint_count && status == CAROM_OK; k++) {
        const carom_scene_entry *entry = &a->joint_entries.items[a->joint_of[k]];
        const carom_yaml_node *node = carom_reader_find(entry->key->value, "motor");
        if (!node)
            continue;
        a->r->round = entry->round;
        status = carom_scene_function_read(a, node, "motor", a->joints[k].motor_self);
    }
    a->r->round = NULL;
    return status;
}

/* Is the contact a limit of the joint, or the rope, of this name? */
static bool stops(const char *contact, const char *name)
{
    size_t length = strlen(name);
    return strncmp(contact, name, length) == 0 &&
           (contact[length] == 0 || strcmp(contact + length, ".lower") == 0 ||
            strcmp(contact + length, ".upper") == 0);
}

/* Stops come in the order of the joints, then of the ropes: the search goes on where it was. */
carom_status carom_scene_stops(carom_scene_assembly *a)
{
    const carom_system_shape *shape = carom_system_get_shape(a->scene->system);
    const int most = a->joint_entries.count > 0 ? shape->p : 0;
    carom_place *at = carom_arena_zeros(a->r->arena, (size_t)most, sizeof *at);
    int count = 0, entry = 0;
    if (!at)
        return carom_error_memory(a->r->error);
    for (; count < most; count++) {
        int tried = 0;
        const char *contact = shape->contacts[count].name;
        for (; tried < a->joint_entries.count; tried++, entry++) {
            entry = entry < a->joint_entries.count ? entry : 0;
            if (stops(contact, a->joint_entries.items[entry].name))
                break;
        }
        if (tried == a->joint_entries.count) /* from here on it is bodies that touch */
            break;
        const carom_yaml_node *key = a->joint_entries.items[entry].key;
        at[count] = (carom_place){key->line, key->column};
    }
    a->scene->content.stop_count = count;
    a->scene->content.stop_at = at;
    return CAROM_OK;
}
