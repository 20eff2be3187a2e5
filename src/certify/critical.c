/* Critical friction (docs/theory/painleve.md): D = G - mu N X, N = n'H_T with columns divided by
 * |w_j|, X = diag(xi). A principal minor on S vanishes first at mu = 1/lambda, lambda the largest
 * positive real eigenvalue of G_S^-1 N_S X_S. Minors are affine in each mu_i xi_i, so the corners
 * xi_i = +-1 (spatial: unit vectors) are enough, and so are sets S that hang together: the minor of
 * one that falls apart is the product of those of its parts. */
#include "carom/need.h"
#include "carom/tolerance.h"
#include "certify/normal.h"
#include "linalg/cholesky.h"
#include "linalg/lu.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = CAROM_CRITICAL_LIMIT, DIRECTIONS = 12 };

static const double budget = 1e5; /* directions tried, in all */

typedef struct search {
    const carom_geometry *g;
    const carom_watch *watch;
    int p;
    const double *G;
    double *N;         /* p x s, w_i'M^-1 h_j / (|w_i||w_owner(j)|) */
    int count;         /* of the subset */
    int set[MOST + 1]; /* its rows */
    double L[MOST * MOST];
    double X[MOST * 2 * MOST]; /* G_S^-1 N_S, count x (2 columns per contact) */
    double angle[MOST];        /* current directions of the subset */
    double best;               /* largest 1/mu */
    double best_angle[MOST];
    int best_set[MOST], best_count;
    bool spatial;
    bool failed;   /* eigenvalues of some directions did not come out */
    double *alone; /* p, largest 1/mu with friction at one contact only */
    bool *seen;    /* p x p, contacts that see each other */
    int *near;     /* p, how many of the chain are the contact or see it */
    int *ahead;    /* (MOST + 1) x p, contacts the chain may grow by, by its length */
    int chain[MOST];
    double tried; /* directions so far */
    bool cut;     /* by the budget, or sets larger than MOST exist */
} search;

static int slips(const search *s, int i)
{
    return s->g->slip_start[i + 1] - s->g->slip_start[i];
}

/* The columns of X mixed by the directions: A = G_S^-1 N_S X_S (count x count). */
static void mix(const search *s, double *A)
{
    const int k = s->count;
    for (int j = 0; j < k; j++) {
        double c = cos(s->angle[j]), d = sin(s->angle[j]);
        if (slips(s, s->set[j]) == 1) {
            c = c > 0 ? 1 : -1;
            d = 0;
        }
        for (int i = 0; i < k; i++)
            A[i + j * k] = c * s->X[i + (2 * j) * k] + d * s->X[i + (2 * j + 1) * k];
    }
}

/* |det(I - A/value)| relative to the product of the sizes of its factors: rounding where value is
 * an eigenvalue. */
static double defect(int k, const double *A, double value, const double *re, const double *im)
{
    double M[MOST * MOST], det = 1, size = 1;
    int pivot[MOST];
    for (int i = 0; i < k * k; i++)
        M[i] = (i % (k + 1) == 0) - A[i] / value;
    if (carom_lu_factor(k, M, k, pivot, 0) != 0)
        return 0;
    for (int i = 0; i < k; i++) {
        det *= fabs(M[i * (k + 1)]);
        size *= 1 + hypot(re[i], im[i]) / fabs(value);
    }
    return det / size;
}

/* Eigenvalue i as the root of the minor that it stands for. Where two or three coincide (a Jordan
 * block is nothing rare here) each of them is known to a root of the rounding only, and may look
 * complex, but their mean is known to rounding. NaN: it is complex. */
static double real_root(int k, const double *A, const double *re, const double *im, int i)
{
    const double size = fabs(re[i]);
    for (int count = 3; count >= 2; count--) {
        const double near = 8 * pow(DBL_EPSILON, 1.0 / count) * size;
        double sum = 0;
        int found = 0;
        for (int j = 0; j < k; j++)
            if (hypot(re[j] - re[i], im[j] - im[i]) <= 2 * near) {
                sum += re[j];
                found++;
            }
        if (found == count && defect(k, A, sum / count, re, im) <= 64.0 * k * DBL_EPSILON)
            return sum / count;
    }
    return fabs(im[i]) <= CAROM_TOLERANCE_SIGN * size ? re[i] : NAN;
}

