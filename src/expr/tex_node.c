/* LaTeX of graph nodes: sums and products are flattened, and parentheses stand only where they are
 * needed. */
#include "expr/tex.h"
#include "expr/tex_expand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How tightly what was written holds together; a place asks for at least so much. */
typedef enum level { SUM = 1, PRODUCT, POWER, ATOM } level;

enum { DEPTH_MAX = 3000 };

static void print(carom_tex *t, carom_node node, level wanted, int depth);

/* Sums. */

static const carom_graph_node *at(const carom_tex *t, carom_node node)
{
    return &t->scope->graph.nodes[node];
}

/* Is the first thing written of this node a minus? It is taken off and told. */
static carom_node take_sign(const carom_tex *t, carom_node node, bool *minus)
{
    while (at(t, node)->op == CAROM_OP_NEG) {
        *minus = !*minus;
        node = at(t, node)->as.arg[0];
    }
    return node;
}

/* Terms of a sum from left to right. Long sums lean to the left: only right arguments recurse. */
static void print_sum(carom_tex *t, carom_node node, bool minus, bool first, int depth)
{
    carom_node terms[64];
    bool signs[64];
    int count = 0;
    node = take_sign(t, node, &minus);
    while ((at(t, node)->op == CAROM_OP_ADD || at(t, node)->op == CAROM_OP_SUB) && count < 64) {
        const carom_graph_node *n = at(t, node);
        terms[count] = n->as.arg[1];
        signs[count++] = minus != (n->op == CAROM_OP_SUB);
        node = take_sign(t, n->as.arg[0], &minus);
    }
    if (count == 64 && depth < DEPTH_MAX) {
        print_sum(t, node, minus, first, depth + 1);
    } else {
        const carom_graph_node *n = at(t, node);
        bool negative = n->op == CAROM_OP_CONST && n->as.value < 0 && !first;
        carom_tex_put(t, minus != negative ? (first ? "-" : " - ") : first ? "" : " + ");
        if (negative)
            carom_tex_constant(t, -n->as.value);
        else
            print(t, node, minus ? PRODUCT : SUM, depth + 1);
    }
    while (count-- > 0)
        print_sum(t, terms[count], signs[count], false, depth + 1);
}

/* Products. */

typedef struct factors {
    carom_node above[64], below[64];
    int above_count, below_count;
    double constant;
} factors;

static void collect(const carom_tex *t, carom_node node, bool below, factors *f)
{
    const carom_graph_node *n = at(t, node);
    int *count = below ? &f->below_count : &f->above_count;
    if (f->above_count > 60 || f->below_count > 60) {
        (below ? f->below : f->above)[(*count)++] = node;
    } else if (n->op == CAROM_OP_MUL) {
        collect(t, n->as.arg[0], below, f);
        collect(t, n->as.arg[1], below, f);
    } else if (n->op == CAROM_OP_DIV) {
        collect(t, n->as.arg[0], below, f);
        collect(t, n->as.arg[1], !below, f);
    } else if (n->op == CAROM_OP_NEG) {
        f->constant = -f->constant;
        collect(t, n->as.arg[0], below, f);
    } else if (n->op == CAROM_OP_CONST && n->as.value != 0 && isfinite(n->as.value) && !below) {
        f->constant *= n->as.value;
    } else {
        (below ? f->below : f->above)[(*count)++] = node;
    }
}

/* Parameters first, then coordinates, then everything with a function or a sum. */
static int rank_of(const carom_tex *t, carom_node node)
{
    const carom_graph_node *n = at(t, node);
    while (n->op == CAROM_OP_SQUARE || n->op == CAROM_OP_POWER)
        n = at(t, n->as.arg[0]);
    if (n->op == CAROM_OP_CONST)
        return 0;
    if (n->op != CAROM_OP_VARIABLE)
        return n->op == CAROM_OP_ADD || n->op == CAROM_OP_SUB ? 5 : 4;
    return n->on & CAROM_ON_P ? 1 : n->on & CAROM_ON_U ? 3 : 2;
}

