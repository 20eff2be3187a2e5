/* Many formulas on one tape: they share what they have in common, and one run has all values. */
#include "base/parts.h"
#include "carom/need.h"
#include "expr/scope.h"
#include "expr/tape.h"

struct carom_expr_set {
    carom_arena *arena;
    carom_tape *tape;
    uint32_t *slots;
    int count, n, parameters;
};

static carom_status build(carom_expr_set *set, carom_scope *scope, const carom_source *formulas,
                          carom_error *error)
{
    carom_mark mark = carom_arena_mark(scope->arena);
    carom_tape_output *outputs = carom_arena_array(set->arena, (size_t)set->count, sizeof *outputs);
    carom_status status = outputs ? CAROM_OK : carom_error_memory(error);
    for (int k = 0; k < set->count && !status; k++) {
        carom_formula formula;
        status = carom_parse_formula(scope, &formulas[k], &formula, error);
        if (!status)
            outputs[k] = (carom_tape_output){formula.root, 1};
    }
    carom_arena_rewind(scope->arena, mark);
    return status ? status
                  : carom_tape_create(&scope->graph, outputs, (size_t)set->count, set->arena,
                                      set->slots, &set->tape, error);
}

carom_status carom_expr_set_create(carom_scope *scope, const carom_source *formulas, int count,
                                   carom_expr_set **set, carom_error *error)
{
    CAROM_NEED(error, scope, formulas, set);
    carom_expr_set *made;
    carom_status status = carom_arena_object(&scope->graph.allocator, sizeof *made, &made, error);
    if (status)
        return status;
    made->count = count;
    made->n = scope->coordinates;
    made->parameters = scope->parameters;
    made->slots = carom_arena_array(made->arena, (size_t)count, sizeof *made->slots);
    status = made->slots ? build(made, scope, formulas, error) : carom_error_memory(error);
    if (status)
        carom_expr_set_destroy(made);
    else
        *set = made;
    return status;
}

void carom_expr_set_destroy(carom_expr_set *set)
{
    if (set)
        carom_arena_destroy(set->arena);
}

void carom_expr_set_evaluate(carom_expr_set *set, double t, const double *q, const double *u,
                             double *values)
{
    CAROM_NEED_OR(, set, values);
    const double *slots = carom_tape_run(set->tape, 1, t, q, u);
    for (int k = 0; k < set->count; k++)
        values[k] = slots[set->slots[k]];
}

carom_status carom_expr_set_tangents(carom_expr_set *set, double t, const double *q,
                                     const double *u, const carom_directions *directions,
                                     carom_arena *scratch, double *tangents, carom_error *error)
{
    CAROM_NEED(error, set, directions, scratch, tangents);
    const size_t k = (size_t)directions->k, count = (size_t)set->count;
    const carom_tape_directions along = {.k = directions->k,
                                         .t = directions->t,
                                         .q = directions->q,
                                         .u = directions->u,
                                         .parameters = directions->parameters,
                                         .nq = set->n,
                                         .n = set->n,
                                         .parameter_count = set->parameters};
    carom_mark mark = carom_arena_mark(scratch);
    double *room = carom_arena_doubles(scratch, carom_tape_tangent_room(set->tape, along.k));
    double *sides = carom_arena_doubles(scratch, carom_tape_kink_room(set->tape, along.k));
    if (!room || !sides)
        return carom_error_memory(error);
    carom_tape_tangent(set->tape, 1, t, q, u, &along, room);
    carom_tape_kink(set->tape, 1, t, q, u, along.k, room, sides);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < k; j++)
            tangents[i + j * count] = room[set->slots[i] * k + j];
    carom_arena_rewind(scratch, mark);
    return CAROM_OK;
}
