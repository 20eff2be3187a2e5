/* Symbolic elimination: order, elimination tree, columns of equal structure joined to fronts
 * (Liu, The role of elimination trees in sparse factorization, 1990; Davis, Direct Methods for
 * Sparse Linear Systems, 2006). */
#include "linalg/block_tree.h"

#include "linalg/min_degree.h"

#include <string.h>

typedef struct workspace {
    const int *start, *neighbour; /* the symmetric graph, by nodes */
    int *parent, *count;          /* by places: elimination tree, rows below the diagonal */
    int *ancestor, *mark;         /* nodes: work */
    int *rows;                    /* by places: scalar rows of a node */
} workspace;

/* Liu's algorithm: the parent of a place is the first later place its column reaches. */
static void elimination_tree(const carom_block_tree *t, workspace *w)
{
    for (int i = 0; i < t->nodes; i++) {
        int node = t->order[i];
        w->parent[i] = w->ancestor[i] = -1;
        for (int k = w->start[node]; k < w->start[node + 1]; k++)
            for (int j = t->place[w->neighbour[k]], next; j >= 0 && j < i; j = next) {
                next = w->ancestor[j];
                w->ancestor[j] = i;
                if (next < 0)
                    w->parent[j] = i;
            }
    }
}

/* Renumber the places so that subtrees are contiguous and parents follow their children. */
static void postorder(carom_block_tree *t, workspace *w)
{
    int n = t->nodes, *head = w->ancestor, *next = w->mark, *stack = w->count, *sorted = t->place;
    memset(head, -1, (size_t)n * sizeof *head);
    for (int i = n - 1; i >= 0; i--)
        if (w->parent[i] >= 0) {
            next[i] = head[w->parent[i]];
            head[w->parent[i]] = i;
        }
    int k = 0;
    for (int root = 0; root < n; root++) {
        if (w->parent[root] >= 0)
            continue;
        int top = 0;
        stack[0] = root;
        while (top >= 0) {
            int i = stack[top], child = head[i];
            if (child >= 0) {
                head[i] = next[child];
                stack[++top] = child;
            } else {
                sorted[k++] = t->order[i];
                top--;
            }
        }
    }
    memcpy(t->order, sorted, (size_t)n * sizeof *sorted);
    for (int i = 0; i < n; i++)
        t->place[t->order[i]] = i;
}

/* Rows below the diagonal of each column of the factor: place i is in the columns of the path from
 * each of its earlier neighbours towards i. */
static void column_counts(const carom_block_tree *t, workspace *w)
{
    memset(w->count, 0, (size_t)t->nodes * sizeof *w->count);
    memset(w->mark, -1, (size_t)t->nodes * sizeof *w->mark);
    for (int i = 0; i < t->nodes; i++) {
        int node = t->order[i];
        w->mark[i] = i;
        for (int k = w->start[node]; k < w->start[node + 1]; k++)
            for (int j = t->place[w->neighbour[k]]; j < i && w->mark[j] != i; j = w->parent[j]) {
                w->mark[j] = i;
                w->count[j] += w->rows[i];
            }
    }
}

/* A front in the making: columns, rows below, zeros stored among its columns. */
typedef struct candidate {
    long k, m, zeros;
} candidate;

/* Does a node of `rows` columns with `count` rows below join the front that follows it? The zeros
 * that are then stored and calculated with cost less than another front when they are few. */
static bool joins(candidate *front, int rows, int count)
{
    enum { SMALL = 8, MEDIUM = 24 }; /* columns: a small front is mostly overhead */
    long k = front->k + rows, all = k * (k + front->m);
    long zeros = front->zeros + rows * (front->k + front->m - count);
    long share = k <= SMALL ? 2 : k <= MEDIUM ? 5 : 20;
    if (zeros > 0 && share * zeros > all)
        return false;
    *front = (candidate){k, front->m, zeros};
    return true;
}

/* Columns to fronts, from the last to the first, so that a front is complete when it is asked
 * whether the column before it joins. */
