/* A scene from its text: the keys at the top. */
#include "carom/need.h"
#include "scene/scene_direction.h"

#include "scene/keys.h"
#include "scene/yaml_source.h"

#include <errno.h>
#include <string.h>

static carom_status read_version(carom_reader *r, const carom_yaml_node *root)
{
    const carom_yaml_node *node = carom_reader_find(root, "carom");
    if (!node)
        return carom_reader_fail(r, root, "the scene lacks `carom: 1`");
    if (node->kind != CAROM_YAML_SCALAR || strcmp(node->text, "1") != 0)
        return carom_reader_fail(r, node,
                                 "`carom` is the version of the format, it must be 1%s%.20s",
                                 node->kind == CAROM_YAML_SCALAR ? ", not " : "",
                                 node->kind == CAROM_YAML_SCALAR ? node->text : "");
    return CAROM_OK;
}

/* Keys that only mean something beside `system`. */
static carom_status warn_unused(carom_reader *r, const carom_yaml_node *root)
{
    static const char *const unused[] = {"initial", "run",    "draw",     "repeat",
                                         "section", "period", "symmetry", "ignore"};
    carom_status status = CAROM_OK;
    for (const carom_yaml_node *key = root->first; key && status == CAROM_OK; key = key->next)
        for (size_t k = 0; k < sizeof unused / sizeof *unused && status == CAROM_OK; k++)
            if (strcmp(key->text, unused[k]) == 0)
                status = carom_reader_warn(r, key, "`%s` is not used beside `impact`", key->text);
    return status;
}

static carom_status read_law(carom_reader *r, const carom_yaml_node *node, carom_scene *scene)
{
    if (!node)
        return CAROM_OK;
    carom_law *law = carom_arena_zeros(r->arena, 1, sizeof *law);
    if (!law)
        return carom_error_memory(r->error);
    scene->content.law = law;
    r->owner = CAROM_READER_LAW;
    carom_status status =
        carom_scene_law(r, node, carom_scene_law_context_of(&scene->content), law);
    r->owner = CAROM_READER_NOBODY;
    return status;
}

/* The `repeat` lists in `system` and beside it; all their copies are counted first. */
static carom_status read_blocks(carom_reader *r, const carom_yaml_node *root,
                                const carom_yaml_node *system, carom_scene_blocks *blocks)
{
    const carom_yaml_node *lists[] = {carom_reader_find(system, "repeat"),
                                      carom_reader_find(root, "repeat")};
    const carom_yaml_node *coordinates = carom_reader_find(system, "coordinates");
    const carom_yaml_node *contacts = carom_reader_find(system, "contacts");
    carom_scene_count count = {.coordinates = coordinates ? coordinates->count : 0,
                               .contacts = contacts ? contacts->count : 0};
    carom_status status = carom_scene_repeat_count(r, lists[0], &count);
    if (status == CAROM_OK)
        status = carom_scene_repeat_count(r, lists[1], &count);
    if (status == CAROM_OK)
        status = carom_scene_repeat_room(r, system, &count);
    for (int k = 0; k < 2 && status == CAROM_OK; k++)
        status = carom_scene_repeat(r, lists[k], blocks);
    return status;
}

static carom_status read_run(carom_reader *r, const carom_yaml_node *run, carom_scene *scene)
{
    r->owner = CAROM_READER_RUN;
    carom_status status = carom_scene_run(r, run, scene->content.initial.t, &scene->content.run);
    r->owner = CAROM_READER_NOBODY;
    return status;
}

