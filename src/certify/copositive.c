/* Copositivity: reductions that are exact, then the tree of faces on each irreducible part. */
#include "carom/certify.h"

#include "carom/need.h"
#include "carom/tolerance.h"
#include "certify/faces.h"
#include "certify/faces_exact.h"
#include "linalg/cholesky.h"
#include "linalg/doubled.h"

#include <string.h>

enum {
    FACE_LIMIT = 200000000,
    EXACT_LIMIT = 200000,
    BETWEEN_LOOKS = 200000 /* entries of the matrices of descents between two looks at the watch */
};

/* Half-width of the zone around the boundary where only exact arithmetic speaks (unit diagonal). */
static const double ZONE = 2 * CAROM_TOLERANCE_SIGN;

/* Sign of x'Ax beyond doubt: -1, 0 (not known), 1. A is n x n symmetric, scale 2^-2e applied by the
 * caller. */
static int form_sign(int n, const double *A, const double *x, double *value)
{
    doubled sum = {0, 0};
    double size = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (x[i] == 0 || x[j] == 0 || A[i + (size_t)j * n] == 0)
                continue;
            doubled term =
                doubled_multiply(doubled_product(x[i], x[j]), (doubled){A[i + (size_t)j * n], 0});
            sum = doubled_add(sum, term);
            size += fabs(term.hi);
        }
    *value = sum.hi;
    double doubt = size * (n + 4.0) * n * DOUBLED_UNIT;
    return sum.hi > doubt ? 1 : sum.hi < -doubt ? -1 : 0;
}

/* x'Ax relative to sum a_ii x_i^2. */
static double relative_form(int n, const double *A, const double *x, double form)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        size += fabs(A[i + (size_t)i * n]) * x[i] * x[i];
    return size > 0 ? form / size : form < 0 ? -1 : 0;
}

typedef struct job {
    int n;
    const double *A; /* symmetric, largest entry between 1/2 and 1 */
    const carom_watch *watch;
    carom_arena *arena;
    carom_error *error;
    carom_copositive *answer;
    double *x; /* n */
    bool have_x;
} job;

static bool fail_with(job *w, const double *x)
{
    double value;
    if (form_sign(w->n, w->A, x, &value) >= 0)
        return false;
    carom_copositive *a = w->answer;
    a->copositive = a->strictly = CAROM_FALSE;
    a->upper = relative_form(w->n, w->A, x, value);
    memcpy(w->x, x, sizeof(double) * w->n);
    w->have_x = true;
    return true;
}

/* Not strictly copositive because of x, x'Ax = 0. */
static void touch_with(job *w, const double *x)
{
    carom_copositive *a = w->answer;
    a->strictly = CAROM_FALSE;
    a->upper = fmin(a->upper, 0);
    if (!w->have_x) {
        memcpy(w->x, x, sizeof(double) * w->n);
        w->have_x = true;
    }
}

/* Exact reductions: negative and zero diagonal entries, rows without negative entries. active[i]
 * is cleared for rows that no longer matter. True when the answer is known to be no. */
static bool reduce(job *w, bool *active, double *x)
{
    int n = w->n;
    const double *A = w->A;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < n; i++) {
            if (!active[i])
                continue;
            double diagonal = A[i + (size_t)i * n];
            int worst = -1;
            for (int j = 0; j < n; j++)
                if (active[j] && j != i && A[j + (size_t)i * n] < 0 &&
                    (worst < 0 || A[j + (size_t)i * n] < A[worst + (size_t)i * n]))
                    worst = j;
            memset(x, 0, sizeof(double) * n);
            if (diagonal < 0 || (diagonal == 0 && worst >= 0)) {
                /* (t e_i + e_j): t large enough that 2 t a_ij + a_jj < 0. */
                x[i] = 1;
                if (diagonal == 0) {
                    double ajj = A[worst + (size_t)worst * n];
                    x[worst] = ajj > 0 ? fmin(1, -A[worst + (size_t)i * n] / ajj) : 1;
                }
                if (fail_with(w, x))
                    return true;
            }
            if (worst < 0) {
                active[i] = false;
                again = true;
                x[i] = 1;
                if (diagonal == 0)
                    touch_with(w, x);
            }
        }
    }
    return false;
}

