/* Factors K of a time step in blocks and groups, and applies its inverse to rows. */
#include "flow/step_response.h"

#include <string.h>

#include "carom/tolerance.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

carom_status carom_step_response_create(carom_arena *arena, const carom_system_shape *shape,
                                        const carom_state *state, carom_step_response *r,
                                        carom_error *error)
{
    static const carom_step_source none = {0};
    *r = (carom_step_response){.n = shape->n,
                               .diagonal = shape->mass_is_diagonal,
                               .constant = shape->mass_is_constant,
                               .M = state->M};
    carom_step_source mass = {&shape->mass_pattern, state->M, shape->n};
    carom_step_source joints = {&shape->joint_pattern, state->B, shape->m};
    carom_step_source rollings = {&shape->rolling_pattern, state->A, shape->a};
    carom_status status =
        carom_step_rows_create(arena, shape->n, r->diagonal ? none : mass, none, &r->mass, error);
    if (status == CAROM_OK)
        status = carom_step_rows_create(arena, shape->n, joints, rollings, &r->joints, error);
    if (status != CAROM_OK || r->joints.count == 0 || shape->rows_are_constant)
        return status;
    const size_t entries = (size_t)shape->n * (size_t)r->joints.count;
    if (r->joints.direct) { /* values of their own, for they are of another place than the state */
        r->joints.value = carom_arena_zeros(arena, entries, sizeof(double));
        r->joints.direct = false;
    }
    r->along = carom_arena_zeros(arena, entries, sizeof(double));
    return r->joints.value && r->along ? CAROM_OK : carom_error_memory(error);
}

void carom_step_response_keep_joints(carom_step_response *r)
{
    memcpy(r->along, r->joints.value, sizeof(double) * (size_t)r->joints.start[r->joints.count]);
}

void carom_step_response_mix_joints(carom_step_response *r, double theta)
{
    const double *end = r->joints.value;
    for (int e = 0; e < r->joints.start[r->joints.count]; e++) {
        r->skew = r->skew || r->along[e] != end[e];
        r->along[e] = (1 - theta) * r->along[e] + theta * end[e];
    }
}

bool carom_step_response_gather(carom_step_response *r, bool mass)
{
    bool grown = mass && !r->diagonal && carom_step_rows_gather(&r->mass);
    return (r->joints.count > 0 && carom_step_rows_gather(&r->joints)) || grown;
}

/* Pieces of a graph, by the trees of Tarjan's union-find. */
static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int *parent, int i, int j)
{
    i = root_of(parent, i);
    j = root_of(parent, j);
    if (i < j)
        parent[j] = i;
    else
        parent[i] = j;
}

static void join_rows(int *parent, const carom_step_rows *rows, bool with_own)
{
    for (int k = 0; k < rows->count; k++)
        for (int e = rows->start[k]; e < rows->start[k + 1]; e++)
            join(parent, rows->index[e], with_own ? k : rows->index[rows->start[k]]);
}

/* Number the trees by their roots, which are their least members: 0, 1 ... Returns how many. */
static int number(int n, int *parent, int *label)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int root = root_of(parent, i);
        label[i] = root == i ? count++ : label[root];
    }
    return count;
}

/* `from` sorted by label into `to`, otherwise in the order it had; start: labels + 1. */
static void sort_by(int n, int labels, const int *label, const int *from, int *to, int *start)
{
    memset(start, 0, sizeof(int) * ((size_t)labels + 1));
    for (int i = 0; i < n; i++)
        start[label[i] + 1]++;
    for (int k = 0; k < labels; k++)
        start[k + 1] += start[k];
    for (int i = 0; i < n; i++) /* start[k] moves on to the beginning of the next ... */
        to[start[label[from ? from[i] : i]]++] = from ? from[i] : i;
    for (int k = labels; k > 0; k--) /* ... and back */
        start[k] = start[k - 1];
    start[0] = 0;
}

