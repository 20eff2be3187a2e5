/* M_c^-1 by an orthonormal basis of the held rows, and velocities that meet them. */
#include "impact/response.h"

#include <float.h>
#include <math.h>

#include "linalg/dense.h"
#include "linalg/metric.h"

size_t carom_response_bytes(int n, int rows)
{
    const size_t room = (size_t)(n < rows ? n : rows);
    return 2 * carom_basis_bytes(n, rows) + carom_arena_bytes(room, sizeof(double *)) +
           carom_arena_bytes(room, sizeof(int));
}

static void take_room(carom_response *r, carom_arena *arena)
{
    const size_t rows = (size_t)r->basis.capacity;
    r->row = carom_arena_reserved(arena, rows, sizeof *r->row);
    r->number = carom_arena_reserved(arena, rows, sizeof *r->number);
}

void carom_response_create(int n, bool diagonal, const double *M, const double *L,
                           const double *unit, int rows, carom_arena *arena,
                           carom_response *response)
{
    *response = (carom_response){.n = n, .diagonal = diagonal, .M = M, .L = L, .unit = unit};
    carom_basis_create(n, rows, arena, &response->basis);
    carom_basis_create(n, rows, arena, &response->shape);
    take_room(response, arena);
}

void carom_response_extend(const carom_response *from, int more, carom_arena *arena,
                           carom_response *response)
{
    carom_response made = *from;
    carom_basis_extend(&from->basis, more, arena, &made.basis);
    carom_basis_extend(&from->shape, more, arena, &made.shape);
    take_room(&made, arena);
    memcpy(made.row, from->row, sizeof *made.row * (size_t)from->basis.k);
    memcpy(made.number, from->number, sizeof *made.number * (size_t)from->basis.k);
    *response = made;
}

/* w_k^2/M_kk, the share of coordinate k in what an impulse along the row does. */
static double share(const double *row, int k, bool diagonal, const double *M, int n)
{
    return row[k] * (row[k] / M[diagonal ? k : k * (n + 1)]);
}

/* Entries that move nothing beside the others of their row are no measure of a coordinate: a turned
 * body has 1e-17 and 1e-46 where it stands straight, and its spin would be counted in them. */
static void measure_row(int n, bool diagonal, const double *M, const double *row, double *unit)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, share(row, k, diagonal, M, n));
    for (int k = 0; k < n; k++)
        if (fabs(row[k]) > unit[k] &&
            share(row, k, diagonal, M, n) > DBL_EPSILON * DBL_EPSILON * most)
            unit[k] = fabs(row[k]);
}

void carom_response_units(int n, bool diagonal, const double *M, const carom_response_list *lists,
                          int count, double *unit)
{
    memset(unit, 0, sizeof *unit * (size_t)n);
    for (int l = 0; l < count; l++)
        for (int j = 0; j < lists[l].count; j++)
            measure_row(n, diagonal, M, lists[l].rows + (size_t)j * (size_t)n, unit);
    for (int k = 0; k < n; k++)
        unit[k] = unit[k] > 0 ? unit[k] : 1;
}

void carom_response_row(const carom_response *r, double *w)
{
    carom_metric_row(r->n, r->diagonal, r->L, w);
}

void carom_response_vector_back(const carom_response *r, double *y)
{
    carom_metric_vector_back(r->n, r->diagonal, r->L, y);
}

static void scale_row(const carom_response *r, const double *row, double *scaled)
{
    for (int i = 0; i < r->n; i++)
        scaled[i] = r->unit ? row[i] / r->unit[i] : row[i];
}

bool carom_response_depends(const carom_response *r, const double *row, double *work)
{
    double *x = work + r->n;
    scale_row(r, row, work);
    double length = carom_dense_norm(r->n, work);
    carom_basis_coordinates(&r->shape, work, x);
    carom_basis_subtract(&r->shape, work);
    return r->shape.k == r->n ||
           !(carom_dense_norm(r->n, work) > carom_basis_rounding(&r->shape, length, x));
}

bool carom_response_take(carom_response *r, const double *row, int number, double *work)
{
    int k = r->basis.k;
    scale_row(r, row, work);
    if (!carom_basis_add(&r->shape, work, 0))
        return false;
    memcpy(work, row, sizeof *work * (size_t)r->n);
    carom_response_row(r, work);
    if (!carom_basis_add(&r->basis, work, 0)) {
        r->shape.k--;
        return false;
    }
    r->row[k] = row;
    r->number[k] = number;
    return true;
}

/* The rests of `count` rows, their lengths, and work space of one row and its coordinates. */
static size_t take_all_numbers(size_t n, size_t count)
{
    return n * (count + 1) + 2 * count + n;
}

size_t carom_response_take_all_bytes(int n, int count)
{
    return carom_arena_bytes(take_all_numbers((size_t)n, (size_t)count), sizeof(double));
}

/* The rests of all rows outside the span, in units of the coordinates, are kept up to date; the one
 * that is longest in units of its row comes next. */
