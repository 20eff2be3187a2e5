/* States the contact problem of one time step from rows and the response. */
#include "flow/step_contact.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/ordering.h"

carom_status carom_step_contact_create(carom_arena *arena, const carom_system_shape *shape,
                                       const carom_state *state, carom_step_response *response,
                                       carom_step_contact *c, carom_error *error)
{
    const size_t p = (size_t)shape->p, r = p + (size_t)shape->s;
    memset(c, 0, sizeof *c);
    c->shape = shape;
    c->response = response;
    c->n = shape->n;
    c->p = shape->p;
    carom_step_source normals = {&shape->normal_pattern, state->W, shape->p};
    carom_step_source slips = {&shape->slip_pattern, state->H, shape->s};
    carom_status status = carom_step_rows_create(arena, shape->n, normals, slips, &c->rows, error);
    if (status != CAROM_OK)
        return status;
    int *ints = carom_arena_zeros(arena, 5 * p + 1 + 7 * r + 1, sizeof(int));
    double *d = carom_arena_zeros(arena, 2 * (size_t)shape->n + p + 8 * r, sizeof(double));
    ptrdiff_t *starts = carom_arena_zeros(arena, 2 * r, sizeof *starts);
    c->carried = carom_arena_zeros(arena, 4 * p + 2 * r, 1);
    if (!ints || !d || !starts || !c->carried)
        return carom_error_memory(error);
    c->stuck = c->carried + p;
    c->sticks = c->stuck + p;
    c->does = c->sticks + p;
    c->in = c->does + p;
    c->L_in = c->in + r;
    c->frozen = shape->rows_are_constant && shape->mass_is_constant;
    c->kept = -1;
    c->order = ints;
    c->contact = ints += p;
    c->at = ints += p;
    c->height = ints += p;
    c->base = ints += p;
    c->resp_start = ints += p + 1;
    c->row = ints += r + 1;
    c->first = ints += r;
    c->L_first = ints += r;
    c->set = ints += r;
    c->rank = ints += r;
    c->kept_row = ints + r;
    c->start = starts;
    c->L_start = starts + r;
    c->scattered = d;
    c->scattered_size = d += shape->n;
    c->mu = d += shape->n;
    c->b = d += p;
    c->P = d += r;
    c->memory = d += r;
    c->x = d += r;
    c->w = d += r;
    c->offset = d += r;
    c->size = d += r;
    c->slip = d + r;
    memset(c->at, -1, sizeof(int) * p);
    return CAROM_OK;
}

/* The velocities of the responses: all of every group that a row touches. Counts only while
 * resp_index is NULL. place: n. */
static void lay_out_responses(carom_step_contact *c, int *place)
{
    const carom_step_rows *rows = &c->rows;
    const carom_step_response *r = c->response;
    int used = 0;
    for (int g = 0; g < c->n; g++)
        place[g] = -1; /* by group: where it begins, if behind the start of this response */
    for (int k = 0; k < rows->count; k++) {
        const int begin = c->resp_start[k] = used;
        for (int e = rows->start[k]; e < rows->start[k + 1]; e++) {
            const int i = rows->index[e], g = r->group[i], first = r->group_start[g];
            if (place[g] < begin) {
                place[g] = used;
                used += r->group_start[g + 1] - first;
                for (int m = place[g]; c->resp_index && m < used; m++)
                    c->resp_index[m] = r->member[first + m - place[g]];
            }
            if (c->entry)
                c->entry[e] = place[g] + r->place[i] - first;
        }
    }
    c->resp_start[rows->count] = used;
}

/* Have all rows all velocities, and their responses in the same order? */
static bool is_full(const carom_step_contact *c)
{
    bool full = c->rows.full && c->resp_start[c->rows.count] == c->rows.count * c->n;
    for (int m = 0; full && m < c->resp_start[c->rows.count]; m++)
        full = c->resp_index[m] == m % c->n;
    return full;
}

