/* `section`, `period`, `symmetry`, `ignore`: where samples of a motion are taken, and what counts
 * as coming back. */
#include "carom/need.h"
#include "scene/scene_parts.h"

#include "carom/text.h"
#include "scene/expand.h"
#include "scene/keys.h"
#include "scene/name_set.h"

#include <string.h>

/* A section at a formula: an event that sets nothing. */
static carom_status add_event(carom_reader *r, const carom_yaml_node *at, carom_crossing direction,
                              carom_scene_events *events)
{
    carom_status status = carom_scene_events_grow(r, events);
    if (status != CAROM_OK)
        return status;
    carom_event_formulas *event = &events->items[events->count++];
    event->direction = direction;
    status = carom_expand_source(r, at, "at", &event->at);
    event->name = event->at;
    return status;
}

static int find(const char *const *names, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    return -1;
}

static int find_event(const carom_scene_events *events, const char *name)
{
    for (int k = 0; k < events->count; k++)
        if (strcmp(events->items[k].name.text, name) == 0)
            return k;
    return -1;
}

carom_status carom_scene_section_find(carom_reader *r, const carom_yaml_node *node,
                                      const char *const *contacts, int contact_count,
                                      carom_scene_events *events, carom_scene *scene)
{
    const carom_yaml_node *at;
    carom_crossing direction;
    if (!node)
        return CAROM_OK;
    carom_status status = carom_reader_map(r, node, "section", carom_keys_section);
    if (status == CAROM_OK)
        status = carom_reader_need(r, node, "section", "at", &at);
    if (status == CAROM_OK)
        status = carom_reader_scalar(r, at, "at", "a contact, an event or a formula");
    if (status == CAROM_OK)
        status = carom_scene_crossing(r, node, &direction);
    if (status != CAROM_OK)
        return status;
    carom_scene_section *section = &scene->section;
    scene->content.section = section;
    const int contact = find(contacts, contact_count, at->text);
    const int event = find_event(events, at->text);
    section->kind = contact >= 0 ? CAROM_SCENE_SECTION_CONTACT : CAROM_SCENE_SECTION_EVENT;
    section->index = contact >= 0 ? contact : event >= 0 ? event : events->count;
    if (contact < 0 && event < 0)
        return add_event(r, at, direction, events);
    const carom_yaml_node *way = carom_reader_find(node, "direction");
    if (way)
        return carom_reader_warn(r, way, "`direction` is not used where a section is at %s",
                                 contact >= 0 ? "a contact" : "an event, which has its own");
    return CAROM_OK;
}

/* The contact or event nearest to a word, or NULL. */
static const char *find_near(carom_reader *r, const char *word, const char *const *contacts,
                             int contact_count, const carom_scene_events *events)
{
    const size_t room = (size_t)contact_count + (size_t)events->count + 1;
    const char **names = carom_arena_array(r->scratch, room, sizeof *names);
    int count = 0;
    if (!names)
        return NULL;
    for (int i = 0; i < contact_count; i++)
        names[count++] = contacts[i];
    for (int k = 0; k < events->count; k++)
        if (events->parts[k].name) /* the section's own is the word itself */
            names[count++] = events->items[k].name.text;
    names[count] = NULL;
    return carom_word_nearest(word, names);
}

carom_status carom_scene_section_check(carom_reader *r, const carom_yaml_node *section,
                                       const char *const *contacts, int contact_count,
                                       const carom_scene_events *events)
{
    const carom_yaml_node *at = section ? carom_reader_find(section, "at") : NULL;
    carom_source formula;
    carom_expr *expr = NULL;
    if (!at || find(contacts, contact_count, at->text) >= 0)
        return CAROM_OK;
    for (int k = 0; k < events->count; k++)
        if (events->parts[k].name && strcmp(events->items[k].name.text, at->text) == 0)
            return CAROM_OK;
    const char *near = find_near(r, at->text, contacts, contact_count, events);
    carom_status status = near ? carom_expand_source(r, at, "at", &formula) : CAROM_ERROR_INPUT;
    if (status != CAROM_OK)
        return CAROM_OK; /* nothing to suggest: the formula says what is wrong with it */
    status = carom_expr_create(r->scope, &formula, 0, &expr, NULL);
    carom_expr_destroy(expr);
    return status == CAROM_ERROR_INPUT
               ? carom_reader_fail(r, at,
                                   "section: `%.80s` is no contact, no event and no formula: did "
                                   "you mean `%.80s`?",
                                   at->text, near)
               : CAROM_OK;
}

/* `keep`: formulas, and their texts as labels. */
static carom_status read_keep(carom_reader *r, const carom_yaml_node *node, carom_scene *scene)
{
    carom_status status = carom_reader_list(r, node, "keep");
    if (status != CAROM_OK)
        return status;
    const char **texts = carom_arena_array(r->arena, (size_t)node->count, sizeof *texts);
    carom_source *sources = carom_arena_array(r->scratch, (size_t)node->count, sizeof *sources);
    if (!texts || !sources)
        return carom_error_memory(r->error);
    int k = 0;
    const carom_yaml_node *item = node->first;
    for (; item && status == CAROM_OK; item = item->next, k++) {
        status = carom_expand_source(r, item, "keep", &sources[k]);
        if (status == CAROM_OK)
            status = carom_reader_text(r, item, "keep", &texts[k]);
    }
    if (status != CAROM_OK)
        return status;
    scene->section.keep_count = node->count;
    scene->section.keep = texts;
    return carom_expand_status(
        r, carom_expr_set_create(r->scope, sources, node->count, &scene->keep, r->error));
}

