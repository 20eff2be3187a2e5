/* Included last by files whose loops run over a handful of numbers: vectors would cost more in
 * set-up than they save. Sums keep their order in any case, so results are the same. */
#ifndef CAROM_SRC_BASE_SHORT_LOOPS_H
#define CAROM_SRC_BASE_SHORT_LOOPS_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

#endif
