/* Functions compiled twice: for processors with vectors of four numbers and for all; the loader
 * chooses. The operations are the same, and none are fused, so the numbers are the same too. */
#ifndef CAROM_SRC_BASE_CLONES_H
#define CAROM_SRC_BASE_CLONES_H

#include <limits.h> /* says whether this is glibc, whose loader can choose */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__)
#define CAROM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CAROM_CLONES
#endif

#endif
