/* Multifrontal elimination of sparse block matrices (Duff, Reid, The multifrontal solution of
 * indefinite sparse symmetric linear equations, 1983): every front is a small dense matrix made of
 * entries of A and of what its children leave over. */
#include "linalg/block_lu.h"

#include "linalg/front.h"

#include <stdint.h>
#include <string.h>

/* ---- the plan ----------------------------------------------------------------------------- */

/* Sizes of the fronts and places of their factors. row: first scalar row of each place. */
static size_t lay_out_fronts(const carom_block_tree *t, const int *row, carom_block_lu *lu)
{
    size_t value = 0, index = 0;
    lu->work = 0;
    for (int s = 0; s < t->fronts; s++) {
        carom_block_front *f = &lu->front[s];
        *f = (carom_block_front){.k = row[t->first[s + 1]] - row[t->first[s]],
                                 .row = row[t->first[s]],
                                 .parent = t->parent[s]};
        for (int b = t->below_start[s]; b < t->below_start[s + 1]; b++)
            f->m += row[t->below[b] + 1] - row[t->below[b]];
        f->P = value;
        f->U = value + (size_t)(f->k + f->m) * (size_t)f->k;
        value = f->U + (size_t)f->k * (size_t)f->m;
        f->index = index;
        index += (size_t)f->m;
        double k = f->k, m = f->m;
        lu->work += k * k * k / 3 + k * k * m + k * m * m;
    }
    lu->factor_room = value;
    return index;
}

/* The greatest extent of the stack: a front is built above what its children left, which then
 * goes. left: fronts, work space. */
static size_t measure_stack(const carom_block_lu *lu, size_t *left)
{
    size_t stack = 0, top = 0;
    memset(left, 0, (size_t)lu->fronts * sizeof *left);
    for (int s = 0; s < lu->fronts; s++) {
        const carom_block_front *f = &lu->front[s];
        size_t mine = (size_t)f->m * (size_t)f->m;
        top = stack + mine > top ? stack + mine : top;
        stack = stack - left[s] + mine;
        if (f->parent >= 0)
            left[f->parent] += mine;
    }
    return top;
}

/* Where place p stands in front s: its first row there. */
static int row_in_front(const carom_block_tree *t, const carom_block_lu *lu, const int *row, int s,
                        int p)
{
    const carom_block_front *f = &lu->front[s];
    if (p < t->first[s + 1])
        return row[p] - f->row;
    int low = t->below_start[s], high = t->below_start[s + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->below[middle] < p)
            low = middle + 1;
        else
            high = middle;
    }
    /* index lists scalar rows; the places before this one are as many rows as their sum, which
     * the first entries of index tell: they are filled in the same order */
    return f->k + lu->into[f->index + (size_t)(low - t->below_start[s])];
}

/* Scalar rows below every front, and for each the row of the parent's front it goes to. Before the
 * second is known, `into` holds for each *place* below its first row among the m. */
static void list_rows(const carom_block_tree *t, const int *row, carom_block_lu *lu)
{
    for (int s = 0; s < t->fronts; s++) {
        carom_block_front *f = &lu->front[s];
        int count = 0;
        for (int b = t->below_start[s]; b < t->below_start[s + 1]; b++) {
            lu->into[f->index + (size_t)(b - t->below_start[s])] = count;
            for (int r = row[t->below[b]]; r < row[t->below[b] + 1]; r++)
                lu->index[f->index + (size_t)count++] = r;
        }
    }
}

/* Which blocks of A enter which front, and where: the front that eliminates the earlier of row and
 * column. count: fronts, work space. */
static void list_scatters(const carom_block_matrix *A, const carom_block_tree *t, const int *row,
                          carom_block_lu *lu)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < A->nodes; i++)
            for (int k = A->start[i]; k < A->start[i + 1]; k++) {
                int j = A->column[k], p = t->place[i], c = t->place[j];
                carom_block_front *f = &lu->front[t->front[p < c ? p : c]];
                if (pass == 0) {
                    f->scatters++;
                    continue;
                }
                int s = t->front[p < c ? p : c];
                lu->scatter[f->scatter + f->scatters++] =
                    (carom_block_scatter){.block = k,
                                          .row = row_in_front(t, lu, row, s, p),
                                          .column = row_in_front(t, lu, row, s, c),
                                          .rows = carom_block_matrix_size(A, i),
                                          .columns = carom_block_matrix_size(A, j)};
            }
        for (int s = 0, sum = 0; pass == 0 && s < lu->fronts; s++) {
            lu->front[s].scatter = sum;
            sum += lu->front[s].scatters;
            lu->front[s].scatters = 0;
        }
    }
}

