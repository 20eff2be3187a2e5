/* The recurrences of docs/theory/series.md, one operation each. Most functions y(a) obey
 * y' = f a' with a series f that is made of others: line `chain`. */
#include "expr/series_rule.h"

#include "expr/op.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_POWER = 1024 };

const char *carom_series_function_name(carom_op op)
{
    static const char *const names[CAROM_OP_COUNT] = {
        [CAROM_OP_SIN] = "sin",     [CAROM_OP_COS] = "cos",      [CAROM_OP_TAN] = "tan",
        [CAROM_OP_ASIN] = "asin",   [CAROM_OP_ACOS] = "acos",    [CAROM_OP_ATAN] = "atan",
        [CAROM_OP_SINH] = "sinh",   [CAROM_OP_COSH] = "cosh",    [CAROM_OP_TANH] = "tanh",
        [CAROM_OP_EXP] = "exp",     [CAROM_OP_LOG] = "log",      [CAROM_OP_SQRT] = "sqrt",
        [CAROM_OP_ABS] = "fabs",    [CAROM_OP_SIGN] = "sign_of", [CAROM_OP_SIDE] = "side_of",
        [CAROM_OP_SECH] = "sech_of"};
    return names[op];
}

static const char *pair_name(carom_op op)
{
    static const char *const names[CAROM_OP_COUNT] = {
        [CAROM_OP_POW] = "pow",       [CAROM_OP_ATAN2] = "atan2",
        [CAROM_OP_MIN] = "least_of",  [CAROM_OP_MAX] = "most_of",
        [CAROM_OP_LESS] = "is_less",  [CAROM_OP_LESS_EQUAL] = "is_at_most",
        [CAROM_OP_EQUAL] = "is_equal"};
    return names[op];
}

static const char *sign_name(carom_op op)
{
    return op == CAROM_OP_ADD ? "+" : op == CAROM_OP_SUB ? "-" : op == CAROM_OP_MUL ? "*" : "/";
}

void carom_series_scalar_rule(carom_series *s, carom_node x)
{
    const carom_op op = (carom_op)s->graph->nodes[x].op;
    const carom_node a = carom_graph_argument(s->graph, x, 0),
                     b = carom_graph_argument(s->graph, x, 1);
    const bool two = carom_graph_arity(op) == 2;
    if (op == CAROM_OP_SELECT) {
        carom_series_say(s, "select_of(");
        carom_series_scalar(s, a);
        carom_series_say(s, ", ");
        carom_series_scalar(s, b);
        carom_series_say(s, ", ");
        carom_series_scalar(s, carom_graph_argument(s->graph, x, 2));
        carom_series_say(s, ")");
        return;
    }
    const char *name = op == CAROM_OP_POWER    ? "power_of"
                       : op == CAROM_OP_SQUARE ? "square_of"
                       : two                   ? pair_name(op)
                                               : carom_series_function_name(op);
    carom_series_say(s, "%s(", name ? name : op == CAROM_OP_NEG ? "-" : "");
    carom_series_scalar(s, a);
    if (two) {
        carom_series_say(s, "%s", name ? ", " : sign_name(op));
        carom_series_scalar(s, b);
    }
    carom_series_say(s, ")");
}

/* A row for a series that is no node, and a line that begins with it. */
static int new_row(carom_series *s)
{
    return s->rows++;
}

static int begin_line(carom_series *s, int row)
{
    carom_series_say(s, "    v[%d][k] = ", row);
    return row;
}

static void write_sum(carom_series *s, carom_node x, carom_op op, carom_node a, carom_node b)
{
    begin_line(s, s->row[x]);
    carom_series_coefficient(s, a);
    carom_series_say(s, " %s ", sign_name(op));
    carom_series_coefficient(s, b);
    carom_series_say(s, ";\n");
}

static void write_product(carom_series *s, carom_node x, carom_node a, carom_node b)
{
    begin_line(s, s->row[x]);
    if (carom_series_varies(s, a) && carom_series_varies(s, b)) {
        carom_series_say(s, "product(v[%d], v[%d], k);\n", s->row[a], s->row[b]);
        return;
    }
    const bool first = carom_series_varies(s, a);
    carom_series_say(s, "scaled(");
    carom_series_scalar(s, first ? b : a);
    carom_series_say(s, ", v[%d][k]);\n", s->row[first ? a : b]);
}

