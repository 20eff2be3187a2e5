/* The tree of a scene file: places, limits, what is refused. */
#include "scene/scene_check.h"
#include "scene/yaml_source.h"
#include "scene/yaml_tree.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

CHECK_ARENA(arena);

static carom_yaml_node *parse(const char *text)
{
    carom_yaml_node *root = NULL;
    carom_error error = {0};
    check_ok(carom_yaml_tree_parse(text, strlen(text), arena, &root, &error), &error);
    return root;
}

static void test_tree(void **state)
{
    (void)state;
    carom_yaml_node *root = parse("a: 1\n'b':\n  - x\n  - [\"y\", {z: \xC3\xA9}, w]\nc:\n");
    assert_int_equal(root->kind, CAROM_YAML_MAP);
    assert_int_equal(root->count, 3);
    carom_yaml_node *a = root->first, *b = a->next, *c = b->next;
    assert_string_equal(a->text, "a");
    assert_string_equal(a->value->text, "1");
    assert_int_equal(a->value->style, 0);
    assert_int_equal(b->style, '\'');
    assert_int_equal(b->line, 2);
    carom_yaml_node *list = b->value, *inner = list->first->next;
    assert_int_equal(list->count, 2);
    assert_false(list->flow);
    assert_false(list->first->flow);
    assert_true(inner->flow);
    assert_int_equal(inner->count, 3);
    assert_int_equal(inner->first->style, '"');
    assert_true(inner->first->flow);
    assert_string_equal(inner->first->next->first->value->text, "\xC3\xA9");
    carom_yaml_node *w = inner->first->next->next;
    assert_string_equal(w->text, "w");
    assert_int_equal(w->line, 4);
    assert_int_equal(w->column, 19); /* characters, not bytes */
    assert_int_equal(c->value->length, 0);
    assert_null(c->next);
}

/* Every byte of a scalar must be found again in the file, whatever the style. */
static void test_places(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a: b*c + d\n",
        "a: 'b''c + d'\n",
        "a: \"b\\x41 \\u00e9\\t+ \\\"\\\\ d\"\n",
        "a: \"b \\\n   c\n\n   d\"\n",
        "a: b +\n   c +\n\n   d\n",
        "a: |\n  b +\n  c\n",
        "a: >-\n  b +\n  c\n\n  d\n",
        "a: '\xC3\xA9 b\n    c'\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        carom_yaml_node *node = parse(texts[k])->first->value;
        carom_place places[100];
        carom_yaml_locate(node, places);
        const char *line = texts[k];
        int number = 1;
        for (size_t i = 0; i < node->length; i++) {
            char c = node->text[i];
            if (strchr(" \n\t", c) || (unsigned char)c >= 0x80)
                continue;
            for (; number < places[i].line; number++)
                line = strchr(line, '\n') + 1;
            const char *s = line; /* walk to the column in characters */
            for (int column = 1; column < places[i].column; column++)
                for (s++; ((unsigned char)*s & 0xC0) == 0x80;)
                    s++;
            bool escaped = s[0] == '\\' && (s[1] == c || s[1] == 'x' || s[1] == 'u');
            if (*s != c && !escaped) {
                print_error("%s: byte %zu `%c` found `%c` at %d:%d\n", texts[k], i, c, *s,
                            places[i].line, places[i].column);
                fail();
            }
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"carom: &a 1\n", 1, 8, "anchors"},
        {"carom: 1\nx: &a [1]\n", 2, 4, "anchors"},
        {"carom: *a\n", 1, 8, "aliases"},
        {"carom: 1\ngap: *x + 1\n", 2, 6, "quote"},
        {"carom: !!int 1\n", 1, 8, "tags"},
        {"carom: ! \"1\"\n", 1, 8, "tags"},
        {"carom: !x {a: b}\n", 1, 8, "tags"},
        {"%TAG ! tag:x,2000:\n---\ncarom: 1\n", 1, 1, "tags"},
        {"carom: 1\n<<: {a: 1}\n", 2, 1, "merge keys"},
        {"carom: 1\n---\ncarom: 1\n", 2, 1, "second document"},
        {"carom: 1\n...\n---\n", 3, 1, "second document"},
        {"carom: 1\ntitle: a\ntitle: b\n", 3, 1, "duplicate key `title`: it stands at line 2"},
        {"carom: 1\nimpact: {mass: [1], \"mass\": [2]}\n", 2, 21, "duplicate key `mass`"},
        {"a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\nb: 2\n", 10, 1,
         "duplicate key `b`: it stands at line 2, column 1"},
        {"[a]: 1\n", 1, 1, "a key must be a text"},
        {"? {a: b}\n: 1\n", 1, 3, "a key must be a text"},
        {"carom: \xFF\n", 1, 8, "not UTF-8: byte 0xFF"},
        {"carom: 1 # \xC3\xA9\ntitle: \xC3\xA9\xC3(\n", 2, 9, "not UTF-8"},
        {"carom: 1\n\xED\xA0\x80: 1\n", 2, 1, "not UTF-8"},
        {"carom: \xC0\x80\n", 1, 8, "not UTF-8"},
        {"carom: 1\ntitle: a\001b\n", 2, 9, "control character U+0001"},
        {"carom: 1\r\ntitle: a\177b\n", 2, 9, "control character U+007F"},
        {"carom: 1\ntitle: \xC2\x80\n", 2, 8, "control character U+0080"},
        {"carom: 1\ntitle: \xEF\xBB\xBF\n", 2, 8, "U+FEFF"},
        {"carom: 1\ntitle: \"a\\0b\"\n", 2, 8, "control character"},
        {"carom: 1\ntitle: \"a\\x07b\"\n", 2, 8, "control character"},
        {"carom: 1\n\ttitle: a\n", 2, 1, "not valid YAML"},
        {"carom: 1\ntitle: a: b\n", 2, 9, "quote a text that contains `: `"},
        {"carom: 1\ntitle: @a\n", 2, 8, "quote a text that begins"},
        {"carom: 1\nimpact: {mass: [1, 2}\n", 2, 21, "not valid YAML"},
        {"carom: 1\nimpact: {mass: [1, 2]\n", 3, 1, "not valid YAML"},
        {"carom: 1\ntitle: 'a\n", 3, 1, "not valid YAML"},
        {"carom: 1\n  title: a\n", 2, 8, "not valid YAML"},
    };
    check_refusals(cases);
    /* A zero byte inside the text. */
    carom_scene *scene;
    carom_error error = {0};
    assert_int_equal(carom_scene_read_text("carom: 1\na\0b", 12, NULL, &scene, &error),
                     CAROM_ERROR_INPUT);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 2);
}

