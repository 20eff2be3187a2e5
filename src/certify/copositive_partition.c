/* Copositivity by partition of the simplex (Bundfuss and Duer): with the vertices of a simplex as
 * columns of V, V'AV >= 0 entrywise proves x'Ax >= 0 on it, a vertex with v'Av < 0 disproves it,
 * otherwise the edge with the most negative entry is cut in two. */
#include "carom/certify.h"
#include "carom/need.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct simplex {
    struct simplex *next;
    double *V; /* n x n */
    double *Q; /* n x n, V'AV */
} simplex;

typedef struct pool {
    int n;
    carom_arena *arena;
    simplex *todo, *free;
} pool;

static simplex *take(pool *p)
{
    simplex *s = p->free;
    if (s) {
        p->free = s->next;
        return s;
    }
    s = carom_arena_array(p->arena, 1, sizeof *s);
    if (!s)
        return NULL;
    s->V = carom_arena_doubles(p->arena, (size_t)p->n * p->n);
    s->Q = carom_arena_doubles(p->arena, (size_t)p->n * p->n);
    return s->V && s->Q ? s : NULL;
}

/* Replace vertex i of s by v, and its row and column of Q. */
static void replace(int n, const double *A, simplex *s, int i, const double *v)
{
    memcpy(s->V + (size_t)i * n, v, sizeof(double) * n);
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int c = 0; c < n; c++) {
            double vc = s->V[c + (size_t)k * n];
            if (vc == 0)
                continue;
            double row = 0;
            for (int r = 0; r < n; r++)
                row += A[r + (size_t)c * n] * v[r];
            sum += vc * row;
        }
        s->Q[i + (size_t)k * n] = s->Q[k + (size_t)i * n] = sum;
    }
}

/* The least entry of Q off and on the diagonal. */
static double least_entry(int n, const double *Q, int *row, int *column)
{
    double least = DBL_MAX;
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
            if (Q[i + (size_t)j * n] < least) {
                least = Q[i + (size_t)j * n];
                *row = i;
                *column = j;
            }
    return least;
}

/* Cut the edge (i, j) where the form along it is least, within its middle third. */
static bool cut(pool *p, const double *A, simplex *s, int i, int j, double *v)
{
    int n = p->n;
    double a = s->Q[i * (size_t)(n + 1)], b = s->Q[j * (size_t)(n + 1)];
    double c = s->Q[i + (size_t)j * n];
    double t = fmin(fmax((a - c) / (a + b - 2 * c), 1.0 / 3), 2.0 / 3);
    for (int k = 0; k < n; k++)
        v[k] = (1 - t) * s->V[k + (size_t)i * n] + t * s->V[k + (size_t)j * n];
    simplex *other = take(p);
    if (!other)
        return false;
    memcpy(other->V, s->V, sizeof(double) * n * n);
    memcpy(other->Q, s->Q, sizeof(double) * n * n);
    replace(n, A, s, i, v);
    replace(n, A, other, j, v);
    s->next = other;
    other->next = p->todo;
    p->todo = s;
    return true;
}

carom_status carom_copositive_partition(int n, const double *A, int limit, const carom_watch *watch,
                                        carom_arena *arena, carom_copositive *answer,
                                        carom_error *error)
{
    CAROM_NEED(error, A, arena, answer);
    pool p = {.n = n, .arena = arena};
    double *B = carom_arena_doubles(arena, (size_t)n * n), *v = carom_arena_doubles(arena, n);
    double *scale = carom_arena_doubles(arena, n), *x = carom_arena_zeros(arena, n, sizeof *x);
    simplex *s = take(&p);
    if (!B || !v || !scale || !x || !s)
        return carom_error_memory(error);
    carom_copositive made = {CAROM_TRUE, CAROM_TRUE, 0, 1, NULL, "partition", 0, false};
    for (int i = 0; i < n; i++) {
        double d = A[i * (size_t)(n + 1)];
        scale[i] = d > 0 ? 1 / sqrt(d) : 1;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            B[i + (size_t)j * n] = A[i + (size_t)j * n] * scale[i] * scale[j];
            s->V[i + (size_t)j * n] = i == j;
        }
    memcpy(s->Q, B, sizeof(double) * n * n);
    s->next = NULL;
    p.todo = n > 0 ? s : NULL;
    double doubt = 8.0 * n * n * DBL_EPSILON;
    while ((s = p.todo)) {
        p.todo = s->next;
        made.nodes++;
        int i = 0, j = 0;
        double least = least_entry(n, s->Q, &i, &j);
        if (i == j && least < -doubt) {
            for (int k = 0; k < n; k++)
                x[k] = s->V[k + (size_t)i * n] * scale[k];
            made.copositive = made.strictly = CAROM_FALSE;
            made.upper = least;
            made.x = x;
            break;
        }
        if (least > doubt || (n == 1 && least >= 0)) {
            s->next = p.free;
            p.free = s;
            continue;
        }
        bool go_on = made.nodes < (limit > 0 ? limit : 100000) &&
                     (!watch || fmod(made.nodes, 1024) != 0 ||
                      watch->go_on(watch->self, "partition of the simplex", 0));
        if (!go_on || i == j) {
            made.copositive = made.strictly = CAROM_UNDECIDED;
            made.stopped = !go_on;
            made.lower = -DBL_MAX;
            break;
        }
        if (!cut(&p, B, s, i, j, v))
            return carom_error_memory(error);
    }
    *answer = made;
    return CAROM_OK;
}
