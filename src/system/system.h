/* The inside of a system. */
#ifndef CAROM_SRC_SYSTEM_SYSTEM_H
#define CAROM_SRC_SYSTEM_SYSTEM_H

#include "carom/system.h"

struct carom_system {
    carom_arena *arena;
    const carom_system_ops *ops;
    void *self;
    carom_system_shape shape;
};

/* A state for evaluations whose gradients nobody reads: W, H, B and A are those of `other`, which
 * for hundreds of bodies are most of the memory. */
carom_status carom_state_create_beside(const carom_system *system, carom_arena *arena,
                                       const carom_state *other, carom_state *state,
                                       carom_error *error);

#endif