static void sort_factors(const carom_tex *t, carom_node *list, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && rank_of(t, list[j]) < rank_of(t, list[j - 1]); j--) {
            carom_node keep = list[j];
            list[j] = list[j - 1];
            list[j - 1] = keep;
        }
}

static void print_factors(carom_tex *t, const carom_node *list, int count, bool alone, int depth)
{
    for (int k = 0; k < count; k++) {
        carom_tex_put(t, k ? " " : "");
        print(t, list[k], count == 1 && alone ? SUM : POWER, depth + 1);
    }
}

static void print_product(carom_tex *t, carom_node node, int depth)
{
    factors f = {.constant = 1};
    collect(t, node, false, &f);
    sort_factors(t, f.above, f.above_count);
    sort_factors(t, f.below, f.below_count);
    if (f.constant < 0)
        carom_tex_put(t, "-");
    double size = fabs(f.constant);
    if (size != 1 || f.above_count + f.below_count == 0) {
        carom_tex_constant(t, size);
        carom_tex_put(t, f.above_count + f.below_count ? " " : "");
    }
    if (f.below_count == 0) {
        print_factors(t, f.above, f.above_count, size == 1 && f.constant > 0, depth);
        return;
    }
    carom_tex_put(t, "\\frac{");
    if (f.above_count == 0)
        carom_tex_put(t, "1");
    print_factors(t, f.above, f.above_count, true, depth);
    carom_tex_put(t, "}{");
    print_factors(t, f.below, f.below_count, true, depth);
    carom_tex_put(t, "}");
}

/* Functions. */

static void print_call(carom_tex *t, const char *name, const carom_graph_node *n, int arity,
                       int depth)
{
    carom_tex_put(t, name);
    carom_tex_put(t, "\\left(");
    for (int k = 0; k < arity; k++) {
        carom_tex_put(t, k ? ", " : "");
        print(t, n->as.arg[k], SUM, depth + 1);
    }
    carom_tex_put(t, "\\right)");
}

static const char *function_name(carom_op op)
{
    switch (op) {
    case CAROM_OP_SIN:
        return "\\sin";
    case CAROM_OP_COS:
        return "\\cos";
    case CAROM_OP_TAN:
        return "\\tan";
    case CAROM_OP_ASIN:
        return "\\arcsin";
    case CAROM_OP_ACOS:
        return "\\arccos";
    case CAROM_OP_ATAN:
        return "\\arctan";
    case CAROM_OP_ATAN2:
        return "\\operatorname{atan2}";
    case CAROM_OP_SINH:
        return "\\sinh";
    case CAROM_OP_COSH:
        return "\\cosh";
    case CAROM_OP_TANH:
        return "\\tanh";
    case CAROM_OP_SECH:
        return "\\operatorname{sech}";
    case CAROM_OP_EXP:
        return "\\exp";
    case CAROM_OP_LOG:
        return "\\log";
    case CAROM_OP_SIGN:
    case CAROM_OP_SIDE: /* the slope of the absolute value */
        return "\\operatorname{sgn}";
    case CAROM_OP_MIN:
        return "\\min";
    case CAROM_OP_MAX:
        return "\\max";
    default:
        return NULL;
    }
}

static void print_power(carom_tex *t, carom_node base, carom_node exponent, int depth)
{
    const carom_graph_node *n = at(t, base);
    const bool trigonometric =
        n->op == CAROM_OP_SIN || n->op == CAROM_OP_COS || n->op == CAROM_OP_TAN;
    if (trigonometric)
        carom_tex_put(t, function_name((carom_op)n->op));
    else
        print(t, base, ATOM, depth + 1);
    carom_tex_put(t, "^{");
    if (exponent == CAROM_NODE_NONE)
        carom_tex_put(t, "2");
    else
        print(t, exponent, SUM, depth + 1);
    carom_tex_put(t, "}");
    if (trigonometric)
        print_call(t, "", n, 1, depth);
}

