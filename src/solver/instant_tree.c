/* The tree of mode combinations (docs/theory/instant.md, "A tree").
 *
 * Level d has decided the contacts 0 ... d - 1 and eliminated their unknowns. Its tableau T gives,
 * as affine functions of the forces x_c of the undecided contacts,
 *     y_r = T[r, N] + sum_c T[r, c] x_c,
 * where y_r is xi_r for undecided and open rows and for the slip of a sliding contact, x_r for the
 * impulses of the others. Deciding a contact is a block elimination; the leaves have no column left
 * but the last one, in which the conditions of all modes are read off. */
#include "solver/instant_tree.h"
#include "base/larger.h"

#include "carom/tolerance.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

#include "base/short_loops.h"

/* Of conditions, twice that of instant_modes.c, which has the last word. */
static const double sign_tolerance = 2 * CAROM_TOLERANCE_SIGN;

int carom_instant_tree_modes(const carom_instant *f, int i, unsigned char *modes)
{
    int count = 0;
    if (!f->equality || !f->equality[i])
        modes[count++] = CAROM_MODE_OPEN;
    if (f->row[i + 1] - f->row[i] == 1) {
        modes[count++] = CAROM_MODE_CLOSED;
        return count;
    }
    modes[count++] = CAROM_MODE_STICK;
    if (isfinite(f->mu_d[i])) {
        modes[count++] = CAROM_MODE_SLIP_PLUS;
        modes[count++] = CAROM_MODE_SLIP_MINUS;
    }
    return count;
}

carom_status carom_instant_tree_make(const carom_instant *problem, carom_arena *arena,
                                     carom_instant_tree *tree, carom_error *error)
{
    const carom_instant *f = problem;
    size_t p = (size_t)f->p, N = (size_t)f->N;
    tree->f = f;
    tree->level = carom_arena_array(arena, p + 1, sizeof *tree->level);
    tree->memory = carom_arena_doubles(arena, (p + 1) * N * (N + 1) + N);
    tree->count = carom_arena_array(arena, 2 * p, sizeof(int));
    tree->choice = carom_arena_array(arena, p, sizeof *tree->choice + 1);
    if (!tree->level || !tree->memory || !tree->count || !tree->choice)
        return carom_error_memory(error);
    tree->v = tree->memory + (p + 1) * N * (N + 1);
    tree->next = tree->count + p;
    tree->mode = (unsigned char *)(tree->choice + p);
    tree->depth = 0;
    tree->whole = false;
    double *T = tree->memory + p * N * (N + 1), size = 0;
    for (size_t k = 0; k < N * N; k++)
        T[k] = f->W[k];
    for (size_t k = 0; k < N; k++) {
        T[N * N + k] = f->q[k];
        size = larger(fabs(f->q[k]), size);
    }
    tree->level[0] =
        (carom_instant_tree_level){T, 1, size, 4 * DBL_EPSILON, 4 * DBL_EPSILON * size};
    for (int i = 0; i < f->p; i++) {
        tree->count[i] = carom_instant_tree_modes(f, i, tree->choice[i]);
        tree->next[i] = 0;
        tree->whole = tree->whole || (f->equality && f->equality[i]);
    }
    return CAROM_OK;
}

static void measure(const carom_instant *f, int d, const double *T, carom_instant_tree_level *level)
{
    int N = f->N;
    level->T = T;
    level->top = carom_dense_max((N - f->row[d]) * N, T + (size_t)f->row[d] * N);
    level->size = carom_dense_max(N, T + (size_t)N * N);
}

/* Bounds of the new level after an elimination with |coefficients| <= w * top and an inverse pivot
 * of size q: quotients up to l = w top q. */
static void bound_rounding(const carom_instant_tree_level *from, double w, double q,
                           carom_instant_tree_level *to)
{
    double l = w * from->top * q, grow = 1 + l;
    to->off = w * from->off * grow * grow + 4 * DBL_EPSILON * from->top * grow;
    to->late = from->late * grow + from->size * q * w * from->off * grow +
               4 * DBL_EPSILON * from->size * grow;
}

/* x_r of a contact that slides with x_t = -k x_r (or has no slip): xi_r = 0. */
static bool eliminate_normal(carom_instant_tree *tree, int d, double k, double *T)
{
    const carom_instant *f = tree->f;
    const carom_instant_tree_level *from = &tree->level[d];
    carom_instant_tree_level *to = &tree->level[d + 1];
    int N = f->N, r = f->row[d];
    const double *normal = from->T + (size_t)r * N, *v = normal;
    if (k != 0) {
        for (int i = 0; i < N; i++)
            tree->v[i] = normal[i] - k * normal[N + i];
        v = tree->v;
    }
    if (!(fabs(v[r]) > CAROM_TOLERANCE_SAME))
        return false;
    double inverse = 1 / v[r];
    for (int c = f->row[d + 1]; c <= N; c++) {
        const double *old = from->T + (size_t)c * N;
        double *new = T + (size_t)c *N, x = -old[r] * inverse;
        for (int i = 0; i < N; i++)
            new[i] = old[i] + v[i] * x;
        new[r] = x;
    }
    measure(f, d + 1, T, to);
    bound_rounding(from, 1 + fabs(k), fabs(inverse), to);
    return true;
}

