/* Refuses laws that need the instant of the impact, with the names of those that do not. */
#include "flow/step_law.h"

#include "carom/flow.h"

#include <stdio.h>

/* "newton, moreau, inelastic and coulomb", as the registry has them; cut where there is no room. */
static void list(char *text, size_t room)
{
    const char *last = NULL;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < carom_law_count(); k++) {
        if (!carom_law_at(k)->step)
            continue;
        if (last && used < room)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", last);
        last = carom_law_at(k)->name;
    }
    if (last && used < room)
        snprintf(text + used, room - used, "%s%s", used ? " and " : "", last);
}

carom_status carom_step_law_check(const carom_law *law, carom_error *error)
{
    char names[256];
    if (carom_flow_takes_law(CAROM_FLOW_TIME_STEPPING, law))
        return CAROM_OK;
    list(names, sizeof names);
    return carom_error_set(error, CAROM_ERROR_INPUT,
                           "time-stepping takes the laws %s, whose impulse is part of the step; "
                           "%s needs the instant of the impact (method event-driven)",
                           names, law->ops->name);
}