/* A coordinate by its name. */
static carom_status find_coordinate(carom_reader *r, const carom_yaml_node *node, const char *what,
                                    const carom_name_set *names, int *number)
{
    carom_status status = carom_reader_scalar(r, node, what, "a coordinate");
    if (status != CAROM_OK)
        return status;
    *number = carom_name_set_find(names, node->text);
    if (*number >= 0)
        return CAROM_OK;
    return carom_reader_fail(r, node, "%s: `%.80s` is no coordinate%s", what, node->text,
                             carom_name_set_guess(names, node->text, r->scratch));
}

/* `symmetry: {a: b, b: a}`: an exchange, so that every coordinate is named once on either side. */
static carom_status read_symmetry(carom_reader *r, const carom_yaml_node *node,
                                  const carom_name_set *names, int nq, carom_scene *scene)
{
    int *image = carom_arena_array(r->arena, (size_t)nq, sizeof *image);
    int *taken = carom_arena_array(r->scratch, (size_t)nq, sizeof *taken);
    if (!image || !taken)
        return carom_error_memory(r->error);
    for (int i = 0; i < nq; i++)
        image[i] = taken[i] = -1;
    carom_status status = carom_reader_map(r, node, "symmetry", NULL);
    const carom_yaml_node *key = status == CAROM_OK ? node->first : NULL;
    for (; key && status == CAROM_OK; key = key->next) {
        int from = 0, to = 0;
        status = find_coordinate(r, key, "symmetry", names, &from);
        if (status == CAROM_OK)
            status = find_coordinate(r, key->value, "symmetry", names, &to);
        if (status == CAROM_OK && taken[to] >= 0)
            return carom_reader_fail(r, key->value,
                                     "symmetry: two coordinates are exchanged for `%.60s`",
                                     key->value->text);
        if (status == CAROM_OK) {
            image[from] = to;
            taken[to] = from;
        }
    }
    for (int i = 0; i < nq && status == CAROM_OK; i++) {
        if (image[i] < 0 && taken[i] >= 0)
            return carom_reader_fail(r, node,
                                     "symmetry: `%.60s` is taken by another coordinate and must be "
                                     "exchanged too, as in {a: b, b: a}",
                                     carom_system_get_shape(scene->system)->coordinates[i]);
        image[i] = image[i] < 0 ? i : image[i];
    }
    scene->content.symmetry = image;
    return status;
}

static carom_status read_ignore(carom_reader *r, const carom_yaml_node *node,
                                const carom_name_set *names, int nq, carom_scene *scene)
{
    unsigned char *ignore = carom_arena_zeros(r->arena, (size_t)nq, 1);
    if (!ignore)
        return carom_error_memory(r->error);
    carom_status status = carom_reader_list(r, node, "ignore");
    const carom_yaml_node *item = status == CAROM_OK ? node->first : NULL;
    for (; item && status == CAROM_OK; item = item->next) {
        int number = 0;
        status = find_coordinate(r, item, "ignore", names, &number);
        if (status == CAROM_OK)
            ignore[number] = 1;
    }
    scene->content.ignore = ignore;
    return status;
}

static carom_status read_period(carom_reader *r, const carom_yaml_node *node, carom_scene *scene)
{
    r->owner = CAROM_READER_PERIOD;
    carom_status status = carom_reader_positive(r, node, "period", &scene->content.period);
    r->owner = CAROM_READER_NOBODY;
    return status;
}

carom_status carom_scene_orbit(carom_reader *r, const carom_yaml_node *root, carom_scene *scene)
{
    const carom_yaml_node *section = carom_reader_find(root, "section"), *node;
    const carom_system_shape *shape = carom_system_get_shape(scene->system);
    carom_name_set names;
    carom_status status = carom_name_set_create(r->scratch, shape->nq, &names, r->error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < shape->nq; i++)
        carom_name_set_add(&names, shape->coordinates[i], i);
    if (section && (node = carom_reader_find(section, "keep")))
        status = read_keep(r, node, scene);
    if (status == CAROM_OK && (node = carom_reader_find(root, "period")))
        status = read_period(r, node, scene);
    if (status == CAROM_OK && (node = carom_reader_find(root, "symmetry")))
        status = read_symmetry(r, node, &names, shape->nq, scene);
    if (status == CAROM_OK && (node = carom_reader_find(root, "ignore")))
        status = read_ignore(r, node, &names, shape->nq, scene);
    return status;
}

void carom_scene_section_evaluate(const carom_scene *scene, double t, const double *q,
                                  const double *u, double *values)
{
    CAROM_NEED_OR(, scene, q, u, values);
    if (scene->keep)
        carom_expr_set_evaluate(scene->keep, t, q, u, values);
}
