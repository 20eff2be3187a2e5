/* W given by bodies. */
#include "solver/friction_bodies.h"
#include "solver/friction_dofs.h"

#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "solver/friction_exact.h"

#include <math.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------ */

static bool take_view(const carom_friction_problem *p, carom_arena *arena,
                      carom_friction_bodies_view *view)
{
    size_t blocks = (size_t)p->bodies.start[p->contacts], bodies = (size_t)p->bodies.count;
    view->row = carom_arena_array(arena, bodies + 1, sizeof *view->row);
    view->mass = carom_arena_array(arena, bodies + 1, sizeof *view->mass);
    view->at = carom_arena_array(arena, blocks + 1, sizeof *view->at);
    view->start = carom_arena_zeros(arena, bodies + 2, sizeof *view->start);
    view->contact = carom_arena_array(arena, blocks, sizeof *view->contact);
    view->block = carom_arena_array(arena, blocks, sizeof *view->block);
    return view->row && view->mass && view->at && view->start && view->contact && view->block;
}

/* Where everything begins, and the contacts of every body. */
static void list_bodies(const carom_friction_contacts *c, carom_friction_bodies_view *view)
{
    const carom_friction_bodies *b = &c->problem->bodies;
    size_t place = 0, mass = 0;
    view->row[0] = 0;
    for (int j = 0; j < b->count; j++) {
        int dof = carom_friction_dofs(b, j);
        view->row[j + 1] = view->row[j] + dof;
        view->mass[j] = mass;
        mass += (size_t)dof * (size_t)dof;
    }
    for (int i = 0; i < c->count; i++)
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            int j = b->body[k];
            view->at[k] = place;
            place +=
                (size_t)(c->row[i + 1] - c->row[i]) * (size_t)(view->row[j + 1] - view->row[j]);
            view->start[j + 2]++;
        }
    view->at[b->start[c->count]] = place;
    for (int j = 0; j < b->count; j++)
        view->start[j + 2] += view->start[j + 1];
    for (int i = 0; i < c->count; i++)
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            int to = view->start[b->body[k] + 1]++;
            view->contact[to] = i;
            view->block[to] = k;
        }
}

/* The first row, from 1, whose pivot in the symmetric part of M (dof x dof) is not positive; 0: it
 * is positive definite. L: room. */
static int not_positive(int dof, const double *M, double *L)
{
    for (int j = 0; j < dof; j++)
        for (int i = j; i < dof; i++)
            L[i + j * dof] = (M[i + j * dof] + M[j + i * dof]) / 2;
    return carom_cholesky_factor(dof, L, dof);
}

/* V = M^-1 H and v = M^-1 f, body by body. */
static carom_status divide_by_mass(const carom_friction_contacts *c,
                                   const carom_friction_bodies_view *view, double *LU, int *pivot,
                                   double *v, carom_error *error)
{
    const carom_friction_bodies *b = &c->problem->bodies;
    for (int j = 0; j < b->count; j++) {
        int dof = view->row[j + 1] - view->row[j];
        if (view->start[j] == view->start[j + 1])
            continue; /* touched by nothing */
        const int row = not_positive(dof, b->M + view->mass[j], LU);
        if (row > 0)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "friction problem: the mass matrix of body %d is not positive "
                                   "definite, or singular (its row %d)",
                                   j, row - 1);
        memcpy(LU, b->M + view->mass[j], (size_t)dof * (size_t)dof * sizeof *LU);
        if (carom_lu_factor(dof, LU, dof, pivot, 0) != 0)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "friction problem: the mass matrix of body %d is singular", j);
        carom_lu_solve(dof, LU, dof, pivot, v + view->row[j]);
        for (int l = view->start[j]; l < view->start[j + 1]; l++) {
            int i = view->contact[l];
            for (int q = 0; q < c->row[i + 1] - c->row[i]; q++)
                carom_lu_solve(dof, LU, dof, pivot, view->V + view->at[view->block[l]] + q * dof);
        }
    }
    return CAROM_OK;
}

/* B (m x n, leading dimension m) += H'V, each with dof rows. */
static void add_product(int dof, int m, int n, const double *H, const double *V, double *B)
{
    for (int q = 0; q < n; q++)
        for (int r = 0; r < m; r++)
            B[r + q * m] += carom_dense_dot(dof, H + r * dof, V + q * dof);
}