/* Contacts by the groups that their normals and slips touch: list[start[g]] ... */
static int list_contacts(const carom_step_contact *c, int *start, int *list, int *mark)
{
    const carom_step_rows *rows = &c->rows;
    const int *group = c->response->group, groups = c->response->groups;
    memset(start, 0, sizeof(int) * ((size_t)groups + 1));
    for (int pass = 0; pass < 2; pass++) {
        memset(mark, -1, sizeof(int) * (size_t)groups);
        for (int i = c->p - 1; i >= 0; i--) {
            const int slips = c->shape->slip_start[i];
            for (int k = -1; k < c->shape->slip_start[i + 1] - slips; k++) {
                const int row = k < 0 ? i : c->p + slips + k;
                for (int e = rows->start[row]; e < rows->start[row + 1]; e++) {
                    const int g = group[rows->index[e]];
                    if (mark[g] == i)
                        continue;
                    mark[g] = i;
                    if (pass == 0)
                        start[g]++;
                    else
                        list[--start[g]] = i;
                }
            }
        }
        for (int g = 1; pass == 0 && g <= groups; g++)
            start[g] += start[g - 1];
    }
    return start[groups];
}

/* Neighbours of every contact: counted when `near` is NULL. touched: by contact (start, list), the
 * groups it is in. Returns their number. */
static size_t list_neighbours(const carom_step_contact *c, const int *group_start,
                              const int *by_group, int *mark, int *near_start, int *near)
{
    const carom_step_rows *rows = &c->rows;
    size_t used = 0;
    memset(mark, -1, sizeof(int) * (size_t)c->p);
    for (int i = 0; i < c->p; i++) {
        if (near)
            near_start[i] = (int)used;
        mark[i] = i;
        const int slips = c->shape->slip_start[i];
        for (int k = -1; k < c->shape->slip_start[i + 1] - slips; k++) {
            const int row = k < 0 ? i : c->p + slips + k;
            for (int e = rows->start[row]; e < rows->start[row + 1]; e++) {
                const int g = c->response->group[rows->index[e]];
                for (int m = group_start[g]; m < group_start[g + 1]; m++) {
                    if (mark[by_group[m]] == i)
                        continue;
                    mark[by_group[m]] = i;
                    if (near)
                        near[used] = by_group[m];
                    used++;
                }
            }
        }
    }
    if (near)
        near_start[c->p] = (int)used;
    return used;
}

/* Entries of the envelope when all contacts with all slips are active: the most there can be. */
static size_t largest_envelope(const carom_step_contact *c, int *place)
{
    const int *slip = c->shape->slip_start;
    size_t entries = 0, before = 0;
    int *base = c->set; /* free, room for p */
    for (int k = 0; k < c->p; k++) {
        const int i = c->order[k];
        place[i] = k;
        base[k] = (int)before;
        size_t width = 1 + (size_t)(slip[i + 1] - slip[i]), first = before;
        if (c->complete) {
            first = 0;
        } else {
            for (int m = c->near_start[i]; m < c->near_start[i + 1]; m++) {
                const int other = place[c->near[m]];
                if (other >= 0 && (size_t)base[other] < first)
                    first = (size_t)base[other];
            }
        }
        for (size_t f = 0; f < width; f++)
            entries += before + f - first + 1;
        before += width;
    }
    return entries;
}

/* Neighbours and the order of the contacts. When more than half of all pairs are neighbours, all
 * are taken to be. */
