/* Takes the arrays of a state from an arena. */
#include "system/system.h"

carom_status carom_state_create_beside(const carom_system *system, carom_arena *arena,
                                       const carom_state *other, carom_state *state,
                                       carom_error *error)
{
    const carom_system_shape *z = &system->shape;
    size_t nq = (size_t)z->nq, n = (size_t)z->n, p = (size_t)z->p, s = (size_t)z->s,
           m = (size_t)z->m, a = (size_t)z->a;
    carom_state made = {0};
    struct {
        double **array;
        size_t count;
    } parts[] = {
        {&made.q, nq},
        {&made.u, n},
        {&made.M, z->mass_is_diagonal ? n : n * n},
        {&made.h, n},
        {&made.g, p},
        {&made.W, other ? 0 : n * p},
        {&made.w_hat, p},
        {&made.spread, n * (size_t)z->spread},
        {&made.spread_motion, (size_t)z->spread},
        {&made.spread_bias, (size_t)z->spread},
        {&made.spread_value, (size_t)z->spread},
        {&made.apex, p},
        {&made.g_bias, p},
        {&made.H, other ? 0 : n * s},
        {&made.slip_motion, s},
        {&made.slip_bias, s},
        {&made.f, m},
        {&made.B, other ? 0 : n * m},
        {&made.b_hat, m},
        {&made.b_bias, m},
        {&made.A, other ? 0 : n * a},
        {&made.a_hat, a},
        {&made.a_bias, a},
        {&made.N, z->kinematics_is_identity ? 0 : nq * n},
        {&made.guard, (size_t)z->guard_count},
        {&made.event, (size_t)z->event_count},
        {&made.event_if, (size_t)z->event_count},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k].array = carom_arena_zeros(arena, parts[k].count, sizeof(double));
        if (!*parts[k].array)
            return carom_error_memory(error);
    }
    if (z->kinematics_is_identity)
        made.N = NULL;
    if (other) {
        made.W = other->W;
        made.H = other->H;
        made.B = other->B;
        made.A = other->A;
    }
    *state = made;
    return CAROM_OK;
}

carom_status carom_state_create(const carom_system *system, carom_arena *arena, carom_state *state,
                                carom_error *error)
{
    return carom_state_create_beside(system, arena, NULL, state, error);
}
