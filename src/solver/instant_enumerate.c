/* Every combination of modes of contacts at one instant that instant_tree.c does not rule out: one
 * small linear system each (docs/theory/instant.md). */
#include "solver/instant_guess.h"
#include "solver/instant_list.h"
#include "solver/instant_modes.h"
#include "solver/instant_tree.h"

#include <math.h>
#include <string.h>

double carom_instant_combinations(const carom_instant *problem)
{
    double combinations = 1;
    for (int i = 0; i < problem->p; i++) {
        unsigned char modes[4];
        if (problem->row[i + 1] - problem->row[i] > 2)
            return INFINITY;
        combinations *= carom_instant_tree_modes(problem, i, modes);
    }
    return combinations;
}

/* The combinations that hold, and the motion in the list that each leads to. */
typedef struct held {
    int count, room;
    unsigned char *mode; /* p each */
    int *motion;         /* the motion in the list, */
    bool *continuum;     /* or one of many of this combination */
} held;

static carom_status remember(held *h, int p, const unsigned char *mode, int motion, bool continuum,
                             carom_arena *arena, carom_error *error)
{
    if (h->count == h->room) {
        int room = h->room ? 2 * h->room : 16;
        unsigned char *modes = carom_arena_array(arena, (size_t)room, (size_t)p);
        int *motions = carom_arena_array(arena, (size_t)room, sizeof *motions);
        bool *many = carom_arena_array(arena, (size_t)room, sizeof *many);
        if (!modes || !motions || !many)
            return carom_error_memory(error);
        if (h->count) {
            memcpy(modes, h->mode, (size_t)h->count * (size_t)p);
            memcpy(motions, h->motion, (size_t)h->count * sizeof *motions);
            memcpy(many, h->continuum, (size_t)h->count * sizeof *many);
        }
        *h = (held){h->count, room, modes, motions, many};
    }
    memcpy(h->mode + (size_t)h->count * (size_t)p, mode, (size_t)p);
    h->continuum[h->count] = continuum;
    h->motion[h->count++] = motion;
    return CAROM_OK;
}

/* Combination a slips with mu_d where b, else equal, sticks. */
static bool is_overruled(const carom_instant *f, const unsigned char *a, const unsigned char *b)
{
    bool differs = false;
    for (int i = 0; i < f->p; i++) {
        if (a[i] == b[i])
            continue;
        if (!(a[i] >= CAROM_MODE_SLIP_PLUS && b[i] == CAROM_MODE_STICK && f->mu_d[i] < f->mu_s[i]))
            return false;
        differs = true;
    }
    return differs;
}

/* Whether velocities u are those of the modes, whatever the forces. */
static bool fits(const carom_instant *f, const unsigned char *mode, const double *u,
                 const double *size)
{
    bool fit = true;
    for (int i = 0; i < f->p && fit; i++) {
        const int k = f->row[i];
        const double same = CAROM_INSTANT_SAME * size[k];
        fit = mode[i] == CAROM_MODE_OPEN ? u[k] >= -same : fabs(u[k]) <= same;
        if (mode[i] == CAROM_MODE_STICK)
            fit = fit && fabs(u[k + 1]) <= CAROM_INSTANT_SAME * size[k + 1];
        else if (mode[i] == CAROM_MODE_SLIP_PLUS)
            fit = fit && u[k + 1] >= -CAROM_INSTANT_SAME * size[k + 1];
        else if (mode[i] == CAROM_MODE_SLIP_MINUS)
            fit = fit && u[k + 1] <= CAROM_INSTANT_SAME * size[k + 1];
    }
    return fit;
}

/* A continuum of motions is one entry, that of its shortest forces: single motions of other
 * combinations that some forces of this one lead to, its ends, are none of their own. */
static carom_status join_continuum(const carom_instant *f, const unsigned char *mode, int motion,
                                   carom_arena *arena, const carom_instant_list *list, bool *keep,
                                   carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int k = 0; k < list->count && !status; k++) {
        const carom_instant_solution *x = &list->list[k];
        if (k == motion || !keep[k] || x->continuum || !fits(f, mode, x->u, x->size))
            continue;
        carom_mark mark = carom_arena_mark(arena);
        carom_instant_family all;
        status = carom_instant_forces(f, mode, x->u, arena, &all, error);
        keep[k] = status || all.corner_count == 0;
        carom_arena_rewind(arena, mark);
    }
    return status;
}

/* A motion stays when some combination that leads to it is not overruled, and is one of many when
 * such a combination has many. keep: one flag a motion. */
static void apply_static_friction(const carom_instant *f, held *h, carom_instant_list *list,
                                  bool *keep)
{
    const size_t p = (size_t)f->p;
    for (int k = 0; k < list->count; k++)
        keep[k] = list->list[k].continuum = false;
    for (int k = 0; k < h->count; k++) {
        bool dropped = false;
        for (int j = 0; j < h->count && !dropped; j++)
            dropped = is_overruled(f, h->mode + (size_t)k * p, h->mode + (size_t)j * p);
        h->continuum[k] = h->continuum[k] && !dropped;
        if (dropped)
            continue;
        keep[h->motion[k]] = true;
        list->list[h->motion[k]].continuum |= h->continuum[k];
    }
}

