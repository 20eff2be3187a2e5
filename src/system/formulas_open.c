/* A statement in formulas, parsed and derived, for those who compile it or write it down. */
#include "carom/need.h"
#include "system/formulas.h"

/* What a statement counts must be there. */
static carom_status check_lists(const carom_formulas *statement, carom_error *error)
{
    CAROM_NEED_LIST(error, statement->coordinate_count, statement->coordinates);
    CAROM_NEED_LIST(error, statement->parameter_count, statement->parameters);
    CAROM_NEED_LIST(error, statement->definition_count, statement->definitions);
    CAROM_NEED_LIST(error, statement->kinetic_count, statement->kinetic);
    CAROM_NEED_LIST(error, statement->potential_count, statement->potential);
    CAROM_NEED_LIST(error, statement->force_count, statement->forces);
    CAROM_NEED_LIST(error, statement->contact_count, statement->contacts);
    CAROM_NEED_LIST(error, statement->bilateral_count, statement->bilateral);
    CAROM_NEED_LIST(error, statement->permanent_count, statement->permanent);
    CAROM_NEED_LIST(error, statement->event_count, statement->events);
    if (statement->region) {
        CAROM_NEED_LIST(error, statement->region->group_count, statement->region->group_start);
        CAROM_NEED_LIST(error, statement->region->group_count, statement->region->group_contact);
    }
    for (int k = 0; k < statement->contact_count; k++)
        CAROM_NEED_LIST(error, statement->contacts[k].spread_count, statement->contacts[k].spread);
    for (int k = 0; k < statement->event_count; k++)
        CAROM_NEED_LIST(error, statement->events[k].set_count, statement->events[k].sets);
    return CAROM_OK;
}

carom_status carom_formulas_open(const carom_formulas *statement, const double *values,
                                 carom_arena *arena, carom_formulas_opened *opened,
                                 carom_error *error)
{
    carom_scope *scope;
    carom_status status = check_lists(statement, error);
    if (!status)
        status = carom_scope_create(carom_arena_allocator(arena), &scope, error);
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
