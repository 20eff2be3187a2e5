/* An island without friction, cut out of one with it. Its diagonal is scaled to one again. */
#include "solver/friction_normals.h"

#include "linalg/dense.h"

#include <math.h>

static int kept(const carom_friction_island *o, int i)
{
    return o->free[i] ? carom_friction_island_rows(o, i) : 1;
}

/* Rows of the new island, their scales (within the old one) and right-hand sides. */
static bool list_rows(const carom_friction_island *o, carom_arena *arena, carom_friction_island *to,
                      int **rows, double **within)
{
    size_t count = (size_t)o->contacts, n = 0;
    for (int i = 0; i < o->contacts; i++)
        n += (size_t)kept(o, i);
    int *row = carom_arena_array(arena, count + 1, sizeof *row);
    double *b = carom_arena_doubles(arena, n), *scale = carom_arena_doubles(arena, n);
    double *own = carom_arena_zeros(arena, 9 * count, sizeof *own);
    double *mu = carom_arena_zeros(arena, count, sizeof *mu);
    int *outer = carom_arena_array(arena, n, sizeof *outer);
    *rows = carom_arena_array(arena, n, sizeof **rows);
    *within = carom_arena_doubles(arena, n);
    if (!row || !b || !scale || !own || !mu || !outer || !*rows || !*within)
        return false;
    row[0] = 0;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), m = kept(o, i);
        double a = o->own[9 * i], s = !o->free[i] && a > 0 ? 1 / sqrt(a) : 1;
        row[i + 1] = row[i] + m;
        for (int k = 0; k < m; k++) {
            int old = o->row[i] + k, now = row[i] + k;
            (*rows)[now] = old;
            (*within)[now] = s;
            outer[now] = o->outer[old];
            scale[now] = o->scale[old] * s;
            b[now] = o->b[old] * s;
            for (int q = 0; q < m; q++)
                own[9 * i + q + k * m] = o->own[9 * i + q + k * d] * s * s;
        }
    }
    *to = (carom_friction_island){.contacts = o->contacts,
                                  .n = row[o->contacts],
                                  .contact = o->contact,
                                  .row = row,
                                  .outer = outer,
                                  .free = o->free,
                                  .mu = mu,
                                  .scale = scale,
                                  .b = b,
                                  .own = own,
                                  .q_norm = o->q_norm};
    return true;
}

static bool cut_blocks(const carom_friction_island *o, const double *within, carom_arena *arena,
                       carom_friction_island *to)
{
    const carom_block_matrix *A = &o->A;
    size_t blocks = (size_t)A->start[A->nodes], place = 0;
    size_t *at = carom_arena_array(arena, blocks + 1, sizeof *at);
    double *value = carom_arena_doubles(arena, A->at[blocks]);
    if (!at || !value)
        return false;
    for (int i = 0; i < A->nodes; i++)
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            int j = A->column[k], d = carom_block_matrix_size(A, i);
            at[k] = place;
            for (int q = 0; q < kept(o, j); q++)
                for (int r = 0; r < kept(o, i); r++)
                    value[place++] = A->value[A->at[k] + (size_t)(r + q * d)] *
                                     within[to->row[i] + r] * within[to->row[j] + q];
        }
    at[blocks] = place;
    to->A = (carom_block_matrix){A->nodes, to->row, A->start, A->column, at, value, false};
    return true;
}

static bool cut_bodies(const carom_friction_island *o, const double *within, carom_arena *arena,
                       carom_friction_island *to)
{
    const carom_friction_masses *m = &o->masses;
    size_t blocks = (size_t)m->start[o->contacts], place = 0;
    size_t *at = carom_arena_array(arena, blocks + 1, sizeof *at);
    double *H = carom_arena_doubles(arena, m->at[blocks]);
    double *V = carom_arena_doubles(arena, m->at[blocks]);
    if (!at || !H || !V)
        return false;
    for (int i = 0; i < o->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int dof = m->row[m->body[k] + 1] - m->row[m->body[k]];
            at[k] = place;
            for (int q = 0; q < kept(o, i); q++)
                for (int r = 0; r < dof; r++, place++) {
                    size_t old = m->at[k] + (size_t)(r + q * dof);
                    H[place] = m->H[old] * within[to->row[i] + q];
                    V[place] = m->V[old] * within[to->row[i] + q];
                }
        }
    at[blocks] = place;
    to->masses = *m;
    to->masses.rigid = false;
    to->masses.at = at;
    to->masses.H = H;
    to->masses.V = V;
    return true;
}

carom_status carom_friction_normals_make(const carom_friction_island *island, carom_arena *arena,
                                         carom_friction_island *normals, const int **rows,
                                         carom_error *error)
{
    int *list;
    double *within;
    if (!list_rows(island, arena, normals, &list, &within))
        return carom_error_memory(error);
    *rows = list;
    bool cut = island->masses.bodies > 0 ? cut_bodies(island, within, arena, normals)
                                         : cut_blocks(island, within, arena, normals);
    return cut ? CAROM_OK : carom_error_memory(error);
}
