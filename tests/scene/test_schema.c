/* docs/schema/scene.json: it has every key that the reader accepts, with the same words, accepts
 * all bundled scenes, and refuses what it can see to be wrong. The validator here knows the part of
 * JSON Schema that the file uses, and fails on any other. */
#include "carom/text.h"
#include "scene/reader.h"
#include "scene_check.h"

#include <dirent.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>

typedef carom_yaml_node node;

static const node *find(const node *map, const char *key)
{
    return map->kind == CAROM_YAML_MAP ? carom_reader_find(map, key) : NULL;
}

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 200000);
    assert_non_null(file);
    assert_non_null(text);
    fread(text, 1, 199999, file);
    fclose(file);
    return text;
}

static node *parse(const char *text, carom_arena *arena)
{
    node *root = NULL;
    carom_error error = {0};
    check_ok(carom_yaml_tree_parse(text, strlen(text), arena, &root, &error), &error);
    return root;
}

/* The JSON type of a node, as editors see it (YAML 1.2). */
static const char *type_of(const node *x)
{
    double number;
    if (x->kind != CAROM_YAML_SCALAR)
        return x->kind == CAROM_YAML_LIST ? "array" : "object";
    if (x->style)
        return "string";
    if (carom_number_parse(x->text, &number))
        return "number";
    return strcmp(x->text, "true") == 0 || strcmp(x->text, "false") == 0 ? "boolean" : "string";
}

static bool valid(const node *root, const node *schema, const node *x);

static bool is_same(const node *a, const node *b)
{
    double p, q;
    bool numbers = carom_number_parse(a->text, &p) && carom_number_parse(b->text, &q);
    return numbers ? p == q : strcmp(a->text, b->text) == 0;
}

/* A whole number is a number and an integer. */
static bool is_type(const char *type, const node *x)
{
    double number;
    if (strcmp(type, "integer") == 0)
        return strcmp(type_of(x), "number") == 0 && carom_number_parse(x->text, &number) &&
               number == floor(number);
    return strcmp(type, type_of(x)) == 0;
}

static bool has_type(const node *type, const node *x)
{
    if (type->kind == CAROM_YAML_SCALAR)
        return is_type(type->text, x);
    for (const node *t = type->first; t; t = t->next)
        if (is_type(t->text, x))
            return true;
    return false;
}

/* minimum, exclusiveMinimum, maximum: of numbers only. */
static bool in_bound(const char *keyword, const node *bound, const node *x)
{
    double number = 0, end = 0;
    if (strcmp(type_of(x), "number") != 0)
        return true;
    assert_true(carom_number_parse(x->text, &number) && carom_number_parse(bound->text, &end));
    return strcmp(keyword, "minimum") == 0   ? number >= end
           : strcmp(keyword, "maximum") == 0 ? number <= end
                                             : number > end;
}

/* pattern: of strings only. */
static bool matches(const char *pattern, const node *x)
{
    regex_t expression;
    if (strcmp(type_of(x), "string") != 0)
        return true;
    assert_int_equal(regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB), 0);
    const bool good = regexec(&expression, x->text, 0, NULL, 0) == 0;
    regfree(&expression);
    return good;
}

static const node *follow(const node *root, const node *ref)
{
    static const char prefix[] = "#/$defs/";
    assert_memory_equal(ref->text, prefix, sizeof prefix - 1);
    const node *target = find(find(root, "$defs"), ref->text + sizeof prefix - 1);
    if (!target)
        print_error("%s\n", ref->text);
    assert_non_null(target);
    return target;
}

static int count_valid(const node *root, const node *list, const node *x)
{
    int count = 0;
    for (const node *s = list->first; s; s = s->next)
        count += valid(root, s, x);
    return count;
}

static bool valid_properties(const node *root, const node *schema, const node *x)
{
    const node *known = find(schema, "properties"), *others = find(schema, "additionalProperties");
    const node *required = find(schema, "required"), *names = find(schema, "propertyNames");
    if (x->kind != CAROM_YAML_MAP)
        return true;
    for (const node *key = x->first; key; key = key->next) {
        const node *s = known ? find(known, key->text) : NULL;
        const node name = {.kind = CAROM_YAML_SCALAR, .text = key->text, .style = '"'};
        if (names && !valid(root, names, &name))
            return false;
        if (!s && others && strcmp(type_of(others), "boolean") == 0)
            return false;
        if (!s && others)
            s = others;
        if (s && !valid(root, s, key->value))
            return false;
    }
    for (const node *r = required ? required->first : NULL; r; r = r->next)
        if (!find(x, r->text))
            return false;
    return true;
}