/* Largest positive real eigenvalue for the present directions and, behind it, for the opposite
 * ones. */
static void largest_eigenvalues(search *s, double largest[2])
{
    double A[MOST * MOST], copy[MOST * MOST], re[MOST], im[MOST], work[MOST];
    const int k = s->count;
    mix(s, A);
    largest[0] = largest[1] = 0;
    if (k == 1) {
        largest[A[0] < 0] = fabs(A[0]);
        return;
    }
    memcpy(copy, A, sizeof(double) * (size_t)(k * k));
    if (!carom_spectrum_general(k, copy, work, re, im)) {
        s->failed = true;
        return;
    }
    for (int i = 0; i < k; i++) {
        const int side = re[i] < 0;
        if (!(fabs(re[i]) > largest[side]) || fabs(im[i]) > 0.0001 * fabs(re[i]))
            continue;
        const double root = fabs(real_root(k, A, re, im, i));
        largest[side] = root > largest[side] ? root : largest[side];
    }
}

static void keep(search *s, double value)
{
    if (!(value > s->best * (1 + CAROM_TOLERANCE_REFINED)))
        return;
    s->best = value;
    s->best_count = s->count;
    memcpy(s->best_set, s->set, sizeof s->best_set);
    memcpy(s->best_angle, s->angle, sizeof s->best_angle);
}

/* Pattern search over the angles of spatial contacts, from the best directions found. */
static void refine(search *s)
{
    memcpy(s->angle, s->best_angle, sizeof s->angle);
    for (double step = CAROM_PI / DIRECTIONS; step > CAROM_TOLERANCE_SOLVED;) {
        bool better = false;
        for (int j = 0; j < s->count; j++)
            for (int side = -1; side <= 1 && slips(s, s->set[j]) == 2; side += 2) {
                double old = s->angle[j], before = s->best;
                double largest[2];
                s->angle[j] = old + side * step;
                largest_eigenvalues(s, largest);
                keep(s, largest[0]);
                if (s->best > before)
                    better = true;
                else
                    s->angle[j] = old;
            }
        if (!better)
            step /= 2;
    }
}

/* All directions turned round: what is positive becomes negative. */
static void turn_round(search *s)
{
    for (int j = 0; j < s->count; j++)
        s->angle[j] = s->angle[j] == 0 ? CAROM_PI : s->angle[j] - CAROM_PI;
}

/* Every direction of the contacts from number j on. The first rough one takes half of its own: the
 * others are those turned round. */
static void directions(search *s, int j, bool half)
{
    if (j == s->count) {
        double largest[2];
        largest_eigenvalues(s, largest);
        keep(s, largest[0]);
        turn_round(s);
        keep(s, largest[1]);
        turn_round(s);
        return;
    }
    int choices = slips(s, s->set[j]) == 1 ? 2 : slips(s, s->set[j]) == 2 ? DIRECTIONS : 1;
    const int tried = half && choices > 1 ? choices / 2 : choices;
    for (int c = 0; c < tried; c++) {
        s->angle[j] = choices == 1 ? 0 : 2 * CAROM_PI * c / choices;
        directions(s, j + 1, half && choices == 1);
    }
}

/* Is a pivot of G_S (unit diagonal) rounding? */
static bool dependent(const search *s)
{
    for (int i = 0; i < s->count; i++)
        if (!(s->L[i + i * s->count] * s->L[i + i * s->count] > CAROM_TOLERANCE_CARRIED))
            return true;
    return false;
}

