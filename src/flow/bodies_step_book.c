/* What a step of bodies is told as: its part of the energy ledger, impacts, modes, rows. */
#include "flow/bodies_step.h"

#include "bodies/joint_forces.h"
#include "bodies/stops.h"
#include "carom/tolerance.h"

#include <math.h>
#include <string.h>

/* Where the contact of a row stands among those of the system; -1: it is not listed. */
static int number_of(const carom_bodies_stepping *s, const carom_bodies_row *r, const int *place)
{
    if (r->source == CAROM_BODIES_STOP)
        return r->index;
    if (r->source != CAROM_BODIES_FOUND || place[r->index] < 0)
        return -1;
    return s->stops + place[r->index];
}

static carom_mode mode_of(const carom_bodies_row *r, const double *P)
{
    double friction = hypot(P[1], r->rows > 2 ? P[2] : 0);
    if (friction < r->mu * P[0] * (1 - CAROM_TOLERANCE_CARRIED))
        return CAROM_MODE_STICK;
    return r->rows > 2 ? CAROM_MODE_SLIP : P[1] < 0 ? CAROM_MODE_SLIP_PLUS : CAROM_MODE_SLIP_MINUS;
}

/* Impulse times mean rate, split as in the ledger of formulas. Returns the part of an impact. */
static double book_row(carom_bodies_stepping *s, const carom_bodies_row *r, bool hit, int number)
{
    carom_flow_ledger *l = &s->record->result->ledger;
    const double *P = s->P + r->at;
    double normal = 0, slide = 0, moving = 0;
    for (int k = 0; k < r->rows; k++) {
        double mean = (r->before[k] + carom_bodies_step_rate(s, r, k, s->next) + r->motion[k]) / 2;
        if (!s->impact) /* the work of an impulse is done on velocities that have turned with the
                           body */
            mean += carom_bodies_step_rate(s, r, k, s->swing) / 2;
        *(k == 0 || r->source == CAROM_BODIES_LOOP ? &normal : &slide) += P[k] * mean;
        moving -= P[k] * r->motion[k];
    }
    if (r->source == CAROM_BODIES_LOOP) { /* they do no work but for the drift they take away */
        l->projection += normal;
        l->constraints += moving;
        l->forces += moving;
        return 0;
    }
    if (hit) {
        normal += slide + moving;
        slide = moving = 0;
    }
    l->impacts += normal;
    l->friction += slide;
    l->constraints += moving;
    l->forces += moving;
    if (number >= 0) {
        l->impact_loss[number] += normal;
        l->friction_loss[number] += slide;
    }
    return hit ? normal : 0;
}

static void show_row(carom_bodies_stepping *s, const carom_bodies_row *r, int number)
{
    const double *P = s->P + r->at;
    const int slip = s->slip_start[number];
    s->impulse[number] = P[0];
    s->mode[number] = r->rows > 1 ? (unsigned char)mode_of(r, P) : CAROM_MODE_CLOSED;
    for (int k = 1; k < r->rows; k++)
        s->tangent[slip + k - 1] = P[k];
}

/* What carried an impulse is kept for the next step; islands at rest keep what they had. */
static carom_status keep_impulses(carom_bodies_stepping *s, carom_error *error)
{
    int count = 0, row = 0, from = 0;
    if (s->memory_room < s->found.count) {
        int room = 2 * s->found.count;
        carom_bodies_memory *grown = carom_arena_array(s->work, (size_t)room, sizeof *grown);
        s->spare = carom_arena_array(s->work, (size_t)room, sizeof *s->spare);
        if (!grown || !s->spare)
            return carom_error_memory(error);
        if (s->memory_count)
            memcpy(grown, s->memory, (size_t)s->memory_count * sizeof *grown);
        s->memory = grown;
        s->memory_room = room;
    }
    for (int k = 0; k < s->found.count; k++) {
        const carom_bodies_contact *c = &s->found.contact[k];
        carom_bodies_memory now = {.shape = {c->shape[0], c->shape[1]}, .name = c->touch.name};
        while (row < s->row_count && s->row[row].source == CAROM_BODIES_FOUND &&
               s->row[row].index < k)
            row++;
        bool solved = row < s->row_count && s->row[row].source == CAROM_BODIES_FOUND &&
                      s->row[row].index == k;
        for (int i = 0; solved && i < s->row[row].rows; i++)
            now.P[i] = s->P[s->row[row].at + i];
        if (!solved) {
            while (from < s->memory_count && (s->memory[from].shape[0] < c->shape[0] ||
                                              (s->memory[from].shape[0] == c->shape[0] &&
                                               s->memory[from].shape[1] < c->shape[1])))
                from++;
            for (int i = from; i < s->memory_count && s->memory[i].shape[0] == c->shape[0] &&
                               s->memory[i].shape[1] == c->shape[1];
                 i++)
                if (s->memory[i].name == c->touch.name)
                    now = s->memory[i];
        }
        if (now.P[0] > 0)
            s->spare[count++] = now;
    }
    carom_bodies_memory *old = s->memory;
    s->memory = s->spare;
    s->spare = old;
    s->memory_count = count;
    for (int i = 0; i < s->stops; i++)
        s->stop_memory[i] = s->stop_active[i] ? s->stop_memory[i] : 0;
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        const double *P = s->P + r->at;
        if (r->source == CAROM_BODIES_STOP)
            s->stop_memory[r->index] = P[0];
        else if (r->source == CAROM_BODIES_LOOP)
            memcpy(s->loop_memory + r->first, P, (size_t)r->rows * sizeof *P);
        else if (r->source == CAROM_BODIES_DRY_JOINT)
            memcpy(s->dry_memory + 2 * r->index, P, 2 * sizeof *P);
    }
    return CAROM_OK;
}

