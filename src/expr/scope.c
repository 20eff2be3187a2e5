/* Names of a scope and what they stand for. */
#include "expr/scope.h"
#include "base/parts.h"
#include "carom/need.h"

#include <math.h>
#include <string.h>

enum { FIRST_SYMBOLS = 64 };

static const struct {
    const char *text;
    carom_op op;
} functions[] = {
    {"sin", CAROM_OP_SIN},   {"cos", CAROM_OP_COS},     {"tan", CAROM_OP_TAN},
    {"asin", CAROM_OP_ASIN}, {"acos", CAROM_OP_ACOS},   {"atan", CAROM_OP_ATAN},
    {"sinh", CAROM_OP_SINH}, {"cosh", CAROM_OP_COSH},   {"tanh", CAROM_OP_TANH},
    {"exp", CAROM_OP_EXP},   {"log", CAROM_OP_LOG},     {"sqrt", CAROM_OP_SQRT},
    {"abs", CAROM_OP_ABS},   {"sign", CAROM_OP_SIGN},   {"min", CAROM_OP_MIN},
    {"max", CAROM_OP_MAX},   {"atan2", CAROM_OP_ATAN2}, {"if", CAROM_OP_SELECT},
};

/* FNV-1a. */
static uint32_t hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t k = 0; k < length; k++)
        h = (h ^ (unsigned char)text[k]) * 16777619u;
    return h ^ (h >> 15);
}

static uint32_t *find(const carom_scope *s, const char *text, size_t length)
{
    uint32_t mask = s->table_size - 1, k = hash(text, length) & mask;
    for (; s->table[k] != UINT32_MAX; k = (k + 1) & mask) {
        const carom_symbol *symbol = &s->symbols[s->table[k]];
        if (symbol->length == length && memcmp(symbol->text, text, length) == 0)
            break;
    }
    return &s->table[k];
}

carom_symbol *carom_scope_symbol(const carom_scope *scope, const char *text, size_t length)
{
    uint32_t k = *find(scope, text, length);
    return k == UINT32_MAX ? NULL : &scope->symbols[k];
}

static bool grow(carom_scope *s)
{
    carom_allocator *a = &s->graph.allocator;
    uint32_t capacity = s->capacity ? 2 * s->capacity : FIRST_SYMBOLS;
    carom_symbol *symbols = a->resize(a->self, s->symbols, capacity * sizeof *symbols);
    if (!symbols)
        return false;
    s->symbols = symbols;
    uint32_t *table = a->resize(a->self, NULL, 4 * (size_t)capacity * sizeof *table);
    if (!table)
        return false;
    if (s->table)
        a->resize(a->self, s->table, 0);
    s->table = table;
    s->table_size = 4 * capacity;
    s->capacity = capacity;
    memset(table, 0xFF, s->table_size * sizeof *table);
    for (uint32_t k = 0; k < s->count; k++)
        *find(s, s->symbols[k].text, s->symbols[k].length) = k;
    return true;
}

carom_status carom_scope_insert(carom_scope *scope, carom_symbol symbol, carom_error *error)
{
    carom_scope *s = scope;
    if (s->count == s->capacity && !grow(s))
        return carom_error_memory(error);
    symbol.text = carom_arena_text(s->arena, symbol.text, symbol.length);
    if (!symbol.text)
        return carom_error_memory(error);
    s->symbols[s->count] = symbol;
    *find(s, symbol.text, symbol.length) = s->count;
    s->count++;
    return CAROM_OK;
}

static carom_status add_reserved(carom_scope *s, carom_error *error)
{
    carom_status status =
        carom_scope_insert(s, (carom_symbol){"t", 1, CAROM_SYMBOL_TIME, 0, 0, 0}, error);
    if (!status)
        status = carom_scope_insert(s, (carom_symbol){"pi", 2, CAROM_SYMBOL_PI, 0, 0, 0}, error);
    for (size_t k = 0; k < sizeof functions / sizeof *functions && !status; k++) {
        size_t length = strlen(functions[k].text);
        carom_symbol symbol = {functions[k].text,    length, CAROM_SYMBOL_FUNCTION,
                               (int)functions[k].op, 0,      0};
        status = carom_scope_insert(s, symbol, error);
    }
    s->functions = (int)s->count;
    return status;
}

carom_status carom_scope_create(const carom_allocator *allocator, carom_scope **scope,
                                carom_error *error)
{
    CAROM_NEED(error, scope);
    carom_scope *made;
    carom_status status = carom_arena_object(allocator, sizeof *made, &made, error);
    if (status)
        return status;
    status = carom_graph_init(&made->graph, carom_arena_allocator(made->arena), error);
    if (!status)
        status = grow(made) ? add_reserved(made, error) : carom_error_memory(error);
    if (status) {
        carom_scope_destroy(made);
        return status;
    }
    *scope = made;
    return CAROM_OK;
}

void carom_scope_destroy(carom_scope *scope)
{
    if (!scope)
        return;
    carom_allocator *a = &scope->graph.allocator;
    carom_derivative_destroy(scope->derivative);
    if (scope->symbols)
        a->resize(a->self, scope->symbols, 0);
    if (scope->table)
        a->resize(a->self, scope->table, 0);
    carom_graph_release(&scope->graph);
    carom_arena_destroy(scope->arena);
}

void carom_scope_keep_parameters(carom_scope *scope)
{
    CAROM_NEED_OR(, scope);
    scope->keeps_parameters = true;
}

