/* A restitution matrix for all quasi-velocities, v+ = -E v- with v = (v_n, v_t) (docs/theory/
 * certificates.md, "All four blocks"). In y = L^-1 v, diag(G, I) = LL', the kinetic energy is
 * |y|^2/2 and v+ = -E v- reads y+ = -F y-, F = L^-1 E L. Impulses exist for the y with (I + F)y in
 * the range of L^-1 G_bar: a subspace S. */
#include "carom/quasi.h"
#include "certify/energy.h"
#include "linalg/cholesky.h"
#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SOURCE CAROM_ENERGY_SOURCE

typedef struct work {
    const carom_law *law;
    const carom_geometry *g;
    carom_arena *arena;
    carom_certificates *all;
    carom_error *error;
    carom_normal m;
    carom_quasi q;
    int k;           /* p + tangents */
    const double *E; /* k x k */
    double *F;       /* k x k */
    double *S;       /* k x freedom, orthonormal */
    int freedom;     /* velocities with an outcome */
} work;

/* x := L^-1 x for a vector of quasi-velocities, or L x. */
static void lower(const work *w, double *x)
{
    carom_cholesky_forward(w->m.p, w->m.L, w->m.p, x);
}

static void raise(const work *w, double *x)
{
    const int p = w->m.p;
    for (int i = p - 1; i >= 0; i--) {
        double sum = 0;
        for (int j = 0; j <= i; j++)
            sum += w->m.L[i + (size_t)j * p] * x[j];
        x[i] = sum;
    }
}

/* F = L^-1 E L, column by column. */
static void form_F(work *w)
{
    const int k = w->k;
    for (int j = 0; j < k; j++) {
        double *column = w->F + (size_t)j * k;
        memset(column, 0, sizeof(double) * (size_t)k);
        for (int c = j; c < k; c++) {
            double l = j >= w->m.p  ? (double)(c == j)
                       : c < w->m.p ? w->m.L[c + (size_t)j * w->m.p]
                                    : 0;
            for (int i = 0; i < k && l != 0; i++)
                column[i] += w->E[i + (size_t)c * k] * l;
        }
        lower(w, column);
    }
}

/* S: the y with (I - P)(I + F)y = 0, P the projector on the range of L^-1 G_bar. */
static carom_status form_S(work *w)
{
    const int k = w->k, columns = w->q.p + w->q.s, few = k < columns ? k : columns;
    const size_t square = (size_t)k * k;
    double *A = carom_arena_doubles(w->arena, (size_t)k * columns);
    double *U = carom_arena_doubles(w->arena, (size_t)k * few), *Vt = NULL;
    double *values = carom_arena_doubles(w->arena, (size_t)k + columns);
    double *R = carom_arena_doubles(w->arena, 3 * square);
    Vt = carom_arena_doubles(w->arena, (size_t)few * columns);
    w->S = carom_arena_doubles(w->arena, square);
    if (!A || !U || !Vt || !values || !R || !w->S)
        return carom_error_memory(w->error);
    memcpy(A, w->q.G_bar, sizeof(double) * (size_t)k * columns);
    for (int j = 0; j < columns; j++) { /* of unit length: units of friction rows do not matter */
        double size = 0;
        lower(w, A + (size_t)j * k);
        for (int i = 0; i < k; i++)
            size = hypot(size, A[i + (size_t)j * k]);
        for (int i = 0; i < k && size > 0; i++)
            A[i + (size_t)j * k] /= size;
    }
    carom_status status = carom_spectrum_singular(k, columns, A, w->arena, values, U, Vt, w->error);
    if (status)
        return status;
    int rank = 0;
    while (rank < few && values[rank] > 1e-11 * values[0])
        rank++;
    double size = 1;
    for (int j = 0; j < k; j++) {
        double *r = R + (size_t)j * k;
        for (int i = 0; i < k; i++) {
            r[i] = (i == j) + w->F[i + (size_t)j * k];
            size = fmax(size, fabs(r[i]));
        }
        for (int pass = 0; pass < 2; pass++)
            for (int c = 0; c < rank; c++) {
                double dot = 0;
                for (int i = 0; i < k; i++)
                    dot += U[i + (size_t)c * k] * r[i];
                for (int i = 0; i < k; i++)
                    r[i] -= dot * U[i + (size_t)c * k];
            }
    }
    double *left = R + square, *right = left + square;
    status = carom_spectrum_singular(k, k, R, w->arena, values, left, right, w->error);
    w->freedom = 0;
    for (int c = 0; c < k && !status; c++)
        if (values[c] <= 1e-10 * size)
            for (int i = 0, column = w->freedom++; i < k; i++)
                w->S[i + (size_t)column * k] = right[c + (size_t)i * k];
    return status;
}