/* into: where the rows that a front leaves go in its parent. Rows are ascending in both. Parents
 * come later, so their own `into` still tells places when a child asks. */
static void list_into(const carom_block_tree *t, carom_block_lu *lu)
{
    for (int s = 0; s < t->fronts; s++) {
        carom_block_front *f = &lu->front[s];
        if (f->parent < 0)
            continue;
        const carom_block_front *up = &lu->front[f->parent];
        const int *mine = lu->index + f->index, *theirs = lu->index + up->index;
        int j = 0;
        f->inside = 0;
        for (int i = 0; i < f->m; i++) {
            if (mine[i] < up->row + up->k) {
                lu->into[f->index + (size_t)i] = mine[i] - up->row;
                f->inside++;
                continue;
            }
            while (theirs[j] < mine[i])
                j++;
            lu->into[f->index + (size_t)i] = up->k + j;
        }
    }
}

static bool take_room(carom_block_lu *lu, size_t indices, size_t blocks, carom_arena *arena)
{
    size_t n = (size_t)lu->n;
    lu->scatter = carom_arena_array(arena, blocks, sizeof *lu->scatter);
    lu->index = carom_arena_array(arena, indices, sizeof *lu->index);
    lu->into = carom_arena_array(arena, indices, sizeof *lu->into);
    lu->old = carom_arena_array(arena, n, sizeof *lu->old);
    lu->exchange = carom_arena_array(arena, n, sizeof *lu->exchange);
    lu->open = carom_arena_array(arena, (size_t)lu->fronts + 1, sizeof *lu->open);
    lu->value = carom_arena_doubles(arena, lu->factor_room);
    lu->stack = carom_arena_doubles(arena, lu->stack_room);
    lu->x = carom_arena_doubles(arena, n);
    lu->y = carom_arena_doubles(arena, n);
    return lu->scatter && lu->index && lu->into && lu->old && lu->exchange && lu->open &&
           lu->value && lu->stack && lu->x && lu->y;
}

carom_status carom_block_lu_plan(const carom_block_matrix *A, carom_arena *arena,
                                 carom_block_lu *lu, carom_error *error)
{
    carom_block_tree tree;
    carom_status status = carom_block_tree_make(A, arena, &tree, error);
    if (status != CAROM_OK)
        return status;
    int *row = carom_arena_array(arena, (size_t)tree.nodes + 1, sizeof *row);
    size_t *left = carom_arena_array(arena, (size_t)tree.fronts + 1, sizeof *left);
    *lu = (carom_block_lu){.n = A->row[A->nodes], .fronts = tree.fronts, .at = A->at};
    lu->front = carom_arena_array(arena, (size_t)tree.fronts + 1, sizeof *lu->front);
    if (!row || !left || !lu->front)
        return carom_error_memory(error);
    row[0] = 0;
    for (int p = 0; p < tree.nodes; p++)
        row[p + 1] = row[p] + carom_block_matrix_size(A, tree.order[p]);
    size_t indices = lay_out_fronts(&tree, row, lu);
    lu->stack_room = measure_stack(lu, left);
    if (!take_room(lu, indices, (size_t)A->start[A->nodes], arena))
        return carom_error_memory(error);
    for (int p = 0; p < tree.nodes; p++)
        for (int r = row[p]; r < row[p + 1]; r++)
            lu->old[r] = A->row[tree.order[p]] + r - row[p];
    list_rows(&tree, row, lu);
    list_scatters(A, &tree, row, lu);
    list_into(&tree, lu);
    return CAROM_OK;
}

/* ---- factors ------------------------------------------------------------------------------ */

/* The front under way: its columns to eliminate, its rows of the others, what stays. */
typedef struct parts {
    int k, m;
    double *P, *U, *C;
} parts;

