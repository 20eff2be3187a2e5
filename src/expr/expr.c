/* One formula, compiled with its derivatives up to second order. */
#include "base/parts.h"
#include "carom/need.h"
#include "expr/derivative.h"
#include "expr/scope.h"
#include "expr/tape.h"

#include <math.h>
#include <string.h>

enum { VALUE = 1, GRADIENT = 2, HESSIAN = 4 }; /* groups of the tape */

/* A derivative's place in the answer and on the tape. */
typedef struct entry {
    uint32_t row, column; /* column unused for a gradient */
    uint32_t slot;
} entry;

struct carom_expr {
    carom_arena *arena;
    carom_tape *tape;
    int n, parameters, order;
    uint8_t on;
    uint32_t value_slot;
    entry *gradient, *hessian; /* entries that are not zero by structure; hessian: row >= column */
    size_t gradient_count, hessian_count;
};

/* Number of a variable in the order q, u, t. */
static uint32_t position(int n, carom_variable v)
{
    uint32_t index = (uint32_t)CAROM_VARIABLE_INDEX(v);
    if (v == CAROM_VARIABLE_T)
        return 2 * (uint32_t)n;
    return CAROM_VARIABLE_VELOCITY(v) ? (uint32_t)n + index : index;
}

/* Outputs of the tape, collected with the allocator's help. */
typedef struct outputs {
    carom_allocator *allocator;
    carom_tape_output *all;
    size_t count, capacity;
    bool failed;
} outputs;

static void put(outputs *o, carom_node node, unsigned group)
{
    if (o->count == o->capacity && !o->failed) {
        size_t capacity = o->capacity ? 2 * o->capacity : 64;
        carom_tape_output *all =
            o->allocator->resize(o->allocator->self, o->all, capacity * sizeof *all);
        o->failed = !all;
        o->all = all ? all : o->all;
        o->capacity = all ? capacity : o->capacity;
    }
    if (!o->failed)
        o->all[o->count++] = (carom_tape_output){node, group};
}

static carom_status finish(const carom_derivative *d, const outputs *o, carom_error *error)
{
    carom_status status = carom_derivative_check(d, error);
    return status || !o->failed ? status : carom_error_memory(error);
}

/* The first derivatives, copied: the next gradient overwrites them. */
static carom_status derive_first(carom_expr *e, carom_derivative *d, carom_node root, outputs *o,
                                 carom_partial **first, carom_error *error)
{
    int count;
    const carom_partial *p = carom_derivative_gradient(d, root, CAROM_ON_ALL, &count);
    carom_status status = carom_derivative_check(d, error);
    if (status)
        return status;
    e->gradient = carom_arena_array(e->arena, (size_t)count, sizeof *e->gradient);
    *first = carom_arena_array(e->arena, (size_t)count, sizeof **first);
    if (!e->gradient || !*first)
        return carom_error_memory(error);
    for (int k = 0; k < count; k++) {
        (*first)[k] = p[k];
        e->gradient[k] = (entry){position(e->n, p[k].variable), 0, 0};
        put(o, p[k].node, GRADIENT);
    }
    e->gradient_count = (size_t)count;
    return finish(d, o, error);
}

/* Second derivatives: each is taken once, from the variable of the lower position. */
static carom_status derive_second(carom_expr *e, carom_derivative *d, const carom_partial *first,
                                  outputs *o, carom_error *error)
{
    size_t before = o->count;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < e->gradient_count; k++) {
            int count;
            uint32_t column = e->gradient[k].row;
            const carom_partial *p =
                carom_derivative_gradient(d, first[k].node, CAROM_ON_ALL, &count);
            for (int j = 0; j < count; j++) {
                uint32_t row = position(e->n, p[j].variable);
                if (row < column)
                    continue;
                if (pass == 0)
                    put(o, p[j].node, HESSIAN);
                else
                    e->hessian[e->hessian_count++] = (entry){row, column, 0};
            }
        }
        carom_status status = finish(d, o, error);
        if (status)
            return status;
        if (pass == 0)
            e->hessian = carom_arena_array(e->arena, o->count - before, sizeof *e->hessian);
        if (!e->hessian)
            return carom_error_memory(error);
    }
    return CAROM_OK;
}

static carom_status compile(carom_expr *e, carom_graph *g, const outputs *o, carom_error *error)
{
    uint32_t *slots = carom_arena_array(e->arena, o->count, sizeof *slots);
    if (!slots)
        return carom_error_memory(error);
    carom_status status = carom_tape_create(g, o->all, o->count, e->arena, slots, &e->tape, error);
    if (status)
        return status;
    e->value_slot = *slots++;
    for (size_t k = 0; k < e->gradient_count; k++)
        e->gradient[k].slot = *slots++;
    for (size_t k = 0; k < e->hessian_count; k++)
        e->hessian[k].slot = *slots++;
    return CAROM_OK;
}

