/* Definitions while they are read. */
#ifndef CAROM_SRC_EXPR_DEFINITION_H
#define CAROM_SRC_EXPR_DEFINITION_H

#include "expr/scope.h"

/* The list that is being read, and the definition whose turn it is. */
typedef struct carom_definition_list {
    const carom_named_formula *items;
    int count, present;
} carom_definition_list;

/* Why a definition cannot be used yet: by itself, in a circle, further down. */
void carom_definition_describe(const carom_scope *scope, const carom_symbol *symbol, char *text,
                               size_t size);

#endif
