/* Which nodes have series, in which rows, and the two functions that compute them. */
#include "expr/series_rule.h"

#include "carom/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

carom_status carom_series_begin(carom_series *s, const carom_graph *graph, int coordinates,
                                carom_arena *arena, carom_error *error)
{
    *s = (carom_series){.graph = graph, .n = coordinates, .rows = 2 * coordinates + 1};
    s->part = carom_arena_zeros(arena, graph->count, 1);
    s->row = carom_arena_array(arena, graph->count, sizeof *s->row);
    s->constant = carom_arena_array(arena, graph->count, sizeof *s->constant);
    s->even = carom_arena_zeros(arena, graph->count, sizeof *s->even);
    if (!s->part || !s->row || !s->constant || !s->even)
        return carom_error_memory(error);
    for (uint32_t x = 0; x < graph->count; x++)
        s->row[x] = s->constant[x] = -1;
    return carom_tex_begin(&s->text, NULL, arena, error);
}

void carom_series_say(carom_series *s, const char *format, ...)
{
    char piece[400];
    va_list list;
    va_start(list, format);
    vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    carom_tex_put(&s->text, piece);
}

static void put_number(carom_series *s, double value)
{
    char digits[CAROM_NUMBER_SIZE];
    carom_number_print(value, digits);
    const bool whole = !strpbrk(digits, ".en"); /* inf and nan have an n, and no place in a graph */
    carom_series_say(s, "%s%s%s%s", value < 0 ? "(" : "", digits, whole ? ".0" : "",
                     value < 0 ? ")" : "");
}

void carom_series_need(carom_series *s, carom_node node, carom_series_part part)
{
    s->part[node] |= (unsigned char)part;
}

bool carom_series_varies(const carom_series *s, carom_node x)
{
    return s->graph->nodes[x].on & CAROM_ON_ALL;
}

/* From the outputs down, in one loop against the order of making: a node is made after its
 * arguments, so that all who use it have been seen when its turn comes. */
static void spread(carom_series *s)
{
    for (carom_node x = s->graph->count; x-- > 0;) {
        const int arity = s->part[x] ? carom_graph_arity((carom_op)s->graph->nodes[x].op) : 0;
        for (int k = 0; k < arity; k++)
            s->part[carom_graph_argument(s->graph, x, k)] |= s->part[x];
    }
}

/* a + b t with numbers a, b: all coefficients but two are zero, whatever the motion does. */
static bool is_even(const carom_series *s, carom_node x)
{
    const carom_graph_node *n = &s->graph->nodes[x];
    const int arity = carom_graph_arity((carom_op)n->op);
    const carom_node a = arity > 0 ? carom_graph_argument(s->graph, x, 0) : x,
                     b = arity > 1 ? carom_graph_argument(s->graph, x, 1) : a;
    if (!carom_series_varies(s, x))
        return true;
    switch (n->op) {
    case CAROM_OP_VARIABLE:
        return n->as.variable == CAROM_VARIABLE_T;
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
    case CAROM_OP_NEG:
        return s->even[a] && s->even[b];
    case CAROM_OP_MUL:
        return s->even[a] && s->even[b] &&
               !(carom_series_varies(s, a) && carom_series_varies(s, b));
    case CAROM_OP_DIV:
        return s->even[a] && !carom_series_varies(s, b);
    default:
        return false;
    }
}

/* Where the numbers of a variable are: a parameter is its own name. */
static void place_variable(carom_series *s, carom_node x)
{
    const carom_variable variable = s->graph->nodes[x].as.variable;
    const int index = CAROM_VARIABLE_INDEX(variable);
    if (CAROM_VARIABLE_PARAMETER(variable))
        return;
    s->row[x] = variable == CAROM_VARIABLE_T        ? 2 * s->n
                : CAROM_VARIABLE_VELOCITY(variable) ? s->n + index
                                                    : index;
}

void carom_series_scalar(carom_series *s, carom_node x)
{
    const carom_graph_node *n = &s->graph->nodes[x];
    if (n->op == CAROM_OP_CONST)
        put_number(s, n->as.value);
    else if (n->op == CAROM_OP_VARIABLE)
        carom_series_say(s, "p[%d]", CAROM_VARIABLE_INDEX(n->as.variable));
    else
        carom_series_say(s, "c[%d]", s->constant[x]);
}

static void write_constants(carom_series *s)
{
    const carom_graph *g = s->graph;
    carom_series_say(s, "static void model_constants(const double *p, double *c)\n{\n");
    for (carom_node x = 0; x < g->count; x++) {
        if (!s->part[x] || carom_series_varies(s, x) || g->nodes[x].op <= CAROM_OP_VARIABLE)
            continue;
        s->constant[x] = s->constants++;
        carom_series_say(s, "    c[%d] = ", s->constant[x]);
        carom_series_scalar_rule(s, x);
        carom_series_say(s, ";\n");
    }
    carom_series_say(s, "}\n\n");
}

carom_series_part carom_series_part_of(const carom_series *s, carom_node x)
{
    const unsigned part = s->part[x] & ~(unsigned)CAROM_SERIES_CURVATURE;
    return part == CAROM_SERIES_CONTACTS || part == CAROM_SERIES_ENERGY ? (carom_series_part)part
                                                                        : CAROM_SERIES_MOTION;
}

/* Functions that fall like an exponential or a high power: a pulse, exp(-t^2/s^2), whose
 * coefficients vanish some ten s away from it. */
static bool may_hide(carom_op op)
{
    return op == CAROM_OP_EXP || op == CAROM_OP_SINH || op == CAROM_OP_COSH ||
           op == CAROM_OP_TANH || op == CAROM_OP_SECH || op == CAROM_OP_POW;
}

static void write_part(carom_series *s, carom_series_part part)
{
    for (carom_node x = 0; x < s->graph->count; x++) {
        const carom_op op = (carom_op)s->graph->nodes[x].op;
        if (!s->part[x] || carom_series_part_of(s, x) != part || !carom_series_varies(s, x) ||
            op == CAROM_OP_VARIABLE)
            continue;
        s->hides = s->hides || may_hide(op);
        carom_series_rule(s, x);
    }
}

carom_status carom_series_write(carom_series *s, carom_error *error)
{
    spread(s);
    for (carom_node x = 0; x < s->graph->count; x++) /* arguments before their users */
        s->even[x] = is_even(s, x);
    for (carom_node x = 0; x < s->graph->count; x++)
        if (s->graph->nodes[x].op == CAROM_OP_VARIABLE)
            place_variable(s, x);
    write_constants(s);
    carom_series_say(s,
                     "static APART void model_series(const double *p, const double *c, int k, int "
                     "parts, series *v)\n{\n");
    write_part(s, CAROM_SERIES_MOTION);
    carom_series_say(s, "    if (parts & CONTACTS) {\n");
    write_part(s, CAROM_SERIES_CONTACTS);
    carom_series_say(s, "    }\n    if (parts & ENERGY) {\n");
    write_part(s, CAROM_SERIES_ENERGY);
    carom_series_say(s, "    }\n}\n\n");
    if (s->refused)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "`%s` of coordinates, velocities or t has a corner or a jump, which "
                               "the series of a device cannot pass",
                               s->refused);
    return carom_tex_check(&s->text, error);
}

void carom_series_coefficient(carom_series *s, carom_node node)
{
    if (carom_series_varies(s, node)) {
        carom_series_say(s, "v[%d][k]", s->row[node]);
        return;
    }
    carom_series_say(s, "(k == 0 ? ");
    carom_series_scalar(s, node);
    carom_series_say(s, " : 0.0)");
}
