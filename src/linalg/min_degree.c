/* Minimum degree: always eliminate the node with the fewest neighbours in the graph that is left.
 *
 * The graph that is left is kept as a quotient graph: an eliminated node becomes an element, the
 * clique of its neighbours, which is stored as one list instead of all its edges. A node's
 * neighbours are then its variables and the members of its elements. Elements that a new one
 * contains are absorbed by it, so that lists only shrink and the whole needs no more room than
 * the graph had, plus one list at a time for the new element. */
#include "linalg/min_degree.h"

#include <limits.h>
#include <string.h>

#ifdef CAROM_AMD
#include <suitesparse/amd.h>
#endif

/* Room of the lists: those of the graph, and one new element before the space is compacted. */
static size_t list_room(int n, size_t entries)
{
    return entries + entries / 5 + (size_t)n + 1;
}

size_t carom_min_degree_room(int n, size_t entries)
{
    return list_room(n, entries) + 9 * (size_t)n + 2;
}

/* ---- our own ------------------------------------------------------------------------------ */

typedef struct quotient {
    int n, mark;
    int *list;          /* all lists, elements first in the list of a variable */
    int free, room;     /* first free place of list, its size */
    int *at, *length;   /* n: list of a node */
    int *elements;      /* n: how many of a variable's list are elements; -1: is an element,
                         * -2: absorbed */
    int *degree;        /* n: bound of the degree */
    int *seen;          /* n: marks; for elements mark + members outside the pivot's */
    int *head;          /* n: first node of each degree */
    int *next, *before; /* n: neighbours in the list of equal degree */
} quotient;

static void unlink_node(quotient *g, int i)
{
    int next = g->next[i], before = g->before[i];
    if (before >= 0)
        g->next[before] = next;
    else
        g->head[g->degree[i]] = next;
    if (next >= 0)
        g->before[next] = before;
}

static void link_node(quotient *g, int i)
{
    int first = g->head[g->degree[i]];
    g->next[i] = first;
    g->before[i] = -1;
    if (first >= 0)
        g->before[first] = i;
    g->head[g->degree[i]] = i;
}

/* Move all living lists to the front. `from`: the list that is just being written. */
static int compact(quotient *g, int from)
{
    for (int i = 0; i < g->n; i++) { /* the first entry of a list makes room for its owner */
        if (g->elements[i] == -2 || g->length[i] == 0)
            continue;
        int first = g->list[g->at[i]];
        g->list[g->at[i]] = -i - 1;
        g->at[i] = first;
    }
    int to = 0;
    for (int k = 0; k < from;) {
        if (g->list[k] >= 0) {
            k++;
            continue;
        }
        int i = -g->list[k] - 1, first = g->at[i];
        g->at[i] = to;
        g->list[to] = first;
        for (int l = 1; l < g->length[i]; l++)
            g->list[to + l] = g->list[k + l];
        to += g->length[i];
        k += g->length[i];
    }
    int fresh = g->free - from;
    memmove(g->list + to, g->list + from, (size_t)fresh * sizeof *g->list);
    g->free = to + fresh;
    return to;
}

/* Put a neighbour of the pivot into the new element, once. */
static void collect(quotient *g, int i, int *from)
{
    if (g->seen[i] == g->mark || g->elements[i] < 0)
        return;
    g->seen[i] = g->mark;
    if (g->free == g->room)
        *from = compact(g, *from);
    g->list[g->free++] = i;
}

/* The element that eliminating p creates: the variables and the members of the elements of p. */
static void make_element(quotient *g, int p)
{
    int from = g->free;
    g->seen[p] = ++g->mark;
    for (int k = 0; k < g->length[p]; k++) {
        int e = g->list[g->at[p] + k];
        if (k >= g->elements[p]) {
            collect(g, e, &from);
            continue;
        }
        for (int l = 0; l < g->length[e]; l++)
            collect(g, g->list[g->at[e] + l], &from);
    }
    for (int k = 0; k < g->elements[p]; k++)
        g->elements[g->list[g->at[p] + k]] = -2;
    g->at[p] = from;
    g->length[p] = g->free - from;
    g->elements[p] = -1;
}

/* seen[e] - base: members of each element beside the new one that are outside it. */
static void measure_elements(quotient *g, int p, int base)
{
    for (int k = 0; k < g->length[p]; k++) {
        int i = g->list[g->at[p] + k];
        for (int l = 0; l < g->elements[i]; l++) {
            int e = g->list[g->at[i] + l];
            if (g->elements[e] != -1)
                continue;
            if (g->seen[e] < base)
                g->seen[e] = base + g->length[e];
            g->seen[e]--;
        }
    }
}

