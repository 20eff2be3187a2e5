/* A statement in formulas, parsed and derived, for those who compile it or write it down. */
#include "system/formulas.h"

carom_status carom_formulas_open(const carom_formulas *statement, const double *values,
                                 carom_arena *arena, carom_formulas_opened *opened,
                                 carom_error *error)
{
    carom_scope *scope;
    carom_status status = carom_scope_create(carom_arena_allocator(arena), &scope, error);
    if (status)
        return status;
    opened->derived = (carom_formulas_derived){.allocator = scope->graph.allocator};
    status = carom_formulas_parse(statement, values, scope, arena, &opened->read, error);
    if (!status)
        status = carom_formulas_derive(&opened->read, &opened->derived, error);
    if (status)
        carom_formulas_close(opened);
    return status;
}

void carom_formulas_close(carom_formulas_opened *opened)
{
    carom_formulas_derived *d = &opened->derived;
    if (d->entries)
        d->allocator.resize(d->allocator.self, d->entries, 0);
    carom_scope_destroy(opened->read.scope);
}