static void write_quotient(carom_series *s, carom_node x, carom_node a, carom_node b)
{
    begin_line(s, s->row[x]);
    if (!carom_series_varies(s, b)) {
        carom_series_say(s, "v[%d][k] / ", s->row[a]);
        carom_series_scalar(s, b);
        carom_series_say(s, ";\n");
        return;
    }
    carom_series_say(s, "quotient(");
    carom_series_coefficient(s, a);
    carom_series_say(s, ", v[%d], v[%d], k);\n", s->row[b], s->row[x]);
}

/* y' = f a', y = name(a) at k = 0. */
static void write_chain(carom_series *s, int y, const char *name, int a, const char *sign, int f)
{
    begin_line(s, y);
    carom_series_say(s, "k == 0 ? %s(v[%d][0]) : %schain(v[%d], v[%d], k);\n", name, a, sign, f, a);
}

/* The other function of the pair, of the same argument, where it is computed already. Its row is
 * followed by that of its own partner. */
static int find_partner(const carom_series *s, carom_node x, carom_op partner)
{
    const carom_graph *g = s->graph;
    for (carom_node y = 0; y < g->count; y++)
        if (g->nodes[y].op == partner && g->nodes[y].as.arg[0] == g->nodes[x].as.arg[0] &&
            s->row[y] >= 0 &&
            (carom_series_part_of(s, y) == CAROM_SERIES_MOTION ||
             carom_series_part_of(s, y) == carom_series_part_of(s, x)))
            return s->row[y];
    return -1;
}

/* One of a pair; start: its value at k = 0, a number or a function. */
static void write_half(carom_series *s, int y, const char *start, carom_node a, const char *sign,
                       int f)
{
    const bool number = strchr(start, '_') != NULL;
    begin_line(s, y);
    if (number)
        carom_series_say(s, "k == 0 ? %s : ", start);
    else
        carom_series_say(s, "k == 0 ? %s(v[%d][0]) : ", start, s->row[a]);
    carom_series_say(s, "%s%s(v[%d], v[%d], k);\n", sign, s->even[a] ? "even_chain" : "chain", f,
                     s->row[a]);
}

/* Sine and cosine of one argument come in pairs: y' = c a', c' = -y a'. */
static void write_pair(carom_series *s, carom_node x, carom_op partner, const char *sign,
                       const char *partner_sign)
{
    const int known = find_partner(s, x, partner);
    const carom_node a = carom_graph_argument(s->graph, x, 0);
    if (known >= 0) {
        s->rows--;
        s->row[x] = known + 1;
        return;
    }
    const int y = s->row[x], c = new_row(s);
    const carom_op op = (carom_op)s->graph->nodes[x].op;
    char own[40], other[40];
    snprintf(own, sizeof own, "%s", carom_series_function_name(op));
    snprintf(other, sizeof other, "%s", carom_series_function_name(partner));
    if (op == CAROM_OP_SIN ||
        op == CAROM_OP_COS) { /* both at once, which costs little more than one */
        carom_series_say(s, "    double sin_%d = 0.0, cos_%d = 0.0;\n", y, y);
        carom_series_say(s, "    if (k == 0)\n        sin_%d = sincos(v[%d][0], &cos_%d);\n", y,
                         s->row[a], y);
        snprintf(own, sizeof own, "%s_%d", op == CAROM_OP_SIN ? "sin" : "cos", y);
        snprintf(other, sizeof other, "%s_%d", op == CAROM_OP_SIN ? "cos" : "sin", y);
    }
    write_half(s, y, own, a, sign, c);
    write_half(s, c, other, a, partner_sign, y);
}

/* 1/(1 + a^2), 1/sqrt(1 - a^2) and such: a row with what stands in it, from k = 0 on. */
static int write_square(carom_series *s, int a)
{
    const int y = begin_line(s, new_row(s));
    carom_series_say(s, "square(v[%d], k);\n", a);
    return y;
}

static int write_one(carom_series *s, const char *sign, int a)
{
    const int y = begin_line(s, new_row(s));
    carom_series_say(s, "(k == 0 ? 1.0 : 0.0) %s v[%d][k];\n", sign, a);
    return y;
}

