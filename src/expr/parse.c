/* Text to graph, by recursive descent:
 *
 *   sum      = product { (+|-) product }
 *   product  = signed { (*|/) signed }
 *   signed   = { + | - } power
 *   power    = primary [ ^ signed ]
 *   primary  = number | pi | t | parameter | coordinate | coordinate' | ( sum ) | function ( ... )
 *
 * The depth is bounded by CAROM_EXPR_DEPTH_MAX; sums and products of any length are loops. */
#include "carom/text.h"
#include "expr/scope.h"

#include <math.h>
#include <string.h>

typedef struct parser {
    carom_scope *scope;
    carom_graph *graph;
    const carom_source *source;
    const char *text; /* = source->text */
    size_t at;        /* next byte */
    int depth;
    carom_origin *origins; /* grows by the allocator while parsing */
    uint32_t origin_count, origin_capacity;
    carom_status status; /* of the first error */
    carom_error *error;
} parser;

static carom_node parse_sum(parser *p);
static carom_node parse_signed(parser *p);

/* Errors. */

#define FAIL(p, offset, ...)                                                                       \
    do {                                                                                           \
        carom_place place_ = carom_source_place((p)->source, (offset));                            \
        if (!(p)->status)                                                                          \
            (p)->status = carom_error_at((p)->error, CAROM_ERROR_INPUT, place_.line,               \
                                         place_.column, __VA_ARGS__);                              \
        return CAROM_NODE_NONE;                                                                    \
    } while (0)

/* Bytes of the UTF-8 character at text. */
static int character_length(const char *text)
{
    int length = 1;
    while (((unsigned char)text[length] & 0xC0) == 0x80 && length < 4)
        length++;
    return length;
}

/* What stands at the offset, for "found ...". */
typedef struct found {
    char text[80];
} found;

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t name_length(const char *text)
{
    size_t k = 0;
    if (is_letter(text[0]))
        while (is_letter(text[k]) || is_digit(text[k]))
            k++;
    return k;
}

static found find_token(const parser *p, size_t offset)
{
    const char *text = p->text + offset;
    found f = {"the end of the formula"};
    if (*text) {
        size_t length = name_length(text);
        if (!length)
            carom_number_prefix(text, &length);
        if (!length)
            length = (size_t)character_length(text);
        if (length > 60)
            length = 60;
        f.text[0] = '\'';
        memcpy(f.text + 1, text, length);
        f.text[length + 1] = '\'';
        f.text[length + 2] = '\0';
    }
    return f;
}

static carom_node fail_expected(parser *p, const char *expected)
{
    FAIL(p, p->at, "expected %s, found %s", expected, find_token(p, p->at).text);
}

/* Remember where a node was made. */
static carom_node at(parser *p, carom_node node, size_t offset)
{
    if (node == CAROM_NODE_NONE)
        return node;
    if (p->origin_count == p->origin_capacity) {
        carom_allocator *a = &p->graph->allocator;
        uint32_t capacity = p->origin_capacity ? 2 * p->origin_capacity : 64;
        carom_origin *origins = a->resize(a->self, p->origins, capacity * sizeof *origins);
        if (!origins) {
            if (!p->status)
                p->status = carom_error_memory(p->error);
            return CAROM_NODE_NONE;
        }
        p->origins = origins;
        p->origin_capacity = capacity;
    }
    p->origins[p->origin_count++] = (carom_origin){node, (uint32_t)offset};
    return node;
}

static void skip_blanks(parser *p)
{
    while (strchr(" \t\r\n", p->text[p->at]) && p->text[p->at])
        p->at++;
}

static bool accept(parser *p, char c)
{
    skip_blanks(p);
    if (p->text[p->at] != c)
        return false;
    p->at++;
    return true;
}

static bool enter(parser *p)
{
    if (++p->depth <= CAROM_EXPR_DEPTH_MAX)
        return true;
    carom_place place = carom_source_place(p->source, p->at);
    if (!p->status)
        p->status = carom_error_at(p->error, CAROM_ERROR_INPUT, place.line, place.column,
                                   "more than %d levels of nesting; write the formula flatter",
                                   CAROM_EXPR_DEPTH_MAX);
    return false;
}

/* Names. */