/* `initial`, `run`, `draw`. */
static carom_status read_motion(carom_reader *r, const carom_yaml_node *root,
                                const carom_scene_blocks *blocks, carom_scene *scene)
{
    const carom_yaml_node *run = carom_reader_find(root, "run");
    carom_status status = carom_scene_initial(r, carom_reader_find(root, "initial"), blocks, scene);
    if (status == CAROM_OK && r->units && !scene->content.units.coordinates)
        status = carom_scene_units(r, NULL, scene);
    if (status == CAROM_OK && run)
        status = read_run(r, run, scene);
    if (status == CAROM_OK)
        status = carom_scene_draw(r, carom_reader_find(root, "draw"), blocks, scene);
    return status == CAROM_OK ? carom_scene_units_drawn(r, scene) : status;
}

/* `bodies` and all that belongs to them. */
static carom_status read_bodies(carom_reader *r, const carom_yaml_node *root, carom_scene *scene)
{
    carom_scene_blocks blocks = {0};
    carom_scene_count count = {0};
    const carom_yaml_node *list = carom_reader_find(root, "repeat");
    carom_status status = carom_scene_repeat_count(r, list, &count);
    if (status == CAROM_OK)
        status = carom_scene_repeat(r, list, &blocks);
    if (status == CAROM_OK)
        status = carom_scene_bodies(r, root, &blocks, scene);
    if (status == CAROM_OK)
        status = read_motion(r, root, &blocks, scene);
    if (status == CAROM_OK)
        status = carom_scene_bodies_draw(r, scene);
    return status == CAROM_OK ? carom_scene_orbit(r, root, scene) : status;
}

/* `system` and all that belongs to it. */
static carom_status read_system(carom_reader *r, const carom_yaml_node *root,
                                const carom_yaml_node *system, carom_scene *scene)
{
    carom_scene_blocks blocks = {0};
    carom_status status = read_blocks(r, root, system, &blocks);
    if (status == CAROM_OK)
        status = carom_scene_system(r, root, &blocks, scene);
    if (status == CAROM_OK)
        status = read_motion(r, root, &blocks, scene);
    if (status == CAROM_OK)
        status = carom_scene_orbit(r, root, scene);
    return status;
}

static carom_status read_mechanics(carom_reader *r, const carom_yaml_node *root, carom_scene *scene)
{
    const carom_yaml_node *impact = carom_reader_find(root, "impact");
    const carom_yaml_node *system = carom_reader_find(root, "system");
    const carom_yaml_node *bodies = carom_reader_find(root, "bodies");
    const carom_yaml_node *world = carom_reader_find(root, "world");
    if (!impact && !system && !bodies && !world)
        return carom_reader_fail(r, root, "the scene lacks `impact`, `system` or `bodies`");
    if (impact && system)
        return carom_reader_fail(r, system, "a scene has either `impact` or `system`, not both");
    if ((bodies || world) && (impact || system))
        return carom_reader_fail(r, bodies ? bodies : world,
                                 "`bodies` and `%s` do not mix in one scene",
                                 impact ? "impact" : "system");
    if (bodies || world)
        return read_bodies(r, root, scene);
    if (system)
        return read_system(r, root, system, scene);
    carom_scene_named definitions = {0};
    for (int k = 0; k < scene->content.set_count; k++)
        if (carom_scene_set_initial(scene->content.sets[k]))
            return carom_error_set(r->error, CAROM_ERROR_INPUT,
                                   "`%.80s` sets nothing: an impact in numbers has no `initial`",
                                   scene->content.sets[k]);
    carom_status status =
        carom_scene_define(r, carom_reader_find(root, "define"), NULL, &definitions);
    if (status == CAROM_OK)
        status = carom_scene_impact(r, impact, &scene->content.impact);
    return status == CAROM_OK ? warn_unused(r, root) : status;
}

static carom_status keep_notes(carom_reader *r, carom_scene_content *content)
{
    carom_scene_note *notes = carom_arena_array(r->arena, (size_t)r->note_count, sizeof *notes);
    if (!notes)
        return carom_error_memory(r->error);
    int k = 0;
    for (const carom_reader_note *note = r->first_note; note; note = note->next)
        notes[k++] = note->note;
    content->notes = notes;
    content->note_count = k;
    return CAROM_OK;
}

