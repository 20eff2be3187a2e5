/* Stationary points of the distance to a union of polyhedral cones, by the arrangement of the
 * hyperplanes w_j'y = 0 (docs/theory/cones.md, "Unions"). All sets of rows are bit masks. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carom/need.h"
#include "carom/tolerance.h"
#include "cone/cone_frame.h"
#include "cone/cone_multipliers.h"
#include "cone/nnls.h"
#include "linalg/dense.h"
#include "linalg/finite.h"

/* Values below this part of their terms are zero: which face a point lies on. */
static const double ON_FACE = CAROM_TOLERANCE_SOLVED;
static const double MEMBER = CAROM_TOLERANCE_SIGN;

enum { BLOCKS = 64, SETS = 16 };

/* An intersection of cones cone(S_1) n cone(S_2) n ... that is none of its members. */
typedef struct block {
    int count;
    unsigned set[SETS];
} block;

typedef struct search {
    int n, p, groups;
    carom_cone_frame frame;
    double *A;             /* n x p, rows in the frame, unit length or zero */
    double *norm;          /* p, length before */
    double *x, *z, *v, *r; /* n: x, candidate, x - z, work */
    double *t;             /* n: sizes of the terms of z */
    double *Q, *Z;         /* n x n, n x p work */
    double *s;             /* p */
    double size;           /* of the part of x that the rows see */
    unsigned rows;         /* rows that are not zero */
    unsigned *group;       /* groups: masks, zero rows left out */
    int sign[CAROM_UNION_LIMIT];
    unsigned hull; /* rows whose rays are in the Clarke normal cone */
    int blocks;
    block block[BLOCKS];
    carom_arena *arena;
    carom_error *error;
} search;

const char *carom_cone_union_text(carom_stationary_type type)
{
    return type == CAROM_STATIONARY_INSIDE    ? "inside"
           : type == CAROM_STATIONARY_MINIMUM ? "minimum"
                                              : "saddle";
}

/* Subtract from y its part in the span of the rows of a mask. Returns their rank. */
static int project_off(search *S, unsigned mask, double *y)
{
    int n = S->n, k = 0;
    for (int j = 0; j < S->p && k < n; j++) {
        if (!(mask >> j & 1))
            continue;
        double *q = S->Q + (size_t)k * n;
        memcpy(q, S->A + (size_t)j * n, (size_t)n * sizeof(double));
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < k; l++) {
                const double *b = S->Q + (size_t)l * n;
                carom_dense_axpy(n, -carom_dense_dot(n, b, q), b, q);
            }
        double norm = carom_dense_norm(n, q);
        if (norm <= MEMBER)
            continue;
        carom_dense_scale(n, 1 / norm, q);
        k++;
    }
    for (int pass = 0; pass < 2 && y; pass++)
        for (int l = 0; l < k; l++) {
            const double *b = S->Q + (size_t)l * n;
            carom_dense_axpy(n, -carom_dense_dot(n, b, y), b, y);
        }
    return k;
}

/* What v = x - z may be off by as a member of a cone: z was solved for, and x is rounded. */
static double room(const search *S)
{
    return MEMBER * carom_dense_norm(S->n, S->v) + CAROM_TOLERANCE_SUM * S->size;
}

/* The side of row j that y is on: 0 where a_j'y is rounding of its terms, t_i being those of y_i.
 * Of |x| heavy bodies have the most, and light ones would be on every face. */
static int side_of(const search *S, int j, const double *y, const double *t)
{
    const double *a = S->A + (size_t)j * (size_t)S->n;
    double sum = 0, terms = 0;
    for (int i = 0; i < S->n; i++) {
        sum += a[i] * y[i];
        terms += fabs(a[i] * t[i]);
    }
    return fabs(sum) <= ON_FACE * terms ? 0 : sum > 0 ? 1 : -1;
}

