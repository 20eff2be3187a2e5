/* Helpers for tests of the scene reader: texts that must be refused, with the exact place. */
#ifndef CAROM_TESTS_SCENE_CHECK_H
#define CAROM_TESTS_SCENE_CHECK_H

#include "carom/scene.h"
#include "check.h"

/* A text, where it must be refused, and a part of the message. */
typedef struct refusal {
    const char *text;
    int line, column;
    const char *message;
} refusal;

/* Returns the number of failures, 0 or 1. */
static inline int check_refusal(const refusal *c)
{
    carom_scene *scene = NULL;
    carom_error error = {0};
    carom_status status = carom_scene_read_text(c->text, strlen(c->text), NULL, &scene, &error);
    carom_scene_destroy(scene);
    if (status != CAROM_ERROR_INPUT || error.line != c->line || error.column != c->column ||
        !strstr(error.text, c->message)) {
        print_error("%s\n-> status %d at %d:%d: %s\nexpected %d:%d: ...%s...\n", c->text,
                    (int)status, error.line, error.column, error.text, c->line, c->column,
                    c->message);
        return 1;
    }
    return 0;
}

/* All of a table, so that a failing run shows every difference. */
#define check_refusals(cases) check_refusals_of((cases), sizeof(cases) / sizeof *(cases))

static inline void check_refusals_of(const refusal *cases, size_t count)
{
    int failures = 0;
    for (size_t k = 0; k < count; k++)
        failures += check_refusal(&cases[k]);
    assert_int_equal(failures, 0);
}

/* A text that must be accepted; destroy the scene afterwards. */
static inline carom_scene *check_scene(const char *text)
{
    carom_scene *scene = NULL;
    carom_error error = {0};
    carom_status status = carom_scene_read_text(text, strlen(text), NULL, &scene, &error);
    if (status != CAROM_OK) {
        print_error("%s\n-> status %d at %d:%d: %s\n", text, (int)status, error.line, error.column,
                    error.text);
        fail();
    }
    return scene;
}

#endif