typedef enum claim { GAINS, PENETRATES, HAS_NO_OUTCOME } claim;

/* Attach the velocity with quasi-velocities L y (y is used up), at the scene's speed; run the law
 * and say whether it is as claimed. */
static carom_status attach(work *w, carom_certificate *c, double *y, claim what)
{
    const double speed = w->g->speed > 0 ? w->g->speed : 1;
    double *u = carom_arena_doubles(w->arena, (size_t)w->q.n), size = 0;
    carom_impact *impact = carom_arena_array(w->arena, 1, sizeof *impact);
    carom_geometry *other = carom_arena_array(w->arena, 1, sizeof *other);
    carom_outcome outcome;
    if (!u || !impact || !other)
        return carom_error_memory(w->error);
    for (int i = 0; i < w->k; i++)
        size = hypot(size, y[i]);
    for (int i = 0; i < w->k && size > 0; i++)
        y[i] *= speed / size;
    raise(w, y);
    carom_quasi_to_velocity(&w->q, y, u);
    *impact = *w->g->impact;
    impact->u = u;
    carom_status status = carom_impact_derive(impact, w->arena, other, w->error);
    if (!status)
        status = carom_outcome_create(other, w->arena, &outcome, w->error);
    if (!status)
        status = carom_law_apply(w->law, other, w->arena, &outcome, w->error);
    if (status)
        return status;
    c->counterexample = u;
    const bool done = outcome.answer == CAROM_ANSWER_OK;
    c->verified = what == GAINS        ? done && outcome.verdict.energy_gain > 0
                  : what == PENETRATES ? done && outcome.verdict.least_velocity < 0
                                       : outcome.answer == CAROM_ANSWER_NONE;
    return CAROM_OK;
}

/* Coordinates that E only keeps or reverses keep their energy, exactly, and drop out: the others,
 * in rising order. */
static int find_others(const work *w, int *others)
{
    const int p = w->m.p, k = w->k;
    int count = 0;
    for (int j = 0; j < k; j++) {
        bool neutral = fabs(w->E[j * (size_t)(k + 1)]) == 1;
        for (int i = 0; i < k && neutral; i++)
            if (i != j)
                neutral = w->E[i + (size_t)j * k] == 0 && w->E[j + (size_t)i * k] == 0 &&
                          (i >= p || j >= p || w->m.G[i + (size_t)j * p] == 0);
        if (!neutral)
            others[count++] = j;
    }
    return count;
}

/* The largest of |F y|^2/|y|^2 over S in the other coordinates; *y (k) attains it. */
static carom_status find_ratio(work *w, const int *others, int r, double *ratio, double *y)
{
    const int k = w->k, d = w->freedom, few = r < d ? r : d;
    double *A = carom_arena_doubles(w->arena, 2 * (size_t)r * d + (size_t)r * few + 2 * (size_t)d);
    double *Q = A ? A + (size_t)r * d : NULL, *values = Q ? Q + (size_t)r * few : NULL;
    double *U = carom_arena_doubles(w->arena, (size_t)r * r),
           *Vt = carom_arena_doubles(w->arena, (size_t)d * d);
    if (!A || !U || !Vt)
        return carom_error_memory(w->error);
    for (int j = 0; j < d; j++)
        for (int i = 0; i < r; i++)
            A[i + (size_t)j * r] = w->S[others[i] + (size_t)j * k];
    carom_status status = carom_spectrum_singular(r, d, A, w->arena, values, Q, Vt, w->error);
    int rank = 0;
    while (!status && rank < few && values[rank] > 1e-10)
        rank++;
    *ratio = 0;
    if (status || rank == 0)
        return status;
    /* the basis vector c of the projection of S comes from S Vt[c]/values[c] */
    double *back = carom_arena_zeros(w->arena, (size_t)k * rank, sizeof(double));
    if (!back)
        return carom_error_memory(w->error);
    for (int c = 0; c < rank; c++)
        for (int j = 0; j < d; j++)
            for (int i = 0; i < k; i++)
                back[i + (size_t)c * k] +=
                    w->S[i + (size_t)j * k] * Vt[c + (size_t)j * few] / values[c];
    for (int c = 0; c < rank; c++)
        for (int i = 0; i < r; i++) {
            A[i + (size_t)c * r] = 0;
            for (int l = 0; l < r; l++)
                A[i + (size_t)c * r] +=
                    w->F[others[i] + (size_t)others[l] * k] * Q[l + (size_t)c * r];
        }
    const int least = r < rank ? r : rank;
    status = carom_spectrum_singular(r, rank, A, w->arena, values, U, Vt, w->error);
    *ratio = status ? 0 : values[0] * values[0];
    for (int i = 0; i < k && !status; i++) {
        y[i] = 0;
        for (int c = 0; c < rank; c++)
            y[i] += back[i + (size_t)c * k] * Vt[(size_t)c * least];
    }
    return status;
}