/* Two rows: a_12 against -sqrt(a_11 a_22), exactly (the products are exact sums of two doubles). */
static void decide_pair(job *w, const int *row, double *x)
{
    const double *A = w->A;
    double a = A[row[0] * (size_t)(w->n + 1)], b = A[row[1] * (size_t)(w->n + 1)];
    double c = A[row[0] + row[1] * (size_t)w->n];
    int ea, eb;
    frexp(a, &ea);
    frexp(b, &eb);
    /* Scale the rows by powers of two so that nothing under- or overflows. */
    ea -= ea & 1;
    eb -= eb & 1;
    doubled p = doubled_product(ldexp(a, -ea), ldexp(b, -eb));
    double scaled = ldexp(c, -(ea + eb) / 2);
    doubled d = doubled_product(scaled, scaled);
    doubled difference = doubled_add(p, doubled_negate(d)); /* a b - c^2 */
    memset(x, 0, sizeof(double) * w->n);
    x[row[0]] = -c;
    x[row[1]] = a;
    double low = 1 - sqrt(fmax(0, d.hi / p.hi));
    w->answer->lower = fmin(w->answer->lower, low);
    w->answer->upper = fmin(w->answer->upper, low);
    if (difference.hi == 0) {
        w->answer->lower = fmin(w->answer->lower, 0);
        touch_with(w, x);
    } else if (difference.hi < 0 && !fail_with(w, x)) {
        x[row[0]] = ldexp(sqrt(ldexp(b, -eb)), eb / 2);
        x[row[1]] = ldexp(sqrt(ldexp(a, -ea)), ea / 2);
        if (!fail_with(w, x)) {
            w->answer->copositive = CAROM_UNDECIDED;
            w->answer->strictly = CAROM_UNDECIDED;
        }
    }
}

/* Three rows with unit diagonal (Hadeler): strictly copositive when all b_ij > -1 and
 * 1 + b12 + b13 + b23 + sqrt(2 (1 + b12)(1 + b13)(1 + b23)) > 0; used only well inside. */
static bool clear_triple(const double *B)
{
    double p = B[1], q = B[2], r = B[5], margin = 1e-6;
    if (fmin(p, fmin(q, r)) < margin - 1)
        return false;
    return 1 + p + q + r + sqrt(2 * (1 + p) * (1 + q) * (1 + r)) > margin;
}

static bool positive_definite(int k, const double *B, double shift, double *work)
{
    memcpy(work, B, sizeof(double) * k * k);
    for (int i = 0; i < k; i++)
        work[i + (size_t)i * k] -= shift;
    return carom_cholesky_factor(k, work, k) == 0;
}

/* Write the k-vector of scaled unknowns into n unscaled ones. */
static void unscale(const job *w, int k, const int *row, const double *scale, const double *small,
                    double *x)
{
    memset(x, 0, sizeof(double) * w->n);
    double largest = 0;
    for (int i = 0; i < k; i++) {
        x[row[i]] = small[i] * scale[i];
        largest = fmax(largest, x[row[i]]);
    }
    for (int i = 0; i < k; i++)
        x[row[i]] /= largest;
}

/* Does the watch end the descents before number i? It is asked once in some milliseconds of them.
 */
static bool is_late(const job *w, int k, int i)
{
    const int every = 1 + BETWEEN_LOOKS / (k * k);
    return w->watch && i % every == every - 1 &&
           !w->watch->go_on(w->watch->self, "copositivity", (double)i / k);
}

/* Cheap attempts at a no: descend from every edge with a negative entry, as long as the watch
 * lets. */
static bool guess(job *w, int k, const int *row, const double *scale, const double *B,
                  double *small, double *work, double *x)
{
    double best = 0;
    for (int i = 0; i < k && !is_late(w, k, i); i++) {
        for (int j = 0; j < k; j++)
            small[j] = j == i ? 1 : fmax(0, -B[j + (size_t)i * k]);
        best = carom_faces_descend(k, B, small, work, 30);
        if (best < w->answer->upper)
            w->answer->upper = best;
        if (best < 0) {
            unscale(w, k, row, scale, small, x);
            if (fail_with(w, x))
                return true;
        }
    }
    return false;
}

/* On the boundary as far as rounding can tell: integers decide, if they can. */
static carom_status decide_exactly(job *w, int k, const int *row, double *x)
{
    carom_copositive *a = w->answer;
    double *block = carom_arena_doubles(w->arena, (size_t)k * k);
    double *small = carom_arena_doubles(w->arena, k), *ones = carom_arena_doubles(w->arena, k);
    if (!block || !small || !ones)
        return carom_error_memory(w->error);
    for (int i = 0; i < k; i++) {
        ones[i] = 1;
        for (int j = 0; j < k; j++)
            block[i + (size_t)j * k] = w->A[row[i] + (size_t)row[j] * w->n];
    }
    carom_faces_exact exact;
    carom_status status = carom_faces_exact_search(k, block, EXACT_LIMIT, w->watch, w->arena, small,
                                                   &exact, w->error);
    if (status != CAROM_OK)
        return status;
    a->nodes += exact.nodes;
    if (!exact.decided) {
        a->copositive = a->strictly = CAROM_UNDECIDED;
        return CAROM_OK;
    }
    a->method = "faces, in exact integers";
    if (!exact.strictly)
        unscale(w, k, row, ones, small, x);
    if (!exact.copositive) {
        if (!fail_with(w, x)) {
            a->copositive = a->strictly = CAROM_FALSE;
            memcpy(w->x, x, sizeof(double) * w->n);
            w->have_x = true;
        }
    } else if (!exact.strictly) {
        touch_with(w, x);
    }
    return CAROM_OK;
}