/* z = the projection of x on the face with zero rows `at`, and the terms of its entries. */
static void project_on(search *S, unsigned at)
{
    const int n = S->n;
    memcpy(S->z, S->x, (size_t)n * sizeof(double));
    const int rank = project_off(S, at, S->z);
    for (int i = 0; i < n; i++)
        S->t[i] = fabs(S->x[i]);
    for (int l = 0; l < rank; l++) {
        const double *q = S->Q + (size_t)l * n;
        double part = 0; /* q'x may be rounding */
        for (int i = 0; i < n; i++)
            part += fabs(q[i] * S->x[i]);
        for (int i = 0; i < n; i++)
            S->t[i] += part * fabs(q[i]);
    }
}

/* -v = sum of lambda_j a_j over the rows of a mask with lambda >= 0? */
static bool in_cone(search *S, unsigned mask)
{
    int n = S->n, m = 0;
    for (int j = 0; j < S->p; j++)
        if (mask >> j & 1)
            for (int i = 0; i < n; i++)
                S->Z[i + (size_t)m * n] = -S->A[i + (size_t)j * n], m += i == n - 1;
    carom_nnls_info info;
    carom_nnls_solve(n, m, S->Z, S->v, S->size, S->arena, S->s, S->r, &info);
    return carom_dense_norm(n, S->r) <= room(S);
}

/* Is there a direction d with the signs given on the rows of `at`? */
static bool realizable(search *S, unsigned at, const int *sign)
{
    int n = S->n, m = 0;
    unsigned zero = 0;
    for (int j = 0; j < S->p; j++)
        if (at >> j & 1 && sign[j] == 0)
            zero |= 1u << j;
    for (int j = 0; j < S->p; j++) {
        if (!(at >> j & 1) || sign[j] == 0)
            continue;
        double *c = S->Z + (size_t)m++ * n;
        memcpy(c, S->A + (size_t)j * n, (size_t)n * sizeof(double));
        project_off(S, zero, c);
        double norm = carom_dense_norm(n, c);
        if (norm <= MEMBER)
            return false;
        carom_dense_scale(n, sign[j] / norm, c);
    }
    return m == 0 || !carom_cone_multipliers_vanish(n, m, S->Z, S->arena);
}

