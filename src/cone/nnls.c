/* The active-set method of Lawson and Hanson with an updated QR factorisation. */
#include "cone/nnls.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* The passive columns P (s_j > 0), a_P / |a_P| = Q R with Q n x k orthonormal, d = Q'b. */
typedef struct passive {
    int n, k, capacity;
    double *Q, *R, *d;
    int *column; /* k, their numbers */
    double *s;   /* k, current coefficients (of normalised columns) */
    double *t;   /* k, solution of R t = d */
} passive;

enum { NEUTRAL, IN, BLOCKED };

/* Take a column in by Gram-Schmidt with one re-orthogonalisation. False: it depends on those in. */
static bool passive_add(passive *P, const double *a, double inverse_norm, int j, const double *b)
{
    int n = P->n, k = P->k;
    if (k == P->capacity)
        return false;
    double *q = P->Q + (size_t)k * n, *r = P->R + (size_t)k * P->capacity;
    for (int i = 0; i < n; i++)
        q[i] = a[i] * inverse_norm;
    for (int l = 0; l < k; l++)
        r[l] = 0;
    double rho = 1, before = 2;
    for (int pass = 0; pass < 2 && rho < 0.7 * before; pass++) { /* again if much was lost */
        for (int l = 0; l < k; l++) {
            double c = carom_dense_dot(n, P->Q + (size_t)l * n, q);
            r[l] += c;
            if (c != 0)
                carom_dense_axpy(n, -c, P->Q + (size_t)l * n, q);
        }
        before = rho;
        rho = carom_dense_norm(n, q);
    }
    if (rho <= 4 * DBL_EPSILON)
        return false;
    r[k] = rho;
    carom_dense_scale(n, 1 / rho, q);
    P->d[k] = carom_dense_dot(n, q, b);
    P->column[k] = j;
    P->s[k] = 0;
    P->k++;
    return true;
}

/* Take column number i of P out: rotate R back to triangular form, and Q and d with it. */
static void passive_remove(passive *P, int i)
{
    int n = P->n, ld = P->capacity, k = --P->k;
    for (int c = i; c < k; c++) {
        memcpy(P->R + (size_t)c * ld, P->R + (size_t)(c + 1) * ld,
               (size_t)(c + 2) * sizeof(double));
        P->column[c] = P->column[c + 1];
        P->s[c] = P->s[c + 1];
    }
    for (int l = i; l < k; l++) {
        double x = P->R[l + (size_t)l * ld], y = P->R[l + 1 + (size_t)l * ld];
        double h = hypot(x, y), co = h > 0 ? x / h : 1, si = h > 0 ? y / h : 0;
        for (int c = l; c < k; c++) {
            double *e = P->R + (size_t)c * ld + l;
            double e0 = e[0], e1 = e[1];
            e[0] = co * e0 + si * e1;
            e[1] = co * e1 - si * e0;
        }
        double *q0 = P->Q + (size_t)l * n, *q1 = q0 + n;
        for (int m = 0; m < n; m++) {
            double e0 = q0[m], e1 = q1[m];
            q0[m] = co * e0 + si * e1;
            q1[m] = co * e1 - si * e0;
        }
        double d0 = P->d[l], d1 = P->d[l + 1];
        P->d[l] = co * d0 + si * d1;
        P->d[l + 1] = co * d1 - si * d0;
    }
}

static void passive_solve(passive *P)
{
    carom_dense_copy(P->k, P->d, P->t);
    for (int i = P->k - 1; i >= 0; i--) { /* column by column */
        const double *R = P->R + (size_t)i * P->capacity;
        P->t[i] /= R[i];
        carom_dense_axpy(i, -P->t[i], R, P->t);
    }
}

/* r = b - Q Q'b, made orthogonal to Q a second time. */
static void passive_residual(const passive *P, const double *b, double *r)
{
    memcpy(r, b, (size_t)P->n * sizeof(double));
    for (int pass = 0; pass < 2; pass++)
        for (int l = 0; l < P->k; l++) {
            const double *q = P->Q + (size_t)l * P->n;
            carom_dense_axpy(P->n, -carom_dense_dot(P->n, q, r), q, r);
        }
}

static void remove_direction(int n, const double *q, double *r)
{
    for (int pass = 0; pass < 2; pass++)
        carom_dense_axpy(n, -carom_dense_dot(n, q, r), q, r);
}

/* Move from the coefficients s towards t, dropping columns that reach zero, until t >= 0. The
 * distance falls all the way from s to t, the least of it on these columns; alpha is how far
 * coefficients stay non-negative, and each round drops at least one column, so that it ends. */
static void passive_descend(passive *P, char *state)
{
    for (;;) {
        double alpha = 1;
        for (int i = 0; i < P->k; i++)
            if (P->t[i] <= 0)
                alpha = fmin(alpha, P->s[i] > 0 ? P->s[i] / (P->s[i] - P->t[i]) : 0);
        bool dropped = false;
        for (int i = P->k - 1; i >= 0; i--) {
            double next = P->s[i] + alpha * (P->t[i] - P->s[i]);
            bool blocks = P->t[i] <= 0 && (P->s[i] <= 0 || P->s[i] / (P->s[i] - P->t[i]) <= alpha);
            P->s[i] = next;
            if (blocks || next <= 0) {
                state[P->column[i]] = NEUTRAL;
                P->s[i] = 0;
                passive_remove(P, i);
                dropped = true;
            }
        }
        if (!dropped) {
            memcpy(P->s, P->t, (size_t)P->k * sizeof(double));
            return;
        }
        passive_solve(P);
    }
}

