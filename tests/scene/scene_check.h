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

static inline void check_refusal(const refusal *c)
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
        fail();
    }
}

#define check_refusals(cases)                                                                      \
    for (size_t check_k = 0; check_k < sizeof(cases) / sizeof *(cases); check_k++)                 \
    check_refusal(&(cases)[check_k])

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