/* Both impulses of a contact that sticks: xi_r = xi_t = 0. */
static bool eliminate_both(carom_instant_tree *tree, int d, double *T)
{
    const carom_instant *f = tree->f;
    const carom_instant_tree_level *from = &tree->level[d];
    carom_instant_tree_level *to = &tree->level[d + 1];
    int N = f->N, r = f->row[d], t = r + 1;
    const double *u = from->T + (size_t)r * N, *v = u + N;
    double det = u[r] * v[t] - u[t] * v[r];
    if (!(fabs(det) > CAROM_TOLERANCE_SAME))
        return false;
    double inverse = 1 / det;
    double rr = v[t] * inverse, rt = -v[r] * inverse, tr = -u[t] * inverse, tt = u[r] * inverse;
    for (int c = f->row[d + 1]; c <= N; c++) {
        const double *old = from->T + (size_t)c * N;
        double *new = T + (size_t)c *N;
        double x = -(rr * old[r] + rt * old[t]), y = -(tr * old[r] + tt * old[t]);
        for (int i = 0; i < N; i++)
            new[i] = old[i] + u[i] * x + v[i] * y;
        new[r] = x;
        new[t] = y;
    }
    measure(f, d + 1, T, to);
    double q = larger(larger(fabs(rr), fabs(rt)), larger(fabs(tr), fabs(tt)));
    bound_rounding(from, 2, 2 * q, to);
    return true;
}

/* Decide contact d. A level whose pivots are too small leaves out nothing below it. */
static void descend(carom_instant_tree *tree, int d)
{
    const carom_instant *f = tree->f;
    double *T = tree->memory + (size_t)d * f->N * (f->N + 1);
    bool done = !tree->whole && tree->level[d].off < INFINITY;
    switch (done ? tree->mode[d] : CAROM_MODE_OPEN) {
    case CAROM_MODE_OPEN:
        tree->level[d + 1] = tree->level[d];
        break;
    case CAROM_MODE_STICK:
        done = eliminate_both(tree, d, T);
        break;
    case CAROM_MODE_SLIP_PLUS:
        done = eliminate_normal(tree, d, f->mu_d[d], T);
        break;
    case CAROM_MODE_SLIP_MINUS:
        done = eliminate_normal(tree, d, -f->mu_d[d], T);
        break;
    default:
        done = eliminate_normal(tree, d, 0, T);
        break;
    }
    if (!done)
        tree->level[d + 1].off = INFINITY;
}

/* Some condition fails by more than rounding explains. */
static bool impossible(const carom_instant_tree *tree)
{
    const carom_instant *f = tree->f;
    const carom_instant_tree_level *leaf = &tree->level[f->p];
    if (!(leaf->off < INFINITY))
        return false;
    const double *y = leaf->T + (size_t)f->N * f->N;
    double size = larger(leaf->size, tree->level[0].size);
    double least = -(sign_tolerance * size + 4 * leaf->late + 2 * f->floor);
    for (int i = 0; i < f->p; i++) {
        int r = f->row[i];
        double slack = y[r], other = 0, scale = 1;
        switch (tree->mode[i]) {
        case CAROM_MODE_STICK:
            if (isfinite(f->mu_s[i])) {
                slack = f->mu_s[i] * y[r] - fabs(y[r + 1]);
                scale = 1 + f->mu_s[i];
                other = y[r];
            }
            break;
        case CAROM_MODE_SLIP_PLUS:
            other = y[r + 1];
            break;
        case CAROM_MODE_SLIP_MINUS:
            other = -y[r + 1];
            break;
        default:
            break;
        }
        if (slack < scale * least || other < least)
            return true;
    }
    return false;
}

bool carom_instant_tree_next(carom_instant_tree *tree)
{
    int p = tree->f->p, d = tree->depth;
    if (d == p)
        d--;
    for (;;) {
        if (tree->next[d] == tree->count[d]) {
            tree->next[d] = 0;
            if (d-- == 0)
                return false;
            continue;
        }
        tree->mode[d] = tree->choice[d][tree->next[d]++];
        descend(tree, d);
        if (++d < p)
            continue;
        if (!impossible(tree)) {
            tree->depth = p;
            return true;
        }
        d--;
    }
}
