/* CAROM_WIDE before a function with one long loop: compiled for wider vector units too, the best is
 * chosen when the program starts. CAROM_WIDE_SHORT for loops of ten or so numbers: not for the
 * widest, which are slower there. CAROM_FUSED for arithmetic of twice the digits: fma() is an
 * instruction there, elsewhere a call. No other product and sum are fused (-ffp-contract=off) and
 * sums keep their order, so results are the same to the last bit. */
#ifndef CAROM_SRC_LINALG_WIDE_H
#define CAROM_SRC_LINALG_WIDE_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define CAROM_WIDE       __attribute__((target_clones("avx512f", "avx2", "default")))
#define CAROM_WIDE_SHORT __attribute__((target_clones("avx2", "default")))
#define CAROM_FUSED      __attribute__((target_clones("fma", "default")))
#else
#define CAROM_WIDE
#define CAROM_WIDE_SHORT
#define CAROM_FUSED
#endif

#endif