static carom_node fail_unknown(parser *p, size_t start, size_t length)
{
    const char *name = p->text + start;
    int shown = length < 60 ? (int)length : 60;
    size_t next = start + length + strspn(name + length, " \t");
    bool call = p->text[next] == '(';
    const char *near = carom_scope_suggest_near(p->scope, name, length, call);
    if (near)
        FAIL(p, start, "unknown %s '%.*s'; did you mean '%s'?", call ? "function" : "name", shown,
             name, near);
    if (call)
        FAIL(p, start,
             "unknown function '%.*s'; there are sin cos tan asin acos atan atan2 sinh cosh tanh "
             "exp log sqrt abs sign min max if",
             shown, name);
    if (length == 1 && *name == 'e')
        FAIL(p, start, "unknown name 'e'; Euler's number is exp(1)");
    FAIL(p, start, "unknown name '%.*s'; it is neither a parameter nor a coordinate", shown, name);
}

/* A comparison, the first argument of if. */
static carom_node parse_condition(parser *p)
{
    carom_node a = parse_sum(p);
    skip_blanks(p);
    size_t start = p->at;
    const char *s = p->text + start;
    bool equal = s[0] && s[1] == '=';
    if (p->status)
        return CAROM_NODE_NONE;
    if (s[0] == '=' && !equal)
        FAIL(p, start, "a comparison of equality is written ==");
    if (!((s[0] == '<' || s[0] == '>') || ((s[0] == '=' || s[0] == '!') && equal)))
        FAIL(p, start,
             "expected a comparison (< <= > >= == !=) in the first argument of if, found %s",
             find_token(p, start).text);
    p->at += equal ? 2 : 1;
    carom_node b = parse_sum(p);
    if (p->status)
        return CAROM_NODE_NONE;
    carom_op less = equal ? CAROM_OP_LESS_EQUAL : CAROM_OP_LESS;
    carom_graph *g = p->graph;
    switch (s[0]) {
    case '<':
        return at(p, carom_graph_binary(g, less, a, b), start);
    case '>':
        return at(p, carom_graph_binary(g, less, b, a), start);
    case '=':
        return at(p, carom_graph_binary(g, CAROM_OP_EQUAL, a, b), start);
    default: /* a != b is 1 - (a == b) */
        return at(p,
                  carom_graph_binary(g, CAROM_OP_SUB, g->one,
                                     carom_graph_binary(g, CAROM_OP_EQUAL, a, b)),
                  start);
    }
}

/* function ( arguments ): one, two, for min and max two or more, for if three. */
static carom_node parse_call(parser *p, const carom_symbol *function, size_t start)
{
    carom_op op = (carom_op)function->index;
    int wanted = carom_graph_arity(op), count = 0;
    bool more_allowed = op == CAROM_OP_MIN || op == CAROM_OP_MAX;
    carom_node args[3] = {0};
    if (!accept(p, '('))
        FAIL(p, p->at, "expected ( after the function '%s', found %s", function->text,
             find_token(p, p->at).text);
    do {
        skip_blanks(p);
        if (count == wanted && !more_allowed)
            FAIL(p, p->at, "too many arguments: '%s' takes %d", function->text, wanted);
        carom_node a = op == CAROM_OP_SELECT && count == 0 ? parse_condition(p) : parse_sum(p);
        if (p->status)
            return CAROM_NODE_NONE;
        if (count >= 2 && more_allowed)
            args[0] = at(p, carom_graph_binary(p->graph, op, args[0], args[1]), start);
        args[count < 2 || !more_allowed ? count : 1] = a;
        count++;
    } while (accept(p, ','));
    if (p->text[p->at] == ')' && count < wanted)
        FAIL(p, p->at, "too few arguments: '%s' takes %d%s, found %d", function->text, wanted,
             more_allowed ? " or more" : "", count);
    if (!accept(p, ')'))
        return fail_expected(p, count < wanted ? "an operator or ," : "an operator or )");
    return at(p, carom_graph_apply(p->graph, op, args[0], args[1], args[2]), start);
}