/* One subset: factor G_S, X = G_S^-1 N_S, all directions; also friction at one contact only. */
static void visit(search *s, double *alone)
{
    int k = s->count;
    bool rough = false;
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < k; i++)
            s->L[i + j * k] = s->G[s->set[i] + (size_t)s->set[j] * s->p];
        rough = rough || slips(s, s->set[j]) > 0;
    }
    if (carom_cholesky_factor(k, s->L, k) != 0 || dependent(s)) {
        s->best = INFINITY; /* the minor is zero without any friction */
        s->best_count = k;
        memcpy(s->best_set, s->set, sizeof s->best_set);
        s->cut = true;
        return;
    }
    if (!rough)
        return;
    memset(s->X, 0, sizeof s->X);
    bool spatial = false;
    for (int j = 0; j < k; j++)
        for (int c = 0; c < slips(s, s->set[j]); c++) {
            double *x = s->X + (2 * j + c) * k;
            for (int i = 0; i < k; i++)
                x[i] = s->N[s->set[i] + (size_t)(s->g->slip_start[s->set[j]] + c) * s->p];
            carom_cholesky_solve(k, s->L, k, x);
            spatial = spatial || c == 1;
        }
    for (int j = 0; j < k; j++) {
        double size = hypot(s->X[j + 2 * j * k], s->X[j + (2 * j + 1) * k]);
        if (slips(s, s->set[j]) > 0)
            alone[s->set[j]] = fmax(alone[s->set[j]], size);
        if (k == 1) {
            s->angle[0] = atan2(s->X[1 * k], s->X[0]);
            keep(s, size);
        }
    }
    double before = s->best;
    if (k > 1)
        directions(s, 0, true);
    if (spatial && k > 1) {
        s->spatial = true;
        if (s->best > before)
            refine(s);
    }
}

/* The chain of `count` contacts as a set in rising order, if the budget allows its directions. */
static void visit_chain(search *s, int count)
{
    double choices = 1;
    s->count = 0;
    for (int k = 0; k < count; k++) {
        const int i = s->chain[k];
        int at = s->count++;
        choices *= slips(s, i) == 1 ? 2 : slips(s, i) == 2 ? DIRECTIONS : 1;
        for (; at > 0 && s->set[at - 1] > i; at--)
            s->set[at] = s->set[at - 1];
        s->set[at] = i;
    }
    s->tried += choices;
    if (s->tried > budget ||
        (s->watch && !s->watch->go_on(s->watch->self, "critical friction", s->tried / budget)))
        s->cut = true;
    else
        visit(s, s->alone);
}

/* Every set of `size` contacts that hang together, once: the chain grows by contacts above its
 * first that see it, each branch without those that branches before it took (Wernicke). */
static void grow(search *s, int count, int ahead_count, int size)
{
    const int p = s->p;
    if (count == size) {
        visit_chain(s, count);
        return;
    }
    int *ahead = s->ahead + (size_t)count * p, *next = ahead + p;
    while (ahead_count > 0 && !s->cut) {
        const int i = ahead[--ahead_count];
        int next_count = ahead_count;
        memcpy(next, ahead, sizeof *next * (size_t)ahead_count);
        for (int j = 0; j < p; j++) {
            if (!s->seen[i + (size_t)j * p])
                continue;
            if (s->near[j] == 0 && j > s->chain[0])
                next[next_count++] = j;
            s->near[j]++;
        }
        s->chain[count] = i;
        grow(s, count + 1, next_count, size);
        for (int j = 0; j < p; j++)
            s->near[j] -= s->seen[i + (size_t)j * p];
    }
}

static void sets_of(search *s, int size)
{
    const int p = s->p;
    for (int i = 0; i < p && !s->cut; i++) {
        int count = 0;
        s->chain[0] = i;
        for (int j = 0; j < p; j++) {
            s->near[j] = s->seen[i + (size_t)j * p];
            if (j > i && s->near[j])
                s->ahead[p + count++] = j;
        }
        grow(s, 1, count, size);
    }
}

