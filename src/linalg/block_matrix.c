/* Products with sparse matrices of small dense blocks, and the graph of their pattern. */
#include "linalg/block_matrix.h"

#include <string.h>

/* The common size written out: three sums in registers. */
static inline void row_of_three(const carom_block_matrix *A, int first, int end,
                                const double *restrict x, double *restrict y)
{
    double y0 = 0, y1 = 0, y2 = 0;
    for (int k = first; k < end; k++) {
        const double *B = A->value + A->at[k], *z = x + A->row[A->column[k]];
        y0 += B[0] * z[0] + B[3] * z[1] + B[6] * z[2];
        y1 += B[1] * z[0] + B[4] * z[1] + B[7] * z[2];
        y2 += B[2] * z[0] + B[5] * z[1] + B[8] * z[2];
    }
    y[0] += y0;
    y[1] += y1;
    y[2] += y2;
}

void carom_block_matrix_row(const carom_block_matrix *A, int i, const double *x, double *y)
{
    if (A->three) {
        row_of_three(A, A->start[i], A->start[i + 1], x, y);
        return;
    }
    int m = carom_block_matrix_size(A, i);
    for (int k = A->start[i]; k < A->start[i + 1]; k++) {
        const double *B = A->value + A->at[k];
        for (int c = A->row[A->column[k]]; c < A->row[A->column[k] + 1]; c++, B += m)
            for (int r = 0; r < m; r++)
                y[r] += B[r] * x[c];
    }
}

void carom_block_matrix_multiply(const carom_block_matrix *A, const double *x, double *y)
{
    for (int i = 0; i < A->nodes; i++)
        carom_block_matrix_row(A, i, x, y + A->row[i]);
}

void carom_block_matrix_graph(const carom_block_matrix *A, int *start, int *neighbour, int *work)
{
    int n = A->nodes, *count = work, *seen = work + n + 1;
    memset(count, 0, (size_t)(n + 1) * sizeof *count);
    for (int i = 0; i < n; i++) /* every entry once for each of its ends */
        for (int k = A->start[i]; k < A->start[i + 1]; k++)
            if (A->column[k] != i) {
                count[i]++;
                count[A->column[k]]++;
            }
    for (int i = 0, sum = 0; i <= n; i++) {
        int here = i < n ? count[i] : 0;
        start[i] = count[i] = sum;
        sum += here;
    }
    for (int i = 0; i < n; i++)
        for (int k = A->start[i]; k < A->start[i + 1]; k++)
            if (A->column[k] != i) {
                neighbour[count[i]++] = A->column[k];
                neighbour[count[A->column[k]]++] = i;
            }
    memset(seen, -1, (size_t)n * sizeof *seen);
    for (int i = 0, to = 0, from = 0; i < n; i++) { /* none twice */
        int end = start[i + 1];
        start[i] = to;
        for (; from < end; from++)
            if (seen[neighbour[from]] != i) {
                seen[neighbour[from]] = i;
                neighbour[to++] = neighbour[from];
            }
        if (i == n - 1)
            start[n] = to;
    }
}
