/* CAROM_WIDE before a function with one long loop: compiled for wider vector units too, the best is
 * chosen when the program starts. CAROM_WIDE_SHORT for loops of ten or so numbers: not for the
 * widest, which are slower there. CAROM_FUSED for arithmetic of twice the digits: fma() is an
 * instruction there, elsewhere a call. No other product and sum are fused (-ffp-contract=off) and
 * sums keep their order, so results are the same to the last bit. */
#ifndef CAROM_SRC_LINALG_WIDE_H
#define CAROM_SRC_LINALG_WIDE_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
/* Wide registers must be left clean (vzeroupper), or all that comes after is slow. gcc 12 takes
 * them for clean after a call of a function whose registers it knows, so it must not know them.
 * Fused functions have no wide loops, and that attribute would keep calls from being inlined. */
#define CAROM_CLONES(...) __attribute__((target_clones(__VA_ARGS__), optimize("no-ipa-ra")))
#define CAROM_WIDE        CAROM_CLONES("avx512f", "avx2", "default")
#define CAROM_WIDE_SHORT  CAROM_CLONES("avx2", "default")
#define CAROM_FUSED       __attribute__((target_clones("fma", "default")))
#else
#define CAROM_WIDE
#define CAROM_WIDE_SHORT
#define CAROM_FUSED
#endif

#endif
