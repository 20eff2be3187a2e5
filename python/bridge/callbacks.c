/* Laws and systems whose mathematics is in Python. */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

/* What the function says follows the momenta: u+ from the impulses. */
static carom_status apply(const carom_law *law, const carom_geometry *geometry, carom_arena *arena,
                          carom_outcome *outcome, carom_error *error)
{
    const bridge_law *own = (const bridge_law *)law->ops;
    (void)arena;
    carom_status status = bridge_law_decide(own->python, geometry, outcome, error);
    if (status || outcome->answer != CAROM_ANSWER_OK)
        return status;
    for (int i = 0; i < geometry->impact->p; i++)
        outcome->mode[i] = outcome->impulse[i] != 0 ? CAROM_MODE_CLOSED : CAROM_MODE_OPEN;
    carom_outcome_from_impulses(geometry, outcome);
    return CAROM_OK;
}

bridge_law *bridge_law_create(const char *name, bool frictional, void *python)
{
    size_t length = strlen(name) + 1;
    bridge_law *made = calloc(1, sizeof *made + length);
    if (!made)
        return NULL;
    memcpy(made + 1, name, length);
    made->ops = (carom_law_ops){.name = (const char *)(made + 1),
                                .summary = "a function in Python",
                                .reference = "",
                                .frictional = frictional,
                                .cost = 2,
                                .apply = apply};
    made->law = (carom_law){.ops = &made->ops};
    made->python = python;
    return made;
}

void bridge_law_destroy(bridge_law *law)
{
    free(law);
}

carom_status bridge_system_create(const carom_system_shape *shape, void *python,
                                  carom_system **system, carom_error *error)
{
    static const carom_system_ops ops = {.name = "python", .evaluate = bridge_system_evaluate};
    return carom_system_create(&ops, python, shape, NULL, system, error);
}