/* Exact: does the energy grow for some velocity that has impulses? */
static carom_status certify_energy(work *w)
{
    const int k = w->k, d = w->freedom;
    carom_certificate *c = carom_certificates_add(w->all, "energy-full", CAROM_SCOPE_ALL,
                                                  SOURCE "T+ - T- = 1/2 v'(E'DE - D)v");
    if (!c)
        return CAROM_OK;
    if (d == 0) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: no velocity has impulses that give v+ = -E v-");
        return CAROM_OK;
    }
    int *others = carom_arena_array(w->arena, (size_t)k, sizeof(int));
    double *y = carom_arena_doubles(w->arena, (size_t)k), ratio = 0;
    if (!others || !y)
        return carom_error_memory(w->error);
    const int count = find_others(w, others);
    carom_status status = count > 0 ? find_ratio(w, others, count, &ratio, y) : CAROM_OK;
    if (status)
        return status;
    const double doubt =
        64.0 * (k + w->q.n) * DBL_EPSILON * w->m.largest / w->m.least * fmax(1, ratio);
    const bool grows = 1 - ratio < -doubt;
    c->bound = 0;
    c->value = grows || count == k ? 1 - ratio : fmin(0, 1 - ratio);
    if (fabs(1 - ratio) <= doubt)
        c->value = 0;
    c->holds = 1 - ratio > doubt ? CAROM_TRUE : grows ? CAROM_FALSE : CAROM_UNDECIDED;
    carom_certificate_say(
        c,
        "all four blocks of E: over the velocities that have impulses (%d of %d dimensions) the "
        "energy %s; value: least share of it lost",
        d, k,
        c->holds == CAROM_TRUE ? "never grows"
        : grows                ? "grows for some"
                               : "grows at most by rounding");
    return grows ? attach(w, c, y, GAINS) : CAROM_OK;
}

/* Prop. 9, sufficient: D = diag(G^-1, I). */
static void certify_frobenius(work *w)
{
    carom_certificate *c =
        carom_certificates_add(w->all, "energy-full-frobenius", CAROM_SCOPE_ALL, SOURCE "Prop. 9");
    if (!c)
        return;
    const double tangents = w->q.tangents, D = sqrt(w->m.K_norm * w->m.K_norm + tangents),
                 inverse = sqrt(w->m.G_norm * w->m.G_norm + tangents);
    c->value = carom_normal_frobenius(w->k, w->k, w->E);
    c->bound = 1 / sqrt(D * inverse);
    c->holds = c->value < c->bound ? CAROM_TRUE : CAROM_FALSE;
    carom_certificate_say(c, "sufficient: |E|_F < 1/sqrt(|D|_F |D^-1|_F), D = diag(G^-1, I), all "
                             "four blocks; never met when E_tt = -I");
}

static carom_certificate *find(const work *w, const char *name)
{
    for (int i = 0; i < w->all->count; i++)
        if (strcmp(w->all->list[i].name, name) == 0)
            return &w->all->list[i];
    return NULL;
}

