/* W given as a dense matrix or in blocks. Blocks of zeros connect nothing and are left out. */
#include "solver/friction_blocks.h"

#include "linalg/dense.h"

static bool is_zero(const double *B, int ld, int rows, int columns)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            if (B[i + (size_t)j * (size_t)ld] != 0)
                return false;
    return true;
}

static bool take_blocks(carom_friction_blocks_view *view, size_t blocks, carom_arena *arena)
{
    view->column = carom_arena_array(arena, blocks, sizeof *view->column);
    view->value = carom_arena_array(arena, blocks, sizeof *view->value);
    return view->column && view->value;
}

/* A block that is not zero on the rows that take part: the k-th. */
static void put(carom_friction_contacts *c, carom_friction_blocks_view *view, int *k, int i, int j,
                const double *value)
{
    view->column[*k] = j;
    view->value[(*k)++] = value;
    carom_friction_contacts_join(c, i, j);
    for (int q = 0; i == j && q < c->active[i]; q++)
        carom_dense_copy(c->active[i], value + (size_t)q * (size_t)view->ld[i],
                         c->own + 9 * i + q * c->active[i]);
}

static carom_status read_dense(carom_friction_contacts *c, carom_arena *arena,
                               carom_friction_blocks_view *view, carom_error *error)
{
    int n = c->row[c->count], k = 0;
    for (int pass = 0; pass < 2; pass++) { /* count, then list */
        if (pass == 1 && !take_blocks(view, (size_t)k, arena))
            return carom_error_memory(error);
        k = 0;
        for (int i = 0; i < c->count; i++) {
            view->start[i] = k;
            view->ld[i] = n;
            for (int j = 0; j < c->count; j++) {
                const double *B = c->problem->W + c->row[i] + (size_t)c->row[j] * (size_t)n;
                if (is_zero(B, n, c->active[i], c->active[j]))
                    continue;
                if (pass == 0)
                    k++;
                else
                    put(c, view, &k, i, j, B);
            }
        }
        view->start[c->count] = k;
    }
    return CAROM_OK;
}

static carom_status read_blocks(carom_friction_contacts *c, carom_arena *arena,
                                carom_friction_blocks_view *view, carom_error *error)
{
    const carom_friction_blocks *given = &c->problem->blocks;
    const double *B = given->value;
    int *seen = carom_arena_zeros(arena, (size_t)c->count, sizeof *seen), count = 0;
    if (!seen || !take_blocks(view, (size_t)given->start[c->count], arena))
        return carom_error_memory(error);
    for (int i = 0; i < c->count; i++) {
        int rows = view->ld[i] = c->row[i + 1] - c->row[i];
        view->start[i] = count;
        for (int k = given->start[i]; k < given->start[i + 1]; k++) {
            int j = given->column[k];
            if (seen[j] == i + 1)
                return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                       "friction problem: contacts %d and %d have two blocks", i,
                                       j);
            seen[j] = i + 1;
            if (!is_zero(B, rows, c->active[i], c->active[j]))
                put(c, view, &count, i, j, B);
            B += rows * (c->row[j + 1] - c->row[j]);
        }
    }
    view->start[c->count] = count;
    return CAROM_OK;
}

carom_status carom_friction_blocks_read(carom_friction_contacts *contacts, carom_arena *arena,
                                        carom_friction_blocks_view *view, carom_error *error)
{
    size_t count = (size_t)contacts->count + 1;
    view->start = carom_arena_zeros(arena, count, sizeof *view->start);
    view->ld = carom_arena_array(arena, count, sizeof *view->ld);
    if (!view->start || !view->ld)
        return carom_error_memory(error);
    return contacts->problem->form == CAROM_FRICTION_DENSE
               ? read_dense(contacts, arena, view, error)
               : read_blocks(contacts, arena, view, error);
}

/* ---- islands ------------------------------------------------------------------------------ */

/* The blocks of all islands, one after the other. */
typedef struct lists {
    int *start, *column;
    size_t *at;
    double *value;
} lists;

static bool take_lists(const carom_friction_contacts *c, const carom_friction_blocks_view *view,
                       carom_arena *arena, lists *l)
{
    size_t blocks = (size_t)view->start[c->count], values = 0;
    for (int i = 0; i < c->count; i++)
        for (int k = view->start[i]; k < view->start[i + 1]; k++)
            values += (size_t)(c->active[i] * c->active[view->column[k]]);
    l->start = carom_arena_array(arena, (size_t)(c->count + c->islands), sizeof *l->start);
    l->column = carom_arena_array(arena, blocks, sizeof *l->column);
    l->at = carom_arena_array(arena, blocks + (size_t)c->islands, sizeof *l->at);
    l->value = carom_arena_doubles(arena, values);
    return l->start && l->column && l->at && l->value;
}

/* The scaled block k of contact i, active rows and columns, at `to`; returns its entries. */
static size_t copy_block(const carom_friction_contacts *c, const carom_friction_blocks_view *view,
                         int i, int k, double *to)
{
    int j = view->column[k], m = c->active[i];
    const double *si = c->scale + c->row[i], *sj = c->scale + c->row[j];
    for (int q = 0; q < c->active[j]; q++) {
        const double *from = view->value[k] + (size_t)q * (size_t)view->ld[i];
        for (int r = 0; r < m; r++)
            to[r + q * m] = from[r] * si[r] * sj[q];
    }
    return (size_t)(m * c->active[j]);
}

static lists fill_island(const carom_friction_contacts *c, const carom_friction_blocks_view *view,
                         lists l, carom_friction_island *island)
{
    int blocks = 0, count = island->contacts;
    size_t place = 0;
    bool three = true;
    for (int k = 0; k < count; k++) {
        int i = island->contact[k];
        l.start[k] = blocks;
        three &= c->active[i] == 3;
        for (int b = view->start[i]; b < view->start[i + 1]; b++) {
            l.column[blocks] = c->local[view->column[b]];
            l.at[blocks++] = place;
            place += copy_block(c, view, i, b, l.value + place);
        }
    }
    l.start[count] = blocks;
    l.at[blocks] = place;
    island->A = (carom_block_matrix){count, island->row, l.start, l.column, l.at, l.value, three};
    return (lists){l.start + count + 1, l.column + blocks, l.at + blocks + 1, l.value + place};
}

carom_status carom_friction_blocks_fill(const carom_friction_contacts *contacts,
                                        const carom_friction_blocks_view *view, carom_arena *arena,
                                        carom_friction_layout *layout, carom_error *error)
{
    lists l;
    if (!take_lists(contacts, view, arena, &l))
        return carom_error_memory(error);
    for (int g = 0; g < layout->islands; g++)
        l = fill_island(contacts, view, l, &layout->island[g]);
    return CAROM_OK;
}