static carom_status build(carom_expr *e, carom_scope *scope, const carom_source *source,
                          carom_error *error)
{
    carom_formula formula;
    carom_mark mark = carom_arena_mark(scope->arena);
    carom_status status = carom_parse_formula(scope, source, &formula, error);
    carom_arena_rewind(scope->arena, mark); /* the places of operations are not needed */
    carom_derivative *d = NULL;
    carom_partial *first = NULL;
    outputs o = {.allocator = &scope->graph.allocator};
    if (!status)
        status = carom_derivative_create(&scope->graph, &d, error);
    if (!status) {
        e->on = scope->graph.nodes[formula.root].on;
        put(&o, formula.root, VALUE);
        status = finish(d, &o, error);
    }
    if (!status && e->order > 0)
        status = derive_first(e, d, formula.root, &o, &first, error);
    if (!status && e->order > 1)
        status = derive_second(e, d, first, &o, error);
    if (!status)
        status = compile(e, &scope->graph, &o, error);
    carom_derivative_destroy(d);
    if (o.all)
        o.allocator->resize(o.allocator->self, o.all, 0);
    return status;
}

carom_status carom_expr_create(carom_scope *scope, const carom_source *formula, int order,
                               carom_expr **expr, carom_error *error)
{
    CAROM_NEED(error, scope, formula, expr);
    carom_expr *made;
    if (order < 0 || order > 2)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "the order of derivatives is %d; 0, 1 or 2 are possible", order);
    carom_status status = carom_arena_object(&scope->graph.allocator, sizeof *made, &made, error);
    if (status)
        return status;
    made->n = scope->coordinates;
    made->parameters = scope->parameters;
    made->order = order;
    status = build(made, scope, formula, error);
    if (status)
        carom_expr_destroy(made);
    else
        *expr = made;
    return status;
}

void carom_expr_destroy(carom_expr *expr)
{
    if (expr)
        carom_arena_destroy(expr->arena);
}

double carom_expr_evaluate(carom_expr *expr, double t, const double *q, const double *u,
                           double *gradient, double *hessian)
{
    CAROM_NEED_OR(NAN, expr);
    size_t size = 2 * (size_t)expr->n + 1;
    unsigned groups = VALUE;
    groups |= gradient && expr->order > 0 ? GRADIENT : 0u;
    groups |= hessian && expr->order > 1 ? HESSIAN : 0u;
    const double *slots = carom_tape_run(expr->tape, groups, t, q, u);
    if (groups & GRADIENT) {
        memset(gradient, 0, size * sizeof *gradient);
        for (size_t k = 0; k < expr->gradient_count; k++)
            gradient[expr->gradient[k].row] = slots[expr->gradient[k].slot];
    }
    if (groups & HESSIAN) {
        memset(hessian, 0, size * size * sizeof *hessian);
        for (size_t k = 0; k < expr->hessian_count; k++) {
            const entry *e = &expr->hessian[k];
            hessian[e->row + e->column * size] = hessian[e->column + e->row * size] =
                slots[e->slot];
        }
    }
    return slots[expr->value_slot];
}

carom_status carom_expr_tangent(carom_expr *expr, double t, const double *q, const double *u,
                                const carom_directions *directions, carom_arena *scratch,
                                double *value, double *tangents, carom_error *error)
{
    CAROM_NEED(error, expr, directions, scratch, tangents);
    const size_t k = (size_t)directions->k;
    const carom_tape_directions along = {.k = directions->k,
                                         .t = directions->t,
                                         .q = directions->q,
                                         .u = directions->u,
                                         .parameters = directions->parameters,
                                         .nq = expr->n,
                                         .n = expr->n,
                                         .parameter_count = expr->parameters};
    carom_mark mark = carom_arena_mark(scratch);
    double *room = carom_arena_doubles(scratch, carom_tape_tangent_room(expr->tape, along.k));
    double *sides = carom_arena_doubles(scratch, carom_tape_kink_room(expr->tape, along.k));
    if (!room || !sides)
        return carom_error_memory(error);
    const double *slots = carom_tape_tangent(expr->tape, VALUE, t, q, u, &along, room);
    carom_tape_kink(expr->tape, VALUE, t, q, u, along.k, room, sides);
    if (value)
        *value = slots[expr->value_slot];
    memcpy(tangents, room + expr->value_slot * k, k * sizeof *tangents);
    carom_arena_rewind(scratch, mark);
    return CAROM_OK;
}

bool carom_expr_uses(const carom_expr *expr, carom_name_kind kind, int index)
{
    CAROM_NEED_OR(false, expr);
    return carom_tape_uses(expr->tape, kind == CAROM_NAME_VELOCITY     ? CAROM_VARIABLE_U(index)
                                       : kind == CAROM_NAME_COORDINATE ? CAROM_VARIABLE_Q(index)
                                                                       : CAROM_VARIABLE_T);
}

bool carom_expr_uses_position(const carom_expr *expr)
{
    CAROM_NEED_OR(false, expr);
    return expr->on & (CAROM_ON_Q | CAROM_ON_T);
}

bool carom_expr_uses_velocity(const carom_expr *expr)
{
    CAROM_NEED_OR(false, expr);
    return expr->on & CAROM_ON_U;
}
