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

#endif
