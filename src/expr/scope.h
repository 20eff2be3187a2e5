/* The inside of a scope: hashed names, the graph of its formulas, places of their operations. */
#ifndef CAROM_SRC_EXPR_SCOPE_H
#define CAROM_SRC_EXPR_SCOPE_H

#include "carom/expr.h"
#include "expr/derivative.h"

typedef enum carom_symbol_kind {
    CAROM_SYMBOL_PARAMETER,
    CAROM_SYMBOL_COORDINATE,
    CAROM_SYMBOL_DEFINITION,
    CAROM_SYMBOL_FUNCTION,
    CAROM_SYMBOL_TIME,
    CAROM_SYMBOL_PI
} carom_symbol_kind;

typedef struct carom_symbol {
    const char *text;
    size_t length;
    carom_symbol_kind kind;
    int index;       /* parameter's, coordinate's number, function's operation */
    double value;    /* parameter's */
    carom_node node; /* definition's; NONE: not read yet */
} carom_symbol;

struct carom_scope {
    carom_arena *arena; /* names, places, compiled formulas */
    carom_graph graph;
    carom_symbol *symbols;
    uint32_t count, capacity;
    uint32_t *table; /* open addressing, numbers of symbols */
    uint32_t table_size;
    int parameters, coordinates;
    int functions;                                   /* symbols before this one are reserved */
    bool keeps_parameters;                           /* as variables of the graph */
    carom_derivative *derivative;                    /* for d( ), made when first needed */
    const struct carom_definition_list *definitions; /* while they are read, definition.h */
};

/* Add a symbol whose name was checked. */
carom_status carom_scope_insert(carom_scope *scope, carom_symbol symbol, carom_error *error);

/* A new name must be one, be free and not be reserved. */
carom_status carom_scope_check_name(const carom_scope *scope, const carom_source *name,
                                    carom_error *error);

/* NULL when the name is not known. */
carom_symbol *carom_scope_symbol(const carom_scope *scope, const char *text, size_t length);

/* The same search as carom_scope_suggest among those a name may be (functions only, or all). */
const char *carom_scope_suggest_near(const carom_scope *scope, const char *text, size_t length,
                                     bool functions_only);

/* An operation of a formula and the byte of the text that made it. */
typedef struct carom_origin {
    carom_node node;
    uint32_t offset;
} carom_origin;

/* A formula parsed: its graph node, and where its operations stand, in the order of parsing. */
typedef struct carom_formula {
    carom_source source; /* borrowed */
    carom_node root;
    const carom_origin *origins; /* in the scope's arena */
    uint32_t origin_count;
    bool has_derivative;        /* a d( ) stands in it, */
    uint32_t derivative_offset; /* the first one here */
} carom_formula;

/* Text to graph. */
carom_status carom_parse_formula(carom_scope *scope, const carom_source *source,
                                 carom_formula *formula, carom_error *error);

#endif
