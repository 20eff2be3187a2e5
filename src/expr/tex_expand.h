/* A node multiplied out: a sum of products of powers, like terms collected. */
#ifndef CAROM_SRC_EXPR_TEX_EXPAND_H
#define CAROM_SRC_EXPR_TEX_EXPAND_H

#include "expr/graph.h"

enum { CAROM_TEX_FACTORS = 16, CAROM_TEX_TERMS = 300 };

/* A power of something that is no sum, product or power itself. */
typedef struct carom_tex_factor {
    carom_node base;
    int power;
} carom_tex_factor;

typedef struct carom_tex_term {
    double scale;
    int count;
    carom_tex_factor factors[CAROM_TEX_FACTORS]; /* ascending bases */
} carom_tex_term;

typedef struct carom_tex_terms {
    carom_tex_term *terms;
    int count;
} carom_tex_terms;

/* False when it is too large for that, or there is no memory; terms are in the arena. */
bool carom_tex_expand(const carom_graph *graph, carom_node node, carom_arena *arena,
                      carom_tex_terms *out);

#endif
