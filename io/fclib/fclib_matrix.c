/* Entries of a sparse matrix, one after the other. */
#include "fclib/raw.h"

bool carom_fclib_matrix_room(carom_fclib_matrix *A, size_t count, carom_arena *arena)
{
    A->count = 0;
    A->row = carom_arena_array(arena, count, sizeof *A->row);
    A->column = carom_arena_array(arena, count, sizeof *A->column);
    A->value = carom_arena_doubles(arena, count);
    return A->row && A->column && A->value;
}

void carom_fclib_matrix_put(carom_fclib_matrix *A, int row, int column, double value)
{
    if (value == 0)
        return;
    A->row[A->count] = row;
    A->column[A->count] = column;
    A->value[A->count++] = value;
}