static bool valid_items(const node *root, const node *schema, const node *x)
{
    const node *items = find(schema, "items"), *least = find(schema, "minItems"),
               *most = find(schema, "maxItems");
    if (x->kind != CAROM_YAML_LIST)
        return true;
    if ((least && x->count < atoi(least->text)) || (most && x->count > atoi(most->text)))
        return false;
    for (const node *item = x->first; item && items; item = item->next)
        if (!valid(root, items, item))
            return false;
    return true;
}

/* One keyword of a schema. */
static bool valid_keyword(const node *root, const node *key, const node *x)
{
    const node *value = key->value;
    if (strcmp(key->text, "$ref") == 0)
        return valid(root, follow(root, value), x);
    if (strcmp(key->text, "type") == 0)
        return has_type(value, x);
    if (strcmp(key->text, "const") == 0)
        return x->kind == CAROM_YAML_SCALAR && is_same(value, x);
    if (strcmp(key->text, "enum") == 0) {
        bool found = false;
        for (const node *e = value->first; e && x->kind == CAROM_YAML_SCALAR; e = e->next)
            found = found || is_same(e, x);
        return found;
    }
    if (strcmp(key->text, "anyOf") == 0)
        return count_valid(root, value, x) > 0;
    if (strcmp(key->text, "oneOf") == 0)
        return count_valid(root, value, x) == 1;
    if (strcmp(key->text, "pattern") == 0)
        return matches(value->text, x);
    if (strcmp(key->text, "minimum") == 0 || strcmp(key->text, "maximum") == 0 ||
        strcmp(key->text, "exclusiveMinimum") == 0)
        return in_bound(key->text, value, x);
    static const char *const elsewhere[] = {"properties",
                                            "additionalProperties",
                                            "if",
                                            "then",
                                            "propertyNames",
                                            "required",
                                            "items",
                                            "minItems",
                                            "maxItems",
                                            "$schema",
                                            "$id",
                                            "title",
                                            "$defs",
                                            "description"};
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
        if (strcmp(key->text, elsewhere[k]) == 0)
            return true;
    print_error("the validator does not know %s\n", key->text);
    fail();
    return false;
}

static bool valid(const node *root, const node *schema, const node *x)
{
    const node *condition = find(schema, "if"), *then = find(schema, "then");
    if (condition && valid(root, condition, x) && !valid(root, then, x))
        return false;
    for (const node *key = schema->first; key; key = key->next)
        if (!valid_keyword(root, key, x))
            return false;
    return valid_properties(root, schema, x) && valid_items(root, schema, x);
}

typedef struct fixture {
    carom_arena *arena;
    char *text;
    const node *schema;
} fixture;

static fixture open_schema(void)
{
    fixture f;
    carom_error error = {0};
    check_ok(carom_arena_create(NULL, &f.arena, &error), &error);
    f.text = read_whole(CAROM_SOURCE_DIR "/docs/schema/scene.json");
    f.schema = parse(f.text, f.arena);
    return f;
}

static void close_schema(fixture *f)
{
    carom_arena_destroy(f->arena);
    free(f->text);
}

/* The same keys with the same words, in both directions. */
static void test_keys(void **unused)
{
    (void)unused;
    fixture f = open_schema();
    int wrong = 0;
    for (const carom_scene_map *map = carom_scene_maps(); map->name; map++) {
        const char *name = strcmp(map->name, "text") == 0 ? "words" : map->name;
        const node *s = strcmp(name, "scene") == 0 ? f.schema : find(find(f.schema, "$defs"), name);
        const node *properties = s ? find(s, "properties") : NULL;
        if (!properties)
            print_error("the schema has no %s\n", name);
        assert_non_null(properties);
        carom_scene_key keys[CAROM_SCENE_KEYS_MOST];
        const int count = carom_scene_map_keys(map, CAROM_SCENE_KEYS_MOST, keys);
        assert_in_range(count, 1, CAROM_SCENE_KEYS_MOST);
        for (const carom_scene_key *key = keys; key < keys + count; key++) {
            const node *p = find(properties, key->name), *doc = p ? find(p, "description") : NULL;
            if (!doc || strcmp(doc->text, key->doc) != 0) {
                print_error("%s.%s: the schema says `%s`, the reader `%s`\n", map->name, key->name,
                            doc ? doc->text : "nothing", key->doc);
                wrong++;
            }
        }
        wrong += count != properties->count;
        if (count != properties->count)
            print_error("%s: %d keys in the schema, %d of the reader\n", map->name,
                        properties->count, count);
    }
    assert_int_equal(wrong, 0);
    close_schema(&f);
}

