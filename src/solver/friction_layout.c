/* From the statement to its islands. Contacts are sorted by island; the rows of all islands stand
 * in one list each, of which every island sees its part. What connects the contacts is filled in by
 * friction_blocks.c or friction_bodies.c. */
#include "solver/friction_layout.h"

#include "linalg/dense.h"
#include "solver/friction_blocks.h"
#include "solver/friction_bodies.h"
#include "solver/friction_natural.h"

#include <math.h>

/* Rows of all islands; an island has one entry more than contacts in `row`. */
typedef struct lists {
    int *contact, *row, *outer;
    bool *free;
    double *mu, *scale, *b, *own, *w;
} lists;

static bool take_lists(const carom_friction_contacts *c, carom_arena *arena, lists *l)
{
    size_t count = (size_t)c->count, rows = 0;
    for (int i = 0; i < c->count; i++)
        rows += (size_t)c->active[i];
    l->contact = carom_arena_array(arena, count, sizeof *l->contact);
    l->row = carom_arena_array(arena, count + (size_t)c->islands, sizeof *l->row);
    l->outer = carom_arena_array(arena, rows, sizeof *l->outer);
    l->free = carom_arena_array(arena, count, sizeof *l->free);
    l->mu = carom_arena_doubles(arena, count);
    l->scale = carom_arena_doubles(arena, rows);
    l->b = carom_arena_doubles(arena, rows);
    l->own = carom_arena_doubles(arena, 9 * count);
    l->w = carom_arena_doubles(arena, rows);
    return l->w && l->contact && l->row && l->outer && l->free && l->mu && l->scale && l->b &&
           l->own;
}

/* Contact i of the statement as number k of the island. */
static void fill_contact(const carom_friction_contacts *c, int i, int k, double unit,
                         const lists *l, carom_friction_island *island)
{
    l->contact[k] = i;
    l->free[k] = carom_friction_contacts_bilateral(c->problem, i);
    l->mu[k] = carom_friction_contacts_friction(c->problem, i);
    l->row[k] = island->n;
    carom_dense_copy(9, c->own + 9 * i, l->own + 9 * k);
    for (int r = 0; r < c->active[i]; r++) {
        int outer = c->row[i] + r, n = island->n++;
        l->outer[n] = outer;
        l->scale[n] = c->scale[outer];
        l->b[n] = c->scale[outer] * (c->q[outer] / unit);
        l->w[n] = c->problem->q[outer] / unit;
    }
}

/* Island g; returns the lists behind it. */
static lists fill_island(const carom_friction_contacts *c, int g, double unit, lists l,
                         carom_friction_island *island)
{
    int first = c->first[g], count = c->first[g + 1] - first;
    double square = 0, own = 0;
    *island = (carom_friction_island){.contacts = count,
                                      .contact = l.contact,
                                      .row = l.row,
                                      .outer = l.outer,
                                      .free = l.free,
                                      .mu = l.mu,
                                      .scale = l.scale,
                                      .b = l.b,
                                      .own = l.own,
                                      .w = l.w};
    for (int k = 0; k < count; k++) {
        int i = c->order[first + k];
        fill_contact(c, i, k, unit, &l, island);
        double norm = carom_dense_norm(c->row[i + 1] - c->row[i], c->q + c->row[i]) / unit;
        square += norm * norm;
        norm *= carom_friction_island_unit(island, k);
        own += norm * norm;
    }
    int n = l.row[count] = island->n;
    island->q_norm = sqrt(square);
    island->q_size = sqrt(own);
    return (lists){l.contact + count, l.row + count + 1, l.outer + n,
                   l.free + count,    l.mu + count,      l.scale + n,
                   l.b + n,           l.own + 9 * count, l.w + n};
}

carom_status carom_friction_layout_make(const carom_friction_problem *problem, carom_arena *arena,
                                        carom_friction_layout *layout, carom_error *error)
{
    carom_friction_contacts c;
    carom_friction_blocks_view view = {0};
    carom_friction_bodies_view bodies = {0};
    lists l;
    bool by_bodies = problem->form == CAROM_FRICTION_BODIES;
    if (!carom_friction_contacts_take(problem, arena, &c))
        return carom_error_memory(error);
    carom_status status = by_bodies ? carom_friction_bodies_read(&c, arena, &bodies, error)
                                    : carom_friction_blocks_read(&c, arena, &view, error);
    if (status != CAROM_OK)
        return status;
    carom_friction_contacts_sort(&c);
    if (by_bodies)
        status = carom_friction_bodies_sharpen(&c, arena, error);
    if (status != CAROM_OK)
        return status;
    carom_friction_contacts_scale(&c);
    layout->islands = c.islands;
    layout->island = carom_arena_array(arena, (size_t)c.islands, sizeof *layout->island);
    if (!layout->island || !take_lists(&c, arena, &l))
        return carom_error_memory(error);
    double top = carom_dense_max(c.row[c.count], c.q);
    bool usual = top > CAROM_FRICTION_TINY && top < CAROM_FRICTION_HUGE;
    layout->unit = usual || top == 0 ? 1 : top;
    for (int g = 0; g < c.islands; g++)
        l = fill_island(&c, g, layout->unit, l, &layout->island[g]);
    return by_bodies ? carom_friction_bodies_fill(&c, &bodies, arena, layout, error)
                     : carom_friction_blocks_fill(&c, &view, arena, layout, error);
}
