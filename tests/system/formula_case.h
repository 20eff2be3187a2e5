/* A system with the state to evaluate it in. */
#ifndef CAROM_TESTS_FORMULA_CASE_H
#define CAROM_TESTS_FORMULA_CASE_H

/* Systems stated in formulas, made and evaluated. */
#include "carom/formulas.h"
#include "check.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define F(s)                                                                                       \
    {                                                                                              \
        .text = (s)                                                                                \
    }

/* One list of a statement: the array has the name of the field. */
#define GIVEN(one, many) .one##_count = COUNT(many), .many = many

typedef struct made {
    carom_system *system;
    carom_arena *arena;
    carom_state state;
} made;

static inline made make(const carom_formulas *statement)
{
    made m;
    carom_error error = {0};
    check_ok(carom_system_formulas(statement, NULL, &m.system, &error), &error);
    check_ok(carom_arena_create(NULL, &m.arena, &error), &error);
    check_ok(carom_state_create(m.system, m.arena, &m.state, &error), &error);
    return m;
}

static inline void evaluate(made *m, unsigned want)
{
    carom_error error = {0};
    check_ok(carom_system_evaluate(m->system, want, &m->state, &error), &error);
}

static inline void drop(made *m)
{
    carom_system_destroy(m->system);
    carom_arena_destroy(m->arena);
}

#endif