static carom_place place_of(const carom_yaml_node *root, const char *key)
{
    const carom_yaml_node *node = carom_reader_find(root, key);
    if (!node)
        node = root;
    return (carom_place){node->line, node->column};
}

/* A title that is written over several lines is one line of words. */
static carom_status read_title(carom_reader *r, const carom_yaml_node *node, const char **title)
{
    carom_status status = carom_reader_scalar(r, node, "title", "a text");
    if (status != CAROM_OK)
        return status;
    char *text = carom_arena_text(r->arena, node->text, node->length);
    if (!text)
        return carom_error_memory(r->error);
    for (char *c = text; (c = strpbrk(c, "\n\t"));)
        *c = ' ';
    for (size_t k = strlen(text); k > 0 && text[k - 1] == ' ';)
        text[--k] = '\0';
    *title = text;
    return CAROM_OK;
}

static carom_status read_root(carom_reader *r, const carom_yaml_node *root,
                              const carom_scene_options *options, carom_scene *scene)
{
    const carom_yaml_node *title, *models = carom_reader_find(root, "import");
    if (models)
        return carom_reader_fail(r, models,
                                 "`import` is reserved for models from elsewhere, which are not "
                                 "read yet: write them as `bodies` and `joints`");
    carom_status status = carom_reader_map(r, root, "the scene", carom_keys_scene);
    if (status == CAROM_OK)
        status = read_version(r, root);
    if (status == CAROM_OK && (title = carom_reader_find(root, "title")))
        status = read_title(r, title, &scene->content.title);
    if (status == CAROM_OK)
        status = carom_scene_parameters(r, carom_reader_find(root, "parameters"), options,
                                        &scene->content);
    if (status == CAROM_OK)
        status = read_mechanics(r, root, scene);
    if (status == CAROM_OK)
        status = read_law(r, carom_reader_find(root, "law"), scene);
    if (status == CAROM_OK)
        status = carom_scene_rates_make(r, scene);
    if (status != CAROM_OK)
        return status;
    scene->content.system_at =
        place_of(root, carom_reader_find(root, "bodies") ? "bodies" : "system");
    scene->content.initial_at = place_of(root, "initial");
    scene->content.law_at = place_of(root, "law");
    scene->content.run_at = place_of(root, "run");
    return keep_notes(r, &scene->content);
}

/* Whoever finds an answer later can see what the question was. */
static carom_status keep_source(const char *text, size_t size, const carom_scene_options *options,
                                carom_scene *scene, carom_error *error)
{
    int count = options ? options->set_count : 0;
    if (count < 0 || (count && !options->sets))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "%d values to set, but no list of them",
                               count);
    const char **sets = carom_arena_array(scene->arena, (size_t)count, sizeof *sets);
    scene->content.text = carom_arena_text(scene->arena, text, size);
    if (!sets || !scene->content.text)
        return carom_error_memory(error);
    for (int k = 0; k < count; k++) {
        sets[k] = carom_arena_text(scene->arena, options->sets[k], strlen(options->sets[k]));
        if (!sets[k])
            return carom_error_memory(error);
    }
    scene->content.set_count = count;
    scene->content.sets = sets;
    return CAROM_OK;
}

/* The scene from its text, with the arenas already there. */
static carom_status read_text(const char *text, size_t size, const carom_scene_options *options,
                              carom_arena *scratch, carom_scene *scene, carom_error *error)
{
    size_t skip = 0;
    carom_yaml_node *root = NULL;
    carom_status status = carom_yaml_source_check(text, size, &skip, error);
    if (status == CAROM_OK)
        status = carom_yaml_tree_parse(text + skip, size - skip, scratch, &root, error);
    if (status == CAROM_OK)
        status = keep_source(text + skip, size - skip, options, scene, error);
    if (status == CAROM_OK)
        status = carom_scope_create(options ? options->allocator : NULL, &scene->scope, error);
    if (status != CAROM_OK)
        return status;
    carom_reader r = {.arena = scene->arena,
                      .scratch = scratch,
                      .scope = scene->scope,
                      .error = error,
                      .any_restitution = scene->any_restitution,
                      .folder = options ? options->folder : NULL,
                      .units = options && options->units,
                      .tex = options && options->tex,
                      .kernel = options && options->kernel,
                      .derivatives = options && options->derivatives};
    return read_root(&r, root, options, scene);
}

