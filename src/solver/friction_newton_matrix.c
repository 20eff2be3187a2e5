/* The matrix of every method of Newton's kind, factored by contacts or by bodies. */
#include "solver/friction_newton_matrix.h"

#include "linalg/dense.h"
#include "linalg/wide.h"

#include <math.h>
#include <string.h>

/* to (m x n) = C (m x m) from */
static inline void multiply(int m, int n, const double *C, const double *from, double *to)
{
    for (int c = 0; c < n; c++)
        for (int r = 0; r < m; r++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += C[r + k * m] * from[k + c * m];
            to[r + c * m] = sum;
        }
}

/* ---- by contacts -------------------------------------------------------------------------- */

/* The pattern of A with its diagonal complete. */
static bool plan_contacts(carom_friction_newton_matrix *m, carom_arena *arena)
{
    const carom_block_matrix *A = &m->island->A;
    size_t blocks = (size_t)A->start[A->nodes] + (size_t)A->nodes, place = 0;
    int *start = carom_arena_array(arena, (size_t)A->nodes + 1, sizeof *start), k = 0;
    int *column = carom_arena_array(arena, blocks, sizeof *column);
    size_t *at = carom_arena_array(arena, blocks + 1, sizeof *at);
    m->source = carom_arena_array(arena, blocks, sizeof *m->source);
    m->diagonal = carom_arena_array(arena, (size_t)A->nodes, sizeof *m->diagonal);
    if (!start || !column || !at || !m->source || !m->diagonal)
        return false;
    for (int i = 0; i < A->nodes; i++) {
        start[i] = k;
        m->diagonal[i] = -1;
        for (int b = A->start[i]; b < A->start[i + 1] || m->diagonal[i] < 0; b++) {
            bool there = b < A->start[i + 1];
            column[k] = there ? A->column[b] : i;
            m->source[k] = there ? b : -1;
            if (column[k] == i)
                m->diagonal[i] = k;
            at[k++] = place;
            place +=
                (size_t)(carom_block_matrix_size(A, i) * carom_block_matrix_size(A, column[k - 1]));
        }
    }
    start[A->nodes] = k;
    at[k] = place;
    double *value = carom_arena_doubles(arena, place);
    m->K = (carom_block_matrix){A->nodes, A->row, start, column, at, value, A->three};
    return value != NULL;
}

static void fill_contacts(carom_friction_newton_matrix *m)
{
    const carom_block_matrix *A = &m->island->A, *K = &m->K;
    for (int i = 0; i < K->nodes; i++) {
        int d = carom_block_matrix_size(K, i);
        for (int k = K->start[i]; k < K->start[i + 1]; k++) {
            int n = carom_block_matrix_size(K, K->column[k]);
            double *to = K->value + K->at[k];
            if (m->source[k] < 0)
                memset(to, 0, (size_t)(d * n) * sizeof *to);
            else if (m->C)
                multiply(d, n, m->C + 9 * i, A->value + A->at[m->source[k]], to);
            else
                memcpy(to, A->value + A->at[m->source[k]], (size_t)(d * n) * sizeof *to);
        }
        double *own = K->value + K->at[m->diagonal[i]];
        for (int k = 0; k < d * d; k++)
            own[k] += m->B[9 * i + k];
    }
}

/* ---- by bodies ---------------------------------------------------------------------------- */

/* Number the blocks of K: one for every pair of bodies that a contact connects, and the diagonal.
 * head, next: lists of the ends of contacts at each body. */