static carom_status tell_impact(carom_bodies_stepping *s, double t, int hits, int count,
                                double lost, carom_error *error)
{
    if (count == 0) { /* contacts without a number are only counted */
        s->record->result->impact_count += hits > 0;
        return CAROM_OK;
    }
    carom_flow_impact impact = {.kind = CAROM_FLOW_COLLISION,
                                .t = t,
                                .contact_count = count,
                                .contacts = s->fresh,
                                .law = s->law->ops->name,
                                .q = s->q,
                                .before = s->v,
                                .after = s->next,
                                .impulse = s->fresh_impulse,
                                .energy_change = lost};
    return carom_record_impact(s->record, &impact, error);
}

static bool is_asleep(const carom_bodies_stepping *s, const int tree[2])
{
    int t = tree[0];
    while (t >= 0 && s->island[t] != t)
        t = s->island[t];
    return t >= 0 && !s->awake[t];
}

/* Nothing pushes but what is solved now, and contacts of islands at rest, which push as they did.
 */
static carom_status clear_places(carom_bodies_stepping *s, const int *place, carom_error *error)
{
    bool *resting = carom_arena_zeros(s->scratch, (size_t)s->p + 1, sizeof *resting);
    if (!resting)
        return carom_error_memory(error);
    for (int i = 0; i < s->stops; i++) {
        int tree[2];
        carom_stop_trees(s->b, i, tree);
        resting[i] = is_asleep(s, tree);
    }
    for (int k = 0; k < s->found.count; k++)
        if (place[k] >= 0 && s->active[k])
            resting[s->stops + place[k]] = is_asleep(s, s->found.contact[k].tree);
    for (int i = 0; i < s->p; i++) {
        if (resting[i])
            continue;
        s->impulse[i] = 0;
        s->mode[i] = CAROM_MODE_OPEN;
        for (int k = s->slip_start[i]; k < s->slip_start[i + 1]; k++)
            s->tangent[k] = 0;
    }
    return CAROM_OK;
}

static void sort_fresh(carom_bodies_stepping *s, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && s->fresh[j - 1] > s->fresh[j]; j--) {
            int number = s->fresh[j];
            double P = s->fresh_impulse[j];
            s->fresh[j] = s->fresh[j - 1];
            s->fresh_impulse[j] = s->fresh_impulse[j - 1];
            s->fresh[j - 1] = number;
            s->fresh_impulse[j - 1] = P;
        }
}

/* Rows that carry an impulse: their part of the ledger, and those that are hit in `fresh`. Impulses
 * of listed contacts are told of the flight; those of impacts are added to them. */
static int book_rows(carom_bodies_stepping *s, const int *place, int *hits, double *lost)
{
    int count = 0;
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        const double *P = s->P + r->at;
        const bool bilateral = r->source == CAROM_BODIES_LOOP;
        if (r->source == CAROM_BODIES_DRY_JOINT) {
            s->record->result->ledger.friction +=
                P[1] * (r->before[1] + carom_bodies_step_rate(s, r, 1, s->next)) / 2;
            continue;
        }
        if (!bilateral && !(P[0] > 0))
            continue;
        bool hit = !bilateral && (s->impact || !r->carried);
        int number = number_of(s, r, place);
        *lost += book_row(s, r, hit, number);
        *hits += hit;
        if (number >= 0 && !s->impact)
            show_row(s, r, number);
        if (hit && number >= 0) {
            s->fresh[count] = number;
            s->fresh_impulse[count++] = P[0];
        }
    }
    sort_fresh(s, count);
    return count;
}

/* Impulses of an impact push in this step, too; what carried one goes on carrying. */
static void keep_impact(carom_bodies_stepping *s, const int *place)
{
    for (int k = 0; k < s->row_count; k++) {
        const carom_bodies_row *r = &s->row[k];
        const double *P = s->P + r->at;
        const int number = number_of(s, r, place);
        if (r->source == CAROM_BODIES_FOUND && P[0] > 0)
            s->carried[r->index] = 1;
        if (number < 0)
            continue;
        s->hit_impulse[number] += P[0];
        for (int i = 1; i < r->rows; i++)
            s->hit_tangent[s->slip_start[number] + i - 1] += P[i];
    }
}

