/* The proof that an island has no solution, verified with the statement as it is given.
 *
 * Where bodies are given, u_N = H_N'v + w_N is asked of velocities v, and masses, forces and
 * friction take no part: y_N >= 0 with H y = 0 and w'y < 0 leaves no v. The test is by degrees of
 * freedom, each measured by its own terms: a wedge that opens by a small angle has a small entry in
 * H that nothing cancels, and no relative change of the entries by rounding shuts it. Where only W
 * is known, W'y = 0 to the rounding that W's entries were made with is all that can be asked. */
#include "solver/friction_proof.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"
#include "linalg/doubled.h"

#include <float.h>
#include <math.h>

/* H y = 0: what is left is the rounding of y and of the entries of H, which are sums of two
 * products (an arm times a normal) and are off by (2 + 4) eps of their terms, y by one. */
#define KERNEL (7 * DBL_EPSILON)

/* A proof has a reach: y proves that there is no solution with velocities, or reactions, below so
 * many times w, or q. */
#define REACH (CAROM_FRICTION_PROOF_STRENGTH / DBL_EPSILON)

bool carom_friction_proof_momenta(const carom_friction_island *island, carom_arena *arena,
                                  const double *y, double *p, double *terms)
{
    const carom_friction_masses *m = &island->given;
    const int dofs = m->row[m->bodies];
    carom_mark mark = carom_arena_mark(arena);
    doubled *sum = carom_arena_zeros(arena, (size_t)dofs, sizeof *sum);
    for (int j = 0; terms && j < dofs; j++)
        terms[j] = 0;
    for (int i = 0; sum && i < island->contacts; i++)
        for (int k = m->start[i]; k < m->start[i + 1]; k++) {
            const int first = m->row[m->body[k]], dof = m->row[m->body[k] + 1] - first;
            for (int c = 0; c < carom_friction_island_rows(island, i); c++) {
                const double *H = m->H + m->at[k] + c * dof, yk = y[island->row[i] + c];
                for (int j = 0; yk != 0 && j < dof; j++) {
                    sum[first + j] = doubled_add(sum[first + j], doubled_product(H[j], yk));
                    if (terms)
                        terms[first + j] += fabs(H[j] * yk);
                }
            }
        }
    for (int j = 0; sum && j < dofs; j++)
        p[j] = sum[j].hi;
    carom_arena_rewind(arena, mark);
    return sum != NULL;
}

/* Do the impulses leave every body at rest? */
static bool bodies_rest(const carom_friction_island *o, carom_arena *arena, const double *y)
{
    const int dofs = o->given.row[o->given.bodies];
    double *p = carom_arena_doubles(arena, (size_t)dofs);
    double *terms = carom_arena_doubles(arena, (size_t)dofs);
    if (!p || !terms || !carom_friction_proof_momenta(o, arena, y, p, terms))
        return false;
    for (int j = 0; j < dofs; j++)
        if (fabs(p[j]) > KERNEL * terms[j])
            return false;
    return true;
}

bool carom_friction_proof_product(const carom_friction_island *island, carom_arena *arena,
                                  const double *y, bool transposed, double *z)
{
    const carom_friction_island *o = island;
    const carom_block_matrix *A = &o->A;
    carom_mark mark = carom_arena_mark(arena);
    doubled *sum = carom_arena_zeros(arena, (size_t)o->n, sizeof *sum);
    for (int i = 0; sum && i < o->contacts; i++)
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            const int j = A->column[k], d = carom_friction_island_rows(o, i);
            for (int c = 0; c < carom_friction_island_rows(o, j); c++)
                for (int r = 0; r < d; r++) {
                    const int row = o->row[i] + r, column = o->row[j] + c;
                    const int from = transposed ? row : column, to = transposed ? column : row;
                    const double a = A->value[A->at[k] + (size_t)(r + c * d)];
                    if (y[from] != 0)
                        sum[to] = doubled_add(sum[to], doubled_product(a, y[from]));
                }
        }
    for (int k = 0; sum && k < o->n; k++)
        z[k] = sum[k].hi;
    carom_arena_rewind(arena, mark);
    return sum != NULL;
}

/* Where only A is known: is every row of z = A'y what rounding leaves? A's symmetric part is
 * semidefinite, so that |a_kj| <= sqrt(a_kk a_jj) is the size of the terms that a_kj is a sum of.
 * An entry that is larger belongs to no body, and one that was lost beside larger ones (a heavy
 * body on a light one) is still there. */
static bool rests(const carom_friction_island *o, carom_arena *arena, const double *ray,
                  double strength)
{
    double *y = carom_arena_doubles(arena, (size_t)o->n);
    double *z = carom_arena_doubles(arena, (size_t)o->n), terms = 0;
    if (!y || !z)
        return false;
    for (int k = 0; k < o->n; k++)
        y[k] = ray[k] / o->scale[k];
    if (!carom_friction_proof_product(o, arena, y, true, z) ||
        strength < REACH * carom_dense_norm(o->n, z) * carom_dense_max(o->n, o->b))
        return false;
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            terms += fabs(y[o->row[i] + k]) * sqrt(carom_friction_island_diagonal(o, i, k));
    for (int i = 0; i < o->contacts; i++)
        for (int k = 0; k < carom_friction_island_rows(o, i); k++)
            if (fabs(z[o->row[i] + k]) >
                CAROM_TOLERANCE_REFINED * sqrt(carom_friction_island_diagonal(o, i, k)) * terms)
                return false;
    return true;
}

/* Is y one of the impulses that can act: normals that push, no friction? */
static bool pushes(const carom_friction_island *o, const double *y)
{
    for (int i = 0; i < o->contacts; i++)
        for (int k = o->row[i]; !o->free[i] && k < o->row[i + 1]; k++)
            if (k == o->row[i] ? !(y[k] >= 0) : y[k] != 0)
                return false;
    const double top = carom_dense_max(o->n, y);
    return top > 0 && isfinite(top);
}

bool carom_friction_proof_holds(const carom_friction_island *island, carom_arena *arena,
                                const double *y, double *product)
{
    const bool bodies = island->given.bodies > 0;
    doubled sum = {0, 0};
    double terms = 0;
    *product = 0;
    if (!pushes(island, y))
        return false;
    for (int k = 0; k < island->n; k++) {
        const double q = bodies ? island->w[k] : island->b[k] / island->scale[k];
        sum = doubled_add(sum, doubled_product(q, y[k]));
        terms += fabs(q * y[k]);
    }
    *product = sum.hi;
    if (!(sum.hi < -CAROM_FRICTION_PROOF_STRENGTH * terms))
        return false;
    carom_mark mark = carom_arena_mark(arena);
    const bool rest = bodies ? bodies_rest(island, arena, y) : rests(island, arena, y, -sum.hi);
    carom_arena_rewind(arena, mark);
    return rest;
}