static bool plan_bodies(carom_friction_newton_matrix *m, carom_arena *arena)
{
    const carom_friction_island *o = m->island;
    const carom_friction_masses *b = &o->masses;
    size_t bodies = (size_t)b->bodies, ends = (size_t)b->start[o->contacts], pairs = 0;
    int *head = carom_arena_array(arena, bodies, sizeof *head);
    int *next = carom_arena_array(arena, ends, sizeof *next);
    int *owner = carom_arena_array(arena, ends, sizeof *owner);
    size_t *first = carom_arena_array(arena, (size_t)o->contacts + 1, sizeof *first);
    int *seen = carom_arena_array(arena, bodies, sizeof *seen);
    int *start = carom_arena_array(arena, bodies + 1, sizeof *start);
    m->diagonal = carom_arena_array(arena, bodies, sizeof *m->diagonal);
    if (!head || !next || !owner || !first || !seen || !start || !m->diagonal)
        return false;
    memset(head, -1, bodies * sizeof *head);
    memset(seen, -1, bodies * sizeof *seen);
    for (int i = 0; i < o->contacts; i++) {
        size_t count = (size_t)(b->start[i + 1] - b->start[i]);
        first[i] = pairs;
        pairs += count * count;
        for (int k = b->start[i]; k < b->start[i + 1]; k++) {
            owner[k] = i;
            next[k] = head[b->body[k]];
            head[b->body[k]] = k;
        }
    }
    m->source = carom_arena_array(arena, pairs, sizeof *m->source);
    int *column = carom_arena_array(arena, pairs + bodies, sizeof *column), count = 0;
    size_t *at = carom_arena_array(arena, pairs + bodies + 1, sizeof *at), place = 0;
    if (!m->source || !column || !at)
        return false;
    for (int j = 0; j < b->bodies; j++) {
        int dof = b->row[j + 1] - b->row[j];
        start[j] = seen[j] = m->diagonal[j] = count;
        column[count] = j;
        at[count++] = place;
        place += (size_t)(dof * dof);
        for (int k = head[j]; k >= 0; k = next[k]) {
            int i = owner[k], ends_of = b->start[i + 1] - b->start[i];
            for (int l = b->start[i]; l < b->start[i + 1]; l++) {
                int other = b->body[l];
                if (seen[other] < start[j]) {
                    seen[other] = count;
                    column[count] = other;
                    at[count++] = place;
                    place += (size_t)dof * (size_t)(b->row[other + 1] - b->row[other]);
                }
                m->source[first[i] + (size_t)((k - b->start[i]) * ends_of + l - b->start[i])] =
                    seen[other];
            }
        }
    }
    start[b->bodies] = count;
    at[count] = place;
    double *value = carom_arena_doubles(arena, place);
    m->inverse = carom_arena_doubles(arena, 9 * (size_t)o->contacts);
    m->N = carom_arena_doubles(arena, 9 * (size_t)o->contacts);
    m->v = carom_arena_doubles(arena, (size_t)b->row[b->bodies]);
    m->X = carom_arena_doubles(arena, 3 * (size_t)b->row[b->bodies]);
    m->K = (carom_block_matrix){b->bodies, b->row, start, column, at, value, false};
    return value && m->inverse && m->N && m->v && m->X;
}

/* Y = X^-1 for d x d matrices, by Gauss-Jordan with row pivoting; false when singular. */
static bool invert(int d, const double *X, double *Y)
{
    double a[3][6];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            a[i][j] = X[i + j * d];
            a[i][d + j] = i == j;
        }
    for (int j = 0; j < d; j++) {
        int best = j;
        for (int i = j + 1; i < d; i++)
            best = fabs(a[i][j]) > fabs(a[best][j]) ? i : best;
        if (!(fabs(a[best][j]) > 0))
            return false;
        for (int k = 0; k < 2 * d; k++) {
            double t = a[j][k];
            a[j][k] = a[best][k];
            a[best][k] = t;
        }
        double pivot = a[j][j];
        for (int k = 0; k < 2 * d; k++)
            a[j][k] /= pivot;
        for (int i = 0; i < d; i++) {
            double factor = a[i][j];
            for (int k = 0; i != j && k < 2 * d; k++)
                a[i][k] -= factor * a[j][k];
        }
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            Y[i + j * d] = a[i][d + j];
    return true;
}

/* to (m x n) += X (m x d) Y', Y n x d. Inlined where the sizes are known. */
static inline void add_outer(int m, int n, int d, const double *restrict X,
                             const double *restrict Y, double *restrict to)
{
    for (int c = 0; c < n; c++)
        for (int r = 0; r < m; r++) {
            double sum = to[r + c * m];
            for (int k = 0; k < d; k++)
                sum += X[r + k * m] * Y[c + k * n];
            to[r + c * m] = sum;
        }
}

/* X (m x d) = H (m x d) N */
static inline void times_N(int m, int d, const double *restrict H, const double *restrict N,
                           double *restrict X)
{
    for (int c = 0; c < d; c++)
        for (int r = 0; r < m; r++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += H[r + k * m] * N[k + c * d];
            X[r + c * m] = sum;
        }
}