/* Free velocities with the size of their terms, diagonal blocks, and who belongs together. */
static void read_contacts(carom_friction_contacts *c, const carom_friction_bodies_view *view,
                          const double *v, double *q)
{
    const carom_friction_bodies *b = &c->problem->bodies;
    for (int i = 0; i < c->count; i++) {
        c->terms[i] = carom_dense_max(c->row[i + 1] - c->row[i], q + c->row[i]);
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            int j = b->body[k], dof = view->row[j + 1] - view->row[j];
            const double *H = b->H + view->at[k];
            for (int r = c->row[i]; r < c->row[i + 1]; r++) {
                const double *h = H + (r - c->row[i]) * dof;
                q[r] += carom_dense_dot(dof, h, v + view->row[j]);
                for (int l = 0; l < dof; l++)
                    c->terms[i] = fmax(c->terms[i], fabs(h[l] * v[view->row[j] + l]));
            }
            add_product(dof, c->active[i], c->active[i], H, view->V + view->at[k], c->own + 9 * i);
            carom_friction_contacts_join(c, i, view->contact[view->start[j]]);
        }
    }
}

carom_status carom_friction_bodies_read(carom_friction_contacts *contacts, carom_arena *arena,
                                        carom_friction_bodies_view *view, carom_error *error)
{
    const carom_friction_bodies *b = &contacts->problem->bodies;
    if (!take_view(contacts->problem, arena, view))
        return carom_error_memory(error);
    list_bodies(contacts, view);
    int most = 0;
    for (int j = 0; j < b->count; j++)
        most = view->row[j + 1] - view->row[j] > most ? view->row[j + 1] - view->row[j] : most;
    size_t n = (size_t)contacts->row[contacts->count], dofs = (size_t)view->row[b->count];
    size_t entries = view->at[b->start[contacts->count]];
    double *LU = carom_arena_doubles(arena, (size_t)most * (size_t)most);
    double *v = carom_arena_zeros(arena, dofs, sizeof *v), *q = carom_arena_doubles(arena, n);
    int *pivot = carom_arena_array(arena, (size_t)most, sizeof *pivot);
    view->V = carom_arena_doubles(arena, entries);
    if (!LU || !v || !q || !pivot || !view->V)
        return carom_error_memory(error);
    if (entries > 0)
        memcpy(view->V, b->H, entries * sizeof *view->V);
    if (b->f)
        memcpy(v, b->f, dofs * sizeof *v);
    memcpy(q, contacts->problem->q, n * sizeof *q);
    carom_status status = divide_by_mass(contacts, view, LU, pivot, v, error);
    contacts->terms = carom_arena_doubles(arena, (size_t)contacts->count);
    if (!contacts->terms)
        return carom_error_memory(error);
    if (status == CAROM_OK)
        read_contacts(contacts, view, v, q);
    contacts->q = q;
    return status;
}

/* What is left of the terms of the free velocities of island g. */
static double left_of(const carom_friction_contacts *c, int g, const double *q, double *terms)
{
    double left = *terms = 0;
    for (int k = c->first[g]; k < c->first[g + 1]; k++) {
        const int i = c->order[k], row = c->row[i];
        *terms = fmax(*terms, c->terms[i]);
        left = fmax(left, carom_dense_max(c->row[i + 1] - row, q + row));
    }
    return left;
}

carom_status carom_friction_bodies_sharpen(carom_friction_contacts *contacts, carom_arena *arena,
                                           carom_error *error)
{
    const carom_friction_contacts *c = contacts;
    double terms;
    bool cancel = false;
    for (int g = 0; g < c->islands; g++)
        cancel = left_of(c, g, c->q, &terms) < CAROM_TOLERANCE_REGULAR * terms || cancel;
    if (!cancel)
        return CAROM_OK;
    const size_t n = (size_t)c->row[c->count];
    double *none = carom_arena_zeros(arena, n, sizeof *none), *q = carom_arena_doubles(arena, n);
    contacts->q = q;
    carom_status status = none && q
                              ? carom_friction_exact_velocity(c->problem, none, arena, q, error)
                              : carom_error_memory(error);
    for (int g = 0; status == CAROM_OK && g < c->islands; g++) {
        if (left_of(c, g, q, &terms) > CAROM_TOLERANCE_SUM * terms)
            continue;
        for (int k = c->first[g]; k < c->first[g + 1]; k++)
            for (int r = c->row[c->order[k]]; r < c->row[c->order[k] + 1]; r++)
                q[r] = 0;
    }
    return status;
}