/* A base to a whole power > 0. */
static void print_whole_power(carom_tex *t, carom_node base, int power)
{
    const carom_graph_node *n = at(t, base);
    const bool trigonometric =
        n->op == CAROM_OP_SIN || n->op == CAROM_OP_COS || n->op == CAROM_OP_TAN;
    char digits[16];
    snprintf(digits, sizeof digits, "^{%d}", power);
    if (power == 1) {
        print(t, base, POWER, 0);
    } else if (trigonometric) {
        carom_tex_put(t, function_name((carom_op)n->op));
        carom_tex_put(t, digits);
        print_call(t, "", n, 1, 0);
    } else {
        print(t, base, ATOM, 0);
        carom_tex_put(t, digits);
    }
}

static void print_comparison(carom_tex *t, carom_node node, int depth)
{
    const carom_graph_node *n = at(t, node);
    const char *sign = n->op == CAROM_OP_LESS         ? " < "
                       : n->op == CAROM_OP_LESS_EQUAL ? " \\le "
                       : n->op == CAROM_OP_EQUAL      ? " = "
                                                      : NULL;
    if (sign) {
        print(t, n->as.arg[0], SUM, depth + 1);
        carom_tex_put(t, sign);
        print(t, n->as.arg[1], SUM, depth + 1);
    } else { /* a != b is 1 - (a == b) */
        print(t, node, SUM, depth + 1);
        carom_tex_put(t, " \\ne 0");
    }
}

static void print_cases(carom_tex *t, const carom_graph_node *n, int depth)
{
    carom_tex_put(t, "\\begin{cases} ");
    print(t, n->as.arg[1], SUM, depth + 1);
    carom_tex_put(t, " & \\text{if } ");
    print_comparison(t, n->as.arg[0], depth);
    carom_tex_put(t, " \\\\ ");
    print(t, n->c, SUM, depth + 1);
    carom_tex_put(t, " & \\text{otherwise} \\end{cases}");
}

static void print_plain(carom_tex *t, carom_node node, int depth)
{
    const carom_graph_node *n = at(t, node);
    const char *name = function_name((carom_op)n->op);
    switch ((carom_op)n->op) {
    case CAROM_OP_CONST:
        carom_tex_constant(t, n->as.value);
        return;
    case CAROM_OP_VARIABLE:
        carom_tex_variable(t, n->as.variable);
        return;
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
        print_sum(t, node, false, true, depth);
        return;
    case CAROM_OP_MUL:
    case CAROM_OP_DIV:
    case CAROM_OP_NEG:
        print_product(t, node, depth);
        return;
    case CAROM_OP_SQUARE:
        print_power(t, n->as.arg[0], CAROM_NODE_NONE, depth);
        return;
    case CAROM_OP_POWER:
    case CAROM_OP_POW:
        print_power(t, n->as.arg[0], n->as.arg[1], depth);
        return;
    case CAROM_OP_SQRT:
    case CAROM_OP_ABS:
        carom_tex_put(t, n->op == CAROM_OP_SQRT ? "\\sqrt{" : "\\left|");
        print(t, n->as.arg[0], SUM, depth + 1);
        carom_tex_put(t, n->op == CAROM_OP_SQRT ? "}" : "\\right|");
        return;
    case CAROM_OP_LESS:
    case CAROM_OP_LESS_EQUAL:
    case CAROM_OP_EQUAL:
        carom_tex_put(t, "\\left[");
        print_comparison(t, node, depth);
        carom_tex_put(t, "\\right]");
        return;
    case CAROM_OP_SELECT:
        print_cases(t, n, depth);
        return;
    default:
        print_call(t, name ? name : "?", n, carom_graph_arity((carom_op)n->op), depth);
    }
}