static carom_status order_contacts(carom_step_contact *c, carom_arena *arena, carom_error *error)
{
    const size_t p = (size_t)c->p, groups = (size_t)c->response->groups;
    int *mark = carom_arena_array(arena, 4 * p + 2 * groups + 1, sizeof(int));
    int *list = carom_arena_array(arena, (size_t)c->rows.start[c->rows.count], sizeof(int));
    if (!mark || !list)
        return carom_error_memory(error);
    int *group_start = mark + 4 * p, *group_mark = group_start + groups + 1;
    list_contacts(c, group_start, list, group_mark);
    size_t pairs = list_neighbours(c, group_start, list, mark, NULL, NULL);
    c->complete = 2 * pairs >= p * p;
    for (int i = 0; i < c->p; i++)
        c->order[i] = i;
    if (c->complete)
        return CAROM_OK;
    c->near_start = carom_arena_array(arena, p + 1, sizeof(int));
    c->near = carom_arena_array(arena, pairs, sizeof(int));
    if (!c->near_start || !c->near)
        return carom_error_memory(error);
    list_neighbours(c, group_start, list, mark, c->near_start, c->near);
    const carom_ordering_graph graph = {c->p, c->near_start, c->near};
    carom_ordering_narrow(&graph, c->order, mark);
    return CAROM_OK;
}

carom_status carom_step_contact_build(carom_step_contact *c, carom_arena *arena, carom_error *error)
{
    int *place = carom_arena_array(arena, (size_t)(c->n > c->p ? c->n : c->p), sizeof(int));
    if (!place)
        return carom_error_memory(error);
    c->resp_index = c->entry = NULL;
    c->kept = -1;
    lay_out_responses(c, place);
    const size_t entries = (size_t)c->resp_start[c->rows.count];
    int *index = carom_arena_array(arena, entries, sizeof(int));
    int *entry = carom_arena_array(arena, (size_t)c->rows.start[c->rows.count], sizeof(int));
    c->resp = carom_arena_array(arena, entries, sizeof(double));
    if (!index || !entry || !c->resp)
        return carom_error_memory(error);
    c->resp_index = index;
    c->entry = entry;
    lay_out_responses(c, place);
    c->full = is_full(c);
    carom_status status = order_contacts(c, arena, error);
    if (status != CAROM_OK)
        return status;
    memset(place, -1, sizeof(int) * (size_t)c->p);
    const size_t room = largest_envelope(c, place);
    c->D.value = carom_arena_array(arena, room, sizeof(double));
    c->L = carom_arena_array(arena, room, sizeof(double));
    return c->D.value && c->L ? CAROM_OK : carom_error_memory(error);
}

void carom_step_contact_clear(carom_step_contact *c)
{
    for (int k = 0; k < c->count; k++)
        c->at[c->contact[k]] = -1;
    c->count = c->total = c->base[0] = 0;
}

void carom_step_contact_add(carom_step_contact *c, int i, int slips, double mu)
{
    const int k = c->count++;
    c->contact[k] = i;
    c->at[i] = k;
    c->mu[k] = mu;
    c->row[c->total++] = i;
    for (int f = 0; f < slips; f++)
        c->row[c->total++] = c->p + c->shape->slip_start[i] + f;
    c->base[k + 1] = c->total;
    c->height[k] = 1 + slips;
}

static void respond(carom_step_contact *c, int k)
{
    const carom_step_rows *rows = &c->rows;
    const int begin = c->resp_start[k], count = c->resp_start[k + 1] - begin;
    double *y = c->resp + begin;
    if (!c->response->scalar)
        memset(y, 0, sizeof(double) * (size_t)count);
    for (int e = rows->start[k]; e < rows->start[k + 1]; e++)
        c->resp[c->entry[e]] = rows->value[e];
    carom_step_response_row(c->response, count, c->resp_index + begin, y);
}

/* Entries of row r in the columns of active contact k, up to the diagonal; the response of row r is
 * in `scattered`. */
static void fill_block(carom_step_contact *c, int r, int k, double *Dr)
{
    const int last = c->base[k + 1] - 1 < r ? c->base[k + 1] - 1 : r;
    for (int j = c->base[k]; j <= last; j++)
        Dr[j] = carom_step_rows_dot(&c->rows, c->row[j], c->scattered);
}