/* The tree, first a little above the boundary, then, if that finds something, a little below. */
static carom_status decide_by_faces(job *w, int k, const int *row, const double *scale,
                                    const double *B, double *small, double *x)
{
    carom_copositive *a = w->answer;
    carom_faces faces = {.k = k, .B = B, .watch = w->watch, .limit = FACE_LIMIT};
    bool closed = false;
    for (int side = 1; side >= -1 && !closed; side -= 2) {
        carom_faces_result result = CAROM_FACES_AMBIGUOUS;
        double c = side * ZONE;
        for (int round = 0; round < 4 && result == CAROM_FACES_AMBIGUOUS; round++) {
            c = side * ZONE * (1 + 0.0917 * round);
            carom_status status = carom_faces_search(&faces, c, w->arena, small, &result, w->error);
            if (status != CAROM_OK)
                return status;
        }
        a->nodes += faces.nodes;
        faces.nodes = 0;
        if (result == CAROM_FACES_STOPPED || result == CAROM_FACES_AMBIGUOUS) {
            a->stopped |= result == CAROM_FACES_STOPPED;
            a->copositive = a->strictly = CAROM_UNDECIDED;
            a->lower = fmin(a->lower, -INFINITY);
            return CAROM_OK;
        }
        if (result == CAROM_FACES_NONE) {
            a->lower = fmin(a->lower, c - CAROM_FACES_MARGIN);
            if (side > 0)
                return CAROM_OK; /* strictly copositive */
            closed = true;
        } else {
            unscale(w, k, row, scale, small, x);
            if (fail_with(w, x))
                return CAROM_OK;
            a->upper = fmin(a->upper, c);
        }
    }
    return decide_exactly(w, k, row, x);
}

/* One irreducible part: k rows with positive diagonal, connected by negative entries. */
static carom_status decide_part(job *w, int k, const int *row, double *x)
{
    carom_copositive *a = w->answer;
    if (k == 2) {
        decide_pair(w, row, x);
        return CAROM_OK;
    }
    carom_mark mark = carom_arena_mark(w->arena);
    double *B = carom_arena_doubles(w->arena, (size_t)k * k);
    double *work = carom_arena_doubles(w->arena, (size_t)k * k);
    double *scale = carom_arena_doubles(w->arena, k), *small = carom_arena_doubles(w->arena, k);
    if (!B || !work || !scale || !small)
        return carom_error_memory(w->error);
    for (int i = 0; i < k; i++)
        scale[i] = 1 / sqrt(w->A[row[i] * (size_t)(w->n + 1)]);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            /* Entries above 1 never matter (two such rows never share a smallest face); an entry
             * below -1 is a counter-example at once. */
            double b = w->A[row[i] + (size_t)row[j] * w->n] * scale[i] * scale[j];
            B[i + (size_t)j * k] = i == j ? 1 : fmax(-1.5, fmin(2, b));
        }
    carom_status status = CAROM_OK;
    if ((k == 3 && clear_triple(B)) || positive_definite(k, B, k * CAROM_TOLERANCE_CARRIED, work)) {
        a->method = k == 3 ? "closed form" : "positive definite";
        a->lower = fmin(a->lower, 0);
    } else if (guess(w, k, row, scale, B, small, work, x)) {
        a->method = "descent";
    } else if (k > CAROM_FACES_LIMIT) {
        a->copositive = a->strictly = CAROM_UNDECIDED;
        a->lower = -INFINITY;
        a->stopped = true;
        a->method = "none: too large for the tree of faces";
    } else {
        a->method = "faces";
        status = decide_by_faces(w, k, row, scale, B, small, x);
    }
    carom_arena_rewind(w->arena, mark);
    return status;
}

/* Rows connected with `first` through negative entries, among the active ones, which are cleared.
 */
static int collect(const job *w, int first, bool *active, int *row)
{
    int count = 1;
    row[0] = first;
    active[first] = false;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < w->n; j++)
            if (active[j] && w->A[row[k] + (size_t)j * w->n] < 0) {
                active[j] = false;
                row[count++] = j;
            }
    for (int i = 1; i < count; i++) /* in rising order, so that equal input gives equal output */
        for (int k = i; k > 0 && row[k] < row[k - 1]; k--) {
            int t = row[k];
            row[k] = row[k - 1];
            row[k - 1] = t;
        }
    return count;
}

