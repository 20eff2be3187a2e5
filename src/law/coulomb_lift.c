/* Friction without bound: a normal impulse for every tangential one (docs/theory/coulomb.md,
 * "Solutions").
 *
 * A contact that sticks has slips that joints could hold, and the impulses of a solution with these
 * joints may do without a normal one, which the law asks for. Where rows are dependent there are
 * others with the same velocities: x + K t, K the kernel of the contacts that stick without bound
 * and of smooth ones that stay closed. */
#include "carom/tolerance.h"
#include "law/coulomb.h"
#include "linalg/dense.h"
#include "linalg/kernel.h"
#include "solver/instant_nearest.h"

#include <math.h>
#include <string.h>

static bool is_rough(const carom_coulomb *f, int i)
{
    return f->row[i + 1] - f->row[i] > 1;
}

/* A tangential impulse without a normal one that counts. */
static bool lacks(const carom_coulomb *f, const double *x, int i)
{
    const double *own = x + f->row[i];
    const int s = f->row[i + 1] - f->row[i] - 1;
    return is_rough(f, i) && isinf(f->mu_s[i]) &&
           own[0] <= CAROM_TOLERANCE_SIGN * carom_dense_max(s, own + 1);
}

/* The rows that may take other impulses with these velocities: all of a contact without bound that
 * has any impulse, and normals of smooth contacts that are closed. Returns their count. */
static int choose(const carom_coulomb *f, const double *x, const double *xi, int *from)
{
    const double closed = CAROM_TOLERANCE_SAME * carom_coulomb_size(f, x);
    int m = 0;
    for (int i = 0; i < f->p; i++) {
        const int r = f->row[i], s = f->row[i + 1] - r - 1;
        const bool held = is_rough(f, i) ? isinf(f->mu_s[i]) && carom_dense_max(1 + s, x + r) > 0
                                         : xi[r] <= closed;
        for (int k = r; k <= r + s && held; k++)
            from[m++] = k;
    }
    return m;
}

/* C t + c0 >= 0: no normal impulse pulls. Returns the conditions; owner: their rows. */
static int state(const carom_coulomb *f, const double *x, int m, const int *from, int k,
                 const double *K, double *C, double *c0, bool *bound)
{
    int rows = 0;
    for (int i = 0; i < f->p; i++)
        for (int a = 0; a < m; a++) {
            if (from[a] != f->row[i])
                continue;
            for (int j = 0; j < k; j++)
                C[rows + j * f->p] = K[a + (size_t)j * (size_t)m];
            bound[rows] = !is_rough(f, i);
            c0[rows++] = x[from[a]];
        }
    return rows;
}

/* The shortest t for which what is without bound pushes by `lift`, the more the better. */
static carom_status lift_all(const carom_coulomb *f, int rows, int k, const double *C,
                             const double *c0, const bool *bound, double size, carom_arena *arena,
                             double *c, double *t, bool *found, carom_error *error)
{
    carom_status status = CAROM_OK;
    *found = false;
    for (double lift = size; lift > CAROM_TOLERANCE_SIGN * size && !*found && !status; lift /= 4) {
        for (int j = 0; j < rows; j++)
            c[j] = c0[j] - (bound[j] ? 0 : lift);
        status = carom_instant_nearest_find(rows, k, C, (size_t)f->p, c, arena, t, found, error);
    }
    return status;
}

carom_status carom_coulomb_lift(const carom_coulomb *f, carom_arena *arena, double *x,
                                carom_error *error)
{
    const size_t N = (size_t)f->N, p = (size_t)f->p;
    bool lacking = false;
    for (int i = 0; i < f->p; i++)
        lacking = lacking ||
                  (lacks(f, x, i) && carom_dense_max(f->row[i + 1] - f->row[i], x + f->row[i]) > 0);
    if (!lacking)
        return CAROM_OK;
    carom_mark mark = carom_arena_mark(arena);
    double *S = carom_arena_doubles(arena, 2 * N * N + 4 * N + p * N + 2 * p);
    int *from = carom_arena_array(arena, 2 * N, sizeof *from);
    bool *bound = carom_arena_array(arena, p, sizeof *bound), consistent, found;
    if (!S || !from || !bound)
        return carom_error_memory(error);
    double *K = S + N * N, *xi = K + N * N, *zero = xi + N, *z = zero + N, *t = z + N;
    double *C = t + N, *c0 = C + p * N, *c = c0 + p;
    carom_coulomb_velocity(f, x, xi);
    const int m = choose(f, x, xi, from);
    for (int b = 0; b < m; b++)
        for (int a = 0; a < m; a++)
            S[a + (size_t)b * (size_t)m] = f->A[from[a] + (size_t)from[b] * N];
    memset(zero, 0, sizeof *zero * N);
    const int k = m - carom_kernel_solve(m, S, zero, CAROM_TOLERANCE_SOLVED, INFINITY, from + N, z,
                                         K, &consistent);
    const int rows = state(f, x, m, from, k, K, C, c0, bound);
    carom_status status =
        lift_all(f, rows, k, C, c0, bound, carom_dense_max(f->N, x), arena, c, t, &found, error);
    for (int a = 0; a < m && found && !status; a++)
        for (int j = 0; j < k; j++)
            x[from[a]] += K[a + (size_t)j * (size_t)m] * t[j];
    carom_arena_rewind(arena, mark);
    return status;
}