static void fill(carom_step_contact *c, int k)
{
    const int i = c->contact[k];
    for (int r = c->base[k]; r < c->base[k + 1]; r++) {
        double *Dr = c->D.value + c->start[r];
        memset(Dr + c->first[r], 0, sizeof(double) * (size_t)(r - c->first[r] + 1));
        carom_step_contact_push(c, r, 1, c->scattered);
        fill_block(c, r, k, Dr);
        if (c->complete) {
            for (int other = 0; other < k; other++)
                fill_block(c, r, other, Dr);
        } else {
            for (int m = c->near_start[i]; m < c->near_start[i + 1]; m++) {
                const int other = c->at[c->near[m]];
                if (other >= 0 && other < k)
                    fill_block(c, r, other, Dr);
            }
        }
        const int row = c->row[r];
        for (int e = c->resp_start[row]; e < c->resp_start[row + 1]; e++)
            c->scattered[c->resp_index[e]] = 0;
    }
}

/* The envelope of the active rows. */
static void lay_out_matrix(carom_step_contact *c)
{
    for (int k = 0; k < c->count; k++) {
        const int i = c->contact[k];
        int least = c->complete ? 0 : k;
        for (int m = c->complete ? 0 : c->near_start[i]; !c->complete && m < c->near_start[i + 1];
             m++) {
            const int other = c->at[c->near[m]];
            if (other >= 0 && other < least)
                least = other;
        }
        for (int r = c->base[k]; r < c->base[k + 1]; r++)
            c->first[r] = c->base[least];
    }
    carom_envelope_lay_out(c->total, c->first, c->start);
    c->D = (carom_envelope){c->total, c->first, c->start, c->D.value};
}

void carom_step_contact_assemble(carom_step_contact *c)
{
    const size_t size = sizeof(int) * (size_t)c->total;
    const bool frozen = c->frozen && !c->response->implicit;
    for (int r = 0; r < c->total; r++)
        c->P[r] = c->memory[c->row[r]];
    if (frozen && c->kept == c->total && memcmp(c->kept_row, c->row, size) == 0)
        return;
    for (int r = 0; r < c->total; r++)
        respond(c, c->row[r]);
    if (c->total == c->count) { /* the solver of friction asks for its own form of D */
        lay_out_matrix(c);
        for (int k = 0; k < c->count; k++)
            fill(c, k);
    }
    c->L_valid = false;
    c->kept = -1;
    if (frozen) {
        c->kept = c->total;
        memcpy(c->kept_row, c->row, size);
    }
}

/* The same where rows and responses have all velocities, one after the other. */
static void fill_full(const carom_step_contact *c, double *D)
{
    const size_t n = (size_t)c->n, total = (size_t)c->total;
    const bool symmetric = !c->response->implicit;
    for (size_t j = 0; j < total; j++) {
        const double *y = c->resp + c->resp_start[c->row[j]];
        for (size_t i = symmetric ? j : 0; i < total; i++) {
            const double *r = c->rows.value + (size_t)c->row[i] * n;
            D[i + j * total] = carom_dense_dot(c->n, r, y);
            if (symmetric)
                D[j + i * total] = D[i + j * total];
        }
    }
}

void carom_step_contact_dense(carom_step_contact *c, double *D)
{
    const size_t total = (size_t)c->total;
    const bool symmetric = !c->response->implicit;
    if (c->full) {
        fill_full(c, D);
        return;
    }
    for (int j = 0; j < c->total; j++) {
        carom_step_contact_push(c, j, 1, c->scattered);
        for (int i = symmetric ? j : 0; i < c->total; i++)
            D[(size_t)i + (size_t)j * total] = carom_step_contact_rate(c, i, c->scattered);
        for (int i = 0; symmetric && i < j; i++)
            D[(size_t)i + (size_t)j * total] = D[(size_t)j + (size_t)i * total];
        for (int e = c->resp_start[c->row[j]]; e < c->resp_start[c->row[j] + 1]; e++)
            c->scattered[c->resp_index[e]] = 0;
    }
}
