/* The inside of the parser: what the grammar (parse.c) and the names (parse_name.c) share. */
#ifndef CAROM_SRC_EXPR_PARSE_NAME_H
#define CAROM_SRC_EXPR_PARSE_NAME_H

#include "expr/scope.h"

typedef struct carom_parser {
    carom_scope *scope;
    carom_graph *graph;
    const carom_source *source;
    const char *text; /* = source->text */
    size_t at;        /* next byte */
    int depth;
    carom_origin *origins; /* grows by the allocator while parsing */
    uint32_t origin_count, origin_capacity;
    uint32_t derivative_count, derivative_offset; /* d( ) so far, the first */
    carom_status status;                          /* of the first error */
    carom_error *error;
} carom_parser;

/* Report an error at a byte of the text, if it is the first, and leave. */
#define CAROM_PARSE_FAIL(p, offset, ...)                                                           \
    do {                                                                                           \
        carom_place place_ = carom_source_place((p)->source, (offset));                            \
        if (!(p)->status)                                                                          \
            (p)->status = carom_error_at((p)->error, CAROM_ERROR_INPUT, place_.line,               \
                                         place_.column, __VA_ARGS__);                              \
        return CAROM_NODE_NONE;                                                                    \
    } while (0)

/* What stands at the offset, for "found ...". */
typedef struct carom_parse_token {
    char text[80];
} carom_parse_token;

carom_parse_token carom_parse_find_token(const carom_parser *p, size_t offset);
carom_node carom_parse_fail_expected(carom_parser *p, const char *expected);

/* Remember where a node was made. */
carom_node carom_parse_at(carom_parser *p, carom_node node, size_t offset);

void carom_parse_skip_blanks(carom_parser *p);
bool carom_parse_accept(carom_parser *p, char c);

/* sum = product { (+|-) product } */
carom_node carom_parse_sum(carom_parser *p);

/* What begins with a name: a variable, a number with a name, a function with its arguments. */
carom_node carom_parse_name(carom_parser *p);

#endif
