/* Orders the rows of a symmetric sparse matrix so that its envelope is narrow (reverse Cuthill and
 * McKee). */
#include "linalg/ordering.h"

#include <string.h>

size_t carom_ordering_profile(const carom_ordering_graph *g, const int *order, int *place)
{
    size_t sum = 0;
    for (int k = 0; k < g->n; k++)
        place[order ? order[k] : k] = k;
    for (int i = 0; i < g->n; i++) {
        int first = place[i];
        for (int k = g->start[i]; k < g->start[i + 1]; k++)
            if (place[g->neighbour[k]] < first)
                first = place[g->neighbour[k]];
        sum += (size_t)(place[i] - first + 1);
    }
    return sum;
}

static int degree(const carom_ordering_graph *g, int i)
{
    return g->start[i + 1] - g->start[i];
}

/* Nodes reached from `root` that are not marked, in order of distance, neighbours of one node by
 * their degree. Marks them, and returns their number; *depth: the largest distance, *last: where
 * the nodes at that distance begin. */
static int spread(const carom_ordering_graph *g, int root, int mark, int *marks, int *list,
                  int *depth, int *last)
{
    int count = 1, level_end = 1;
    list[0] = root;
    marks[root] = mark;
    *depth = *last = 0;
    for (int head = 0; head < count; head++) {
        if (head == level_end) {
            ++*depth;
            *last = level_end;
            level_end = count;
        }
        const int fresh = count;
        for (int k = g->start[list[head]]; k < g->start[list[head] + 1]; k++) {
            const int node = g->neighbour[k];
            if (marks[node] == mark)
                continue;
            marks[node] = mark;
            int at = count++;
            for (; at > fresh && degree(g, list[at - 1]) > degree(g, node); at--)
                list[at] = list[at - 1];
            list[at] = node;
        }
    }
    return count;
}

/* The pieces of the graph one after the other, each from a node at one of its ends: the farthest
 * from the farthest node, while the distance grows. */
static void cuthill_mckee(const carom_ordering_graph *g, int *order, int *marks, int *list)
{
    int done = 0, mark = 0;
    memset(marks, 0, (size_t)g->n * sizeof *marks);
    for (int i = 0; i < g->n; i++) {
        if (marks[i] != 0)
            continue;
        int root = i, depth, last, further;
        int count = spread(g, root, ++mark, marks, list, &depth, &last);
        for (int round = 0; round < 8; round++) {
            int end = list[last];
            for (int k = last; k < count; k++)
                if (degree(g, list[k]) < degree(g, end))
                    end = list[k];
            spread(g, end, ++mark, marks, list, &further, &last);
            root = end;
            if (further <= depth)
                break;
            depth = further;
        }
        spread(g, root, ++mark, marks, order + done, &depth, &last);
        done += count;
    }
}

void carom_ordering_narrow(const carom_ordering_graph *g, int *order, int *work)
{
    int *place = work + 2 * (size_t)g->n;
    cuthill_mckee(g, order, work, work + g->n);
    for (int k = 0; k < g->n / 2; k++) {
        int keep = order[k];
        order[k] = order[g->n - 1 - k];
        order[g->n - 1 - k] = keep;
    }
    if (carom_ordering_profile(g, order, place) < carom_ordering_profile(g, NULL, place))
        return;
    for (int i = 0; i < g->n; i++)
        order[i] = i;
}