/* A contact in space between rigid bodies: all sizes are known. */
CAROM_WIDE_SHORT static void add_rigid(const carom_friction_masses *b, int first, int end,
                                       const double *N, const int *pair,
                                       const carom_block_matrix *K)
{
    for (int k = first; k < end; k++) {
        double X[18];
        times_N(6, 3, b->H + b->at[k], N, X);
        for (int l = first; l < end; l++, pair++)
            add_outer(6, 6, 3, X, b->H + b->at[l], K->value + K->at[*pair]);
    }
}

static bool is_zero(int n, const double *x)
{
    for (int k = 0; k < n; k++)
        if (x[k] != 0) /* NaN too */
            return false;
    return true;
}

/* The part of contact i: H N H' to its pairs of bodies. X: room for the largest body. */
static const int *add_contact(carom_friction_newton_matrix *m, int i, const int *pair)
{
    const carom_friction_masses *b = &m->island->masses;
    int d = carom_friction_island_rows(m->island, i), first = b->start[i], end = b->start[i + 1];
    if (is_zero(d * d, m->N + 9 * i)) /* open */
        return pair + (end - first) * (end - first);
    if (b->rigid && d == 3) {
        add_rigid(b, first, end, m->N + 9 * i, pair, &m->K);
        return pair + (end - first) * (end - first);
    }
    for (int k = first; k < end; k++) {
        int dof = b->row[b->body[k] + 1] - b->row[b->body[k]];
        times_N(dof, d, b->H + b->at[k], m->N + 9 * i, m->X);
        for (int l = first; l < end; l++, pair++)
            add_outer(dof, b->row[b->body[l] + 1] - b->row[b->body[l]], d, m->X, b->H + b->at[l],
                      m->K.value + m->K.at[*pair]);
    }
    return pair;
}

static bool fill_bodies(carom_friction_newton_matrix *m)
{
    const carom_friction_island *o = m->island;
    const carom_friction_masses *b = &o->masses;
    memset(m->K.value, 0, m->K.at[m->K.start[b->bodies]] * sizeof *m->K.value);
    for (int j = 0; j < b->bodies; j++) {
        size_t dof = (size_t)(b->row[j + 1] - b->row[j]);
        memcpy(m->K.value + m->K.at[m->diagonal[j]], b->M + b->mass[j], dof * dof * sizeof *b->M);
    }
    const int *pair = m->source;
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i);
        if (!invert(d, m->B + 9 * i, m->inverse + 9 * i))
            return false;
        if (m->C)
            multiply(d, d, m->inverse + 9 * i, m->C + 9 * i, m->N + 9 * i);
        else
            memcpy(m->N + 9 * i, m->inverse + 9 * i, 9 * sizeof *m->N);
        pair = add_contact(m, i, pair);
    }
    return true;
}

/* One contact of a solution by bodies: x = B^-1 f and v += H x; then x -= N H'v. Inlined where the
 * sizes are known. */
static inline void push_contact(const carom_friction_newton_matrix *m, int i, int d, bool rigid,
                                double *x)
{
    const carom_friction_masses *b = &m->island->masses;
    double f[3] = {0, 0, 0};
    memcpy(f, x, (size_t)d * sizeof *f);
    multiply(d, 1, m->inverse + 9 * i, f, x);
    for (int k = b->start[i]; k < b->start[i + 1]; k++) {
        int first = b->row[b->body[k]], dof = rigid ? 6 : b->row[b->body[k] + 1] - first;
        carom_friction_island_push(dof, d, b->H + b->at[k], x, m->v + first);
    }
}

static inline void pull_contact(const carom_friction_newton_matrix *m, int i, int d, bool rigid,
                                double *x)
{
    const carom_friction_masses *b = &m->island->masses;
    double y[3] = {0, 0, 0}, z[3];
    for (int k = b->start[i]; k < b->start[i + 1]; k++) {
        int first = b->row[b->body[k]], dof = rigid ? 6 : b->row[b->body[k] + 1] - first;
        carom_friction_island_pull(dof, d, b->H + b->at[k], m->v + first, y);
    }
    multiply(d, 1, m->N + 9 * i, y, z);
    for (int k = 0; k < d; k++)
        x[k] -= z[k];
}

