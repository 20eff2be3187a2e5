/* Multiply out, collect like terms, and sin^2 + cos^2 = 1: what Lagrange's equations leave in a
 * graph cancels for the eye only then. */
#include "expr/tex_expand.h"

#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MAX = 400 };

typedef struct expander {
    const carom_graph *g;
    carom_arena *arena;
} expander;

static bool expand(expander *e, carom_node node, int depth, carom_tex_terms *out);

static bool take(expander *e, int room, carom_tex_terms *out)
{
    out->count = 0;
    out->terms = room <= CAROM_TEX_TERMS
                     ? carom_arena_array(e->arena, (size_t)room, sizeof *out->terms)
                     : NULL;
    return out->terms != NULL;
}

/* The same factors? */
static bool is_like(const carom_tex_term *a, const carom_tex_term *b)
{
    if (a->count != b->count)
        return false;
    for (int k = 0; k < a->count; k++)
        if (a->factors[k].base != b->factors[k].base || a->factors[k].power != b->factors[k].power)
            return false;
    return true;
}

/* Add a term; the list has room for it. Sums that vanish but for rounding are zero. */
static void add(carom_tex_terms *to, const carom_tex_term *term)
{
    for (int k = 0; k < to->count; k++) {
        carom_tex_term *t = &to->terms[k];
        if (!is_like(t, term))
            continue;
        double sum = t->scale + term->scale;
        if (fabs(sum) > CAROM_TOLERANCE_SUM * (fabs(t->scale) + fabs(term->scale))) {
            t->scale = sum;
        } else {
            to->count--;
            memmove(t, t + 1, (size_t)(to->count - k) * sizeof *t);
        }
        return;
    }
    to->terms[to->count++] = *term;
}

/* Multiply a term by a power; false when it has too many factors. */
static bool multiply_factor(carom_tex_term *term, carom_node base, int power)
{
    int k = 0;
    while (k < term->count && term->factors[k].base < base)
        k++;
    if (k < term->count && term->factors[k].base == base) {
        term->factors[k].power += power;
        if (term->factors[k].power == 0) {
            term->count--;
            memmove(&term->factors[k], &term->factors[k + 1],
                    (size_t)(term->count - k) * sizeof *term->factors);
        }
        return true;
    }
    if (term->count == CAROM_TEX_FACTORS)
        return false;
    memmove(&term->factors[k + 1], &term->factors[k],
            (size_t)(term->count - k) * sizeof *term->factors);
    term->factors[k] = (carom_tex_factor){base, power};
    term->count++;
    return true;
}

static bool multiply(expander *e, const carom_tex_terms *a, const carom_tex_terms *b,
                     carom_tex_terms *out)
{
    if (a->count * b->count > CAROM_TEX_TERMS || !take(e, a->count * b->count, out))
        return false;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            carom_tex_term term = a->terms[i];
            term.scale *= b->terms[j].scale;
            for (int k = 0; k < b->terms[j].count; k++)
                if (!multiply_factor(&term, b->terms[j].factors[k].base,
                                     b->terms[j].factors[k].power))
                    return false;
            add(out, &term);
        }
    return true;
}

static bool sum(expander *e, const carom_tex_terms *a, const carom_tex_terms *b, double sign,
                carom_tex_terms *out)
{
    if (!take(e, a->count + b->count, out))
        return false;
    for (int k = 0; k < a->count; k++)
        add(out, &a->terms[k]);
    for (int k = 0; k < b->count; k++) {
        carom_tex_term term = b->terms[k];
        term.scale *= sign;
        add(out, &term);
    }
    return true;
}

/* One term of one factor. */
static bool atom(expander *e, carom_node node, int power, carom_tex_terms *out)
{
    if (!take(e, 1, out))
        return false;
    out->count = 1;
    out->terms[0] = (carom_tex_term){.scale = 1};
    return multiply_factor(&out->terms[0], node, power);
}

/* The term to a power, which may be negative. */
static bool raise_term(expander *e, const carom_tex_term *term, int power, carom_tex_terms *out)
{
    if (!take(e, 1, out))
        return false;
    out->count = 1;
    out->terms[0] = *term;
    out->terms[0].scale = pow(term->scale, power);
    for (int k = 0; k < term->count; k++)
        out->terms[0].factors[k].power *= power;
    return true;
}

static bool raise(expander *e, carom_node base, int power, int depth, carom_tex_terms *out)
{
    carom_tex_terms a, product;
    if (!expand(e, base, depth + 1, &a))
        return false;
    if (a.count == 1)
        return raise_term(e, &a.terms[0], power, out);
    if (power < 0 || power > 3)
        return atom(e, base, power, out);
    *out = a;
    for (int k = 1; k < power; k++) {
        if (!multiply(e, out, &a, &product))
            return false;
        *out = product;
    }
    return true;
}

