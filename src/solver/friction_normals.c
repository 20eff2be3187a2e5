/* An island without friction, cut out of one with it. Its diagonal is scaled to one again. */
#include "solver/friction_normals.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static int kept(const carom_friction_island *o, int i)
{
    return o->free[i] ? carom_friction_island_rows(o, i) : 1;
}

/* Rows of the new island; scales and right-hand sides are still those of the old one. */
static bool list_rows(const carom_friction_island *o, carom_arena *arena, carom_friction_island *to,
                      int **rows, double **scale, double **b, double **own)
{
    size_t count = (size_t)o->contacts, n = 0;
    for (int i = 0; i < o->contacts; i++)
        n += (size_t)kept(o, i);
    int *row = carom_arena_array(arena, count + 1, sizeof *row);
    double *mu = carom_arena_zeros(arena, count, sizeof *mu);
    int *outer = carom_arena_array(arena, n, sizeof *outer);
    *b = carom_arena_doubles(arena, n);
    *scale = carom_arena_doubles(arena, n);
    *own = carom_arena_zeros(arena, 9 * count, sizeof **own);
    *rows = carom_arena_array(arena, n, sizeof **rows);
    if (!row || !mu || !outer || !*b || !*scale || !*own || !*rows)
        return false;
    row[0] = 0;
    for (int i = 0; i < o->contacts; i++) {
        row[i + 1] = row[i] + kept(o, i);
        for (int k = row[i]; k < row[i + 1]; k++) {
            int old = (*rows)[k] = o->row[i] + k - row[i];
            outer[k] = o->outer[old];
            (*scale)[k] = o->scale[old];
            (*b)[k] = o->b[old];
        }
    }
    *to = (carom_friction_island){.contacts = o->contacts,
                                  .n = row[o->contacts],
                                  .contact = o->contact,
                                  .row = row,
                                  .outer = outer,
                                  .free = o->free,
                                  .mu = mu,
                                  .scale = *scale,
                                  .b = *b,
                                  .own = *own,
                                  .q_norm = o->q_norm};
    return true;
}

/* ---- from A ------------------------------------------------------------------------------- */

/* Diagonal entries of normals become one. within: n, by how much rows are scaled again. */
static void scale_blocks(const carom_friction_island *o, const carom_friction_island *to,
                         double *within, double *scale, double *b, double *own)
{
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), m = kept(o, i);
        double a = o->own[9 * i], s = !o->free[i] && a > 0 ? 1 / sqrt(a) : 1;
        for (int k = 0; k < m; k++) {
            within[to->row[i] + k] = s;
            scale[to->row[i] + k] *= s;
            b[to->row[i] + k] *= s;
            for (int q = 0; q < m; q++)
                own[9 * i + q + k * m] = o->own[9 * i + q + k * d] * s * s;
        }
    }
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

/* ---- from bodies -------------------------------------------------------------------------- */

/* H of the rows that are kept, with the columns as the statement has them. */
static bool cut_bodies(const carom_friction_island *o, carom_arena *arena,
                       carom_friction_island *to, double **H, double **V, double **M)
{
    carom_friction_masses *m = &to->masses;
    *m = o->given;
    size_t blocks = (size_t)m->start[o->contacts], place = 0, entries = 0;
    for (int i = 0; i < o->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++)
            entries += (size_t)(m->row[m->body[k] + 1] - m->row[m->body[k]]) * (size_t)kept(o, i);
    size_t *at = carom_arena_array(arena, blocks + 1, sizeof *at);
    size_t *mass = carom_arena_array(arena, (size_t)m->bodies, sizeof *mass);
    *H = carom_arena_doubles(arena, entries);
    *V = carom_arena_doubles(arena, entries);
    m->v = carom_arena_doubles(arena, (size_t)m->row[m->bodies]);
    if (!at || !mass || !*H || !*V || !m->v)
        return false;
    for (int i = 0; i < o->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int dof = m->row[m->body[k] + 1] - m->row[m->body[k]], size = dof * kept(o, i);
            at[k] = place;
            carom_dense_copy(size, m->H + m->at[k], *H + place);
            place += (size_t)size;
        }
    at[blocks] = place;
    place = 0;
    for (int j = 0; j < m->bodies; j++) {
        mass[j] = place;
        place += (size_t)(m->row[j + 1] - m->row[j]) * (size_t)(m->row[j + 1] - m->row[j]);
    }
    *M = carom_arena_zeros(arena, place, sizeof **M);
    m->rigid = false;
    m->at = at;
    m->mass = mass;
    m->H = *H;
    m->V = *V;
    m->M = *M;
    return *M != NULL;
}