/* Which velocities have an outcome at all? Replaces what was said of an E that leaves v_t alone. */
static carom_status certify_range(work *w)
{
    const int k = w->k;
    carom_certificate *c = find(w, "friction-range");
    if (!c)
        c = carom_certificates_add(w->all, "friction-range", CAROM_SCOPE_ALL, SOURCE "eq. (55)");
    if (!c)
        return CAROM_OK;
    c->applies = true;
    c->reference = SOURCE "eq. (55)";
    c->value = w->freedom;
    c->bound = k;
    c->holds = w->freedom == k ? CAROM_TRUE : CAROM_FALSE;
    carom_certificate_say(c,
                          "(I+E)v- is in the range of [G n'H_T; 0 t'H_T] %s; value: the dimension "
                          "of the velocities for which it is",
                          w->freedom == k ? "for every velocity"
                                          : "for some velocities only; the others have no impulses "
                                            "that give v+ = -E v-");
    if (w->freedom == k)
        return CAROM_OK;
    double *y = carom_arena_zeros(w->arena, (size_t)k, sizeof(double));
    if (!y)
        return carom_error_memory(w->error);
    int worst = 0; /* the unit vector farthest from S, made orthogonal to it */
    double least = INFINITY;
    for (int i = 0; i < k; i++) {
        double inside = 0;
        for (int j = 0; j < w->freedom; j++)
            inside += w->S[i + (size_t)j * k] * w->S[i + (size_t)j * k];
        if (inside < least) {
            least = inside;
            worst = i;
        }
    }
    y[worst] = 1;
    for (int j = 0; j < w->freedom; j++) {
        const double dot = w->S[worst + (size_t)j * k];
        for (int i = 0; i < k; i++)
            y[i] -= dot * w->S[i + (size_t)j * k];
    }
    return attach(w, c, y, HAS_NO_OUTCOME);
}

/* v_n+ = -E_nn v_n- - E_nt v_t-: with E_nt != 0 some v_t sends a contact into the obstacle. */
static carom_status revise_signs(work *w)
{
    const int p = w->m.p, k = w->k;
    int row = -1;
    bool coupled = false;
    for (int i = 0; i < p; i++) {
        for (int j = p; j < k; j++)
            if (w->E[i + (size_t)j * k] != 0)
                row = i;
        for (int j = 0; j < w->q.s; j++)
            coupled = coupled || w->q.n_H[i + (size_t)j * p] != 0;
    }
    carom_certificate *c = find(w, "kinetic");
    if (c && c->holds == CAROM_TRUE && (coupled || row >= 0)) {
        c->holds = CAROM_UNDECIDED;
        carom_certificate_say(c, "no entry of G^-1(I+E_nn) is negative; but the normal impulses "
                                 "depend on v_t too, which this E prescribes: the verdict of each "
                                 "outcome tells");
    }
    c = find(w, "kinematic");
    if (!c || c->holds != CAROM_TRUE || row < 0)
        return CAROM_OK;
    c->holds = w->freedom == k ? CAROM_FALSE : CAROM_UNDECIDED;
    carom_certificate_say(c, "no entry of E_nn is negative, but E_nt is not zero: tangential "
                             "velocities of one sign send a contact into the obstacle");
    double *y = carom_arena_zeros(w->arena, (size_t)k, sizeof(double));
    if (!y)
        return carom_error_memory(w->error);
    for (int j = p; j < k; j++)
        y[j] = w->E[row + (size_t)j * k];
    return c->holds == CAROM_FALSE ? attach(w, c, y, PENETRATES) : CAROM_OK;
}

carom_status carom_certify_full(const carom_law *law, const carom_geometry *geometry,
                                carom_arena *arena, carom_certificates *all, carom_error *error)
{
    work w = {.law = law, .g = geometry, .arena = arena, .all = all, .error = error};
    const carom_value *E = law && law->ops ? carom_law_value(law, "E") : NULL;
    const int p = geometry->impact->p;
    if (!E || strcmp(law->ops->name, "matrix") != 0 || E->rows <= p || E->rows != E->columns ||
        geometry->impact->region || geometry->spread_start[p] > 0)
        return CAROM_OK;
    carom_status status = carom_normal_make(geometry, arena, &w.m, error);
    if (!status)
        status = carom_quasi_make(geometry, arena, &w.q, error);
    w.k = p + w.q.tangents;
    if (status || !w.m.regular || E->rows != w.k)
        return status;
    w.E = E->numbers;
    w.F = carom_arena_doubles(arena, (size_t)w.k * (size_t)w.k);
    if (!w.F)
        return carom_error_memory(error);
    form_F(&w);
    status = form_S(&w);
    if (!status)
        status = certify_energy(&w);
    if (status)
        return status;
    certify_frobenius(&w);
    status = revise_signs(&w);
    return status ? status : certify_range(&w);
}
