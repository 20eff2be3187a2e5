#include "scene/suggest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 48 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance, three rows at a time. */
static int distance(const char *a, int m, const char *b, int n)
{
    int rows[3][LONGEST + 1];
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            row[j] = least(least(up[j], row[j - 1]) + 1, up[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                row[j] = least(row[j], up2[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

const char *carom_suggest_word(const char *text, const char *const *words)
{
    size_t m = strlen(text);
    if (m > LONGEST)
        return NULL;
    const char *best = NULL;
    int best_distance = LONGEST;
    for (; *words; words++) {
        size_t n = strlen(*words);
        if (n > LONGEST)
            continue;
        int d = distance(text, (int)m, *words, (int)n);
        int longest = (int)(m > n ? m : n);
        if (d < best_distance && d < longest && 3 * d <= (longest < 3 ? 3 : longest)) {
            best = *words;
            best_distance = d;
        }
    }
    return best;
}