/* All contacts, in space between rigid bodies: all sizes are known. */
CAROM_WIDE_SHORT static void push_rigid(const carom_friction_newton_matrix *m, double *x)
{
    for (int i = 0; i < m->island->contacts; i++)
        push_contact(m, i, 3, true, x + 3 * i);
}

CAROM_WIDE_SHORT static void pull_rigid(const carom_friction_newton_matrix *m, double *x)
{
    for (int i = 0; i < m->island->contacts; i++)
        pull_contact(m, i, 3, true, x + 3 * i);
}

/* x = K^-1 x by bodies. */
static void solve_bodies(carom_friction_newton_matrix *m, double *x)
{
    const carom_friction_island *o = m->island;
    const bool rigid = o->masses.rigid;
    memset(m->v, 0, (size_t)o->masses.row[o->masses.bodies] * sizeof *m->v);
    if (rigid)
        push_rigid(m, x);
    for (int i = 0; !rigid && i < o->contacts; i++)
        push_contact(m, i, carom_friction_island_rows(o, i), false, x + o->row[i]);
    carom_block_lu_solve(&m->lu, m->v);
    if (rigid)
        pull_rigid(m, x);
    for (int i = 0; !rigid && i < o->contacts; i++)
        pull_contact(m, i, carom_friction_island_rows(o, i), false, x + o->row[i]);
}

/* ---- both --------------------------------------------------------------------------------- */

carom_status carom_friction_newton_matrix_plan(const carom_friction_island *island,
                                               carom_arena *arena,
                                               carom_friction_newton_matrix *matrix,
                                               carom_error *error)
{
    *matrix = (carom_friction_newton_matrix){.island = island};
    matrix->f = carom_arena_doubles(arena, (size_t)island->n);
    matrix->x = carom_arena_doubles(arena, (size_t)island->n);
    bool planned =
        island->masses.bodies > 0 ? plan_bodies(matrix, arena) : plan_contacts(matrix, arena);
    if (!planned || !matrix->f || !matrix->x)
        return carom_error_memory(error);
    return carom_block_lu_plan(&matrix->K, arena, &matrix->lu, error);
}

bool carom_friction_newton_matrix_factor(carom_friction_newton_matrix *matrix, const double *C,
                                         const double *B)
{
    matrix->C = C;
    matrix->B = B;
    if (matrix->island->masses.bodies == 0)
        fill_contacts(matrix);
    else if (!fill_bodies(matrix))
        return false;
    return carom_block_lu_factor(&matrix->lu, matrix->K.value);
}

static void solve_once(carom_friction_newton_matrix *m, double *x)
{
    if (m->island->masses.bodies > 0)
        solve_bodies(m, x);
    else
        carom_block_lu_solve(&m->lu, x);
}

/* y = f - K x; y is overwritten first with A x. */
static void subtract_product(const carom_friction_newton_matrix *m, const double *x,
                             const double *f, double *y)
{
    const carom_friction_island *o = m->island;
    carom_friction_island_product(o, x, y);
    for (int i = 0; i < o->contacts; i++) {
        int d = carom_friction_island_rows(o, i), row = o->row[i];
        double z[3] = {y[row], d > 1 ? y[row + 1] : 0, d > 2 ? y[row + 2] : 0}, c[3];
        if (m->C)
            multiply(d, 1, m->C + 9 * i, z, c);
        else
            memcpy(c, z, sizeof c);
        multiply(d, 1, m->B + 9 * i, x + row, z);
        for (int k = 0; k < d; k++)
            y[row + k] = f[row + k] - c[k] - z[k];
    }
}

void carom_friction_newton_matrix_solve(carom_friction_newton_matrix *matrix, int refinements,
                                        double *x)
{
    int n = matrix->island->n;
    double *f = matrix->f, *y = matrix->x;
    carom_dense_copy(n, x, f);
    solve_once(matrix, x);
    for (int k = 0; k < refinements; k++) {
        subtract_product(matrix, x, f, y);
        solve_once(matrix, y);
        for (int i = 0; i < n; i++)
            x[i] += y[i];
    }
}
