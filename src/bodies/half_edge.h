/* Half an edge of a surface: the lower vertex first, so that the halves of an edge are neighbours
 * when sorted. */
#ifndef CAROM_SRC_BODIES_HALF_EDGE_H
#define CAROM_SRC_BODIES_HALF_EDGE_H

#include <stdlib.h>

typedef struct half_edge {
    int low, high; /* vertices */
    int number;    /* in the order of the surface: decides between equal ones */
    int detail;    /* what else the surface knows it by: a side, a face */
} half_edge;

static inline half_edge half_edge_between(int a, int b, int number, int detail)
{
    return (half_edge){a < b ? a : b, a < b ? b : a, number, detail};
}

static inline int half_edge_compare(const void *x, const void *y)
{
    const half_edge *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static inline void half_edge_sort(half_edge *halves, int count)
{
    qsort(halves, (size_t)count, sizeof *halves, half_edge_compare);
}

#endif
