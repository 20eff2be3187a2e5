/* The entries of the energy ledger, once: what answers, traces, tables and reports list of it. */
#include "carom/flow.h"
#include "carom/need.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ENTRY(name, title, column, member)                                                         \
    {                                                                                              \
        {name, title, column}, offsetof(carom_flow_ledger, member)                                 \
    }

static const struct {
    carom_flow_entry entry;
    size_t offset;
} entries[CAROM_FLOW_ENTRIES] = {
    [CAROM_ENTRY_INITIAL] = ENTRY("initial", "at the start", NULL, initial),
    [CAROM_ENTRY_FINAL] = ENTRY("final", "at the end", NULL, final),
    [CAROM_ENTRY_IMPACTS] =
        ENTRY("impacts", "impacts, friction within them included", "impacts", impacts),
    [CAROM_ENTRY_EVENTS] = ENTRY("events", "events of the system", "events", events),
    [CAROM_ENTRY_FRICTION] =
        ENTRY("friction", "friction in persistent contact", "friction", friction),
    [CAROM_ENTRY_FORCES] = ENTRY("forces", "forces beyond the potential", "forces", forces),
    [CAROM_ENTRY_CONSTRAINTS] =
        ENTRY("constraints", "of which moving contacts and joints", "constraints", constraints),
    [CAROM_ENTRY_PROJECTION] =
        ENTRY("projection", "putting back on constraints", "projection", projection),
    [CAROM_ENTRY_BALANCE] =
        ENTRY("balance_error", "unaccounted for: error of the method", "balance", balance_error),
    [CAROM_ENTRY_LARGEST_BALANCE] =
        ENTRY("largest_balance_error", "largest error at any time", NULL, largest_balance),
    [CAROM_ENTRY_KINETIC] = ENTRY("kinetic", "kinetic energy", "kinetic", kinetic),
    [CAROM_ENTRY_POTENTIAL] = ENTRY("potential", "potential energy", "potential", potential),
};

const carom_flow_entry *carom_flow_entries(carom_entry k)
{
    return (int)k >= 0 && k < CAROM_FLOW_ENTRIES ? &entries[k].entry : NULL;
}

double carom_flow_entries_value(const carom_flow_ledger *ledger, carom_entry k)
{
    double value;
    CAROM_NEED_OR(NAN, ledger, carom_flow_entries(k));
    memcpy(&value, (const char *)ledger + entries[k].offset, sizeof value);
    return value;
}
