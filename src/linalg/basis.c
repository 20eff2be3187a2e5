/* Gram-Schmidt bases that grow and shrink column by column. */
#include "linalg/basis.h"

#include "linalg/dense.h"

#include <float.h>

double carom_basis_rounding(const carom_basis *basis, double length, const double *x)
{
    double sum = (basis->n + basis->k) * length;
    for (int l = 0; l < basis->k; l++)
        sum += fabs(x[l]) * basis->size[l] / fabs(basis->R[l + (size_t)l * basis->capacity]);
    return 8 * DBL_EPSILON * sum;
}

/* Q, R and the lengths of the columns. */
size_t carom_basis_numbers(int n, int columns)
{
    const size_t room = (size_t)(n < columns ? n : columns);
    return room * ((size_t)n + room + 1);
}

size_t carom_basis_bytes(int n, int columns)
{
    return carom_arena_bytes(carom_basis_numbers(n, columns), sizeof(double));
}

static carom_basis empty(int n, int columns, double *space)
{
    const size_t room = (size_t)(n < columns ? n : columns);
    carom_basis basis = {.n = n, .capacity = (int)room, .Q = space};
    basis.R = basis.Q + room * (size_t)n;
    basis.size = basis.R + room * room;
    return basis;
}

void carom_basis_create(int n, int columns, carom_arena *arena, carom_basis *basis)
{
    *basis = empty(n, columns,
                   carom_arena_reserved(arena, carom_basis_numbers(n, columns), sizeof(double)));
}

void carom_basis_extend(const carom_basis *from, int more, carom_arena *arena, carom_basis *basis)
{
    const size_t numbers = carom_basis_numbers(from->n, from->k + more);
    carom_basis_extend_at(from, more, carom_arena_reserved(arena, numbers, sizeof(double)), basis);
}

void carom_basis_extend_at(const carom_basis *from, int more, double *space, carom_basis *basis)
{
    carom_basis made = empty(from->n, from->k + more, space);
    made.k = from->k;
    memcpy(made.Q, from->Q, sizeof *made.Q * (size_t)from->n * (size_t)from->k);
    memcpy(made.size, from->size, sizeof *made.size * (size_t)from->k);
    for (int j = 0; j < from->k; j++)
        memcpy(made.R + (size_t)j * made.capacity, from->R + (size_t)j * from->capacity,
               sizeof *made.R * (size_t)(j + 1));
    *basis = made;
}

/* The second pass is needed where the first took most of the column away; a third never is. */
bool carom_basis_add(carom_basis *basis, const double *a, double tolerance)
{
    int n = basis->n, k = basis->k;
    if (k == basis->capacity)
        return false;
    double *q = basis->Q + (size_t)k * n, *r = basis->R + (size_t)k * basis->capacity;
    double length = carom_dense_norm(n, a), before = length, rest = length;
    memcpy(q, a, sizeof *q * (size_t)n);
    memset(r, 0, sizeof *r * (size_t)k);
    for (int pass = 0; pass < 2 && (pass == 0 || rest < 0.7 * before); pass++) {
        before = rest;
        for (int l = 0; l < k; l++) {
            const double *b = basis->Q + (size_t)l * n;
            double c = carom_dense_dot(n, b, q);
            r[l] += c;
            if (c != 0)
                carom_dense_axpy(n, -c, b, q);
        }
        rest = carom_dense_norm(n, q);
    }
    if (!(rest > carom_basis_rounding(basis, length, r)) || rest <= tolerance * length)
        return false;
    r[k] = rest;
    basis->size[k] = length;
    carom_dense_scale(n, 1 / rest, q);
    basis->k++;
    return true;
}

/* The columns behind i move up; rotations make R triangular again and turn Q with it. */
void carom_basis_remove(carom_basis *basis, int i)
{
    int n = basis->n, ld = basis->capacity, k = --basis->k;
    for (int c = i; c < k; c++) {
        memcpy(basis->R + (size_t)c * ld, basis->R + (size_t)(c + 1) * ld,
               sizeof *basis->R * (size_t)(c + 2));
        basis->size[c] = basis->size[c + 1];
    }
    for (int l = i; l < k; l++) {
        double x = basis->R[l + (size_t)l * ld], y = basis->R[l + 1 + (size_t)l * ld];
        double h = hypot(x, y), co = h > 0 ? x / h : 1, si = h > 0 ? y / h : 0;
        for (int c = l; c < k; c++) {
            double *e = basis->R + (size_t)c * ld + l, first = e[0], second = e[1];
            e[0] = co * first + si * second;
            e[1] = co * second - si * first;
        }
        double *q = basis->Q + (size_t)l * n;
        for (int m = 0; m < n; m++) {
            double first = q[m], second = q[m + n];
            q[m] = co * first + si * second;
            q[m + n] = co * second - si * first;
        }
    }
}

void carom_basis_subtract(const carom_basis *basis, double *y)
{
    int n = basis->n;
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < basis->k; l++) {
            const double *q = basis->Q + (size_t)l * n;
            carom_dense_axpy(n, -carom_dense_dot(n, q, y), q, y);
        }
}

void carom_basis_coordinates(const carom_basis *basis, const double *y, double *x)
{
    for (int l = 0; l < basis->k; l++)
        x[l] = carom_dense_dot(basis->n, basis->Q + (size_t)l * basis->n, y);
}

void carom_basis_solve(const carom_basis *basis, double *x)
{
    for (int j = basis->k - 1; j >= 0; j--) {
        const double *r = basis->R + (size_t)j * basis->capacity;
        x[j] /= r[j];
        carom_dense_axpy(j, -x[j], r, x);
    }
}

void carom_basis_solve_t(const carom_basis *basis, double *x)
{
    for (int j = 0; j < basis->k; j++) {
        const double *r = basis->R + (size_t)j * basis->capacity;
        x[j] = (x[j] - carom_dense_dot(j, r, x)) / r[j];
    }
}
