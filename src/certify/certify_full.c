/* Certificates of a restitution matrix with all four blocks (docs/theory/certificates.md, "All four
 * blocks"). */
#include "certify/full.h"

#include "carom/need.h"
#include "carom/tolerance.h"
#include "certify/energy.h"
#include "cone/nnls.h"
#include "linalg/dense.h"
#include "linalg/min_norm.h"
#include "linalg/spectrum.h"

#include <math.h>
#include <string.h>

#define SOURCE CAROM_ENERGY_SOURCE

static carom_certificate *find(const carom_full *w, carom_certificate_kind kind)
{
    for (int i = 0; i < w->all->count; i++)
        if (w->all->list[i].kind == (int)kind)
            return &w->all->list[i];
    return NULL;
}

/* y = S c */
static void place(const carom_full *w, const double *c, double *y)
{
    memset(y, 0, sizeof *y * (size_t)w->k);
    carom_dense_gemv(w->k, w->freedom, 1, w->S, w->k, c, y);
}

/* ---- energy --------------------------------------------------------------------------------- */

/* A velocity that jumps (c, columns of `moving`) plus one that does not: the energy lost is
 * c'C c + 2 c'U'S e for e in `still`, and unbounded unless the last vanishes. *gains: y (k) was
 * found. */
static carom_status look_across(carom_full *w, double *y, bool *gains)
{
    const int d = w->freedom, a = w->jumps, b = d - a, k = w->k;
    double *X =
        carom_arena_zeros(w->arena, (size_t)a * b + 4 * (size_t)k + 2 * (size_t)d + 1, sizeof *X);
    if (!X)
        return carom_error_memory(w->error);
    double *u = X + (size_t)a * b, *v = u + k, *still = v + k, *c = still + k, most = 0;
    int row = 0, column = 0;
    *gains = false;
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++) {
            memset(u, 0, sizeof *u * 3 * (size_t)k);
            carom_dense_gemv(k, d, 1, w->U, k, w->moving + (size_t)i * d, u);
            carom_dense_gemv(k, d, 1, w->S, k, w->still + (size_t)j * d, still);
            X[i + (size_t)j * a] = carom_dense_dot(k, u, still);
            if (fabs(X[i + (size_t)j * a]) > fabs(most)) {
                most = X[i + (size_t)j * a];
                row = i;
                column = j;
            }
        }
    if (!(fabs(most) > 16 * w->rounding))
        return CAROM_OK;
    memset(u, 0, sizeof *u * 3 * (size_t)k);
    carom_dense_gemv(k, d, 1, w->U, k, w->moving + (size_t)row * d, u);
    carom_dense_gemv(k, d, 1, w->V, k, w->moving + (size_t)row * d, v);
    const double own = carom_dense_dot(k, u, v), t = -(fabs(own) + fabs(most)) / most;
    for (int i = 0; i < d; i++)
        c[i] = w->moving[i + (size_t)row * d] + t * w->still[i + (size_t)column * d];
    place(w, c, y);
    *gains = true;
    return CAROM_OK;
}

/* The least eigenvalue of the energy lost by velocities that jump, relative to |y|^2; *y attains
 * it. *exact: every entry is zero. */
static carom_status least_loss(carom_full *w, double *value, double *y, bool *exact)
{
    const int d = w->freedom, a = w->jumps, k = w->k;
    double *C = carom_arena_zeros(w->arena, (size_t)a * a + a + 2 * (size_t)k * a + d, sizeof *C);
    *value = 0;
    *exact = true;
    if (!C)
        return carom_error_memory(w->error);
    double *values = C + (size_t)a * a, *U = values + a, *V = U + (size_t)k * a,
           *c = V + (size_t)k * a;
    for (int j = 0; j < a; j++) {
        carom_dense_gemv(k, d, 1, w->U, k, w->moving + (size_t)j * d, U + (size_t)j * k);
        carom_dense_gemv(k, d, 1, w->V, k, w->moving + (size_t)j * d, V + (size_t)j * k);
    }
    for (int j = 0; j < a; j++)
        for (int i = 0; i < a; i++) {
            C[i + (size_t)j * a] = 0.5 * (carom_dense_dot(k, U + (size_t)i * k, V + (size_t)j * k) +
                                          carom_dense_dot(k, U + (size_t)j * k, V + (size_t)i * k));
            *exact = *exact && C[i + (size_t)j * a] == 0;
        }
    if (a == 0 || *exact)
        return CAROM_OK;
    carom_status status = carom_spectrum_symmetric(a, C, true, w->arena, values, w->error);
    *value = values[0];
    carom_dense_gemv(d, a, 1, w->moving, d, C, c);
    place(w, c, y);
    return status;
}

