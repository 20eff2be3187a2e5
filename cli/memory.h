/* How much memory the program may take. A scene of a few bytes can ask for any amount (`repeat`),
 * and a machine that runs out of it kills other programs first; so there is a limit, and what would
 * not fit is refused before it is begun, with the number and the reason. */
#ifndef CAROM_CLI_MEMORY_H
#define CAROM_CLI_MEMORY_H

#include "carom/base.h"

/* For arenas and scenes: memory up to the limit. The limit is that of the environment variable
 * CAROM_MEMORY (bytes, or with k, M, G), else 2 GiB or three quarters of the machine's memory,
 * whichever is less. */
const carom_allocator *cli_memory(void);

/* Bytes that may be taken. */
size_t cli_memory_limit(void);

/* Bytes that the limit refused last, 0: none. */
size_t cli_memory_refused(void);

/* "2.1 GB"; text: room for 24. */
const char *cli_memory_text(double bytes, char *text);

/* Is there room for matrices of n velocities and p contacts? CLI_ANSWERED, or CLI_MACHINE after
 * saying why not. dense: n^2 and p^2 numbers are needed, not only n*p. */
int cli_memory_check(const char *file, int n, int p, bool dense);

#endif
