/* docs/theory/copositivity.md, "The tree of faces". */
#include "certify/faces.h"

#include "carom/tolerance.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct tree {
    carom_faces *faces;
    double c;
    int k;
    uint64_t *negative; /* k, rows j with B_ij < 0 */
    double *L;          /* k x k, row r of the factor of P[set, set] in L + r*k */
    double *z, *y;      /* k each */
    int *set;
    double *x;
    double done; /* share of the tree, for the watch */
    carom_faces_result result;
} tree;

static double rayleigh(int k, const double *B, const double *x)
{
    double form = 0, square = 0;
    for (int i = 0; i < k; i++) {
        if (x[i] == 0)
            continue;
        double sum = 0;
        for (int j = 0; j < k; j++)
            sum += B[j + (size_t)i * k] * x[j];
        form += x[i] * sum;
        square += x[i] * x[i];
    }
    return square > 0 ? form / square : 0;
}

/* One exact minimisation of x'Bx/|x|^2 over the plane of x and e_i, kept in the orthant, for every
 * i in turn: the quotient never rises. y = Bx is kept up, so that a sweep costs k^2. */
double carom_faces_descend(int k, const double *B, double *x, double *y, int sweeps)
{
    double value = rayleigh(k, B, x);
    for (int sweep = 0; sweep < sweeps; sweep++) {
        double before = value, form = 0, square = 0, largest = 0;
        for (int i = 0; i < k; i++) {
            y[i] = 0;
            for (int j = 0; j < k; j++)
                y[i] += B[j + (size_t)i * k] * x[j];
            form += x[i] * y[i];
            square += x[i] * x[i];
        }
        for (int i = 0; i < k; i++) {
            double b = B[i + (size_t)i * k], old = x[i];
            double slope = y[i] - b * old, others = square - old * old;
            double rest = form - old * (2 * slope + b * old);
            if (!(others > CAROM_TOLERANCE_SUM * square))
                continue;
            /* In the orthonormal pair (others/|others|, e_i): [f h; h b], least eigenvector. */
            double norm = sqrt(others), f = rest / others, h = slope / norm, t = 0;
            if (h < 0) {
                double half = 0.5 * (f - b), root = sqrt(half * half + h * h);
                t = half > 0 ? (half + root) / -h : -h / (root - half);
            } else if (b < f) {
                continue;
            }
            x[i] = t * norm;
            for (int j = 0; j < k; j++)
                y[j] += B[j + (size_t)i * k] * (x[i] - old);
            form = rest + x[i] * (2 * slope + b * x[i]);
            square = others + x[i] * x[i];
        }
        for (int i = 0; i < k; i++)
            largest = fmax(largest, x[i]);
        for (int i = 0; i < k; i++)
            x[i] /= largest;
        value = rayleigh(k, B, x);
        if (!(value < before - 4 * DBL_EPSILON * (1 + fabs(before))))
            break;
    }
    return value;
}

/* The set is not positive semidefinite and z = P[T,T]^-1 P[T,j]: the vector x = (-z, 1) is the
 * column of the inverse that has to be of one sign in a smallest violating face. */
static bool try_vertex(tree *t, int count)
{
    double least = 1, largest = 1;
    for (int r = 0; r < count; r++) {
        least = fmin(least, -t->z[r]);
        largest = fmax(largest, -t->z[r]);
    }
    if (least < -0.001 * largest)
        return false;
    memset(t->y, 0, sizeof(double) * t->k);
    for (int r = 0; r < count; r++)
        t->y[t->set[r]] = fmax(0, -t->z[r]);
    t->y[t->set[count]] = 1;
    double value = rayleigh(t->k, t->faces->B, t->y);
    if (!(value < t->c) && least < 0)
        value = carom_faces_descend(t->k, t->faces->B, t->y, t->z, 20);
    if (!(value < t->c))
        return false;
    memcpy(t->x, t->y, sizeof(double) * t->k);
    return true;
}

/* Append row j at position count. Returns 1 when the larger set is still positive definite, 0 when
 * it is not (a leaf), -1 when the search has ended. */