/* Exact: does the energy grow for some velocity that has impulses? */
static carom_status certify_energy(carom_full *w)
{
    carom_certificate *c = carom_certificates_add(
        w->all, CAROM_CERTIFY_ENERGY_FULL, CAROM_SCOPE_ALL, SOURCE "T+ - T- = 1/2 v'(E'DE - D)v");
    if (!c)
        return CAROM_OK;
    c->law = w->law->ops->name;
    if (w->freedom == 0) {
        c->applies = false;
        carom_certificate_say(c, "does not apply: no velocity has impulses that give v+ = -E v-");
        return CAROM_OK;
    }
    double *y = carom_arena_doubles(w->arena, (size_t)w->k), least = 0;
    bool across = false, exact = false;
    if (!y)
        return carom_error_memory(w->error);
    carom_status status = look_across(w, y, &across);
    if (!status && !across)
        status = least_loss(w, &least, y, &exact);
    if (status)
        return status;
    const double doubt = 16 * w->rounding;
    c->bound = 0;
    c->holds = across                   ? CAROM_FALSE
               : exact || w->jumps == 0 ? CAROM_TRUE
               : least > doubt          ? CAROM_TRUE
               : least < -doubt         ? CAROM_FALSE
                                        : CAROM_UNDECIDED;
    c->value = across                  ? NAN
               : w->jumps < w->freedom ? fmin(0, least)
               : fabs(least) <= doubt  ? 0
                                       : least;
    carom_certificate_say(
        c,
        "all four blocks of E: over the velocities that have impulses (%d of %d dimensions) the "
        "energy %s",
        w->freedom, w->k,
        c->holds == CAROM_TRUE ? "never grows; value: least share of it lost"
        : across ? "grows for some, without bound where a velocity without jump is added"
        : c->holds == CAROM_FALSE ? "grows for some; value: least share of it lost"
                                  : "grows at most by rounding");
    return c->holds == CAROM_FALSE ? carom_full_attach(w, c, y, CAROM_WITNESS_GAINS) : CAROM_OK;
}

/* Prop. 9, sufficient: D = diag(G^-1, I). */
static void certify_frobenius(carom_full *w)
{
    carom_certificate *c = carom_certificates_add(w->all, CAROM_CERTIFY_ENERGY_FULL_FROBENIUS,
                                                  CAROM_SCOPE_ALL, SOURCE "Prop. 9");
    if (!c)
        return;
    const double tangents = w->q.tangents, D = sqrt(w->m.K_norm * w->m.K_norm + tangents),
                 inverse = sqrt(w->m.G_norm * w->m.G_norm + tangents);
    c->law = w->law->ops->name;
    c->value = carom_normal_frobenius(w->k, w->k, w->E);
    c->bound = 1 / sqrt(D * inverse);
    c->holds = c->value < c->bound ? CAROM_TRUE : CAROM_FALSE;
    carom_certificate_say(c, "sufficient: |E|_F < 1/sqrt(|D|_F |D^-1|_F), D = diag(G^-1, I), all "
                             "four blocks; never met when E_tt = -I");
}

/* ---- which velocities have an outcome -------------------------------------------------------- */

static carom_status certify_range(carom_full *w)
{
    const int k = w->k;
    carom_certificate *c = find(w, CAROM_CERTIFY_FRICTION_RANGE);
    if (!c)
        c = carom_certificates_add(w->all, CAROM_CERTIFY_FRICTION_RANGE, CAROM_SCOPE_ALL,
                                   SOURCE "eq. (55)");
    if (!c)
        return CAROM_OK;
    c->applies = true;
    c->law = w->law->ops->name;
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
    for (int j = 0; j < w->freedom; j++)
        carom_dense_axpy(k, -w->S[worst + (size_t)j * k], w->S + (size_t)j * k, y);
    return carom_full_attach(w, c, y, CAROM_WITNESS_NO_OUTCOME);
}

/* ---- signs ----------------------------------------------------------------------------------- */

/* Conditions that are linear in c (y = S c), `rows` of them: is each >= 0 wherever all contacts
 * approach, A c = -v_n >= 0? By Farkas' lemma iff b is in the cone of the rows of A. */
typedef struct conditions {
    int rows;
    double *A; /* freedom x p, rows of -v_n as columns */
    double *b; /* freedom x rows, likewise */
} conditions;

