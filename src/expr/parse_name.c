/* Names in formulas: variables, parameters, definitions, functions with their arguments, d( ). */
#include "expr/parse_name.h"

#include "expr/definition.h"

#include <string.h>

static carom_node fail_unknown(carom_parser *p, size_t start, size_t length)
{
    const char *name = p->text + start;
    int shown = length < 60 ? (int)length : 60;
    size_t next = start + length + strspn(name + length, " \t");
    bool call = p->text[next] == '(';
    const char *near = carom_scope_suggest_near(p->scope, name, length, call);
    if (near)
        CAROM_PARSE_FAIL(p, start, "unknown %s '%.*s'; did you mean '%s'?",
                         call ? "function" : "name", shown, name, near);
    if (call)
        CAROM_PARSE_FAIL(
            p, start,
            "unknown function '%.*s'; there are sin cos tan asin acos atan atan2 sinh cosh tanh "
            "exp log sqrt abs sign min max if, and d",
            shown, name);
    if (length == 1 && *name == 'e')
        CAROM_PARSE_FAIL(p, start, "unknown name 'e'; Euler's number is exp(1)");
    CAROM_PARSE_FAIL(
        p, start, "unknown name '%.*s'; it is neither a parameter, a coordinate nor a definition",
        shown, name);
}

/* A comparison, the first argument of if. */
static carom_node parse_condition(carom_parser *p)
{
    carom_node a = carom_parse_sum(p);
    carom_parse_skip_blanks(p);
    size_t start = p->at;
    const char *s = p->text + start;
    bool equal = s[0] && s[1] == '=';
    if (p->status)
        return CAROM_NODE_NONE;
    if (s[0] == '=' && !equal)
        CAROM_PARSE_FAIL(p, start, "a comparison of equality is written ==");
    if (!((s[0] == '<' || s[0] == '>') || ((s[0] == '=' || s[0] == '!') && equal)))
        CAROM_PARSE_FAIL(
            p, start,
            "expected a comparison (< <= > >= == !=) in the first argument of if, found %s",
            carom_parse_find_token(p, start).text);
    p->at += equal ? 2 : 1;
    carom_node b = carom_parse_sum(p);
    if (p->status)
        return CAROM_NODE_NONE;
    carom_op less = equal ? CAROM_OP_LESS_EQUAL : CAROM_OP_LESS;
    carom_graph *g = p->graph;
    switch (s[0]) {
    case '<':
        return carom_parse_at(p, carom_graph_binary(g, less, a, b), start);
    case '>':
        return carom_parse_at(p, carom_graph_binary(g, less, b, a), start);
    case '=':
        return carom_parse_at(p, carom_graph_binary(g, CAROM_OP_EQUAL, a, b), start);
    default: /* a != b is 1 - (a == b) */
        return carom_parse_at(p,
                              carom_graph_binary(g, CAROM_OP_SUB, g->one,
                                                 carom_graph_binary(g, CAROM_OP_EQUAL, a, b)),
                              start);
    }
}

/* function ( arguments ): one, two, for min and max two or more, for if three. */
static carom_node parse_call(carom_parser *p, const carom_symbol *function, size_t start)
{
    carom_op op = (carom_op)function->index;
    int wanted = carom_graph_arity(op), count = 0;
    bool more_allowed = op == CAROM_OP_MIN || op == CAROM_OP_MAX;
    carom_node args[3] = {0};
    if (!carom_parse_accept(p, '('))
        CAROM_PARSE_FAIL(p, p->at, "expected ( after the function '%s', found %s", function->text,
                         carom_parse_find_token(p, p->at).text);
    do {
        carom_parse_skip_blanks(p);
        if (count == wanted && !more_allowed)
            CAROM_PARSE_FAIL(p, p->at, "too many arguments: '%s' takes %d", function->text, wanted);
        carom_node a =
            op == CAROM_OP_SELECT && count == 0 ? parse_condition(p) : carom_parse_sum(p);
        if (p->status)
            return CAROM_NODE_NONE;
        if (count >= 2 && more_allowed)
            args[0] = carom_parse_at(p, carom_graph_binary(p->graph, op, args[0], args[1]), start);
        args[count < 2 || !more_allowed ? count : 1] = a;
        count++;
    } while (carom_parse_accept(p, ','));
    if (p->text[p->at] == ')' && count < wanted)
        CAROM_PARSE_FAIL(p, p->at, "too few arguments: '%s' takes %d%s, found %d", function->text,
                         wanted, more_allowed ? " or more" : "", count);
    if (!carom_parse_accept(p, ')'))
        return carom_parse_fail_expected(p,
                                         count < wanted ? "an operator or ," : "an operator or )");
    return carom_parse_at(p, carom_graph_apply(p->graph, op, args[0], args[1], args[2]), start);
}

