/* Contacts at one instant that do not see each other are problems of their own. */
#include "solver/instant_parts.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Whether forces at one of two contacts move the other. */
static bool is_coupled(const carom_instant *f, int i, int j)
{
    for (int a = f->row[i]; a < f->row[i + 1]; a++)
        for (int b = f->row[j]; b < f->row[j + 1]; b++)
            if (fabs(f->W[a + (size_t)b * f->N]) > CAROM_INSTANT_UNCOUPLED ||
                fabs(f->W[b + (size_t)a * f->N]) > CAROM_INSTANT_UNCOUPLED)
                return true;
    return false;
}

/* group[i]: number of contact i's part; stack: p numbers. Returns the count of parts. */
static int find_groups(const carom_instant *f, int *group, int *stack)
{
    int count = 0;
    for (int i = 0; i < f->p; i++)
        group[i] = -1;
    for (int seed = 0; seed < f->p; seed++) {
        if (group[seed] >= 0)
            continue;
        int top = 0;
        stack[top++] = seed;
        group[seed] = count;
        while (top > 0) {
            const int i = stack[--top];
            for (int j = 0; j < f->p; j++)
                if (group[j] < 0 && is_coupled(f, i, j)) {
                    group[j] = count;
                    stack[top++] = j;
                }
        }
        count++;
    }
    return count;
}

/* The contacts of one group as a problem. */
static carom_status extract(const carom_instant *f, const int *group, int number,
                            carom_arena *arena, carom_instant_part *part, carom_error *error)
{
    int p = 0, N = 0;
    for (int i = 0; i < f->p; i++)
        if (group[i] == number) {
            p++;
            N += f->row[i + 1] - f->row[i];
        }
    const size_t rows = (size_t)N;
    int *row = carom_arena_array(arena, 2 * (size_t)p + 1 + rows, sizeof *row);
    const size_t extra = (size_t)f->extra;
    double *W = carom_arena_doubles(arena, rows * (rows + 1 + extra) + 2 * (size_t)p);
    bool *equality = carom_arena_array(arena, (size_t)p, sizeof *equality);
    if (!row || !W || !equality)
        return carom_error_memory(error);
    int *contact = row + p + 1, *from = contact + p, at = 0;
    double *q = W + rows * rows, *mu_s = q + N, *mu_d = mu_s + p, *X = mu_d + p;
    row[0] = 0;
    for (int i = 0; i < f->p; i++) {
        if (group[i] != number)
            continue;
        contact[at] = i;
        mu_s[at] = f->mu_s[i];
        mu_d[at] = f->mu_d[i];
        equality[at] = f->equality && f->equality[i];
        row[at + 1] = row[at] + f->row[i + 1] - f->row[i];
        for (int k = f->row[i]; k < f->row[i + 1]; k++)
            from[row[at] + k - f->row[i]] = k;
        at++;
    }
    for (int b = 0; b < N; b++) {
        q[b] = f->q[from[b]];
        for (int a = 0; a < N; a++)
            W[a + (size_t)b * rows] = f->W[from[a] + (size_t)from[b] * f->N];
        for (size_t a = 0; a < extra; a++)
            X[a + (size_t)b * extra] = f->X[a + (size_t)from[b] * extra];
    }
    part->problem = (carom_instant){p,        N,        row,          W,        q, mu_s, mu_d,
                                    equality, f->floor, f->symmetric, f->extra, X, NULL};
    part->contact = contact;
    return CAROM_OK;
}

carom_status carom_instant_parts_split(const carom_instant *problem, carom_arena *arena, int *count,
                                       carom_instant_part **parts, carom_error *error)
{
    const carom_instant *f = problem;
    int *group = carom_arena_array(arena, 2 * (size_t)f->p, sizeof *group);
    if (!group)
        return carom_error_memory(error);
    const int groups = find_groups(f, group, group + f->p);
    carom_instant_part *made = carom_arena_array(arena, (size_t)groups, sizeof *made);
    if (!made)
        return carom_error_memory(error);
    carom_status status = CAROM_OK;
    for (int g = 0; g < groups && !status; g++)
        status = extract(f, group, g, arena, &made[g], error);
    *count = groups;
    *parts = made;
    return status;
}

void carom_instant_parts_place(const carom_instant *whole, const carom_instant_part *part,
                               const double *from, double *to)
{
    for (int i = 0; i < part->problem.p; i++)
        carom_dense_copy(part->problem.row[i + 1] - part->problem.row[i],
                         from + part->problem.row[i], to + whole->row[part->contact[i]]);
}