/* The certificate of the conditions; value: the largest miss, relative. */
static carom_status judge(carom_full *w, const conditions *q, carom_certificate *c,
                          carom_witness_claim claim)
{
    const int d = w->freedom, p = w->m.p;
    double *s = carom_arena_doubles(w->arena, (size_t)p + 3 * (size_t)d + (size_t)w->k);
    if (!s || carom_arena_reserve(w->arena, carom_nnls_bytes(d, p), w->error))
        return carom_error_memory(w->error);
    double *r = s + p, *aim = r + d, *worst = aim + d, *y = worst + d, most = 0;
    bool close = false;
    c->holds = CAROM_TRUE;
    c->law = w->law->ops->name;
    c->value = c->bound = NAN;
    for (int i = 0; i < q->rows; i++) {
        const double *b = q->b + (size_t)i * d, size = carom_dense_norm(d, b);
        carom_nnls_info info;
        if (!(size > w->rounding))
            continue;
        for (int k = 0; k < d; k++)
            aim[k] = b[k] / size;
        carom_nnls_solve(d, p, q->A, aim, 0, w->arena, s, r, &info);
        const double miss = carom_dense_norm(d, r),
                     doubt = CAROM_TOLERANCE_SIGN + 16 * w->rounding / size;
        close = close || (miss > doubt / 100 && miss <= doubt) || !info.converged;
        if (miss > doubt && miss > most) {
            most = miss;
            memcpy(worst, r, sizeof *worst * (size_t)d);
        }
    }
    if (most == 0) {
        c->holds = close ? CAROM_UNDECIDED : CAROM_TRUE;
        return CAROM_OK;
    }
    c->holds = CAROM_FALSE;
    for (int k = 0; k < d; k++) /* b'r = |r|^2 > 0 and A r <= 0: go the other way */
        worst[k] = -worst[k];
    place(w, worst, y);
    return carom_full_attach(w, c, y, claim);
}

/* Rows of -v_n, in c. */
static carom_status approach(carom_full *w, conditions *q, int most)
{
    const int d = w->freedom, p = w->m.p, k = w->k;
    double *v = carom_arena_doubles(w->arena, (size_t)k);
    q->A = carom_arena_zeros(w->arena, (size_t)d * (size_t)(p + most) + 1, sizeof(double));
    if (!v || !q->A)
        return carom_error_memory(w->error);
    q->b = q->A + (size_t)d * p;
    q->rows = 0;
    for (int j = 0; j < d; j++) {
        carom_dense_copy(k, w->S + (size_t)j * k, v);
        carom_full_raise(w, v);
        for (int i = 0; i < p; i++)
            q->A[j + (size_t)i * d] = -v[i];
    }
    return CAROM_OK;
}

/* v_n+ = -(E v)_n >= 0. */
static carom_status certify_kinematic(carom_full *w)
{
    const int d = w->freedom, p = w->m.p, k = w->k;
    carom_certificate *c = find(w, CAROM_CERTIFY_KINEMATIC);
    conditions q;
    double *v = carom_arena_doubles(w->arena, (size_t)k);
    if (!c || d == 0)
        return CAROM_OK;
    carom_status status = approach(w, &q, p);
    if (status || !v)
        return status ? status : carom_error_memory(w->error);
    for (int j = 0; j < d; j++) {
        carom_dense_copy(k, w->S + (size_t)j * k, v);
        carom_full_raise(w, v);
        for (int i = 0; i < p; i++)
            for (int l = 0; l < k; l++)
                q.b[j + (size_t)i * d] -= w->E[i + (size_t)l * k] * v[l];
    }
    q.rows = p;
    c->counterexample = NULL;
    status = judge(w, &q, c, CAROM_WITNESS_PENETRATES);
    carom_certificate_say(
        c, "all four blocks of E: %s, over the velocities that have an outcome",
        c->holds == CAROM_TRUE    ? "no approaching velocity is sent into the obstacle"
        : c->holds == CAROM_FALSE ? "some approaching velocity is sent into the obstacle"
                                  : "too close to tell whether one is sent into the obstacle");
    return status;
}

/* Impulses of the basis velocities, (p + s) x freedom: G_bar r = -(I + E)v. *unique: they are. */
static carom_status find_impulses(carom_full *w, double *r, bool *unique)
{
    const int k = w->k, columns = w->q.p + w->q.s;
    double *v = carom_arena_doubles(w->arena, 2 * (size_t)k), *aim = v + k;
    if (!v)
        return carom_error_memory(w->error);
    carom_min_norm info = {.rank = columns};
    for (int j = 0; j < w->freedom; j++) {
        carom_dense_copy(k, w->S + (size_t)j * k, v);
        carom_full_raise(w, v);
        for (int i = 0; i < k; i++)
            aim[i] = -v[i];
        carom_dense_gemv(k, k, -1, w->E, k, v, aim);
        carom_status status =
            carom_min_norm_solve(k, columns, w->q.G_bar, aim, CAROM_TOLERANCE_RANK, w->arena,
                                 r + (size_t)j * columns, &info, w->error);
        if (status)
            return status;
    }
    *unique = info.rank == columns;
    return CAROM_OK;
}

