/* The contacts of a statement on the way to its islands. */
#include "solver/friction_contacts.h"

#include <math.h>
#include <string.h>

bool carom_friction_contacts_bilateral(const carom_friction_problem *problem, int i)
{
    return problem->bilateral && problem->bilateral[i];
}

double carom_friction_contacts_friction(const carom_friction_problem *problem, int i)
{
    bool rough = problem->mu && !carom_friction_contacts_bilateral(problem, i) &&
                 carom_friction_problem_rows_at(problem, i) > 1;
    return rough ? problem->mu[i] : 0;
}

bool carom_friction_contacts_take(const carom_friction_problem *problem, carom_arena *arena,
                                  carom_friction_contacts *c)
{
    size_t n = (size_t)problem->contacts + 1;
    *c = (carom_friction_contacts){.problem = problem, .count = problem->contacts, .q = problem->q};
    int **arrays[] = {&c->row, &c->active, &c->group, &c->order, &c->local, &c->first};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = carom_arena_array(arena, n, sizeof **arrays[k])))
            return false;
    c->row[0] = 0;
    for (int i = 0; i < c->count; i++) {
        int rows = carom_friction_problem_rows_at(problem, i);
        bool all = carom_friction_contacts_bilateral(problem, i) ||
                   carom_friction_contacts_friction(problem, i) > 0;
        c->row[i + 1] = c->row[i] + rows;
        c->active[i] = all ? rows : 1;
        c->group[i] = i;
    }
    c->scale = carom_arena_doubles(arena, (size_t)c->row[c->count]);
    c->own = carom_arena_zeros(arena, 9 * n, sizeof *c->own);
    return c->scale && c->own;
}

static int find_root(int *up, int i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

void carom_friction_contacts_join(carom_friction_contacts *contacts, int i, int j)
{
    int a = find_root(contacts->group, i), b = find_root(contacts->group, j);
    contacts->group[a < b ? b : a] = a < b ? a : b; /* a root has the least number of its island */
}

void carom_friction_contacts_sort(carom_friction_contacts *c)
{
    c->islands = 0;
    for (int i = 0; i < c->count; i++) {
        int root = find_root(c->group, i);
        c->local[i] = root == i ? c->islands++ : c->local[root];
    }
    memset(c->first, 0, (size_t)(c->islands + 1) * sizeof *c->first);
    for (int i = 0; i < c->count; i++) {
        c->group[i] = c->local[i];
        c->first[c->group[i]]++;
    }
    for (int g = 0, sum = 0; g <= c->islands; g++) {
        int here = g < c->islands ? c->first[g] : 0;
        c->first[g] = sum;
        sum += here;
    }
    for (int i = 0; i < c->count; i++)
        c->order[c->first[c->group[i]]++] = i;
    for (int g = c->islands; g > 0; g--) /* the starts have moved to the ends */
        c->first[g] = c->first[g - 1];
    c->first[0] = 0;
    for (int g = 0; g < c->islands; g++)
        for (int k = c->first[g]; k < c->first[g + 1]; k++)
            c->local[c->order[k]] = k - c->first[g];
}

void carom_friction_contacts_scale(carom_friction_contacts *c)
{
    for (int i = 0; i < c->count; i++) {
        double mu = carom_friction_contacts_friction(c->problem, i), sum = 0;
        double *s = c->scale + c->row[i], *own = c->own + 9 * i;
        int d = c->active[i];
        s[0] = mu > 0 ? 1 / mu : 1;
        for (int r = 1; r < c->row[i + 1] - c->row[i]; r++)
            s[r] = 1;
        for (int r = 0; r < d; r++)
            sum += own[r * (d + 1)] * s[r] * s[r];
        double sigma = sum > 0 && isfinite(sum) ? 1 / sqrt(sum / d) : mu > 0 ? mu : 1;
        for (int r = 0; r < c->row[i + 1] - c->row[i]; r++)
            s[r] *= sigma;
        for (int q = 0; q < d; q++)
            for (int r = 0; r < d; r++)
                own[r + q * d] *= s[r] * s[q];
    }
}
