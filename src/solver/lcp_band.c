/* Finds the band of a matrix whose caller did not declare one. */
#include "solver/lcp_band.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int carom_lcp_band_measure(const double *M, int n, int most)
{
    int reach = 0;
    for (int j = 0; j < n; j++) {
        const double *Mj = M + (size_t)j * (size_t)n;
        int above = 0, below = n - 1;
        while (above < j - reach && Mj[above] == 0)
            above++;
        if (j - above > reach)
            reach = j - above;
        while (below > j + reach && Mj[below] == 0)
            below--;
        if (below - j > reach)
            reach = below - j;
        if (reach > most)
            return n - 1;
    }
    return reach;
}

/* What lies between the bands of columns j and j + 1 is one run of n - 2 reach numbers. Their bits
 * but for the signs are collected: zeros of either sign leave none. */
bool carom_lcp_band_within(const double *M, int n, int reach)
{
    uint64_t all = 0;
    for (int j = 0; all == 0 && j + 1 < n; j++) {
        const double *run = M + (size_t)j * (size_t)(n + 1) + (size_t)(reach + 1);
        for (int i = 0; i < n - 2 * reach; i++) {
            uint64_t bits;
            memcpy(&bits, run + i, sizeof bits);
            all |= bits << 1;
        }
    }
    return all == 0;
}
