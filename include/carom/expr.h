/* Formulas: text to numbers, with exact first and second derivatives.
 *
 *   + - * / ^ ( )   numbers 1 .5 5. 2e-05   pi   t   names   x' (the velocity of coordinate x)
 *   d(f), the time derivative of a formula f of coordinates and t, linear in the velocities
 *   sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max
 *   if(c, a, b) with c a comparison: < <= > >= == !=
 *
 * ^ binds tighter than the sign (-x^2 = -(x^2)) and to the right (a^b^c = a^(b^c)); there is no
 * implicit product. What derivatives mean at kinks, and the limits: docs/theory/formulas.md. */
#ifndef CAROM_EXPR_H
#define CAROM_EXPR_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CAROM_EXPR_DEPTH_MAX = 400,      /* parentheses, signs and powers inside each other */
    CAROM_EXPR_LENGTH_MAX = 1 << 24, /* bytes of one formula */
    CAROM_EXPR_NODES_MAX = 1 << 24   /* operations of all formulas of a scope and derivatives */
};

/* Where a byte of a formula stands in the input; counted from 1, columns in characters. */
typedef struct carom_place {
    int line, column;
} carom_place;

/* A formula or a name as it stands in the input. {"x + 1"} alone is fine: positions in messages
 * then are columns of the text, on line 0. */
typedef struct carom_source {
    const char *text;          /* zero-terminated UTF-8; NULL: absent */
    carom_place start;         /* of the first character; {0, 0}: unknown */
    const carom_place *places; /* NULL: the text stands in the input as it is; otherwise one place
                                  per byte and one for the end (quoted or folded scalars) */
} carom_source;

/* The place of byte number `offset` of a source. */
CAROM_API carom_place carom_source_place(const carom_source *source, size_t offset);

/* A name and a formula. */
typedef struct carom_named_formula {
    carom_source name, formula;
} carom_named_formula;

/* Bytes of the name at the start of a text: a letter or _, then letters, digits, _. 0: none. */
CAROM_API size_t carom_name_length(const char *text);

/* Whether the whole text is a name. */
CAROM_API bool carom_name_is_valid(const char *text, size_t length);

/* The names that formulas may use: parameters, coordinates and definitions, in one space, without
 * `t`, `pi` and the functions. Owns the formulas parsed with it. Not for two threads at once. */
typedef struct carom_scope carom_scope;

/* Make an empty scope, with memory from the allocator (NULL: the C library's). */
CAROM_API carom_status carom_scope_create(const carom_allocator *allocator, carom_scope **scope,
                                          carom_error *error);
CAROM_API void carom_scope_destroy(carom_scope *scope); /* NULL is allowed */

/* A parameter with a value, and one that is a formula of earlier parameters. */
CAROM_API carom_status carom_scope_add_value(carom_scope *scope, const carom_source *name,
                                             double value, carom_error *error);
CAROM_API carom_status carom_scope_add_parameter(carom_scope *scope, const carom_source *name,
                                                 const carom_source *formula, carom_error *error);

CAROM_API int carom_scope_parameter_count(const carom_scope *scope);

/* From now on parameters stay variables in the formulas that are compiled, for derivatives with
 * respect to them. Such a scope has no carom_scope_number. */
CAROM_API void carom_scope_keep_parameters(carom_scope *scope);

/* The next coordinate (number 0, 1, ...); its velocity is name'. */
CAROM_API carom_status carom_scope_add_coordinate(carom_scope *scope, const carom_source *name,
                                                  carom_error *error);
CAROM_API int carom_scope_coordinate_count(const carom_scope *scope);

/* Names for formulas of everything before them: parameters, coordinates, velocities, t, earlier
 * definitions. One that is used before its turn is an error that tells a circle from a wrong order.
 * Call it once, after the coordinates. */
CAROM_API carom_status carom_scope_add_definitions(carom_scope *scope,
                                                   const carom_named_formula *definitions,
                                                   int count, carom_error *error);

