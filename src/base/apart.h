/* What is rarely needed is kept apart, so that the usual way through a small function saves no
 * registers for it. */
#ifndef CAROM_SRC_BASE_APART_H
#define CAROM_SRC_BASE_APART_H

#if defined(__GNUC__)
#define CAROM_APART __attribute__((noinline))
#else
#define CAROM_APART
#endif

#endif