/* Contacts of the largest group that hangs together. */
static int largest_group(const search *s, int *stack)
{
    int largest = 0, p = s->p;
    for (int i = 0; i < p; i++)
        s->near[i] = 0;
    for (int seed = 0; seed < p; seed++) {
        int top = 0, size = 0;
        if (s->near[seed])
            continue;
        stack[top++] = seed;
        s->near[seed] = 1;
        while (top > 0) {
            const int i = stack[--top];
            size++;
            for (int j = 0; j < p; j++)
                if (s->seen[i + (size_t)j * p] && !s->near[j]) {
                    s->near[j] = 1;
                    stack[top++] = j;
                }
        }
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Who sees whom, and all sets by their size. */
static carom_status search_all(search *s, carom_arena *arena, carom_error *error)
{
    const int p = s->p;
    s->seen = carom_arena_zeros(arena, (size_t)p * p, sizeof *s->seen);
    s->near = carom_arena_zeros(arena, (size_t)(MOST + 3) * (size_t)p, sizeof *s->near);
    if (!s->seen || !s->near)
        return carom_error_memory(error);
    s->ahead = s->near + p;
    for (int i = 0; i < p; i++)
        for (int j = 0; j < p; j++) {
            double size = i == j ? 1 : fabs(s->G[i + (size_t)j * p]);
            for (int c = s->g->slip_start[j]; c < s->g->slip_start[j + 1]; c++)
                size = fmax(size, fabs(s->N[i + (size_t)c * p]));
            if (size > CAROM_TOLERANCE_SUM)
                s->seen[i + (size_t)j * p] = s->seen[j + (size_t)i * p] = true;
        }
    const int most = largest_group(s, s->ahead);
    for (int size = 1; size <= most && size <= MOST && !s->cut; size++)
        sets_of(s, size);
    s->cut = s->cut || most > MOST;
    return CAROM_OK;
}

/* D is positive definite for all directions while mu |G^-1/2 N|_2 |G^-1/2|_2 < 1. */
static carom_status bound(const search *s, carom_arena *arena, double *lower, carom_error *error)
{
    const int p = s->p, c = s->g->s;
    double *L = carom_arena_doubles(arena, (size_t)p * p + (size_t)p * c + p + c);
    if (!L)
        return carom_error_memory(error);
    double *V = L + (size_t)p * p, *values = V + (size_t)p * c;
    *lower = 0;
    memcpy(L, s->G, sizeof *L * (size_t)p * p);
    memcpy(V, s->N, sizeof *V * (size_t)p * c);
    carom_status status = carom_spectrum_symmetric(p, L, false, arena, values, error);
    if (status)
        return status;
    const double least = fmin(values[0], values[p - 1]);
    memcpy(L, s->G, sizeof *L * (size_t)p * p);
    if (!(least > CAROM_TOLERANCE_CARRIED) || carom_cholesky_factor(p, L, p) != 0)
        return CAROM_OK;
    for (int j = 0; j < c; j++)
        carom_cholesky_forward(p, L, p, V + (size_t)j * p);
    status = carom_spectrum_singular(p, c, V, arena, values, NULL, NULL, error);
    if (!status)
        *lower = values[0] > 0 ? sqrt(least) / values[0] * (1 - CAROM_TOLERANCE_SAME) : INFINITY;
    return status;
}

carom_status carom_critical_friction(const carom_geometry *geometry, const carom_watch *watch,
                                     carom_arena *arena, carom_critical *critical,
                                     carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, critical);
    int p = geometry->impact->p, n = geometry->impact->n;
    carom_critical made = {.common = NAN, .exact = true};
    carom_normal m;
    carom_status status = carom_normal_make(geometry, arena, &m, error);
    if (status)
        return status;
    made.per_contact = carom_arena_zeros(arena, p, sizeof(double));
    search s = {.g = geometry, .watch = watch, .p = p, .G = m.G};
    s.N = carom_arena_zeros(arena, (size_t)p * geometry->s, sizeof(double));
    if (!made.per_contact || !s.N)
        return carom_error_memory(error);
    for (int i = 0; i < p; i++) {
        for (int owner = 0; owner < p; owner++)
            for (int j = geometry->slip_start[owner]; j < geometry->slip_start[owner + 1]; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += geometry->Y[k + (size_t)i * n] * geometry->impact->H[k + (size_t)j * n];
                double norms = geometry->norm[i] * geometry->norm[owner];
                s.N[i + (size_t)j * p] = norms > 0 ? sum / norms : 0;
            }
    }
    s.alone = made.per_contact;
    status = search_all(&s, arena, error);
    if (status)
        return status;
    for (int i = 0; i < p; i++)
        made.per_contact[i] = slips(&s, i) == 0 ? NAN : 1 / made.per_contact[i];
    made.common = 1 / s.best; /* 1/0: none; 1/INFINITY: dependent contacts */
    made.exact = made.common == 0 || (!s.spatial && !s.cut && !s.failed);
    for (int i = 0; i < p && made.common == 0; i++)
        made.per_contact[i] = slips(&s, i) == 0 ? NAN : 0;
    made.lower = made.common;
    if (!made.exact && geometry->s > 0)
        status = bound(&s, arena, &made.lower, error);
    if (status)
        return status;
    made.lower = fmin(made.lower, made.common);
    made.minor_count = s.best_count;
    memcpy(made.minor, s.best_set, sizeof made.minor);
    memcpy(made.angle, s.best_angle, sizeof made.angle);
    *critical = made;
    return CAROM_OK;
}