/* Normal impulses >= 0 and, for planar contacts, mu L +- l_T >= 0. */
static carom_status certify_kinetic(carom_full *w)
{
    const int d = w->freedom, p = w->m.p, columns = p + w->q.s;
    carom_certificate *c = find(w, CAROM_CERTIFY_KINETIC);
    conditions q;
    bool unique = false, spatial = false;
    if (!c || d == 0)
        return CAROM_OK;
    double *r = carom_arena_doubles(w->arena, (size_t)columns * (size_t)d);
    carom_status status = approach(w, &q, 3 * p);
    if (!status && !r)
        status = carom_error_memory(w->error);
    if (!status)
        status = find_impulses(w, r, &unique);
    if (status)
        return status;
    for (int i = 0; i < p; i++) {
        const int first = w->g->slip_start[i], slips = w->g->slip_start[i + 1] - first;
        const double mu = slips && w->g->impact->contacts
                              ? w->g->impact->contacts[i].friction_static / w->g->norm[i]
                              : 0;
        spatial = spatial || slips == 2;
        for (int side = -1; side <= 1 && isfinite(mu); side++) {
            if (side != 0 && slips != 1)
                continue;
            double *b = q.b + (size_t)q.rows++ * d;
            for (int j = 0; j < d; j++)
                b[j] = side == 0 ? r[i + (size_t)j * columns]
                                 : mu * r[i + (size_t)j * columns] +
                                       side * r[p + first + (size_t)j * columns];
        }
    }
    c->counterexample = NULL;
    c->holds = CAROM_UNDECIDED;
    if (unique)
        status = judge(w, &q, c, CAROM_WITNESS_PULLS);
    if (spatial && c->holds == CAROM_TRUE)
        c->holds = CAROM_UNDECIDED;
    carom_certificate_say(
        c, "all four blocks of E: %s",
        c->holds == CAROM_TRUE ? "contacts only push, within their friction cones"
        : c->holds == CAROM_FALSE
            ? "some approaching velocity needs an impulse that pulls or leaves its friction cone"
        : !unique ? "the impulses are not unique; the verdict of each outcome tells"
                  : "spatial friction cones are not looked at; the verdict of each outcome tells");
    return status;
}

/* ---- scope ------------------------------------------------------------------------------------
 */

/* E = [E_nn 0; 0 -I]: the normal block is all there is to say. */
static bool is_normal(const carom_full *w)
{
    const int p = w->m.p, k = w->k;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            if ((i >= p || j >= p) && w->E[i + (size_t)j * k] != (i == j ? -1 : 0))
                return false;
    return true;
}

/* What was said of the normal block alone is no statement about this law. */
static void withdraw(const carom_full *w)
{
    for (int i = 0; i < w->all->count; i++) {
        carom_certificate *c = &w->all->list[i];
        if (!carom_certificate_about(c)->is_normal)
            continue;
        c->applies = false;
        c->holds = CAROM_UNDECIDED;
        c->counterexample = NULL;
        c->value = c->bound = NAN;
        carom_certificate_say(c,
                              "does not apply: it judges the normal block of E alone, and this E "
                              "prescribes tangential velocities too; see energy-full");
    }
}

carom_status carom_certify_full(const carom_law *law, const carom_geometry *geometry,
                                carom_arena *arena, carom_certificates *all, carom_error *error)
{
    CAROM_NEED(error, geometry, geometry->impact, arena, all);
    carom_full w = {.law = law, .g = geometry, .arena = arena, .all = all, .error = error};
    const carom_value *E = law && law->ops ? carom_law_value(law, "E") : NULL;
    const int p = geometry->impact->p;
    if (!E || E->rows <= p || E->rows != E->columns || geometry->impact->region ||
        geometry->spread_start[p] > 0)
        return CAROM_OK;
    carom_status status = carom_normal_make(geometry, arena, &w.m, error);
    if (!status)
        status = carom_quasi_make(geometry, arena, &w.q, error);
    w.k = p + w.q.tangents;
    w.E = E->numbers;
    if (status)
        return status;
    if (!w.m.regular || E->rows != w.k) {
        withdraw(&w);
        return CAROM_OK;
    }
    status = carom_full_make(&w);
    if (status)
        return status;
    if (!is_normal(&w))
        withdraw(&w);
    status = certify_energy(&w);
    if (!status) {
        certify_frobenius(&w);
        status = certify_kinematic(&w);
    }
    if (!status)
        status = certify_kinetic(&w);
    return status ? status : certify_range(&w);
}
