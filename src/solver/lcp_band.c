#include "solver/lcp_band.h"

#include <stddef.h>

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