/* text[size] must be a zero: places of the tree are found by walking to it. */
static carom_status read_terminated(const char *text, size_t size,
                                    const carom_scene_options *options, carom_scene **scene,
                                    carom_error *error)
{
    const carom_allocator *allocator = options ? options->allocator : NULL;
    carom_arena *arena = NULL, *scratch = NULL;
    carom_scene *made = NULL;
    carom_status status = carom_arena_create(allocator, &arena, error);
    if (status == CAROM_OK && !(made = carom_arena_zeros(arena, 1, sizeof *made)))
        status = carom_error_memory(error);
    if (status == CAROM_OK) {
        made->arena = arena;
        made->any_restitution = options && options->any_restitution;
        status = carom_arena_create(allocator, &scratch, error);
    }
    if (status == CAROM_OK)
        status = read_text(text, size, options, scratch, made, error);
    carom_arena_destroy(scratch);
    if (status == CAROM_OK) {
        *scene = made;
    } else if (made) {
        carom_scene_destroy(made);
    } else {
        carom_arena_destroy(arena);
    }
    return status;
}

carom_status carom_scene_read_text(const char *text, size_t size,
                                   const carom_scene_options *options, carom_scene **scene,
                                   carom_error *error)
{
    CAROM_NEED(error, text, scene);
    if (size > CAROM_YAML_SOURCE_LIMIT) {
        size_t skip;
        return carom_yaml_source_check(text, size, &skip, error);
    }
    carom_arena *arena;
    carom_status status = carom_arena_create(options ? options->allocator : NULL, &arena, error);
    if (status != CAROM_OK)
        return status;
    char *copy = carom_arena_text(arena, text, size);
    status = copy ? read_terminated(copy, size, options, scene, error) : carom_error_memory(error);
    carom_arena_destroy(arena);
    return status;
}

carom_status carom_scene_read_stream(FILE *stream, const carom_scene_options *options,
                                     carom_scene **scene, carom_error *error)
{
    CAROM_NEED(error, stream, scene);
    carom_yaml_source source = {0};
    carom_status status =
        carom_yaml_source_read(stream, options ? options->allocator : NULL, &source, error);
    if (status != CAROM_OK)
        return status;
    status = read_terminated(source.text, source.size, options, scene, error);
    carom_yaml_source_destroy(&source);
    return status;
}

carom_status carom_scene_read_file(const char *path, const carom_scene_options *options,
                                   carom_scene **scene, carom_error *error)
{
    CAROM_NEED(error, path, scene);
    carom_scene_options here = options ? *options : (carom_scene_options){0};
    const char *slash = strrchr(path, '/');
    carom_arena *arena = NULL;
    FILE *stream = fopen(path, "rb");
    if (!stream && errno == ENOMEM)
        return carom_error_memory(error);
    if (!stream)
        return carom_error_set(error, CAROM_ERROR_FILE, "cannot open the file: %s",
                               strerror(errno));
    carom_status status = carom_arena_create(here.allocator, &arena, error);
    if (status == CAROM_OK && !here.folder && slash) {
        here.folder = carom_arena_text(arena, path, (size_t)(slash - path) + 1);
        if (!here.folder)
            status = carom_error_memory(error);
    }
    if (status == CAROM_OK)
        status = carom_scene_read_stream(stream, &here, scene, error);
    fclose(stream);
    carom_arena_destroy(arena);
    return status;
}