static int count_bits(unsigned mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* Add the intersection of the cones of these row sets to the Clarke cone: in closed form if one
 * set is in all others or if the rows are independent, else as a block for the final test. */
static carom_status add_intersection(search *S, block *b)
{
    unsigned all = 0, common = ~0u;
    for (int i = 0; i < b->count; i++) {
        all |= b->set[i];
        common &= b->set[i];
    }
    for (int i = 0; i < b->count; i++)
        if (b->set[i] == common) {
            S->hull |= common;
            return CAROM_OK;
        }
    if (project_off(S, all, NULL) == count_bits(all)) {
        S->hull |= common;
        return CAROM_OK;
    }
    for (int i = 0; i < S->blocks; i++)
        if (S->block[i].count == b->count &&
            memcmp(S->block[i].set, b->set, (size_t)b->count * sizeof *b->set) == 0)
            return CAROM_OK;
    if (S->blocks == BLOCKS)
        return carom_error_set(S->error, CAROM_ERROR_UNSUPPORTED,
                               "union of cones: more than %d intersections of normal cones meet at "
                               "one face; use fewer groups or contacts",
                               BLOCKS);
    S->block[S->blocks++] = *b;
    return CAROM_OK;
}

/* The face F' next to z with these signs: the intersection of the normal cones of all groups that
 * hold it. Groups that hold its neighbourhood leave only {0}. */
static carom_status add_face(search *S, unsigned at, const int *sign)
{
    block b = {0};
    for (int k = 0; k < S->groups; k++) {
        unsigned zero = 0;
        bool holds = true;
        for (int j = 0; j < S->p && holds; j++)
            if (S->group[k] >> j & 1) {
                holds = sign[j] >= 0;
                zero |= sign[j] == 0 ? 1u << j : 0;
            }
        if (!holds)
            continue;
        if (!zero)
            return CAROM_OK;
        bool known = false;
        for (int i = 0; i < b.count; i++)
            known |= b.set[i] == zero;
        if (!known && b.count == SETS)
            return carom_error_set(S->error, CAROM_ERROR_UNSUPPORTED,
                                   "union of cones: more than %d groups meet at one face", SETS);
        if (!known)
            b.set[b.count++] = zero;
    }
    if (b.count == 0 || (b.count == 1 && (b.set[0] & ~S->hull) == 0))
        return CAROM_OK;
    return realizable(S, at, sign) ? add_intersection(S, &b) : CAROM_OK;
}

/* v in the convex hull of -cone(hull) and the blocks: v = sum over the blocks of one member each,
 * the members of one block being equal: one least-squares problem. */
static carom_status in_hull(search *S, bool *member)
{
    if (!S->blocks) {
        *member = in_cone(S, S->hull);
        return CAROM_OK;
    }
    size_t rows = (size_t)S->n, columns = (size_t)count_bits(S->hull);
    for (int i = 0; i < S->blocks; i++) {
        rows += (size_t)S->n * (size_t)(S->block[i].count - 1);
        for (int k = 0; k < S->block[i].count; k++)
            columns += (size_t)count_bits(S->block[i].set[k]);
    }
    carom_mark mark = carom_arena_mark(S->arena);
    double *E, *f;
    const carom_arena_part parts[] = {{&E, rows * columns, sizeof *E},
                                      {&f, 2 * rows + columns, sizeof *f}};
    carom_status status = carom_arena_parts(S->arena, parts, 2, S->error);
    if (!status)
        status = carom_arena_reserve(S->arena, carom_nnls_bytes((int)rows, (int)columns), S->error);
    if (status)
        return status;
    memcpy(f, S->v, (size_t)S->n * sizeof(double));
    double *e = E;
    size_t equal = (size_t)S->n; /* first row of the equations first member = member k */
    for (int i = -1; i < S->blocks; i++)
        for (int k = 0; k < (i < 0 ? 1 : S->block[i].count); k++) {
            unsigned set = i < 0 ? S->hull : S->block[i].set[k];
            for (int j = 0; j < S->p; j++) {
                if (!(set >> j & 1))
                    continue;
                const double *a = S->A + (size_t)j * S->n;
                if (k == 0)
                    carom_dense_axpy(S->n, -1, a, e);
                for (int l = 1; i >= 0 && l < S->block[i].count; l++)
                    if (k == 0 || k == l)
                        carom_dense_axpy(S->n, k == 0 ? -1 : 1, a,
                                         e + equal + (size_t)(l - 1) * S->n);
                e += rows;
            }
            if (i >= 0 && k == S->block[i].count - 1)
                equal += (size_t)S->n * (size_t)(S->block[i].count - 1);
        }
    carom_nnls_info info;
    carom_nnls_solve((int)rows, (int)columns, E, f, S->size, S->arena, f + 2 * rows, f + rows,
                     &info);
    *member = carom_dense_norm((int)rows, f + rows) <= room(S);
    carom_arena_rewind(S->arena, mark);
    return CAROM_OK;
}

/* Clarke's normal cone of T at z, for z on the face with zero rows `at`. */
static carom_status is_stationary(search *S, unsigned at, bool *yes)
{
    carom_status status = CAROM_OK;
    *yes = in_cone(S, at); /* necessary, and cheap */
    if (!*yes)
        return status;
    int sign[CAROM_UNION_LIMIT], where[CAROM_UNION_LIMIT], m = 0, faces = 1;
    memcpy(sign, S->sign, sizeof sign);
    for (int j = 0; j < S->p; j++)
        if (at >> j & 1) {
            where[m++] = j;
            faces *= 3;
        }
    S->hull = 0;
    S->blocks = 0;
    for (int f = 0; f < faces && !status; f++) {
        for (int i = 0, rest = f; i < m; i++, rest /= 3)
            sign[where[i]] = rest % 3 - 1;
        status = add_face(S, at, sign);
    }
    return status ? status : in_hull(S, yes);
}

static bool holds(const search *S, int k)
{
    for (int j = 0; j < S->p; j++)
        if (S->group[k] >> j & 1 && S->sign[j] < 0)
            return false;
    return true;
}

/* Every group that holds z must have z as its own nearest point. */
static bool is_minimum(search *S, unsigned at)
{
    for (int k = 0; k < S->groups; k++)
        if (holds(S, k) && !in_cone(S, S->group[k] & at))
            return false;
    return true;
}

static carom_status multipliers(search *S, unsigned at, carom_stationary *out)
{
    bool touching[CAROM_UNION_LIMIT];
    in_cone(S, at);
    for (int j = 0, m = 0; j < S->p; j++)
        out->lambda[j] = at >> j & 1 ? S->s[m++] : 0;
    carom_cone_multipliers_touching(S->n, S->p, S->A, S->z, S->size, touching);
    carom_status status = carom_cone_multipliers_least(S->n, S->p, S->A, touching, S->arena,
                                                       out->lambda, &out->unique, S->error);
    for (int j = 0; j < S->p && !status; j++)
        out->lambda[j] = S->norm[j] > 0 ? out->lambda[j] / S->norm[j] : 0;
    return status;
}

/* Try the face with zero rows `at`. *found: it holds a stationary point, described in *out. */
static carom_status try_face(search *S, unsigned at, bool *found, carom_stationary *out)
{
    int n = S->n;
    unsigned zero = 0;
    *found = false;
    project_on(S, at);
    bool same = true; /* x is on this face itself */
    for (int j = 0; j < S->p; j++) {
        S->sign[j] = side_of(S, j, S->z, S->t);
        zero |= S->sign[j] == 0 ? 1u << j & S->rows : 0;
        same = same && (!(at >> j & 1) || side_of(S, j, S->x, S->x) == 0);
    }
    bool inside = false, yes = true;
    for (int k = 0; k < S->groups; k++)
        inside |= holds(S, k);
    if (zero != at || !inside)
        return CAROM_OK;
    for (int i = 0; i < n; i++)
        S->v[i] = S->x[i] - S->z[i];
    double distance = carom_dense_norm(n, S->v);
    const size_t member = carom_nnls_bytes(n, S->p),
                 face = carom_cone_multipliers_vanish_bytes(n, S->p);
    const size_t point = carom_arena_bytes((size_t)n + (size_t)S->p, sizeof(double));
    carom_status status =
        carom_arena_reserve(S->arena, point + (member > face ? member : face), S->error);
    if (!status && !same)
        status = is_stationary(S, at, &yes);
    if (status || !yes)
        return status;
    yes = is_minimum(S, at);
    *out = (carom_stationary){.distance = distance, .active = at, .unique = true};
    out->type = same  ? CAROM_STATIONARY_INSIDE
                : yes ? CAROM_STATIONARY_MINIMUM
                      : CAROM_STATIONARY_SADDLE;
    out->z = carom_arena_reserved(S->arena, (size_t)n + (size_t)S->p, sizeof *out->z);
    out->lambda = out->z + n;
    memset(out->lambda, 0, (size_t)S->p * sizeof(double));
    if (!same)
        status = multipliers(S, at, out);
    memcpy(out->z, S->z, (size_t)n * sizeof(double));
    carom_cone_frame_vector_back(&S->frame, out->z);
    *found = !status;
    return status;
}

static carom_status search_create(search *S, const carom_union *set, const double *x,
                                  carom_arena *arena, carom_error *error)
{
    int n = set->n, p = set->p;
    size_t ns = (size_t)n, ps = (size_t)p;
    *S = (search){.n = n, .p = p, .groups = set->group_count, .arena = arena, .error = error};
    carom_status status = carom_cone_frame_create(n, &set->metric, arena, &S->frame, error);
    if (status)
        return status;
    const carom_arena_part parts[] = {
        {&S->A, 2 * ns * ps + ns * ns + 5 * ns + 2 * ps, sizeof *S->A},
        {&S->group, (size_t)set->group_count, sizeof *S->group}};
    status = carom_arena_parts(arena, parts, 2, error);
    if (status)
        return status;
    S->Z = S->A + ns * ps;
    S->Q = S->Z + ns * ps;
    S->x = S->Q + ns * ns;
    S->z = S->x + n;
    S->v = S->z + n;
    S->r = S->v + n;
    S->t = S->r + n;
    S->norm = S->t + n;
    S->s = S->norm + p;
    for (int j = 0; j < set->c; j++) {
        memcpy(S->r, set->C + (size_t)j * n, ns * sizeof(double));
        carom_cone_frame_row(&S->frame, S->r);
        carom_cone_frame_fix(&S->frame, S->r);
    }
    carom_cone_frame_rows(&S->frame, p, set->W, S->A);
    for (int j = 0; j < p; j++) {
        S->norm[j] = carom_dense_norm(n, S->A + (size_t)j * n);
        if (S->norm[j] > 0) {
            carom_dense_scale(n, 1 / S->norm[j], S->A + (size_t)j * n);
            S->rows |= 1u << j;
        }
    }
    for (int k = 0; k < set->group_count; k++)
        for (int i = set->group_start[k]; i < set->group_start[k + 1]; i++)
            S->group[k] |= 1u << set->group_row[i] & S->rows;
    memcpy(S->x, x, ns * sizeof(double));
    carom_cone_frame_vector(&S->frame, S->x);
    carom_cone_frame_reduce(&S->frame, S->x);
    memcpy(S->r, S->x, ns * sizeof(double));
    project_off(S, S->rows, S->r);
    for (int i = 0; i < n; i++)
        S->size = hypot(S->size, S->x[i] - S->r[i]);
    return CAROM_OK;
}

static carom_status check_union(const carom_union *set, const double *x, carom_error *error)
{
    if (set->p > CAROM_UNION_LIMIT)
        return carom_error_set(error, CAROM_ERROR_UNSUPPORTED,
                               "a union of cones with %d rows: at most %d are supported, for all "
                               "faces of their arrangement are searched",
                               set->p, CAROM_UNION_LIMIT);
    if (set->group_count < 1)
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "a union of cones needs at least one group");
    for (int i = 0; i < set->group_start[set->group_count]; i++)
        if (set->group_row[i] < 0 || set->group_row[i] >= set->p)
            return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                                   "a group names row %d, there are %d", set->group_row[i] + 1,
                                   set->p);
    if (!carom_finite_all((size_t)set->n, x) ||
        !carom_finite_all((size_t)set->n * (size_t)set->p, set->W))
        return carom_error_set(error, CAROM_ERROR_ARGUMENT,
                               "a union of cones: x and W must be finite numbers");
    return CAROM_OK;
}

