/* Whole numbers inside $( ), by recursive descent. */
#include "scene/expand_integer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32 };
static const long limit = 1000000000;

typedef struct integer_parser {
    const char *s;
    const carom_reader_round *round;
    const carom_scope *scope;
    int depth;
    const char *problem; /* NULL while all is well */
} integer_parser;

static long parse_sum(integer_parser *p);

static void skip_blanks(integer_parser *p)
{
    while (*p->s == ' ' || *p->s == '\t' || *p->s == '\n')
        p->s++;
}

static long problem(integer_parser *p, const char *text)
{
    if (!p->problem)
        p->problem = text;
    return 0;
}

static long checked(integer_parser *p, double value)
{
    return fabs(value) <= (double)limit ? (long)value : problem(p, "the number is too large");
}

static long parse_name(integer_parser *p)
{
    char name[64];
    size_t length = carom_name_length(p->s);
    const carom_reader_round *index = carom_reader_find_index(p->round, p->s, length);
    const char *start = p->s;
    p->s += length;
    if (index)
        return index->value;
    if (length >= sizeof name)
        return problem(p, "the name is too long");
    memcpy(name, start, length);
    name[length] = '\0';
    double value;
    if (carom_scope_find(p->scope, name, NULL, &value) != CAROM_NAME_PARAMETER)
        return problem(p, "only indices and parameters may stand in it");
    if (value != floor(value))
        return problem(p, "a parameter in it is not a whole number");
    return checked(p, value);
}

static long parse_atom(integer_parser *p)
{
    skip_blanks(p);
    if (*p->s == '(' || *p->s == '-') {
        bool minus = *p->s++ == '-';
        if (++p->depth > DEPTH_MAX)
            return problem(p, "it is nested too deep");
        long value = minus ? -parse_atom(p) : parse_sum(p);
        p->depth--;
        if (!minus && *p->s++ != ')') {
            p->s--;
            return problem(p, "a closing parenthesis is missing");
        }
        skip_blanks(p);
        return value;
    }
    long value = 0;
    if (*p->s >= '0' && *p->s <= '9')
        while (*p->s >= '0' && *p->s <= '9')
            value = checked(p, 10.0 * (double)value + (*p->s++ - '0'));
    else if (carom_name_length(p->s))
        value = parse_name(p);
    else
        return problem(p, "a whole number or an index is expected");
    skip_blanks(p);
    return value;
}

static long parse_product(integer_parser *p)
{
    long value = parse_atom(p);
    while (!p->problem && (*p->s == '*' || *p->s == '/' || *p->s == '%')) {
        char op = *p->s++;
        long right = parse_atom(p);
        if (p->problem)
            return 0;
        if (op == '*')
            value = checked(p, (double)value * (double)right);
        else if (right == 0)
            return problem(p, "it divides by 0");
        else if (op == '/' && value % right)
            return problem(p, "the division has a remainder");
        else
            value = op == '/' ? value / right : ((value % right) + labs(right)) % labs(right);
    }
    return value;
}

static long parse_sum(integer_parser *p)
{
    long value = parse_product(p);
    while (!p->problem && (*p->s == '+' || *p->s == '-')) {
        bool minus = *p->s++ == '-';
        long right = parse_product(p);
        value = checked(p, (double)value + (minus ? -(double)right : (double)right));
    }
    return value;
}

const char *carom_expand_integer(const carom_reader_round *round, const carom_scope *scope,
                                 const char **s, long *value)
{
    integer_parser p = {*s, round, scope, 0, NULL};
    *value = parse_atom(&p); /* the parenthesis */
    *s = p.s;
    while (!p.problem && (*s)[-1] != ')') /* blanks behind it belong to the text */
        --*s;
    return p.problem;
}