static bool divide(expander *e, const carom_graph_node *n, int depth, carom_tex_terms *out)
{
    carom_tex_terms above, below, inverse;
    if (!expand(e, n->as.arg[0], depth + 1, &above) || !expand(e, n->as.arg[1], depth + 1, &below))
        return false;
    bool good = below.count == 1 ? raise_term(e, &below.terms[0], -1, &inverse)
                                 : atom(e, n->as.arg[1], -1, &inverse);
    return good && multiply(e, &above, &inverse, out);
}

static bool expand(expander *e, carom_node node, int depth, carom_tex_terms *out)
{
    const carom_graph_node *n = &e->g->nodes[node];
    carom_tex_terms a, b;
    if (depth > DEPTH_MAX)
        return false;
    switch ((carom_op)n->op) {
    case CAROM_OP_CONST:
        if (!isfinite(n->as.value) || !take(e, 1, out))
            return false;
        if (n->as.value != 0)
            out->terms[out->count++] = (carom_tex_term){.scale = n->as.value};
        return true;
    case CAROM_OP_ADD:
    case CAROM_OP_SUB:
        return expand(e, n->as.arg[0], depth + 1, &a) && expand(e, n->as.arg[1], depth + 1, &b) &&
               sum(e, &a, &b, n->op == CAROM_OP_ADD ? 1 : -1, out);
    case CAROM_OP_NEG:
        return expand(e, n->as.arg[0], depth + 1, &b) &&
               sum(e, &(carom_tex_terms){NULL, 0}, &b, -1, out);
    case CAROM_OP_MUL:
        return expand(e, n->as.arg[0], depth + 1, &a) && expand(e, n->as.arg[1], depth + 1, &b) &&
               multiply(e, &a, &b, out);
    case CAROM_OP_DIV:
        return divide(e, n, depth, out);
    case CAROM_OP_SQUARE:
        return raise(e, n->as.arg[0], 2, depth, out);
    case CAROM_OP_POWER:
        return raise(e, n->as.arg[0], (int)e->g->nodes[n->as.arg[1]].as.value, depth, out);
    default:
        return atom(e, node, 1, out);
    }
}

/* The cosine of what this sine is of, if a factor of the term is; else NONE. */
static carom_node partner(const carom_graph *g, const carom_tex_terms *all, carom_node sine)
{
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < all->terms[i].count; k++) {
            carom_node base = all->terms[i].factors[k].base;
            if (g->nodes[base].op == CAROM_OP_COS &&
                g->nodes[base].as.arg[0] == g->nodes[sine].as.arg[0])
                return base;
        }
    return CAROM_NODE_NONE;
}

/* c r sin^2 + c r cos^2 = c r, for one term that has a square of a sine. */
static bool join_squares(const carom_graph *g, carom_tex_terms *all, int i)
{
    for (int k = 0; k < all->terms[i].count; k++) {
        const carom_tex_factor f = all->terms[i].factors[k];
        if (g->nodes[f.base].op != CAROM_OP_SIN || f.power < 2)
            continue;
        carom_node cosine = partner(g, all, f.base);
        carom_tex_term rest = all->terms[i], other;
        if (cosine == CAROM_NODE_NONE || !multiply_factor(&rest, f.base, -2))
            continue;
        other = rest;
        if (!multiply_factor(&other, cosine, 2))
            continue;
        for (int j = 0; j < all->count; j++) {
            const double c = all->terms[j].scale;
            if (j == i || !is_like(&all->terms[j], &other) ||
                fabs(c - rest.scale) > CAROM_TOLERANCE_SUM * fabs(c))
                continue;
            const int first = i < j ? i : j, second = i < j ? j : i;
            all->terms[first] = rest;
            all->count--;
            memmove(&all->terms[second], &all->terms[second + 1],
                    (size_t)(all->count - second) * sizeof *all->terms);
            return true;
        }
    }
    return false;
}

bool carom_tex_expand(const carom_graph *graph, carom_node node, carom_arena *arena,
                      carom_tex_terms *out)
{
    expander e = {graph, arena};
    if (!expand(&e, node, 0, out))
        return false;
    for (int i = 0; i < out->count; i++)
        if (join_squares(graph, out, i)) {
            carom_tex_terms collected; /* the rest may be like another term */
            if (!sum(&e, out, &(carom_tex_terms){NULL, 0}, 1, &collected))
                return false;
            *out = collected;
            i = -1;
        }
    return true;
}
