/* The ranges of nodes over a box of coordinates, velocities and times, as a function of a device's
 * program; their arithmetic is in cli/device/ranges.cl. */
#include "expr/op.h"
#include "expr/series_rule.h"

/* As there: the function of an operation. NULL: a monotone one, of the values at both ends, or none
 * at all. */
static const char *range_name(carom_op op)
{
    static const char *const names[CAROM_OP_COUNT] = {
        [CAROM_OP_ADD] = "range_add",      [CAROM_OP_SUB] = "range_subtract",
        [CAROM_OP_MUL] = "range_multiply", [CAROM_OP_DIV] = "range_divide",
        [CAROM_OP_NEG] = "range_negate",   [CAROM_OP_SQUARE] = "range_square",
        [CAROM_OP_POW] = "range_pow",      [CAROM_OP_SIN] = "range_sin",
        [CAROM_OP_COS] = "range_cos",      [CAROM_OP_TAN] = "range_tan",
        [CAROM_OP_COSH] = "range_cosh",    [CAROM_OP_SECH] = "range_sech",
        [CAROM_OP_ATAN2] = "range_atan2"};
    return names[op];
}

void carom_series_range(carom_series *s, carom_node x)
{
    if (carom_series_varies(s, x)) {
        carom_series_say(s, "r[%d]", s->row[x]);
        return;
    }
    carom_series_say(s, "range_of(");
    carom_series_scalar(s, x);
    carom_series_say(s, ")");
}

/* A number times a range, in whichever order they stand. */
static void write_scaled(carom_series *s, carom_node a, carom_node b)
{
    const bool first = carom_series_varies(s, a);
    carom_series_say(s, "range_scale(");
    carom_series_scalar(s, first ? b : a);
    carom_series_say(s, ", ");
    carom_series_range(s, first ? a : b);
    carom_series_say(s, ");\n");
}

static void write_line(carom_series *s, carom_node x)
{
    const carom_op op = (carom_op)s->graph->nodes[x].op;
    const carom_node a = carom_graph_argument(s->graph, x, 0),
                     b = carom_graph_argument(s->graph, x, 1);
    const bool two = carom_graph_arity(op) == 2;
    const char *name = range_name(op), *monotone = carom_series_function_name(op);
    carom_series_say(s, "    r[%d] = ", s->row[x]);
    if (op == CAROM_OP_MUL && !(carom_series_varies(s, a) && carom_series_varies(s, b))) {
        write_scaled(s, a, b);
    } else if (op == CAROM_OP_POWER) {
        carom_series_say(s, "range_power(r[%d], ", s->row[a]);
        carom_series_scalar(s, b);
        carom_series_say(s, ");\n");
    } else if (name) {
        carom_series_say(s, "%s(", name);
        carom_series_range(s, a);
        carom_series_say(s, "%s", two ? ", " : "");
        if (two)
            carom_series_range(s, b);
        carom_series_say(s, ");\n");
    } else {
        carom_series_say(s, "range_monotone(%s(r[%d].x), %s(r[%d].y));\n", monotone, s->row[a],
                         monotone, s->row[a]);
    }
}

void carom_series_write_ranges(carom_series *s)
{
    carom_series_say(s, "static APART void model_ranges(const double *p, const double *c, range "
                        "*r)\n{\n");
    for (carom_node x = 0; x < s->graph->count; x++)
        if (s->part[x] & CAROM_SERIES_CURVATURE && carom_series_varies(s, x) &&
            s->graph->nodes[x].op != CAROM_OP_VARIABLE)
            write_line(s, x);
    carom_series_say(s, "}\n\n");
}