/* ---- islands with bodies ------------------------------------------------------------------- */

/* Bodies of all islands, one after the other. */
typedef struct lists {
    int *row, *start, *body;
    size_t *at, *mass;
    size_t *raw; /* where the blocks of H begin in the statement */
    double *H, *V;
} lists;

static bool take_lists(const carom_friction_contacts *c, const carom_friction_bodies_view *view,
                       carom_arena *arena, lists *l)
{
    const carom_friction_bodies *b = &c->problem->bodies;
    size_t blocks = (size_t)b->start[c->count], islands = (size_t)c->islands;
    size_t entries = view->at[blocks], bodies = (size_t)b->count;
    l->row = carom_arena_array(arena, bodies + islands, sizeof *l->row);
    l->start = carom_arena_array(arena, (size_t)c->count + islands, sizeof *l->start);
    l->body = carom_arena_array(arena, blocks, sizeof *l->body);
    l->at = carom_arena_array(arena, blocks + islands, sizeof *l->at);
    l->mass = carom_arena_array(arena, bodies, sizeof *l->mass);
    l->raw = carom_arena_array(arena, blocks, sizeof *l->raw);
    l->H = carom_arena_doubles(arena, entries);
    l->V = carom_arena_doubles(arena, entries);
    return l->row && l->start && l->body && l->at && l->mass && l->raw && l->H && l->V;
}

/* Block k of contact i, active columns, scaled, to H and V at `place`; returns its entries. */
static size_t copy_block(const carom_friction_contacts *c, const carom_friction_bodies_view *view,
                         int i, int k, int dof, double *H, double *V)
{
    const double *from = c->problem->bodies.H + view->at[k], *divided = view->V + view->at[k];
    for (int q = 0; q < c->active[i]; q++) {
        double s = c->scale[c->row[i] + q];
        for (int r = 0; r < dof; r++) {
            H[r + q * dof] = from[r + q * dof] * s;
            V[r + q * dof] = divided[r + q * dof] * s;
        }
    }
    return (size_t)(dof * c->active[i]);
}

/* number: for each body its number in its island, -1: not met yet. */
static lists fill_masses(const carom_friction_contacts *c, const carom_friction_bodies_view *view,
                         int *number, lists l, carom_friction_island *island)
{
    const carom_friction_bodies *b = &c->problem->bodies;
    int bodies = 0, blocks = 0;
    size_t place = 0;
    bool rigid = true;
    l.row[0] = 0;
    for (int n = 0; n < island->contacts; n++) {
        int i = island->contact[n];
        l.start[n] = blocks;
        rigid &= c->active[i] == 3;
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            int j = b->body[k], dof = view->row[j + 1] - view->row[j];
            rigid &= dof == 6;
            if (number[j] < 0) {
                number[j] = bodies;
                l.mass[bodies] = view->mass[j];
                l.row[bodies + 1] = l.row[bodies] + dof;
                bodies++;
            }
            l.body[blocks] = number[j];
            l.raw[blocks] = view->at[k];
            l.at[blocks++] = place;
            place += copy_block(c, view, i, k, dof, l.H + place, l.V + place);
        }
    }
    l.start[island->contacts] = blocks;
    l.at[blocks] = place;
    island->masses = (carom_friction_masses){.bodies = bodies,
                                             .row = l.row,
                                             .start = l.start,
                                             .body = l.body,
                                             .at = l.at,
                                             .H = l.H,
                                             .V = l.V,
                                             .mass = l.mass,
                                             .M = b->M,
                                             .rigid = rigid};
    island->given = island->masses;
    island->given.at = l.raw;
    island->given.H = b->H;
    return (lists){l.row + bodies + 1, l.start + island->contacts + 1,
                   l.body + blocks,    l.at + blocks + 1,
                   l.mass + bodies,    l.raw + blocks,
                   l.H + place,        l.V + place};
}

/* ---- islands with blocks ------------------------------------------------------------------- */

/* Work space for pairs of contacts: the contacts of each body of an island, and marks. */
typedef struct pairs {
    int *start, *contact, *block, *seen;
} pairs;