static void unblock(int p, char *state)
{
    for (int j = 0; j < p; j++)
        if (state[j] == BLOCKED)
            state[j] = NEUTRAL;
}

/* The column with the steepest descent, or -1. */
static int choose(int n, int p, const double *A, const double *inverse_norm, const char *state,
                  const double *r, double tolerance)
{
    int best = -1;
    double steepest = tolerance;
    for (int j = 0; j < p; j++) {
        if (state[j] != NEUTRAL)
            continue;
        double g = carom_dense_dot(n, A + (size_t)j * n, r) * inverse_norm[j];
        if (g > steepest) {
            steepest = g;
            best = j;
        }
    }
    return best;
}

static void passive_create(passive *P, int n, int p, carom_arena *arena)
{
    size_t m = (size_t)(n < p ? n : p);
    *P = (passive){.n = n, .capacity = (int)m};
    P->Q = carom_arena_reserved(arena, m * (size_t)n, sizeof *P->Q);
    P->R = carom_arena_reserved(arena, m * m + 1, sizeof *P->R);
    P->d = carom_arena_reserved(arena, 3 * m, sizeof *P->d);
    P->column = carom_arena_reserved(arena, m, sizeof *P->column);
    P->s = P->d + m;
    P->t = P->s + m;
}

size_t carom_nnls_bytes(int n, int p)
{
    const size_t m = (size_t)(n < p ? n : p), columns = (size_t)p;
    return carom_arena_bytes(columns, sizeof(double)) + carom_arena_bytes(columns, 1) +
           carom_arena_bytes(m * (size_t)n, sizeof(double)) +
           carom_arena_bytes(m * m + 1, sizeof(double)) + carom_arena_bytes(3 * m, sizeof(double)) +
           carom_arena_bytes(m, sizeof(int));
}

/* Lengths of the columns; one of zeros takes no part. */
static void measure(int n, int p, const double *A, double *inverse_norm, char *state)
{
    for (int j = 0; j < p; j++) {
        double norm = carom_dense_norm(n, A + (size_t)j * n);
        inverse_norm[j] = norm > 0 ? 1 / norm : 0;
        state[j] = norm > 0 ? NEUTRAL : IN;
    }
}

/* Column j joins the passive ones, and those that it makes negative leave. False: it depends on
 * them, or its gradient was rounding and it is no direction of descent. */
static bool enter(passive *P, int n, const double *A, const double *b, double inverse_norm, int j,
                  char *state)
{
    state[j] = BLOCKED;
    if (!passive_add(P, A + (size_t)j * n, inverse_norm, j, b))
        return false;
    passive_solve(P);
    if (P->t[P->k - 1] <= 0) {
        P->k--;
        return false;
    }
    state[j] = IN;
    passive_descend(P, state);
    return true;
}

void carom_nnls_solve(int n, int p, const double *A, const double *b, double scale,
                      carom_arena *arena, double *s, double *r, carom_nnls_info *info)
{
    carom_mark mark = carom_arena_mark(arena);
    passive P;
    double *inverse_norm = carom_arena_reserved(arena, (size_t)p, sizeof *inverse_norm);
    char *state = carom_arena_reserved(arena, (size_t)p, 1);
    passive_create(&P, n, p, arena);
    measure(n, p, A, inverse_norm, state);
    double tolerance = 32 * DBL_EPSILON * fmax(scale, carom_dense_norm(n, b));
    memcpy(r, b, (size_t)n * sizeof(double));
    double best = carom_dense_norm(n, r);
    int limit = 20 * (p + 10), iteration = 0;
    carom_nnls_info done = {0};
    bool fresh = true; /* r was computed as a whole */
    for (; iteration < limit; iteration++) {
        int j = choose(n, p, A, inverse_norm, state, r, tolerance);
        if (j < 0 && !fresh) {
            passive_residual(&P, b, r);
            fresh = true;
            j = choose(n, p, A, inverse_norm, state, r, tolerance);
        }
        if (j < 0) {
            done.converged = true;
            break;
        }
        int count = P.k;
        if (!enter(&P, n, A, b, inverse_norm[j], j, state))
            continue;
        fresh = P.k <= count || iteration % 32 == 31;
        if (fresh)
            passive_residual(&P, b, r);
        else /* one more direction */
            remove_direction(n, P.Q + (size_t)(P.k - 1) * n, r);
        /* The distance falls in exact arithmetic; a column that did not make it fall waits. */
        double distance = carom_dense_norm(n, r);
        if (distance < best)
            unblock(p, state);
        else if (state[j] == NEUTRAL)
            state[j] = BLOCKED;
        best = fmin(best, distance);
    }
    for (int j = 0; j < p; j++)
        s[j] = 0;
    for (int i = 0; i < P.k; i++)
        s[P.column[i]] = P.s[i] * inverse_norm[P.column[i]];
    done.iterations = iteration;
    done.rank = P.k;
    *info = done;
    carom_arena_rewind(arena, mark);
}