/* Put the blocks of A into the front. A block has at least one end among what is eliminated. */
static void scatter_blocks(const carom_block_lu *lu, const carom_block_front *f, const parts *to,
                           const double *value)
{
    for (const carom_block_scatter *b = lu->scatter + f->scatter, *end = b + f->scatters; b < end;
         b++) {
        const double *from = value + lu->at[b->block];
        bool eliminated = b->column < to->k;
        size_t down = eliminated ? 1 : (size_t)to->m,
               right = eliminated ? (size_t)(to->k + to->m) : 1;
        double *into = eliminated ? to->P + (size_t)b->column * right + b->row
                                  : to->U + (size_t)b->row * down + (b->column - to->k);
        for (int c = 0; c < b->columns; c++)
            for (int r = 0; r < b->rows; r++)
                into[(size_t)r * down + (size_t)c * right] += *from++;
    }
}

/* Add what a child left (m x m at C) to the front. */
static void add_child(const carom_block_lu *lu, const carom_block_front *child, const double *C,
                      const parts *to)
{
    const int *into = lu->into + child->index;
    int m = child->m, inside = child->inside;
    for (int c = 0; c < m; c++, C += m) {
        if (into[c] < to->k) {
            double *P = to->P + (size_t)into[c] * (size_t)(to->k + to->m);
            for (int r = 0; r < m; r++)
                P[into[r]] += C[r];
            continue;
        }
        double *U = to->U + (into[c] - to->k);
        for (int r = 0; r < inside; r++)
            U[(size_t)into[r] * (size_t)to->m] += C[r];
        double *rest = to->C + (ptrdiff_t)(into[c] - to->k) * to->m - to->k;
        for (int r = inside; r < m; r++)
            rest[into[r]] += C[r];
    }
}

bool carom_block_lu_factor(carom_block_lu *lu, const double *value)
{
    double *top = lu->stack;
    int open = 0; /* fronts whose rests are on the stack */
    for (int s = 0; s < lu->fronts; s++) {
        carom_block_front *f = &lu->front[s];
        parts front = {f->k, f->m, lu->value + f->P, lu->value + f->U, top};
        size_t mine = (size_t)f->m * (size_t)f->m;
        memset(front.P, 0, (size_t)f->k * (size_t)(f->k + 2 * f->m) * sizeof *front.P);
        memset(front.C, 0, mine * sizeof *front.C);
        scatter_blocks(lu, f, &front, value);
        double *bottom = top;
        while (open > 0 && lu->front[lu->open[open - 1]].parent == s) {
            const carom_block_front *child = &lu->front[lu->open[--open]];
            bottom -= (size_t)child->m * (size_t)child->m;
            add_child(lu, child, bottom, &front);
        }
        if (!carom_front_factor(f->k, f->m, front.P, front.U, front.C, lu->exchange + f->row))
            return false;
        if (bottom != top)
            memmove(bottom, front.C, mine * sizeof *front.C);
        top = bottom + mine;
        lu->open[open++] = s;
    }
    return true;
}

int carom_block_lu_sign(const carom_block_lu *lu)
{
    int sign = 1;
    for (int s = 0; s < lu->fronts; s++) {
        const carom_block_front *f = &lu->front[s];
        const double *pivot = lu->value + f->P;
        for (int j = 0; j < f->k; j++, pivot += f->k + f->m + 1)
            if ((*pivot < 0) != (lu->exchange[f->row + j] != j))
                sign = -sign;
    }
    return sign;
}

void carom_block_lu_solve(carom_block_lu *lu, double *x)
{
    for (int r = 0; r < lu->n; r++)
        lu->x[r] = x[lu->old[r]];
    for (int s = 0; s < lu->fronts; s++) {
        const carom_block_front *f = &lu->front[s];
        const int *index = lu->index + f->index;
        carom_front_forward(f->k, f->m, lu->value + f->P, lu->exchange + f->row, lu->x + f->row,
                            lu->y);
        for (int i = 0; i < f->m; i++)
            lu->x[index[i]] += lu->y[i];
    }
    for (int s = lu->fronts - 1; s >= 0; s--) {
        const carom_block_front *f = &lu->front[s];
        const int *index = lu->index + f->index;
        for (int i = 0; i < f->m; i++)
            lu->y[i] = lu->x[index[i]];
        carom_front_backward(f->k, f->m, lu->value + f->P, lu->value + f->U, lu->y, lu->x + f->row);
    }
    for (int r = 0; r < lu->n; r++)
        x[lu->old[r]] = lu->x[r];
}