/* The number of each contact that was found, in scratch memory; NULL without memory. */
static int *find_places(carom_bodies_stepping *s)
{
    int *place = carom_arena_array(s->scratch, (size_t)s->found.count + 1, sizeof *place);
    if (place)
        carom_list_places(s->b, &s->found, place);
    return place;
}

carom_status carom_bodies_step_book_impact(carom_bodies_stepping *s, carom_error *error)
{
    int hits = 0;
    double lost = 0;
    const int *place = find_places(s);
    if (!place)
        return carom_error_memory(error);
    int count = book_rows(s, place, &hits, &lost);
    keep_impact(s, place);
    return tell_impact(s, s->t, hits, count, lost, error);
}

static void add_impacts(carom_bodies_stepping *s)
{
    for (int i = 0; i < s->p; i++) {
        s->impulse[i] += s->hit_impulse[i];
        s->hit_impulse[i] = 0;
    }
    for (int i = 0; i < s->s; i++) {
        s->tangent[i] += s->hit_tangent[i];
        s->hit_tangent[i] = 0;
    }
}

carom_status carom_bodies_step_book(carom_bodies_stepping *s, carom_error *error)
{
    int hits = 0;
    double lost = 0;
    const int *place = find_places(s);
    if (!place)
        return carom_error_memory(error);
    carom_status status = clear_places(s, place, error);
    if (status != CAROM_OK)
        return status;
    int count = book_rows(s, place, &hits, &lost);
    add_impacts(s);
    for (int i = 0; i < s->n; i++)
        s->record->result->ledger.forces += s->h * s->applied[i] * (s->v[i] + s->next[i]) / 2;
    status = keep_impulses(s, error);
    if (status == CAROM_OK && s->record->observer->change)
        status = carom_record_changes(s->record, s->end, s->was, s->mode, error);
    return status == CAROM_OK ? tell_impact(s, s->end, hits, count, lost, error) : status;
}

/* ---- rows ---- */

static double kinetic(const carom_bodies_stepping *s, const double *v)
{
    const carom_forest *f = &s->b->forest;
    double sum = 0;
    for (int t = 0; t < s->trees; t++) {
        const int k = s->dof[t], *u = f->tree_u + f->tree_start[t];
        double *M = s->b->block;
        carom_forest_mass(f, t, &s->b->work, M);
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++)
                sum += v[u[i]] * M[i + k * j] * v[u[j]];
    }
    return sum / 2;
}

static double potential(const carom_bodies_stepping *s, const double *q)
{
    return carom_forest_potential(&s->b->forest, &s->b->work) + carom_joint_springs(s->b, q);
}

carom_status carom_bodies_step_energy(carom_bodies_stepping *s, const double *q, const double *v,
                                      double *energy, carom_error *error)
{
    carom_status status = carom_bodies_move(s->b, s->t, q, v, error);
    if (status == CAROM_OK)
        *energy = kinetic(s, v) + potential(s, q);
    return status;
}

/* Gaps of all contacts that have a number. */
static carom_status look_at_gaps(carom_bodies_stepping *s, carom_error *error)
{
    for (int i = 0; i < s->stops; i++)
        s->gap[i] = carom_stop_gap(s->b, i, s->q);
    carom_list *list = &s->b->list;
    carom_status status = list->count > 0 ? carom_list_look(s->b, s->v, false, error) : CAROM_OK;
    for (int i = 0; i < list->count && status == CAROM_OK; i++)
        s->gap[s->stops + i] =
            list->contact[i] < 0 ? list->away[i] : list->found[list->contact[i]].touch.gap;
    return status;
}

carom_status carom_bodies_step_emit(carom_bodies_stepping *s, bool row, carom_error *error)
{
    carom_flow_ledger *l = &s->record->result->ledger;
    carom_status status = carom_bodies_move(s->b, s->t, s->q, s->v, error);
    if (status != CAROM_OK)
        return status;
    l->kinetic = kinetic(s, s->v);
    l->potential = potential(s, s->q);
    carom_record_settle(s->record);
    if (!row || !s->record->observer->row)
        return CAROM_OK;
    status = look_at_gaps(s, error);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < s->p; i++)
        s->impulse[i] /= s->h;
    for (int i = 0; i < s->s; i++)
        s->tangent[i] /= s->h;
    carom_flow_row shown = {.t = s->t,
                            .q = s->q,
                            .u = s->v,
                            .gap = s->gap,
                            .force = s->impulse,
                            .friction = s->tangent,
                            .mode = s->mode,
                            .ledger = l};
    status = carom_record_row(s->record, &shown, error);
    for (int i = 0; i < s->p; i++)
        s->impulse[i] *= s->h;
    for (int i = 0; i < s->s; i++)
        s->tangent[i] *= s->h;
    return status;
}