/* The list of variable i after p was eliminated: the new element, its other elements with members
 * outside, its variables outside. Its degree is bounded by the sum of these. */
static void rewrite_variable(quotient *g, int i, int p, int base, int left)
{
    int *list = g->list + g->at[i], to = 0, outside = 0, variables = g->elements[i];
    for (int l = 0; l < g->elements[i]; l++) {
        int e = list[l];
        if (g->elements[e] == -2)
            continue;
        if (g->seen[e] == base) { /* inside the new one */
            g->elements[e] = -2;
            continue;
        }
        outside += g->seen[e] - base;
        list[to++] = e;
    }
    int elements = to, last = g->length[i];
    int *kept = list + to;
    int count = 0;
    for (int l = variables; l < last; l++) {
        int j = list[l];
        if (j != p && g->elements[j] >= 0 && g->seen[j] != g->mark)
            kept[count++] = j;
    }
    /* p or one of its elements was in the list, so there is a place for the new element */
    if (count > 0)
        kept[count] = kept[0];
    kept[0] = p;
    g->elements[i] = elements + 1;
    g->length[i] = elements + 1 + count;
    int bound = outside + count + g->length[p] - 1, before = g->degree[i] + g->length[p] - 1;
    g->degree[i] = bound < before ? bound : before;
    if (g->degree[i] > left - 1)
        g->degree[i] = left - 1;
}

static void lay_out(quotient *g, const carom_ordering_graph *graph, int *work)
{
    int n = g->n = graph->n;
    size_t room = list_room(n, (size_t)(graph->start[n] - graph->start[0]));
    g->list = work;
    g->room = (int)room;
    int **arrays[] = {&g->at,   &g->length, &g->elements, &g->degree,
                      &g->seen, &g->head,   &g->next,     &g->before};
    for (int k = 0; k < 8; k++)
        *arrays[k] = work + room + (size_t)k * (size_t)n;
    g->free = g->mark = 0;
    for (int i = 0; i < n; i++)
        g->head[i] = -1;
    for (int i = 0; i < n; i++) {
        g->at[i] = g->free;
        for (int k = graph->start[i]; k < graph->start[i + 1]; k++)
            if (graph->neighbour[k] != i)
                g->list[g->free++] = graph->neighbour[k];
        g->length[i] = g->degree[i] = g->free - g->at[i];
        g->elements[i] = g->seen[i] = 0;
    }
    for (int i = n - 1; i >= 0; i--)
        link_node(g, i);
}

void carom_min_degree_plain(const carom_ordering_graph *graph, int *order, int *work)
{
    quotient g;
    lay_out(&g, graph, work);
    for (int k = 0, least = 0; k < g.n; k++) {
        while (g.head[least] < 0)
            least++;
        int p = g.head[least];
        unlink_node(&g, p);
        order[k] = p;
        make_element(&g, p);
        int base = g.mark + 1;
        measure_elements(&g, p, base);
        for (int l = 0; l < g.length[p]; l++) {
            int i = g.list[g.at[p] + l];
            unlink_node(&g, i);
            rewrite_variable(&g, i, p, base, g.n - k - 1);
            link_node(&g, i);
            if (g.degree[i] < least)
                least = g.degree[i];
        }
        g.mark = base + g.n;
        if (g.mark > INT_MAX - 2 * g.n - 2) { /* marks start again */
            memset(g.seen, 0, (size_t)g.n * sizeof *g.seen);
            g.mark = 0;
        }
    }
}

/* ---- the choice --------------------------------------------------------------------------- */

#ifdef CAROM_AMD
void carom_min_degree_order(const carom_ordering_graph *graph, int *order, int *work)
{
    int n = graph->n, room = (int)list_room(n, (size_t)(graph->start[n] - graph->start[0]));
    if (n == 0)
        return;
    int *list = work, *at = work + room, *length = at + n, *rest = length + n, used = 0;
    for (int i = 0; i < n; i++) {
        at[i] = used;
        for (int k = graph->start[i]; k < graph->start[i + 1]; k++)
            if (graph->neighbour[k] != i)
                list[used++] = graph->neighbour[k];
        length[i] = used - at[i];
    }
    double control[AMD_CONTROL], info[AMD_INFO];
    amd_defaults(control);
    amd_2(n, at, list, length, room, used, rest, rest + n, order, rest + 2 * n, rest + 3 * n,
          rest + 4 * n, rest + 5 * n, control, info);
}
#else
void carom_min_degree_order(const carom_ordering_graph *graph, int *order, int *work)
{
    carom_min_degree_plain(graph, order, work);
}
#endif
