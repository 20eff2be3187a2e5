/* Takes the arrays of a state from an arena. */
#include "carom/need.h"
#include "system/system.h"

#include "base/parts.h"

carom_status carom_state_create_beside(const carom_system *system, carom_arena *arena,
                                       const carom_state *other, carom_state *state,
                                       carom_error *error)
{
    const carom_system_shape *z = &system->shape;
    size_t nq = (size_t)z->nq, n = (size_t)z->n, p = (size_t)z->p, s = (size_t)z->s,
           m = (size_t)z->m, a = (size_t)z->a;
    carom_state made = {0};
    const size_t number = sizeof(double);
    const carom_arena_part parts[] = {
        {&made.q, nq, number},
        {&made.u, n, number},
        {&made.M, z->mass_is_diagonal ? n : n * n, number},
        {&made.h, n, number},
        {&made.g, p, number},
        {&made.W, other ? 0 : n * p, number},
        {&made.w_hat, p, number},
        {&made.spread, n * (size_t)z->spread, number},
        {&made.spread_motion, (size_t)z->spread, number},
        {&made.spread_bias, (size_t)z->spread, number},
        {&made.spread_value, (size_t)z->spread, number},
        {&made.apex, p, number},
        {&made.g_bias, p, number},
        {&made.H, other ? 0 : n * s, number},
        {&made.slip_motion, s, number},
        {&made.slip_bias, s, number},
        {&made.f, m, number},
        {&made.B, other ? 0 : n * m, number},
        {&made.b_hat, m, number},
        {&made.b_bias, m, number},
        {&made.A, other ? 0 : n * a, number},
        {&made.a_hat, a, number},
        {&made.a_bias, a, number},
        {&made.N, z->kinematics_is_identity ? 0 : nq * n, number},
        {&made.guard, (size_t)z->guard_count, number},
        {&made.event, (size_t)z->event_count, number},
        {&made.event_if, (size_t)z->event_count, number},
    };
    carom_status status = carom_arena_parts(arena, parts, sizeof parts / sizeof *parts, error);
    if (status)
        return status;
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
    CAROM_NEED(error, system, arena, state);
    return carom_state_create_beside(system, arena, NULL, state, error);
}