static int join_columns(carom_block_tree *t, workspace *w)
{
    int fronts = 0;
    candidate front = {0, 0, 0};
    for (int i = t->nodes - 1; i >= 0; i--) {
        bool child = i + 1 < t->nodes && w->parent[i] == i + 1;
        if (!child || !joins(&front, w->rows[i], w->count[i])) {
            fronts++;
            front = (candidate){w->rows[i], w->count[i], 0};
        }
        t->front[i] = fronts - 1;
    }
    for (int i = 0; i < t->nodes; i++)
        t->front[i] = fronts - 1 - t->front[i];
    return fronts;
}

static void list_fronts(carom_block_tree *t, workspace *w)
{
    for (int i = t->nodes - 1; i >= 0; i--)
        t->first[t->front[i]] = i;
    t->first[t->fronts] = t->nodes;
    for (int s = 0; s < t->fronts; s++) {
        int up = w->parent[t->first[s + 1] - 1];
        t->parent[s] = up < 0 ? -1 : t->front[up];
    }
}

/* The places below each front; with below NULL they are only counted. */
static void list_below(carom_block_tree *t, workspace *w, int *below)
{
    int *end = w->ancestor, *mark = w->mark;
    for (int s = 0; s < t->fronts; s++) {
        end[s] = below ? t->below_start[s] : 0;
        mark[s] = -1;
    }
    for (int i = 0; i < t->nodes; i++) {
        int node = t->order[i], mine = t->front[i];
        for (int k = w->start[node]; k < w->start[node + 1]; k++) {
            int j = t->place[w->neighbour[k]];
            for (int s = t->front[j]; j < i && s >= 0 && s < mine && mark[s] != i;
                 s = t->parent[s]) {
                mark[s] = i;
                if (below)
                    below[end[s]] = i;
                end[s]++;
            }
        }
    }
    if (below)
        return;
    for (int s = 0, sum = 0; s <= t->fronts; s++) {
        t->below_start[s] = sum;
        sum += s < t->fronts ? end[s] : 0;
    }
}

static bool take_order(const carom_block_matrix *A, carom_arena *arena, carom_block_tree *t,
                       workspace *w)
{
    size_t n = (size_t)A->nodes, edges = 2 * (size_t)A->start[A->nodes];
    int *start = carom_arena_array(arena, n + 1, sizeof *start);
    int *neighbour = carom_arena_array(arena, edges, sizeof *neighbour);
    int *work = carom_arena_array(arena, carom_min_degree_room(A->nodes, edges), sizeof *work);
    t->order = carom_arena_array(arena, n, sizeof *t->order);
    if (!start || !neighbour || !work || !t->order)
        return false;
    carom_block_matrix_graph(A, start, neighbour, work);
    carom_min_degree_order(&(carom_ordering_graph){A->nodes, start, neighbour}, t->order, work);
    w->start = start;
    w->neighbour = neighbour;
    return true;
}

static bool take_rest(carom_arena *arena, carom_block_tree *t, workspace *w)
{
    size_t n = (size_t)t->nodes + 1;
    int **arrays[] = {&t->place,  &t->first, &t->parent,   &t->below_start, &t->front,
                      &w->parent, &w->count, &w->ancestor, &w->mark,        &w->rows};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = carom_arena_array(arena, n, sizeof **arrays[k])))
            return false;
    return true;
}

carom_status carom_block_tree_make(const carom_block_matrix *A, carom_arena *arena,
                                   carom_block_tree *tree, carom_error *error)
{
    workspace w;
    tree->nodes = A->nodes;
    if (!take_order(A, arena, tree, &w) || !take_rest(arena, tree, &w))
        return carom_error_memory(error);
    for (int i = 0; i < tree->nodes; i++)
        tree->place[tree->order[i]] = i;
    elimination_tree(tree, &w);
    postorder(tree, &w);
    elimination_tree(tree, &w);
    for (int i = 0; i < tree->nodes; i++)
        w.rows[i] = carom_block_matrix_size(A, tree->order[i]);
    column_counts(tree, &w);
    tree->fronts = join_columns(tree, &w);
    list_fronts(tree, &w);
    list_below(tree, &w, NULL);
    tree->below =
        carom_arena_array(arena, (size_t)tree->below_start[tree->fronts] + 1, sizeof *tree->below);
    if (!tree->below)
        return carom_error_memory(error);
    list_below(tree, &w, tree->below);
    return CAROM_OK;
}