static double seconds_since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void test_nesting(void **state)
{
    (void)state;
    static const char *const pieces[] = {"[", "{a: ", "- ", "[[{a: ", "? "};
    enum { TIMES = 100000 };
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        size_t length = strlen(pieces[k]);
        char *text = malloc(TIMES * length);
        for (size_t i = 0; i < TIMES; i++)
            memcpy(text + i * length, pieces[k], length);
        clock_t start = clock();
        carom_yaml_node *root = NULL;
        carom_error error = {0};
        assert_int_equal(carom_yaml_tree_parse(text, TIMES * length, arena, &root, &error),
                         CAROM_ERROR_INPUT);
        assert_true(seconds_since(start) < 0.5);
        assert_null(root);
        free(text);
    }
    /* 64 deep is fine, 65 is not. */
    char text[200] = "";
    for (int depth = 64; depth <= 65; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        carom_yaml_node *root = NULL;
        carom_error error = {0};
        carom_status status = carom_yaml_tree_parse(text, strlen(text), arena, &root, &error);
        assert_int_equal(status, depth == 64 ? CAROM_OK : CAROM_ERROR_INPUT);
        if (depth == 65) {
            assert_int_equal(error.column, 65);
            assert_non_null(strstr(error.text, "deeper than 64"));
        }
    }
}

/* Many keys: duplicates are found without comparing all pairs. */
static void test_many_keys(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    char *text = malloc(COUNT * 12 + 20), *s = text;
    for (int k = 0; k < COUNT; k++)
        s += sprintf(s, "k%d: 1\n", k);
    s += sprintf(s, "k%d: 1\n", COUNT / 2);
    clock_t start = clock();
    carom_yaml_node *root = NULL;
    carom_error error = {0};
    assert_int_equal(carom_yaml_tree_parse(text, (size_t)(s - text), arena, &root, &error),
                     CAROM_ERROR_INPUT);
    assert_true(seconds_since(start) < 1);
    assert_int_equal(error.line, COUNT + 1);
    assert_non_null(strstr(error.text, "line 50001,"));
    free(text);
}

/* A pipe has no size: reading stops behind the limit. */
static void test_endless_stream(void **state)
{
    (void)state;
    FILE *file = fopen("/dev/zero", "rb");
    if (!file)
        skip();
    carom_scene *scene;
    carom_error error = {0};
    assert_int_equal(carom_scene_read_stream(file, NULL, &scene, &error), CAROM_ERROR_INPUT);
    assert_non_null(strstr(error.text, "too large"));
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),      cmocka_unit_test(test_places),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_many_keys), cmocka_unit_test(test_endless_stream),
    };
    return cmocka_run_group_tests(tests, arena_open, arena_close);
}