/* Squares of the blocks one after the other, or the matrices of the joints. */
static size_t lay_out_blocks(carom_step_response *r)
{
    size_t used = 0;
    for (int b = 0; b < r->blocks; b++) {
        const size_t size = (size_t)(r->block_start[b + 1] - r->block_start[b]);
        r->L_start[b] = used;
        used += size * size;
    }
    return used;
}

/* Joints by group: that of their first velocity. One without any entry belongs to the first. */
static void lay_out_joints(carom_step_response *r, size_t *Y, size_t *S)
{
    const carom_step_rows *j = &r->joints;
    *Y = *S = 0;
    memset(r->joint_start, 0, sizeof(int) * ((size_t)r->groups + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (int k = j->count - 1; k >= 0; k--) {
            int g = j->start[k] < j->start[k + 1] ? r->group[j->index[j->start[k]]] : 0;
            if (pass == 0)
                r->joint_start[g]++;
            else
                r->hold[--r->joint_start[g]] = k;
        }
        for (int g = 1; pass == 0 && g <= r->groups; g++)
            r->joint_start[g] += r->joint_start[g - 1];
    }
    for (int g = 0; g < r->groups; g++) {
        const size_t count = (size_t)(r->joint_start[g + 1] - r->joint_start[g]);
        r->Y_start[g] = *Y;
        r->S_start[g] = *S;
        *Y += count * (size_t)(r->group_start[g + 1] - r->group_start[g]);
        *S += count * count;
    }
}

static carom_status take_structure(carom_step_response *r, carom_arena *arena, carom_error *error)
{
    const size_t n = (size_t)r->n, c = (size_t)r->joints.count;
    int *ints = carom_arena_array(arena, 9 * n + 4 + 3 * c, sizeof(int));
    size_t *sizes = carom_arena_array(arena, 3 * n, sizeof(size_t));
    double *d = carom_arena_zeros(arena, 2 * c + n, sizeof(double));
    if (!ints || !sizes || !d)
        return carom_error_memory(error);
    r->group = ints;
    r->member = ints += n;
    r->place = ints += n;
    r->group_start = ints += n;
    r->block_start = ints += n + 1;
    r->first_block = ints += n + 1;
    r->pivot = ints += n + 1;
    r->joint_start = ints += n;
    r->held = ints += n + 1;
    r->hold = ints += n;
    r->S_pivot = ints += c;
    r->along_pivot = ints + c;
    r->L_start = sizes;
    r->Y_start = sizes + n;
    r->S_start = sizes + 2 * n;
    r->beta = d;
    r->hat = d + c;
    r->local = d + 2 * c;
    return CAROM_OK;
}

/* Members, blocks and groups; work: 3n. */
static void arrange(carom_step_response *r, const double *K, int *work)
{
    const int n = r->n;
    int *parent = work, *block = work + n, *by_block = work + 2 * (size_t)n;
    for (int i = 0; i < n; i++)
        parent[i] = i;
    if (!r->diagonal)
        join_rows(parent, &r->mass, true);
    for (int j = 0; K && j < n; j++)
        for (int i = 0; i < n; i++)
            if (K[i + (size_t)j * (size_t)n] != 0)
                join(parent, i, j);
    r->blocks = number(n, parent, block);
    sort_by(n, r->blocks, block, NULL, by_block, r->block_start);
    join_rows(parent, &r->joints, false);
    r->groups = number(n, parent, r->group);
    sort_by(n, r->groups, r->group, by_block, r->member, r->group_start);
    /* blocks again, now in the order of the members */
    for (int i = 0, b = 0, g = 0; i < n; i++) {
        r->place[r->member[i]] = i;
        if (i == 0 || block[r->member[i]] != block[r->member[i - 1]])
            r->block_start[b++] = i;
        if (i == r->group_start[g])
            r->first_block[g++] = b - 1;
    }
    r->block_start[r->blocks] = n;
    r->first_block[r->groups] = r->blocks;
}

carom_status carom_step_response_build(carom_step_response *r, const double *K, carom_arena *arena,
                                       carom_error *error)
{
    int *work = carom_arena_array(arena, 3 * (size_t)r->n, sizeof(int));
    carom_status status = work ? take_structure(r, arena, error) : carom_error_memory(error);
    if (status != CAROM_OK)
        return status;
    arrange(r, K, work);
    size_t squares = lay_out_blocks(r), Y, S;
    lay_out_joints(r, &Y, &S);
    r->scalar = r->blocks == r->n && r->joints.count == 0;
    r->L = carom_arena_array(arena, squares, sizeof(double));
    r->LU = K ? carom_arena_array(arena, squares, sizeof(double)) : NULL;
    r->Y = carom_arena_array(arena, Y, sizeof(double));
    r->S = carom_arena_array(arena, S, sizeof(double));
    if (r->along) {
        r->Y_along = carom_arena_array(arena, Y, sizeof(double));
        r->S_along = carom_arena_array(arena, S, sizeof(double));
        if (!r->Y_along || !r->S_along)
            return carom_error_memory(error);
    }
    r->factored = r->implicit = false;
    memset(r->held, 0, sizeof(int) * (size_t)r->groups);
    return r->L && (!K || r->LU) && r->Y && r->S ? CAROM_OK : carom_error_memory(error);
}

/* The square of a block out of K (n x n). */
static void copy_block(const carom_step_response *r, int b, const double *K, double *square)
{
    const int first = r->block_start[b], size = r->block_start[b + 1] - first;
    const int *member = r->member + first;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            square[i + (size_t)j * (size_t)size] = K[member[i] + (size_t)member[j] * (size_t)r->n];
}

int carom_step_response_factor_mass(carom_step_response *r)
{
    if (r->factored && r->constant)
        return 0;
    for (int b = 0; b < r->blocks; b++) {
        const int first = r->block_start[b], size = r->block_start[b + 1] - first;
        double *L = r->L + r->L_start[b];
        int bad = 0;
        if (r->diagonal) {
            memset(L, 0, sizeof(double) * (size_t)size * (size_t)size);
            for (int i = 0; i < size; i++)
                L[i + (size_t)i * (size_t)size] = r->M[r->member[first + i]];
        } else {
            copy_block(r, b, r->M, L);
        }
        if (size > 1) {
            bad = carom_cholesky_factor(size, L, size);
        } else if (L[0] > 0) {
            L[0] = 1 / L[0];
        } else {
            bad = 1;
        }
        if (bad > 0)
            return r->member[first + bad - 1] + 1;
    }
    r->factored = true;
    return 0;
}

bool carom_step_response_fits(const carom_step_response *r, const double *K)
{
    if (!r->LU)
        return false;
    for (int b = 0; b < r->blocks; b++)
        for (int m = r->block_start[b]; m < r->block_start[b + 1]; m++) {
            const double *column = K + (size_t)r->member[m] * (size_t)r->n;
            int inside = 0, all = 0;
            for (int i = r->block_start[b]; i < r->block_start[b + 1]; i++)
                inside += column[r->member[i]] != 0;
            for (int i = 0; i < r->n; i++)
                all += column[i] != 0;
            if (all > inside)
                return false;
        }
    return true;
}

bool carom_step_response_factor_forces(carom_step_response *r, const double *K)
{
    for (int b = 0; b < r->blocks; b++) {
        const int first = r->block_start[b], size = r->block_start[b + 1] - first;
        double *LU = r->LU + r->L_start[b];
        copy_block(r, b, K, LU);
        if (size == 1 && LU[0] != 0)
            LU[0] = 1 / LU[0];
        else if (carom_lu_factor(size, LU, size, r->pivot + first, 4 * DBL_EPSILON) != 0)
            return false;
    }
    r->implicit = true;
    return true;
}

/* x = K^-1 x for one block, x in the order of its members. */
static void solve_block(const carom_step_response *r, int b, double *x)
{
    const int first = r->block_start[b], size = r->block_start[b + 1] - first;
    if (size == 1)
        x[0] *= r->implicit ? r->LU[r->L_start[b]] : r->L[r->L_start[b]];
    else if (r->implicit)
        carom_lu_solve(size, r->LU + r->L_start[b], size, r->pivot + first, x);
    else
        carom_cholesky_solve(size, r->L + r->L_start[b], size, x);
}

/* x = K^-1 x for one group; blocks without an entry are left out. */
static void solve_group(const carom_step_response *r, int g, double *x)
{
    const int start = r->group_start[g];
    for (int b = r->first_block[g]; b < r->first_block[g + 1]; b++) {
        double *part = x + (r->block_start[b] - start);
        int i = 0, size = r->block_start[b + 1] - r->block_start[b];
        while (i < size && part[i] == 0)
            i++;
        if (i < size)
            solve_block(r, b, part);
    }
}

/* Joint row times x, x in the order of its group. */
static double joint_dot(const carom_step_response *r, int joint, int start, const double *x)
{
    const carom_step_rows *j = &r->joints;
    double sum = 0;
    for (int e = j->start[joint]; e < j->start[joint + 1]; e++)
        sum += j->value[e] * x[r->place[j->index[e]] - start];
    return sum;
}

/* Y = K^-1 times the columns `value` of the joints held in group g, S = R'Y factored. The result of
 * the factorisation: 0, or the number (from 1) of a dependent joint. */
static int respond(const carom_step_response *r, int g, int held, const double *value, double *Y,
                   double *S, int *pivot)
{
    const int start = r->group_start[g], size = r->group_start[g + 1] - start;
    const int *hold = r->hold + r->joint_start[g];
    for (int k = 0; k < held; k++) {
        const carom_step_rows *j = &r->joints;
        double *y = Y + (size_t)k * (size_t)size;
        memset(y, 0, sizeof(double) * (size_t)size);
        for (int e = j->start[hold[k]]; e < j->start[hold[k] + 1]; e++)
            y[r->place[j->index[e]] - start] = value[e];
        solve_group(r, g, y);
    }
    for (int k = 0; k < held; k++)
        for (int l = 0; l < held; l++)
            S[k + (size_t)l * (size_t)held] =
                joint_dot(r, hold[k], start, Y + (size_t)l * (size_t)size);
    return carom_lu_factor(held, S, held, pivot, CAROM_TOLERANCE_RANK);
}

/* The joints of one group: leave out one dependent joint after the other until S is regular. */
static void hold_group(carom_step_response *r, int g)
{
    const int first = r->joint_start[g];
    int *hold = r->hold + first, held = r->joint_start[g + 1] - first;
    double *S = r->S + r->S_start[g];
    while (held > 0) {
        const int bad =
            respond(r, g, held, r->joints.value, r->Y + r->Y_start[g], S, r->S_pivot + first);
        if (bad == 0)
            break;
        const int out = hold[bad - 1]; /* to the end: it may be needed another time */
        memmove(hold + bad - 1, hold + bad,
                sizeof *hold * (size_t)(r->joint_start[g + 1] - first - bad));
        hold[r->joint_start[g + 1] - first - 1] = out;
        held--;
    }
    r->held[g] = held;
    if (r->skew && held > 0)
        respond(r, g, held, r->along, r->Y_along + r->Y_start[g], r->S_along + r->S_start[g],
                r->along_pivot + first);
}

void carom_step_response_hold(carom_step_response *r)
{
    for (int g = 0; g < r->groups; g++) {
        int count = r->joint_start[g + 1] - r->joint_start[g], *hold = r->hold + r->joint_start[g];
        for (int k = 1; k < count; k++) /* ascending again: those left out come last */
            for (int i = k; i > 0 && hold[i - 1] > hold[i]; i--) {
                int keep = hold[i];
                hold[i] = hold[i - 1];
                hold[i - 1] = keep;
            }
        hold_group(r, g);
    }
}

void carom_step_response_apply(const carom_step_response *r, double *x)
{
    if (r->scalar) {
        const double *inverse = r->implicit ? r->LU : r->L;
        for (int i = 0; i < r->n; i++)
            x[i] *= inverse[i];
        return;
    }
    for (int b = 0; b < r->blocks; b++) {
        const int first = r->block_start[b], size = r->block_start[b + 1] - first;
        const int *member = r->member + first;
        if (member[size - 1] - member[0] == size - 1) { /* side by side */
            solve_block(r, b, x + member[0]);
            continue;
        }
        for (int i = 0; i < size; i++)
            r->local[i] = x[member[i]];
        solve_block(r, b, r->local);
        for (int i = 0; i < size; i++)
            x[member[i]] = r->local[i];
    }
}

void carom_step_response_subtract_mass(const carom_step_response *r, const double *M,
                                       const double *d, double *out)
{
    const int n = r->n;
    if (r->diagonal)
        for (int i = 0; i < n; i++)
            out[i] -= M[i] * d[i];
    else if (r->mass.seen) /* what was seen elsewhere need not be all */
        carom_dense_gemv(n, n, -1, M, n, d, out);
    else
        for (int j = 0; j < n; j++)
            for (int e = r->mass.start[j]; e < r->mass.start[j + 1]; e++)
                out[r->mass.index[e]] -= M[r->mass.index[e] + (size_t)j * (size_t)n] * d[j];
}

/* beta = S^-1 beta for a group, and x -= Y beta; member: where its entries are in x. along: forces
 * of the joints themselves; those that answer contacts act along the rows, which keeps the matrix
 * of the contacts symmetric. */
static void push_joints(const carom_step_response *r, int g, bool along, const int *member,
                        double *x)
{
    const int size = r->group_start[g + 1] - r->group_start[g], held = r->held[g];
    const double *Y = along ? r->Y_along : r->Y, *S = along ? r->S_along : r->S;
    double *beta = r->beta + r->joint_start[g];
    carom_lu_solve(held, S + r->S_start[g], held,
                   (along ? r->along_pivot : r->S_pivot) + r->joint_start[g], beta);
    for (int k = 0; k < held; k++) {
        const double *y = Y + r->Y_start[g] + (size_t)k * (size_t)size;
        if (member)
            for (int i = 0; i < size; i++)
                x[member[i]] -= y[i] * beta[k];
        else
            carom_dense_axpy(size, -beta[k], y, x);
    }
}

void carom_step_response_obey(carom_step_response *r, double *x)
{
    for (int g = 0; g < r->groups; g++) {
        const int *hold = r->hold + r->joint_start[g];
        double *beta = r->beta + r->joint_start[g];
        for (int k = 0; k < r->held[g]; k++)
            beta[k] = carom_step_rows_dot(&r->joints, hold[k], x) + r->hat[hold[k]];
        if (r->held[g] > 0)
            push_joints(r, g, r->skew, r->member + r->group_start[g], x);
    }
}

void carom_step_response_row(carom_step_response *r, int count, const int *index, double *y)
{
    if (r->scalar) {
        const double *inverse = r->implicit ? r->LU : r->L;
        for (int i = 0; i < count; i++)
            y[i] *= inverse[index[i]];
        return;
    }
    for (int at = 0; at < count;) {
        const int g = r->group[index[at]], start = r->group_start[g];
        double *x = y + at, *beta = r->beta + r->joint_start[g];
        solve_group(r, g, x);
        for (int k = 0; k < r->held[g]; k++)
            beta[k] = joint_dot(r, r->hold[r->joint_start[g] + k], start, x);
        if (r->held[g] > 0)
            push_joints(r, g, false, NULL, x);
        at += r->group_start[g + 1] - start;
    }
}
