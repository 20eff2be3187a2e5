/* Nodes of a graph as LaTeX. */
#ifndef CAROM_SRC_EXPR_TEX_H
#define CAROM_SRC_EXPR_TEX_H

#include "expr/scope.h"

enum { CAROM_TEX_MOST = 1 << 20 }; /* bytes of one text: shared nodes are written out each time */

/* A text that grows in an arena; sticky failures: no memory, or more than CAROM_TEX_MOST. */
typedef struct carom_tex {
    carom_arena *arena;
    const carom_scope *scope; /* names of variables; parameters are variables */
    char *text;               /* zero-terminated */
    size_t length, room;
    bool no_memory, too_long;
} carom_tex;

carom_status carom_tex_begin(carom_tex *tex, const carom_scope *scope, carom_arena *arena,
                             carom_error *error);

/* Append a piece of LaTeX as it is; words as text, with what LaTeX would take for its own escaped;
 * a name as a symbol (theta1 is \theta_{1}); a node. */
void carom_tex_put(carom_tex *tex, const char *piece);
void carom_tex_words(carom_tex *tex, const char *words);
void carom_tex_symbol(carom_tex *tex, const char *name);
void carom_tex_node(carom_tex *tex, carom_node node);

void carom_tex_variable(carom_tex *tex, carom_variable variable);
void carom_tex_constant(carom_tex *tex, double value);

/* A number > 0 as p/q with a small q, if it is one. */
bool carom_tex_fraction(double x, int *p, int *q);

/* Report a failure met by any of them. */
carom_status carom_tex_check(const carom_tex *tex, carom_error *error);

#endif