int carom_scope_parameter_count(const carom_scope *scope)
{
    CAROM_NEED_OR(0, scope);
    return scope->parameters;
}

carom_status carom_scope_check_name(const carom_scope *scope, const carom_source *name,
                                    carom_error *error)
{
    carom_place at = carom_source_place(name, 0);
    if (!name->text)
        return carom_error_at(error, CAROM_ERROR_ARGUMENT, at.line, at.column, "a name is missing");
    size_t length = strlen(name->text);
    if (!carom_name_is_valid(name->text, length))
        return carom_error_at(error, CAROM_ERROR_INPUT, at.line, at.column,
                              "'%.60s' is not a name: a letter or _, then letters, digits and _",
                              name->text);
    const carom_symbol *known = carom_scope_symbol(scope, name->text, length);
    if (!known)
        return CAROM_OK;
    static const char *const kinds[] = {"a parameter", "a coordinate", "a definition",
                                        "a function",  "time",         "a constant"};
    bool reserved = known->kind > CAROM_SYMBOL_DEFINITION;
    return carom_error_at(error, CAROM_ERROR_INPUT, at.line, at.column,
                          reserved ? "the name '%.60s' is reserved (%s); choose another"
                                   : "the name '%.60s' is taken already (%s); parameters, "
                                     "coordinates and definitions share one space of names",
                          name->text, kinds[known->kind]);
}

carom_status carom_scope_add_value(carom_scope *scope, const carom_source *name, double value,
                                   carom_error *error)
{
    CAROM_NEED(error, scope, name);
    carom_status status = carom_scope_check_name(scope, name, error);
    if (status)
        return status;
    carom_place at = carom_source_place(name, 0);
    if (!isfinite(value))
        return carom_error_at(error, CAROM_ERROR_INPUT, at.line, at.column,
                              "the parameter '%.60s' is %g; it must be finite", name->text, value);
    carom_symbol symbol = {
        name->text, strlen(name->text), CAROM_SYMBOL_PARAMETER, scope->parameters,
        value,      CAROM_NODE_NONE};
    status = carom_scope_insert(scope, symbol, error);
    if (!status)
        scope->parameters++;
    return status;
}

carom_status carom_scope_add_parameter(carom_scope *scope, const carom_source *name,
                                       const carom_source *formula, carom_error *error)
{
    CAROM_NEED(error, scope, name, formula);
    carom_status status = carom_scope_check_name(scope, name, error);
    double value;
    if (!status)
        status = carom_scope_number(scope, formula, &value, error);
    return status ? status : carom_scope_add_value(scope, name, value, error);
}

carom_status carom_scope_add_coordinate(carom_scope *scope, const carom_source *name,
                                        carom_error *error)
{
    CAROM_NEED(error, scope, name);
    carom_status status = carom_scope_check_name(scope, name, error);
    if (status)
        return status;
    carom_symbol symbol = {
        name->text, strlen(name->text), CAROM_SYMBOL_COORDINATE, scope->coordinates,
        0,          CAROM_NODE_NONE};
    status = carom_scope_insert(scope, symbol, error);
    if (!status)
        scope->coordinates++;
    return status;
}

int carom_scope_coordinate_count(const carom_scope *scope)
{
    CAROM_NEED_OR(0, scope);
    return scope->coordinates;
}

carom_name_kind carom_scope_find(const carom_scope *scope, const char *text, int *index,
                                 double *value)
{
    CAROM_NEED_OR(CAROM_NAME_UNKNOWN, scope, text);
    size_t length = strlen(text);
    bool prime = length > 1 && text[length - 1] == '\'';
    const carom_symbol *s = carom_scope_symbol(scope, text, length - prime);
    if (!s || (prime && s->kind != CAROM_SYMBOL_COORDINATE))
        return CAROM_NAME_UNKNOWN;
    if (s->kind == CAROM_SYMBOL_COORDINATE) {
        if (index)
            *index = s->index;
        return prime ? CAROM_NAME_VELOCITY : CAROM_NAME_COORDINATE;
    }
    if (s->kind == CAROM_SYMBOL_DEFINITION)
        return CAROM_NAME_DEFINITION;
    if (s->kind != CAROM_SYMBOL_PARAMETER)
        return CAROM_NAME_RESERVED;
    if (value)
        *value = s->value;
    return CAROM_NAME_PARAMETER;
}

carom_status carom_scope_number(carom_scope *scope, const carom_source *formula, double *value,
                                carom_error *error)
{
    CAROM_NEED(error, scope, formula, value);
    carom_formula f;
    carom_mark mark = carom_arena_mark(scope->arena);
    carom_status status = carom_parse_formula(scope, formula, &f, error);
    if (!status && !carom_graph_is_constant(&scope->graph, f.root)) {
        carom_place at = carom_source_place(formula, 0);
        for (uint32_t k = f.origin_count; k-- > 0;)
            if (scope->graph.nodes[f.origins[k].node].on & CAROM_ON_ALL)
                at = carom_source_place(formula, f.origins[k].offset);
        status = carom_error_at(error, CAROM_ERROR_INPUT, at.line, at.column,
                                "only numbers and parameters can be used here, not coordinates, "
                                "velocities or t");
    }
    if (!status)
        *value = scope->graph.nodes[f.root].as.value;
    carom_arena_rewind(scope->arena, mark);
    return status;
}