/* Equality form: remember the combination whose only fault is that a contact would have to pull. */
static void note_pull(const carom_instant *f, const double *r, carom_instant_list *list)
{
    int worst = -1;
    for (int i = 0; i < f->p && f->equality; i++)
        if (f->equality[i] && (worst < 0 || r[f->row[i]] < r[f->row[worst]]))
            worst = i;
    if (worst < 0 || r[f->row[worst]] >= 0)
        return;
    if (list->near_contact < 0 || r[f->row[worst]] > list->near_miss) {
        list->near_miss = r[f->row[worst]];
        list->near_contact = worst;
    }
}

/* Guesses are for the complementarity form with one coefficient of friction a contact. */
static bool may_guess(const carom_instant *f)
{
    for (int i = 0; i < f->p; i++)
        if ((f->equality && f->equality[i]) ||
            (f->row[i + 1] > f->row[i] + 1 && f->mu_d[i] != f->mu_s[i]))
            return false;
    return f->symmetric;
}

static carom_status add(carom_instant_modes *s, carom_arena *arena, carom_instant_list *list,
                        int *at, carom_error *error)
{
    carom_instant_solution solution = {.r = s->r,
                                       .u = s->u,
                                       .size = s->size,
                                       .y = s->y,
                                       .terms = s->terms,
                                       .unknown = s->unknown,
                                       .mode = (unsigned char *)s->mode,
                                       .violation = s->violation,
                                       .unique = s->unique,
                                       .continuum = s->continuum};
    return carom_instant_list_add(s->f, &solution, arena, list, at, error);
}

/* Guess, look where the outcome points to, guess again. *found: a motion that is proved to be the
 * only one; it is in the list. mode: p numbers. */
static carom_status pursue(carom_instant_modes *s, unsigned char *mode, carom_arena *arena,
                           carom_instant_list *list, bool *found, carom_error *error)
{
    enum { GUESSES = 6 };
    int at;
    s->mode = mode;
    s->guessed = true;
    carom_instant_guess(s->f, s->u, mode);
    for (int k = 0; k < GUESSES; k++) {
        carom_status status = carom_instant_modes_try(s, arena, error);
        if (!status && s->covers && s->violation > 0)
            return CAROM_OK; /* at an edge: another combination may hold better */
        if (!status && s->covers) {
            status = carom_instant_unique(s->f, arena, found, error);
            return !status && *found ? add(s, arena, list, &at, error) : status;
        }
        if (status || !s->solved || !carom_instant_guess_again(s->f, s->r, s->u, mode))
            return status;
    }
    return CAROM_OK;
}

/* All combinations of the tree. */
static carom_status visit(carom_instant_modes *s, carom_arena *arena, carom_instant_list *list,
                          held *h, carom_error *error)
{
    const carom_instant *f = s->f;
    carom_instant_tree tree;
    carom_status status = carom_instant_tree_make(f, arena, &tree, error);
    s->mode = status ? NULL : tree.mode;
    s->guessed = false;
    while (!status && carom_instant_tree_next(&tree)) {
        int at;
        status = carom_instant_modes_try(s, arena, error);
        if (status || !s->solved)
            continue;
        if (!s->valid) {
            note_pull(f, s->r, list);
            continue;
        }
        status = add(s, arena, list, &at, error);
        if (!status)
            status = remember(h, f->p, s->mode, at, s->continuum, arena, error);
    }
    return status;
}

carom_status carom_instant_enumerate(const carom_instant *problem, carom_arena *arena,
                                     carom_instant_list *list, carom_error *error)
{
    const carom_instant *f = problem;
    carom_instant_list made = {.near_contact = -1};
    carom_instant_modes s;
    held h = {0};
    bool found = false;
    carom_status status = carom_instant_modes_make(f, arena, &s, error);
    unsigned char *guess = carom_arena_array(arena, (size_t)f->p, 1);
    if (!status && !guess)
        status = carom_error_memory(error);
    if (!status && may_guess(f))
        status = pursue(&s, guess, arena, &made, &found, error);
    if (!status && !found) {
        status = visit(&s, arena, &made, &h, error);
        bool *keep = carom_arena_array(arena, (size_t)made.count + 1, sizeof *keep);
        if (!status && !keep)
            status = carom_error_memory(error);
        if (!status) {
            apply_static_friction(f, &h, &made, keep);
            for (int k = 0; k < h.count && !status; k++)
                if (h.continuum[k] && !f->rows) /* of impacts the ends are shown */
                    status = join_continuum(f, h.mode + (size_t)k * (size_t)f->p, h.motion[k],
                                            arena, &made, keep, error);
            carom_instant_list_sort(&made, keep);
        }
    }
    if (!status)
        *list = made;
    return status;
}
