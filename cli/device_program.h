/* The text of a device's program. */
#ifndef CAROM_CLI_DEVICE_PROGRAM_H
#define CAROM_CLI_DEVICE_PROGRAM_H

#include "device.h"

enum { CLI_PROGRAM_PARTS = 23, CLI_PROGRAM_HEAD = 1000 };

/* The parts of the text in their order; head: room for the first. unrolled: loops over coefficients
 * are written out where that is not too much, so that accelerators can keep them in registers.
 * Returns their number. */
int cli_device_program_parts(const cli_device_task *task, bool unrolled,
                             const char *parts[CLI_PROGRAM_PARTS], size_t sizes[CLI_PROGRAM_PARTS],
                             char *head, size_t room);

#endif
