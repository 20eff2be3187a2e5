/* Carom: scene files in, traces out. The whole of libcarom-io, which stands on libcarom. */
#ifndef CAROM_IO_H
#define CAROM_IO_H

#include "carom/carom.h"
#include "carom/device.h"
#include "carom/fclib.h"
#include "carom/scene.h"
#include "carom/trace.h"

#endif
