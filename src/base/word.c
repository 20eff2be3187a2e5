/* Words: how far one is from another, and which known word a misspelt one was meant to be. */
#include "carom/need.h"
#include "carom/text.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { LONGEST = 48 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int lower(char c)
{
    return tolower((unsigned char)c);
}

/* Optimal string alignment, three rows of the table at a time. */
int carom_word_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    CAROM_NEED_OR(0, a, b);
    if (a_length > LONGEST || b_length > LONGEST)
        return INT_MAX;
    int rows[3][LONGEST + 1], m = (int)a_length, n = (int)b_length;
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int x = lower(a[i - 1]), y = lower(b[j - 1]);
            row[j] = least(least(up[j], row[j - 1]) + 1, up[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
                row[j] = least(row[j], up2[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

const char *carom_word_nearest(const char *text, const char *const *words)
{
    CAROM_NEED_OR(NULL, text, words);
    size_t m = strlen(text);
    const char *best = NULL;
    int best_distance = LONGEST;
    for (; *words; words++) {
        size_t n = strlen(*words);
        int d = carom_word_distance(text, m, *words, n);
        int longest = (int)(m > n ? m : n);
        if (d < best_distance && d < longest && 3 * d <= (longest < 3 ? 3 : longest)) {
            best = *words;
            best_distance = d;
        }
    }
    return best;
}
