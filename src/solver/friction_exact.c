/* Velocities of given reactions in twice the digits. */
#include "solver/friction_exact.h"
#include "solver/friction_dofs.h"

#include "linalg/doubled.h"
#include "linalg/lu.h"

#include <string.h>

/* sum (rows) += B r, B of `rows` x `columns` with leading dimension ld. */
static void add_product(int rows, int columns, const double *B, int ld, const double *r,
                        doubled *sum)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; r[j] != 0 && i < rows; i++)
            sum[i] = doubled_add(sum[i], doubled_product(B[i + (size_t)j * (size_t)ld], r[j]));
}

static void add_dense(const carom_friction_problem *p, int n, const double *r, doubled *sum)
{
    add_product(n, n, p->W, n, r, sum);
}

static void add_blocks(const carom_friction_problem *p, const int *row, const double *r,
                       doubled *sum)
{
    const double *B = p->blocks.value;
    for (int i = 0; i < p->contacts; i++)
        for (int k = p->blocks.start[i]; k < p->blocks.start[i + 1]; k++) {
            int j = p->blocks.column[k], m = row[i + 1] - row[i], n = row[j + 1] - row[j];
            add_product(m, n, B, m, r + row[j], sum + row[i]);
            B += m * n;
        }
}

/* Corrections of v = M^-1 s: each brings the digits that the condition of M leaves of sixteen. */
enum { CORRECTIONS = 4 };

/* s (dof) becomes M^-1 s. LU, pivot, x: room for the body. */
static bool divide(int dof, const double *M, double *LU, int *pivot, double *x, doubled *v,
                   doubled *s)
{
    memcpy(LU, M, (size_t)dof * (size_t)dof * sizeof *LU);
    if (carom_lu_factor(dof, LU, dof, pivot, 0) != 0)
        return false;
    memset(v, 0, (size_t)dof * sizeof *v);
    for (int c = 0; c < CORRECTIONS; c++) {
        for (int k = 0; k < dof; k++)
            x[k] = s[k].hi;
        carom_lu_solve(dof, LU, dof, pivot, x);
        for (int j = 0; j < dof; j++) {
            v[j] = doubled_add_double(v[j], x[j]);
            for (int k = 0; x[j] != 0 && k < dof; k++)
                s[k] = doubled_add(s[k], doubled_product(-M[k + (size_t)j * (size_t)dof], x[j]));
        }
    }
    memcpy(s, v, (size_t)dof * sizeof *s);
    return true;
}

static carom_status add_bodies(const carom_friction_problem *p, const int *row, const double *r,
                               carom_arena *arena, doubled *sum, carom_error *error)
{
    const carom_friction_bodies *b = &p->bodies;
    int *first = carom_arena_array(arena, (size_t)b->count + 1, sizeof *first);
    if (!first)
        return carom_error_memory(error);
    size_t room = (size_t)carom_friction_dofs_start(b, first);
    double *LU = carom_arena_doubles(arena, room * room), *x = carom_arena_doubles(arena, room);
    int *pivot = carom_arena_array(arena, room, sizeof *pivot);
    doubled *own = carom_arena_array(arena, room, sizeof *own);
    doubled *v = carom_arena_zeros(arena, (size_t)first[b->count], sizeof *v);
    if (!LU || !x || !pivot || !own || !v)
        return carom_error_memory(error);
    for (int j = 0; b->f && j < first[b->count]; j++)
        v[j].hi = b->f[j];
    const double *H = b->H, *M = b->M;
    for (int i = 0; i < p->contacts; i++)
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            int j = b->body[k], dof = first[j + 1] - first[j], m = row[i + 1] - row[i];
            add_product(dof, m, H, dof, r + row[i], v + first[j]);
            H += dof * m;
        }
    for (int j = 0; j < b->count; j++) {
        int dof = first[j + 1] - first[j];
        if (!divide(dof, M, LU, pivot, x, own, v + first[j]))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "friction problem: the mass matrix of body %d is singular", j);
        M += (size_t)dof * (size_t)dof;
    }
    H = b->H;
    for (int i = 0; i < p->contacts; i++)
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            int j = b->body[k], dof = first[j + 1] - first[j];
            for (int c = row[i]; c < row[i + 1]; c++, H += dof)
                sum[c] = doubled_dot(dof, H, v + first[j], sum[c]);
        }
    return CAROM_OK;
}

carom_status carom_friction_exact_velocity(const carom_friction_problem *problem, const double *r,
                                           carom_arena *arena, double *u, carom_error *error)
{
    carom_mark mark = carom_arena_mark(arena);
    int *row = carom_arena_array(arena, (size_t)problem->contacts + 1, sizeof *row);
    if (!row)
        return carom_error_memory(error);
    row[0] = 0;
    for (int i = 0; i < problem->contacts; i++)
        row[i + 1] = row[i] + carom_friction_problem_rows_at(problem, i);
    int n = row[problem->contacts];
    doubled *sum = carom_arena_zeros(arena, (size_t)n, sizeof *sum);
    carom_status status = sum ? CAROM_OK : carom_error_memory(error);
    for (int k = 0; sum && k < n; k++)
        sum[k].hi = problem->q[k];
    if (sum && problem->form == CAROM_FRICTION_BODIES)
        status = add_bodies(problem, row, r, arena, sum, error);
    else if (sum && problem->form == CAROM_FRICTION_BLOCKS)
        add_blocks(problem, row, r, sum);
    else if (sum)
        add_dense(problem, n, r, sum);
    for (int k = 0; status == CAROM_OK && k < n; k++)
        u[k] = sum[k].hi;
    carom_arena_rewind(arena, mark);
    return status;
}