static int write_inverse(carom_series *s, int a)
{
    const int y = new_row(s);
    begin_line(s, y);
    carom_series_say(s, "quotient(k == 0 ? 1.0 : 0.0, v[%d], v[%d], k);\n", a, y);
    return y;
}

static int write_root(carom_series *s, int y, int a)
{
    begin_line(s, y);
    carom_series_say(s, "root(v[%d], v[%d], k);\n", a, y);
    return y;
}

/* tan, tanh: y' = (1 +- y^2) a'. The series f is one coefficient behind, which is all it needs. */
static void write_tangent(carom_series *s, carom_node x, const char *name, const char *sign, int a)
{
    const int y = s->row[x], first = s->rows;
    write_chain(s, y, name, a, "", first + 1);
    write_one(s, sign, write_square(s, y));
}

/* asin, acos, atan, log: f is a series of a alone. */
static void write_inverse_function(carom_series *s, carom_node x, carom_op op, int a)
{
    int f = a;
    if (op == CAROM_OP_ATAN)
        f = write_one(s, "+", write_square(s, a));
    else if (op != CAROM_OP_LOG)
        f = write_root(s, new_row(s), write_one(s, "-", write_square(s, a)));
    f = write_inverse(s, f);
    write_chain(s, s->row[x], carom_series_function_name(op), a, op == CAROM_OP_ACOS ? "-" : "", f);
}

/* sech: y' = -y tanh(a) a'. */
static void write_sech(carom_series *s, carom_node x, int a)
{
    const int y = s->row[x], tanh_row = new_row(s), one = s->rows + 1;
    write_chain(s, tanh_row, "tanh", a, "", one);
    write_one(s, "-", write_square(s, tanh_row));
    const int f = new_row(s);
    write_chain(s, y, "sech_of", a, "-", f);
    begin_line(s, f);
    carom_series_say(s, "product(v[%d], v[%d], k);\n", y, tanh_row);
}

/* a^n for a whole n, by products, so that a may be zero. */
static void write_power(carom_series *s, carom_node x, int a, double exponent)
{
    int n = (int)fabs(exponent), result = -1, square = a;
    for (; n > 0; n >>= 1) {
        if (n & 1 && result >= 0) {
            const int y = begin_line(s, new_row(s));
            carom_series_say(s, "product(v[%d], v[%d], k);\n", result, square);
            result = y;
        } else if (n & 1) {
            result = square;
        }
        if (n > 1)
            square = write_square(s, square);
    }
    if (exponent < 0)
        result = write_inverse(s, result);
    begin_line(s, s->row[x]);
    carom_series_say(s, "v[%d][k];\n", result);
}

/* A whole number that the text of a formula has, and that few squares reach. */
static bool is_whole(const carom_series *s, carom_node b)
{
    const carom_graph_node *n = &s->graph->nodes[b];
    return n->op == CAROM_OP_CONST && n->as.value == floor(n->as.value) &&
           fabs(n->as.value) <= LARGEST_POWER;
}

/* a^b: b a number: a y' = b y a'; else exp(b log a). */
static void write_pow(carom_series *s, carom_node x, carom_node a, carom_node b)
{
    const int y = s->row[x];
    if (is_whole(s, b)) {
        write_power(s, x, s->row[a], s->graph->nodes[b].as.value);
        return;
    }
    if (!carom_series_varies(s, b)) {
        begin_line(s, y);
        carom_series_say(s, "real_power(v[%d], ", s->row[a]);
        carom_series_scalar(s, b);
        carom_series_say(s, ", v[%d], k);\n", y);
        return;
    }
    const int z = new_row(s);
    if (carom_series_varies(s, a)) {
        const int log_row = new_row(s);
        write_chain(s, log_row, "log", s->row[a], "", write_inverse(s, s->row[a]));
        begin_line(s, z);
        carom_series_say(s, "product(v[%d], v[%d], k);\n", log_row, s->row[b]);
    } else {
        begin_line(s, z);
        carom_series_say(s, "log(");
        carom_series_scalar(s, a);
        carom_series_say(s, ") * v[%d][k];\n", s->row[b]);
    }
    write_chain(s, y, "exp", z, "", y);
}