static level level_of(const carom_graph_node *n)
{
    int p, q;
    switch ((carom_op)n->op) {
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
        return SUM;
    case CAROM_OP_MUL:
    case CAROM_OP_DIV:
    case CAROM_OP_NEG:
        return PRODUCT;
    case CAROM_OP_SQUARE:
    case CAROM_OP_POWER:
    case CAROM_OP_POW:
        return POWER;
    case CAROM_OP_CONST:
        return n->as.value < 0                                     ? SUM
               : carom_tex_fraction(n->as.value, &p, &q) && q == 1 ? ATOM
                                                                   : POWER;
    case CAROM_OP_SELECT:
        return PRODUCT;
    default:
        return ATOM;
    }
}

static void print(carom_tex *t, carom_node node, level wanted, int depth)
{
    if (t->no_memory || t->too_long)
        return;
    if (depth > DEPTH_MAX) {
        t->too_long = true;
        return;
    }
    const bool enclose = level_of(at(t, node)) < wanted;
    if (enclose)
        carom_tex_put(t, "\\left(");
    print_plain(t, node, depth);
    if (enclose)
        carom_tex_put(t, "\\right)");
}

/* A term of what was multiplied out: the powers above, and those below the bar. */
static void print_term(carom_tex *t, const carom_tex_term *term, bool first)
{
    carom_node bases[CAROM_TEX_FACTORS];
    int below = 0, above = 0;
    double size = fabs(term->scale);
    carom_tex_put(t, term->scale < 0 ? (first ? "-" : " - ") : first ? "" : " + ");
    for (int k = 0; k < term->count; k++) {
        bases[k] = term->factors[k].base;
        *(term->factors[k].power > 0 ? &above : &below) += 1;
    }
    sort_factors(t, bases, term->count);
    if (size != 1 || term->count == 0) {
        carom_tex_constant(t, size);
        carom_tex_put(t, term->count ? " " : "");
    }
    for (int side = 0; side < (below ? 2 : 1); side++) {
        carom_tex_put(t, !below ? "" : side ? "}{" : "\\frac{");
        carom_tex_put(t, below && side == 0 && above == 0 ? "1" : "");
        for (int k = 0, written = 0; k < term->count; k++) {
            int power = 0;
            for (int j = 0; j < term->count; j++)
                power = term->factors[j].base == bases[k] ? term->factors[j].power : power;
            if ((power > 0) != (side == 0))
                continue;
            carom_tex_put(t, written++ ? " " : "");
            print_whole_power(t, bases[k], abs(power));
        }
    }
    carom_tex_put(t, below ? "}" : "");
}

static void print_expanded(carom_tex *t, const carom_tex_terms *all)
{
    for (int k = 0; k < all->count; k++)
        print_term(t, &all->terms[k], k == 0);
    if (all->count == 0)
        carom_tex_put(t, "0");
}

/* How much the eye has to read: a command is one sign, braces, blanks, \\left and \\right none. */
static int weigh(const char *text)
{
    int weight = 0;
    while (*text) {
        const size_t letters = *text == '\\' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
        const bool side =
            letters && (strncmp(text, "\\left", 5) == 0 || strncmp(text, "\\right", 6) == 0);
        weight += letters ? !side : !strchr(" {}^_\\\n", *text);
        text += letters + 1;
    }
    return weight;
}

void carom_tex_node(carom_tex *tex, carom_node node)
{
    /* as it stands, and multiplied out: what is shorter to read is kept */
    const size_t start = tex->length;
    print(tex, node, SUM, 0);
    carom_tex_terms all;
    carom_tex other = {.arena = tex->arena, .scope = tex->scope};
    if (tex->too_long || tex->no_memory ||
        !carom_tex_expand(&tex->scope->graph, node, tex->arena, &all) ||
        carom_tex_begin(&other, tex->scope, tex->arena, NULL) != CAROM_OK)
        return;
    print_expanded(&other, &all);
    if (!other.too_long && !other.no_memory && weigh(other.text) < weigh(tex->text + start)) {
        tex->length = start;
        tex->text[start] = '\0';
        carom_tex_put(tex, other.text);
    }
}