void carom_response_take_all(carom_response *r, int count, const double *const *rows, int first,
                             carom_arena *arena)
{
    size_t n = (size_t)r->n;
    carom_mark mark = carom_arena_mark(arena);
    double *rest = carom_arena_reserved(arena, take_all_numbers(n, (size_t)count), sizeof *rest);
    double *length = rest + n * (size_t)count, *work = length + count;
    for (int j = 0; j < count; j++) {
        double *v = rest + (size_t)j * n;
        scale_row(r, rows[j], v);
        length[j] = carom_dense_norm(r->n, v);
        carom_basis_subtract(&r->shape, v);
    }
    for (int taken = 0; taken < count && r->basis.k < r->n; taken++) {
        int best = -1;
        double most = 0;
        for (int j = 0; j < count; j++) {
            double left = length[j] > 0 ? carom_dense_norm(r->n, rest + (size_t)j * n) : 0;
            if (length[j] > 0 && left / length[j] > most) {
                most = left / length[j];
                best = j;
            }
        }
        if (best < 0)
            break;
        length[best] = 0;
        if (!carom_response_take(r, rows[best], first + best, work))
            continue;
        const double *q = r->shape.Q + (size_t)(r->shape.k - 1) * n;
        for (int j = 0; j < count; j++) {
            double *v = rest + (size_t)j * n;
            if (length[j] > 0)
                carom_dense_axpy(r->n, -carom_dense_dot(r->n, q, v), q, v);
        }
    }
    carom_arena_rewind(arena, mark);
}

void carom_response_drop(carom_response *r, int i)
{
    carom_basis_remove(&r->basis, i);
    carom_basis_remove(&r->shape, i);
    for (int k = i; k < r->basis.k; k++) {
        r->row[k] = r->row[k + 1];
        r->number[k] = r->number[k + 1];
    }
}

/* y -= L^-T Q R^-T (C'y): what rounding left of the rows, taken with the rows as given. */
static void clear_rows(const carom_response *r, double *y, double *work)
{
    int n = r->n, k = r->basis.k;
    double *v = work + k;
    for (int j = 0; j < k; j++)
        work[j] = carom_dense_dot(n, r->row[j], y);
    carom_basis_solve_t(&r->basis, work);
    memset(v, 0, sizeof *v * (size_t)n);
    carom_dense_gemv(n, k, 1, r->basis.Q, n, work, v);
    carom_response_vector_back(r, v);
    carom_dense_axpy(n, -1, v, y);
}

void carom_response_apply(const carom_response *r, const double *x, double *y, double *work)
{
    if (x != y)
        memcpy(y, x, sizeof *y * (size_t)r->n);
    if (r->basis.k == 0 && r->diagonal) { /* one rounding, not two */
        for (int i = 0; i < r->n; i++)
            y[i] /= r->M[i];
        return;
    }
    carom_response_row(r, y);
    carom_basis_subtract(&r->basis, y);
    carom_response_vector_back(r, y);
    if (r->basis.k)
        clear_rows(r, y, work);
}

void carom_response_delassus(const carom_response *r, int k, const double *const *rows, double *Y,
                             double *D, double *work)
{
    int n = r->n;
    double *more = work + (size_t)n * k;
    for (int j = 0; j < k; j++) {
        double *v = work + (size_t)j * n;
        memcpy(v, rows[j], sizeof *v * (size_t)n);
        carom_response_row(r, v);
        carom_basis_subtract(&r->basis, v);
        if (r->basis.k && carom_response_depends(r, rows[j], more))
            memset(v, 0, sizeof *v * (size_t)n);
    }
    for (int j = 0; j < k && D; j++)
        for (int i = 0; i <= j; i++)
            D[i + (size_t)j * k] = D[j + (size_t)i * k] =
                carom_dense_dot(n, work + (size_t)i * n, work + (size_t)j * n);
    for (int j = 0; j < k && Y; j++) {
        double *y = Y + (size_t)j * n;
        memcpy(y, work + (size_t)j * n, sizeof *y * (size_t)n);
        carom_response_vector_back(r, y);
        if (r->basis.k)
            clear_rows(r, y, more);
    }
}

/* rest = L^-1 (M (u - x) - push - rows * impulse): what the impulses leave unexplained. */
static void find_rest(const carom_response *r, const doubled *x, const doubled *push,
                      const doubled *u, const doubled *impulse, double *rest)
{
    int n = r->n;
    for (int i = 0; i < n; i++) {
        doubled sum = {0, 0};
        for (int k = r->diagonal ? i : 0; k < (r->diagonal ? i + 1 : n); k++) {
            double m = r->diagonal ? r->M[i] : r->M[k + (size_t)i * n];
            sum = doubled_add(sum, doubled_scale(doubled_add(u[k], doubled_negate(x[k])), m));
        }
        if (push)
            sum = doubled_add(sum, doubled_negate(push[i]));
        for (int j = 0; j < r->basis.k; j++)
            if (r->row[j][i] != 0)
                sum = doubled_add(sum, doubled_scale(impulse[r->number[j]], -r->row[j][i]));
        rest[i] = sum.hi;
    }
    carom_response_row(r, rest);
}

