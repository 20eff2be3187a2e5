#include "expr/scope.h"

carom_place carom_formula_place(const carom_formula *formula, carom_node node)
{
    for (uint32_t k = 0; k < formula->origin_count; k++)
        if (formula->origins[k].node == node)
            return carom_source_place(&formula->source, formula->origins[k].offset);
    return carom_source_place(&formula->source, 0);
}
