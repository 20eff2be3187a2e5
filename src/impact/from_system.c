/* The impact of those contacts of a system that are closed. */
#include "carom/need.h"
#include "impact/region.h"

#include <string.h>

/* The parts of the statement that belong to single contacts. */
typedef struct closed_part {
    double *W, *w_hat, *H, *slip_motion, *spread;
    carom_contact *contacts;
} closed_part;

static void copy_contacts(const carom_system_shape *shape, const carom_state *state, int p,
                          const int *closed, double tolerance, closed_part *part)
{
    size_t n = (size_t)shape->n, s = 0, spread = 0;
    for (int k = 0; k < p; k++) {
        size_t i = (size_t)closed[k], first = (size_t)shape->slip_start[i];
        size_t count = (size_t)shape->slip_start[i + 1] - first;
        part->contacts[k] = shape->contacts[i];
        part->w_hat[k] = state->w_hat[i];
        memcpy(part->W + (size_t)k * n, state->W + i * n, n * sizeof(double));
        memcpy(part->H + s * n, state->H + first * n, count * n * sizeof(double));
        memcpy(part->slip_motion + s, state->slip_motion + first, count * sizeof(double));
        s += count;
        if (state->apex[i] > tolerance) /* the flank of a cone is an ordinary contact */
            part->contacts[k].spread_count = 0;
        count = (size_t)part->contacts[k].spread_count;
        memcpy(part->spread + spread * n, state->spread + (size_t)shape->spread_start[i] * n,
               count * n * sizeof(double));
        spread += count;
    }
}

carom_status carom_impact_from_system(const carom_system *system, const carom_state *state,
                                      double tolerance, carom_arena *arena, carom_impact *impact,
                                      int *closed, carom_error *error)
{
    CAROM_NEED(error, system, state, state->g, arena, impact, closed);
    const carom_system_shape *shape = carom_system_get_shape(system);
    size_t n = (size_t)shape->n, s = (size_t)shape->s;
    const carom_region *region = NULL;
    int p = 0;
    carom_status status =
        carom_impact_region(shape, state->g, tolerance, arena, closed, &p, &region, error);
    if (status != CAROM_OK)
        return status;
    closed_part part = {
        .W = carom_arena_doubles(arena, n * (size_t)p),
        .w_hat = carom_arena_doubles(arena, (size_t)p),
        .H = carom_arena_doubles(arena, n * s),
        .slip_motion = carom_arena_doubles(arena, s),
        .spread = carom_arena_doubles(arena, n * (size_t)shape->spread),
        .contacts = carom_arena_array(arena, (size_t)p, sizeof(carom_contact)),
    };
    if (!part.W || !part.w_hat || !part.H || !part.slip_motion || !part.spread || !part.contacts)
        return carom_error_memory(error);
    copy_contacts(shape, state, p, closed, tolerance, &part);
    *impact = (carom_impact){
        .n = shape->n,
        .p = p,
        .m = shape->m,
        .a = shape->a,
        .mass_is_diagonal = shape->mass_is_diagonal,
        .M = state->M,
        .u = state->u,
        .W = part.W,
        .w_hat = part.w_hat,
        .contacts = part.contacts,
        .H = part.H,
        .slip_motion = part.slip_motion,
        .spread = part.spread,
        .region = region,
        .B = state->B,
        .b_hat = state->b_hat,
        .A = state->A,
        .a_hat = state->a_hat,
        .coordinates = shape->n == shape->nq ? shape->coordinates : shape->velocities,
    };
    return CAROM_OK;
}