static carom_node parse_name(parser *p)
{
    size_t start = p->at, length = name_length(p->text + start);
    const carom_symbol *s = carom_scope_symbol(p->scope, p->text + start, length);
    if (!s)
        return fail_unknown(p, start, length);
    p->at += length;
    bool prime = p->text[p->at] == '\'';
    if (prime && s->kind != CAROM_SYMBOL_COORDINATE)
        FAIL(p, p->at, "only coordinates have a velocity; '%s' is %s", s->text,
             s->kind == CAROM_SYMBOL_PARAMETER ? "a parameter" : "no coordinate");
    if (prime && p->text[p->at + 1] == '\'')
        FAIL(p, p->at + 1,
             "accelerations cannot be used in formulas (inside '...' a prime is doubled once: "
             "'%s''')",
             s->text);
    switch (s->kind) {
    case CAROM_SYMBOL_PARAMETER:
        return at(p, carom_graph_constant(p->graph, s->value), start);
    case CAROM_SYMBOL_TIME:
        return at(p, carom_graph_variable(p->graph, CAROM_VARIABLE_T), start);
    case CAROM_SYMBOL_PI:
        return at(p, carom_graph_constant(p->graph, 3.14159265358979323846), start);
    case CAROM_SYMBOL_COORDINATE:
        p->at += prime;
        return at(p,
                  carom_graph_variable(p->graph, prime ? CAROM_VARIABLE_U(s->index)
                                                       : CAROM_VARIABLE_Q(s->index)),
                  start);
    case CAROM_SYMBOL_FUNCTION:
        break;
    }
    return parse_call(p, s, start);
}

/* The grammar from the inside out. */

static carom_node parse_literal(parser *p)
{
    size_t start = p->at, length;
    double value = carom_number_prefix(p->text + start, &length);
    if (!length)
        return fail_expected(p, "a number, a name or (");
    if (!isfinite(value))
        FAIL(p, start, "the number %.*s is too large", length < 60 ? (int)length : 60,
             p->text + start);
    p->at += length;
    return at(p, carom_graph_constant(p->graph, value), start);
}

static carom_node fail_character(parser *p)
{
    static const struct {
        const char *character, *advice;
    } hints[] = {
        {"\xE2\x88\x92", "-"},
        {"\xC2\xB7", "*"},
        {"\xC3\x97", "*"},
        {"\xE2\x80\x99", "'"},
        {"\xE2\x80\xB2", "'"},
        {"[", "("},
        {"{", "("},
        {"\"", "'"},
        {"\xCF\x80", "pi"},
        {"\xC2\xB2", "^2"},
        {"\xE2\x88\x9A", "sqrt(...)"},
    };
    const char *s = p->text + p->at;
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
        if (strncmp(s, hints[k].character, strlen(hints[k].character)) == 0)
            FAIL(p, p->at, "unexpected %s; write %s", find_token(p, p->at).text, hints[k].advice);
    if (*s == '$')
        FAIL(p, p->at, "'$' stands for an index and can be used inside repeat only");
    if ((unsigned char)*s >= 0x80)
        FAIL(p, p->at, "unexpected %s; names are made of the letters a-z, A-Z, digits and _",
             find_token(p, p->at).text);
    return fail_expected(p, "a number, a name or (");
}

static carom_node parse_primary(parser *p)
{
    skip_blanks(p);
    char c = p->text[p->at];
    if (is_letter(c))
        return parse_name(p);
    if (is_digit(c) || c == '.')
        return parse_literal(p);
    if (c != '(')
        return fail_character(p);
    size_t open = p->at++;
    carom_node inside = parse_sum(p);
    if (p->status)
        return CAROM_NODE_NONE;
    if (accept(p, ')'))
        return inside;
    if (!p->text[p->at])
        FAIL(p, open, "this ( is never closed");
    return fail_expected(p, "an operator or )");
}

static carom_node parse_power(parser *p)
{
    carom_node base = parse_primary(p);
    if (p->status || !accept(p, '^'))
        return base;
    size_t start = p->at - 1;
    carom_node exponent = parse_signed(p);
    return p->status ? CAROM_NODE_NONE
                     : at(p, carom_graph_binary(p->graph, CAROM_OP_POW, base, exponent), start);
}

static carom_node parse_signed(parser *p)
{
    if (!enter(p))
        return CAROM_NODE_NONE;
    bool negative = false;
    size_t start = 0;
    for (;; p->at++) {
        skip_blanks(p);
        char c = p->text[p->at];
        if (c != '-' && c != '+')
            break;
        start = p->at;
        negative ^= c == '-';
    }
    carom_node a = parse_power(p);
    if (negative && !p->status)
        a = at(p, carom_graph_unary(p->graph, CAROM_OP_NEG, a), start);
    p->depth--;
    return a;
}

static carom_node parse_product(parser *p)
{
    carom_node a = parse_signed(p);
    while (!p->status) {
        skip_blanks(p);
        size_t start = p->at;
        char c = p->text[start];
        if (c != '*' && c != '/')
            break;
        p->at++;
        if (c == '*' && p->text[p->at] == '*')
            FAIL(p, start, "powers are written with ^, not **");
        carom_node b = parse_signed(p);
        if (!p->status)
            a = at(p, carom_graph_binary(p->graph, c == '*' ? CAROM_OP_MUL : CAROM_OP_DIV, a, b),
                   start);
    }
    return a;
}