/* largest (n): of each column of H, over the roots of the masses where there are some. */
static void measure_columns(const carom_friction_island *to, const double *mass, bool sum,
                            double *size)
{
    const carom_friction_masses *m = &to->masses;
    for (int i = 0; i < to->contacts; i++)
        for (int c = 0; c < carom_friction_island_rows(to, i); c++) {
            double *s = size + to->row[i] + c;
            *s = 0;
            for (int k = m->start[i]; k < m->start[i + 1]; k++) {
                const int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
                const double *h = m->H + m->at[k] + c * dof;
                for (int j = 0; j < dof; j++)
                    *s = sum ? *s + h[j] * h[j] / mass[first + j] : fmax(*s, fabs(h[j]));
            }
            *s = sum ? sqrt(*s) : *s;
            *s = *s > 0 ? 1 / *s : 1;
        }
}

/* Masses: of each degree of freedom the largest square of its row, columns of largest entry one.
 * Then columns of length one in the kinetic norm. */
static bool balance(const carom_friction_island *o, carom_arena *arena, carom_friction_island *to,
                    const int *rows, double *H, double *V, double *M, double *scale, double *b,
                    double *own)
{
    const carom_friction_masses *m = &to->masses;
    double *mass = carom_arena_zeros(arena, (size_t)m->row[m->bodies], sizeof *mass);
    if (!mass)
        return false;
    measure_columns(to, mass, false, scale);
    for (int i = 0; i < to->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            const int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
            for (int c = 0; c < carom_friction_island_rows(to, i); c++)
                for (int j = 0; j < dof; j++) {
                    double h = H[m->at[k] + (size_t)(j + c * dof)] * scale[to->row[i] + c];
                    mass[first + j] = fmax(mass[first + j], h * h);
                }
        }
    for (int j = 0; j < m->bodies; j++)
        for (int k = 0, dof = m->row[j + 1] - m->row[j]; k < dof; k++) {
            double *own_mass = &mass[m->row[j] + k];
            *own_mass = *own_mass > 0 ? *own_mass : 1;
            M[m->mass[j] + (size_t)(k * (dof + 1))] = *own_mass;
        }
    measure_columns(to, mass, true, scale);
    for (int i = 0; i < to->contacts; i++) {
        const int d = carom_friction_island_rows(to, i);
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            const int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
            double *h = H + m->at[k], *v = V + m->at[k];
            for (int c = 0; c < d; c++)
                for (int j = 0; j < dof; j++) {
                    h[j + c * dof] *= scale[to->row[i] + c];
                    v[j + c * dof] = h[j + c * dof] / mass[first + j];
                }
            for (int c = 0; c < d; c++)
                for (int r = 0; r < d; r++)
                    own[9 * i + r + c * d] += carom_dense_dot(dof, h + r * dof, v + c * dof);
        }
        for (int c = to->row[i]; c < to->row[i + 1]; c++)
            b[c] = o->w[rows[c]] * scale[c];
    }
    return true;
}

carom_status carom_friction_normals_make(const carom_friction_island *island, carom_arena *arena,
                                         carom_friction_island *normals, const int **rows,
                                         carom_error *error)
{
    int *list;
    double *scale, *b, *own, *H, *V, *M;
    bool made = list_rows(island, arena, normals, &list, &scale, &b, &own);
    *rows = list;
    if (made && island->given.bodies > 0) {
        made = cut_bodies(island, arena, normals, &H, &V, &M) &&
               balance(island, arena, normals, list, H, V, M, scale, b, own);
    } else if (made) {
        double *within = carom_arena_doubles(arena, (size_t)normals->n);
        if (within)
            scale_blocks(island, normals, within, scale, b, own);
        made = within && cut_blocks(island, within, arena, normals);
    }
    return made ? CAROM_OK : carom_error_memory(error);
}