static bool list_pairs(const carom_friction_island *o, carom_arena *arena, pairs *p)
{
    const carom_friction_masses *m = &o->masses;
    size_t blocks = (size_t)m->start[o->contacts];
    p->start = carom_arena_zeros(arena, (size_t)m->bodies + 2, sizeof *p->start);
    p->contact = carom_arena_array(arena, blocks, sizeof *p->contact);
    p->block = carom_arena_array(arena, blocks, sizeof *p->block);
    p->seen = carom_arena_array(arena, (size_t)o->contacts, sizeof *p->seen);
    if (!p->start || !p->contact || !p->block || !p->seen)
        return false;
    for (size_t k = 0; k < blocks; k++)
        p->start[m->body[k] + 2]++;
    for (int j = 0; j < m->bodies; j++)
        p->start[j + 2] += p->start[j + 1];
    for (int i = 0; i < o->contacts; i++) {
        p->seen[i] = -1;
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int to = p->start[m->body[k] + 1]++;
            p->contact[to] = i;
            p->block[to] = k;
        }
    }
    return true;
}

/* The contacts that share a body with i: their blocks are numbered from `first` on. */
static int number_blocks(const carom_friction_island *o, pairs *p, int i, int first, int *column,
                         size_t *at, size_t *place)
{
    const carom_friction_masses *m = &o->masses;
    int count = first, d = carom_friction_island_rows(o, i);
    for (int k = m->start[i]; k < m->start[i + 1]; k++)
        for (int l = p->start[m->body[k]]; l < p->start[m->body[k] + 1]; l++) {
            int j = p->contact[l];
            if (p->seen[j] >= first)
                continue;
            p->seen[j] = count;
            if (column) {
                column[count] = j;
                at[count] = *place;
            }
            *place += (size_t)(d * carom_friction_island_rows(o, j));
            count++;
        }
    return count;
}

/* A = H'V of an island whose bodies are known. */
static bool fill_blocks(carom_friction_island *o, carom_arena *arena)
{
    const carom_friction_masses *m = &o->masses;
    pairs p;
    if (!list_pairs(o, arena, &p))
        return false;
    int count = 0;
    size_t place = 0;
    for (int i = 0; i < o->contacts; i++)
        count = number_blocks(o, &p, i, count, NULL, NULL, &place);
    int *start = carom_arena_array(arena, (size_t)o->contacts + 1, sizeof *start);
    int *column = carom_arena_array(arena, (size_t)count, sizeof *column);
    size_t *at = carom_arena_array(arena, (size_t)count + 1, sizeof *at);
    double *value = carom_arena_zeros(arena, place, sizeof *value);
    if (!start || !column || !at || !value)
        return false;
    memset(p.seen, -1, (size_t)o->contacts * sizeof *p.seen);
    bool three = true;
    count = 0;
    place = 0;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i);
        three &= d == 3;
        start[i] = count;
        count = number_blocks(o, &p, i, count, column, at, &place);
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            int body = m->body[k], dof = m->row[body + 1] - m->row[body];
            for (int l = p.start[body]; l < p.start[body + 1]; l++)
                add_product(dof, d, carom_friction_island_rows(o, p.contact[l]), m->H + m->at[k],
                            m->V + m->at[p.block[l]], value + at[p.seen[p.contact[l]]]);
        }
    }
    start[o->contacts] = count;
    at[count] = place;
    o->A = (carom_block_matrix){o->contacts, o->row, start, column, at, value, three};
    o->masses.bodies = 0;
    return true;
}

carom_status carom_friction_bodies_fill(const carom_friction_contacts *contacts,
                                        const carom_friction_bodies_view *view, carom_arena *arena,
                                        carom_friction_layout *layout, carom_error *error)
{
    lists l;
    size_t bodies = (size_t)contacts->problem->bodies.count;
    int *number = carom_arena_array(arena, bodies, sizeof *number);
    if (!number || !take_lists(contacts, view, arena, &l))
        return carom_error_memory(error);
    memset(number, -1, bodies * sizeof *number);
    for (int g = 0; g < layout->islands; g++) {
        carom_friction_island *o = &layout->island[g];
        l = fill_masses(contacts, view, number, l, o);
        /* contacts that move no body are an island with an A of no blocks */
        int dofs = o->masses.row[o->masses.bodies];
        bool by_bodies = dofs < o->n && o->masses.bodies > 0;
        if (by_bodies)
            o->masses.v = carom_arena_doubles(arena, (size_t)dofs);
        if (by_bodies ? !o->masses.v : !fill_blocks(o, arena))
            return carom_error_memory(error);
    }
    return CAROM_OK;
}