static carom_node parse_sum(parser *p)
{
    carom_node a = parse_product(p);
    while (!p->status) {
        skip_blanks(p);
        size_t start = p->at;
        char c = p->text[start];
        if (c != '+' && c != '-')
            break;
        p->at++;
        carom_node b = parse_product(p);
        if (!p->status)
            a = at(p, carom_graph_binary(p->graph, c == '+' ? CAROM_OP_ADD : CAROM_OP_SUB, a, b),
                   start);
    }
    return a;
}

/* What may follow a whole formula is nothing; the usual mistakes get their own message. */
static carom_node parse_end(parser *p, carom_node root)
{
    skip_blanks(p);
    const char *s = p->text + p->at;
    if (p->status || !*s)
        return root;
    bool zero_before = p->at > 0 && s[-1] == '0' &&
                       (p->at == 1 || !(is_letter(s[-2]) || is_digit(s[-2]) || s[-2] == '.'));
    if (zero_before && (*s == 'x' || *s == 'X'))
        FAIL(p, p->at, "numbers are decimal; found %s after 0", find_token(p, p->at).text);
    if (is_letter(*s) || is_digit(*s) || *s == '(' || *s == '.')
        FAIL(p, p->at, "expected an operator before %s: products are written with *",
             find_token(p, p->at).text);
    if (*s == ')')
        FAIL(p, p->at, "this ) has no (");
    if (*s == '\'')
        FAIL(p, p->at, "a prime can only follow a coordinate's name");
    if (*s == ',')
        FAIL(p, p->at, "a comma can only stand between the arguments of a function");
    if (strchr("<>=!", *s))
        FAIL(p, p->at, "comparisons can only be the first argument of if(condition, then, else)");
    if ((unsigned char)*s >= 0x80 || *s == '$')
        return fail_character(p);
    return fail_expected(p, "an operator or the end of the formula");
}

/* A constant that is infinite or undefined, outside the branches of an if, spoils every value. */
static carom_node check_finite(parser *p, carom_node root)
{
    const carom_graph *g = p->graph;
    if (p->status || root == CAROM_NODE_NONE || !(g->nodes[root].on & CAROM_ON_BAD))
        return root;
    for (uint32_t k = 0; k < p->origin_count; k++) {
        const carom_graph_node *n = &g->nodes[p->origins[k].node];
        if (n->op == CAROM_OP_CONST && !isfinite(n->as.value))
            FAIL(p, p->origins[k].offset,
                 "the value computed here is %s; it must be a finite number",
                 isnan(n->as.value) ? "undefined" : "infinite");
    }
    FAIL(p, 0, "the value is not a finite number");
}

static carom_node parse_all(parser *p)
{
    size_t length = strlen(p->text);
    if (length > CAROM_EXPR_LENGTH_MAX)
        FAIL(p, 0, "the formula has %zu characters; at most %d are read", length,
             CAROM_EXPR_LENGTH_MAX);
    skip_blanks(p);
    if (!p->text[p->at])
        FAIL(p, 0, "the formula is empty; expected a number or a formula");
    return check_finite(p, parse_end(p, parse_sum(p)));
}

carom_status carom_parse_formula(carom_scope *scope, const carom_source *source,
                                 carom_formula *formula, carom_error *error)
{
    if (!source->text)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the text of a formula is NULL");
    parser p = {.scope = scope,
                .graph = &scope->graph,
                .source = source,
                .text = source->text,
                .error = error};
    carom_node root = parse_all(&p);
    if (!p.status)
        p.status = carom_graph_check(p.graph, error);
    carom_allocator *a = &scope->graph.allocator;
    if (!p.status) {
        size_t size = p.origin_count * sizeof *p.origins;
        carom_origin *origins = carom_arena_take(scope->arena, size);
        if (origins) {
            memcpy(origins, p.origins, size);
            *formula = (carom_formula){*source, root, origins, p.origin_count};
        } else {
            p.status = carom_error_memory(error);
        }
    }
    if (p.origins)
        a->resize(a->self, p.origins, 0);
    return p.status;
}

bool carom_name_is_valid(const char *text, size_t length)
{
    return length > 0 && name_length(text) == length;
}
