/* Text to graph, by recursive descent:
 *
 *   sum      = product { (+|-) product }
 *   product  = signed { (*|/) signed }
 *   signed   = { + | - } power
 *   power    = primary [ ^ signed ]
 *   primary  = number | pi | t | parameter | definition | coordinate | coordinate' | ( sum )
 *            | function ( ... ) | d ( sum )
 *
 * The depth is bounded by CAROM_EXPR_DEPTH_MAX; sums and products of any length are loops. */
#include "carom/need.h"
#include "carom/text.h"
#include "expr/parse_name.h"

#include <math.h>
#include <string.h>

static carom_node parse_signed(carom_parser *p);

/* Bytes of the UTF-8 character at text. */
static int character_length(const char *text)
{
    int length = 1;
    while (((unsigned char)text[length] & 0xC0) == 0x80 && length < 4)
        length++;
    return length;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t carom_name_length(const char *text)
{
    CAROM_NEED_OR(0, text);
    size_t k = 0;
    if (is_letter(text[0]))
        while (is_letter(text[k]) || is_digit(text[k]) ||
               (text[k] == '.' && is_letter(text[k + 1])))
            k++; /* `cube.x`: a coordinate of a body */
    return k;
}

carom_parse_token carom_parse_find_token(const carom_parser *p, size_t offset)
{
    const char *text = p->text + offset;
    carom_parse_token f = {"the end of the formula"};
    if (*text) {
        size_t length = carom_name_length(text);
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

carom_node carom_parse_fail_expected(carom_parser *p, const char *expected)
{
    CAROM_PARSE_FAIL(p, p->at, "expected %s, found %s", expected,
                     carom_parse_find_token(p, p->at).text);
}

carom_node carom_parse_at(carom_parser *p, carom_node node, size_t offset)
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

void carom_parse_skip_blanks(carom_parser *p)
{
    while (strchr(" \t\r\n", p->text[p->at]) && p->text[p->at])
        p->at++;
}

bool carom_parse_accept(carom_parser *p, char c)
{
    carom_parse_skip_blanks(p);
    if (p->text[p->at] != c)
        return false;
    p->at++;
    return true;
}

static bool enter(carom_parser *p)
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

/* The grammar from the inside out. */

static carom_node parse_literal(carom_parser *p)
{
    size_t start = p->at, length;
    double value = carom_number_prefix(p->text + start, &length);
    if (!length)
        return carom_parse_fail_expected(p, "a number, a name or (");
    if (!isfinite(value))
        CAROM_PARSE_FAIL(p, start, "the number %.*s is too large", length < 60 ? (int)length : 60,
                         p->text + start);
    p->at += length;
    return carom_parse_at(p, carom_graph_constant(p->graph, value), start);
}

static carom_node fail_character(carom_parser *p)
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
            CAROM_PARSE_FAIL(p, p->at, "unexpected %s; write %s",
                             carom_parse_find_token(p, p->at).text, hints[k].advice);
    if (*s == '$')
        CAROM_PARSE_FAIL(p, p->at, "'$' stands for an index and can be used inside repeat only");
    if ((unsigned char)*s >= 0x80)
        CAROM_PARSE_FAIL(p, p->at,
                         "unexpected %s; names are made of the letters a-z, A-Z, digits and _",
                         carom_parse_find_token(p, p->at).text);
    return carom_parse_fail_expected(p, "a number, a name or (");
}

static carom_node parse_primary(carom_parser *p)
{
    carom_parse_skip_blanks(p);
    char c = p->text[p->at];
    if (is_letter(c))
        return carom_parse_name(p);
    if (is_digit(c) || c == '.')
        return parse_literal(p);
    if (c != '(')
        return fail_character(p);
    size_t open = p->at++;
    carom_node inside = carom_parse_sum(p);
    if (p->status)
        return CAROM_NODE_NONE;
    if (carom_parse_accept(p, ')'))
        return inside;
    if (!p->text[p->at])
        CAROM_PARSE_FAIL(p, open, "this ( is never closed");
    return carom_parse_fail_expected(p, "an operator or )");
}

static carom_node parse_power(carom_parser *p)
{
    carom_node base = parse_primary(p);
    if (p->status || !carom_parse_accept(p, '^'))
        return base;
    size_t start = p->at - 1;
    carom_node exponent = parse_signed(p);
    return p->status ? CAROM_NODE_NONE
                     : carom_parse_at(p, carom_graph_binary(p->graph, CAROM_OP_POW, base, exponent),
                                      start);
}

static carom_node parse_signed(carom_parser *p)
{
    if (!enter(p))
        return CAROM_NODE_NONE;
    bool negative = false;
    size_t start = 0;
    for (;; p->at++) {
        carom_parse_skip_blanks(p);
        char c = p->text[p->at];
        if (c != '-' && c != '+')
            break;
        start = p->at;
        negative ^= c == '-';
    }
    carom_node a = parse_power(p);
    if (negative && !p->status)
        a = carom_parse_at(p, carom_graph_unary(p->graph, CAROM_OP_NEG, a), start);
    p->depth--;
    return a;
}

static carom_node parse_product(carom_parser *p)
{
    carom_node a = parse_signed(p);
    while (!p->status) {
        carom_parse_skip_blanks(p);
        size_t start = p->at;
        char c = p->text[start];
        if (c != '*' && c != '/')
            break;
        p->at++;
        if (c == '*' && p->text[p->at] == '*')
            CAROM_PARSE_FAIL(p, start, "powers are written with ^, not **");
        carom_node b = parse_signed(p);
        if (!p->status)
            a = carom_parse_at(
                p, carom_graph_binary(p->graph, c == '*' ? CAROM_OP_MUL : CAROM_OP_DIV, a, b),
                start);
    }
    return a;
}

carom_node carom_parse_sum(carom_parser *p)
{
    carom_node a = parse_product(p);
    while (!p->status) {
        carom_parse_skip_blanks(p);
        size_t start = p->at;
        char c = p->text[start];
        if (c != '+' && c != '-')
            break;
        p->at++;
        carom_node b = parse_product(p);
        if (!p->status)
            a = carom_parse_at(
                p, carom_graph_binary(p->graph, c == '+' ? CAROM_OP_ADD : CAROM_OP_SUB, a, b),
                start);
    }
    return a;
}

/* What may follow a whole formula is nothing; the usual mistakes get their own message. */
static carom_node parse_end(carom_parser *p, carom_node root)
{
    carom_parse_skip_blanks(p);
    const char *s = p->text + p->at;
    if (p->status || !*s)
        return root;
    bool zero_before = p->at > 0 && s[-1] == '0' &&
                       (p->at == 1 || !(is_letter(s[-2]) || is_digit(s[-2]) || s[-2] == '.'));
    if (zero_before && (*s == 'x' || *s == 'X'))
        CAROM_PARSE_FAIL(p, p->at, "numbers are decimal; found %s after 0",
                         carom_parse_find_token(p, p->at).text);
    if (is_letter(*s) || is_digit(*s) || *s == '(' || *s == '.')
        CAROM_PARSE_FAIL(p, p->at, "expected an operator before %s: products are written with *",
                         carom_parse_find_token(p, p->at).text);
    if (*s == ')')
        CAROM_PARSE_FAIL(p, p->at, "this ) has no (");
    if (*s == '\'')
        CAROM_PARSE_FAIL(p, p->at, "a prime can only follow a coordinate's name");
    if (*s == ',')
        CAROM_PARSE_FAIL(p, p->at, "a comma can only stand between the arguments of a function");
    if (strchr("<>=!", *s))
        CAROM_PARSE_FAIL(p, p->at,
                         "comparisons can only be the first argument of if(condition, then, else)");
    if ((unsigned char)*s >= 0x80 || *s == '$')
        return fail_character(p);
    return carom_parse_fail_expected(p, "an operator or the end of the formula");
}

/* A constant that is infinite or undefined, outside the branches of an if, spoils every value. */
static carom_node check_finite(carom_parser *p, carom_node root)
{
    const carom_graph *g = p->graph;
    if (p->status || root == CAROM_NODE_NONE || !(g->nodes[root].on & CAROM_ON_BAD))
        return root;
    for (uint32_t k = 0; k < p->origin_count; k++) {
        const carom_graph_node *n = &g->nodes[p->origins[k].node];
        if (n->op == CAROM_OP_CONST && !isfinite(n->as.value))
            CAROM_PARSE_FAIL(p, p->origins[k].offset,
                             "the value computed here is %s; it must be a finite number",
                             isnan(n->as.value) ? "undefined" : "infinite");
    }
    CAROM_PARSE_FAIL(p, 0, "the value is not a finite number");
}

static carom_node parse_all(carom_parser *p)
{
    size_t length = strlen(p->text);
    if (length > CAROM_EXPR_LENGTH_MAX)
        CAROM_PARSE_FAIL(p, 0, "the formula has %zu characters; at most %d are read", length,
                         CAROM_EXPR_LENGTH_MAX);
    carom_parse_skip_blanks(p);
    if (!p->text[p->at])
        CAROM_PARSE_FAIL(p, 0, "the formula is empty; expected a number or a formula");
    return check_finite(p, parse_end(p, carom_parse_sum(p)));
}

carom_status carom_parse_formula(carom_scope *scope, const carom_source *source,
                                 carom_formula *formula, carom_error *error)
{
    if (!source->text)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "the text of a formula is NULL");
    carom_parser p = {.scope = scope,
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
            *formula = (carom_formula){*source,
                                       root,
                                       origins,
                                       p.origin_count,
                                       p.derivative_count > 0,
                                       p.derivative_offset};
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
    CAROM_NEED_OR(false, text);
    return length > 0 && carom_name_length(text) == length;
}