static int compare(const void *a, const void *b)
{
    const carom_stationary *s = a, *t = b;
    if (s->distance != t->distance)
        return s->distance < t->distance ? -1 : 1;
    if (s->type != t->type)
        return s->type < t->type ? -1 : 1;
    return s->active < t->active ? -1 : s->active > t->active;
}

carom_status carom_cone_union_stationary(const carom_union *set, const double *x,
                                         carom_arena *arena, carom_stationary **points, int *count,
                                         carom_error *error)
{
    CAROM_NEED(error, set, x, arena, points, count);
    carom_mark start = carom_arena_mark(arena);
    search S;
    carom_status status = check_union(set, x, error);
    if (!status)
        status = search_create(&S, set, x, arena, error);
    carom_stationary *all =
        status ? NULL : carom_arena_array(arena, (size_t)1 << set->p, sizeof *all);
    if (!status && !all)
        status = carom_error_memory(error);
    int found = 0;
    for (unsigned at = 0; !status && at < 1u << set->p; at++) {
        bool is = false;
        if ((at & ~S.rows) == 0)
            status = try_face(&S, at, &is, all + found);
        found += is;
    }
    if (status) {
        carom_arena_rewind(arena, start);
        return status;
    }
    qsort(all, (size_t)found, sizeof *all, compare);
    *points = all;
    *count = found;
    return CAROM_OK;
}