/* An exact symmetric matrix. */
static carom_status decide(job *w)
{
    int n = w->n;
    bool *active = carom_arena_array(w->arena, n, sizeof *active);
    int *row = carom_arena_array(w->arena, n, sizeof *row);
    double *x = carom_arena_doubles(w->arena, n);
    if (!active || !row || !x)
        return carom_error_memory(w->error);
    *w->answer = (carom_copositive){CAROM_TRUE, CAROM_TRUE, 1, 1, NULL, "reduction", 0, false};
    for (int i = 0; i < n; i++)
        active[i] = true;
    if (reduce(w, active, x))
        return CAROM_OK;
    carom_truth strictly = w->answer->strictly, copositive = CAROM_TRUE;
    for (int i = 0; i < n && w->answer->copositive != CAROM_FALSE; i++) {
        if (!active[i])
            continue;
        int k = collect(w, i, active, row);
        w->answer->copositive = w->answer->strictly = CAROM_TRUE;
        carom_status status = decide_part(w, k, row, x);
        if (status != CAROM_OK)
            return status;
        if (w->answer->copositive != CAROM_TRUE)
            copositive = w->answer->copositive;
        if (w->answer->strictly != CAROM_TRUE && strictly != CAROM_FALSE)
            strictly = w->answer->strictly;
    }
    w->answer->copositive = copositive;
    w->answer->strictly = strictly;
    return CAROM_OK;
}

/* B = symmetric part of A + sign * uncertainty, scaled by a power of two to entries below 1. */
static void assemble(int n, const double *A, const double *uncertainty, double sign, double *B)
{
    double largest = 0;
    for (size_t k = 0; k < (size_t)n * n; k++)
        largest = fmax(largest, fabs(A[k]) + (uncertainty ? fabs(uncertainty[k]) : 0));
    int exponent = 0;
    if (largest > 0)
        frexp(largest, &exponent);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            size_t ij = i + (size_t)j * n, ji = j + (size_t)i * n;
            double a = ldexp(A[ij], -exponent), b = ldexp(A[ji], -exponent);
            double sum = a == b ? a : 0.5 * (a + b);
            if (uncertainty)
                sum += sign * ldexp(fmax(fabs(uncertainty[ij]), fabs(uncertainty[ji])), -exponent);
            B[ij] = sum;
        }
}

carom_status carom_copositive_test(int n, const double *A, const double *uncertainty,
                                   const carom_watch *watch, carom_arena *arena,
                                   carom_copositive *answer, carom_error *error)
{
    CAROM_NEED(error, A, arena, answer);
    if (n < 0 || (n && !A))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT, "copositivity: %d rows%s", n,
                               n < 0 ? "" : ", but no matrix");
    for (size_t k = 0; k < (size_t)n * n; k++)
        if (!isfinite(A[k]) || (uncertainty && !isfinite(uncertainty[k])))
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "copositivity: entry (%d, %d) is not a finite number",
                                   (int)(k % n) + 1, (int)(k / n) + 1);
    double *x = carom_arena_doubles(arena, n), *B = carom_arena_doubles(arena, (size_t)n * n);
    if (!x || !B)
        return carom_error_memory(error);
    carom_copositive made;
    job w = {n, B, watch, arena, error, &made, x, false};
    assemble(n, A, uncertainty, -1, B);
    carom_status status = decide(&w);
    if (status == CAROM_OK && uncertainty && made.copositive != CAROM_TRUE) {
        /* Not proved for the least matrix: is it refuted for the largest? */
        carom_copositive least = made;
        w.have_x = false;
        assemble(n, A, uncertainty, 1, B);
        status = decide(&w);
        if (status == CAROM_OK && made.copositive != CAROM_FALSE) {
            made.copositive = CAROM_UNDECIDED;
            if (made.strictly == CAROM_TRUE)
                made.strictly = CAROM_UNDECIDED;
            made.stopped |= least.stopped;
        }
        made.lower = fmin(made.lower, least.lower);
    } else if (status == CAROM_OK && uncertainty && made.strictly == CAROM_FALSE) {
        /* Copositive throughout, touching zero at the least matrix only. */
        carom_copositive largest;
        w.answer = &largest;
        bool kept = w.have_x;
        w.have_x = true; /* keep x */
        assemble(n, A, uncertainty, 1, B);
        status = decide(&w);
        w.have_x = kept;
        if (largest.strictly != CAROM_FALSE)
            made.strictly = CAROM_UNDECIDED;
        made.upper = largest.upper;
    }
    if (status != CAROM_OK)
        return status;
    if (made.copositive == CAROM_FALSE)
        made.lower = -INFINITY;
    made.lower = fmin(made.lower, made.upper);
    made.x =
        w.have_x && (made.copositive == CAROM_FALSE || made.strictly == CAROM_FALSE) ? x : NULL;
    *answer = made;
    return CAROM_OK;
}