static void test_scenes(void **unused)
{
    (void)unused;
    fixture f = open_schema();
    DIR *folder = opendir(CAROM_SOURCE_DIR "/scenes");
    int count = 0, wrong = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[600];
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof path, CAROM_SOURCE_DIR "/scenes/%s", entry->d_name);
        char *text = read_whole(path);
        bool good = valid(f.schema, f.schema, parse(text, f.arena));
        if (!good)
            print_error("%s is not valid\n", entry->d_name);
        wrong += !good;
        count++;
        free(text);
    }
    closedir(folder);
    assert_true(count > 60);
    assert_int_equal(wrong, 0);
    close_schema(&f);
}

/* What both the reader and the schema refuse. */
static void test_refused(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "carom: 2\nsystem: {coordinates: [x], kinetic: x'^2}\n",
        "carom: 1\ntitle: nothing\n",
        "carom: 1\nsystem: {coordinates: [x], kinetik: x'^2}\n",
        "carom: 1\nsystem: {coordinates: x, kinetic: x'^2}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: [x'^2]}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nrun: {method: quick, until: 1}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nrun: {output: 1}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2, contacts: {a: {gap: x, at: [x]}}}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2, events: {a: {set: {x: 1}}}}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nsection: {at: x, direction: left}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\ndraw: [{circle: [0, 0]}]\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\ndraw: [{square: [0, 0]}]\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2, repeat: [{index: i, from: 1}]}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2, contacts: {a: {gap: x, friction: "
        "-0.1}}}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2, contacts: {a: {gap: x, stiffness: "
        "0}}}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nrun: {until: 1, output: 0}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nrun: {until: 1, method: "
        "time-stepping}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nrun: {until: 1, method: "
        "time-stepping, step: 0}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nrun: {until: 1, method: "
        "boundary-layer, width: 0}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nperiod: 0\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2, repeat: [{index: i, from: 1, to: "
        "2.5}]}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2, repeat: [{index: 1i, from: 1, to: "
        "2}]}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\nparameters: {1m: 2}\n",
        "carom: 1\nsystem: {coordinates: [x], kinetic: x'^2}\ndefine: {1m: x}\n",
        "carom: 1\nsystem: {coordinates: [1m], kinetic: 1}\n",
        "carom: 1\nimpact: {mass: [1], velocity: [1], contacts: [{slip: [1]}]}\n",
        "carom: 1\nimpact: {mass: [1], velocity: [1], contacts: [], region: some}\n",
        "carom: 1\nimpact: {mass: [1], velocity: [1], contacts: []}\nlaw: nwton\n",
        "carom: 1\nimpact: {mass: [1], velocity: [1], contacts: []}\nlaw: {name: moreua}\n",
        "carom: 1\nimpact: {mass: [1], velocity: [1], contacts: []}\nlaw: {solver: auto}\n",
        "carom: 1\nimpact: {mass: [1], velocity: [1], contacts: []}\nlaw: {name: path, stop: "
        "late}\n",
        "carom: 1\nimpact: {mass: [1], velocity: [1], contacts: [{normal: [1], law: nwton}]}\n",
        "carom: 1\nimpact: {mass: [1], velocity: [1], contacts: []}\nlaw: {name: inelastic, a: "
        "1}\n",
    };
    fixture f = open_schema();
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        carom_scene *scene = NULL;
        carom_error error = {0};
        carom_status status =
            carom_scene_read_text(texts[k], strlen(texts[k]), NULL, &scene, &error);
        bool good = valid(f.schema, f.schema, parse(texts[k], f.arena));
        if (good || status != CAROM_ERROR_INPUT)
            print_error("%s", texts[k]);
        assert_int_equal(status, CAROM_ERROR_INPUT);
        assert_false(good);
    }
    close_schema(&f);
}

/* Every law of the registry, alone and with each of its parameters, is in the schema. */
static void test_laws(void **unused)
{
    (void)unused;
    fixture f = open_schema();
    const node *law = find(find(f.schema, "$defs"), "law");
    for (int k = 0; k < carom_law_count(); k++) {
        const carom_law_ops *ops = carom_law_at(k);
        char text[300];
        assert_true(valid(f.schema, law, parse(ops->name, f.arena)));
        for (const carom_parameter *p = ops->parameters; p && p->name; p++) {
            const char *value = "1";
            char word[40] = "";
            if (p->choices)
                sscanf(p->choices, "%39[^|]", word);
            else if (p->kind == CAROM_PARAMETER_MATRIX || p->kind == CAROM_PARAMETER_SQUARE)
                value = "[[1]]";
            else if (p->kind != CAROM_PARAMETER_NUMBER)
                value = "[1, 2]";
            snprintf(text, sizeof text, "{name: %s, %s: %s}", ops->name, p->name,
                     p->choices ? word : value);
            if (!valid(f.schema, law, parse(text, f.arena)))
                fail_msg("%s", text);
        }
    }
    close_schema(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