/* One correction: with V = L^-1 rows = Q R and the residuals `off` of the rows and `rest`,
 *     t = -R^-T off + Q'rest,   impulse += R^-1 t,   L'u += Q t - rest.
 * Returns the size of what was added to L'u. */
static double correct(const carom_response *r, const doubled *motion, const doubled *x,
                      const doubled *push, doubled *u, doubled *impulse, double *work)
{
    int n = r->n, k = r->basis.k;
    double *rest = work, *t = rest + n, *s = t + k, *y = s + k;
    find_rest(r, x, push, u, impulse, rest);
    for (int j = 0; j < k; j++)
        t[j] = -doubled_dot(n, r->row[j], u, motion[r->number[j]]).hi;
    carom_basis_solve_t(&r->basis, t);
    carom_basis_coordinates(&r->basis, rest, s);
    for (int j = 0; j < k; j++)
        s[j] = t[j] += s[j];
    for (int i = 0; i < n; i++)
        y[i] = -rest[i];
    carom_dense_gemv(n, k, 1, r->basis.Q, n, t, y);
    double size = carom_dense_norm(n, y);
    carom_response_vector_back(r, y);
    for (int i = 0; i < n; i++)
        u[i] = doubled_add_double(u[i], y[i]);
    carom_basis_solve(&r->basis, s);
    for (int j = 0; j < k; j++) {
        doubled *l = &impulse[r->number[j]];
        *l = doubled_add_double(*l, s[j]);
    }
    return size;
}

/* The first correction does the work, each further one gains the digits that the condition of the
 * rows leaves; it ends when corrections stop shrinking or are below twice the precision. */
void carom_response_meet(const carom_response *r, const doubled *motion, const doubled *x,
                         const doubled *push, doubled *u, doubled *impulse, double *work)
{
    enum { PASSES = 12 };
    double first = 0, before = INFINITY;
    memcpy(u, x, sizeof *u * (size_t)r->n);
    for (int j = 0; j < r->basis.k; j++)
        impulse[r->number[j]] = (doubled){0, 0};
    if (r->basis.k == 0 && !push)
        return;
    for (int pass = 0; pass < PASSES; pass++) {
        double size = correct(r, motion, x, push, u, impulse, work);
        first = pass ? first : size;
        if (!(size < 0.5 * before) || size <= DOUBLED_UNIT * first)
            return;
        before = size;
    }
}

/* |x| + |L^-T Q| |R^-T| (|C|'|x| + |motion|): how far rounding of x, of the rows and of their
 * motion reaches when x is moved to them; Q'L'x alone would not tell of a coordinate that one row
 * moves and another holds. work: n + 2 basis.k. */
static void find_terms(const carom_response *r, const double *motion, const double *x,
                       double *terms, double *work)
{
    const int n = r->n, k = r->basis.k;
    double *sum = work, *column = sum + k;
    memset(sum, 0, sizeof *sum * (size_t)k);
    for (int j = 0; j < k; j++) {
        double size = motion ? fabs(motion[r->number[j]]) : 0;
        for (int i = 0; i < n; i++)
            size += fabs(r->row[j][i] * x[i]);
        memset(column, 0, sizeof *column * (size_t)k);
        column[j] = size;
        carom_basis_solve_t(&r->basis, column);
        for (int i = j; i < k; i++)
            sum[i] += fabs(column[i]);
    }
    for (int i = 0; i < n; i++)
        terms[i] = fabs(x[i]);
    for (int j = 0; j < k; j++) {
        carom_dense_copy(n, r->basis.Q + (size_t)j * n, column);
        carom_response_vector_back(r, column);
        for (int i = 0; i < n; i++)
            terms[i] += fabs(column[i]) * sum[j];
    }
}

void carom_response_project(const carom_response *r, int count, const double *motion, double *u,
                            double *terms, double *work)
{
    int n = r->n;
    if (terms)
        find_terms(r, motion, u, terms, work);
    doubled *x = (doubled *)work, *v = x + n, *shift = v + n, *impulse = shift + count;
    for (int i = 0; i < n; i++)
        x[i] = (doubled){u[i], 0};
    for (int j = 0; j < count; j++)
        shift[j] = (doubled){motion ? motion[j] : 0, 0};
    carom_response_meet(r, shift, x, NULL, v, impulse, (double *)(impulse + count));
    for (int i = 0; i < n; i++)
        u[i] = v[i].hi;
}

void carom_response_moved(const carom_response *r, const doubled *impulse, double *size,
                          double *work)
{
    memset(size, 0, sizeof *size * (size_t)r->n);
    for (int j = 0; j < r->basis.k; j++) {
        memcpy(work, r->row[j], sizeof *work * (size_t)r->n);
        carom_response_row(r, work);
        carom_response_vector_back(r, work);
        for (int k = 0; k < r->n; k++)
            size[k] += fabs(work[k] * impulse[r->number[j]].hi);
    }
}