/* What a text is in this scope. A coordinate name followed by ' is a velocity. */
typedef enum carom_name_kind {
    CAROM_NAME_UNKNOWN,
    CAROM_NAME_RESERVED, /* t, pi, a function */
    CAROM_NAME_PARAMETER,
    CAROM_NAME_COORDINATE,
    CAROM_NAME_VELOCITY,
    CAROM_NAME_DEFINITION
} carom_name_kind;

/* index (may be NULL) receives the coordinate's number, value (may be NULL) a parameter's value. */
CAROM_API carom_name_kind carom_scope_find(const carom_scope *scope, const char *text, int *index,
                                           double *value);

/* The known name nearest to a misspelt one, or NULL when none is near. */
CAROM_API const char *carom_scope_suggest(const carom_scope *scope, const char *text);

/* The value of a formula of parameters; coordinates, velocities and t are refused, and so is a
 * value that is not finite. */
CAROM_API carom_status carom_scope_number(carom_scope *scope, const carom_source *formula,
                                          double *value, carom_error *error);

/* How t, q, u and the parameters change in k directions, for derivatives along them. NULL: not at
 * all. */
typedef struct carom_directions {
    int k;
    const double *t;          /* k */
    const double *q;          /* nq x k */
    const double *u;          /* n x k */
    const double *parameters; /* parameters x k, in the order they were added */
} carom_directions;

/* A compiled formula of coordinates, velocities and time. It belongs to the scope, which must
 * outlive it, and has work space: not for two threads at once. */
typedef struct carom_expr carom_expr;

/* order: highest derivative wanted, 0, 1 or 2. */
CAROM_API carom_status carom_expr_create(carom_scope *scope, const carom_source *formula, int order,
                                         carom_expr **expr, carom_error *error);
CAROM_API void carom_expr_destroy(carom_expr *expr); /* NULL is allowed */

/* Evaluate at (t, q, u); does not allocate. n = the number of coordinates at creation, and the
 * variables are numbered q_0 ... q_n-1, u_0 ... u_n-1, t: gradient has 2n+1 entries, hessian
 * (2n+1) x (2n+1), symmetric to the last bit. gradient and hessian may be NULL, and are filled only
 * up to the order. Values may be NaN or infinite. */
CAROM_API double carom_expr_evaluate(carom_expr *expr, double t, const double *q, const double *u,
                                     double *gradient, double *hessian);

/* The derivatives of the value in k directions (forward mode, to the last bits), the value itself
 * returned in *value (may be NULL). Parameters count only in formulas of a scope that keeps them
 * (carom_scope_keep_parameters). NaN: the formula has a kink or a jump there (abs, min, max, sign,
 * if), and the direction crosses it. Work space is taken from the arena and given back. */
CAROM_API carom_status carom_expr_tangent(carom_expr *expr, double t, const double *q,
                                          const double *u, const carom_directions *directions,
                                          carom_arena *scratch, double *value, double *tangents,
                                          carom_error *error);

/* Whether the formula depends on this coordinate, this velocity (kind VELOCITY), or t (kind
 * RESERVED, index 0). */
CAROM_API bool carom_expr_uses(const carom_expr *expr, carom_name_kind kind, int index);

/* Whether the formula depends on coordinates (or t), on velocities. */
CAROM_API bool carom_expr_uses_position(const carom_expr *expr);
CAROM_API bool carom_expr_uses_velocity(const carom_expr *expr);

/* Many formulas that are evaluated together; as carom_expr otherwise. */
typedef struct carom_expr_set carom_expr_set;
CAROM_API carom_status carom_expr_set_create(carom_scope *scope, const carom_source *formulas,
                                             int count, carom_expr_set **set, carom_error *error);
CAROM_API void carom_expr_set_destroy(carom_expr_set *set); /* NULL is allowed */

/* All `count` values at (t, q, u); does not allocate. */
CAROM_API void carom_expr_set_evaluate(carom_expr_set *set, double t, const double *q,
                                       const double *u, double *values);

/* Derivatives of all values in k directions, count x k, see carom_expr_tangent. */
CAROM_API carom_status carom_expr_set_tangents(carom_expr_set *set, double t, const double *q,
                                               const double *u, const carom_directions *directions,
                                               carom_arena *scratch, double *tangents,
                                               carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