static int append(tree *t, int count, int j)
{
    const double *B = t->faces->B;
    int k = t->k;
    double *l = t->L + (size_t)count * k;
    double pivot = B[j + (size_t)j * k] - t->c;
    for (int r = 0; r < count; r++) {
        const double *Lr = t->L + (size_t)r * k;
        double sum = B[t->set[r] + (size_t)j * k];
        for (int q = 0; q < r; q++)
            sum -= Lr[q] * l[q];
        l[r] = sum / Lr[r];
        pivot -= l[r] * l[r];
    }
    t->set[count] = j;
    if (pivot > 0.01) {
        l[count] = sqrt(pivot);
        return 1;
    }
    /* z, and the Rayleigh quotient of (-z, 1) from the matrix itself. */
    double square = 1;
    for (int r = count - 1; r >= 0; r--) {
        double sum = l[r];
        for (int q = r + 1; q < count; q++)
            sum -= t->L[(size_t)q * k + r] * t->z[q];
        t->z[r] = sum / t->L[(size_t)r * k + r];
        square += t->z[r] * t->z[r];
    }
    double quotient = pivot / square;
    if (fabs(quotient) < CAROM_TOLERANCE_SAME) {
        memset(t->y, 0, sizeof(double) * k);
        for (int r = 0; r < count; r++)
            t->y[t->set[r]] = -t->z[r];
        t->y[j] = 1;
        quotient = rayleigh(k, B, t->y) - t->c;
    }
    if (quotient > CAROM_FACES_MARGIN && pivot > 0) {
        l[count] = sqrt(pivot);
        return 1;
    }
    if (quotient >= -CAROM_FACES_MARGIN) {
        t->result = CAROM_FACES_AMBIGUOUS;
        return -1;
    }
    if (try_vertex(t, count)) {
        t->result = CAROM_FACES_FOUND;
        return -1;
    }
    return 0;
}

static bool watched(tree *t)
{
    carom_faces *faces = t->faces;
    faces->nodes++;
    const carom_watch *watch = faces->watch;
    bool go_on = faces->nodes < faces->limit;
    if (go_on && watch && fmod(faces->nodes, 4096) == 0)
        go_on = watch->go_on(watch->self, "copositivity", t->done);
    if (!go_on)
        t->result = CAROM_FACES_STOPPED;
    return go_on;
}

/* All connected sets (graph of the negative entries) that contain the current one, rows of
 * `extension` and later neighbours; each once. False ends the search. */
static bool extend(tree *t, int count, uint64_t seen, uint64_t extension, double share)
{
    double part = extension ? share / __builtin_popcountll(extension) : 0;
    while (extension) {
        int j = __builtin_ctzll(extension);
        extension &= extension - 1;
        if (!watched(t))
            return false;
        int grown = append(t, count, j);
        if (grown < 0)
            return false;
        if (grown > 0 && count + 1 < t->k) {
            uint64_t fresh = t->negative[j] & ~seen;
            if (!extend(t, count + 1, seen | t->negative[j], extension | fresh, part))
                return false;
        } else {
            t->done += part;
        }
    }
    t->done += part == 0 ? share : 0;
    return true;
}

carom_status carom_faces_search(carom_faces *faces, double c, carom_arena *arena, double *x,
                                carom_faces_result *result, carom_error *error)
{
    int k = faces->k;
    carom_mark mark = carom_arena_mark(arena);
    tree t = {.faces = faces, .c = c, .k = k, .result = CAROM_FACES_NONE};
    t.negative = carom_arena_zeros(arena, k, sizeof(uint64_t));
    t.L = carom_arena_doubles(arena, (size_t)k * k);
    t.z = carom_arena_doubles(arena, k);
    t.y = carom_arena_doubles(arena, k);
    t.x = carom_arena_doubles(arena, k);
    t.set = carom_arena_array(arena, k, sizeof(int));
    if (!t.negative || !t.L || !t.z || !t.y || !t.x || !t.set)
        return carom_error_memory(error);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            if (j != i && faces->B[j + (size_t)i * k] < 0)
                t.negative[i] |= (uint64_t)1 << j;
    for (int root = 0; root < k; root++) {
        /* Sets whose first row is `root`: earlier rows count as seen. */
        uint64_t earlier = ((uint64_t)2 << root) - 1;
        if (!watched(&t) || append(&t, 0, root) < 0 ||
            !extend(&t, 1, earlier | t.negative[root], t.negative[root] & ~earlier, 1.0 / k))
            break;
    }
    *result = t.result;
    if (t.result == CAROM_FACES_FOUND)
        memcpy(x, t.x, sizeof(double) * k);
    carom_arena_rewind(arena, mark);
    return CAROM_OK;
}