/* y = atan2(a, b): y' = (b a' - a b')/(a^2 + b^2). */
static void write_angle(carom_series *s, carom_node x, carom_node a, carom_node b)
{
    int row[2];
    const carom_node argument[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        row[k] = s->row[argument[k]];
        if (carom_series_varies(s, argument[k]))
            continue;
        row[k] = begin_line(s, new_row(s));
        carom_series_coefficient(s, argument[k]);
        carom_series_say(s, ";\n");
    }
    const int aa = write_square(s, row[0]), bb = write_square(s, row[1]);
    const int sum = begin_line(s, new_row(s));
    carom_series_say(s, "v[%d][k] + v[%d][k];\n", aa, bb);
    const int by_a = new_row(s), by_b = new_row(s);
    begin_line(s, by_a);
    carom_series_say(s, "quotient(v[%d][k], v[%d], v[%d], k);\n", row[1], sum, by_a);
    begin_line(s, by_b);
    carom_series_say(s, "quotient(v[%d][k], v[%d], v[%d], k);\n", row[0], sum, by_b);
    begin_line(s, s->row[x]);
    carom_series_say(s,
                     "k == 0 ? atan2(v[%d][0], v[%d][0])\n"
                     "        : chain(v[%d], v[%d], k) - chain(v[%d], v[%d], k);\n",
                     row[0], row[1], by_a, row[0], by_b, row[1]);
}

static void refuse(carom_series *s, const char *name)
{
    if (!s->refused)
        s->refused = name;
}

/* Functions of one argument that varies. */
static void write_function(carom_series *s, carom_node x, carom_op op, int a)
{
    switch (op) {
    case CAROM_OP_SIN:
        write_pair(s, x, CAROM_OP_COS, "", "-");
        return;
    case CAROM_OP_COS:
        write_pair(s, x, CAROM_OP_SIN, "-", "");
        return;
    case CAROM_OP_SINH:
        write_pair(s, x, CAROM_OP_COSH, "", "");
        return;
    case CAROM_OP_COSH:
        write_pair(s, x, CAROM_OP_SINH, "", "");
        return;
    case CAROM_OP_TAN:
        write_tangent(s, x, "tan", "+", a);
        return;
    case CAROM_OP_TANH:
        write_tangent(s, x, "tanh", "-", a);
        return;
    case CAROM_OP_SECH:
        write_sech(s, x, a);
        return;
    case CAROM_OP_EXP:
        write_chain(s, s->row[x], "exp", a, "", s->row[x]);
        return;
    case CAROM_OP_SQRT:
        write_root(s, s->row[x], a);
        return;
    case CAROM_OP_ASIN:
    case CAROM_OP_ACOS:
    case CAROM_OP_ATAN:
    case CAROM_OP_LOG:
        write_inverse_function(s, x, op, a);
        return;
    default:
        refuse(s, op == CAROM_OP_ABS ? "abs" : "sign");
    }
}

void carom_series_rule(carom_series *s, carom_node x)
{
    const carom_op op = (carom_op)s->graph->nodes[x].op;
    const carom_node a = carom_graph_argument(s->graph, x, 0),
                     b = carom_graph_argument(s->graph, x, 1);
    s->row[x] = new_row(s);
    switch (op) {
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
        write_sum(s, x, op, a, b);
        break;
    case CAROM_OP_MUL:
        write_product(s, x, a, b);
        break;
    case CAROM_OP_DIV:
        write_quotient(s, x, a, b);
        break;
    case CAROM_OP_NEG:
        begin_line(s, s->row[x]);
        carom_series_say(s, "-v[%d][k];\n", s->row[a]);
        break;
    case CAROM_OP_SQUARE:
        begin_line(s, s->row[x]);
        carom_series_say(s, "square(v[%d], k);\n", s->row[a]);
        break;
    case CAROM_OP_POWER:
        write_power(s, x, s->row[a], s->graph->nodes[b].as.value);
        break;
    case CAROM_OP_POW:
        write_pow(s, x, a, b);
        break;
    case CAROM_OP_ATAN2:
        write_angle(s, x, a, b);
        break;
    case CAROM_OP_MIN:
    case CAROM_OP_MAX:
        refuse(s, op == CAROM_OP_MIN ? "min" : "max");
        break;
    case CAROM_OP_LESS:
    case CAROM_OP_LESS_EQUAL:
    case CAROM_OP_EQUAL:
    case CAROM_OP_SELECT:
        refuse(s, "if");
        break;
    default:
        write_function(s, x, op, s->row[a]);
    }
}