/* The first operation read since `first` that depends on a velocity. */
static size_t find_velocity(const carom_parser *p, uint32_t first)
{
    for (uint32_t k = first; k < p->origin_count; k++)
        if (p->graph->nodes[p->origins[k].node].on & CAROM_ON_U)
            return p->origins[k].offset;
    return p->at;
}

/* d ( sum ): the time derivative along the motion, of coordinates and t. */
static carom_node parse_derivative(carom_parser *p, size_t start)
{
    uint32_t first = p->origin_count, inner = p->derivative_count++;
    if (inner == 0)
        p->derivative_offset = (uint32_t)start;
    carom_parse_accept(p, '(');
    carom_node f = carom_parse_sum(p);
    if (p->status)
        return CAROM_NODE_NONE;
    if (carom_parse_accept(p, ','))
        CAROM_PARSE_FAIL(p, p->at - 1, "too many arguments: 'd' takes 1");
    if (!carom_parse_accept(p, ')'))
        return carom_parse_fail_expected(p, "an operator or )");
    if (f != CAROM_NODE_NONE && p->graph->nodes[f].on & CAROM_ON_U)
        CAROM_PARSE_FAIL(
            p, find_velocity(p, first),
            "d( ) takes a formula of coordinates and t; this is a velocity already, and formulas "
            "cannot use accelerations%s",
            p->derivative_count > inner + 1 ? ": there is no d(d( ))" : "");
    if (!p->scope->derivative) {
        p->status = carom_derivative_create(p->graph, &p->scope->derivative, p->error);
        if (p->status)
            return CAROM_NODE_NONE;
    }
    carom_node rate = carom_derivative_in_time(p->scope->derivative, f);
    p->status = carom_derivative_check(p->scope->derivative, p->error);
    return carom_parse_at(p, rate, start);
}

static carom_node fail_prime(carom_parser *p, const carom_symbol *s)
{
    if (s->kind == CAROM_SYMBOL_DEFINITION)
        CAROM_PARSE_FAIL(p, p->at,
                         "only coordinates have a velocity; for the definition '%s' write d(%s)",
                         s->text, s->text);
    CAROM_PARSE_FAIL(p, p->at, "only coordinates have a velocity; '%s' is %s", s->text,
                     s->kind == CAROM_SYMBOL_PARAMETER ? "a parameter" : "no coordinate");
}

/* A definition, which may be one that is not read yet. */
static carom_node parse_definition(carom_parser *p, const carom_symbol *s, size_t start)
{
    char why[512];
    if (s->node != CAROM_NODE_NONE)
        return carom_parse_at(p, s->node, start);
    carom_definition_describe(p->scope, s, why, sizeof why);
    CAROM_PARSE_FAIL(p, start, "%s", why);
}

static carom_node parse_parameter(carom_parser *p, const carom_symbol *s, size_t start)
{
    carom_graph *g = p->graph;
    return carom_parse_at(p,
                          p->scope->keeps_parameters ? carom_graph_parameter(g, s->index, s->value)
                                                     : carom_graph_constant(g, s->value),
                          start);
}

carom_node carom_parse_name(carom_parser *p)
{
    size_t start = p->at, length = carom_name_length(p->text + start);
    if (length == 1 && p->text[start] == 'd') {
        p->at++;
        carom_parse_skip_blanks(p);
        if (p->text[p->at] == '(')
            return parse_derivative(p, start);
        p->at = start;
    }
    const carom_symbol *s = carom_scope_symbol(p->scope, p->text + start, length);
    if (!s)
        return fail_unknown(p, start, length);
    p->at += length;
    bool prime = p->text[p->at] == '\'';
    if (prime && s->kind != CAROM_SYMBOL_COORDINATE)
        return fail_prime(p, s);
    if (prime && p->text[p->at + 1] == '\'')
        CAROM_PARSE_FAIL(
            p, p->at + 1,
            "accelerations cannot be used in formulas (inside '...' a prime is doubled once: "
            "'%s''')",
            s->text);
    switch (s->kind) {
    case CAROM_SYMBOL_PARAMETER:
        return parse_parameter(p, s, start);
    case CAROM_SYMBOL_DEFINITION:
        return parse_definition(p, s, start);
    case CAROM_SYMBOL_TIME:
        return carom_parse_at(p, carom_graph_variable(p->graph, CAROM_VARIABLE_T), start);
    case CAROM_SYMBOL_PI:
        return carom_parse_at(p, carom_graph_constant(p->graph, CAROM_PI), start);
    case CAROM_SYMBOL_COORDINATE:
        p->at += prime;
        return carom_parse_at(p,
                              carom_graph_variable(p->graph, prime ? CAROM_VARIABLE_U(s->index)
                                                                   : CAROM_VARIABLE_Q(s->index)),
                              start);
    case CAROM_SYMBOL_FUNCTION:
        break;
    }
    return parse_call(p, s, start);
}
